#include "unit.h"

#include "auth/checksum.h"
#include "base/hex.h"

#include <ctype.h>

#define HASH "s3cr3t-HASH"
#define K64  "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"

enum { PARTS_MAX = 5 };

/* Digests computed by sha512sum from the parts and the secret, concatenated. */
static const struct {
    enum checksum_recipe recipe;
    size_t count;
    const char *parts[PARTS_MAX];
    const char *secret;
    const char *digest;
} VECTORS[] = {
    {CHECKSUM_LOOKUP,
     2,
     {"Red Norte", "0012345678"},
     HASH,
     "c51e161d61774da02dc770279ca0d1eade7d2725dbe428f3bef5a4c2b81aa23f"
     "8c86e8eaebd4916816f298d71bc9a340384e4019049c9c9ee471be5b199073dc"},
    {CHECKSUM_LOOKUP,
     2,
     {"Red Ñandú €", "0012345678"},
     HASH,
     "69c21754de6b36fedef5b2a247f52d2e1e3042ab7dde83dfbaf91c6a5de5fd75"
     "bfe0bd5eaf3533036b179101aa4183929f288c1facffc80eac126cb2e556f951"},
    {CHECKSUM_REGISTRATION,
     4,
     {"Red Norte", "0012345678", "45000.00", "TX-1"},
     HASH,
     "e7df66b380964c1020ff6f55c5d12dba6930442581e2ff88493336d0188f7620"
     "5f213efca6a332bfd7944c505d4eeef23691e92896dbad5459ccb05996fd790f"},
    {CHECKSUM_REGISTRATION,
     4,
     {"Red Ñandú €", "0012345678", "45000.00", "TX-ñ"},
     HASH,
     "92bb2578522fcc1478bdc1f39a794fee405131d4e6196c13abf6d99465a917cc"
     "e1086d93c391e6e471293f03684252269fed6c1b13c5ed1a9bf95d7b2ccd7c1f"},
    {CHECKSUM_PORDER,
     5,
     {"ana@example.com", "343", "PO-1", "COP", "45000.00"},
     HASH,
     "9cdde9c971edf3ed9e839005e5c4becde8dcb6b489b8bd978f255fa3e5a68073"
     "8fe67980bcdf9d60d61130460cd81abf63362448a6fbeffcd96deb02abb33b58"},
    {CHECKSUM_PORDER_QUERY,
     2,
     {"PO-1", "Tienda Ñ"},
     HASH,
     "7707052be1880ce80354f57fc5bc06358559fc2a9bd8b34d2a5c005ed1dce3c0"
     "4dd2afc9f389110cc1a1ada24f17c155963ed0edd6d85241d6a350f588e3be3c"},
    {CHECKSUM_PORDER_REFUND,
     4,
     {"refund", "PO-1", "tienda", "45000"},
     HASH,
     "24e1091042c214b94eebcf00e83cb50fe55b0a1e0c51874b5a1afef246f7b2aa"
     "933bca75b3ec91c5aa18a2c823f7fe2dafe7b43e0568bef775cede006130b442"},
    {CHECKSUM_QUERY,
     4,
     {"770000001", "1", "Red Ñandú €", "1795253400"},
     HASH,
     "077acc72b661cc4e43273b1296133dbf319bc1413db6ff33d59c33b4029901e7"
     "ed1dac6cb732ef2b680adb7936cdfffdd6f06582f850f9de30e90373faa22dfa"},
    {CHECKSUM_ANSWER,
     3,
     {"PO_1-a", "45000", "1795257000"},
     HASH,
     "99ed21f1cf0d2ee8589e34f6c86dd4018af96b58f409ce2adc9da8baaca921e1"
     "2eb536628ab341e68ac06aac3eab1d4983bc947fe8a8ce2fbe09342ef75b428c"},
    {CHECKSUM_ANSWER_WITH_LIMITS,
     5,
     {"PO_1-a", "0", "10.50", "2000", "1795257000"},
     HASH,
     "7dc19c05a4f095d47c934abf701af5a9db811b4257e71182ebe10143582633bd"
     "c1296bc5e2d2093e98a3a07ecfcdf6aa8f4dff3e0ba97fbbca251dde0ba98368"},
    {CHECKSUM_NOTIFICATION_SHA512,
     2,
     {"PO-1", "approved"},
     HASH,
     "e95ba847a77e4f0c87421add49096416e1306631a1f0789be549c97632bc2842"
     "4ae78837c2eafcd2b44975d7ad81ca2d8c1ba4a3c4d9e17d2f877261705a5ecd"},
    {CHECKSUM_CONFIRMATION,
     2,
     {"Red Norte", "TX-1"},
     HASH,
     "a38a81068d941e5c3c9cf41fb1829654d5fefd713d1191dab991e502f6d5a8ff"
     "baac184e54d33e8764832d7d6559b55762627148e97fe2174da4b27ceac59948"},
    {CHECKSUM_CONFIRMATION,
     2,
     {"Red Norte", "TX-1"},
     K64 K64 K64 K64 K64 K64 K64 K64,
     "618e3ae12e76ec551e51ac70661ba4fc0ea89057544de52c61acdc565d0e8d0a"
     "5103e9c48e2669dcb11ae812841c1fe7ab20877c0bedfbcd2e878a51ba9f9d12"},
};

