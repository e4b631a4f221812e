#include "ctl/common/try_request.h"

#include "ctl/core/failure.h"

enum outcome try_request_send(const struct context *context, const struct http_request *request,
                              struct http_reply *out) {
    struct address_guard guard;
    char error[ADDRESS_GUARD_ERROR_SIZE];
    if (!address_guard_read(&context->config, &guard, error)) {
        return refuse(context, "%s", error);
    }
    struct http_client *client = http_client_create(&guard, 1, context->config.security.ca_file);
    http_perform(client, request, context->arena, out);
    http_client_destroy(client);
    return OUTCOME_DONE;
}

void try_request_add(const struct context *context, const struct http_request *request, struct record *record) {
    struct record *sent = record_record(record, "request");
    record_text(sent, "method", TEXT("POST"));
    record_text(sent, "url", request->url);
    struct record *headers = record_record(sent, "headers");
    for (size_t i = 0; i < request->header_count; i++) {
        struct text value = request->headers[i];
        const char *name = arena_copy(context->arena, text_cut(&value, ':')).at;
        record_text(headers, name, text_trim(value));
    }
    record_text(sent, "body", request->body);
}
