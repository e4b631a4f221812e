/* recaudo-query: asks merchants for the workers, which have no internet; see recaudo-query(8). */
#include "base/log.h"
#include "base/process/confine.h"
#include "base/process/core_dumps.h"
#include "base/process/unix_listener.h"
#include "query/life.h"
#include "query/link.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EXIT_NOT_CONFIGURED = 78, LINKS_MAX = 8192 };

struct program {
    struct watch listener, signals;
    struct asker asker;
};

static void accept_link(struct watch *listener, uint32_t events) {
    struct program *program = (struct program *)((char *)listener - offsetof(struct program, listener));
    (void)events;
    int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0 && program->asker.link_count < LINKS_MAX) {
        link_begin(&program->asker, fd);
    } else if (fd >= 0) {
        close(fd);
    }
}

/* Queries that are in flight end under the terms that they began under. */
static void reload(struct asker *asker) {
    life_reload();
    struct terms *terms = terms_read();
    if (terms == NULL) {
        log_line(LOG_WARNING, "not reloaded, going on with the configuration read before");
    } else {
        terms_leave(asker->terms);
        asker->terms = terms;
        query_limiter_set(asker->limiter, &terms->limits);
        log_line(LOG_INFO, "configuration reloaded");
    }
    life_tell("READY=1");
}

static void take_signal(struct watch *signals, uint32_t events) {
    struct program *program = (struct program *)((char *)signals - offsetof(struct program, signals));
    struct signalfd_siginfo info;
    (void)events;
    while (read(signals->fd, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGHUP) {
            reload(&program->asker);
        } else if (!program->asker.is_leaving) {
            life_tell("STOPPING=1");
            program->asker.is_leaving = true;
            watch_end(&program->listener);
            links_leave(&program->asker);
        }
    }
}

static int watch_for_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* A link takes one file, and a query some more. */
static void raise_link_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static bool open_program(struct program *program) {
    program->listener = (struct watch){STDIN_FILENO, accept_link};
    program->signals = (struct watch){watch_for_signals(), take_signal};
    bool opened = program->signals.fd >= 0 && loop_open() &&
                  fcntl(STDIN_FILENO, F_SETFL, fcntl(STDIN_FILENO, F_GETFL) | O_NONBLOCK) == 0 &&
                  watch_begin(&program->listener, EPOLLIN) && watch_begin(&program->signals, EPOLLIN);
    if (!opened) {
        log_line(LOG_ERROR, "cannot serve: %s", strerror(errno));
    }
    return opened;
}

static void run(struct program *program) {
    struct asker *asker = &program->asker;
    asker->limiter = query_limiter_create(&asker->terms->limits);
    life_tell("READY=1");
    log_line(LOG_INFO, "asks merchants for the workers");
    while (!asker->is_leaving || asker->link_count > 0) {
        life_beat();
        (void)loop_turn(SECOND);
    }
    query_limiter_destroy(asker->limiter);
    terms_leave(asker->terms);
    log_line(LOG_INFO, "has stopped");
}

int main(int count, char **arguments) {
    static _Atomic uint64_t lines_dropped;
    static struct program program;
    core_dumps_off();
    if (count > 1 || !unix_listener_is_open(STDIN_FILENO)) {
        fprintf(
            stderr,
            "usage: %s <&SOCKET\nrecaudo-fcgi or recaudo-query.socket starts it, with the socket it listens on as its "
            "standard input (configuration: $RECAUDO_CONFIG or %s)\n",
            arguments[0], config_path(NULL));
        return 2;
    }
    raise_link_limit();
    log_start_writer(&lines_dropped);
    life_begin();
    if (!open_program(&program)) {
        return EXIT_FAILURE;
    }
    program.asker.terms = terms_read();
    if (program.asker.terms == NULL) {
        return EXIT_NOT_CONFIGURED;
    }
    (void)confine(CONFINED_ASKING);
    run(&program);
    loop_close();
    return EXIT_SUCCESS;
}
