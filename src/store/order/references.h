/* Who owns a reference, and which prefixes are reserved for a merchant (doc/protocol.md, "Whose a reference is"). */
#ifndef RECAUDO_STORE_ORDER_REFERENCES_H
#define RECAUDO_STORE_ORDER_REFERENCES_H

#include "base/arena.h"
#include "base/clock.h"
#include "store/db/connection.h"

struct reference_description {
    bool is_taken;        /* an order or account has it, or had it */
    bool is_account;      /* an account's document number: for ever */
    struct text merchant; /* else: whose order has it or had it last */
    uint64_t open_order;  /* the order that is PENDIENTE with it; 0: none */
    instant
        kept_until; /* no open order: until then nobody else gets it; may be past. 0: an account, or taken by nobody */
    bool is_kept;   /* so it is not free for another merchant at this moment */
    struct text prefix_merchant; /* whom its prefix was given to; empty: nobody */
};

/* An account's, another merchant's by its prefix, or another merchant's whose order is closed. Not for an open
 * order. */
enum status references_find_anothers(struct connection *connection, struct text reference, uint64_t merchant_id,
                                     bool *is_anothers);

enum status references_describe(struct connection *connection, struct text reference, struct arena *arena,
                                struct reference_description *out);

struct reference_prefix {
    struct text prefix, merchant, changed_by;
    instant created_at;
};

/* Calls `each` for every prefix, in their order; its texts are the arena's. `each` must not use the connection. */
enum status references_list_prefixes(struct connection *connection, struct arena *arena,
                                     void (*each)(void *context, const struct reference_prefix *prefix), void *context);

/* Open orders of other merchants whose references begin with the prefix: they keep them. At most `limit` are
 * counted. */
enum status references_count_others(struct connection *connection, struct text prefix, uint64_t merchant_id,
                                    uint64_t limit, uint64_t *count);

/* STATUS_CLASH: it was given already. */
enum status references_give_prefix(struct connection *connection, struct text prefix, uint64_t merchant_id,
                                   struct text actor);

/* STATUS_CHANGED: nobody has it. */
enum status references_take_prefix(struct connection *connection, struct text prefix, struct text actor);

/* How long a merchant's references stay its own after its order was closed. STATUS_CHANGED: it is so already, or no
 * such merchant. */
enum status references_set_quarantine(struct connection *connection, struct text merchant, duration quarantine,
                                      struct text actor);

#endif
