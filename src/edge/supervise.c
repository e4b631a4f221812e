#include "edge/supervise.h"

#include "base/clock.h"
#include "base/log.h"
#include "edge/service_manager.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHORT_LIFE   SECOND
#define TIME_TO_STOP (10 * SECOND)

struct worker {
    pid_t pid; /* 0: not running */
    duration started_at;
    duration start_again_at;
    bool is_outdated; /* runs with what was before a reload */
    bool is_leaving;  /* was told to stop */
};

struct supervisor {
    struct supervised what;
    struct worker workers[PROCESSES_MAX];
    int exit_code;
    bool stopping;
};

static void start(struct supervisor *supervisor, struct worker *worker) {
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent) {
            _exit(EXIT_FAILURE);
        }
        /* Not _exit: leak detectors and profilers look at the end. */
        exit(supervisor->what.work(supervisor->what.context, (size_t)(worker - supervisor->workers)));
    }
    duration now = clock_monotonic();
    *worker = (struct worker){.pid = pid < 0 ? 0 : pid, .started_at = now, .start_again_at = now + SHORT_LIFE};
    if (pid < 0) {
        log_line(LOG_ERROR, "cannot start a worker process: %s", strerror(errno));
    }
}

static void note_end(struct supervisor *supervisor, struct worker *worker, int status) {
    duration now = clock_monotonic();
    bool lived = worker->is_leaving || now - worker->started_at > SHORT_LIFE;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NOT_CONFIGURED) {
        supervisor->stopping = true;
        supervisor->exit_code = EXIT_NOT_CONFIGURED;
    } else if (!supervisor->stopping && !worker->is_leaving) {
        log_line(LOG_ERROR, "worker process %d ended (%s %d); starting another", (int)worker->pid,
                 WIFSIGNALED(status) ? "signal" : "exit code",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    *worker = (struct worker){.start_again_at = lived ? now : now + SHORT_LIFE};
    supervisor->what.ended(supervisor->what.context, (size_t)(worker - supervisor->workers));
}

static void collect_ended(struct supervisor *supervisor) {
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        for (size_t i = 0; i < PROCESSES_MAX; i++) {
            if (supervisor->workers[i].pid == pid) {
                note_end(supervisor, &supervisor->workers[i], status);
            }
        }
    }
}

/* Starts those whose time has come; returns how long until the next one's. */
static duration start_due(struct supervisor *supervisor) {
    duration wait = HOUR;
    for (size_t i = 0; i < supervisor->what.processes; i++) {
        struct worker *worker = &supervisor->workers[i];
        duration until = worker->start_again_at - clock_monotonic();
        if (worker->pid == 0 && until <= 0) {
            start(supervisor, worker);
        } else if (worker->pid == 0 && until < wait) {
            wait = until;
        }
    }
    return wait;
}

static void tell_to_leave(struct worker *worker) {
    if (!worker->is_leaving) {
        worker->is_leaving = true;
        kill(worker->pid, SIGTERM);
    }
}

/* Ends those that a reload has made superfluous, and one that it has made outdated. */
static void retire(struct supervisor *supervisor) {
    for (size_t i = supervisor->what.processes; i < PROCESSES_MAX; i++) {
        if (supervisor->workers[i].pid > 0) {
            tell_to_leave(&supervisor->workers[i]);
        }
    }
    for (size_t i = 0; i < supervisor->what.processes; i++) {
        struct worker *worker = &supervisor->workers[i];
        if (worker->pid == 0 || worker->is_outdated) {
            if (worker->pid > 0) {
                tell_to_leave(worker);
            }
            return;
        }
    }
}

static void reload(struct supervisor *supervisor) {
    service_manager_tell(SERVICE_RELOADING);
    if (supervisor->what.reload(supervisor->what.context, &supervisor->what.processes)) {
        for (size_t i = 0; i < PROCESSES_MAX; i++) {
            supervisor->workers[i].is_outdated = supervisor->workers[i].pid > 0;
        }
    }
    service_manager_tell(SERVICE_READY);
}

static size_t signal_all(const struct supervisor *supervisor, int signal_number) {
    size_t running = 0;
    for (size_t i = 0; i < PROCESSES_MAX; i++) {
        if (supervisor->workers[i].pid > 0) {
            kill(supervisor->workers[i].pid, signal_number);
            running++;
        }
    }
    return running;
}

/* Waits for a signal, at most `wait`. Returns its number, 0 when the time is up. */
static int wait_for_signal(duration wait) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGCHLD);
    struct timespec time = {.tv_sec = wait / SECOND, .tv_nsec = wait % SECOND * 1000};
    int received = sigtimedwait(&signals, NULL, &time);
    return received > 0 ? received : 0;
}

static void stop_all(struct supervisor *supervisor) {
    duration until = clock_monotonic() + TIME_TO_STOP;
    size_t running = signal_all(supervisor, SIGTERM);
    while (running > 0 && clock_monotonic() < until) {
        wait_for_signal(SECOND / 10);
        collect_ended(supervisor);
        running = signal_all(supervisor, 0);
    }
    if (running > 0) {
        log_line(LOG_ERROR, "%zu worker processes did not stop in time; killing them", running);
        signal_all(supervisor, SIGKILL);
    }
    while (waitpid(-1, NULL, 0) > 0) {
    }
}

int supervise(const struct supervised *supervised) {
    struct supervisor supervisor = {.what = *supervised};
    duration longest_wait = service_manager_watchdog() / 2;
    (void)start_due(&supervisor);
    service_manager_tell(SERVICE_READY);
    while (!supervisor.stopping) {
        duration wait = start_due(&supervisor);
        retire(&supervisor);
        if (longest_wait > 0) {
            service_manager_tell(SERVICE_ALIVE);
        }
        int received = wait_for_signal(longest_wait > 0 && longest_wait < wait ? longest_wait : wait);
        collect_ended(&supervisor);
        if (received == SIGHUP) {
            reload(&supervisor);
        }
        supervisor.stopping = supervisor.stopping || received == SIGTERM || received == SIGINT;
    }
    service_manager_tell(SERVICE_STOPPING);
    stop_all(&supervisor);
    return supervisor.exit_code;
}
