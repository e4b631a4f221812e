#include "outbound/notify.h"

#include "auth/signature.h"
#include "wire/merchant/acknowledgement.h"
#include "wire/merchant/notification_message.h"

#include <inttypes.h>

static struct text render_notification(const struct notification *notification, const struct secret_pair *hash,
                                       struct arena *arena) {
    static const enum checksum_recipe RECIPES[] = {
        [DIGEST_SHA256] = CHECKSUM_NOTIFICATION_SHA256, [DIGEST_SHA512] = CHECKSUM_NOTIFICATION_SHA512};
    const struct text parts[] = {notification->po_id, text_of(notification_status_name(notification->status))};
    char checksum[CHECKSUM_HEX_MAX + 1];
    checksum_compute(RECIPES[notification->digest], parts, &hash->current, checksum);
    return notification_message_render(notification, checksum, arena);
}

static void add_notify_header(struct http_request *request, struct text line) {
    request->headers[request->header_count++] = line;
}

static struct text signature_header(const struct secret_pair *hash, struct text id, struct text timestamp,
                                    struct text body, struct arena *arena) {
    char signature[SIGNATURE_SIZE], old[SIGNATURE_SIZE] = "";
    bool has_old = secret_pair_has_old(hash, clock_monotonic());
    signature_compute(&hash->current, id, timestamp, body, signature);
    if (has_old) {
        signature_compute(&hash->old, id, timestamp, body, old);
    }
    return arena_print(arena, "webhook-signature: %s%s%s", signature, has_old ? " " : "", old);
}

/* Builds the request without its last header, which says what kind of message it is. */
static struct http_request sign_notification(const struct notification *notification, struct text id,
                                             const struct secret_pair *hash, instant now, duration timeout,
                                             struct arena *arena) {
    struct http_request request = {.url = notification->url,
                                   .body = render_notification(notification, hash, arena),
                                   .timeout = timeout,
                                   .reply_max = NOTIFY_REPLY_MAX};
    struct text timestamp = arena_print(arena, "%" PRId64, now / SECOND);
    add_notify_header(&request, TEXT("Content-Type: application/json"));
    add_notify_header(&request, arena_print(arena, "webhook-id: %.*s", TEXT_ARGS(id)));
    add_notify_header(&request, arena_print(arena, "webhook-timestamp: %s", timestamp.at));
    add_notify_header(&request, signature_header(hash, id, timestamp, request.body, arena));
    return request;
}

struct http_request notify_request(const struct notification *notification, const struct secret_pair *hash, instant now,
                                   duration timeout, struct arena *arena) {
    struct http_request request = sign_notification(notification, notification->webhook_id, hash, now, timeout, arena);
    add_notify_header(&request, arena_print(arena, "Recaudo-Sequence: %" PRIu64, notification->sequence));
    return request;
}

struct http_request notify_test_request(const struct notify_test *test, const struct secret_pair *hash, instant now,
                                        duration timeout, struct arena *arena) {
    const struct notification message = {.url = test->url,
                                         .digest = test->digest,
                                         .po_id = TEXT("recaudo.test"),
                                         .status = NOTIFY_CANCELLED,
                                         .currency = test->currency,
                                         .payment_means = TEXT("TEST")};
    struct text id = arena_print(arena, "test_%" PRId64, now);
    struct http_request request = sign_notification(&message, id, hash, now, timeout, arena);
    add_notify_header(&request, TEXT("Recaudo-Test: 1"));
    return request;
}

static const char *reason_against_reply(const struct http_reply *reply) {
    if (reply->error != HTTP_FINE) {
        return http_error_name(reply->error);
    }
    return reply->status < 200 || reply->status > 299 ? "status" : "reply";
}

struct notify_verdict notify_judge(enum acknowledgement acknowledgement, const struct http_reply *reply) {
    bool asks_to_wait = reply->error == HTTP_FINE && (reply->status == 429 || reply->status == 503);
    struct notify_verdict verdict = {TRY_LATER, "acknowledged", asks_to_wait ? reply->retry_after : 0};
    if (reply->error == HTTP_FINE) {
        enum reply_says says = acknowledgement_says(reply->body);
        verdict.delivery = delivery_judge(acknowledgement, reply->status, reply->body, says);
    }
    if (verdict.delivery != DELIVERED) {
        verdict.reason = reason_against_reply(reply);
    }
    return verdict;
}
