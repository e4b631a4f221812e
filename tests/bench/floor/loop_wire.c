#include "bench/floor/loop_wire.h"

#include "bench/common/fail.h"

enum { HEADER = 8, WIRE_VERSION = 1, END_REQUEST = 3, PARAMS = 4, STDIN = 5, STDOUT = 6 };

/* A stream's content, put together from its records; whole once its empty record has come. */
struct stream {
    char *at;
    size_t size;
    bool whole;
};

static size_t content_size(const unsigned char *record) {
    return (size_t)record[4] << 8 | record[5];
}

static void gather(struct stream *stream, const unsigned char *record) {
    size_t size = content_size(record);
    memcpy(stream->at + stream->size, record + HEADER, size);
    stream->size += size;
    stream->whole = size == 0;
}

/* A name's or a value's length; false when the bytes end in it. */
static bool take_length(const unsigned char **at, const unsigned char *end, size_t *length) {
    if (*at < end && **at < 128) {
        *length = *(*at)++;
        return true;
    }
    if (end - *at < 4) {
        return false;
    }
    *length = (size_t)((*at)[0] & 127) << 24 | (size_t)(*at)[1] << 16 | (size_t)(*at)[2] << 8 | (*at)[3];
    *at += 4;
    return true;
}

/* Where the value of a parameter goes that is needed; NULL: nowhere. */
static char **place_of(struct text name, struct loop_request *request) {
    if (text_equal(name, TEXT("REQUEST_METHOD"))) {
        return &request->method;
    }
    return text_equal(name, TEXT("REQUEST_URI")) ? &request->uri : NULL;
}

/* Values are terminated in place: over the length of the next name, which has been read by then. */
static bool read_params(struct stream *params, struct loop_request *request) {
    const unsigned char *at = (const unsigned char *)params->at;
    const unsigned char *end = at + params->size;
    char *terminate = NULL;
    while (at < end) {
        size_t name_size, value_size;
        if (!take_length(&at, end, &name_size) || !take_length(&at, end, &value_size) ||
            (size_t)(end - at) < name_size + value_size) {
            return false;
        }
        if (terminate != NULL) {
            *terminate = '\0';
            terminate = NULL;
        }
        char **place = place_of((struct text){(const char *)at, name_size}, request);
        if (place != NULL) {
            *place = params->at + ((const char *)at - params->at) + name_size;
            terminate = *place + value_size;
        }
        at += name_size + value_size;
    }
    if (terminate != NULL) {
        *terminate = '\0';
    }
    return request->method != NULL && request->uri != NULL;
}

enum loop_state loop_wire_read(const unsigned char *bytes, size_t size, char gathered[LOOP_WIRE_SIZE],
                               struct loop_request *request) {
    struct stream params = {.at = gathered};
    struct stream input = {0};
    size_t at = 0;
    *request = (struct loop_request){0};
    while (!input.whole) {
        const unsigned char *record = bytes + at;
        if (size - at < HEADER || size - at < HEADER + content_size(record) + record[6]) {
            return LOOP_PARTIAL;
        }
        if (record[0] != WIRE_VERSION) {
            return LOOP_BROKEN;
        }
        request->id = (uint16_t)(record[2] << 8 | record[3]);
        if (record[1] == PARAMS) {
            gather(&params, record);
            input.at = gathered + params.size + 1;
        } else if (record[1] == STDIN && params.whole) {
            gather(&input, record);
        }
        at += HEADER + content_size(record) + record[6];
    }
    request->body = (struct text){input.at, input.size};
    return read_params(&params, request) ? LOOP_WHOLE : LOOP_BROKEN;
}

static unsigned char *put_header(unsigned char *out, unsigned char kind, uint16_t id, size_t size) {
    const unsigned char header[HEADER] = {
        WIRE_VERSION,       kind, (unsigned char)(id >> 8), (unsigned char)id, (unsigned char)(size >> 8),
        (unsigned char)size};
    memcpy(out, header, HEADER);
    return out + HEADER;
}

size_t loop_wire_reply(uint16_t id, struct text reply, unsigned char out[LOOP_WIRE_SIZE]) {
    if (reply.size + 4 * HEADER > LOOP_WIRE_SIZE) {
        fail("a reply of %zu bytes", reply.size);
    }
    unsigned char *at = put_header(out, STDOUT, id, reply.size);
    memcpy(at, reply.at, reply.size);
    at = put_header(at + reply.size, STDOUT, id, 0);
    at = put_header(at, END_REQUEST, id, HEADER);
    memset(at, 0, HEADER);
    return (size_t)(at + HEADER - out);
}
