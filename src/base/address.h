/*
 * Internet addresses and ranges in CIDR notation: 192.0.2.0/24, 2001:db8::/32, or a single address. IPv4 is stored in
 * its IPv6-mapped form (::ffff:a.b.c.d), so that both spellings of an address are equal.
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
    unsigned bits; /* number of leading bits, of 128, that an address of the range shares with `start` */
};

struct address_list {
    struct address_range ranges[ADDRESS_RANGES_MAX];
    size_t count;
};

/* Reads one address without a prefix, in the strict form of inet_pton(3). */
MUST_USE bool address_parse(struct text word, struct address *out);

/* The result of reading a range. */
enum address_fault { ADDRESS_RANGE_FINE, ADDRESS_RANGE_NONE, ADDRESS_RANGE_HAS_HOST_BITS };

/*
 * Reads a range or a single address.
 * ADDRESS_RANGE_FINE: *out is the range.
 * ADDRESS_RANGE_HAS_HOST_BITS: bits after the prefix are set; *out is the range without them.
 * ADDRESS_RANGE_NONE: `word` is not a range; *out is undefined.
 */
enum address_fault address_range_parse(struct text word, struct address_range *out);

/*
 * Reads ranges separated by spaces; an empty text gives an empty list. Returns false if a word is not a range, has bits
 * after its prefix, or exceeds ADDRESS_RANGES_MAX; *offender is the first such word.
 */
MUST_USE bool address_list_parse(struct text ranges, struct address_list *out, struct text *offender);

/* Whether the first range->bits bits are equal. ::/0 contains IPv4 addresses too. */
bool address_is_within(const struct address *address, const struct address_range *range);

/* Whether a range of the address's own family contains it. Here ::/0 is every IPv6 address, 0.0.0.0/0 every IPv4
 * address. */
bool address_list_has(const struct address_list *list, const struct address *address);

/* Converts an IPv4 address in network order to its IPv6 form. */
void address_from_v4(const void *v4, struct address *out);

/* Print as text, IPv4 in its own notation. Each returns `out`. */
const char *address_print(const struct address *address, char out[ADDRESS_TEXT_SIZE]);
const char *address_range_print(const struct address_range *range, char out[ADDRESS_RANGE_TEXT_SIZE]);

#endif
