-- What each account may do: no more than its program needs. Applied by `recaudoctl db migrate` after the migrations.
-- Nobody may change or delete an event or a ledger line; the triggers that write them run with the rights of the schema's owner.

-- The FastCGI workers.
GRANT SELECT ON schema_version TO 'recaudo_worker'@'localhost';
GRANT SELECT ON settings TO 'recaudo_worker'@'localhost';
GRANT SELECT ON always TO 'recaudo_worker'@'localhost';
GRANT SELECT (id, name, enabled, fixed_hash, old_hash, old_hash_until, allow_addresses, rate_limit, rate_burst,
  distinct_from, signature) ON networks TO 'recaudo_worker'@'localhost';
GRANT SELECT (id, name, commerce, country, enabled, fixed_hash, old_hash, old_hash_until) ON merchants TO 'recaudo_worker'@'localhost';
GRANT SELECT, INSERT, UPDATE ON old_secret_uses TO 'recaudo_worker'@'localhost';
GRANT SELECT, INSERT, UPDATE ON unsigned_uses TO 'recaudo_worker'@'localhost';
GRANT SELECT (id, document, document_type, name, lastname1, lastname2, currency, room) ON accounts TO 'recaudo_worker'@'localhost';
GRANT SELECT (code, currency, time_zone) ON countries TO 'recaudo_worker'@'localhost';
GRANT SELECT ON currencies TO 'recaudo_worker'@'localhost';
GRANT SELECT ON integrations TO 'recaudo_worker'@'localhost';
GRANT INSERT ON external_queries TO 'recaudo_worker'@'localhost';
GRANT SELECT, INSERT ON offers TO 'recaudo_worker'@'localhost';
-- The terms of an order, which the trigger orders_guard protects while it is held and once it is closed; and a payment
-- as it was registered. No state, hold or instant: functions write these, and judge by the rows and the server's clock.
GRANT SELECT,
  INSERT (merchant_id, po_id, reference, amount, min_amount, max_amount, vat, currency, country, description, language, payment_means,
          email, document, document_type, customer_name, token, origin, due_at, changed_by),
  UPDATE (reference, amount, min_amount, max_amount, vat, country, description, language, payment_means, email, document,
          document_type, customer_name, due_at, changed_by)
  ON orders TO 'recaudo_worker'@'localhost';
-- No right to reference_owners: the triggers on orders and accounts write it, with the owner's rights.
GRANT EXECUTE ON FUNCTION reference_prefix_owner TO 'recaudo_worker'@'localhost';
GRANT EXECUTE ON FUNCTION reference_is_anothers TO 'recaudo_worker'@'localhost';
GRANT SELECT,
  INSERT (id, network_id, network_transaction, order_id, account_id, reference, amount, currency, commerce, description, teller,
          given_names, surname1, surname2, fingerprint, changed_by)
  ON transactions TO 'recaudo_worker'@'localhost';
