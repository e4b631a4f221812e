/* A network's own list of payments: CSV text, whose columns are found by name. */
#ifndef RECAUDO_SETTLEMENT_NETWORK_FILE_H
#define RECAUDO_SETTLEMENT_NETWORK_FILE_H

#include "base/arena.h"
#include "base/clock.h"
#include "domain/money.h"

struct network_line {
    uint64_t number; /* in the file, from 1 */
    struct text transaction;
    struct money amount;
    struct text currency;  /* empty: not in the file */
    struct text day;       /* 2026-11-21 in the zone; empty: not in the file */
    struct text state;     /* as written; empty: not in the file */
    bool is_cancelled;     /* according to its state; else it is paid */
    const char *complaint; /* NULL: the line was read */
};

struct network_file {
    struct network_line *lines;
    size_t count;
    bool has_columns; /* the first line names all required columns */
    bool has_days;    /* the file has a column of dates */
};

/*
 * Reads to the end of the file. Instants in a known zone (seconds since 1970, or ending in Z) are converted to `zone`;
 * others are taken as local already. Free the lines with network_file_free; texts are in the arena. If the first line
 * is invalid, it is the only line returned, with its complaint. Returns false and sets errno if the file cannot be
 * read.
 */
MUST_USE bool network_file_read(FILE *from, const char *zone, struct arena *arena, struct network_file *out);

/* Returns why no line of the file can be used; NULL: the file has the required columns. */
const char *network_file_complaint(const struct network_file *file);

/* Returns the earliest and latest day in the file; `at` is NULL if it has no day. */
void network_file_days(const struct network_file *file, struct text *first, struct text *last);

void network_file_free(struct network_file *file);

#endif
