/*
 * How a command ends when it is not done: the reason goes to standard error, and with --json also to standard output as
 * {"error": reason}. Each returns the outcome to return.
 */
#ifndef RECAUDO_CTL_CORE_FAILURE_H
#define RECAUDO_CTL_CORE_FAILURE_H

#include "base/status.h"
#include "ctl/core/command.h"

/* The business says no. */
enum outcome refuse(const struct context *context, const char *format, ...) PRINTF_LIKE(2, 3);

/* The command line is wrong: the reason and how the command is used. */
enum outcome misuse(const struct context *context, const char *format, ...) PRINTF_LIKE(2, 3);

/* The machine did not work; `what` is what was to be done, "store the order". STATUS_AWAY and _UNSURE: OUTCOME_AWAY. */
enum outcome fail(const struct context *context, enum status status, const char *what);

/* After part of the command was committed: `done` says what, "the settlement is closed". Always OUTCOME_AWAY, because
 * who is told OUTCOME_REFUSED takes it that nothing was changed. */
enum outcome fail_after(const struct context *context, enum status status, const char *what, const char *done);

/* A remark that changes nothing, on standard error. */
void remark(const char *format, ...) PRINTF_LIKE(1, 2);

#endif
