/* The findings of `config check`. */
#ifndef RECAUDO_CTL_CONFIG_CONFIG_FINDINGS_H
#define RECAUDO_CTL_CONFIG_CONFIG_FINDINGS_H

#include "ctl/core/command.h"
#include "ctl/core/record.h"

struct findings {
    struct context *context;
    struct record_list *list;
    enum outcome outcome;
    const struct account_config *reader; /* an account that can read the database's contents; NULL: none can */
};

/* STRANGE: legal but rarely intended. UNKNOWN: only another user can check it. BLIND: the check failed, so the outcome
 * must not say that all is right. */
enum verdict { RIGHT, WRONG, UNKNOWN, BLIND, STRANGE };

/* Adds a finding. WRONG, BLIND and STRANGE go to standard error too; WRONG and BLIND change the outcome. */
void add_config_finding(struct findings *findings, const char *what, enum verdict verdict, const char *detail);

#endif
