#include "ctl/common/rotation.h"

#include "ctl/common/secrets.h"
#include "ctl/common/waiting.h"
#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "ctl/core/shell_word.h"
#include "domain/instant.h"
#include "store/payment/approvals.h"

#define OVERLAP_USUAL DAY
#define OVERLAP_MAX   (365 * DAY)

static enum outcome read_overlap(const struct context *context, struct rotation *out) {
    struct text overlap = arguments_get(&context->arguments, "overlap");
    if (!config_parse_duration(overlap, &out->overlap) || out->overlap > OVERLAP_MAX) {
        return misuse(context, "--overlap is a duration like 24h, 30m or 0, and at most 365d");
    }
    return OUTCOME_DONE;
}

enum outcome rotation_read(const struct context *context, struct rotation *out) {
    const struct arguments *arguments = &context->arguments;
    bool now = arguments_has(arguments, "now"), has_overlap = arguments_has(arguments, "overlap");
    *out = (struct rotation){.ends_only = arguments_has(arguments, "end"), .overlap = now ? 0 : OVERLAP_USUAL};
    if (out->ends_only && (now || has_overlap || arguments_has(arguments, "hash-file"))) {
        return misuse(context, "--end makes no new secret: it goes without --overlap, --now and --hash-file");
    }
    if (now && has_overlap) {
        return misuse(context, "only one of --now and --overlap can be given");
    }
    enum outcome outcome = has_overlap ? read_overlap(context, out) : OUTCOME_DONE;
    return outcome == OUTCOME_DONE ? reason_take(context, REASON_MAX, &out->reason) : outcome;
}

static enum outcome outcome_of(const struct context *context, const struct rotated_secret *secret, enum status status,
                               const char *what) {
    if (status == STATUS_CHANGED) {
        return refuse(context, "the %s was changed by somebody else at the same time: look at it, and try again",
                      secret->owner_kind);
    }
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, what);
}

static enum outcome end_old(struct context *context, const struct rotated_secret *secret, struct text reason) {
    if (secret->old_until == 0) {
        return refuse(context, "no old %s of %.*s is valid", secret->name, TEXT_ARGS(secret->owner));
    }
    enum outcome outcome = reason_give(context, reason);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum status status = secret->store->end_old(context, secret);
    outcome = outcome_of(context, secret, status, "end the old secret");
    if (outcome == OUTCOME_DONE && secret->old_used_at != 0) {
        char used[INSTANT_TEXT_SIZE];
        remark("the old %s was used last at %s: whoever still has it is refused within 5 seconds", secret->name,
               instant_print(secret->old_used_at, used));
    }
    return outcome == OUTCOME_DONE ? secret->store->show(context) : outcome;
}

/* The columns of a row (store/party/sealed_rows.h): for each kind of secret the current one, then the previous one. */
enum place { PLACE_CURRENT, PLACE_OLD, PLACES };

static bool holds(const struct context *context, const struct rotated_secret *secret, const struct sealed_row *row,
                  enum place place, const struct secret *value) {
    bool same = false;
    for (size_t column = place; column < SEALED_MAX && !same; column += PLACES) {
        const char *kind = sealed_rows_column(secret->table, column);
        struct secret stored = {.size = 0};
        same = row->sealed[column].size > 0 && strcmp(kind, secret->column) == 0 &&
               vault_unseal(context->vault, kind, secret->owner, row->sealed[column], &stored) &&
               secret_equal(&stored, value);
        secret_wipe(&stored);
    }
    return same;
}

/* *approval: the number of the approval that the secret waits for; 0: the secret is stored. */
static enum outcome store_value(const struct context *context, const struct rotation *rotation,
                                const struct rotated_secret *secret, const struct secret *value, uint64_t *approval) {
    struct text sealed = secrets_seal(context, secret->column, secret->owner, value);
    if (sealed.at == NULL) {
        return OUTCOME_REFUSED;
    }
    const struct approval_wish wish = {.kind = secret->approval,
                                       .subject_id = secret->owner_id,
                                       .notify_url = TEXT(""),
                                       .sealed = sealed,
                                       .overlap = rotation->overlap,
                                       .reason = rotation->reason,
                                       .actor = context->actor};
    enum status status = approvals_ask(context->connection, &wish, approval);
    if (status == STATUS_OK && *approval == 0) {
        enum outcome outcome = reason_give(context, rotation->reason);
        if (outcome != OUTCOME_DONE) {
            return outcome;
        }
        status = secret->store->rotate(context, secret, sealed, rotation->overlap);
    }
    return outcome_of(context, secret, status, "store the secret");
}

static struct record *record_value(const struct context *context, const struct rotated_secret *secret,
                                   const struct secret *value) {
    struct record *record = record_create(context->arena);
    record_text(record, "name", secret->owner);
    record_text(record, secret->key, (struct text){(const char *)value->bytes, value->size});
    return record;
}

