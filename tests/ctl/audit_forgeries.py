"""What a forger writes who owns the schema, and what recaudo-audit says of it."""

# The forger writes the digest that recaudo-audit prints itself.
SUMMED_ANEW = "@summed_anew"

# The next version of a row, with one column changed, and the event that says so.
MOVED = ("INSERT INTO event_log (subject, subject_id, version, what, from_state, to_state, actor, changes) SELECT '{subject}', id, version + 1,"
         " 'changed', state, state, 'x', JSON_OBJECT('{name}', JSON_ARRAY({name}, {value})) FROM {table} WHERE {where};"
         "UPDATE {table} SET version = version + 1, {name} = {value} WHERE {where}")
# The limits were set long ago.
LIMITED = ("UPDATE event_log SET at = at - INTERVAL 2 DAY WHERE what = 'money limits';UPDATE seals SET sealed_at = sealed_at - INTERVAL 2 DAY")
# A registered payment.
CANCELLED = ("UPDATE transactions SET state = 'CANCELADA', version = version + 1, cancelled_at = UTC_TIMESTAMP(6) WHERE id = @registered;"
             "INSERT INTO event_log (subject, subject_id, version, what, from_state, to_state, actor) SELECT 'transaction', id, version, 'state',"
             " 'REGISTRADA', state, '{who}' FROM transactions WHERE id = @registered;"
             "INSERT INTO settlement_items (transaction_id, kind, at) SELECT id, 'cancelled', cancelled_at FROM transactions WHERE id = @registered")
# The books of the tests were closed at once.
CLOSED_LATER = ("UPDATE settlements SET closed_at = closed_at + INTERVAL 2 MINUTE WHERE number = 1;"
                "UPDATE settlements SET opened_at = opened_at + INTERVAL 2 MINUTE WHERE number = 2;"
                "UPDATE event_log SET at = at + INTERVAL 2 MINUTE WHERE subject = 'settlement' AND subject_id = 1;")

# Claims above this amount need an approval, and an approval of the one that there is.
DEMANDED = ("UPDATE event_log SET at = at - INTERVAL 30 MINUTE, changes = REPLACE(changes, '9000000', '44999') WHERE changes LIKE '%dual_control.claim%';"
            "UPDATE seals SET sealed_at = sealed_at - INTERVAL 30 MINUTE; UPDATE dual_control SET above = 44999")
CLAIM = "subject = 'order' AND to_state = 'ANULADA' AND actor NOT LIKE 'merchant:%'"
# Who approves also makes the claim, in one transaction.
APPROVED = ("INSERT INTO event_log (subject, subject_id, version, what, to_state, actor, changes) SELECT 'approval', 99, 1, 'created', 'waiting',"
            " 'operator:ana', CONCAT('{{\"claim\":[null,', subject_id, ']}}') FROM event_log WHERE " + CLAIM + ";"
            "UPDATE event_log SET id = (SELECT MAX(id) + 1 FROM event_log), actor = '{approver}' WHERE " + CLAIM + ";"
            "INSERT INTO event_log (at, subject, subject_id, version, what, from_state, to_state, actor) SELECT at, 'approval', 99, 2, 'state', 'waiting',"
            " 'approved', actor FROM event_log WHERE " + CLAIM)
# All rules of approval were made long before what is forged now.
RULED = ("UPDATE event_log SET at = at - INTERVAL 30 MINUTE WHERE subject = 'setting' AND changes LIKE '%dual_changes%';"
         "UPDATE seals SET sealed_at = sealed_at - INTERVAL 30 MINUTE;")
ENDED_LONG_AGO = "UPDATE transactions SET window_ends_at = window_ends_at - INTERVAL 3 HOUR WHERE {where}"

