/* Whether an account of the database can be used by whoever runs recaudoctl. */
#ifndef RECAUDO_CTL_COMMON_LOGIN_H
#define RECAUDO_CTL_COMMON_LOGIN_H

#include "base/config/config.h"

/* False: it has no password file, and the system user is another one or the database is reached over TCP, so that the
 * database would refuse the login. */
bool login_is_possible(const struct config *config, const struct account_config *account);

#endif
