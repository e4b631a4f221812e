#include "store/operation/event_row.h"

/* Rows are read in pages, because a filter may match few of them or none. */
enum { EVENTS_PER_PAGE = 1000 };

const char sql_text_of_event_list[] =
    "SELECT e.id, " EVENT_COLUMNS " FROM event_log e WHERE e.subject = ? AND e.subject_id = ?"
    " UNION ALL SELECT e.id, " EVENT_COLUMNS_OF_ORDER " FROM transactions t" EVENTS_OF_PAYMENT
    " WHERE ? = 'order' AND t.order_id = ? ORDER BY id";

#define OF_PAGE(from)                                                                                                  \
    "SELECT e.id, e.subject, e.subject_id, COALESCE(n.name, m.name, u.name),"                                          \
    " IF(e.subject = 'order', e.subject_id, e.order_id), e.db_account, " EVENT_COLUMNS " FROM " from                   \
    " LEFT JOIN networks n ON e.subject = 'network' AND n.id = e.subject_id"                                           \
    " LEFT JOIN merchants m ON e.subject = 'merchant' AND m.id = e.subject_id"                                         \
    " LEFT JOIN console_users u ON e.subject = 'user' AND u.id = e.subject_id"

const char sql_text_of_event_page[] =
    OF_PAGE("event_log e FORCE INDEX (PRIMARY)") " WHERE e.id < ? ORDER BY e.id DESC LIMIT ?";

const char sql_text_of_event_page_of_subject[] =
    OF_PAGE("(SELECT id FROM event_log FORCE INDEX (subject) WHERE subject = ? AND id < ?"
            " ORDER BY id DESC LIMIT ?) page STRAIGHT_JOIN event_log e ON e.id = page.id") " ORDER BY e.id DESC";

/* The trigger event_log_new reads this variable. */
const char sql_text_of_event_reason[] = "SELECT @recaudo_reason := ?";

void event_get(struct sql *sql, struct arena *arena, struct event *out) {
    out->at = sql_get_instant(sql);
    out->what = sql_get_text(sql, arena);
    out->from = sql_get_text(sql, arena);
    out->to = sql_get_text(sql, arena);
    out->actor = sql_get_text(sql, arena);
    out->reason = sql_get_text(sql, arena);
    out->changes = sql_get_text(sql, arena);
}

enum status events_list(struct connection *connection, struct text subject, uint64_t subject_id, struct arena *arena,
                        void (*each)(void *context, const struct event *event), void *context) {
    struct sql *sql = sql_begin(connection, SQL_event_list);
    for (int half = 0; half < 2; half++) {
        sql_text(sql, subject);
        sql_number(sql, subject_id);
    }
    enum status status = sql_first(sql);
    for (; status == STATUS_OK; status = sql_next(sql)) {
        struct event event;
        (void)sql_get_number(sql); /* only for ORDER BY */
        event_get(sql, arena, &event);
        each(context, &event);
    }
    return sql_end_list(sql, status);
}

enum status events_give_reason(struct connection *connection, struct text reason) {
    struct sql *sql = sql_begin(connection, SQL_event_reason);
    sql_text(sql, reason);
    return sql_end_list(sql, sql_first(sql));
}

static void get_listed_event(struct sql *sql, struct arena *arena, struct listed_event *out) {
    out->id = sql_get_number(sql);
    out->subject = sql_get_text(sql, arena);
    out->subject_id = sql_get_number(sql);
    out->name = sql_get_text(sql, arena);
    out->order_id = sql_get_number(sql);
    out->db_account = sql_get_text(sql, arena);
    event_get(sql, arena, &out->event);
}

static bool is_let_through(const struct listed_event *row, const struct event_filter *filter) {
    return (filter->subject.size == 0 || text_equal(row->subject, filter->subject)) &&
           text_begins(row->event.actor, filter->actor) && text_begins(row->db_account, filter->db_account) &&
           row->event.at >= filter->since && (filter->until == 0 || row->event.at < filter->until);
}

struct event_walk {
    const struct event_filter *filter;
    uint64_t before; /* the id that was read last */
    uint64_t given;
    bool has_ended; /* at the first event, or at a whole page older than `since` */
    void (*each)(void *context, const struct listed_event *event);
    void *context;
};

/* Subjects other than these have few events, which a key finds. The key is not in order of time, so each page reads all
 * of them. */
static bool is_of_few(struct text subject) {
    static const struct text OF_MANY[] = {TEXT("order"), TEXT("transaction"), TEXT("notification"), TEXT("account")};
    for (size_t i = 0; i < COUNT_OF(OF_MANY); i++) {
        if (text_equal(subject, OF_MANY[i])) {
            return false;
        }
    }
    return subject.size > 0;
}

static struct sql *begin_page(struct connection *connection, const struct event_walk *walk) {
    bool of_few = is_of_few(walk->filter->subject);
    struct sql *sql = sql_begin(connection, of_few ? SQL_event_page_of_subject : SQL_event_page);
    if (of_few) {
        sql_text(sql, walk->filter->subject);
    }
    sql_number(sql, walk->before);
    sql_number(sql, EVENTS_PER_PAGE);
    return sql;
}

/* Ids are assigned before their transactions commit, so events are not exactly in order of time. */
static enum status walk_page(struct connection *connection, struct event_walk *walk, struct arena *of_page) {
    struct sql *sql = begin_page(connection, walk);
    uint64_t read = 0;
    bool is_old = true;
    enum status status = sql_first(sql);
    for (; status == STATUS_OK && walk->given < walk->filter->limit; status = sql_next(sql)) {
        struct listed_event row;
        get_listed_event(sql, of_page, &row);
        walk->before = row.id;
        read++;
        is_old = is_old && row.event.at < walk->filter->since;
        if (is_let_through(&row, walk->filter)) {
            walk->given++;
            walk->each(walk->context, &row);
        }
    }
    walk->has_ended = is_old || read < EVENTS_PER_PAGE;
    return sql_end_list(sql, status);
}

enum status events_newest(struct connection *connection, const struct event_filter *filter,
                          void (*each)(void *context, const struct listed_event *event), void *context) {
    struct event_walk walk = {.filter = filter, .before = UINT64_MAX, .each = each, .context = context};
    struct arena *of_page = arena_create();
    enum status status = STATUS_OK;
    while (status == STATUS_OK && !walk.has_ended && walk.given < filter->limit) {
        status = walk_page(connection, &walk, of_page);
        arena_reset(of_page);
    }
    arena_destroy(of_page);
    return status;
}
