/* `config check`: the key file. */
#ifndef RECAUDO_CTL_CONFIG_CONFIG_KEY_H
#define RECAUDO_CTL_CONFIG_CONFIG_KEY_H

#include "ctl/config/config_findings.h"

/* Checks that the file holds a key and that the programs that need it can read it. */
void check_key(struct findings *findings);

#endif
