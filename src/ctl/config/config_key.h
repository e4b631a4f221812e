/* `config check`: the key file. */
#ifndef RECAUDO_CTL_CONFIG_CONFIG_KEY_H
#define RECAUDO_CTL_CONFIG_CONFIG_KEY_H

#include "ctl/config/config_findings.h"

/* Whether it has a key, and whether those that need it may read it: root tries that as their system users, which have
 * the names of their accounts of the database. */
void check_key(struct findings *findings);

#endif
