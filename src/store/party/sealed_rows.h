/* Networks and merchants as the key that encrypts their secrets is changed: every ciphertext of a row, and its
 * replacement at once. */
#ifndef RECAUDO_STORE_PARTY_SEALED_ROWS_H
#define RECAUDO_STORE_PARTY_SEALED_ROWS_H

#include "base/arena.h"
#include "store/db/connection.h"

/* SEALED_MERCHANT_LOGINS: the rows of SEALED_MERCHANTS without NOTIFICATION_HASH, which the worker's account may not
 * read. They cannot be replaced. */
enum sealed_table { SEALED_NETWORKS, SEALED_MERCHANTS, SEALED_TABLES, SEALED_MERCHANT_LOGINS = SEALED_TABLES };

enum { SEALED_MAX = 4 };

struct sealed_row {
    uint64_t id;
    struct text name;
    struct text sealed[SEALED_MAX]; /* FIXED_HASH, the old one; of merchants also NOTIFICATION_HASH, the old one. Empty:
                                       there is none */
};

/* The column that a ciphertext is bound to: the `kind` of vault_unseal. */
const char *sealed_rows_column(enum sealed_table table, size_t column);

/* Reads rows whose id is greater than `after`, in the order of their ids, up to `most`; their texts are the arena's. */
enum status sealed_rows_read(struct connection *connection, enum sealed_table table, uint64_t after, size_t most,
                             struct arena *arena, struct sealed_row *out, size_t *count);

/* Puts other ciphertexts of the same secrets in the place of those that were read. STATUS_CHANGED: a secret has changed
 * since. */
enum status sealed_rows_replace(struct connection *connection, enum sealed_table table, const struct sealed_row *before,
                                const struct text after[SEALED_MAX], struct text actor);

#endif
