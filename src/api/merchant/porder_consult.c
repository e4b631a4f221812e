#include "api/merchant/porder.h"
#include "api/worker/known_countries.h"
#include "api/worker/usecases.h"
#include "base/zone/zone.h"

static enum refusal find_order_country(struct call *call, const struct porder *porder, struct country *out) {
    return call_refusal_of(known_countries_find(call, porder->country, out));
}

/* Converts the order's instants to local times of its country. */
static bool read_consult_clocks(const struct porder *porder, const struct country *country, struct porder_state *out) {
    bool known = zone_to_local(country->time_zone, porder->created_at, &out->created_at) &&
                 zone_to_local(country->time_zone, porder->changed_at, &out->changed_at) &&
                 zone_to_local(country->time_zone, porder->paid_at, &out->paid_at);
    if (!known) {
        known_countries_complain(country);
    }
    return known;
}

static struct porder_state consulted_state(struct call *call, const struct porder *porder) {
    const struct order *order = &porder->order;
    struct porder_state state = {
        .order = porder_written_of(call, porder),
        .currency = order->currency,
        .description = order->description,
        .email = porder->email,
        .payment_means = porder->payment_means.size > 0 ? porder->payment_means : porder->network,
        .state = order_state_at(order, porder->now),
        .lives = order->due_at - porder->created_at,
        /* Never the endpoint's reply itself: it may say more than everybody who knows FIXED_HASH may read. */
        .notification_response = porder->is_acknowledged ? TEXT("OK") : TEXT(""),
        .has_transaction = porder->transaction_id != 0,
        .transaction_id = porder->transaction_id,
        .network = porder->network,
        .paid = porder->paid,
    };
    if (state.has_transaction) {
        state.order.amount = porder->paid;
    }
    return state;
}

static enum status find_consulted(struct call *call, struct connection *connection, struct porder_work *work,
                                  enum refusal *refusal) {
    enum status status = porder_find(call, connection, work, refusal);
    if (status == STATUS_OK && *refusal == GRANTED) {
        status = porders_find_outcome(connection, call->arena, &work->porder);
    }
    return status;
}

void porder_consult_handle(struct call *call) {
    struct porder_work work = {0};
    struct country country;
    enum refusal refusal = porder_receive_query(call, &work);
    if (refusal == GRANTED) {
        refusal = porder_run(call, &work, find_consulted);
    }
    if (refusal == GRANTED) {
        refusal = find_order_country(call, &work.porder, &country);
    }
    if (refusal == GRANTED) {
        struct porder_state state = consulted_state(call, &work.porder);
        refusal = read_consult_clocks(&work.porder, &country, &state) ? GRANTED : REFUSED_PROCESSING_ERROR;
        call->reply = porder_reply_state(&state, call->arena);
    }
    porder_end(call, refusal);
}
