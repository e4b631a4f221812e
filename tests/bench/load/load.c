/* recaudo-load: a collection network that never tires. See --help and README.md. */
#include "bench/common/fail.h"
#include "bench/load/load_client.h"
#include "bench/load/load_idle.h"
#include "bench/load/load_report.h"

#include <pthread.h>

struct worker {
    pthread_t thread;
    struct client *client;
};

static void *work(void *client) {
    client_run(client);
    return NULL;
}

/* Connects everything, then lets all threads begin at once. */
static void run(struct plan *plan, const struct load_options *options, const struct address *address,
                struct tally *total) {
    uint64_t threads = options->threads;
    struct worker *workers = calloc(threads, sizeof *workers);
    if (workers == NULL) {
        fail("out of memory");
    }
    for (unsigned i = 0; i < threads; i++) {
        workers[i].client = client_create(plan, options, address, i);
    }
    plan_begin(plan);
    for (unsigned i = 0; i < threads; i++) {
        if (pthread_create(&workers[i].thread, NULL, work, workers[i].client) != 0) {
            fail("a thread cannot be started");
        }
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        tally_merge(total, client_tally(workers[i].client));
        client_destroy(workers[i].client);
    }
    free(workers);
}

int main(int argc, char **argv) {
    struct load_options options;
    struct plan plan;
    struct idle idle;
    load_options_parse(argc, argv, &options);
    plan_init(&plan, &options.plan);
    struct address address = address_of(&options);
    struct tally *total = tally_create();
    idle_open(&idle, &plan, &options, &address);
    run(&plan, &options, &address, total);
    struct outcome outcome = {.options = &options, .plan = &plan, .tally = total};
    outcome.elapsed = plan_elapsed(&plan, total->last_end);
    outcome.idle_open = idle_still_open(&idle);
    load_report_print(&outcome);
    if (options.json_path != NULL) {
        load_report_json(&outcome);
    }
    int code = tally_wrong(total) > 0 ? 1 : 0;
    idle_close(&idle);
    plan_free(&plan);
    load_options_free(&options);
    free(total);
    return code;
}
