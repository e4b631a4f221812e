#include "api/worker/closed_window.h"

#include "store/payment/windows.h"

/* Returns the actor for the event log. The customers' page has no caller. */
static struct text actor(const struct call *call) {
    if (call->by_customer) {
        return TEXT("slip");
    }
    return arena_print(call->arena, "%s:%.*s", call->by_merchant ? "merchant" : "network", TEXT_ARGS(call->caller));
}

bool closed_window_finalise(struct call *call, struct connection *connection, const struct order *order, instant now) {
    if (!order_window_closed(order, now)) {
        return false;
    }
    enum status status = windows_finalise_order(connection, order->id, actor(call));
    return status == STATUS_OK || status == STATUS_CHANGED;
}
