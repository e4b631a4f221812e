-- From schema 20 to the foundation.
-- A run that goes on after a loss of the server begins part 1 again, so each statement takes what it finds made.
-- Last of part 1: event_log

-- The session that migrates has a lock of the server (GET_LOCK) instead.
DROP TABLE IF EXISTS schema_lock;

CREATE TABLE IF NOT EXISTS unsigned_uses (
  network_id INT UNSIGNED NOT NULL COMMENT 'Network',
  used_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; a request without the headers of a signature was accepted; each worker process writes it once a minute at most',
  PRIMARY KEY (network_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Networks that still send unsigned requests; a change of the setting deletes the row';

CREATE TABLE IF NOT EXISTS offers (
  order_id BIGINT UNSIGNED NOT NULL COMMENT 'Order that came by an external query',
  network_id INT UNSIGNED NOT NULL COMMENT 'Network to which its merchant has offered it',
  offered_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; for the first time',
  PRIMARY KEY (order_id, network_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Which networks may pay an order that its merchant offered when it was asked: those that asked, and no others';

CREATE TABLE IF NOT EXISTS retention (
  what ENUM('attempts', 'queries', 'transactions', 'orders') NOT NULL COMMENT 'What is removed; of transactions and orders the personal data only',
  begun_for DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; the walk under way, or the last one, is that of this moment',
  last_id BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Rows up to this one have been looked at',
  removed BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Rows that went, or lost their personal data, in this walk',
  ended_at DATETIME(6) NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; NULL: under way',
  PRIMARY KEY (what)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='How far the nightly removal of what is old has come';

INSERT IGNORE INTO retention (what) VALUES ('attempts'), ('queries'), ('transactions'), ('orders');

CREATE TABLE IF NOT EXISTS payment_counts (
  span ENUM('minute','hour') NOT NULL COMMENT 'How long it is that was counted',
  began_at DATETIME(6) NOT NULL COMMENT 'UTC; begin of the minute or hour in which the payments were confirmed',
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency; empty: the row says that the minute was counted',
  payments BIGINT UNSIGNED NOT NULL COMMENT 'Payments confirmed and not cancelled, soon after the minute was over',
  PRIMARY KEY (span, began_at, currency)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='How many payments there were in each of the last minutes and hours, for the console; counted by a dispatcher, kept for two hours and eight days';

CREATE TABLE IF NOT EXISTS refusal_counts (
  began_at DATETIME(6) NOT NULL COMMENT 'UTC; begin of the hour in which the refusals were written, some seconds after they were told',
  code CHAR(4) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'CODE of the reply',
  refusals BIGINT UNSIGNED NOT NULL COMMENT 'How many replies had it, of the workers of all hosts',
  last_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; when the last of them were written',
  PRIMARY KEY (began_at, code)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='How many requests of networks, merchants and customers were refused in each of the last hours, for the console; kept for eight days';

CREATE TABLE IF NOT EXISTS network_refusals (
  network_id INT UNSIGNED NOT NULL COMMENT 'Network',
  code CHAR(4) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'CODE of the replies: 0019, or 0025 to whoever gave its name',
  since DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; first refusal of a series without a gap of an hour, or of 5 minutes in which a request was served',
  last_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; last one; workers write it every 10 seconds at most',
  served_at DATETIME(6) NULL COMMENT 'UTC; a request of the network was served; written once after each refusal; NULL: none since the first refusal',
  PRIMARY KEY (network_id, code)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Enabled networks whose requests were refused; the view networks_refused has those that somebody must look into';

CREATE TABLE IF NOT EXISTS last_done (
  what ENUM('backup', 'write', 'full', 'held', 'reload', 'unrecorded', 'seal_file', 'rights', 'serving') NOT NULL
    COMMENT 'backup: recaudo-backup saved one; write: a program tried whether this database takes writes; full: one found no room; held: a dispatcher does not seal the event log, because the seals here are not those of its seal_file; reload: workers go on with the configuration before, because they refused the new one; unrecorded: a dispatcher sends no notifications, because it cannot record what becomes of them; seal_file: one cannot write the seals to its seal_file; rights: workers lack a right, or a function, that requests need; serving: workers run',
  host VARCHAR(64) NOT NULL COMMENT 'backup: machine that made it; write and full: database server; the others: machine of the programs',
  at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; the last time',
  PRIMARY KEY (what, host)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='When what monitoring asks for was done last';

CREATE TABLE IF NOT EXISTS console_users (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  name VARCHAR(64) NOT NULL COMMENT 'Name by which the web server knows the user (REMOTE_USER)',
  role ENUM('viewer','support','operator','merchant') NOT NULL
    COMMENT 'viewer: reads; support: also retries notifications, tests endpoints and enters claims; operator: also approves, enables, disables and sets limits; merchant: sees one merchant alone, retries its notifications and tests its endpoint',
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

CREATE TABLE IF NOT EXISTS console_keys (
  id TINYINT UNSIGNED NOT NULL COMMENT 'There is one row',
  form_key BINARY(32) NOT NULL COMMENT 'Key of the tokens in the console''s forms, drawn when the row is made',
  PRIMARY KEY (id),
  CONSTRAINT console_key_one CHECK (id = 1)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='What the consoles of all hosts share';

INSERT IGNORE INTO console_keys (id, form_key) VALUES (1, RANDOM_BYTES(32));

-- The event log is sealed in batches (doc/audit.md): the digest of a seal covers the seal before it and every event since. A dispatcher
-- appends one after the events are committed; payments neither read nor write this table.
CREATE TABLE IF NOT EXISTS seals (
  number INT UNSIGNED NOT NULL COMMENT 'Number of the seal, from 1, without gaps',
  form TINYINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'Version of the text that is digested, see doc/audit.md',
  sealed_at DATETIME(6) NOT NULL COMMENT 'UTC; never before that of the seal before',
  first_id BIGINT UNSIGNED NOT NULL COMMENT 'The last_id of the seal before, plus 1',
  last_id BIGINT UNSIGNED NOT NULL COMMENT 'It covers the events from first_id to here; first_id - 1: none but the late ones',
  count INT UNSIGNED NOT NULL COMMENT 'Number of events in it, with the late ones',
  late TEXT CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''
    COMMENT 'Numbers of events of earlier ranges that were committed after these were sealed, ascending, with spaces between',
  events CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'SHA-256 over the digests of its events, in hex',
  digest CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'SHA-256 of the text of this seal, which names the digest of the seal before',
  marks BLOB NOT NULL COMMENT 'For each event its number (as LEB128, less the one before) and four bytes of its digest: they tell which event was changed',
  key_id CHAR(16) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'Which key signed it; NULL: none did',
  signature CHAR(128) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'Ed25519 over the text of this seal, in hex',
  PRIMARY KEY (number),
  KEY sealed_at (sealed_at),
  CONSTRAINT seal_range CHECK (first_id <= last_id + 1),
  CONSTRAINT seal_signed CHECK ((key_id IS NULL) = (signature IS NULL))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Seals of the event log; append only';

-- What a second user has to approve (doc/operations.md, "Dual control"). Only the schema's owner writes dual_control and dual_changes.
CREATE TABLE IF NOT EXISTS dual_control (
  kind ENUM('claim') NOT NULL COMMENT 'claim: a refund claim, by recaudoctl or in the console',
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency of the payment',
  above DECIMAL(19,4) NOT NULL COMMENT 'A larger amount needs the approval of a second user',
  valid_for INT UNSIGNED NOT NULL DEFAULT 86400 COMMENT 'Seconds within which it must be approved',
  PRIMARY KEY (kind, currency),
  CONSTRAINT dual_control_currency FOREIGN KEY (currency) REFERENCES currencies (code),
  CONSTRAINT dual_control_above CHECK (above >= 0),
  CONSTRAINT dual_control_valid CHECK (valid_for BETWEEN 60 AND 2592000)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Claims that need a second user''s approval; a currency without a row needs none';

CREATE TABLE IF NOT EXISTS dual_changes (
  kind ENUM('secrets','notify_url','limits') NOT NULL
    COMMENT 'secrets: a new FIXED_HASH or NOTIFICATION_HASH; notify_url: where a merchant''s notifications go; limits: what a network may confirm and owe',
  valid_for INT UNSIGNED NOT NULL DEFAULT 86400 COMMENT 'Seconds within which it must be approved',
  PRIMARY KEY (kind),
  CONSTRAINT dual_changes_valid CHECK (valid_for BETWEEN 60 AND 2592000)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Changes that need a second user''s approval; a kind without a row needs none';

CREATE TABLE IF NOT EXISTS approvals (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Number of the change',
  kind ENUM('claim','notify_url','limits','network_secret','merchant_secret','notification_secret') NOT NULL
    COMMENT 'What it changes; network_secret and merchant_secret: the FIXED_HASH',
  subject_id BIGINT UNSIGNED NOT NULL COMMENT 'claim: the order, which goes from APROBADA to ANULADA; limits and network_secret: the network; else the merchant',
  seen VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL
    COMMENT 'approval_seen when it was asked for; the change is made only while it is still this',
  amount DECIMAL(19,4) NULL COMMENT 'claim: amount that was paid',
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'claim and limits: the currency',
  changes TEXT NULL COMMENT 'What it changes, as in event_log; of a secret for how many microseconds the old secret stays valid. NULL: a claim',
  sealed VARBINARY(600) NULL COMMENT 'Secret that waits, encrypted like the one that it replaces; NULL: none does',
  reason VARCHAR(250) NOT NULL COMMENT 'Why, as the asker wrote it',
  asked_by VARCHAR(80) NOT NULL COMMENT 'Who asked, e.g. operator:NAME or console:NAME',
  asked_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  expires_at DATETIME(6) NOT NULL COMMENT 'UTC; from then on it cannot be approved',
  state ENUM('waiting','making','approved','refused') NOT NULL DEFAULT 'waiting'
    COMMENT 'waiting: also where it has expired; making: only inside the transaction that approves it',
  answered_by VARCHAR(80) NULL COMMENT 'Who approved or refused it',
  answered_at DATETIME(6) NULL COMMENT 'UTC',
  answer VARCHAR(250) NULL COMMENT 'Why, as that user wrote it',
  PRIMARY KEY (id),
  KEY subject (kind, subject_id),
  KEY state (state),
  CONSTRAINT approval_answered CHECK ((state IN ('waiting', 'making')) = (answered_by IS NULL)
                                      AND (state IN ('waiting', 'making')) = (answered_at IS NULL)),
  CONSTRAINT approval_claims CHECK ((kind = 'claim') = (amount IS NOT NULL) AND (kind = 'claim') = (changes IS NULL)
                                    AND (kind IN ('claim', 'limits')) = (currency IS NOT NULL))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Changes that wait for a second user''s approval, and those that were answered';

CREATE TABLE IF NOT EXISTS endpoint_tests (
  merchant_id INT UNSIGNED NOT NULL COMMENT 'Merchant whose notify_url is tested',
  asked_at DATETIME(6) NOT NULL COMMENT 'UTC; when the test was asked for',
  asked_by VARCHAR(80) NOT NULL COMMENT 'Who asked for it',
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency of the message',
  taken_at DATETIME(6) NULL COMMENT 'UTC; a dispatcher took it, and sends it once; NULL: none has',
  done_at DATETIME(6) NULL COMMENT 'UTC; the outcome was recorded; NULL: there is none',
  duration_us BIGINT UNSIGNED NULL COMMENT 'Microseconds from the start to the end of the reply, or to the failure',
  url VARCHAR(2048) NULL COMMENT 'URL that it was for',
  address VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'Address that was connected to; empty: none was',
  http_status SMALLINT UNSIGNED NULL COMMENT 'Status of the reply; NULL: there was none',
  reason VARCHAR(20) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'The verdict, a value of attempts.reason',
  reply BLOB NULL COMMENT 'Body of the reply as received, its first 16 KiB',
  PRIMARY KEY (merchant_id),
  KEY waiting (taken_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='The last test of each merchant''s endpoint that a user of the console asked for';

ALTER TABLE endpoints
  ADD COLUMN IF NOT EXISTS failing_since DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; when the first of these rounds was recorded';

-- Rows that keep their place when a payment goes on, and no virtual column in a key (see the foundation); the tables are written anew. A
-- server that ends meanwhile (MariaDB 10.11) comes back without the foreign keys of the one that it was writing, so they are made if missing.
ALTER TABLE orders
  DROP KEY open_reference, DROP COLUMN open_reference,
  ADD COLUMN open_reference VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin AS (IF(state = 'PENDIENTE', reference, NULL)) STORED
    COMMENT 'The reference while PENDIENTE: one open order per reference' AFTER state,
  ADD UNIQUE KEY open_reference (open_reference),
  MODIFY vat DECIMAL(19,4) NULL COMMENT 'Value added tax as the merchant sent it (iva); stored only, not shown and not calculated with',
  MODIFY held_until DATETIME(6) NULL COMMENT 'UTC; end of that window: from here on it cannot be cancelled; the order is paid once state says so',
  MODIFY changed_by VARCHAR(80) NOT NULL COMMENT 'Who made the last change that was no confirmation, e.g. merchant:NAME, dispatcher, operator:NAME',
  ADD KEY IF NOT EXISTS merchant (merchant_id), ADD KEY IF NOT EXISTS document (document), -- what the console looks for
  ADD CONSTRAINT order_merchant FOREIGN KEY IF NOT EXISTS (merchant_id) REFERENCES merchants (id),
  ADD CONSTRAINT order_currency FOREIGN KEY IF NOT EXISTS (currency) REFERENCES currencies (code),
  ADD CONSTRAINT order_country FOREIGN KEY IF NOT EXISTS (country) REFERENCES countries (code),
  ROW_FORMAT=REDUNDANT;
ALTER TABLE transactions
  MODIFY state ENUM('REGISTRADA','CONFIRMADA','FINALIZADA','CANCELADA') NOT NULL DEFAULT 'REGISTRADA'
    COMMENT 'State as last written; transactions_now says whether its window is over',
  ADD COLUMN IF NOT EXISTS order_version INT UNSIGNED NULL COMMENT 'Version that the order got when this last changed it; NULL: it never did. Only for the event log'
    AFTER window_ends_at,
  DROP KEY settled, DROP COLUMN settled_at,
  ADD COLUMN settled_at DATETIME(6) AS (COALESCE(cancelled_at, window_ends_at)) STORED
    COMMENT 'UTC; from here on nothing changes any more: the cancellation, else the end of the window; NULL: not confirmed' AFTER cancelled_at,
  ADD KEY settled (settled_at, id),
  ADD CONSTRAINT transaction_network FOREIGN KEY IF NOT EXISTS (network_id) REFERENCES networks (id),
  ROW_FORMAT=REDUNDANT;
ALTER TABLE integrations
  DROP KEY live_code, DROP COLUMN live_code,
  ADD COLUMN live_code VARCHAR(16) CHARACTER SET ascii COLLATE ascii_nopad_bin AS (IF(removed_at IS NULL, code, NULL)) STORED
    COMMENT 'The code while it is in force: each kind has a code once' AFTER code,
  ADD UNIQUE KEY live_code (kind, live_code),
  DROP KEY integration_merchant, ADD KEY integration_merchant (merchant_id),
  ADD CONSTRAINT integration_merchant FOREIGN KEY IF NOT EXISTS (merchant_id) REFERENCES merchants (id),
  ADD CONSTRAINT integration_network FOREIGN KEY IF NOT EXISTS (network_id) REFERENCES networks (id),
  ADD CONSTRAINT integration_currency FOREIGN KEY IF NOT EXISTS (currency) REFERENCES currencies (code);
ALTER TABLE settlements
  DROP KEY is_open, DROP COLUMN is_open,
  ADD COLUMN is_open TINYINT UNSIGNED AS (IF(state = 'open', 1, NULL)) STORED COMMENT 'There is one open settlement' AFTER state,
  ADD UNIQUE KEY is_open (is_open);

-- Which URL an attempt used.
ALTER TABLE attempts
  ADD COLUMN IF NOT EXISTS url VARCHAR(2048) NOT NULL DEFAULT '' COMMENT 'URL that it was for; empty: not known, it is of a release before this column' AFTER duration_us,
  MODIFY reason ENUM('acknowledged','status','reply','secret','url','dns','address','connect','tls','timeout','protocol','too_large','certificates','files',
    'tls_expired','tls_name','tls_authority','tls_version','tls_absent') NOT NULL
    COMMENT 'The verdict and why: acknowledged; a status other than 2xx; a reply that is not OK; our secret for it cannot be decrypted; else what failed below HTTP (address: not one that may be connected to; certificates: we have none to trust; files: our process could open no more)',
  DROP KEY IF EXISTS started_at;

-- Two prefixes that overlap and are given at once: one is refused.
ALTER TABLE settings
  ADD COLUMN IF NOT EXISTS prefixes_given BIGINT UNSIGNED NOT NULL DEFAULT 0
    COMMENT 'Incremented with each new prefix or integration, so that of two concurrent ones, which may overlap, the second waits (on Galera it is rolled back) and is checked against the first',
  COMMENT='Single row: settings that the database itself applies';

-- Comments that tell more.
ALTER TABLE always
  COMMENT='Single row that queries start from, so that they return one row, with the server''s time, even if they find nothing else';
ALTER TABLE old_secret_uses
  COMMENT='Networks and merchants that still use the old secret; a rotation deletes the row';
ALTER TABLE notifications
  MODIFY state ENUM('unaddressed','waiting','pending','delivered','exhausted') NOT NULL
    COMMENT 'unaddressed: the merchant has no notify_url; waiting: an earlier one of the order comes first; pending: is to be delivered; delivered: acknowledged; exhausted: all attempts failed, an operator may retry it';
ALTER TABLE networks
  MODIFY old_hash VARBINARY(600) NULL COMMENT 'FIXED_HASH before the last rotation, encrypted like fixed_hash; NULL: fixed_hash alone is valid',
  MODIFY old_hash_until DATETIME(6) NULL COMMENT 'UTC; from here on old_hash is not valid';
ALTER TABLE merchants
  MODIFY enabled BOOLEAN NOT NULL DEFAULT TRUE
    COMMENT 'FALSE: its own requests are refused, and its orders cannot be looked up or registered for; what is registered can be confirmed',
  MODIFY old_hash VARBINARY(600) NULL COMMENT 'FIXED_HASH before the last rotation, encrypted like fixed_hash; NULL: fixed_hash alone is valid',
  MODIFY old_hash_until DATETIME(6) NULL COMMENT 'UTC; from here on old_hash is not valid';

-- What leads from a reference on an old slip to the order that had it.
ALTER TABLE reference_owners
  MODIFY uses INT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'Incremented each time the reference is taken or left; this write makes two concurrent takers conflict, on Galera too',
  ADD COLUMN IF NOT EXISTS left_by BIGINT UNSIGNED NULL COMMENT 'The last order that left it for another reference; NULL: none did';

-- When the log told last that a network has used most of a limit.
ALTER TABLE network_limits
  ADD COLUMN IF NOT EXISTS warned_at DATETIME(6) NULL COMMENT 'UTC; a dispatcher logged last that much of a limit is used; NULL: not since the limit was set';

-- HTTP 429 and 5xx are no answers any more.
ALTER TABLE external_queries
  MODIFY duration_us INT UNSIGNED NOT NULL COMMENT 'Microseconds from name resolution to the last byte of the answer',
  MODIFY outcome ENUM('answered','refused','expired','invalid','silent') NOT NULL COMMENT 'answered: a valid answer; refused: the merchant said no; expired: its timestamp_end is past; invalid: the answer broke a rule; silent: no whole answer in time, or HTTP 429 or 5xx',
  MODIFY field VARCHAR(40) NULL COMMENT 'Invalid: which field. Silent: what failed: dns, connect, timeout, status, ...',
  MODIFY problem VARCHAR(80) NULL COMMENT 'Invalid: what is wrong with it. Refused: the merchant''s CODE. Answered: CODE of the lookup''s reply; NULL: 0000, or a release before this',
  ADD KEY IF NOT EXISTS integration (integration_id, asked_at);

-- Near the end: workers of the old release make offers until here.
INSERT IGNORE INTO offers (order_id, network_id)
  SELECT q.order_id, q.network_id FROM external_queries q JOIN orders o ON o.id = q.order_id AND o.state = 'PENDIENTE'
   WHERE q.outcome = 'answered';

-- What was changed. One event tells what a payment changed of its order; what is told already stays.
DROP TRIGGER IF EXISTS events_new;
DROP TRIGGER IF EXISTS events_keep;
DROP TRIGGER IF EXISTS events_stay;
ALTER TABLE events
  MODIFY subject ENUM('order','transaction','account','network','merchant','notification','integration','setting','user','approval','settlement') NOT NULL COMMENT 'Kind of thing that changed',
  MODIFY actor VARCHAR(80) NOT NULL COMMENT 'Who did it: network:NAME, merchant:NAME, dispatcher, monitoring, operator:NAME, console:NAME (staff), user:NAME (of a merchant); db:ACCOUNT where an account that is none of ours did not say',
  MODIFY db_account VARCHAR(160) NOT NULL DEFAULT '' COMMENT 'Database account that wrote it; event_log_new sets it, whoever writes',
  ADD COLUMN IF NOT EXISTS changes TEXT NULL COMMENT 'What was changed, where it is no state: JSON, for each column [old, new]; of secrets and personal data only that they changed' AFTER reason,
  ADD COLUMN IF NOT EXISTS order_id BIGINT UNSIGNED NULL COMMENT 'Of a transaction: order that this changed with it; NULL: it changed none',
  ADD COLUMN IF NOT EXISTS order_version INT UNSIGNED NULL COMMENT 'Version of that order after the change',
  DROP KEY IF EXISTS at, -- no statement reads by it, and every event paid for it
  COMMENT='Every change of state, who made it and when; append only';
RENAME TABLE events TO event_log;
-- Until the triggers are made anew, those of the old release write into it under its old name.
CREATE OR REPLACE VIEW events AS SELECT * FROM event_log;

-- Part 2
-- What these did is done by the one trigger of its table and time. While both are there, a refund and a settled payment are refused (their
-- rows would be written twice), and come again.
DROP TRIGGER IF EXISTS orders_reference_moved;
DROP TRIGGER IF EXISTS orders_refunded;
DROP TRIGGER IF EXISTS transactions_settled;
DROP TRIGGER IF EXISTS transactions_reserve;
DROP TRIGGER IF EXISTS transactions_limited;
DROP TRIGGER IF EXISTS transactions_reserve_new;
DROP PROCEDURE IF EXISTS limit_take;
DROP PROCEDURE IF EXISTS limit_give;
DROP FUNCTION IF EXISTS limit_portion;
