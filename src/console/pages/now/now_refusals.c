#include "console/core/refusals.h"
#include "console/pages/now/now.h"
#include "store/operation/refusals.h"
#include "wire/reply_code.h"

static void put_refusal(void *context, const struct refusal_count *count) {
    struct view *view = context;
    char code[5];
    snprintf(code, sizeof code, "%.*s", TEXT_ARGS(count->code));
    markup_fill(
        view->html,
        "<tr><th scope=\"row\">{}</th><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
        count->code, refusal_words(reply_code_meaning(code), view->language), view_count(view, count->lately),
        view_count(view, count->of_day));
}

enum status now_put_refusals(struct view *view) {
    static const enum say COLUMNS[] = {SAY_CODE, SAY_MEANING, SAY_LAST_HOURS, SAY_LAST_DAY, SAY_NONE};
    put_table(view, SAY_REFUSALS, COLUMNS);
    enum status status = refusals_list(view->connection, view->arena, put_refusal, view);
    put_table_end(view);
    return status;
}
