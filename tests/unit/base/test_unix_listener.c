#include "unit.h"

#include "base/process/unix_listener.h"

#include <sys/resource.h>
#include <sys/un.h>
#include <unistd.h>

static char directory[64];
static struct sockaddr_un address;

static void set_up(void) {
    snprintf(directory, sizeof directory, "/tmp/recaudo-unit-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    address = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/a.sock", directory);
}

static void tear_down(void) {
    unlink(address.sun_path);
    rmdir(directory);
}

static int make(int type) {
    return unix_listener_make(address.sun_path, type, 0600);
}

static void assert_reachable(int type) {
    int client = socket(AF_UNIX, type, 0);
    ck_assert_int_eq(connect(client, (const struct sockaddr *)&address, sizeof address), 0);
    close(client);
}

START_TEST(a_socket_that_nobody_listens_on_is_replaced) {
    close(make(SOCK_STREAM));
    int made = make(SOCK_STREAM);
    ck_assert_int_ge(made, 0);
    assert_reachable(SOCK_STREAM);
    close(made);
}
END_TEST

static const int TYPES[] = {SOCK_STREAM, SOCK_SEQPACKET};

/* With the other type the kernel refuses the connection, and yet somebody listens. */
START_TEST(the_socket_of_another_process_stays) {
    int made = make(SOCK_STREAM);
    ck_assert_int_ge(made, 0);
    ck_assert_int_eq(make(TYPES[_i]), -1);
    assert_reachable(SOCK_STREAM);
    close(made);
}
END_TEST

/* Then nobody can tell whether it is in use. */
START_TEST(it_stays_where_no_socket_can_be_made) {
    struct rlimit before, none;
    int made = make(SOCK_STREAM);
    ck_assert_int_ge(made, 0);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = (struct rlimit){0, before.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    int other = make(SOCK_STREAM);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
    ck_assert_int_eq(other, -1);
    assert_reachable(SOCK_STREAM);
    close(made);
}
END_TEST

TCase *unix_listener_tests(void) {
    TCase *tests = unit_case("unix listener");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_socket_that_nobody_listens_on_is_replaced);
    add_table_test(tests, the_socket_of_another_process_stays, TYPES);
    tcase_add_test(tests, it_stays_where_no_socket_can_be_made);
    return tests;
}
