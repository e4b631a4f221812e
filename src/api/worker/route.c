#include "api/worker/route.h"

#include "api/worker/usecases.h"
#include "wire/uri.h"

enum media { ANY_MEDIA, JSON_ONLY };

enum reach { EVERYBODY, THIS_HOST };

/* Monitoring programs and link checkers also send HEAD. */
enum head { NO_HEAD, HAS_HEAD };

struct route {
    const char *method;
    const char *path; /* {} stands for one segment, the parameter; a slash at the end is optional */
    void (*handle)(struct call *call);
    enum media media;
    enum reach reach; /* THIS_HOST: unknown route for requests from elsewhere */
    enum head head;   /* HAS_HEAD: HEAD is answered as GET, without a body */
};

/* Merchants' clients send any Content-Type, and read DESC even if no route matches. */
#define MERCHANT_PATHS "/v1/porders"
#define PLUGIN_PATHS   "/v1/wp"

/* Customers' browsers get pages, also for refusals. */
#define SLIP_PATH "/pay"

static const struct route ROUTES[] = {
    {"GET", "/v1/orders/{}", lookup_handle, ANY_MEDIA, EVERYBODY, NO_HEAD},
    {"POST", "/v1/transactions", register_handle, JSON_ONLY, EVERYBODY, NO_HEAD},
    {"PATCH", "/v1/transactions", confirm_handle, JSON_ONLY, EVERYBODY, NO_HEAD},
    {"POST", MERCHANT_PATHS, porder_register_handle, ANY_MEDIA, EVERYBODY, NO_HEAD},
    {"PATCH", MERCHANT_PATHS, porder_change_handle, ANY_MEDIA, EVERYBODY, NO_HEAD},
    {"GET", MERCHANT_PATHS "/{}", porder_consult_handle, ANY_MEDIA, EVERYBODY, NO_HEAD},
    {"DELETE", MERCHANT_PATHS "/{}", porder_delete_handle, ANY_MEDIA, EVERYBODY, NO_HEAD},
    {"POST", MERCHANT_PATHS "/{}/refund", porder_refund_handle, ANY_MEDIA, EVERYBODY, NO_HEAD},
    {"POST", PLUGIN_PATHS "orders", plugin_register_handle, ANY_MEDIA, EVERYBODY, NO_HEAD},
    {"POST", PLUGIN_PATHS "keys", plugin_keys_handle, ANY_MEDIA, EVERYBODY, NO_HEAD},
    {"GET", SLIP_PATH, pay_handle, ANY_MEDIA, EVERYBODY, HAS_HEAD},
    {"GET", "/healthz", health_handle, ANY_MEDIA, EVERYBODY, HAS_HEAD},
    {"GET", "/readyz", ready_handle, ANY_MEDIA, EVERYBODY, HAS_HEAD},
    {"GET", "/metrics", metrics_handle, ANY_MEDIA, THIS_HOST, HAS_HEAD},
};

_Static_assert(COUNT_OF(ROUTES) <= COUNTERS_ROUTES_MAX, "every route has its counters");

size_t route_count(void) {
    return COUNT_OF(ROUTES);
}

const char *route_method(size_t number) {
    return ROUTES[number].method;
}

const char *route_path(size_t number) {
    return ROUTES[number].path;
}

static struct text without_final_slash(struct text path) {
    if (path.size > 1 && path.at[path.size - 1] == '/') {
        path.size--;
    }
    return path;
}

/* Whether the path matches; sets *parameter to the segment in place of {}. */
static bool path_fits(const struct route *route, struct text path, struct text *parameter) {
    struct text pattern = text_of(route->path);
    const char *hole = strstr(route->path, "{}");
    if (hole == NULL) {
        return text_equal(path, pattern);
    }
    struct text before = {route->path, (size_t)(hole - route->path)}, after = text_of(hole + 2);
    if (!text_begins(path, before) || path.size < before.size + after.size ||
        !text_equal((struct text){path.at + path.size - after.size, after.size}, after)) {
        return false;
    }
    *parameter = (struct text){path.at + before.size, path.size - before.size - after.size};
    return parameter->size > 0 && memchr(parameter->at, '/', parameter->size) == NULL;
}

static bool fits(const struct route *route, const struct call *call, struct text path, struct text *parameter) {
    return (route->reach == EVERYBODY || call->request->is_local) && path_fits(route, path, parameter);
}

/* Returns the methods of all routes with this path, for the Allow header. */
static const char *allowed_methods(struct call *call, struct text path) {
    struct text allowed = {NULL, 0}, parameter;
    for (size_t i = 0; i < COUNT_OF(ROUTES); i++) {
        if (fits(&ROUTES[i], call, path, &parameter)) {
            allowed = arena_print(call->arena, "%.*s%s%s%s", TEXT_ARGS(allowed), allowed.size > 0 ? ", " : "",
                                  ROUTES[i].method, ROUTES[i].head == HAS_HEAD ? ", HEAD" : "");
        }
    }
    return allowed.at;
}

