#include "api/external/external_store.h"

#include "api/worker/attempts.h"
#include "api/worker/commerces.h"
#include "api/worker/unstored.h"
#include "store/external/offers.h"
#include "store/order/references.h"
#include "wire/reply_code.h"

struct storing {
    const struct offer *offer;
    const struct query_record *record;
    struct order *order;
};

static struct text problem_of(const struct fault *fault, struct arena *arena) {
    return fault->problem == NULL ? TEXT("") : text_start(fault_explain(fault, arena), QUERY_PROBLEM_CHARACTERS);
}

static struct query_record record_of(const struct external_lookup *external, const struct query_result *result,
                                     struct arena *arena) {
    const struct fault *fault = &result->fault;
    bool refused = result->outcome == QUERY_REFUSED;
    return (struct query_record){.merchant_id = external->integration->merchant_id,
                                 .integration_id = external->integration->id,
                                 .network_id = external->network_id,
                                 .reference = external->lookup->reference,
                                 .asked_at = external->now,
                                 .took = result->took,
                                 .outcome = text_of(query_outcome_name(result->outcome)),
                                 .address = result->address,
                                 .http_status = (unsigned)result->http_status,
                                 .field = fault->field == NULL ? TEXT("") : text_of(fault->field),
                                 .problem = refused ? result->refusal_code : problem_of(fault, arena),
                                 .said = text_start(result->refusal_text, QUERY_SAID_CHARACTERS)};
}

/* An answer that conflicts with the stored orders is recorded as invalid. */
static void note_conflict(struct query_record *record, struct text problem) {
    record->outcome = text_of(query_outcome_name(QUERY_INVALID));
    record->field = TEXT("order");
    record->problem = problem;
}

/*
 * Adds what a reply says about the merchant. An order that keeps the reference may be another merchant's, which may be
 * disabled.
 */
static enum status complete_offered(struct call *call, struct connection *connection, enum refusal *refusal,
                                    struct order *order) {
    enum status status = commerces_complete(call->service, connection, call->arena, order);
    if (status == STATUS_OK && !order->merchant_enabled) {
        *refusal = REFUSED_NOT_AUTHORISED;
    }
    return status;
}

/*
 * Reads the stored orders with the offer's number or reference, before the offer is judged. STATUS_CHANGED: one of them
 * has changed, or its approval was written because its window had closed; read them again.
 */
static enum status find_scene(struct call *call, struct connection *connection, const struct offer *offer,
                              struct offer_scene *scene) {
    enum status status = offers_find(connection, offer, call->arena, scene);
    struct offered_order *const met[] = {&scene->same_number, &scene->same_reference};
    bool changed = false;
    for (size_t i = 0; i < COUNT_OF(met) && status == STATUS_OK; i++) {
        changed |= met[i]->exists && unstored_resolve(call, connection, &met[i]->order, scene->now);
    }
    return changed ? STATUS_CHANGED : status;
}

/*
 * Finds why a unique key was taken.
 * STATUS_CLASH: another request has stored the same offer; try again.
 * STATUS_OK: the reference belongs to another merchant or to an account, so the answer is invalid and *refusal says so.
 */
static enum status judge_offer_clash(struct connection *connection, const struct offer *offer,
                                     struct query_record *record, enum refusal *refusal) {
    bool is_anothers;
    enum status status = references_find_anothers(connection, offer->reference, offer->merchant_id, &is_anothers);
    if (status != STATUS_OK || !is_anothers) {
        return status == STATUS_OK ? STATUS_CLASH : status;
    }
    note_conflict(record, TEXT("has a reference that has another owner (recaudoctl reference show)"));
    *refusal = REFUSED_MERCHANT_ANSWER;
    return queries_insert(connection, record);
}

/* One attempt (api/worker/attempts.h). It loses a race if an order changed or another request stored the same offer. */
static enum status try_store_offer(struct call *call, struct connection *connection, void *of_storing,
                                   enum refusal *refusal) {
    const struct storing *storing = of_storing;
    const struct offer *offer = storing->offer;
    struct query_record record = *storing->record;
    struct order *order = storing->order;
    struct offer_scene scene = {0};
    enum status status = find_scene(call, connection, offer, &scene);
    if (status != STATUS_OK) {
        return status;
    }
    struct offer_plan plan = offer_judge(offer, &scene);
    *refusal = plan.refusal;
    if (plan.refusal == GRANTED) {
        *order = plan.act == OFFER_STANDS ? *plan.order : offer_as_order(offer);
        status = complete_offered(call, connection, refusal, order);
    }
    if (status != STATUS_OK) {
        return status;
    }
    if (plan.refusal == REFUSED_MERCHANT_ANSWER) {
        note_conflict(&record, offer_conflict(offer, &scene, call->arena));
    } else if (*refusal != GRANTED) {
        record.problem = text_of(reply_code_of(*refusal)->code);
    }
    status = offers_store(connection, offer, &plan, call_actor(call), &record);
    return status == STATUS_CLASH ? judge_offer_clash(connection, offer, &record, refusal) : status;
}

/* Best effort: the lookup does not depend on the record. */
static void store_record(struct call *call, const struct query_record *record) {
    struct connection *connection;
    if (call_take_connection(call, &connection) == STATUS_OK) {
        (void)queries_insert(connection, record);
        pool_give(call->service->pool, connection);
    }
}

void external_store(struct call *call, const struct external_lookup *external, const struct query_result *result,
                    enum refusal *refusal, struct order *order) {
    const struct query_record record = record_of(external, result, call->arena);
    struct storing storing = {&result->offer, &record, order};
    if (*refusal == GRANTED) {
        *refusal = attempts_run(call, try_store_offer, &storing);
    } else {
        store_record(call, &record);
    }
}
