/* External queries on pages: what came of one, and merchants whose newest one failed. */
#ifndef RECAUDO_CONSOLE_PAGES_QUERY_PARTS_H
#define RECAUDO_CONSOLE_PAGES_QUERY_PARTS_H

#include "console/core/view.h"
#include "store/external/queries.h"

/* Adds what was wrong with an answer that is invalid or did not come. */
void query_put_fault(struct view *view, const struct query_record *record);

/* Adds the outcome with its colour: not that of success where the lookup was refused after all. */
void query_put_outcome(struct view *view, const struct query_record *record);

/* Adds what there is to say beside the outcome: the order, why the lookup was refused; may be nothing. */
void query_put_detail(struct view *view, const struct query_row *query);

/* The newest query to an enabled merchant, less than a day old, that got no complete answer (silent) or one that is not
 * valid. */
struct failed_query {
    struct query_row row;
    bool silent;
    struct failed_query *next;
};

/* Of all merchants that the user may read, or of one. NULL: there is none. */
enum status query_read_failed(struct view *view, struct failed_query **out);
enum status query_read_failed_of(struct view *view, uint64_t merchant_id, struct failed_query **out);

/* Whether one of them is silent, or is not. */
bool query_any_failed(const struct failed_query *queries, bool silent);

/* Adds a note for the merchant's own people, and a table for staff; nothing where there is none. */
void query_put_failed_note(struct view *view, const struct failed_query *query);
void query_put_failed_table(struct view *view, const struct failed_query *queries);

#endif
