-- recaudo schema 18: an account takes no top-up that it has no room for; what is confirmed and not credited yet has its room already.

ALTER TABLE accounts
  ADD COLUMN reserved DECIMAL(19,4) NOT NULL DEFAULT 0
    COMMENT 'Sum of its top-ups that are CONFIRMADA: not in the balance yet, and have their room' AFTER balance,
  ADD COLUMN room DECIMAL(19,4) AS (GREATEST(999999999999999.9999 - balance - reserved, 0)) VIRTUAL
    COMMENT 'What it can still take: the greatest balance that this service keeps, less balance and reserved' AFTER reserved,
  ADD CONSTRAINT account_reserved_sign CHECK (reserved >= 0);

-- In the same statement that changes the transaction, whoever makes it: nobody else needs a right to `reserved`.
CREATE TRIGGER transactions_reserve AFTER UPDATE ON transactions FOR EACH ROW FOLLOWS transactions_changed
BEGIN
  IF NEW.account_id IS NOT NULL AND NEW.state <> OLD.state THEN
    IF NEW.state = 'CONFIRMADA' THEN
      UPDATE accounts SET reserved = reserved + NEW.amount WHERE id = NEW.account_id AND room >= NEW.amount;
      IF ROW_COUNT() <> 1 THEN
        -- ER_CHECKREAD: the account has changed since it was read, so read and judge again.
        SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1020, MESSAGE_TEXT = 'accounts: no room for this top-up';
      END IF;
    ELSEIF OLD.state = 'CONFIRMADA' THEN
      UPDATE accounts SET reserved = reserved - NEW.amount WHERE id = NEW.account_id;
    END IF;
  END IF;
END;

-- The same for a row that begins so: by hand, or from another system.
CREATE TRIGGER transactions_reserve_new AFTER INSERT ON transactions FOR EACH ROW FOLLOWS transactions_created
BEGIN
  IF NEW.account_id IS NOT NULL AND NEW.state = 'CONFIRMADA' THEN
    UPDATE accounts SET reserved = reserved + NEW.amount WHERE id = NEW.account_id AND room >= NEW.amount;
    IF ROW_COUNT() <> 1 THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'accounts: no room for this top-up';
    END IF;
  END IF;
END;

UPDATE accounts a
  JOIN (SELECT account_id, LEAST(SUM(amount), 999999999999999.9999) AS amount FROM transactions
         WHERE account_id IS NOT NULL AND state = 'CONFIRMADA' GROUP BY account_id) t ON t.account_id = a.id
   SET a.reserved = t.amount;
