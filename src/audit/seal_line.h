/*
 * A seal as one line of a file on another machine: the word recaudo-seal and the seal's columns except the marks,
 * separated by tabs. Comparing these lines with the database shows whether seals were replaced or removed from the end
 * of the chain.
 */
#ifndef RECAUDO_AUDIT_SEAL_LINE_H
#define RECAUDO_AUDIT_SEAL_LINE_H

#include "store/operation/seals.h"

/* Returns the line with its line feed, in the arena. */
struct text seal_line_print(const struct seal_row *seal, struct arena *arena);

/* Reads a line without its line feed; the texts point into it. Returns false if it is not such a line. */
MUST_USE bool seal_line_parse(struct text line, struct seal_row *out);

/*
 * After a difference between the file and the database, an operator appends a line that names the database's last seal:
 * recaudo-seal-resume, 1, number, sealed_at, digest, instant, actor, reason, separated by tabs. The file continues
 * after that seal. The line is kept in the file because an intruder who can replace seals in the database must not be
 * able to write it.
 */
struct resume_line {
    struct seal_row seal; /* number, sealed_at and digest; number 0: the database had no seal */
    struct text at, actor, reason;
};
struct text resume_line_print(const struct resume_line *line, struct arena *arena);
MUST_USE bool resume_line_parse(struct text line, struct resume_line *out);

#endif
