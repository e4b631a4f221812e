#include "store/notification/retries.h"

#include "store/db/batch.h"
#include "store/db/json.h"
#include "store/db/routine.h"

#include <assert.h>

/* due_at is never before created_at, so the index bounds the search by both. */
const char sql_text_of_retry_find[] = "SELECT order_id, id FROM notifications FORCE INDEX (merchant)"
                                      " WHERE state = ? AND merchant_id = ? AND due_at >= ? AND created_at >= ?"
                                      "   AND (state <> 'pending' OR due_at > UTC_TIMESTAMP(6)"
                                      "        OR EXISTS (SELECT 1 FROM endpoints e"
                                      "             WHERE e.merchant_id = notifications.merchant_id"
                                      "               AND e.resting_until IS NOT NULL))";

/*
 * Reads the merchant in a subquery, so that FOR UPDATE does not lock its row. Uses SYSDATE, because UTC_TIMESTAMP is
 * the statement's start: another retry may have made a row due while this statement waited for the lock.
 */
const char sql_text_of_retry_look[] =
    "SELECT n.id, n.order_id, n.sequence, n.status, n.state, n.lease IS NOT NULL, n.due_at <= SYSDATE(6),"
    "       EXISTS (SELECT 1 FROM endpoints e WHERE e.merchant_id = n.merchant_id AND e.resting_until IS NOT NULL),"
    "       (SELECT m.name FROM merchants m WHERE m.id = n.merchant_id),"
    "       EXISTS (SELECT 1 FROM orders o WHERE o.id = n.order_id AND o.state = 'ANULADA')"
    "         AND NOT EXISTS (SELECT 1 FROM notifications c WHERE c.order_id = n.order_id AND c.status = 'cancelled'),"
    "       (SELECT o.po_id FROM orders o WHERE o.id = n.order_id),"
    "       (SELECT m.notify_url IS NOT NULL FROM merchants m WHERE m.id = n.merchant_id)"
    "  FROM " BATCH " STRAIGHT_JOIN notifications chosen FORCE INDEX (PRIMARY) ON chosen.id = batch.id"
    "  STRAIGHT_JOIN notifications n FORCE INDEX (order_status) ON n.order_id = chosen.order_id"
    " ORDER BY n.order_id, n.sequence, n.id FOR UPDATE";

const char sql_text_of_retry_write[] = "SELECT notifications_retry(?, ?, ?, ?)";

const char sql_text_of_console_retry[] = "SELECT console_retry(?, ?, ?, ?)";

struct finding {
    struct arena *arena;
    struct retry_choice *choices;
    size_t count, room;
};

static void keep_choice(struct finding *finding, uint64_t order_id, uint64_t id) {
    if (finding->count == finding->room) {
        finding->room = finding->room == 0 ? 256 : 2 * finding->room;
        finding->choices = arena_enlarge(finding->arena, finding->choices, finding->count * sizeof *finding->choices,
                                         finding->room * sizeof *finding->choices);
    }
    finding->choices[finding->count++] = (struct retry_choice){order_id, id};
}

static enum status find_in_state(struct connection *connection, const struct retry_search *search,
                                 enum notification_state state, struct finding *finding) {
    struct sql *sql = sql_begin(connection, SQL_retry_find);
    sql_text(sql, text_of(notification_state_name(state)));
    sql_number(sql, search->merchant_id);
    sql_instant(sql, search->since);
    sql_instant(sql, search->since);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        uint64_t order_id = sql_get_number(sql);
        keep_choice(finding, order_id, sql_get_number(sql));
    }
    return sql_end_list(sql, status);
}

static int compare_choices(const void *a, const void *b) {
    const struct retry_choice *left = a, *right = b;
    if (left->order_id != right->order_id) {
        return left->order_id < right->order_id ? -1 : 1;
    }
    return (left->id > right->id) - (left->id < right->id);
}

enum status retries_find(struct connection *connection, const struct retry_search *search, struct arena *arena,
                         struct retry_choice **out, size_t *count) {
    /* Pending first: one that fails or is sent during the search is then found in its new state. */
    static const enum notification_state STATES[] = {NOTIFICATION_PENDING, NOTIFICATION_EXHAUSTED,
                                                     NOTIFICATION_UNADDRESSED, NOTIFICATION_DELIVERED};
    size_t states = search->again ? COUNT_OF(STATES) : COUNT_OF(STATES) - 1;
    struct finding finding = {.arena = arena};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < states && status == STATUS_OK; i++) {
        status = find_in_state(connection, search, STATES[i], &finding);
    }
    if (finding.count > 0) {
        qsort(finding.choices, finding.count, sizeof *finding.choices, compare_choices);
    }
    *out = finding.choices;
    *count = finding.count;
    return status;
}

struct retrying {
    const struct retry_request *request;
    struct arena *arena;
    struct retry_result *results;
    size_t count;
};

static bool is_chosen(const struct retry_request *request, uint64_t id) {
    size_t from = 0, to = request->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (request->ids[middle] < id) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from < request->count && request->ids[from] == id;
}

