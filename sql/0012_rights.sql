-- recaudo schema 12: rights. What makes money final is written by the schema's owner alone: the routines below look at the rows
-- and at the server's clock, so that an account that may execute them can only hasten what is true already.

-- This moment in UTC, by the server's clock. Not UTC_TIMESTAMP, which a session moves with SET timestamp; and not as the session's
-- time zone tells it, which may have an hour twice.
CREATE FUNCTION utc_now () RETURNS DATETIME(6)
  NOT DETERMINISTIC NO SQL SQL SECURITY DEFINER
  COMMENT 'This moment in UTC, whatever timestamp and time_zone the session has set'
BEGIN
  DECLARE zone VARCHAR(64) DEFAULT @@SESSION.time_zone;
  DECLARE found DATETIME(6);
  IF zone = '+00:00' THEN
    RETURN SYSDATE(6);
  END IF;
  SET SESSION time_zone = '+00:00';
  SET found = SYSDATE(6);
  SET SESSION time_zone = zone;
  RETURN found;
END;

-- Writes that the transactions `ids` (a JSON array; the caller holds the locks of their rows and of their orders') pay their orders.
CREATE PROCEDURE payments_write (IN ids LONGTEXT, IN who VARCHAR(80), IN moment DATETIME(6), OUT written BIGINT UNSIGNED)
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Approves the orders that these transactions hold and whose windows have closed, each with its notification'
BEGIN
  UPDATE JSON_TABLE(ids, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch
    STRAIGHT_JOIN transactions t FORCE INDEX (PRIMARY) ON t.id = batch.id
    STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY) ON o.id = t.order_id
     SET t.state = 'FINALIZADA', t.finalised_at = moment, t.changed_by = who
   WHERE t.state = 'CONFIRMADA' AND t.window_ends_at <= moment AND o.state = 'PENDIENTE' AND o.held_by = t.id;
  SET written = ROW_COUNT();
  UPDATE JSON_TABLE(ids, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch
    STRAIGHT_JOIN transactions t FORCE INDEX (PRIMARY) ON t.id = batch.id
    STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY) ON o.id = t.order_id
     SET o.state = 'APROBADA', o.paid_by = t.id, o.held_by = NULL, o.held_until = NULL, o.changed_by = who
   WHERE t.state = 'FINALIZADA' AND o.state = 'PENDIENTE' AND o.held_by = t.id;
  IF ROW_COUNT() <> written THEN
    SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'payments_write: a row changed meanwhile';
  END IF;
  -- Locked, so that a merchant that gets its address at this moment finds every notification that waits for one.
  INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means, due_at, created_at, changed_by)
    SELECT o.id, o.merchant_id, 'approved', IF(m.notify_url IS NULL, 'unaddressed', 'pending'), t.amount,
           COALESCE(o.payment_means, n.name), moment, moment, who
      FROM JSON_TABLE(ids, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch
     STRAIGHT_JOIN transactions t FORCE INDEX (PRIMARY) ON t.id = batch.id
     STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY) ON o.id = t.order_id AND o.paid_by = t.id
     STRAIGHT_JOIN merchants m FORCE INDEX (PRIMARY) ON m.id = o.merchant_id
     STRAIGHT_JOIN networks n FORCE INDEX (PRIMARY) ON n.id = t.network_id LOCK IN SHARE MODE;
END;

CREATE FUNCTION payments_finalise (most INT UNSIGNED) RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Finalises up to so many payments of orders whose cancellation window has closed; how many'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  DECLARE written BIGINT UNSIGNED DEFAULT 0;
  DECLARE ids LONGTEXT;
  SELECT JSON_ARRAYAGG(id) INTO ids FROM (
    SELECT t.id FROM transactions t JOIN orders o ON o.id = t.order_id
     WHERE t.state = 'CONFIRMADA' AND t.window_ends_at <= moment AND o.state = 'PENDIENTE' AND o.held_by = t.id
     ORDER BY t.window_ends_at, t.id LIMIT most FOR UPDATE SKIP LOCKED) AS due;
  IF ids IS NOT NULL THEN
    CALL payments_write(ids, 'dispatcher', moment, written);
  END IF;
  RETURN written;
