/* recaudo-fcgi: the FastCGI worker. Wires the parts together; see recaudo-fcgi(8). */
#include "api/commerces.h"
#include "api/credentials.h"
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

static int work(void *of_worker) {
    struct worker *worker = of_worker;
    struct service *service = &worker->service;
    const struct connection_options options = {&worker->config, &worker->config.database.worker, false};
    service->pool = pool_create(&options, worker->config.worker.connections);
    service->credentials = cache_create(sizeof(struct credential));
    service->commerces = cache_create(sizeof(struct commerce));
    log_line(LOG_INFO, "worker %d serves with %llu threads and %llu database connections", (int)getpid(),
             (unsigned long long)worker->config.worker.threads, (unsigned long long)worker->config.worker.connections);
    bool served = serve_until_stopped(&worker->listener, service, worker->config.worker.threads);
    cache_destroy(service->commerces);
    cache_destroy(service->credentials);
    pool_destroy(service->pool);
    log_line(LOG_INFO, "worker %d has stopped", (int)getpid());
    return served ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* A schema of another version, or a refused login, will not mend itself; a database that is away may. */
static bool database_fits(const struct config *config) {
    const struct connection_options options = {config, &config->database.worker, false};
    struct connection *connection;
    enum status status = connection_open(&options, &connection);
    if (status == STATUS_OK) {
        connection_close(connection);
    }
    return status == STATUS_OK || status == STATUS_AWAY;
}

static bool set_up(struct worker *worker) {
    char error[CONFIG_ERROR_SIZE];
    if (!config_read(config_path(NULL), &worker->config, error)) {
        log_line(LOG_ERROR, "%s", error);
        return false;
    }
    log_set_level(worker->config.log.level);
    worker->service.config = &worker->config;
    worker->service.service_name = text_of(worker->config.worker.service_name);
    if (!vault_open(&worker->service.vault, worker->config.security.key_file, error)) {
        log_line(LOG_ERROR, "%s", error);
        return false;
    }
    return database_fits(&worker->config) && listener_open(&worker->config, &worker->listener);
}

static void block_signals(void) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGCHLD);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int main(int count, char **arguments) {
    static struct worker worker;
    if (count > 1) {
        fprintf(stderr, "usage: %s (configuration: $RECAUDO_CONFIG or %s)\n", arguments[0], config_path(NULL));
        return 2;
    }
    block_signals();
    if (!set_up(&worker)) {
        return EXIT_NOT_CONFIGURED;
    }
    size_t processes = worker.config.worker.processes;
    int code = processes == 0 ? work(&worker) : supervise(processes, work, &worker);
    listener_close(&worker.listener);
    vault_close(&worker.service.vault);
    config_free(&worker.config);
    return code;
}
