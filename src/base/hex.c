#include "base/hex.h"

size_t hex_print(const void *bytes, size_t size, char *out) {
    static const char DIGITS[] = "0123456789abcdef";
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++) {
        out[2 * i] = DIGITS[at[i] >> 4];
        out[2 * i + 1] = DIGITS[at[i] & 15];
    }
    out[2 * size] = '\0';
    return 2 * size;
}

int hex_value(char c) {
    if (text_is_digit(c)) {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool hex_read(struct text digits, void *out, size_t size) {
    unsigned char *bytes = out;
    if (digits.size != 2 * size) {
        return false;
    }
    for (size_t i = 0; i < size; i++) {
        int high = hex_value(digits.at[2 * i]), low = hex_value(digits.at[2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        bytes[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}
