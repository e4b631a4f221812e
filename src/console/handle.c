#include "console/handle.h"

#include "auth/digest.h"
#include "base/utf8.h"
#include "base/zone/zone.h"
#include "console/core/style.h"
#include "console/core/token.h"
#include "console/origin.h"
#include "console/page_table.h"
#include "store/payment/settlements.h"

#include <inttypes.h>

/* To get a connection for a page. Each of its statements has the time of the configuration ([database] read_timeout).
 */
#define PAGE_TIME (5 * SECOND)

/* A page that stands where none can be shown. */
struct notice {
    int status;
    enum say title, advice;
};

static const struct notice BAD_REQUEST = {400, SAY_BAD_REQUEST, SAY_BAD_REQUEST_ADVICE},
                           TOO_LARGE = {413, SAY_TOO_LARGE, SAY_BAD_REQUEST_ADVICE},
                           NOBODY = {403, SAY_NOBODY, SAY_NOBODY_ADVICE},
                           UNKNOWN_USER = {403, SAY_UNKNOWN_USER, SAY_UNKNOWN_USER_ADVICE},
                           DISABLED_USER = {403, SAY_DISABLED_USER, SAY_DISABLED_USER_ADVICE},
                           FORBIDDEN = {403, SAY_FORBIDDEN, SAY_FORBIDDEN_ADVICE},
                           FOREIGN_FORM = {403, SAY_FOREIGN_FORM, SAY_FOREIGN_FORM_ADVICE},
                           NOT_FOUND = {404, SAY_NOT_FOUND, SAY_NOT_FOUND_ADVICE},
                           WRONG_METHOD = {405, SAY_WRONG_METHOD, SAY_BAD_REQUEST_ADVICE},
                           BROKEN = {500, SAY_BROKEN, SAY_BROKEN_ADVICE},
                           TRY_AGAIN = {503, SAY_TRY_AGAIN, SAY_TRY_AGAIN_ADVICE};

struct handling {
    const struct console *console;
    struct view view;
    struct console_user user;
};

/* Drops what a page has written before it failed. */
static void show_notice(struct view *view, const struct notice *notice) {
    view->status = notice->status;
    view->title = say(view, notice->title);
    view->refresh = NULL;
    view->html = markup_create(view->arena);
    markup_fill(view->html, "<p class=\"lead\">{}</p>\n", say(view, notice->advice));
}

static const struct notice *notice_of(enum status status) {
    switch (status) {
    case STATUS_NONE:
        return &NOT_FOUND;
    case STATUS_FULL:
    case STATUS_AWAY:
    case STATUS_AGAIN:
    case STATUS_LIMIT:
    case STATUS_UNSURE:
        return &TRY_AGAIN;
    case STATUS_OK:
    case STATUS_CHANGED:
    case STATUS_CLASH:
    case STATUS_FAULT:
        break;
    }
    return &BROKEN;
}

/* The reader's choice, from the address or else from the cookie; from the address it is remembered. */
static struct text choice(struct view *view, const char *name) {
    struct text given = request_query(view->request, name, view->arena);
    if (given.size == 0) {
        return arena_copy(view->arena, request_cookie(view->request, name));
    }
    return given;
}

static void remember(struct view *view, const char *name, struct text value) {
    if (request_query(view->request, name, view->arena).size > 0) {
        view->cookies =
            arena_print(view->arena, "%.*sSet-Cookie: %s=%.*s; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax\r\n",
                        TEXT_ARGS(view->cookies), name, TEXT_ARGS(value));
    }
}

static void choose_language(struct view *view) {
    struct text given = choice(view, "lang");
    if (given.size == 0) {
        given = text_start(view->request->accept_language, 2);
    }
    view->language = wording_language(given);
    remember(view, "lang", text_of(wording_in(view->language)->code));
}

static enum status find_home_zone(struct view *view) {
    struct text of_country = TEXT("");
    instant local;
    enum status status = view->user->merchant_id == 0
                             ? STATUS_OK
                             : settlements_zone(view->connection, view->user->merchant_id, view->arena, &of_country);
    const char *name = arena_print(view->arena, "%.*s", TEXT_ARGS(of_country)).at;
    bool is_known = of_country.size > 0 && zone_to_local(name, 0, &local);
    view->home_zone = is_known ? name : view->config->settlement.zone;
    return status;
}

/* The home zone is not remembered: whoever chose only a language goes on with it when it becomes another one. */
static enum status choose_zone(struct view *view) {
    enum status status = find_home_zone(view);
    view->zone = layout_zone(view, choice(view, "zone"));
    remember(view, "zone", strcmp(view->zone, view->home_zone) == 0 ? TEXT("") : text_of(view->zone));
    return status;
}

/* Who asks. NULL: a user who may use the console. */
static const struct notice *find_user(struct handling *handling) {
    struct view *view = &handling->view;
    struct text name = view->request->user;
    if (name.size == 0) {
        return &NOBODY;
    }
    bool may_exist = utf8_is_valid(name) && text_characters(name) <= CONSOLE_USER_CHARACTERS;
    enum status status =
        may_exist ? console_users_find(view->connection, name, view->arena, &handling->user) : STATUS_NONE;
    if (status != STATUS_OK) {
        return status == STATUS_NONE ? &UNKNOWN_USER : notice_of(status);
    }
    if (!handling->user.enabled) {
        return &DISABLED_USER;
    }
    view->user = &handling->user;
    status = choose_zone(view);
    status = status == STATUS_OK ? console_key_read(view->connection, view->arena, &view->form_key) : status;
    return status == STATUS_OK ? NULL : notice_of(status == STATUS_NONE ? STATUS_FAULT : status);
}