# Statements, by what they forge, and the finding that names it.
FORGERIES = {
    "order paid without payment": ("UPDATE orders SET state = 'APROBADA', paid_by = @registered WHERE id = @free", "order-state"),
    "order paid, with its event": ("UPDATE orders SET state = 'APROBADA', version = version + 1 WHERE id = @free;"
                                   "INSERT INTO event_log (subject, subject_id, version, what, from_state, to_state, actor, db_account)"
                                   " SELECT 'order', id, version, 'state', 'PENDIENTE', 'APROBADA', 'dispatcher', 'x' FROM orders"
                                   " WHERE id = @free", "order-payer"),
    "paid order made unpaid": ("UPDATE orders SET state = 'PENDIENTE', paid_by = NULL WHERE id = @paid", "order-state"),
    "order removed": ("DELETE FROM orders WHERE id = @paid", "order-removed"),
    "order removed, with its events": ("DELETE FROM event_log WHERE subject = 'order' AND subject_id = @paid;"
                                       "DELETE FROM orders WHERE id = @paid", "transaction-orphan"),
    "account removed, with its events": ("DELETE FROM event_log WHERE subject = 'account'; DELETE FROM accounts", "transaction-orphan"),
    "order removed, its payment changed": ("DELETE FROM orders WHERE id = @paid;"
                                           "UPDATE transactions SET version = version + 1 WHERE order_id = @paid", "transaction-versions"),
    "order removed that was told": ("DELETE FROM orders WHERE id = @paid", "notification-orphan"),
    "order removed that was given back": ("DELETE FROM orders WHERE id = @returned", "refund-orphan"),
    "order made up": ("INSERT INTO orders (merchant_id, po_id, reference, amount, currency, origin, due_at, changed_by)"
                      " SELECT merchant_id, 'forged', '987654321', 5, 'COP', 'registered', '2999-01-01', 'x' FROM orders LIMIT 1",
                      "order-without-creation"),
    "change without event": ("UPDATE orders SET version = version + 1 WHERE id = @free", "order-versions"),
    "amount of an order": ("UPDATE orders SET amount = amount - 1 WHERE id = @paid", "payment-amount"),
    "hold taken away": ("UPDATE orders SET held_by = NULL, held_until = NULL WHERE id = @held", "order-hold"),
    "hold made longer": ("UPDATE orders SET held_until = held_until + INTERVAL 1 DAY WHERE id = @held", "order-hold"),
    "paid by another payment": ("UPDATE orders SET paid_by = @cancelled WHERE id = @paid", "order-payer"),
    "refund removed": ("DELETE FROM refunds WHERE order_id = @returned", "refund"),
    "refund made up": ("INSERT INTO refunds (order_id, transaction_id) VALUES (@paid, @payment)", "refund"),
    "time when an order was closed": ("UPDATE orders SET closed_at = closed_at - INTERVAL 61 SECOND WHERE id = @paid", "order-closed"),
    "time of an order's end taken away": ("UPDATE orders SET closed_at = NULL WHERE id = @expired", "order-closed"),
    "open order with the time of an end": ("UPDATE orders SET closed_at = UTC_TIMESTAMP(6) WHERE id = @free", "order-closed"),
    "expired early": ("UPDATE orders SET due_at = due_at + INTERVAL 1 DAY WHERE id = @expired", "order-expiry"),
    "amount of a payment": ("UPDATE transactions SET amount = amount - 1 WHERE id = @payment", "payment-amount"),
    "payment finalised early": ("UPDATE transactions SET state = 'FINALIZADA', finalised_at = UTC_TIMESTAMP(6) WHERE order_id = @held",
                                "transaction-state"),
    "payment removed": ("DELETE FROM transactions WHERE id = @payment", "transaction-removed"),
    "payment made up": ("INSERT INTO transactions (network_id, network_transaction, order_id, reference, state, amount, currency,"
                        " commerce, description, teller, fingerprint, changed_by, confirmed_at, window_ends_at, finalised_at)"
                        " SELECT network_id, 'forged', order_id, reference, state, amount, currency, commerce, description, teller,"
                        " fingerprint, changed_by, confirmed_at, window_ends_at, finalised_at FROM transactions WHERE id = @payment",
                        "transaction-without-creation"),
    "window moved forth": ("UPDATE transactions SET window_ends_at = window_ends_at + INTERVAL 1 HOUR WHERE id = @payment",
                           "transaction-instant"),
    "window moved back": ("UPDATE transactions SET window_ends_at = window_ends_at - INTERVAL 1 HOUR WHERE id = @payment",
                          "transaction-instant"),
    "end of an open window": ("UPDATE transactions SET window_ends_at = window_ends_at + INTERVAL 1 DAY WHERE order_id = @held;"
                              "UPDATE orders SET held_until = held_until + INTERVAL 1 DAY WHERE id = @held", "window-length"),
    "end of an open window, a little": ("UPDATE transactions SET window_ends_at = window_ends_at + INTERVAL 1 MICROSECOND"
                                        " WHERE order_id = @held;"
                                        "UPDATE orders SET held_until = held_until + INTERVAL 1 MICROSECOND WHERE id = @held",
                                        "window-length"),
    "end of an open window, and the time of the schema": ("UPDATE transactions SET window_ends_at = window_ends_at - INTERVAL 10 MINUTE"
                                                          " WHERE order_id = @held;"
                                                          "UPDATE orders SET held_until = held_until - INTERVAL 10 MINUTE WHERE id = @held;"
                                                          "UPDATE schema_version SET applied_at = '2999-01-01'", "window-length"),
    "open window of a top-up": ("UPDATE transactions SET window_ends_at = window_ends_at - INTERVAL 10 MINUTE"
                                " WHERE account_id IS NOT NULL AND state = 'CONFIRMADA'", "window-length"),
    "open window, with its event": ("UPDATE transactions SET version = version + 1, confirmed_at = confirmed_at + INTERVAL 5 SECOND,"
                                    " window_ends_at = window_ends_at + INTERVAL 5 SECOND WHERE order_id = @held;"
                                    "INSERT INTO event_log (subject, subject_id, version, what, from_state, to_state, actor, changes)"
                                    " SELECT 'transaction', id, version, 'changed', state, state, 'db:x', JSON_OBJECT('window_ends_at',"
                                    " JSON_ARRAY(window_ends_at - INTERVAL 5 SECOND, window_ends_at)) FROM transactions"
                                    " WHERE order_id = @held", "instant-moved"),
    "hold, with its event": ("UPDATE orders SET version = version + 1 WHERE id = @held;"
                             "INSERT INTO event_log (subject, subject_id, version, what, from_state, to_state, actor, changes)"
                             " SELECT 'order', id, version, 'changed', state, state, 'db:x', JSON_OBJECT('held_until',"
                             " JSON_ARRAY(held_until - INTERVAL 5 SECOND, held_until)) FROM orders WHERE id = @held", "instant-moved"),
    "confirmation moved": ("UPDATE transactions SET confirmed_at = confirmed_at - INTERVAL 1 DAY WHERE id = @payment", "transaction-instant"),
    "cancelled after its window": ("UPDATE transactions SET cancelled_at = cancelled_at + INTERVAL 1 DAY WHERE id = @cancelled",
                                   "transaction-instant"),
    "event of a setting that says nothing": ("INSERT INTO event_log (subject, subject_id, what, actor, changes)"
                                             " VALUES ('setting', 1, 'changed', 'x', '{\"cancel_window\":null}')", "unreadable"),
    "instant of zeros": ("UPDATE orders SET due_at = 0 WHERE id = @expired", "unreadable"),
    "balance": ("UPDATE accounts SET balance = balance + 1000", "account-balance"),
    "account made up": ("INSERT INTO accounts (document, document_type, name, currency, changed_by) VALUES ('D-3', 'CC', 'X', 'USD', 'x')",
                        "account-without-creation"),
    "reserved": ("UPDATE accounts SET reserved = 0", "account-reserved"),
    "ledger line made up": ("INSERT INTO account_ledger (account_id, transaction_id, amount, balance) SELECT id, @registered, 1000,"
                            " balance + 1000 FROM accounts; UPDATE accounts SET balance = balance + 1000", "ledger-payment"),
    "ledger line changed": ("UPDATE account_ledger SET amount = amount + 1, balance = balance + 1 ORDER BY id LIMIT 1", "ledger-payment"),
    "ledger line removed": ("DELETE FROM account_ledger ORDER BY id DESC LIMIT 1; UPDATE accounts SET balance = balance - 3.25",
                            "ledger-missing"),
    "running balance": ("UPDATE account_ledger SET balance = balance + 1 ORDER BY id LIMIT 1", "ledger-balance"),
    "time of a ledger line": ("UPDATE account_ledger SET at = at - INTERVAL 61 SECOND", "ledger-instant"),
    "time of a refund": ("UPDATE refunds SET at = at - INTERVAL 61 SECOND; UPDATE settlement_items SET at = at - INTERVAL 61 SECOND"
                         " WHERE kind = 'refunded'", "refund-instant"),
    "who closed a settlement": ("UPDATE settlements SET closed_by = 'operator:nobody' WHERE number = 1", "settlement-value"),
    "operation taken out of a settlement": ("DELETE FROM settlement_items WHERE transaction_id = @payment", "settlement-item-missing"),
    "operation put into a settlement": ("INSERT INTO settlement_items VALUES (@registered, 'finalised', UTC_TIMESTAMP(6), 1)",
                                        "settlement-item-extra"),
    "operation moved to the next settlement": ("UPDATE settlement_items SET settlement = 2 WHERE transaction_id = @payment",
                                               "settlement-count"),
    "time of an operation": ("UPDATE settlement_items SET at = at - INTERVAL 1 HOUR WHERE transaction_id = @payment",
                             "settlement-item-instant"),
    "counts of a settlement": ("UPDATE settlements SET finalised = finalised + 1 WHERE number = 1", "settlement-count"),
    "digest of a settlement": ("UPDATE settlements SET digest = REPEAT('a', 64) WHERE number = 1", "settlement-digest"),
    "network of what was settled": ("UPDATE transactions SET network_transaction = 'other' WHERE id = @payment", "settlement-digest"),
    # What a row says, and all that was reported of it, changed together: the log still says what was paid.
    "money made more": ("UPDATE orders SET amount = amount * 10 WHERE id = @paid; UPDATE transactions SET amount = amount * 10 WHERE order_id = @paid;"
                        "UPDATE notifications SET amount = amount * 10 WHERE order_id = @paid;" + SUMMED_ANEW, "transaction-value"),
    "amount of a paid order and its payment": ("UPDATE orders SET amount = amount * 10 WHERE id = @paid;"
                                               "UPDATE transactions SET amount = amount * 10 WHERE order_id = @paid", "order-value"),
    "amount of a payment of an open order": ("UPDATE transactions SET amount = 78 WHERE amount = 77.5;"
                                             "UPDATE notifications SET amount = 78 WHERE amount = 77.5", "transaction-value"),
    "currency of a paid order and its payment": ("UPDATE orders SET currency = 'USD' WHERE id = @paid;"
                                                 "UPDATE transactions SET currency = 'USD' WHERE order_id = @paid", "transaction-value"),
    "network of a payment": ("UPDATE transactions SET network_id = network_id + 1 WHERE id = @payment", "transaction-value"),
    "network of a payment that is held": ("UPDATE transactions SET network_id = network_id + 1 WHERE order_id = @held", "transaction-network"),
    "merchant of an order": ("UPDATE orders SET merchant_id = merchant_id + 1 WHERE id = @paid;"
                             "UPDATE notifications SET merchant_id = merchant_id + 1 WHERE order_id = @paid", "order-value"),
    "who sent an order": ("UPDATE event_log SET actor = 'merchant:other' WHERE subject = 'order' AND subject_id = @paid AND what = 'created'",
                          "order-merchant"),
    "refund by another merchant": (
        "UPDATE orders SET state = 'ANULADA', version = version + 1 WHERE id = @paid;"
        "INSERT INTO event_log (subject, subject_id, version, what, from_state, to_state, actor) SELECT 'order', id, version, 'state', 'APROBADA', state,"
        " 'merchant:other' FROM orders WHERE id = @paid;"
        "INSERT INTO refunds (order_id, transaction_id, at) SELECT id, paid_by, UTC_TIMESTAMP(6) FROM orders WHERE id = @paid;"
        "INSERT INTO settlement_items (transaction_id, kind, at) SELECT transaction_id, 'refunded', at FROM refunds WHERE order_id = @paid",
        "order-merchant"),
    "payment cancelled by another network": (CANCELLED.format(who="network:other"), "transaction-network"),
    "payment cancelled by hand": (CANCELLED.format(who="db:root@localhost"), "transaction-network"),
    # With events that fit: an order is released and the other held. The confirmation names the first.
    "order of a payment that is confirmed": (
        "UPDATE transactions SET order_id = @free, reference = (SELECT reference FROM orders WHERE id = @free) WHERE order_id = @held;"
        "INSERT INTO event_log (subject, subject_id, version, what, from_state, to_state, actor) SELECT 'order', id, version + 1,"
        " IF(id = @held, 'released', 'held'), state, state, 'network:x' FROM orders WHERE id IN (@held, @free);"
        "UPDATE orders h JOIN orders f SET f.held_by = h.held_by, f.held_until = h.held_until,"
        " f.version = f.version + 1, h.held_by = NULL, h.held_until = NULL, h.version = h.version + 1 WHERE h.id = @held AND f.id = @free",
        "transaction-order"),
    "account of a top-up that is confirmed": (
        "INSERT INTO accounts (document, document_type, name, currency, reserved, changed_by) VALUES ('D-2', 'CC', 'X', 'USD', 1.25, 'x');"
        "INSERT INTO event_log (subject, subject_id, what, actor) SELECT 'account', MAX(id), 'created', 'x' FROM accounts;"
        "UPDATE accounts SET reserved = 0 WHERE document <> 'D-2';"
        "UPDATE transactions SET account_id = (SELECT MAX(id) FROM accounts), reference = 'D-2' WHERE account_id IS NOT NULL AND state = 'CONFIRMADA'",
        "transaction-value"),
    "account of a top-up that is final, and was confirmed for another": (
        "INSERT INTO accounts (document, document_type, name, currency, balance, changed_by) VALUES ('D-2', 'CC', 'X', 'USD', 3.25, 'x');"
        "INSERT INTO event_log (subject, subject_id, what, actor) SELECT 'account', MAX(id), 'created', 'x' FROM accounts;"
        "UPDATE accounts SET balance = balance - 3.25 WHERE document <> 'D-2';"
        "UPDATE account_ledger SET balance = 3.25;"
        "UPDATE account_ledger SET account_id = (SELECT MAX(id) FROM accounts) WHERE transaction_id = @top_up;"
        "UPDATE transactions SET account_id = (SELECT MAX(id) FROM accounts), reference = 'D-2' WHERE id = @top_up;"
        "UPDATE event_log e JOIN transactions t ON t.id = e.subject_id SET e.changes = JSON_SET(e.changes, '$.account_id[1]', t.account_id)"
        " WHERE e.subject = 'transaction' AND e.to_state = 'FINALIZADA' AND t.id = @top_up", "transaction-history"),
    "amount of a top-up that is confirmed": ("UPDATE transactions SET amount = 9.25 WHERE account_id IS NOT NULL AND state = 'CONFIRMADA';"
                                             "UPDATE accounts SET reserved = 9.25", "transaction-value"),
    "confirmation of a top-up that does not say what it is": ("UPDATE event_log SET changes = NULL WHERE subject = 'transaction'"
                                                              " AND subject_id = (SELECT MAX(id) FROM transactions) AND to_state = 'CONFIRMADA'",
                                                              "transaction-terms"),
    "account of a top-up": ("UPDATE transactions SET account_id = account_id + 1 WHERE id = @top_up", "transaction-value"),
    "order of a payment that is registered": ("UPDATE transactions SET order_id = @free WHERE id = @registered", "payment-reference"),
    "order of a payment, which had another reference": ("UPDATE transactions SET order_id = @moved WHERE id = @registered", "payment-reference"),
    "account of a top-up that is registered": ("INSERT INTO accounts (document, document_type, name, currency, changed_by) VALUES ('D-2', 'CC', 'X',"
                                               " 'USD', 'x'); UPDATE transactions SET account_id = LAST_INSERT_ID() WHERE account_id IS NOT NULL"
                                               " AND state = 'REGISTRADA'", "payment-reference"),
    "document of an account": ("UPDATE accounts SET document = 'D-2'", "payment-reference"),
    "amount of an order that is to be paid": ("UPDATE orders SET amount = 1 WHERE id = @free", "order-value"),
    "reference of an order that is to be paid": ("UPDATE orders SET reference = '5555' WHERE id = @free", "order-value"),
    "number of an order that is to be paid": ("UPDATE orders SET po_id = '5555' WHERE id = @free", "order-value"),
    "due date of an order that is to be paid": ("UPDATE orders SET due_at = due_at + INTERVAL 1 DAY WHERE id = @free", "order-value"),
    "bounds of an open order": ("UPDATE orders SET max_amount = 100 WHERE amount = 0", "order-value"),
    "order whose event does not say what it asks": ("UPDATE event_log SET changes = NULL WHERE subject = 'order' AND subject_id = @free"
                                                    " AND what = 'created'", "order-terms"),
    "payment whose event does not say what it paid": ("UPDATE event_log SET changes = NULL WHERE subject = 'transaction'"
                                                      " AND subject_id = @top_up AND to_state = 'FINALIZADA'", "transaction-terms"),
    "digest of a settlement, and its operations": ("UPDATE transactions SET network_transaction = 'other' WHERE id = @payment;" + SUMMED_ANEW,
                                                   "settlement-value"),
    "event of a settlement made up": ("INSERT INTO event_log (subject, subject_id, what, actor, changes) SELECT subject, subject_id, what, actor,"
                                      " changes FROM event_log WHERE subject = 'settlement'", "settlement-event"),
    "settlement not computed": ("UPDATE settlements SET digest = NULL, finalised = NULL, cancelled = NULL, refunded = NULL WHERE number = 1",
                                "settlement-value"),
    "settlement of a day that had not begun": ("UPDATE settlements SET day = DATE(closed_at + INTERVAL 1 DAY), zone = 'UTC',"
                                               " closed_by = 'dispatcher' WHERE number = 1", "settlement-day"),
    "settlement of a day that was not over": ("UPDATE settlements SET day = DATE(closed_at), zone = 'UTC' WHERE number = 1", "settlement-day"),
    "settlement of the last day that can be written": ("UPDATE settlements SET day = '9999-12-31', zone = 'UTC' WHERE number = 1", "settlement-day"),
    "settlement of a day that is none": ("UPDATE settlements SET day = '2024-02-31', zone = 'UTC' WHERE number = 1", "settlement-day"),
    "settlement of a zone that is none": ("UPDATE settlements SET day = '2024-02-01', zone = 'Atlantis' WHERE number = 1", "settlement-day"),
    "settlements removed": ("DELETE FROM settlements WHERE number = 1", "settlement-removed"),
    "settlement removed": ("DELETE FROM settlements WHERE number = 1", "settlement-missing"),
    "time of a settlement": ("UPDATE settlements SET opened_at = opened_at + INTERVAL 1 SECOND WHERE number = 2", "settlement-instants"),
    "closed settlement opened": ("UPDATE settlements SET state = 'closed', closed_at = opened_at, closed_by = 'x' WHERE number = 2",
                                 "settlement-state"),
    "notification removed": ("DELETE FROM notifications WHERE order_id = @paid", "notification-missing"),
    "notification of a claim removed": ("DELETE FROM notifications WHERE order_id = @returned AND status = 'cancelled'",
                                        "notification-missing"),
    "notification made up": ("INSERT INTO notifications (webhook_id, order_id, merchant_id, status, state, amount, payment_means)"
                             " SELECT 'x', @free, merchant_id, 'approved', 'pending', amount, '' FROM orders WHERE id = @free",
                             "notification-extra"),
    "amount that a merchant is told": ("UPDATE notifications SET amount = amount + 1 WHERE order_id = @paid", "notification-content"),
    "notification marked as delivered": ("UPDATE notifications SET state = 'delivered' WHERE order_id = @paid", "notification-state"),
    "merchant disabled": ("UPDATE merchants SET enabled = FALSE", "merchant-state"),
    "old secret of a merchant": ("UPDATE merchants SET old_hash = fixed_hash, old_hash_until = '2099-01-01'", "merchant-value"),
    "old secret of notifications": ("UPDATE merchants SET old_notification_hash = notification_hash,"
                                    " old_notification_hash_until = '2099-01-01'", "merchant-value"),
    "old secret of a network": ("UPDATE networks SET old_hash = fixed_hash, old_hash_until = '2099-01-01'", "network-value"),
    "old secret after the rotation that the log says": (
        "UPDATE event_log SET changes = NULL WHERE subject = 'network' AND what = 'created';"
        "INSERT INTO event_log (subject, subject_id, what, actor, changes) SELECT 'network', id, 'rotated', 'x', '{\"fixed_hash\":\"changed\"}'"
        " FROM networks; UPDATE networks SET old_hash = fixed_hash, old_hash_until = '2099-01-01'", "network-value"),
    "name of a merchant": ("UPDATE merchants SET name = 'other'", "merchant-value"),
    "name of a network": ("UPDATE networks SET name = 'other'", "network-value"),
    "name of a user": ("UPDATE console_users SET name = 'iris'", "user-value"),
    "address of notifications": ("UPDATE merchants SET notify_url = 'https://evil.example/'", "merchant-value"),
    "zeros before a reference": ("UPDATE orders SET reference = CONCAT('0', reference) WHERE id = @free", "order-value"),
    "network enabled": ("UPDATE networks SET enabled = FALSE", "network-state"),
    "length of the window": ("UPDATE settings SET cancel_window = 1", "setting-value"),
    "remittance": ("UPDATE remittances SET amount = amount + 1000 ORDER BY id LIMIT 1", "remittance"),
    "remittance and its room": ("UPDATE remittances SET amount = amount + 1000 ORDER BY id LIMIT 1;"
                                "UPDATE network_rooms SET outstanding_room = outstanding_room + 1000 WHERE part = 0", "remittance"),
    "currency of a remittance": ("UPDATE remittances SET currency = 'USD' ORDER BY id LIMIT 1", "remittance"),
    "remittance removed": ("DELETE FROM remittances ORDER BY id LIMIT 1", "remittance"),
    "remittance made up": ("INSERT INTO remittances (network_id, currency, amount, reason, actor)"
                           " SELECT network_id, currency, amount, reason, actor FROM remittances LIMIT 1", "remittance"),
    "what a network owes": ("UPDATE network_rooms SET outstanding_room = outstanding_room + 900000 WHERE part = 3", "limit-owed"),
    "more owed": ("UPDATE network_rooms SET outstanding_room = outstanding_room - 0.01 WHERE part = 3", "limit-owed"),
    "what a network owes, with an event that begins a limit": (
        "INSERT INTO event_log (subject, subject_id, what, actor, reason) SELECT 'network', network_id, 'money limits', 'x', CONCAT(currency, ': day ',"
        " day_limit, ' (was ', day_limit, '), outstanding ', outstanding_limit, ' (was none)') FROM network_limits;"
        "UPDATE network_rooms SET outstanding_room = outstanding_room - 70000 WHERE part = 3", "limit-history"),
    "limit of a network": ("UPDATE network_limits SET outstanding_limit = outstanding_limit * 2", "limit-value"),
    "limit of a day": ("UPDATE network_limits SET day_limit = NULL", "limit-value"),
    "more than a day's limit": (LIMITED + ";UPDATE event_log SET reason = REPLACE(reason, '5000000.0000', '50000.0000') WHERE what = 'money limits';"
                                "UPDATE network_limits SET day_limit = 50000", "limit-day"),
    "limit removed": ("DELETE FROM network_limits", "limit-value"),
    "limit made up": ("INSERT INTO network_limits (network_id, currency, day_limit, changed_by) SELECT network_id, 'USD', 1, changed_by"
                      " FROM network_limits", "limit-value"),
    "parts of a limit that have no bound": ("UPDATE network_rooms SET outstanding_room = NULL", "limit-parts"),
    "part of a limit that has no bound": ("UPDATE network_rooms SET outstanding_room = NULL WHERE part = 3", "limit-parts"),
    "part of a day's limit that has no bound": ("UPDATE network_rooms SET day_room = NULL WHERE part = 3", "limit-parts"),
    "part of the next day's limit that has no bound": ("UPDATE network_rooms SET day_share = NULL WHERE part = 3", "limit-parts"),
    "what a day's limit begins with": ("UPDATE network_rooms SET day_share = day_share * 1000", "limit-parts"),
    "parts of a limit": ("DELETE FROM network_rooms WHERE part = 3", "limit-parts"),
    "role of a user": ("UPDATE console_users SET role = 'operator'", "user-value"),
    "user disabled": ("UPDATE console_users SET enabled = FALSE", "user-state"),
    "user made up": ("INSERT INTO console_users (name, role, changed_by) VALUES ('iris', 'operator', 'x')", "user-without-creation"),
    "endpoint of an integration": ("UPDATE integrations SET endpoint = 'https://evil.example/'", "integration-value"),
    "merchant of an integration": ("UPDATE integrations SET merchant_id = merchant_id + 1", "integration-value"),
    "integration removed by hand": ("UPDATE integrations SET removed_at = UTC_TIMESTAMP(6)", "integration-state"),
    "integration made up": ("INSERT INTO integrations (merchant_id, kind, code, endpoint, currency, changed_by)"
                            " SELECT merchant_id, kind, '78', endpoint, currency, changed_by FROM integrations", "integration-without-creation"),
    "first digest of notifications": ("UPDATE merchants SET notify_digest = 'sha512'", "merchant-value"),
    "addresses of a network": ("UPDATE networks SET allow_addresses = '10.0.0.0/8'", "network-value"),
    "rule of approval removed": ("DELETE FROM dual_changes", "setting-value"),
    "rule of approval made up": ("INSERT INTO dual_control (kind, currency, above) VALUES ('claim', 'USD', 1)", "setting-value"),
    "amount of a rule of approval": ("UPDATE dual_control SET above = above + 1", "setting-value"),
    "country put back": ("INSERT INTO countries (code, name, currency, time_zone) VALUES (344, 'X', 'COP', 'UTC')", "setting-value"),
    "code of a currency": ("INSERT INTO event_log (subject, subject_id, what, actor, changes)"
                           " VALUES ('setting', 1, 'changed', 'x', '{\"COP.query_code\":[1,2]}')", "setting-value"),
    "network removed": ("DELETE FROM networks", "network-removed"),
    "event removed": ("DELETE FROM event_log WHERE id = @event", "event-removed"),
    "event changed": ("UPDATE event_log SET actor = 'operator:nobody' WHERE id = @event", "event-changed"),
    "time of a seal": ("UPDATE seals SET sealed_at = sealed_at - INTERVAL 2 DAY WHERE number = 1", "seal-changed"),
    "seal removed": ("DELETE FROM seals WHERE number = 2", "seal-missing"),
    "seal changed": ("UPDATE seals SET digest = REPEAT('a', 64) WHERE number = 2", "seal-changed"),
    "seal beyond its last event": ("UPDATE seals SET last_id = 1000000000000000000 ORDER BY number DESC LIMIT 1", "seal-ahead"),
    "late events that are no numbers": ("UPDATE seals SET late = '5 x' WHERE number = 2", "seal-changed"),
    "a byte after the marks": ("UPDATE seals SET marks = CONCAT(marks, 'x') WHERE number = 2", "marks-changed"),
    "log emptied": ("DELETE FROM event_log", "log-gone"),
    "log and seals emptied": ("DELETE FROM event_log; DELETE FROM seals", "log-gone"),
    "marks changed": ("UPDATE seals SET marks = '' WHERE number = 2", "marks-changed"),
    # With events that fit, and a change of state that the specification does not have.
    "expired order opened again": ("UPDATE orders SET state = 'PENDIENTE', version = version + 1 WHERE id = @expired;"
                                   "INSERT INTO event_log (subject, subject_id, version, what, from_state, to_state, actor)"
                                   " SELECT 'order', id, version, 'state', 'VENCIDA', state, 'dispatcher' FROM orders WHERE id = @expired",
                                   "order-history"),
    "payment of an order that is due": (
        "UPDATE orders SET due_at = (SELECT confirmed_at FROM transactions WHERE id = @payment) WHERE paid_by = @payment;"
        "UPDATE event_log e JOIN orders o ON o.id = e.subject_id SET e.changes = JSON_SET(e.changes, '$.due_at', JSON_ARRAY(NULL, CAST(o.due_at AS CHAR)))"
        " WHERE e.subject = 'order' AND e.what = 'created' AND o.paid_by = @payment", "payment-overdue"),
    "cancelled payment made final": ("UPDATE transactions SET state = 'FINALIZADA', version = version + 1 WHERE id = @cancelled;"
                                     "INSERT INTO event_log (subject, subject_id, version, what, from_state, to_state, actor)"
                                     " SELECT 'transaction', id, version, 'state', 'CANCELADA', state, 'dispatcher' FROM transactions"
                                     " WHERE id = @cancelled", "transaction-history"),
    # With events that fit, of changes that no program makes.
    "account of a top-up that is final": (
        MOVED.format(subject="transaction", table="transactions", where="id = @top_up", name="account_id", value="account_id + 1") +
        ";INSERT INTO accounts (id, document, document_type, name, currency, balance, changed_by) SELECT account_id, 'D-9', 'CC', 'X', currency,"
        " amount, 'x' FROM transactions WHERE id = @top_up;"
        "INSERT INTO event_log (subject, subject_id, what, actor) SELECT 'account', account_id, 'created', 'x' FROM transactions WHERE id = @top_up;"
        "UPDATE transactions SET reference = 'D-9' WHERE id = @top_up;"
        "UPDATE accounts SET balance = balance - 3.25 WHERE document <> 'D-9';"
        "UPDATE account_ledger SET balance = 3.25;"
        "UPDATE account_ledger SET account_id = account_id + 1 WHERE transaction_id = @top_up", "value-moved"),
    "amount of a payment that is final": (
        MOVED.format(subject="transaction", table="transactions", where="id = @payment", name="amount", value="1"), "value-moved"),
    "merchant of an order that is held": (
        MOVED.format(subject="order", table="orders", where="id = @held", name="merchant_id", value="merchant_id + 1"), "value-moved"),
    "amount of an order that is held": (
        MOVED.format(subject="order", table="orders", where="id = @held", name="amount", value="1"), "value-moved"),
    "reference of an order that is closed": (
        MOVED.format(subject="order", table="orders", where="id = @expired", name="reference", value="'5555'"), "value-moved"),
    "name of a merchant, with its event": (
        "INSERT INTO event_log (subject, subject_id, what, actor, changes) SELECT 'merchant', id, 'changed', 'x',"
        " JSON_OBJECT('name', JSON_ARRAY(name, 'other')) FROM merchants; UPDATE merchants SET name = 'other'", "value-moved"),
    "network of an integration, with its event": (
        "INSERT INTO event_log (subject, subject_id, what, actor, changes) SELECT 'integration', id, 'changed', 'x',"
        " JSON_OBJECT('network_id', JSON_ARRAY(network_id, 7)) FROM integrations; UPDATE integrations SET network_id = 7", "value-moved"),
    "order created twice": (
        MOVED.format(subject="order", table="orders", where="id = @free", name="amount", value="1") +
        ";UPDATE event_log SET what = 'created', from_state = NULL ORDER BY id DESC LIMIT 1", "order-history"),
    "top-up that pays an order, too": ("UPDATE transactions SET order_id = @free WHERE id = @top_up", "transaction-target"),
    "merchant told of its own refund": (
        "INSERT INTO notifications (webhook_id, order_id, merchant_id, sequence, status, state, amount, payment_means, changed_by)"
        " SELECT 'x', id, merchant_id, 2, 'cancelled', 'pending', amount, '', 'x' FROM orders WHERE description = 'refunded by the merchant';"
        "INSERT INTO event_log (subject, subject_id, what, to_state, actor) SELECT 'notification', id, 'created', state, changed_by"
        " FROM notifications ORDER BY id DESC LIMIT 1", "notification-extra"),
    "event of another day": ("INSERT INTO event_log (at, subject, subject_id, what, actor) SELECT MAX(at) - INTERVAL 1 DAY, 'setting', 1, 'test', 'x'"
                             " FROM event_log", "event-backdated"),
    "payment that is never made final": (ENDED_LONG_AGO.format(where="order_id = @held"), "payment-passed-over"),
    "top-up that is never made final": (ENDED_LONG_AGO.format(where="account_id IS NOT NULL AND state = 'CONFIRMADA'"), "payment-passed-over"),
    "claim that nobody approved": (DEMANDED, "claim-approval"),
    "claim that its asker approved": (DEMANDED + ";" + APPROVED.format(approver="operator:ana"), "claim-approval"),
    "claim that its asker approved under another name": (DEMANDED + ";" + APPROVED.format(approver="console:Ana@red.example"), "claim-approval"),
    "claim that was approved later": (DEMANDED + ";" + APPROVED.format(approver="console:eva") + ";UPDATE event_log SET at = at + INTERVAL 2 MINUTE"
                                      " WHERE subject = 'approval' AND subject_id = 99 AND to_state = 'approved'", "claim-approval"),
    "claim that was asked for later": (DEMANDED + ";" + APPROVED.format(approver="console:eva") + ";UPDATE event_log SET id = (SELECT MAX(id) + 1 FROM"
                                       " event_log) WHERE subject = 'approval' AND subject_id = 99 AND what = 'created'", "claim-approval"),
    "address of notifications that nobody approved": (
        RULED + "INSERT INTO event_log (subject, subject_id, what, from_state, to_state, actor, changes) SELECT 'merchant', id, 'changed', 'enabled',"
        " 'enabled', 'operator:eva', JSON_OBJECT('notify_url', JSON_ARRAY(notify_url, 'https://evil.example/')) FROM merchants;"
        "UPDATE merchants SET notify_url = 'https://evil.example/'", "change-approval"),
    "address of notifications instead of the one that was approved": (
        RULED + "UPDATE event_log SET changes = REPLACE(changes, '192.0.2.2', '192.0.2.3') WHERE subject = 'merchant' AND changes LIKE '%192.0.2.2%'",
        "change-approval"),
    "secret that nobody approved": (
        RULED + "INSERT INTO event_log (subject, subject_id, what, from_state, to_state, actor, changes) SELECT 'network', id, 'rotated', 'enabled',"
        " 'enabled', 'operator:eva', '{\"fixed_hash\":\"changed\"}' FROM networks", "change-approval"),
    "old secret that nobody approved": (
        RULED + "INSERT INTO event_log (subject, subject_id, what, from_state, to_state, actor, changes) SELECT 'network', id, 'changed', 'enabled',"
        " 'enabled', 'operator:eva', '{\"old_hash\":\"changed\",\"old_hash_until\":[null,\"2099-01-01 00:00:00.000000\"]}' FROM networks;"
        "UPDATE networks SET old_hash = fixed_hash, old_hash_until = '2099-01-01'", "change-approval"),
    "limit that nobody approved": (
        RULED + "INSERT INTO event_log (subject, subject_id, what, actor, reason) SELECT 'network', network_id, 'money limits', 'operator:eva',"
        " CONCAT(currency, ': day ', day_limit, ' (was ', day_limit, '), outstanding 9000000.0000 (was ', outstanding_limit, ')') FROM network_limits;"
        "UPDATE network_limits SET outstanding_limit = 9000000;"
        "UPDATE network_rooms SET outstanding_room = outstanding_room + 7000000 WHERE part = 3", "change-approval"),
    # Left out of the settlement that was open when they became final.
    "operation that is not collected": (CLOSED_LATER + "UPDATE settlement_items SET settlement = NULL WHERE transaction_id = @payment",
                                        "settlement-item-overdue"),
    "refund put off": (CLOSED_LATER + "UPDATE settlement_items SET settlement = 2 WHERE kind = 'refunded'", "settlement-item-overdue"),
    # Ids that no program gives.
    "user 0 made up": ("INSERT INTO console_users (name, role, changed_by) VALUES ('iris', 'operator', 'x');"
                       "UPDATE console_users SET id = 0 WHERE name = 'iris'", "user-without-creation"),
    "top-up 0 made up": ("INSERT INTO transactions (network_id, network_transaction, account_id, reference, amount, currency, commerce,"
                         " description, teller, fingerprint, changed_by) SELECT network_id, 'forged', account_id, reference, amount, currency,"
                         " commerce, description, teller, fingerprint, changed_by FROM transactions WHERE id = @top_up;"
                         "UPDATE transactions SET id = 0 WHERE network_transaction = 'forged'", "transaction-without-creation"),
    "event 0 made up": ("INSERT INTO event_log (subject, subject_id, what, actor) VALUES ('setting', 1, 'test', 'x');"
                        "UPDATE event_log SET id = 0 WHERE id = LAST_INSERT_ID()", "event-added"),
    # What stands twice where the owner has removed the unique key.
    "payment of a network twice": ("UPDATE transactions SET network_transaction = (SELECT network_transaction FROM transactions WHERE id = @payment)"
                                   " WHERE id = @registered", "row-twice"),
    "top-up that takes away": ("UPDATE transactions SET amount = -amount WHERE id = @top_up", "payment-amount"),
    "refund twice": ("INSERT INTO refunds (order_id, transaction_id, at, copy) SELECT order_id, transaction_id, at, 1 FROM refunds"
                     " WHERE order_id = @returned", "refund"),
    "top-up credited twice": ("INSERT INTO account_ledger (account_id, transaction_id, amount, balance, at) SELECT l.account_id, l.transaction_id,"
                              " l.amount, a.balance + l.amount, l.at FROM account_ledger l JOIN accounts a ON a.id = l.account_id"
                              " WHERE l.transaction_id = @top_up;"
                              "UPDATE accounts a JOIN account_ledger l ON l.account_id = a.id SET a.balance = a.balance + l.amount"
                              " WHERE l.transaction_id = @top_up", "ledger-payment"),
    "operation settled twice": ("INSERT INTO settlement_items (transaction_id, kind, at, copy) SELECT transaction_id, kind, at, 1 FROM settlement_items"
                                " WHERE transaction_id = @payment", "settlement-item-extra"),
    "notification sent twice": ("INSERT INTO notifications (webhook_id, order_id, merchant_id, status, state, amount, payment_means)"
                                " SELECT 'x', order_id, merchant_id, status, 'pending', amount, '' FROM notifications WHERE order_id = @paid",
                                "notification-extra"),
    "operation in a settlement that is none": ("UPDATE settlement_items SET settlement = 99 WHERE transaction_id = @payment",
                                               "settlement-item-orphan"),
    "payment of an order credited too": ("UPDATE transactions SET account_id = (SELECT MIN(id) FROM accounts) WHERE id = @payment;"
                                         "INSERT INTO account_ledger (account_id, transaction_id, amount, balance, at) SELECT a.id, t.id, t.amount,"
                                         " a.balance + t.amount, t.finalised_at FROM accounts a JOIN transactions t ON t.account_id = a.id"
                                         " WHERE t.id = @payment;"
                                         "UPDATE accounts SET currency = 'COP', balance = balance + 45000;"
                                         "UPDATE transactions SET currency = 'COP' WHERE account_id IS NOT NULL", "ledger-payment"),
    "room of a payment of an order": ("UPDATE transactions SET account_id = (SELECT MIN(id) FROM accounts) WHERE order_id = @held;"
                                      "UPDATE accounts SET reserved = reserved + 45000", "account-reserved"),
    "currency of an account whose top-up is confirmed": (
        "UPDATE transactions SET account_id = 99, state = 'CONFIRMADA' WHERE id = @top_up;"
        "INSERT INTO accounts (id, document, document_type, name, currency, reserved, changed_by) VALUES (99, 'D-4', 'CC', 'X', 'COP', 3.25, 'x')",
        "account-reserved"),
    "cancellation of a payment that is final": ("UPDATE transactions SET cancelled_at = finalised_at WHERE id = @payment", "transaction-instant"),
    "confirmation of a payment that is registered": ("UPDATE transactions SET confirmed_at = registered_at, window_ends_at = registered_at"
                                                     " + INTERVAL 1 SECOND WHERE id = @registered", "transaction-instant"),
    "part of a limit that no confirmation finds": ("UPDATE network_rooms SET part = 16 WHERE part = 0", "limit-parts"),
    "events of a seal": ("UPDATE seals SET events = REPEAT('a', 64) WHERE number = 2", "events-changed"),
}