GRANT EXECUTE ON FUNCTION payment_confirm TO 'recaudo_worker'@'localhost';
GRANT EXECUTE ON FUNCTION payments_confirm TO 'recaudo_worker'@'localhost';
GRANT EXECUTE ON FUNCTION top_up_confirm TO 'recaudo_worker'@'localhost';
GRANT EXECUTE ON FUNCTION payment_cancel TO 'recaudo_worker'@'localhost';
GRANT EXECUTE ON FUNCTION order_finalise TO 'recaudo_worker'@'localhost';
GRANT EXECUTE ON FUNCTION top_up_finalise TO 'recaudo_worker'@'localhost';
GRANT EXECUTE ON FUNCTION order_cancel TO 'recaudo_worker'@'localhost';
GRANT EXECUTE ON FUNCTION order_refund TO 'recaudo_worker'@'localhost';
GRANT SELECT (id, order_id, merchant_id, state, due_at) ON notifications TO 'recaudo_worker'@'localhost';
GRANT SELECT (id, notification_id, http_status, reason) ON attempts TO 'recaudo_worker'@'localhost';
-- For /readyz and /metrics.
-- (Requests need only the grants above that line; src/store/schema/rights.c looks for it.)
GRANT EXECUTE ON FUNCTION write_try TO 'recaudo_worker'@'localhost';
GRANT EXECUTE ON FUNCTION full_note TO 'recaudo_worker'@'localhost';
GRANT EXECUTE ON FUNCTION refusals_note TO 'recaudo_worker'@'localhost';
GRANT EXECUTE ON FUNCTION network_refused_note TO 'recaudo_worker'@'localhost';
GRANT EXECUTE ON FUNCTION network_served_note TO 'recaudo_worker'@'localhost';
GRANT EXECUTE ON FUNCTION trouble_note TO 'recaudo_worker'@'localhost';
GRANT SELECT ON last_done TO 'recaudo_worker'@'localhost';
GRANT EXECUTE ON FUNCTION seal_wait TO 'recaudo_worker'@'localhost';
GRANT SELECT ON endpoints_now TO 'recaudo_worker'@'localhost';
GRANT SELECT (merchant_id, failing_since, resting_until) ON endpoints TO 'recaudo_worker'@'localhost';
GRANT SELECT ON merchants_refusing TO 'recaudo_worker'@'localhost';
GRANT SELECT ON networks_refused TO 'recaudo_worker'@'localhost';
GRANT SELECT ON notifications_stuck TO 'recaudo_worker'@'localhost';
GRANT SELECT (task, seen_at) ON dispatchers TO 'recaudo_worker'@'localhost';
GRANT SELECT ON dispatcher_totals TO 'recaudo_worker'@'localhost';
GRANT SELECT ON network_limits_now TO 'recaudo_worker'@'localhost';
GRANT SELECT (state, is_open, opened_at, closed_at, day, zone, digest) ON settlements TO 'recaudo_worker'@'localhost';
GRANT SELECT (at, settlement) ON settlement_items TO 'recaudo_worker'@'localhost';
GRANT SELECT (what, begun_for) ON retention TO 'recaudo_worker'@'localhost';

-- The dispatcher's settling process: it writes what the clock has decided. It cannot read any secret, not even
-- encrypted.
GRANT SELECT ON schema_version TO 'recaudo_dispatcher'@'localhost';
-- These functions write what is final, due or expired; they judge by the rows and the server's clock.
GRANT EXECUTE ON FUNCTION payments_finalise TO 'recaudo_dispatcher'@'localhost';
GRANT EXECUTE ON FUNCTION top_ups_finalise TO 'recaudo_dispatcher'@'localhost';
GRANT EXECUTE ON FUNCTION orders_expire TO 'recaudo_dispatcher'@'localhost';
-- One by one, when a batch is refused.
GRANT EXECUTE ON FUNCTION order_finalise TO 'recaudo_dispatcher'@'localhost';
GRANT EXECUTE ON FUNCTION order_expire TO 'recaudo_dispatcher'@'localhost';
GRANT EXECUTE ON FUNCTION top_up_finalise TO 'recaudo_dispatcher'@'localhost';
GRANT EXECUTE ON FUNCTION network_limit_warn TO 'recaudo_dispatcher'@'localhost';
GRANT EXECUTE ON FUNCTION payments_count TO 'recaudo_dispatcher'@'localhost';
GRANT SELECT (state, held_by, due_at) ON orders TO 'recaudo_dispatcher'@'localhost';
GRANT SELECT (account_id, amount, state, window_ends_at) ON transactions TO 'recaudo_dispatcher'@'localhost';
GRANT SELECT (id, balance) ON accounts TO 'recaudo_dispatcher'@'localhost';
GRANT SELECT, INSERT, UPDATE (seen_at, ended_at, in_flight), DELETE ON dispatchers TO 'recaudo_dispatcher'@'localhost';
GRANT SELECT, INSERT, UPDATE ON dispatcher_totals TO 'recaudo_dispatcher'@'localhost';
GRANT EXECUTE ON FUNCTION full_note TO 'recaudo_dispatcher'@'localhost';
-- Old data is purged through the owner's views and functions, so this process reads nothing about customers.
GRANT SELECT, UPDATE ON retention TO 'recaudo_dispatcher'@'localhost';
GRANT SELECT ON attempts_to_purge TO 'recaudo_dispatcher'@'localhost';
GRANT EXECUTE ON FUNCTION attempts_purge TO 'recaudo_dispatcher'@'localhost';
GRANT SELECT ON queries_to_purge TO 'recaudo_dispatcher'@'localhost';
GRANT EXECUTE ON FUNCTION queries_purge TO 'recaudo_dispatcher'@'localhost';
GRANT SELECT ON transactions_to_purge TO 'recaudo_dispatcher'@'localhost';
GRANT EXECUTE ON FUNCTION transactions_purge TO 'recaudo_dispatcher'@'localhost';
GRANT SELECT ON orders_to_purge TO 'recaudo_dispatcher'@'localhost';
GRANT EXECUTE ON FUNCTION orders_purge TO 'recaudo_dispatcher'@'localhost';
-- Collecting and closing settlements, and what the digest of a closed one is computed from.
GRANT SELECT ON settlements TO 'recaudo_dispatcher'@'localhost';
GRANT SELECT (id, name) ON networks TO 'recaudo_dispatcher'@'localhost';
GRANT SELECT (id, name) ON merchants TO 'recaudo_dispatcher'@'localhost';
GRANT SELECT (id, merchant_id, po_id) ON orders TO 'recaudo_dispatcher'@'localhost';
GRANT SELECT (id, network_id, network_transaction, order_id, currency) ON transactions TO 'recaudo_dispatcher'@'localhost';
GRANT SELECT ON settlement_items TO 'recaudo_dispatcher'@'localhost';
GRANT EXECUTE ON FUNCTION settlement_collect TO 'recaudo_dispatcher'@'localhost';
GRANT EXECUTE ON FUNCTION settlement_close TO 'recaudo_dispatcher'@'localhost';
GRANT EXECUTE ON FUNCTION settlement_sum TO 'recaudo_dispatcher'@'localhost';
-- Sealing the event log: seals are appended, and nobody changes or deletes one.
GRANT SELECT ON event_log TO 'recaudo_dispatcher'@'localhost';
GRANT SELECT, INSERT ON seals TO 'recaudo_dispatcher'@'localhost';
GRANT EXECUTE ON FUNCTION trouble_note TO 'recaudo_dispatcher'@'localhost';

