#include "page/slip.h"

#include "page/barcode.h"
#include "page/document.h"
#include "page/html.h"
#include "page/readable.h"

static struct text join(struct text all, struct text more, struct arena *arena) {
    return arena_print(arena, "%.*s%.*s", TEXT_ARGS(all), TEXT_ARGS(more));
}

static struct text header(const struct slip_view *view, struct arena *arena) {
    struct text commerce = html_escape(view->order->commerce, arena);
    return arena_print(arena,
                       "<h1>%s</h1>\n<section>\n<h2>%s</h2>\n<p class=\"merchant\"><bdi>%.*s</bdi></p>\n</section>\n",
                       wording_in(view->language)->title, wording_in(view->language)->merchant, TEXT_ARGS(commerce));
}

static struct text state(const struct slip_view *view, struct arena *arena) {
    const struct state_words *words = wording_of_state(view->payable);
    return arena_print(arena, "<section class=\"state %s%s\">\n<h2>%s</h2>\n<p>%s</p>\n</section>\n", words->style,
                       view->payable == GRANTED ? "" : " over", words->in[view->language].state,
                       words->in[view->language].advice);
}

/* The digits in groups, and one by one for screen readers. */
static struct text grouped(struct text reference, struct arena *arena) {
    struct text shown = {NULL, 0}, spoken = {NULL, 0};
    for (size_t i = 0; i < readable_group_count(reference); i++) {
        struct text group = readable_group(reference, i);
        shown = arena_print(arena, "%.*s<span>%.*s</span>", TEXT_ARGS(shown), TEXT_ARGS(group));
        for (size_t at = 0; at < group.size; at++) {
            spoken = arena_print(arena, "%.*s%c%s", TEXT_ARGS(spoken), group.at[at], at + 1 < group.size ? " " : ", ");
        }
    }
    return arena_print(arena,
                       "<p class=\"reference\"><span class=\"groups\" aria-hidden=\"true\">%.*s</span>"
                       "<span class=\"spoken\">%.*s</span></p>\n",
                       TEXT_ARGS(shown), (int)spoken.size - 2, spoken.at);
}

static struct text symbol(enum symbology symbology, const char *title, struct text reference, struct arena *arena) {
    struct text whole = arena_print(arena, "%s %.*s", title, TEXT_ARGS(reference));
    return barcode_svg(symbology, reference, whole, arena);
}

static struct text pay_with(const struct slip_view *view, struct arena *arena) {
    const struct words *words = wording_in(view->language);
    struct text reference = view->order->reference;
    struct text digits = grouped(reference, arena);
    struct text barcode = symbol(BARCODE_CODE_128, words->barcode, reference, arena);
    struct text qr_code = symbol(BARCODE_QR, words->qr_code, reference, arena);
    return arena_print(arena, "<section>\n<h2>%s</h2>\n%.*s<div class=\"symbols\">\n%.*s\n%.*s\n</div>\n</section>\n",
                       words->reference, TEXT_ARGS(digits), TEXT_ARGS(barcode), TEXT_ARGS(qr_code));
}

/* The amount of an unpaid order whose amount the customer chooses. */
static struct text open_amount(const struct slip_view *view, struct arena *arena) {
    const struct order *order = view->order;
    struct text least = readable_amount(order->least, order->currency, view->language, arena);
    struct text most = readable_amount(order->most, order->currency, view->language, arena);
    bool english = view->language == ENGLISH;
    struct text any = text_of(wording_in(view->language)->any_amount);
    if (!order->has_limits) {
        return arena_print(arena, "%.*s (%.*s)", TEXT_ARGS(any), TEXT_ARGS(order->currency));
    }
    if (money_is_zero(order->least)) {
        return arena_print(arena, "%.*s, %s %.*s", TEXT_ARGS(any), english ? "up to" : "hasta", TEXT_ARGS(most));
    }
    return arena_print(arena, "%.*s, %s %.*s %s %.*s", TEXT_ARGS(any), english ? "from" : "desde", TEXT_ARGS(least),
                       english ? "to" : "hasta", TEXT_ARGS(most));
}

static struct text amount(const struct slip_view *view, struct arena *arena) {
    const struct order *order = view->order;
    bool is_paid = !money_is_zero(view->paid), is_open = money_is_zero(order->amount);
    struct text printed = is_open && !is_paid ? open_amount(view, arena)
                                              : readable_amount(is_paid ? view->paid : order->amount, order->currency,
                                                                view->language, arena);
    return arena_print(arena, "<section>\n<h2>%s</h2>\n<p class=\"amount\">%.*s</p>\n</section>\n",
                       wording_of_state(view->payable)->in[view->language].amount, TEXT_ARGS(printed));
}

/* One line of the list, or nothing if there is no value. `value` is HTML. */
static struct text detail(const char *label, struct text value, struct arena *arena) {
    if (value.size == 0) {
        return value;
    }
    return arena_print(arena, "<div><dt>%s</dt><dd><bdi>%.*s</bdi></dd></div>\n", label, TEXT_ARGS(value));
}

static struct text moment(const struct slip_view *view, instant local, struct arena *arena) {
    return html_escape(readable_moment(local, view->country, view->time_zone, view->language, arena), arena);
}

static struct text details(const struct slip_view *view, struct arena *arena) {
    const struct words *words = wording_in(view->language);
    const struct order *order = view->order;
    const struct text lines[] = {
        detail(words->due, moment(view, order_last_moment(view->due), arena), arena),
        detail(words->description, html_escape(order->description, arena), arena),
        detail(words->order, html_escape(view->po_id, arena), arena),
        detail(words->reference, view->payable == GRANTED ? TEXT("") : order->reference, arena),
    };
    struct text all = TEXT("<dl>\n");
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        all = join(all, lines[i], arena);
    }
    return join(all, TEXT("</dl>\n"), arena);
}

static struct text footer(const struct slip_view *view, struct arena *arena) {
    struct text now = moment(view, view->now, arena);
    return arena_print(arena, "<footer><p>%s %.*s</p></footer>\n", wording_in(view->language)->as_of, TEXT_ARGS(now));
}

struct text slip_page(const struct slip_view *view, struct arena *arena) {
    const struct text parts[] = {
        header(view, arena), state(view, arena),   view->payable == GRANTED ? pay_with(view, arena) : TEXT(""),
        amount(view, arena), details(view, arena), footer(view, arena),
    };
    struct text body = {NULL, 0};
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        body = join(body, parts[i], arena);
    }
    struct text commerce = html_escape(view->order->commerce, arena);
    struct text title = arena_print(arena, "%s: %.*s", wording_in(view->language)->title, TEXT_ARGS(commerce));
    return document_of(view->language, title, body, arena);
}
