#include "ctl/rules.h"

#include "domain/reference.h"

enum { ORDER_NUMBER_MAX = 200 };

/* By the first byte: how many bytes follow, and which the first of them may be. */
static const struct {
    unsigned char from, to, next_from, next_to;
    size_t following;
} UTF8_FORMS[] = {
    {0x00, 0x7F, 0x00, 0x00, 0}, {0xC2, 0xDF, 0x80, 0xBF, 1}, {0xE0, 0xE0, 0xA0, 0xBF, 2},
    {0xE1, 0xEC, 0x80, 0xBF, 2}, {0xED, 0xED, 0x80, 0x9F, 2}, {0xEE, 0xEF, 0x80, 0xBF, 2},
    {0xF0, 0xF0, 0x90, 0xBF, 3}, {0xF1, 0xF3, 0x80, 0xBF, 3}, {0xF4, 0xF4, 0x80, 0x8F, 3},
};

/* Bytes of the character that begins here; 0: none does. */
static size_t utf8_size(const unsigned char *at, size_t room) {
    for (size_t i = 0; i < COUNT_OF(UTF8_FORMS); i++) {
        size_t following = UTF8_FORMS[i].following;
        if (at[0] < UTF8_FORMS[i].from || at[0] > UTF8_FORMS[i].to || following >= room) {
            continue;
        }
        bool right = following == 0 || (at[1] >= UTF8_FORMS[i].next_from && at[1] <= UTF8_FORMS[i].next_to);
        for (size_t k = 2; k <= following; k++) {
            right = right && (at[k] & 0xC0U) == 0x80U;
        }
        return right ? following + 1 : 0;
    }
    return 0;
}

bool rules_is_utf8(struct text value) {
    for (size_t at = 0; at < value.size;) {
        size_t size = utf8_size((const unsigned char *)value.at + at, value.size - at);
        if (size == 0) {
            return false;
        }
        at += size;
    }
    return true;
}

const char *rules_text(struct arena *arena, struct text value, size_t longest) {
    if (!rules_is_utf8(value)) {
        return "is not UTF-8 text";
    }
    if (text_has_control(value)) {
        return "holds a control character (a tab or a line end, for example)";
    }
    if (text_characters(value) > longest) {
        return arena_print(arena, "is longer than %zu characters", longest).at;
    }
    return NULL;
}

const char *rules_name(struct arena *arena, struct text value, size_t longest) {
    const char *complaint = rules_text(arena, value, longest);
    if (complaint == NULL && value.size == 0) {
        return "is empty";
    }
    if (complaint == NULL && text_trim(value).size != value.size) {
        return "begins or ends with a blank";
    }
    return complaint;
}

static bool is_letter_or_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

const char *rules_order_number(struct text value) {
    for (size_t i = 0; i < value.size; i++) {
        if (!is_letter_or_digit(value.at[i]) && value.at[i] != '_' && value.at[i] != '-') {
            return "may only have letters without accents, digits, _ and -";
        }
    }
    return value.size >= 1 && value.size <= ORDER_NUMBER_MAX ? NULL : "must have 1 to 200 characters";
}

const char *rules_document(struct text value) {
    return reference_is_payable(value) ? NULL : "must be 1 to 25 letters without accents, digits and hyphens";
}

const char *rules_email(struct arena *arena, struct text value, size_t longest) {
    const char *complaint = rules_text(arena, value, longest);
    const char *at = value.size == 0 ? NULL : memchr(value.at, '@', value.size);
    bool whole =
        at != NULL && at > value.at && at + 1 < value.at + value.size && memchr(value.at, ' ', value.size) == NULL;
    return complaint != NULL || whole ? complaint : "is no e-mail address: NAME@HOST";
}

const char *rules_url(struct arena *arena, struct text value, size_t longest) {
    const char *complaint = rules_text(arena, value, longest);
    struct text rest = value;
    if (complaint != NULL) {
        return complaint;
    }
    size_t scheme = text_begins(value, TEXT("https://")) ? 8 : 7;
    if ((scheme == 7 && !text_begins(value, TEXT("http://"))) || memchr(value.at, ' ', value.size) != NULL) {
        return "must be an address like https://merchant.example/notify";
    }
    rest.at += scheme;
    rest.size -= scheme;
    size_t host = 0;
    while (host < rest.size && strchr("/?#", rest.at[host]) == NULL) {
        host++;
    }
    if (host == 0 || rest.at[0] == ':' || memchr(rest.at, '@', host) != NULL) {
        return "must name a host, and no user or password before it";
    }
    return NULL;
}
