/*
 * The file that keeps a line of each seal ([audit] seal_file). Whoever changes the database does not reach it, so it
 * also shows the dispatcher that the newest seals were removed or replaced before it would sign the changed events
 * again.
 */
#ifndef RECAUDO_AUDIT_SEAL_FILE_H
#define RECAUDO_AUDIT_SEAL_FILE_H

#include "audit/seal_line.h"

enum { SEAL_FILE_ERROR_SIZE = 512 };

enum seal_file_state {
    SEAL_FILE_FITS,    /* its last seal is in the database, or it has none */
    SEAL_FILE_DIFFERS, /* its last seal is not in the database, or has another digest there */
    SEAL_FILE_FAILED   /* it cannot be read or written, or the database failed */
};

/* Compares the last seal of the file with the database. Unless it fits, `error` says why not; *status is the database's
 * failure, or STATUS_OK. A file that does not exist fits. */
enum seal_file_state seal_file_compare(const char *path, struct connection *connection, enum status *status,
                                       char error[SEAL_FILE_ERROR_SIZE]);

/*
 * Compares, and where it fits appends the lines of all seals that were made after the last one in the file, which is
 * created with mode 0640. Only appends, so the file may have the attribute +a. While another process appends, returns
 * SEAL_FILE_FITS and does nothing.
 */
enum seal_file_state seal_file_append(const char *path, struct connection *connection, enum status *status,
                                      char error[SEAL_FILE_ERROR_SIZE]);

/* Where the file differs, appends a line that says so and lets it go on after the database's last seal, which is
 * written to line->seal. SEAL_FILE_FITS: there was nothing to do. SEAL_FILE_DIFFERS: the line was written. */
enum seal_file_state seal_file_resume(const char *path, struct connection *connection, struct resume_line *line,
                                      struct arena *arena, char error[SEAL_FILE_ERROR_SIZE]);

#endif
