#include "unit.h"

#include "api/caller/credentials.h"
#include "api/worker/commerces.h"
#include "api/worker/known_countries.h"
#include "api/worker/route.h"

/* A service whose database is not reachable. Requests that need none are answered; the others get 0028. */
static struct config config = {.database = {.socket = (char *)"/nonexistent/db.sock",
                                            .name = (char *)"recaudo",
                                            .worker = {.user = (char *)"recaudo_worker"},
                                            .connect_timeout = SECOND,
                                            .read_timeout = SECOND}};
static const struct connection_options OPTIONS = {&config, &config.database.worker, 0};
static struct service service = {.config = &config};
static struct arena *arena;

static void set_up(void) {
    capture_errors();
    arena = arena_create();
    service.pool = pool_create(&OPTIONS, 1);
    service.network_credentials = cache_create(sizeof(struct credential));
    service.merchant_credentials = cache_create(sizeof(struct credential));
    service.commerces = cache_create(sizeof(struct commerce));
    service.countries = cache_create(sizeof(struct country));
}

static void tear_down(void) {
    cache_destroy(service.countries);
    cache_destroy(service.commerces);
    cache_destroy(service.merchant_credentials);
    cache_destroy(service.network_credentials);
    pool_destroy(service.pool);
    arena_destroy(arena);
}

#define JSON         "application/json"
#define LOOKUP       "/v1/orders/0012345678?name=a&checksum=b"
#define CONFIRMATION "{\"name\":\"a\",\"transaction\":\"b\",\"confirm\":true,\"checksum\":\"c\"}"

#define PORDER                                                                                                         \
    "{\"merchant\":\"a\",\"email\":\"a@b\",\"country\":343,\"order\":\"1\",\"money\":\"COP\",\"amount\":\"1\","        \
    "\"description\":\"x\",\"expiration\":\"01/01/2030\",\"checksum\":\"c\"}"
#define WPORDER                                                                                                        \
    "{\"country\":null,\"merchant\":\"a\",\"email\":\"a@b\",\"order\":\"1\",\"money\":null,\"amount\":\"1\","          \
    "\"description\":\"x\",\"expiration\":\"01/01/2030\",\"checksum\":\"c\"}"
#define WPKEYS "{\"Pv_po_id\":\"1000\",\"Po_id\":\"1000\",\"Status\":\"approved\",\"MerName\":\"a\",\"Checksum\":\"c\"}"
#define TOKEN  "0123456789abcdef0123456789abcdef"
#define REFUND "{\"merchant\":\"m\",\"order\":\"a\",\"amount\":\"1\",\"checksum\":\"c\"}"

