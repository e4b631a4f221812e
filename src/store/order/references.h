/* Who owns a reference, and which prefixes are reserved for a merchant (doc/protocol.md, "Whose a reference is"). */
#ifndef RECAUDO_STORE_ORDER_REFERENCES_H
#define RECAUDO_STORE_ORDER_REFERENCES_H

#include "base/arena.h"
#include "base/clock.h"
#include "store/db/connection.h"

struct reference_description {
    bool is_taken;        /* an order or account has or had it */
    bool is_account;      /* an account's document number, which the account keeps for ever */
    struct text merchant; /* otherwise: whose order has it, or had it last */
    uint64_t open_order;  /* the order that is PENDIENTE with it; 0: none */
    instant kept_until;   /* without an open order: no other merchant gets it before then; may be past. 0: an account's,
                             or never taken */
    bool is_kept;         /* another merchant cannot take it at this moment */
    struct text prefix_merchant; /* the merchant to whom its prefix was given; empty: none */
};

/* *is_anothers: the reference is an account's, or another merchant's by its prefix or a closed order. Ignores open
 * orders. */
enum status references_find_anothers(struct connection *connection, struct text reference, uint64_t merchant_id,
                                     bool *is_anothers);

enum status references_describe(struct connection *connection, struct text reference, struct arena *arena,
                                struct reference_description *out);

struct reference_prefix {
    struct text prefix, merchant, changed_by;
    instant created_at;
};

/* Calls `each` for every prefix, in ascending order; texts lie in the arena. `each` must not use the connection. */
enum status references_list_prefixes(struct connection *connection, struct arena *arena,
                                     void (*each)(void *context, const struct reference_prefix *prefix), void *context);

/* *out: the merchant's prefixes with ", " between them, in the arena; "" for none. */
enum status references_prefixes_of(struct connection *connection, uint64_t merchant_id, struct arena *arena,
                                   struct text *out);

/* Counts, up to `limit`, open orders of other merchants whose references begin with the prefix. They keep them. */
enum status references_count_others(struct connection *connection, struct text prefix, uint64_t merchant_id,
                                    uint64_t limit, uint64_t *count);

/* Gives a prefix to a merchant. STATUS_CLASH: it overlaps a prefix or integration of another merchant, or was given
 * already. */
enum status references_give_prefix(struct connection *connection, struct text prefix, uint64_t merchant_id,
                                   struct text actor);

/* Takes a prefix away. STATUS_CHANGED: nobody has it. */
enum status references_take_prefix(struct connection *connection, struct text prefix, struct text actor);

/* Sets how long a merchant keeps a reference after its order was closed. STATUS_CHANGED: no such merchant, or it has
 * this value already. */
enum status references_set_quarantine(struct connection *connection, struct text merchant, duration quarantine,
                                      struct text actor);

#endif
