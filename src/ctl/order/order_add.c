#include "ctl/order/order_add.h"

#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "ctl/order/answered.h"
#include "ctl/order/order_fields.h"
#include "ctl/order/order_records.h"
#include "store/order/references.h"

static enum outcome read_added_order(const struct context *context, struct new_order *out) {
    struct text fields[ORDER_FIELDS];
    struct currency_choice currencies;
    struct merchant_description merchant;
    for (enum order_field field = 0; field < ORDER_FIELDS; field++) {
        fields[field] = arguments_get(&context->arguments, order_field_names[field]);
    }
    enum outcome outcome = catalogue_merchant(context, arguments_get(&context->arguments, "merchant"), &merchant);
    if (outcome == OUTCOME_DONE) {
        outcome = catalogue_currencies(context, &currencies);
    }
    if (outcome == OUTCOME_DONE) {
        const char *complaints = order_fields_read(context->arena, fields, &currencies, out);
        out->merchant_id = merchant.id;
        out->origin = TEXT("registered");
        outcome = complaints == NULL ? OUTCOME_DONE : refuse(context, "%s", complaints);
    }
    return outcome;
}

static enum outcome refuse_number(const struct context *context, const struct new_order *order) {
    struct order_now other;
    enum status status =
        orders_now_find_by_number(context->connection, order->merchant_id, order->po_id, context->arena, &other);
    if (status != STATUS_OK) {
        return fail(context, status, "read the order that has this number");
    }
    return refuse(
        context,
        "order: the merchant has an order %.*s already (pv_po_id %llu, %.*s); an order number can be used only once",
        TEXT_ARGS(order->po_id), (unsigned long long)other.id, TEXT_ARGS(other.state));
}

static enum outcome refuse_open(const struct context *context, const struct new_order *order) {
    struct order_now other;
    enum status status = orders_now_find_by_reference(context->connection, order->reference, context->arena, &other);
    if (status != STATUS_OK) {
        return fail(context, status, "read the order that has this reference");
    }
    bool is_open = text_equal(other.state, TEXT("PENDIENTE")) && !other.window_closed;
    return refuse(context, "reference: is taken by order %llu (%.*s of %.*s), which is %.*s%s",
                  (unsigned long long)other.id, TEXT_ARGS(other.po_id), TEXT_ARGS(other.merchant),
                  TEXT_ARGS(other.state),
                  is_open ? "" : " and keeps it until the dispatcher has passed (recaudo-dispatch --once)");
}

/* An order keeps its reference while it is PENDIENTE in the table, even after its due date. */
static enum outcome refuse_reference(const struct context *context, const struct new_order *order) {
    struct reference_description found = {.is_taken = false};
    enum status status = references_describe(context->connection, order->reference, context->arena, &found);
    if (status != STATUS_OK) {
        return fail(context, status, "read whose the reference is");
    }
    if (found.open_order != 0) {
        return refuse_open(context, order);
    }
    if (found.is_account) {
        return refuse(context, "reference: is the document number of an account, which keeps it permanently");
    }
    if (found.is_kept) {
        return refuse(context,
                      "reference: still belongs to %.*s, which had an order with it (recaudoctl reference show)",
                      TEXT_ARGS(found.merchant));
    }
    return refuse(context, "reference: its prefix was given to %.*s (recaudoctl reference list)",
                  TEXT_ARGS(found.prefix_merchant));
}

static enum outcome judge_insert(const struct context *context, enum status status, enum order_clash clash,
                                 const struct new_order *order) {
    if (status == STATUS_CHANGED) {
        return refuse(context, "due: is not in the future by the database's clock");
    }
    if (status == STATUS_CLASH) {
        return clash == CLASH_REFERENCE ? refuse_reference(context, order) : refuse_number(context, order);
    }
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "store the order");
}

/* Generates references until one is free: no order or account has it, no prefix covers it and no merchant answers
 * it. */
static enum status insert_with_new_reference(const struct context *context, const struct answered *answered,
                                             struct new_order *order, uint64_t *id, enum order_clash *clash) {
    enum status status = STATUS_CLASH;
    *clash = CLASH_REFERENCE;
    for (int i = 0; status == STATUS_CLASH && *clash == CLASH_REFERENCE && i < ASSIGNMENTS_MAX; i++) {
        struct reference_description found;
        if (!order_fields_assign_reference(context->arena, &order->reference)) {
            return STATUS_FAULT;
        }
        status = references_describe(context->connection, order->reference, context->arena, &found);
        bool is_free = !found.is_taken && found.prefix_merchant.size == 0;
        if (status == STATUS_OK && (!is_free || answered_by_another(answered, order->reference, 0))) {
            status = STATUS_CLASH;
        } else if (status == STATUS_OK) {
            status = orders_insert(context->connection, order, context->actor, id, clash);
        }
    }
    return status;
}

static enum outcome show_new(const struct context *context, uint64_t id) {
    struct order_now order;
    enum status status = orders_now_find(context->connection, id, context->arena, &order);
    if (status != STATUS_OK) {
        return fail(context, status, "read the order that was stored");
    }
    struct record *record = record_create(context->arena);
    order_records_whole(record, &order, &context->config, context->arena);
    output_record(record, context->json);
    return OUTCOME_DONE;
}

enum outcome order_add(struct context *context) {
    struct new_order order;
    struct answered answered;
    enum order_clash clash;
    enum status status;
    uint64_t id = 0;
    enum outcome outcome = read_added_order(context, &order);
    outcome = outcome == OUTCOME_DONE ? answered_read(context, &answered) : outcome;
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    if (order.reference.size == 0) {
        status = insert_with_new_reference(context, &answered, &order, &id, &clash);
    } else if (answered_by_another(&answered, order.reference, order.merchant_id)) {
        return refuse(context, "%s", answered_complaint);
    } else {
        status = orders_insert(context->connection, &order, context->actor, &id, &clash);
    }
    outcome = judge_insert(context, status, clash, &order);
    if (outcome == OUTCOME_DONE) {
        outcome = show_new(context, id);
    }
    return outcome;
}
