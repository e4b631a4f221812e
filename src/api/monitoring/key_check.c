#include "api/monitoring/key_check.h"

#include "store/party/sealed_rows.h"

/* ROWS_MOST bounds the rows of a table that each check with the wrong key tries. */
enum { ROWS_AT_ONCE = 16, ROWS_MOST = 64 };

struct walk {
    struct connection *connection;
    struct vault *vault;
    struct arena *arena;
    uint64_t stored, opened;
};

static enum status try_table(struct walk *walk, enum sealed_table table) {
    struct sealed_row rows[ROWS_AT_ONCE];
    size_t found = ROWS_AT_ONCE;
    uint64_t last = 0, tried = 0;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && found == ROWS_AT_ONCE && walk->opened == 0 && tried < ROWS_MOST) {
        status = sealed_rows_read(walk->connection, table, last, ROWS_AT_ONCE, walk->arena, rows, &found);
        for (size_t i = 0; status == STATUS_OK && i < found && walk->opened == 0; i++) {
            struct secret secret;
            walk->stored++;
            tried++;
            if (vault_unseal(walk->vault, sealed_rows_column(table, 0), rows[i].name, rows[i].sealed[0], &secret)) {
                secret_wipe(&secret);
                walk->opened++;
            }
            last = rows[i].id;
        }
    }
    return status;
}

enum status key_check(struct connection *connection, struct vault *vault, struct arena *arena, bool *fits) {
    struct walk walk = {.connection = connection, .vault = vault, .arena = arena};
    enum status status = try_table(&walk, SEALED_NETWORKS);
    if (status == STATUS_OK && walk.opened == 0) {
        status = try_table(&walk, SEALED_MERCHANT_LOGINS);
    }
    *fits = walk.opened > 0 || walk.stored == 0;
    return status;
}

bool key_check_file(struct connection *connection, const char *key_file, struct arena *arena) {
    char error[VAULT_ERROR_SIZE];
    bool fits = true;
    struct vault *vault = vault_open(key_file, error);
    if (vault == NULL) {
        log_line(LOG_ERROR, "the key file cannot be read; still using the key loaded earlier: %s", error);
        return false;
    }
    if (key_check(connection, vault, arena, &fits) == STATUS_OK && !fits) {
        key_check_tell(key_file);
    }
    vault_close(vault);
    return fits;
}

void key_check_tell(const char *key_file) {
    log_line(LOG_ERROR,
             "%s decrypts none of the stored secrets: another key encrypted them; restore the copy of the key file "
             "(recaudoctl config check)",
             key_file);
}
