-- recaudo schema 1: the foundation.
--
-- Conventions: instants are DATETIME(6) in UTC; money is DECIMAL(19,4); identifiers compare byte by byte (nopad, binary);
-- a state changes only by a guarded UPDATE, and the triggers at the end write every change to `events`.

CREATE TABLE always (
  id TINYINT UNSIGNED NOT NULL COMMENT 'Always 1',
  PRIMARY KEY (id),
  CONSTRAINT always_single CHECK (id = 1)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='One row for ever: what a lookup starts from, so that finding nothing is an answer too, with the time in it';

CREATE TABLE currencies (
  code CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'ISO 4217 alphabetic code',
  name VARCHAR(60) NOT NULL COMMENT 'Name, for people',
  query_code TINYINT UNSIGNED NULL COMMENT 'One-digit code of this currency in the external query; NULL: cannot be used there',
  PRIMARY KEY (code),
  UNIQUE KEY query_code (query_code),
  CONSTRAINT currency_code_form CHECK (code REGEXP '^[A-Z]{3}\\z'),
  CONSTRAINT currency_query_code_digit CHECK (query_code BETWEEN 0 AND 9)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Currencies that orders and accounts may have';

CREATE TABLE countries (
  code SMALLINT UNSIGNED NOT NULL COMMENT 'Country code of the merchant order API, e.g. 343 Colombia',
  name VARCHAR(60) NOT NULL COMMENT 'Name, for people',
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency of orders registered in this country',
  time_zone VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'IANA time zone in which a due date ends',
  PRIMARY KEY (code),
  CONSTRAINT country_currency FOREIGN KEY (currency) REFERENCES currencies (code)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Countries in which merchants register orders';

CREATE TABLE networks (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  name VARCHAR(40) NOT NULL COMMENT 'Field `name` of the network''s requests; also netname in external queries. Never changes',
  enabled BOOLEAN NOT NULL DEFAULT TRUE COMMENT 'FALSE: every request is refused with 0019',
  fixed_hash VARBINARY(600) NOT NULL COMMENT 'FIXED_HASH, encrypted (AES-256-GCM, bound to this name)',
  changed_by VARCHAR(80) NOT NULL COMMENT 'Who made the last change',
  created_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  changed_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  PRIMARY KEY (id),
  UNIQUE KEY name (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Collection networks: shops, kiosks and banks where customers pay';

CREATE TABLE merchants (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  name VARCHAR(50) NOT NULL COMMENT 'Field `merchant` of the merchant''s requests. Never changes',
  commerce VARCHAR(100) NOT NULL COMMENT 'Name that networks see and send back as COMMERCE',
  country SMALLINT UNSIGNED NOT NULL COMMENT 'Country of the merchant',
  enabled BOOLEAN NOT NULL DEFAULT TRUE COMMENT 'FALSE: its orders cannot be looked up or registered for',
  notify_url VARCHAR(2048) NULL COMMENT 'Where notifications go; NULL: the merchant gets none',
  notify_digest ENUM('sha256','sha512') NOT NULL DEFAULT 'sha256' COMMENT 'Digest of pv_checksum',
  acknowledgement ENUM('strict','http2xx') NOT NULL DEFAULT 'strict' COMMENT 'What counts as acknowledged: 2xx and OK in the body, or any 2xx',
  fixed_hash VARBINARY(600) NOT NULL COMMENT 'FIXED_HASH, encrypted (AES-256-GCM, bound to this name)',
  notification_hash VARBINARY(600) NOT NULL COMMENT 'NOTIFICATION_HASH, encrypted (AES-256-GCM, bound to this name)',
  changed_by VARCHAR(80) NOT NULL COMMENT 'Who made the last change',
  created_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  changed_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  PRIMARY KEY (id),
  UNIQUE KEY name (name),
  CONSTRAINT merchant_country FOREIGN KEY (country) REFERENCES countries (code)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Merchants whose orders are paid here';

CREATE TABLE accounts (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  document VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'Document number of the customer; the reference of a top-up',
  document_type VARCHAR(40) NOT NULL COMMENT 'Type of the document, e.g. CC',
  name VARCHAR(150) NOT NULL COMMENT 'Given names',
  lastname1 VARCHAR(100) NOT NULL DEFAULT '' COMMENT 'First surname',
  lastname2 VARCHAR(100) NOT NULL DEFAULT '' COMMENT 'Second surname',
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency of the balance',
  balance DECIMAL(19,4) NOT NULL DEFAULT 0 COMMENT 'Sum of the ledger; changed only together with it',
  changed_by VARCHAR(80) NOT NULL COMMENT 'Who made the last change',
  created_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  PRIMARY KEY (id),
  UNIQUE KEY document (document),
  CONSTRAINT account_currency FOREIGN KEY (currency) REFERENCES currencies (code),
  CONSTRAINT account_document_form CHECK (document REGEXP '^[0-9A-Za-z-]+\\z'),
  CONSTRAINT account_balance_sign CHECK (balance >= 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Customer accounts that can be topped up';

CREATE TABLE orders (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Order number here: pv_po_id of the notification',
  merchant_id INT UNSIGNED NOT NULL COMMENT 'Merchant the payment belongs to',
  po_id VARCHAR(200) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'Order number in the merchant''s system; unique per merchant for ever',
  reference VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'Number the customer pays with',
  state ENUM('PENDIENTE','APROBADA','VENCIDA','CANCELADA','ANULADA') NOT NULL DEFAULT 'PENDIENTE' COMMENT 'State as last written; orders_now shows it as it is at this moment',
  open_reference VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin AS (IF(state = 'PENDIENTE', reference, NULL)) VIRTUAL
    COMMENT 'The reference while PENDIENTE: one open order per reference',
  version INT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'Counts the changes of this row; equals its number of events',
  amount DECIMAL(19,4) NOT NULL COMMENT 'Amount due; 0: open, the customer chooses',
  min_amount DECIMAL(19,4) NULL COMMENT 'Least amount of an open order; NULL: anything above 0',
  max_amount DECIMAL(19,4) NULL COMMENT 'Greatest amount of an open order; NULL: no bound',
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency of the amount',
  description VARCHAR(250) NOT NULL DEFAULT '' COMMENT 'What is paid for',
  payment_means VARCHAR(40) NULL COMMENT 'Payment means asked for at registration (pv_payment); NULL: any',
  email VARCHAR(100) NULL COMMENT 'Customer''s e-mail address',
  document VARCHAR(15) NULL COMMENT 'Customer''s document number',
  document_type VARCHAR(40) NULL COMMENT 'Type of the document',
  customer_name VARCHAR(150) NULL COMMENT 'Customer''s name',
  origin ENUM('registered','imported','external') NOT NULL COMMENT 'How the order came here: one by one, from a file, or by an external query',
  due_at DATETIME(6) NOT NULL COMMENT 'UTC; unpaid at this instant, the order is VENCIDA',
  held_by BIGINT UNSIGNED NULL COMMENT 'Confirmed transaction that holds the order during its cancellation window',
  held_until DATETIME(6) NULL COMMENT 'UTC; end of that window: from here on the order is paid',
  paid_by BIGINT UNSIGNED NULL COMMENT 'Transaction that paid the order',
  changed_by VARCHAR(80) NOT NULL COMMENT 'Who made the last change, e.g. network:NAME, dispatcher, operator:NAME',
  created_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  changed_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  PRIMARY KEY (id),
  UNIQUE KEY merchant_order (merchant_id, po_id),
  UNIQUE KEY open_reference (open_reference),
  KEY reference (reference, id),
  KEY due (state, due_at, id),
  KEY created (created_at),
  CONSTRAINT order_merchant FOREIGN KEY (merchant_id) REFERENCES merchants (id),
  CONSTRAINT order_currency FOREIGN KEY (currency) REFERENCES currencies (code),
  CONSTRAINT order_amount_sign CHECK (amount >= 0),
  CONSTRAINT order_limits CHECK (min_amount IS NULL OR max_amount IS NULL OR min_amount <= max_amount),
  CONSTRAINT order_reference_form CHECK (reference REGEXP '^[0-9]{1,25}\\z'),
  CONSTRAINT order_po_id_form CHECK (po_id REGEXP '^[a-zA-Z0-9_-]{1,200}\\z'),
  CONSTRAINT order_hold_whole CHECK ((held_by IS NULL) = (held_until IS NULL)),
  CONSTRAINT order_hold_pending CHECK (held_by IS NULL OR state = 'PENDIENTE'),
  CONSTRAINT order_paid_by CHECK ((paid_by IS NOT NULL) = (state IN ('APROBADA','ANULADA')))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Purchase orders to be paid, one row for ever';

CREATE TABLE transactions (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Operation code: IDSERVICE of the reply',
  network_id INT UNSIGNED NOT NULL COMMENT 'Network that registered it',
  network_transaction VARCHAR(64) NOT NULL COMMENT 'Transaction id of the network; unique per network for ever',
  order_id BIGINT UNSIGNED NULL COMMENT 'Order to be paid; NULL for a top-up',
  account_id BIGINT UNSIGNED NULL COMMENT 'Account to be topped up; NULL for an order',
  reference VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'Reference as sent',
  state ENUM('REGISTRADA','CONFIRMADA','FINALIZADA','CANCELADA') NOT NULL DEFAULT 'REGISTRADA' COMMENT 'State as last written; transactions_now shows it as it is at this moment',
  version INT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'Counts the changes of this row; equals its number of events',
  amount DECIMAL(19,4) NOT NULL COMMENT 'Amount paid',
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency of the amount',
  commerce VARCHAR(100) NOT NULL COMMENT 'COMMERCE as replied',
  description VARCHAR(500) NOT NULL COMMENT 'DESCRIPTION as replied',
  teller VARCHAR(64) NOT NULL COMMENT 'Collection point as sent: an address or a point-of-sale id',
  given_names VARCHAR(100) NULL COMMENT 'Customer''s given names as sent (nombres)',
  surname1 VARCHAR(100) NULL COMMENT 'Customer''s first surname as sent (apellido1)',
  surname2 VARCHAR(100) NULL COMMENT 'Customer''s second surname as sent (apellido2)',
  fingerprint BINARY(32) NOT NULL COMMENT 'SHA-256 of what the request said: tells a repeated request from another one',
  registered_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  confirmed_at DATETIME(6) NULL COMMENT 'UTC; confirm true was accepted',
  window_ends_at DATETIME(6) NULL COMMENT 'UTC; from here on it cannot be cancelled',
  finalised_at DATETIME(6) NULL COMMENT 'UTC; the end of the window was written',
  cancelled_at DATETIME(6) NULL COMMENT 'UTC; confirm false was accepted',
  changed_by VARCHAR(80) NOT NULL COMMENT 'Who made the last change',
  PRIMARY KEY (id),
  UNIQUE KEY network_transaction (network_id, network_transaction),
  KEY order_id (order_id),
  KEY account_id (account_id),
  KEY window_end (state, window_ends_at, id),
  KEY registered (registered_at),
  CONSTRAINT transaction_network FOREIGN KEY (network_id) REFERENCES networks (id),
  CONSTRAINT transaction_target CHECK ((order_id IS NULL) <> (account_id IS NULL)),
  CONSTRAINT transaction_amount_sign CHECK (amount > 0),
  CONSTRAINT transaction_window CHECK ((confirmed_at IS NULL) = (window_ends_at IS NULL)),
  CONSTRAINT transaction_confirmed CHECK (state NOT IN ('CONFIRMADA','FINALIZADA') OR confirmed_at IS NOT NULL),
  CONSTRAINT transaction_finalised CHECK ((state = 'FINALIZADA') = (finalised_at IS NOT NULL)),
  CONSTRAINT transaction_cancelled CHECK ((state = 'CANCELADA') = (cancelled_at IS NOT NULL))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Payments as the networks registered them, one row for ever';

CREATE TABLE account_ledger (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  account_id BIGINT UNSIGNED NOT NULL COMMENT 'Account that was credited',
  transaction_id BIGINT UNSIGNED NOT NULL COMMENT 'Top-up that was finalised; each at most once',
  amount DECIMAL(19,4) NOT NULL COMMENT 'Amount credited',
  balance DECIMAL(19,4) NOT NULL COMMENT 'Balance of the account after this movement',
  at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  PRIMARY KEY (id),
  UNIQUE KEY transaction_id (transaction_id),
  KEY account_id (account_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Movements of the accounts; append only';

CREATE TABLE notifications (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  order_id BIGINT UNSIGNED NOT NULL COMMENT 'Order whose state changed',
  merchant_id INT UNSIGNED NOT NULL COMMENT 'Merchant that is told',
  status ENUM('approved','cancelled') NOT NULL COMMENT 'Field `status` of the message',
  state ENUM('unaddressed','pending','delivered','exhausted') NOT NULL COMMENT 'unaddressed: the merchant has no notify_url; pending: is to be delivered; delivered: acknowledged; exhausted: all attempts failed, an operator may replay it',
  amount DECIMAL(19,4) NOT NULL COMMENT 'Field `amount`: the order''s; of an open order the amount paid',
  payment_means VARCHAR(40) NOT NULL COMMENT 'Field `pv_payment`: the means asked for, else the network that took the payment',
  attempts SMALLINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Attempts made since it became pending',
  due_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; the next attempt leaves at this instant or later',
  created_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; the order changed its state',
  settled_at DATETIME(6) NULL COMMENT 'UTC; it was acknowledged or given up',
  PRIMARY KEY (id),
  UNIQUE KEY order_status (order_id, status),
  KEY due (state, due_at, id),
  KEY merchant (merchant_id, state, due_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='What merchants are to be told, written in the transaction that changes the order';

CREATE TABLE events (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number, in the order of writing',
  at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  subject ENUM('order','transaction','account','network','merchant','notification') NOT NULL COMMENT 'Kind of thing that changed',
  subject_id BIGINT UNSIGNED NOT NULL COMMENT 'Its id',
  version INT UNSIGNED NULL COMMENT 'Version of an order or transaction after the change',
  what VARCHAR(40) NOT NULL COMMENT 'What happened: created, state, held, released, changed, enabled, disabled, ...',
  from_state VARCHAR(20) NULL COMMENT 'State before',
  to_state VARCHAR(20) NULL COMMENT 'State after',
  actor VARCHAR(80) NOT NULL COMMENT 'Who did it: network:NAME, merchant:NAME, dispatcher, operator:NAME',
  db_account VARCHAR(160) NOT NULL COMMENT 'Database account that wrote it',
  reason VARCHAR(250) NULL COMMENT 'Why, where a person gave a reason',
  PRIMARY KEY (id),
  KEY subject (subject, subject_id, id),
  KEY at (at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Every change of state, who made it and when; append only';

-- Triggers: the database itself writes the event log and refuses what the specification's state table does not have.

CREATE TRIGGER orders_created AFTER INSERT ON orders FOR EACH ROW
  INSERT INTO events (subject, subject_id, version, what, to_state, actor, db_account)
  VALUES ('order', NEW.id, NEW.version, 'created', NEW.state, NEW.changed_by, SESSION_USER());

CREATE TRIGGER orders_guard BEFORE UPDATE ON orders FOR EACH ROW
BEGIN
  IF NEW.state <> OLD.state AND NOT (
       (OLD.state = 'PENDIENTE' AND NEW.state IN ('APROBADA', 'VENCIDA', 'CANCELADA'))
    OR (OLD.state = 'APROBADA' AND NEW.state = 'ANULADA')) THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'orders: this change of state does not exist';
  END IF;
  SET NEW.version = OLD.version + 1, NEW.changed_at = UTC_TIMESTAMP(6);
END;

CREATE TRIGGER orders_changed AFTER UPDATE ON orders FOR EACH ROW
  INSERT INTO events (subject, subject_id, version, what, from_state, to_state, actor, db_account)
  VALUES ('order', NEW.id, NEW.version,
          CASE WHEN NEW.state <> OLD.state THEN 'state'
               WHEN OLD.held_by IS NULL AND NEW.held_by IS NOT NULL THEN 'held'
               WHEN OLD.held_by IS NOT NULL AND NEW.held_by IS NULL THEN 'released'
               ELSE 'changed' END,
          OLD.state, NEW.state, NEW.changed_by, SESSION_USER());

CREATE TRIGGER transactions_created AFTER INSERT ON transactions FOR EACH ROW
  INSERT INTO events (subject, subject_id, version, what, to_state, actor, db_account)
  VALUES ('transaction', NEW.id, NEW.version, 'created', NEW.state, NEW.changed_by, SESSION_USER());

CREATE TRIGGER transactions_guard BEFORE UPDATE ON transactions FOR EACH ROW
BEGIN
  IF NEW.state <> OLD.state AND NOT (
       (OLD.state = 'REGISTRADA' AND NEW.state IN ('CONFIRMADA', 'CANCELADA'))
    OR (OLD.state = 'CONFIRMADA' AND NEW.state IN ('FINALIZADA', 'CANCELADA'))) THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'transactions: this change of state does not exist';
  END IF;
  SET NEW.version = OLD.version + 1;
END;

CREATE TRIGGER transactions_changed AFTER UPDATE ON transactions FOR EACH ROW
  INSERT INTO events (subject, subject_id, version, what, from_state, to_state, actor, db_account)
  VALUES ('transaction', NEW.id, NEW.version, IF(NEW.state <> OLD.state, 'state', 'changed'),
          OLD.state, NEW.state, NEW.changed_by, SESSION_USER());

CREATE TRIGGER networks_created AFTER INSERT ON networks FOR EACH ROW
  INSERT INTO events (subject, subject_id, what, to_state, actor, db_account)
  VALUES ('network', NEW.id, 'created', IF(NEW.enabled, 'enabled', 'disabled'), NEW.changed_by, SESSION_USER());

CREATE TRIGGER networks_stamp BEFORE UPDATE ON networks FOR EACH ROW SET NEW.changed_at = UTC_TIMESTAMP(6);
CREATE TRIGGER merchants_stamp BEFORE UPDATE ON merchants FOR EACH ROW SET NEW.changed_at = UTC_TIMESTAMP(6);

CREATE TRIGGER networks_changed AFTER UPDATE ON networks FOR EACH ROW
  INSERT INTO events (subject, subject_id, what, from_state, to_state, actor, db_account)
  VALUES ('network', NEW.id,
          CASE WHEN NEW.enabled <> OLD.enabled THEN 'state'
               WHEN NEW.fixed_hash <> OLD.fixed_hash THEN 'rotated' ELSE 'changed' END,
          IF(OLD.enabled, 'enabled', 'disabled'), IF(NEW.enabled, 'enabled', 'disabled'), NEW.changed_by, SESSION_USER());

CREATE TRIGGER merchants_created AFTER INSERT ON merchants FOR EACH ROW
  INSERT INTO events (subject, subject_id, what, to_state, actor, db_account)
  VALUES ('merchant', NEW.id, 'created', IF(NEW.enabled, 'enabled', 'disabled'), NEW.changed_by, SESSION_USER());

CREATE TRIGGER merchants_changed AFTER UPDATE ON merchants FOR EACH ROW
  INSERT INTO events (subject, subject_id, what, from_state, to_state, actor, db_account)
  VALUES ('merchant', NEW.id,
          CASE WHEN NEW.enabled <> OLD.enabled THEN 'state'
               WHEN NEW.fixed_hash <> OLD.fixed_hash OR NEW.notification_hash <> OLD.notification_hash THEN 'rotated'
               ELSE 'changed' END,
          IF(OLD.enabled, 'enabled', 'disabled'), IF(NEW.enabled, 'enabled', 'disabled'), NEW.changed_by, SESSION_USER());

CREATE TRIGGER accounts_created AFTER INSERT ON accounts FOR EACH ROW
  INSERT INTO events (subject, subject_id, what, actor, db_account)
  VALUES ('account', NEW.id, 'created', NEW.changed_by, SESSION_USER());

CREATE TRIGGER events_keep BEFORE UPDATE ON events FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'events: append only';
CREATE TRIGGER events_stay BEFORE DELETE ON events FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'events: append only';
CREATE TRIGGER account_ledger_keep BEFORE UPDATE ON account_ledger FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'account_ledger: append only';
CREATE TRIGGER account_ledger_stay BEFORE DELETE ON account_ledger FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'account_ledger: append only';

-- Views for the people who read tables. "now" is this moment by the database's clock, whether or not the dispatcher has passed.

CREATE SQL SECURITY INVOKER VIEW orders_now AS
  SELECT o.id, m.name AS merchant, o.po_id, o.reference,
         CASE WHEN o.state <> 'PENDIENTE' THEN o.state
              WHEN o.held_until <= UTC_TIMESTAMP(6) THEN 'APROBADA'
              WHEN o.held_by IS NOT NULL THEN 'PENDIENTE'
              WHEN o.due_at <= UTC_TIMESTAMP(6) THEN 'VENCIDA'
              ELSE 'PENDIENTE' END AS state_now,
         o.state AS state_written, o.amount, o.currency, o.description, o.due_at, o.held_by, o.held_until, o.paid_by,
         o.origin, o.created_at, o.changed_at, o.changed_by
    FROM orders o JOIN merchants m ON m.id = o.merchant_id;

CREATE SQL SECURITY INVOKER VIEW transactions_now AS
  SELECT t.id, n.name AS network, t.network_transaction, t.reference, t.order_id, t.account_id,
         IF(t.state = 'CONFIRMADA' AND t.window_ends_at <= UTC_TIMESTAMP(6), 'FINALIZADA', t.state) AS state_now,
         t.state AS state_written, t.amount, t.currency, t.commerce, t.teller,
         t.registered_at, t.confirmed_at, t.window_ends_at, t.finalised_at, t.cancelled_at
    FROM transactions t JOIN networks n ON n.id = t.network_id;

CREATE SQL SECURITY INVOKER VIEW due_now AS
  SELECT 'finalise' AS work, t.id, t.window_ends_at AS since FROM transactions t
   WHERE t.state = 'CONFIRMADA' AND t.window_ends_at <= UTC_TIMESTAMP(6)
  UNION ALL
  SELECT 'expire', o.id, o.due_at FROM orders o
   WHERE o.state = 'PENDIENTE' AND o.held_by IS NULL AND o.due_at <= UTC_TIMESTAMP(6)
  UNION ALL
  SELECT 'notify', n.id, n.due_at FROM notifications n
   WHERE n.state = 'pending' AND n.due_at <= UTC_TIMESTAMP(6);

INSERT INTO always (id) VALUES (1);

INSERT INTO currencies (code, name, query_code) VALUES
  ('COP', 'Colombian peso', 1), ('CRC', 'Costa Rican colon', NULL), ('USD', 'US dollar', NULL), ('PEN', 'Peruvian sol', NULL);

INSERT INTO countries (code, name, currency, time_zone) VALUES
  (343, 'Colombia', 'COP', 'America/Bogota'), (314, 'Costa Rica', 'CRC', 'America/Costa_Rica'),
  (345, 'Ecuador', 'USD', 'America/Guayaquil'), (348, 'Peru', 'PEN', 'America/Lima');
