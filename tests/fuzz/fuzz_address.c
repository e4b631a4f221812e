/* Address ranges, and the last 16 bytes as an address: what is printed is read as the same, and no private address
 * passes an empty guard. */
#include "base/arena.h"
#include "fuzz.h"
#include "outbound/address.h"

#include <arpa/inet.h>

static void check_ranges(struct text ranges, struct arena *arena) {
    struct address_guard guard = {.denied = {.count = 0}}, again = guard;
    struct text offender = {NULL, 0}, printed = TEXT("");
    char text[ADDRESS_TEXT_SIZE];
    if (!address_list_parse(ranges, &guard.allowed, &offender)) {
        assert(offender.size > 0 && offender.at >= ranges.at && offender.at + offender.size <= ranges.at + ranges.size);
        return;
    }
    assert(guard.allowed.count <= ADDRESS_RANGES_MAX);
    for (size_t i = 0; i < guard.allowed.count; i++) {
        const struct address_range *range = &guard.allowed.ranges[i];
        address_print(&range->start, text);
        unsigned before = strchr(text, ':') == NULL ? 96 : 0;
        assert(address_is_permitted(&guard, &range->start) && range->bits <= 128);
        if (range->bits >= before) {
            printed = arena_print(arena, "%.*s %s/%u", TEXT_ARGS(printed), text, range->bits - before);
        }
    }
    assert(address_list_parse(printed, &again.allowed, &offender));
    for (size_t i = 0; again.allowed.count == guard.allowed.count && i < guard.allowed.count; i++) {
        assert(memcmp(&guard.allowed.ranges[i].start, &again.allowed.ranges[i].start, sizeof(struct address)) == 0);
        assert(guard.allowed.ranges[i].bits == again.allowed.ranges[i].bits);
    }
}

static bool is_private(uint32_t v4) {
    return v4 >> 24 == 0 || v4 >> 24 == 10 || v4 >> 24 == 127 || v4 >> 20 == 0xAC1 || v4 >> 16 == 0xC0A8 ||
           v4 >> 16 == 0xA9FE || v4 >> 22 == 0x191 || v4 >> 28 >= 0xE;
}

static void check_v4(const unsigned char bytes[4]) {
    static const struct address_guard EMPTY = {.allowed = {.count = 0}};
    struct sockaddr_in socket = {.sin_family = AF_INET};
    struct address address;
    memcpy(&socket.sin_addr, bytes, 4);
    assert(address_of_socket((const struct sockaddr *)&socket, &address));
    assert(!is_private(ntohl(socket.sin_addr.s_addr)) || !address_is_permitted(&EMPTY, &address));
}

static void check_v6(const unsigned char bytes[ADDRESS_BYTES]) {
    static const struct address_guard EMPTY = {.allowed = {.count = 0}};
    struct sockaddr_in6 socket = {.sin6_family = AF_INET6};
    struct address address;
    struct address_guard one = {.denied = {.count = 0}};
    struct text offender;
    char text[ADDRESS_TEXT_SIZE];
    memcpy(&socket.sin6_addr, bytes, ADDRESS_BYTES);
    assert(address_of_socket((const struct sockaddr *)&socket, &address));
    bool is_global = bytes[0] >> 5 == 1, is_carrier = bytes[0] == 0 || (bytes[0] == 0x20 && bytes[1] == 0x02);
    assert(is_global || is_carrier || !address_is_permitted(&EMPTY, &address));
    assert(address_list_parse(text_of(address_print(&address, text)), &one.allowed, &offender) &&
           one.allowed.count == 1);
    assert(memcmp(&one.allowed.ranges[0].start, &address, sizeof address) == 0 && one.allowed.ranges[0].bits == 128);
    assert(address_is_permitted(&one, &address));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena *arena = arena_create();
    check_ranges((struct text){(const char *)data, size}, arena);
    if (size >= ADDRESS_BYTES) {
        check_v4(data + size - 4);
        check_v6(data + size - ADDRESS_BYTES);
    }
    arena_destroy(arena);
    return 0;
}
