#include "service.h"

#include "api/caller/changeover.h"
#include "api/caller/credentials.h"
#include "api/worker/commerces.h"
#include "api/worker/known_countries.h"
#include "fuzz.h"

static const char SETTINGS[] = "[database]\nsocket = /nonexistent/mysqld.sock\n";

static struct config config;
static struct service service;

static void make_service(void) {
    static struct connection_options options = {&config, &config.database.worker, 0};
    char error[CONFIG_ERROR_SIZE];
    assert(config_read(fuzz_file(SETTINGS, strlen(SETTINGS)), &config, error));
    log_set_level(LOG_ERROR);
    service.config = &config;
    service.service_name = text_of(config.worker.service_name);
    service.pool = pool_create(&options, 1);
    service.counters = counters_create();
    assert(service.counters != NULL);
    pool_watch(service.pool, &service.counters->processes[0].pool);
    counters_begin_process(service.counters, 0);
    service.changeover_notes = changeover_notes_create();
    service.network_credentials = cache_create(sizeof(struct credential));
    service.merchant_credentials = cache_create(sizeof(struct credential));
    service.commerces = cache_create(sizeof(struct commerce));
    service.countries = cache_create(sizeof(struct country));
    service.networks_at_limit = cache_create(sizeof(bool));
}

struct service *fuzz_service(void) {
    if (service.config == NULL) {
        make_service();
    }
    return &service;
}
