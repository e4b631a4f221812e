#include "unit.h"

#include "base/process/confine.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static int listener;

static int error_of(int outcome) {
    return outcome < 0 ? errno : 0;
}

/* Each function returns 0 on success, else errno. */
static int internet(void) {
    return error_of(socket(AF_INET, SOCK_STREAM, 0));
}

static int internet_6(void) {
    return error_of(socket(AF_INET6, SOCK_DGRAM, 0));
}

static int netlink(void) {
    return error_of(socket(AF_NETLINK, SOCK_RAW, 0));
}

static int local(void) {
    return error_of(socket(AF_UNIX, SOCK_STREAM, 0));
}

static int to_listen(void) {
    return error_of(listen(socket(AF_UNIX, SOCK_STREAM, 0), 1));
}

/* The listener was created before; no client has connected. */
static int to_accept(void) {
    int error = error_of(accept(listener, NULL, NULL));
    return error == EAGAIN ? 0 : error;
}

static int program(void) {
    char *const words[] = {(char *)"/bin/true", NULL};
    return error_of(execv(words[0], words));
}

static const struct {
    enum confinement confinement;
    int (*attempt)(void);
    int error;
} CASES[] = {
    {CONFINED_LOCAL, internet, EAFNOSUPPORT},
    {CONFINED_LOCAL, internet_6, EAFNOSUPPORT},
    {CONFINED_LOCAL, netlink, EAFNOSUPPORT},
    {CONFINED_LOCAL, local, 0},
    {CONFINED_LOCAL, to_listen, EPERM},
    {CONFINED_LOCAL, program, EPERM},
    {CONFINED_NETWORK, internet, 0},
    {CONFINED_NETWORK, local, 0},
    {CONFINED_NETWORK, to_listen, EPERM},
    {CONFINED_NETWORK, program, EPERM},
    {CONFINED_NETWORK, to_accept, EPERM},
    {CONFINED_LOCAL, to_accept, EPERM},
    {CONFINED_SERVING, internet, 0},
    {CONFINED_SERVING, local, 0},
    {CONFINED_SERVING, to_accept, 0},
    {CONFINED_SERVING, program, EPERM},
    {CONFINED_SERVING, to_listen, EPERM},
    {CONFINED_SERVING_LOCAL, internet, EAFNOSUPPORT},
    {CONFINED_SERVING_LOCAL, internet_6, EAFNOSUPPORT},
    {CONFINED_SERVING_LOCAL, netlink, EAFNOSUPPORT},
    {CONFINED_SERVING_LOCAL, local, 0},
    {CONFINED_SERVING_LOCAL, to_accept, 0},
    {CONFINED_SERVING_LOCAL, program, EPERM},
    {CONFINED_SERVING_LOCAL, to_listen, EPERM},
    {CONFINED_ASKING, internet, 0},
    {CONFINED_ASKING, internet_6, 0},
    {CONFINED_ASKING, netlink, 0},
    {CONFINED_ASKING, local, EAFNOSUPPORT},
    {CONFINED_ASKING, to_accept, 0},
    {CONFINED_ASKING, program, EPERM},
    {CONFINED_ASKING, to_listen, EPERM},
};

/* Runs in a process of its own, because confinement is permanent. */
START_TEST(what_is_left) {
    enum { NOT_CONFINED = 255 };
    int status;
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    ck_assert_int_eq(bind(listener, &(const struct sockaddr){.sa_family = AF_UNIX}, sizeof(sa_family_t)), 0);
    ck_assert_int_eq(listen(listener, 1), 0);
    pid_t child = fork();
    if (child == 0) {
        _exit(confine(CASES[_i].confinement) ? CASES[_i].attempt() : NOT_CONFINED);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), CASES[_i].error);
}
END_TEST

TCase *confine_tests(void) {
    TCase *tests = tcase_create("confine");
    add_table_test(tests, what_is_left, CASES);
    return tests;
}
