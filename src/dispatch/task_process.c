#include "dispatch/task_process.h"

#include "base/loop/loop.h"
#include "base/process/confine.h"
#include "dispatch/deliver/deliver.h"
#include "dispatch/settle/expire.h"
#include "dispatch/settle/settle.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

/*
 * Settling needs one, and one for each thread that helps to expire orders. Delivering needs one to lease and one to
 * record. Both have a spare one while another is renewed.
 */
static const size_t CONNECTIONS[] = {[TASK_SETTLE] = 2 + EXPIRY_HELPERS, [TASK_DELIVER] = 3};

/*
 * Seconds that a statement waits for a lock. A batch is tried up to 5 times before its rows are written one by one,
 * which skips locked rows. Until then everything waits.
 */
enum { LOCK_WAIT = 1 };

/* How often to ask the pool whether it has found a usable database server. */
#define BETWEEN_LOOKS (20 * MILLISECOND)

const struct account_config *task_process_account(const struct config *config, enum dispatch_task task) {
    return task == TASK_SETTLE ? &config->database.dispatcher : &config->database.deliverer;
}

static void block_task_signals(sigset_t *signals) {
    sigemptyset(signals);
    sigaddset(signals, SIGTERM);
    sigaddset(signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, signals, NULL);
}

/* Waits for a signal to stop, or for the end of the run, which writes to stop_event. */
static void *watch_signals(void *of_run) {
    struct task_run *run = of_run;
    struct pollfd events[] = {{.fd = run->signals, .events = POLLIN}, {.fd = run->stop_event, .events = POLLIN}};
    while (poll(events, COUNT_OF(events), -1) < 0 && errno == EINTR) {
    }
    eventfd_write(run->stop_event, 1);
    return NULL;
}

static enum status with_connection(struct task_run *run, enum status (*act)(struct connection *, struct task_run *)) {
    struct connection *connection;
    enum status status = pool_take(run->pool, &connection);
    if (status == STATUS_OK) {
        status = act(connection, run);
        pool_give(run->pool, connection);
    }
    return status;
}

static enum status begin_dispatcher(struct connection *connection, struct task_run *run) {
    gethostname(run->host, sizeof run->host - 1);
    const struct dispatcher_start start = {text_of(run->host), (uint64_t)getpid(), run->task};
    return dispatchers_begin(connection, &start, &run->dispatcher_id);
}

static enum status end_dispatcher(struct connection *connection, struct task_run *run) {
    enum status status = task_run_add_to_totals(run, connection);
    return status == STATUS_OK ? dispatchers_end(connection, run->dispatcher_id) : status;
}

/* An unreachable database outweighs other failures, because it is their cause. */
static int exit_status(const struct task_run *run) {
    if (atomic_load(&run->is_away)) {
        return EXIT_DATABASE;
    }
    return atomic_load(&run->has_failed) ? EXIT_LEFT_UNDONE : EXIT_WORKED;
}

static void pause_task(const struct task_run *run) {
    if (task_running() != NULL) {
        task_sleep(BETWEEN_LOOKS);
    } else {
        task_run_sleep(run, BETWEEN_LOOKS);
    }
    task_run_progress(run);
}

/*
 * Registers the dispatcher. If the first database server is unreachable, another may be usable: waits while the pool
 * tries all of them, the first too. Also retries after STATUS_UNSURE, because a server may seem not to answer in time
 * if this process was stopped meanwhile. If that server wrote the row, it shows for 30 s another dispatcher that does
 * not run.
 */
static enum status begin_at_any_server(struct task_run *run) {
    const struct config *config = run->config;
    duration for_each = config->database.connect_timeout + config->database.read_timeout;
    size_t servers = connection_servers(config);
    enum status status = with_connection(run, begin_dispatcher);
    duration until = clock_monotonic() + (servers > 1 || status == STATUS_UNSURE ? (duration)servers * for_each : 0);
    while ((status == STATUS_AWAY || status == STATUS_UNSURE) && clock_monotonic() < until && !task_run_is_over(run)) {
        pause_task(run);
        if (pool_access(run->pool) == SCHEMA_READY) {
            status = with_connection(run, begin_dispatcher);
        }
    }
    task_run_note(run, status);
    return status;
}

