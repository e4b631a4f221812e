#include "console/pages/pages.h"
#include "console/pages/parts.h"

static void put_user_row(void *context, const struct console_user *user) {
    static const enum say ROLES[] = {[ROLE_VIEWER] = SAY_ROLE_VIEWER,
                                     [ROLE_SUPPORT] = SAY_ROLE_SUPPORT,
                                     [ROLE_OPERATOR] = SAY_ROLE_OPERATOR,
                                     [ROLE_MERCHANT] = SAY_ROLE_MERCHANT};
    struct view *view = context;
    markup_fill(view->html, "<tr><th scope=\"row\"><bdi>{}</bdi></th><td>{}</td>", user->name,
                say(view, ROLES[user->role]));
    part_text_cell(view, user->merchant_name);
    markup_add(view->html, "<td>");
    put_state(view, user->enabled ? TONE_GOOD : TONE_OFF, say(view, user->enabled ? SAY_ENABLED : SAY_DISABLED));
    markup_add(view->html, "</td>");
    part_moment_cell(view, user->changed_at);
    part_text_cell(view, user->changed_by);
    markup_fill(view->html, "<td><a href=\"/log?subject=user&amp;id={}\">{}</a></td></tr>\n",
                part_number(view, user->id), say(view, SAY_LOG));
}

/* For staff: the table of pages says so. */
enum status page_users(struct view *view) {
    static const enum say COLUMNS[] = {SAY_NAME,    SAY_ROLE,       SAY_MERCHANT, SAY_STATE,
                                       SAY_CHANGED, SAY_CHANGED_BY, SAY_LOG,      SAY_NONE};
    view->title = say(view, SAY_USERS);
    markup_fill(view->html, "<p class=\"lead\">{}</p>\n", say(view, SAY_USERS_ADVICE));
    put_table(view, SAY_USERS, COLUMNS);
    enum status status = console_users_list(view->connection, view->arena, put_user_row, view);
    put_table_end(view);
    return status;
}
