-- recaudo schema 14: settlements that are closed, so that what was reported of them never changes.
--
-- An operation (a payment that became final, a cancellation, a refund) gets a row of settlement_items in the transaction that makes it so. The
-- row names no settlement yet, so neither a worker nor the dispatcher waits for anybody who closes one. settlement_collect then puts what is
-- committed into the open settlement and adds to the count in its row; settlement_close writes the same row. So of the two one waits for the
-- other, and what commits later is collected into the next settlement. Between the nodes of a cluster, where locks count for nothing, one of
-- two that write the same row is rolled back at certification and runs again. (A foreign key alone does not do that: Galera lets an UPDATE
-- of the parent's other columns pass beside new references to it.)

CREATE TABLE settlements (
  number INT UNSIGNED NOT NULL COMMENT 'Number of the settlement, from 1, without gaps',
  state ENUM('open','closed') NOT NULL DEFAULT 'open' COMMENT 'open: operations are still collected into it; closed: nothing changes any more',
  is_open TINYINT UNSIGNED AS (IF(state = 'open', 1, NULL)) VIRTUAL COMMENT 'There is one open settlement',
  opened_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; the one before it was closed',
  closed_at DATETIME(6) NULL COMMENT 'UTC',
  closed_by VARCHAR(80) NULL COMMENT 'Who closed it: operator:NAME, dispatcher, or migration (all that was final before there were settlements)',
  day CHAR(10) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'Day that it is the settlement of, like 2026-11-21; NULL: of no day',
  zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'IANA time zone of that day',
  collected BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Number of operations in it; every collection writes it, so that none passes a closing',
  finalised BIGINT UNSIGNED NULL COMMENT 'Number of payments in it; like the digest, written once after closing',
  cancelled BIGINT UNSIGNED NULL COMMENT 'Number of cancellations in it',
  refunded BIGINT UNSIGNED NULL COMMENT 'Number of refunds in it',
  digest CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'SHA-256 of its CSV form, in hex; NULL: open, or not computed yet',
  PRIMARY KEY (number),
  UNIQUE KEY is_open (is_open),
  UNIQUE KEY day (zone, day),
  CONSTRAINT settlement_closed CHECK ((state = 'closed') = (closed_at IS NOT NULL) AND (closed_at IS NULL) = (closed_by IS NULL)),
  CONSTRAINT settlement_order CHECK (closed_at IS NULL OR closed_at >= opened_at),
  CONSTRAINT settlement_day_form CHECK (day REGEXP '^[0-9]{4}-[0-9]{2}-[0-9]{2}\\z'),
  CONSTRAINT settlement_day CHECK ((day IS NULL) = (zone IS NULL) AND (day IS NULL OR state = 'closed')),
  CONSTRAINT settlement_digest CHECK ((digest IS NULL OR state = 'closed') AND (digest IS NULL) = (finalised IS NULL)
    AND (digest IS NULL) = (cancelled IS NULL) AND (digest IS NULL) = (refunded IS NULL)),
  CONSTRAINT settlement_digest_form CHECK (digest REGEXP '^[0-9a-f]{64}\\z')
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Settlements: one is open, the others are closed and never change';

CREATE TABLE settlement_items (
  transaction_id BIGINT UNSIGNED NOT NULL COMMENT 'Payment: its operation code',
  kind ENUM('finalised','cancelled','refunded') NOT NULL COMMENT 'What became of it; each at most once',
  at DATETIME(6) NOT NULL COMMENT 'UTC; the end of the window, the cancellation, or the refund',
  settlement INT UNSIGNED NULL COMMENT 'Settlement it belongs to; NULL: not collected yet',
  PRIMARY KEY (transaction_id, kind),
  KEY settlement (settlement, at, transaction_id, kind),
  CONSTRAINT item_settlement FOREIGN KEY (settlement) REFERENCES settlements (number)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Which settlement each operation belongs to; written by triggers, and once by settlement_collect';

-- What becomes final is to be collected. NULL takes no lock of any settlement. These come before the rows of what is final already: workers go
-- on while this migration runs, and whatever commits meanwhile is in the one or in the other.
CREATE TRIGGER transactions_settled AFTER UPDATE ON transactions FOR EACH ROW FOLLOWS transactions_changed
BEGIN
  IF NEW.state <> OLD.state AND NEW.state IN ('FINALIZADA', 'CANCELADA') THEN
    INSERT INTO settlement_items (transaction_id, kind, at)
      VALUES (NEW.id, IF(NEW.state = 'CANCELADA', 'cancelled', 'finalised'), COALESCE(NEW.cancelled_at, NEW.window_ends_at));
  END IF;
END;

CREATE TRIGGER refunds_settled AFTER INSERT ON refunds FOR EACH ROW
  INSERT INTO settlement_items (transaction_id, kind, at) VALUES (NEW.transaction_id, 'refunded', NEW.at);

-- All that is final already belongs to a settlement of its own, which is closed: days before it are reported from it as they were.
INSERT INTO settlements (number, state, opened_at, closed_at, closed_by)
  SELECT 1, 'closed', MIN(registered_at), GREATEST(MAX(registered_at), UTC_TIMESTAMP(6)), 'migration' FROM transactions
   WHERE state IN ('FINALIZADA', 'CANCELADA') HAVING COUNT(*) > 0;

INSERT INTO settlement_items (transaction_id, kind, at, settlement)
  SELECT t.id, IF(t.state = 'CANCELADA', 'cancelled', 'finalised'), t.settled_at, 1
    FROM transactions t LEFT JOIN settlement_items i ON i.transaction_id = t.id AND i.kind <> 'refunded'
   WHERE t.state IN ('FINALIZADA', 'CANCELADA') AND i.transaction_id IS NULL;

INSERT INTO settlement_items (transaction_id, kind, at, settlement)
  SELECT r.transaction_id, 'refunded', r.at, 1
    FROM refunds r LEFT JOIN settlement_items i ON i.transaction_id = r.transaction_id AND i.kind = 'refunded'
   WHERE i.transaction_id IS NULL;

UPDATE settlements SET collected = (SELECT COUNT(*) FROM settlement_items WHERE settlement = 1) WHERE number = 1;

INSERT INTO settlements (number, opened_at) SELECT COUNT(*) + 1, COALESCE(MAX(closed_at), UTC_TIMESTAMP(6)) FROM settlements;

CREATE TRIGGER settlement_items_new BEFORE INSERT ON settlement_items FOR EACH ROW
BEGIN
  IF NEW.settlement IS NOT NULL THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'settlement_items: a new one is collected by settlement_collect';
  END IF;
END;

CREATE TRIGGER settlement_items_keep BEFORE UPDATE ON settlement_items FOR EACH ROW
BEGIN
  IF OLD.settlement IS NOT NULL OR NEW.transaction_id <> OLD.transaction_id OR NEW.kind <> OLD.kind OR NEW.at <> OLD.at THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'settlement_items: only a settlement is added, once';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM settlements WHERE number = NEW.settlement AND is_open = 1) THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'settlement_items: that settlement is not open';
  END IF;
END;

CREATE TRIGGER settlement_items_stay BEFORE DELETE ON settlement_items FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'settlement_items: append only';

-- A closed one gets its digest and counts, once, and then nothing.
CREATE TRIGGER settlements_keep BEFORE UPDATE ON settlements FOR EACH ROW
BEGIN
  IF NEW.number <> OLD.number OR NEW.opened_at <> OLD.opened_at OR OLD.digest IS NOT NULL
     OR (OLD.state = 'closed' AND NOT (NEW.state = 'closed' AND NEW.closed_at <=> OLD.closed_at AND NEW.closed_by <=> OLD.closed_by
                                       AND NEW.day <=> OLD.day AND NEW.zone <=> OLD.zone AND NEW.collected = OLD.collected
                                       AND NEW.digest IS NOT NULL)) THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'settlements: a closed one does not change';
  END IF;
END;

CREATE TRIGGER settlements_stay BEFORE DELETE ON settlements FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'settlements: append only';

-- Puts up to `most` operations that are committed, oldest first, into the open settlement; returns how many. The lock comes first, so that
-- a closing waits for every collection that began before it. Rows that are written at this moment and not committed are passed over.
CREATE FUNCTION settlement_collect (most INT UNSIGNED) RETURNS INT UNSIGNED
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Puts committed operations into the open settlement'
BEGIN
  DECLARE open_number, found INT UNSIGNED;
  SELECT MAX(number) INTO open_number FROM settlements FORCE INDEX (is_open) WHERE is_open = 1 FOR UPDATE;
  UPDATE (SELECT transaction_id, kind FROM settlement_items FORCE INDEX (settlement) WHERE settlement IS NULL
           ORDER BY at, transaction_id, kind LIMIT most FOR UPDATE SKIP LOCKED) AS waiting
    STRAIGHT_JOIN settlement_items i FORCE INDEX (PRIMARY) ON i.transaction_id = waiting.transaction_id AND i.kind = waiting.kind
     SET i.settlement = open_number
   WHERE i.settlement IS NULL;
  SET found = ROW_COUNT();
  IF found > 0 THEN
    UPDATE settlements SET collected = collected + found WHERE number = open_number;
  END IF;
  RETURN found;
END;

-- Closes the settlement `wanted` if it is the open one, and opens the next. `cut`: only if it was opened before that instant, which must have
-- passed. 1: closed, 0: not.
CREATE FUNCTION settlement_close (wanted INT UNSIGNED, who VARCHAR(80), on_day CHAR(10), in_zone VARCHAR(64), cut DATETIME(6)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Closes the open settlement and opens the next'
BEGIN
  DECLARE open_number INT UNSIGNED;
  DECLARE opened, now_at DATETIME(6);
  SELECT MAX(number), MAX(opened_at) INTO open_number, opened FROM settlements FORCE INDEX (is_open) WHERE is_open = 1 FOR UPDATE;
  IF NOT open_number <=> wanted OR opened >= cut OR cut > utc_now() THEN
    RETURN 0;
  END IF;
  SET now_at = GREATEST(opened, utc_now());
  UPDATE settlements SET state = 'closed', closed_at = now_at, closed_by = who, day = on_day, zone = in_zone WHERE number = wanted;
  INSERT INTO settlements (number, opened_at) VALUES (wanted + 1, now_at);
  RETURN 1;
END;

-- Writes what was computed of a closed settlement. 1: written, 0: it is open, or somebody wrote it already.
CREATE FUNCTION settlement_sum (wanted INT UNSIGNED, payments BIGINT UNSIGNED, cancellations BIGINT UNSIGNED, refunds BIGINT UNSIGNED,
                                sha256 CHAR(64)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Writes counts and digest of a closed settlement, once'
BEGIN
  UPDATE settlements SET finalised = payments, cancelled = cancellations, refunded = refunds, digest = sha256
   WHERE number = wanted AND state = 'closed' AND digest IS NULL;
  RETURN ROW_COUNT();
END;
