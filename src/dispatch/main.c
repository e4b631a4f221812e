/* recaudo-dispatch: does what is due, started by cron or a timer. See recaudo-dispatch(8). */
#include "dispatch/deliver.h"
#include "dispatch/expire.h"
#include "dispatch/settle.h"

#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

enum { EXIT_WORKED, EXIT_LEFT_UNDONE, EXIT_USAGE, EXIT_DATABASE };

/* One for settling and each who helps to expire orders, one for delivering, one to spare while another is renewed. */
enum { CONNECTIONS = 3 + EXPIRY_HELPERS };

struct options {
    const char *config;
    duration run_for; /* 0: one pass */
};

static void usage(FILE *to) {
    fprintf(to,
            "usage: recaudo-dispatch [--config FILE] (--once | --for SECONDS)\n"
            "  --once         one pass over everything due\n"
            "  --for SECONDS  passes until the time is up, sleeping until the next thing is due\n"
            "  --config FILE  configuration (default: $RECAUDO_CONFIG or %s)\n",
            config_path(NULL));
}

static bool read_options(int count, char **arguments, struct options *out) {
    static const struct option OPTIONS[] = {{"config", required_argument, NULL, 'c'},
                                            {"once", no_argument, NULL, 'o'},
                                            {"for", required_argument, NULL, 'f'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    bool once = false;
    int letter;
    while ((letter = getopt_long(count, arguments, "", OPTIONS, NULL)) != -1) {
        if (letter == 'h') {
            usage(stdout);
            exit(EXIT_WORKED);
        } else if (letter == 'c') {
            out->config = optarg;
        } else if (letter == 'o') {
            once = true;
        } else if (letter != 'f' || !config_parse_duration(text_of(optarg), &out->run_for) || out->run_for == 0) {
            return false;
        }
    }
    return optind == count && once == (out->run_for == 0);
}

static void block_signals(sigset_t *signals) {
    sigemptyset(signals);
    sigaddset(signals, SIGTERM);
    sigaddset(signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* Waits for a signal that says stop, or for the end of the run. */
static void *watch_signals(void *of_run) {
    struct run *run = of_run;
    sigset_t signals;
    siginfo_t received;
    const struct timespec moment = {.tv_nsec = 200 * 1000 * 1000};
    block_signals(&signals);
    while (!run_is_over(run)) {
        if (sigtimedwait(&signals, &received, &moment) > 0) {
            eventfd_write(run->stop_event, 1);
        }
    }
    return NULL;
}

static bool start(pthread_t *thread, void *(*work)(void *), struct run *run) {
    if (pthread_create(thread, NULL, work, run) != 0) {
        log_line(LOG_ERROR, "cannot start a thread");
        run_note(run, STATUS_FAULT);
        return false;
    }
    return true;
}

/* Settling has a thread of its own: however long deliveries take, windows close on time. */
static void run_both(struct run *run) {
    pthread_t settling;
    if (run->once) {
        settle_thread(run);
        deliver_thread(run);
    } else if (start(&settling, settle_thread, run)) {
        deliver_thread(run);
        pthread_join(settling, NULL);
    }
}

static enum status with_connection(struct run *run, enum status (*act)(struct connection *, struct run *)) {
    struct connection *connection;
    enum status status = pool_take(run->pool, &connection);
    if (status == STATUS_OK) {
        status = act(connection, run);
        pool_give(run->pool, connection);
    }
    return status;
}

static enum status begin(struct connection *connection, struct run *run) {
    gethostname(run->host, sizeof run->host - 1);
    return dispatchers_begin(connection, text_of(run->host), (uint64_t)getpid(), &run->dispatcher_id);
}

static enum status end(struct connection *connection, struct run *run) {
    enum status status = run_add_to_totals(run, connection);
    return status == STATUS_OK ? dispatchers_end(connection, run->dispatcher_id) : status;
}

static int work(struct run *run) {
    pthread_t watching;
    enum status status = with_connection(run, begin);
    run_note(run, status);
    if (status == STATUS_OK && start(&watching, watch_signals, run)) {
        run_both(run);
        run_report(run);
        eventfd_write(run->stop_event, 1);
        pthread_join(watching, NULL);
        (void)with_connection(run, end);
    }
    switch (atomic_load(&run->worst)) {
    case STATUS_OK:
        return EXIT_WORKED;
    case STATUS_AWAY:
        return EXIT_DATABASE;
    default:
        return EXIT_LEFT_UNDONE;
    }
}

/* Connections, and the look-up of a name may take two files more for each; besides, what the program has open itself. */
enum { FILES_PER_SENDING = 3, FILES_BESIDE = 64 };

/* Raises the limit of open files as far as it is needed. False: it may not be. */
static bool raise_file_limit(const struct config *config) {
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

static bool set_up(struct run *run, const struct options *options, struct config *config) {
    char error[CONFIG_ERROR_SIZE];
    if (!config_read(config_path(options->config), config, error)) {
        log_line(LOG_ERROR, "%s", error);
        return false;
    }
    log_set_level(config->log.level);
    if (!raise_file_limit(config)) {
        config_free(config);
        return false;
    }
    run->vault = vault_open(config->security.key_file, error);
    if (run->vault == NULL) {
        log_line(LOG_ERROR, "%s", error);
        config_free(config);
        return false;
    }
    struct text offender;
    if (!address_guard_parse(text_of(config->security.allow_addresses), &run->guard, &offender)) {
        log_line(LOG_ERROR, "[security] allow_addresses: not an address range: %.*s", TEXT_ARGS(offender));
        config_free(config);
        return false;
    }
    run->config = config;
    run->once = options->run_for == 0;
    run->ends_at = clock_monotonic() + options->run_for;
    run->stop_event = eventfd(0, EFD_CLOEXEC);
    run->due_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return true;
}

int main(int count, char **arguments) {
    struct options options = {0};
    struct config config;
    struct run run = {.worst = STATUS_OK};
    sigset_t signals;
    if (!read_options(count, arguments, &options)) {
        usage(stderr);
        return EXIT_USAGE;
    }
    block_signals(&signals);
    if (!set_up(&run, &options, &config)) {
        return EXIT_USAGE;
    }
    const struct connection_options connection_options = {&config, &config.database.dispatcher, false, 0};
    run.pool = pool_create(&connection_options, CONNECTIONS);
    int code = work(&run);
    pool_destroy(run.pool);
    vault_close(run.vault);
    close(run.due_event);
    close(run.stop_event);
    config_free(&config);
    return code;
}
