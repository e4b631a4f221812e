/* Sections of the first page. Each statement of them reads about as many rows however many orders there are. */
#ifndef RECAUDO_CONSOLE_PAGES_NOW_NOW_H
#define RECAUDO_CONSOLE_PAGES_NOW_NOW_H

#include "console/core/view.h"
#include "console/pages/query_parts.h"
#include "store/operation/measures.h"
#include "store/operation/refusals.h"

/* The state of the service, as the database shows it. */
struct now_state {
    const struct measures *measures;
    bool is_read_only;
    bool alarms[ALARM_COUNT]; /* refusals that came lately */
    uint64_t retries;
    struct failed_integrations failed;
};

/* Reads the state of the service into *out, in the arena of the view. */
enum status now_look(struct view *view, struct now_state *out);

/* What is wrong with the service, or with a merchant or network, each with what to do about it. */
void now_put_problems(struct view *view, const struct now_state *state);

/* Payments per minute of the hour before `now`, and per hour of three days. */
enum status now_put_charts(struct view *view, instant now);

/* The hosts of the dispatchers, and when each was last seen. */
enum status now_put_dispatchers(struct view *view);

/* Refused requests of the last day, by CODE. */
enum status now_put_refusals(struct view *view);

/* The settlement that was closed last; nothing where none was. */
enum status now_put_settlement(struct view *view);

#endif
