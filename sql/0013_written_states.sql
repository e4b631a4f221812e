-- recaudo schema 13: the views assert no payment that is not written; no id that outsiders know comes again after a restore.

-- The clock may refuse a payment (VENCIDA). Only a written state may assert one: a cancellation that began inside the window may
-- still commit after its end. Until the approval is written, state_now stays what is written and window_closed is 1.
CREATE OR REPLACE SQL SECURITY INVOKER VIEW orders_now AS
  SELECT o.id, m.name AS merchant, o.po_id, o.reference,
         CASE WHEN o.state <> 'PENDIENTE' OR o.held_by IS NOT NULL THEN o.state
              WHEN o.due_at <= UTC_TIMESTAMP(6) THEN 'VENCIDA'
              ELSE 'PENDIENTE' END AS state_now,
         o.state AS state_written, o.amount, o.currency, o.description, o.due_at, o.held_by, o.held_until,
         o.held_by IS NOT NULL AND o.held_until <= UTC_TIMESTAMP(6) AS window_closed, o.paid_by,
         o.origin, o.created_at, o.changed_at, o.changed_by
    FROM orders o JOIN merchants m ON m.id = o.merchant_id;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW transactions_now AS
  SELECT t.id, n.name AS network, t.network_transaction, t.reference, t.order_id, t.account_id,
         t.state AS state_now, t.state AS state_written, t.amount, t.currency, t.commerce, t.teller,
         t.registered_at, t.confirmed_at, t.window_ends_at,
         t.state = 'CONFIRMADA' AND t.window_ends_at <= UTC_TIMESTAMP(6) AS window_closed, t.finalised_at, t.cancelled_at
    FROM transactions t JOIN networks n ON n.id = t.network_id;

-- The webhook-id is what merchants recognise a repeated message by, so it must not depend on a counter that a restored backup sets
-- back. Existing rows get theirs by an UPDATE, which is replicated as rows: an ALTER would draw other values on every server.
ALTER TABLE notifications
  ADD COLUMN webhook_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NULL
    COMMENT 'Header webhook-id, the same in every attempt: ntf_ and 128 random bits in hex, drawn when the row is made' AFTER id;
UPDATE notifications SET webhook_id = CONCAT('ntf_', LOWER(HEX(RANDOM_BYTES(16))));
ALTER TABLE notifications
  MODIFY webhook_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''
    COMMENT 'Header webhook-id, the same in every attempt: ntf_ and 128 random bits in hex, drawn when the row is made',
  ADD UNIQUE KEY webhook_id (webhook_id);

-- Drawn here whatever an account says, so that no account can choose it.
CREATE TRIGGER notifications_webhook_id BEFORE INSERT ON notifications FOR EACH ROW
  SET NEW.webhook_id = CONCAT('ntf_', LOWER(HEX(RANDOM_BYTES(16))));

-- Every table that numbers its rows, the number that comes next, and the last one that leaves programs half of the column's room.
CREATE SQL SECURITY INVOKER VIEW id_counters AS
  SELECT t.table_name AS name, COALESCE(t.auto_increment, 1) AS next_id,
         CASE c.data_type WHEN 'bigint' THEN 9223372036854775806 WHEN 'int' THEN 2147483646 WHEN 'smallint' THEN 32766
              ELSE 126 END AS greatest
    FROM information_schema.tables t JOIN information_schema.columns c
      ON c.table_schema = t.table_schema AND c.table_name = t.table_name AND c.extra LIKE '%auto_increment%'
   WHERE t.table_schema = DATABASE();

-- A backup, and a server that lags behind, know a past in which later ids were not given yet. Moves every AUTO_INCREMENT of this
-- schema on by `margin`, in one go for all tables that have one, or changes nothing. ALTER TABLE also reaches the other servers.
CREATE PROCEDURE ids_skip (IN margin BIGINT UNSIGNED)
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY INVOKER
  COMMENT 'Moves every AUTO_INCREMENT on by margin, so that no id is given a second time; for the owner, after a restore or promotion'
BEGIN
  DECLARE full VARCHAR(64) DEFAULT (SELECT MIN(name) FROM id_counters WHERE next_id > greatest OR margin > greatest - next_id);
  DECLARE message VARCHAR(128) DEFAULT CONCAT('ids_skip: ', full, '.id has no room for so many ids; nothing was moved');
  IF full IS NOT NULL THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = message;
  END IF;
  FOR counter IN (SELECT name, next_id FROM id_counters) DO
    EXECUTE IMMEDIATE CONCAT('ALTER TABLE `', counter.name, '` AUTO_INCREMENT = ', counter.next_id + margin);
  END FOR;
END;