static const struct {
    const char *method, *target, *content_type, *body;
    const char *code;
    int status;
    const char *allow; /* NULL: no header Allow */
} REQUESTS[] = {
    {"GET", "/healthz", "", "", "0000", 200, NULL},
    {"GET", "/healthz/", "", "", "0000", 200, NULL},
    {"GET", "/healthz?x=1", "", "", "0000", 200, NULL},
    {"GET", "/%68ealthz", "", "", "0000", 200, NULL},
    {"GET", "/readyz", "", "", "0028", 503, NULL},
    {"GET", "/metrics", "", "", "0141", 404, NULL},
    {"POST", "/metrics", "", "", "0141", 404, NULL},
    {"GET", LOOKUP, "", "", "0028", 503, NULL},
    {"GET", "/v1/orders/0012345678/?name=a&checksum=b", "", "", "0028", 503, NULL},
    {"GET", "/v1/orders/0012345678", "", "", "0011", 200, NULL},
    {"GET", "/v1/orders/%2e%2e?name=a&checksum=b", "", "", "0011", 200, NULL},
    {"PATCH", "/v1/transactions/", JSON, CONFIRMATION, "0028", 503, NULL},
    {"PATCH", "/v1/transactions", JSON, CONFIRMATION, "0028", 503, NULL},
    {"PATCH", "/v1/transactions", JSON, "{}", "0011", 200, NULL},
    {"POST", "/v1/transactions", JSON, "{}", "0011", 200, NULL},
    {"POST", "/v1/porders", "", PORDER, "0028", 503, NULL},
    {"PATCH", "/v1/porders/", "application/x-www-form-urlencoded", PORDER, "0028", 503, NULL},
    {"GET", "/v1/porders/a?merchant=b&checksum=c", "", "[]", "0028", 503, NULL},
    {"DELETE", "/v1/porders/a/?merchant=b&checksum=c", "", "[]", "0028", 503, NULL},
    {"POST", "/v1/porders/a/refund", "", REFUND, "0028", 503, NULL},
    {"POST", "/v1/porders/b/refund/", "", REFUND, "0011", 200, NULL},
    {"POST", "/v1/porders", JSON, "[]", "0140", 400, NULL},
    {"POST", "/v1/wporders", "application/x-www-form-urlencoded", WPORDER, "0028", 503, NULL},
    {"POST", "/v1/porders", "", WPORDER, "0011", 200, NULL},
    {"POST", "/v1/wpkeys/", "", WPKEYS, "0028", 503, NULL},
    {"POST", "/v1/wpkeys", "", "{}", "0011", 200, NULL},
    {"POST", "/api/v3/wporders", "", WPORDER, "0141", 404, NULL},
    {"POST", "/v1/wporders/1", "", WPORDER, "0141", 404, NULL},
    {"PATCH", "/v1/wporders", "", WPORDER, "0142", 405, "POST"},
    {"GET", "/v1/wpkeys", "", "", "0142", 405, "POST"},
    {"GET", "/v1/porders/refund?merchant=b&checksum=c", "", "", "0028", 503, NULL},
    {"GET", "/pay?token=" TOKEN, "", "", "0028", 503, NULL},
    {"GET", "/pay/?from=mail&token=" TOKEN, "", "", "0028", 503, NULL},
    {"GET", "/%70ay?token=%30123456789abcdef0123456789abcdef", "", "", "0028", 503, NULL},
    {"GET", "/pay", "", "", "0141", 404, NULL},
    {"GET", "/pay?token=", "", "", "0141", 404, NULL},
    {"GET", "/pay?token=" TOKEN "0", "", "", "0141", 404, NULL},
    {"GET", "/pay?token=" TOKEN "%20", "", "", "0141", 404, NULL},
    {"GET", "/pay?token=g123456789abcdef0123456789abcdef", "", "", "0141", 404, NULL},
    {"GET", "/pay?token=" TOKEN "&token=" TOKEN, "", "", "0141", 404, NULL},
    {"GET", "/pay?token=%zz", "", "", "0141", 404, NULL},
    {"GET", "/pay/" TOKEN, "", "", "0141", 404, NULL},
    /* unknown routes */
    {"GET", "/v1/porders/a/b", "", "", "0141", 404, NULL},
    {"POST", "/v1/porders/a/refunds", "", REFUND, "0141", 404, NULL},
    {"POST", "/v1/porders//refund", "", REFUND, "0141", 404, NULL},
    {"POST", "/v1/porders/a/b/refund", "", REFUND, "0141", 404, NULL},
    {"GET", "/api/v3/porders/a", "", "", "0141", 404, NULL},
    {"GET", "/", "", "", "0141", 404, NULL},
    {"GET", "", "", "", "0141", 404, NULL},
    {"GET", "*", "", "", "0141", 404, NULL},
    {"GET", "/v1", "", "", "0141", 404, NULL},
    {"GET", "/V1/orders/1", "", "", "0141", 404, NULL},
    {"GET", "/v1/orders", "", "", "0141", 404, NULL},
    {"GET", "/v1/orders/", "", "", "0141", 404, NULL},
    {"GET", "/v1/orders//", "", "", "0141", 404, NULL},
    {"GET", "//v1/orders/1", "", "", "0141", 404, NULL},
    {"GET", "/v1/orders/1/2", "", "", "0141", 404, NULL},
    {"GET", "/v1/orders/1//", "", "", "0141", 404, NULL},
    {"POST", "/v1/transactions/1", JSON, "{}", "0141", 404, NULL},
    {"POST", "/v1/transactionsx", JSON, "{}", "0141", 404, NULL},
    {"GET", "/healthz//", "", "", "0141", 404, NULL},
    {"GET", "/healthz/x", "", "", "0141", 404, NULL},
    /* methods */
    {"GET", "/v1/porders", "", "", "0142", 405, "POST, PATCH"},
    {"POST", "/v1/porders/a", "", "{}", "0142", 405, "GET, DELETE"},
    {"GET", "/v1/porders/a/refund", "", "", "0142", 405, "POST"},
    {"GET", "/v1/transactions", "", "", "0142", 405, "POST, PATCH"},
    {"PUT", "/v1/transactions/", JSON, "{}", "0142", 405, "POST, PATCH"},
    {"POST", "/v1/orders/1", JSON, "{}", "0142", 405, "GET"},
    {"DELETE", "/v1/orders/1", "", "", "0142", 405, "GET"},
    {"POST", "/pay?token=" TOKEN, "", "", "0142", 405, "GET, HEAD"},
    {"HEAD", "/v1/orders/1", "", "", "0142", 405, "GET"},
    {"get", "/healthz", "", "", "0142", 405, "GET, HEAD"},
    {"", "/healthz", "", "", "0142", 405, "GET, HEAD"},
    /* media types */
    {"POST", "/v1/transactions", "", "{}", "0143", 415, NULL},
    {"POST", "/v1/transactions", "text/plain", "{}", "0143", 415, NULL},
    {"PATCH", "/v1/transactions", "application/x-www-form-urlencoded", "a=b", "0143", 415, NULL},
    {"POST", "/v1/transactions", "application/jsonp", "{}", "0143", 415, NULL},
    {"POST", "/v1/transactions", "application/json, text/plain", "{}", "0143", 415, NULL},
    {"POST", "/v1/transactions", "application/json;charset=utf-8", "{}", "0011", 200, NULL},
    {"POST", "/v1/transactions", "Application/JSON ; charset=UTF-8", "{}", "0011", 200, NULL},
    {"GET", "/healthz", "text/plain", "", "0000", 200, NULL},
    /* malformed HTTP input or JSON */
    {"POST", "/v1/transactions", JSON, "", "0140", 400, NULL},
    {"POST", "/v1/transactions", JSON, "[]", "0140", 400, NULL},
    {"POST", "/v1/transactions", JSON, "{\"name\":\"a\",\"name\":\"b\"}", "0140", 400, NULL},
    {"PATCH", "/v1/transactions", JSON, "{", "0140", 400, NULL},
    {"GET", "/v1/orders/1%2F2?name=a&checksum=b", "", "", "0140", 400, NULL},
    {"GET", "/v1/orders/1%00?name=a&checksum=b", "", "", "0140", 400, NULL},
    {"GET", "/v1/orders/%zz?name=a&checksum=b", "", "", "0140", 400, NULL},
    {"GET", "/v1/orders/%FF?name=a&checksum=b", "", "", "0140", 400, NULL},
};

