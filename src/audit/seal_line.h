/*
 * A seal as one line of a file on another machine: its columns but the marks, with tabs between, after the word
 * recaudo-seal. Whoever keeps these lines sees that seals were replaced or the end of the chain was removed.
 */
#ifndef RECAUDO_AUDIT_SEAL_LINE_H
#define RECAUDO_AUDIT_SEAL_LINE_H

#include "store/operation/seals.h"

/* The line, with its line feed, in the arena. */
struct text seal_line_print(const struct seal_row *seal, struct arena *arena);

/* Reads a line without its line feed; the texts are parts of it. False: it is none. */
MUST_USE bool seal_line_parse(struct text line, struct seal_row *out);

/*
 * After a difference between the file and the database, an operator appends a line that names the database's last seal:
 * recaudo-seal-resume, 1, number, sealed_at, digest, instant, actor, reason, with tabs between. The file goes on after
 * that seal. It stands in the file because whoever can replace seals in the database must not be able to write it.
 */
struct resume_line {
    struct seal_row seal; /* number, sealed_at and digest; number 0: the database had no seal */
    struct text at, actor, reason;
};
struct text resume_line_print(const struct resume_line *line, struct arena *arena);
MUST_USE bool resume_line_parse(struct text line, struct resume_line *out);

#endif
