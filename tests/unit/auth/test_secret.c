#include "unit.h"

#include "auth/secret.h"
#include "base/hex.h"

static bool is_zero(const struct secret *secret) {
    static const struct secret ZERO;
    return memcmp(secret->bytes, ZERO.bytes, sizeof ZERO.bytes) == 0 && secret->size == 0;
}

START_TEST(holds_up_to_its_size) {
    static char longest[SECRET_MAX + 1];
    struct secret secret = {0};
    memset(longest, 'k', sizeof longest);
    ck_assert(secret_set(&secret, TEXT("a\0b")));
    ck_assert(text_equal((struct text){(const char *)secret.bytes, secret.size}, TEXT("a\0b")));
    ck_assert(secret_set(&secret, (struct text){longest, SECRET_MAX}));
    ck_assert(!secret_set(&secret, (struct text){longest, SECRET_MAX + 1}));
    ck_assert(!secret_set(&secret, TEXT("")));
    ck_assert_uint_eq(secret.size, SECRET_MAX);
}
END_TEST

START_TEST(equals_what_has_the_same_bytes) {
    struct secret one = {0}, other = {0};
    ck_assert(secret_set(&one, TEXT("s3cr3t")) && secret_set(&other, TEXT("s3cr3t")));
    ck_assert(secret_equal(&one, &other));
    ck_assert(secret_set(&other, TEXT("s3cr3T")));
    ck_assert(!secret_equal(&one, &other));
    ck_assert(secret_set(&other, TEXT("s3cr3t+")));
    ck_assert(!secret_equal(&one, &other));
}
END_TEST

START_TEST(is_wiped) {
    struct secret secret = {0};
    ck_assert(secret_set(&secret, TEXT("s3cr3t")));
    secret_wipe(&secret);
    ck_assert(is_zero(&secret));
}
END_TEST

START_TEST(generates_64_hex_digits) {
    struct secret one = {0}, two = {0};
    ck_assert(secret_generate(&one) && secret_generate(&two));
    ck_assert_uint_eq(one.size, 64);
    for (size_t i = 0; i < one.size; i++) {
        ck_assert_int_ge(hex_value((char)one.bytes[i]), 0);
    }
    ck_assert_int_ne(memcmp(one.bytes, two.bytes, one.size), 0);
}
END_TEST

TCase *secret_tests(void) {
    TCase *tests = unit_case("secret");
    tcase_add_test(tests, holds_up_to_its_size);
    tcase_add_test(tests, equals_what_has_the_same_bytes);
    tcase_add_test(tests, is_wiped);
    tcase_add_test(tests, generates_64_hex_digits);
    return tests;
}
