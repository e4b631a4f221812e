/* External queries on pages: what came of one, and merchants that did not answer the newest one of the last day. */
#ifndef RECAUDO_CONSOLE_PAGES_QUERY_PARTS_H
#define RECAUDO_CONSOLE_PAGES_QUERY_PARTS_H

#include "console/core/view.h"
#include "store/external/queries.h"

/* Adds what was wrong with an answer that is invalid or did not come. */
void query_put_fault(struct view *view, const struct query_record *record);

/* Adds what there is to say beside the outcome; may be nothing. */
void query_put_detail(struct view *view, const struct query_row *query);

struct silent_merchant {
    struct text name;
    instant asked_at;
    struct silent_merchant *next;
};

/* Of all that the user may read, or of one. NULL: there is none. */
enum status silence_read(struct view *view, struct silent_merchant **out);
enum status silence_read_of(struct view *view, uint64_t merchant_id, struct silent_merchant **out);

/* Adds a note for the merchant's own people, and a table for staff; nothing where there is none. */
void silence_put_note(struct view *view, const struct silent_merchant *merchant);
void silence_put_table(struct view *view, const struct silent_merchant *merchants);

#endif
