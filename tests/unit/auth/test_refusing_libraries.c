#include "refused_calls.h"
#include "unit.h"

#include "auth/key_file.h"
#include "auth/seal_key.h"
#include "auth/vault.h"

#include <errno.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Makes OpenSSL and the file system fail one call: first the first one, then the second, until no call is left. The
 * operation must then fail as a whole, and leave nothing that could be mistaken for its result.
 */
static unsigned refused_call;

REFUSING(int, RAND_bytes, (unsigned char *out, int size), (out, size), 0)
REFUSING(EVP_CIPHER_CTX *, EVP_CIPHER_CTX_new, (void), (), NULL)
REFUSING(int, EVP_EncryptInit_ex,
         (EVP_CIPHER_CTX * context, const EVP_CIPHER *cipher, ENGINE *engine, const unsigned char *key,
          const unsigned char *nonce),
         (context, cipher, engine, key, nonce), 0)
REFUSING(int, EVP_EncryptUpdate,
         (EVP_CIPHER_CTX * context, unsigned char *out, int *written, const unsigned char *in, int size),
         (context, out, written, in, size), 0)
REFUSING(int, EVP_EncryptFinal_ex, (EVP_CIPHER_CTX * context, unsigned char *out, int *written),
         (context, out, written), 0)
REFUSING(int, EVP_DecryptInit_ex,
         (EVP_CIPHER_CTX * context, const EVP_CIPHER *cipher, ENGINE *engine, const unsigned char *key,
          const unsigned char *nonce),
         (context, cipher, engine, key, nonce), 0)
REFUSING(int, EVP_DecryptUpdate,
         (EVP_CIPHER_CTX * context, unsigned char *out, int *written, const unsigned char *in, int size),
         (context, out, written, in, size), 0)
REFUSING(int, EVP_DecryptFinal_ex, (EVP_CIPHER_CTX * context, unsigned char *out, int *written),
         (context, out, written), 0)
REFUSING(int, EVP_CIPHER_CTX_ctrl, (EVP_CIPHER_CTX * context, int what, int number, void *bytes),
         (context, what, number, bytes), 0)
REFUSING(int, EVP_PKEY_get_raw_public_key, (const EVP_PKEY *pair, unsigned char *out, size_t *size), (pair, out, size),
         0)
REFUSING(int, EVP_DigestVerifyInit,
         (EVP_MD_CTX * context, EVP_PKEY_CTX **of_key, const EVP_MD *digest, ENGINE *engine, EVP_PKEY *pair),
         (context, of_key, digest, engine, pair), 0)
REFUSING(int, PEM_write_PrivateKey,
         (FILE * stream, const EVP_PKEY *pair, const EVP_CIPHER *cipher, const unsigned char *phrase, int size,
          pem_password_cb *ask, void *of_ask),
         (stream, pair, cipher, phrase, size, ask, of_ask), 0)
REFUSING(FILE *, fdopen, (int file, const char *mode), (file, mode), (errno = ENOMEM, NULL))
REFUSING(int, fsync, (int file), (file), (errno = EIO, -1))
REFUSING(int, fchown, (int file, uid_t user, gid_t group), (file, user, group), (errno = EPERM, -1))
REFUSING(int, fchmod, (int file, mode_t mode), (file, mode), (errno = EPERM, -1))

static char folder[64], path[80], error[SEAL_KEY_ERROR_SIZE];

static void set_up(void) {
    snprintf(folder, sizeof folder, "/tmp/recaudo-unit-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/key", folder);
}

static void tear_down(void) {
    unlink(path);
    ck_assert_int_eq(rmdir(folder), 0); /* no other file was left */
}

/* Runs `act` with the first call refused, then the second, until all have been. `act` returns whether it succeeded,
 * which it must not if a call was refused. Returns the number of calls. */
static unsigned refuse_each(bool (*act)(void)) {
    for (unsigned nth = 1;; nth++) {
        error[0] = '\0';
        refused_call = nth;
        bool done = act();
        bool refused = refused_call == 0;
        refused_call = 0;
        ck_assert_msg(done != refused, "call %u: %s", nth, error);
        if (done) {
            return nth - 1;
        }
        ck_assert_ptr_null(strstr(error, "Success"));
    }
}

static struct vault *vault;
static unsigned char sealed[VAULT_SEALED_MAX];
static size_t sealed_size;
static struct secret kept;

static void open_vault(void) {
    ck_assert(key_file_create(path, error) && secret_set(&kept, TEXT("a secret")));
    vault = vault_open(path, error);
    ck_assert_ptr_nonnull(vault);
}

