#include "console/page_table.h"

#include "console/change/changes.h"
#include "console/compare/compare.h"
#include "console/pages/pages.h"

/* GET shows what would change, POST does it. */
#define CHANGE(path, roles, make)                                                                                      \
    {"GET", path, roles, make, SAY_NONE}, {                                                                            \
        "POST", path, roles, make, SAY_NONE                                                                            \
    }

static const struct page PAGES[] = {
    {"GET", "/", ROLES_ALL, page_now, SAY_NOW},
    {"GET", "/find", ROLES_ALL, page_search, SAY_NONE},
    {"GET", "/orders", ROLES_ALL, page_orders, SAY_ORDERS},
    {"GET", "/orders/*", ROLES_ALL, page_order, SAY_NONE},
    {"GET", "/transactions", ROLES_ALL, page_transactions, SAY_TRANSACTIONS},
    {"GET", "/transactions/*", ROLES_ALL, page_transaction, SAY_NONE},
    {"GET", "/notifications", ROLES_ALL, page_notifications, SAY_NOTIFICATIONS},
    {"GET", "/notifications/*", ROLES_ALL, page_notification, SAY_NONE},
    {"GET", "/merchants", ROLES_ALL, page_merchants, SAY_MERCHANTS},
    {"GET", "/merchants/*", ROLES_ALL, page_merchant, SAY_NONE},
    {"GET", "/networks", ROLES_STAFF, page_networks, SAY_NETWORKS},
    {"GET", "/networks/*", ROLES_STAFF, page_network, SAY_NONE},
    {"GET", "/settlement", ROLES_ALL, page_settlement, SAY_SETTLEMENT},
    {"GET", "/settlement/compare", ROLES_STAFF, page_compare, SAY_NONE},
    {"POST", "/settlement/compare", ROLES_STAFF, page_compare, SAY_NONE},
    {"GET", "/log", ROLES_ALL, page_log, SAY_LOG},
    {"GET", "/approvals", ROLES_STAFF, page_approvals, SAY_APPROVALS},
    CHANGE("/approvals/*/approve", ROLES_OPERATORS, change_approve),
    CHANGE("/approvals/*/refuse", ROLES_OPERATORS, change_refuse),
    {"GET", "/users", ROLES_STAFF, page_users, SAY_USERS},
    CHANGE("/notifications/*/retry", ROLES_SUPPORT | ROLE_BIT(ROLE_MERCHANT), change_retry),
    CHANGE("/orders/*/claim", ROLES_SUPPORT, change_claim),
    CHANGE("/merchants/*/test", ROLES_SUPPORT | ROLE_BIT(ROLE_MERCHANT), change_endpoint_test),
    CHANGE("/merchants/*/enable", ROLES_OPERATORS, change_merchant_enable),
    CHANGE("/merchants/*/disable", ROLES_OPERATORS, change_merchant_disable),
    CHANGE("/networks/*/enable", ROLES_OPERATORS, change_network_enable),
    CHANGE("/networks/*/disable", ROLES_OPERATORS, change_network_disable),
    CHANGE("/networks/*/limits", ROLES_OPERATORS, change_limits),
    CHANGE("/integrations/*/enable", ROLES_OPERATORS, change_integration_enable),
    CHANGE("/integrations/*/disable", ROLES_OPERATORS, change_integration_disable),
};

static bool path_matches(const char *pattern, struct text path, struct text words[VIEW_WORDS_MAX]) {
    struct text wanted = text_of(pattern);
    size_t count = 0;
    while (wanted.size > 0 && path.size > 0) {
        struct text part = text_cut(&wanted, '/'), given = text_cut(&path, '/');
        if (text_equal(part, TEXT("*"))) {
            if (given.size == 0 || count == VIEW_WORDS_MAX) {
                return false;
            }
            words[count++] = given;
        } else if (!text_equal(part, given)) {
            return false;
        }
    }
    return wanted.size == 0 && path.size == 0;
}

const struct page *page_find(const struct console_request *request, struct text words[VIEW_WORDS_MAX],
                             bool *other_method) {
    *other_method = false;
    for (size_t i = 0; i < COUNT_OF(PAGES); i++) {
        if (path_matches(PAGES[i].path, request->path, words)) {
            if (text_equal(request->method, text_of(PAGES[i].method))) {
                return &PAGES[i];
            }
            *other_method = true;
        }
    }
    return NULL;
}

const char *page_allow(const struct console_request *request) {
    struct text words[VIEW_WORDS_MAX];
    bool get = false, post = false;
    for (size_t i = 0; i < COUNT_OF(PAGES); i++) {
        if (path_matches(PAGES[i].path, request->path, words)) {
            bool is_post = strcmp(PAGES[i].method, "POST") == 0;
            get = get || !is_post;
            post = post || is_post;
        }
    }
    return get && post ? "Allow: GET, HEAD, POST\r\n" : post ? "Allow: POST\r\n" : "Allow: GET, HEAD\r\n";
}

const struct layout_link *page_links(enum console_role role, struct arena *arena) {
    struct layout_link *links = arena_alloc(arena, (COUNT_OF(PAGES) + 1) * sizeof *links);
    size_t count = 0;
    for (size_t i = 0; i < COUNT_OF(PAGES); i++) {
        if (PAGES[i].label != SAY_NONE && (PAGES[i].roles & ROLE_BIT(role)) != 0) {
            links[count++] = (struct layout_link){PAGES[i].path, PAGES[i].label};
        }
    }
    links[count] = (struct layout_link){NULL, SAY_NONE};
    return links;
}
