/* How many payments were confirmed in each of the last minutes and hours (table payment_counts). */
#ifndef RECAUDO_STORE_PAYMENT_COUNTS_H
#define RECAUDO_STORE_PAYMENT_COUNTS_H

#include "base/arena.h"
#include "store/db/connection.h"

/* Counts the minutes that are over. Dispatchers that do so at the same time write the same. */
enum status payment_counts_update(struct connection *connection);

enum payment_span { PAYMENT_SPAN_MINUTE, PAYMENT_SPAN_HOUR };

struct payment_period {
    enum payment_span span;
    instant since;
};

/* How many payments of a currency were confirmed in one minute or hour. */
struct payment_count {
    instant began_at; /* UTC */
    struct text currency;
    uint64_t payments;
};

/* Calls `each` for the counts of the period, oldest first, up to 1000. `each` must not use the connection. */
enum status payment_counts_list(struct connection *connection, const struct payment_period *period, struct arena *arena,
                                void (*each)(void *context, const struct payment_count *count), void *context);

#endif
