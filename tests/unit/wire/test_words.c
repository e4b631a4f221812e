#include "unit.h"

#include "wire/words.h"

#include <pthread.h>

enum { THREADS = 8, ROUNDS = 1000, LONG = 4000 };

static const struct {
    struct text value;
    bool valid;
} VALUES[] = {
    {TEXT(""), false},
    {TEXT("a"), true},
    {TEXT("_"), true},
    {TEXT(" "), true},
    {TEXT("-"), true},
    {TEXT("Zapatos azules_2-3"), true},
    {TEXT("Ñandú"), true},
    {TEXT("Ωμέγα"), true},
    {TEXT("Привет"), true},
    {TEXT("שלום"), true},
    {TEXT("سلام"), true},
    {TEXT("漢字かな"), true},
    {TEXT("한글"), true},
    {TEXT("𐐷"), true},         /* outside the Basic Multilingual Plane */
    {TEXT("٣"), true},         /* a digit of another script */
    {TEXT("½"), true},         /* a number */
    {TEXT("n\xCC\x83"), true}, /* ñ as two characters */
    {TEXT("हिन्दी"), true},     /* vowel signs */
    {TEXT("ภาษาไทย ที่"), true}, /* vowel signs and tone marks */
    {TEXT("a\n"), false},
    {TEXT("\na"), false},
    {TEXT("a\r\n"), false},
    {TEXT("a\nb"), false},
    {TEXT("a\0"), false},
    {TEXT("a\tb"), false},
    {TEXT("a\xC2\xA0z"), false},     /* no-break space */
    {TEXT("a\xE2\x80\xA8"), false},  /* line separator */
    {TEXT("a\xE2\x80\x93z"), false}, /* en dash */
    {TEXT("\xEF\xBB\xBF"), false},   /* byte order mark */
    {TEXT("a.b"), false},
    {TEXT("a,b"), false},
    {TEXT("#1"), false},
    {TEXT("10 €"), false},
    {TEXT("😀"), false},
    {TEXT("a\xF1"), false}, /* ISO 8859-1 */
    {TEXT("a\xC3"), false}, /* incomplete */
};

START_TEST(words_of_every_alphabet) {
    ck_assert_msg(words_are_valid(VALUES[_i].value) == VALUES[_i].valid, "\"%s\"", VALUES[_i].value.at);
}
END_TEST

/* The invalid character comes last, so the whole text is examined; no limit of the library applies. */
START_TEST(long_text) {
    static char text[2 * LONG];
    for (size_t i = 0; i < LONG; i++) {
        memcpy(text + 2 * i, "ñ", 2);
    }
    ck_assert(words_are_valid((struct text){text, sizeof text}));
    text[sizeof text - 1] = '.';
    ck_assert(!words_are_valid((struct text){text, sizeof text}));
    memcpy(text + sizeof text - 2, "a.", 2);
    ck_assert(!words_are_valid((struct text){text, sizeof text}));
}
END_TEST

static void *look_at_all(void *of_wrong) {
    _Atomic unsigned *wrong = of_wrong;
    for (size_t i = 0; i < ROUNDS; i++) {
        *wrong += words_are_valid(VALUES[i % COUNT_OF(VALUES)].value) != VALUES[i % COUNT_OF(VALUES)].valid;
    }
    return NULL;
}

START_TEST(many_threads) {
    _Atomic unsigned wrong = 0;
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, look_at_all, &wrong), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    ck_assert_uint_eq(wrong, 0);
}
END_TEST

TCase *words_tests(void) {
    TCase *tests = unit_case("words");
    add_table_test(tests, words_of_every_alphabet, VALUES);
    tcase_add_test(tests, long_text);
    tcase_add_test(tests, many_threads);
    return tests;
}
