/* What the worker reads at its start and again at each reload, and whether it can be worked with. */
#ifndef RECAUDO_EDGE_SETTINGS_H
#define RECAUDO_EDGE_SETTINGS_H

#include "api/worker/service.h"

struct settings {
    struct config config;
    struct vault *vault;
};

/* Reads the configuration and the key. False: logged why; nothing to free. */
MUST_USE bool settings_read(struct settings *out);

void settings_free(struct settings *settings);

/*
 * Tries all that a worker process does with them: the lists of addresses, the shared files, the database as the
 * worker's account, and whether a stored secret opens. `before` is what is in use, NULL at the start: a database that
 * is away mends itself, unless it is another one than before. False: logged why. May take settings_check_time, so a
 * reload runs it in a process of its own.
 */
MUST_USE bool settings_fit(struct settings *settings, const struct config *before);

/* How long connecting to every server and the other checks take at most. */
duration settings_check_time(const struct config *config);

struct rates *settings_open_rates(const struct config *config);

#endif
