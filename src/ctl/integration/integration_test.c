#include "ctl/integration/integration_test.h"

#include "base/utf8.h"
#include "ctl/common/attempt_records.h"
#include "ctl/common/catalogue.h"
#include "ctl/common/try_request.h"
#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "ctl/integration/integration_find.h"
#include "ctl/integration/integration_standing.h"
#include "outbound/external_query.h"
#include "store/payment/settlements.h"

/* All integrations in force, as the workers read them, with the data of merchant and currency that a query needs. */
struct in_force {
    struct integration *list; /* sorted */
    size_t count;
};

static enum outcome read_integration(const struct context *context, uint64_t id, struct in_force *all,
                                     struct integration *out) {
    enum status status = integrations_read(context->connection, context->arena, &all->list, &all->count);
    if (status != STATUS_OK) {
        return fail(context, status, "read the integration");
    }
    integration_sort(all->list, all->count);
    for (size_t i = 0; i < all->count; i++) {
        if (all->list[i].id == id) {
            *out = all->list[i];
            return OUTCOME_DONE;
        }
    }
    return refuse(context, "the currency of integration %llu has no one-digit code", (unsigned long long)id);
}

struct first_network {
    bool found;
    struct network_description network;
};

static void take_first(void *context, const struct network_description *network) {
    struct first_network *first = context;
    if (!first->found && network->enabled) {
        *first = (struct first_network){true, *network};
    }
}

/* Chooses the network of --network, else the one of the agreement, else any. */
static enum outcome choose_network(const struct context *context, const struct integration_row *integration,
                                   struct network_description *out) {
    struct first_network first = {.found = false};
    if (arguments_has(&context->arguments, "network")) {
        return catalogue_network(context, arguments_get(&context->arguments, "network"), out);
    }
    if (integration->network.size > 0) {
        return catalogue_network(context, integration->network, out);
    }
    enum status status = networks_list(context->connection, context->arena, take_first, &first);
    *out = first.network;
    if (status != STATUS_OK) {
        return fail(context, status, "read the networks");
    }
    return first.found ? OUTCOME_DONE : refuse(context, "network: there is none that could ask");
}

/* Why a lookup of the reference by the network does not fit the integration. */
static const char *reason_not_asked(const struct context *context, const struct integration *wanted,
                                    struct text reference, const struct network_description *network) {
    if (!text_begins(reference, wanted->code)) {
        return arena_print(context->arena, "which does not begin with %.*s", TEXT_ARGS(wanted->code)).at;
    }
    if (wanted->kind == INTEGRATION_AGREEMENT && wanted->network_id != network->id) {
        return "because its agreement is with another network";
    }
    for (size_t i = 0; i < reference.size; i++) {
        if (reference.at[i] < '0' || reference.at[i] > '9') {
            return "which has other characters than digits";
        }
    }
    return arena_print(context->arena, "which has %zu digits", reference.size).at;
}

/* Says which references the integration answers: the rule of integration_fits. `agreed`: the network of its agreement,
 * empty for a prefix. */
static enum outcome refuse_not_asked(const struct context *context, const struct external_query *query,
                                     const struct network_description *network, struct text agreed) {
    const struct integration *wanted = query->integration;
    bool is_agreement = wanted->kind == INTEGRATION_AGREEMENT;
    size_t least = is_agreement                                       ? wanted->code.size
                   : wanted->code.size >= INTEGRATION_REFERENCE_LEAST ? wanted->code.size + 1
                                                                      : INTEGRATION_REFERENCE_LEAST;
    return refuse(context,
                  "reference: network %.*s would not ask this integration about %.*s, %s: it answers references of %zu "
                  "to %d digits that begin with %.*s%s%.*s%s",
                  TEXT_ARGS(network->name), TEXT_ARGS(query->reference),
                  reason_not_asked(context, wanted, query->reference, network), least, INTEGRATION_REFERENCE_MOST,
                  TEXT_ARGS(wanted->code), is_agreement ? ", for network " : "", TEXT_ARGS(agreed),
                  is_agreement ? " alone" : "");
}