# What is not of its column's kind: the statement, what the finding says, and the table that it names.
UNREADABLE = {
    "instant of an order": ("UPDATE orders SET due_at = 0 WHERE id = @expired", "due_at of orders", "orders"),
    "instant of a payment": ("UPDATE transactions SET confirmed_at = 0 WHERE id = @payment", "confirmed_at of transactions", "transactions"),
    "time of an event": ("UPDATE event_log SET at = 0 WHERE subject = 'transaction' AND subject_id = @payment AND what = 'created'",
                         "at of event_log", "transactions"),
    "time of an operation": ("UPDATE settlement_items SET at = 0 WHERE transaction_id = @payment", "at of settlement_items", "settlement_items"),
    "time of a settlement": ("UPDATE settlements SET opened_at = 0 WHERE number = 1", "opened_at of settlements", "settlements"),
    "time of a settlement's event": ("UPDATE event_log SET at = 0 WHERE subject = 'settlement' AND subject_id = 1", "at of event_log", "settlements"),
    "time of a remittance": ("UPDATE remittances SET at = 0", "at of remittances", "remittances"),
    "changes of an event": ("UPDATE event_log SET changes = 'x' WHERE subject = 'order' AND subject_id = @paid AND what = 'created'",
                            "changes of event_log", "orders"),
    "half of what an event changed": ("UPDATE event_log SET changes = '{\"amount\":[]}' WHERE subject = 'order' AND subject_id = @paid"
                                      " AND what = 'created'", "the rest of this row", "orders"),
    "first instant that there is": ("UPDATE event_log SET at = '0001-01-01' WHERE subject = 'setting' AND changes LIKE '%cancel_window%'",
                                    "date value out of range", "event_log"),
    "changes of an event of a setting": ("INSERT INTO event_log (subject, subject_id, what, actor, changes)"
                                         " VALUES ('setting', 1, 'changed', 'x', '[1]')", "changes of event_log", "event_log"),
}
