#include "api/merchant/porder.h"

#include "api/caller/credentials.h"
#include "api/external/query_resources.h"
#include "api/worker/attempts.h"
#include "api/worker/known_countries.h"
#include "api/worker/money_fault.h"
#include "api/worker/unstored.h"
#include "base/zone/zone.h"
#include "base/zone/zone_day.h"
#include "domain/instant.h"
#include "wire/merchant/porder_messages.h"

static enum refusal find_country(struct call *call, struct text code, struct country *out) {
    uint64_t number;
    if (!text_to_number(code, &number)) {
        return REFUSED_COUNTRY;
    }
    enum status status = known_countries_find(call, number, out);
    return status == STATUS_NONE ? REFUSED_COUNTRY : call_refusal_of(status);
}

/* The order expires when the day after its last day begins in its country. */
static enum refusal find_times(struct text expiration, const struct country *country, struct porder_terms *terms) {
    instant day, begins, first_day_begins;
    if (!porder_parse_expiration(expiration, &day)) {
        return REFUSED_EXPIRATION_FORM;
    }
    if (!zone_day(country->time_zone, day, &begins, &terms->order.due_at) ||
        !zone_to_utc(country->time_zone, day - PORDER_DAYS_AHEAD * DAY, &first_day_begins)) {
        known_countries_complain(country);
        return REFUSED_PROCESSING_ERROR;
    }
    terms->earliest = porder_earliest(day, first_day_begins);
    return GRANTED;
}

static bool is_english(struct text language) {
    return text_equal_any_case(language, TEXT("en"));
}

static void take_terms(const struct porder_request *request, const struct country *country, struct arena *arena,
                       struct porder_terms *terms) {
    struct new_order *order = &terms->order;
    order->po_id = request->order;
    order->reference = request->reference;
    order->currency = arena_copy(arena, text_of(country->currency));
    order->description = request->description;
    order->payment_means = request->method;
    order->email = request->email;
    order->document = request->document;
    order->document_type = request->document_type;
    order->customer_name = request->customer_name;
    terms->country = country->code;
    terms->time_zone = arena_copy(arena, text_of(country->time_zone)).at;
    terms->vat = request->vat;
    terms->language = request->language;
    if (request->language.size > 0) {
        terms->language = is_english(request->language) ? TEXT("en") : TEXT("es");
    }
}

static enum refusal judge_money(struct call *call, const struct porder_request *request, struct text currency,
                                struct porder_work *work) {
    enum refusal refusal = porder_judge_terms(request, currency, &work->terms.order.amount);
    if (refusal == REFUSED_CURRENCY_IN_COUNTRY) {
        call->fault = money_fault_currency(arena_copy(call->arena, currency), call->arena);
    } else if (refusal == REFUSED_AMOUNT) {
        call->fault = money_fault_written(request->amount, currency, call->arena);
    }
    return refusal;
}

static enum refusal judge_request(struct call *call, const struct porder_request *request, struct porder_work *work) {
    struct country country;
    enum refusal refusal = find_country(call, request->country, &country);
    if (refusal == REFUSED_COUNTRY) {
        call->fault = (struct fault){.field = "country", .problem = "must be one that this service serves"};
    }
    if (refusal == GRANTED) {
        refusal = judge_money(call, request, text_of(country.currency), work);
    }
    if (refusal == GRANTED) {
        refusal = find_times(request->expiration, &country, &work->terms);
    }
    if (refusal == GRANTED) {
        take_terms(request, &country, call->arena, &work->terms);
    }
    return refusal;
}

enum refusal porder_receive(struct call *call, struct porder_work *work) {
    struct porder_request request;
    enum refusal refusal = porder_messages_read(call->request->body, call->arena, &request, &call->fault);
    if (refusal == GRANTED) {
        const struct text parts[] = {request.email, request.country, request.order, request.money, request.amount};
        const struct proof proof = {PARTY_MERCHANT, request.merchant, CHECKSUM_PORDER, parts, request.checksum};
        refusal = credentials_verify(call, &proof, &work->merchant_id);
    }
    work->terms.order.merchant_id = work->merchant_id;
    return refusal == GRANTED ? judge_request(call, &request, work) : refusal;
}

/*
 * Sets country and currency, which the plugin leaves to the merchant's settings. Its checksum covers neither, so no
 * other value is accepted.
 */
static enum refusal fill_in_country(struct call *call, struct porder_request *request, struct fault *fault) {
    struct country country;
    uint64_t given = call->merchant_country;
    enum refusal refusal = call_refusal_of(known_countries_find(call, call->merchant_country, &country));
    if (refusal != GRANTED) {
        return refusal;
    }
    if (request->country.size > 0 && (!text_to_number(request->country, &given) || given != country.code)) {
        *fault = (struct fault){.field = "country", .problem = "must be the merchant's own, or null"};
        return REFUSED_COUNTRY;
    }
    request->country = arena_print(call->arena, "%llu", (unsigned long long)country.code);
    if (request->money.size == 0) {
        request->money = arena_copy(call->arena, text_of(country.currency));
    }
    return GRANTED;
}

