-- recaudo schema 17: whose a reference is, and for how long (doc/protocol.md, "Whose a reference is").

ALTER TABLE orders
  ADD COLUMN closed_at DATETIME(6) NULL COMMENT 'UTC; it stopped being PENDIENTE; NULL: it is open, or was closed before this column was there' AFTER paid_by;

ALTER TABLE merchants
  ADD COLUMN reference_quarantine INT UNSIGNED NOT NULL DEFAULT 7776000
    COMMENT 'Seconds for which a reference stays this merchant''s own after its last order was closed; 90 days at first';

CREATE TABLE reference_prefixes (
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

CREATE TABLE reference_owners (
  reference VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'Reference of an order, or document number of an account',
  merchant_id INT UNSIGNED NULL COMMENT 'Merchant whose order had it last; NULL: it is an account''s for ever',
  taken_at DATETIME(6) NOT NULL COMMENT 'UTC; an order or account got it last, or an order left it for another one',
  uses INT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'How often it was taken: each time is a write, so that of two at once one is refused, on Galera too',
  PRIMARY KEY (reference)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Who a reference belongs to: written with the order or account that takes it';

INSERT INTO reference_owners (reference, merchant_id, taken_at)
  SELECT document, NULL, created_at FROM accounts;
-- Of several merchants the latest order's. Where an account has the same number already, the account keeps it.
INSERT IGNORE INTO reference_owners (reference, merchant_id, taken_at)
  SELECT o.reference, o.merchant_id, o.created_at
    FROM (SELECT MAX(id) AS id FROM orders GROUP BY reference) AS latest JOIN orders o ON o.id = latest.id;

-- The end of time while an order of the merchant is open. SECURITY DEFINER: whoever asks need not see the orders.
CREATE FUNCTION reference_kept_until (wanted VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin, owner INT UNSIGNED) RETURNS DATETIME(6)
  NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
  COMMENT 'UTC; until then no other merchant and no account gets this reference of the merchant'
  RETURN (SELECT CASE WHEN own.open > 0 THEN '9999-12-31 00:00:00.000000'
                      ELSE GREATEST(r.taken_at, COALESCE(own.closed, r.taken_at)) + INTERVAL m.reference_quarantine SECOND END
            FROM reference_owners r JOIN merchants m ON m.id = owner
            JOIN (SELECT COALESCE(SUM(state = 'PENDIENTE'), 0) AS open, MAX(COALESCE(closed_at, changed_at)) AS closed
                    FROM orders WHERE reference = wanted AND merchant_id = owner) AS own
           WHERE r.reference = wanted);

-- For the triggers. A refusal looks like a taken key, because it is one: the programs answer both alike.
CREATE PROCEDURE reference_take (IN wanted VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin, IN taker INT UNSIGNED)
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Makes the reference the merchant''s, or an account''s where there is none; refuses it while it is another''s'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  DECLARE owner INT UNSIGNED;
  INSERT INTO reference_owners (reference, merchant_id, taken_at) VALUES (wanted, taker, moment)
    ON DUPLICATE KEY UPDATE uses = uses + 1, taken_at = IF(merchant_id <=> taker, moment, taken_at);
  -- The row is locked until the end of the transaction: the owner and its orders are judged as they are now.
  SET owner = (SELECT merchant_id FROM reference_owners WHERE reference = wanted);
  IF NOT (owner <=> taker) THEN
    IF owner IS NULL OR reference_kept_until(wanted, owner) > moment THEN
      SIGNAL SQLSTATE '23000' SET MYSQL_ERRNO = 1062, MESSAGE_TEXT = 'Duplicate entry for key ''reference_owner''';
    END IF;
    UPDATE reference_owners SET merchant_id = taker, taken_at = moment WHERE reference = wanted;
  END IF;
END;

-- The longest prefix that fits the reference; NULL: none does, so everybody may use it.
CREATE FUNCTION reference_prefix_owner (wanted VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin) RETURNS INT UNSIGNED
  NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
  COMMENT 'Merchant that the prefix of this reference was given to; NULL: nobody'
  RETURN (SELECT merchant_id FROM reference_prefixes
           WHERE prefix BETWEEN LEFT(wanted, 3) AND LEFT(wanted, 12) AND LEFT(wanted, CHAR_LENGTH(prefix)) = prefix
           ORDER BY CHAR_LENGTH(prefix) DESC LIMIT 1);

CREATE FUNCTION reference_is_anothers (wanted VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin, taker INT UNSIGNED) RETURNS BOOLEAN
  NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
  COMMENT 'An account''s, another merchant''s by its prefix, or another merchant''s whose order is closed: an open one tells of itself'
  RETURN COALESCE(reference_prefix_owner(wanted), taker) <> taker
      OR EXISTS (SELECT 1 FROM reference_owners r WHERE r.reference = wanted AND NOT r.merchant_id <=> taker
                    AND (r.merchant_id IS NULL
                         OR reference_kept_until(wanted, r.merchant_id) BETWEEN utc_now() AND '9999-01-01'));

CREATE TRIGGER orders_reference_taken BEFORE INSERT ON orders FOR EACH ROW FOLLOWS orders_token
BEGIN
  IF COALESCE(reference_prefix_owner(NEW.reference), NEW.merchant_id) <> NEW.merchant_id THEN
    SIGNAL SQLSTATE '23000' SET MYSQL_ERRNO = 1062, MESSAGE_TEXT = 'Duplicate entry for key ''reference_prefix''';
  END IF;
  CALL reference_take(NEW.reference, NEW.merchant_id);
  SET NEW.closed_at = NULL;
END;

CREATE TRIGGER orders_reference_moved BEFORE UPDATE ON orders FOR EACH ROW FOLLOWS orders_guard
BEGIN
  SET NEW.closed_at = IF(NEW.state <> 'PENDIENTE' AND OLD.state = 'PENDIENTE', utc_now(), OLD.closed_at);
  IF NEW.reference <> OLD.reference THEN
    IF COALESCE(reference_prefix_owner(NEW.reference), NEW.merchant_id) <> NEW.merchant_id THEN
      SIGNAL SQLSTATE '23000' SET MYSQL_ERRNO = 1062, MESSAGE_TEXT = 'Duplicate entry for key ''reference_prefix''';
    END IF;
    -- Slips with the old one are about: its time runs from now on.
    UPDATE reference_owners SET taken_at = utc_now(), uses = uses + 1 WHERE reference = OLD.reference AND merchant_id = OLD.merchant_id;
    CALL reference_take(NEW.reference, NEW.merchant_id);
  END IF;
END;

CREATE TRIGGER accounts_reference_taken BEFORE INSERT ON accounts FOR EACH ROW
  CALL reference_take(NEW.document, NULL);

CREATE TRIGGER merchants_references_changed AFTER UPDATE ON merchants FOR EACH ROW FOLLOWS merchants_changed
BEGIN
  IF NEW.reference_quarantine <> OLD.reference_quarantine THEN
    INSERT INTO events (subject, subject_id, what, actor, db_account, reason)
      VALUES ('merchant', NEW.id, 'references', NEW.changed_by, SESSION_USER(), CONCAT('quarantine ', NEW.reference_quarantine, ' s'));
  END IF;
END;

CREATE TRIGGER reference_prefixes_given AFTER INSERT ON reference_prefixes FOR EACH ROW
  INSERT INTO events (subject, subject_id, what, actor, db_account, reason)
    VALUES ('merchant', NEW.merchant_id, 'references', NEW.changed_by, SESSION_USER(), CONCAT('prefix ', NEW.prefix, ' given'));

CREATE TRIGGER reference_prefixes_kept BEFORE UPDATE ON reference_prefixes FOR EACH ROW
BEGIN
  IF NEW.prefix <> OLD.prefix OR NEW.merchant_id <> OLD.merchant_id THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'reference_prefixes: take it away and give it anew';
  END IF;
END;

CREATE TRIGGER reference_prefixes_taken AFTER DELETE ON reference_prefixes FOR EACH ROW
  INSERT INTO events (subject, subject_id, what, actor, db_account, reason)
    VALUES ('merchant', OLD.merchant_id, 'references', OLD.changed_by, SESSION_USER(), CONCAT('prefix ', OLD.prefix, ' taken away'));
