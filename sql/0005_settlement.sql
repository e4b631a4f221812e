-- recaudo schema 5: settlement, refund claims, and what they are found by.

-- Why a person changed the state: the event tells it. (Not added twice where another migration brought it.)
ALTER TABLE orders
  ADD COLUMN IF NOT EXISTS state_reason VARCHAR(250) NULL
    COMMENT 'Why the state was changed the last time, where a reason was given; goes into the event' AFTER paid_by;

CREATE OR REPLACE TRIGGER orders_changed AFTER UPDATE ON orders FOR EACH ROW
  INSERT INTO events (subject, subject_id, version, what, from_state, to_state, actor, db_account, reason)
  VALUES ('order', NEW.id, NEW.version,
          CASE WHEN NEW.state <> OLD.state THEN 'state'
               WHEN OLD.held_by IS NULL AND NEW.held_by IS NOT NULL THEN 'held'
               WHEN OLD.held_by IS NOT NULL AND NEW.held_by IS NULL THEN 'released'
               ELSE 'changed' END,
          OLD.state, NEW.state, NEW.changed_by, SESSION_USER(), IF(NEW.state <> OLD.state, NEW.state_reason, NULL));

-- The day a payment is settled on is that of this instant, whenever a dispatcher came round to write it.
ALTER TABLE transactions
  ADD COLUMN settled_at DATETIME(6) AS (COALESCE(cancelled_at, window_ends_at)) VIRTUAL
    COMMENT 'UTC; from here on nothing changes any more: the cancellation, else the end of the window; NULL: not confirmed' AFTER cancelled_at,
  ADD KEY settled (settled_at, id);

CREATE TABLE refunds (
  order_id BIGINT UNSIGNED NOT NULL COMMENT 'Order that became ANULADA; each at most once',
  transaction_id BIGINT UNSIGNED NOT NULL COMMENT 'Payment that was given back, whole',
  at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  PRIMARY KEY (order_id),
  KEY at (at, order_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Payments given back, by the merchant or on a customer''s claim; append only. Who and why stands in the events of the order';

INSERT INTO refunds (order_id, transaction_id, at)
  SELECT o.id, o.paid_by, MIN(e.at) FROM orders o
    JOIN events e ON e.subject = 'order' AND e.subject_id = o.id AND e.what = 'state' AND e.to_state = 'ANULADA'
   WHERE o.state = 'ANULADA' GROUP BY o.id;

CREATE TRIGGER orders_refunded AFTER UPDATE ON orders FOR EACH ROW FOLLOWS orders_changed
BEGIN
  IF NEW.state = 'ANULADA' AND OLD.state <> 'ANULADA' THEN
    INSERT INTO refunds (order_id, transaction_id) VALUES (NEW.id, NEW.paid_by);
  END IF;
END;

CREATE TRIGGER refunds_keep BEFORE UPDATE ON refunds FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refunds: append only';
CREATE TRIGGER refunds_stay BEFORE DELETE ON refunds FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refunds: append only';

-- Writes what the clock has decided already about one order: its payment's window has closed, so it is paid (src/store/windows.c does the
-- same for many at once). For accounts that may not write any of these columns by themselves. 1: written, 0: nothing to write.
CREATE FUNCTION order_finalise (wanted BIGINT UNSIGNED, who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Finalises the payment that holds this order if its cancellation window has closed'
BEGIN
  DECLARE written INT;
  UPDATE orders o STRAIGHT_JOIN transactions t FORCE INDEX (PRIMARY) ON t.id = o.held_by
     SET t.state = 'FINALIZADA', t.finalised_at = UTC_TIMESTAMP(6), t.changed_by = who,
         o.state = 'APROBADA', o.paid_by = t.id, o.held_by = NULL, o.held_until = NULL, o.changed_by = who
   WHERE o.id = wanted AND o.state = 'PENDIENTE' AND t.order_id = o.id
     AND t.state = 'CONFIRMADA' AND t.window_ends_at <= UTC_TIMESTAMP(6);
  SET written = ROW_COUNT();
  IF written = 0 THEN
    RETURN 0;
  END IF;
  INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means, changed_by)
    SELECT o.id, o.merchant_id, 'approved', IF(m.notify_url IS NULL, 'unaddressed', 'pending'), t.amount,
           COALESCE(o.payment_means, n.name), who
      FROM orders o STRAIGHT_JOIN transactions t FORCE INDEX (PRIMARY) ON t.id = o.paid_by
     STRAIGHT_JOIN merchants m FORCE INDEX (PRIMARY) ON m.id = o.merchant_id
     STRAIGHT_JOIN networks n FORCE INDEX (PRIMARY) ON n.id = t.network_id
     WHERE o.id = wanted LOCK IN SHARE MODE;
  RETURN 1;
END;
