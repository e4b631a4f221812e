#include "base/address.h"

#include <arpa/inet.h>

enum { V4_AT = ADDRESS_BYTES - ADDRESS_V4_BYTES, ADDRESS_BITS = 8 * ADDRESS_BYTES };

static const struct address_range V4_MAPPED = {{{[10] = 0xFF, [11] = 0xFF}}, ADDRESS_V4_PREFIX};

bool address_is_within(const struct address *address, const struct address_range *range) {
    const unsigned char *a = address->bytes, *b = range->start.bytes;
    unsigned whole = range->bits / 8, rest = range->bits % 8;
    return memcmp(a, b, whole) == 0 && (rest == 0 || (a[whole] ^ b[whole]) >> (8 - rest) == 0);
}

static bool is_v4(const struct address *address) {
    return address_is_within(address, &V4_MAPPED);
}

bool address_list_has(const struct address_list *list, const struct address *address) {
    bool found = false;
    for (size_t i = 0; !found && i < list->count; i++) {
        const struct address_range *range = &list->ranges[i];
        found = is_v4(address) == is_v4(&range->start) && address_is_within(address, range);
    }
    return found;
}

void address_from_v4(const void *v4, struct address *out) {
    *out = V4_MAPPED.start;
    memcpy(out->bytes + V4_AT, v4, ADDRESS_V4_BYTES);
}

const char *address_print(const struct address *address, char out[ADDRESS_TEXT_SIZE]) {
    if (is_v4(address)) {
        return inet_ntop(AF_INET, address->bytes + V4_AT, out, ADDRESS_TEXT_SIZE);
    }
    return inet_ntop(AF_INET6, address->bytes, out, ADDRESS_TEXT_SIZE);
}

const char *address_range_print(const struct address_range *range, char out[ADDRESS_RANGE_TEXT_SIZE]) {
    char start[ADDRESS_TEXT_SIZE];
    unsigned before = is_v4(&range->start) ? ADDRESS_V4_PREFIX : 0;
    snprintf(out, ADDRESS_RANGE_TEXT_SIZE, "%s/%u", address_print(&range->start, start), range->bits - before);
    return out;
}

/* *bits_before: number of bits before those of the address's own family. */
static bool parse_address(struct text word, struct address *out, unsigned *bits_before) {
    char string[ADDRESS_TEXT_SIZE];
    unsigned char v4[ADDRESS_V4_BYTES];
    if (word.size >= sizeof string) {
        return false;
    }
    memcpy(string, word.size == 0 ? "" : word.at, word.size);
    string[word.size] = '\0';
    if (strlen(string) != word.size) {
        return false;
    }
    if (inet_pton(AF_INET, string, v4) == 1) {
        address_from_v4(v4, out);
        *bits_before = ADDRESS_V4_PREFIX;
        return true;
    }
    *bits_before = 0;
    return inet_pton(AF_INET6, string, out->bytes) == 1;
}

bool address_parse(struct text word, struct address *out) {
    unsigned bits_before;
    return parse_address(word, out, &bits_before);
}

/* Clears the bits after the prefix. Returns whether any was set. */
static bool clear_host_bits(struct address_range *range) {
    bool had = false;
    for (unsigned bit = range->bits; bit < ADDRESS_BITS; bit++) {
        unsigned char mask = (unsigned char)(0x80U >> bit % 8);
        had = had || (range->start.bytes[bit / 8] & mask) != 0;
        range->start.bytes[bit / 8] &= (unsigned char)~mask;
    }
    return had;
}

enum address_fault address_range_parse(struct text word, struct address_range *out) {
    const char *slash = word.size == 0 ? NULL : memchr(word.at, '/', word.size);
    struct text address = {word.at, slash == NULL ? word.size : (size_t)(slash - word.at)};
    unsigned before;
    if (!parse_address(address, &out->start, &before)) {
        return ADDRESS_RANGE_NONE;
    }
    uint64_t bits = ADDRESS_BITS - before;
    if (slash != NULL && !text_to_number((struct text){slash + 1, word.size - address.size - 1}, &bits)) {
        return ADDRESS_RANGE_NONE;
    }
    if (bits > ADDRESS_BITS - before) {
        return ADDRESS_RANGE_NONE;
    }
    out->bits = before + (unsigned)bits;
    return clear_host_bits(out) ? ADDRESS_RANGE_HAS_HOST_BITS : ADDRESS_RANGE_FINE;
}

bool address_list_parse(struct text ranges, struct address_list *out, struct text *offender) {
    out->count = 0;
    for (struct text word = text_next_word(&ranges); word.size > 0; word = text_next_word(&ranges)) {
        *offender = word;
        if (out->count == ADDRESS_RANGES_MAX ||
            address_range_parse(word, &out->ranges[out->count++]) != ADDRESS_RANGE_FINE) {
            return false;
        }
    }
    return true;
}