END;

-- The same for one order, before something is done that only a paid order allows. 1: written, 0: nothing to write.
CREATE OR REPLACE FUNCTION order_finalise (wanted BIGINT UNSIGNED, who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Finalises the payment that holds this order if its cancellation window has closed'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  DECLARE written BIGINT UNSIGNED DEFAULT 0;
  DECLARE payment BIGINT UNSIGNED DEFAULT (SELECT held_by FROM orders WHERE id = wanted);
  DECLARE ids LONGTEXT;
  SELECT JSON_ARRAYAGG(id) INTO ids FROM (
    SELECT t.id FROM transactions t STRAIGHT_JOIN orders o ON o.id = t.order_id
     WHERE t.id = payment AND t.state = 'CONFIRMADA' AND t.window_ends_at <= moment
       AND o.id = wanted AND o.state = 'PENDIENTE' AND o.held_by = t.id FOR UPDATE) AS due;
  IF ids IS NOT NULL THEN
    CALL payments_write(ids, who, moment, written);
  END IF;
  RETURN written;
END;

-- A top-up that its account has no room for stays CONFIRMADA and keeps nobody else waiting; due_now shows it.
CREATE FUNCTION top_ups_finalise (most INT UNSIGNED) RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Credits up to so many top-ups whose cancellation window has closed; how many'
BEGIN
  DECLARE greatest_balance DECIMAL(19,4) DEFAULT 999999999999999.9999;
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  DECLARE written BIGINT UNSIGNED DEFAULT 0;
  FOR due IN (
    SELECT t.id, t.account_id, t.amount FROM transactions t STRAIGHT_JOIN accounts a ON a.id = t.account_id
     WHERE t.state = 'CONFIRMADA' AND t.window_ends_at <= moment AND a.balance <= greatest_balance - t.amount
     ORDER BY t.window_ends_at, t.id LIMIT most FOR UPDATE SKIP LOCKED) DO
    UPDATE accounts SET balance = balance + due.amount, changed_by = 'dispatcher'
     WHERE id = due.account_id AND balance <= greatest_balance - due.amount;
    -- 0: an earlier one of this batch has left no room in the account.
    IF ROW_COUNT() = 1 THEN
      UPDATE transactions SET state = 'FINALIZADA', finalised_at = moment, changed_by = 'dispatcher' WHERE id = due.id;
      INSERT INTO account_ledger (account_id, transaction_id, amount, balance, at)
        SELECT id, due.id, due.amount, balance, moment FROM accounts WHERE id = due.account_id;
      SET written = written + 1;
    END IF;
  END FOR;
  RETURN written;
END;

CREATE FUNCTION orders_expire (most INT UNSIGNED) RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Expires up to so many unpaid orders that are past their due date, each with its notification; how many'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  DECLARE written BIGINT UNSIGNED DEFAULT 0;
  DECLARE ids LONGTEXT;
  SELECT JSON_ARRAYAGG(id) INTO ids FROM (
    SELECT id FROM orders WHERE state = 'PENDIENTE' AND held_by IS NULL AND due_at <= moment
     ORDER BY due_at, id LIMIT most FOR UPDATE SKIP LOCKED) AS due;
  IF ids IS NOT NULL THEN
    UPDATE JSON_TABLE(ids, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch
      STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY) ON o.id = batch.id
       SET o.state = 'VENCIDA', o.changed_by = 'dispatcher'
     WHERE o.state = 'PENDIENTE' AND o.held_by IS NULL AND o.due_at <= moment;
    SET written = ROW_COUNT();
    INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means, due_at, created_at)
      SELECT o.id, o.merchant_id, 'cancelled', IF(m.notify_url IS NULL, 'unaddressed', 'pending'), o.amount,
             COALESCE(o.payment_means, ''), moment, moment
        FROM JSON_TABLE(ids, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch
       STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY) ON o.id = batch.id AND o.state = 'VENCIDA'
       STRAIGHT_JOIN merchants m FORCE INDEX (PRIMARY) ON m.id = o.merchant_id LOCK IN SHARE MODE;
  END IF;
  RETURN written;
