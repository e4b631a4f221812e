#include "outbound/query/query_message.h"

/* Change it with the layout. */
#define LAYOUT UINT32_C(0x71750003)

enum { REFERENCE, URL, HEADER, BODY, TEXTS };

enum { HTTP_STATUS_MAX = 999, TIMEOUT_MAX_SECONDS = 60 };

struct message_head {
    uint32_t layout, kind;
    uint64_t merchant_id, integration_id, network_id, reply_max;
    int64_t timeout;
    uint32_t outcome, sizes[TEXTS];
};

struct reply_head {
    uint32_t layout, kind, error, status, rests, cut, outcome, refused, body_size;
    int64_t took, retry_after;
    uint64_t in_flight, sharing, resting;
    char address[ADDRESS_TEXT_SIZE];
};

static struct text packet_of(const void *head, size_t head_size, const struct text *texts, size_t count,
                             struct arena *arena) {
    size_t size = head_size;
    for (size_t i = 0; i < count; i++) {
        size += texts[i].size;
    }
    char *packet = arena_alloc(arena, size), *at = packet + head_size;
    memcpy(packet, head, head_size);
    for (size_t i = 0; i < count; i++) {
        if (texts[i].size > 0) {
            memcpy(at, texts[i].at, texts[i].size);
        }
        at += texts[i].size;
    }
    return (struct text){packet, size};
}

struct text query_message_write(const struct query_message *message, struct arena *arena) {
    const struct text header = message->request.header_count > 0 ? message->request.headers[0] : TEXT("");
    const struct text texts[TEXTS] = {message->query.reference, message->request.url, header, message->request.body};
    struct message_head head = {.layout = LAYOUT,
                                .kind = message->kind,
                                .merchant_id = message->query.merchant_id,
                                .integration_id = message->query.integration_id,
                                .network_id = message->query.network_id,
                                .reply_max = message->request.reply_max,
                                .timeout = message->request.timeout,
                                .outcome = message->outcome};
    for (size_t i = 0; i < TEXTS; i++) {
        head.sizes[i] = (uint32_t)texts[i].size;
    }
    return packet_of(&head, sizeof head, texts, TEXTS, arena);
}

struct text query_reply_write(const struct query_reply *reply, struct arena *arena) {
    const struct http_reply *http = &reply->reply;
    struct reply_head head = {.layout = LAYOUT,
                              .kind = reply->kind,
                              .error = http->error,
                              .status = (uint32_t)http->status,
                              .rests = reply->rests,
                              .cut = http->cut,
                              .outcome = reply->outcome,
                              .refused = reply->reload_refused,
                              .body_size = (uint32_t)http->body.size,
                              .took = http->took,
                              .retry_after = http->retry_after,
                              .in_flight = reply->use.in_flight,
                              .sharing = reply->use.sharing,
                              .resting = reply->use.resting};
    memcpy(head.address, http->address, sizeof head.address);
    return packet_of(&head, sizeof head, &http->body, 1, arena);
}

/* False: the texts do not fill the rest of the packet exactly. */
static bool cut_texts(struct text rest, const uint32_t sizes[TEXTS], struct text out[TEXTS]) {
    for (size_t i = 0; i < TEXTS; i++) {
        if (sizes[i] > rest.size) {
            return false;
        }
        out[i] = (struct text){rest.at, sizes[i]};
        rest = (struct text){rest.at + sizes[i], rest.size - sizes[i]};
    }
    return rest.size == 0;
}

static bool is_sound_message(const struct message_head *head, const struct text texts[TEXTS]) {
    return head->kind >= QUERY_ASK && head->kind <= QUERY_USE && texts[REFERENCE].size < LIMITER_REFERENCE_SIZE &&
           head->reply_max <= QUERY_BODY_MAX && head->timeout <= TIMEOUT_MAX_SECONDS * SECOND &&
           head->timeout >= (head->kind == QUERY_ASK ? 1 : 0);
}

bool query_message_read(struct text packet, struct query_message *out) {
    struct message_head head;
    struct text texts[TEXTS];
    if (packet.size < sizeof head) {
        return false;
    }
    memcpy(&head, packet.at, sizeof head);
    const struct text rest = {packet.at + sizeof head, packet.size - sizeof head};
    if (head.layout != LAYOUT || !cut_texts(rest, head.sizes, texts) || !is_sound_message(&head, texts)) {
        return false;
    }
    *out = (struct query_message){.kind = (enum query_message_kind)head.kind,
                                  .query = {.merchant_id = head.merchant_id,
                                            .integration_id = head.integration_id,
                                            .network_id = head.network_id,
                                            .reference = texts[REFERENCE],
                                            .endpoint = texts[URL]},
                                  .request = {.url = texts[URL],
                                              .body = texts[BODY],
                                              .headers = {texts[HEADER]},
                                              .header_count = texts[HEADER].size > 0,
                                              .timeout = head.timeout,
                                              .reply_max = head.reply_max},
                                  .outcome = head.outcome};
    return true;
}

static bool is_address_text(const char address[ADDRESS_TEXT_SIZE]) {
    size_t size = strnlen(address, ADDRESS_TEXT_SIZE);
    return size < ADDRESS_TEXT_SIZE && strspn(address, "0123456789abcdefABCDEF.:") == size;
}

static bool is_sound_reply(const struct reply_head *head, size_t body_size) {
    return head->kind >= QUERY_ASKED && head->kind <= QUERY_IN_USE && head->error <= HTTP_TOO_LARGE &&
           head->status <= HTTP_STATUS_MAX && head->body_size == body_size && body_size <= QUERY_BODY_MAX &&
           head->took >= 0 && head->took <= TIMEOUT_MAX_SECONDS * SECOND && head->retry_after >= 0 &&
           is_address_text(head->address);
}

bool query_reply_read(struct text packet, struct query_reply *out) {
    struct reply_head head;
    if (packet.size < sizeof head) {
        return false;
    }
    memcpy(&head, packet.at, sizeof head);
    const struct text body = {packet.at + sizeof head, packet.size - sizeof head};
    if (head.layout != LAYOUT || !is_sound_reply(&head, body.size)) {
        return false;
    }
    *out = (struct query_reply){.kind = (enum query_reply_kind)head.kind,
                                .reply = {.error = (enum http_error)head.error,
                                          .status = (int)head.status,
                                          .body = body,
                                          .cut = head.cut != 0,
                                          .took = head.took,
                                          .retry_after = head.retry_after},
                                .rests = head.rests != 0,
                                .outcome = head.outcome,
                                .use = {head.in_flight, head.sharing, head.resting},
                                .reload_refused = head.refused != 0};
    memcpy(out->reply.address, head.address, sizeof head.address);
    return true;
}
