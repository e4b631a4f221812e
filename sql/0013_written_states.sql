-- recaudo schema 13: the views assert no payment that is not written, and notifications get a webhook-id that never comes again.

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
