#include "ctl/common/catalogue.h"
#include "ctl/common/closed_windows.h"
#include "ctl/common/event_records.h"
#include "ctl/core/failure.h"
#include "ctl/core/list_options.h"
#include "ctl/core/output.h"
#include "ctl/transaction/transaction_find.h"
#include "ctl/transaction/transaction_records.h"
#include "domain/transaction.h"

static enum outcome transaction_show(struct context *context) {
    struct network_description network;
    struct transaction_now transaction;
    struct text id = context->arguments.words[1];
    enum outcome outcome = catalogue_network(context, context->arguments.words[0], &network);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum status status = transaction_find(context, network.name, id, context->arena, &transaction);
    if (status == STATUS_NONE) {
        return refuse(context, "network %.*s has registered no transaction %.*s", TEXT_ARGS(network.name),
                      TEXT_ARGS(id));
    }
    if (status != STATUS_OK) {
        return fail(context, status, "read the transaction");
    }
    struct record *record = record_create(context->arena);
    transaction_records_whole(record, &transaction);
    outcome = event_records_add(context, "transaction", transaction.id, record);
    if (outcome == OUTCOME_DONE) {
        output_record(record, context->json);
    }
    return outcome;
}

static enum outcome take_transaction_filter(const struct context *context, struct transaction_filter *out) {
    enum transaction_state state;
    *out = (struct transaction_filter){.state = arguments_get(&context->arguments, "state")};
    if (out->state.at != NULL && !transaction_state_parse(out->state, &state)) {
        return misuse(context, "--state is REGISTRADA, CONFIRMADA, FINALIZADA or CANCELADA");
    }
    enum outcome outcome = list_options_limit(context, &out->limit);
    if (outcome == OUTCOME_DONE) {
        outcome = list_options_period(context, &out->since, &out->until);
    }
    return outcome == OUTCOME_DONE ? catalogue_network_option(context, &out->network_id) : outcome;
}

static void add_transaction_to_list(void *of_listing, const struct transaction_now *transaction) {
    struct closed_windows_listing *listing = of_listing;
    struct record *record = record_list_add(listing->records);
    transaction_records_summary(record, transaction);
    transaction_records_instants(record, transaction);
    if (transaction->window_closed && transaction->order_id != 0) {
        closed_windows_note(listing->context, &listing->closed, transaction->order_id);
    }
}

static enum status read_transactions_now(struct closed_windows_listing *listing) {
    const struct context *context = listing->context;
    return transactions_now_list(context->connection, listing->filter, context->arena, add_transaction_to_list,
                                 listing);
}

static enum outcome transaction_list(struct context *context) {
    struct transaction_filter filter;
    enum outcome outcome = take_transaction_filter(context, &filter);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    struct closed_windows_listing listing = {.context = context, .filter = &filter};
    enum status status = closed_windows_list(&listing, read_transactions_now);
    if (status != STATUS_OK) {
        return fail(context, status, "list the transactions");
    }
    list_options_print(context, listing.records, filter.limit);
    return OUTCOME_DONE;
}

static const struct option_spec LIST_OPTIONS[] = {
    {.name = "network", .value = "NAME", .help = "only this network's"},
    {.name = "state", .value = "REGISTRADA|CONFIRMADA|FINALIZADA|CANCELADA", .help = "only those in this state"},
    SINCE_OPTION,
    UNTIL_OPTION,
    LIMIT_OPTION,
    {.name = NULL},
};

const struct command transaction_commands[] = {
    {"show", "NETWORK TRANSACTION", "one transaction, by the network's name and its own id, with its history", NULL,
     no_options, 2, NEEDS_DATABASE, transaction_show},
    {"list", "", "the newest transactions", NULL, LIST_OPTIONS, 0, NEEDS_DATABASE, transaction_list},
    {.verb = NULL},
};
