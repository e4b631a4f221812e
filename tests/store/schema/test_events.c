#include "store.h"

#include <inttypes.h>

/* The exact texts that triggers write into the event log: auditors and `recaudoctl events` read them. */

/* Prints an event as text. Subject ids of set_up's rows, the actor operator:ana and the account of this session are
 * omitted. */
#define ABOUT                                                                                                          \
    "CASE subject WHEN 'order' THEN @order_id WHEN 'transaction' THEN @payment WHEN 'account' THEN @account"           \
    " WHEN 'network' THEN @network WHEN 'merchant' THEN @merchant WHEN 'integration' THEN @integration"                \
    " WHEN 'user' THEN @user WHEN 'notification' THEN @notification WHEN 'setting' THEN 1 END"
#define SAID                                                                                                           \
    "CONCAT(subject, IF(subject_id IN (LAST_INSERT_ID(), " ABOUT "), '', CONCAT(' ', subject_id)), ' ', what,"         \
    " COALESCE(CONCAT(' v', version), ''), IF(COALESCE(from_state, to_state) IS NULL, '',"                             \
    " CONCAT(' ', COALESCE(from_state, ''), '>', COALESCE(to_state, ''))),"                                            \
    " IF(actor = 'operator:ana', '', CONCAT(' by ', actor)), IF(db_account = SESSION_USER(), '', db_account),"         \
    " COALESCE(CONCAT(' (', reason, ')'), ''), COALESCE(CONCAT(' ',"                                                   \
    " REPLACE(changes, CONCAT('\"merchant_id\": [null, ', @merchant, ']'), '\"merchant_id\": [null, M]')), ''))"

/* Changes by operator:ana, who is not the actor of the previous change. */
#define ORDER(set)       "UPDATE orders SET changed_by = @who, " set " WHERE id = @order_id"
#define PAYMENT(set)     "UPDATE transactions SET changed_by = @who, " set " WHERE id = @payment"
#define ACCOUNT(set)     "UPDATE accounts SET changed_by = @who, " set " WHERE id = @account"
#define NETWORK(set)     "UPDATE networks SET changed_by = @who, " set " WHERE id = @network"
#define MERCHANT(set)    "UPDATE merchants SET changed_by = @who, " set " WHERE id = @merchant"
#define INTEGRATION(set) "UPDATE integrations SET changed_by = @who, " set " WHERE id = @integration"
#define USER(set)        "UPDATE console_users SET changed_by = @who, " set " WHERE id = @user"
#define NOTE(set)        "UPDATE notifications SET changed_by = @who, " set " WHERE id = @notification"
#define LATER            "'2040-05-06 07:08:09.123456'"
#define OPEN_ORDER       "order changed v2 PENDIENTE>PENDIENTE "
#define REGISTERED       "transaction changed v2 REGISTRADA>REGISTRADA "
#define ENABLED(party)   party " changed enabled>enabled "
#define OF_A_CUSTOMER    "email = 'a@b.example', document = '1', document_type = 'CC', customer_name = 'Ana'"
#define OF_NOBODY        "email = NULL, document = NULL, document_type = NULL, customer_name = NULL"

struct change {
    const char *before, *statement, *told; /* before: NULL or a statement to run first */
};

static void keep(const char *name, uint64_t id) {
    database_run("SET @%s = %" PRIu64, name, id);
}

/* Inserts one row of each kind. */
static void set_up(void) {
    uint64_t merchant = new_merchant(.name = "'Tienda'"), network = sample_network("Red");
    uint64_t order = new_order(.merchant_id = merchant, .due_at = "'2999-01-01'");
    keep("merchant", merchant);
    keep("network", network);
    keep("order_id", order);
    keep("payment", new_transaction(.network_id = network, .order_id = order));
    keep("account", sample_account("1020304050"));
    database_run("INSERT INTO integrations SET merchant_id = @merchant, kind = 2, code = '77', endpoint = 'http://a/',"
                 " currency = 'COP', changed_by = 'test'");
    database_run("SET @integration = LAST_INSERT_ID()");
    database_run("INSERT INTO console_users SET name = 'eva', role = 'viewer', changed_by = 'test'");
    database_run("SET @user = LAST_INSERT_ID()");
    database_run("INSERT INTO notifications SET order_id = @order_id, merchant_id = @merchant, sequence = 1,"
                 " status = 'approved', state = 'pending', amount = 5, payment_means = '', due_at = '2040-01-01',"
                 " changed_by = 'test'");
    database_run("SET @notification = LAST_INSERT_ID()");
}

/* Empties tables that database_case does not. */
static void tear_down(void) {
    database_run("TRUNCATE TABLE console_users"); /* no user can be deleted */
    database_run("DELETE FROM dual_control");
    database_run("DELETE FROM dual_changes");
    database_run("DELETE FROM countries WHERE code = 344");
    database_run("UPDATE settings SET cancel_window = 30000000");
    database_run("UPDATE currencies SET query_code = NULL, changed_by = NULL WHERE code = 'PEN'");
}

