/* A network's own list of payments: CSV text, read by the names of its columns. */
#ifndef RECAUDO_SETTLEMENT_NETWORK_FILE_H
#define RECAUDO_SETTLEMENT_NETWORK_FILE_H

#include "base/arena.h"
#include "base/clock.h"
#include "domain/money.h"

struct network_line {
    uint64_t number; /* in the file, from 1 */
    struct text transaction;
    struct money amount;
    struct text currency;  /* empty: the file does not say */
    struct text day;       /* 2026-11-21 in the zone; empty: the file does not say */
    struct text state;     /* as written; empty: the file does not say */
    bool is_cancelled;     /* by its state; else it is paid */
    const char *complaint; /* NULL: it could be read */
};

struct network_file {
    struct network_line *lines;
    size_t count;
    bool has_columns; /* the first line names those that are needed */
    bool has_days;    /* there is a column of dates */
};

/*
 * Reads to the end. Instants with a zone of their own (seconds since 1970, or ending in Z) are taken to `zone`, others
 * are there already. Lines are to be freed with network_file_free, texts are the arena's. A first line that will not do
 * is the only line, with its complaint. False: the file cannot be read; errno says why.
 */
MUST_USE bool network_file_read(FILE *from, const char *zone, struct arena *arena, struct network_file *out);

/* Why nothing of the file can be read; NULL: it has columns that will do. */
const char *network_file_complaint(const struct network_file *file);

/* The first and the last day that the lines of the file say; `at` is NULL when they say none. */
void network_file_days(const struct network_file *file, struct text *first, struct text *last);

void network_file_free(struct network_file *file);

#endif
