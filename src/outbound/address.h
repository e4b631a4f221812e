/*
 * Which addresses a merchant's URL may lead to. Everything that is not a public unicast address is refused: private,
 * local, shared, documentation, multicast and reserved ranges (IANA special-purpose registries), and IPv6 forms that
 * carry such an IPv4 address. An operator may allow ranges, and deny others, which wins. Judged at the moment of
 * connecting, whatever name or spelling led there.
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

/* Reads [security] allow_addresses and deny_addresses. False: `error` names the setting and the word that is not
 * valid. */
MUST_USE bool address_guard_read(const struct config *config, struct address_guard *out,
                                 char error[ADDRESS_GUARD_ERROR_SIZE]);

/* False when it is neither IPv4 nor IPv6. */
MUST_USE bool address_of_socket(const struct sockaddr *from, struct address *out);

bool address_is_permitted(const struct address_guard *guard, const struct address *address);

#endif