static const struct change OF_ORDERS[] = {
    {NULL, ORDER("reference = '1001'"), OPEN_ORDER "{\"reference\":[\"1000\", \"1001\"]}"},
    {NULL, ORDER("amount = 1.5"), OPEN_ORDER "{\"amount\":[45000.0000, 1.5000]}"},
    {NULL, ORDER("min_amount = 2"), OPEN_ORDER "{\"min_amount\":[null, 2.0000]}"},
    {NULL, ORDER("max_amount = 3"), OPEN_ORDER "{\"max_amount\":[null, 3.0000]}"},
    {NULL, ORDER("vat = 4"), OPEN_ORDER "{\"vat\":[null, 4.0000]}"},
    {NULL, ORDER("currency = 'USD'"), OPEN_ORDER "{\"currency\":[\"COP\", \"USD\"]}"},
    {NULL, ORDER("country = 343"), OPEN_ORDER "{\"country\":[null, 343]}"},
    {NULL, ORDER("description = 'B'"), OPEN_ORDER "{\"description\":[\"Zapatos\", \"B\"]}"},
    {NULL, ORDER("language = 'en'"), OPEN_ORDER "{\"language\":[\"es\", \"en\"]}"},
    {NULL, ORDER("payment_means = 'X'"), OPEN_ORDER "{\"payment_means\":[null, \"X\"]}"},
    {NULL, ORDER("due_at = " LATER),
     OPEN_ORDER "{\"due_at\":[\"2999-01-01 00:00:00.000000\", \"2040-05-06 07:08:09.123456\"]}"},
    {NULL, ORDER("email = 'a@b.example'"), OPEN_ORDER "{\"email\":\"changed\"}"},
    {NULL, ORDER("document = '1'"), OPEN_ORDER "{\"document\":\"changed\"}"},
    {NULL, ORDER("document_type = 'CC'"), OPEN_ORDER "{\"document_type\":\"changed\"}"},
    {NULL, ORDER("customer_name = 'Ana'"), OPEN_ORDER "{\"customer_name\":\"changed\"}"},
    {NULL, ORDER("token = REPEAT('a', 32)"), OPEN_ORDER "{\"token\":\"changed\"}"},
    {NULL, ORDER("amount = 2, description = '\"'"),
     OPEN_ORDER "{\"amount\":[45000.0000, 2.0000],\"description\":[\"Zapatos\", \"\\\"\"]}"},
    {NULL, ORDER("state_reason = 'x'"), "order changed v2 PENDIENTE>PENDIENTE"},
    {NULL, ORDER("state = 'VENCIDA', state_reason = 'x'"), "order state v2 PENDIENTE>VENCIDA (x)"},
    {NULL, ORDER("state = 'CANCELADA', state_reason = 'x', description = 'B'"),
     "order state v2 PENDIENTE>CANCELADA (x) {\"description\":[\"Zapatos\", \"B\"]}"},
    {NULL, ORDER("held_by = 7, held_until = " LATER), "order held v2 PENDIENTE>PENDIENTE"},
    {NULL, ORDER("held_by = 7, held_until = " LATER ", state_reason = 'x', vat = 1"),
     "order held v2 PENDIENTE>PENDIENTE {\"vat\":[null, 1.0000]}"},
    {ORDER("held_by = 7, held_until = " LATER), ORDER("held_by = NULL, held_until = NULL"),
     "order released v3 PENDIENTE>PENDIENTE"},
    {ORDER("held_by = 7, held_until = " LATER), ORDER("held_by = NULL, held_until = NULL, vat = 1"),
     "order released v3 PENDIENTE>PENDIENTE {\"vat\":[null, 1.0000]}"},
    {ORDER("held_by = 7, held_until = " LATER), ORDER("held_until = '2040-01-01'"),
     "order changed v3 PENDIENTE>PENDIENTE {\"held_until\":[\"2040-05-06 07:08:09.123456\","
     " \"2040-01-01 00:00:00.000000\"]}"},
    {ORDER("held_by = 7, held_until = " LATER), ORDER("held_by = 8, vat = 1"),
     "order changed v3 PENDIENTE>PENDIENTE {\"vat\":[null, 1.0000]}"},
    {ORDER("state = 'VENCIDA', " OF_A_CUSTOMER), ORDER(OF_NOBODY),
     "order purged v3 VENCIDA>VENCIDA {\"email\":\"changed\",\"document\":\"changed\",\"document_type\":\"changed\","
     "\"customer_name\":\"changed\"}"},
    {ORDER("state = 'VENCIDA', email = 'a'"), ORDER(OF_NOBODY),
     "order purged v3 VENCIDA>VENCIDA {\"email\":\"changed\"}"},
    {ORDER("state = 'VENCIDA', document = 'a'"), ORDER(OF_NOBODY),
     "order purged v3 VENCIDA>VENCIDA {\"document\":\"changed\"}"},
    {ORDER("state = 'VENCIDA', document_type = 'a'"), ORDER(OF_NOBODY),
     "order purged v3 VENCIDA>VENCIDA {\"document_type\":\"changed\"}"},
    {ORDER("state = 'VENCIDA', customer_name = 'a'"), ORDER(OF_NOBODY),
     "order purged v3 VENCIDA>VENCIDA {\"customer_name\":\"changed\"}"},
    {ORDER("state = 'VENCIDA', " OF_A_CUSTOMER), ORDER("email = NULL"),
     "order changed v3 VENCIDA>VENCIDA {\"email\":\"changed\"}"},
    {ORDER(OF_A_CUSTOMER), ORDER(OF_NOBODY),
     "order changed v3 PENDIENTE>PENDIENTE {\"email\":\"changed\",\"document\":\"changed\","
     "\"document_type\":\"changed\",\"customer_name\":\"changed\"}"},
    {ORDER("state = 'VENCIDA'"), ORDER("description = 'B'"),
     "order changed v3 VENCIDA>VENCIDA {\"description\":[\"Zapatos\", \"B\"]}"},
    {NULL, "UPDATE orders SET vat = 1",
     "order changed v2 PENDIENTE>PENDIENTE by db:root@localhost {\"vat\":[null, 1.0000]}"},
    {NULL, "UPDATE orders SET state = 'VENCIDA'", "order state v2 PENDIENTE>VENCIDA by db:root@localhost"},
};

