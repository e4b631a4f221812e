/* Guarded writes: the WHERE repeats the conditions on which the caller decided. For the files of src/store. */
#ifndef RECAUDO_STORE_DB_GUARDED_H
#define RECAUDO_STORE_DB_GUARDED_H

#include "store/db/sql.h"

/* Runs and ends a guarded UPDATE, DELETE or INSERT ... SELECT. STATUS_CHANGED: it wrote nothing. */
static inline enum status guarded_run(struct sql *sql) {
    uint64_t matched = 0;
    enum status status = sql_run(sql, &matched);
    sql_end(sql);
    return status == STATUS_OK && matched == 0 ? STATUS_CHANGED : status;
}

#endif
