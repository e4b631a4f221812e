#include "outbound/address.h"

enum { V4_AT = ADDRESS_BYTES - ADDRESS_V4_BYTES };

struct v4_range {
    unsigned char start[ADDRESS_V4_BYTES];
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

static const struct address_range V6_GLOBAL = {{{0x20}}, 3};

/* Refused although within the global range. */
static const struct address_range V6_REFUSED[] = {
    {{{0x20, 0x01}}, 23},             /* protocol assignments, Teredo */
    {{{0x20, 0x01, 0x0D, 0xB8}}, 32}, /* documentation */
    {{{0x3F, 0xFF}}, 20},             /* documentation */
};

/* IPv6 forms that carry an IPv4 address, which is judged instead. */
static const struct {
    struct address_range range;
    size_t v4_at;
} CARRIERS[] = {
    {{{{[10] = 0xFF, [11] = 0xFF}}, ADDRESS_V4_PREFIX}, V4_AT}, /* mapped */
    {{{{0x00, 0x64, 0xFF, 0x9B}}, ADDRESS_V4_PREFIX}, V4_AT},   /* NAT64 */
    {{{{0x20, 0x02}}, 16}, 2},                                  /* 6to4 */
};

static bool v4_is_public(const unsigned char v4[ADDRESS_V4_BYTES]) {
    struct address address;
    address_from_v4(v4, &address);
    bool fine = true;
    for (size_t i = 0; fine && i < COUNT_OF(V4_REFUSED); i++) {
        struct address_range refused = {.bits = ADDRESS_V4_PREFIX + V4_REFUSED[i].bits};
        address_from_v4(V4_REFUSED[i].start, &refused.start);
        fine = !address_is_within(&address, &refused);
    }
    return fine;
}

static bool is_public(const struct address *address) {
    for (size_t i = 0; i < COUNT_OF(CARRIERS); i++) {
        if (address_is_within(address, &CARRIERS[i].range)) {
            return v4_is_public(address->bytes + CARRIERS[i].v4_at);
        }
    }
    bool fine = address_is_within(address, &V6_GLOBAL);
    for (size_t i = 0; fine && i < COUNT_OF(V6_REFUSED); i++) {
        fine = !address_is_within(address, &V6_REFUSED[i]);
    }
    return fine;
}

/* An IPv6 address that carries a denied IPv4 address leads to the same place, so both forms are looked up. */
static bool is_denied_address(const struct address_list *denied, const struct address *address) {
    bool found = address_list_has(denied, address);
    for (size_t i = 0; !found && i < COUNT_OF(CARRIERS); i++) {
        struct address v4;
        if (address_is_within(address, &CARRIERS[i].range)) {
            address_from_v4(address->bytes + CARRIERS[i].v4_at, &v4);
            found = address_list_has(denied, &v4);
        }
    }
    return found;
}

bool address_is_permitted(const struct address_guard *guard, const struct address *address) {
    if (is_denied_address(&guard->denied, address)) {
        return false;
    }
    bool permitted = is_public(address);
    for (size_t i = 0; !permitted && i < guard->allowed.count; i++) {
        permitted = address_is_within(address, &guard->allowed.ranges[i]);
    }
    return permitted;
}

bool address_of_socket(const struct sockaddr *from, struct address *out) {
    if (from->sa_family == AF_INET) {
        address_from_v4(&((const struct sockaddr_in *)(const void *)from)->sin_addr, out);
        return true;
    }
    if (from->sa_family == AF_INET6) {
        memcpy(out->bytes, &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr, ADDRESS_BYTES);
        return true;
    }
    return false;
}

static bool read_list(const char *setting, const char *ranges, struct address_list *out,
                      char error[ADDRESS_GUARD_ERROR_SIZE]) {
    struct text offender;
    bool valid = address_list_parse(text_of(ranges == NULL ? "" : ranges), out, &offender);
    if (!valid) {
        snprintf(error, ADDRESS_GUARD_ERROR_SIZE, "[security] %s: not an address range: %.*s", setting,
                 TEXT_ARGS(offender));
    }
    return valid;
}

bool address_guard_read(const struct config *config, struct address_guard *out, char error[ADDRESS_GUARD_ERROR_SIZE]) {
    return read_list("allow_addresses", config->security.allow_addresses, &out->allowed, error) &&
           read_list("deny_addresses", config->security.deny_addresses, &out->denied, error);
}
