/* The operations of a settlement, or of a day without one, for the console: a page at a time. */
#ifndef RECAUDO_STORE_CONSOLE_OPERATIONS_H
#define RECAUDO_STORE_CONSOLE_OPERATIONS_H

#include "store/console/reader.h"
#include "store/payment/settlements.h"

/* Where reading continues; all zero: at the first operation. */
struct console_operation_place {
    bool in_refunds; /* of a day: refunds come after the rest */
    instant at;
    uint64_t id, kind; /* id: the operation code; in_refunds: the order's id */
    bool ended;
};

/*
 * Calls `each` for the next operations of the span, in the order of settlements_each (span->among must be 0), so that
 * the console's file has the same bytes as recaudoctl's report. A merchant's user gets only that merchant's operations.
 * `each` must not use the connection.
 */
enum status console_operations_next(const struct console_reader *reader, const struct settlement_span *span,
                                    struct console_operation_place *place,
                                    void (*each)(void *context, const struct operation *operation), void *context);

#endif
