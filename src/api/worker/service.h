/* What all requests of a worker process share. Created once by main; used by all tasks of its loop. */
#ifndef RECAUDO_API_WORKER_SERVICE_H
#define RECAUDO_API_WORKER_SERVICE_H

#include "api/worker/cache.h"
#include "api/worker/counters.h"
#include "api/worker/shared_statement.h"
#include "auth/vault.h"
#include "base/config/config.h"
#include "store/pool/pool.h"

struct service {
    const struct config *config;
    struct text service_name; /* COMMERCE of top-ups */
    struct vault *vault;
    struct pool *pool;
    struct counters *counters; /* shared by all processes */
    shared_count *beats;       /* of this process, in `counters` */
    struct query_resources *query_resources;
    struct changeover_notes *changeover_notes;
    struct rates *rates;
    struct cache *network_credentials;  /* of struct credential, by the network's name */
    struct cache *merchant_credentials; /* of struct credential, by the merchant's name */
    struct cache *commerces;            /* of struct commerce, by the merchant's id */
    struct cache *countries;            /* of struct country, by its code */
    struct cache *networks_at_limit;    /* of bool, by the network's id: a confirmation of it has exceeded a limit */
    /* one of each, for all requests */
    struct shared_statement lookups, closed_lookups, registrations, confirmations, cancellations;
};

#endif
