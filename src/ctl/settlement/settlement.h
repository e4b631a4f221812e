/* recaudoctl report settlement: a settlement, or the operations that became final on a day, and the output formats. */
#ifndef RECAUDO_CTL_SETTLEMENT_SETTLEMENT_H
#define RECAUDO_CTL_SETTLEMENT_SETTLEMENT_H

#include "ctl/core/command.h"
#include "settlement/sheet.h"
#include "store/payment/settlements.h"

/* Prints a format on standard output. `digest` is NULL for an open settlement. */
struct settlement_format {
    const char *name;
    void (*begin)(const struct settlement *settlement);
    void (*operation)(const struct operation *operation, bool is_first); /* not called for a summary */
    void (*end)(const struct settlement *settlement, const struct tally_row *rows, size_t count, const char *digest);
};

extern const struct settlement_format settlement_table, settlement_json;

enum outcome settlement_report(struct context *context);

/* Finds the settlement with this number. Refused if it does not exist. */
enum outcome settlement_find(const struct context *context, struct text number, struct settlement_row *out);

#endif
