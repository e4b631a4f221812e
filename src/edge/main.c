/* recaudo-fcgi: the FastCGI worker. Wires the parts together; see recaudo-fcgi(8). */
#include "api/caller/changeover.h"
#include "api/caller/credentials.h"
#include "api/caller/rates.h"
#include "api/external/query_resources.h"
#include "api/worker/commerces.h"
#include "api/worker/known_countries.h"
#include "api/worker/service_notes.h"
#include "base/loop/loop.h"
#include "base/process/confine.h"
#include "base/process/core_dumps.h"
#include "base/process/standard_files.h"
#include "base/process/usage.h"
#include "edge/query_process.h"
#include "edge/serve.h"
#include "edge/service_manager.h"
#include "edge/settings.h"
#include "edge/supervise.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct worker {
    struct config config;
    struct listener listener;
    struct handover handover;
    struct query_process query_process;
    struct service service;
    struct settings next; /* read for a reload, not yet in use */
};

_Static_assert((size_t)PROCESSES_MAX <= COUNTERS_PROCESSES_MAX, "every process has a place");

static void note_end(void *of_worker, size_t place, bool died) {
    const struct worker *worker = of_worker;
    if (place == COMPANION) {
        *worker->query_process.beats = 0;
    } else {
        counters_end_process(worker->service.counters, place);
        worker->service.counters->process_deaths += died;
    }
}

/*
 * Confines the process. Apart from serving, it now only needs the database, to which it may have to reconnect, and
 * recaudo-query.
 */
static void give_up_the_rest(const struct config *config) {
    (void)confine(config->database.socket != NULL ? CONFINED_SERVING_LOCAL : CONFINED_SERVING);
}

static void create_caches(struct service *service) {
    service->network_credentials = cache_create(sizeof(struct credential));
    service->merchant_credentials = cache_create(sizeof(struct credential));
    service->commerces = cache_create(sizeof(struct commerce));
    service->countries = cache_create(sizeof(struct country));
    service->networks_at_limit = cache_create(sizeof(bool));
}

static void destroy_caches(struct service *service) {
    cache_destroy(service->networks_at_limit);
    cache_destroy(service->countries);
    cache_destroy(service->commerces);
    cache_destroy(service->merchant_credentials);
    cache_destroy(service->network_credentials);
}

