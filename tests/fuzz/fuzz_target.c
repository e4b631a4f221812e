/* A whole request without a database: method, target and media type are a line each, the rest is the body. There is
 * always a reply, in JSON or, for the slip's customer, as a page. */
#include "api/worker/route.h"
#include "fuzz.h"
#include "service.h"
#include "wire/json_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *arena = arena_create();
    struct text rest = {(const char *)data, size};
    struct request request = {0};
    struct call call = {
        .service = fuzz_service(), .arena = arena, .request = &request, .deadline = clock_monotonic() + REQUEST_TIME};
    size_t members;
    struct fault fault;
    request.method = fuzz_line(&rest);
    request.target = fuzz_line(&rest);
    request.content_type = fuzz_line(&rest);
    request.body = rest;
    route_serve(&call);
    assert(call.route != NULL && call.reply.http_status >= 200 && call.reply.http_status < 600);
    assert(strlen(call.reply.code) == 4);
    assert(call.by_customer || (json_check(call.reply.body, &members, &fault) && members >= 2));
    arena_destroy(arena);
    return 0;
}
