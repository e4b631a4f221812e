#include "unit.h"

#include "auth/digest.h"
#include "base/hex.h"

/* Computed by sha256sum; the second is FIPS 180's example. */
#define OF_NOTHING "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define OF_ABC     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

START_TEST(is_that_of_all_pieces_together) {
    char text[DIGEST_HEX_SIZE];
    digest_end(digest_begin(), text);
    ck_assert_str_eq(text, OF_NOTHING);
    struct digest *digest = digest_begin();
    digest_add(digest, TEXT("a"));
    digest_add(digest, TEXT(""));
    digest_add(digest, TEXT("bc"));
    digest_end(digest, text);
    ck_assert_str_eq(text, OF_ABC);
}
END_TEST

START_TEST(begins_anew_after_each_that_is_taken) {
    unsigned char bytes[DIGEST_BYTES];
    char text[DIGEST_HEX_SIZE];
    struct digest *digest = digest_begin();
    for (size_t i = 0; i < 2; i++) {
        digest_add(digest, TEXT("abc"));
        digest_take(digest, bytes);
        hex_print(bytes, sizeof bytes, text);
        ck_assert_str_eq(text, OF_ABC);
    }
    digest_end(digest, text);
    ck_assert_str_eq(text, OF_NOTHING);
}
END_TEST

TCase *digest_tests(void) {
    TCase *tests = unit_case("digest");
    tcase_add_test(tests, is_that_of_all_pieces_together);
    tcase_add_test(tests, begins_anew_after_each_that_is_taken);
    return tests;
}