-- The dispatcher's delivering process: it talks to the internet, so it can write nothing that is money, and read little.
GRANT SELECT ON schema_version TO 'recaudo_deliverer'@'localhost';
GRANT SELECT (id, name, notify_url, notify_digest, acknowledgement, notification_hash, old_notification_hash, old_notification_hash_until)
  ON merchants TO 'recaudo_deliverer'@'localhost';
GRANT SELECT (id, po_id, currency) ON orders TO 'recaudo_deliverer'@'localhost';
-- To know when the next cancellation window closes, because a notification is due then.
GRANT SELECT (state, window_ends_at) ON transactions TO 'recaudo_deliverer'@'localhost';
GRANT SELECT, UPDATE (state, attempts, due_at, lease, settled_at, changed_by) ON notifications TO 'recaudo_deliverer'@'localhost';
GRANT SELECT ON notifications_stuck TO 'recaudo_deliverer'@'localhost';
GRANT SELECT, INSERT ON attempts TO 'recaudo_deliverer'@'localhost';
GRANT SELECT, INSERT, UPDATE, DELETE ON endpoints TO 'recaudo_deliverer'@'localhost';
GRANT SELECT, UPDATE (taken_at, done_at, duration_us, url, address, http_status, reason, reply) ON endpoint_tests TO 'recaudo_deliverer'@'localhost';
GRANT SELECT, INSERT, UPDATE (seen_at, ended_at, in_flight), DELETE ON dispatchers TO 'recaudo_deliverer'@'localhost';
GRANT SELECT, INSERT, UPDATE ON dispatcher_totals TO 'recaudo_deliverer'@'localhost';
GRANT EXECUTE ON FUNCTION full_note TO 'recaudo_deliverer'@'localhost';
GRANT EXECUTE ON FUNCTION trouble_note TO 'recaudo_deliverer'@'localhost';
GRANT SELECT ON last_done TO 'recaudo_deliverer'@'localhost';

