#include "outbound.h"

#include "outbound/http_sockets.h"

#include <netinet/in.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int wake;
static struct http_reply reply;
static void *tag;

static void begin_client(void) {
    begin();
    wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    ck_assert_int_ge(wake, 0);
}

static void start_within(const char *path, duration timeout, void *of_request) {
    struct http_request request = request_to(url_of(path));
    request.timeout = timeout;
    ck_assert(http_client_start(client, &request, of_request));
}

static void start(const char *path, void *of_request) {
    start_within(path, 10 * SECOND, of_request);
}

START_TEST(hundreds_at_once) {
    static bool seen[REQUESTS_MAX];
    size_t count = 0;
    stub_gather(stub, REQUESTS_MAX);
    for (size_t i = 0; i < REQUESTS_MAX; i++) {
        start("/gather", &seen[i]);
    }
    ck_assert_uint_eq(http_client_in_flight(client), REQUESTS_MAX);
    while (http_client_in_flight(client) > 0) {
        ck_assert(!http_client_wait(client, 20 * SECOND, -1));
        while (http_client_next(client, &tag, &reply)) {
            ck_assert_int_eq(reply.status, 200);
            assert_text(reply.body, "OK");
            ck_assert(!*(bool *)tag);
            *(bool *)tag = true;
            count++;
        }
    }
    ck_assert_uint_eq(count, REQUESTS_MAX);
}
END_TEST

START_TEST(no_more_than_it_may) {
    struct http_request request = request_to(url_of("/hang"));
    for (size_t i = 0; i < REQUESTS_MAX; i++) {
        start("/hang", NULL);
    }
    ck_assert(!http_client_start(client, &request, NULL));
    ck_assert_uint_eq(http_client_in_flight(client), REQUESTS_MAX);
}
END_TEST

/* While the caller reads one reply it may start the next request. */
START_TEST(a_reply_lives_until_the_next_one) {
    use_client("127.0.0.0/8", NULL);
    for (size_t i = 0; i < REQUESTS_MAX; i++) {
        start(i == 0 ? "/json" : "/hang", NULL);
    }
    http_client_wait(client, 10 * SECOND, -1);
    ck_assert(http_client_next(client, &tag, &reply));
    start("/hang", NULL);
    assert_text(reply.body, "{\"status\": \"OK\"}");
}
END_TEST

START_TEST(the_request_is_copied) {
    char url[100], body[] = "{\"a\":1}", header[] = "X-A: b";
    snprintf(url, sizeof url, "%s", url_of("/ok").at);
    struct http_request request = request_to(text_of(url));
    request.body = text_of(body);
    request.headers[0] = text_of(header);
    ck_assert(http_client_start(client, &request, NULL));
    memset(url, 'x', sizeof url);
    memset(body, 'x', sizeof body);
    memset(header, 'x', sizeof header);
    http_client_wait(client, 10 * SECOND, -1);
    ck_assert(http_client_next(client, &tag, &reply));
    ck_assert_int_eq(reply.status, 200);
    ck_assert_ptr_nonnull(strstr(stub_last_request(stub), "\r\nX-A: b\r\n"));
    ck_assert_ptr_nonnull(strstr(stub_last_request(stub), "{\"a\":1}"));
}
END_TEST

START_TEST(a_request_that_is_none_is_answered_too) {
    struct http_request request = request_to(TEXT("nonsense"));
    int mine;
    ck_assert(http_client_start(client, &request, &mine));
    ck_assert_uint_eq(http_client_in_flight(client), 1);
    http_client_wait(client, HOUR, -1);
    ck_assert(http_client_next(client, &tag, &reply));
    ck_assert_ptr_eq(tag, &mine);
    ck_assert_str_eq(http_error_name(reply.error), "url");
    ck_assert_uint_eq(http_client_in_flight(client), 0);
    ck_assert(!http_client_next(client, &tag, &reply));
}
END_TEST

