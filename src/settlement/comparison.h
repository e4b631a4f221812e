/* A network's list of payments and ours, side by side. Pure: rows come in, differences come out. */
#ifndef RECAUDO_SETTLEMENT_COMPARISON_H
#define RECAUDO_SETTLEMENT_COMPARISON_H

#include "settlement/network_file.h"

enum difference_kind { MISSING_HERE, MISSING_THERE, DIFFERS, REFUSED_LINE };

/* As it stands in reports: missing_here, missing_there, differs, refused. */
const char *difference_kind_name(enum difference_kind kind);

struct difference {
    enum difference_kind kind;
    uint64_t line; /* of the file; 0: it has none */
    struct text transaction;
    uint64_t idservice;      /* 0: unknown here */
    const char *field;       /* state, amount, currency or day */
    struct text here, there; /* what each side says; the complaint about a line that could not be read is `there` */
    struct text currency;
    struct difference *next;
};

struct differences {
    struct difference *first, *last;
    size_t count, agreeing; /* lines of the file that agree in all */
};

/* A transaction as it stands here. */
struct own_payment {
    uint64_t id;
    struct text transaction;
    struct text state; /* FINALIZADA, CANCELADA, ... */
    struct money amount;
    struct text currency;
    struct text day; /* on which it was finalised or cancelled; empty: it was not */
};

struct comparison;

/*
 * Everything lives in the arena; the file must outlive it. Lines that could not be read, or whose transaction an
 * earlier one has, are differences. `day` is the day asked for, which a file without dates is all of; empty: none was.
 * A line of another day is refused unless its payment is of that day.
 */
struct comparison *comparison_create(struct arena *arena, const struct network_file *file, struct text day);
void comparison_free(struct comparison *comparison);

/* A payment that became final here in the time that the file is for. */
void comparison_take(struct comparison *comparison, const struct own_payment *payment);

/* The next line that no payment was taken for; NULL: there is none. The caller answers each with one of the two
 * below. */
const struct network_line *comparison_next(struct comparison *comparison);
void comparison_answer(struct comparison *comparison, const struct network_line *line,
                       const struct own_payment *payment);
void comparison_answer_unknown(struct comparison *comparison, const struct network_line *line);

const struct differences *comparison_end(const struct comparison *comparison);

#endif
