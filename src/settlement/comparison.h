/* Compares a network's list of payments with ours. Pure: takes rows, returns differences. */
#ifndef RECAUDO_SETTLEMENT_COMPARISON_H
#define RECAUDO_SETTLEMENT_COMPARISON_H

#include "settlement/network_file.h"

enum difference_kind { MISSING_HERE, MISSING_THERE, DIFFERS, REFUSED_LINE };

/* Returns the name used in reports: missing_here, missing_there, differs, refused. */
const char *difference_kind_name(enum difference_kind kind);

struct difference {
    enum difference_kind kind;
    uint64_t line; /* in the file; 0: no line */
    struct text transaction;
    uint64_t idservice; /* 0: unknown here */
    const char *field;  /* state, amount, currency or day */
    struct text here,
        there; /* the values on each side; `there` has the complaint about a line that could not be read */
    struct text currency;
    struct difference *next;
};

struct differences {
    struct difference *first, *last;
    size_t count, agreeing; /* lines of the file without a difference */
};

/* A transaction as stored here. */
struct own_payment {
    uint64_t id;
    struct text transaction;
    struct text state; /* FINALIZADA, CANCELADA, ... */
    struct money amount;
    struct text currency;
    struct text day; /* on which it was finalised or cancelled; empty: neither */
};

struct comparison;

/*
 * Everything is in the arena; the file must outlive the comparison. A line that could not be read, or whose transaction
 * an earlier line has, becomes a difference. `day` is the day to compare, and all lines of a file without dates are of
 * this day; empty: no day was given. A line of another day is refused unless its payment is of `day`.
 */
struct comparison *comparison_create(struct arena *arena, const struct network_file *file, struct text day);
void comparison_free(struct comparison *comparison);

/* Takes a payment that became final here in the compared period. */
void comparison_take(struct comparison *comparison, const struct own_payment *payment);

/* Returns the next line for which no payment was taken; NULL at the end. The caller must answer each line with one of
 * the two functions below. */
const struct network_line *comparison_next(struct comparison *comparison);
void comparison_answer(struct comparison *comparison, const struct network_line *line,
                       const struct own_payment *payment);
void comparison_answer_unknown(struct comparison *comparison, const struct network_line *line);

const struct differences *comparison_end(const struct comparison *comparison);

#endif
