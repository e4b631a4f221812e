#include "outbound/external_query.h"

#include "outbound/answer_rules.h"
#include "wire/merchant/external_query.h"

#include <inttypes.h>

enum { ANSWER_MAX = 64 * 1024, HTTP_OK = 200 };

static const char *const OUTCOME_NAMES[] = {[QUERY_ANSWERED] = "answered",
                                            [QUERY_REFUSED] = "refused",
                                            [QUERY_EXPIRED] = "expired",
                                            [QUERY_INVALID] = "invalid",
                                            [QUERY_SILENT] = "silent"};

const char *query_outcome_name(enum query_outcome outcome) {
    return OUTCOME_NAMES[outcome];
}

static struct text render_query(const struct external_query *query, const struct secret_pair *hash,
                                struct arena *arena) {
    const struct external_query_values values = {
        .reference = query->reference,
        .currency = arena_print(arena, "%u", query->integration->currency_code),
        .netname = query->netname,
        .timestamp_start = arena_print(arena, "%" PRId64, query->now / SECOND)};
    const struct text parts[] = {values.reference, values.currency, values.netname, values.timestamp_start};
    char checksum[CHECKSUM_HEX_MAX + 1];
    checksum_compute(CHECKSUM_QUERY, parts, &hash->current, checksum);
    return external_query_render(&values, checksum, arena);
}

struct http_request external_query_request(const struct external_query *query, const struct secret_pair *hash,
                                           struct arena *arena) {
    return (struct http_request){.url = query->integration->endpoint,
                                 .body = render_query(query, hash, arena),
                                 .headers = {TEXT("Content-Type: application/json")},
                                 .header_count = 1,
                                 .timeout = query->timeout,
                                 .reply_max = ANSWER_MAX};
}

static struct judged_answer judged_of(const struct external_query *query, const struct secret_pair *hash,
                                      const struct external_answer *answer) {
    return (struct judged_answer){query->integration, hash, answer, query->reference, query->now};
}

static void judge_answer(const struct external_query *query, const struct secret_pair *hash,
                         const struct external_answer *answer, struct query_result *out) {
    const struct judged_answer judged = judged_of(query, hash, answer);
    answer_rules_offer(&judged, &out->offer);
    out->fault = answer_rules_judge(&judged, &out->offer);
    if (out->fault.field != NULL) {
        out->outcome = QUERY_INVALID;
    } else {
        out->signed_with_old = answer_rules_signed_with(&judged) == SECRET_OLD;
        out->outcome = answer_rules_expired(&judged, &out->offer) ? QUERY_EXPIRED : QUERY_ANSWERED;
    }
}

static void judge_body(const struct external_query *query, const struct secret_pair *hash, struct text body,
                       struct arena *arena, struct query_result *out) {
    struct external_answer answer;
    switch (external_answer_read(body, query->integration->identifies_customers, arena, &answer, &out->fault)) {
    case ANSWER_GRANTS:
        judge_answer(query, hash, &answer, out);
        break;
    case ANSWER_REFUSES:
        out->outcome = QUERY_REFUSED;
        out->refusal_code = answer.code;
        out->refusal_text = answer.text;
        break;
    case ANSWER_INVALID:
        out->outcome = QUERY_INVALID;
        break;
    }
}

void external_query_judge(const struct external_query *query, const struct secret_pair *hash,
                          const struct http_reply *reply, struct arena *arena, struct query_result *out) {
    *out = (struct query_result){.http_status = reply->status};
    out->took = reply->took;
    out->address = arena_copy(arena, text_of(reply->address));
    out->outcome = QUERY_INVALID;
    if (reply->error != HTTP_FINE) {
        bool is_answer = reply->error == HTTP_TOO_LARGE;
        out->outcome = is_answer ? QUERY_INVALID : QUERY_SILENT;
        out->fault = (struct fault){.field = http_error_name(reply->error), .problem = "failed"};
    } else if (reply->status != HTTP_OK) {
        bool is_failure = http_reply_is_failure(reply);
        out->outcome = is_failure ? QUERY_SILENT : QUERY_INVALID;
        out->fault = (struct fault){.field = is_failure ? "status" : "HTTP status", .problem = "is not 200"};
    } else if (reply->cut) {
        out->fault = (struct fault){.field = "the body", .problem = "is larger than 64 KiB"};
    } else {
        judge_body(query, hash, reply->body, arena, out);
    }
}

void external_query_examine(const struct external_query *query, const struct secret_pair *hash,
                            const struct http_reply *reply, struct arena *arena, struct rule_checks *out) {
    bool in_time = reply->error == HTTP_FINE, fine = in_time && reply->status == HTTP_OK, came = fine && !reply->cut;
    bool identifies = query->integration->identifies_customers;
    struct external_answer answer;
    struct fault fault;
    rule_checks_add(out, "the answer", "comes whole and in time", in_time ? RULE_PASSED : RULE_BROKEN);
    rule_checks_add(out, "HTTP status", "is 200", fine ? RULE_PASSED : in_time ? RULE_BROKEN : RULE_UNSEEN);
    rule_checks_add(out, "the body", "has at most 64 KiB", came ? RULE_PASSED : fine ? RULE_BROKEN : RULE_UNSEEN);
    external_answer_examine(reply->body, came, identifies, arena, out);
    if (came && external_answer_read(reply->body, identifies, arena, &answer, &fault) == ANSWER_GRANTS) {
        const struct judged_answer judged = judged_of(query, hash, &answer);
        answer_rules_examine(&judged, out);
    } else {
        answer_rules_examine(NULL, out);
    }
}
