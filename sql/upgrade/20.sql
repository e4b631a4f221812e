-- From schema 20 to the foundation.

CREATE TABLE retention (
  what ENUM('attempts', 'queries', 'transactions', 'orders') NOT NULL COMMENT 'What is removed; of transactions and orders the personal data only',
  begun_for DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; the walk under way, or the last one, is that of this moment',
  last_id BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Rows up to this one have been looked at',
  removed BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Rows that went, or lost their personal data, in this walk',
  ended_at DATETIME(6) NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; NULL: under way',
  PRIMARY KEY (what)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='How far the nightly removal of what is old has come';

INSERT INTO retention (what) VALUES ('attempts'), ('queries'), ('transactions'), ('orders');

CREATE TABLE last_done (
  what ENUM('backup', 'write') NOT NULL COMMENT 'backup: recaudo-backup saved one; write: a program tried whether this database takes writes',
  host VARCHAR(64) NOT NULL COMMENT 'backup: machine that made it; write: database server',
  at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; the last time',
  PRIMARY KEY (what, host)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='When what monitoring asks for was done last';

CREATE TABLE console_users (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  name VARCHAR(64) NOT NULL COMMENT 'Name by which the web server knows the user (REMOTE_USER)',
  role ENUM('viewer','support','operator','merchant') NOT NULL
    COMMENT 'viewer: reads; support: also retries notifications and enters claims; operator: also enables, disables and sets limits; merchant: sees one merchant alone',
  merchant_id INT UNSIGNED NULL COMMENT 'The one merchant that a merchant''s user sees; NULL: staff',
  enabled BOOLEAN NOT NULL DEFAULT TRUE COMMENT 'May use the console',
  changed_by VARCHAR(80) NOT NULL COMMENT 'Who made the last change',
  created_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  changed_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  PRIMARY KEY (id),
  UNIQUE KEY name (name),
  KEY merchant (merchant_id),
  CONSTRAINT console_user_merchant FOREIGN KEY (merchant_id) REFERENCES merchants (id),
  CONSTRAINT console_user_role CHECK ((role = 'merchant') = (merchant_id IS NOT NULL)),
  CONSTRAINT console_user_name CHECK (name <> '')
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='People who may use the console';

CREATE TABLE console_keys (
  id TINYINT UNSIGNED NOT NULL COMMENT 'There is one row',
  form_key BINARY(32) NOT NULL COMMENT 'Key of the tokens in the console''s forms, drawn when the row is made',
  PRIMARY KEY (id),
  CONSTRAINT console_key_one CHECK (id = 1)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='What the consoles of all hosts share';

INSERT INTO console_keys (id, form_key) VALUES (1, RANDOM_BYTES(32));

ALTER TABLE endpoints
  ADD COLUMN failing_since DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; when the first of these rounds was recorded';

-- Rows that keep their place when a payment goes on (see the foundation); the tables are written anew.
ALTER TABLE orders
  MODIFY changed_by VARCHAR(80) NOT NULL COMMENT 'Who made the last change that was no confirmation, e.g. merchant:NAME, dispatcher, operator:NAME',
  ADD KEY merchant (merchant_id), ADD KEY document (document), -- what the console looks for
  ROW_FORMAT=REDUNDANT;
ALTER TABLE transactions ROW_FORMAT=REDUNDANT;

-- What was changed, and which URL an attempt used.
ALTER TABLE events
  MODIFY subject ENUM('order','transaction','account','network','merchant','notification','integration','setting','user') NOT NULL COMMENT 'Kind of thing that changed',
  MODIFY actor VARCHAR(80) NOT NULL COMMENT 'Who did it: network:NAME, merchant:NAME, dispatcher, operator:NAME; db:ACCOUNT where an account that is none of ours did not say',
  ADD COLUMN changes TEXT NULL COMMENT 'What was changed, where it is no state: JSON, for each column [old, new]; of secrets and personal data only that they changed' AFTER reason;
ALTER TABLE attempts
  ADD COLUMN url VARCHAR(2048) NOT NULL DEFAULT '' COMMENT 'URL that it was for; empty: not known, it is of a release before this column' AFTER duration_us;

-- Two prefixes that overlap and are given at once: one is refused.
ALTER TABLE settings
  ADD COLUMN prefixes_given BIGINT UNSIGNED NOT NULL DEFAULT 0
    COMMENT 'Counts reference prefixes and integrations: each writes it, so that of two that overlap and come at once one is refused, on Galera too';

-- When the log told last that a network has used most of a limit.
ALTER TABLE network_limits
  ADD COLUMN warned_at DATETIME(6) NULL COMMENT 'UTC; a dispatcher logged last that much of a limit is used; NULL: not since the limit was set';

-- Part 2
-- What these did is done by the one trigger of its table and time. While both are there, a refund and a settled payment are refused (their
-- rows would be written twice), and come again.
DROP TRIGGER IF EXISTS orders_reference_moved;
DROP TRIGGER IF EXISTS orders_refunded;
DROP TRIGGER IF EXISTS transactions_settled;
DROP TRIGGER IF EXISTS transactions_reserve;
DROP TRIGGER IF EXISTS transactions_limited;
DROP PROCEDURE IF EXISTS limit_take;
DROP PROCEDURE IF EXISTS limit_give;
DROP FUNCTION IF EXISTS limit_portion;
