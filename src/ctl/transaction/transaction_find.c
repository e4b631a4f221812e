#include "ctl/transaction/transaction_find.h"

#include "ctl/common/closed_windows.h"

enum status transaction_find(const struct context *context, struct text network, struct text id, struct arena *arena,
                             struct transaction_now *out) {
    enum status status = transactions_now_find(context->connection, network, id, arena, out);
    if (status == STATUS_OK && out->window_closed && out->order_id != 0 &&
        closed_windows_finalise_one(context, out->order_id)) {
        status = transactions_now_find(context->connection, network, id, arena, out);
    }
    return status;
}
