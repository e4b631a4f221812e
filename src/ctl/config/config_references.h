/* `config check`: whose references are. */
#ifndef RECAUDO_CTL_CONFIG_CONFIG_REFERENCES_H
#define RECAUDO_CTL_CONFIG_CONFIG_REFERENCES_H

#include "ctl/config/config_findings.h"
#include "store/db/connection.h"

/* Prefixes and integrations of two merchants that overlap, set up before the database refused it (doc/protocol.md,
 * "Whose a reference is"). */
void check_references(struct findings *findings, struct connection *connection);

#endif
