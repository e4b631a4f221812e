#include "unit.h"

#include "auth/secret_pair.h"
#include "base/log.h"

#define NOW ((duration)1000 * SECOND)

static const struct text PARTS[] = {{"Red Norte", 9}, {"123", 3}};

static struct secret_pair pair_until(const char *old, duration until) {
    struct secret_pair pair = {.old_until = until};
    ck_assert(secret_set(&pair.current, TEXT("new")));
    ck_assert(old[0] == '\0' || secret_set(&pair.old, text_of(old)));
    return pair;
}

/* Returns which secret verifies the checksum of a caller who uses `value`. */
static enum secret_used used_by(const struct secret_pair *pair, const char *value) {
    struct secret secret = {.size = 0};
    char checksum[CHECKSUM_HEX_MAX + 1];
    ck_assert(value[0] == '\0' || secret_set(&secret, text_of(value)));
    checksum_compute(CHECKSUM_LOOKUP, PARTS, &secret, checksum);
    return secret_pair_verify(CHECKSUM_LOOKUP, PARTS, pair, NOW, text_of(checksum));
}

static const struct {
    const char *old;
    duration until;
    const char *by;
    enum secret_used used;
} CASES[] = {
    {"old", NOW + 1, "old", SECRET_OLD},
    {"old", NOW, "old", SECRET_NONE}, /* at its end it is no longer valid */
    {"old", NOW - 1, "old", SECRET_NONE},
    {"old", NOW + HOUR, "new", SECRET_CURRENT},
    {"old", NOW - HOUR, "new", SECRET_CURRENT},
    {"new", NOW + HOUR, "new", SECRET_CURRENT},
    {"old", NOW + HOUR, "other", SECRET_NONE},
    {"old", NOW + HOUR, "", SECRET_NONE},
    {"o", NOW + 1, "o", SECRET_OLD}, /* one character is a valid secret */
    {"", NOW + HOUR, "new", SECRET_CURRENT},
    {"", NOW + HOUR, "", SECRET_NONE}, /* no secret differs from an empty one */
    {"", NOW + HOUR, "old", SECRET_NONE},
};

START_TEST(says_which_secret_was_used) {
    struct secret_pair pair = pair_until(CASES[_i].old, CASES[_i].until);
    ck_assert_int_eq(used_by(&pair, CASES[_i].by), CASES[_i].used);
}
END_TEST

#define HEX64 "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define KIND  "networks.fixed_hash"

static struct text sealed_of(struct vault *vault, const char *value, unsigned char out[VAULT_SEALED_MAX]) {
    struct secret secret;
    ck_assert(secret_set(&secret, text_of(value)));
    return (struct text){(const char *)out, vault_seal(vault, KIND, TEXT("Red"), &secret, out)};
}

static const struct secret_pair EMPTY;

/* A damaged old secret is only invalid itself; a damaged current secret makes the pair invalid. */
START_TEST(opens_both_and_counts_from_when_they_were_read) {
    char error[VAULT_ERROR_SIZE];
    unsigned char current[VAULT_SEALED_MAX], old[VAULT_SEALED_MAX];
    struct secret_pair pair;
    struct vault *vault = vault_open(file_with(HEX64), error);
    ck_assert_ptr_nonnull(vault);
    struct sealed_pair sealed = {sealed_of(vault, "new", current), sealed_of(vault, "old", old), 5 * SECOND};
    ck_assert(secret_pair_open(vault, KIND, TEXT("Red"), &sealed, NOW - 2 * SECOND, &pair));
    ck_assert(pair.old_until == NOW + 3 * SECOND);
    ck_assert(used_by(&pair, "new") == SECRET_CURRENT && used_by(&pair, "old") == SECRET_OLD);
    capture_errors();
    old[20] ^= 1;
    for (int i = 0; i < 2; i++, sealed.old.size = 1) { /* damaged, then cut off */
        memset(&pair, 'x', sizeof pair);
        ck_assert(secret_pair_open(vault, KIND, TEXT("Red"), &sealed, NOW, &pair));
        ck_assert(used_by(&pair, "new") == SECRET_CURRENT);
        ck_assert(!secret_pair_has_old(&pair, NOW) && used_by(&pair, "old") == SECRET_NONE);
        ck_assert_int_eq(memcmp(&pair.old, &EMPTY.old, sizeof pair.old), 0);
        ck_assert_ptr_nonnull(strstr(errors_text(), "the old secret of Red (networks.fixed_hash) cannot be decrypted"));
        log_trouble_ended(); /* the same line is written once more */
        capture_errors();
    }
    sealed.old.size = 0;
    memset(&pair, 'x', sizeof pair);
    ck_assert(secret_pair_open(vault, KIND, TEXT("Red"), &sealed, NOW, &pair));
    ck_assert(used_by(&pair, "new") == SECRET_CURRENT && pair.old.size == 0);
    ck_assert_str_eq(errors_text(), "");
    memset(&pair, 'x', sizeof pair);
    current[20] ^= 1;
    ck_assert(!secret_pair_open(vault, KIND, TEXT("Red"), &sealed, NOW, &pair));
    ck_assert_int_eq(memcmp(&pair, &EMPTY, sizeof pair), 0);
    vault_close(vault);
}
END_TEST

START_TEST(nothing_is_left_of_what_was_wiped) {
    struct secret_pair pair;
    memset(&pair, 'x', sizeof pair);
    secret_pair_wipe(&pair);
    ck_assert_int_eq(memcmp(&pair, &EMPTY, sizeof pair), 0);
}
END_TEST

TCase *secret_pair_tests(void) {
    TCase *tests = unit_case("secret_pair");
    add_table_test(tests, says_which_secret_was_used, CASES);
    tcase_add_test(tests, nothing_is_left_of_what_was_wiped);
    tcase_add_test(tests, opens_both_and_counts_from_when_they_were_read);
    return tests;
}
