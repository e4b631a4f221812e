/*
 * The file that keeps a line of each seal ([audit] seal_file). An intruder in the database cannot change it. So it
 * shows the dispatcher that the newest seals were removed or replaced, before it would sign the changed events again.
 */
#ifndef RECAUDO_AUDIT_SEAL_FILE_H
#define RECAUDO_AUDIT_SEAL_FILE_H

#include "audit/seal_line.h"

enum { SEAL_FILE_ERROR_SIZE = 512 };

enum seal_file_state {
    SEAL_FILE_FITS,    /* the file's last seal is in the database, or the file has no seal */
    SEAL_FILE_DIFFERS, /* the file's last seal is not in the database, or has another digest there */
    SEAL_FILE_FAILED   /* the file could not be read or written, or the database failed */
};

/* Compares the last seal of the file with the database. On other results than SEAL_FILE_FITS, `error` says why. *status
 * is the database's failure, or STATUS_OK. A missing file fits. */
enum seal_file_state seal_file_compare(const char *path, struct connection *connection, enum status *status,
                                       char error[SEAL_FILE_ERROR_SIZE]);

/*
 * Compares; if the file fits, appends the lines of up to SEALS_AT_ONCE seals made after its last one. *more: it may
 * lack further ones. Creates the file with mode 0640. Only appends, so the file may have the attribute +a. If another
 * process holds the lock, returns SEAL_FILE_FITS without appending.
 */
enum seal_file_state seal_file_append(const char *path, struct connection *connection, bool *more, enum status *status,
                                      char error[SEAL_FILE_ERROR_SIZE]);

/* If the file differs, appends a resume line, after which the file continues with the database's last seal. Sets
 * line->seal to that seal.
 * SEAL_FILE_FITS: the file did not differ; nothing was written.
 * SEAL_FILE_DIFFERS: the line was written. */
enum seal_file_state seal_file_resume(const char *path, struct connection *connection, struct resume_line *line,
                                      struct arena *arena, char error[SEAL_FILE_ERROR_SIZE]);

#endif
