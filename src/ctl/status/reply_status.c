#include "ctl/status/reply_status.h"

#include "ctl/core/problem.h"
#include "store/operation/refusals.h"

/* So long after the last one `status` still tells of it. */
#define LATELY (5 * MINUTE)

static const struct {
    const char *code, *what, *look;
} TELLING[] = {
    {"0009", "requests are answered 0009, because something of recaudo is not as it should be",
     "journalctl -u recaudo-fcgi says what; as root, recaudoctl config check"},
    {"0113", "confirmations are refused with 0113, because a payment exceeds its network's limit",
     "recaudoctl network list; recaudoctl network show NAME has its limits; the network has the customers' money"},
};

static void add_telling(struct record_list *problems, size_t telling, const struct last_refusals *last) {
    problem_add(problems, "%s (%llu since %02d:00 UTC, the last %llu s ago): %s", TELLING[telling].what,
                (unsigned long long)last->count, (int)(last->hour / HOUR % 24),
                (unsigned long long)(last->ago / SECOND), TELLING[telling].look);
}

enum status replies_look(struct connection *connection, struct record_list *problems) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < COUNT_OF(TELLING) && (status == STATUS_OK || status == STATUS_NONE); i++) {
        struct last_refusals last;
        status = refusals_last(connection, TELLING[i].code, &last);
        if (status == STATUS_OK && last.ago < LATELY) {
            add_telling(problems, i, &last);
        }
    }
    return status == STATUS_NONE ? STATUS_OK : status;
}
