/* The formats of a report. */
#ifndef RECAUDO_CTL_SETTLEMENT_REPORT_FORMAT_H
#define RECAUDO_CTL_SETTLEMENT_REPORT_FORMAT_H

#include "ctl/core/command.h"

enum report_format { REPORT_TABLE, REPORT_CSV, REPORT_JSON };

#define FORMAT_OPTION                                                                                                  \
    {.name = "format", .value = "table|csv|json", .help = "how it is printed (table; with --json json)"}

/* Reads the format from --format or --json. */
enum outcome report_format_take(const struct context *context, enum report_format *out);

#endif
