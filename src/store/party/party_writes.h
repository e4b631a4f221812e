/*
 * Writes that networks and merchants have in common. Each runs and ends a statement whose parameters are the same for
 * both. `name` is the party's; `changed_at` is that of its row as it was read. STATUS_CHANGED: the row has changed
 * since it was read, or there is nothing to change. For the files of src/store/party.
 */
#ifndef RECAUDO_STORE_PARTY_PARTY_WRITES_H
#define RECAUDO_STORE_PARTY_PARTY_WRITES_H

#include "store/db/guarded.h"

/* Enables or disables the party. */
static inline enum status party_set_enabled(struct sql *sql, struct text name, bool enabled, struct text actor) {
    sql_number(sql, enabled);
    sql_text(sql, actor);
    sql_text(sql, name);
    sql_number(sql, enabled);
    return guarded_run(sql);
}

/* Replaces a secret. The previous one stays valid for `overlap`; with 0 it is invalid at once. */
static inline enum status party_rotate(struct sql *sql, struct text name, instant changed_at, struct text sealed_hash,
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

/* Makes the old secret invalid. */
static inline enum status party_end_old_secret(struct sql *sql, struct text name, instant changed_at,
                                               struct text actor) {
    sql_text(sql, actor);
    sql_text(sql, name);
    sql_instant(sql, changed_at);
    return guarded_run(sql);
}

#endif
