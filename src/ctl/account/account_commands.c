#include "ctl/common/catalogue.h"
#include "ctl/core/failure.h"
#include "ctl/core/list_options.h"
#include "ctl/core/output.h"
#include "ctl/core/validation.h"
#include "store/external/integrations.h"
#include "store/order/references.h"
#include "store/party/accounts.h"

enum { TYPE_MAX_CHARACTERS = 40, NAME_MAX_CHARACTERS = 150, LASTNAME_MAX_CHARACTERS = 100 };

static void describe_account(struct record *record, const struct account_description *description) {
    const struct account *account = &description->account;
    record_text(record, "document", account->document);
    record_text(record, "type", account->document_type);
    record_text(record, "name", account->name);
    record_text(record, "lastname1", account->lastname1);
    record_text(record, "lastname2", account->lastname2);
    record_amount(record, "balance", description->balance, account->currency);
    record_text(record, "currency", account->currency);
    record_instant(record, "created_at", description->created_at);
}

struct movement_adding {
    struct record_list *list;
    struct text currency;
};

static void add_movement(void *context, const struct movement *movement) {
    const struct movement_adding *adding = context;
    struct record *record = record_list_add(adding->list);
    record_instant(record, "at", movement->at);
    record_amount(record, "amount", movement->amount, adding->currency);
    record_amount(record, "balance", movement->balance, adding->currency);
    record_text(record, "network", movement->network);
    record_text(record, "transaction", movement->network_transaction);
}

static enum outcome show_document(const struct context *context, struct text document) {
    struct account_description description;
    struct record *record = record_create(context->arena);
    enum status status = STATUS_NONE;
    if (validation_document(document) == NULL) {
        status = accounts_describe(context->connection, document, context->arena, &description);
    }
    if (status == STATUS_NONE) {
        return refuse(context, "there is no account with the document number %.*s", TEXT_ARGS(document));
    }
    if (status == STATUS_OK) {
        describe_account(record, &description);
        struct movement_adding adding = {record_list(record, "movements"), description.account.currency};
        status = accounts_movements(context->connection, description.account.id, context->arena, add_movement, &adding);
    }
    if (status != STATUS_OK) {
        return fail(context, status, "read the account");
    }
    output_record(record, context->json);
    return OUTCOME_DONE;
}

static enum outcome account_show(struct context *context) {
    return show_document(context, context->arguments.words[0]);
}

static enum outcome judge_fields(const struct context *context, const struct account *account) {
    const struct {
        const char *field, *complaint;
    } JUDGED[] = {
        {"document", validation_document(account->document)},
        {"type", validation_name(context->arena, account->document_type, TYPE_MAX_CHARACTERS)},
        {"name", validation_name(context->arena, account->name, NAME_MAX_CHARACTERS)},
        {"lastname1", validation_text(context->arena, account->lastname1, LASTNAME_MAX_CHARACTERS)},
        {"lastname2", validation_text(context->arena, account->lastname2, LASTNAME_MAX_CHARACTERS)},
    };
    for (size_t i = 0; i < COUNT_OF(JUDGED); i++) {
        if (JUDGED[i].complaint != NULL) {
            return refuse(context, "%s: %s", JUDGED[i].field, JUDGED[i].complaint);
        }
    }
    struct currency_choice currencies;
    enum outcome outcome = catalogue_currencies(context, &currencies);
    if (outcome == OUTCOME_DONE && !catalogue_has_currency(&currencies, account->currency)) {
        return refuse(context, "currency: must be one of %.*s", TEXT_ARGS(currencies.words));
    }
    return outcome;
}