-- The operator's command line.
GRANT SELECT ON settings TO 'recaudo_operator'@'localhost';
GRANT SELECT ON schema_version TO 'recaudo_operator'@'localhost';
GRANT SELECT ON always TO 'recaudo_operator'@'localhost';
GRANT SELECT, UPDATE (query_code, changed_by) ON currencies TO 'recaudo_operator'@'localhost';
GRANT SELECT ON countries TO 'recaudo_operator'@'localhost';
GRANT SELECT, INSERT, UPDATE (enabled, fixed_hash, old_hash, old_hash_until, reencrypted, allow_addresses, rate_limit, rate_burst,
  distinct_from, signature, changed_by) ON networks TO 'recaudo_operator'@'localhost';
GRANT SELECT, INSERT, UPDATE (commerce, country, enabled, notify_url, notify_digest, acknowledgement, fixed_hash, notification_hash,
  old_hash, old_hash_until, old_notification_hash, old_notification_hash_until, reencrypted, reference_quarantine, changed_by)
  ON merchants TO 'recaudo_operator'@'localhost';
GRANT SELECT ON old_secret_uses TO 'recaudo_operator'@'localhost';
GRANT SELECT ON unsigned_uses TO 'recaudo_operator'@'localhost';
GRANT SELECT, INSERT (document, document_type, name, lastname1, lastname2, currency, changed_by) ON accounts TO 'recaudo_operator'@'localhost';
GRANT SELECT,
  INSERT (merchant_id, po_id, reference, amount, min_amount, max_amount, currency, description, payment_means, email, document,
          document_type, customer_name, origin, due_at, changed_by)
  ON orders TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION order_finalise TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION order_claim TO 'recaudo_operator'@'localhost';
GRANT SELECT ON dual_control TO 'recaudo_operator'@'localhost';
GRANT SELECT ON dual_changes TO 'recaudo_operator'@'localhost';
GRANT SELECT (id, kind, subject_id, seen, amount, currency, changes, reason, asked_by, asked_at, expires_at, state, answered_by, answered_at,
  answer) ON approvals TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION approval_seen TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION approval_ask TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION approval_answer TO 'recaudo_operator'@'localhost';
-- These functions also write the reason to the log, where no account may write directly.
GRANT EXECUTE ON FUNCTION notifications_retry TO 'recaudo_operator'@'localhost';
GRANT SELECT ON attempts_to_purge TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION attempts_purge TO 'recaudo_operator'@'localhost';
GRANT SELECT ON queries_to_purge TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION queries_purge TO 'recaudo_operator'@'localhost';
GRANT SELECT ON transactions_to_purge TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION transactions_purge TO 'recaudo_operator'@'localhost';
GRANT SELECT ON orders_to_purge TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION orders_purge TO 'recaudo_operator'@'localhost';
GRANT SELECT ON reference_owners TO 'recaudo_operator'@'localhost';
GRANT SELECT, INSERT, UPDATE (changed_by), DELETE ON reference_prefixes TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION reference_kept_until TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION reference_prefix_owner TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION reference_under_code TO 'recaudo_operator'@'localhost';
GRANT SELECT ON transactions TO 'recaudo_operator'@'localhost';
GRANT SELECT ON refunds TO 'recaudo_operator'@'localhost';
GRANT SELECT ON settlements TO 'recaudo_operator'@'localhost';
GRANT SELECT ON payment_counts TO 'recaudo_operator'@'localhost';
GRANT SELECT ON settlement_items TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION settlement_collect TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION settlement_close TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION settlement_sum TO 'recaudo_operator'@'localhost';
GRANT SELECT ON account_ledger TO 'recaudo_operator'@'localhost';
GRANT SELECT ON notifications TO 'recaudo_operator'@'localhost';
GRANT SELECT ON attempts TO 'recaudo_operator'@'localhost';
GRANT SELECT ON endpoints TO 'recaudo_operator'@'localhost';
GRANT SELECT ON dispatchers TO 'recaudo_operator'@'localhost';
GRANT SELECT ON dispatcher_totals TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION write_try TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION full_note TO 'recaudo_operator'@'localhost';
GRANT SELECT ON last_done TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION seal_wait TO 'recaudo_operator'@'localhost';
GRANT SELECT ON retention TO 'recaudo_operator'@'localhost';
GRANT SELECT ON refusal_counts TO 'recaudo_operator'@'localhost';
GRANT SELECT, INSERT, UPDATE (endpoint, currency, removed_at, changed_by) ON integrations TO 'recaudo_operator'@'localhost';
GRANT SELECT ON external_queries TO 'recaudo_operator'@'localhost';
GRANT SELECT ON offers TO 'recaudo_operator'@'localhost';
GRANT SELECT ON event_log TO 'recaudo_operator'@'localhost';
GRANT SELECT ON events TO 'recaudo_operator'@'localhost';
GRANT SELECT ON seals TO 'recaudo_operator'@'localhost';
GRANT SELECT, INSERT (name, role, merchant_id, changed_by), UPDATE (role, merchant_id, enabled, changed_by) ON console_users
  TO 'recaudo_operator'@'localhost';
