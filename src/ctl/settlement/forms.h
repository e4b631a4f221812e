/* The forms that a report can be printed in. */
#ifndef RECAUDO_CTL_SETTLEMENT_FORMS_H
#define RECAUDO_CTL_SETTLEMENT_FORMS_H

#include "ctl/core/command.h"

enum form { FORM_TABLE, FORM_CSV, FORM_JSON };

#define FORMAT_OPTION                                                                                                  \
    {.name = "format", .value = "table|csv|json", .help = "how it is printed (table; with --json json)"}

/* The form that --format or --json names. */
enum outcome forms_take(const struct context *context, enum form *out);

#endif