static struct text parts[PARTS_MAX];
static struct secret secret;

static void load(int row) {
    for (size_t i = 0; i < VECTORS[row].count; i++) {
        parts[i] = text_of(VECTORS[row].parts[i]);
    }
    ck_assert(secret_set(&secret, text_of(VECTORS[row].secret)));
}

START_TEST(computes_what_another_program_does) {
    char digest[CHECKSUM_HEX_MAX + 1];
    load(_i);
    ck_assert_uint_eq(checksum_part_count(VECTORS[_i].recipe), VECTORS[_i].count);
    checksum_compute(VECTORS[_i].recipe, parts, &secret, digest);
    ck_assert_str_eq(digest, VECTORS[_i].digest);
}
END_TEST

/* The only recipe with a shorter digest. */
START_TEST(sha256_for_merchants_that_ask_for_it) {
    static const char DIGEST[] = "5e870ef039d26ce051f2a7710b3e400005fc53b8bf544e0f2b4983cb74dc9bac";
    const struct text notified[] = {TEXT("PO-1"), TEXT("approved")};
    char digest[CHECKSUM_HEX_MAX + 1];
    ck_assert(secret_set(&secret, TEXT(HASH)));
    ck_assert_uint_eq(checksum_part_count(CHECKSUM_NOTIFICATION_SHA256), 2);
    checksum_compute(CHECKSUM_NOTIFICATION_SHA256, notified, &secret, digest);
    ck_assert_str_eq(digest, DIGEST);
    ck_assert(checksum_verify(CHECKSUM_NOTIFICATION_SHA256, notified, &secret, TEXT(DIGEST)));
    ck_assert(!checksum_verify(CHECKSUM_NOTIFICATION_SHA512, notified, &secret, TEXT(DIGEST)));
}
END_TEST

START_TEST(accepts_lower_upper_and_mixed_case) {
    char digest[CHECKSUM_HEX_MAX + 1];
    load(_i);
    ck_assert(checksum_verify(VECTORS[_i].recipe, parts, &secret, text_of(VECTORS[_i].digest)));
    for (size_t i = 0; i <= CHECKSUM_HEX_MAX; i++) {
        digest[i] = (char)toupper((unsigned char)VECTORS[_i].digest[i]);
    }
    ck_assert(checksum_verify(VECTORS[_i].recipe, parts, &secret, text_of(digest)));
    memcpy(digest, VECTORS[_i].digest, 64);
    ck_assert(checksum_verify(VECTORS[_i].recipe, parts, &secret, text_of(digest)));
}
END_TEST

START_TEST(refuses_any_digit_changed) {
    char digest[CHECKSUM_HEX_MAX + 1];
    load(0);
    for (size_t i = 0; i < CHECKSUM_HEX_MAX; i++) {
        memcpy(digest, VECTORS[0].digest, sizeof digest);
        digest[i] = digest[i] == '0' ? '1' : '0';
        ck_assert_msg(!checksum_verify(CHECKSUM_LOOKUP, parts, &secret, text_of(digest)), "digit %zu", i);
    }
}
END_TEST

