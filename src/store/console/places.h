/* Where a list begins that ends at an instant: found in a few steps, without an index by time. */
#ifndef RECAUDO_STORE_CONSOLE_PLACES_H
#define RECAUDO_STORE_CONSOLE_PLACES_H

#include "store/console/reader.h"

enum console_list { CONSOLE_ORDERS, CONSOLE_TRANSACTIONS, CONSOLE_NOTIFICATIONS, CONSOLE_EVENTS };

/*
 * Sets *out to a place of the list that nothing older than filter->until stands before, and little that is newer.
 * Numbers are given in the order of time but for a moment: the place allows for PLACES_DISORDER. With `until` 0, and
 * for notifications in a state, it is the newest.
 */
enum status console_places_seek(const struct console_reader *reader, enum console_list list,
                                const struct console_filter *filter, struct console_place *out);

#define PLACES_DISORDER MINUTE

/* Sets place->at to when the order was created that a list of one merchant's orders, or of their transactions, goes on
 * behind. Nothing for a place without one. */
enum status console_places_date(const struct console_reader *reader, const struct console_filter *filter,
                                struct console_place *place);

#endif