static int run_worker(struct worker *worker, size_t place) {
    struct service *service = &worker->service;
    const struct connection_options options = {&worker->config, &worker->config.database.worker, REQUEST_LOCK_WAIT};
    if (!loop_open()) {
        log_line(LOG_ERROR, "cannot serve: %s", strerror(errno));
        return EXIT_FAILURE;
    }
    service->rates = settings_open_rates(&worker->config);
    if (service->rates == NULL) {
        return EXIT_NOT_CONFIGURED;
    }
    give_up_the_rest(&worker->config);
    service->query_resources = query_resources_create(&worker->config, worker->query_process.socket);
    service->pool = pool_create(&options, worker->config.worker.connections);
    pool_watch(service->pool, &service->counters->processes[place].pool);
    pool_make_ahead(service->pool);
    service->beats = &service->counters->processes[place].beats;
    counters_begin_process(service->counters, place);
    service->changeover_notes = changeover_notes_create();
    create_caches(service);
    log_line(LOG_INFO, "worker %d serves with %llu database connections", (int)getpid(),
             (unsigned long long)worker->config.worker.connections);
    struct service_notes notes;
    if (place == 0) {
        service_notes_begin(&notes, service);
    }
    bool served = serve_until_stopped(&worker->listener, &worker->handover, service);
    if (place == 0) {
        service_notes_end(&notes);
    }
    destroy_caches(service);
    changeover_notes_destroy(service->changeover_notes);
    pool_destroy(service->pool);
    rates_close(service->rates);
    query_resources_destroy(service->query_resources);
    loop_close();
    log_line(LOG_INFO, "worker %d has stopped", (int)getpid());
    return served ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int run_process(void *of_worker, size_t place) {
    struct worker *worker = of_worker;
    if (place == COMPANION) {
        query_process_become(&worker->query_process);
        return EXIT_FAILURE;
    }
    return run_worker(worker, place);
}

/* Serves in this process. Nothing restarts it, or its recaudo-query, after a crash. */
static int run_alone(struct worker *worker) {
    pid_t companion = worker->query_process.is_ours ? fork() : -1;
    if (companion == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        exit(run_process(worker, COMPANION));
    }
    int code = run_worker(worker, 0);
    if (companion > 0) {
        kill(companion, SIGTERM);
        waitpid(companion, NULL, 0);
    }
    return code;
}

/*
 * Longer than every legitimate wait of a request or of a starting worker: connecting, a statement, a merchant's answer.
 */
static duration hung_after(const struct config *config) {
    return REQUEST_TIME + config->database.connect_timeout + config->database.read_timeout + 7 * SECOND;
}

static void use_settings(struct worker *worker, const struct settings *settings) {
    worker->config = settings->config;
    worker->service.vault = settings->vault;
    worker->service.config = &worker->config;
    worker->service.service_name = text_of(worker->config.worker.service_name);
    log_set_level(worker->config.log.level);
}

static bool set_up_service(struct worker *worker) {
    struct settings settings;
    if (!settings_read(&settings)) {
        return false;
    }
    use_settings(worker, &settings);
    return settings_fit(&settings, NULL) && query_process_open(&worker->config, &worker->query_process) &&
           listener_open(&worker->config, &worker->listener);
}

static bool read_configuration_again(void *of_worker, duration *check_time) {
    struct worker *worker = of_worker;
    bool read = settings_read(&worker->next);
    if (!read) {
        worker->service.counters->reload_refused = 1;
    }
    *check_time = read ? settings_check_time(&worker->next.config) : 0;
    return read;
}

static bool check_configuration(void *of_worker) {
    struct worker *worker = of_worker;
    return settings_fit(&worker->next, &worker->config);
}

/* Keeps the listening socket that was opened at the start. */
static void adopt(void *of_worker, struct supervised *what) {
    struct worker *worker = of_worker;
    vault_close(worker->service.vault);
    config_free(&worker->config);
    use_settings(worker, &worker->next);
    listener_tell_other(&worker->listener, &worker->config);
    worker->service.counters->reload_refused = 0;
    what->processes = worker->config.worker.processes > 0 ? worker->config.worker.processes : 1;
    what->hung_after = hung_after(&worker->config);
}

static void discard(void *of_worker) {
    struct worker *worker = of_worker;
    worker->service.counters->reload_refused = 1;
    settings_free(&worker->next);
}

static uint64_t beats(void *of_worker, size_t place) {
    const struct worker *worker = of_worker;
    return place == COMPANION ? *worker->query_process.beats : worker->service.counters->processes[place].beats;
}

static void note_hang(void *of_worker) {
    const struct worker *worker = of_worker;
    worker->service.counters->process_hangs++;
}

static void block_signals(void) {
    sigset_t signals = supervise_signals();
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/*
 * By default libfcgi waits up to 2 s at each close until the web server closes the connection too. Requests are read to
 * their end, so closing at once loses nothing.
 */
static void close_at_once(void) {
    setenv("LIBFCGI_OS_CLOSE_POLL_TIMEOUT", "0", true);
}

/* A process that serves alone has no process to hand over to. */
static bool open_handover(struct handover *handover, size_t processes) {
    *handover = (struct handover){-1, -1};
    bool opened = processes == 0 || handover_open(handover);
    if (!opened) {
        log_line(LOG_ERROR, "cannot serve: %s", strerror(errno));
    }
    return opened;
}

int main(int count, char **arguments) {
    static struct worker worker;
    standard_files_hold();
    core_dumps_off();
    if (version_is_asked(count, arguments)) {
        return version_tell("recaudo-fcgi");
    }
    if (count > 1) {
        return usage_tell(count, arguments, "", config_path(NULL));
    }
    block_signals();
    close_at_once();
    worker.service.counters = counters_create();
    log_start_writer(&worker.service.counters->log_lines_dropped);
    if (!set_up_service(&worker)) {
        return EXIT_NOT_CONFIGURED;
    }
    size_t processes = worker.config.worker.processes;
    if (!open_handover(&worker.handover, processes)) {
        return EXIT_FAILURE;
    }
    const struct supervised supervised = {.processes = processes,
                                          .has_companion = worker.query_process.is_ours,
                                          .is_followed = service_manager_is_there(),
                                          .hung_after = hung_after(&worker.config),
                                          .work = run_process,
                                          .ended = note_end,
                                          .beats = beats,
                                          .hung = note_hang,
                                          .reload = {read_configuration_again, check_configuration, adopt, discard},
                                          .context = &worker};
    handover_take_up(&worker.handover);
    int code = processes == 0 ? run_alone(&worker) : supervise(&supervised);
    handover_leave(&worker.handover);
    query_process_close(&worker.query_process);
    handover_close(&worker.handover);
    listener_close(&worker.listener);
    vault_close(worker.service.vault);
    config_free(&worker.config);
    return code;
}
