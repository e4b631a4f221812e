/*
 * recaudo-direct: the product's own statements, by its own store library, sent straight to the database by threads with
 * a connection each: what a lookup, a registration, a confirmation and a whole flow cost when there is no HTTP. See
 * README.md.
 */

/* Before base.h, because its macros use what that forbids. */
#include <mysql.h>

#include "bench/common/fail.h"
#include "bench/common/monotonic.h"
#include "bench/direct/direct_report.h"
#include "bench/direct/direct_session.h"

#include <pthread.h>

static const char usage[] =
    "Usage: recaudo-direct --config FILE --network NAME --orders FILE [option]...\n"
    "Runs the statements of the product's lookups, registrations and confirmations, prints throughput and latency.\n"
    "Exit code: 0 every operation did what it should, 1 some did not, 2 it could not run.\n"
    "\n"
    "  --config FILE        recaudo.conf; the worker's database account is used\n"
    "  --network NAME       default: $RECAUDO_NETWORK; in the modes porder and consult a merchant\n" PLAN_USAGE
    "                       select: only a point select of the order, not the product's statement\n"
    "  --connections N      threads with a connection each (8)\n"
    "  --json FILE          write the result there too\n";

struct worker {
    pthread_t thread;
    unsigned number;
    struct plan *plan;
    struct session *session;
    struct direct_tally tally;
};

static void record(struct worker *worker, enum operation operation, uint64_t since, uint64_t now) {
    if (since >= worker->plan->measure_from) {
        histogram_record(&worker->tally.latency[operation], now - since);
        worker->tally.last_end = now;
    }
}

/* All steps of one lookup, registration, confirmation or flow. A flow ends with its first step that fails. */
static void perform(struct worker *worker, struct subject *subject) {
    uint64_t start = monotonic_now();
    uint64_t step_start = start;
    bool more = true;
    while (more) {
        if (!session_perform(worker->session, subject)) {
            worker->tally.wrong++;
            return;
        }
        uint64_t now = monotonic_now();
        record(worker, subject->operation, step_start, now);
        step_start = now;
        more = plan_continue(subject);
    }
    if (worker->plan->operation == OPERATION_FLOW) {
        record(worker, OPERATION_FLOW, start, step_start);
    }
}

static void *work(void *context) {
    struct worker *worker = context;
    struct subject subject;
    uint64_t random = plan_random(worker->plan, worker->number);
    while (monotonic_now() < worker->plan->deadline && plan_next(worker->plan, &random, &subject)) {
        perform(worker, &subject);
    }
    return NULL;
}

static void run(struct plan *plan, const struct direct_options *options, struct direct_tally *total) {
    struct worker *workers = calloc(options->connections, sizeof *workers);
    if (workers == NULL) {
        fail("out of memory");
    }
    for (unsigned i = 0; i < options->connections; i++) {
        workers[i].number = i;
        workers[i].plan = plan;
        workers[i].session = session_open(&options->config, options->network, plan->operation);
    }
    plan_begin(plan);
    for (unsigned i = 0; i < options->connections; i++) {
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            fail("a thread cannot be started");
        }
    }
    for (unsigned i = 0; i < options->connections; i++) {
        pthread_join(workers[i].thread, NULL);
        direct_tally_merge(total, &workers[i].tally);
        session_close(workers[i].session);
    }
    free(workers);
}

static void parse(int argc, char **argv, struct direct_options *options) {
    const char *config = NULL;
    char error[CONFIG_ERROR_SIZE];
    *options =
        (struct direct_options){.plan = PLAN_OPTIONS_DEFAULT, .network = getenv("RECAUDO_NETWORK"), .connections = 8};
    const struct option_spec specs[] = {
        PLAN_OPTION_SPECS(&options->plan),
        {"config", OPTION_TEXT, &config, 0, 0},
        {"network", OPTION_TEXT, &options->network, 0, 0},
        {"connections", OPTION_WHOLE, &options->connections, 1, 1024},
        {"json", OPTION_TEXT, &options->json_path, 0, 0},
    };
    options_parse(argc, argv, usage, specs, COUNT_OF(specs));
    if (options->network == NULL) {
        fail("--network is needed; see --help");
    }
    if (!config_read(config_path(config), &options->config, error)) {
        fail("%s", error);
    }
}

int main(int argc, char **argv) {
    struct direct_options options;
    struct plan plan;
    static struct direct_tally total;
    parse(argc, argv, &options);
    plan_init(&plan, &options.plan);
    if (mysql_library_init(0, NULL, NULL) != 0) {
        fail("the database library cannot be initialised");
    }
    run(&plan, &options, &total);
    direct_report(&plan, &options, &total);
    plan_free(&plan);
    config_free(&options.config);
    mysql_library_end();
    return total.wrong > 0 ? 1 : 0;
}
