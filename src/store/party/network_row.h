/* The columns of a network without secrets, and the function that reads them. For the files of src/store. */
#ifndef RECAUDO_STORE_PARTY_NETWORK_ROW_H
#define RECAUDO_STORE_PARTY_NETWORK_ROW_H

#include "store/db/sql.h"
#include "store/party/networks.h"

/* Needs `networks p`. */
#define NETWORK_DESCRIPTION_COLUMNS                                                                                    \
    "p.id, p.name, p.enabled, IF(p.old_hash_until > UTC_TIMESTAMP(6), p.old_hash_until, NULL),"                        \
    " (SELECT u.used_at FROM old_secret_uses u WHERE u.party = 'network' AND u.party_id = p.id),"                      \
    " p.created_at, p.changed_at, p.changed_by, p.allow_addresses, p.rate_limit, p.rate_burst,"                        \
    " p.distinct_from IS NOT NULL, p.signature,"                                                                       \
    " (SELECT u.used_at FROM unsigned_uses u WHERE u.network_id = p.id AND p.signature = 'accepted'),"                 \
    " IF(p.distinct_from > UTC_TIMESTAMP(6), p.distinct_from, NULL)"

/* Reads exactly these columns. */
void network_description_get(struct sql *sql, struct arena *arena, struct network_description *out);

#endif
