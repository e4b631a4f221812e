#include "unit.h"

#include "auth/seal_key.h"

#include <sys/stat.h>
#include <unistd.h>

/* The second test of RFC 8032, 7.1: a key, the message 0x72 and its signature. */
#define PRIVATE_PEM                                                                                                    \
    "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIEzNCJso/5banbbDRuwRTg9bijGfNaumJNqM9u1PuKb7\n"                  \
    "-----END PRIVATE KEY-----\n"
#define PUBLIC_PEM                                                                                                     \
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=\n"                       \
    "-----END PUBLIC KEY-----\n"
#define KEY_ID  "39f713d0a644253f" /* computed by sha256sum */
#define MESSAGE "\x72"
#define SIGNATURE                                                                                                      \
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"                                                 \
    "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"

/* Keys of Ed448, a curve that is not used for seals. */
#define OTHER_PRIVATE_PEM                                                                                              \
    "-----BEGIN PRIVATE KEY-----\n"                                                                                    \
    "MEcCAQAwBQYDK2VxBDsEOUWrCOuye2KXU4g11feLsp41ELm6HtC7dW8FupRHLKVG\nZrC2pNs7SWobIdL4hgcqZmw9x7p4Ay5p7g==\n"         \
    "-----END PRIVATE KEY-----\n"
#define OTHER_PUBLIC_PEM                                                                                               \
    "-----BEGIN PUBLIC KEY-----\n"                                                                                     \
    "MEMwBQYDK2VxAzoACGD+OCGrqB6SO1dYkjLXiCWc4HGHL09FZviwV9s32qH0qR9f\nTrWRTd6NVomuvQdatOsmcY5me9IA\n"                 \
    "-----END PUBLIC KEY-----\n"

static char error[SEAL_KEY_ERROR_SIZE];

static struct seal_key *known_key(void) {
    struct seal_key *key = seal_key_read(file_with(PRIVATE_PEM), error);
    ck_assert_msg(key != NULL, "%s", error);
    return key;
}

START_TEST(signs_as_the_standard_says) {
    char signature[SEAL_SIGNATURE_SIZE];
    struct seal_key *key = known_key();
    seal_key_sign(key, TEXT(MESSAGE), signature);
    ck_assert_str_eq(signature, SIGNATURE);
    ck_assert_str_eq(seal_key_id(key), KEY_ID);
    ck_assert(seal_key_verify(key, TEXT(MESSAGE), TEXT(SIGNATURE)));
    seal_key_free(key);
}
END_TEST

START_TEST(verifies_with_the_public_key_alone) {
    struct seal_key *keys[SEAL_KEYS_MAX];
    ck_assert_uint_eq(seal_key_read_public(file_with(PUBLIC_PEM), keys, error), 1);
    ck_assert_str_eq(seal_key_id(keys[0]), KEY_ID);
    ck_assert(seal_key_verify(keys[0], TEXT(MESSAGE), TEXT(SIGNATURE)));
    ck_assert(!seal_key_verify(keys[0], TEXT("\x73"), TEXT(SIGNATURE)));
    ck_assert(!seal_key_verify(keys[0], TEXT(""), TEXT(SIGNATURE)));
    seal_key_free(keys[0]);
}
END_TEST

START_TEST(no_digit_of_a_signature_can_be_another) {
    char changed[] = SIGNATURE;
    struct seal_key *key = known_key();
    for (size_t i = 0; i < sizeof changed - 1; i++) {
        char before = changed[i];
        changed[i] = before == '1' ? '2' : '1';
        ck_assert_msg(!seal_key_verify(key, TEXT(MESSAGE), text_of(changed)), "digit %zu", i);
        changed[i] = before;
    }
    ck_assert(!seal_key_verify(key, TEXT(MESSAGE), TEXT("")));
    ck_assert(!seal_key_verify(key, TEXT(MESSAGE), (struct text){SIGNATURE, 126}));
    ck_assert(!seal_key_verify(key, TEXT(MESSAGE), TEXT(SIGNATURE "00")));
    seal_key_free(key);
}
END_TEST

