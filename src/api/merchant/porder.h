/* What the use cases of purchase orders have in common (doc/protocol.md, "Merchant orders"). */
#ifndef RECAUDO_API_MERCHANT_PORDER_H
#define RECAUDO_API_MERCHANT_PORDER_H

#include "api/worker/call.h"
#include "store/order/porders.h"
#include "wire/merchant/porder_reply.h"

/* A merchant's request on its way. */
struct porder_work {
    uint64_t merchant_id;
    struct porder_terms terms; /* all requests: order.po_id */
    struct text amount;        /* of a refund, as written */
    struct text reason;        /* of a refund */
    struct porder porder;      /* the order, once porder_find has found it */
    struct fault fault;
};

/*
 * The body of register and change: read, authenticated, and judged as far as it can be without the order. Then
 * work->terms is what the merchant says, without a reference where none is given. GRANTED, or why not, with the
 * field in work->fault.
 */
enum refusal porder_receive(struct call *call, struct porder_work *work);

/* The same for the body of wporders, whose country and money are the merchant's own. */
enum refusal porder_receive_plugin(struct call *call, struct porder_work *work);

/* The path and query of consult and delete, read and authenticated. */
enum refusal porder_receive_query(struct call *call, struct porder_work *work);

/* Finds the order that is asked for, and writes its approval first where a window has closed
 * (api/worker/closed_window.h). STATUS_OK and *refusal when there is none. */
enum status porder_find(struct call *call, struct connection *connection, struct porder_work *work,
                        enum refusal *refusal);

/* Does the reference begin as those do that another merchant answers for itself? `merchant_id` 0: any merchant. */
enum status porder_is_covered(struct call *call, struct connection *connection, struct text reference,
                              uint64_t merchant_id, bool *covered);

/* GRANTED, or _EXPIRATION_RANGE with the first or last valid day in work->fault. `now`: the database's clock. */
enum refusal porder_judge_expiration(struct call *call, struct porder_work *work, instant now);

/* Who acts, for the event log: merchant:NAME. */
struct text porder_actor(const struct call *call);

/* Calls `act`, as attempts_run calls an attempt, until it is done. It sets *refusal, or call->reply. */
enum refusal porder_run(struct call *call, struct porder_work *work,
                        enum status (*act)(struct call *call, struct connection *connection, struct porder_work *work,
                                           enum refusal *refusal));

/* Where the slip with this token is: host/path?token=..., without a scheme. Empty for an order that has none. */
struct text porder_checkout(const struct call *call, struct text token);

/* What an order that was found or written is told as. */
struct porder_written porder_written_of(const struct call *call, const struct porder *porder);

/* Sets the reply when the refusal is one. */
void porder_end(struct call *call, const struct porder_work *work, enum refusal refusal);

#endif
