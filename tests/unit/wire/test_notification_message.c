#include "unit.h"

#include "auth/checksum.h"
#include "wire/merchant/notification_message.h"

static struct arena *arena;

static void set_up(void) {
    arena = arena_create();
}

static void tear_down(void) {
    arena_destroy(arena);
}

static struct notification notification_of(const char *amount, const char *currency) {
    struct notification notification = {.id = 5,
                                        .order_id = 77,
                                        .po_id = TEXT("A-1"),
                                        .currency = text_of(currency),
                                        .payment_means = TEXT("cash"),
                                        .status = NOTIFY_APPROVED};
    ck_assert(money_parse(text_of(amount), &notification.amount));
    return notification;
}

START_TEST(the_seven_fields_in_their_order) {
    struct notification notification = notification_of("45000", "COP");
    assert_text(notification_message_render(&notification, "abc123", arena),
                "{\"pv_po_id\":77,\"po_id\":\"A-1\",\"status\":\"approved\",\"pv_checksum\":\"abc123\","
                "\"amount\":\"45000.00\",\"iso_currency\":\"COP\",\"pv_payment\":\"cash\"}");
}
END_TEST

START_TEST(the_other_status) {
    struct notification notification = notification_of("45000", "COP");
    notification.status = NOTIFY_CANCELLED;
    struct text body = notification_message_render(&notification, "", arena);
    ck_assert_ptr_nonnull(strstr(body.at, "\"status\":\"cancelled\""));
}
END_TEST

static const struct {
    const char *amount, *currency, *printed;
} AMOUNTS[] = {
    {"45000", "COP", "\"45000.00\""},
    {"0.5", "USD", "\"0.50\""},
    {"1000", "CLP", "\"1000\""},
    {"12.345", "KWD", "\"12.345\""},
    {"12", "KWD", "\"12.000\""},
    {"1", "CLF", "\"1.0000\""},
    {"999999999999999.99", "PEN", "\"999999999999999.99\""},
    {"1.2345", "COP", "\"1.2345\""},
    {"7", "???", "\"7.0000\""}, /* unknown: in the settlement's format */
};

START_TEST(the_amount_has_the_decimals_of_its_currency) {
    struct notification notification = notification_of(AMOUNTS[_i].amount, AMOUNTS[_i].currency);
    char expected[64];
    snprintf(expected, sizeof expected, "\"amount\":%s,", AMOUNTS[_i].printed);
    struct text body = notification_message_render(&notification, "", arena);
    ck_assert_msg(strstr(body.at, expected) != NULL, "%s is not in %s", expected, body.at);
}
END_TEST

START_TEST(the_greatest_order_number_stays_whole) {
    struct notification notification = notification_of("1", "COP");
    notification.order_id = UINT64_MAX;
    struct text body = notification_message_render(&notification, "", arena);
    ck_assert_ptr_nonnull(strstr(body.at, "{\"pv_po_id\":18446744073709551615,"));
}
END_TEST

START_TEST(text_is_escaped) {
    struct notification notification = notification_of("1", "COP");
    notification.po_id = TEXT("a/\"b\\c\n");
    notification.payment_means = TEXT("Red Ñandú €");
    struct text body = notification_message_render(&notification, "", arena);
    ck_assert_ptr_nonnull(strstr(body.at, "\"po_id\":\"a/\\\"b\\\\c\\n\","));
    ck_assert_ptr_nonnull(strstr(body.at, "\"pv_payment\":\"Red Ñandú €\"}"));
    notification.payment_means = (struct text){NULL, 0};
    body = notification_message_render(&notification, "", arena);
    ck_assert_ptr_nonnull(strstr(body.at, "\"pv_payment\":\"\"}"));
}
END_TEST

/* Computed by Python's hashlib. */
static const struct {
    enum checksum_recipe recipe;
    const char *po_id, *status, *digest;
} CHECKSUMS[] = {
    {CHECKSUM_NOTIFICATION_SHA256, "A-1", "approved",
     "9ba57a52e21f45114d0d757833180b972b2ce7a1d21b380ff3f4c730bc56d618"},
    {CHECKSUM_NOTIFICATION_SHA512, "A-1", "approved",
     "12a4bdaa08dab820bccfee619c5998c48e40a0890763b7865e5b44786430df52"
     "1efd392e02802e87d00bac16ca9216e99755edf6e899c0c40673911b901b2096"},
    {CHECKSUM_NOTIFICATION_SHA256, "pedido_9", "cancelled",
     "32ad94b1969510aae164c70f42329c1837ab3ffa6aa715217dd1b7d83d0613b2"},
    {CHECKSUM_NOTIFICATION_SHA512, "pedido_9", "cancelled",
     "86e6c4a8f73bf7761367fb80281af80e43b08d6c5ae52b75175d99454101c620"
     "2f18ba9727c9fcd293aec5b0a7a6729b83fd7f34a121025e55116a21a3904f14"},
};

START_TEST(its_checksum_is_what_another_program_computes) {
    struct text parts[] = {text_of(CHECKSUMS[_i].po_id), text_of(CHECKSUMS[_i].status)};
    char digest[CHECKSUM_HEX_MAX + 1];
    struct secret secret;
    ck_assert(secret_set(&secret, TEXT("s3cr3t-HASH")));
    ck_assert_uint_eq(checksum_part_count(CHECKSUMS[_i].recipe), COUNT_OF(parts));
    checksum_compute(CHECKSUMS[_i].recipe, parts, &secret, digest);
    ck_assert_str_eq(digest, CHECKSUMS[_i].digest);
    ck_assert(checksum_verify(CHECKSUMS[_i].recipe, parts, &secret, text_of(CHECKSUMS[_i].digest)));
}
END_TEST

START_TEST(the_words_of_the_settings) {
    enum notification_status status;
    enum notification_digest digest;
    enum acknowledgement acknowledgement;
    ck_assert(notification_status_parse(TEXT("approved"), &status) && status == NOTIFY_APPROVED);
    ck_assert(notification_status_parse(TEXT("cancelled"), &status) && status == NOTIFY_CANCELLED);
    ck_assert(!notification_status_parse(TEXT("canceled"), &status));
    ck_assert(notification_digest_parse(TEXT("sha256"), &digest) && digest == DIGEST_SHA256);
    ck_assert(notification_digest_parse(TEXT("sha512"), &digest) && digest == DIGEST_SHA512);
    ck_assert(!notification_digest_parse(TEXT("SHA256"), &digest));
    ck_assert(acknowledgement_parse(TEXT("strict"), &acknowledgement) && acknowledgement == ACKNOWLEDGE_STRICT);
    ck_assert(acknowledgement_parse(TEXT("http2xx"), &acknowledgement) && acknowledgement == ACKNOWLEDGE_ANY_2XX);
    ck_assert(!acknowledgement_parse(TEXT(""), &acknowledgement));
}
END_TEST

TCase *notification_message_tests(void) {
    TCase *tests = unit_case("notification_message");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, the_seven_fields_in_their_order);
    tcase_add_test(tests, the_other_status);
    add_table_test(tests, the_amount_has_the_decimals_of_its_currency, AMOUNTS);
    tcase_add_test(tests, the_greatest_order_number_stays_whole);
    tcase_add_test(tests, text_is_escaped);
    add_table_test(tests, its_checksum_is_what_another_program_computes, CHECKSUMS);
    tcase_add_test(tests, the_words_of_the_settings);
    return tests;
}
