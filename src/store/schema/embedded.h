/* The files of sql/, built into the program by src/store/schema/embed-sql. */
#ifndef RECAUDO_STORE_SCHEMA_EMBEDDED_H
#define RECAUDO_STORE_SCHEMA_EMBEDDED_H

#include "base/text.h"

/* A row of schema_version. */
struct version_row {
    unsigned version;
    const char *name;     /* such as 0021_foundation.sql; of an older release, its file, such as 0011_totals.sql */
    const char *checksum; /* SHA-256 in hex */
};

/* What upgrades a database of an older release, sql/upgrade/NUMBER.sql; a part may be empty. */
struct upgrade {
    unsigned from; /* the version it upgrades, to that of the next upgrade or, for the last one, of the foundation */
    struct text before; /* applied before the foundation's programs */
    struct text last;   /* table that `before` makes last: where it is, all of `before` was applied */
    struct text after;  /* applied after them */
};

/* sql/foundation.sql: its row of schema_version; its tables; its functions, triggers and views. */
extern const struct version_row embedded_foundation;
extern const struct text embedded_tables, embedded_programs;
/* In ascending order. */
extern const struct upgrade embedded_upgrades[];
extern const size_t embedded_upgrade_count;
/* The rows that older releases have written into schema_version. */
extern const struct version_row embedded_released[];
extern const size_t embedded_released_count;
extern const struct text embedded_versions, embedded_grants;

#endif
