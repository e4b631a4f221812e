/* Replies: a JSON object with CODE and TEXT, and DATA on success (specification, "Errors"; doc/protocol.md,
 * "Replies"). Bodies are in the arena. */
#ifndef RECAUDO_WIRE_REPLY_H
#define RECAUDO_WIRE_REPLY_H

#include "base/arena.h"
#include "domain/transaction.h"
#include "wire/fault.h"

struct reply {
    int http_status;
    const char *code;
    struct text body;         /* in the arena */
    const char *content_type; /* NULL: application/json */
    const char *headers;      /* further header lines, each ended by CRLF; NULL: none */
};

/* Returns the reply to a refused request. `fault` may name a field; its strings may be NULL. */
struct reply reply_refusal(enum refusal refusal, const struct fault *fault, struct arena *arena);

/* Success without data. */
struct reply reply_ok(struct arena *arena);

/* The reply to /readyz when all is well: the version of the program that serves. */
struct reply reply_ready(struct arena *arena);

/* The replies to a lookup that found an order or an account. */
struct reply reply_lookup_order(const struct order *order, struct arena *arena);
struct reply reply_lookup_account(const struct account *account, struct text service_name, struct arena *arena);

/* The reply to a registration; `network_transaction` is the id that the network sent. */
struct reply reply_registration(const struct transaction *transaction, struct text network_transaction,
                                struct arena *arena);

/* The reply to a confirmation. */
struct reply reply_confirmation(struct text network_transaction, bool confirm, struct arena *arena);

#endif
