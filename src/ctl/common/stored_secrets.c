#include "ctl/common/stored_secrets.h"

#include "ctl/core/failure.h"
#include "store/party/sealed_rows.h"

enum { ROWS_AT_ONCE = 100 };

/* State of the walk over all rows. */
struct trying {
    struct vault *vault;
    struct arena *arena;
    struct stored_secrets *secrets;
};

static void try_one(const struct trying *trying, enum sealed_table table, const struct sealed_row *row, size_t column) {
    struct secret secret;
    struct stored_secrets *secrets = trying->secrets;
    const char *kind = sealed_rows_column(table, column);
    secrets->stored++;
    if (trying->vault != NULL && vault_unseal(trying->vault, kind, row->name, row->sealed[column], &secret)) {
        secret_wipe(&secret);
        return;
    }
    if (secrets->closed++ == 0) {
        secrets->first = arena_print(trying->arena, "%.*s, %s", TEXT_ARGS(row->name), kind);
    }
}

static void try_row(const struct trying *trying, enum sealed_table table, const struct sealed_row *row) {
    for (size_t column = 0; column < SEALED_MAX; column++) {
        if (row->sealed[column].size > 0) {
            try_one(trying, table, row, column);
        }
    }
}

static enum status try_secrets_of(const struct trying *trying, struct connection *connection, enum sealed_table table) {
    struct sealed_row rows[ROWS_AT_ONCE];
    struct arena *page = arena_create();
    size_t found = ROWS_AT_ONCE;
    uint64_t last = 0;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && found == ROWS_AT_ONCE) {
        status = sealed_rows_read(connection, table, last, ROWS_AT_ONCE, page, rows, &found);
        for (size_t i = 0; status == STATUS_OK && i < found; i++) {
            try_row(trying, table, &rows[i]);
            last = rows[i].id;
        }
        arena_reset(page);
    }
    arena_destroy(page);
    return status;
}

enum status stored_secrets_try(struct connection *connection, struct vault *vault, struct arena *arena,
                               struct stored_secrets *out) {
    *out = (struct stored_secrets){.first = TEXT("")};
    const struct trying trying = {vault, arena, out};
    enum status status = STATUS_OK;
    for (int table = 0; status == STATUS_OK && table < SEALED_TABLES; table++) {
        status = try_secrets_of(&trying, connection, (enum sealed_table)table);
    }
    return status;
}

struct text stored_secrets_problem(const struct stored_secrets *secrets, const char *key_file, struct arena *arena) {
    if (secrets->closed == 0) {
        return TEXT("");
    }
    return arena_print(
        arena,
        "%llu of %llu stored secrets cannot be decrypted with %s (the first: %.*s): restore the copy of the key "
        "file that encrypted them, then systemctl reload recaudo-fcgi; where there is none, replace "
        "each secret with network rotate --now, merchant rotate --now and merchant rotate "
        "--notification --now",
        (unsigned long long)secrets->closed, (unsigned long long)secrets->stored, key_file, TEXT_ARGS(secrets->first));
}

enum outcome stored_secrets_need_key(const struct context *context, struct vault *vault) {
    struct stored_secrets secrets;
    enum status status = stored_secrets_try(context->connection, vault, context->arena, &secrets);
    if (status != STATUS_OK) {
        return fail(context, status, "read the stored secrets");
    }
    if (secrets.stored == 0 || secrets.closed < secrets.stored) {
        return OUTCOME_DONE;
    }
    struct text problem = stored_secrets_problem(&secrets, context->config.security.key_file, context->arena);
    return refuse(context, "nothing was changed: %.*s", TEXT_ARGS(problem));
}
