#include "ctl/common/catalogue.h"
#include "ctl/common/closed_windows.h"
#include "ctl/core/failure.h"
#include "ctl/core/list_options.h"
#include "ctl/order/order_add.h"
#include "ctl/order/order_claim.h"
#include "ctl/order/order_find.h"
#include "ctl/order/order_import.h"
#include "ctl/order/order_records.h"
#include "ctl/order/order_show.h"

/* Amounts have no index, so --since or --document must limit the rows that are read. */
static enum outcome take_amount(const struct context *context, struct order_filter *out) {
    struct text amount = arguments_get(&context->arguments, "amount");
    out->has_amount = amount.at != NULL;
    if (out->has_amount && !money_parse(amount, &out->amount)) {
        return misuse(context, "--amount is a number like 45000 or 45000.00");
    }
    if (out->has_amount && out->document.size == 0 && out->since == 0) {
        return misuse(context, "--amount needs --since or --document: say from when on to look");
    }
    return OUTCOME_DONE;
}

static enum outcome take_order_filter(const struct context *context, struct order_filter *out) {
    enum order_state state;
    *out = (struct order_filter){.state = arguments_get(&context->arguments, "state"),
                                 .document = arguments_get(&context->arguments, "document")};
    if (out->state.at != NULL && !order_state_parse(out->state, &state)) {
        return misuse(context, "--state is PENDIENTE, APROBADA, VENCIDA, CANCELADA or ANULADA");
    }
    enum outcome outcome = list_options_limit(context, &out->limit);
    if (outcome == OUTCOME_DONE) {
        outcome = list_options_period(context, &out->since, &out->until);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = take_amount(context, out);
    }
    return outcome == OUTCOME_DONE ? catalogue_merchant_option(context, &out->merchant_id) : outcome;
}

static void add_order_to_list(void *of_listing, const struct order_now *order) {
    struct closed_windows_listing *listing = of_listing;
    order_records_summary(record_list_add(listing->records), order);
    if (order->window_closed) {
        closed_windows_note(listing->context, &listing->closed, order->id);
    }
}

static enum status read_orders_now(struct closed_windows_listing *listing) {
    const struct context *context = listing->context;
    return orders_now_list(context->connection, listing->filter, context->arena, add_order_to_list, listing);
}

static enum outcome order_list(struct context *context) {
    struct order_filter filter;
    enum outcome outcome = take_order_filter(context, &filter);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    struct closed_windows_listing listing = {.context = context, .filter = &filter};
    enum status status = closed_windows_list(&listing, read_orders_now);
    if (status != STATUS_OK) {
        return fail(context, status, "list the orders");
    }
    list_options_print(context, listing.records, filter.limit);
    return OUTCOME_DONE;
}

static const struct option_spec ADD_OPTIONS[] = {
    {.name = "merchant", .value = "NAME", .help = "the merchant it is to be paid to", .required = true},
    {.name = "order",
     .value = "PO_ID",
     .help = "the merchant's order number: letters, digits, _ and -",
     .required = true},
    {.name = "amount", .value = "A", .help = "45000 or 45000.00; 0: the customer chooses", .required = true},
    {.name = "currency", .value = "ISO", .help = "COP, for example", .required = true},
    {.name = "reference", .value = "DIGITS", .help = "what the customer pays with; one is made up when it is left out"},
    {.name = "due",
     .value = "UNIX_OR_ISO",
     .help = "when it expires: 1795000000 or 2026-11-21T23:59:59Z",
     .required = true},
    {.name = "description", .value = "T", .help = "what is paid for, at most 250 characters", .may_be_empty = true},
    {.name = "method", .value = "M", .help = "payment means asked for (pv_payment of the notification)"},
    {.name = "di", .value = "D", .help = "the customer's document number"},
    {.name = "type-di", .value = "T", .help = "the type of that document"},
    {.name = "name", .value = "N", .help = "the customer's name"},
    {.name = "email", .value = "E", .help = "the customer's e-mail address"},
    {.name = NULL},
};

static const struct option_spec IMPORT_OPTIONS[] = {
    {.name = "merchant", .value = "NAME", .help = "the merchant they are to be paid to", .required = true},
    {.name = "file", .value = "FILE|-", .help = "CSV text in UTF-8; - is standard input", .required = true},
    {.name = NULL},
};

static const struct option_spec LIST_OPTIONS[] = {
    {.name = "state", .value = "PENDIENTE|APROBADA|VENCIDA|CANCELADA|ANULADA", .help = "only those in this state"},
    {.name = "merchant", .value = "NAME", .help = "only this merchant's"},
    {.name = "document", .value = "D", .help = "only those with this document number of the customer"},
    {.name = "amount", .value = "A", .help = "only those of this amount; with --since or --document"},
    SINCE_OPTION,
    UNTIL_OPTION,
    LIMIT_OPTION,
    {.name = NULL},
};

static const struct option_spec SHOW_OPTIONS[] = {
    ORDER_OF_MERCHANT_OPTION,
    {.name = NULL},
};

static const struct option_spec CLAIM_OPTIONS[] = {
    ORDER_OF_MERCHANT_OPTION,
    {.name = "reason", .value = "TEXT", .help = "why, for the event log, at most 250 characters", .required = true},
    {.name = NULL},
};

const struct command order_commands[] = {
    {"add", "", "add an order to be paid", NULL, ADD_OPTIONS, 0, NEEDS_DATABASE, order_add},
    {"import", "", "add many orders from a file: all, or none if one is refused",
     "The first line names the columns, by the options of `order add` without --: order, amount, currency and\n"
     "due are needed; reference, description, method, di, type-di, name and email may be there. An empty field is\n"
     "one that is not given. Commas or semicolons, as in the first line. Every line that is refused is listed with\n"
     "the reason.",
     IMPORT_OPTIONS, 0, NEEDS_DATABASE | TAKES_LONG, order_import},
    {"show", "REFERENCE|PV_PO_ID|PO_ID", "one order in its current state, with its payments and history",
     "Digits are taken as a reference first (the open order, else the newest), then as pv_po_id, the number here,\n"
     "and then as a reference that an order had before its merchant changed it.\n"
     "id:N is always pv_po_id. With --merchant the word is po_id, the number that this merchant gave the order.\n"
     "`state` is VENCIDA from the due date on, and APROBADA once that is written: the command writes it where a\n"
     "window has closed. `window_closed`: it could not be written yet.",
     SHOW_OPTIONS, 1, NEEDS_DATABASE, order_show},
    {"list", "", "the newest orders", NULL, LIST_OPTIONS, 0, NEEDS_DATABASE, order_list},
    {"claim", "REFERENCE|PV_PO_ID|PO_ID", "a customer claims the money back: a paid order becomes ANULADA",
     "The merchant is notified: cancelled, after it has acknowledged approved (or that was given up). Only an order\n"
     "that is APROBADA, or whose window has closed. Words as for `order show`; a reference is refused, and the orders\n"
     "are listed, if several orders with it are paid. The payment is given back whole.",
     CLAIM_OPTIONS, 1, NEEDS_DATABASE, order_claim},
    {.verb = NULL},
};
