#include "ctl/status/reply_status.h"

#include "ctl/core/problem.h"
#include "ctl/core/shell_word.h"
#include "store/operation/refusals.h"

struct looking_at_networks {
    struct arena *arena;
    struct record_list *problems;
};

static const struct {
    const char *what, *look;
} TELLING[ALARM_COUNT] = {
    [ALARM_TRY_AGAIN] =
        {"requests are answered 0028, try again, because the database, or recaudo-query, does not answer "
         "in time",
         "journalctl -u recaudo-fcgi says which; if it has `waiting for a row`, or SHOW FULL "
         "PROCESSLIST has `Waiting for table metadata lock`, a session holds a lock on rows or on a "
         "table: database.md (Locks and slow statements) says how to find it"},
    [ALARM_FAULT] = {"requests are answered 0009, because of an internal error",
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

static void add_refused_network(void *of_looking, const struct refused_network *network) {
    struct looking_at_networks *looking = of_looking;
    bool is_stranger = text_equal(network->code, TEXT("0019"));
    problem_add(
        looking->problems,
        "the network %.*s has been refused with %.*s for %llu s, because %s: recaudoctl network show %s; %s",
        TEXT_ARGS(network->name), TEXT_ARGS(network->code), (unsigned long long)(network->age / SECOND),
        is_stranger ? "it calls from an address that is not on its list"
                    : "it uses another secret, its signature is missing or wrong, or somebody else gives its name",
        shell_word(looking->arena, network->name),
        is_stranger
            ? "journalctl -u recaudo-fcgi has the address; if it is not the network's, its secret was stolen"
            : "it has registered nothing for 5 minutes: ask whether it has followed the last rotation; if it is to "
              "sign its requests, ask what TEXT says, and look at timedatectl on both sides");
}

static enum status look_at_networks(struct connection *connection, struct arena *arena, struct record_list *problems) {
    struct looking_at_networks looking = {arena, problems};
    return refusals_of_networks(connection, arena, add_refused_network, &looking);
}

enum status replies_look(struct connection *connection, struct arena *arena, struct record_list *problems) {
    enum status status = STATUS_OK;
    for (enum alarming_refusal alarm = 0; alarm < ALARM_COUNT && status == STATUS_OK; alarm++) {
        struct last_refusals last;
        bool is_on;
        status = refusals_alarm(connection, alarm, &is_on, &last);
        if (is_on) {
            add_telling(problems, alarm, &last);
        }
    }
    return status == STATUS_OK ? look_at_networks(connection, arena, problems) : status;
}
