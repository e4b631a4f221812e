/* `config check`: what the database keeps. */
#ifndef RECAUDO_CTL_CONFIG_CONFIG_CONTENTS_H
#define RECAUDO_CTL_CONFIG_CONFIG_CONTENTS_H

#include "ctl/config/config_findings.h"

/* Stored secrets, settings, networks and references, read by findings->reader. Root, who cannot be the operator, reads
 * as the owner. */
void check_contents(struct findings *findings);

#endif
