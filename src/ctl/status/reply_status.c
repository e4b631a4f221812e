#include "ctl/status/reply_status.h"

#include "ctl/core/problem.h"
#include "store/operation/refusals.h"

static const struct {
    const char *what, *look;
} TELLING[ALARM_COUNT] = {
    [ALARM_TRY_AGAIN] =
        {"requests are answered 0028, try again, because the database, or recaudo-query, does not answer "
         "in time",
         "journalctl -u recaudo-fcgi says which; if it has `waiting for a row`, or SHOW FULL "
         "PROCESSLIST has `Waiting for table metadata lock`, a session holds a lock on rows or on a "
         "table: database.md (Locks and slow statements) says how to find it"},
    [ALARM_FAULT] = {"requests are answered 0009, because something of recaudo is not as it should be",
                     "journalctl -u recaudo-fcgi says what; as root, recaudoctl config check"},
    [ALARM_LIMIT] = {"confirmations are refused with 0113, because a payment exceeds its network's limit",
                     "recaudoctl network list; recaudoctl network show NAME has its limits; the network has the "
                     "customers' money"},
};

static void add_telling(struct record_list *problems, enum alarming_refusal alarm, const struct last_refusals *last) {
    problem_add(problems, "%s (%llu since %02d:00 UTC, the last %llu s ago): %s", TELLING[alarm].what,
                (unsigned long long)last->count, (int)(last->hour / HOUR % 24),
                (unsigned long long)(last->ago / SECOND), TELLING[alarm].look);
}

enum status replies_look(struct connection *connection, struct record_list *problems) {
    enum status status = STATUS_OK;
    for (enum alarming_refusal alarm = 0; alarm < ALARM_COUNT && status == STATUS_OK; alarm++) {
        struct last_refusals last;
        bool is_on;
        status = refusals_alarm(connection, alarm, &is_on, &last);
        if (is_on) {
            add_telling(problems, alarm, &last);
        }
    }
    return status;
}
