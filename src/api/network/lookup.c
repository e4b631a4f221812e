#include "api/caller/credentials.h"
#include "api/external/external.h"
#include "api/external/query_resources.h"
#include "api/worker/commerces.h"
#include "api/worker/shared_statement.h"
#include "api/worker/unstored.h"
#include "api/worker/usecases.h"
#include "store/order/payables.h"
#include "wire/messages.h"

/*
 * A lookup first uses shared statements and what the process remembers (look_up_shared). If they cannot answer it, it
 * starts again with a connection of its own (look_up_alone). Both find the rows and the integration that
 * answers for the reference. The merchant is asked after that, without a connection.
 */

/* What either has found. */
struct finding {
    struct payable payable;
    bool asks; /* the merchant of this integration must be asked */
    struct integration integration;
};

/* An open order of another merchant keeps its reference, so the integration's merchant is not asked. */
static bool is_another_merchants(const struct finding *finding) {
    const struct payable *payable = &finding->payable;
    return payable->has_order && order_is_open(&payable->order, payable->now) &&
           payable->order.merchant_id != finding->integration.merchant_id;
}

static enum status find_integration(struct call *call, struct connection *connection, const struct lookup *lookup,
                                    uint64_t network_id, struct finding *out) {
    if (!payable_may_be_asked_about(&out->payable)) {
        return STATUS_OK;
    }
    enum status status = known_integrations_find(call->service->query_resources->integrations, connection,
                                                 lookup->reference, network_id, call->arena, &out->integration);
    out->asks = status == STATUS_OK && !is_another_merchants(out);
    bool is_stored = !out->asks && (status == STATUS_OK || status == STATUS_NONE);
    return is_stored ? payables_note_offer(connection, network_id, &out->payable) : status;
}

/* Reads the order or account of the reference, again if the order's approval was written or it has changed
 * (unstored_resolve). */
static enum status find_open(struct call *call, struct connection *connection, const struct lookup *lookup,
                             struct payable *out) {
    enum status status = payables_find(connection, lookup->reference, call->arena, out);
    if (status == STATUS_OK && out->has_order && unstored_resolve(call, connection, &out->order, out->now)) {
        status = payables_find(connection, lookup->reference, call->arena, out);
    }
    return status;
}

/* Reads what else the reply needs if no merchant is asked. */
static enum status complete_alone(struct call *call, struct connection *connection, const struct lookup *lookup,
                                  struct payable *payable) {
    enum status status = payables_find_closed(connection, lookup->reference, call->arena, payable);
    return status == STATUS_OK && payable->has_order
               ? commerces_complete(call->service, connection, call->arena, &payable->order)
               : status;
}

SHARED_ACT_DEFINE(search_open, payables_find_shared, struct payable_search);
SHARED_ACT_DEFINE(search_closed, payables_find_closed_shared, struct payable_search);

/* Searches an open order, and an account only if there is none: most references have an order. */
static enum status find_order_first(struct call *call, struct payable_search *search) {
    struct shared_statement *lookups = &call->service->lookups;
    enum status status = shared_statement_run(lookups, call, search_open, search);
    if (status == STATUS_OK && !search->found->has_order && !search->with_accounts) {
        search->with_accounts = true;
        status = shared_statement_run(lookups, call, search_open, search);
    }
    return status;
}

/* Searches order and account at once: a reference that an integration answers for rarely has an order, and its merchant
 * needs most of the lookup's time. */
static enum status find_with_account(struct call *call, struct payable_search *search) {
    search->with_accounts = true;
    return shared_statement_run_soon(&call->service->lookups, call, search_open, search);
}

/* Finds the order or account. STATUS_CHANGED: the lookup needs a connection of its own, because a state must be written
 * first, or the shared statement failed. */
static enum status find_open_shared(struct call *call, bool is_answered, struct payable_search *search) {
    enum status status = is_answered ? find_with_account(call, search) : find_order_first(call, search);
    const struct payable *found = search->found;
    bool is_over = status == STATUS_OK && found->has_order &&
                   (order_window_closed(&found->order, found->now) || order_is_overdue(&found->order, found->now));
    return is_over || !shared_statement_is_final(status) ? STATUS_CHANGED : status;
}

/* Finds what else the reply needs if no merchant is asked: a closed order, the merchant's name. STATUS_CHANGED: the
 * lookup needs a connection of its own, because the order came by an external query, its merchant is not remembered, or
 * the shared statement failed. */
static enum status complete_shared(struct call *call, struct payable_search *search) {
    struct payable *found = search->found;
    enum status status = STATUS_OK;
    if (!found->has_order && !found->has_account) {
        status = shared_statement_run(&call->service->closed_lookups, call, search_closed, search);
    }
    if (status != STATUS_OK) {
        return shared_statement_is_final(status) ? status : STATUS_CHANGED;
    }
    bool is_known = !payable_is_offer(found) &&
                    (!found->has_order || commerces_remember(call->service, call->arena, &found->order));
    return is_known ? STATUS_OK : STATUS_CHANGED;
}