static const struct change OF_TRANSACTIONS[] = {
    {NULL, PAYMENT("commerce = 'B'"), REGISTERED "{\"commerce\":[\"Tienda\", \"B\"]}"},
    {NULL, PAYMENT("teller = 'B'"), REGISTERED "{\"teller\":[\"caja 1\", \"B\"]}"},
    {PAYMENT("given_names = 'A'"), PAYMENT("description = 'B'"),
     "transaction changed v3 REGISTRADA>REGISTRADA {\"description\":\"changed\"}"},
    {NULL, PAYMENT("description = 'B'"), "transaction purged v2 REGISTRADA>REGISTRADA {\"description\":\"changed\"}"},
    {NULL, PAYMENT("given_names = 'A'"), REGISTERED "{\"given_names\":\"changed\"}"},
    {NULL, PAYMENT("surname1 = 'A'"), REGISTERED "{\"surname1\":\"changed\"}"},
    {NULL, PAYMENT("surname2 = 'A'"), REGISTERED "{\"surname2\":\"changed\"}"},
    {NULL, PAYMENT("commerce = 'B', teller = 'C'"),
     REGISTERED "{\"commerce\":[\"Tienda\", \"B\"],\"teller\":[\"caja 1\", \"C\"]}"},
    {NULL, PAYMENT("window_ends_at = NULL"), "transaction changed v2 REGISTRADA>REGISTRADA"},
    {PAYMENT("confirmed_at = '2026-01-01', window_ends_at = '2026-01-02'"),
     PAYMENT("confirmed_at = '2026-01-03', window_ends_at = '2026-01-04', teller = 'B'"),
     "transaction changed v3 REGISTRADA>REGISTRADA {\"teller\":[\"caja 1\", \"B\"],"
     "\"confirmed_at\":[\"2026-01-01 00:00:00.000000\", \"2026-01-03 00:00:00.000000\"],"
     "\"window_ends_at\":[\"2026-01-02 00:00:00.000000\", \"2026-01-04 00:00:00.000000\"]}"},
    {PAYMENT("state = 'CANCELADA', cancelled_at = '2026-01-01'"), PAYMENT("cancelled_at = '2026-01-02'"),
     "transaction changed v3 CANCELADA>CANCELADA "
     "{\"cancelled_at\":[\"2026-01-01 00:00:00.000000\", \"2026-01-02 00:00:00.000000\"]}"},
    {PAYMENT("given_names = 'A'"), PAYMENT("given_names = NULL"),
     "transaction purged v3 REGISTRADA>REGISTRADA {\"given_names\":\"changed\"}"},
    {PAYMENT("surname1 = 'A'"), PAYMENT("surname1 = NULL"),
     "transaction purged v3 REGISTRADA>REGISTRADA {\"surname1\":\"changed\"}"},
    {PAYMENT("surname2 = 'A'"), PAYMENT("surname2 = NULL"),
     "transaction purged v3 REGISTRADA>REGISTRADA {\"surname2\":\"changed\"}"},
    {PAYMENT("given_names = 'A', surname1 = 'B'"), PAYMENT("surname1 = NULL"),
     "transaction changed v3 REGISTRADA>REGISTRADA {\"surname1\":\"changed\"}"},
    {NULL, PAYMENT("state = 'CANCELADA', cancelled_at = " LATER), "transaction state v2 REGISTRADA>CANCELADA"},
    {NULL, PAYMENT("state = 'CANCELADA', cancelled_at = " LATER ", teller = 'B'"),
     "transaction state v2 REGISTRADA>CANCELADA {\"teller\":[\"caja 1\", \"B\"]}"},
    {NULL, "UPDATE transactions SET teller = 'B'",
     "transaction changed v2 REGISTRADA>REGISTRADA by db:root@localhost {\"teller\":[\"caja 1\", \"B\"]}"},
};

static const struct change OF_ACCOUNTS[] = {
    {NULL,
     "INSERT INTO accounts SET document = '3', document_type = 'CC', name = 'Ana', currency = 'COP',"
     " changed_by = 'operator:ana'",
     "account created"},
    {NULL, ACCOUNT("reserved = 1"), "account changed {\"reserved\":[0.0000, 1.0000]}"},
    {NULL, ACCOUNT("balance = 1"), "account changed {\"balance\":[0.0000, 1.0000]}"},
    {NULL, ACCOUNT("document_type = 'X'"), "account changed {\"document_type\":\"changed\"}"},
    {NULL, ACCOUNT("name = 'X'"), "account changed {\"name\":\"changed\"}"},
    {NULL, ACCOUNT("lastname1 = 'X'"), "account changed {\"lastname1\":\"changed\"}"},
    {NULL, ACCOUNT("lastname2 = 'X'"), "account changed {\"lastname2\":\"changed\"}"},
    {NULL, ACCOUNT("balance = 1, name = 'X'"), "account changed {\"balance\":[0.0000, 1.0000],\"name\":\"changed\"}"},
    {NULL, "UPDATE accounts SET name = 'X'", "account changed by db:root@localhost {\"name\":\"changed\"}"},
};

/* The events of new rows. */
#define FIRST_OF_NETWORK(addresses, rate, burst, distinct, signature)                                                  \
    " {\"name\": [null, \"Norte\"], \"allow_addresses\": [null, \"" addresses "\"], \"rate_limit\": [null, " rate      \
    "], \"rate_burst\": [null, " burst "], \"distinct_from\": [null, " distinct                                        \
    "], \"signature\": [null, \"" signature "\"]}"
