/* Customer accounts and their ledger, for operators. */
#ifndef RECAUDO_STORE_PARTY_ACCOUNTS_H
#define RECAUDO_STORE_PARTY_ACCOUNTS_H

#include "base/arena.h"
#include "domain/money.h"
#include "domain/payable.h"
#include "store/db/connection.h"

struct account_description {
    struct account account;
    struct money balance;
    instant created_at;
};

/* STATUS_NONE: no account has this document number. */
enum status accounts_describe(struct connection *connection, struct text document, struct arena *arena,
                              struct account_description *out);

/* Calls `each` for the first `limit` accounts, by document number. `each` must not use the connection. */
enum status accounts_list(struct connection *connection, uint64_t limit, struct arena *arena,
                          void (*each)(void *context, const struct account_description *account), void *context);

/* Adds an account; the id of `account` is ignored. STATUS_CLASH: an account with this document number exists, or the
 * reference is taken. */
enum status accounts_insert(struct connection *connection, const struct account *account, struct text actor);

/* A line of the ledger. */
struct movement {
    instant at;
    struct money amount, balance; /* balance: after it */
    struct text network, network_transaction;
};

/* Calls `each` for every movement of the account, oldest first. `each` must not use the connection. */
enum status accounts_movements(struct connection *connection, uint64_t account_id, struct arena *arena,
                               void (*each)(void *context, const struct movement *movement), void *context);

#endif
