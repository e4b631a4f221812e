/* The operations of a settlement, or of a day without one, for the console: a few hundred at a time. */
#ifndef RECAUDO_STORE_CONSOLE_OPERATIONS_H
#define RECAUDO_STORE_CONSOLE_OPERATIONS_H

#include "store/console/reader.h"
#include "store/payment/settlements.h"

/* Where reading goes on; all zero: at the first operation. */
struct console_operation_place {
    bool in_refunds; /* of a day: the refunds come behind the rest */
    instant at;
    uint64_t id, kind;
    bool ended;
};

/*
 * Calls `each` for the next operations of the span, in the order of settlements_each (span->among must be 0): what
 * recaudoctl reports of them has the same bytes. For one merchant's user only that merchant's. `each` must not use the
 * connection.
 */
enum status console_operations_next(const struct console_reader *reader, const struct settlement_span *span,
                                    struct console_operation_place *place,
                                    void (*each)(void *context, const struct operation *operation), void *context);

#endif