START_TEST(refuses_what_is_no_digest) {
    char digest[CHECKSUM_HEX_MAX + 2];
    load(0);
    memcpy(digest, VECTORS[0].digest, CHECKSUM_HEX_MAX);
    digest[CHECKSUM_HEX_MAX] = '0';
    for (size_t size = 0; size <= CHECKSUM_HEX_MAX + 1; size++) {
        bool right = checksum_verify(CHECKSUM_LOOKUP, parts, &secret, (struct text){digest, size});
        ck_assert_msg(right == (size == CHECKSUM_HEX_MAX), "length %zu", size);
    }
    static const char OTHERS[] = "gG -+/:@`x\n\0\xC3";
    for (size_t i = 0; i < sizeof OTHERS - 1; i++) {
        digest[i * 9] = OTHERS[i];
        ck_assert(!checksum_verify(CHECKSUM_LOOKUP, parts, &secret, (struct text){digest, CHECKSUM_HEX_MAX}));
        digest[i * 9] = VECTORS[0].digest[i * 9];
    }
}
END_TEST

START_TEST(refuses_other_text_of_the_same_value) {
    load(2);
    parts[2] = TEXT("45000.0");
    ck_assert(!checksum_verify(CHECKSUM_REGISTRATION, parts, &secret, text_of(VECTORS[2].digest)));
}
END_TEST

START_TEST(refuses_another_secret) {
    load(0);
    ck_assert(secret_set(&secret, TEXT(HASH "x")));
    ck_assert(!checksum_verify(CHECKSUM_LOOKUP, parts, &secret, text_of(VECTORS[0].digest)));
}
END_TEST

/* SHA-256 over each part, preceded by its length as eight bytes; computed with Python's hashlib. */
static const struct {
    size_t count;
    const char *parts[5];
    const char *digest;
} FINGERPRINTS[] = {
    {5,
     {"0012345678", "45000.0000", "Tienda Ñandú", "", "COP"},
     "44058745ec88db7e3dfb565042ed736dd21044e83b4475ef69a47881d7c41ebf"},
    {0, {NULL}, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
};

static void fingerprint(const char *const *strings, size_t count, unsigned char out[FINGERPRINT_SIZE]) {
    struct text texts[5];
    for (size_t i = 0; i < count; i++) {
        texts[i] = text_of(strings[i]);
    }
    checksum_fingerprint(texts, count, out);
}

START_TEST(fingerprints) {
    unsigned char digest[FINGERPRINT_SIZE];
    fingerprint(FINGERPRINTS[_i].parts, FINGERPRINTS[_i].count, digest);
    for (size_t i = 0; i < FINGERPRINT_SIZE; i++) {
        int expected = hex_value(FINGERPRINTS[_i].digest[2 * i]) << 4 | hex_value(FINGERPRINTS[_i].digest[2 * i + 1]);
        ck_assert_int_eq(digest[i], expected);
    }
}
END_TEST

static const char *const DIFFERENT[][2] = {{"ab", "c"}, {"a", "bc"}, {"abc", ""}, {"", "abc"}, {"AB", "c"}};

START_TEST(no_two_lists_have_the_same_fingerprint) {
    unsigned char digests[COUNT_OF(DIFFERENT)][FINGERPRINT_SIZE];
    for (size_t i = 0; i < COUNT_OF(DIFFERENT); i++) {
        fingerprint(DIFFERENT[i], 2, digests[i]);
        for (size_t j = 0; j < i; j++) {
            ck_assert_int_ne(memcmp(digests[i], digests[j], FINGERPRINT_SIZE), 0);
        }
    }
}
END_TEST

TCase *checksum_tests(void) {
    TCase *tests = unit_case("checksum");
    add_table_test(tests, computes_what_another_program_does, VECTORS);
    tcase_add_test(tests, sha256_for_merchants_that_ask_for_it);
    add_table_test(tests, accepts_lower_upper_and_mixed_case, VECTORS);
    tcase_add_test(tests, refuses_any_digit_changed);
    tcase_add_test(tests, refuses_what_is_no_digest);
    tcase_add_test(tests, refuses_other_text_of_the_same_value);
    tcase_add_test(tests, refuses_another_secret);
    add_table_test(tests, fingerprints, FINGERPRINTS);
    tcase_add_test(tests, no_two_lists_have_the_same_fingerprint);
    return tests;
}
