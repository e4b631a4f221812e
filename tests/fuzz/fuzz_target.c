/* A request line through the route table, without a database: whatever it is, there is a reply in JSON. */
#include "api/route.h"
#include "wire/uri.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The paths that begin so need a database. */
static bool asks_the_database(struct text target) {
    return text_begins(target, TEXT("/v1/orders/")) || text_begins(target, TEXT("/r"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *arena = arena_create();
    struct text target = {(const char *)data, size}, path;
    struct request request = {.method = TEXT("GET"), .target = target};
    struct call call = {.arena = arena, .request = &request};
    struct service service = {0};
    call.service = &service;
    if (uri_decode_path(target, arena, &path) && !asks_the_database(path)) {
        route_serve(&call);
        assert(call.reply.code != NULL && call.reply.body.size > 0 && call.reply.body.at[0] == '{');
    }
    arena_destroy(arena);
    return 0;
}