enum refusal porder_receive_plugin(struct call *call, struct porder_work *work) {
    struct porder_request request;
    enum refusal refusal = porder_messages_read_plugin(call->request->body, call->arena, &request, &call->fault);
    if (refusal == GRANTED) {
        const struct text parts[] = {request.email, TEXT(""), request.order, TEXT(""), request.amount};
        const struct proof proof = {PARTY_MERCHANT, request.merchant, CHECKSUM_PORDER, parts, request.checksum};
        refusal = credentials_verify(call, &proof, &work->merchant_id);
    }
    work->terms.order.merchant_id = work->merchant_id;
    if (refusal == GRANTED) {
        refusal = fill_in_country(call, &request, &call->fault);
    }
    return refusal == GRANTED ? judge_request(call, &request, work) : refusal;
}

enum refusal porder_receive_query(struct call *call, struct porder_work *work) {
    struct porder_query query;
    enum refusal refusal = porder_messages_read_query(call->parameter, call->query, call->arena, &query, &call->fault);
    if (refusal == GRANTED) {
        const struct text parts[] = {query.order, query.merchant};
        const struct proof proof = {PARTY_MERCHANT, query.merchant, CHECKSUM_PORDER_QUERY, parts, query.checksum};
        refusal = credentials_verify(call, &proof, &work->merchant_id);
    }
    work->terms.order.po_id = query.order;
    return refusal;
}

enum status porder_find(struct call *call, struct connection *connection, struct porder_work *work,
                        enum refusal *refusal) {
    enum status status =
        porders_find(connection, work->merchant_id, work->terms.order.po_id, call->arena, &work->porder);
    if (status == STATUS_OK && unstored_resolve(call, connection, &work->porder.order, work->porder.now)) {
        status = porders_find(connection, work->merchant_id, work->terms.order.po_id, call->arena, &work->porder);
    }
    if (status == STATUS_NONE) {
        *refusal = REFUSED_ORDER_NOT_PENDING;
        return STATUS_OK;
    }
    return status;
}

enum status porder_is_covered(struct call *call, struct connection *connection, struct text reference,
                              uint64_t merchant_id, bool *covered) {
    return known_integrations_cover(call->service->query_resources->integrations, connection, reference, merchant_id,
                                    covered);
}

enum refusal porder_judge_expiration(struct call *call, const struct porder_work *work, instant now) {
    const struct porder_terms *terms = &work->terms;
    enum refusal refusal = porder_judge_due(terms->earliest, terms->order.due_at, now);
    instant local;
    if (refusal == GRANTED || !zone_to_local(terms->time_zone, now, &local)) {
        return refusal;
    }
    struct porder_days days = porder_days_at(local, now);
    bool is_over = terms->order.due_at <= now;
    struct civil day = instant_to_civil(is_over ? days.first : days.last);
    struct text problem = arena_print(call->arena,
                                      is_over ? "is in the past: the first valid day is %02u/%02u/%04u"
                                              : "is more than 31 days ahead: the last valid day is %02u/%02u/%04u",
                                      day.day, day.month, day.year);
    call->fault = (struct fault){.field = "expiration", .problem = problem.at};
    return refusal;
}

struct porder_attempt {
    struct porder_work *work;
    enum status (*act)(struct call *call, struct connection *connection, struct porder_work *work,
                       enum refusal *refusal);
};

static enum status try_porder(struct call *call, struct connection *connection, void *of_attempt,
                              enum refusal *refusal) {
    const struct porder_attempt *attempt = of_attempt;
    return attempt->act(call, connection, attempt->work, refusal);
}

enum refusal porder_run(struct call *call, struct porder_work *work,
                        enum status (*act)(struct call *call, struct connection *connection, struct porder_work *work,
                                           enum refusal *refusal)) {
    struct porder_attempt attempt = {work, act};
    return attempts_run(call, try_porder, &attempt);
}

struct text porder_slip_address(const struct call *call, struct text token) {
    return order_slip_address(call->service->config->worker.public_base, token, call->arena);
}

struct porder_written porder_written_of(const struct call *call, const struct porder *porder) {
    return (struct porder_written){.id = porder->order.id,
                                   .po_id = porder->po_id,
                                   .reference = porder->order.reference,
                                   .amount = porder->order.amount,
                                   .checkout = porder_slip_address(call, porder->token)};
}

void porder_end(struct call *call, enum refusal refusal) {
    if (refusal != GRANTED) {
        call_refuse(call, refusal, &call->fault);
    }
}
