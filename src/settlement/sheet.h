/*
 * A settlement as CSV. These lines are its canonical form: the digest is SHA-256 over all of them but the last, which
 * holds it, in whatever form the settlement is printed. So `head -n -1 FILE | sha256sum` checks a file.
 */
#ifndef RECAUDO_SETTLEMENT_SHEET_H
#define RECAUDO_SETTLEMENT_SHEET_H

#include "auth/digest.h"
#include "base/csv_line.h"
#include "settlement/tally.h"

/* What is reported: a settlement, or the operations of a day. */
struct settlement {
    uint64_t number;               /* 0: a day, by the instants of its operations */
    struct text date, zone;        /* the day; empty: the settlement is of none */
    instant begins_at, ends_at;    /* of a settlement: when it was opened and closed; ends_at 0: open */
    struct text closed_by;         /* empty: open, or a day */
    struct text network, merchant; /* names; empty: all */
    bool summary;                  /* without the operations */
    bool is_open;                  /* more may come: what is known so far, without a digest */
};

struct sheet {
    void (*write)(void *context, struct text line); /* takes the lines; NULL: it only makes the digest */
    void *context;
    bool summary;          /* the operations count in the digest, but are not printed */
    struct digest *digest; /* NULL behind the lines that it counts */
    struct csv_line line;
};

void sheet_begin(struct sheet *sheet, const struct settlement *settlement);
void sheet_operation(struct sheet *sheet, const struct operation *operation);

/* Writes the digest, and frees what the sheet holds. Of an open settlement the last line says so instead. */
void sheet_end(struct sheet *sheet, const struct settlement *settlement, const struct tally_row *rows, size_t count,
               char digest[DIGEST_HEX_SIZE]);

#endif
