/*
 * Which addresses a merchant's URL may lead to. Every address that is not public unicast is refused: private, local,
 * shared, documentation, multicast and reserved ranges (IANA special-purpose registries), and IPv6 forms that carry
 * such an IPv4 address. An operator may allow ranges and deny others; denial wins. Each address is judged when it is
 * connected to, whatever name or spelling led there.
 */
#ifndef RECAUDO_OUTBOUND_ADDRESS_H
#define RECAUDO_OUTBOUND_ADDRESS_H

#include "base/address.h"
#include "base/config/config.h"

#include <netinet/in.h>

struct address_guard {
    struct address_list allowed, denied;
};

enum { ADDRESS_GUARD_ERROR_SIZE = 1200 };

/* Reads [security] allow_addresses and deny_addresses. False: `error` names the setting and the invalid word. */
MUST_USE bool address_guard_read(const struct config *config, struct address_guard *out,
                                 char error[ADDRESS_GUARD_ERROR_SIZE]);

/* False: neither IPv4 nor IPv6. */
MUST_USE bool address_of_socket(const struct sockaddr *from, struct address *out);

bool address_is_permitted(const struct address_guard *guard, const struct address *address);

#endif
