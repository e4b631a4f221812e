/* What `config check` has found so far. */
#ifndef RECAUDO_CTL_CONFIG_CONFIG_FINDINGS_H
#define RECAUDO_CTL_CONFIG_CONFIG_FINDINGS_H

#include "ctl/core/command.h"
#include "ctl/core/output.h"

struct findings {
    struct context *context;
    struct record_list *list;
    enum outcome outcome;
    const struct account_config *reader; /* the account that can read what the database keeps; NULL: none can */
};

/* STRANGE: legal, and usually not meant. UNKNOWN: for others to try. BLIND: not checked, so nobody may take it for
 * well. */
enum verdict { RIGHT, WRONG, UNKNOWN, BLIND, STRANGE };

/* What is wrong, could not be seen or is strange goes to standard error too; the first two change the outcome. */
void add_config_finding(struct findings *findings, const char *what, enum verdict verdict, const char *detail);

#endif
