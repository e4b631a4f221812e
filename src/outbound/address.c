#include "outbound/address.h"

#include <arpa/inet.h>

enum { V4_BYTES = 4, V4_AT = ADDRESS_BYTES - V4_BYTES, V4_PREFIX_BITS = 96, ADDRESS_BITS = 128 };

struct v4_range {
    unsigned char start[V4_BYTES];
    unsigned bits;
};

static const struct v4_range V4_REFUSED[] = {
    {{0}, 8},             /* this network */
    {{10}, 8},            /* private */
    {{100, 64}, 10},      /* shared by carriers */
    {{127}, 8},           /* loopback */
    {{169, 254}, 16},     /* link-local, metadata services */
    {{172, 16}, 12},      /* private */
    {{192, 0, 0}, 24},    /* protocol assignments */
    {{192, 0, 2}, 24},    /* documentation */
    {{192, 88, 99}, 24},  /* 6to4 relays */
    {{192, 168}, 16},     /* private */
    {{198, 18}, 15},      /* benchmarks */
    {{198, 51, 100}, 24}, /* documentation */
    {{203, 0, 113}, 24},  /* documentation */
    {{224}, 4},           /* multicast */
    {{240}, 4},           /* reserved, broadcast */
};

static const struct address_range V4_MAPPED = {{{[10] = 0xFF, [11] = 0xFF}}, V4_PREFIX_BITS};
static const struct address_range V6_GLOBAL = {{{0x20}}, 3};

/* Within the global range, and yet not to be connected to. */
static const struct address_range V6_REFUSED[] = {
    {{{0x20, 0x01}}, 23},             /* protocol assignments, Teredo */
    {{{0x20, 0x01, 0x0D, 0xB8}}, 32}, /* documentation */
    {{{0x3F, 0xFF}}, 20},             /* documentation */
};

/* Forms that carry an IPv4 address, which decides. */
static const struct {
    struct address_range range;
    size_t v4_at;
} CARRIERS[] = {
    {{{{[10] = 0xFF, [11] = 0xFF}}, V4_PREFIX_BITS}, V4_AT}, /* mapped */
    {{{{0x00, 0x64, 0xFF, 0x9B}}, V4_PREFIX_BITS}, V4_AT},   /* NAT64 */
    {{{{0x20, 0x02}}, 16}, 2},                               /* 6to4 */
};

static bool shares_bits(const unsigned char *a, const unsigned char *b, unsigned bits) {
    unsigned whole = bits / 8, rest = bits % 8;
    return memcmp(a, b, whole) == 0 && (rest == 0 || (a[whole] ^ b[whole]) >> (8 - rest) == 0);
}

static bool is_within(const struct address *address, const struct address_range *range) {
    return shares_bits(address->bytes, range->start.bytes, range->bits);
}

static bool v4_is_public(const unsigned char v4[V4_BYTES]) {
    for (size_t i = 0; i < COUNT_OF(V4_REFUSED); i++) {
        if (shares_bits(v4, V4_REFUSED[i].start, V4_REFUSED[i].bits)) {
            return false;
        }
    }
    return true;
}

static bool is_public(const struct address *address) {
    for (size_t i = 0; i < COUNT_OF(CARRIERS); i++) {
        if (is_within(address, &CARRIERS[i].range)) {
            return v4_is_public(address->bytes + CARRIERS[i].v4_at);
        }
    }
    bool fine = is_within(address, &V6_GLOBAL);
    for (size_t i = 0; fine && i < COUNT_OF(V6_REFUSED); i++) {
        fine = !is_within(address, &V6_REFUSED[i]);
    }
    return fine;
}

bool address_is_permitted(const struct address_guard *guard, const struct address *address) {
    bool permitted = is_public(address);
    for (size_t i = 0; !permitted && i < guard->count; i++) {
        permitted = is_within(address, &guard->allowed[i]);
    }
    return permitted;
}

static void map_v4(const void *v4, struct address *out) {
    *out = V4_MAPPED.start;
    memcpy(out->bytes + V4_AT, v4, V4_BYTES);
}

bool address_of_socket(const struct sockaddr *from, struct address *out) {
    if (from->sa_family == AF_INET) {
        map_v4(&((const struct sockaddr_in *)(const void *)from)->sin_addr, out);
        return true;
    }
    if (from->sa_family == AF_INET6) {
        memcpy(out->bytes, &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr, ADDRESS_BYTES);
        return true;
    }
    return false;
}

const char *address_print(const struct address *address, char out[ADDRESS_TEXT_SIZE]) {
    if (is_within(address, &V4_MAPPED)) {
        return inet_ntop(AF_INET, address->bytes + V4_AT, out, ADDRESS_TEXT_SIZE);
    }
    return inet_ntop(AF_INET6, address->bytes, out, ADDRESS_TEXT_SIZE);
}

/* The address in front of the slash; *bits: where its own bits begin in the 128. */
static bool parse_address(struct text word, struct address *out, unsigned *bits_before) {
    char string[ADDRESS_TEXT_SIZE];
    unsigned char v4[V4_BYTES];
    if (word.size >= sizeof string) {
        return false;
    }
    memcpy(string, word.at, word.size);
    string[word.size] = '\0';
    if (inet_pton(AF_INET, string, v4) == 1) {
        map_v4(v4, out);
        *bits_before = V4_PREFIX_BITS;
        return true;
    }
    *bits_before = 0;
    return inet_pton(AF_INET6, string, out->bytes) == 1;
}

static bool has_bits_after(const struct address *address, unsigned bits) {
    for (unsigned bit = bits; bit < ADDRESS_BITS; bit++) {
        if ((address->bytes[bit / 8] & (0x80U >> bit % 8)) != 0) {
            return true;
        }
    }
    return false;
}

static bool parse_range(struct text word, struct address_range *out) {
    const char *slash = memchr(word.at, '/', word.size);
    struct text address = {word.at, slash == NULL ? word.size : (size_t)(slash - word.at)};
    unsigned before;
    uint64_t bits;
    if (!parse_address(address, &out->start, &before)) {
        return false;
    }
    if (slash == NULL) {
        bits = ADDRESS_BITS - before;
    } else if (!text_to_number((struct text){slash + 1, word.size - address.size - 1}, &bits)) {
        return false;
    }
    if (bits > ADDRESS_BITS - before) {
        return false;
    }
    out->bits = before + (unsigned)bits;
    return !has_bits_after(&out->start, out->bits);
}

bool address_guard_parse(struct text ranges, struct address_guard *out, struct text *offender) {
    out->count = 0;
    for (struct text word = text_next_word(&ranges); word.size > 0; word = text_next_word(&ranges)) {
        *offender = word;
        if (out->count == ADDRESS_RANGES_MAX || !parse_range(word, &out->allowed[out->count++])) {
            return false;
        }
    }
    return true;
}
