#include "store/payment/approvals.h"

#include "store/db/routine.h"
#include "store/db/rows.h"

#define APPROVAL_COLUMNS                                                                                               \
    "a.id, a.kind, a.subject_id, m.name, n.name, o.po_id, a.amount, a.currency, a.changes, a.reason, a.asked_by,"      \
    " a.asked_at, a.expires_at,"                                                                                       \
    " CASE WHEN a.state <> 'waiting' THEN a.state"                                                                     \
    " WHEN NOT a.seen <=> approval_seen(a.kind, a.subject_id, a.currency) THEN 'stale'"                                \
    " WHEN a.expires_at <= UTC_TIMESTAMP(6) THEN 'expired' ELSE 'waiting' END,"                                        \
    " a.answered_by, a.answer, a.answered_at"
#define APPROVAL_SUBJECT                                                                                               \
    " LEFT JOIN orders o FORCE INDEX (PRIMARY) ON o.id = IF(a.kind = 'claim', a.subject_id, NULL)"                     \
    " LEFT JOIN networks n FORCE INDEX (PRIMARY)"                                                                      \
    " ON n.id = IF(a.kind IN ('limits', 'network_secret'), a.subject_id, NULL)"                                        \
    " LEFT JOIN merchants m FORCE INDEX (PRIMARY)"                                                                     \
    " ON m.id = CASE WHEN a.kind = 'claim' THEN o.merchant_id"                                                         \
    " WHEN a.kind IN ('notify_url', 'merchant_secret', 'notification_secret') THEN a.subject_id END"

const char sql_text_of_approval_waiting[] =
    "SELECT " APPROVAL_COLUMNS " FROM approvals a FORCE INDEX (state)" APPROVAL_SUBJECT
    " WHERE a.state = 'waiting' AND a.id < ? ORDER BY a.id DESC LIMIT ?";

const char sql_text_of_approval_list[] =
    "SELECT " APPROVAL_COLUMNS " FROM approvals a FORCE INDEX (PRIMARY)" APPROVAL_SUBJECT
    " WHERE a.id < ? ORDER BY a.id DESC LIMIT ?";

#define ANSWERED(how)                                                                                                  \
    "(SELECT id FROM approvals FORCE INDEX (state) WHERE state = '" how "' AND id < ? ORDER BY id DESC LIMIT ?)"

/* Takes the newest of each answer by the index, then the newest of both. */
const char sql_text_of_approval_answered[] =
    "SELECT " APPROVAL_COLUMNS " FROM (" ANSWERED("approved") " UNION ALL " ANSWERED(
        "refused") " ORDER BY id DESC LIMIT ?) answered STRAIGHT_JOIN approvals a FORCE INDEX (PRIMARY)"
                   " ON a.id = answered.id" APPROVAL_SUBJECT " ORDER BY a.id DESC";

const char sql_text_of_approval_find[] =
    "SELECT " APPROVAL_COLUMNS " FROM approvals a" APPROVAL_SUBJECT " WHERE a.id = ?";

const char sql_text_of_approval_newest[] =
    "SELECT COALESCE(MAX(id), 0) FROM approvals WHERE kind = ? AND subject_id = ?";

const char sql_text_of_approval_ask[] = "SELECT approval_ask(?, ?, ?, ?, ?, ?, ?)";

/* The same condition as in order_claim of sql/foundation.sql. */
const char sql_text_of_approval_of_claim[] =
    "SELECT " APPROVAL_COLUMNS " FROM approvals a FORCE INDEX (subject)" APPROVAL_SUBJECT
    " WHERE a.kind = 'claim' AND a.subject_id = ? AND a.state = 'waiting' AND a.seen = o.version"
    " AND a.expires_at > UTC_TIMESTAMP(6) LIMIT 1";

const char sql_text_of_approval_answer[] = "SELECT approval_answer(?, ?, ?, ?)";

const char sql_text_of_console_answer[] = "SELECT console_answer(?, ?, ?, ?)";

static void get_approval(struct sql *sql, struct arena *arena, struct approval *out) {
    out->id = sql_get_number(sql);
    out->kind = sql_get_text(sql, arena);
    out->subject_id = sql_get_number(sql);
    out->merchant = sql_get_text(sql, arena);
    out->network = sql_get_text(sql, arena);
    out->po_id = sql_get_text(sql, arena);
    out->amount = sql_get_money(sql);
    out->currency = sql_get_text(sql, arena);
    out->changes = sql_get_text(sql, arena);
    out->reason = sql_get_text(sql, arena);
    out->asked_by = sql_get_text(sql, arena);
    out->asked_at = sql_get_instant(sql);
    out->expires_at = sql_get_instant(sql);
    out->state = sql_get_text(sql, arena);
    out->answered_by = sql_get_text(sql, arena);
    out->answer = sql_get_text(sql, arena);
    out->answered_at = sql_get_instant(sql);
}

