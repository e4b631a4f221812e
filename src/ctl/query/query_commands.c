#include "ctl/common/attempt_records.h"
#include "ctl/common/catalogue.h"
#include "ctl/core/failure.h"
#include "ctl/core/list_options.h"
#include "ctl/core/output.h"
#include "ctl/integration/integration_find.h"
#include "store/external/queries.h"

/* Of a query that no whole answer came to, what failed below HTTP is in `field`. */
static struct text explain_query(const struct query_record *what, struct arena *arena) {
    if (text_equal(what->outcome, TEXT("silent"))) {
        return text_of(attempt_records_words(what->field));
    }
    return text_equal(what->outcome, TEXT("answered")) && what->problem.size > 0
               ? arena_print(arena, "the lookup got %.*s", TEXT_ARGS(what->problem))
               : what->problem;
}

static void describe_query(struct record *record, const struct query_row *query) {
    const struct query_record *what = &query->record;
    record_number(record, "id", query->id);
    record_instant(record, "asked_at", what->asked_at);
    record_text(record, "merchant", query->merchant);
    record_text(record, "network", query->network);
    record_text(record, "reference", what->reference);
    record_number(record, "duration_us", (uint64_t)what->took);
    record_text(record, "outcome", what->outcome);
    record_text_or_nothing(record, "field", what->field);
    record_text_or_nothing(record, "problem", explain_query(what, record->arena));
    record_number_or_nothing(record, "pv_po_id", what->order_id);
    record_text_or_nothing(record, "po_id", query->po_id);
}

static void describe_query_whole(struct record *record, const struct query_row *query) {
    const struct query_record *what = &query->record;
    describe_query(record, query);
    record_text_or_nothing(record, "merchant_text", what->said);
    record_number_or_nothing(record, "http_status", what->http_status);
    record_text_or_nothing(record, "address", what->address);
    record_number(record, "integration", what->integration_id);
}

static void add_query_to_list(void *context, const struct query_row *query) {
    describe_query(record_list_add(context), query);
}

static enum outcome take_integration(const struct context *context, uint64_t *out) {
    struct integration_row integration = {0};
    enum outcome outcome = integration_find(context, arguments_get(&context->arguments, "integration"), &integration);
    *out = integration.id;
    return outcome;
}

static enum outcome take_query_filter(const struct context *context, struct query_filter *out) {
    const struct arguments *arguments = &context->arguments;
    bool by_merchant = arguments_has(arguments, "merchant"), by_reference = arguments_has(arguments, "reference"),
         by_integration = arguments_has(arguments, "integration");
    *out = (struct query_filter){.reference = arguments_get(arguments, "reference")};
    if (by_merchant + by_integration + by_reference > 1) {
        return misuse(context, "only one of --merchant, --integration and --reference");
    }
    enum outcome outcome = list_options_limit(context, &out->limit);
    if (outcome == OUTCOME_DONE && by_integration) {
        return take_integration(context, &out->integration_id);
    }
    return outcome == OUTCOME_DONE ? catalogue_merchant_option(context, &out->merchant_id) : outcome;
}

static enum outcome query_list(struct context *context) {
    struct query_filter filter;
    enum outcome outcome = take_query_filter(context, &filter);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    struct record_list *queries = record_list_create(context->arena);
    enum status status = queries_list(context->connection, &filter, context->arena, add_query_to_list, queries);
    if (status != STATUS_OK) {
        return fail(context, status, "list the queries");
    }
    list_options_print(context, queries, filter.limit);
    return OUTCOME_DONE;
}

static enum outcome query_show(struct context *context) {
    struct query_row query;
    struct text word = context->arguments.words[0];
    uint64_t id;
    enum status status = STATUS_NONE;
    if (text_to_number(word, &id)) {
        status = queries_find(context->connection, id, context->arena, &query);
    }
    if (status == STATUS_NONE) {
        return refuse(context, "there is no query %.*s, or no longer (see recaudoctl query list)", TEXT_ARGS(word));
    }
    if (status != STATUS_OK) {
        return fail(context, status, "read the query");
    }
    struct record *record = record_create(context->arena);
    describe_query_whole(record, &query);
    output_record(record, context->json);
    return OUTCOME_DONE;
}

static const struct option_spec LIST_OPTIONS[] = {
    {.name = "merchant", .value = "NAME", .help = "only those to this merchant"},
    {.name = "integration", .value = "ID", .help = "only those of this integration, also a removed one"},
    {.name = "reference", .value = "DIGITS", .help = "only those about this reference"},
    LIMIT_OPTION,
    {.name = NULL},
};

const struct command query_commands[] = {
    {"list", "", "the newest queries to merchants, with their outcomes",
     "answered: a valid answer, which stands for the order pv_po_id (without po_id: another merchant's); problem\n"
     "says which CODE the lookup got, if not 0000 (unknown in queries of earlier releases). refused: the merchant\n"
     "said no (problem: its CODE); expired: its timestamp_end was past; invalid: field and problem say what was\n"
     "wrong; silent: no whole answer in time, or HTTP 429 or 5xx, and they say why.",
     LIST_OPTIONS, 0, NEEDS_DATABASE, query_list},
    {"show", "ID", "one query, with the merchant's answer and the resulting order", NULL, no_options, 1, NEEDS_DATABASE,
     query_show},
    {.verb = NULL},
};
