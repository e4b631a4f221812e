#include "bench/direct/direct_session.h"

#include "bench/common/fail.h"
#include "bench/direct/point_select.h"
#include "domain/reference.h"
#include "store/order/payables.h"
#include "store/order/porders.h"
#include "store/party/merchants.h"
#include "store/party/networks.h"
#include "store/payment/transactions.h"
#include "store/schema/schema.h"

struct session {
    const struct config *config;
    struct text network;
    struct text actor; /* in `kept` */
    uint64_t caller_id;
    struct arena *kept;
    struct arena *arena; /* emptied before every operation */
    struct connection *connection;
    struct point_select *select; /* NULL unless that is what is measured */
};

static bool look_up(struct session *session, const struct subject *subject) {
    struct payable payable;
    struct payable_search search = {text_of(subject->order.reference), session->arena, &payable,
                                    .with_accounts = false};
    struct payable_search *const searches[] = {&search};
    return payables_find_shared(session->connection, searches, 1, session->arena) == STATUS_OK && payable.has_order;
}

static bool register_payment(struct session *session, const struct subject *subject) {
    struct registration request = {
        .name = session->network,
        .reference = text_of(subject->order.reference),
        .amount = text_of(subject->order.amount),
        .transaction = text_of(subject->transaction),
        .commerce = text_of(subject->order.commerce),
        .teller = TEXT("bench-1"),
        .money = text_of(subject->order.money),
    };
    struct transaction stored = {0};
    struct new_registration new = {session->caller_id, &request, session->arena, &stored, STATUS_OK};
    return money_parse(request.amount, &request.value) && transactions_register(session->connection, &new) == STATUS_OK;
}

static bool confirm(struct session *session, const struct subject *subject) {
    const struct transaction_name name = {session->caller_id, text_of(subject->transaction), session->actor};
    return transactions_confirm(session->connection, &name) == STATUS_OK;
}

/* FNV-1a: what the worker draws at random, from what is different each time. */
static uint64_t hash_of(const char *text) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *text != '\0'; text++) {
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    }
    return hash;
}

static bool store_order(struct session *session, const struct subject *subject) {
    char reference[REFERENCE_ASSIGNED + 1];
    uint64_t hash = hash_of(subject->transaction);
    reference_assign((const unsigned char *)&hash, reference);
    struct porder_terms terms = {
        .order = {.merchant_id = session->caller_id,
                  .po_id = text_of(subject->transaction),
                  .reference = text_of(reference),
                  .currency = text_of(subject->order.money),
                  .description = TEXT("bench"),
                  .email = TEXT("bench@example.com"),
                  .due_at = clock_host() + 2 * DAY},
        .country = 343,
        .language = TEXT("es"),
        .token = arena_print(session->arena, "%032llx", (unsigned long long)hash),
        .earliest = clock_host() - DAY,
    };
    uint64_t id;
    enum order_clash clash;
    return money_parse(text_of(subject->order.amount), &terms.order.amount) &&
           porders_insert(session->connection, &terms, session->actor, &id, &clash) == STATUS_OK;
}

static bool consult(struct session *session, const struct subject *subject) {
    struct porder porder;
    return porders_find(session->connection, session->caller_id, text_of(subject->order.reference), session->arena,
                        &porder) == STATUS_OK;
}

bool session_perform(struct session *session, const struct subject *subject) {
    arena_reset(session->arena);
    switch (subject->operation) {
    case OPERATION_LOOKUP:
        return look_up(session, subject);
    case OPERATION_REGISTER:
        return register_payment(session, subject);
    case OPERATION_CONFIRM:
        return confirm(session, subject);
    case OPERATION_PORDER:
        return store_order(session, subject);
    case OPERATION_CONSULT:
        return consult(session, subject);
    case OPERATION_SELECT:
        return point_select_find(session->select, text_of(subject->order.reference)) != NULL;
    case OPERATION_FLOW:
    case OPERATION_CANCEL:
    case OPERATION_MIX:
    case OPERATION_NOTIFY:
    case OPERATIONS:
        break;
    }
    fail("%s is not one operation", operation_name(subject->operation));
}

static void find_caller(struct session *session, bool is_merchant) {
    struct party_row row;
    const char *kind = is_merchant ? "merchant" : "network";
    session->actor = arena_print(session->kept, "%s:%.*s", kind, TEXT_ARGS(session->network));
    if ((is_merchant ? merchants_find : networks_find)(session->connection, session->network, session->kept, &row) !=
        STATUS_OK) {
        fail("there is no %s %.*s", kind, TEXT_ARGS(session->network));
    }
    session->caller_id = row.id;
}

struct session *session_open(const struct config *config, const char *network, enum operation operation) {
    struct session *session = calloc(1, sizeof *session);
    struct connection_options options = {.config = config, .account = &config->database.worker};
    if (session == NULL || schema_connect(&options, &session->connection) != STATUS_OK) {
        fail("no connection to the database");
    }
    session->config = config;
    session->kept = arena_create();
    session->arena = arena_create();
    session->network = text_of(network);
    find_caller(session, operation == OPERATION_PORDER || operation == OPERATION_CONSULT);
    if (operation == OPERATION_SELECT) {
        session->select = point_select_open(config);
    }
    return session;
}

void session_close(struct session *session) {
    if (session->select != NULL) {
        point_select_close(session->select);
    }
    connection_close(session->connection);
    arena_destroy(session->arena);
    arena_destroy(session->kept);
    free(session);
}
