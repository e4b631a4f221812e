#include "unit.h"

#include "auth/vault.h"
#include "base/log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * When a vault reads its key file again. The file is removed as soon as the vault is open, so that each attempt is
 * logged, and stat() tells what the test says.
 */
static struct stat told;
static bool tells, is_missing;

int stat(const char *path, struct stat *out) {
    if (!tells) {
        return fstatat(AT_FDCWD, path, out, 0);
    }
    *out = told;
    return is_missing ? -1 : 0;
}

#define HEX64   "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define OTHER64 "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff00"
#define KIND    "networks.fixed_hash"

static struct vault *vault;
static unsigned char foreign[VAULT_SEALED_MAX]; /* its key is not in the file */
static size_t foreign_size;

static void open_vault_of_removed_file(void) {
    char path[] = "/tmp/recaudo-unit-XXXXXX", error[VAULT_ERROR_SIZE];
    struct secret secret;
    struct vault *other = vault_open(file_with(OTHER64), error);
    ck_assert(other != NULL && secret_set(&secret, TEXT("s3cr3t")));
    foreign_size = vault_seal(other, KIND, TEXT("Red"), &secret, foreign);
    vault_close(other);
    int file = mkstemp(path);
    ck_assert(file >= 0 && write(file, HEX64, 64) == 64 && close(file) == 0);
    vault = vault_open(path, error);
    ck_assert(vault != NULL && stat(path, &told) == 0 && unlink(path) == 0);
    tells = true;
}

static void close_vault_of_removed_file(void) {
    tells = is_missing = false;
    vault_close(vault);
}

/* Whether the vault reads the file again for a ciphertext that it has no key for. */
static bool is_reread(void) {
    struct secret opened;
    log_trouble_ended(); /* the same line is written once more */
    capture_errors();
    ck_assert(!vault_unseal(vault, KIND, TEXT("Red"), (struct text){(char *)foreign, foreign_size}, &opened));
    return strstr(errors_text(), "cannot reread the key file") != NULL;
}

static const struct stat CHANGES[] = {
    {.st_ino = 1}, {.st_size = 1}, {.st_ctim = {.tv_sec = 1}}, {.st_ctim = {.tv_nsec = 1}}};

START_TEST(once_after_each_change) {
    ck_assert(!is_reread());
    told.st_ino += CHANGES[_i].st_ino;
    told.st_size += CHANGES[_i].st_size;
    told.st_ctim.tv_sec += CHANGES[_i].st_ctim.tv_sec;
    told.st_ctim.tv_nsec += CHANGES[_i].st_ctim.tv_nsec;
    ck_assert(is_reread());
    ck_assert(!is_reread());
}
END_TEST

START_TEST(not_for_each_request_while_it_is_missing) {
    is_missing = true;
    ck_assert(is_reread());
    ck_assert(!is_reread());
    is_missing = false;
    ck_assert(is_reread());
}
END_TEST

TCase *key_file_rereads_tests(void) {
    TCase *tests = unit_case("key file rereads");
    tcase_add_checked_fixture(tests, open_vault_of_removed_file, close_vault_of_removed_file);
    add_table_test(tests, once_after_each_change, CHANGES);
    tcase_add_test(tests, not_for_each_request_while_it_is_missing);
    return tests;
}
