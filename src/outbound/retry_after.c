#include "outbound/retry_after.h"

#include <ctype.h>
#include <curl/curl.h>

enum { DATE_SIZE = 64 };

/* Returns the time until a date like Fri, 31 Dec 1999 23:59:59 GMT. */
static duration until(struct text date, instant now) {
    char words[DATE_SIZE];
    if (date.size == 0 || date.size >= sizeof words || !isalpha((unsigned char)date.at[0])) {
        return 0;
    }
    memcpy(words, date.at, date.size);
    words[date.size] = '\0';
    const time_t latest = INT64_MAX / SECOND;
    time_t seconds = curl_getdate(words, NULL); /* -1: not a date */
    instant then = (instant)(seconds < latest ? seconds : latest) * SECOND;
    return then > now ? then - now : 0;
}

/* Since version 8.14 the library itself reads no more than 6 hours. */
bool retry_after_read(struct text line, instant now, duration *out) {
    static const struct text NAME = {"Retry-After:", 12};
    if (line.size < NAME.size || strncasecmp(line.at, NAME.at, NAME.size) != 0) {
        return false;
    }
    size_t size = line.size;
    while (size > NAME.size && (line.at[size - 1] == '\r' || line.at[size - 1] == '\n')) {
        size--;
    }
    struct text value = text_trim((struct text){line.at + NAME.size, size - NAME.size});
    uint64_t seconds, longest = INT64_MAX / SECOND;
    bool counted = text_to_number(value, &seconds);
    *out = counted ? (duration)(seconds < longest ? seconds : longest) * SECOND : until(value, now);
    return true;
}