static bool seal(void) {
    sealed_size = vault_seal(vault, "networks.fixed_hash", TEXT("red"), &kept, sealed);
    return sealed_size > 0;
}

static bool unseal(void) {
    struct secret out = {.size = 3, .bytes = "old"};
    const struct secret wiped = {.size = 0};
    bool done =
        vault_unseal(vault, "networks.fixed_hash", TEXT("red"), (struct text){(char *)sealed, sealed_size}, &out);
    ck_assert(done ? secret_equal(&out, &kept) : memcmp(&out, &wiped, sizeof out) == 0);
    return done;
}

START_TEST(nothing_is_half_sealed) {
    open_vault();
    ck_assert_uint_ge(refuse_each(seal), 8);
    ck_assert_uint_ge(refuse_each(unseal), 7);
    vault_close(vault);
}
END_TEST

static bool create_key_file(void) {
    unlink(path);
    bool done = key_file_create(path, error);
    ck_assert_int_eq(access(path, F_OK) == 0, done);
    return done;
}

static bool create_seal_key(void) {
    unlink(path);
    bool done = seal_key_create(path, error);
    ck_assert_int_eq(access(path, F_OK) == 0, done);
    return done;
}

START_TEST(no_key_is_half_made) {
    ck_assert_uint_ge(refuse_each(create_key_file), 3);
    ck_assert_uint_ge(refuse_each(create_seal_key), 3);
}
END_TEST

START_TEST(says_that_there_is_no_randomness) {
    refused_call = 1;
    ck_assert(!key_file_create(path, error) && refused_call == 0);
    ck_assert(strncmp(error, path, strlen(path)) == 0);
    ck_assert_str_eq(error + strlen(path), ": cannot be written: the system's random generator failed");
}
END_TEST

static struct key_ring ring;

/* Checks that the error message describes the file correctly. */
static bool replace_key_file(void) {
    struct key_ring after;
    bool done = key_file_replace(path, &ring, error);
    bool is_new = done || strstr(error, "was replaced, and a crash may restore the previous keys") != NULL;
    unsigned left = refused_call;
    refused_call = 0;
    ck_assert(key_file_read(path, &after, error));
    ck_assert_uint_eq(after.count, is_new ? 2 : 1);
    refused_call = left;
    return done;
}

START_TEST(keys_are_replaced_or_it_is_said) {
    ck_assert(key_file_create(path, error) && key_file_read(path, &ring, error));
    ck_assert(key_ring_generate(&ring, KEY_NEXT));
    ck_assert_uint_ge(refuse_each(replace_key_file), 4);
}
END_TEST

static bool add_key(void) {
    struct key_ring grown = {.count = 0};
    bool done = key_ring_generate(&grown, KEY_NEXT);
    ck_assert_uint_eq(grown.count, done ? 1 : 0);
    return done;
}

static bool generate_secret(void) {
    struct secret secret = {.size = 0};
    bool done = secret_generate(&secret);
    ck_assert_uint_eq(secret.size, done ? 64 : 0);
    return done;
}

START_TEST(no_secret_without_randomness) {
    ck_assert_uint_eq(refuse_each(add_key), 1);
    ck_assert_uint_eq(refuse_each(generate_secret), 1);
}
END_TEST

static struct seal_key *seal_key;
static char signature[SEAL_SIGNATURE_SIZE];

static bool read_seal_key(void) {
    seal_key_free(seal_key);
    seal_key = seal_key_read(path, error);
    return seal_key != NULL;
}

static bool verify_seal(void) {
    return seal_key_verify(seal_key, TEXT("recaudo-seal 1"), text_of(signature));
}

START_TEST(no_seal_is_right_by_mistake) {
    ck_assert(seal_key_create(path, error));
    ck_assert_uint_ge(refuse_each(read_seal_key), 1);
    seal_key_sign(seal_key, TEXT("recaudo-seal 1"), signature);
    ck_assert_uint_ge(refuse_each(verify_seal), 1);
    seal_key_free(seal_key);
}
END_TEST

TCase *refusing_libraries_tests(void) {
    TCase *tests = tcase_create("refusing libraries");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, nothing_is_half_sealed);
    tcase_add_test(tests, no_key_is_half_made);
    tcase_add_test(tests, says_that_there_is_no_randomness);
    tcase_add_test(tests, keys_are_replaced_or_it_is_said);
    tcase_add_test(tests, no_secret_without_randomness);
    tcase_add_test(tests, no_seal_is_right_by_mistake);
    return tests;
}
