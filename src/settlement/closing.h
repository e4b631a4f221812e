/* Closing a settlement, and the digest of a closed one. For recaudoctl and the dispatcher. */
#ifndef RECAUDO_SETTLEMENT_CLOSING_H
#define RECAUDO_SETTLEMENT_CLOSING_H

#include "settlement/sheet.h"
#include "store/payment/closings.h"
#include "store/payment/settlements.h"

/*
 * Collects what is committed and closes the settlement. What is committed before the call is in the settlement or in an
 * earlier one. The returned values are those of closings_close. The digest is left to the functions below, of whatever
 * process.
 */
enum status closing_close(struct connection *connection, const struct closing *closing);

/* A digest that is being computed. */
struct summing;

/*
 * One step of computing counts and digest of every closed settlement that has none: at most SETTLEMENT_PAGE operations.
 * *summing is NULL at first, and between two settlements; on an error it is NULL again, and the settlement begins anew.
 * *more: there is more to do.
 */
enum status closing_sum_step(struct connection *connection, struct summing **summing, bool *more);

/* Gives up what is being computed. NULL: nothing. */
void closing_sum_drop(struct summing *summing);

/* All steps. */
enum status closing_sum_all(struct connection *connection);

/* What a report of it begins with. The texts are those of the row. */
struct settlement closing_describe(const struct settlement_row *row);

#endif
