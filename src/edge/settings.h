/* The configuration and key that the workers read at start and at each reload, and the checks that they pass first. */
#ifndef RECAUDO_EDGE_SETTINGS_H
#define RECAUDO_EDGE_SETTINGS_H

#include "api/worker/service.h"

struct settings {
    struct config config;
    struct vault *vault;
};

/* Reads the configuration and the key. False: failed; the reason is logged, and there is nothing to free. */
MUST_USE bool settings_read(struct settings *out);

void settings_free(struct settings *settings);

/*
 * Tries everything that a worker process does with the settings: the address lists, the shared files, the database as
 * the worker's account, and whether a stored secret can be decrypted. `before` is the configuration in use, NULL at the
 * start, when a key that decrypts none is only logged. An unreachable database is accepted, because it may come back,
 * unless a reload names another one. False: refused; the reason is logged. Takes up to settings_check_time, so a reload
 * runs it in a separate process.
 */
MUST_USE bool settings_fit(struct settings *settings, const struct config *before);

/* Returns the longest time of settings_fit, which may have to connect to every database server. */
duration settings_check_time(const struct config *config);

/* Opens the shared file of rate limits: [worker] rate_file, by default the path of the workers' socket with ".rates"
 * appended. NULL: failed; the reason is logged. Release it with rates_close. */
struct rates *settings_open_rates(const struct config *config);

#endif