/* Explains the refusal: the number is another account's, or the reference of an order, open or closed. */
static enum outcome refuse_document(const struct context *context, struct text document) {
    struct reference_description found;
    enum status status = references_describe(context->connection, document, context->arena, &found);
    if (status != STATUS_OK) {
        return fail(context, status, "read whose the document number is");
    }
    if (found.is_account || !found.is_taken) {
        return refuse(context, "document: there is an account with the document number %.*s already",
                      TEXT_ARGS(document));
    }
    return refuse(
        context,
        "document: %.*s is the reference of %s of %.*s; an account cannot use it while it is reserved for that "
        "merchant: recaudoctl reference show %.*s says until when",
        TEXT_ARGS(document), found.open_order != 0 ? "an open order" : "a closed order", TEXT_ARGS(found.merchant),
        TEXT_ARGS(document));
}

/* Only warns, because an operator may want this. A customer who pays that bill now tops up the account. */
static void warn_of_integration(const struct context *context, struct text document) {
    struct integration *integrations;
    size_t count;
    enum status status = integrations_read(context->connection, context->arena, &integrations, &count);
    if (status != STATUS_OK) {
        remark("warning: whether a merchant answers references like %.*s itself could not be read",
               TEXT_ARGS(document));
        return;
    }
    integration_sort(integrations, count);
    if (integration_covers(integrations, count, document, 0)) {
        remark("warning: a merchant answers references like %.*s itself (recaudoctl integration list): a lookup of %.*s"
               " is now a top-up of this account",
               TEXT_ARGS(document), TEXT_ARGS(document));
    }
}

static enum outcome account_add(struct context *context) {
    const struct arguments *arguments = &context->arguments;
    struct account account = {.document = arguments_get(arguments, "document"),
                              .document_type = arguments_get(arguments, "type"),
                              .name = arguments_get(arguments, "name"),
                              .lastname1 = arguments_get(arguments, "lastname1"),
                              .lastname2 = arguments_get(arguments, "lastname2"),
                              .currency = TEXT("COP")};
    if (arguments_has(arguments, "currency")) {
        account.currency = arguments_get(arguments, "currency");
    }
    enum outcome outcome = judge_fields(context, &account);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    enum status status = accounts_insert(context->connection, &account, context->actor);
    if (status == STATUS_CLASH) {
        return refuse_document(context, account.document);
    }
    if (status != STATUS_OK) {
        return fail(context, status, "store the account");
    }
    warn_of_integration(context, account.document);
    return show_document(context, account.document);
}

static void add_account_to_list(void *context, const struct account_description *account) {
    describe_account(record_list_add(context), account);
}

static enum outcome account_list(struct context *context) {
    uint64_t limit;
    enum outcome outcome = list_options_limit(context, &limit);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    struct record_list *accounts = record_list_create(context->arena);
    enum status status = accounts_list(context->connection, limit, context->arena, add_account_to_list, accounts);
    if (status != STATUS_OK) {
        return fail(context, status, "list the accounts");
    }
    list_options_print(context, accounts, limit);
    return OUTCOME_DONE;
}

static const struct option_spec ADD_OPTIONS[] = {
    {.name = "document",
     .value = "DI",
     .help = "the customer's document number: the reference of top-ups",
     .required = true},
    {.name = "type", .value = "TYPE", .help = "type of the document, CC for example", .required = true},
    {.name = "name", .value = "N", .help = "the customer's given names", .required = true},
    {.name = "lastname1", .value = "N", .help = "first surname", .may_be_empty = true},
    {.name = "lastname2", .value = "N", .help = "second surname", .may_be_empty = true},
    {.name = "currency", .value = "ISO", .help = "currency of the balance (COP)"},
    {.name = NULL},
};

static const struct option_spec LIST_OPTIONS[] = {LIMIT_OPTION, {.name = NULL}};

const struct command account_commands[] = {
    {"add", "", "open an account; its document number is the reference that customers top it up with", NULL,
     ADD_OPTIONS, 0, NEEDS_DATABASE, account_add},
    {"list", "", "accounts by document number", NULL, LIST_OPTIONS, 0, NEEDS_DATABASE, account_list},
    {"show", "DI", "one account with its balance and movements", NULL, no_options, 1, NEEDS_DATABASE, account_show},
    {.verb = NULL},
};
