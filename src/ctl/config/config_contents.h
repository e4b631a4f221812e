/* `config check`: the contents of the database. */
#ifndef RECAUDO_CTL_CONFIG_CONFIG_CONTENTS_H
#define RECAUDO_CTL_CONFIG_CONFIG_CONTENTS_H

#include "ctl/config/config_findings.h"

/* Checks stored secrets, settings, networks and references, read through findings->reader. Root, who cannot log in as
 * the operator, reads as the owner. */
void check_contents(struct findings *findings);

#endif