#define PLAIN_NETWORK FIRST_OF_NETWORK("", "0", "0", "null", "off")
#define FIRST_OF_MERCHANT                                                                                              \
    " {\"name\": [null, \"Norte\"], \"commerce\": [null, \"N\"], \"country\": [null, 343],"                            \
    " \"notify_url\": [null, null],"                                                                                   \
    " \"notify_digest\": [null, \"sha256\"], \"acknowledgement\": [null, \"strict\"],"                                 \
    " \"reference_quarantine\": [null, 7776000]}"

#define NEW_NETWORK "INSERT INTO networks SET name = 'Norte', fixed_hash = 's', changed_by = 'operator:ana'"
#define MANY        "CONCAT('10.0.0.0/8', REPEAT(' 192.168.100.0/24', 12), ' 10.11.11',"
#define FOUR_TOLD   " 192.168.100.0/24 192.168.100.0/24 192.168.100.0/24 192.168.100.0/24"
#define MANY_TOLD   FOUR_TOLD FOUR_TOLD FOUR_TOLD

static const struct change OF_NETWORKS[] = {
    {NULL, NEW_NETWORK, "network created >enabled" PLAIN_NETWORK},
    {NULL, NEW_NETWORK ", enabled = FALSE", "network created >disabled" PLAIN_NETWORK},
    {NULL, NEW_NETWORK ", distinct_from = " LATER,
     "network created >enabled" FIRST_OF_NETWORK("", "0", "0", "\"2040-05-06 07:08:09.123456\"",
                                                 "off") "\nnetwork signing (transaction ids distinct, signature off)"},
    {NULL, NEW_NETWORK ", signature = 'required'",
     "network created >enabled" FIRST_OF_NETWORK(
         "", "0", "0", "null", "required") "\nnetwork signing (transaction ids any, signature required)"},
    {NULL, NEW_NETWORK ", rate_limit = 5, rate_burst = 9",
     "network created >enabled" FIRST_OF_NETWORK("", "5", "9", "null",
                                                 "off") "\nnetwork limits (rate 5, burst 9, from everywhere)"},
    {NULL, NEW_NETWORK ", allow_addresses = '10.0.0.0/8'",
     "network created >enabled" FIRST_OF_NETWORK("10.0.0.0/8", "0", "0", "null",
                                                 "off") "\nnetwork limits (rate 0, burst 0, from 10.0.0.0/8)"},
    {NULL, NEW_NETWORK ", allow_addresses = " MANY "'.1/32')",
     "network created >enabled" FIRST_OF_NETWORK("10.0.0.0/8" MANY_TOLD " 10.11.11.1/32", "0", "0", "null",
                                                 "off") "\nnetwork limits (rate 0, burst 0, from 10.0.0.0/8" MANY_TOLD
                                                        " 10.11.11.1/32)"},
    {NULL, NEW_NETWORK ", allow_addresses = " MANY "'.11/32')",
     "network created >enabled" FIRST_OF_NETWORK("10.0.0.0/8" MANY_TOLD " 10.11.11.11/32", "0", "0", "null",
                                                 "off") "\nnetwork limits (rate 0, burst 0, from 10.0.0.0/8" MANY_TOLD
                                                        " 10.11.11.1...)"},
    {NULL, NETWORK("enabled = FALSE"), "network state enabled>disabled {\"enabled\":[1, 0]}"},
    {NETWORK("enabled = FALSE"), NETWORK("enabled = TRUE"), "network state disabled>enabled {\"enabled\":[0, 1]}"},
    {NULL, NETWORK("rate_limit = 5, rate_burst = 9"),
     ENABLED("network") "{\"rate_limit\":[0, 5],\"rate_burst\":[0, 9]}\n"
                        "network limits (rate 5, burst 9, from everywhere)"},
    {NETWORK("rate_limit = 5, rate_burst = 9"), NETWORK("rate_burst = 8"),
     ENABLED("network") "{\"rate_burst\":[9, 8]}\nnetwork limits (rate 5, burst 8, from everywhere)"},
    {NETWORK("rate_limit = 5, rate_burst = 9"), NETWORK("rate_limit = 4"),
     ENABLED("network") "{\"rate_limit\":[5, 4]}\nnetwork limits (rate 4, burst 9, from everywhere)"},
    {NULL, NETWORK("allow_addresses = '10.0.0.0/8'"),
     ENABLED("network") "{\"allow_addresses\":[\"\", \"10.0.0.0/8\"]}\n"
                        "network limits (rate 0, burst 0, from 10.0.0.0/8)"},
    {NULL, NETWORK("signature = 'accepted'"),
     ENABLED("network") "{\"signature\":[\"off\", \"accepted\"]}\n"
                        "network signing (transaction ids any, signature accepted)"},
    {NULL, NETWORK("distinct_from = " LATER),
     ENABLED(
         "network") "{\"distinct_from\":[null, \"2040-05-06 07:08:09.123456\"]}\n"
                    "network signing (transaction ids distinct, of old registrations from 2040-05-06 07:08:09.123456,"
                    " signature off)"},
    {NULL, NETWORK("fixed_hash = 'z'"), "network rotated enabled>enabled {\"fixed_hash\":\"changed\"}"},
    {NULL, NETWORK("fixed_hash = 'z', reencrypted = 1"),
     "network reencrypted enabled>enabled {\"fixed_hash\":\"changed\"}"},
    {NULL, NETWORK("fixed_hash = 'z', old_hash = 's', old_hash_until = " LATER),
     "network rotated enabled>enabled {\"fixed_hash\":\"changed\",\"old_hash\":\"changed\","
     "\"old_hash_until\":[null, \"2040-05-06 07:08:09.123456\"]}"},
    {NETWORK("old_hash = 's', old_hash_until = " LATER), NETWORK("old_hash = NULL, old_hash_until = NULL"),
     "network old secret ended enabled>enabled {\"old_hash\":\"changed\","
     "\"old_hash_until\":[\"2040-05-06 07:08:09.123456\", null]}"},
    {NULL, NETWORK("created_at = " LATER), "network changed enabled>enabled"},
    {NULL, "UPDATE networks SET rate_limit = 5, rate_burst = 9",
     "network changed enabled>enabled by db:root@localhost {\"rate_limit\":[0, 5],\"rate_burst\":[0, 9]}\n"
     "network limits by db:root@localhost (rate 5, burst 9, from everywhere)"},
};