static void serve(struct call *call, const struct request *request) {
    *call = (struct call){
        .service = &service, .arena = arena, .request = request, .deadline = clock_monotonic() + REQUEST_TIME};
    route_serve(call);
    ck_assert_ptr_nonnull(call->reply.code);
    ck_assert_ptr_nonnull(call->route);
    struct text form = call->by_customer ? TEXT("<!DOCTYPE html>") : TEXT("{\"CODE\":\"");
    ck_assert(text_begins(call->reply.body, form));
    ck_assert_pstr_eq(call->reply.content_type, call->by_customer ? "text/html; charset=utf-8" : NULL);
}

START_TEST(answers_without_a_database) {
    struct request request = {.method = text_of(REQUESTS[_i].method),
                              .target = text_of(REQUESTS[_i].target),
                              .content_type = text_of(REQUESTS[_i].content_type),
                              .body = text_of(REQUESTS[_i].body)};
    struct call call;
    serve(&call, &request);
    ck_assert_str_eq(call.reply.code, REQUESTS[_i].code);
    ck_assert_int_eq(call.reply.http_status, REQUESTS[_i].status);
    ck_assert_pstr_eq(call.allow, REQUESTS[_i].allow);
}
END_TEST

static const struct {
    const char *method, *target;
    bool too_large, cut_short;
    const char *code;
    int status;
} BODIES[] = {
    {"POST", "/v1/transactions", true, false, "0144", 413},
    {"PATCH", "/v1/transactions/", true, false, "0144", 413},
    {"GET", LOOKUP, true, false, "0144", 413},
    {"POST", "/v1/transactions", false, true, "0140", 400},
    {"GET", LOOKUP, false, true, "0140", 400},
    {"POST", "/v1/nowhere", true, false, "0141", 404},
    {"PUT", "/v1/transactions", true, true, "0142", 405},
};

