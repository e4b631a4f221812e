#include "ctl/core/list_options.h"

#include "ctl/core/failure.h"
#include "ctl/core/output.h"
#include "domain/instant.h"

enum { LIMIT_STANDARD = 100, LIMIT_MOST = 1000000 };

enum outcome list_options_limit(const struct context *context, uint64_t *out) {
    struct text given = arguments_get(&context->arguments, "limit");
    uint64_t shown = LIMIT_STANDARD;
    if (given.at != NULL && (!text_to_number(given, &shown) || shown < 1 || shown > LIMIT_MOST)) {
        return misuse(context, "--limit is a number from 1 to %d", LIMIT_MOST);
    }
    *out = shown + 1;
    return OUTCOME_DONE;
}

/* 20261121 would be a moment of 1970. */
static bool is_day_without_hyphens(struct text given) {
    uint64_t number;
    return given.size == 8 && text_to_number(given, &number);
}

static enum outcome take_instant(const struct context *context, const char *option, instant *out) {
    struct text given = arguments_get(&context->arguments, option);
    *out = 0;
    bool is_read = given.at == NULL ||
                   (!is_day_without_hyphens(given) && (instant_parse(given, out) || instant_parse_day(given, out)));
    if (!is_read) {
        return misuse(context,
                      "--%s is seconds since 1970, or an instant or a day in UTC like 2026-11-21T09:30:00Z or "
                      "2026-11-21",
                      option);
    }
    return OUTCOME_DONE;
}

enum outcome list_options_since(const struct context *context, instant *out) {
    return take_instant(context, "since", out);
}

enum outcome list_options_period(const struct context *context, instant *since, instant *until) {
    enum outcome outcome = take_instant(context, "since", since);
    if (outcome == OUTCOME_DONE) {
        outcome = take_instant(context, "until", until);
    }
    if (outcome == OUTCOME_DONE && *until == 0 && arguments_get(&context->arguments, "until").at != NULL) {
        return misuse(context, "--until is after 1970-01-01T00:00:00Z: nothing is older");
    }
    return outcome;
}

void list_options_print(const struct context *context, struct record_list *list, uint64_t limit) {
    bool more = list->count >= limit;
    if (more) {
        record_list_cut(list, limit - 1);
    }
    output_list(list, context->json);
    if (more) {
        remark("the list ends after %zu; --limit N for more", list->count);
    }
}
