/* Whether the user who runs recaudoctl can log in with a database account. */
#ifndef RECAUDO_CTL_CORE_LOGIN_H
#define RECAUDO_CTL_CORE_LOGIN_H

#include "base/config/config.h"

/* Returns false if the account has no password file, and the system user is another one or the database is reached over
 * TCP. The database would refuse the login. */
bool login_is_possible(const struct config *config, const struct account_config *account);

#endif
