/* recaudo-dispatch: settles and delivers, started by cron or a timer. See recaudo-dispatch(8). */
#include "base/process/core_dumps.h"
#include "base/process/standard_files.h"
#include "base/process/usage.h"
#include "dispatch/supervise.h"
#include "dispatch/task_process.h"

#include <getopt.h>

struct options {
    const char *config;
    duration run_for; /* 0: one pass */
    bool tasks[TASK_COUNT];
};

static void usage(FILE *to) {
    fprintf(to,
            "usage: recaudo-dispatch [--config FILE] [settle | deliver] (--once | --for SECONDS)\n"
            "  settle         only finalise payments, expire orders and close settlements\n"
            "  deliver        only send notifications to merchants; default: both tasks, each in its own process\n"
            "  --once         do everything that is due once, then exit\n"
            "  --for SECONDS  run this long, sleeping until something is due\n"
            "  --config FILE  configuration (default: $RECAUDO_CONFIG or %s)\n"
            "  --version      print the version\n",
            config_path(NULL));
}

/* Reads the words after the options: none, or the name of one task. */
static bool read_task(int count, char **words, bool tasks[TASK_COUNT]) {
    bool found = count == 0;
    for (enum dispatch_task task = 0; task < TASK_COUNT; task++) {
        tasks[task] = count == 0 || (count == 1 && text_equal(text_of(words[0]), task_name(task)));
        found = found || tasks[task];
    }
    return found;
}

static bool read_options(int count, char **arguments, struct options *out) {
    static const struct option OPTIONS[] = {{"config", required_argument, NULL, 'c'}, {"once", no_argument, NULL, 'o'},
                                            {"for", required_argument, NULL, 'f'},    {"help", no_argument, NULL, 'h'},
                                            {"version", no_argument, NULL, 'v'},      {0}};
    bool once = false;
    int letter;
    while ((letter = getopt_long(count, arguments, "", OPTIONS, NULL)) != -1) {
        if (letter == 'h') {
            usage(stdout);
            exit(usage_end(stdout));
        } else if (letter == 'v') {
            exit(version_tell("recaudo-dispatch"));
        } else if (letter == 'c') {
            out->config = optarg;
        } else if (letter == 'o') {
            once = true;
        } else if (letter != 'f' || !config_parse_duration(text_of(optarg), &out->run_for) || out->run_for == 0) {
            return false;
        }
    }
    return once == (out->run_for == 0) && read_task(count - optind, arguments + optind, out->tasks);
}

/* Each process that is forked counts its own; the log reports the number too. */
static _Atomic uint64_t lines_dropped;

int main(int count, char **arguments) {
    struct options options = {0};
    struct config config;
    char error[CONFIG_ERROR_SIZE];
    standard_files_hold();
    core_dumps_off();
    if (!read_options(count, arguments, &options)) {
        usage(stderr);
        return EXIT_USAGE;
    }
    if (!config_read(config_path(options.config), &config, error)) {
        log_line(LOG_ERROR, "%s", error);
        return EXIT_USAGE;
    }
    log_set_level(config.log.level);
    log_start_writer(&lines_dropped);
    struct supervision supervision = {.config = &config, .run_for = options.run_for};
    memcpy(supervision.tasks, options.tasks, sizeof supervision.tasks);
    int code = supervise(&supervision);
    config_free(&config);
    return code;
}
