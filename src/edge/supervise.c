#include "edge/supervise.h"

#include "base/log.h"
#include "edge/reload.h"
#include "edge/service_manager.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHORT_LIFE   SECOND
#define TIME_TO_STOP (10 * SECOND)
#define ROUND        SECOND
#define SHORT_ROUND  (SECOND / 20) /* while processes are being replaced */

/*
 * A longer round includes time in which the machine was suspended or all processes were stopped, so it counts as one of
 * this length.
 */
#define ROUND_COUNTS_AT_MOST (2 * ROUND)

struct worker {
    pid_t pid; /* 0: not running */
    duration started_at;
    duration start_again_at;
    bool is_outdated; /* runs with the settings before a reload */
    bool is_leaving;  /* was told to leave */
    bool is_killed;   /* because it hung */
    uint64_t beats;   /* at the last round */
    duration silent;  /* time since they last changed */
};

struct supervisor {
    struct supervised what;
    struct worker workers[PROCESSES_MAX + 1]; /* the last is the companion */
    struct reload reload;
    duration round_began_at;
    int exit_code;
    bool served; /* at least one worker has served */
    bool stopping;
};

static size_t place_of(const struct supervisor *supervisor, const struct worker *worker) {
    return (size_t)(worker - supervisor->workers);
}

static bool is_companion(const struct supervisor *supervisor, const struct worker *worker) {
    return place_of(supervisor, worker) == COMPANION;
}

static void start_worker(struct supervisor *supervisor, struct worker *worker) {
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent) {
            _exit(EXIT_FAILURE);
        }
        /* Not _exit: leak detectors and profilers run at exit. */
        exit(supervisor->what.work(supervisor->what.context, place_of(supervisor, worker)));
    }
    duration now = clock_monotonic();
    *worker = (struct worker){.pid = pid < 0 ? 0 : pid, .started_at = now, .start_again_at = now + SHORT_LIFE};
    if (pid < 0) {
        log_line(LOG_ERROR, "cannot start a worker process: %s", strerror(errno));
    }
}

static const char *kind_of(const struct supervisor *supervisor, const struct worker *worker) {
    return is_companion(supervisor, worker) ? "query" : "worker";
}

static void note_worker_end(struct supervisor *supervisor, struct worker *worker, int status) {
    duration now = clock_monotonic();
    bool lived = worker->is_leaving || now - worker->started_at > SHORT_LIFE;
    bool is_misconfigured = !supervisor->served && !is_companion(supervisor, worker) && WIFEXITED(status) &&
                            WEXITSTATUS(status) == EXIT_NOT_CONFIGURED;
    bool died = !is_misconfigured && !supervisor->stopping && !worker->is_leaving;
    if (is_misconfigured) {
        supervisor->stopping = true;
        supervisor->exit_code = EXIT_NOT_CONFIGURED;
    } else if (died) {
        log_line(LOG_ERROR, "%s process %d ended (%s %d); starting another", kind_of(supervisor, worker),
                 (int)worker->pid, WIFSIGNALED(status) ? "signal" : "exit code",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    *worker = (struct worker){.start_again_at = lived ? now : now + SHORT_LIFE};
    supervisor->what.ended(supervisor->what.context, place_of(supervisor, worker), died);
}

static void mark_outdated(struct supervisor *supervisor) {
    for (size_t i = 0; i < PROCESSES_MAX; i++) {
        supervisor->workers[i].is_outdated = supervisor->workers[i].pid > 0;
    }
    if (supervisor->workers[COMPANION].pid > 0) {
        kill(supervisor->workers[COMPANION].pid, SIGHUP);
    }
}

static void collect_ended(struct supervisor *supervisor) {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (reload_ended(&supervisor->reload, pid, status)) {
            mark_outdated(supervisor);
        }
        for (size_t i = 0; i <= COMPANION; i++) {
            if (supervisor->workers[i].pid == pid) {
                note_worker_end(supervisor, &supervisor->workers[i], status);
            }
        }
    }
}

/* Starts the processes that are due. Returns the time until the next one is due. */
static duration start_due(struct supervisor *supervisor) {
    duration wait = HOUR;
    for (size_t i = 0; i <= COMPANION; i++) {
        if (i == COMPANION ? !supervisor->what.has_companion : i >= supervisor->what.processes) {
            continue;
        }
        struct worker *worker = &supervisor->workers[i];
        duration until = worker->start_again_at - clock_monotonic();
        if (worker->pid == 0 && until <= 0) {
            start_worker(supervisor, worker);
        } else if (worker->pid == 0 && until < wait) {
            wait = until;
        }
    }
    return wait;
}

/* Tells a process to leave while others stay or follow. */
static void tell_to_leave(struct worker *worker) {
    if (!worker->is_leaving) {
        worker->is_leaving = true;
        kill(worker->pid, SIGHUP);
    }
}

/* Kills a process that makes no progress. Its requests get no reply, but a hung process would not have sent one. */
static void watch_worker(struct supervisor *supervisor, struct worker *worker, duration passed) {
    uint64_t beats = supervisor->what.beats(supervisor->what.context, place_of(supervisor, worker));
    worker->silent = beats == worker->beats ? worker->silent + passed : 0;
    worker->beats = beats;
    supervisor->served = supervisor->served || (beats > 0 && !is_companion(supervisor, worker));
    if (worker->silent > supervisor->what.hung_after && !worker->is_killed) {
        log_line(LOG_ERROR, "%s process %d has made no progress for %lld s; killing it", kind_of(supervisor, worker),
                 (int)worker->pid, (long long)(worker->silent / SECOND));
        supervisor->what.hung(supervisor->what.context);
        worker->is_killed = true;
        kill(worker->pid, SIGKILL);
    }
}

static void watch_all(struct supervisor *supervisor) {
    duration now = clock_monotonic(), passed = now - supervisor->round_began_at;
    supervisor->round_began_at = now;
    for (size_t i = 0; i <= COMPANION; i++) {
        if (supervisor->workers[i].pid > 0) {
            watch_worker(supervisor, &supervisor->workers[i],
                         passed < ROUND_COUNTS_AT_MOST ? passed : ROUND_COUNTS_AT_MOST);
        }
    }
}

/*
 * Tells processes to leave: all those beyond the number that a reload has set, and the first outdated one, once every
 * process in a lower place is up to date and serves.
 */
static void retire(struct supervisor *supervisor) {
    for (size_t i = supervisor->what.processes; i < PROCESSES_MAX; i++) {
        if (supervisor->workers[i].pid > 0) {
            tell_to_leave(&supervisor->workers[i]);
        }
    }
    for (size_t i = 0; i < supervisor->what.processes; i++) {
        struct worker *worker = &supervisor->workers[i];
        if (worker->pid == 0 || worker->is_outdated || worker->beats == 0) {
            if (worker->pid > 0 && worker->is_outdated) {
                tell_to_leave(worker);
            }
            return;
        }
    }
}

static size_t signal_workers(const struct supervisor *supervisor, int signal_number) {
    size_t running = 0;
    for (size_t i = 0; i < PROCESSES_MAX; i++) {
        if (supervisor->workers[i].pid > 0) {
            kill(supervisor->workers[i].pid, signal_number);
            running++;
        }
    }
    return running;
}

sigset_t supervise_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGCHLD);
    return signals;
}

