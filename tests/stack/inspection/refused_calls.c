/*
 * Loaded before the C library: refuses calls of the program itself, not those of its libraries. The file
 * $RECAUDO_TEST_REFUSED has one line: `function passing error`. After so many calls of it, by the process and by those
 * that it was forked from, each fails with that errno for as long as the file says so.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/uio.h>
#include <unistd.h>

static bool is_of_program(const void *caller) {
    Dl_info program, calling;
    return dladdr((void *)getauxval(AT_ENTRY), &program) != 0 && dladdr(caller, &calling) != 0 &&
           program.dli_fbase == calling.dli_fbase;
}

/* Sets errno if so. `calls` are those of this function until now. */
static bool is_refused(const char *function, unsigned *calls, const void *caller) {
    const char *path = getenv("RECAUDO_TEST_REFUSED");
    char named[32];
    unsigned passing;
    int error, kept = errno;
    if (path == NULL || !is_of_program(caller)) {
        return false;
    }
    unsigned call = (*calls)++;
    FILE *file = fopen(path, "re");
    bool refused = file != NULL && fscanf(file, "%31s %u %d", named, &passing, &error) == 3 &&
                   strcmp(named, function) == 0 && call >= passing;
    if (file != NULL) {
        fclose(file);
    }
    errno = refused ? error : kept;
    return refused;
}

#define REFUSED(type, name, parameters, arguments, refusal)                                                            \
    type name parameters {                                                                                             \
        static unsigned calls;                                                                                         \
        type(*of_library) parameters = (type(*) parameters)dlsym(RTLD_NEXT, #name);                                    \
        return is_refused(#name, &calls, __builtin_return_address(0)) ? (refusal) : of_library arguments;              \
    }

REFUSED(int, memfd_create, (const char *name, unsigned flags), (name, flags), -1)
REFUSED(int, ftruncate, (int file, off_t size), (file, size), -1)
REFUSED(void *, mmap, (void *at, size_t size, int access, int flags, int file, off_t from),
        (at, size, access, flags, file, from), MAP_FAILED)
REFUSED(int, epoll_create1, (int flags), (flags), -1)
REFUSED(int, epoll_ctl, (int epoll, int operation, int file, struct epoll_event *event),
        (epoll, operation, file, event), -1)
REFUSED(int, signalfd, (int file, const sigset_t *signals, int flags), (file, signals, flags), -1)
REFUSED(int, eventfd, (unsigned count, int flags), (count, flags), -1)
REFUSED(pid_t, fork, (void), (), -1)
REFUSED(pid_t, getppid, (void), (), 1) /* as if the parent had ended */
REFUSED(uid_t, geteuid, (void), (), 0) /* as if root had started it */
REFUSED(ssize_t, readlink, (const char *path, char *out, size_t size), (path, out, size), -1)
REFUSED(int, dup2, (int from, int to), (from, to), -1)
REFUSED(int, close_range, (unsigned first, unsigned last, int flags), (first, last, flags), -1)
REFUSED(int, setenv, (const char *name, const char *value, int replace), (name, value, replace), -1)
REFUSED(int, pthread_create, (pthread_t * thread, const pthread_attr_t *how, void *(*run)(void *), void *context),
        (thread, how, run, context), errno)
REFUSED(int, setrlimit, (__rlimit_resource_t resource, const struct rlimit *limit), (resource, limit), -1)
REFUSED(int, initgroups, (const char *user, gid_t group), (user, group), -1)
REFUSED(int, setgid, (gid_t group), (group), -1)
REFUSED(int, setuid, (uid_t user), (user), -1)
REFUSED(int, poll, (struct pollfd * events, nfds_t count, int timeout), (events, count, timeout), -1)
REFUSED(ssize_t, pwritev, (int file, const struct iovec *parts, int count, off_t at), (file, parts, count, at), -1)
REFUSED(off_t, lseek, (int file, off_t at, int whence), (file, at, whence), -1)

int fcntl(int file, int command, ...) {
    static unsigned calls;
    int (*of_library)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl");
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    return is_refused("fcntl", &calls, __builtin_return_address(0)) ? -1 : of_library(file, command, argument);
}

int prctl(int option, ...) {
    static unsigned calls;
    int (*of_library)(int, ...) = (int (*)(int, ...))dlsym(RTLD_NEXT, "prctl");
    unsigned long words[4];
    va_list arguments;
    va_start(arguments, option);
    for (int i = 0; i < 4; i++) {
        words[i] = va_arg(arguments, unsigned long);
    }
    va_end(arguments);
    return is_refused("prctl", &calls, __builtin_return_address(0))
               ? -1
               : of_library(option, words[0], words[1], words[2], words[3]);
}
