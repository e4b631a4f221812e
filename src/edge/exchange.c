#include "edge/exchange.h"

#include "api/worker/route.h"
#include "base/reason_phrase.h"

#include <inttypes.h>

static struct text parameter(const FCGX_Request *fcgi, const char *name, struct arena *arena) {
    return arena_copy(arena, text_of(FCGX_GetParam(name, fcgi->envp)));
}

/* Reads the whole body, ignoring Content-Length: unread bytes would corrupt the next request on this connection. */
static struct text read_stream(FCGX_Stream *in, struct arena *arena, bool *too_large) {
    char bytes[BODY_MAX + 1];
    int size = FCGX_GetStr(bytes, sizeof bytes, in);
    *too_large = size > BODY_MAX;
    while (size == (int)sizeof bytes) {
        size = FCGX_GetStr(bytes, sizeof bytes, in);
    }
    return *too_large ? (struct text){NULL, 0} : arena_copy(arena, (struct text){bytes, (size_t)size});
}

/* Some web servers announce no length if the client sent the body in chunks. */
static void read_request_body(FCGX_Request *fcgi, struct arena *arena, struct request *out) {
    struct text length = parameter(fcgi, "CONTENT_LENGTH", arena);
    uint64_t announced = 0;
    bool length_known = length.size > 0 && text_to_number(length, &announced);
    out->body = read_stream(fcgi->in, arena, &out->body_too_large);
    out->body_too_large = out->body_too_large || announced > BODY_MAX;
    out->body_cut_short = !out->body_too_large && ((length_known && out->body.size != announced) ||
                                                   (length.size > 0 && !length_known) || FCGX_GetError(fcgi->in) != 0);
}

static void read_request(FCGX_Request *fcgi, struct arena *arena, struct request *out) {
    out->method = parameter(fcgi, "REQUEST_METHOD", arena);
    out->target = parameter(fcgi, "REQUEST_URI", arena);
    out->content_type = parameter(fcgi, "CONTENT_TYPE", arena);
    out->is_local = text_equal(parameter(fcgi, "RECAUDO_LOCAL", arena), TEXT("1"));
    out->address = parameter(fcgi, "REMOTE_ADDR", arena);
    out->signature_id = parameter(fcgi, "HTTP_RECAUDO_ID", arena);
    out->signature_timestamp = parameter(fcgi, "HTTP_RECAUDO_TIMESTAMP", arena);
    out->signature = parameter(fcgi, "HTTP_RECAUDO_SIGNATURE", arena);
    read_request_body(fcgi, arena, out);
}

/*
 * Returns the header Retry-After of 429 and 503. For 503 (0028) it is one second: the database and the pool are back by
 * then, or will be away for longer.
 */
static struct text retry_after(const struct call *call, struct arena *arena) {
    int status = call->reply.http_status;
    if (status != 503 && status != 429) {
        return TEXT("");
    }
    return arena_print(arena, "Retry-After: %" PRIu64 "\r\n", status == 429 ? call->retry_after : 1);
}

static struct text request_id(const FCGX_Request *fcgi, struct arena *arena) {
    struct text given = parameter(fcgi, "REQUEST_ID", arena);
    if (given.size > 0 && given.size <= 64 && !text_has_control(given)) {
        return given;
    }
    static _Atomic uint64_t counter;
    return arena_print(arena, "%016" PRIx64 "%08" PRIx64, (uint64_t)clock_host(), ++counter);
}

static void write_reply(FCGX_Request *fcgi, const struct call *call, struct text id, struct arena *arena) {
    const struct reply *reply = &call->reply;
    struct text allow = call->allow == NULL ? TEXT("") : arena_print(arena, "Allow: %s\r\n", call->allow);
    struct text retry = retry_after(call, arena);
    struct text head =
        arena_print(arena,
                    "Status: %d %s\r\nContent-Type: %s\r\n%sContent-Length: %zu\r\n"
                    "Cache-Control: no-store\r\nX-Recaudo-Code: %s\r\nX-Request-Id: %.*s\r\n%.*s%.*s\r\n",
                    reply->http_status, reason_phrase(reply->http_status),
                    reply->content_type == NULL ? "application/json" : reply->content_type,
                    reply->headers == NULL ? "" : reply->headers, reply->body.size, reply->code, TEXT_ARGS(id),
                    TEXT_ARGS(allow), TEXT_ARGS(retry));
    FCGX_PutStr(head.at, (int)head.size, fcgi->out);
    if (!text_equal(call->request->method, TEXT("HEAD"))) {
        FCGX_PutStr(reply->body.at, (int)reply->body.size, fcgi->out);
    }
}

static void log_exchange(const struct call *call, struct text id, duration took) {
    char caller[200], method[32], quoted_id[100];
    bool is_only_said = call->said_name.size > 0;
    log_record("request id=%s method=%s route=%s %s%s=\"%s\" code=%s http=%d ms=%" PRId64 ".%03" PRId64,
               log_quote(id, quoted_id, sizeof quoted_id), log_quote(call->request->method, method, sizeof method),
               call->route, is_only_said ? "said_" : "", call->by_merchant ? "merchant" : "network",
               log_quote(is_only_said ? call->said_name : call->caller, caller, sizeof caller), call->reply.code,
               call->reply.http_status, took / MILLISECOND, took % MILLISECOND);
}

void exchange_read(struct exchange *exchange, FCGX_Request *fcgi, struct service *service, struct arena *arena,
                   duration came_at) {
    *exchange = (struct exchange){.came_at = came_at};
    exchange->call = (struct call){
        .service = service, .arena = arena, .request = &exchange->request, .deadline = came_at + REQUEST_TIME};
    read_request(fcgi, arena, &exchange->request);
    exchange->id = request_id(fcgi, arena);
}

void exchange_answer(struct exchange *exchange, FCGX_Request *fcgi) {
    struct call *call = &exchange->call;
    route_serve(call);
    write_reply(fcgi, call, exchange->id, call->arena);
    duration took = clock_monotonic() - exchange->came_at;
    counters_note_reply(call->service->counters, call->route_number, call->reply.code, took);
    FCGX_Finish_r(fcgi);
    log_exchange(call, exchange->id, took);
}
