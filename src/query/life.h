/*
 * Signs of life of recaudo-query, for whoever started it: systemd (sd_notify(3)) or the first process of recaudo-fcgi
 * (edge/query_process.h), which shares a counter. Without either these functions do nothing.
 */
#ifndef RECAUDO_QUERY_LIFE_H
#define RECAUDO_QUERY_LIFE_H

#include "base/base.h"

/* Call it before the process is confined: afterwards it can make no unix socket. */
void life_begin(void);

/* The loop has come round. */
void life_beat(void);

/* What it does: "READY=1" and the like. */
void life_tell(const char *state);

/* A reload begins. */
void life_reload(void);

#endif
