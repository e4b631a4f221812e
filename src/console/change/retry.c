#include "console/change/change.h"
#include "console/change/changes.h"
#include "console/pages/parts.h"
#include "store/console/notifications.h"
#include "store/notification/retries.h"

#include <inttypes.h>

/* In the order of enum retry_refusal. */
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

/* What was delivered may be sent again too: the page says that it was. STATUS_CHANGED: it is refused; *refusal: why. */
static enum status retry_one(struct change *change, bool dry_run, enum retry_refusal *refusal, bool *was_refunded) {
    struct view *view = change->view;
    const uint64_t ids[] = {change->id};
    const struct retry_request request = {.ids = ids,
                                          .count = COUNT_OF(ids),
                                          .again = true,
                                          .whole = true,
                                          .dry_run = dry_run,
                                          .reason = change->reason,
                                          .user_id = view->user->id};
    struct retry_result *results;
    size_t count;
    enum status status = retries_run(view->connection, &request, view->arena, &results, &count);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        if (results[i].row.chosen) {
            *refusal = results[i].row.refusal;
            *was_refunded = results[i].was_refunded;
            return *refusal == RETRY_GRANTED ? STATUS_OK : STATUS_CHANGED;
        }
    }
    return status == STATUS_OK ? STATUS_NONE : status;
}

static enum status read_notification(struct change *change) {
    struct view *view = change->view;
    struct notification_row row;
    enum retry_refusal refusal = RETRY_GRANTED;
    bool was_refunded = false;
    enum status status = console_notifications_find(&change->reader, change->id, &row);
    if (status == STATUS_OK) {
        status = retry_one(change, true, &refusal, &was_refunded);
    }
    if (status != STATUS_OK && status != STATUS_CHANGED) {
        return status;
    }
    change->back = arena_print(view->arena, "/orders/%" PRIu64 "#%.*s", row.order_id, TEXT_ARGS(row.webhook_id));
    change->seen =
        arena_print(view->arena, "%.*s %" PRId64 " %.*s", TEXT_ARGS(row.state), row.due_at, TEXT_ARGS(row.url));
    change->refusal = refusal == RETRY_GRANTED ? TEXT("") : say(view, REFUSALS[refusal]);
    put_fact(view, SAY_MERCHANT, row.merchant);
    put_fact(view, SAY_PO_ID, row.po_id);
    put_fact(view, SAY_NOTIFICATION, row.status);
    put_fact(view, SAY_WEBHOOK_ID, row.webhook_id);
    put_fact(view, SAY_STATE, part_state_word(view, PART_NOTIFICATION_STATES, row.state));
    put_fact(view, SAY_URL_NOW, row.url);
    put_fact(view, SAY_RETRY_REFUNDED, was_refunded ? say(view, SAY_RETRY_REFUNDED_WHY) : TEXT(""));
    return STATUS_OK;
}

static enum status write_retry(struct change *change) {
    enum retry_refusal refusal;
    bool was_refunded;
    return retry_one(change, false, &refusal, &was_refunded);
}

enum status change_retry(struct view *view) {
    static const struct change_kind KIND = {.title = SAY_RETRY_TITLE,
                                            .consequence = SAY_RETRY_CONSEQUENCE,
                                            .button = SAY_RETRY_BUTTON,
                                            .read = read_notification,
                                            .write = write_retry};
    return change_make(view, &KIND);
}
