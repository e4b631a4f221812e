/* recaudo-query: asks merchants for the workers, which have no internet access; see recaudo-query(8). */
#include "base/log.h"
#include "base/loop/acceptor.h"
#include "base/process/confine.h"
#include "base/process/core_dumps.h"
#include "base/process/exit_status.h"
#include "base/process/file_limit.h"
#include "base/process/standard_files.h"
#include "base/process/unix_listener.h"
#include "base/process/usage.h"
#include "query/life.h"
#include "query/link.h"

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* A link takes one file. A query takes some more, for its connection and to resolve the name. */
enum { RESERVED_FILES = 1024, LINKS_MAX = 8192 };

struct program {
    struct acceptor acceptor;
    struct watch signals;
    struct asker asker;
};

static void accept_link(struct acceptor *acceptor, int fd) {
    struct program *program = OWNER_OF(acceptor, struct program, acceptor);
    link_begin(&program->asker, fd);
}

/* Queries in flight end under the terms under which they began. */
static void reload(struct asker *asker) {
    life_reload();
    struct terms *terms = terms_read();
    asker->reload_refused = terms == NULL;
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
    struct program *program = OWNER_OF(signals, struct program, signals);
    struct signalfd_siginfo info;
    (void)events;
    while (read(signals->fd, &info, sizeof info) == (ssize_t)sizeof info) {
        if (info.ssi_signo == SIGHUP) {
            reload(&program->asker);
        } else if (!program->asker.is_leaving) {
            life_tell("STOPPING=1");
            program->asker.is_leaving = true;
            acceptor_end(&program->acceptor);
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

static bool open_program(struct program *program) {
    size_t files = file_limit_raise(RESERVED_FILES);
    program->asker.links_max = files < LINKS_MAX ? files : LINKS_MAX;
    program->acceptor = (struct acceptor){
        .accepting = {STDIN_FILENO, "connections of workers", 0}, .events = EPOLLIN, .came = accept_link};
    program->signals = (struct watch){watch_for_signals(), take_signal};
    bool opened = program->signals.fd >= 0 && loop_open() && acceptor_begin(&program->acceptor) &&
                  watch_begin(&program->signals, EPOLLIN);
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
    standard_files_hold();
    core_dumps_off();
    if (version_is_asked(count, arguments)) {
        return version_tell("recaudo-query");
    }
    if (count > 1 || !unix_listener_is_open(STDIN_FILENO)) {
        return usage_tell(count, arguments,
                          " <&SOCKET\nrecaudo-fcgi or recaudo-query.socket starts it, with the socket it listens on as "
                          "its standard input",
                          config_path(NULL));
    }
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