/* Refuses a reference about which a lookup would query nobody or another integration. */
static enum outcome judge_who_is_asked(const struct context *context, const struct in_force *all,
                                       const struct external_query *query, const struct network_description *network,
                                       struct text agreed) {
    const struct integration *wanted = query->integration;
    const struct integration *asked = integration_choose(all->list, all->count, query->reference, network->id);
    if (!integration_fits(wanted, query->reference, network->id)) {
        return refuse_not_asked(context, query, network, agreed);
    }
    return asked->id == wanted->id
               ? OUTCOME_DONE
               : refuse(context,
                        "reference: a lookup of %.*s by network %.*s asks integration %llu of %.*s (code %.*s, %s)",
                        TEXT_ARGS(query->reference), TEXT_ARGS(network->name), (unsigned long long)asked->id,
                        TEXT_ARGS(asked->merchant), TEXT_ARGS(asked->code),
                        asked->code.size > wanted->code.size ? "which is longer" : "which is its agreement");
}

/* Reads the query to send. It refers to *integration. */
static enum outcome read_query(const struct context *context, struct integration *integration,
                               struct external_query *out) {
    struct integration_row row;
    struct network_description network;
    struct in_force all;
    *out = (struct external_query){.integration = integration,
                                   .reference = arguments_get(&context->arguments, "reference"),
                                   .timeout = context->config.external_query.timeout};
    enum outcome outcome = integration_find_in_force(context, &row);
    if (outcome == OUTCOME_DONE) {
        outcome = read_integration(context, row.id, &all, integration);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = choose_network(context, &row, &network);
    }
    if (outcome == OUTCOME_DONE) {
        outcome = judge_who_is_asked(context, &all, out, &network, row.network);
    }
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    out->netname = network.name;
    enum status status = settlements_now(context->connection, &out->now);
    return status == STATUS_OK ? OUTCOME_DONE : fail(context, status, "read the clock");
}

static void add_rules_that_are(const struct rule_checks *checks, enum rule_state state, struct record_list *rules) {
    for (size_t i = 0; i < checks->count; i++) {
        if (checks->list[i].state == state) {
            struct record *rule = record_list_add(rules);
            record_text(rule, "result", text_of(rule_state_name(state)));
            record_text(rule, "field", text_of(checks->list[i].field));
            record_text(rule, "rule", text_of(checks->list[i].rule));
        }
    }
}

/* Adds the broken rules; with --all also the unchecked and the kept rules. */
static void add_rules(const struct context *context, const struct rule_checks *checks, struct record *record) {
    bool all = arguments_has(&context->arguments, "all");
    struct record_list *rules = record_list(record, all ? "rules" : "broken_rules");
    add_rules_that_are(checks, RULE_BROKEN, rules);
    if (all) {
        add_rules_that_are(checks, RULE_UNSEEN, rules);
        add_rules_that_are(checks, RULE_PASSED, rules);
    }
}

static void tell_broken(const struct rule_checks *checks) {
    for (size_t i = 0; i < checks->count; i++) {
        if (checks->list[i].state == RULE_BROKEN) {
            remark("broken rule: %s %s", checks->list[i].field, checks->list[i].rule);
        }
    }
}

static void record_offered_order(const struct offer *offer, struct record *record) {
    struct record *order = record_record(record, "order");
    record_text(order, "order", offer->po_id);
    record_amount(order, "amount", offer->amount, offer->currency);
    if (offer->has_limits) {
        record_amount(order, "min", offer->least, offer->currency);
        record_amount(order, "max", offer->most, offer->currency);
    }
    record_text(order, "currency", offer->currency);
    record_text(order, "description", offer->description);
    record_instant(order, "due_at", offer->due_at);
}

