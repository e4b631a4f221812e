/* `config check`: whether the programs can read their files. */
#ifndef RECAUDO_CTL_CONFIG_CONFIG_READERS_H
#define RECAUDO_CTL_CONFIG_CONFIG_READERS_H

#include "ctl/config/config_findings.h"

/* The system user of recaudo-query. The other programs' users have the names of their database accounts. */
#define QUERY_USER "recaudo_query"

/* How a file becomes readable for a program. */
enum remedy {
    FOR_ALL,       /* it holds no secret */
    FOR_ITS_GROUP, /* the group recaudo */
    FOR_ITS_USER,  /* only this user reads it */
    FOR_SEALING,   /* the settling dispatcher's group */
    FOR_ONE_GROUP  /* a secret that every program reads */
};

/* Root tries to open the file as each of these system users; the list ends with NULL. Returns the detail of a finding
 * for the first user that cannot, or NULL: none, or the current user is not root. */
const char *find_barred_reader(const struct findings *findings, const char *path, const char *const *users,
                               enum remedy remedy);

/* Adds a finding on a file that the current user can read: WRONG if find_barred_reader finds a user, else RIGHT, with
 * what was not tried. */
void check_readers(struct findings *findings, const char *what, const char *path, const char *const *users,
                   enum remedy remedy);

#endif
