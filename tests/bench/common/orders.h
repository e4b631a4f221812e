/* The orders a benchmark works on: a file with one order per line, `reference amount commerce money`, separated by
 * tabs. */
#ifndef RECAUDO_BENCH_ORDERS_H
#define RECAUDO_BENCH_ORDERS_H

#include "base/base.h"

struct orders {
    char *text;     /* the whole file, tabs and line ends replaced by NUL */
    size_t *starts; /* where each order's reference begins in `text` */
    size_t count;
};

/* Points into the `struct orders` it was taken from. */
struct order_line {
    const char *reference;
    const char *amount; /* the text that a lookup must answer, and that a registration sends */
    const char *commerce;
    const char *money;
};

/* Reads the file. Prints the reason and ends the program when it cannot be read, has no order, or has a line that is
 * not of the form above or holds what would have to be escaped in JSON. */
void orders_load(struct orders *orders, const char *path);

void orders_free(struct orders *orders);

/* index < orders->count */
struct order_line orders_at(const struct orders *orders, size_t index);

#endif