static struct text explain_result(const struct query_result *result, struct arena *arena) {
    if (result->outcome == QUERY_SILENT) {
        return text_of(attempt_records_words(text_of(result->fault.field)));
    }
    return result->fault.problem == NULL ? TEXT("") : fault_explain(&result->fault, arena);
}

static void print_test(const struct context *context, const struct http_request *request,
                       const struct http_reply *reply, const struct query_result *result,
                       const struct rule_checks *checks) {
    struct record *record = record_create(context->arena);
    try_request_add(context, request, record);
    record_text_or_nothing(record, "address", text_of(reply->address));
    record_number_or_nothing(record, "http_status", (uint64_t)reply->status);
    record_number(record, "duration_ms", (uint64_t)(reply->took / MILLISECOND));
    record_text(record, "answer", utf8_repair(reply->body, context->arena));
    record_text(record, "outcome", text_of(query_outcome_name(result->outcome)));
    record_text_or_nothing(record, "field", text_of(result->fault.field));
    record_text_or_nothing(record, "problem", explain_result(result, context->arena));
    if (result->outcome == QUERY_ANSWERED) {
        record_offered_order(&result->offer, record);
    } else {
        record_text_or_nothing(record, "order", TEXT(""));
    }
    add_rules(context, checks, record);
    output_record(record, context->json);
}

static const char *const WHY[] = {[QUERY_ANSWERED] = "",
                                  [QUERY_REFUSED] = "the merchant refuses: a lookup gets 0107",
                                  [QUERY_EXPIRED] = "timestamp_end is past: a lookup gets 0103",
                                  [QUERY_INVALID] = "the answer is not valid: a lookup gets 0109"};

static void tell_outcome(const struct query_result *result) {
    if (result->outcome == QUERY_SILENT) {
        remark("%s: a lookup gets 0108, or 0110 while the endpoint rests",
               attempt_records_words(text_of(result->fault.field)));
    } else if (result->outcome != QUERY_ANSWERED) {
        remark("%s", WHY[result->outcome]);
    }
}

static enum outcome ask_merchant_once(struct context *context, const struct external_query *query,
                                      const struct secret_pair *hash) {
    struct query_result result = {.outcome = QUERY_SILENT};
    struct rule_checks checks = {.count = 0};
    struct http_reply reply;
    const struct http_request request = external_query_request(query, hash, context->arena);
    enum outcome outcome = try_request_send(context, &request, &reply);
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    external_query_judge(query, hash, &reply, context->arena, &result);
    external_query_examine(query, hash, &reply, context->arena, &checks);
    const struct offer nothing = {.merchant_id = query->integration->merchant_id, .reference = query->reference};
    bool answered = result.outcome == QUERY_ANSWERED;
    enum outcome standing = integration_standing(context, query->integration, answered ? &result.offer : &nothing);
    if (standing == OUTCOME_DONE) {
        tell_outcome(&result);
    }
    tell_broken(&checks);
    print_test(context, &request, &reply, &result, &checks);
    return answered || standing != OUTCOME_DONE ? standing : OUTCOME_REFUSED;
}

enum outcome integration_test(struct context *context) {
    struct integration integration = {0};
    struct external_query query;
    struct secret_pair hash;
    enum outcome outcome = read_query(context, &integration, &query);
    connection_close(context->connection); /* no connection is held while waiting for a merchant */
    context->connection = NULL;
    if (outcome != OUTCOME_DONE) {
        return outcome;
    }
    if (!secret_pair_open(context->vault, SECRET_OF_MERCHANT, integration.merchant, &integration.sealed_hash,
                          clock_monotonic(), &hash)) {
        return refuse(context, "the FIXED_HASH of %.*s " SECRET_UNOPENED, TEXT_ARGS(integration.merchant));
    }
    outcome = ask_merchant_once(context, &query, &hash);
    secret_pair_wipe(&hash);
    return outcome;
}
