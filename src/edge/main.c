/* recaudo-fcgi: the FastCGI worker. Wires the parts together; see recaudo-fcgi(8). */
#include "api/commerces.h"
#include "api/credentials.h"
#include "api/known_countries.h"
#include "api/old_secret.h"
#include "edge/serve.h"
#include "edge/supervise.h"
#include "store/connection.h"

#include <signal.h>
#include <unistd.h>

struct worker {
    struct config config;
    struct listener listener;
    struct service service;
};

_Static_assert((size_t)PROCESSES_MAX <= COUNTERS_PROCESSES_MAX, "every process has a place");

static void note_end(void *of_worker, size_t place) {
    const struct worker *worker = of_worker;
    counters_end_process(worker->service.counters, place);
}

static struct rates *open_rates(const struct config *config) {
    char path[1024];
    snprintf(path, sizeof path, "%s.rates", config->worker.socket);
    return rates_open(config->worker.rate_file == NULL ? path : config->worker.rate_file);
}

static int work(void *of_worker, size_t place) {
    struct worker *worker = of_worker;
    struct service *service = &worker->service;
    const struct connection_options options = {&worker->config, &worker->config.database.worker, false,
                                               REQUEST_LOCK_WAIT};
    service->means = query_means_create(&worker->config);
    if (service->means == NULL) {
        return EXIT_NOT_CONFIGURED;
    }
    service->rates = open_rates(&worker->config);
    if (service->rates == NULL) {
        query_means_destroy(service->means);
        return EXIT_NOT_CONFIGURED;
    }
    service->pool = pool_create(&options, worker->config.worker.connections);
    pool_watch(service->pool, &service->counters->processes[place].pool);
    service->turns = turns_create(worker->config.worker.threads);
    counters_begin_process(service->counters, place, worker->config.worker.threads);
    service->old_secret_notes = old_secret_notes_create();
    service->credentials = cache_create(sizeof(struct credential));
    service->merchants = cache_create(sizeof(struct credential));
    service->commerces = cache_create(sizeof(struct commerce));
    service->countries = cache_create(sizeof(struct country));
    log_line(LOG_INFO, "worker %d serves with %llu threads and %llu database connections", (int)getpid(),
             (unsigned long long)worker->config.worker.threads, (unsigned long long)worker->config.worker.connections);
    size_t threads = worker->config.worker.threads + query_means_waiting_max(&worker->config);
    bool served = serve_until_stopped(&worker->listener, service, threads);
    cache_destroy(service->countries);
    cache_destroy(service->commerces);
    cache_destroy(service->merchants);
    cache_destroy(service->credentials);
    old_secret_notes_destroy(service->old_secret_notes);
    turns_destroy(service->turns);
    pool_destroy(service->pool);
    rates_close(service->rates);
    query_means_destroy(service->means);
    log_line(LOG_INFO, "worker %d has stopped", (int)getpid());
    return served ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* A schema of another version, or a refused login, will not mend itself; a database that is away may. */
static bool database_fits(const struct config *config) {
    const struct connection_options options = {config, &config->database.worker, false, REQUEST_LOCK_WAIT};
    struct connection *connection;
    enum status status = connection_open(&options, &connection);
    if (status == STATUS_OK) {
        connection_close(connection);
    }
    return status == STATUS_OK || status == STATUS_AWAY;
}

/* Everything that a reload reads again. On failure nothing of `out` is kept; logged. */
static bool read_settings(struct config *config, struct vault **vault) {
    char error[CONFIG_ERROR_SIZE];
    if (!config_read(config_path(NULL), config, error)) {
        log_line(LOG_ERROR, "%s", error);
        return false;
    }
    *vault = vault_open(config->security.key_file, error);
    if (*vault == NULL) {
        log_line(LOG_ERROR, "%s", error);
        config_free(config);
        return false;
    }
    return true;
}

static void use_settings(struct worker *worker, const struct config *config, struct vault *vault) {
    worker->config = *config;
    worker->service.vault = vault;
    worker->service.config = &worker->config;
    worker->service.service_name = text_of(worker->config.worker.service_name);
    log_set_level(worker->config.log.level);
}

static bool set_up(struct worker *worker) {
    struct config config;
    struct vault *vault;
    if (!read_settings(&config, &vault)) {
        return false;
    }
    use_settings(worker, &config, vault);
    return database_fits(&worker->config) && listener_open(&worker->config, &worker->listener);
}

/* The socket stays the one that was opened at the start. */
static bool reload(void *of_worker, size_t *processes) {
    struct worker *worker = of_worker;
    struct config config;
    struct vault *vault;
    if (!read_settings(&config, &vault)) {
        log_line(LOG_ERROR, "not reloaded: going on with the configuration read before");
        return false;
    }
    vault_close(worker->service.vault);
    config_free(&worker->config);
    use_settings(worker, &config, vault);
    *processes = worker->config.worker.processes > 0 ? worker->config.worker.processes : 1;
    log_line(LOG_INFO, "configuration reloaded");
    return true;
}

static void block_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/*
 * libfcgi keeps a thread with every connection that it closes until the other side closes too, up to 2 s, unless this says otherwise.
 * Requests are read to their end, so nothing is lost without it; one that stopped in the middle costs its time only once.
 */
static void close_at_once(void) {
    setenv("LIBFCGI_OS_CLOSE_POLL_TIMEOUT", "0", true);
}

int main(int count, char **arguments) {
    static struct worker worker;
    if (count > 1) {
        fprintf(stderr, "usage: %s (configuration: $RECAUDO_CONFIG or %s)\n", arguments[0], config_path(NULL));
        return 2;
    }
    block_signals();
    close_at_once();
    if (!set_up(&worker)) {
        return EXIT_NOT_CONFIGURED;
    }
    worker.service.counters = counters_create();
    size_t processes = worker.config.worker.processes;
    const struct supervised supervised = {processes, work, note_end, reload, &worker};
    int code = processes == 0 ? work(&worker, 0) : supervise(&supervised);
    counters_destroy(worker.service.counters);
    listener_close(&worker.listener);
    vault_close(worker.service.vault);
    config_free(&worker.config);
    return code;
}
