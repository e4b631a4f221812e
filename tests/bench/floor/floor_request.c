#include "bench/floor/floor_request.h"

static const char payable_format[] =
    "{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DATA\":{\"LASTNAME1\":\"\",\"LASTNAME2\":\"\",\"AMOUNT\":%s,"
    "\"DESCRIPTION\":\"%s\",\"DI\":\"\",\"COMMERCE\":\"%s\",\"REFERENCE\":\"%.*s\",\"TYPEDI\":\"\",\"NAME\":\"\"}}";
static const char registered_format[] =
    "{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DATA\":{\"AMOUNT\":%.*s,\"DESCRIPTION\":\"\",\"REFERENCE\":\"%.*s\","
    "\"IDTRANSACTION\":\"%.*s\",\"IDSERVICE\":\"%llu\",\"COMMERCE\":\"%.*s\"}}";
static const char confirmed_format[] =
    "{\"CODE\":\"0000\",\"TEXT\":\"OK\",\"DATA\":{\"IDTRANSACTION\":\"%.*s\",\"CONFIRM\":true}}";
static const char unknown[] = "{\"CODE\":\"0101\",\"TEXT\":\"no such row\"}";

/* What stands between the last slash of the path and the query. */
static struct text last_segment(const char *uri) {
    size_t end = strcspn(uri, "?");
    size_t start = end;
    while (start > 0 && uri[start - 1] != '/') {
        start--;
    }
    return (struct text){uri + start, end - start};
}

/* The value of `"name":"..."`, as the load generator prints it; empty when it is not there. */
static struct text value_of(struct text body, const char *name) {
    const char *at = memmem(body.at, body.size, name, strlen(name));
    if (at == NULL) {
        return TEXT("");
    }
    const char *start = at + strlen(name);
    const char *end = memchr(start, '"', (size_t)(body.at + body.size - start));
    return end == NULL ? TEXT("") : (struct text){start, (size_t)(end - start)};
}

bool floor_request_read(const char *method, const char *uri, struct text body, struct floor_request *request) {
    *request = (struct floor_request){.operation = FLOOR_LOOKUP};
    if (strcmp(method, "GET") == 0) {
        request->reference = last_segment(uri);
        return request->reference.size > 0;
    }
    request->transaction = value_of(body, "\"transaction\":\"");
    if (strcmp(method, "PATCH") == 0) {
        request->operation = FLOOR_CONFIRM;
        return request->transaction.size > 0;
    }
    request->operation = FLOOR_REGISTER;
    request->reference = value_of(body, "\"reference\":\"");
    request->amount = value_of(body, "\"amount\":\"");
    request->commerce = value_of(body, "\"commerce\":\"");
    return request->transaction.size > 0 && request->reference.size > 0 && request->amount.size > 0;
}

static int print_body(const struct floor_request *request, const struct floor_row *row, char *out, size_t size) {
    switch (request->operation) {
    case FLOOR_LOOKUP:
        return snprintf(out, size, payable_format, row->amount, row->description, row->commerce,
                        TEXT_ARGS(request->reference));
    case FLOOR_REGISTER:
        return snprintf(out, size, registered_format, TEXT_ARGS(request->amount), TEXT_ARGS(request->reference),
                        TEXT_ARGS(request->transaction), (unsigned long long)row->id, TEXT_ARGS(request->commerce));
    case FLOOR_CONFIRM:
        return snprintf(out, size, confirmed_format, TEXT_ARGS(request->transaction));
    case FLOOR_OPERATIONS:
        break;
    }
    return 0;
}

size_t floor_reply(const struct floor_request *request, const struct floor_row *row, char out[FLOOR_REPLY_SIZE]) {
    char body[FLOOR_REPLY_SIZE - 128];
    int size = row == NULL ? snprintf(body, sizeof body, "%s", unknown) : print_body(request, row, body, sizeof body);
    if (size >= (int)sizeof body) {
        size = snprintf(body, sizeof body, "%s", unknown);
    }
    return (size_t)snprintf(out, FLOOR_REPLY_SIZE, "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%.*s",
                            size, size, body);
}
