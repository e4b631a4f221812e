#include "ctl/common/catalogue.h"
#include "ctl/core/failure.h"
#include "ctl/core/output.h"

static void describe_currency(struct record *record, const struct currency_row *currency) {
    record_text(record, "code", currency->code);
    record_text(record, "name", currency->name);
    record_text_or_nothing(record, "query_code",
                           currency->has_query_code
                               ? arena_print(record->arena, "%llu", (unsigned long long)currency->query_code)
                               : TEXT(""));
    record_text_or_nothing(record, "changed_by", currency->changed_by);
}

static void add_currency_to_list(void *context, const struct currency_row *currency) {
    describe_currency(record_list_add(context), currency);
}

static enum outcome currency_list(struct context *context) {
    struct record_list *currencies = record_list_create(context->arena);
    enum status status = currencies_list(context->connection, context->arena, add_currency_to_list, currencies);
    if (status != STATUS_OK) {
        return fail(context, status, "list the currencies");
    }
    output_list(currencies, context->json);
    return OUTCOME_DONE;
}

static enum outcome currency_show(const struct context *context, struct text code) {
    struct currency_row currency;
    struct record *record = record_create(context->arena);
    enum outcome outcome = catalogue_currency(context, code, &currency);
    if (outcome == OUTCOME_DONE) {
        describe_currency(record, &currency);
        output_record(record, context->json);
    }
    return outcome;
}

/* One that the program does not know is in no list. */
static enum outcome refuse_taken_digit(const struct context *context, uint64_t digit) {
    struct text holder;
    enum status status = currencies_with_query_code(context->connection, digit, context->arena, &holder);
    return status == STATUS_OK
               ? refuse(context, "query-code: %.*s has %llu", TEXT_ARGS(holder), (unsigned long long)digit)
               : fail(context, status, "change the currency");
}

/* Setting the value it already has changes nothing, so the row keeps the name of whoever set it. */
static enum outcome currency_set(struct context *context) {
    struct text code = context->arguments.words[0], given = arguments_get(&context->arguments, "query-code");
    struct currency_row currency;
    uint64_t digit;
    if (given.size != 1 || !text_to_number(given, &digit)) {
        return misuse(context, "--query-code is one digit");
    }
    enum outcome outcome = catalogue_currency(context, code, &currency);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum status status = currencies_set_query_code(context->connection, code, digit, context->actor);
    if (status == STATUS_CLASH) {
        return refuse_taken_digit(context, digit);
    }
    return status == STATUS_OK || status == STATUS_CHANGED ? currency_show(context, code)
                                                           : fail(context, status, "change the currency");
}

static const struct option_spec SET_OPTIONS[] = {
    {.name = "query-code", .value = "DIGIT", .help = "its one-digit code in external queries", .required = true},
    {.name = NULL},
};

const struct command currency_commands[] = {
    {"list", "", "the currencies, with their digits in external queries", NULL, no_options, 0, NEEDS_DATABASE,
     currency_list},
    {"set", "ISO", "give a currency its digit in external queries",
     "Merchants compute the checksum over it: agree on it with those whose integrations have this currency.\n"
     "Takes effect within 5 seconds: the workers remember it that long.",
     SET_OPTIONS, 1, NEEDS_DATABASE, currency_set},
    {.verb = NULL},
};
