#include "base/reason_phrase.h"

#include "base/base.h"

const char *reason_phrase(int status) {
    static const struct {
        int status;
        const char *phrase;
    } PHRASES[] = {
        {200, "OK"},
        {303, "See Other"},
        {400, "Bad Request"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {409, "Conflict"},
        {413, "Content Too Large"},
        {415, "Unsupported Media Type"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {500, "Internal Server Error"},
        {503, "Service Unavailable"},
    };
    for (size_t i = 0; i < COUNT_OF(PHRASES); i++) {
        if (PHRASES[i].status == status) {
            return PHRASES[i].phrase;
        }
    }
    return "Unknown";
}
