/* `config check`: to which merchant references belong. */
#ifndef RECAUDO_CTL_CONFIG_CONFIG_REFERENCES_H
#define RECAUDO_CTL_CONFIG_CONFIG_REFERENCES_H

#include "ctl/config/config_findings.h"
#include "store/db/connection.h"

/* Finds overlapping prefixes and integrations of different merchants that were set up before the database refused them
 * (doc/protocol.md, "Whose a reference is"). */
void check_references(struct findings *findings, struct connection *connection);

#endif