GRANT SELECT ON orders_now TO 'recaudo_operator'@'localhost';
GRANT SELECT ON transactions_now TO 'recaudo_operator'@'localhost';
GRANT SELECT ON due_now TO 'recaudo_operator'@'localhost';
GRANT SELECT ON endpoints_now TO 'recaudo_operator'@'localhost';
GRANT SELECT ON merchants_refusing TO 'recaudo_operator'@'localhost';
GRANT SELECT ON networks_refused TO 'recaudo_operator'@'localhost';
GRANT SELECT ON notifications_stuck TO 'recaudo_operator'@'localhost';
-- Only these functions change what networks may confirm, each with its event.
GRANT SELECT ON network_limits_now TO 'recaudo_operator'@'localhost';
-- An UPDATE of several tables needs this right for what the triggers of `transactions` read.
GRANT SELECT ON network_rooms TO 'recaudo_operator'@'localhost';
GRANT SELECT ON remittances TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION network_limit_begin TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION network_limit_settle TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION history_end TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION network_limit_set TO 'recaudo_operator'@'localhost';
GRANT EXECUTE ON FUNCTION network_remit TO 'recaudo_operator'@'localhost';

-- The console in the browser: the only secret that it reads is the key of its own forms, and it writes no table.
GRANT SELECT ON schema_version TO 'recaudo_console'@'localhost';
GRANT SELECT ON settings TO 'recaudo_console'@'localhost';
GRANT SELECT ON always TO 'recaudo_console'@'localhost';
GRANT SELECT ON currencies TO 'recaudo_console'@'localhost';
GRANT SELECT ON countries TO 'recaudo_console'@'localhost';
GRANT SELECT (id, name, enabled, old_hash_until, reencrypted, allow_addresses, rate_limit, rate_burst, distinct_from, signature,
  changed_by, created_at, changed_at) ON networks TO 'recaudo_console'@'localhost';
GRANT SELECT (id, name, commerce, country, enabled, notify_url, notify_digest, acknowledgement, old_hash_until, old_notification_hash_until,
  reencrypted, reference_quarantine, changed_by, created_at, changed_at) ON merchants TO 'recaudo_console'@'localhost';