/* Nor do bytes of another that was verified before take the place of what cannot be read. */
START_TEST(signature_that_cannot_be_read_is_wrong) {
    static const struct text NONE[] = {{SIGNATURE "00", 130}, {SIGNATURE, 0}};
    struct seal_key *key = known_key();
    for (size_t i = 0; i < COUNT_OF(NONE); i++) {
        bool is_right = seal_key_verify(key, TEXT(MESSAGE), TEXT(SIGNATURE)),
             other_is = seal_key_verify(key, TEXT(MESSAGE), NONE[i]);
        ck_assert(is_right && !other_is);
    }
    seal_key_free(key);
}
END_TEST

START_TEST(no_file_of_keys_stays_open) {
    struct seal_key *keys[SEAL_KEYS_MAX];
    const char *path = file_with(PRIVATE_PEM PUBLIC_PEM);
    int next = next_descriptor();
    seal_key_free(seal_key_read(path, error));
    ck_assert_uint_eq(seal_key_read_public(file_with(PUBLIC_PEM), keys, error), 1);
    seal_key_free(keys[0]);
    ck_assert_int_eq(next_descriptor(), next);
}
END_TEST

START_TEST(prints_the_public_key) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    struct seal_key *key = known_key();
    ck_assert(seal_key_print_public(key, stream) && fclose(stream) == 0);
    ck_assert_str_eq(text, PUBLIC_PEM);
    free(text);
    seal_key_free(key);
}
END_TEST

START_TEST(says_that_the_public_key_cannot_be_written) {
    FILE *full = fopen("/dev/full", "w");
    struct seal_key *key = known_key();
    ck_assert_ptr_nonnull(full);
    setvbuf(full, NULL, _IONBF, 0);
    ck_assert(!seal_key_print_public(key, full));
    fclose(full);
    seal_key_free(key);
}
END_TEST

static const char *message_about(const char *path, const char *problem) {
    static char message[SEAL_KEY_ERROR_SIZE];
    snprintf(message, sizeof message, "%s: %s", path, problem);
    return message;
}

static const char *const NO_PRIVATE_KEYS[] = {"", "nothing", PUBLIC_PEM, OTHER_PRIVATE_PEM};

START_TEST(refuses_other_private_keys) {
    const char *path = file_with(NO_PRIVATE_KEYS[_i]);
    ck_assert_ptr_null(seal_key_read(path, error));
    ck_assert_str_eq(error, message_about(path, "is no private Ed25519 key in PEM without a passphrase"));
}
END_TEST

static const char *const NO_PUBLIC_KEYS[] = {"", "nothing", PRIVATE_PEM, OTHER_PUBLIC_PEM, OTHER_PUBLIC_PEM PUBLIC_PEM};

START_TEST(refuses_other_public_keys) {
    struct seal_key *keys[SEAL_KEYS_MAX];
    const char *path = file_with(NO_PUBLIC_KEYS[_i]);
    ck_assert_uint_eq(seal_key_read_public(path, keys, error), 0);
    ck_assert_str_eq(error, message_about(path, "has no public Ed25519 key in PEM"));
}
END_TEST

START_TEST(reads_as_many_public_keys_as_it_may) {
    enum { WRITTEN = SEAL_KEYS_MAX + 1, SIZE = sizeof PUBLIC_PEM - 1 };
    static char content[WRITTEN * SIZE + 1];
    struct seal_key *keys[SEAL_KEYS_MAX];
    for (size_t i = 0; i < WRITTEN; i++) {
        memcpy(content + i * SIZE, PUBLIC_PEM, SIZE + 1);
    }
    ck_assert_uint_eq(seal_key_read_public(file_with(content), keys, error), SEAL_KEYS_MAX);
    for (size_t i = 0; i < SEAL_KEYS_MAX; i++) {
        ck_assert_str_eq(seal_key_id(keys[i]), KEY_ID);
        seal_key_free(keys[i]);
    }
    ck_assert_uint_eq(seal_key_read_public(file_with(PUBLIC_PEM PUBLIC_PEM), keys, error), 2);
    seal_key_free(keys[0]);
    seal_key_free(keys[1]);
}
END_TEST