static bool get_result(struct sql *sql, const struct retrying *work, struct retry_result *out) {
    *out = (struct retry_result){.row.id = sql_get_number(sql)};
    out->order_id = sql_get_number(sql);
    out->row.sequence = sql_get_number(sql);
    bool known = notification_status_parse(sql_get_text(sql, work->arena), &out->status);
    known = notification_state_parse(sql_get_text(sql, work->arena), &out->row.state) && known;
    assert(known);
    out->row.in_hand = sql_get_number(sql) != 0;
    out->row.is_due = sql_get_number(sql) != 0;
    out->row.is_resting = sql_get_number(sql) != 0;
    out->merchant = sql_get_text(sql, work->arena);
    out->was_refunded = sql_get_number(sql) != 0;
    out->po_id = sql_get_text(sql, work->arena);
    out->row.chosen = is_chosen(work->request, out->row.id);
    return sql_get_number(sql) != 0;
}

static struct text print_ids(const struct retrying *work) {
    struct json json = json_begin(work->arena, '[');
    for (size_t i = 0; i < work->request->count; i++) {
        json_number(&json, work->request->ids[i]);
    }
    return json_end(&json, ']');
}

/* Judges the rows of one order, which begin at `from`. */
static void judge_retries(struct retrying *work, size_t from, bool addressed) {
    struct retry_row rows[NOTIFICATIONS_PER_ORDER_MAX];
    size_t count = work->count - from;
    assert(count <= COUNT_OF(rows));
    for (size_t i = 0; i < count; i++) {
        rows[i] = work->results[from + i].row;
    }
    retry_judge(rows, count, addressed, work->request->again);
    for (size_t i = 0; i < count; i++) {
        work->results[from + i].row = rows[i];
    }
}

/* The query returns an order once per selected notification; skip the repeats. */
static bool is_repeated_choice(const struct retrying *work, const struct retry_result *result) {
    return work->count > 0 && work->results[work->count - 1].row.id == result->row.id;
}

static enum status look_at_order(struct connection *connection, struct retrying *work) {
    struct retry_result result;
    size_t from = 0;
    bool addressed = false, its_merchant_is = false;
    struct sql *sql = sql_begin(connection, SQL_retry_look);
    sql_text(sql, print_ids(work));
    enum status status = sql_first(sql);
    for (work->count = 0; status == STATUS_OK; status = sql_next(sql)) {
        its_merchant_is = get_result(sql, work, &result);
        if (is_repeated_choice(work, &result)) {
            continue;
        }
        if (work->count > from && work->results[from].order_id != result.order_id) {
            judge_retries(work, from, addressed);
            from = work->count;
        }
        addressed = its_merchant_is;
        work->results[work->count++] = result;
    }
    sql_end(sql);
    judge_retries(work, from, addressed);
    return status == STATUS_NONE ? STATUS_OK : status;
}

static bool is_retried(const struct retry_row *row) {
    return row->chosen && row->refusal == RETRY_GRANTED;
}

/* Prints the rows for which `picks` returns true, as JSON. *count: how many. */
static struct text print_changes(const struct retrying *work, bool (*picks)(const struct retry_row *row),
                                 uint64_t *count) {
    struct json json = json_begin(work->arena, '[');
    *count = 0;
    for (size_t i = 0; i < work->count; i++) {
        const struct retry_row *row = &work->results[i].row;
        if (picks(row)) {
            json_open(&json, '{');
            json_key(&json, "id");
            json_number(&json, row->id);
            json_key(&json, "was");
            json_text(&json, text_of(notification_state_name(row->state)));
            json_key(&json, "becomes");
            json_text(&json, text_of(notification_state_name(row->becomes)));
            json_close(&json, '}');
            (*count)++;
        }
    }
    return json_end(&json, ']');
}

/* The rows are locked, so if fewer were written the unit runs again. */
static enum status write_changes(struct connection *connection, const struct retrying *work) {
    uint64_t count, chosen, written = 0;
    struct text changes = print_changes(work, retry_changes, &count);
    struct text retried = print_changes(work, is_retried, &chosen);
    if (count == 0 && chosen == 0) {
        return STATUS_OK;
    }
    uint64_t user_id = work->request->user_id;
    struct sql *sql = sql_begin(connection, user_id == 0 ? SQL_retry_write : SQL_console_retry);
    if (user_id != 0) {
        sql_number(sql, user_id);
    }
    sql_text(sql, changes);
    sql_text(sql, retried);
    sql_text_or_null(sql, work->request->reason);
    if (user_id == 0) {
        sql_text(sql, work->request->actor);
    }
    enum status status = routine_count(sql, &written);
    return status == STATUS_OK && written < count ? STATUS_AGAIN : status;
}

/* Returns false if one of the chosen ones is refused or does not exist. */
static bool all_are_granted(const struct retrying *work) {
    size_t granted = 0;
    for (size_t i = 0; i < work->count; i++) {
        granted += is_retried(&work->results[i].row);
    }
    return granted == work->request->count;
}

static enum status retry_unit(struct connection *connection, void *context) {
    struct retrying *work = context;
    enum status status = look_at_order(connection, work);
    if (status != STATUS_OK || work->request->dry_run || (work->request->whole && !all_are_granted(work))) {
        return status;
    }
    return write_changes(connection, work);
}

enum status retries_run(struct connection *connection, const struct retry_request *request, struct arena *arena,
                        struct retry_result **out, size_t *count) {
    assert(request->count > 0 && request->count <= RETRIES_AT_ONCE);
    struct retrying work = {.request = request, .arena = arena};
    work.results = arena_alloc(arena, NOTIFICATIONS_PER_ORDER_MAX * request->count * sizeof *work.results);
    enum status status = sql_transact(connection, retry_unit, &work);
    *out = work.results;
    *count = status == STATUS_OK ? work.count : 0;
    return status;
}
