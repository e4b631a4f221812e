#include "store/notification/deliveries.h"

#include "store/db/batch.h"
#include "store/db/json.h"
#include "store/db/rows.h"

#include <assert.h>

/* Ignores windows that closed more than a second ago: then the settling dispatcher is away or busy. */
const char sql_text_of_delivery_next[] =
    "SELECT UTC_TIMESTAMP(6),"
    " (SELECT due_at FROM notifications WHERE state = 'pending' ORDER BY due_at LIMIT 1),"
    " (SELECT window_ends_at FROM transactions FORCE INDEX (window_end)"
    "   WHERE state = 'CONFIRMADA' AND window_ends_at > UTC_TIMESTAMP(6) - INTERVAL 1 SECOND"
    "   ORDER BY window_ends_at LIMIT 1)";

/* Time that settling needs to write a closed window and its notification; also the time between questions until
 * then. */
#define SETTLING_TAKES (25 * MILLISECOND)

/* One index lookup for each merchant, however many rows there are. GROUP BY would read every pending row, or the whole
 * table. */
const char sql_text_of_delivery_merchants[] =
    "SELECT m.id, COALESCE(e.failures, 0), COALESCE(e.resting_until > UTC_TIMESTAMP(6), FALSE),"
    "       (SELECT n.due_at FROM notifications n FORCE INDEX (merchant)"
    "         WHERE n.state = 'pending' AND n.merchant_id = m.id ORDER BY n.due_at LIMIT 1) AS oldest, m.name"
    "  FROM merchants m LEFT JOIN endpoints e ON e.merchant_id = m.id WHERE m.notify_url IS NOT NULL"
    " HAVING oldest <= UTC_TIMESTAMP(6) ORDER BY oldest LIMIT ?";

const char sql_text_of_delivery_find_due[] =
    "SELECT id FROM notifications"
    " WHERE state = 'pending' AND merchant_id = ? AND due_at <= UTC_TIMESTAMP(6) AND attempts <= ?"
    " ORDER BY due_at, id LIMIT ? FOR UPDATE SKIP LOCKED";

const char sql_text_of_delivery_lease[] =
    "UPDATE " BATCH " STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = batch.id"
    "   SET n.lease = ?, n.due_at = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND WHERE n.state = 'pending'";

const char sql_text_of_delivery_read[] =
    "SELECT UTC_TIMESTAMP(6), n.id, n.webhook_id, n.order_id, n.merchant_id, n.sequence, n.attempts, o.po_id,"
    "       o.currency, n.payment_means, n.status, n.amount, p.name, p.notify_url, " SEALED_NOTIFICATION_HASH_COLUMNS
    ",      p.notify_digest, p.acknowledgement"
    "  FROM " BATCH " STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = batch.id"
    "  STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY) ON o.id = n.order_id"
    "  STRAIGHT_JOIN merchants p FORCE INDEX (PRIMARY) ON p.id = n.merchant_id WHERE p.notify_url IS NOT NULL";

/* Makes leased notifications that are not sent due at once, if the lease still holds. */
const char sql_text_of_delivery_release[] =
    "UPDATE JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$[0]', lease VARCHAR(32) PATH '$[1]')) AS leased"
    " STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = leased.id AND n.lease = UNHEX(leased.lease)"
    "   SET n.lease = NULL, n.due_at = UTC_TIMESTAMP(6) WHERE n.state = 'pending'";

/* Attempts travel as one JSON array of arrays (print_attempt), because finding members by name costs the database twice
 * as much. `reply` is MEDIUMTEXT: for LONGTEXT MariaDB computes the length of UNHEX as 0 (2^32 overflows), and then
 * keeps no byte of it where a statement needs a temporary table. */
#define ATTEMPTS                                                                                                       \
    "JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$[0]', number INT UNSIGNED PATH '$[1]',"                   \
    " lease VARCHAR(32) PATH '$[2]', kept_under VARCHAR(32) PATH '$[3]',"                                              \
    " started_us BIGINT PATH '$[4]', took_us BIGINT UNSIGNED PATH '$[5]',"                                             \
    " url VARCHAR(2048) PATH '$[6]', address VARCHAR(45) PATH '$[7]',"                                                 \
    " http_status INT UNSIGNED PATH '$[8]', reason VARCHAR(20) PATH '$[9]', reply MEDIUMTEXT PATH '$[10]'))"           \
    " AS outcome"

/* The new states of their notifications, as print_outcome writes them. */
#define OUTCOMES                                                                                                       \
    "JSON_TABLE(?, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$[0]', number INT UNSIGNED PATH '$[1]',"                   \
    " lease VARCHAR(32) PATH '$[2]', delivered BOOLEAN PATH '$[3]', exhausted BOOLEAN PATH '$[4]',"                    \
    " next_us BIGINT UNSIGNED PATH '$[5]')) AS outcome"

