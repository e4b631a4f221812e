-- From schema 11 (release 0.1.0) to schema 20. Programs of that release may go on working meanwhile, until they are restarted: where a
-- column is filled by a trigger from now on, the trigger comes before what is there already is filled, so whatever commits meanwhile is in
-- the one or in the other.
-- A run that goes on after a loss of the server begins part 1 again, so each statement takes what it finds made.
-- Last of part 1: remittances

CREATE TABLE IF NOT EXISTS settings (
  id TINYINT UNSIGNED NOT NULL COMMENT 'Always 1',
  cancel_window BIGINT UNSIGNED NOT NULL COMMENT 'Microseconds from a confirmation until it cannot be cancelled any more',
  PRIMARY KEY (id),
  CONSTRAINT settings_single CHECK (id = 1)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='One row for ever: what of the configuration the database itself goes by';
INSERT IGNORE INTO settings (id, cancel_window) VALUES (1, 30000000);

ALTER TABLE orders ADD UNIQUE KEY IF NOT EXISTS paid_by (paid_by);

-- Existing notifications get their webhook_id by an UPDATE, which is replicated as rows: an ALTER would draw other values on every server.
ALTER TABLE notifications
  ADD COLUMN IF NOT EXISTS webhook_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NULL
    COMMENT 'Header webhook-id, the same in every attempt: ntf_ and 128 random bits in hex, drawn when the row is made' AFTER id;
CREATE OR REPLACE TRIGGER notifications_webhook_id BEFORE INSERT ON notifications FOR EACH ROW
  SET NEW.webhook_id = CONCAT('ntf_', LOWER(HEX(RANDOM_BYTES(16))));
UPDATE notifications SET webhook_id = CONCAT('ntf_', LOWER(HEX(RANDOM_BYTES(16)))) WHERE webhook_id IS NULL;
ALTER TABLE notifications
  MODIFY webhook_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''
    COMMENT 'Header webhook-id, the same in every attempt: ntf_ and 128 random bits in hex, drawn when the row is made',
  ADD UNIQUE KEY IF NOT EXISTS webhook_id (webhook_id);

-- Settlements

CREATE TABLE IF NOT EXISTS settlements (
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

CREATE TABLE IF NOT EXISTS settlement_items (
  transaction_id BIGINT UNSIGNED NOT NULL COMMENT 'Payment: its operation code',
  kind ENUM('finalised','cancelled','refunded') NOT NULL COMMENT 'What became of it; each at most once',
  at DATETIME(6) NOT NULL COMMENT 'UTC; the end of the window, the cancellation, or the refund',
  settlement INT UNSIGNED NULL COMMENT 'Settlement it belongs to; NULL: not collected yet',
  PRIMARY KEY (transaction_id, kind),
  KEY settlement (settlement, at, transaction_id, kind),
  CONSTRAINT item_settlement FOREIGN KEY (settlement) REFERENCES settlements (number)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Which settlement each operation belongs to; written by triggers, and once by settlement_collect';

CREATE OR REPLACE TRIGGER transactions_changed AFTER UPDATE ON transactions FOR EACH ROW
BEGIN
  INSERT INTO events (subject, subject_id, version, what, from_state, to_state, actor, db_account)
  VALUES ('transaction', NEW.id, NEW.version,
          CASE WHEN NEW.state <> OLD.state THEN 'state'
               WHEN COALESCE(OLD.given_names, OLD.surname1, OLD.surname2, NULLIF(OLD.description, NEW.description)) IS NOT NULL
                    AND COALESCE(NEW.given_names, NEW.surname1, NEW.surname2) IS NULL THEN 'purged'
               ELSE 'changed' END,
          OLD.state, NEW.state, NEW.changed_by, SESSION_USER());
  IF NEW.state <> OLD.state AND NEW.state IN ('FINALIZADA', 'CANCELADA') THEN
    INSERT INTO settlement_items (transaction_id, kind, at)
      VALUES (NEW.id, IF(NEW.state = 'CANCELADA', 'cancelled', 'finalised'), COALESCE(NEW.cancelled_at, NEW.window_ends_at));
  END IF;
END;

CREATE OR REPLACE TRIGGER refunds_settled AFTER INSERT ON refunds FOR EACH ROW
  INSERT INTO settlement_items (transaction_id, kind, at) VALUES (NEW.transaction_id, 'refunded', NEW.at);

-- All that is final already belongs to a settlement of its own, which is closed: days before it are reported from it as they were.
INSERT INTO settlements (number, state, opened_at, closed_at, closed_by)
  SELECT 1, 'closed', MIN(registered_at), GREATEST(MAX(registered_at), UTC_TIMESTAMP(6)), 'migration' FROM transactions
   WHERE state IN ('FINALIZADA', 'CANCELADA') AND NOT EXISTS (SELECT 1 FROM settlements) HAVING COUNT(*) > 0;

INSERT INTO settlement_items (transaction_id, kind, at, settlement)
  SELECT t.id, IF(t.state = 'CANCELADA', 'cancelled', 'finalised'), t.settled_at, 1
    FROM transactions t LEFT JOIN settlement_items i ON i.transaction_id = t.id AND i.kind <> 'refunded'
   WHERE t.state IN ('FINALIZADA', 'CANCELADA') AND i.transaction_id IS NULL;

INSERT INTO settlement_items (transaction_id, kind, at, settlement)
  SELECT r.transaction_id, 'refunded', r.at, 1
    FROM refunds r LEFT JOIN settlement_items i ON i.transaction_id = r.transaction_id AND i.kind = 'refunded'
   WHERE i.transaction_id IS NULL;

UPDATE settlements SET collected = (SELECT COUNT(*) FROM settlement_items WHERE settlement = 1) WHERE number = 1;

INSERT INTO settlements (number, opened_at) SELECT COUNT(*) + 1, COALESCE(MAX(closed_at), UTC_TIMESTAMP(6)) FROM settlements
  HAVING COUNT(is_open) = 0;

-- The dispatcher is two processes.
ALTER TABLE dispatchers
  ADD COLUMN IF NOT EXISTS task ENUM('settle','deliver') NULL
    COMMENT 'What the process does: settle payments and expire orders, or deliver notifications; NULL: both, in a release before this column'
    AFTER pid,
  ADD KEY IF NOT EXISTS task (task, seen_at);

-- What a signed request of a network must have.
ALTER TABLE networks
  ADD COLUMN IF NOT EXISTS distinct_from DATETIME(6) NULL
    COMMENT 'UTC; NULL: any transaction id is taken. Else new ids need a character that no reference has, and from this instant on also those that are confirmed',
  ADD COLUMN IF NOT EXISTS signature ENUM('off','accepted','required') NOT NULL DEFAULT 'off'
    COMMENT 'Header Recaudo-Signature of its requests. off: ignored; accepted: a wrong one is refused; required: so is a missing one';

-- Whose a reference is. The rows of reference_owners follow in part 2.
ALTER TABLE orders
  ADD COLUMN IF NOT EXISTS closed_at DATETIME(6) NULL COMMENT 'UTC; it stopped being PENDIENTE; NULL: it is open, or was closed before this column was there' AFTER paid_by;

ALTER TABLE merchants
  ADD COLUMN IF NOT EXISTS reference_quarantine INT UNSIGNED NOT NULL DEFAULT 7776000
    COMMENT 'Seconds for which a reference stays this merchant''s own after its last order was closed; 90 days at first';

CREATE TABLE IF NOT EXISTS reference_prefixes (
  prefix VARCHAR(12) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'What references begin with; the longest that fits counts',
  merchant_id INT UNSIGNED NOT NULL COMMENT 'The only merchant that may give such references to orders',
  changed_by VARCHAR(80) NOT NULL COMMENT 'Who gave it, and who takes it away',
  created_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  PRIMARY KEY (prefix),
  KEY merchant (merchant_id),
  CONSTRAINT reference_prefix_merchant FOREIGN KEY (merchant_id) REFERENCES merchants (id),
  CONSTRAINT reference_prefix_form CHECK (prefix REGEXP '^[0-9]{3,12}\\z')
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Prefixes of references that were given to merchants';

CREATE TABLE IF NOT EXISTS reference_owners (
  reference VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'Reference of an order, or document number of an account',
  merchant_id INT UNSIGNED NULL COMMENT 'Merchant whose order had it last; NULL: it is an account''s for ever',
  taken_at DATETIME(6) NOT NULL COMMENT 'UTC; an order or account got it last, or an order left it for another one',
  uses INT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'How often it was taken: each time is a write, so that of two at once one is refused, on Galera too',
  PRIMARY KEY (reference)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Who a reference belongs to: written with the order or account that takes it';

-- The room of accounts. `reserved` is filled in part 2.
ALTER TABLE accounts
  ADD COLUMN IF NOT EXISTS reserved DECIMAL(19,4) NOT NULL DEFAULT 0
    COMMENT 'Sum of its top-ups that are CONFIRMADA: not in the balance yet, and have their room' AFTER balance,
  ADD COLUMN IF NOT EXISTS room DECIMAL(19,4) AS (GREATEST(999999999999999.9999 - balance - reserved, 0)) VIRTUAL
    COMMENT 'What it can still take: the greatest balance that this service keeps, less balance and reserved' AFTER reserved,
  ADD CONSTRAINT IF NOT EXISTS account_reserved_sign CHECK (reserved >= 0);

-- Limits of networks

CREATE TABLE IF NOT EXISTS network_limits (
  network_id INT UNSIGNED NOT NULL COMMENT 'Network',
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency of the limits',
  day_limit DECIMAL(19,4) NULL COMMENT 'The most it may confirm in one day, UTC; NULL: no limit',
  outstanding_limit DECIMAL(19,4) NULL COMMENT 'The most it may have confirmed and not remitted; NULL: no limit',
  changed_by VARCHAR(80) NOT NULL COMMENT 'Who made the last change',
  changed_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  PRIMARY KEY (network_id, currency),
  CONSTRAINT limit_network FOREIGN KEY (network_id) REFERENCES networks (id),
  CONSTRAINT limit_currency FOREIGN KEY (currency) REFERENCES currencies (code),
  CONSTRAINT limit_sign CHECK (day_limit >= 0 AND outstanding_limit >= 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='The most that networks may confirm; no row: no limit. Changed by network_limit_set alone';

CREATE TABLE IF NOT EXISTS network_rooms (
  network_id INT UNSIGNED NOT NULL COMMENT 'Network',
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency of the limits',
  part TINYINT UNSIGNED NOT NULL COMMENT '0 to 15',
  day DATETIME(6) NOT NULL COMMENT 'UTC; begin of the day that day_room is of: on a later one it is day_share',
  day_share DECIMAL(19,4) NULL COMMENT 'What this portion begins a day with; NULL: no limit',
  day_room DECIMAL(19,4) NULL COMMENT 'What it has left of that day',
  outstanding_room DECIMAL(19,4) NULL COMMENT 'What it has left of the outstanding limit; NULL: no limit',
  PRIMARY KEY (network_id, currency, part)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='What is left of the limits, in portions that count together only; written by triggers and network_limit_set';

CREATE TABLE IF NOT EXISTS remittances (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  network_id INT UNSIGNED NOT NULL COMMENT 'Network that paid in',
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency',
  amount DECIMAL(19,4) NOT NULL COMMENT 'Amount that was paid in; negative: taken back, or owed from before',
  reason VARCHAR(250) NOT NULL COMMENT 'Which payment it was, or why; may be empty',
  actor VARCHAR(80) NOT NULL COMMENT 'Who recorded it',
  at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  PRIMARY KEY (id),
  KEY network_id (network_id, currency, at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='What networks have paid in, as operators recorded it: the outstanding sum is less by it; append only';

-- Part 2
-- From here on the triggers of the foundation are there.

INSERT IGNORE INTO reference_owners (reference, merchant_id, taken_at)
  SELECT document, NULL, created_at FROM accounts;
-- Of several merchants the latest order's. Where an account has the same number already, the account keeps it.
INSERT IGNORE INTO reference_owners (reference, merchant_id, taken_at)
  SELECT o.reference, o.merchant_id, o.created_at
    FROM (SELECT MAX(id) AS id FROM orders GROUP BY reference) AS latest JOIN orders o ON o.id = latest.id;

-- The trigger would tell of a change by hand. All triggers are made again at the end.
DROP TRIGGER IF EXISTS accounts_changed;

-- Summed under the account's lock: what is confirmed meanwhile adds to it.
UPDATE accounts a
   SET a.reserved = LEAST((SELECT COALESCE(SUM(t.amount), 0) FROM transactions t WHERE t.account_id = a.id AND t.state = 'CONFIRMADA'),
                          999999999999999.9999);
