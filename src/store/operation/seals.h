/*
 * The seals of the event log (doc/audit.md), and the events as a seal covers them. Only a dispatcher appends seals;
 * nobody changes one. Instants are texts here, in the form in which the database shows and a seal digests them:
 * 2026-11-22 14:41:00.123456.
 */
#ifndef RECAUDO_STORE_OPERATION_SEALS_H
#define RECAUDO_STORE_OPERATION_SEALS_H

#include "base/arena.h"
#include "base/clock.h"
#include "store/operation/health.h"

/* A seal covers the events of its id range, and late ones of earlier ranges; at most SEAL_EVENTS_MAX, so that its marks
 * fit. */
enum { SEAL_EVENTS_MAX = 4000, SEALS_AT_ONCE = 100 };

struct seal_row {
    uint64_t number, form; /* form: version of the digested texts */
    struct text sealed_at;
    uint64_t first_id, last_id;    /* last_id = first_id - 1: the range is empty */
    uint64_t count;                /* including the late ones */
    struct text late;              /* ids, "17 23"; may be empty */
    struct text events, digest;    /* hex */
    struct text key_id, signature; /* hex; empty: not signed */
    struct text marks;             /* bytes; empty if not read */
};

enum { EVENT_TEXTS = 7 };

/* A row of `event_log`. A text whose `at` is NULL stands for NULL. */
struct logged_event {
    uint64_t id, subject_id, version, order_id, order_version;
    bool has_version, has_order, has_order_version; /* the others are never NULL */
    struct text at, subject;
    struct text texts[EVENT_TEXTS]; /* what, from_state, to_state, actor, db_account, reason, changes */
};

typedef void seal_taker(void *context, const struct seal_row *row);
typedef void event_taker(void *context, const struct logged_event *event);

/* Reads the newest seal, without its marks. STATUS_NONE: there is none. */
enum status seals_last(struct connection *connection, struct arena *arena, struct seal_row *out);

/* Reads the seal with this number, with its marks. STATUS_NONE: there is none. */
enum status seals_find(struct connection *connection, uint64_t number, struct arena *arena, struct seal_row *out);

/*
 * Each of these calls `each` for seals. Texts lie in the arena; `each` must not use the connection.
 * seals_after: up to SEALS_AT_ONCE seals after `number`, with their marks.
 * seals_list: the newest ones up to `limit`, newest first.
 * seals_with_late: those after `number` that contain late events.
 * seals_made_after: up to SEALS_AT_ONCE seals made after (`sealed_at`, `number`), in the order of making.
 */
enum status seals_after(struct connection *connection, uint64_t number, struct arena *arena, seal_taker *each,
                        void *context);
enum status seals_list(struct connection *connection, uint64_t limit, struct arena *arena, seal_taker *each,
                       void *context);
enum status seals_with_late(struct connection *connection, uint64_t number, struct arena *arena, seal_taker *each,
                            void *context);

struct seal_place {
    struct text sealed_at; /* empty: before the first */
    uint64_t number;
};
enum status seals_made_after(struct connection *connection, struct seal_place place, struct arena *arena,
                             seal_taker *each, void *context);

/* Seals made after `since` and until `now`, both less `age`; of those, the ones after `number`. */
struct seal_interval {
    struct text since, now;
    duration age;
    uint64_t number;
};

/* Calls `each` for up to SEALS_AT_ONCE seals of the interval, by number. */
enum status seals_made_within(struct connection *connection, const struct seal_interval *interval, struct arena *arena,
                              seal_taker *each, void *context);

/* now: the time of the next seal, never before that of the newest. since_last: the newest seal's age. */
struct seal_clock {
    struct text now;
    bool has_last;
    duration since_last;
};
enum status seals_clock(struct connection *connection, struct arena *arena, struct seal_clock *out);

/* *out: how long the oldest event without a seal has waited for one, counted from the newest seal at the earliest,
 * because an event may be misdated. 0: no event waits. */
enum status seals_wait(struct connection *connection, duration *out);

/* Appends a seal. STATUS_CLASH: another dispatcher has sealed at the same moment. */
enum status seals_append(struct connection *connection, const struct seal_row *row);

/* *out: there are orders but no events. TRUNCATE fires no trigger, so it can empty the log. */
enum status seals_log_is_gone(struct connection *connection, bool *out);

/* The events to read. */
struct event_span {
    uint64_t first_id, last_id; /* inclusive */
    duration young;             /* stop at an event written within this time; 0: read all */
    uint64_t limit;
    bool held_back; /* out: a young event ended the reading */
};

/* Calls `each` for the events of the span, by id. Resets `scratch` before each event. `each` must not use the
 * connection. */
enum status seals_events(struct connection *connection, struct event_span *span, struct arena *scratch,
                         event_taker *each, void *context);

/* The same for the events with these ids, such as "[17,23]". */
enum status seals_events_among(struct connection *connection, struct text ids, struct arena *scratch, event_taker *each,
                               void *context);

/* Counts the events with ids from `first_id` to `last_id`. */
enum status seals_count_events(struct connection *connection, uint64_t first_id, uint64_t last_id, uint64_t *count);

/* Reads when the first event after `last_id` was written; in the arena. STATUS_NONE: there is none. */
enum status seals_unsealed_since(struct connection *connection, uint64_t last_id, struct arena *arena,
                                 struct text *since);

/* Calls `each` with the ids of the events in this range, ascending. */
enum status seals_event_ids(struct connection *connection, uint64_t first_id, uint64_t last_id,
                            void (*each)(void *context, uint64_t id), void *context);

#endif