static bool is_own_form(const struct view *view) {
    const struct token_terms terms = {view->form_key, view->user->name, view->request->path};
    return origin_is_own(view->request) &&
           token_is_valid(&terms, clock_host(), request_form(view->request, "token", view->arena));
}

/* A role that may not see a page learns nothing of it; one that may not change something is told so. */
static const struct notice *make_page(struct view *view) {
    bool other_method;
    const struct page *page = page_find(view->request, view->words, &other_method);
    bool is_post = text_equal(view->request->method, TEXT("POST"));
    if (page == NULL) {
        return other_method ? &WRONG_METHOD : &NOT_FOUND;
    }
    if ((page->roles & ROLE_BIT(view->user->role)) == 0) {
        return is_post && view->user->role != ROLE_MERCHANT ? &FORBIDDEN : &NOT_FOUND;
    }
    if (is_post && !is_own_form(view)) {
        return &FOREIGN_FORM;
    }
    enum status status = page->make(view);
    return status == STATUS_OK ? NULL : notice_of(status);
}

static const struct notice *answer_with_database(struct handling *handling) {
    struct view *view = &handling->view;
    enum status status = pool_take_until(handling->console->pool, clock_monotonic() + PAGE_TIME, &view->connection);
    if (status != STATUS_OK) {
        return notice_of(status);
    }
    const struct notice *notice = find_user(handling);
    if (notice == NULL) {
        notice = make_page(view);
    }
    pool_give(handling->console->pool, view->connection);
    view->connection = NULL;
    return notice;
}

static const struct notice *answer(struct handling *handling) {
    const struct console_request *request = handling->view.request;
    if (request_is_large(request)) {
        return &TOO_LARGE;
    }
    if (request->cut_short || request->path.size == 0 || !request_is_sound(request, handling->view.arena)) {
        return &BAD_REQUEST;
    }
    if (!text_equal(request->method, TEXT("GET")) && !text_equal(request->method, TEXT("POST"))) {
        return &WRONG_METHOD;
    }
    return answer_with_database(handling);
}

static void send_page(const struct handling *handling) {
    const struct view *view = &handling->view;
    struct text body = TEXT(""), headers;
    int status = view->location.size > 0 ? 303 : view->status;
    if (view->location.size == 0) {
        const struct layout layout = {view->user == NULL ? NULL : page_links(view->user->role, view->arena),
                                      handling->console->style_address};
        body = layout_document(view, &layout);
    }
    headers = arena_print(view->arena, "Cache-Control: no-store\r\n%.*s%s%.*s%s%s%s", TEXT_ARGS(view->cookies),
                          view->location.size > 0 ? "Location: " : "", TEXT_ARGS(view->location),
                          view->location.size > 0 ? "\r\n" : "", status == 405 ? page_allow(view->request) : "",
                          status == 503 ? "Retry-After: 10\r\n" : "");
    outlet_begin(view->outlet, status, "text/html; charset=utf-8", headers, body.size);
    (void)outlet_send(view->outlet, body); /* whoever has gone needs no page */
}

/* The style sheet and the icon need no user: they are the same for all, and stand in the public sources. */
static bool send_file(const struct console_request *request, struct outlet *outlet) {
    static const struct {
        const char *path, *type, *bytes;
    } FILES[] = {
        {"/style.css", "text/css; charset=utf-8", style_sheet},
        {"/icon.svg", "image/svg+xml", style_icon},
    };
    for (size_t i = 0; i < COUNT_OF(FILES); i++) {
        if (text_equal(request->path, text_of(FILES[i].path)) && text_equal(request->method, TEXT("GET"))) {
            struct text bytes = text_of(FILES[i].bytes);
            outlet_begin(outlet, 200, FILES[i].type, TEXT("Cache-Control: private, max-age=31536000, immutable\r\n"),
                         bytes.size);
            (void)outlet_send(outlet, bytes); /* as above */
            return true;
        }
    }
    return false;
}

static void log_request(const struct console_request *request, const struct outlet *outlet, duration took) {
    char user[200], method[32], path[300], id[100];
    log_record("page id=%s method=%s path=\"%s\" user=\"%s\" http=%d ms=%" PRId64 ".%03" PRId64,
               log_quote(request->id, id, sizeof id), log_quote(request->method, method, sizeof method),
               log_quote(request->path, path, sizeof path), log_quote(request->user, user, sizeof user), outlet->status,
               took / MILLISECOND, took % MILLISECOND);
}

void handle_request(const struct console *console, const struct console_request *request, struct outlet *outlet,
                    struct arena *arena) {
    duration began_at = clock_monotonic();
    if (!send_file(request, outlet)) {
        struct handling handling = {.console = console,
                                    .view = {.arena = arena,
                                             .config = console->config,
                                             .request = request,
                                             .outlet = outlet,
                                             .html = markup_create(arena),
                                             .status = 200}};
        choose_language(&handling.view);
        const struct notice *notice = answer(&handling);
        if (notice != NULL) {
            show_notice(&handling.view, notice);
        }
        if (!outlet->has_begun) {
            send_page(&handling);
        }
    }
    log_request(request, outlet, clock_monotonic() - began_at);
}

struct text handle_style_address(struct arena *arena) {
    char digest[DIGEST_HEX_SIZE];
    struct digest *digesting = digest_begin();
    digest_add(digesting, text_of(style_sheet));
    digest_end(digesting, digest);
    return arena_print(arena, "/style.css?%.16s", digest);
}