/* IGNORE skips attempts that were recorded before without an answer. Such a row stays as it is, whatever lease its
 * notification has now. */
#define ATTEMPTS_INSERT                                                                                                \
    "INSERT IGNORE INTO attempts (notification_id, number, dispatcher_id, started_at, duration_us, url, address,"      \
    " http_status, reason, late, reply, lease)"                                                                        \
    " SELECT outcome.id, outcome.number, ?, TIMESTAMP'1970-01-01 00:00:00' + INTERVAL outcome.started_us MICROSECOND," \
    "        outcome.took_us, outcome.url, outcome.address, NULLIF(outcome.http_status, 0), outcome.reason,"           \
    "        NOT (n.state = 'pending' AND n.lease <=> UNHEX(outcome.lease)), UNHEX(outcome.reply),"                    \
    "        UNHEX(outcome.kept_under)"                                                                                \
    "   FROM " ATTEMPTS " STRAIGHT_JOIN notifications n ON n.id = outcome.id"
const char sql_text_of_delivery_attempts[] = ATTEMPTS_INSERT;
const char sql_text_of_delivery_attempts_free[] = SQL_WITHOUT_WAITING ATTEMPTS_INSERT;

#define OUTCOMES_UPDATE                                                                                                \
    "UPDATE " OUTCOMES                                                                                                 \
    " STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = outcome.id AND n.lease = UNHEX(outcome.lease)"     \
    "   SET n.state = CASE WHEN outcome.delivered THEN 'delivered' WHEN outcome.exhausted THEN 'exhausted'"            \
    "                  ELSE 'pending' END,"                                                                            \
    "       n.settled_at = IF(outcome.delivered OR outcome.exhausted, UTC_TIMESTAMP(6), NULL),"                        \
    "       n.due_at = UTC_TIMESTAMP(6) + INTERVAL"                                                                    \
    "                  IF(outcome.delivered OR outcome.exhausted, 0, outcome.next_us) MICROSECOND,"                    \
    "       n.attempts = outcome.number, n.lease = NULL, n.changed_by = 'dispatcher'"                                  \
    " WHERE n.state = 'pending'"
const char sql_text_of_delivery_outcomes[] = OUTCOMES_UPDATE;
const char sql_text_of_delivery_outcomes_free[] = SQL_WITHOUT_WAITING OUTCOMES_UPDATE;

/* Passes over those that others have locked (stuck.h). By the index of the order: by that of the state it would look at
 * each waiting one. */
const char sql_text_of_delivery_successors_find[] =
    "SELECT n.id FROM " BATCH " STRAIGHT_JOIN notifications finished FORCE INDEX (PRIMARY) ON finished.id = batch.id"
    "   AND finished.state IN ('delivered', 'exhausted')"
    "  STRAIGHT_JOIN notifications n FORCE INDEX (order_status) ON n.order_id = finished.order_id"
    "   AND n.state = 'waiting' AND n.sequence = finished.sequence + 1 FOR UPDATE SKIP LOCKED";

const char sql_text_of_delivery_successors[] =
    "UPDATE " BATCH " STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = batch.id"
    "   SET n.state = 'pending', n.due_at = UTC_TIMESTAMP(6), n.changed_by = 'dispatcher' WHERE n.state = 'waiting'";

#define NEVER (INT64_MAX / 2)

/* Reads an instant as the time until then, which is negative if it has passed. NULL: NEVER. */
static duration get_time_until(struct sql *sql, instant now) {
    bool is_set = !sql_is_null(sql);
    instant at = sql_get_instant(sql);
    return is_set ? at - now : NEVER;
}

static duration shorter(duration one, duration other) {
    return one < other ? one : other;
}

enum status deliveries_next(struct connection *connection, duration longest, struct delivery_next *out) {
    struct sql *sql = sql_begin(connection, SQL_delivery_next);
    enum status status = sql_first(sql);
    *out = (struct delivery_next){.is_due = false, .ask_in = longest};
    if (status == STATUS_OK) {
        instant now = sql_get_instant(sql);
        duration due_in = get_time_until(sql, now), closes_in = get_time_until(sql, now);
        duration settled_in = (closes_in < 0 ? 0 : closes_in) + SETTLING_TAKES;
        out->is_due = due_in <= 0;
        out->ask_in = shorter(settled_in, out->is_due ? longest : shorter(due_in, longest));
    }
    sql_end(sql);
    return status;
}

