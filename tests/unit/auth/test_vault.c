#include "unit.h"

#include "auth/vault.h"

#include <sys/stat.h>
#include <unistd.h>

#define HEX64 "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"

static char directory[64], key_file[80], error[VAULT_ERROR_SIZE];

/* Creates a directory for key files that the vault itself writes. */
static void set_up(void) {
    snprintf(directory, sizeof directory, "/tmp/recaudo-unit-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(key_file, sizeof key_file, "%s/secret.key", directory);
}

static void tear_down(void) {
    unlink(key_file);
    rmdir(directory);
}

static bool complains_of(const char *path, const char *problem) {
    char expected[VAULT_ERROR_SIZE];
    snprintf(expected, sizeof expected, "%s: %s", path, problem);
    return strcmp(error, expected) == 0;
}

static const struct {
    mode_t mode;
    bool accepted;
} MODES[] = {{0600, true},  {0400, true},  {0640, true},  {0440, true},  {0660, false}, {0620, false},
             {0610, false}, {0644, false}, {0604, false}, {0602, false}, {0601, false}, {0666, false}};

START_TEST(key_file_must_be_private) {
    struct key_ring ring;
    const char *path = file_with(HEX64 "\n");
    ck_assert_int_eq(chmod(path, MODES[_i].mode), 0);
    ck_assert(key_file_read(path, &ring, error) == MODES[_i].accepted);
    ck_assert(MODES[_i].accepted || complains_of(path, "others may read or change this key: chmod g-wx,o= it, and "
                                                       "recaudoctl key rotate if they did"));
}
END_TEST

#define OTHER64  "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00"
#define THIRD64  "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"
#define FOURTH64 "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd"
#define FIFTH64  "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

static const struct {
    const char *content;
    size_t keys; /* 0: refused */
} KEYS[] = {
    {HEX64, 1},
    {HEX64 "\n", 1},
    {HEX64 "\n" OTHER64 " next\n", 2},
    {HEX64 "\n" OTHER64 " old", 2},
    {OTHER64 " old\n" HEX64 "\n", 2},
    {HEX64 "\n" OTHER64 " old\n" THIRD64 " next\n", 3},
    {HEX64 "\n" OTHER64 " next\n" THIRD64 " old\n" FOURTH64 " old\n", 4},
    {HEX64 "\n" OTHER64 " next\n" THIRD64 " old\n" FOURTH64 " old\n" FIFTH64 " old\n", 0},
    {HEX64 "\n" OTHER64 "\n", 0},
    {HEX64 "\n" OTHER64 " next\n" THIRD64 " next\n", 0}, /* both would be next to seal */
    {HEX64 "\n" HEX64 " old\n", 0},
    {HEX64 " old\n", 0},
    {HEX64 " next\n", 0},
    {HEX64 " nex\n", 0},
    {HEX64 " older\n", 0},
    {HEX64 "\n\n" OTHER64 " old\n", 0},
    {HEX64 "\n\n", 0},
    {HEX64 "\nx", 0},
    {HEX64 "0", 0},
    {HEX64 " \n", 0},
    {"", 0},
    {"\n", 0},
    {"00112233", 0},
    {"0" HEX64, 0},
    {" " HEX64, 0},
    {"00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEF\n", 0},
    {"00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFG", 0},
    {" 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n", 0},
    {"+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1\n", 0},
    {"-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1-1\n", 0},
    {"0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x0x\n", 0},
};

START_TEST(keys_are_64_hex_digits_and_one_seals) {
    struct key_ring ring;
    const char *path = file_with(KEYS[_i].content);
    ck_assert(key_file_read(path, &ring, error) == (KEYS[_i].keys > 0));
    if (KEYS[_i].keys > 0) {
        ck_assert_uint_eq(ring.count, KEYS[_i].keys);
        ck_assert_int_eq(key_ring_find(&ring, KEY_CURRENT)->bytes[1], 0x11);
    } else {
        ck_assert(complains_of(path, "must hold one key of 64 hex digits, or one per line, all but the current "
                                     "followed by `next` or `old`"));
    }
}
END_TEST

START_TEST(reads_the_digits_in_both_cases) {
    struct key_ring ring;
    ck_assert(key_file_read(file_with(HEX64), &ring, error));
    for (size_t i = 0; i < KEY_BYTES; i++) {
        ck_assert_int_eq(ring.keys[0].bytes[i], (int)(i % 16 * 0x11));
    }
}
END_TEST

START_TEST(no_key_file_says_how_to_make_one) {
    ck_assert_ptr_null(vault_open(key_file, error));
    ck_assert_ptr_nonnull(strstr(error, "recaudoctl key create"));
}
END_TEST

START_TEST(creates_a_private_key_that_opens) {
    struct key_ring ring, again;
    struct stat about;
    mode_t before = umask(0);
    ck_assert_msg(key_file_create(key_file, error), "%s", error);
    umask(before);
    ck_assert_int_eq(stat(key_file, &about), 0);
    ck_assert_uint_eq(about.st_mode & 07777, 0600);
    ck_assert_int_eq(about.st_size, 65);
    ck_assert(key_file_read(key_file, &ring, error));
    unlink(key_file);
    ck_assert(key_file_create(key_file, error));
    ck_assert(key_file_read(key_file, &again, error));
    ck_assert_int_ne(memcmp(ring.keys[0].bytes, again.keys[0].bytes, KEY_BYTES), 0);
    ck_assert_int_ne(memcmp(ring.keys[0].id, again.keys[0].id, KEY_ID_BYTES), 0);
}
END_TEST

START_TEST(never_overwrites_a_key) {
    struct key_ring before, after;
    ck_assert(key_file_create(key_file, error));
    ck_assert(key_file_read(key_file, &before, error));
    ck_assert(!key_file_create(key_file, error));
    ck_assert_ptr_nonnull(strstr(error, key_file));
    ck_assert(key_file_read(key_file, &after, error));
    ck_assert_int_eq(memcmp(before.keys[0].bytes, after.keys[0].bytes, KEY_BYTES), 0);
}
END_TEST

START_TEST(replaces_the_keys_and_keeps_the_mode) {
    struct key_ring ring, after;
    struct stat about;
    char link[90];
    snprintf(link, sizeof link, "%s.link", key_file);
    ck_assert(key_file_create(key_file, error) && symlink(key_file, link) == 0);
    ck_assert_int_eq(chmod(key_file, 0640), 0);
    ck_assert(key_file_read(key_file, &ring, error));
    unsigned char first[KEY_BYTES];
    memcpy(first, ring.keys[0].bytes, KEY_BYTES);
    ck_assert(key_ring_generate(&ring, KEY_NEXT));
    key_ring_promote(&ring);
    ck_assert_msg(key_file_replace(link, &ring, error), "%s", error);
    ck_assert(lstat(link, &about) == 0 && S_ISLNK(about.st_mode));
    ck_assert(unlink(link) == 0 && stat(key_file, &about) == 0);
    ck_assert_uint_eq(about.st_mode & 07777, 0640);
    ck_assert(key_file_read(key_file, &after, error));
    ck_assert_uint_eq(after.count, 2);
    ck_assert_int_eq(memcmp(key_ring_find(&after, KEY_OLD)->bytes, first, KEY_BYTES), 0);
    ck_assert_int_ne(memcmp(key_ring_find(&after, KEY_CURRENT)->bytes, first, KEY_BYTES), 0);
    key_ring_drop_old(&after);
    ck_assert(after.count == 1 && after.keys[0].role == KEY_CURRENT);
}
END_TEST

START_TEST(what_a_killed_one_left_is_no_hindrance) {
    struct key_ring ring, after;
    char beside[90];
    snprintf(beside, sizeof beside, "%s.new", key_file);
    ck_assert(key_file_create(key_file, error) && key_file_create(beside, error));
    ck_assert(key_file_read(key_file, &ring, error) && key_ring_generate(&ring, KEY_NEXT));
    ck_assert_msg(key_file_replace(key_file, &ring, error), "%s", error);
    ck_assert(key_file_read(key_file, &after, error) && after.count == 2);
    ck_assert_int_ne(access(beside, F_OK), 0);
}
END_TEST

START_TEST(one_at_a_time_replaces_them) {
    ck_assert(key_file_create(key_file, error));
    int first = key_file_lock(key_file, error);
    ck_assert_int_ge(first, 0);
    ck_assert_int_lt(key_file_lock(key_file, error), 0);
    ck_assert_ptr_nonnull(strstr(error, "another key rotate is running"));
    close(first);
    int second = key_file_lock(key_file, error);
    ck_assert_int_ge(second, 0);
    close(second);
}
END_TEST

#define KIND "networks.fixed_hash"

static const struct text OWNER = {"Red Norte", 9};
static struct vault *vault;
static struct secret secret, opened;
static unsigned char sealed[VAULT_SEALED_MAX];
static size_t sealed_size;

static void open_vault(void) {
    set_up();
    vault = vault_open(file_with(HEX64), error);
    ck_assert_ptr_nonnull(vault);
}

static void close_vault(void) {
    vault_close(vault);
    tear_down();
}

static void seal(const char *value) {
    ck_assert(secret_set(&secret, text_of(value)));
    sealed_size = vault_seal(vault, KIND, OWNER, &secret, sealed);
    ck_assert_uint_eq(sealed_size, strlen(value) + 33);
}

static bool unseal_of(const char *kind, struct text owner, size_t size) {
    return vault_unseal(vault, kind, owner, (struct text){(const char *)sealed, size}, &opened);
}

START_TEST(what_is_sealed_opens) {
    char longest[SECRET_MAX + 1];
    memset(longest, 'k', SECRET_MAX);
    longest[SECRET_MAX] = '\0';
    const char *const values[] = {"a", "s3cr3t", longest};
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        seal(values[i]);
        ck_assert(unseal_of(KIND, OWNER, sealed_size));
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
    ck_assert_int_ne(memcmp(before + 5, sealed + 5, 12), 0);
    ck_assert_int_ne(memcmp(before + 17, sealed + 17, sealed_size - 17), 0);
}
END_TEST

START_TEST(is_bound_to_key_kind_and_owner) {
    seal("s3cr3t");
    struct vault *other = vault_open(file_with(OTHER64), error);
    ck_assert(!vault_unseal(other, KIND, OWNER, (struct text){(const char *)sealed, sealed_size}, &opened));
    vault_close(other);
    ck_assert(!unseal_of("merchants.fixed_hash", OWNER, sealed_size));
    ck_assert(!unseal_of("networks.fixed_has", OWNER, sealed_size));
    ck_assert(!unseal_of(KIND, TEXT("Red Sur"), sealed_size));
    ck_assert(!unseal_of(KIND, TEXT("red norte"), sealed_size));
    ck_assert(!unseal_of("networks.fixed_hashR", TEXT("ed Norte"), sealed_size));
    ck_assert(unseal_of(KIND, OWNER, sealed_size));
}
END_TEST

START_TEST(any_damage_is_seen) {
    seal("s3cr3t");
    for (size_t i = 0; i < sealed_size; i++) {
        sealed[i] ^= 0x10;
        memset(&opened, 'x', sizeof opened);
        ck_assert_msg(!unseal_of(KIND, OWNER, sealed_size), "byte %zu", i);
        ck_assert(opened.size == 0 ||
                  i <= KEY_ID_BYTES); /* no plaintext is left; changes of bytes 0 to 4 are refused earlier */
        sealed[i] ^= 0x10;
    }
    for (size_t size = 0; size < sealed_size; size++) {
        ck_assert_msg(!unseal_of(KIND, OWNER, size), "length %zu", size);
    }
    ck_assert(!unseal_of(KIND, OWNER, VAULT_SEALED_MAX));
}
END_TEST

START_TEST(refuses_what_is_larger_than_any_secret) {
    char large[VAULT_SEALED_MAX + 1] = {1};
    ck_assert(!vault_unseal(vault, KIND, OWNER, (struct text){large, sizeof large}, &opened));
}
END_TEST

/* Only a ciphertext has a key id, whatever other bytes contain. */
START_TEST(only_a_ciphertext_names_its_key) {
    unsigned char id[KEY_ID_BYTES] = {7, 7, 7, 7};
    seal("s");
    for (size_t size = 0; size < sealed_size; size++) {
        ck_assert_msg(!vault_key_id((struct text){(const char *)sealed, size}, id), "length %zu", size);
    }
    ck_assert(id[0] == 7 && id[3] == 7);
    ck_assert(vault_key_id((struct text){(const char *)sealed, sealed_size}, id));
    ck_assert_int_eq(memcmp(id, sealed + 1, KEY_ID_BYTES), 0);
    for (int version = 0; version < 256; version++) {
        sealed[0] = (unsigned char)version;
        ck_assert(vault_key_id((struct text){(const char *)sealed, sealed_size}, id) == (version == 2));
    }
}
END_TEST

/* Writes keys into the file of the open vault. */
static void write_keys(const char *content) {
    FILE *file = fopen(key_file, "w");
    ck_assert(file != NULL && fputs(content, file) >= 0 && fclose(file) == 0);
    ck_assert_int_eq(chmod(key_file, 0600), 0);
}

static bool is_current(void) {
    unsigned char id[KEY_ID_BYTES];
    struct key_ring ring;
    ck_assert(key_file_read(key_file, &ring, error));
    ck_assert(vault_key_id((struct text){(const char *)sealed, sealed_size}, id));
    return memcmp(id, key_ring_find(&ring, KEY_CURRENT)->id, KEY_ID_BYTES) == 0;
}

START_TEST(a_key_that_comes_later_opens_without_being_told_of) {
    write_keys(HEX64);
    vault = vault_open(key_file, error);
    seal("s3cr3t");
    ck_assert(is_current());
    struct vault *running = vault_open(key_file, error);
    write_keys(OTHER64 "\n" HEX64 " old\n");
    seal("s3cr3t"); /* seals with the new key from now on */
    ck_assert(vault_unseal(running, KIND, OWNER, (struct text){(const char *)sealed, sealed_size}, &opened));
    ck_assert(is_current());
    vault_close(running);
    vault_close(vault);
}
END_TEST

START_TEST(next_and_old_keys_open_and_do_not_seal) {
    unsigned char before[VAULT_SEALED_MAX];
    write_keys(HEX64);
    vault = vault_open(key_file, error);
    seal("s3cr3t");
    memcpy(before, sealed, sealed_size);
    write_keys(OTHER64 " next\n" HEX64 "\n");
    seal("s3cr3t");
    ck_assert(is_current() && memcmp(before + 1, sealed + 1, KEY_ID_BYTES) == 0);
    write_keys(OTHER64 "\n" HEX64 " old\n");
    seal("other");
    ck_assert(is_current() && memcmp(before + 1, sealed + 1, KEY_ID_BYTES) != 0);
    memcpy(sealed, before, VAULT_SEALED_MAX);
    sealed_size = strlen("s3cr3t") + 33;
    ck_assert(!is_current() && unseal_of(KIND, OWNER, sealed_size));
    write_keys(OTHER64 "\n");
    seal("other");
    ck_assert(!vault_unseal(vault, KIND, OWNER, (struct text){(const char *)before, strlen("s3cr3t") + 33}, &opened));
    vault_close(vault);
}
END_TEST

/* "s3cr3t" sealed with HEX64 in the form of this program's first version, without a key id. */
static const unsigned char FIRST_FORM[] = {1,   1,  2,  3,   4,   5,   6,   7, 8,   9,   10,  11,
                                           12,  9,  65, 102, 210, 219, 99,  6, 30,  216, 237, 46,
                                           221, 35, 80, 200, 32,  38,  152, 8, 169, 182, 38};

/* The same with a key of zeros, as memory may hold behind the last key. */
static const unsigned char FIRST_FORM_WITH_ZEROS[] = {1,   1,  2,   3,   4,   5,   6,  7,   8,   9,   10,  11,
                                                      12,  78, 119, 180, 80,  20,  13, 184, 217, 45,  150, 44,
                                                      255, 82, 248, 183, 213, 157, 8,  18,  127, 127, 52};

static const char *const WITH_KEY[] = {HEX64 "\n", OTHER64 "\n" HEX64 " old\n"};

START_TEST(what_has_no_key_id_opens_with_any_key) {
    write_keys(WITH_KEY[_i]);
    vault = vault_open(key_file, error);
    const struct text none = {(const char *)FIRST_FORM_WITH_ZEROS, sizeof FIRST_FORM_WITH_ZEROS};
    ck_assert(!vault_unseal(vault, KIND, OWNER, none, &opened));
    ck_assert(vault_unseal(vault, KIND, OWNER, (struct text){(const char *)FIRST_FORM, sizeof FIRST_FORM}, &opened));
    ck_assert(text_equal((struct text){(const char *)opened.bytes, opened.size}, TEXT("s3cr3t")));
    unsigned char id[KEY_ID_BYTES], other[sizeof FIRST_FORM];
    memcpy(other, FIRST_FORM, sizeof other);
    other[0] = 3; /* a form that does not exist */
    ck_assert(!vault_unseal(vault, KIND, OWNER, (struct text){(const char *)other, sizeof other}, &opened));
    ck_assert(!vault_key_id((struct text){(const char *)FIRST_FORM, sizeof FIRST_FORM}, id));
    vault_close(vault);
}
END_TEST

TCase *vault_tests(void) {
    TCase *tests = unit_case("vault");
    tcase_add_checked_fixture(tests, open_vault, close_vault);
    tcase_add_test(tests, what_is_sealed_opens);
    tcase_add_test(tests, the_ciphertext_hides_and_never_repeats);
    tcase_add_test(tests, is_bound_to_key_kind_and_owner);
    tcase_add_test(tests, any_damage_is_seen);
    tcase_add_test(tests, refuses_what_is_larger_than_any_secret);
    tcase_add_test(tests, only_a_ciphertext_names_its_key);
    return tests;
}

TCase *key_file_tests(void) {
    TCase *tests = unit_case("key file");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    add_table_test(tests, key_file_must_be_private, MODES);
    add_table_test(tests, keys_are_64_hex_digits_and_one_seals, KEYS);
    tcase_add_test(tests, reads_the_digits_in_both_cases);
    tcase_add_test(tests, no_key_file_says_how_to_make_one);
    tcase_add_test(tests, creates_a_private_key_that_opens);
    tcase_add_test(tests, never_overwrites_a_key);
    tcase_add_test(tests, replaces_the_keys_and_keeps_the_mode);
    tcase_add_test(tests, what_a_killed_one_left_is_no_hindrance);
    tcase_add_test(tests, one_at_a_time_replaces_them);
    tcase_add_test(tests, a_key_that_comes_later_opens_without_being_told_of);
    tcase_add_test(tests, next_and_old_keys_open_and_do_not_seal);
    add_table_test(tests, what_has_no_key_id_opens_with_any_key, WITH_KEY);
    return tests;
}
