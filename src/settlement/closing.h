/* Closing a settlement, and the digest of a closed one. For recaudoctl and the dispatcher. */
#ifndef RECAUDO_SETTLEMENT_CLOSING_H
#define RECAUDO_SETTLEMENT_CLOSING_H

#include "settlement/sheet.h"
#include "store/closings.h"
#include "store/settlements.h"

/*
 * Collects what is committed, closes the settlement and computes its digest. What is committed before the call is in the settlement or in
 * an earlier one. The returned values are those of closings_close. A process that ends after the closing leaves the digest to
 * closing_sum_all.
 */
enum status closing_close(struct connection *connection, const struct closing *closing);

/* Computes counts and digest of every closed settlement that has none. */
enum status closing_sum_all(struct connection *connection);

/* What a report of it begins with. The texts are those of the row. */
struct settlement closing_describe(const struct settlement_row *row);

/* Computes counts and digest from the operations of a closed settlement, all parties together. */
enum status closing_compute(struct connection *connection, const struct settlement_row *row,
                            uint64_t counts[OPERATION_KINDS], char digest[DIGEST_HEX_SIZE]);

#endif
