/*
 * The most that a network may confirm in a day (UTC), and the most that it may have confirmed and not remitted, by
 * currency. The database enforces both in the statement that confirms (sql/foundation.sql); this file sets and reads
 * them.
 */
#ifndef RECAUDO_STORE_PARTY_MONEY_LIMITS_H
#define RECAUDO_STORE_PARTY_MONEY_LIMITS_H

#include "base/arena.h"
#include "domain/money.h"
#include "store/db/connection.h"

/* A limit, and how much of it is used. */
struct money_bound {
    bool is_set;
    struct money most, used;
};

struct money_limit {
    struct text network, currency;
    struct money_bound day, outstanding;
};

/* Percentage of a limit at which a warning is logged. */
enum { MONEY_LIMIT_WARNS_AT = 80 };

/* Whether a bound is set and used up to MONEY_LIMIT_WARNS_AT percent or more. */
bool money_bound_is_nearly_used(const struct money_bound *bound);

/* Calls `each` for all limits, or those of one network (0: all), by network and currency. `each` must not use the
 * connection. */
enum status money_limits_list(struct connection *connection, uint64_t network_id, struct arena *arena,
                              void (*each)(void *context, const struct money_limit *limit), void *context);

struct money_limit_change {
    uint64_t network_id;
    struct text currency;
    struct text day, outstanding; /* amounts in decimal form; empty: no limit */
    uint64_t seen;                /* history_end of the network, read before its limits */
    struct text actor;
};

/* Sets limits. In force once this returns STATUS_OK with *approval 0; otherwise *approval is the number of the approval
 * for which they wait (store/payment/approvals.h).
 * STATUS_CHANGED: the network was modified since `seen`.
 * STATUS_LIMIT: the network has already confirmed more than a limit can count. */
enum status money_limits_set(struct connection *connection, const struct money_limit_change *change,
                             uint64_t *approval);

/* Returns the number of the approval in the result of network_limit_set; 0: none. */
static inline uint64_t money_limit_approval(uint64_t written) {
    return written > 1 ? written - 1 : 0;
}

enum remit_outcome { REMIT_HAS_NO_LIMIT, REMIT_DONE, REMIT_OWES_LESS, REMIT_OWES_TOO_MUCH };

struct remittance {
    uint64_t network_id;
    struct text currency, amount; /* in decimal form; negative: taken back */
    struct text reason, actor;
};

enum status money_limits_remit(struct connection *connection, const struct remittance *remittance,
                               enum remit_outcome *out);

/* Returns the next log line about a network that has used MONEY_LIMIT_WARNS_AT percent of a limit; in the arena. Each
 * network and currency is reported once per day (UTC), whichever process calls. *out is empty: no more. */
enum status money_limits_warn(struct connection *connection, struct arena *arena, struct text *out);

#endif
