/*
 * A settlement as CSV. These lines are its canonical form: in every output format, the digest is SHA-256 over all lines
 * but the last, which contains it. `head -n -1 FILE | sha256sum` checks a file.
 */
#ifndef RECAUDO_SETTLEMENT_SHEET_H
#define RECAUDO_SETTLEMENT_SHEET_H

#include "auth/digest.h"
#include "base/csv/csv_line.h"
#include "settlement/tally.h"

/* The subject of a report: a settlement, or the operations of a day. */
struct settlement {
    uint64_t number;               /* 0: a day, selected by the times of the operations */
    struct text date, zone;        /* the day; empty: the settlement has none */
    instant begins_at, ends_at;    /* when the settlement was opened and closed; ends_at 0: open */
    struct text closed_by;         /* empty: open, or a day */
    struct text network, merchant; /* names; empty: all */
    bool summary;                  /* without the operations */
    bool is_open;                  /* operations may still be added; there is no digest yet */
};

struct sheet {
    void (*write)(void *context, struct text line); /* takes each line; NULL if only the digest is computed */
    void *context;
    bool summary;          /* include the operations in the digest, but do not print them */
    struct digest *digest; /* NULL after the lines that it covers */
    struct csv_line line;
};

void sheet_begin(struct sheet *sheet, const struct settlement *settlement);
void sheet_operation(struct sheet *sheet, const struct operation *operation);

/* Writes the last line, which has the digest or says that the settlement is open. Frees the sheet's memory. */
void sheet_end(struct sheet *sheet, const struct settlement *settlement, const struct tally_row *rows, size_t count,
               char digest[DIGEST_HEX_SIZE]);

#endif
