/*
 * Reports that recaudo-query is alive, to the program that started it: systemd (sd_notify(3)), or the first process of
 * recaudo-fcgi (edge/query_process.h), which shares a counter. Without either these functions do nothing.
 */
#ifndef RECAUDO_QUERY_LIFE_H
#define RECAUDO_QUERY_LIFE_H

#include "base/base.h"

/* Call it before the process is confined: afterwards it cannot create a unix socket. */
void life_begin(void);

/* Reports one pass of the loop. */
void life_beat(void);

/* Reports a state: "READY=1" and the like. */
void life_tell(const char *state);

/* Reports the beginning of a reload. */
void life_reload(void);

#endif
