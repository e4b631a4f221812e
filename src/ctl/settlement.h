/* recaudoctl report settlement: what became final on a day, and the forms it is printed in. */
#ifndef RECAUDO_CTL_SETTLEMENT_H
#define RECAUDO_CTL_SETTLEMENT_H

#include "ctl/day.h"
#include "ctl/tally.h"

struct settlement {
    struct day day;
    struct text network, merchant; /* names; empty: all */
    bool summary;                  /* without the operations */
    bool is_open;                  /* the day is not over: what is known so far, without a digest */
    instant closes_at;             /* when it will be over for good */
};

/* How a form is printed, on standard output. `digest` is NULL for a day that is open. */
struct settlement_form {
    const char *name;
    void (*begin)(const struct settlement *settlement);
    void (*operation)(const struct operation *operation, bool is_first); /* not called for a summary */
    void (*end)(const struct settlement *settlement, const struct tally_row *rows, size_t count, const char *digest);
};

extern const struct settlement_form settlement_table, settlement_json;

enum outcome settlement_report(struct context *context);

#endif
