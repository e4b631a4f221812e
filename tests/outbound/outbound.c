#include "outbound.h"

struct stub *stub;
struct address_guard guard;
struct http_client *client;
struct arena *arena;

/* How much later than its timeout a request may end, on a machine that is busy. */
#define LATENESS (10 * SECOND)

enum { TEST_SECONDS = 60 };

static const struct {
    const char *name;
    TCase *(*tests)(void);
} ALL[] = {
#define X(module) {#module, module##_tests},
    MODULES(X)
#undef X
};

void use_client(const char *ranges, const char *ca_file) {
    struct text offender;
    http_client_destroy(client);
    ck_assert(address_list_parse(text_of(ranges), &guard.allowed, &offender));
    client = http_client_create(&guard, REQUESTS_MAX, ca_file);
}

void begin(void) {
    arena = arena_create();
    stub = stub_start("127.0.0.1", NULL, NULL);
    use_client("127.0.0.0/8 ::1", NULL);
}

void end(void) {
    http_client_destroy(client);
    arena_destroy(arena);
}

TCase *tests_named(const char *name) {
    TCase *tests = tcase_create(name);
    tcase_add_checked_fixture(tests, begin, end);
    tcase_set_timeout(tests, TEST_SECONDS);
    return tests;
}

struct text url_of(const char *path) {
    return arena_print(arena, "http://127.0.0.1:%u%s", stub_port(stub), path);
}

struct http_request request_to(struct text url) {
    return (struct http_request){.url = url,
                                 .body = TEXT("{\"a\":1}"),
                                 .headers = {TEXT("Content-Type: application/json")},
                                 .header_count = 1,
                                 .timeout = 10 * SECOND,
                                 .reply_max = REPLY_MAX};
}

struct http_reply post(struct text url) {
    struct http_request request = request_to(url);
    struct http_reply reply;
    http_perform(client, &request, arena, &reply);
    return reply;
}

struct http_reply post_to(const char *path) {
    return post(url_of(path));
}

struct http_reply post_within(struct text url, duration timeout) {
    struct http_request request = request_to(url);
    struct http_reply reply;
    request.timeout = timeout;
    duration start = clock_monotonic();
    http_perform(client, &request, arena, &reply);
    duration took = clock_monotonic() - start;
    ck_assert_int_le(took, timeout + LATENESS);
    ck_assert_int_le(reply.took, took);
    return reply;
}

int main(void) {
    SRunner *runner = srunner_create(NULL);
    for (size_t i = 0; i < COUNT_OF(ALL); i++) {
        Suite *suite = suite_create(ALL[i].name);
        suite_add_tcase(suite, ALL[i].tests());
        srunner_add_suite(runner, suite);
    }
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
