/*
 * How the link to a database server is protected: TLS as [database] tls says when it is reached over TCP. Over TCP and
 * a socket alike, only logins that do not send the password.
 */
#ifndef RECAUDO_STORE_DB_SERVER_LINK_H
#define RECAUDO_STORE_DB_SERVER_LINK_H

#include <mysql.h>

#include "base/config/config.h"

/* Sets the options before connecting. Returns false, logged, if TLS cannot be used as configured: an unreadable file of
 * [database] tls_*, no authority to trust, or verification disabled by the environment. */
MUST_USE bool server_link_protect(MYSQL *mysql, const struct config *config);

/* Returns the remedy for a connection that failed with `error` and `message`, to end a log line with: ": ...", or "" if
 * there is none. */
const char *server_link_remedy(unsigned error, const char *message);

#endif