END;

-- The length of the cancellation window is the owner's say: `recaudoctl db migrate` writes it from the configuration.
CREATE TABLE settings (
  id TINYINT UNSIGNED NOT NULL COMMENT 'Always 1',
  cancel_window BIGINT UNSIGNED NOT NULL COMMENT 'Microseconds from a confirmation until it cannot be cancelled any more',
  PRIMARY KEY (id),
  CONSTRAINT settings_single CHECK (id = 1)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='One row for ever: what of the configuration the database itself goes by';

INSERT INTO settings (id, cancel_window) VALUES (1, 30000000);

-- Only once, and bound to what paid (orders_guard): one transaction never pays two orders.
ALTER TABLE orders ADD UNIQUE KEY paid_by (paid_by);

-- The constraints of the tables are no guard against a session that has said SET check_constraint_checks = 0: what money depends on
-- stands in the triggers and in the functions below. The terms of an order that is held or closed stay as they are, and so do those
-- of one past its due date; but the owner, who could drop this trigger as well, may repair a row.
CREATE OR REPLACE TRIGGER orders_guard BEFORE UPDATE ON orders FOR EACH ROW
BEGIN
  IF NEW.state <> OLD.state THEN
    IF NOT ((OLD.state = 'PENDIENTE' AND NEW.state IN ('APROBADA', 'VENCIDA', 'CANCELADA'))
         OR (OLD.state = 'APROBADA' AND NEW.state = 'ANULADA')) THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'orders: this change of state does not exist';
    END IF;
    IF NEW.state = 'APROBADA' AND NOT EXISTS (
         SELECT 1 FROM transactions t WHERE t.id = NEW.paid_by AND t.order_id = NEW.id AND t.state = 'FINALIZADA') THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'orders: no finalised transaction of this order pays it';
    END IF;
  END IF;
  IF NOT (NEW.paid_by <=> OLD.paid_by) AND NOT (OLD.paid_by IS NULL AND NEW.state = 'APROBADA' AND OLD.state = 'PENDIENTE') THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'orders: what paid an order is written once, when it is approved';
  END IF;
  IF (NEW.reference <> OLD.reference OR NEW.amount <> OLD.amount OR NEW.currency <> OLD.currency OR NEW.due_at <> OLD.due_at
      OR NOT (NEW.min_amount <=> OLD.min_amount AND NEW.max_amount <=> OLD.max_amount))
     AND (OLD.state <> 'PENDIENTE' OR OLD.held_by IS NOT NULL OR OLD.due_at <= SYSDATE(6) OR @@SESSION.time_zone <> '+00:00')
     AND SUBSTRING_INDEX(SESSION_USER(), '@', 1) <> SUBSTRING_INDEX(CURRENT_USER(), '@', 1) THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'orders: the terms of an order that is held, due or closed stay';
  END IF;
  SET NEW.version = OLD.version + 1, NEW.changed_at = UTC_TIMESTAMP(6);
END;

-- REGISTRADA -> CONFIRMADA, and the order is held until the window ends. `seen` is the order's version that was judged: an order that
-- was changed since is not paid. 1: written; 0: the rows are not, or no more, so.
CREATE FUNCTION payment_confirm (payment BIGINT UNSIGNED, seen INT UNSIGNED, who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Confirms a registered payment of an order that can be paid'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT IF(@@SESSION.time_zone = '+00:00', SYSDATE(6), utc_now());
  DECLARE closes DATETIME(6) DEFAULT moment + INTERVAL (SELECT cancel_window FROM settings WHERE id = 1) MICROSECOND;
  UPDATE transactions t JOIN orders o ON o.id = t.order_id
     SET t.state = 'CONFIRMADA', t.confirmed_at = moment, t.window_ends_at = closes, t.changed_by = who,
         o.held_by = t.id, o.held_until = closes, o.changed_by = who
   WHERE t.id = payment AND t.state = 'REGISTRADA' AND o.version = seen AND o.state = 'PENDIENTE' AND o.held_by IS NULL
     AND o.due_at > moment AND t.currency = o.currency
     AND IF(o.amount > 0, t.amount = o.amount,
            t.amount BETWEEN COALESCE(o.min_amount, 0) AND COALESCE(o.max_amount, t.amount));
  RETURN ROW_COUNT() > 0;
END;

CREATE FUNCTION top_up_confirm (payment BIGINT UNSIGNED, who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Confirms a registered top-up'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT IF(@@SESSION.time_zone = '+00:00', SYSDATE(6), utc_now());
  DECLARE length BIGINT UNSIGNED DEFAULT (SELECT cancel_window FROM settings WHERE id = 1);
  DECLARE money CHAR(3) CHARACTER SET ascii COLLATE ascii_bin
    DEFAULT (SELECT a.currency FROM transactions t STRAIGHT_JOIN accounts a ON a.id = t.account_id WHERE t.id = payment);
  UPDATE transactions
     SET state = 'CONFIRMADA', confirmed_at = moment, window_ends_at = moment + INTERVAL length MICROSECOND, changed_by = who
   WHERE id = payment AND state = 'REGISTRADA' AND account_id IS NOT NULL AND currency = money;
  RETURN ROW_COUNT() > 0;
END;

-- `confirmed`: whether the payment was found CONFIRMADA when it was judged.
CREATE FUNCTION payment_cancel (payment BIGINT UNSIGNED, confirmed BOOLEAN, who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Cancels a payment or top-up that is registered, or confirmed and inside its window; its order is free again'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  UPDATE transactions SET state = 'CANCELADA', cancelled_at = moment, changed_by = who
   WHERE id = payment AND ((NOT confirmed AND state = 'REGISTRADA')
                        OR (confirmed AND state = 'CONFIRMADA' AND window_ends_at > moment));
  IF ROW_COUNT() = 0 THEN
    RETURN 0;
  END IF;
  IF confirmed THEN
    UPDATE orders SET held_by = NULL, held_until = NULL, changed_by = who
     WHERE id = (SELECT order_id FROM transactions WHERE id = payment) AND held_by = payment;
  END IF;
  RETURN 1;
END;

-- `seen`: the version that was judged; NULL: whichever.
CREATE FUNCTION order_cancel (wanted BIGINT UNSIGNED, seen INT UNSIGNED, who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'PENDIENTE -> CANCELADA: the merchant has withdrawn an order that nobody is paying'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  UPDATE orders SET state = 'CANCELADA', changed_by = who
   WHERE id = wanted AND version = COALESCE(seen, version) AND state = 'PENDIENTE' AND held_by IS NULL AND due_at > moment;
  RETURN ROW_COUNT() > 0;
END;

CREATE FUNCTION order_refund (wanted BIGINT UNSIGNED, why VARCHAR(250), who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'APROBADA -> ANULADA: the merchant gives a payment back'
BEGIN
  UPDATE orders SET state = 'ANULADA', state_reason = why, changed_by = who WHERE id = wanted AND state = 'APROBADA';
  RETURN ROW_COUNT() > 0;
END;

-- A claim is a refund that the merchant is told of. An order whose window has closed unwritten is written as paid first.
CREATE FUNCTION order_claim (wanted BIGINT UNSIGNED, why VARCHAR(250), who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'APROBADA -> ANULADA on a customer''s claim, with the notification for the merchant'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  DO order_finalise(wanted, who);
  IF order_refund(wanted, why, who) = 0 THEN
    RETURN 0;
  END IF;
  -- Locked, so that a dispatcher that settles `approved` at this moment either is seen here or sees this one waiting; and so that a
  -- merchant that gets its address finds every notification that waits for one.
  INSERT INTO notifications (order_id, merchant_id, sequence, status, state, amount, payment_means, due_at, created_at, changed_by)
    SELECT o.id, o.merchant_id, approved.sequence + 1, 'cancelled',
           CASE WHEN m.notify_url IS NULL THEN 'unaddressed'
                WHEN approved.state IN ('delivered', 'exhausted') THEN 'pending' ELSE 'waiting' END,
           approved.amount, approved.payment_means, moment, moment, who
      FROM orders o STRAIGHT_JOIN merchants m FORCE INDEX (PRIMARY) ON m.id = o.merchant_id
     STRAIGHT_JOIN notifications approved FORCE INDEX (order_status)
        ON approved.order_id = o.id AND approved.status = 'approved'
     WHERE o.id = wanted LOCK IN SHARE MODE;
  IF ROW_COUNT() <> 1 THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'order_claim: the order has no notification of its approval';
  END IF;
  RETURN 1;
END;

-- What an operator does to many rows stands in the log, with the reason, because the same function does it and notes it.
CREATE FUNCTION notifications_retry (changes LONGTEXT, retried LONGTEXT, why VARCHAR(250), who VARCHAR(80)) RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Makes notifications pending or waiting again and notes those that an operator chose; how many were changed'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  DECLARE written BIGINT UNSIGNED;
  UPDATE JSON_TABLE(changes, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$.id', was VARCHAR(20) PATH '$.was',
                                             becomes VARCHAR(20) PATH '$.becomes')) AS retry
    STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = retry.id
     SET n.state = retry.becomes, n.attempts = IF(retry.was = retry.becomes, n.attempts, 0), n.due_at = moment,
         n.settled_at = NULL, n.changed_by = who
   WHERE n.state = retry.was AND retry.becomes IN ('pending', 'waiting');
  SET written = ROW_COUNT();
  INSERT INTO events (subject, subject_id, what, from_state, to_state, actor, db_account, reason)
    SELECT 'notification', n.id, 'retried', retry.was, n.state, who, SESSION_USER(), why
      FROM JSON_TABLE(retried, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$.id', was VARCHAR(20) PATH '$.was',
                                               becomes VARCHAR(20) PATH '$.becomes')) AS retry
     STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = retry.id AND n.state = retry.becomes
     WHERE n.due_at = moment OR retry.was = retry.becomes; -- changed just now, or stays in its place
  RETURN written;
END;

CREATE FUNCTION attempts_purge (ids LONGTEXT, why VARCHAR(250), who VARCHAR(80)) RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Removes these attempts of notifications that are settled, each notification with an event; how many'
BEGIN
  INSERT INTO events (subject, subject_id, what, actor, db_account, reason)
    SELECT DISTINCT 'notification', a.notification_id, 'purged', who, SESSION_USER(), why
      FROM JSON_TABLE(ids, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch
     STRAIGHT_JOIN attempts a FORCE INDEX (PRIMARY) ON a.id = batch.id
     STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = a.notification_id AND n.state IN ('delivered', 'exhausted');
  DELETE a FROM JSON_TABLE(ids, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch
    STRAIGHT_JOIN attempts a FORCE INDEX (PRIMARY) ON a.id = batch.id
    STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = a.notification_id
   WHERE n.state IN ('delivered', 'exhausted');
  RETURN ROW_COUNT();
END;

CREATE FUNCTION queries_purge (ids LONGTEXT, why VARCHAR(250), who VARCHAR(80)) RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Removes these external queries, each merchant with an event; how many'
BEGIN
  INSERT INTO events (subject, subject_id, what, actor, db_account, reason)
    SELECT DISTINCT 'merchant', q.merchant_id, 'purged', who, SESSION_USER(), why
      FROM JSON_TABLE(ids, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch
     STRAIGHT_JOIN external_queries q FORCE INDEX (PRIMARY) ON q.id = batch.id;
  DELETE q FROM JSON_TABLE(ids, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch
    STRAIGHT_JOIN external_queries q FORCE INDEX (PRIMARY) ON q.id = batch.id;
  RETURN ROW_COUNT();
END;
