/* recaudoctl report settlement: a settlement, or what became final on a day, and the forms it is printed in. */
#ifndef RECAUDO_CTL_SETTLEMENT_SETTLEMENT_H
#define RECAUDO_CTL_SETTLEMENT_SETTLEMENT_H

#include "ctl/core/command.h"
#include "settlement/sheet.h"
#include "store/payment/settlements.h"

/* How a format is printed, on standard output. `digest` is NULL for what is open. */
struct settlement_format {
    const char *name;
    void (*begin)(const struct settlement *settlement);
    void (*operation)(const struct operation *operation, bool is_first); /* not called for a summary */
    void (*end)(const struct settlement *settlement, const struct tally_row *rows, size_t count, const char *digest);
};

extern const struct settlement_format settlement_table, settlement_json;

enum outcome settlement_report(struct context *context);

/* The settlement whose number the text is. Refused when there is none. */
enum outcome settlement_find(const struct context *context, struct text number, struct settlement_row *out);

#endif
