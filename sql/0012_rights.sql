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