#define NEW_MERCHANT                                                                                                   \
    "INSERT INTO merchants SET name = 'Norte', commerce = 'N', country = 343, fixed_hash = 's',"                       \
    " notification_hash = 's', changed_by = 'operator:ana'"

/* Two merchants with fixed ids, which the events can name. */
#define TWO_MERCHANTS                                                                                                  \
    "INSERT INTO merchants (id, name, commerce, country, fixed_hash, notification_hash, changed_by)"                   \
    " VALUES (900001, 'A', 'A', 343, 's', 's', 'eva'), (900002, 'B', 'B', 343, 's', 's', 'eva'); "

static const struct change OF_MERCHANTS[] = {
    {NULL, NEW_MERCHANT, "merchant created >enabled" FIRST_OF_MERCHANT},
    {NULL, NEW_MERCHANT ", enabled = FALSE", "merchant created >disabled" FIRST_OF_MERCHANT},
    {NULL, MERCHANT("commerce = 'N'"), ENABLED("merchant") "{\"commerce\":[\"Tienda\", \"N\"]}"},
    {NULL, MERCHANT("country = 314"), ENABLED("merchant") "{\"country\":[343, 314]}"},
    {NULL, MERCHANT("enabled = FALSE"), "merchant state enabled>disabled {\"enabled\":[1, 0]}"},
    {MERCHANT("enabled = FALSE"), MERCHANT("enabled = TRUE"), "merchant state disabled>enabled {\"enabled\":[0, 1]}"},
    {NULL, MERCHANT("notify_url = 'http://a/'"), ENABLED("merchant") "{\"notify_url\":[null, \"http://a/\"]}"},
    {NULL, MERCHANT("notify_digest = 'sha512'"), ENABLED("merchant") "{\"notify_digest\":[\"sha256\", \"sha512\"]}"},
    {NULL, MERCHANT("acknowledgement = 'http2xx'"),
     ENABLED("merchant") "{\"acknowledgement\":[\"strict\", \"http2xx\"]}"},
    {NULL, MERCHANT("reference_quarantine = 60"),
     ENABLED("merchant") "{\"reference_quarantine\":[7776000, 60]}\nmerchant references (quarantine 60 s)"},
    {NULL, MERCHANT("fixed_hash = 'z'"), "merchant rotated enabled>enabled {\"fixed_hash\":\"changed\"}"},
    {NULL, MERCHANT("notification_hash = 'z'"), "merchant rotated enabled>enabled {\"notification_hash\":\"changed\"}"},
    {NULL, MERCHANT("fixed_hash = 'z', notification_hash = 'z', reencrypted = 1"),
     "merchant reencrypted enabled>enabled {\"fixed_hash\":\"changed\",\"notification_hash\":\"changed\"}"},
    {NULL, MERCHANT("old_hash = 's', old_hash_until = " LATER),
     ENABLED("merchant") "{\"old_hash\":\"changed\",\"old_hash_until\":[null, \"2040-05-06 07:08:09.123456\"]}"},
    {NULL, MERCHANT("old_notification_hash = 's', old_notification_hash_until = " LATER),
     ENABLED("merchant") "{\"old_notification_hash\":\"changed\","
                         "\"old_notification_hash_until\":[null, \"2040-05-06 07:08:09.123456\"]}"},
    {MERCHANT("old_hash = 's', old_hash_until = " LATER), MERCHANT("old_hash = NULL, old_hash_until = NULL"),
     "merchant old secret ended enabled>enabled {\"old_hash\":\"changed\","
     "\"old_hash_until\":[\"2040-05-06 07:08:09.123456\", null]}"},
    {MERCHANT("old_notification_hash = 's', old_notification_hash_until = " LATER),
     MERCHANT("old_notification_hash = NULL, old_notification_hash_until = NULL"),
     "merchant old secret ended enabled>enabled {\"old_notification_hash\":\"changed\","
     "\"old_notification_hash_until\":[\"2040-05-06 07:08:09.123456\", null]}"},
    {NULL, MERCHANT("created_at = " LATER), "merchant changed enabled>enabled"},
    {NULL, "UPDATE merchants SET commerce = 'N'",
     "merchant changed enabled>enabled by db:root@localhost {\"commerce\":[\"Tienda\", \"N\"]}"},
    {NULL, "INSERT INTO reference_prefixes SET prefix = '4711', merchant_id = @merchant, changed_by = 'operator:ana'",
     "merchant references (prefix 4711 given)"},
    {"INSERT INTO reference_prefixes SET prefix = '4711', merchant_id = @merchant, changed_by = 'operator:ana'",
     "DELETE FROM reference_prefixes", "merchant references by db:root@localhost (prefix 4711 taken away)"},
    {NULL,
     "INSERT INTO integrations SET merchant_id = @merchant, kind = 2, code = '78', endpoint = 'http://a/',"
     " currency = 'COP', changed_by = 'operator:ana'",
     "integration created >in force {\"merchant_id\": [null, M], \"kind\": [null, 2], \"code\": [null, \"78\"],"
     " \"network_id\": [null, null], \"endpoint\": [null, \"http://a/\"], \"currency\": [null, \"COP\"]}"},
    {NULL, INTEGRATION("endpoint = 'http://b/'"),
     "integration changed in force>in force {\"endpoint\":[\"http://a/\", \"http://b/\"]}"},
    {NULL, INTEGRATION("endpoint = endpoint, currency = 'USD'"),
     "integration changed in force>in force {\"currency\":[\"COP\", \"USD\"]}"},
    {NULL, INTEGRATION("removed_at = " LATER), "integration state in force>removed"},
    {TWO_MERCHANTS USER("role = 'merchant', merchant_id = 900001"), USER("merchant_id = 900002"),
     "user changed {\"role\":[\"merchant\", \"merchant\"],\"merchant_id\":[900001, 900002]}"},
};

