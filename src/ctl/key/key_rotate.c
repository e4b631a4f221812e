#include "ctl/key/key_rotate.h"

#include "ctl/common/stored_secrets.h"
#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "store/party/sealed_rows.h"
#include "store/payment/approvals.h"

#include <unistd.h>

enum { ROWS_AT_ONCE = 100 };

/* State of the walk over all rows. */
struct walk {
    struct context *context;
    struct key_ring ring;
    bool reencrypts;
    uint64_t reencrypted, unchanged; /* numbers of secrets; unchanged: they could not be encrypted again */
    uint64_t sealed_with[KEYS_MAX], sealed_with_others;
};

static bool is_current(const struct walk *walk, struct text sealed) {
    unsigned char id[KEY_ID_BYTES];
    return vault_key_id(sealed, id) && memcmp(id, key_ring_find(&walk->ring, KEY_CURRENT)->id, KEY_ID_BYTES) == 0;
}

static void count_rows(struct walk *walk, struct text sealed) {
    unsigned char id[KEY_ID_BYTES];
    const struct sealing_key *key = vault_key_id(sealed, id) ? key_ring_find_id(&walk->ring, id) : NULL;
    if (key == NULL) {
        walk->sealed_with_others++;
    } else {
        walk->sealed_with[key - walk->ring.keys]++;
    }
}

/* Encrypts the secret again with the current sealing key. A secret that cannot be decrypted stays as it is. */
static struct text seal_anew(struct walk *walk, enum sealed_table table, const struct sealed_row *row, size_t column) {
    struct vault *vault = walk->context->vault;
    const char *kind = sealed_rows_column(table, column);
    unsigned char sealed[VAULT_SEALED_MAX];
    struct secret secret;
    size_t size = 0;
    bool opened = vault_unseal(vault, kind, row->name, row->sealed[column], &secret);
    if (opened) {
        size = vault_seal(vault, kind, row->name, &secret, sealed);
        secret_wipe(&secret);
    }
    if (size == 0) {
        remark("a secret of %.*s (%s) cannot be %s", TEXT_ARGS(row->name), kind,
               opened ? "encrypted again: the system's random generator failed"
                      : "decrypted with any key of the file: restore the copy of the file that encrypted it; where "
                        "there is none, rotate it with --now");
        walk->unchanged++;
        return row->sealed[column];
    }
    return arena_copy(walk->context->arena, (struct text){(const char *)sealed, size});
}

/* STATUS_CHANGED: a secret of the row was changed after it was read. */
static enum status reencrypt(struct walk *walk, enum sealed_table table, const struct sealed_row *row) {
    struct text after[SEALED_MAX];
    uint64_t changed = 0;
    for (size_t i = 0; i < SEALED_MAX; i++) {
        after[i] = row->sealed[i];
        if (row->sealed[i].size > 0 && !is_current(walk, row->sealed[i])) {
            after[i] = seal_anew(walk, table, row, i);
            changed += after[i].at != row->sealed[i].at;
        }
    }
    enum status status = changed == 0
                             ? STATUS_OK
                             : sealed_rows_replace(walk->context->connection, table, row, after, walk->context->actor);
    walk->reencrypted += status == STATUS_OK ? changed : 0;
    return status;
}

static enum status reencrypt_row(struct walk *walk, enum sealed_table table, const struct sealed_row *row) {
    for (size_t i = 0; !walk->reencrypts && i < SEALED_MAX; i++) {
        if (row->sealed[i].size > 0) {
            count_rows(walk, row->sealed[i]);
        }
    }
    return walk->reencrypts ? reencrypt(walk, table, row) : STATUS_OK;
}

/* Walks through a table in batches. Reads and encrypts a row again if it was changed after it was read. */
static enum status walk_table(struct walk *walk, enum sealed_table table) {
    struct sealed_row rows[ROWS_AT_ONCE];
    size_t found = ROWS_AT_ONCE;
    uint64_t done = 0;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && found > 0) {
        status =
            sealed_rows_read(walk->context->connection, table, done, ROWS_AT_ONCE, walk->context->arena, rows, &found);
        enum status of_row = STATUS_OK;
        for (size_t i = 0; status == STATUS_OK && of_row == STATUS_OK && i < found; i++) {
            of_row = reencrypt_row(walk, table, &rows[i]);
            done = of_row == STATUS_OK ? rows[i].id : done;
        }
        status = of_row == STATUS_OK || of_row == STATUS_CHANGED ? status : of_row;
    }
    return status;
}

