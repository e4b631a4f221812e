#include "console/core/token.h"

#include "auth/signature.h"

#include <inttypes.h>

/* The time is part of what is signed, in steps of TOKEN_LIFE. Names hold no line end. */
static void sign_terms(const struct token_terms *terms, int64_t step, char out[SIGNATURE_SIZE]) {
    struct secret key;
    char time[24];
    snprintf(time, sizeof time, "%" PRId64, step);
    if (!secret_set(&key, terms->key)) {
        abort();
    }
    signature_compute(&key, terms->user, text_of(time), terms->action, out);
    secret_wipe(&key);
}

struct text token_make(const struct token_terms *terms, instant now, struct arena *arena) {
    char signature[SIGNATURE_SIZE];
    sign_terms(terms, now / TOKEN_LIFE, signature);
    return arena_copy(arena, text_of(signature));
}

bool token_is_valid(const struct token_terms *terms, instant now, struct text given) {
    char current[SIGNATURE_SIZE], previous[SIGNATURE_SIZE];
    sign_terms(terms, now / TOKEN_LIFE, current);
    sign_terms(terms, now / TOKEN_LIFE - 1, previous);
    bool is_current = signature_equal(given, current), is_previous = signature_equal(given, previous);
    return is_current || is_previous;
}
