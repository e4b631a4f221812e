#include "api/worker/unstored.h"

#include "store/order/expiry.h"
#include "store/payment/windows.h"

static bool doubt_overdue(struct connection *connection, struct order *order) {
    enum status status = expiry_look(connection, order->id);
    order->in_doubt = status != STATUS_OK && status != STATUS_CHANGED;
    return status == STATUS_CHANGED;
}

bool unstored_resolve(struct call *call, struct connection *connection, struct order *order, instant now) {
    if (!order_window_closed(order, now)) {
        return order_is_overdue(order, now) && doubt_overdue(connection, order);
    }
    enum status status = windows_finalise_order(connection, order->id, call_actor(call));
    return status == STATUS_OK || status == STATUS_CHANGED;
}
