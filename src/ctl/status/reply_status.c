#include "ctl/status/reply_status.h"

#include "ctl/core/problem.h"
#include "store/operation/refusals.h"

static const struct {
    const char *code, *what, *look;
    duration lately; /* so long after the last one `status` still tells of it; workers count them every 10 seconds */
} TELLING[] = {
    {"0028", "requests are answered 0028, try again, because the database, or recaudo-query, does not answer in time",
     "journalctl -u recaudo-fcgi says which; if it has `waiting for a row`, or SHOW FULL PROCESSLIST has `Waiting for "
     "table metadata lock`, a session holds a lock on rows or on a table: database.md (Locks and slow statements) says "
     "how to find it",
     MINUTE},
    {"0009", "requests are answered 0009, because something of recaudo is not as it should be",
     "journalctl -u recaudo-fcgi says what; as root, recaudoctl config check", 5 * MINUTE},
    {"0113", "confirmations are refused with 0113, because a payment exceeds its network's limit",
     "recaudoctl network list; recaudoctl network show NAME has its limits; the network has the customers' money",
     5 * MINUTE},
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
        if (status == STATUS_OK && last.ago < TELLING[i].lately) {
            add_telling(problems, i, &last);
        }
    }
    return status == STATUS_NONE ? STATUS_OK : status;
}
