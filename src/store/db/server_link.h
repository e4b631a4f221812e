/*
 * How the link to a database server is protected: TLS by [database] tls where it is reached over TCP, and logins that
 * never show a server the password, wherever it is.
 */
#ifndef RECAUDO_STORE_DB_SERVER_LINK_H
#define RECAUDO_STORE_DB_SERVER_LINK_H

#include <mysql.h>

#include "base/config/config.h"

/* Sets the options of a connection that is about to be made. False: a file of [database] tls_* cannot be used, which is
 * logged. */
MUST_USE bool server_link_protect(MYSQL *mysql, const struct config *config);

/* What to do about a connection that failed with `error` and `message`, for the end of a log line: ": ..."; "" for
 * other causes. */
const char *server_link_remedy(unsigned error, const char *message);

#endif