START_TEST(a_wait_ends_by_itself) {
    duration start_at = clock_monotonic();
    ck_assert(!http_client_wait(client, 50 * MILLISECOND, wake));
    ck_assert_int_ge(clock_monotonic() - start_at, 50 * MILLISECOND);
    start("/hang", NULL);
    start_at = clock_monotonic();
    ck_assert(!http_client_wait(client, 50 * MILLISECOND, wake));
    ck_assert_int_ge(clock_monotonic() - start_at, 50 * MILLISECOND);
    ck_assert(!http_client_wait(client, 0, wake));
    ck_assert(!http_client_wait(client, -SECOND, wake));
    ck_assert(!http_client_next(client, &tag, &reply));
}
END_TEST

START_TEST(the_wake_event_ends_a_wait) {
    eventfd_write(wake, 1);
    ck_assert(http_client_wait(client, HOUR, wake));
    start("/hang", NULL);
    ck_assert(http_client_wait(client, HOUR, wake));
}
END_TEST

START_TEST(the_wake_event_is_seen_though_replies_are_there) {
    for (int i = 0; i < 20; i++) {
        start("/ok", NULL);
        struct http_request none = request_to(TEXT("nonsense"));
        ck_assert(http_client_start(client, &none, NULL));
    }
    eventfd_write(wake, 1);
    ck_assert(http_client_wait(client, HOUR, wake));
    ck_assert(http_client_next(client, &tag, &reply));
}
END_TEST

/* Those that hang have far more time than the test takes. If they held up a request, its own time would end. */
START_TEST(who_hangs_holds_up_nobody) {
    for (size_t i = 0; i < REQUESTS_MAX - 1; i++) {
        start_within("/hang", HOUR, NULL);
    }
    for (int i = 0; i < 200; i++) {
        start_within("/ok", 30 * SECOND, NULL);
        http_client_wait(client, MINUTE, -1);
        ck_assert(http_client_next(client, &tag, &reply));
        ck_assert_int_eq(reply.status, 200);
    }
}
END_TEST

/* The stub has all the requests in hand when the client goes. */
START_TEST(leaving_breaks_off_what_is_in_flight) {
    for (size_t i = 0; i < 10; i++) {
        start("/hang", NULL);
    }
    http_client_wait(client, 50 * MILLISECOND, -1);
    stub_await_requests(stub, 10);
    http_client_destroy(client);
    client = NULL;
}
END_TEST

/* A datagram that it has sent to itself waits there. *port: its own. */
static int socket_with_input(int *port) {
    struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof own;
    int made = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(made, (struct sockaddr *)&own, size), 0);
    ck_assert_int_eq(getsockname(made, (struct sockaddr *)&own, &size), 0);
    ck_assert_int_eq(sendto(made, "x", 1, 0, (struct sockaddr *)&own, size), 1);
    *port = ntohs(own.sin_port);
    return made;
}

/* The library closes what never got connected itself; then others get the number. */
START_TEST(a_socket_that_was_closed_untold_is_forgotten) {
    const struct curl_sockaddr to = {.family = AF_INET, .socktype = SOCK_STREAM};
    struct http_sockets *sockets = http_sockets_create();
    int port, first = http_sockets_open(sockets, &to);
    close(first);
    ck_assert_int_eq(http_sockets_open(sockets, &to), first);
    http_sockets_close(sockets, first);
    ck_assert_int_eq(socket_with_input(&port), first);
    ck_assert(!http_sockets_have_input(sockets, port));
    close(first);
    http_sockets_destroy(sockets);
}
END_TEST

TCase *client_tests(void) {
    TCase *tests = tcase_create("client");
    tcase_add_checked_fixture(tests, begin_client, end);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, hundreds_at_once);
    tcase_add_test(tests, no_more_than_it_may);
    tcase_add_test(tests, a_reply_lives_until_the_next_one);
    tcase_add_test(tests, the_request_is_copied);
    tcase_add_test(tests, a_request_that_is_none_is_answered_too);
    tcase_add_test(tests, a_wait_ends_by_itself);
    tcase_add_test(tests, the_wake_event_ends_a_wait);
    tcase_add_test(tests, the_wake_event_is_seen_though_replies_are_there);
    tcase_add_test(tests, who_hangs_holds_up_nobody);
    tcase_add_test(tests, leaving_breaks_off_what_is_in_flight);
    tcase_add_test(tests, a_socket_that_was_closed_untold_is_forgotten);
    return tests;
}
