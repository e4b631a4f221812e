/* The reader's scope as part of a statement. For the files of src/store/console. */
#ifndef RECAUDO_STORE_CONSOLE_SCOPED_H
#define RECAUDO_STORE_CONSOLE_SCOPED_H

#include "store/console/reader.h"
#include "store/db/sql.h"

/* A condition for WHERE, with two parameters, bound by bind_scope. */
#define IN_SCOPE(column) "(? = 1 OR " column " = ?)"

/* The same for rows that belong to no merchant, and for lists of all rows: only for readers of everything. For others
 * the server sees that the condition cannot be true, and reads no row. */
#define FOR_ALL IN_SCOPE("NULL")

/* Later than every row. */
#define INSTANT_LAST ((instant)253402300799 * SECOND)

static inline void bind_scope(struct sql *sql, const struct console_reader *reader) {
    sql_number(sql, reader->scope.everything);
    sql_number(sql, reader->scope.merchant_id);
}

/* *merchant_id: the merchant whose rows a list selects; 0: all. Returns false if those are out of the reader's
 * scope. */
static inline bool find_merchant_of_list(const struct console_reader *reader, uint64_t asked, uint64_t *merchant_id) {
    *merchant_id = reader->scope.everything ? asked : reader->scope.merchant_id;
    return reader->scope.everything || (*merchant_id != 0 && (asked == 0 || asked == *merchant_id));
}

static inline bool is_within(const struct console_filter *filter, instant at) {
    return at >= filter->since && (filter->until == 0 || at < filter->until);
}

static inline bool is_asked_for(struct text wanted, struct text value) {
    return wanted.size == 0 || text_equal(wanted, value);
}

/* Returns the id before which a list begins. */
static inline uint64_t id_before(const struct console_place *place) {
    return place->id == 0 ? UINT64_MAX : place->id;
}

#endif
