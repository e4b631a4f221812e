#include "base/config/hosts.h"

enum { PORT_MAX = 65535 };

static bool parse_port(struct text digits, unsigned *out) {
    uint64_t port;
    if (!text_to_number(digits, &port) || port == 0 || port > PORT_MAX) {
        return false;
    }
    *out = (unsigned)port;
    return true;
}

/* Splits a word into name and port. The name ends at the closing bracket, at the only colon, or with the word. A word
 * with several colons and no brackets is an IPv6 address. */
static bool split_host(struct text word, struct text *name, struct text *port) {
    const char *end = word.at + word.size;
    const char *colon = memchr(word.at, ':', word.size);
    *name = word;
    *port = (struct text){NULL, 0};
    if (word.at[0] == '[') {
        const char *bracket = memchr(word.at, ']', word.size);
        if (bracket == NULL || (bracket + 1 < end && bracket[1] != ':')) {
            return false;
        }
        *name = (struct text){word.at + 1, (size_t)(bracket - word.at) - 1};
        colon = bracket + 1 < end ? bracket + 1 : NULL;
    } else if (colon != NULL && memchr(colon + 1, ':', (size_t)(end - colon) - 1) != NULL) {
        colon = NULL;
    } else if (colon != NULL) {
        name->size = (size_t)(colon - word.at);
    }
    if (colon != NULL) {
        *port = (struct text){colon + 1, (size_t)(end - colon) - 1};
    }
    return true;
}

static bool parse_host(struct text word, struct host *out) {
    static const char ALLOWED[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:";
    struct text name, port;
    memset(out, 0, sizeof *out);
    if (!split_host(word, &name, &port) || name.size == 0 || name.size > HOST_NAME_BYTES) {
        return false;
    }
    memcpy(out->name, name.at, name.size);
    return strspn(out->name, ALLOWED) == name.size && (port.at == NULL || parse_port(port, &out->port));
}

static bool stands_before(const struct hosts *hosts, const struct host *host) {
    for (size_t i = 0; i < hosts->count; i++) {
        if (strcmp(hosts->items[i].name, host->name) == 0 && hosts->items[i].port == host->port) {
            return true;
        }
    }
    return false;
}

bool hosts_parse(struct text list, struct hosts *out) {
    out->count = 0;
    for (struct text word = text_next_word(&list); word.size > 0; word = text_next_word(&list)) {
        struct host host;
        if (out->count == HOSTS_MAX || !parse_host(word, &host) || stands_before(out, &host)) {
            return false;
        }
        out->items[out->count++] = host;
    }
    return out->count > 0;
}
