/* `config check`: can each account of the database be used? */
#ifndef RECAUDO_CTL_CONFIG_CONFIG_ACCOUNTS_H
#define RECAUDO_CTL_CONFIG_CONFIG_ACCOUNTS_H

#include "ctl/config/config_findings.h"

/* Logs in with each, and looks for what was dropped from the schema. Sets `reader`. */
void check_accounts(struct findings *findings);

#endif
