#include "api/external/external.h"

#include "api/caller/changeover.h"
#include "api/external/external_store.h"
#include "api/external/query_resources.h"
#include "outbound/external_query.h"
#include "store/party/merchants.h"

/* How much longer than recaudo-query the worker waits, so this runs out only if recaudo-query hangs. */
#define PATIENCE (SECOND / 2)

static const enum refusal REFUSALS[] = {[QUERY_ANSWERED] = GRANTED,
                                        [QUERY_REFUSED] = REFUSED_BY_MERCHANT,
                                        [QUERY_EXPIRED] = REFUSED_EXPIRED,
                                        [QUERY_INVALID] = REFUSED_MERCHANT_ANSWER,
                                        [QUERY_SILENT] = REFUSED_MERCHANT_SILENT};

static void log_result(const struct external_lookup *external, const struct query_result *result, bool rests) {
    char code[32];
    const struct integration *integration = external->integration;
    log_record("query merchant=%.*s integration=%llu outcome=%s http=%d ms=%lld.%03lld what=\"%s %s\" code=%s",
               TEXT_ARGS(integration->merchant), (unsigned long long)integration->id,
               query_outcome_name(result->outcome), result->http_status, (long long)(result->took / MILLISECOND),
               (long long)(result->took % MILLISECOND), result->fault.field == NULL ? "" : result->fault.field,
               result->fault.problem == NULL ? "" : result->fault.problem,
               log_quote(result->refusal_code, code, sizeof code));
    if (rests) {
        log_line(LOG_WARNING, "the endpoint of merchant %.*s rests after repeated failures",
                 TEXT_ARGS(integration->merchant));
    }
}

static void note_old_secret(struct call *call, const struct integration *integration,
                            const struct query_result *result) {
    if (result->signed_with_old) {
        changeover_old_secret_used(call, PARTY_MERCHANT, integration->merchant_id, integration->merchant);
    }
}

static bool open_hash(struct call *call, const struct integration *integration, struct secret_pair *out) {
    bool opened = secret_pair_open(call->service->vault, SECRET_OF_MERCHANT, integration->merchant,
                                   &integration->sealed_hash, clock_monotonic(), out);
    if (!opened) {
        log_line(LOG_ERROR, "the FIXED_HASH of merchant %.*s " SECRET_UNOPENED, TEXT_ARGS(integration->merchant));
    }
    return opened;
}

/* Reads the secrets again: the cached ones may have been replaced since. False: they cannot be read. */
static bool read_hash(struct call *call, const struct integration *integration, struct secret_pair *out) {
    struct connection *connection;
    struct party_row row = {0};
    duration asked_at = clock_monotonic();
    enum status status = call_take_connection(call, &connection);
    if (status == STATUS_OK) {
        status = merchants_find(connection, integration->merchant, call->arena, &row);
        pool_give(call->service->pool, connection);
    }
    return status == STATUS_OK && secret_pair_open(call->service->vault, SECRET_OF_MERCHANT, integration->merchant,
                                                   &row.sealed_hash, asked_at, out);
}

static duration time_needed(const struct call *call) {
    return call->service->config->external_query.timeout + QUERY_TIME_TO_STORE;
}

/* An external query, what is needed to judge its reply, and its exchange with recaudo-query. */
struct asking {
    const struct external_lookup *external;
    const struct external_query *query;
    const struct secret_pair *hash;
    struct query_exchange exchange;
};

/* Sends the query to recaudo-query, which enforces the limits, shares equal queries and waits for the merchant. */
static enum query_links_result send_query(struct call *call, struct asking *asking) {
    const struct integration *integration = asking->query->integration;
    const struct query_message message = {.kind = QUERY_ASK,
                                          .query = {.merchant_id = integration->merchant_id,
                                                    .integration_id = integration->id,
                                                    .network_id = asking->external->network_id,
                                                    .reference = asking->query->reference},
                                          .request = external_query_request(asking->query, asking->hash, call->arena)};
    duration began_at = clock_monotonic(), until = began_at + time_needed(call) + PATIENCE;
    enum query_links_result result =
        query_links_ask(call->service->query_resources->links, &message, until, call->arena, &asking->exchange);
    counters_note_wait(call->service->counters, clock_monotonic() - began_at);
    return result;
}

