/*
 * Which addresses a merchant's URL may lead to. Everything that is not a public unicast address is refused: private, local, shared,
 * documentation, multicast and reserved ranges (IANA special-purpose registries), and IPv6 forms that carry such an IPv4
 * address. An operator may allow ranges. Judged at the moment of connecting, whatever name or spelling led there.
 */
#ifndef RECAUDO_OUTBOUND_ADDRESS_H
#define RECAUDO_OUTBOUND_ADDRESS_H

#include "base/text.h"

#include <netinet/in.h>

enum { ADDRESS_BYTES = 16, ADDRESS_RANGES_MAX = 64, ADDRESS_TEXT_SIZE = INET6_ADDRSTRLEN };

/* IPv6 in network order; IPv4 as ::ffff:a.b.c.d. */
struct address {
    unsigned char bytes[ADDRESS_BYTES];
};

struct address_range {
    struct address start;
    unsigned bits; /* that an address shares with `start` */
};

struct address_guard {
    struct address_range allowed[ADDRESS_RANGES_MAX];
    size_t count;
};

/*
 * Reads ranges with spaces between them, 10.0.0.0/8 or fd00::/8 or a single address; empty: none.
 * False: *offender is the word that is no range, has bits behind its prefix, or is one too many.
 */
bool address_guard_parse(struct text ranges, struct address_guard *out, struct text *offender);

/* False when it is neither IPv4 nor IPv6. */
bool address_of_socket(const struct sockaddr *from, struct address *out);

bool address_is_permitted(const struct address_guard *guard, const struct address *address);

/* As text, IPv4 in its own form. Returns out. */
const char *address_print(const struct address *address, char out[ADDRESS_TEXT_SIZE]);

#endif
