/* Finds the place where a list that ends at an instant begins: by bisection, without an index on time. */
#ifndef RECAUDO_STORE_CONSOLE_PLACES_H
#define RECAUDO_STORE_CONSOLE_PLACES_H

#include "store/console/reader.h"

enum console_list { CONSOLE_ORDERS, CONSOLE_TRANSACTIONS, CONSOLE_NOTIFICATIONS, CONSOLE_EVENTS };

/*
 * Sets *out to a place before all rows that are older than filter->until, and with few newer rows after it. Ids follow
 * the order of time but for a moment, for which the place allows PLACES_DISORDER. If `until` is 0, and for
 * notifications in a state, *out is the newest.
 */
enum status console_places_seek(const struct console_reader *reader, enum console_list list,
                                const struct console_filter *filter, struct console_place *out);

#define PLACES_DISORDER MINUTE

/* For a list of one merchant's orders, or of their transactions: sets place->at to the creation time of the order after
 * which the list continues. Does nothing at the start of the list. */
enum status console_places_date(const struct console_reader *reader, const struct console_filter *filter,
                                struct console_place *place);

#endif
