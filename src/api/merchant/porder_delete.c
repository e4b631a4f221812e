#include "api/merchant/porder.h"
#include "api/worker/usecases.h"
#include "store/order/porders.h"

static enum status end_order(struct call *call, struct connection *connection, struct porder_work *work,
                             enum refusal *refusal) {
    const struct porder *porder = &work->porder;
    enum status status = porder_find(call, connection, work, refusal);
    if (status == STATUS_OK && *refusal == GRANTED) {
        *refusal = porder_judge_change(&porder->order, porder->now);
    }
    if (status != STATUS_OK || *refusal != GRANTED) {
        return status;
    }
    status = porders_delete(connection, porder->order.id, porder->order.version, call_actor(call));
    if (status == STATUS_OK) {
        const struct porder_written written = porder_written_of(call, porder);
        call->reply = porder_reply_ended(&written, "DELETED", call->arena);
    }
    return status;
}

void porder_delete_handle(struct call *call) {
    struct porder_work work = {0};
    enum refusal refusal = porder_receive_query(call, &work);
    if (refusal == GRANTED) {
        refusal = porder_run(call, &work, end_order);
    }
    porder_end(call, refusal);
}