#define PERUS_CODE "UPDATE currencies SET query_code = 7, changed_by = @who WHERE code = 'PEN'"
#define CHILE      "INSERT INTO countries VALUES (344, 'Chile', 'USD', 'UTC')"
#define DUAL_CLAIM "INSERT INTO dual_control SET kind = 'claim', currency = 'COP', above = 5"

static const struct change OF_SETTINGS[] = {
    {NULL, "UPDATE settings SET cancel_window = 31000000",
     "setting changed by db:root@localhost {\"cancel_window\":[30000000, 31000000]}"},
    {NULL, "UPDATE settings SET cancel_window = cancel_window", ""},
    {NULL, PERUS_CODE, "setting changed {\"PEN.query_code\":[null, 7]}"},
    {PERUS_CODE, "UPDATE currencies SET query_code = NULL WHERE code = 'PEN'",
     "setting changed by db:root@localhost {\"PEN.query_code\":[7, null]}"},
    {PERUS_CODE, "UPDATE currencies SET changed_by = NULL WHERE code = 'PEN'", ""},
    {NULL, CHILE, "setting changed by db:root@localhost {\"country.344\":[null,[\"Chile\", \"USD\", \"UTC\"]]}"},
    {CHILE, "UPDATE countries SET time_zone = 'Asia/Tokyo' WHERE code = 344",
     "setting changed by db:root@localhost"
     " {\"country.344\":[[\"Chile\", \"USD\", \"UTC\"],[\"Chile\", \"USD\", \"Asia/Tokyo\"]]}"},
    {CHILE, "UPDATE countries SET name = 'Chile' WHERE code = 344", ""},
    {CHILE, "DELETE FROM countries WHERE code = 344",
     "setting changed by db:root@localhost {\"country.344\":[[\"Chile\", \"USD\", \"UTC\"],null]}"},
    {NULL, DUAL_CLAIM, "setting changed by db:root@localhost {\"dual_control.claim.COP\":[null,\"5.0000, 86400 s\"]}"},
    {DUAL_CLAIM, "UPDATE dual_control SET above = 6, valid_for = 60",
     "setting changed by db:root@localhost {\"dual_control.claim.COP\":[\"5.0000, 86400 s\",\"6.0000, 60 s\"]}"},
    {DUAL_CLAIM, "DELETE FROM dual_control",
     "setting changed by db:root@localhost {\"dual_control.claim.COP\":[\"5.0000, 86400 s\",null]}"},
    {NULL, "INSERT INTO dual_changes SET kind = 'limits'",
     "setting changed by db:root@localhost {\"dual_changes.limits\":[null,\"86400 s\"]}"},
    {"INSERT INTO dual_changes SET kind = 'secrets', valid_for = 61", "DELETE FROM dual_changes",
     "setting changed by db:root@localhost {\"dual_changes.secrets\":[\"61 s\",null]}"},
    {NULL, "INSERT INTO console_users SET name = 'ivo', role = 'support', changed_by = 'operator:ana'",
     "user created >enabled (ivo, support) {\"name\": [null, \"ivo\"],"
     " \"role\": [null, \"support\"], \"merchant_id\": [null, null]}"},
    {NULL, "INSERT INTO console_users SET name = 'ada', role = 'operator', enabled = 0, changed_by = 'operator:ana'",
     "user created >disabled (ada, operator) {\"name\": [null, \"ada\"],"
     " \"role\": [null, \"operator\"], \"merchant_id\": [null, null]}"},
    {NULL, USER("enabled = FALSE"), "user state enabled>disabled"},
    {USER("enabled = FALSE"), USER("enabled = TRUE"), "user state disabled>enabled"},
    {NULL, USER("role = 'operator'"),
     "user changed {\"role\":[\"viewer\", \"operator\"],\"merchant_id\":[null, null]}"},
    {NULL, USER("enabled = TRUE"), ""},
};

#define PENDING "notification changed pending>pending "
#define PUT_OFF "{\"due_at\":[\"2040-01-01 00:00:00.000000\", \"2040-05-06 07:08:09.123456\"]}"

static const struct change OF_NOTIFICATIONS[] = {
    {NULL, NOTE("state = 'exhausted'"), "notification state pending>exhausted"},
    {NULL, NOTE("payment_means = 'X'"), PENDING "{\"payment_means\":[\"\", \"X\"]}"},
    {NULL, NOTE("due_at = " LATER), PENDING PUT_OFF},
    {NULL, "UPDATE notifications SET due_at = " LATER, PENDING "by db:root@localhost " PUT_OFF},
    {NULL, NOTE("state = 'exhausted', due_at = " LATER),
     "notification state pending>exhausted\nnotification changed exhausted>exhausted " PUT_OFF},
    {NULL, NOTE("attempts = 5, lease = REPEAT('a', 16)"), ""},
};

