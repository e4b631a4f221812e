#include "wire/words.h"

#include <pthread.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* Whether \w includes marks depends on the library's version, and several alphabets need them. */
#define PATTERN "^[\\w\\p{M} -]+$"

/* Without DOLLAR_ENDONLY a line feed could follow. */
#define OPTIONS (PCRE2_UTF | PCRE2_UCP | PCRE2_DOLLAR_ENDONLY)

static pthread_once_t compiled = PTHREAD_ONCE_INIT;
static pcre2_code *code;
static _Thread_local pcre2_match_data *match_data;
static pthread_key_t match_data_key;

static void free_match_data(void *of_thread) {
    pcre2_match_data_free(of_thread);
}

static void compile(void) {
    int error;
    PCRE2_SIZE at;
    code = pcre2_compile((PCRE2_SPTR)PATTERN, sizeof PATTERN - 1, OPTIONS, &error, &at, NULL);
    if (code == NULL || pthread_key_create(&match_data_key, free_match_data) != 0) {
        abort();
    }
}

/* Returns the thread's match data. The key's destructor frees it when the thread ends. */
static pcre2_match_data *match_data_of_thread(void) {
    if (match_data == NULL) {
        match_data = pcre2_match_data_create_from_pattern(code, NULL);
        if (match_data == NULL || pthread_setspecific(match_data_key, match_data) != 0) {
            abort();
        }
    }
    return match_data;
}

bool words_are_valid(struct text value) {
    pthread_once(&compiled, compile);
    return value.size > 0 &&
           pcre2_match(code, (PCRE2_SPTR)value.at, value.size, 0, 0, match_data_of_thread(), NULL) > 0;
}
