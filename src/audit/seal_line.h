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

enum { SEAL_FILE_ERROR_SIZE = 512 };

/*
 * Appends the lines of all seals that were made after the last one in the file, which is created with mode 0640. Only
 * appends, so the file may have the attribute +a. Nothing happens while another process appends. False: `error` says
 * why; *status is the database's failure, or STATUS_OK where it is the file's.
 */
MUST_USE bool seal_file_append(const char *path, struct connection *connection, enum status *status,
                               char error[SEAL_FILE_ERROR_SIZE]);

#endif