static enum outcome walk_all(struct walk *walk, bool reencrypts) {
    enum status status = STATUS_OK;
    walk->reencrypts = reencrypts;
    for (int table = 0; status == STATUS_OK && table < SEALED_TABLES; table++) {
        status = walk_table(walk, (enum sealed_table)table);
    }
    return status == STATUS_OK
               ? OUTCOME_DONE
               : fail(walk->context, status, reencrypts ? "encrypt all secrets anew" : "read all secrets");
}

static void print_rotation(const struct walk *walk) {
    struct context *context = walk->context;
    struct record *record = record_create(context->arena);
    record_text(record, "key_file", text_of(context->config.security.key_file));
    struct record_list *keys = record_list(record, "keys");
    for (size_t i = 0; i < walk->ring.count; i++) {
        char id[KEY_ID_HEX_SIZE];
        struct record *key = record_list_add(keys);
        key_ring_print_id(&walk->ring.keys[i], id);
        record_text(key, "id", arena_copy(context->arena, text_of(id)));
        record_text(key, "role", text_of(key_role_name(walk->ring.keys[i].role)));
        record_number(key, "secrets", walk->sealed_with[i]);
    }
    record_number(record, "other_secrets", walk->sealed_with_others);
    record_number(record, "reencrypted", walk->reencrypted);
    output_record(record, context->json);
}

static enum outcome count_and_print(struct walk *walk) {
    enum outcome outcome = walk_all(walk, false);
    if (outcome == OUTCOME_DONE) {
        print_rotation(walk);
    }
    return outcome;
}

static enum outcome read_keys(struct walk *walk) {
    char error[KEY_FILE_ERROR_SIZE];
    bool read = key_file_read(walk->context->config.security.key_file, &walk->ring, error);
    return read ? OUTCOME_DONE : refuse(walk->context, "%s", error);
}

static enum outcome write_key_file(const struct walk *walk) {
    char error[KEY_FILE_ERROR_SIZE];
    bool written = key_file_replace(walk->context->config.security.key_file, &walk->ring, error);
    return written ? OUTCOME_DONE : refuse(walk->context, "%s", error);
}

enum outcome key_show(struct context *context) {
    struct walk walk = {.context = context};
    enum outcome outcome = read_keys(&walk);
    outcome = outcome == OUTCOME_DONE ? count_and_print(&walk) : outcome;
    key_ring_wipe(&walk.ring);
    return outcome;
}

static enum outcome add_next(struct walk *walk) {
    if (key_ring_generate(&walk->ring, KEY_NEXT)) {
        return OUTCOME_DONE;
    }
    return refuse(walk->context, "no key was made: the system's random generator failed");
}

/* If the current key decrypts nothing, this is not the file that encrypted the secrets. Adding a key would not help. */
static enum outcome try_keys(struct walk *walk) {
    char error[VAULT_ERROR_SIZE];
    struct vault *vault = vault_open(walk->context->config.security.key_file, error);
    if (vault == NULL) {
        return refuse(walk->context, "%s", error);
    }
    enum outcome outcome = stored_secrets_need_key(walk->context, vault);
    vault_close(vault);
    return outcome;
}

static enum outcome prepare_rotation(struct walk *walk) {
    if (key_ring_find(&walk->ring, KEY_OLD) != NULL) {
        return refuse(
            walk->context,
            "the file still holds the old key of the previous rotation: run recaudoctl key rotate --finish first");
    }
    if (key_ring_find(&walk->ring, KEY_NEXT) != NULL) {
        return refuse(walk->context,
                      "the file already holds a next key: copy it to every host, then run recaudoctl key rotate");
    }
    enum outcome outcome = try_keys(walk);
    outcome = outcome == OUTCOME_DONE ? add_next(walk) : outcome;
    return outcome == OUTCOME_DONE ? write_key_file(walk) : outcome;
}

/* Encrypts all secrets with the current sealing key. Skips those that already are. */
static enum outcome reencrypt_all(struct walk *walk) {
    char error[VAULT_ERROR_SIZE];
    walk->context->vault = vault_open(walk->context->config.security.key_file, error);
    if (walk->context->vault == NULL) {
        return refuse(walk->context, "%s", error);
    }
    enum outcome outcome = walk_all(walk, true);
    if (outcome != OUTCOME_DONE) {
        remark("the key file has the new key, and not all secrets are encrypted with it yet: run recaudoctl key rotate "
               "again; until then the file keeps the old key too");
    }
    if (outcome == OUTCOME_DONE && walk->unchanged > 0) {
        outcome = refuse(walk->context, "%llu secrets could not be encrypted again; the old key was kept",
                         (unsigned long long)walk->unchanged);
    }
    return outcome;
}

