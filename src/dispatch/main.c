/* recaudo-dispatch: does what is due, started by cron or a timer. See recaudo-dispatch(8). */
#include "dispatch/pass.h"
#include "store/expiry.h"

#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { EXIT_WORKED, EXIT_LEFT_UNDONE, EXIT_USAGE, EXIT_DATABASE };

/* How long to sleep at most: new work may come in meanwhile, and it must not wait longer than this. */
#define LONGEST_SLEEP (500 * MILLISECOND)

static volatile int stopping;

struct options {
    const char *config;
    duration run_for; /* 0: one pass */
};

static void usage(FILE *to) {
    fprintf(to, "usage: recaudo-dispatch [--config FILE] (--once | --for SECONDS)\n"
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

/* Sleeps until something is due, the time is up, or a signal says stop. */
static void sleep_until_due(struct connection *connection, int signals, duration time_left) {
    duration wait;
    duration longest = time_left < LONGEST_SLEEP ? time_left : LONGEST_SLEEP;
    if (expiry_next_work(connection, longest, &wait) != STATUS_OK) {
        wait = longest;
    }
    struct pollfd stop = {.fd = signals, .events = POLLIN};
    if (poll(&stop, 1, (int)((wait + MILLISECOND - 1) / MILLISECOND)) > 0) {
        stopping = 1;
    }
}

static void report(const struct pass_result *result) {
    if (result->finalised > 0 || result->expired > 0) {
        printf("finalised %llu, expired %llu\n", (unsigned long long)result->finalised,
               (unsigned long long)result->expired);
        fflush(stdout);
    }
}

static int exit_code_of(enum status status) {
    if (status == STATUS_OK) {
        return EXIT_WORKED;
    }
    return status == STATUS_AWAY || status == STATUS_UNSURE ? EXIT_DATABASE : EXIT_LEFT_UNDONE;
}

static int run(struct connection *connection, const struct config *config, const struct options *options, int signals) {
    duration ends_at = clock_monotonic() + options->run_for;
    struct arena *arena = arena_create();
    struct pass_result result;
    enum status status = pass_run(connection, arena, config->dispatcher.batch, &stopping, &result);
    report(&result);
    while (status == STATUS_OK && !stopping && clock_monotonic() < ends_at) {
        sleep_until_due(connection, signals, ends_at - clock_monotonic());
        status = pass_run(connection, arena, config->dispatcher.batch, &stopping, &result);
        report(&result);
    }
    arena_destroy(arena);
    return exit_code_of(status);
}

static int open_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    return signalfd(-1, &signals, SFD_CLOEXEC);
}

int main(int count, char **arguments) {
    struct options options = {0};
    struct config config;
    char error[CONFIG_ERROR_SIZE];
    if (!read_options(count, arguments, &options)) {
        usage(stderr);
        return EXIT_USAGE;
    }
    if (!config_read(config_path(options.config), &config, error)) {
        log_line(LOG_ERROR, "%s", error);
        return EXIT_USAGE;
    }
    log_set_level(config.log.level);
    int signals = open_signals();
    const struct connection_options connection_options = {&config, &config.database.dispatcher, false};
    struct connection *connection;
    enum status status = connection_open(&connection_options, &connection);
    int code = EXIT_DATABASE;
    if (status == STATUS_OK) {
        code = run(connection, &config, &options, signals);
        connection_close(connection);
    }
    close(signals);
    config_free(&config);
    return code;
}
