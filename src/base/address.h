/*
 * Internet addresses and ranges of them as people write them (CIDR): 192.0.2.0/24, 2001:db8::/32, or a single address.
 * IPv4 is kept as the IPv6 form that maps it (::ffff:a.b.c.d), so that both spellings of an address are the same
 * address.
 */
#ifndef RECAUDO_BASE_ADDRESS_H
#define RECAUDO_BASE_ADDRESS_H

#include "base/text.h"

/* Text sizes with the NUL at the end. */
enum {
    ADDRESS_BYTES = 16,
    ADDRESS_V4_BYTES = 4,
    ADDRESS_V4_PREFIX = 96, /* bits in front of an IPv4 address's own */
    ADDRESS_RANGES_MAX = 64,
    ADDRESS_TEXT_SIZE = 46,
    ADDRESS_RANGE_TEXT_SIZE = ADDRESS_TEXT_SIZE + 4
};

/* IPv6 in network order; IPv4 as ::ffff:a.b.c.d. */
struct address {
    unsigned char bytes[ADDRESS_BYTES];
};

struct address_range {
    struct address start;
    unsigned bits; /* of the 128, that an address shares with `start` */
};

struct address_list {
    struct address_range ranges[ADDRESS_RANGES_MAX];
    size_t count;
};

/* One address without a prefix, in the strict form of inet_pton(3). */
MUST_USE bool address_parse(struct text word, struct address *out);

/* What is wrong with a range as somebody wrote it. */
enum address_fault { ADDRESS_RANGE_FINE, ADDRESS_RANGE_NONE, ADDRESS_RANGE_HAS_HOST_BITS };

/* A range, or a single address; *out also where it has bits behind its prefix: the range without them. */
enum address_fault address_range_parse(struct text word, struct address_range *out);

/*
 * Ranges with spaces between them; empty: none. False: *offender is the word that is no range, has bits behind its
 * prefix, or is one too many.
 */
MUST_USE bool address_list_parse(struct text ranges, struct address_list *out, struct text *offender);

/* The first range->bits bits are equal. ::/0 contains IPv4 addresses too. */
bool address_is_within(const struct address *address, const struct address_range *range);

/* A range of the address's own kind holds it: ::/0 is every IPv6 address and 0.0.0.0/0 every IPv4 address. */
bool address_list_has(const struct address_list *list, const struct address *address);

/* The IPv6 form of an IPv4 address in network order. */
void address_from_v4(const void *v4, struct address *out);

/* As text, IPv4 in its own form. Each returns out. */
const char *address_print(const struct address *address, char out[ADDRESS_TEXT_SIZE]);
const char *address_range_print(const struct address_range *range, char out[ADDRESS_RANGE_TEXT_SIZE]);

#endif
