#include "api/external/external.h"

#include "api/caller/old_secret.h"
#include "api/external/external_store.h"
#include "api/external/query_resources.h"

/* How long one who waits for another's query stays after the merchant's time is up: the answer is then being stored. */
#define TIME_TO_STORE SECOND

static const enum refusal REFUSALS[] = {[QUERY_ANSWERED] = GRANTED,
                                        [QUERY_REFUSED] = REFUSED_BY_MERCHANT,
                                        [QUERY_EXPIRED] = REFUSED_EXPIRED,
                                        [QUERY_INVALID] = REFUSED_MERCHANT_ANSWER,
                                        [QUERY_SILENT] = REFUSED_MERCHANT_SILENT};

static void log_result(const struct external_lookup *external, const struct query_result *result, bool rests) {
    char code[32];
    const struct integration *integration = external->integration;
    log_line(LOG_INFO, "query merchant=%.*s integration=%llu outcome=%s http=%d ms=%lld.%03lld what=\"%s %s\" code=%s",
             TEXT_ARGS(integration->merchant), (unsigned long long)integration->id, query_outcome_name(result->outcome),
             result->http_status, (long long)(result->took / MILLISECOND), (long long)(result->took % MILLISECOND),
             result->fault.field == NULL ? "" : result->fault.field,
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
        old_secret_used(call, PARTY_MERCHANT, integration->merchant_id, integration->merchant);
    }
}

/* False: the secret does not open; logged. */
static bool send_query(struct call *call, const struct external_lookup *external, struct query_result *result) {
    struct service *service = call->service;
    const struct integration *integration = external->integration;
    const struct external_query query = {.integration = integration,
                                         .reference = external->lookup->reference,
                                         .netname = external->lookup->name,
                                         .now = external->now,
                                         .timeout = service->config->external_query.timeout};
    struct secret_pair hash;
    if (!secret_pair_open(service->vault, "merchants.fixed_hash", integration->merchant, &integration->sealed_hash,
                          clock_monotonic(), &hash)) {
        log_line(LOG_ERROR,
                 "the FIXED_HASH of merchant %.*s cannot be decrypted: encrypted with another key, or damaged",
                 TEXT_ARGS(integration->merchant));
        return false;
    }
    external_query_ask(service->query_resources->client, &query, &hash, call->arena, result);
    secret_pair_wipe(&hash);
    return true;
}

static duration time_needed(const struct call *call) {
    return call->service->config->external_query.timeout + TIME_TO_STORE;
}

/* This lookup asks; others may wait for what comes of it. */
static enum external_result ask_merchant(struct call *call, const struct external_lookup *external,
                                         const struct query_handle *handle, enum refusal *refusal,
                                         struct order *order) {
    struct service *service = call->service;
    struct query_result result = {.outcome = QUERY_SILENT};
    duration began_at = clock_monotonic();
    bool asked = send_query(call, external, &result);
    bool rests = query_limiter_answered(service->query_resources->limiter, handle, result.is_failure);
    counters_note_wait(service->counters, clock_monotonic() - began_at);
    *refusal = REFUSED_PROCESSING_ERROR;
    if (asked) {
        counters_note_query(service->counters, result.outcome, result.took);
        log_result(external, &result, rests);
        note_old_secret(call, external->integration, &result);
        *refusal = REFUSALS[result.outcome];
        external_store(call, external, &result, refusal, order);
    }
    query_limiter_end(service->query_resources->limiter, handle, *refusal);
    return *refusal == GRANTED ? EXTERNAL_ORDER : EXTERNAL_REFUSED;
}

/* A query that died with its process may have been answered or not: come again. */
static enum external_result wait_for_answer(struct call *call, const struct query_handle *handle,
                                            enum refusal *refusal) {
    struct service *service = call->service;
    unsigned outcome;
    duration began_at = clock_monotonic();
    duration wait = time_needed(call);
    bool told = query_limiter_wait(service->query_resources->limiter, handle, wait, &outcome);
    counters_note_wait(service->counters, clock_monotonic() - began_at);
    *refusal = told ? (enum refusal)outcome : REFUSED_TRY_AGAIN;
    return *refusal == GRANTED ? EXTERNAL_STORED : EXTERNAL_REFUSED;
}

enum external_result external_ask(struct call *call, const struct external_lookup *external, enum refusal *refusal,
                                  struct order *order) {
    const struct integration *integration = external->integration;
    const struct limited_query query = {.merchant_id = integration->merchant_id,
                                        .integration_id = integration->id,
                                        .network_id = external->network_id,
                                        .reference = external->lookup->reference,
                                        .endpoint = integration->endpoint};
    struct query_handle handle;
    if (call->deadline - clock_monotonic() < time_needed(call)) {
        *refusal = REFUSED_TRY_AGAIN; /* the merchant is not blamed for what took our time before */
        return EXTERNAL_REFUSED;
    }
    *refusal = REFUSED_MERCHANT_RESTING;
    switch (query_limiter_enter(call->service->query_resources->limiter, &query, &handle)) {
    case LIMITER_ASK:
        return ask_merchant(call, external, &handle, refusal, order);
    case LIMITER_SHARE:
        counters_note_withheld(call->service->counters, WITHHELD_SHARED);
        return wait_for_answer(call, &handle, refusal);
    case LIMITER_FULL:
        counters_note_withheld(call->service->counters, WITHHELD_FULL);
        break;
    case LIMITER_RESTING:
        counters_note_withheld(call->service->counters, WITHHELD_RESTING);
        break;
    }
    return EXTERNAL_REFUSED;
}
