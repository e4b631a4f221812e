/* Merchants and networks for the console, without secrets. No `each` may use the connection. */
#ifndef RECAUDO_STORE_CONSOLE_PARTIES_H
#define RECAUDO_STORE_CONSOLE_PARTIES_H

#include "store/console/reader.h"
#include "store/party/merchants.h"
#include "store/party/money_limits.h"
#include "store/party/networks.h"

struct console_merchant {
    struct merchant_description description;
    struct text currency, time_zone; /* of its country */
    uint64_t failures;               /* consecutive rounds in which its endpoint did not answer */
    instant failing_since, resting_until;
    instant refusing_since; /* when the oldest of its failed notifications was created, if its endpoint answers but
                               acknowledges none (view merchants_refusing); otherwise 0 */
    bool has_retries;       /* notifications wait for another attempt */
    bool has_given_up;      /* notifications were given up */
    /* Of the last test asked for in the console and the newest delivered notification, if they went to the current
     * URL, the newer one counts. Attempts that were purged count as none. */
    bool last_test_failed, is_acknowledged;
};

/* STATUS_NONE: there is none, or it is out of the reader's scope. */
enum status console_merchants_find(const struct console_reader *reader, uint64_t id, struct console_merchant *out);

/* Calls `each` for up to 200 merchants after the name `after`, by name. */
enum status console_merchants_list(const struct console_reader *reader, struct text after,
                                   void (*each)(void *context, const struct console_merchant *merchant), void *context);

/* The same with id and name alone. Only for readers of everything. */
enum status console_merchants_names(const struct console_reader *reader, struct text after,
                                    void (*each)(void *context, uint64_t id, struct text name), void *context);

/* The same for all networks: there are few. */
enum status console_networks_names(const struct console_reader *reader,
                                   void (*each)(void *context, uint64_t id, struct text name), void *context);

/* As those of merchants, for networks. Only for readers of everything. */
enum status console_networks_find(const struct console_reader *reader, uint64_t id, struct network_description *out);
enum status console_networks_list(const struct console_reader *reader, struct text after,
                                  void (*each)(void *context, const struct network_description *network),
                                  void *context);

#endif
