#include "dispatch/supervise.h"

#include "dispatch/become.h"
#include "dispatch/deliver/deliver.h"
#include "dispatch/manager.h"
#include "dispatch/task_process.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TICK             (200 * MILLISECOND)
#define PAUSE_BEFORE_NEW SECOND
#define PAUSE_WHILE_AWAY (5 * SECOND)

/* How long a process that was told to stop may take: settling 12 s; delivering 2 s more than its attempts in flight.
 * TimeoutStopSec of the units is longer. */
#define TIME_TO_STOP      (12 * SECOND)
#define BEYOND_DELIVERIES (2 * SECOND)

struct child {
    enum dispatch_task task;
    pid_t pid;         /* 0: not running */
    bool is_wanted;    /* runs, or must be started at start_at */
    bool is_away;      /* the last process left without a database; the parent does not stay only to replace it */
    duration start_at; /* by the monotonic clock */
    struct progress *progress;
    struct progress_watch watch;
};

struct team {
    const struct supervision *supervision;
    struct child children[TASK_COUNT];
    duration ends_at, looked_at;
    duration stopped_at; /* 0: not told to stop */
    sigset_t signals;
    pid_t own_pid;
    int worst;
};

/* Keeps the worst exit status, in the order of BADNESS. */
static void note_exit(struct team *team, int status) {
    static const int BADNESS[] = {[EXIT_WORKED] = 0, [EXIT_LEFT_UNDONE] = 1, [EXIT_DATABASE] = 2, [EXIT_USAGE] = 3};
    int code = status >= 0 && (size_t)status < COUNT_OF(BADNESS) ? status : EXIT_LEFT_UNDONE;
    team->worst = BADNESS[code] > BADNESS[team->worst] ? code : team->worst;
}

/* Sets the name that ps and top show. */
static void show_name(enum dispatch_task task) {
    char name[16];
    snprintf(name, sizeof name, "recaudo-%s", task_name(task).at);
    (void)prctl(PR_SET_NAME, name);
}

static const char *task_name_of(const struct child *child) {
    return task_name(child->task).at;
}

/* Runs the task in the new process. It gets SIGTERM if the parent dies. */
static _Noreturn void run_child(const struct team *team, const struct child *child) {
    const struct config *config = team->supervision->config;
    const struct task_process process = {.task = child->task,
                                         .config = config,
                                         .once = team->supervision->run_for == 0,
                                         .ends_at = team->ends_at,
                                         .progress = child->progress};
    manager_leave();
    show_name(child->task);
    if (!become_user_of(task_process_account(config, child->task))) {
        exit(EXIT_USAGE);
    }
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != team->own_pid) {
        exit(EXIT_LEFT_UNDONE);
    }
    exit(task_process_run(&process));
}

static void start_child(struct team *team, struct child *child) {
    child->is_away = false;
    child->watch = (struct progress_watch){.silent = 0};
    child->pid = fork();
    if (child->pid == 0) {
        run_child(team, child);
    }
    if (child->pid < 0) {
        log_line(LOG_ERROR, "task %s: cannot start a process: %s", task_name_of(child), strerror(errno));
        child->pid = 0;
        child->is_wanted = false;
        note_exit(team, EXIT_LEFT_UNDONE);
    }
}

static void signal_children(const struct team *team, int number) {
    for (size_t i = 0; i < TASK_COUNT; i++) {
        if (team->children[i].pid != 0) {
            kill(team->children[i].pid, number);
        }
    }
}

/* Waits for a signal, but no longer than a tick. */
static void await_signal(struct team *team) {
    static const struct timespec A_TICK = {.tv_nsec = TICK * 1000};
    siginfo_t received;
    int number = sigtimedwait(&team->signals, &received, &A_TICK);
    if (number == SIGTERM || number == SIGINT) {
        team->stopped_at = team->stopped_at == 0 ? clock_monotonic() : team->stopped_at;
        signal_children(team, SIGTERM);
    }
}

static void start_child_later(const struct team *team, struct child *child, duration pause) {
    child->start_at = clock_monotonic() + pause;
    child->is_wanted = team->supervision->run_for > 0 && team->stopped_at == 0 && child->start_at < team->ends_at;
}

/*
 * Starts a killed process again while there is time. Also replaces one that found the database unreachable, if another
 * task still runs, because no new dispatcher starts before that has left. A process that left for any other reason is
 * not replaced.
 */
