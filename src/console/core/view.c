#include "console/core/view.h"

#include "base/zone/zone.h"
#include "base/zone/zone_day.h"
#include "console/core/token.h"
#include "domain/instant.h"
#include "domain/order.h"
#include "page/readable.h"

#include <inttypes.h>

enum { DIGITS_PER_THOUSAND = 3 };

/* Characters of a state that stays on one line. */
enum { STATE_OF_A_LINE = 28 };

struct text say(const struct view *view, enum say what) {
    return texts_say(what, view->language);
}

struct console_reader view_reader(const struct view *view) {
    bool is_staff = view->user->role != ROLE_MERCHANT && view->user->merchant_id == 0;
    return (struct console_reader){.connection = view->connection,
                                   .arena = view->arena,
                                   .scope = {.everything = is_staff, .merchant_id = view->user->merchant_id}};
}

struct text view_actor(const struct view *view, struct text actor) {
    static const struct text STAFF[] = {TEXT("operator:"), TEXT("console:"), TEXT("db:")};
    bool is_staff = false;
    for (size_t i = 0; i < COUNT_OF(STAFF); i++) {
        is_staff = is_staff || text_begins(actor, STAFF[i]);
    }
    return is_staff && view->user->role == ROLE_MERCHANT ? TEXT("recaudo") : actor;
}

struct text view_reason(const struct view *view, struct text reason) {
    return view->user->role == ROLE_MERCHANT ? TEXT("") : reason;
}

bool view_may_support(const struct view *view) {
    return view->user->role == ROLE_SUPPORT || view->user->role == ROLE_OPERATOR;
}

bool view_may_operate(const struct view *view) {
    return view->user->role == ROLE_OPERATOR;
}

struct text view_amount(const struct view *view, struct money amount, struct text currency) {
    return readable_amount(amount, currency, view->language, view->arena);
}

/* Prints 2026-11-21 23:59:07, with `separator` between date and time, followed by `end`. */
static struct text print_civil(const struct view *view, instant local, char separator, const char *end) {
    struct civil c = instant_to_civil(local);
    return arena_print(view->arena, "%04u-%02u-%02u%c%02u:%02u:%02u%s", c.year, c.month, c.day, separator, c.hour,
                       c.minute, c.second, end);
}

struct text view_moment(const struct view *view, instant at) {
    instant local;
    if (at == 0 || !zone_to_local(view->zone, at, &local)) {
        return TEXT("");
    }
    return print_civil(view, local, ' ', "");
}

instant view_last_moment(const struct view *view, instant due) {
    instant local;
    return zone_due(view->zone, due, &local) ? due - (local - order_last_moment(local)) : due;
}

struct text view_count(const struct view *view, uint64_t count) {
    char digits[24], out[40];
    int size = snprintf(digits, sizeof digits, "%" PRIu64, count);
    size_t used = 0;
    for (int i = 0; i < size; i++) {
        if (i > 0 && (size - i) % DIGITS_PER_THOUSAND == 0) {
            out[used++] = view->language == ENGLISH ? ',' : '.';
        }
        out[used++] = digits[i];
    }
    return arena_copy(view->arena, (struct text){out, used});
}

void put_moment(struct view *view, instant at) {
    if (at == 0) {
        markup_add(view->html, "<span class=\"nothing\">–</span>");
        return;
    }
    markup_fill(view->html, "<time datetime=\"{}\">{}</time>", print_civil(view, at, 'T', "Z"), view_moment(view, at));
}

void put_words(struct view *view, enum say what) {
    markup_fill(view->html, "{}", say(view, what));
}

void put_state(struct view *view, enum tone tone, struct text word) {
    static const char *const CLASSES[] = {
        [TONE_PLAIN] = "plain", [TONE_GOOD] = "good", [TONE_WAITING] = "waiting",
        [TONE_BAD] = "bad",     [TONE_OFF] = "off",
    };
    markup_fill(view->html, "<span class=\"state {}{}\">{}</span>", text_of(CLASSES[tone]),
                text_characters(word) > STATE_OF_A_LINE ? TEXT(" long") : TEXT(""), word);
}

void put_fact(struct view *view, enum say label, struct text value) {
    if (value.size > 0) {
        markup_fill(view->html, "<div><dt>{}</dt><dd><bdi>{}</bdi></dd></div>\n", say(view, label), value);
    }
}

void put_token(struct view *view, struct text action) {
    const struct token_terms terms = {view->form_key, view->user->name, action};
    struct text token = token_make(&terms, clock_host(), view->arena);
    markup_fill(view->html, "<input type=\"hidden\" name=\"token\" value=\"{}\">\n", token);
}
