/* Merchants that did not answer the newest external query of the last day. */
#ifndef RECAUDO_CONSOLE_PAGES_SILENCE_H
#define RECAUDO_CONSOLE_PAGES_SILENCE_H

#include "console/core/view.h"

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
