#include "api/caller/credentials.h"
#include "api/merchant/porder.h"
#include "api/worker/money_fault.h"
#include "api/worker/usecases.h"
#include "store/order/porders.h"
#include "wire/merchant/porder_messages.h"

static enum refusal receive(struct call *call, struct porder_work *work) {
    struct porder_refund request;
    enum refusal refusal =
        porder_messages_read_refund(call->parameter, call->request->body, call->arena, &request, &call->fault);
    if (refusal == GRANTED) {
        const struct text parts[] = {TEXT("refund"), request.order, request.merchant, request.amount};
        const struct proof proof = {PARTY_MERCHANT, request.merchant, CHECKSUM_PORDER_REFUND, parts, request.checksum};
        refusal = credentials_verify(call, &proof, &work->merchant_id);
    }
    work->terms.order.po_id = request.order;
    work->amount = request.amount;
    work->reason = request.reason;
    return refusal;
}

static enum status refund(struct call *call, struct connection *connection, struct porder_work *work,
                          enum refusal *refusal) {
    struct porder *porder = &work->porder;
    enum status status = porder_find(call, connection, work, refusal);
    if (status == STATUS_OK && *refusal == GRANTED) {
        status = porders_find_outcome(connection, call->arena, porder);
    }
    if (status == STATUS_OK && *refusal == GRANTED) {
        *refusal = porder_judge_refund(&porder->order, porder->paid, work->amount, porder->now);
        if (*refusal == REFUSED_AMOUNT) {
            call->fault =
                money_fault_range(work->amount, porder->paid, porder->paid, porder->order.currency, call->arena);
        }
    }
    if (status != STATUS_OK || *refusal != GRANTED) {
        return status;
    }
    status = porders_refund(connection, porder->order.id, work->reason, call_actor(call));
    if (status == STATUS_OK) {
        struct porder_written written = porder_written_of(call, porder);
        written.amount = porder->paid;
        call->reply = porder_reply_ended(&written, "REFUNDED", call->arena);
    }
    return status;
}

void porder_refund_handle(struct call *call) {
    struct porder_work work = {0};
    enum refusal refusal = receive(call, &work);
    if (refusal == GRANTED) {
        refusal = porder_run(call, &work, refund);
    }
    porder_end(call, refusal);
}
