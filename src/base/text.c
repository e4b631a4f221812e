#include "base/text.h"

#include "base/utf8.h"

#include <locale.h>
#include <pthread.h>
#include <wctype.h>

struct text text_of(const char *string) {
    return string == NULL ? (struct text){NULL, 0} : (struct text){string, strlen(string)};
}

bool text_equal(struct text a, struct text b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

bool text_is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool text_is_letter_or_digit(char c) {
    return text_is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool text_is_digits(struct text text) {
    size_t digits = 0;
    while (digits < text.size && text_is_digit(text.at[digits])) {
        digits++;
    }
    return digits == text.size;
}

size_t text_place_in(struct text name, const char *const *names, size_t count) {
    size_t place = 0;
    while (place < count && !text_equal(name, text_of(names[place]))) {
        place++;
    }
    return place;
}

static pthread_once_t letters_once = PTHREAD_ONCE_INIT;
static locale_t letters;

/* Loads C.UTF-8, which is built into glibc. */
static void load_letters(void) {
    letters = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (letters == (locale_t)0) {
        abort();
    }
}

/* Removes the next character from *rest and returns it in lower case; -1 at the end and for an invalid byte. */
static wint_t next_lower(struct text *rest) {
    size_t size = utf8_character((const unsigned char *)rest->at, rest->size);
    if (size == 0) {
        return WEOF;
    }
    unsigned first = (unsigned char)rest->at[0];
    wint_t character = size == 1 ? first : first & (0xFFU >> (size + 1));
    for (size_t i = 1; i < size; i++) {
        character = character << 6 | ((unsigned char)rest->at[i] & 0x3FU);
    }
    rest->at += size;
    rest->size -= size;
    return towlower_l(towupper_l(character, letters), letters);
}

bool text_equal_any_case(struct text a, struct text b) {
    if (text_equal(a, b)) {
        return true;
    }
    pthread_once(&letters_once, load_letters);
    while (a.size > 0 && b.size > 0) {
        wint_t left = next_lower(&a), right = next_lower(&b);
        if (left != right || left == WEOF) {
            return false;
        }
    }
    return a.size == 0 && b.size == 0;
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

static bool begins_character(char byte) {
    return ((unsigned char)byte & 0xC0U) != 0x80U;
}

struct text text_next_word(struct text *rest) {
    struct text trimmed = text_trim(*rest);
    struct text word = {trimmed.at, 0};
    while (word.size < trimmed.size && !is_blank(trimmed.at[word.size])) {
        word.size++;
    }
    *rest = (struct text){trimmed.at + word.size, trimmed.size - word.size};
    return word;
}

struct text text_cut(struct text *rest, char separator) {
    const char *end = rest->size == 0 ? NULL : memchr(rest->at, separator, rest->size);
    struct text piece = {rest->at, end == NULL ? rest->size : (size_t)(end - rest->at)};
    *rest = end == NULL ? TEXT("") : (struct text){end + 1, rest->size - piece.size - 1};
    return piece;
}

size_t text_characters(struct text utf8) {
    size_t count = 0;
    for (size_t i = 0; i < utf8.size; i++) {
        count += begins_character(utf8.at[i]);
    }
    return count;
}

struct text text_start(struct text utf8, size_t characters) {
    size_t size = 0, count = 0;
    while (size < utf8.size && (count += begins_character(utf8.at[size])) <= characters) {
        size++;
    }
    return (struct text){utf8.at, size};
}

bool text_has_control(struct text utf8) {
    for (size_t i = 0; i < utf8.size; i++) {
        unsigned char c = (unsigned char)utf8.at[i];
        bool is_c1 = c == 0xC2 && i + 1 < utf8.size && (unsigned char)utf8.at[i + 1] < 0xA0;
        if (c < 0x20 || c == 0x7F || is_c1) {
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
        if (!text_is_digit(digits.at[i]) || __builtin_mul_overflow(value, 10U, &value) ||
            __builtin_add_overflow(value, (uint64_t)(digits.at[i] - '0'), &value)) {
            return false;
        }
    }
    *out = value;
    return true;
}
