#include "console/change/change.h"
#include "console/change/changes.h"
#include "console/pages/parts.h"
#include "store/console/notifications.h"
#include "store/notification/retries.h"

#include <inttypes.h>

/* By enum retry_refusal. */
static const enum say REFUSALS[] = {
    [RETRY_GRANTED] = SAY_NONE,
    [RETRY_NO_URL] = SAY_RETRY_NO_URL,
    [RETRY_DELIVERED] = SAY_CHANGED_SINCE,
    [RETRY_IN_HAND] = SAY_RETRY_IN_HAND,
    [RETRY_DUE] = SAY_RETRY_DUE,
    [RETRY_WAITING] = SAY_RETRY_WAITING,
    [RETRY_FOLLOWED] = SAY_RETRY_FOLLOWED,
    [RETRY_FOLLOWER_IN_HAND] = SAY_RETRY_FOLLOWER_IN_HAND,
};

/* The request to the store, and its result for the notification of the page. */
struct asking {
    uint64_t ids[NOTIFICATIONS_PER_ORDER_MAX];
    size_t count;
    bool dry_run, was_refunded;
    enum retry_refusal refusal;
};

/* Keeps the ids in ascending order, as retries_run requires. */
static void add_retried_id(struct asking *asking, uint64_t id) {
    size_t at = asking->count++;
    for (; at > 0 && asking->ids[at - 1] > id; at--) {
        asking->ids[at] = asking->ids[at - 1];
    }
    asking->ids[at] = id;
}

/* Requests the later notifications of the order too, because they must follow this one. */
static void widen_asking(struct asking *asking, const struct retry_result *results, size_t count, size_t from) {
    asking->count = 0;
    for (size_t i = from; i < count; i++) {
        add_retried_id(asking, results[i].row.id);
    }
}

/* Delivered notifications may be sent again too; the page shows their state. */
static enum status ask_retry(struct change *change, struct asking *asking) {
    struct view *view = change->view;
    const struct retry_request request = {.ids = asking->ids,
                                          .count = asking->count,
                                          .again = true,
                                          .whole = true,
                                          .dry_run = asking->dry_run,
                                          .reason = change->reason,
                                          .user_id = view->user->id};
    struct retry_result *results;
    size_t count, at = 0;
    enum status status = retries_run(view->connection, &request, view->arena, &results, &count);
    if (status != STATUS_OK) {
        return status;
    }
    while (at < count && results[at].row.id != change->id) {
        at++;
    }
    if (at == count) {
        return STATUS_NONE;
    }
    asking->refusal = results[at].row.refusal;
    asking->was_refunded = results[at].was_refunded;
    if (asking->refusal == RETRY_FOLLOWED && asking->count == 1) {
        widen_asking(asking, results, count, at);
        return ask_retry(change, asking);
    }
    return asking->refusal == RETRY_GRANTED ? STATUS_OK : STATUS_CHANGED;
}

/* STATUS_CHANGED: refused; asking->refusal says why. */
static enum status retry_one(struct change *change, bool dry_run, struct asking *asking) {
    *asking = (struct asking){.ids = {change->id}, .count = 1, .dry_run = dry_run};
    return ask_retry(change, asking);
}

static enum status read_notification(struct change *change) {
    struct view *view = change->view;
    struct notification_row row;
    struct asking asking = {.refusal = RETRY_GRANTED};
    enum status status = console_notifications_find(&change->reader, change->id, &row);
    if (status == STATUS_OK) {
        status = retry_one(change, true, &asking);
    }
    if (status != STATUS_OK && status != STATUS_CHANGED) {
        return status;
    }
    change->back = arena_print(view->arena, "/orders/%" PRIu64 "#%.*s", row.order_id, TEXT_ARGS(row.webhook_id));
    change->seen =
        arena_print(view->arena, "%.*s %" PRId64 " %.*s", TEXT_ARGS(row.state), row.due_at, TEXT_ARGS(row.url));
    change->refusal = asking.refusal == RETRY_GRANTED ? TEXT("") : say(view, REFUSALS[asking.refusal]);
    put_fact(view, SAY_MERCHANT, row.merchant);
    put_fact(view, SAY_PO_ID, row.po_id);
    put_fact(view, SAY_NOTIFICATION, row.status);
    put_fact(view, SAY_WEBHOOK_ID, row.webhook_id);
    put_fact(view, SAY_STATE, part_state_word(view, PART_NOTIFICATION_STATES, row.state));
    put_fact(view, SAY_URL_NOW, row.url);
    put_fact(view, SAY_RETRY_REFUNDED, asking.was_refunded ? say(view, SAY_RETRY_REFUNDED_WHY) : TEXT(""));
    return STATUS_OK;
}

static enum status write_retry(struct change *change) {
    struct asking asking;
    return retry_one(change, false, &asking);
}

enum status change_retry(struct view *view) {
    static const struct change_kind KIND = {.title = SAY_RETRY_TITLE,
                                            .consequence = SAY_RETRY_CONSEQUENCE,
                                            .button = SAY_RETRY_BUTTON,
                                            .read = read_notification,
                                            .write = write_retry};
    return change_make(view, &KIND);
}
