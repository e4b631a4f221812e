/* What the log may say of an error of MariaDB. For sql.c. */
#ifndef RECAUDO_STORE_DB_ERROR_TEXT_H
#define RECAUDO_STORE_DB_ERROR_TEXT_H

#include "base/base.h"
#include "base/status.h"

/* Of MariaDB's own files; they reach clients, and their header is in no package. */
enum { EE_WRITE = 3, EE_DISK_FULL = 20 };

/* False: the server's text may quote a value, such as a customer's document. */
bool error_text_may_be_logged(unsigned error);

/* What the operator is to do, as the end of the line; may be empty. */
const char *error_mend(unsigned error, enum status status);

#endif
