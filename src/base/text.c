#include "base/text.h"

#include <strings.h>

struct text text_of(const char *string) {
    return string == NULL ? (struct text){NULL, 0} : (struct text){string, strlen(string)};
}

bool text_equal(struct text a, struct text b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

bool text_equal_any_case(struct text a, struct text b) {
    return a.size == b.size && (a.size == 0 || strncasecmp(a.at, b.at, a.size) == 0);
}

bool text_begins(struct text whole, struct text start) {
    return whole.size >= start.size && text_equal((struct text){whole.at, start.size}, start);
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

struct text text_trim(struct text whole) {
    while (whole.size > 0 && is_blank(whole.at[0])) {
        whole.at++;
        whole.size--;
    }
    while (whole.size > 0 && is_blank(whole.at[whole.size - 1])) {
        whole.size--;
    }
    return whole;
}

size_t text_characters(struct text utf8) {
    size_t count = 0;
    for (size_t i = 0; i < utf8.size; i++) {
        count += ((unsigned char)utf8.at[i] & 0xC0U) != 0x80U;
    }
    return count;
}

bool text_has_control(struct text utf8) {
    for (size_t i = 0; i < utf8.size; i++) {
        unsigned char c = (unsigned char)utf8.at[i];
        if (c < 0x20 || c == 0x7F) {
            return true;
        }
    }
    return false;
}

bool text_to_number(struct text digits, uint64_t *out) {
    uint64_t value = 0;
    if (digits.size == 0) {
        return false;
    }
    for (size_t i = 0; i < digits.size; i++) {
        if (digits.at[i] < '0' || digits.at[i] > '9' || __builtin_mul_overflow(value, 10U, &value) ||
            __builtin_add_overflow(value, (uint64_t)(digits.at[i] - '0'), &value)) {
            return false;
        }
    }
    *out = value;
    return true;
}

int text_hex_value(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    int lower = c | 0x20;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}
