/* External queries on pages: what came of one, and integrations whose newest one failed. */
#ifndef RECAUDO_CONSOLE_PAGES_QUERY_PARTS_H
#define RECAUDO_CONSOLE_PAGES_QUERY_PARTS_H

#include "console/core/view.h"
#include "store/console/notifications.h"

/* Adds the outcome with its colour: not that of success where the lookup was refused after all. */
void query_put_outcome(struct view *view, const struct query_record *record);

/* Adds what there is to say beside the outcome: the order, why the lookup was refused; may be nothing. */
void query_put_detail(struct view *view, const struct query_row *query);

/* Integrations whose newest query failed less than a day ago (console_queries_failed). */
struct failed_integration {
    struct failed_query query;
    bool silent;
    struct failed_integration *next;
};

struct failed_integrations {
    struct failed_integration *first; /* NULL: there is none */
    uint64_t left_out;
};

/* Of all merchants that the user may read, or of one. */
enum status query_read_failed(struct view *view, struct failed_integrations *out);
enum status query_read_failed_of(struct view *view, uint64_t merchant_id, struct failed_integrations *out);

/* Whether one of them is silent, or is not. */
bool query_any_failed(const struct failed_integrations *failed, bool silent);

/* Adds a note for each for the merchant's own people, or a table for staff; nothing where there is none. */
void query_put_failed_notes(struct view *view, const struct failed_integrations *failed);
void query_put_failed_table(struct view *view, const struct failed_integrations *failed);

#endif