/* Waits for a signal, at most `wait`. Returns its number, or 0 if none came. */
static int wait_for_signal(duration wait) {
    sigset_t signals = supervise_signals();
    struct timespec time = {.tv_sec = wait / SECOND, .tv_nsec = wait % SECOND * 1000};
    int received = sigtimedwait(&signals, NULL, &time);
    return received > 0 ? received : 0;
}

/* Returns the number of processes that still run at `until`. */
static size_t stop_workers(struct supervisor *supervisor, duration until) {
    size_t running = signal_workers(supervisor, supervisor->what.is_followed ? SIGHUP : SIGTERM);
    while (running > 0 && clock_monotonic() < until) {
        wait_for_signal(SECOND / 10);
        collect_ended(supervisor);
        running = signal_workers(supervisor, 0);
    }
    return running;
}

/* Call after the workers have ended: the companion then has no query in hand. */
static void stop_companion(struct supervisor *supervisor, duration until) {
    const struct worker *companion = &supervisor->workers[COMPANION];
    if (companion->pid > 0) {
        kill(companion->pid, SIGTERM);
    }
    while (companion->pid > 0 && clock_monotonic() < until) {
        wait_for_signal(SECOND / 10);
        collect_ended(supervisor);
    }
    if (companion->pid > 0) {
        kill(companion->pid, SIGKILL);
    }
}

/* Stops the workers first, because requests in hand may need the companion. */
static void stop_all(struct supervisor *supervisor) {
    duration until = clock_monotonic() + TIME_TO_STOP;
    size_t running = stop_workers(supervisor, until);
    if (running > 0) {
        log_line(LOG_ERROR, "%zu worker processes did not stop in time; killing them", running);
        signal_workers(supervisor, SIGKILL);
    }
    stop_companion(supervisor, until);
    while (waitpid(-1, NULL, 0) > 0) {
    }
}

static bool is_replacing(const struct supervisor *supervisor) {
    for (size_t i = 0; i < PROCESSES_MAX; i++) {
        const struct worker *worker = &supervisor->workers[i];
        if (worker->pid > 0 && (worker->is_outdated || worker->beats == 0)) {
            return true;
        }
    }
    return false;
}

static void do_round(struct supervisor *supervisor, duration watchdog) {
    duration longest_wait = watchdog > 0 && watchdog / 2 < ROUND ? watchdog / 2 : ROUND;
    duration wait = start_due(supervisor);
    watch_all(supervisor);
    retire(supervisor);
    reload_look(&supervisor->reload);
    if (watchdog > 0) {
        service_manager_tell(SERVICE_ALIVE);
    }
    duration longest = is_replacing(supervisor) ? SHORT_ROUND : longest_wait;
    int received = wait_for_signal(wait < longest ? wait : longest);
    collect_ended(supervisor);
    if (received == SIGHUP) {
        reload_begin(&supervisor->reload);
    }
    supervisor->stopping = supervisor->stopping || received == SIGTERM || received == SIGINT;
}

int supervise(const struct supervised *supervised) {
    struct supervisor supervisor = {.what = *supervised, .round_began_at = clock_monotonic()};
    duration watchdog = service_manager_watchdog();
    supervisor.reload = reload_create(&supervisor.what);
    (void)start_due(&supervisor);
    service_manager_tell(SERVICE_READY);
    while (!supervisor.stopping) {
        do_round(&supervisor, watchdog);
    }
    service_manager_tell(SERVICE_STOPPING);
    reload_destroy(&supervisor.reload);
    stop_all(&supervisor);
    return supervisor.exit_code;
}