/* Judges with the secrets that this process remembers, and where the checksum is wrong, with the stored ones: a
 * merchant's new secret is valid at once. */
static void judge_reply(struct call *call, const struct asking *asking, struct query_result *out) {
    const struct http_reply *reply = &asking->exchange.reply.reply;
    struct secret_pair hash;
    external_query_judge(asking->query, asking->hash, reply, call->arena, out);
    bool is_checksum = out->fault.field != NULL && strcmp(out->fault.field, "checksum") == 0;
    if (is_checksum && read_hash(call, asking->query->integration, &hash)) {
        external_query_judge(asking->query, &hash, reply, call->arena, out);
        secret_pair_wipe(&hash);
    }
}

/* Judges and stores the reply to this lookup's own query, and passes the result to lookups that share it. */
static enum external_result take_answer(struct call *call, struct asking *asking, enum refusal *refusal,
                                        struct order *order) {
    struct service *service = call->service;
    struct query_result result;
    judge_reply(call, asking, &result);
    counters_note_query(service->counters, result.outcome, result.took);
    log_result(asking->external, &result, asking->exchange.reply.rests);
    note_old_secret(call, asking->query->integration, &result);
    *refusal = REFUSALS[result.outcome];
    external_store(call, asking->external, &result, refusal, order);
    query_links_end(service->query_resources->links, &asking->exchange, *refusal, call->arena);
    return *refusal == GRANTED ? EXTERNAL_ORDER : EXTERNAL_REFUSED;
}

/* Takes the result of another lookup's query. If the process of that lookup has died, the result is unknown. */
static enum external_result take_shared(struct call *call, const struct query_reply *reply, enum refusal *refusal) {
    bool told = reply->kind == QUERY_SHARED && reply->outcome < REFUSAL_COUNT;
    counters_note_withheld(call->service->counters, WITHHELD_SHARED);
    *refusal = told ? (enum refusal)reply->outcome : REFUSED_TRY_AGAIN;
    return *refusal == GRANTED ? EXTERNAL_STORED : EXTERNAL_REFUSED;
}

static enum external_result withhold(struct call *call, enum withheld why, enum refusal *refusal) {
    counters_note_withheld(call->service->counters, why);
    *refusal = why == WITHHELD_AWAY ? REFUSED_TRY_AGAIN : REFUSED_MERCHANT_RESTING;
    return EXTERNAL_REFUSED;
}

static enum external_result take_reply(struct call *call, struct asking *asking, enum refusal *refusal,
                                       struct order *order) {
    switch (asking->exchange.reply.kind) {
    case QUERY_ASKED:
        return take_answer(call, asking, refusal, order);
    case QUERY_SHARED:
    case QUERY_LOST:
        return take_shared(call, &asking->exchange.reply, refusal);
    case QUERY_FULL:
        return withhold(call, WITHHELD_FULL, refusal);
    case QUERY_RESTS:
        return withhold(call, WITHHELD_RESTING, refusal);
    case QUERY_IN_USE:
        break;
    }
    return withhold(call, WITHHELD_AWAY, refusal);
}

enum external_result external_ask(struct call *call, const struct external_lookup *external, enum refusal *refusal,
                                  struct order *order) {
    const struct external_query query = {.integration = external->integration,
                                         .reference = external->lookup->reference,
                                         .netname = external->lookup->name,
                                         .now = external->now,
                                         .timeout = call->service->config->external_query.timeout};
    enum external_result result = EXTERNAL_REFUSED;
    struct secret_pair hash;
    if (call->deadline - clock_monotonic() < time_needed(call)) {
        *refusal = REFUSED_TRY_AGAIN; /* too little time is left, and the merchant must not be blamed for it */
        return EXTERNAL_REFUSED;
    }
    if (!open_hash(call, external->integration, &hash)) {
        *refusal = REFUSED_PROCESSING_ERROR;
        return EXTERNAL_REFUSED;
    }
    struct asking asking = {.external = external, .query = &query, .hash = &hash};
    switch (send_query(call, &asking)) {
    case LINKS_ANSWERED:
        result = take_reply(call, &asking, refusal, order);
        break;
    case LINKS_FULL:
        result = withhold(call, WITHHELD_FULL, refusal);
        break;
    case LINKS_AWAY:
        result = withhold(call, WITHHELD_AWAY, refusal);
        break;
    }
    secret_pair_wipe(&hash);
    return result;
}
