/* What the log may contain about a MariaDB error. */
#ifndef RECAUDO_STORE_DB_ERROR_TEXT_H
#define RECAUDO_STORE_DB_ERROR_TEXT_H

#include "base/base.h"
#include "base/status.h"

/* Error numbers of MariaDB's file layer. They reach clients, but no package has the header that defines them. */
enum { EE_WRITE = 3, EE_DISK_FULL = 20 };

/* Returns false if the server's text may quote a value, such as a customer's document. */
bool error_text_may_be_logged(unsigned error);

/* Returns the remedy if the disk is full, or may be; else an empty text. */
const char *error_room(unsigned error, enum status status);

/* Returns the remedy for the operator, which may be that one, to end the log line with; may be empty. */
const char *error_mend(unsigned error, enum status status);

#endif