/* Prints the new secret now, because approving it does not. With --json, secret and reason are one document. */
static enum outcome print_waiting(const struct context *context, const struct rotated_secret *secret,
                                  const struct secret *value, uint64_t approval) {
    struct record *record = record_value(context, secret, value);
    struct text reason =
        arena_print(context->arena, "the new %s is not valid yet: %s", secret->name, waiting_advice(context, approval));
    record_number(record, "approval", approval);
    if (context->json) {
        record_text(record, "error", reason);
    }
    output_record(record, context->json);
    remark("%.*s", TEXT_ARGS(reason));
    return OUTCOME_REFUSED;
}

/* Prints the new secret even if its end cannot be read, because it cannot be shown again. */
static void print_value(const struct context *context, const struct rotated_secret *secret,
                        const struct secret *value) {
    struct record *record = record_value(context, secret, value);
    instant until;
    if (secret->store->read_until(context, &until) == STATUS_OK) {
        record_instant(record, secret->until_key, until);
    }
    output_record(record, context->json);
}

/* A row holds two secrets. A third would silently end the oldest, which its owner may still use. */
static enum outcome refuse_third(const struct context *context, const struct rotated_secret *secret) {
    char until[INSTANT_TEXT_SIZE];
    return refuse(context,
                  "two secrets of %.*s are valid: the %s, and until %s the one before it; nothing was changed. If "
                  "nobody uses the old one, end it (recaudoctl %s rotate %s%s --end), and rotate again; --now makes "
                  "a new one and ends both at once",
                  TEXT_ARGS(secret->owner), secret->name, instant_print(secret->old_until, until), secret->owner_kind,
                  shell_word(context->arena, secret->owner), secret->option);
}

/* An operator who does not know whether the command succeeded repeats it. The repetition must not end the previous
 * secret. */
static enum outcome refuse_repetition(const struct context *context, const struct rotated_secret *secret) {
    return refuse(context,
                  "the secret is the %s of %.*s already: nothing was changed. To end the one before it, use --end",
                  secret->name, TEXT_ARGS(secret->owner));
}

/* Whether no key decrypts the current secret. Keeping such a secret valid beside the new one would be useless. */
static bool is_sealed_for_others(const struct context *context, const struct rotated_secret *secret,
                                 const struct sealed_row *row) {
    struct secret stored = {.size = 0};
    for (size_t column = PLACE_CURRENT; column < SEALED_MAX; column += PLACES) {
        const char *kind = sealed_rows_column(secret->table, column);
        if (row->sealed[column].size > 0 && strcmp(kind, secret->column) == 0) {
            bool opens = vault_unseal(context->vault, kind, secret->owner, row->sealed[column], &stored);
            secret_wipe(&stored);
            return !opens;
        }
    }
    return false;
}

static enum outcome refuse_without_key(const struct context *context, const struct rotated_secret *secret) {
    return refuse(
        context,
        "the %s of %.*s cannot be decrypted with %s, so it would not stay valid beside a new one; nothing was "
        "changed: restore the copy of the key file (recaudoctl config check); where there is none, --now "
        "replaces it at once",
        secret->name, TEXT_ARGS(secret->owner), context->config.security.key_file);
}

/* Refuses a rotation that would end a secret which is in use and was not meant to end. */
static enum outcome check_stored(const struct context *context, const struct rotation *rotation,
                                 const struct rotated_secret *secret, const struct secret *value) {
    struct sealed_row row;
    size_t count = 0;
    enum status status =
        sealed_rows_read(context->connection, secret->table, secret->owner_id - 1, 1, context->arena, &row, &count);
    if (status != STATUS_OK) {
        return fail(context, status, "read the secret");
    }
    if (count == 1 && holds(context, secret, &row, PLACE_CURRENT, value)) {
        return refuse_repetition(context, secret);
    }
    if (count == 1 && rotation->overlap != 0 && is_sealed_for_others(context, secret, &row)) {
        return refuse_without_key(context, secret);
    }
    /* Returning to the old secret only swaps the two. */
    bool returns = count == 1 && holds(context, secret, &row, PLACE_OLD, value);
    return secret->old_until != 0 && rotation->overlap != 0 && !returns ? refuse_third(context, secret) : OUTCOME_DONE;
}

enum outcome rotation_run(struct context *context, const struct rotation *rotation,
                          const struct rotated_secret *secret) {
    struct secret value = {.size = 0};
    if (rotation->ends_only) {
        return end_old(context, secret, rotation->reason);
    }
    uint64_t approval = 0;
    enum outcome outcome = secrets_take(context, "hash-file", &value);
    if (outcome == OUTCOME_DONE) {
        outcome = check_stored(context, rotation, secret, &value);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = store_value(context, rotation, secret, &value, &approval);
    }
    if (outcome == OUTCOME_DONE && approval != 0) {
        outcome = print_waiting(context, secret, &value, approval);
    } else if (outcome == OUTCOME_DONE) {
        print_value(context, secret, &value);
    }
    secret_wipe(&value);
    return outcome;
}
