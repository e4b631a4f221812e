#include "ctl/order/order_find.h"

#include "ctl/common/closed_windows.h"
#include "ctl/core/failure.h"
#include "domain/reference.h"

static enum status find_order_by_word(const struct context *context, struct text word, struct order_now *out) {
    enum status status = STATUS_NONE;
    bool only_id = text_begins(word, TEXT("id:"));
    struct text digits = only_id ? (struct text){word.at + 3, word.size - 3} : word;
    uint64_t id;
    if (!only_id && reference_is_valid(digits)) {
        status = orders_now_find_by_reference(context->connection, digits, context->arena, out);
    }
    if (status == STATUS_NONE && text_to_number(digits, &id)) {
        status = orders_now_find(context->connection, id, context->arena, out);
    }
    if (status == STATUS_OK && out->window_closed && closed_windows_finalise_one(context, out->id)) {
        status = orders_now_find(context->connection, out->id, context->arena, out);
    }
    return status;
}

enum outcome order_find(const struct context *context, struct text word, struct order_now *out) {
    enum status status = find_order_by_word(context, word, out);
    if (status == STATUS_NONE) {
        return refuse(context, "no order has the reference or the number (pv_po_id) %.*s", TEXT_ARGS(word));
    }
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "read the order");
}
