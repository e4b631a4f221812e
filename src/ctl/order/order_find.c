#include "ctl/order/order_find.h"

#include "ctl/common/catalogue.h"
#include "ctl/common/closed_windows.h"
#include "ctl/core/failure.h"
#include "domain/reference.h"
#include "store/party/accounts.h"

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
    if (status == STATUS_NONE && !only_id && reference_is_valid(digits)) {
        status = orders_now_find_by_old_reference(context->connection, digits, context->arena, out);
        if (status == STATUS_OK) {
            remark("order %llu had the reference %.*s; its merchant has changed it to %.*s",
                   (unsigned long long)out->id, TEXT_ARGS(digits), TEXT_ARGS(out->reference));
        }
    }
    return status;
}

static enum status find_order_of_merchant(const struct context *context, uint64_t merchant_id, struct text po_id,
                                          struct order_now *out) {
    if (!order_number_is_valid(po_id)) {
        return STATUS_NONE;
    }
    return orders_now_find_by_number(context->connection, merchant_id, po_id, context->arena, out);
}

/* STATUS_NONE: no account has this number. */
static enum status find_account(const struct context *context, struct text word) {
    struct account_description account;
    return reference_is_valid(word) ? accounts_describe(context->connection, word, context->arena, &account)
                                    : STATUS_NONE;
}

static enum outcome refuse_unknown(const struct context *context, struct text word) {
    enum status status = find_account(context, word);
    if (status == STATUS_OK) {
        return refuse(context,
                      "%.*s is a customer's account, not an order: recaudoctl account show %.*s has its top-ups",
                      TEXT_ARGS(word), TEXT_ARGS(word));
    }
    if (status != STATUS_NONE) {
        return fail(context, status, "look for an account");
    }
    return refuse(context,
                  "no order has the reference or the number (pv_po_id) %.*s; the merchant's own number (po_id) "
                  "goes with --merchant NAME",
                  TEXT_ARGS(word));
}

enum outcome order_find(const struct context *context, struct text word, struct order_now *out) {
    uint64_t merchant_id;
    enum outcome outcome = catalogue_merchant_option(context, &merchant_id);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum status status = merchant_id == 0 ? find_order_by_word(context, word, out)
                                          : find_order_of_merchant(context, merchant_id, word, out);
    if (status == STATUS_OK && out->window_closed && closed_windows_finalise_one(context, out->id)) {
        status = orders_now_find(context->connection, out->id, context->arena, out);
    }
    if (status == STATUS_NONE && merchant_id != 0) {
        return refuse(context, "the merchant has no order %.*s (po_id)", TEXT_ARGS(word));
    }
    if (status == STATUS_NONE) {
        return refuse_unknown(context, word);
    }
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "read the order");
}
