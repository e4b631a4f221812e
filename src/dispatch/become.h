/* Changes the system user of a dispatcher process. */
#ifndef RECAUDO_DISPATCH_BECOME_H
#define RECAUDO_DISPATCH_BECOME_H

#include "base/config/config.h"

/*
 * If root started the process and the account has no password file, permanently becomes the system user of the
 * account's name, because the database lets only that user log in. Otherwise does nothing. False: failure, logged.
 */
MUST_USE bool become_user_of(const struct account_config *account);

#endif
