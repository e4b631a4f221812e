/* The common parts of the use cases of purchase orders (doc/protocol.md, "Merchant orders"). */
#ifndef RECAUDO_API_MERCHANT_PORDER_H
#define RECAUDO_API_MERCHANT_PORDER_H

#include "api/worker/call.h"
#include "store/order/porders.h"
#include "wire/merchant/porder_reply.h"

/* A merchant's request while it is processed. */
struct porder_work {
    uint64_t merchant_id;
    struct porder_terms terms; /* for all requests: order.po_id */
    struct text amount;        /* of a refund, as written */
    struct text reason;        /* of a refund */
    struct porder porder;      /* the order, set by porder_find */
};

/*
 * Reads and authenticates the body of register and change, and judges what does not depend on the order. work->terms is
 * then what the merchant sent; its reference is empty if none was given. Returns GRANTED, or a refusal with the field
 * in call->fault.
 */
enum refusal porder_receive(struct call *call, struct porder_work *work);

/* The same for the body of wporders, for which country and currency are the merchant's. */
enum refusal porder_receive_plugin(struct call *call, struct porder_work *work);

/* Reads and authenticates path and query of consult and delete. */
enum refusal porder_receive_query(struct call *call, struct porder_work *work);

/* Reads the order into work->porder. If its window has closed, writes the approval first (api/worker/unstored.h).
 * If there is no such order, returns STATUS_OK and sets *refusal. */
enum status porder_find(struct call *call, struct connection *connection, struct porder_work *work,
                        enum refusal *refusal);

/* Sets *covered to whether a merchant other than `merchant_id` (0: any merchant) answers for this reference itself. */
enum status porder_is_covered(struct call *call, struct connection *connection, struct text reference,
                              uint64_t merchant_id, bool *covered);

/*
 * Returns GRANTED, or REFUSED_EXPIRATION_RANGE with the first or last valid day in call->fault. `now` is the database's
 * time.
 */
enum refusal porder_judge_expiration(struct call *call, const struct porder_work *work, instant now);

/* Runs `act` with attempts_run. `act` sets *refusal or call->reply. */
enum refusal porder_run(struct call *call, struct porder_work *work,
                        enum status (*act)(struct call *call, struct connection *connection, struct porder_work *work,
                                           enum refusal *refusal));

/* As order_slip_address. */
struct text porder_slip_address(const struct call *call, struct text token);

/* Converts a stored order to the reply sent to the merchant. */
struct porder_written porder_written_of(const struct call *call, const struct porder *porder);

/* Sets the reply unless `refusal` is GRANTED. */
void porder_end(struct call *call, enum refusal refusal);

#endif
