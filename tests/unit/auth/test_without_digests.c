#include "refused_calls.h"
#include "unit.h"

#include "auth/checksum.h"
#include "auth/digest.h"
#include "auth/key_ring.h"
#include "auth/seal_key.h"
#include "auth/signature.h"

#include <errno.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * If OpenSSL cannot compute a digest or signature, the process must end rather than use uninitialised memory. Each call
 * is refused in a process of its own.
 */
static unsigned refused_call;

REFUSING(EVP_MD *, EVP_MD_fetch, (OSSL_LIB_CTX * library, const char *name, const char *properties),
         (library, name, properties), NULL)
REFUSING(EVP_MD_CTX *, EVP_MD_CTX_new, (void), (), NULL)
REFUSING(int, EVP_DigestInit_ex2, (EVP_MD_CTX * context, const EVP_MD *digest, const OSSL_PARAM parameters[]),
         (context, digest, parameters), 0)
REFUSING(int, EVP_DigestUpdate, (EVP_MD_CTX * context, const void *bytes, size_t size), (context, bytes, size), 0)
REFUSING(int, EVP_DigestFinal_ex, (EVP_MD_CTX * context, unsigned char *out, unsigned *size), (context, out, size), 0)
REFUSING(int, EVP_Digest,
         (const void *bytes, size_t count, unsigned char *out, unsigned *size, const EVP_MD *digest, ENGINE *engine),
         (bytes, count, out, size, digest, engine), 0)
REFUSING(EVP_MAC *, EVP_MAC_fetch, (OSSL_LIB_CTX * library, const char *name, const char *properties),
         (library, name, properties), NULL)
REFUSING(EVP_MAC_CTX *, EVP_MAC_CTX_new, (EVP_MAC * mac), (mac), NULL)
REFUSING(int, EVP_MAC_init,
         (EVP_MAC_CTX * context, const unsigned char *key, size_t size, const OSSL_PARAM parameters[]),
         (context, key, size, parameters), 0)
REFUSING(int, EVP_MAC_update, (EVP_MAC_CTX * context, const unsigned char *bytes, size_t size), (context, bytes, size),
         0)
REFUSING(int, EVP_MAC_final, (EVP_MAC_CTX * context, unsigned char *out, size_t *size, size_t room),
         (context, out, size, room), 0)
REFUSING(int, EVP_DigestSignInit,
         (EVP_MD_CTX * context, EVP_PKEY_CTX **of_key, const EVP_MD *digest, ENGINE *engine, EVP_PKEY *pair),
         (context, of_key, digest, engine, pair), 0)
REFUSING(int, EVP_DigestSign,
         (EVP_MD_CTX * context, unsigned char *out, size_t *out_size, const unsigned char *bytes, size_t size),
         (context, out, out_size, bytes, size), 0)
REFUSING(int, pthread_key_create, (pthread_key_t * key, void (*destroy)(void *)), (key, destroy), EAGAIN)
REFUSING(int, pthread_setspecific, (pthread_key_t key, const void *value), (key, value), ENOMEM)

static struct secret secret;
static struct seal_key *key;
static char folder[64], path[80], error[SEAL_KEY_ERROR_SIZE];

static void set_up_key(void) {
    snprintf(folder, sizeof folder, "/tmp/recaudo-unit-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/key", folder);
    ck_assert(secret_set(&secret, TEXT("a secret")) && seal_key_create(path, error));
    key = seal_key_read(path, error);
    ck_assert_ptr_nonnull(key);
}

static void tear_down_key(void) {
    seal_key_free(key);
    unlink(path);
    ck_assert_int_eq(rmdir(folder), 0);
}

static void make_checksum(void) {
    char out[CHECKSUM_HEX_MAX + 1];
    checksum_compute(CHECKSUM_LOOKUP, (const struct text[]){TEXT("Red Norte"), TEXT("0012345678")}, &secret, out);
}

static void make_fingerprint(void) {
    unsigned char out[FINGERPRINT_SIZE];
    checksum_fingerprint(&TEXT("a body"), 1, out);
}

static void make_digest(void) {
    unsigned char bytes[DIGEST_BYTES];
    char text[DIGEST_HEX_SIZE];
    struct digest *digest = digest_begin();
    digest_add(digest, TEXT("abc"));
    digest_take(digest, bytes);
    digest_end(digest, text);
}

static void sign(void) {
    char out[SIGNATURE_SIZE];
    signature_compute(&secret, TEXT("ntf_1"), TEXT("1700000000"), TEXT("{}"), out);
}

static void name_key(void) {
    static const unsigned char BYTES[KEY_BYTES] = {1};
    struct key_ring ring = {.count = 0};
    (void)key_ring_add(&ring, KEY_CURRENT, BYTES);
}

static void set_seal(void) {
    char out[SEAL_SIGNATURE_SIZE];
    seal_key_sign(key, TEXT("recaudo-seal 1"), out);
}

static const struct {
    void (*act)(void);
    unsigned calls; /* at least this many of the calls above; fetching happens only once per algorithm */
} OPERATIONS[] = {{make_checksum, 5}, {make_fingerprint, 4}, {make_digest, 6}, {sign, 4}, {name_key, 1}, {set_seal, 3}};

enum { WAS_REFUSED = 1 };

#ifdef MEASURES_COVERAGE
extern void __gcov_dump(void);

static void keep_counts(int number) {
    (void)number;
    __gcov_dump();
}
#endif

/* Returns the exit status of a process in which the nth call is refused. */
static int status_without(unsigned nth, void (*act)(void)) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(const struct rlimit){0, 0});
#ifdef MEASURES_COVERAGE
        signal(SIGABRT, keep_counts);
#endif
        refused_call = nth;
        act();
        _exit(refused_call == 0 ? WAS_REFUSED : EXIT_SUCCESS);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    return status;
}

START_TEST(ends_instead_of_a_wrong_digest) {
    unsigned nth = 1;
    int status;
    while (WIFSIGNALED(status = status_without(nth, OPERATIONS[_i].act))) {
        ck_assert_int_eq(WTERMSIG(status), SIGABRT);
        nth++;
    }
    ck_assert_msg(WEXITSTATUS(status) == EXIT_SUCCESS, "call %u was refused, and the process went on", nth);
    ck_assert_uint_gt(nth, OPERATIONS[_i].calls);
}
END_TEST

TCase *without_digests_tests(void) {
    TCase *tests = unit_case("without digests");
    tcase_add_checked_fixture(tests, set_up_key, tear_down_key);
    add_table_test(tests, ends_instead_of_a_wrong_digest, OPERATIONS);
    return tests;
}