static int do_task(struct task_run *run) {
    static void (*const DO[])(struct task_run *) = {[TASK_SETTLE] = settle, [TASK_DELIVER] = deliver};
    pthread_t watching;
    if (pthread_create(&watching, NULL, watch_signals, run) != 0) {
        log_line(LOG_ERROR, "cannot start a thread");
        return EXIT_LEFT_UNDONE;
    }
    bool has_begun = begin_at_any_server(run) == STATUS_OK;
    if (has_begun) {
        DO[run->task](run);
        task_run_report(run);
    }
    eventfd_write(run->stop_event, 1);
    pthread_join(watching, NULL);
    if (has_begun) {
        (void)with_connection(run, end_dispatcher);
    }
    return exit_status(run);
}

/* Delivering runs in a loop, on a task, so that its waits do not block the loop. */
struct work_in_loop {
    struct task_run *run;
    int code;
    bool has_ended;
};

static void do_task_in_loop(void *of_work) {
    struct work_in_loop *work = of_work;
    work->code = do_task(work->run);
    work->has_ended = true;
}

static int run_loop(struct task_run *run) {
    struct work_in_loop work = {.run = run};
    task_start(do_task_in_loop, &work);
    loop_run_until(&work.has_ended);
    return work.code;
}

/*
 * A connection, and up to two files while a name is resolved; besides these, the files that the program itself has
 * open.
 */
enum { FILES_PER_SENDING = 3, FILES_BESIDE = 64 };

/* Raises the limit of open files as far as needed. False: the hard limit is too low. */
static bool raise_delivery_file_limit(const struct config *config) {
    rlim_t needed = FILES_PER_SENDING * config->dispatcher.in_flight + FILES_BESIDE;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) {
        return true;
    }
    limit.rlim_cur = needed;
    if (needed > limit.rlim_max || setrlimit(RLIMIT_NOFILE, &limit) != 0) {
        log_line(LOG_ERROR, "[dispatcher] in_flight = %llu needs %llu open files, and the limit (ulimit -Hn) is %llu",
                 (unsigned long long)config->dispatcher.in_flight, (unsigned long long)needed,
                 (unsigned long long)limit.rlim_max);
        return false;
    }
    return true;
}

/* Prepares files, key and addresses, which only delivering needs and has. */
static bool prepare_delivering(struct task_run *run) {
    char error[CONFIG_ERROR_SIZE], list_error[ADDRESS_GUARD_ERROR_SIZE];
    if (!raise_delivery_file_limit(run->config)) {
        return false;
    }
    if (!address_guard_read(run->config, &run->guard, list_error)) {
        log_line(LOG_ERROR, "%s", list_error);
        return false;
    }
    run->vault = vault_open(run->config->security.key_file, error);
    if (run->vault == NULL) {
        log_line(LOG_ERROR, "%s", error);
        return false;
    }
    return true;
}

int task_process_run(const struct task_process *process) {
    struct task_run run = {.task = process->task, .config = process->config, .once = process->once};
    bool settles_on_this_host = process->task == TASK_SETTLE && process->config->database.socket != NULL;
    const struct connection_options options = {process->config, task_process_account(process->config, process->task),
                                               LOCK_WAIT};
    sigset_t signals;
    block_task_signals(&signals);
    run.ends_at = process->ends_at;
    run.progress = process->progress;
    task_run_begin_beats(&run);
    if (process->task == TASK_DELIVER && !prepare_delivering(&run)) {
        return EXIT_USAGE;
    }
    (void)confine(settles_on_this_host ? CONFINED_LOCAL : CONFINED_NETWORK);
    run.stop_event = eventfd(0, EFD_CLOEXEC);
    run.signals = signalfd(-1, &signals, SFD_CLOEXEC);
    if (run.stop_event < 0 || run.signals < 0) {
        log_line(LOG_ERROR, "cannot wait for signals: %s", strerror(errno));
        return EXIT_LEFT_UNDONE;
    }
    bool has_loop = process->task == TASK_DELIVER;
    if (has_loop && !loop_open()) {
        log_line(LOG_ERROR, "cannot wait for connections: %s", strerror(errno));
        return EXIT_LEFT_UNDONE;
    }
    run.pool = pool_create(&options, CONNECTIONS[process->task]);
    int code = has_loop ? run_loop(&run) : do_task(&run);
    pool_destroy(run.pool);
    if (has_loop) {
        loop_close();
    }
    close(run.signals);
    close(run.stop_event);
    vault_close(run.vault);
    return code;
}