static void bind_answers(struct sql *sql, uint64_t before, uint64_t limit) {
    enum { ANSWERS = 2 };
    for (int i = 0; i < ANSWERS; i++) {
        sql_number(sql, before);
        sql_number(sql, limit);
    }
}

enum status approvals_list(struct connection *connection, const struct approval_filter *filter, struct arena *arena,
                           approval_taker *each, void *context) {
    static const enum statement STATEMENTS[] = {[APPROVALS_ALL] = SQL_approval_list,
                                                [APPROVALS_WAITING] = SQL_approval_waiting,
                                                [APPROVALS_ANSWERED] = SQL_approval_answered};
    struct sql *sql = sql_begin(connection, STATEMENTS[filter->choice]);
    uint64_t before = filter->before == 0 ? INT64_MAX : filter->before;
    if (filter->choice == APPROVALS_ANSWERED) {
        bind_answers(sql, before, filter->limit);
    } else {
        sql_number(sql, before);
    }
    sql_number(sql, filter->limit);
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct approval approval;
        get_approval(sql, arena, &approval);
        each(context, &approval);
    }
    return sql_end_list(sql, status);
}

static enum status read_one_approval(struct sql *sql, uint64_t id, struct arena *arena, struct approval *out) {
    sql_number(sql, id);
    enum status status = sql_first(sql);
    if (status == STATUS_OK) {
        get_approval(sql, arena, out);
    }
    sql_end(sql);
    return status;
}

enum status approvals_find(struct connection *connection, uint64_t id, struct arena *arena, struct approval *out) {
    return read_one_approval(sql_begin(connection, SQL_approval_find), id, arena, out);
}

enum status approvals_of_claim(struct connection *connection, uint64_t order_id, struct arena *arena,
                               struct approval *out) {
    return read_one_approval(sql_begin(connection, SQL_approval_of_claim), order_id, arena, out);
}

enum status approvals_newest(struct connection *connection, const char *kind, uint64_t subject_id, uint64_t *id) {
    struct sql *sql = sql_begin(connection, SQL_approval_newest);
    sql_text(sql, text_of(kind));
    sql_number(sql, subject_id);
    return rows_one_number(sql, id);
}

struct asking {
    const struct approval_wish *wish;
    uint64_t number;
};

static enum status write_wish(struct connection *connection, void *context) {
    struct asking *asking = context;
    const struct approval_wish *wish = asking->wish;
    struct sql *sql = sql_begin(connection, SQL_approval_ask);
    sql_text(sql, text_of(wish->kind));
    sql_number(sql, wish->subject_id);
    sql_text(sql, wish->notify_url);
    if (wish->sealed.size > 0) {
        sql_bytes(sql, wish->sealed.at, wish->sealed.size);
    } else {
        sql_text_or_null(sql, wish->sealed);
    }
    sql_number(sql, (uint64_t)wish->overlap);
    sql_text(sql, wish->reason);
    sql_text(sql, wish->actor);
    return routine_count(sql, &asking->number);
}

enum status approvals_ask(struct connection *connection, const struct approval_wish *wish, uint64_t *number) {
    struct asking asking = {.wish = wish};
    enum status status = sql_transact(connection, write_wish, &asking);
    *number = status == STATUS_OK ? asking.number : 0;
    return status;
}

struct answering {
    const struct approval_answer *answer;
    uint64_t outcome;
};

static enum status write_approval_answer(struct connection *connection, void *context) {
    struct answering *answering = context;
    const struct approval_answer *answer = answering->answer;
    bool by_user = answer->user_id != 0;
    struct sql *sql = sql_begin(connection, by_user ? SQL_console_answer : SQL_approval_answer);
    if (by_user) {
        sql_number(sql, answer->user_id);
    }
    sql_number(sql, answer->id);
    sql_number(sql, answer->approve);
    sql_text(sql, answer->reason);
    if (!by_user) {
        sql_text(sql, answer->actor);
    }
    return routine_outcome(sql, APPROVAL_STALE, &answering->outcome);
}

enum status approvals_answer(struct connection *connection, const struct approval_answer *answer,
                             enum approval_outcome *out) {
    struct answering answering = {.answer = answer};
    enum status status = sql_transact(connection, write_approval_answer, &answering);
    *out = (enum approval_outcome)answering.outcome;
    return status;
}