START_TEST(files_that_are_not_there) {
    struct seal_key *keys[SEAL_KEYS_MAX];
    ck_assert_ptr_null(seal_key_read("/nonexistent/key", error));
    ck_assert_str_eq(error, "/nonexistent/key: No such file or directory");
    error[0] = '\0';
    ck_assert_uint_eq(seal_key_read_public("/nonexistent/key", keys, error), 0);
    ck_assert_str_eq(error, "/nonexistent/key: No such file or directory");
    error[0] = '\0';
    ck_assert(!seal_key_create("/nonexistent/key", error));
    ck_assert_str_eq(error, "/nonexistent/key: No such file or directory");
}
END_TEST

START_TEST(private_key_must_be_private) {
    const char *path = file_with(PRIVATE_PEM);
    ck_assert_int_eq(chmod(path, 0644), 0);
    ck_assert_ptr_null(seal_key_read(path, error));
    ck_assert_str_eq(error, message_about(path, "others may read or write this key: chmod 640 it, and replace it if "
                                                "they did"));
    ck_assert_int_eq(chmod(path, 0640), 0);
    seal_key_free(known_key());
}
END_TEST

START_TEST(creates_keys_that_differ_and_never_overwrites_one) {
    char directory[] = "/tmp/recaudo-unit-XXXXXX", path[64], other[64];
    struct stat about;
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/one", directory);
    snprintf(other, sizeof other, "%s/two", directory);
    mode_t before = umask(0);
    ck_assert_msg(seal_key_create(path, error) && seal_key_create(other, error), "%s", error);
    umask(before);
    ck_assert(stat(path, &about) == 0 && (about.st_mode & 07777) == 0600);
    struct seal_key *one = seal_key_read(path, error), *two = seal_key_read(other, error);
    ck_assert(one != NULL && two != NULL);
    ck_assert_str_ne(seal_key_id(one), seal_key_id(two));
    ck_assert(!seal_key_create(path, error) && strstr(error, "File exists") != NULL);
    struct seal_key *again = seal_key_read(path, error);
    ck_assert_str_eq(seal_key_id(again), seal_key_id(one));
    seal_key_free(one);
    seal_key_free(two);
    seal_key_free(again);
    seal_key_free(NULL);
    ck_assert(unlink(path) == 0 && unlink(other) == 0 && rmdir(directory) == 0);
}
END_TEST

TCase *seal_key_tests(void) {
    TCase *tests = unit_case("seal_key");
    tcase_add_test(tests, signs_as_the_standard_says);
    tcase_add_test(tests, verifies_with_the_public_key_alone);
    tcase_add_test(tests, no_digit_of_a_signature_can_be_another);
    tcase_add_test(tests, signature_that_cannot_be_read_is_wrong);
    tcase_add_test(tests, no_file_of_keys_stays_open);
    tcase_add_test(tests, prints_the_public_key);
    tcase_add_test(tests, says_that_the_public_key_cannot_be_written);
    add_table_test(tests, refuses_other_private_keys, NO_PRIVATE_KEYS);
    add_table_test(tests, refuses_other_public_keys, NO_PUBLIC_KEYS);
    tcase_add_test(tests, reads_as_many_public_keys_as_it_may);
    tcase_add_test(tests, files_that_are_not_there);
    tcase_add_test(tests, private_key_must_be_private);
    tcase_add_test(tests, creates_keys_that_differ_and_never_overwrites_one);
    return tests;
}
