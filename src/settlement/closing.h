/* Closes a settlement and computes the digest of a closed one. Used by recaudoctl and the dispatcher. */
#ifndef RECAUDO_SETTLEMENT_CLOSING_H
#define RECAUDO_SETTLEMENT_CLOSING_H

#include "settlement/sheet.h"
#include "store/payment/closings.h"
#include "store/payment/settlements.h"

/*
 * Collects committed operations and closes the settlement. Every operation committed before the call belongs to this
 * settlement or an earlier one. Returns the status of closings_close. Any process may compute the digest later, with
 * the functions below.
 */
enum status closing_close(struct connection *connection, const struct closing *closing);

/* A digest in progress. */
struct summing;

/*
 * Does one step, of at most SETTLEMENT_PAGE operations, of computing counts and digest of all closed settlements that
 * have none. *summing is NULL at first and between two settlements. After an error it is NULL, and the next call starts
 * the settlement again. *more: there is more to do.
 */
enum status closing_sum_step(struct connection *connection, struct summing **summing, bool *more);

/* Abandons a computation. `summing` may be NULL. */
void closing_sum_drop(struct summing *summing);

/* Does all steps. */
enum status closing_sum_all(struct connection *connection);

/* The day that a caller asks for. A settlement is stored with the date and the zone that it was closed for; the day may
 * have another zone's name as well. */
struct named_day {
    struct text date, zone; /* like 2026-11-21 and America/Lima; the zone ends with a NUL */
    const char *configured; /* [settlement] zone */
};

/* Returns true if the zone has another name than the configured one and cuts that day alike: the day has one settlement
 * then, under either name. */
bool closing_cuts_alike(const struct named_day *day);

/* Finds the settlement of the day: under the name of its zone, or of the configured one where that cuts it alike.
 * STATUS_NONE: there is none. */
enum status closing_find_day(struct connection *connection, const struct named_day *day, struct arena *arena,
                             struct settlement_row *out);

/* Returns the header of a report of the settlement. Its texts are those of the row. */
struct settlement closing_describe(const struct settlement_row *row);

#endif