/* Tries a write that changes no row. If the database is read-only or refuses this account, a new key in the file would
 * leave all secrets under the old one. A full disk is only detected when the secrets are written; that fails with a
 * message, and the rotation can be repeated. */
static enum outcome try_to_write(const struct walk *walk) {
    const struct sealed_row nobody = {.id = 0};
    enum status status =
        sealed_rows_replace(walk->context->connection, SEALED_NETWORKS, &nobody, nobody.sealed, walk->context->actor);
    return status == STATUS_CHANGED
               ? OUTCOME_DONE
               : fail(walk->context, status, "write to the database, so the key file was left as it was");
}

/* Continues an interrupted rotation: if the file has an old key, the new key is already the one that seals. */
static enum outcome change_over(struct walk *walk) {
    enum outcome outcome = OUTCOME_DONE;
    if (key_ring_find(&walk->ring, KEY_OLD) == NULL) {
        outcome = try_keys(walk);
        outcome = outcome == OUTCOME_DONE ? try_to_write(walk) : outcome;
        if (outcome == OUTCOME_DONE && key_ring_find(&walk->ring, KEY_NEXT) == NULL) {
            outcome = add_next(walk);
        }
        if (outcome == OUTCOME_DONE) {
            key_ring_promote(&walk->ring);
            outcome = write_key_file(walk);
        }
    }
    outcome = outcome == OUTCOME_DONE ? reencrypt_all(walk) : outcome;
    if (outcome == OUTCOME_DONE) {
        remark(
            "no secret is encrypted with the old key now, but backups made until now need it: save a copy of the file, "
            "which has both; copy the file to every host, then key rotate --finish");
    }
    return outcome;
}

static void find_waiting_secret(void *context, const struct approval *approval) {
    static const char *const SECRETS[] = {APPROVAL_NETWORK_SECRET, APPROVAL_MERCHANT_SECRET,
                                          APPROVAL_NOTIFICATION_SECRET};
    uint64_t *found = context;
    for (size_t i = 0; i < COUNT_OF(SECRETS); i++) {
        if (text_equal(approval->state, TEXT("waiting")) && text_equal(approval->kind, text_of(SECRETS[i]))) {
            *found = approval->id;
        }
    }
}

/* A waiting secret may have been encrypted on a host with the old key file. Once approved, no key would decrypt it. */
static enum outcome judge_waiting_secrets(const struct walk *walk) {
    const struct context *context = walk->context;
    const struct approval_filter waiting = {.choice = APPROVALS_WAITING, .limit = UINT32_MAX};
    uint64_t found = 0;
    enum status status = approvals_list(context->connection, &waiting, context->arena, find_waiting_secret, &found);
    if (status != STATUS_OK) {
        return fail(context, status, "read what waits for approval");
    }
    return found == 0
               ? OUTCOME_DONE
               : refuse(context,
                        "a secret waits for approval, perhaps encrypted with the old key, which was kept: approve "
                        "or refuse it first (recaudoctl approval show %llu)",
                        (unsigned long long)found);
}

static enum outcome finish_rotation(struct walk *walk) {
    if (key_ring_find(&walk->ring, KEY_OLD) == NULL) {
        return refuse(walk->context, "the file holds no old key");
    }
    enum outcome outcome = judge_waiting_secrets(walk);
    outcome = outcome == OUTCOME_DONE ? reencrypt_all(walk) : outcome;
    if (outcome == OUTCOME_DONE) {
        key_ring_drop_old(&walk->ring);
        outcome = write_key_file(walk);
    }
    if (outcome == OUTCOME_DONE) {
        remark("the old key was removed from the file: copy the file to every host, and save a copy elsewhere; "
               "backups made before the rotation need the copy that was saved before it");
    }
    return outcome;
}

enum outcome key_rotate(struct context *context) {
    struct walk walk = {.context = context};
    char error[KEY_FILE_ERROR_SIZE];
    bool prepares = arguments_has(&context->arguments, "prepare"),
         finishes = arguments_has(&context->arguments, "finish");
    if (prepares && finishes) {
        return misuse(context, "only one of --prepare and --finish can be given");
    }
    int lock = key_file_lock(context->config.security.key_file, error);
    if (lock < 0) {
        return refuse(context, "%s", error);
    }
    enum outcome outcome = read_keys(&walk);
    if (outcome == OUTCOME_DONE) {
        outcome = prepares ? prepare_rotation(&walk) : finishes ? finish_rotation(&walk) : change_over(&walk);
    }
    outcome = outcome == OUTCOME_DONE ? count_and_print(&walk) : outcome;
    key_ring_wipe(&walk.ring);
    close(lock);
    return outcome;
}