/* STATUS_CHANGED: the lookup needs a connection of its own. The integration is chosen again after the search, because
 * another one may answer for the reference by then. */
static enum status look_up_shared(struct call *call, const struct lookup *lookup, uint64_t network_id,
                                  struct finding *out) {
    const struct known_integrations *integrations = call->service->query_resources->integrations;
    struct payable_search search = {lookup->reference, call->arena, &out->payable, .with_accounts = false};
    bool is_answered = known_integrations_recall(integrations, lookup->reference, network_id, call->arena,
                                                 &out->integration) == STATUS_OK;
    enum status status = find_open_shared(call, is_answered, &search);
    if (status == STATUS_OK && payable_may_be_asked_about(&out->payable)) {
        enum status integration =
            known_integrations_recall(integrations, lookup->reference, network_id, call->arena, &out->integration);
        out->asks = integration == STATUS_OK && !is_another_merchants(out);
        status = integration == STATUS_CHANGED ? STATUS_CHANGED : STATUS_OK;
    }
    return status == STATUS_OK && !out->asks ? complete_shared(call, &search) : status;
}

/* `may_ask`: an integration may answer. */
static enum refusal look_up_alone(struct call *call, const struct lookup *lookup, uint64_t network_id, bool may_ask,
                                  struct finding *out) {
    struct connection *connection;
    enum status status = call_take_connection(call, &connection);
    *out = (struct finding){.asks = false};
    if (status == STATUS_OK) {
        status = find_open(call, connection, lookup, &out->payable);
        if (status == STATUS_OK) {
            status = may_ask ? find_integration(call, connection, lookup, network_id, out)
                             : payables_note_offer(connection, network_id, &out->payable);
        }
        if (status == STATUS_OK && !out->asks) {
            status = complete_alone(call, connection, lookup, &out->payable);
        }
        pool_give(call->service->pool, connection);
    }
    return call_refusal_of(status);
}

static enum refusal resolve(struct call *call, const struct payable *payable) {
    enum refusal refusal;
    enum payable_kind kind = payable_resolve(payable, &refusal);
    if (refusal == GRANTED && kind == PAYABLE_ORDER) {
        call->reply = reply_lookup_order(&payable->order, call->arena);
    } else if (refusal == GRANTED) {
        call->reply = reply_lookup_account(&payable->account, call->service->service_name, call->arena);
    }
    return refusal;
}

static enum refusal ask_and_reply(struct call *call, const struct lookup *lookup, uint64_t network_id,
                                  struct finding *finding) {
    const struct integration *integration = &finding->integration;
    const struct external_lookup external = {lookup, network_id, finding->payable.now, integration};
    enum refusal refusal;
    struct order order;
    if (!integration->merchant_enabled) {
        return REFUSED_NOT_AUTHORISED;
    }
    switch (external_ask(call, &external, &refusal, &order)) {
    case EXTERNAL_REFUSED:
        break;
    case EXTERNAL_ORDER:
        call->reply = reply_lookup_order(&order, call->arena);
        break;
    case EXTERNAL_STORED:
        refusal = look_up_alone(call, lookup, network_id, false, finding);
        refusal = refusal == GRANTED ? resolve(call, &finding->payable) : refusal;
        return refusal == REFUSED_NO_SUCH_REFERENCE ? REFUSED_TRY_AGAIN : refusal; /* it has another reference now */
    }
    return refusal;
}

static enum refusal run_lookup(struct call *call, const struct lookup *lookup, uint64_t network_id) {
    struct finding finding = {.asks = false};
    enum status status = look_up_shared(call, lookup, network_id, &finding);
    enum refusal refusal =
        status == STATUS_CHANGED ? look_up_alone(call, lookup, network_id, true, &finding) : call_refusal_of(status);
    if (refusal != GRANTED) {
        return refusal;
    }
    return finding.asks ? ask_and_reply(call, lookup, network_id, &finding) : resolve(call, &finding.payable);
}

void lookup_handle(struct call *call) {
    struct lookup lookup;
    uint64_t network_id;
    enum refusal refusal = messages_read_lookup(call->parameter, call->query, call->arena, &lookup, &call->fault);
    if (refusal == GRANTED) {
        const struct text parts[] = {lookup.name, lookup.reference};
        const struct proof proof = {PARTY_NETWORK, lookup.name, CHECKSUM_LOOKUP, parts, lookup.checksum};
        refusal = credentials_verify(call, &proof, &network_id);
    }
    if (refusal == GRANTED) {
        refusal = run_lookup(call, &lookup, network_id);
        if (refusal == REFUSED_NOT_AUTHORISED) {
            call->fault = (struct fault)FAULT_MERCHANT_DISABLED;
        }
    }
    if (refusal != GRANTED) {
        call_refuse(call, refusal, &call->fault);
    }
}