enum status deliveries_merchants(struct connection *connection, uint64_t most, struct arena *arena,
                                 struct due_merchant **out, size_t *count) {
    struct due_merchant *merchants = arena_alloc(arena, most * sizeof *merchants);
    struct sql *sql = sql_begin(connection, SQL_delivery_merchants);
    sql_number(sql, most);
    enum status status = sql_first(sql);
    for (*count = 0; status == STATUS_OK && *count < most; status = sql_next(sql)) {
        struct due_merchant *merchant = &merchants[(*count)++];
        merchant->merchant_id = sql_get_number(sql);
        merchant->failures = sql_get_number(sql);
        merchant->rests = sql_get_number(sql) != 0;
        (void)sql_get_instant(sql);
        merchant->name = sql_get_text(sql, arena);
    }
    sql_end(sql);
    *out = merchants;
    return status == STATUS_NONE ? STATUS_OK : status;
}

static void get_leased_notification(struct sql *sql, struct arena *arena, struct notification *out) {
    out->id = sql_get_number(sql);
    out->webhook_id = sql_get_text(sql, arena);
    out->order_id = sql_get_number(sql);
    out->merchant_id = sql_get_number(sql);
    out->sequence = sql_get_number(sql);
    out->attempts = sql_get_number(sql);
    out->po_id = sql_get_text(sql, arena);
    out->currency = sql_get_text(sql, arena);
    out->payment_means = sql_get_text(sql, arena);
    bool known = notification_status_parse(sql_get_text(sql, arena), &out->status);
    assert(known);
    out->amount = sql_get_money(sql);
    out->merchant_name = sql_get_text(sql, arena);
    out->url = sql_get_text(sql, arena);
    rows_get_agreement(sql, arena, &out->sealed_hash, &out->digest, &out->acknowledgement);
}

/* After this time a request searches no further merchants. */
#define FIND_FOR (200 * MILLISECOND)

struct leasing {
    struct lease_request *request;
    struct arena *arena;
    struct notification *notifications;
    uint64_t count;
    instant now;
};

/* Adds one merchant's due notifications to the ids. */
static enum status find_due(struct connection *connection, struct leasing *work, struct lease_share *share,
                            struct json *ids) {
    struct sql *sql = sql_begin(connection, SQL_delivery_find_due);
    sql_number(sql, share->merchant_id);
    sql_number(sql, share->first_attempts_only ? 0 : UINT16_MAX);
    sql_number(sql, share->most);
    enum status status = sql_first(sql);
    for (share->found = 0; status == STATUS_OK && share->found < share->most; status = sql_next(sql)) {
        json_number(ids, sql_get_number(sql));
        share->found++;
    }
    work->count += share->found;
    return sql_end_list(sql, status);
}

static enum status find_some_due(struct connection *connection, struct leasing *work, struct json *ids) {
    struct lease_request *request = work->request;
    duration until = clock_monotonic() + FIND_FOR;
    enum status status = STATUS_OK;
    work->count = request->asked = 0;
    while (status == STATUS_OK && request->asked < request->share_count &&
           (request->asked == 0 || clock_monotonic() < until)) {
        status = find_due(connection, work, &request->shares[request->asked++], ids);
        request->progress(request->about);
    }
    return status;
}

static enum status take_lease(struct connection *connection, const struct leasing *work, struct text ids) {
    struct sql *sql = sql_begin(connection, SQL_delivery_lease);
    sql_text(sql, ids);
    sql_bytes(sql, work->request->lease, LEASE_BYTES);
    sql_number(sql, (uint64_t)work->request->lease_for);
    return sql_run_and_end(sql);
}

static enum status read_leased(struct connection *connection, struct leasing *work, struct text ids) {
    work->notifications = arena_alloc(work->arena, work->count * sizeof *work->notifications);
    uint64_t count = 0;
    struct sql *sql = sql_begin(connection, SQL_delivery_read);
    sql_text(sql, ids);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK && count < work->count; status = sql_next(sql)) {
        work->now = sql_get_instant(sql);
        get_leased_notification(sql, work->arena, &work->notifications[count++]);
    }
    sql_end(sql);
    work->count = count;
    return status == STATUS_NONE ? STATUS_OK : status;
}

static enum status lease_unit(struct connection *connection, void *context) {
    struct leasing *work = context;
    struct json ids = json_begin(work->arena, '[');
    enum status status = find_some_due(connection, work, &ids);
    if (status != STATUS_OK || work->count == 0) {
        return status == STATUS_OK ? STATUS_NONE : status;
    }
    struct text leased = json_end(&ids, ']');
    work->request->leased_mono = clock_monotonic();
    status = take_lease(connection, work, leased);
    work->request->progress(work->request->about);
    status = status == STATUS_OK ? read_leased(connection, work, leased) : status;
    work->request->progress(work->request->about);
    return status;
}

