/* `config check`: whether each account of the database can be used. */
#ifndef RECAUDO_CTL_CONFIG_CONFIG_ACCOUNTS_H
#define RECAUDO_CTL_CONFIG_CONFIG_ACCOUNTS_H

#include "ctl/config/config_findings.h"

/* Logs in with each account, and looks for differences between the schema and sql/. Sets `reader`. */
void check_accounts(struct findings *findings);

#endif
