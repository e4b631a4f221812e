#include "store/console/notifications.h"
#include "console/pages/list.h"
#include "console/pages/pages.h"
#include "domain/instant.h"

static const enum say COLUMNS[] = {SAY_ORDER,    SAY_ITS_MERCHANT, SAY_TOLD,    SAY_STATE, SAY_ATTEMPTS,
                                   SAY_LAST_TRY, SAY_NEXT_TRY,     SAY_CREATED, SAY_NONE};

static const char *const CSV_COLUMNS[] = {"webhook_id", "pv_po_id",    "po_id",  "merchant",   "status",     "state",
                                          "attempts",   "last_reason", "due_at", "created_at", "settled_at", NULL};

static void put_notification_row(struct view *view, const struct notification_row *row) {
    bool is_due = text_equal(row->state, TEXT("pending"));
    markup_fill(view->html, "<tr><th scope=\"row\"><a href=\"/orders/{}#{}\">{}</a></th>",
                part_number(view, row->order_id), row->webhook_id, row->po_id);
    part_merchant_cell(view, row->merchant);
    markup_fill(view->html, "<td>{}</td><td>", row->status);
    part_state(view, PART_NOTIFICATION_STATES, row->state);
    markup_fill(view->html, "</td><td class=\"number\">{}</td><td>{}</td>", view_count(view, row->attempts),
                part_reason(view, row->last_reason));
    if (row->in_hand) {
        part_text_cell(view, say(view, SAY_SENT_NOW));
    } else {
        part_moment_cell(view, is_due ? row->due_at : 0);
    }
    part_moment_cell(view, row->created_at);
}

static void write_notification(struct csv_line *line, const struct notification_row *row) {
    char at[INSTANT_TEXT_SIZE];
    csv_line_text(line, row->webhook_id);
    csv_line_number(line, row->order_id);
    csv_line_text(line, row->po_id);
    csv_line_text(line, row->merchant);
    csv_line_text(line, row->status);
    csv_line_text(line, row->state);
    csv_line_number(line, row->attempts);
    csv_line_text(line, row->last_reason);
    csv_line_plain(line, instant_print(row->due_at, at));
    csv_line_plain(line, instant_print(row->created_at, at));
    csv_line_plain(line, row->settled_at == 0 ? "" : instant_print(row->settled_at, at));
}

static bool list_notification(void *context, const struct notification_row *row) {
    struct list *list = context;
    if (list->line != NULL) {
        write_notification(list->line, row);
    } else {
        put_notification_row(list->view, row);
    }
    return list_row_end(list);
}

static enum status read_notifications(struct list *list) {
    return console_notifications_list(&list->reader, &list->filter, &list->place, list_notification, list);
}

/* Those in a state come by the time at which they are due, but for the delivered. */
static bool is_by_age(const struct list *list) {
    return list->filter.state.size == 0 || text_equal(list->filter.state, TEXT("delivered"));
}

static const struct list_kind NOTIFICATIONS = {.path = "/notifications",
                                               .file = "notifications.csv",
                                               .title = SAY_NOTIFICATIONS,
                                               .caption = SAY_NOTIFICATIONS_CAPTION,
                                               .columns = COLUMNS,
                                               .from = SAY_CREATED_FROM,
                                               .to = SAY_CREATED_TO,
                                               .states = PART_NOTIFICATION_STATES,
                                               .list = CONSOLE_NOTIFICATIONS,
                                               .csv_columns = CSV_COLUMNS,
                                               .read = read_notifications,
                                               .is_by_age = is_by_age};

enum status page_notifications(struct view *view) {
    return list_make(view, &NOTIFICATIONS);
}

/* A notification is shown with its order. */
enum status page_notification(struct view *view) {
    uint64_t id;
    struct notification_row row;
    struct console_reader reader = view_reader(view);
    enum status status = part_id(view, &id) ? console_notifications_find(&reader, id, &row) : STATUS_NONE;
    if (status == STATUS_OK) {
        view->location =
            arena_print(view->arena, "/orders/%llu#%.*s", (unsigned long long)row.order_id, TEXT_ARGS(row.webhook_id));
    }
    return status;
}
