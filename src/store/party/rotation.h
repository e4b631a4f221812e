/* The statements that replace a secret, and those that end the old one, take the same parameters. For the files of
 * src/store. */
#ifndef RECAUDO_STORE_PARTY_ROTATION_H
#define RECAUDO_STORE_PARTY_ROTATION_H

#include "store/db/guarded.h"

/* Runs and ends a statement that puts a new secret in the place of one, which stays good for `overlap`; 0: not at all.
 * `changed_at`: of the row as it was read; one that somebody has changed since then stays as it is. */
static inline enum status rotate_run(struct sql *sql, struct text name, instant changed_at, struct text sealed_hash,
                                     duration overlap, struct text actor) {
    for (int i = 0; i < 3; i++) {
        sql_number(sql, (uint64_t)overlap);
    }
    sql_bytes(sql, sealed_hash.at, sealed_hash.size);
    sql_text(sql, actor);
    sql_text(sql, name);
    sql_instant(sql, changed_at);
    return guarded_run(sql);
}

/* Runs and ends a statement that ends the time of an old secret, of a row that is still as it was read. */
static inline enum status rotate_end_run(struct sql *sql, struct text name, instant changed_at, struct text actor) {
    sql_text(sql, actor);
    sql_text(sql, name);
    sql_instant(sql, changed_at);
    return guarded_run(sql);
}

#endif
