/* A URL that is fit begins with http:// or https:// and a host, and names nobody before the host. */
#include "base/arena.h"
#include "fuzz.h"
#include "outbound/http_url.h"

static size_t scheme_size(struct text url) {
    static const struct text SCHEMES[] = {{"http://", 7}, {"https://", 8}};
    for (size_t i = 0; i < COUNT_OF(SCHEMES); i++) {
        if (url.size > SCHEMES[i].size && text_equal_any_case((struct text){url.at, SCHEMES[i].size}, SCHEMES[i])) {
            return SCHEMES[i].size;
        }
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *arena = arena_create();
    struct text url = arena_copy(arena, (struct text){(const char *)data, size});
    if (http_url_is_fit(url)) {
        size_t start = scheme_size(url);
        assert(start > 0);
        size_t host = strcspn(url.at + start, "/?#");
        assert(host > 0 && memchr(url.at + start, '@', host) == NULL);
        for (size_t i = 0; i < url.size; i++) {
            assert((unsigned char)url.at[i] > ' ' && url.at[i] != 0x7f);
        }
    }
    arena_destroy(arena);
    return 0;
}