static const struct {
    const struct change *changes;
    size_t count;
} TABLES[] = {
    {OF_ORDERS, COUNT_OF(OF_ORDERS)},
    {OF_TRANSACTIONS, COUNT_OF(OF_TRANSACTIONS)},
    {OF_ACCOUNTS, COUNT_OF(OF_ACCOUNTS)},
    {OF_NETWORKS, COUNT_OF(OF_NETWORKS)},
    {OF_MERCHANTS, COUNT_OF(OF_MERCHANTS)},
    {OF_SETTINGS, COUNT_OF(OF_SETTINGS)},
    {OF_NOTIFICATIONS, COUNT_OF(OF_NOTIFICATIONS)},
};

static size_t count_all(void) {
    size_t count = 0;
    for (size_t i = 0; i < COUNT_OF(TABLES); i++) {
        count += TABLES[i].count;
    }
    return count;
}

static const struct change *change_at(size_t place) {
    size_t table = 0;
    for (; place >= TABLES[table].count; table++) {
        place -= TABLES[table].count;
    }
    return &TABLES[table].changes[place];
}

START_TEST(event_says_what_was_changed) {
    const struct change *change = change_at((size_t)_i);
    database_run("SET @who = 'operator:eva'");
    if (change->before != NULL) {
        database_run("%s", change->before);
    }
    database_run("SET @who = 'operator:ana'");
    uint64_t begin = database_number("SELECT COALESCE(MAX(id), 0) FROM event_log");
    database_run("%s", change->statement);
    const char *told = database_text("SELECT COALESCE(GROUP_CONCAT(" SAID " ORDER BY id SEPARATOR '\n'), '')"
                                     " FROM event_log WHERE id > %" PRIu64,
                                     begin);
    ck_assert_msg(strcmp(told, change->told) == 0, "%s tells\n%s\nand not\n%s", change->statement, told, change->told);
}
END_TEST

/* No currency can be deleted, so it is not committed. */
START_TEST(a_currency_that_the_owner_adds_is_told) {
    database_run("BEGIN; INSERT INTO currencies SET code = 'CLP', name = 'Chilean peso', query_code = 5");
    const char *told = database_text("SELECT " SAID " FROM event_log ORDER BY id DESC LIMIT 1");
    database_run("ROLLBACK");
    ck_assert_str_eq(told, "setting changed by db:root@localhost {\"CLP.query_code\":[null, 5]}");
}
END_TEST

#define TOP_UP                                                                                                         \
    "{\"network_id\":[null,N],\"account_id\":[null,A],\"amount\":[null,45000.0000],\"currency\":[null, \"COP\"]}"

/* Finalising by a function and by hand, of a fixed order, an order with a bound, and a top-up, which is also cancelled.
 */
static const struct {
    const char *statement,
        *told; /* told: the last event's changes, with letters for merchant, network, order and account */
} MONEY[] = {
    {"INSERT INTO orders SET merchant_id = @merchant, po_id = 'F-1', reference = '1234', amount = 5, currency = 'COP',"
     " origin = 'registered', due_at = " LATER ", changed_by = 'x'",
     "{\"merchant_id\":[null,M],\"po_id\":[null, \"F-1\"],\"reference\":[null, \"1234\"],\"amount\":[null,5.0000],"
     "\"currency\":[null, \"COP\"],\"due_at\":[null,\"2040-05-06 07:08:09.123456\"]}"},
    {"INSERT INTO orders SET merchant_id = @merchant, po_id = 'F-1', reference = '1234', amount = 0, min_amount = 1,"
     " max_amount = 2, currency = 'COP', origin = 'registered', due_at = " LATER ", changed_by = 'x'",
     "{\"merchant_id\":[null,M],\"po_id\":[null, \"F-1\"],\"reference\":[null, \"1234\"],\"amount\":[null,0.0000],"
     "\"min_amount\":[null,1.0000],\"max_amount\":[null,2.0000],\"currency\":[null, \"COP\"],"
     "\"due_at\":[null,\"2040-05-06 07:08:09.123456\"]}"},
    {PAYMENT("state = 'CONFIRMADA', confirmed_at = '2026-01-01', window_ends_at = '2026-01-02'"), ""},
    {PAYMENT("state = 'FINALIZADA', finalised_at = '2026-01-02', teller = 'B'"),
     "{\"teller\":[\"caja 1\", \"B\"],\"network_id\":[null,N],\"order_id\":[null,O],\"amount\":[null,45000.0000],"
     "\"currency\":[null, \"COP\"]}"},
    {"SET @recaudo_moment = '2026-01-02 00:00:00.000000';" PAYMENT("state = 'FINALIZADA', finalised_at = '2026-01-02'"),
     "{\"network_id\":[null,N],\"order_id\":[null,O],\"amount\":[null,45000.0000],\"currency\":[null, \"COP\"]}"},
    {"SET @recaudo_moment = '2026-01-02 00:00:00.000000';"
     "UPDATE transactions SET state = 'FINALIZADA', finalised_at = '2026-01-02' WHERE id = @top_up",
     TOP_UP},
    {"UPDATE transactions SET state = 'CANCELADA', cancelled_at = '2026-01-01 01:00:00' WHERE id = @top_up", TOP_UP},
    {"SET @recaudo_moment = '2026-01-01 01:00:00.000000';"
     "UPDATE transactions SET state = 'CANCELADA', cancelled_at = '2026-01-01 01:00:00' WHERE id = @top_up",
     TOP_UP},
};

