#include "outbound/external_query.h"

#include "auth/checksum.h"
#include "domain/currency.h"
#include "wire/external_query.h"

#include <inttypes.h>

enum { ANSWER_MAX = 64 * 1024, HTTP_OK = 200, HTTP_TOO_MANY = 429, HTTP_SERVER_ERROR = 500 };

static const char *const OUTCOME_NAMES[] = {[QUERY_ANSWERED] = "answered",
                                            [QUERY_REFUSED] = "refused",
                                            [QUERY_EXPIRED] = "expired",
                                            [QUERY_INVALID] = "invalid",
                                            [QUERY_SILENT] = "silent"};

/* The limits of an open amount whose answer names none. */
static const struct money LEAST_BY_DEFAULT = {0}, MOST_BY_DEFAULT = {UINT64_C(9999999990000)};

const char *query_outcome_name(enum query_outcome outcome) {
    return OUTCOME_NAMES[outcome];
}

static struct text render(const struct external_query *query, const struct secret *hash, struct arena *arena) {
    const struct external_query_values values = {
        .reference = query->reference,
        .currency = arena_print(arena, "%u", query->integration->currency_code),
        .netname = query->netname,
        .timestamp_start = arena_print(arena, "%" PRId64, query->now / SECOND)};
    const struct text parts[] = {values.reference, values.currency, values.netname, values.timestamp_start};
    char checksum[CHECKSUM_HEX_MAX + 1];
    checksum_compute(CHECKSUM_QUERY, parts, hash, checksum);
    return external_query_render(&values, checksum, arena);
}

static bool checksum_is_right(const struct external_answer *answer, const struct secret *hash) {
    const struct text plain[] = {answer->order, answer->amount, answer->timestamp_end};
    const struct text limited[] = {answer->order, answer->amount, answer->least, answer->most, answer->timestamp_end};
    bool has_limits = answer->least.size > 0;
    return checksum_verify(has_limits ? CHECKSUM_ANSWER_WITH_LIMITS : CHECKSUM_ANSWER, has_limits ? limited : plain,
                           hash, answer->checksum);
}

static void take_amounts(const struct external_answer *answer, struct offer *offer) {
    money_parse(answer->amount, &offer->amount);
    bool are_sent = answer->least.size > 0;
    offer->has_limits = are_sent || money_is_zero(offer->amount);
    offer->least = LEAST_BY_DEFAULT;
    offer->most = MOST_BY_DEFAULT;
    if (are_sent) {
        money_parse(answer->least, &offer->least);
        money_parse(answer->most, &offer->most);
    }
    if (!offer->has_limits) {
        offer->least = offer->most = (struct money){0};
    }
}

static void take(const struct external_query *query, const struct external_answer *answer, struct offer *offer) {
    uint64_t end = 0;
    text_to_number(answer->timestamp_end, &end);
    *offer = (struct offer){.merchant_id = query->integration->merchant_id,
                            .reference = query->reference,
                            .po_id = answer->order,
                            .currency = query->integration->currency,
                            .description = answer->description,
                            .email = answer->email,
                            .document = answer->document,
                            .document_type = answer->document_type,
                            .customer_name = answer->customer_name,
                            .due_at = (instant)end * SECOND};
    take_amounts(answer, offer);
}

/* What the fields say together. */
static struct fault judge_offer(const struct external_answer *answer, const struct offer *offer) {
    unsigned decimals = 0;
    bool known = currency_minor_unit(offer->currency, &decimals);
    if (!known || !money_fits(offer->amount, decimals)) {
        return (struct fault){"amount", "has more decimals than its currency"};
    }
    if ((answer->least.size > 0) != (answer->most.size > 0)) {
        return (struct fault){answer->least.size > 0 ? "max" : "min", "is missing"};
    }
    if (!money_fits(offer->least, decimals) || !money_fits(offer->most, decimals)) {
        return (struct fault){"min", "or max has more decimals than its currency"};
    }
    if (offer->least.units > offer->most.units) {
        return (struct fault){"min", "is greater than max"};
    }
    return (struct fault){NULL, NULL};
}

static void judge_answer(const struct external_query *query, const struct secret *hash,
                         const struct external_answer *answer, struct query_result *out) {
    take(query, answer, &out->offer);
    out->fault = judge_offer(answer, &out->offer);
    if (out->fault.field == NULL && !checksum_is_right(answer, hash)) {
        out->fault = (struct fault){"checksum", "is not valid"};
    }
    if (out->fault.field != NULL) {
        out->outcome = QUERY_INVALID;
    } else {
        out->outcome = out->offer.due_at > query->now ? QUERY_ANSWERED : QUERY_EXPIRED;
    }
}

static void judge_body(const struct external_query *query, const struct secret *hash, struct text body,
                       struct arena *arena, struct query_result *out) {
    struct external_answer answer;
    switch (external_answer_read(body, query->integration->identifies_customers, arena, &answer, &out->fault)) {
    case ANSWER_GRANTS:
        judge_answer(query, hash, &answer, out);
        break;
    case ANSWER_REFUSES:
        out->outcome = QUERY_REFUSED;
        out->refusal_code = answer.code;
        break;
    case ANSWER_INVALID:
        out->outcome = QUERY_INVALID;
        break;
    }
}

void external_query_judge(const struct external_query *query, const struct secret *hash, const struct http_reply *reply,
                          struct arena *arena, struct query_result *out) {
    out->http_status = reply->status;
    out->took = reply->took;
    out->outcome = QUERY_INVALID;
    if (reply->error != HTTP_FINE) {
        bool is_answer = reply->error == HTTP_TOO_LARGE;
        out->outcome = is_answer ? QUERY_INVALID : QUERY_SILENT;
        out->is_failure = !is_answer;
        out->fault = (struct fault){http_error_name(reply->error), "failed"};
    } else if (reply->status != HTTP_OK) {
        out->is_failure = reply->status == HTTP_TOO_MANY || reply->status >= HTTP_SERVER_ERROR;
        out->fault = (struct fault){"HTTP status", "is not 200"};
    } else if (reply->cut) {
        out->fault = (struct fault){"the body", "is larger than 64 KiB"};
    } else {
        judge_body(query, hash, reply->body, arena, out);
    }
}

void external_query_ask(struct http_crowd *crowd, const struct external_query *query, const struct secret *hash,
                        struct arena *arena, struct query_result *out) {
    const struct http_request request = {.url = query->integration->endpoint,
                                         .body = render(query, hash, arena),
                                         .headers = {TEXT("Content-Type: application/json")},
                                         .header_count = 1,
                                         .timeout = query->timeout,
                                         .reply_max = ANSWER_MAX};
    struct http_reply reply;
    http_perform(crowd, &request, arena, &reply);
    *out = (struct query_result){0};
    external_query_judge(query, hash, &reply, arena, out);
}
