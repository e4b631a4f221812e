/* The files of sql/, built into the program by src/store/schema/embed-sql. */
#ifndef RECAUDO_STORE_SCHEMA_EMBEDDED_H
#define RECAUDO_STORE_SCHEMA_EMBEDDED_H

#include "base/text.h"

struct migration {
    const char *name;     /* 0001_foundation.sql: its number is its version */
    const char *checksum; /* SHA-256 in hex */
    struct text sql;
};

extern const struct migration embedded_migrations[];
extern const size_t embedded_migration_count;
extern const struct text embedded_versions, embedded_grants;

#endif
