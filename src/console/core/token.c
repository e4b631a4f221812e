#include "console/core/token.h"

#include "auth/signature.h"

#include <inttypes.h>

/* Signs user.step.action, with the time in steps of TOKEN_LIFE. The user's name may contain points. The action is the
 * path of a page, which begins with a slash and has no point, so no other three values give the same text. */
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
    bool is_valid = false;
    for (int64_t step = now / TOKEN_LIFE - 1; step <= now / TOKEN_LIFE + 1; step++) {
        char signature[SIGNATURE_SIZE];
        sign_terms(terms, step, signature);
        is_valid |= signature_equal(given, signature);
    }
    return is_valid;
}