GRANT SELECT ON old_secret_uses TO 'recaudo_console'@'localhost';
GRANT SELECT ON unsigned_uses TO 'recaudo_console'@'localhost';
GRANT SELECT (id, document) ON accounts TO 'recaudo_console'@'localhost';
GRANT SELECT ON orders TO 'recaudo_console'@'localhost';
GRANT SELECT ON transactions TO 'recaudo_console'@'localhost';
GRANT SELECT ON refunds TO 'recaudo_console'@'localhost';
GRANT SELECT ON settlements TO 'recaudo_console'@'localhost';
GRANT SELECT ON settlement_items TO 'recaudo_console'@'localhost';
GRANT SELECT ON notifications TO 'recaudo_console'@'localhost';
GRANT SELECT ON attempts TO 'recaudo_console'@'localhost';
GRANT SELECT ON endpoints TO 'recaudo_console'@'localhost';
GRANT SELECT ON dispatchers TO 'recaudo_console'@'localhost';
GRANT SELECT ON dispatcher_totals TO 'recaudo_console'@'localhost';
GRANT SELECT ON integrations TO 'recaudo_console'@'localhost';
GRANT SELECT ON external_queries TO 'recaudo_console'@'localhost';
GRANT SELECT ON offers TO 'recaudo_console'@'localhost';
GRANT SELECT ON event_log TO 'recaudo_console'@'localhost';
GRANT SELECT ON events TO 'recaudo_console'@'localhost';
GRANT SELECT ON orders_now TO 'recaudo_console'@'localhost';
GRANT SELECT ON transactions_now TO 'recaudo_console'@'localhost';
GRANT SELECT ON due_now TO 'recaudo_console'@'localhost';
GRANT SELECT (reference, left_by) ON reference_owners TO 'recaudo_console'@'localhost';
GRANT SELECT ON reference_prefixes TO 'recaudo_console'@'localhost';
GRANT SELECT ON endpoints_now TO 'recaudo_console'@'localhost';
GRANT SELECT ON merchants_refusing TO 'recaudo_console'@'localhost';
GRANT SELECT ON networks_refused TO 'recaudo_console'@'localhost';
GRANT SELECT ON notifications_stuck TO 'recaudo_console'@'localhost';
GRANT SELECT ON network_limits_now TO 'recaudo_console'@'localhost';
GRANT SELECT ON network_rooms TO 'recaudo_console'@'localhost';
GRANT SELECT ON remittances TO 'recaudo_console'@'localhost';
GRANT SELECT ON console_users TO 'recaudo_console'@'localhost';
GRANT SELECT ON console_keys TO 'recaudo_console'@'localhost';
GRANT SELECT ON endpoint_tests TO 'recaudo_console'@'localhost';
-- What users change; each function checks the user's role.
GRANT EXECUTE ON FUNCTION console_retry TO 'recaudo_console'@'localhost';
GRANT EXECUTE ON FUNCTION console_claim TO 'recaudo_console'@'localhost';
GRANT SELECT (id, kind, subject_id, seen, amount, currency, changes, reason, asked_by, asked_at, expires_at, state, answered_by, answered_at,
  answer) ON approvals TO 'recaudo_console'@'localhost';
GRANT EXECUTE ON FUNCTION approval_seen TO 'recaudo_console'@'localhost';
GRANT EXECUTE ON FUNCTION console_answer TO 'recaudo_console'@'localhost';
GRANT EXECUTE ON FUNCTION history_end TO 'recaudo_console'@'localhost';
GRANT EXECUTE ON FUNCTION console_enable TO 'recaudo_console'@'localhost';
GRANT EXECUTE ON FUNCTION console_limit_begin TO 'recaudo_console'@'localhost';
GRANT EXECUTE ON FUNCTION network_limit_settle TO 'recaudo_console'@'localhost';
GRANT EXECUTE ON FUNCTION console_limit_set TO 'recaudo_console'@'localhost';
GRANT EXECUTE ON FUNCTION console_test TO 'recaudo_console'@'localhost';
GRANT SELECT ON last_done TO 'recaudo_console'@'localhost';
GRANT EXECUTE ON FUNCTION seal_wait TO 'recaudo_console'@'localhost';
GRANT SELECT (what, begun_for) ON retention TO 'recaudo_console'@'localhost';
GRANT SELECT ON payment_counts TO 'recaudo_console'@'localhost';
GRANT SELECT ON refusal_counts TO 'recaudo_console'@'localhost';

-- People who read tables, and see how views are defined and executed. The encrypted secrets are left out.
GRANT SELECT ON settings TO 'recaudo_reader'@'localhost';
GRANT SELECT ON schema_version TO 'recaudo_reader'@'localhost';
GRANT SELECT ON currencies TO 'recaudo_reader'@'localhost';
GRANT SELECT ON countries TO 'recaudo_reader'@'localhost';
GRANT SELECT (id, name, enabled, old_hash_until, reencrypted, allow_addresses, rate_limit, rate_burst, distinct_from, signature,
  changed_by, created_at, changed_at) ON networks TO 'recaudo_reader'@'localhost';
GRANT SELECT (id, name, commerce, country, enabled, notify_url, notify_digest, acknowledgement, old_hash_until, old_notification_hash_until,
  reencrypted, reference_quarantine, changed_by, created_at, changed_at) ON merchants TO 'recaudo_reader'@'localhost';
