#include "unit.h"

#include "api/worker/counters.h"
#include "edge/exchange.h"

/* Replaces the functions of the FastCGI library that an exchange uses: a request with fixed parameters, and a recorded
 * reply. */
static const char *parameters[] = {"REQUEST_METHOD=GET", "REQUEST_URI=/healthz", "REQUEST_ID=one", NULL};
static char reply[2048];
static size_t reply_size, lines_when_sent;
static uint64_t counted_when_sent;
static struct counters *counters;

char *FCGX_GetParam(const char *name, FCGX_ParamArray envp) {
    size_t size = strlen(name);
    for (; *envp != NULL; envp++) {
        if (strncmp(*envp, name, size) == 0 && (*envp)[size] == '=') {
            return *envp + size + 1;
        }
    }
    return NULL;
}

int FCGX_GetStr(char *str, int n, FCGX_Stream *stream) {
    (void)str, (void)n, (void)stream;
    return 0;
}

int FCGX_GetError(FCGX_Stream *stream) {
    (void)stream;
    return 0;
}

int FCGX_PutStr(const char *str, int n, FCGX_Stream *stream) {
    (void)stream;
    ck_assert_uint_lt(reply_size + (size_t)n, sizeof reply);
    memcpy(reply + reply_size, str, (size_t)n);
    reply_size += (size_t)n;
    return n;
}

static size_t request_lines(void) {
    size_t count = 0;
    for (const char *at = errors_text(); (at = strstr(at, " request id=one ")) != NULL; at++) {
        count++;
    }
    return count;
}

static uint64_t counted(void) {
    uint64_t count = 0;
    for (size_t route = 0; route <= COUNTERS_ROUTES_MAX; route++) {
        count += counters->routes[route].replies[GRANTED];
    }
    return count;
}

/* The library would send its buffer now. */
void FCGX_Finish_r(FCGX_Request *request) {
    (void)request;
    ck_assert_ptr_nonnull(strstr(reply, "X-Recaudo-Code: 0000"));
    lines_when_sent = request_lines();
    counted_when_sent = counted();
}

START_TEST(sends_the_reply_before_it_logs_the_request) {
    struct service service = {.counters = counters = counters_create()};
    struct arena *arena = arena_create();
    struct exchange exchange;
    FCGX_Request fcgi = {.envp = (FCGX_ParamArray)parameters};
    capture_errors();
    exchange_read(&exchange, &fcgi, &service, arena, clock_monotonic());
    exchange_answer(&exchange, &fcgi);
    ck_assert_uint_gt(reply_size, 0);
    ck_assert_uint_eq(lines_when_sent, 0);
    ck_assert_uint_eq(request_lines(), 1);
    ck_assert_uint_eq(counted_when_sent, 1); /* a client that reads the metrics after its reply finds it counted */
    arena_destroy(arena);
    counters_destroy(counters);
}
END_TEST

START_TEST(the_time_of_a_request_begins_with_its_first_byte) {
    struct service service = {0};
    struct arena *arena = arena_create();
    struct exchange exchange;
    FCGX_Request fcgi = {.envp = (FCGX_ParamArray)parameters};
    duration came_at = clock_monotonic() - 5 * SECOND; /* it has waited in the queue since then */
    exchange_read(&exchange, &fcgi, &service, arena, came_at);
    ck_assert_int_eq(exchange.call.deadline, came_at + REQUEST_TIME);
    arena_destroy(arena);
}
END_TEST

TCase *exchange_tests(void) {
    TCase *tests = unit_case("exchange");
    tcase_add_test(tests, sends_the_reply_before_it_logs_the_request);
    tcase_add_test(tests, the_time_of_a_request_begins_with_its_first_byte);
    return tests;
}