START_TEST(event_says_what_money_is_asked_and_paid) {
    const char *confirmed = "state = 'CONFIRMADA', confirmed_at = '2026-01-01', window_ends_at = '2026-01-02'";
    keep("top_up", new_transaction(.network_id = database_number("SELECT @network"),
                                   .account_id = database_number("SELECT @account")));
    database_run("UPDATE transactions SET %s WHERE id = @top_up", confirmed);
    if (_i > 2) {
        database_run("UPDATE transactions SET %s WHERE id = @payment", confirmed);
    }
    database_run("SET @who = 'operator:ana'");
    database_run("%s", MONEY[_i].statement);
    const char *told = database_text(
        "SELECT COALESCE(REPLACE(REPLACE(REPLACE(REPLACE(changes, CONCAT('merchant_id\":[null,', @merchant), "
        "'merchant_id\":[null,M'), CONCAT('network_id\":[null,', @network), 'network_id\":[null,N'),"
        " CONCAT('order_id\":[null,', @order_id), 'order_id\":[null,O'), CONCAT('account_id\":[null,', @account),"
        " 'account_id\":[null,A'), '') FROM event_log"
        " WHERE subject IN ('order', 'transaction') ORDER BY id DESC LIMIT 1");
    ck_assert_str_eq(told, MONEY[_i].told);
    database_run("SET @recaudo_moment = NULL");
}
END_TEST

/* Changes by an account that does not set changed_by. recaudo_guest is created for this test and dropped. Of our
 * accounts only the owner is tried here; test_actors.c tries the programs' accounts. */
static const struct {
    const char *account, *table, *id, *set;
    bool is_ours;
} QUIET[] = {
    {"recaudo_owner", "orders", "@order_id", "description = 'B'", true},
    {"recaudo_owner", "transactions", "@payment", "commerce = 'B'", true},
    {"recaudo_owner", "accounts", "@account", "name = 'B'", true},
    {"recaudo_owner", "networks", "@network", "enabled = FALSE", true},
    {"recaudo_owner", "merchants", "@merchant", "enabled = FALSE", true},
    {"recaudo_owner", "merchants", "@merchant", "reference_quarantine = 1", true},
    {"recaudo_owner", "networks", "@network", "rate_limit = 1, rate_burst = 1", true},
    {"recaudo_owner", "networks", "@network", "signature = 'required'", true},
    {"recaudo_owner", "integrations", "@integration", "endpoint = 'http://b/'", true},
    {"recaudo_owner", "console_users", "@user", "enabled = FALSE", true},
    {"recaudo_owner", "console_users", "@user", "role = 'operator'", true},
    {"recaudo_owner", "notifications", "@notification", "state = 'exhausted', settled_at = " NOW, true},
    {"recaudo_owner", "notifications", "@notification", "due_at = " NOW, true},
    {"recaudo_guest", "orders", "@order_id", "description = 'B'", false},
    {"recaudo_guest", "transactions", "@payment", "commerce = 'B'", false},
    {"recaudo_guest", "accounts", "@account", "name = 'B'", false},
    {"recaudo_guest", "networks", "@network", "enabled = FALSE", false},
    {"recaudo_guest", "merchants", "@merchant", "enabled = FALSE", false},
    {"recaudo_guest", "merchants", "@merchant", "reference_quarantine = 1", false},
    {"recaudo_guest", "merchants", "@merchant", "notify_url = 'http://a/'", false},
    {"recaudo_guest", "networks", "@network", "rate_limit = 1, rate_burst = 1", false},
    {"recaudo_guest", "networks", "@network", "signature = 'required'", false},
    {"recaudo_guest", "integrations", "@integration", "endpoint = 'http://b/'", false},
    {"recaudo_guest", "console_users", "@user", "enabled = FALSE", false},
    {"recaudo_guest", "console_users", "@user", "role = 'operator'", false},
    {"recaudo_guest", "notifications", "@notification", "state = 'exhausted', settled_at = " NOW, false},
    {"recaudo_guest", "notifications", "@notification", "due_at = " NOW, false},
};

START_TEST(an_account_of_ours_acts_for_who_changed_the_row_before) {
    const char *account = QUIET[_i].account, *table = QUIET[_i].table;
    database_run("CREATE OR REPLACE USER %s@localhost", account);
    database_run("GRANT ALL ON %s.* TO %s@localhost", config.database.name, account);
    uint64_t begin = database_number("SELECT COALESCE(MAX(id), 0) FROM event_log");
    uint64_t id = database_number("SELECT %s", QUIET[_i].id);
    MYSQL *mysql = mysql_init(NULL);
    ck_assert_ptr_nonnull(mysql_real_connect(mysql, config.database.host, account, "", config.database.name,
                                             (unsigned)config.database.port, config.database.socket, 0));
    ck_assert_uint_eq(database_error(mysql, "UPDATE %s SET %s WHERE id = %" PRIu64, table, QUIET[_i].set, id), 0);
    mysql_close(mysql);
    const char *actor = database_text("SELECT GROUP_CONCAT(DISTINCT actor) FROM event_log WHERE id > %" PRIu64, begin);
    ck_assert_str_eq(actor, QUIET[_i].is_ours ? "test" : "db:recaudo_guest@localhost");
    database_run("DROP USER %s@localhost", account);
}
END_TEST

TCase *events_tests(void) {
    TCase *tests = database_case("events");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_loop_test(tests, event_says_what_was_changed, 0, (int)count_all());
    tcase_add_test(tests, a_currency_that_the_owner_adds_is_told);
    add_table_test(tests, event_says_what_money_is_asked_and_paid, MONEY);
    add_table_test(tests, an_account_of_ours_acts_for_who_changed_the_row_before, QUIET);
    return tests;
}
