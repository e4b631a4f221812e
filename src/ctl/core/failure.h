/*
 * How a command ends without success. The reason goes to standard error, and with --json also to standard output as
 * {"error": reason}. Each function returns the outcome that the command returns.
 */
#ifndef RECAUDO_CTL_CORE_FAILURE_H
#define RECAUDO_CTL_CORE_FAILURE_H

#include "base/status.h"
#include "ctl/core/command.h"

/* The business rules refuse. */
enum outcome refuse(const struct context *context, const char *format, ...) PRINTF_LIKE(2, 3);

/* The command line is wrong. Prints the reason and the command's usage. */
enum outcome misuse(const struct context *context, const char *format, ...) PRINTF_LIKE(2, 3);

/* The machinery failed. `what` is the action that failed: "store the order". STATUS_AWAY and _UNSURE give
 * OUTCOME_AWAY. */
enum outcome fail(const struct context *context, enum status status, const char *what);

/* Fails after a part of the command was committed; `done` says which: "the settlement is closed". Always OUTCOME_AWAY,
 * because OUTCOME_REFUSED means that nothing was changed. */
enum outcome fail_after(const struct context *context, enum status status, const char *what, const char *done);

/* Prints a remark on standard error. It does not affect the outcome. */
void remark(const char *format, ...) PRINTF_LIKE(1, 2);

#endif
