#include "ctl/status/endpoint_status.h"

#include "ctl/common/attempt_records.h"
#include "ctl/core/problem.h"
#include "ctl/core/shell_word.h"
#include "domain/instant.h"
#include "store/console/notifications.h"
#include "store/operation/health.h"

/* A merchant's restart explains a shorter rest. The alert RecaudoEndpointResting waits as long. */
#define REST_IS_LONG (15 * MINUTE)

struct endpoints {
    struct arena *arena;
    struct record_list *resting, *problems;
};

static void judge_rest(const struct endpoints *endpoints, const struct resting_endpoint *endpoint) {
    const char *pasted = shell_word(endpoints->arena, endpoint->merchant);
    struct text waiting = endpoint->pending == 0
                              ? TEXT("")
                              : arena_print(endpoints->arena, ", and notifications wait for it (%llu)",
                                            (unsigned long long)endpoint->pending);
    problem_add(endpoints->problems,
                "the endpoint of %.*s has failed for %llu s%.*s: recaudoctl notification list --merchant %s, "
                "recaudoctl notification test --merchant %s; tell the merchant, unless `last_attempt` says secret "
                "or certificates: these are faults of ours",
                TEXT_ARGS(endpoint->merchant), (unsigned long long)(endpoint->failing_for / SECOND), TEXT_ARGS(waiting),
                pasted, pasted);
}

static void add_resting(void *context, const struct resting_endpoint *endpoint) {
    struct endpoints *endpoints = context;
    struct record *record = record_list_add(endpoints->resting);
    record_text(record, "merchant", endpoint->merchant);
    record_number(record, "failures", endpoint->failures);
    record_instant(record, "resting_until", endpoint->until);
    record_flag(record, "probed", endpoint->is_probed);
    record_number(record, "pending", endpoint->pending);
    record_number(record, "failing_seconds", (uint64_t)(endpoint->failing_for / SECOND));
    if (endpoint->failing_for > REST_IS_LONG) {
        judge_rest(endpoints, endpoint);
    }
}

static void add_refusing(void *context, const struct refusing_merchant *merchant) {
    struct endpoints *endpoints = context;
    problem_add(endpoints->problems,
                "%.*s acknowledges no notification (%llu failed and wait for another attempt, the oldest "
                "for %llu s): recaudoctl notification list --merchant %s; tell the merchant what "
                "`last_attempt` says",
                TEXT_ARGS(merchant->name), (unsigned long long)merchant->failed,
                (unsigned long long)(merchant->oldest / SECOND), shell_word(endpoints->arena, merchant->name));
}

/* Which references are concerned, and when the last one was asked about. */
static struct text describe_asked(const struct endpoints *endpoints, const struct failed_query *query) {
    char asked_at[INSTANT_TEXT_SIZE];
    struct text network = query->is_agreement ? query->row.network : TEXT("");
    return arena_print(endpoints->arena, "a reference %.*s...%s%.*s (%s)", TEXT_ARGS(query->code),
                       query->is_agreement ? " of network " : "", TEXT_ARGS(network),
                       instant_print(query->row.record.asked_at, asked_at));
}

static void add_failed_query(void *context, const struct failed_query *query) {
    struct endpoints *endpoints = context;
    const struct query_record *record = &query->row.record;
    struct text asked = describe_asked(endpoints, query);
    unsigned long long integration = record->integration_id;
    if (text_equal(record->outcome, TEXT("silent"))) {
        problem_add(
            endpoints->problems,
            "%.*s gave no usable answer to the last query about %.*s: %s; the query before failed too; networks "
            "get 0108 or 0110: recaudoctl query list --integration %llu; tell the merchant",
            TEXT_ARGS(query->row.merchant), TEXT_ARGS(asked), attempt_records_words(record->field), integration);
    } else {
        problem_add(
            endpoints->problems,
            "the last answer of %.*s about %.*s was not valid: %.*s %.*s; the query before failed too; networks "
            "get 0109: recaudoctl query list --integration %llu; tell the merchant",
            TEXT_ARGS(query->row.merchant), TEXT_ARGS(asked), TEXT_ARGS(record->field), TEXT_ARGS(record->problem),
            integration);
    }
}

/* One failed query is no problem of the endpoint: a single order may be wrong, or a reply late. */
static enum status look_at_queries(struct endpoints *endpoints, struct connection *connection) {
    const struct console_reader reader = {connection, endpoints->arena, {.everything = true}};
    uint64_t left_out;
    enum status status = console_queries_failed(&reader, true, add_failed_query, endpoints, &left_out);
    if (status == STATUS_OK && left_out > 0) {
        problem_add(endpoints->problems,
                    "the last two queries of %llu more integrations failed too: recaudoctl query list --limit 1000",
                    (unsigned long long)left_out);
    }
    return status;
}

enum status endpoints_look(struct context *context, struct connection *connection, struct record *record,
                           struct record_list *problems) {
    struct endpoints endpoints = {context->arena, record_list(record, "resting_endpoints"), problems};
    enum status status = health_resting(connection, context->arena, add_resting, &endpoints);
    status = status == STATUS_OK ? health_refusing(connection, context->arena, add_refusing, &endpoints) : status;
    return status == STATUS_OK ? look_at_queries(&endpoints, connection) : status;
}
