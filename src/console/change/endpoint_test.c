#include "base/utf8.h"
#include "console/change/change.h"
#include "console/change/changes.h"
#include "console/pages/parts.h"
#include "store/console/changes.h"
#include "store/console/endpoint_tests.h"
#include "store/console/parties.h"

#include <inttypes.h>

/* At most this many characters of a reply are shown. */
enum { REPLY_SHOWN = 4096 };

static void put_outcome(struct view *view, const struct console_test *test) {
    bool acknowledged = text_equal(test->reason, TEXT("acknowledged"));
    struct text reply = text_start(utf8_repair(test->reply, view->arena), REPLY_SHOWN);
    markup_fill(view->html, "<div><dt>{}</dt><dd>", say(view, SAY_VERDICT));
    put_state(view, acknowledged ? TONE_GOOD : TONE_BAD, part_reason(view, test->reason));
    markup_add(view->html, "</dd></div>\n");
    put_fact(view, SAY_HTTP_STATUS, test->http_status == 0 ? TEXT("–") : part_number(view, test->http_status));
    put_fact(view, SAY_TOOK, part_milliseconds(view, test->took));
    put_fact(view, SAY_URL, test->url);
    put_fact(view, SAY_ADDRESS, test->address);
    if (reply.size > 0 && view_may_operate(view)) {
        markup_fill(view->html, "<div><dt>{}</dt><dd><pre tabindex=\"0\">{}</pre></dd></div>\n", say(view, SAY_REPLY),
                    reply);
    }
}

static void put_last_test(struct change *change, const struct console_test *test) {
    struct view *view = change->view;
    part_moment_fact(view, SAY_LAST_TEST, test->asked_at);
    put_fact(view, SAY_ASKED_BY, view_actor(view, test->asked_by));
    if (test->done_at != 0) {
        put_outcome(view, test);
    } else if (!test->is_under_way) {
        put_fact(view, SAY_VERDICT, say(view, SAY_TEST_LOST));
    }
}

/* While a test is running, the page reloads itself. */
static void judge_test(struct change *change, const struct console_test *test) {
    struct view *view = change->view;
    if (test->is_under_way) {
        change->refusal = say(view, SAY_TEST_UNDER_WAY);
        view->refresh = "2";
    } else if (!test->may_be_asked) {
        change->refusal = say(view, SAY_TEST_JUST_MADE);
    }
}

static enum status read_endpoint(struct change *change) {
    struct view *view = change->view;
    struct console_merchant merchant;
    struct console_test test = {.asked_at = 0};
    enum status status = console_merchants_find(&change->reader, change->id, &merchant);
    if (status != STATUS_OK) {
        return status;
    }
    status = console_tests_find(&change->reader, change->id, &test);
    if (status != STATUS_OK && status != STATUS_NONE) {
        return status;
    }
    bool has_url = merchant.description.settings.notify_url.size > 0;
    change->back = arena_print(view->arena, "/merchants/%" PRIu64, change->id);
    change->seen = arena_print(view->arena, "%" PRId64 " %.*s", test.asked_at,
                               TEXT_ARGS(merchant.description.settings.notify_url));
    change->subject = arena_alloc(view->arena, sizeof(instant));
    *(instant *)change->subject = test.asked_at;
    change->refusal = has_url ? TEXT("") : say(view, SAY_NO_ENDPOINT);
    put_fact(view, SAY_MERCHANT, merchant.description.name);
    put_fact(view, SAY_URL_NOW, merchant.description.settings.notify_url);
    if (status == STATUS_OK) {
        put_last_test(change, &test);
    }
    if (status == STATUS_OK && has_url) {
        judge_test(change, &test);
    }
    return STATUS_OK;
}

/* Redirects to this page, which shows the outcome. */
static enum status ask_for_test(struct change *change) {
    struct view *view = change->view;
    const instant *seen = change->subject;
    change->back = view->request->path;
    return console_test_ask(view->connection, view->user->id, change->id, *seen, change->reason);
}

enum status change_endpoint_test(struct view *view) {
    static const struct change_kind KIND = {.title = SAY_TEST_TITLE,
                                            .consequence = SAY_TEST_CONSEQUENCE,
                                            .button = SAY_TEST_BUTTON,
                                            .read = read_endpoint,
                                            .write = ask_for_test};
    return change_make(view, &KIND);
}
