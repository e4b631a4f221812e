/* Column lists that several statements select, and the functions that read rows. For the files of src/store. */
#ifndef RECAUDO_STORE_DB_ROWS_H
#define RECAUDO_STORE_DB_ROWS_H

#include "domain/notification/notification.h"
#include "domain/transaction.h"
#include "store/db/overdue.h"
#include "store/db/party_row.h"
#include "store/db/sql.h"

/* Needs `orders o`. */
#define ORDER_COLUMNS                                                                                                  \
    "o.id, o.version, o.state, o.origin, o.reference, o.amount, o.min_amount, o.max_amount, o.currency, "              \
    "o.description, o.document, o.document_type, o.due_at, o.held_by, o.held_until, o.merchant_id"

/* Needs `accounts a`. */
#define ACCOUNT_COLUMNS "a.id, a.document, a.document_type, a.name, a.lastname1, a.lastname2, a.currency, a.room"

/* Needs `transactions t`. */
#define TRANSACTION_COLUMNS                                                                                            \
    "t.id, t.state, t.order_id, t.account_id, t.reference, t.amount, t.currency, t.commerce, t.description, "          \
    "t.window_ends_at, t.fingerprint"

/* The current FIXED_HASH, the previous one while it is valid, and how long it remains so (microseconds, 0: none); of
 * `networks p` or `merchants p`. */
#define SEALED_HASH_COLUMNS                                                                                            \
    "p.fixed_hash, IF(p.old_hash_until > UTC_TIMESTAMP(6), p.old_hash, NULL),"                                         \
    " IF(p.old_hash_until > UTC_TIMESTAMP(6), TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), p.old_hash_until), 0)"

/* The same for NOTIFICATION_HASH, of `merchants p`. */
#define SEALED_NOTIFICATION_HASH_COLUMNS                                                                               \
    "p.notification_hash, IF(p.old_notification_hash_until > UTC_TIMESTAMP(6), p.old_notification_hash, NULL),"        \
    " IF(p.old_notification_hash_until > UTC_TIMESTAMP(6),"                                                            \
    " TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), p.old_notification_hash_until), 0)"

/* Each reads exactly the columns of its list. Returns false if the row's id is NULL: an outer join found nothing. */
bool rows_get_order(struct sql *sql, struct arena *arena, struct order *out);
bool rows_get_account(struct sql *sql, struct arena *arena, struct account *out);
bool rows_get_transaction(struct sql *sql, struct arena *arena, struct transaction *out);
void rows_get_sealed_pair(struct sql *sql, struct arena *arena, struct sealed_pair *out);

/* How a merchant's notifications are signed, and how it acknowledges them: SEALED_NOTIFICATION_HASH_COLUMNS, then
 * merchants.notify_digest and merchants.acknowledgement. */
void rows_get_agreement(struct sql *sql, struct arena *arena, struct sealed_pair *sealed_hash,
                        enum notification_digest *digest, enum acknowledgement *acknowledgement);

/* Reads two columns: how many are overdue, and for how many microseconds the oldest has been; NULL: none is. */
struct overdue rows_get_overdue(struct sql *sql);

/*
 * Run a statement of one row, whose parameters are bound, read its only value, and end the statement. *out: the value,
 * a text in the arena; 0, false or "" unless STATUS_OK is returned. rows_one_bool: whether the number is not 0.
 * rows_one_overdue: as rows_get_overdue; *out is unchanged unless STATUS_OK is returned.
 */
enum status rows_one_number(struct sql *sql, uint64_t *out);
enum status rows_one_bool(struct sql *sql, bool *out);
enum status rows_one_instant(struct sql *sql, instant *out);
enum status rows_one_text(struct sql *sql, struct arena *arena, struct text *out);
enum status rows_one_overdue(struct sql *sql, struct overdue *out);

/* Runs a statement whose only parameter is the name of a network or merchant, and reads its first columns: id, enabled
 * and SEALED_HASH_COLUMNS. Sets all other fields of *out to zero. */
enum status rows_first_party(struct sql *sql, struct text name, struct arena *arena, struct party_row *out);

#endif
