#include "outbound.h"

#include "outbound/notify.h"

/* A moment whose microseconds are not sent. */
#define NOW ((instant)1700000000 * SECOND + 999999)

static struct notification notification_to(const char *path) {
    return (struct notification){.id = 1,
                                 .webhook_id = TEXT("ntf_1"),
                                 .order_id = 77,
                                 .sequence = 2,
                                 .po_id = TEXT("A-1"),
                                 .currency = TEXT("COP"),
                                 .payment_means = TEXT("cash"),
                                 .amount = {450000000},
                                 .url = url_of(path)};
}

/* Signed with "s3cr3t-HASH", and for `old_for` longer with "old-HASH" as well. */
static struct http_reply notify_rotated(const struct notification *notification, duration old_for) {
    struct secret_pair hash;
    struct http_reply reply;
    ck_assert(secret_set(&hash.current, TEXT("s3cr3t-HASH")) && secret_set(&hash.old, TEXT("old-HASH")));
    hash.old_until = clock_monotonic() + old_for;
    struct http_request request = notify_request(notification, &hash, NOW, 10 * SECOND, arena);
    http_perform(client, &request, arena, &reply);
    return reply;
}

static struct http_reply notify(const struct notification *notification) {
    return notify_rotated(notification, 0);
}

/* The signature as Python's hmac computes it over this id, this time and this body. */
START_TEST(what_a_merchant_receives) {
    struct notification notification = notification_to("/ok");
    char expected[1000];
    ck_assert_int_eq(notify(&notification).status, 200);
    snprintf(expected, sizeof expected,
             "POST /ok HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nUser-Agent: recaudo/" PACKAGE_VERSION "\r\nAccept: */*\r\n"
             "Content-Type: application/json\r\nwebhook-id: ntf_1\r\nwebhook-timestamp: 1700000000\r\n"
             "webhook-signature: v1,eqyYoFjhKdxvVvqSNaIu8B9jdqZE5abnITxDBXS//hc=\r\nRecaudo-Sequence: 2\r\n"
             "Content-Length: 191\r\n\r\n"
             "{\"pv_po_id\":77,\"po_id\":\"A-1\",\"status\":\"approved\","
             "\"pv_checksum\":\"9ba57a52e21f45114d0d757833180b972b2ce7a1d21b380ff3f4c730bc56d618\","
             "\"amount\":\"45000.00\",\"iso_currency\":\"COP\",\"pv_payment\":\"cash\"}",
             stub_port(stub));
    ck_assert_str_eq(stub_last_request(stub), expected);
}
END_TEST

/* As the standard provides: both signatures, a space between; the checksum is made with the new secret alone. */
START_TEST(two_signatures_after_a_rotation) {
    struct notification notification = notification_to("/ok");
    ck_assert_int_eq(notify_rotated(&notification, MINUTE).status, 200);
    ck_assert_ptr_nonnull(strstr(stub_last_request(stub),
                                 "webhook-signature: v1,eqyYoFjhKdxvVvqSNaIu8B9jdqZE5abnITxDBXS//hc= "
                                 "v1,GZRHr3fWGFUU7VWbOeCTvtBa8OLhTIWtqPPXQz9Fy7w=\r\n"));
    ck_assert_ptr_nonnull(
        strstr(stub_last_request(stub), "\"9ba57a52e21f45114d0d757833180b972b2ce7a1d21b380ff3f4c730bc56d618\""));
}
END_TEST

START_TEST(the_other_digest) {
    struct notification notification = notification_to("/ok");
    notification.status = NOTIFY_CANCELLED;
    notification.po_id = TEXT("pedido_9");
    notification.digest = DIGEST_SHA512;
    ck_assert_int_eq(notify(&notification).status, 200);
    ck_assert_ptr_nonnull(strstr(stub_last_request(stub),
                                 "\"status\":\"cancelled\",\"pv_checksum\":\""
                                 "86e6c4a8f73bf7761367fb80281af80e43b08d6c5ae52b75175d99454101c620"
                                 "2f18ba9727c9fcd293aec5b0a7a6729b83fd7f34a121025e55116a21a3904f14\""));
}
END_TEST

static const struct {
    const char *path;
    enum acknowledgement acknowledgement;
    enum delivery delivery;
    const char *reason;
    duration retry_after;
} VERDICTS[] = {
    {"/ok", ACKNOWLEDGE_STRICT, DELIVERED, "acknowledged", 0},
    {"/http10", ACKNOWLEDGE_STRICT, DELIVERED, "acknowledged", 0},
    {"/json", ACKNOWLEDGE_STRICT, DELIVERED, "acknowledged", 0},
    {"/large", ACKNOWLEDGE_STRICT, DELIVERED, "acknowledged", 0},
    {"/error-200", ACKNOWLEDGE_STRICT, TRY_LATER, "reply", 0},
    {"/error-200", ACKNOWLEDGE_ANY_2XX, DELIVERED, "acknowledged", 0},
    {"/no-content", ACKNOWLEDGE_STRICT, TRY_LATER, "reply", 0},
    {"/no-content", ACKNOWLEDGE_ANY_2XX, DELIVERED, "acknowledged", 0},
    {"/error", ACKNOWLEDGE_STRICT, TRY_LATER, "status", 0},
    {"/error", ACKNOWLEDGE_ANY_2XX, TRY_LATER, "status", 0},
    {"/gone", ACKNOWLEDGE_ANY_2XX, TRY_LATER, "status", 0},
    {"/redirect", ACKNOWLEDGE_ANY_2XX, TRY_LATER, "status", 0},
    {"/wait-7", ACKNOWLEDGE_STRICT, TRY_LATER, "status", 7 * SECOND},
    {"/wait-though-fine", ACKNOWLEDGE_STRICT, TRY_LATER, "reply", 0},
    {"/close-in-body", ACKNOWLEDGE_STRICT, TRY_LATER, "protocol", 0},
    {"/close-in-body", ACKNOWLEDGE_ANY_2XX, TRY_LATER, "protocol", 0},
    {"/reset", ACKNOWLEDGE_STRICT, TRY_LATER, "protocol", 0},
};

START_TEST(what_the_reply_means) {
    struct notification notification = notification_to(VERDICTS[_i].path);
    struct http_reply reply = notify(&notification);
    struct notify_verdict verdict = notify_judge(VERDICTS[_i].acknowledgement, &reply);
    ck_assert_int_eq(verdict.delivery, VERDICTS[_i].delivery);
    ck_assert_str_eq(verdict.reason, VERDICTS[_i].reason);
    ck_assert_int_eq(verdict.retry_after, VERDICTS[_i].retry_after);
}
END_TEST

START_TEST(so_much_of_the_reply_is_kept) {
    struct notification notification = notification_to("/large");
    ck_assert_uint_eq(notify(&notification).body.size, 16 * 1024);
}
END_TEST

TCase *notify_tests(void) {
    TCase *tests = tests_named("notify");
    tcase_add_test(tests, what_a_merchant_receives);
    tcase_add_test(tests, two_signatures_after_a_rotation);
    tcase_add_test(tests, the_other_digest);
    add_table_test(tests, what_the_reply_means, VERDICTS);
    tcase_add_test(tests, so_much_of_the_reply_is_kept);
    return tests;
}