GRANT SELECT ON old_secret_uses TO 'recaudo_reader'@'localhost';
GRANT SELECT ON unsigned_uses TO 'recaudo_reader'@'localhost';
GRANT SELECT ON accounts TO 'recaudo_reader'@'localhost';
GRANT SELECT ON account_ledger TO 'recaudo_reader'@'localhost';
GRANT SELECT ON orders TO 'recaudo_reader'@'localhost';
GRANT SELECT ON reference_owners TO 'recaudo_reader'@'localhost';
GRANT SELECT ON reference_prefixes TO 'recaudo_reader'@'localhost';
GRANT EXECUTE ON FUNCTION reference_kept_until TO 'recaudo_reader'@'localhost';
GRANT EXECUTE ON FUNCTION reference_prefix_owner TO 'recaudo_reader'@'localhost';
GRANT SELECT ON transactions TO 'recaudo_reader'@'localhost';
GRANT SELECT ON refunds TO 'recaudo_reader'@'localhost';
GRANT SELECT ON settlements TO 'recaudo_reader'@'localhost';
GRANT SELECT ON settlement_items TO 'recaudo_reader'@'localhost';
GRANT SELECT ON notifications TO 'recaudo_reader'@'localhost';
GRANT SELECT ON attempts TO 'recaudo_reader'@'localhost';
GRANT SELECT ON endpoints TO 'recaudo_reader'@'localhost';
GRANT SELECT ON endpoint_tests TO 'recaudo_reader'@'localhost';
GRANT SELECT ON dispatchers TO 'recaudo_reader'@'localhost';
GRANT SELECT ON dispatcher_totals TO 'recaudo_reader'@'localhost';
GRANT SELECT ON retention TO 'recaudo_reader'@'localhost';
GRANT SELECT ON payment_counts TO 'recaudo_reader'@'localhost';
GRANT SELECT ON refusal_counts TO 'recaudo_reader'@'localhost';
GRANT SELECT ON network_refusals TO 'recaudo_reader'@'localhost';
GRANT SELECT ON last_done TO 'recaudo_reader'@'localhost';
GRANT SELECT, SHOW VIEW ON attempts_to_purge TO 'recaudo_reader'@'localhost';
GRANT SELECT, SHOW VIEW ON queries_to_purge TO 'recaudo_reader'@'localhost';
GRANT SELECT, SHOW VIEW ON transactions_to_purge TO 'recaudo_reader'@'localhost';
GRANT SELECT, SHOW VIEW ON orders_to_purge TO 'recaudo_reader'@'localhost';
GRANT SELECT ON integrations TO 'recaudo_reader'@'localhost';
GRANT SELECT ON external_queries TO 'recaudo_reader'@'localhost';
GRANT SELECT ON offers TO 'recaudo_reader'@'localhost';
GRANT SELECT ON event_log TO 'recaudo_reader'@'localhost';
GRANT SELECT, SHOW VIEW ON events TO 'recaudo_reader'@'localhost';
GRANT SELECT ON seals TO 'recaudo_reader'@'localhost';
GRANT SELECT ON dual_control TO 'recaudo_reader'@'localhost';
GRANT SELECT ON dual_changes TO 'recaudo_reader'@'localhost';
GRANT SELECT (id, kind, subject_id, seen, amount, currency, changes, reason, asked_by, asked_at, expires_at, state, answered_by, answered_at,
  answer) ON approvals TO 'recaudo_reader'@'localhost';
GRANT SELECT ON console_users TO 'recaudo_reader'@'localhost';
GRANT SELECT, SHOW VIEW ON orders_now TO 'recaudo_reader'@'localhost';
GRANT SELECT, SHOW VIEW ON transactions_now TO 'recaudo_reader'@'localhost';
GRANT SELECT, SHOW VIEW ON due_now TO 'recaudo_reader'@'localhost';
GRANT SELECT, SHOW VIEW ON endpoints_now TO 'recaudo_reader'@'localhost';
GRANT SELECT, SHOW VIEW ON merchants_refusing TO 'recaudo_reader'@'localhost';
GRANT SELECT, SHOW VIEW ON networks_refused TO 'recaudo_reader'@'localhost';
GRANT SELECT, SHOW VIEW ON notifications_stuck TO 'recaudo_reader'@'localhost';
GRANT SELECT ON network_limits TO 'recaudo_reader'@'localhost';
GRANT SELECT ON network_rooms TO 'recaudo_reader'@'localhost';
GRANT SELECT ON remittances TO 'recaudo_reader'@'localhost';
GRANT SELECT, SHOW VIEW ON network_limits_now TO 'recaudo_reader'@'localhost';