/* Returns the paths of networks and merchants. Routes with the same path are adjacent in the table. */
static const char *paths_of_callers(struct arena *arena) {
    struct text paths = {NULL, 0};
    for (size_t i = 0; i < COUNT_OF(ROUTES); i++) {
        bool is_told = i > 0 && strcmp(ROUTES[i].path, ROUTES[i - 1].path) == 0;
        if (!is_told && ROUTES[i].head == NO_HEAD) {
            const char *hole = strstr(ROUTES[i].path, "{}");
            size_t before = hole == NULL ? strlen(ROUTES[i].path) : (size_t)(hole - ROUTES[i].path);
            paths = arena_print(arena, "%.*s%s%.*s%s%s", TEXT_ARGS(paths), paths.size > 0 ? ", " : "", (int)before,
                                ROUTES[i].path, hole == NULL ? "" : "...", hole == NULL ? "" : hole + 2);
        }
    }
    return paths.at;
}

static bool has_method(const struct route *route, struct text method) {
    return text_equal(method, text_of(route->method)) || (route->head == HAS_HEAD && text_equal(method, TEXT("HEAD")));
}

static const struct route *find_route(struct call *call, struct text path, enum refusal *refusal) {
    for (size_t i = 0; i < COUNT_OF(ROUTES); i++) {
        if (fits(&ROUTES[i], call, path, &call->parameter)) {
            call->route = ROUTES[i].path;
            if (has_method(&ROUTES[i], call->request->method)) {
                call->route_number = i;
                *refusal = GRANTED;
                return &ROUTES[i];
            }
        }
    }
    call->allow = allowed_methods(call, path);
    *refusal = call->allow == NULL ? REFUSED_NO_SUCH_ROUTE : REFUSED_METHOD;
    return NULL;
}

/* application/json, with or without parameters. */
static bool is_json(struct text content_type) {
    return text_equal_any_case(text_trim(text_cut(&content_type, ';')), TEXT("application/json"));
}

static enum refusal check_body(const struct route *route, const struct request *request, struct fault *fault) {
    if (request->body_too_large) {
        return REFUSED_TOO_LARGE;
    }
    if (request->body_cut_short) {
        *fault = (struct fault){.field = "the body", .problem = "is shorter than announced"};
        return REFUSED_NOT_JSON;
    }
    return route->media == JSON_ONLY && !is_json(request->content_type) ? REFUSED_MEDIA_TYPE : GRANTED;
}

/* Splits the target into the decoded path and the query. */
static bool read_target(struct call *call, struct text *path) {
    call->query = call->request->target;
    if (!uri_decode_path(text_cut(&call->query, '?'), call->arena, path)) {
        return false;
    }
    *path = without_final_slash(*path);
    return true;
}

static bool is_of_merchants(struct text path) {
    return text_begins(path, TEXT(MERCHANT_PATHS)) || text_begins(path, TEXT(PLUGIN_PATHS));
}

/* As `patch` of JavaScript's fetch. Only Apache passes such a method on. */
static bool has_small_letter(struct text method) {
    size_t i = 0;
    while (i < method.size && !(method.at[i] >= 'a' && method.at[i] <= 'z')) {
        i++;
    }
    return i < method.size;
}

void route_serve(struct call *call) {
    struct text path;
    struct fault fault = {0};
    const struct route *route = NULL;
    enum refusal refusal = REFUSED_NOT_JSON;
    call->route = "-";
    call->route_number = ROUTE_NONE;
    bool is_readable = read_target(call, &path);
    call->by_merchant = is_of_merchants(is_readable ? path : call->request->target);
    if (is_readable) {
        call->by_customer = text_equal(path, TEXT(SLIP_PATH));
        route = find_route(call, path, &refusal);
    } else {
        fault =
            (struct fault){"the path", "has an invalid percent-encoding", .remedy = URI_ESCAPE ", but no %2F or %00"};
    }
    if (refusal == REFUSED_METHOD) {
        fault = (struct fault){.field = "this address",
                               .problem = arena_print(call->arena, "takes %s", call->allow).at,
                               .remedy = has_small_letter(call->request->method) ? "write the method in capital letters"
                                                                                 : NULL};
    } else if (refusal == REFUSED_NO_SUCH_ROUTE) {
        fault = (struct fault){.field = "this service",
                               .problem = arena_print(call->arena, "has %s", paths_of_callers(call->arena)).at};
    }
    if (route != NULL) {
        refusal = check_body(route, call->request, &fault);
    }
    if (route != NULL && refusal == GRANTED) {
        route->handle(call);
    } else {
        call_refuse(call, refusal, &fault);
    }
}