START_TEST(refuses_bodies_that_did_not_come_whole) {
    struct request request = {.method = text_of(BODIES[_i].method),
                              .target = text_of(BODIES[_i].target),
                              .content_type = TEXT(JSON),
                              .body = BODIES[_i].cut_short ? TEXT(CONFIRMATION) : TEXT(""),
                              .body_too_large = BODIES[_i].too_large,
                              .body_cut_short = BODIES[_i].cut_short};
    struct call call;
    serve(&call, &request);
    ck_assert_str_eq(call.reply.code, BODIES[_i].code);
    ck_assert_int_eq(call.reply.http_status, BODIES[_i].status);
}
END_TEST

static const struct {
    const char *method, *target, *route;
} ROUTES[] = {
    {"GET", LOOKUP, "/v1/orders/{}"},
    {"POST", "/v1/orders/1", "/v1/orders/{}"},
    {"POST", "/v1/transactions/", "/v1/transactions"},
    {"GET", "/healthz", "/healthz"},
    {"GET", "/pay?token=" TOKEN, "/pay"},
    {"GET", "/nowhere", "-"},
    {"GET", "/%zz", "-"},
};

/* Only names from the table are logged, never the caller's text. */
START_TEST(names_the_route_for_the_log) {
    struct request request = {.method = text_of(ROUTES[_i].method), .target = text_of(ROUTES[_i].target)};
    struct call call;
    serve(&call, &request);
    ck_assert_str_eq(call.route, ROUTES[_i].route);
    bool serves = call.route_number < route_count();
    ck_assert_int_eq(serves, strcmp(call.reply.code, "0141") != 0 && strcmp(call.reply.code, "0142") != 0 &&
                                 strcmp(call.reply.code, "0140") != 0);
    if (serves) {
        ck_assert_str_eq(route_path(call.route_number), call.route);
        ck_assert_str_eq(route_method(call.route_number), ROUTES[_i].method);
    }
}
END_TEST

static const struct {
    enum status status;
    enum refusal refusal;
} STATUSES[] = {
    {STATUS_OK, GRANTED},
    {STATUS_NONE, REFUSED_PROCESSING_ERROR},
    {STATUS_CHANGED, REFUSED_TRY_AGAIN},
    {STATUS_CLASH, REFUSED_TRY_AGAIN},
    {STATUS_AGAIN, REFUSED_TRY_AGAIN},
    {STATUS_UNSURE, REFUSED_TRY_AGAIN},
    {STATUS_AWAY, REFUSED_TRY_AGAIN},
    {STATUS_FAULT, REFUSED_PROCESSING_ERROR},
};

START_TEST(an_unknown_outcome_is_never_guessed) {
    ck_assert_int_eq(call_refusal_of(STATUSES[_i].status), STATUSES[_i].refusal);
}
END_TEST

TCase *route_tests(void) {
    TCase *tests = unit_case("route");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, answers_without_a_database, REQUESTS);
    add_table_test(tests, refuses_bodies_that_did_not_come_whole, BODIES);
    add_table_test(tests, names_the_route_for_the_log, ROUTES);
    add_table_test(tests, an_unknown_outcome_is_never_guessed, STATUSES);
    return tests;
}