static void note_child_end(struct team *team, struct child *child, int status) {
    bool killed = !WIFEXITED(status);
    child->pid = 0;
    child->is_wanted = false;
    child->is_away = !killed && WEXITSTATUS(status) == EXIT_DATABASE;
    if (child->is_away) {
        start_child_later(team, child, PAUSE_WHILE_AWAY);
        manager_alive(child->task); /* it may have left before its progress was first checked */
        return;
    }
    note_exit(team, killed ? EXIT_LEFT_UNDONE : WEXITSTATUS(status));
    if (killed) {
        start_child_later(team, child, PAUSE_BEFORE_NEW);
        log_line(LOG_ERROR, "task %s: process killed by signal %d%s", task_name_of(child), WTERMSIG(status),
                 child->is_wanted ? "; starting another" : "");
    }
}

static void collect_children(struct team *team) {
    for (size_t i = 0; i < TASK_COUNT; i++) {
        struct child *child = &team->children[i];
        int status;
        if (child->pid != 0 && waitpid(child->pid, &status, WNOHANG) == child->pid) {
            note_child_end(team, child, status);
        }
    }
}

static void kill_hung(struct child *child, const char *why) {
    log_line(LOG_ERROR, "task %s: process %d %s; killing it", task_name_of(child), (int)child->pid, why);
    kill(child->pid, SIGKILL);
    child->watch.silent = 0;
}

static duration time_to_stop(const struct team *team, enum dispatch_task task) {
    return task == TASK_SETTLE ? TIME_TO_STOP : delivery_time_to_stop(team->supervision->config) + BEYOND_DELIVERIES;
}

static void look_at(struct team *team, struct child *child, duration passed) {
    char why[64];
    if (progress_look(&child->watch, child->progress, passed)) {
        manager_alive(child->task);
    } else if (child->watch.silent > progress_hang_after(team->supervision->config)) {
        snprintf(why, sizeof why, "has made no progress for %lld s", (long long)(child->watch.silent / SECOND));
        kill_hung(child, why);
    } else if (team->stopped_at != 0 && clock_monotonic() > team->stopped_at + time_to_stop(team, child->task)) {
        kill_hung(child, "was told to stop and has not left");
    }
}

static void look_at_all(struct team *team) {
    duration now = clock_monotonic(), passed = now - team->looked_at;
    team->looked_at = now;
    for (size_t i = 0; i < TASK_COUNT; i++) {
        struct child *child = &team->children[i];
        if (child->pid != 0) {
            look_at(team, child, passed);
        } else if (child->is_wanted && now >= child->start_at) {
            start_child(team, child);
        }
        child->is_wanted = child->is_wanted && (child->pid != 0 || team->stopped_at == 0);
    }
}

static bool is_anybody_there(const struct team *team) {
    for (size_t i = 0; i < TASK_COUNT; i++) {
        if (team->children[i].is_wanted && !team->children[i].is_away) {
            return true;
        }
    }
    return false;
}

static void watch_over(struct team *team) {
    team->looked_at = clock_monotonic();
    look_at_all(team);
    while (is_anybody_there(team)) {
        await_signal(team);
        collect_children(team);
        look_at_all(team);
    }
}

/* In a run of one pass, each task waits for the one before it. */
static void run_team(struct team *team) {
    bool one_by_one = team->supervision->run_for == 0;
    for (size_t i = 0; i < TASK_COUNT; i++) {
        team->children[i].is_wanted = team->supervision->tasks[i] && team->stopped_at == 0;
        if (one_by_one) {
            watch_over(team);
        }
    }
    watch_over(team);
    for (size_t i = 0; i < TASK_COUNT; i++) {
        note_exit(team, team->children[i].is_away ? EXIT_DATABASE : EXIT_WORKED);
    }
}

static void block_parent_signals(sigset_t *signals) {
    sigemptyset(signals);
    sigaddset(signals, SIGTERM);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int supervise(const struct supervision *supervision) {
    struct team team = {.supervision = supervision, .own_pid = getpid()};
    struct progress *progress = progress_create(TASK_COUNT);
    if (progress == NULL) {
        return EXIT_LEFT_UNDONE;
    }
    block_parent_signals(&team.signals);
    team.ends_at = clock_monotonic() + supervision->run_for;
    for (size_t i = 0; i < TASK_COUNT; i++) {
        team.children[i].task = (enum dispatch_task)i;
        team.children[i].progress = &progress[i];
    }
    manager_ready(supervision->tasks, progress_hang_after(supervision->config));
    run_team(&team);
    progress_destroy(progress, TASK_COUNT);
    return team.worst;
}
