#include "unit.h"

#include "api/worker/cache.h"

#include <inttypes.h>

static struct cache *cache;

static void set_up(void) {
    cache = cache_create(sizeof(uint64_t));
}

static void tear_down(void) {
    cache_destroy(cache);
}

static void put(const char *key, duration age, uint64_t value) {
    cache_put(cache, text_of(key), clock_monotonic() - age, &value);
}

/* Returns 0 if the key is not cached. */
static uint64_t get(const char *key) {
    uint64_t value = 0;
    return cache_get(cache, text_of(key), &value) ? value : 0;
}

START_TEST(gives_back_what_was_put) {
    ck_assert_uint_eq(get("a"), 0);
    put("a", 0, 5);
    ck_assert_uint_eq(get("a"), 5);
    put("a", 0, 6);
    ck_assert_uint_eq(get("a"), 6);
    ck_assert_uint_eq(get("A"), 0);
    ck_assert_uint_eq(get("a "), 0);
    ck_assert_uint_eq(get(""), 0);
}
END_TEST

START_TEST(forgets_in_time) {
    put("young", 3 * SECOND, 5);
    ck_assert_uint_eq(get("young"), 5);
    put("old", 4 * SECOND, 5);
    ck_assert_uint_eq(get("old"), 0);
}
END_TEST

/* Other keys may evict a key, but it never gets their value. */
START_TEST(never_mixes_keys) {
    char key[16];
    unsigned kept = 0;
    for (uint64_t i = 1; i <= 5000; i++) {
        snprintf(key, sizeof key, "key-%" PRIu64, i);
        put(key, 0, i);
    }
    for (uint64_t i = 1; i <= 5000; i++) {
        snprintf(key, sizeof key, "key-%" PRIu64, i);
        uint64_t value = get(key);
        ck_assert(value == 0 || value == i);
        kept += value != 0;
    }
    ck_assert_uint_gt(kept, 0);
    put("longer", 0, 5);
    for (int i = 0; i < 5000; i++) { /* some of them share its slot */
        snprintf(key, sizeof key, "longer-%d", i);
        ck_assert_uint_eq(get(key), 0);
    }
}
END_TEST

START_TEST(leaves_long_keys_alone) {
    static const uint64_t VALUE = 5;
    char key[201];
    uint64_t value;
    memset(key, 'k', sizeof key);
    cache_put(cache, (struct text){key, 200}, clock_monotonic(), &VALUE);
    ck_assert(cache_get(cache, (struct text){key, 200}, &value));
    cache_put(cache, (struct text){key, 201}, clock_monotonic(), &VALUE);
    ck_assert(!cache_get(cache, (struct text){key, 201}, &value));
}
END_TEST

TCase *cache_tests(void) {
    TCase *tests = unit_case("cache");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, gives_back_what_was_put);
    tcase_add_test(tests, forgets_in_time);
    tcase_add_test(tests, never_mixes_keys);
    tcase_add_test(tests, leaves_long_keys_alone);
    return tests;
}
