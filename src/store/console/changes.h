/*
 * What users of the console change. Each call names the user: the database looks up itself what the user may, writes
 * under the user's name, and keeps the reason in the event log (sql/foundation.sql). STATUS_FAULT also where the user
 * may not do it, which the program has looked at before. `reason`: 1 to 250 characters.
 */
#ifndef RECAUDO_STORE_CONSOLE_CHANGES_H
#define RECAUDO_STORE_CONSOLE_CHANGES_H

#include "base/clock.h"
#include "base/text.h"
#include "store/db/connection.h"
#include "store/payment/claims.h"

/* A refund claim. STATUS_CHANGED: the order is not APROBADA, and nothing was changed. */
enum status console_claim_write(struct connection *connection, uint64_t user_id, uint64_t order_id, struct text reason,
                                enum claim_outcome *out);

enum console_party { CONSOLE_MERCHANT, CONSOLE_NETWORK, CONSOLE_INTEGRATION };

struct console_enabling {
    uint64_t user_id;
    enum console_party kind;
    uint64_t id;
    bool enabled;  /* an integration: true adds another one like that, false removes it */
    uint64_t seen; /* what console_seen gave when the user saw it */
    struct text reason;
};

/* history_end of it (store/party/history.h). */
enum status console_seen(struct connection *connection, enum console_party kind, uint64_t id, uint64_t *seen);

/* STATUS_CHANGED: it has changed since it was seen, is so already, or there is none. STATUS_CLASH: another integration
 * has taken the code. */
enum status console_enable(struct connection *connection, const struct console_enabling *change);

/* Limits in decimal form; empty: no limit. */
struct console_limits {
    struct text day, outstanding;
};

struct console_limit_change {
    uint64_t user_id, network_id;
    struct text currency;
    struct console_limits wanted;
    uint64_t seen; /* console_seen of the network when the user saw its limits */
    struct text reason;
};

/* STATUS_CHANGED: the network has changed since it was seen. *waits: a second user has to approve it. */
enum status console_limits_set(struct connection *connection, const struct console_limit_change *change, bool *waits);

/* Asks the dispatcher to test a merchant's endpoint. `seen`: when the last test was asked for (0: never) as the user
 * saw it. STATUS_CHANGED: one was asked for since, or is under way, or the merchant has no notify_url. */
enum status console_test_ask(struct connection *connection, uint64_t user_id, uint64_t merchant_id, instant seen,
                             struct text reason);

#endif
