#include "api/merchant/porder.h"
#include "api/worker/usecases.h"
#include "store/order/porders.h"

/* Refuses a new reference for which another merchant answers. The database finds all other conflicts. */
static enum status judge_reference(struct call *call, struct connection *connection, const struct porder_work *work,
                                   enum refusal *refusal) {
    bool covered = false;
    struct text reference = work->terms.order.reference;
    if (reference.size == 0 || text_equal(reference, work->porder.order.reference)) {
        return STATUS_OK;
    }
    enum status status = porder_is_covered(call, connection, reference, work->merchant_id, &covered);
    if (status == STATUS_OK && covered) {
        *refusal = REFUSED_REFERENCE_TAKEN;
    }
    return status;
}

/* A network may have registered a payment in the order's currency, so the currency never changes. */
static enum refusal judge_change_request(struct call *call, struct porder_work *work) {
    const struct porder *porder = &work->porder;
    enum refusal refusal = porder_judge_change(&porder->order, porder->now);
    if (refusal == GRANTED && !text_equal(work->terms.order.currency, porder->order.currency)) {
        struct text problem =
            arena_print(call->arena, "must be %.*s: an order keeps its currency", TEXT_ARGS(porder->order.currency));
        call->fault = (struct fault){.field = "money", .problem = problem.at};
        refusal = REFUSED_CURRENCY;
    }
    return refusal == GRANTED ? porder_judge_expiration(call, work, porder->now) : refusal;
}

static void reply_changed(struct call *call, const struct porder_terms *terms, const struct porder *porder) {
    struct porder_written written = porder_written_of(call, porder);
    written.amount = terms->order.amount;
    if (terms->order.reference.size > 0) {
        written.reference = terms->order.reference;
    }
    call->reply = porder_reply_stored(&written, "ACTUALIZADO", call->arena);
}

static enum status write_terms(struct call *call, struct connection *connection, const struct porder_work *work,
                               enum refusal *refusal) {
    const struct order *was = &work->porder.order;
    enum status status = porders_change(connection, was->id, was->version, &work->terms, call_actor(call));
    if (status == STATUS_CLASH) {
        *refusal = REFUSED_REFERENCE_TAKEN;
        return STATUS_OK;
    }
    if (status == STATUS_OK) {
        reply_changed(call, &work->terms, &work->porder);
    }
    return status;
}

static enum status change_porder(struct call *call, struct connection *connection, struct porder_work *work,
                                 enum refusal *refusal) {
    enum status status = porder_find(call, connection, work, refusal);
    if (status == STATUS_OK && *refusal == GRANTED) {
        *refusal = judge_change_request(call, work);
    }
    if (status == STATUS_OK && *refusal == GRANTED) {
        status = judge_reference(call, connection, work, refusal);
    }
    if (status == STATUS_OK && *refusal == GRANTED) {
        status = write_terms(call, connection, work, refusal);
    }
    return status;
}

void porder_change_handle(struct call *call) {
    struct porder_work work = {0};
    enum refusal refusal = porder_receive(call, &work);
    if (refusal == GRANTED) {
        refusal = porder_run(call, &work, change_porder);
    }
    porder_end(call, refusal);
}
