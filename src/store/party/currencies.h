/* Currencies that orders and accounts may have, and their digits in external queries. */
#ifndef RECAUDO_STORE_PARTY_CURRENCIES_H
#define RECAUDO_STORE_PARTY_CURRENCIES_H

#include "base/arena.h"
#include "store/db/connection.h"

struct currency_row {
    struct text code; /* ISO 4217 */
    struct text name;
    bool has_query_code;
    uint64_t query_code;    /* 0 to 9 */
    struct text changed_by; /* who set query_code; empty: unchanged since the installation */
};

/* Calls `each` for every currency that the program knows, by code; texts lie in the arena. `each` must not use the
 * connection. */
enum status currencies_list(struct connection *connection, struct arena *arena,
                            void (*each)(void *context, const struct currency_row *currency), void *context);

/* The codes, with commas, that the table has and the program does not know: nothing can be paid in them. The text lies
 * in the arena. */
enum status currencies_unknown(struct connection *connection, struct arena *arena, struct text *codes);

/* STATUS_CHANGED: no such currency, or it has this digit already. STATUS_CLASH: another currency has the digit. */
enum status currencies_set_query_code(struct connection *connection, struct text code, uint64_t query_code,
                                      struct text actor);

/* *code: the currency that has this digit, in the arena, also one that the program does not know. STATUS_NONE: none. */
enum status currencies_with_query_code(struct connection *connection, uint64_t query_code, struct arena *arena,
                                       struct text *code);

#endif
