/* Which system user a process of the dispatcher runs as. */
#ifndef RECAUDO_DISPATCH_BECOME_H
#define RECAUDO_DISPATCH_BECOME_H

#include "base/config/config.h"

/*
 * Started by root, and with an account that has no password file: becomes the system user of the account's name, for
 * ever, because the database lets nobody else log in to it. Otherwise does nothing. False: it cannot; logged.
 */
MUST_USE bool become_user_of(const struct account_config *account);

#endif
