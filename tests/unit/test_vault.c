#include "unit.h"

#include "auth/vault.h"

#include <sys/stat.h>
#include <unistd.h>

#define HEX64 "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"

static char directory[64], key_file[80], error[VAULT_ERROR_SIZE];

/* A directory for key files that the vault makes itself. */
static void set_up(void) {
    snprintf(directory, sizeof directory, "/tmp/recaudo-unit-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(key_file, sizeof key_file, "%s/secret.key", directory);
}

static void tear_down(void) {
    unlink(key_file);
    rmdir(directory);
}

static const struct {
    mode_t mode;
    bool accepted;
} MODES[] = {{0600, true},  {0400, true},  {0640, true},  {0440, true},  {0660, false}, {0620, false},
             {0610, false}, {0644, false}, {0604, false}, {0602, false}, {0601, false}, {0666, false}};

START_TEST(key_file_must_be_private) {
    struct vault vault;
    const char *path = file_with(HEX64 "\n");
    ck_assert_int_eq(chmod(path, MODES[_i].mode), 0);
    ck_assert(vault_open(&vault, path, error) == MODES[_i].accepted);
    ck_assert(MODES[_i].accepted || strstr(error, path) != NULL);
}
END_TEST

static const struct {
    const char *content;
    bool accepted;
} KEYS[] = {
    {HEX64, true},
    {HEX64 "\n", true},
    {HEX64 "0", false},
    {HEX64 " \n", false},
    {"", false},
    {"\n", false},
    {"00112233", false},
    {"0" HEX64, false},
    {" " HEX64, false},
    {"00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEF\n", false},
    {"00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFG", false},
    {" 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n", false},
    {"+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1\n", false},
    {"-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1\n", false},
    {"0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x\n", false},
};

START_TEST(key_is_64_hex_digits) {
    struct vault vault;
    ck_assert(vault_open(&vault, file_with(KEYS[_i].content), error) == KEYS[_i].accepted);
    ck_assert(KEYS[_i].accepted || strstr(error, "is not 64 hex digits") != NULL);
}
END_TEST

START_TEST(reads_the_digits_in_both_cases) {
    struct vault vault;
    ck_assert(vault_open(&vault, file_with(HEX64), error));
    for (size_t i = 0; i < VAULT_KEY_BYTES; i++) {
        ck_assert_int_eq(vault.key[i], (int)(i % 16 * 0x11));
    }
}
END_TEST

START_TEST(no_key_file_says_how_to_make_one) {
    struct vault vault;
    ck_assert(!vault_open(&vault, key_file, error));
    ck_assert_ptr_nonnull(strstr(error, "recaudoctl key create"));
}
END_TEST

START_TEST(creates_a_private_key_that_opens) {
    struct vault vault, again;
    struct stat about;
    mode_t before = umask(0);
    ck_assert_msg(vault_create_key(key_file, error), "%s", error);
    umask(before);
    ck_assert_int_eq(stat(key_file, &about), 0);
    ck_assert_uint_eq(about.st_mode & 07777, 0600);
    ck_assert_int_eq(about.st_size, 65);
    ck_assert(vault_open(&vault, key_file, error));
    unlink(key_file);
    ck_assert(vault_create_key(key_file, error));
    ck_assert(vault_open(&again, key_file, error));
    ck_assert_int_ne(memcmp(vault.key, again.key, VAULT_KEY_BYTES), 0);
}
END_TEST

START_TEST(never_overwrites_a_key) {
    struct vault before, after;
    ck_assert(vault_create_key(key_file, error));
    ck_assert(vault_open(&before, key_file, error));
    ck_assert(!vault_create_key(key_file, error));
    ck_assert_ptr_nonnull(strstr(error, key_file));
    ck_assert(vault_open(&after, key_file, error));
    ck_assert_int_eq(memcmp(before.key, after.key, VAULT_KEY_BYTES), 0);
}
END_TEST

#define KIND "networks.fixed_hash"

static const struct text OWNER = {"Red Norte", 9};
static const struct vault VAULT = {{1, 2, 3}};
static struct secret secret, opened;
static unsigned char sealed[VAULT_SEALED_MAX];
static size_t sealed_size;

static void seal(const char *value) {
    ck_assert(secret_set(&secret, text_of(value)));
    sealed_size = vault_seal(&VAULT, KIND, OWNER, &secret, sealed);
    ck_assert_uint_eq(sealed_size, strlen(value) + 29);
}

static bool unseal_of(const struct vault *vault, const char *kind, struct text owner, size_t size) {
    return vault_unseal(vault, kind, owner, (struct text){(const char *)sealed, size}, &opened);
}

START_TEST(what_is_sealed_opens) {
    char longest[SECRET_MAX + 1];
    memset(longest, 'k', SECRET_MAX);
    longest[SECRET_MAX] = '\0';
    const char *const values[] = {"a", "s3cr3t", longest};
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        seal(values[i]);
        ck_assert(unseal_of(&VAULT, KIND, OWNER, sealed_size));
        ck_assert(text_equal((struct text){(const char *)opened.bytes, opened.size}, text_of(values[i])));
    }
}
END_TEST

