/* Networks and merchants while the key that encrypts their secrets is replaced: reads all ciphertexts of a row, and
 * replaces them together. */
#ifndef RECAUDO_STORE_PARTY_SEALED_ROWS_H
#define RECAUDO_STORE_PARTY_SEALED_ROWS_H

#include "base/arena.h"
#include "store/db/connection.h"

/* SEALED_MERCHANT_LOGINS: as SEALED_MERCHANTS, but without NOTIFICATION_HASH, which the worker's account may not read.
 * Cannot be replaced. */
enum sealed_table { SEALED_NETWORKS, SEALED_MERCHANTS, SEALED_TABLES, SEALED_MERCHANT_LOGINS = SEALED_TABLES };

enum { SEALED_MAX = 4 };

struct sealed_row {
    uint64_t id;
    struct text name;
    struct text sealed[SEALED_MAX]; /* FIXED_HASH and the previous one; of merchants also NOTIFICATION_HASH and the
                                       previous one. Empty: none */
};

/* Returns the column to which a ciphertext is bound: the `kind` of vault_unseal. */
const char *sealed_rows_column(enum sealed_table table, size_t column);

/* Reads up to `most` rows whose id is greater than `after`, by id; texts lie in the arena. */
enum status sealed_rows_read(struct connection *connection, enum sealed_table table, uint64_t after, size_t most,
                             struct arena *arena, struct sealed_row *out, size_t *count);

/* Replaces the ciphertexts that were read by others of the same secrets. STATUS_CHANGED: a secret has changed since. */
enum status sealed_rows_replace(struct connection *connection, enum sealed_table table, const struct sealed_row *before,
                                const struct text after[SEALED_MAX], struct text actor);

#endif
