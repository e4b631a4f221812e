/*
 * Which addresses a merchant's URL may lead to. Everything that is not a public unicast address is refused: private, local, shared,
 * documentation, multicast and reserved ranges (IANA special-purpose registries), and IPv6 forms that carry such an IPv4
 * address. An operator may allow ranges. Judged at the moment of connecting, whatever name or spelling led there.
 */
#ifndef RECAUDO_OUTBOUND_ADDRESS_H
#define RECAUDO_OUTBOUND_ADDRESS_H

#include "base/address.h"

#include <netinet/in.h>

struct address_guard {
    struct address_list allowed;
};

/* Reads the ranges that are allowed. False: *offender is the word that is not valid (address_list_parse). */
bool address_guard_parse(struct text ranges, struct address_guard *out, struct text *offender);

/* False when it is neither IPv4 nor IPv6. */
bool address_of_socket(const struct sockaddr *from, struct address *out);

bool address_is_permitted(const struct address_guard *guard, const struct address *address);

#endif