START_TEST(the_ciphertext_hides_and_never_repeats) {
    unsigned char before[VAULT_SEALED_MAX];
    seal("s3cr3t-s3cr3t");
    ck_assert_ptr_null(memmem(sealed, sealed_size, "s3cr3t", 6));
    memcpy(before, sealed, sealed_size);
    seal("s3cr3t-s3cr3t");
    ck_assert_int_ne(memcmp(before + 1, sealed + 1, 12), 0);
    ck_assert_int_ne(memcmp(before + 13, sealed + 13, sealed_size - 13), 0);
}
END_TEST

START_TEST(is_bound_to_key_kind_and_owner) {
    static const struct vault OTHER = {{1, 2, 4}};
    seal("s3cr3t");
    ck_assert(!unseal_of(&OTHER, KIND, OWNER, sealed_size));
    ck_assert(!unseal_of(&VAULT, "merchants.fixed_hash", OWNER, sealed_size));
    ck_assert(!unseal_of(&VAULT, "networks.fixed_has", OWNER, sealed_size));
    ck_assert(!unseal_of(&VAULT, KIND, TEXT("Red Sur"), sealed_size));
    ck_assert(!unseal_of(&VAULT, KIND, TEXT("red norte"), sealed_size));
    ck_assert(!unseal_of(&VAULT, "networks.fixed_hashR", TEXT("ed Norte"), sealed_size));
    ck_assert(unseal_of(&VAULT, KIND, OWNER, sealed_size));
}
END_TEST

START_TEST(any_damage_is_seen) {
    seal("s3cr3t");
    for (size_t i = 0; i < sealed_size; i++) {
        sealed[i] ^= 0x10;
        memset(&opened, 'x', sizeof opened);
        ck_assert_msg(!unseal_of(&VAULT, KIND, OWNER, sealed_size), "byte %zu", i);
        ck_assert(opened.size == 0 || i == 0); /* nothing of it is left; byte 0 is refused before */
        sealed[i] ^= 0x10;
    }
    for (size_t size = 0; size < sealed_size; size++) {
        ck_assert_msg(!unseal_of(&VAULT, KIND, OWNER, size), "length %zu", size);
    }
    ck_assert(!unseal_of(&VAULT, KIND, OWNER, VAULT_SEALED_MAX));
}
END_TEST

START_TEST(refuses_what_is_larger_than_any_secret) {
    char large[VAULT_SEALED_MAX + 1] = {1};
    ck_assert(!vault_unseal(&VAULT, KIND, OWNER, (struct text){large, sizeof large}, &opened));
}
END_TEST

START_TEST(closing_wipes_the_key) {
    struct vault vault = VAULT;
    vault_close(&vault);
    static const struct vault ZERO;
    ck_assert_int_eq(memcmp(&vault, &ZERO, sizeof vault), 0);
}
END_TEST

TCase *vault_tests(void) {
    TCase *tests = unit_case("vault");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, key_file_must_be_private, MODES);
    add_table_test(tests, key_is_64_hex_digits, KEYS);
    tcase_add_test(tests, reads_the_digits_in_both_cases);
    tcase_add_test(tests, no_key_file_says_how_to_make_one);
    tcase_add_test(tests, creates_a_private_key_that_opens);
    tcase_add_test(tests, never_overwrites_a_key);
    tcase_add_test(tests, what_is_sealed_opens);
    tcase_add_test(tests, the_ciphertext_hides_and_never_repeats);
    tcase_add_test(tests, is_bound_to_key_kind_and_owner);
    tcase_add_test(tests, any_damage_is_seen);
    tcase_add_test(tests, refuses_what_is_larger_than_any_secret);
    tcase_add_test(tests, closing_wipes_the_key);
    return tests;
}
