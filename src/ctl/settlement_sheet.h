/*
 * The settlement as CSV. These lines are its canonical form: the digest is SHA-256 over all of them but the last, which holds it, in whatever
 * form the settlement is printed. So `head -n -1 FILE | sha256sum` checks a file.
 */
#ifndef RECAUDO_CTL_SETTLEMENT_SHEET_H
#define RECAUDO_CTL_SETTLEMENT_SHEET_H

#include "auth/digest.h"
#include "ctl/csv_line.h"
#include "ctl/settlement.h"

struct sheet {
    bool printed;          /* on standard output; else it only makes the digest */
    bool summary;          /* the operations count in the digest, but are not printed */
    struct digest *digest; /* NULL behind the lines that it counts */
    struct csv_line line;
};

void sheet_begin(struct sheet *sheet, const struct settlement *settlement);
void sheet_operation(struct sheet *sheet, const struct operation *operation);

/* Writes the digest, and frees what the sheet holds. */
void sheet_end(struct sheet *sheet, const struct settlement *settlement, const struct tally_row *rows, size_t count,
               char digest[DIGEST_HEX_SIZE]);

#endif
