#include "console/origin.h"

/* The host and port of an Origin, which has no path. */
static bool names_host(struct text origin, struct text host) {
    static const struct text SCHEMES[] = {TEXT("https://"), TEXT("http://")};
    for (size_t i = 0; i < COUNT_OF(SCHEMES); i++) {
        if (text_begins(origin, SCHEMES[i])) {
            struct text named = {origin.at + SCHEMES[i].size, origin.size - SCHEMES[i].size};
            return host.size > 0 && text_equal(named, host);
        }
    }
    return false;
}

bool origin_is_own(const struct console_request *request) {
    bool tells_site = request->fetch_site.size > 0, same_site = text_equal(request->fetch_site, TEXT("same-origin"));
    bool tells_origin = request->origin.size > 0 && !text_equal(request->origin, TEXT("null"));
    bool same_origin = tells_origin && names_host(request->origin, request->host);
    return (tells_site || tells_origin) && (!tells_site || same_site) && (!tells_origin || same_origin);
}
