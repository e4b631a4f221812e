#include "console/core/layout.h"

#include "wire/uri.h"

/* Zones that a reader may choose, besides the reader's home zone. Names from requests are never passed on to the reader
 * of zone files. */
static const char *const ZONES[] = {"America/Bogota",
                                    "America/Costa_Rica",
                                    "America/Guayaquil",
                                    "America/Lima",
                                    "America/New_York",
                                    "Europe/Madrid",
                                    "UTC"};

enum { ZONES_MAX = COUNT_OF(ZONES) + 2 };

/* Whether the link's page or one below it is open: /orders/17 is below /orders. Nothing counts as below /. */
static bool is_open(struct text path, const char *link) {
    struct text start = text_of(link);
    return text_equal(path, start) ||
           (start.size > 1 && text_begins(path, start) && path.size > start.size && path.at[start.size] == '/');
}

static void put_links(struct markup *html, const struct view *view, const struct layout_link *links) {
    markup_fill(html, "<nav aria-label=\"{}\"><ul>\n", say(view, SAY_PAGES));
    for (; links->path != NULL; links++) {
        bool open = is_open(view->request->path, links->path);
        markup_fill(html, "<li><a href=\"{}\"", text_of(links->path));
        markup_add(html, open ? " aria-current=\"page\"" : "");
        markup_fill(html, ">{}</a></li>\n", say(view, links->label));
    }
    markup_add(html, "</ul></nav>\n");
}

static void put_search(struct markup *html, const struct view *view) {
    struct text label = say(view, SAY_FIND);
    markup_fill(html,
                "<form class=\"search\" role=\"search\" action=\"/find\" method=\"get\">"
                "<input type=\"search\" name=\"q\" maxlength=\"300\" aria-label=\"{}\" placeholder=\"{}\" value=\"{}\">"
                "<button>{}</button></form>\n",
                label, say(view, SAY_FIND_WHAT),
                is_open(view->request->path, "/find") ? request_query(view->request, "q", view->arena) : TEXT(""),
                label);
}

/* Adds the address's parameters, except language and zone, as hidden fields, so that a choice keeps them. */
static void put_kept_parameters(struct markup *html, const struct view *view) {
    struct text rest = view->request->query, name, value;
    while (rest.size > 0) {
        if (uri_next_parameter(&rest, view->arena, &name, &value) && name.size > 0 && !text_has_control(name) &&
            !text_has_control(value) && !text_equal(name, TEXT("lang")) && !text_equal(name, TEXT("zone"))) {
            markup_fill(html, "<input type=\"hidden\" name=\"{}\" value=\"{}\">", name, value);
        }
    }
}

static void put_option(struct markup *html, const char *value, const char *chosen) {
    markup_fill(html, "<option value=\"{}\"", text_of(value));
    markup_add(html, strcmp(value, chosen) == 0 ? " selected" : "");
    markup_fill(html, ">{}</option>", text_of(value));
}

/* What the reader may choose; returns how many there are. No other name comes to the reader of zone files. */
static size_t list_zones(const struct view *view, const char *zones[ZONES_MAX]) {
    const char *const others[] = {view->home_zone, view->config->settlement.zone};
    size_t count = COUNT_OF(ZONES);
    memcpy(zones, ZONES, sizeof ZONES);
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        if (text_place_in(text_of(others[i]), zones, count) == count) {
            zones[count++] = others[i];
        }
    }
    return count;
}

const char *layout_zone(const struct view *view, struct text name) {
    const char *zones[ZONES_MAX];
    size_t count = list_zones(view, zones), place = text_place_in(name, zones, count);
    return place < count ? zones[place] : view->home_zone;
}

static void put_zones(struct markup *html, const struct view *view) {
    const char *zones[ZONES_MAX];
    size_t count = list_zones(view, zones);
    for (size_t i = 0; i < count; i++) {
        put_option(html, zones[i], view->zone);
    }
}

static void put_choices(struct markup *html, const struct view *view) {
    markup_add(html, "<form class=\"choices\" method=\"get\">"); /* sent to the present address */
    put_kept_parameters(html, view);
    markup_fill(html, "<label>{} <select name=\"lang\"><option value=\"es\"", say(view, SAY_LANGUAGE));
    markup_add(html, view->language == SPANISH ? " selected" : "");
    markup_add(html, ">Español</option><option value=\"en\"");
    markup_add(html, view->language == ENGLISH ? " selected" : "");
    markup_fill(html, ">English</option></select></label> <label>{} <select name=\"zone\">", say(view, SAY_TIME_ZONE));
    put_zones(html, view);
    markup_fill(html, "</select></label> <button>{}</button></form>\n", say(view, SAY_APPLY));
}

static void put_user(struct markup *html, const struct view *view) {
    static const enum say ROLES[] = {[ROLE_VIEWER] = SAY_ROLE_VIEWER,
                                     [ROLE_SUPPORT] = SAY_ROLE_SUPPORT,
                                     [ROLE_OPERATOR] = SAY_ROLE_OPERATOR,
                                     [ROLE_MERCHANT] = SAY_ROLE_MERCHANT};
    markup_fill(html, "<p class=\"user\">{} <strong>{}</strong> ({}", say(view, SAY_SIGNED_IN), view->user->name,
                say(view, ROLES[view->user->role]));
    if (view->user->merchant_id != 0) {
        markup_fill(html, " {}", view->user->merchant_name);
    }
    markup_add(html, ")</p>\n");
}

static void put_head(struct markup *html, const struct view *view, struct text style_address) {
    markup_fill(html,
                "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<meta name=\"color-scheme\" content=\"light dark\">\n",
                text_of(wording_in(view->language)->code));
    if (view->refresh != NULL) {
        markup_fill(html, "<meta http-equiv=\"refresh\" content=\"{}\">\n", text_of(view->refresh));
    }
    markup_fill(html,
                "<title>{} · recaudo</title>\n<link rel=\"icon\" href=\"/icon.svg\">\n"
                "<link rel=\"stylesheet\" href=\"{}\">\n</head>\n<body>\n",
                view->title, style_address);
}

struct text layout_document(const struct view *view, const struct layout *layout) {
    struct markup *html = markup_create(view->arena);
    put_head(html, view, layout->style_address);
    markup_fill(html,
                "<a class=\"skip\" href=\"#content\">{}</a>\n<header><div class=\"bar\">\n"
                "<a class=\"brand\" href=\"/\">recaudo</a>\n",
                say(view, SAY_SKIP));
    if (view->user != NULL) {
        put_links(html, view, layout->links);
        put_search(html, view);
    }
    markup_fill(html, "</div></header>\n<main id=\"content\" tabindex=\"-1\">\n<h1>{}</h1>\n", view->title);
    markup_append(html, view->html);
    markup_add(html, "</main>\n<footer>\n");
    if (view->user != NULL) {
        put_user(html, view);
        put_choices(html, view);
    }
    markup_add(html, "</footer>\n</body>\n</html>\n");
    return markup_text(html);
}
