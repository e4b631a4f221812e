/*
 * Changes by users of the console. Each call names the user: the database itself checks the user's rights, writes under
 * the user's name, and keeps the reason in the event log (sql/foundation.sql). STATUS_FAULT also if the user lacks the
 * right, which the program has checked before. `reason`: 1 to 250 characters.
 */
#ifndef RECAUDO_STORE_CONSOLE_CHANGES_H
#define RECAUDO_STORE_CONSOLE_CHANGES_H

#include "base/clock.h"
#include "base/text.h"
#include "store/db/connection.h"

enum console_party { CONSOLE_MERCHANT, CONSOLE_NETWORK, CONSOLE_INTEGRATION };

struct console_enabling {
    uint64_t user_id;
    enum console_party kind;
    uint64_t id;
    bool enabled;  /* of an integration: true adds another with the same terms, false removes it */
    uint64_t seen; /* console_seen at the time when the user saw it */
    struct text reason;
};

/* Reads the party's history_end (store/party/history.h). */
enum status console_seen(struct connection *connection, enum console_party kind, uint64_t id, uint64_t *seen);

/* STATUS_CHANGED: it was modified since it was seen, is in that state already, or does not exist. STATUS_CLASH: another
 * integration has taken the code. */
enum status console_enable(struct connection *connection, const struct console_enabling *change);

/* Limits in decimal form; empty: no limit. */
struct console_limits {
    struct text day, outstanding;
};

struct console_limit_change {
    uint64_t user_id, network_id;
    struct text currency;
    struct console_limits wanted;
    uint64_t seen; /* console_seen of the network at the time when the user saw its limits */
    struct text reason;
};

/* STATUS_CHANGED: the network was modified since it was seen. *waits: a second user has to approve the limits. */
enum status console_limits_set(struct connection *connection, const struct console_limit_change *change, bool *waits);

/* Asks the dispatcher to test a merchant's endpoint. `seen`: the time of the last test's request (0: never) as the user
 * saw it. STATUS_CHANGED: a later test was requested, one is still running or too recent, or the merchant has no
 * notify_url. */
enum status console_test_ask(struct connection *connection, uint64_t user_id, uint64_t merchant_id, instant seen,
                             struct text reason);

#endif
