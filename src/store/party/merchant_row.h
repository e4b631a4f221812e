/* The columns of a merchant without secrets, and the function that reads them. For the files of src/store. */
#ifndef RECAUDO_STORE_PARTY_MERCHANT_ROW_H
#define RECAUDO_STORE_PARTY_MERCHANT_ROW_H

#include "store/db/sql.h"
#include "store/party/merchants.h"

/* Needs `merchants p`. */
#define MERCHANT_DESCRIPTION_COLUMNS                                                                                   \
    "p.id, p.name, p.commerce, p.country, p.notify_url, p.notify_digest, p.acknowledgement, p.enabled,"                \
    " IF(p.old_hash_until > UTC_TIMESTAMP(6), p.old_hash_until, NULL),"                                                \
    " (SELECT u.used_at FROM old_secret_uses u WHERE u.party = 'merchant' AND u.party_id = p.id),"                     \
    " IF(p.old_notification_hash_until > UTC_TIMESTAMP(6), p.old_notification_hash_until, NULL),"                      \
    " p.created_at, p.changed_at, p.changed_by, p.reference_quarantine"

/* Reads exactly these columns. */
void merchant_description_get(struct sql *sql, struct arena *arena, struct merchant_description *out);

#endif
