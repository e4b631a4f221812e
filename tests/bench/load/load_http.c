#include "bench/load/load_http.h"

#include <strings.h>

struct framing {
    bool chunked;
    bool sized;
    size_t size;
};

static bool value_begins(struct text value, const char *start) {
    size_t length = strlen(start);
    return value.size >= length && strncasecmp(value.at, start, length) == 0;
}

static void apply_header(struct text name, struct text value, struct http_reply *reply, struct framing *framing) {
    uint64_t size;
    if (text_equal_any_case(name, TEXT("content-type"))) {
        reply->json =
            value_begins(value, "application/json") && (value.size == 16 || strchr("; ", value.at[16]) != NULL);
    } else if (text_equal_any_case(name, TEXT("content-length"))) {
        framing->sized = text_to_number(value, &size);
        framing->size = framing->sized ? size : 0;
    } else if (text_equal_any_case(name, TEXT("transfer-encoding"))) {
        framing->chunked = value_begins(value, "chunked");
    } else if (text_equal_any_case(name, TEXT("connection"))) {
        reply->close = value_begins(value, "close");
    }
}

/* `head` ends with an empty line. */
static bool read_head(struct text head, struct http_reply *reply, struct framing *framing) {
    if (head.size < 15 || memcmp(head.at, "HTTP/1.1 ", 9) != 0) {
        return false;
    }
    for (size_t i = 9; i < 12; i++) {
        if (head.at[i] < '0' || head.at[i] > '9') {
            return false;
        }
        reply->status = reply->status * 10 + (unsigned)(head.at[i] - '0');
    }
    const char *end = head.at + head.size - 2;
    const char *line = memmem(head.at, head.size, "\r\n", 2);
    while ((line += 2) < end) {
        const char *line_end = memmem(line, (size_t)(end - line), "\r\n", 2);
        const char *colon = memchr(line, ':', (size_t)(line_end - line));
        if (colon == NULL) {
            return false;
        }
        struct text value = text_trim((struct text){colon + 1, (size_t)(line_end - colon - 1)});
        apply_header((struct text){line, (size_t)(colon - line)}, value, reply, framing);
        line = line_end;
    }
    return true;
}

/* Reads a chunk's length line: *at moves behind it. */
static enum http_state chunk_length(const char **at, const char *end, size_t *length) {
    const char *line_end = memmem(*at, (size_t)(end - *at), "\r\n", 2);
    if (line_end == NULL) {
        return end - *at > 20 ? HTTP_BROKEN : HTTP_PARTIAL;
    }
    char *after;
    *length = strtoul(*at, &after, 16);
    if (after == *at || after > line_end || *length > 1U << 24) {
        return HTTP_BROKEN;
    }
    *at = line_end + 2;
    return HTTP_WHOLE;
}

/* Walks the chunks; with `into`, moves their content there. Returns the content's size in *size. */
static enum http_state walk_chunks(const char *at, const char *end, char *into, size_t *size) {
    size_t length;
    *size = 0;
    do {
        enum http_state state = chunk_length(&at, end, &length);
        if (state != HTTP_WHOLE) {
            return state;
        }
        if ((size_t)(end - at) < length + 2) {
            return HTTP_PARTIAL;
        }
        if (into != NULL) {
            memmove(into + *size, at, length);
        }
        *size += length;
        at += length + 2;
    } while (length > 0);
    return HTTP_WHOLE;
}

enum http_state http_read(char *bytes, size_t length, struct http_reply *reply) {
    char *head_end = memmem(bytes, length, "\r\n\r\n", 4);
    if (head_end == NULL) {
        return HTTP_PARTIAL;
    }
    char *body = head_end + 4;
    struct framing framing = {0};
    *reply = (struct http_reply){.body = {body, 0}};
    if (!read_head((struct text){bytes, (size_t)(body - bytes)}, reply, &framing)) {
        return HTTP_BROKEN;
    }
    const char *end = bytes + length;
    if (framing.chunked) {
        enum http_state state = walk_chunks(body, end, NULL, &reply->body.size);
        return state == HTTP_WHOLE ? walk_chunks(body, end, body, &reply->body.size) : state;
    }
    reply->body.size = framing.size;
    if (!framing.sized || (size_t)(end - body) > framing.size) {
        return HTTP_BROKEN;
    }
    return (size_t)(end - body) < framing.size ? HTTP_PARTIAL : HTTP_WHOLE;
}