enum status deliveries_lease(struct connection *connection, struct lease_request *request, struct arena *arena,
                             struct notification **out, size_t *count, instant *now) {
    struct leasing work = {.request = request, .arena = arena};
    enum status status = sql_transact(connection, lease_unit, &work);
    *out = work.notifications;
    *count = status == STATUS_OK ? work.count : 0;
    *now = work.now;
    return status;
}

static struct text release_list(const struct leased *leased, size_t count, struct arena *arena) {
    struct json json = json_begin(arena, '[');
    for (size_t i = 0; i < count; i++) {
        json_open(&json, '[');
        json_number(&json, leased[i].notification_id);
        json_hex(&json, (struct text){(const char *)leased[i].lease, LEASE_BYTES});
        json_close(&json, ']');
    }
    return json_end(&json, ']');
}

enum status deliveries_release(struct connection *connection, const struct leased *leased, size_t count,
                               struct arena *arena) {
    return batch_run(connection, SQL_delivery_release, release_list(leased, count, arena), NULL);
}

static void print_attempt(struct json *json, const struct delivery_outcome *outcome) {
    assert(outcome->reply.size <= REPLY_KEPT_MAX);
    json_open(json, '[');
    json_number(json, outcome->notification_id);
    json_number(json, outcome->number);
    json_hex(json, (struct text){(const char *)outcome->lease, LEASE_BYTES});
    json_hex(json, (struct text){(const char *)outcome->kept_under, LEASE_BYTES});
    json_signed(json, outcome->started_at);
    json_signed(json, outcome->took);
    json_text(json, outcome->url);
    json_text(json, text_of(outcome->address));
    json_signed(json, outcome->http_status);
    json_text(json, text_of(outcome->reason));
    json_hex(json, outcome->reply);
    json_close(json, ']');
}

static void print_outcome(struct json *json, const struct delivery_outcome *outcome) {
    json_open(json, '[');
    json_number(json, outcome->notification_id);
    json_number(json, outcome->number);
    json_hex(json, (struct text){(const char *)outcome->lease, LEASE_BYTES});
    json_number(json, outcome->delivered);
    json_number(json, outcome->exhausted);
    json_signed(json, outcome->next_in);
    json_close(json, ']');
}

/* Lists finished notifications, because the next one of their order may follow. */
static void print_finished(struct json *json, const struct delivery_outcome *outcome) {
    if (outcome->delivered || outcome->exhausted) {
        json_number(json, outcome->notification_id);
    }
}

static struct text print_outcomes(const struct recording *recording,
                                  void (*print)(struct json *, const struct delivery_outcome *), struct arena *arena) {
    struct json json = json_begin(arena, '[');
    for (size_t i = 0; i < recording->count; i++) {
        print(&json, &recording->outcomes[i]);
    }
    return json_end(&json, ']');
}

struct record_work {
    const struct recording *recording;
    struct arena *arena;
    struct text attempts, outcomes, finished; /* JSON arrays */
};

/* By whether they wait for rows that others have locked. */
static const struct {
    enum statement attempts, outcomes;
} RECORD[] = {
    [false] = {SQL_delivery_attempts_free, SQL_delivery_outcomes_free},
    [true] = {SQL_delivery_attempts, SQL_delivery_outcomes},
};

static enum status release_successors(struct connection *connection, const struct record_work *work) {
    struct text ids;
    uint64_t count;
    struct sql *sql = sql_begin(connection, SQL_delivery_successors_find);
    sql_text(sql, work->finished);
    enum status status = batch_read(sql, work->recording->count, work->arena, &ids, &count);
    sql_end(sql);
    if (status != STATUS_OK) {
        return status == STATUS_NONE ? STATUS_OK : status;
    }
    return batch_run(connection, SQL_delivery_successors, ids, NULL);
}

static enum status record_unit(struct connection *connection, void *context) {
    const struct record_work *work = context;
    bool waits = !work->recording->only_free;
    uint64_t held = 0;
    struct sql *sql = sql_begin(connection, RECORD[waits].attempts);
    sql_number(sql, work->recording->dispatcher_id);
    sql_text(sql, work->attempts);
    enum status status = sql_run_and_end(sql);
    if (status == STATUS_OK) {
        status = batch_run(connection, RECORD[waits].outcomes, work->outcomes, &held);
    }
    if (status == STATUS_OK && work->recording->all_must_hold && held < work->recording->count) {
        return STATUS_CHANGED;
    }
    bool any_finished = !text_equal(work->finished, TEXT("[]"));
    return status == STATUS_OK && any_finished ? release_successors(connection, work) : status;
}

enum status deliveries_record(struct connection *connection, const struct recording *recording, struct arena *arena) {
    struct record_work work = {recording, arena, print_outcomes(recording, print_attempt, arena),
                               print_outcomes(recording, print_outcome, arena),
                               print_outcomes(recording, print_finished, arena)};
    return sql_transact(connection, record_unit, &work);
}
