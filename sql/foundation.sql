-- Schema version 21.
--
-- recaudo's schema. `recaudoctl db migrate` applies this file to an empty database. To a database of an older release
-- it applies the changes of sql/upgrade/ and then the second part of this file.
--
-- Part 1 is what is stored: tables, in an order in which each comes after those that it refers to. Part 2 (from the
-- line "Part 2") is what runs in the database: functions, triggers and views. All of it is CREATE OR REPLACE, so that
-- an upgrade ends with exactly these.
--
-- Conventions. Instants are DATETIME(6) in UTC. Money is DECIMAL(19,4), never a floating-point number. Identifiers
-- compare byte by byte (nopad, binary). A state changes only by a guarded UPDATE, whose WHERE names the expected state:
-- of two concurrent changes, one changes no row. Triggers write every change to `event_log` in the same transaction,
-- with the rights of the schema's owner.
-- No routine calls a function with DO, which succeeds where the function fails, and keeps what that had written.
-- Only functions of part 2 write money and states. They judge by the rows and by the server's clock, so an account that
-- may call them can only hasten what is already true (grants.sql says which may).
-- A computed column in a key is STORED. For a VIRTUAL one, InnoDB's purge opens the table, and a server that shuts down
-- before it serves (mariadbd --wsrep_recover, at each start of a cluster's node) may then hang: MariaDB 10.11.19 keeps
-- opening it for ever.

-- == Settings and code lists ==

CREATE TABLE always (
  id TINYINT UNSIGNED NOT NULL COMMENT 'Always 1',
  PRIMARY KEY (id),
  CONSTRAINT always_single CHECK (id = 1)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Single row that queries start from, so that they return one row, with the server''s time, even if they find nothing else';

-- The owner decides the length of the cancellation window: `recaudoctl db migrate` writes it from the configuration.
CREATE TABLE settings (
  id TINYINT UNSIGNED NOT NULL COMMENT 'Always 1',
  cancel_window BIGINT UNSIGNED NOT NULL COMMENT 'Microseconds from a confirmation until it cannot be cancelled any more',
  prefixes_given BIGINT UNSIGNED NOT NULL DEFAULT 0
    COMMENT 'Incremented with each new prefix or integration, so that of two concurrent ones, which may overlap, the second waits (on Galera it is rolled back) and is checked against the first',
  PRIMARY KEY (id),
  CONSTRAINT settings_single CHECK (id = 1)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Single row: settings that the database itself applies';

CREATE TABLE currencies (
  code CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'ISO 4217 alphabetic code',
  name VARCHAR(60) NOT NULL COMMENT 'Name, for people',
  query_code TINYINT UNSIGNED NULL COMMENT 'One-digit code of this currency in the external query; NULL: cannot be used there',
  changed_by VARCHAR(80) NULL COMMENT 'Who set query_code last; NULL: it is as it was installed',
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

-- == Parties: networks send payments, merchants receive them, accounts are topped up ==

CREATE TABLE networks (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  name VARCHAR(40) NOT NULL COMMENT 'Field `name` of the network''s requests; also netname in external queries. Never changes',
  enabled BOOLEAN NOT NULL DEFAULT TRUE COMMENT 'FALSE: every request is refused with 0019',
  fixed_hash VARBINARY(600) NOT NULL COMMENT 'FIXED_HASH, encrypted (AES-256-GCM, bound to this name)',
  old_hash VARBINARY(600) NULL COMMENT 'FIXED_HASH before the last rotation, encrypted like fixed_hash; NULL: fixed_hash alone is valid',
  old_hash_until DATETIME(6) NULL COMMENT 'UTC; from here on old_hash is not valid',
  reencrypted INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Counts how often its secrets were encrypted anew, under another key',
  changed_by VARCHAR(80) NOT NULL COMMENT 'Who made the last change',
  created_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  changed_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  allow_addresses VARCHAR(3000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''
    COMMENT 'Address ranges that the network may call from, IPv4 and IPv6, with spaces between: 192.0.2.0/24 2001:db8::/32; empty: everyone',
  rate_limit INT UNSIGNED NOT NULL DEFAULT 0
    COMMENT 'Requests per second that each host takes from the network; more are refused with 0145. 0: no limit',
  rate_burst INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Requests at once after a pause; 0 where there is no limit',
  distinct_from DATETIME(6) NULL
    COMMENT 'UTC; NULL: any transaction id is taken. Else new ids need a character that no reference has, and from this instant on also those that are confirmed',
  signature ENUM('off','accepted','required') NOT NULL DEFAULT 'off'
    COMMENT 'Header Recaudo-Signature of its requests. off: ignored; accepted: a wrong one is refused; required: so is a missing one',
  PRIMARY KEY (id),
  UNIQUE KEY name (name),
  CONSTRAINT network_old_hash CHECK ((old_hash IS NULL) = (old_hash_until IS NULL)),
  CONSTRAINT network_addresses_form CHECK (allow_addresses REGEXP '^([0-9a-f.:]+/[0-9]+( [0-9a-f.:]+/[0-9]+)*)?\\z'),
  CONSTRAINT network_rate CHECK ((rate_limit = 0) = (rate_burst = 0))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Collection networks: shops, kiosks and banks where customers pay';

CREATE TABLE merchants (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  name VARCHAR(50) NOT NULL COMMENT 'Field `merchant` of the merchant''s requests. Never changes',
  commerce VARCHAR(100) NOT NULL COMMENT 'Name that networks see and send back as COMMERCE',
  country SMALLINT UNSIGNED NOT NULL COMMENT 'Country of the merchant',
  enabled BOOLEAN NOT NULL DEFAULT TRUE COMMENT 'FALSE: its own requests are refused, and its orders cannot be looked up or registered for; what is registered can be confirmed',
  notify_url VARCHAR(2048) NULL COMMENT 'Where notifications go; NULL: the merchant gets none',
  notify_digest ENUM('sha256','sha512') NOT NULL DEFAULT 'sha256' COMMENT 'Digest of pv_checksum',
  acknowledgement ENUM('strict','http2xx') NOT NULL DEFAULT 'strict' COMMENT 'What counts as acknowledged: 2xx and OK in the body, or any 2xx',
  fixed_hash VARBINARY(600) NOT NULL COMMENT 'FIXED_HASH, encrypted (AES-256-GCM, bound to this name)',
  notification_hash VARBINARY(600) NOT NULL COMMENT 'NOTIFICATION_HASH, encrypted (AES-256-GCM, bound to this name)',
  old_hash VARBINARY(600) NULL COMMENT 'FIXED_HASH before the last rotation, encrypted like fixed_hash; NULL: fixed_hash alone is valid',
  old_hash_until DATETIME(6) NULL COMMENT 'UTC; from here on old_hash is not valid',
  old_notification_hash VARBINARY(600) NULL COMMENT 'NOTIFICATION_HASH before the last rotation, encrypted like notification_hash; NULL: nothing is signed with it',
  old_notification_hash_until DATETIME(6) NULL COMMENT 'UTC; from here on nothing is signed with old_notification_hash',
  reencrypted INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Counts how often its secrets were encrypted anew, under another key',
  changed_by VARCHAR(80) NOT NULL COMMENT 'Who made the last change',
  created_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  changed_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  reference_quarantine INT UNSIGNED NOT NULL DEFAULT 7776000
    COMMENT 'Seconds for which a reference stays this merchant''s own after its last order was closed; 90 days at first',
  PRIMARY KEY (id),
  UNIQUE KEY name (name),
  CONSTRAINT merchant_country FOREIGN KEY (country) REFERENCES countries (code),
  CONSTRAINT merchant_old_hash CHECK ((old_hash IS NULL) = (old_hash_until IS NULL)),
  CONSTRAINT merchant_old_notification_hash CHECK ((old_notification_hash IS NULL) = (old_notification_hash_until IS NULL))
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Merchants whose orders are paid here';

CREATE TABLE integrations (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  merchant_id INT UNSIGNED NOT NULL COMMENT 'Merchant that is asked',
  kind TINYINT UNSIGNED NOT NULL COMMENT '1: agreement code, for one network; 2: digit prefix of references with 9 to 16 digits',
  code VARCHAR(16) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'What the reference begins with',
  live_code VARCHAR(16) CHARACTER SET ascii COLLATE ascii_nopad_bin AS (IF(removed_at IS NULL, code, NULL)) STORED
    COMMENT 'The code while it is in force: each kind has a code once',
  network_id INT UNSIGNED NULL COMMENT 'Kind 1: the only network that may use it',
  endpoint VARCHAR(2048) NOT NULL COMMENT 'URL that is asked',
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency of the orders',
  changed_by VARCHAR(80) NOT NULL COMMENT 'Who made the last change',
  created_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  removed_at DATETIME(6) NULL COMMENT 'UTC; from here on no reference fits it; NULL: it is in force',
  PRIMARY KEY (id),
  UNIQUE KEY live_code (kind, live_code),
  KEY integration_merchant (merchant_id),
  CONSTRAINT integration_merchant FOREIGN KEY (merchant_id) REFERENCES merchants (id),
  CONSTRAINT integration_network FOREIGN KEY (network_id) REFERENCES networks (id),
  CONSTRAINT integration_currency FOREIGN KEY (currency) REFERENCES currencies (code),
  CONSTRAINT integration_kind CHECK (kind IN (1, 2) AND (kind = 1) = (network_id IS NOT NULL)),
  CONSTRAINT integration_code_form CHECK (code REGEXP '^[0-9]{1,16}\\z')
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Which references merchants answer themselves, and where they are asked';

CREATE TABLE accounts (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  document VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'Document number of the customer; the reference of a top-up',
  document_type VARCHAR(40) NOT NULL COMMENT 'Type of the document, e.g. CC',
  name VARCHAR(150) NOT NULL COMMENT 'Given names',
  lastname1 VARCHAR(100) NOT NULL DEFAULT '' COMMENT 'First surname',
  lastname2 VARCHAR(100) NOT NULL DEFAULT '' COMMENT 'Second surname',
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency of the balance',
  balance DECIMAL(19,4) NOT NULL DEFAULT 0 COMMENT 'Sum of the ledger; changed only together with it',
  reserved DECIMAL(19,4) NOT NULL DEFAULT 0
    COMMENT 'Sum of its top-ups that are CONFIRMADA: not in the balance yet, and have their room',
  room DECIMAL(19,4) AS (GREATEST(999999999999999.9999 - balance - reserved, 0)) VIRTUAL
    COMMENT 'What it can still take: the greatest balance that this service keeps, less balance and reserved',
  changed_by VARCHAR(80) NOT NULL COMMENT 'Who made the last change',
  created_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  PRIMARY KEY (id),
  UNIQUE KEY document (document),
  CONSTRAINT account_currency FOREIGN KEY (currency) REFERENCES currencies (code),
  CONSTRAINT account_document_form CHECK (document REGEXP '^[0-9A-Za-z-]+\\z'),
  CONSTRAINT account_balance_sign CHECK (balance >= 0),
  CONSTRAINT account_reserved_sign CHECK (reserved >= 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Customer accounts that can be topped up';

-- After a rotation the previous secret stays valid for a while.
CREATE TABLE old_secret_uses (
  party ENUM('network','merchant') NOT NULL COMMENT 'Whose FIXED_HASH',
  party_id INT UNSIGNED NOT NULL COMMENT 'Its id',
  used_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; a checksum made with the old FIXED_HASH was accepted; each worker process writes it once a minute at most',
  PRIMARY KEY (party, party_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Networks and merchants that still use the old secret; a rotation deletes the row';

-- A network whose signature is `accepted` may send unsigned requests.
CREATE TABLE unsigned_uses (
  network_id INT UNSIGNED NOT NULL COMMENT 'Network',
  used_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; a request without the headers of a signature was accepted; each worker process writes it once a minute at most',
  PRIMARY KEY (network_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Networks that still send unsigned requests; a change of the setting deletes the row';

-- == The most that a network may confirm in a day, and may owe, by currency ==
--
-- What is left of a limit is divided into 16 portions. A confirmation takes its amount from the portion of its database
-- connection, in the confirming statement, so confirmations of one network do not wait for each other. Only if that
-- portion is too small, or is to get an amount back and has nothing left, all portions are locked and divided anew.
-- They always add up to the limit less what was confirmed, to the last cent, and a confirmation that is rolled back
-- takes nothing. A network that never had limits has no portions; one whose limits were removed has portions without a
-- bound.

CREATE TABLE network_limits (
  network_id INT UNSIGNED NOT NULL COMMENT 'Network',
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency of the limits',
  day_limit DECIMAL(19,4) NULL COMMENT 'The most it may confirm in one day, UTC; NULL: no limit',
  outstanding_limit DECIMAL(19,4) NULL COMMENT 'The most it may have confirmed and not remitted; NULL: no limit',
  changed_by VARCHAR(80) NOT NULL COMMENT 'Who made the last change',
  changed_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  warned_at DATETIME(6) NULL COMMENT 'UTC; a dispatcher logged last that much of a limit is used; NULL: not since the limit was set',
  PRIMARY KEY (network_id, currency),
  CONSTRAINT limit_network FOREIGN KEY (network_id) REFERENCES networks (id),
  CONSTRAINT limit_currency FOREIGN KEY (currency) REFERENCES currencies (code),
  CONSTRAINT limit_sign CHECK (day_limit >= 0 AND outstanding_limit >= 0)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='The most that networks may confirm; no row: no limit. Changed by network_limit_set alone';

CREATE TABLE network_rooms (
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

CREATE TABLE remittances (
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

-- == Who owns a reference, and for how long (doc/protocol.md, "Whose a reference is") ==

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
  uses INT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'Incremented each time the reference is taken or left; this write makes two concurrent takers conflict, on Galera too',
  left_by BIGINT UNSIGNED NULL COMMENT 'The last order that left it for another reference; NULL: none did',
  PRIMARY KEY (reference)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Who a reference belongs to: written with the order or account that takes it';

-- == Payments: orders, the networks' transactions, and what follows from them ==

-- orders and transactions have ROW_FORMAT=REDUNDANT, in which a NULL in a fixed-size column keeps its space. A
-- confirmation fills such columns, and so leaves the row in its place. With DYNAMIC nearly every confirmation
-- reorganised a page and wrote ten times as much redo.
CREATE TABLE orders (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Order number here: pv_po_id of the notification',
  merchant_id INT UNSIGNED NOT NULL COMMENT 'Merchant the payment belongs to',
  po_id VARCHAR(200) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'Order number in the merchant''s system; unique per merchant for ever',
  reference VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'Number the customer pays with',
  state ENUM('PENDIENTE','APROBADA','VENCIDA','CANCELADA','ANULADA') NOT NULL DEFAULT 'PENDIENTE' COMMENT 'State as last written; orders_now shows it as it is at this moment',
  open_reference VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin AS (IF(state = 'PENDIENTE', reference, NULL)) STORED
    COMMENT 'The reference while PENDIENTE: one open order per reference',
  version INT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'Counts the changes of this row; equals its number of events',
  amount DECIMAL(19,4) NOT NULL COMMENT 'Amount due; 0: open, the customer chooses',
  min_amount DECIMAL(19,4) NULL COMMENT 'Least amount of an open order; NULL: anything above 0',
  max_amount DECIMAL(19,4) NULL COMMENT 'Greatest amount of an open order; NULL: no bound',
  vat DECIMAL(19,4) NULL COMMENT 'Value added tax as the merchant sent it (iva); stored only, not shown and not calculated with',
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency of the amount',
  country SMALLINT UNSIGNED NULL COMMENT 'Country the order was registered in: its time zone ends the due date; NULL: the merchant''s',
  description VARCHAR(250) NOT NULL DEFAULT '' COMMENT 'What is paid for',
  language ENUM('es','en') NOT NULL DEFAULT 'es' COMMENT 'Language of the payment slip',
  payment_means VARCHAR(40) NULL COMMENT 'Payment means asked for at registration (pv_payment); NULL: any',
  email VARCHAR(100) NULL COMMENT 'Customer''s e-mail address',
  document VARCHAR(15) NULL COMMENT 'Customer''s document number',
  document_type VARCHAR(40) NULL COMMENT 'Type of the document',
  customer_name VARCHAR(150) NULL COMMENT 'Customer''s name',
  token CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL
    COMMENT 'Opens the payment slip: 128 random bits in hex, made with the row; NULL: the order is older than this column',
  origin ENUM('registered','imported','external') NOT NULL COMMENT 'How the order came here: one by one, from a file, or by an external query',
  due_at DATETIME(6) NOT NULL COMMENT 'UTC; unpaid at this instant, the order is VENCIDA',
  held_by BIGINT UNSIGNED NULL COMMENT 'Confirmed transaction that holds the order during its cancellation window',
  held_until DATETIME(6) NULL COMMENT 'UTC; end of that window: from here on it cannot be cancelled; the order is paid once state says so',
  paid_by BIGINT UNSIGNED NULL COMMENT 'Transaction that paid the order',
  closed_at DATETIME(6) NULL COMMENT 'UTC; it stopped being PENDIENTE; NULL: it is open, or was closed before this column was there',
  state_reason VARCHAR(250) NULL
    COMMENT 'Why the state was changed the last time, where a reason was given; goes into the event',
  changed_by VARCHAR(80) NOT NULL COMMENT 'Who made the last change that was no confirmation, e.g. merchant:NAME, dispatcher, operator:NAME',
  created_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  changed_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  PRIMARY KEY (id),
  UNIQUE KEY merchant_order (merchant_id, po_id),
  UNIQUE KEY open_reference (open_reference),
  UNIQUE KEY paid_by (paid_by),
  UNIQUE KEY token (token),
  KEY reference (reference, id),
  KEY due (state, due_at, id),
  KEY listed (state, created_at, id),
  KEY created (created_at),
  KEY merchant (merchant_id),
  KEY document (document),
  CONSTRAINT order_merchant FOREIGN KEY (merchant_id) REFERENCES merchants (id),
  CONSTRAINT order_currency FOREIGN KEY (currency) REFERENCES currencies (code),
  CONSTRAINT order_country FOREIGN KEY (country) REFERENCES countries (code),
  CONSTRAINT order_amount_sign CHECK (amount >= 0),
  CONSTRAINT order_limits CHECK (min_amount IS NULL OR max_amount IS NULL OR min_amount <= max_amount),
  CONSTRAINT order_reference_form CHECK (reference REGEXP '^[0-9]{1,25}\\z'),
  CONSTRAINT order_po_id_form CHECK (po_id REGEXP '^[a-zA-Z0-9_-]{1,200}\\z'),
  CONSTRAINT order_hold_whole CHECK ((held_by IS NULL) = (held_until IS NULL)),
  CONSTRAINT order_hold_pending CHECK (held_by IS NULL OR state = 'PENDIENTE'),
  CONSTRAINT order_paid_by CHECK ((paid_by IS NOT NULL) = (state IN ('APROBADA','ANULADA')))
) ENGINE=InnoDB ROW_FORMAT=REDUNDANT DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Purchase orders to be paid, one row for ever';

CREATE TABLE transactions (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Operation code: IDSERVICE of the reply',
  network_id INT UNSIGNED NOT NULL COMMENT 'Network that registered it',
  network_transaction VARCHAR(64) NOT NULL COMMENT 'Transaction id of the network; unique per network for ever',
  order_id BIGINT UNSIGNED NULL COMMENT 'Order to be paid; NULL for a top-up',
  account_id BIGINT UNSIGNED NULL COMMENT 'Account to be topped up; NULL for an order',
  reference VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'Reference as sent',
  state ENUM('REGISTRADA','CONFIRMADA','FINALIZADA','CANCELADA') NOT NULL DEFAULT 'REGISTRADA' COMMENT 'State as last written; transactions_now says whether its window is over',
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
  order_version INT UNSIGNED NULL COMMENT 'Version that the order got when this last changed it; NULL: it never did. Only for the event log',
  finalised_at DATETIME(6) NULL COMMENT 'UTC; the end of the window was written',
  cancelled_at DATETIME(6) NULL COMMENT 'UTC; confirm false was accepted',
  settled_at DATETIME(6) AS (COALESCE(cancelled_at, window_ends_at)) STORED
    COMMENT 'UTC; from here on nothing changes any more: the cancellation, else the end of the window; NULL: not confirmed',
  changed_by VARCHAR(80) NOT NULL COMMENT 'Who made the last change',
  PRIMARY KEY (id),
  UNIQUE KEY network_transaction (network_id, network_transaction),
  KEY order_id (order_id),
  KEY account_id (account_id),
  KEY window_end (state, window_ends_at, id),
  KEY settled (settled_at, id),
  KEY registered (registered_at),
  CONSTRAINT transaction_network FOREIGN KEY (network_id) REFERENCES networks (id),
  CONSTRAINT transaction_target CHECK ((order_id IS NULL) <> (account_id IS NULL)),
  CONSTRAINT transaction_amount_sign CHECK (amount > 0),
  CONSTRAINT transaction_window CHECK ((confirmed_at IS NULL) = (window_ends_at IS NULL)),
  CONSTRAINT transaction_confirmed CHECK (state NOT IN ('CONFIRMADA','FINALIZADA') OR confirmed_at IS NOT NULL),
  CONSTRAINT transaction_finalised CHECK ((state = 'FINALIZADA') = (finalised_at IS NOT NULL)),
  CONSTRAINT transaction_cancelled CHECK ((state = 'CANCELADA') = (cancelled_at IS NOT NULL))
) ENGINE=InnoDB ROW_FORMAT=REDUNDANT DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
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

CREATE TABLE refunds (
  order_id BIGINT UNSIGNED NOT NULL COMMENT 'Order that became ANULADA; each at most once',
  transaction_id BIGINT UNSIGNED NOT NULL COMMENT 'Payment that was given back, whole',
  at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  PRIMARY KEY (order_id),
  KEY at (at, order_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Payments given back, by the merchant or on a customer''s claim; append only. Who and why stands in the events of the order';

-- == Settlements: a closed one never changes, nor does what was reported of it ==
--
-- An operation (a payment that became final, a cancellation, a refund) gets a row of settlement_items in the
-- transaction that makes it so. The row names no settlement yet, so neither a worker nor the dispatcher waits for a
-- closing. settlement_collect then puts committed rows into the open settlement and adds to the count in its row.
-- settlement_close writes the same row, so one of the two waits for the other, and what commits later goes to the next
-- settlement. Row locks do not cross the nodes of a cluster; there certification rolls back one of two transactions
-- that write the same row, and it runs again. (A foreign key alone does not do that: Galera lets an UPDATE of the
-- parent's other columns pass beside new references to it.)

CREATE TABLE settlements (
  number INT UNSIGNED NOT NULL COMMENT 'Number of the settlement, from 1, without gaps',
  state ENUM('open','closed') NOT NULL DEFAULT 'open' COMMENT 'open: operations are still collected into it; closed: nothing changes any more',
  is_open TINYINT UNSIGNED AS (IF(state = 'open', 1, NULL)) STORED COMMENT 'There is one open settlement',
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

-- == Notifications to merchants, and their attempts ==

CREATE TABLE notifications (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  webhook_id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''
    COMMENT 'Header webhook-id, the same in every attempt: ntf_ and 128 random bits in hex, drawn when the row is made',
  order_id BIGINT UNSIGNED NOT NULL COMMENT 'Order whose state changed',
  merchant_id INT UNSIGNED NOT NULL COMMENT 'Merchant that is told',
  sequence TINYINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'Number of this notification among the order''s, from 1',
  status ENUM('approved','cancelled') NOT NULL COMMENT 'Field `status` of the message',
  state ENUM('unaddressed','waiting','pending','delivered','exhausted') NOT NULL
    COMMENT 'unaddressed: the merchant has no notify_url; waiting: an earlier one of the order comes first; pending: is to be delivered; delivered: acknowledged; exhausted: all attempts failed, an operator may retry it',
  amount DECIMAL(19,4) NOT NULL COMMENT 'Field `amount`: the order''s; of an open order the amount paid',
  payment_means VARCHAR(40) NOT NULL COMMENT 'Field `pv_payment`: the means asked for, else the network that took the payment',
  attempts SMALLINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Attempts made since it became pending',
  due_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6)
    COMMENT 'UTC; the next attempt leaves at this instant or later; while a dispatcher has it in hand, the end of its lease',
  lease BINARY(16) NULL COMMENT 'Token of the dispatcher that has it in hand; NULL: nobody has',
  created_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; the order changed its state',
  settled_at DATETIME(6) NULL COMMENT 'UTC; it was acknowledged or given up',
  changed_by VARCHAR(80) NOT NULL DEFAULT 'dispatcher' COMMENT 'Who made the last change',
  PRIMARY KEY (id),
  UNIQUE KEY order_status (order_id, status),
  KEY due (state, due_at, id),
  UNIQUE KEY webhook_id (webhook_id),
  KEY merchant (state, merchant_id, due_at, id),
  KEY of_merchant (merchant_id, created_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='What merchants are to be told, written in the transaction that changes the order';

CREATE TABLE attempts (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  notification_id BIGINT UNSIGNED NOT NULL COMMENT 'Notification that was sent',
  number SMALLINT UNSIGNED NOT NULL COMMENT 'Number of the attempt since the notification became pending, from 1',
  dispatcher_id BIGINT UNSIGNED NOT NULL COMMENT 'Dispatcher that sent it',
  started_at DATETIME(6) NOT NULL COMMENT 'UTC',
  duration_us BIGINT UNSIGNED NOT NULL COMMENT 'Microseconds from the start to the end of the reply, or to the failure',
  url VARCHAR(2048) NOT NULL DEFAULT '' COMMENT 'URL that it was for; empty: not known, it is of a release before this column',
  address VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Address that was connected to; empty: none was',
  http_status SMALLINT UNSIGNED NULL COMMENT 'Status of the reply; NULL: there was none',
  reason ENUM('acknowledged','status','reply','secret','url','dns','address','connect','tls','timeout','protocol','too_large','certificates','files',
    'tls_expired','tls_name','tls_authority','tls_version','tls_absent') NOT NULL
    COMMENT 'The verdict and why: acknowledged; a status other than 2xx; a reply that is not OK; our secret for it cannot be decrypted; else what failed below HTTP (address: not one that may be connected to; certificates: we have none to trust; files: our process could open no more)',
  late BOOLEAN NOT NULL COMMENT 'The lease had ended when the outcome came: the outcome was noted here and changed nothing',
  reply BLOB NOT NULL COMMENT 'Body of the reply as received, its first 16 KiB',
  lease BINARY(16) NOT NULL COMMENT 'Lease under which it was sent: one attempt each',
  PRIMARY KEY (id),
  UNIQUE KEY one_per_lease (notification_id, lease)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Every attempt to deliver a notification';

CREATE TABLE endpoints (
  merchant_id INT UNSIGNED NOT NULL COMMENT 'Merchant whose notify_url it is',
  failures INT UNSIGNED NOT NULL COMMENT 'Failed rounds in a row; a round is what a dispatcher recorded at once',
  resting_until DATETIME(6) NULL COMMENT 'UTC; until then nothing is sent, then single notifications until one is acknowledged; NULL: it is well',
  failing_since DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; when the first of these rounds was recorded',
  PRIMARY KEY (merchant_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='How the merchants'' notification endpoints are doing; no row: well';

-- What a second user has to approve (doc/operations.md, "Dual control"). Only the schema's owner writes dual_control and dual_changes.
CREATE TABLE dual_control (
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

CREATE TABLE dual_changes (
  kind ENUM('secrets','notify_url','limits') NOT NULL
    COMMENT 'secrets: a new FIXED_HASH or NOTIFICATION_HASH; notify_url: where a merchant''s notifications go; limits: what a network may confirm and owe',
  valid_for INT UNSIGNED NOT NULL DEFAULT 86400 COMMENT 'Seconds within which it must be approved',
  PRIMARY KEY (kind),
  CONSTRAINT dual_changes_valid CHECK (valid_for BETWEEN 60 AND 2592000)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Changes that need a second user''s approval; a kind without a row needs none';

CREATE TABLE approvals (
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

CREATE TABLE endpoint_tests (
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

-- == Operation: what operators and monitoring read ==

CREATE TABLE external_queries (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  asked_at DATETIME(6) NOT NULL COMMENT 'UTC; the query began',
  merchant_id INT UNSIGNED NOT NULL COMMENT 'Merchant that was asked',
  integration_id INT UNSIGNED NOT NULL COMMENT 'Its integration, which may be gone',
  network_id INT UNSIGNED NOT NULL COMMENT 'Network that looked up the reference',
  reference VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'Reference that was looked up',
  duration_us INT UNSIGNED NOT NULL COMMENT 'Microseconds from name resolution to the last byte of the answer',
  outcome ENUM('answered','refused','expired','invalid','silent') NOT NULL COMMENT 'answered: a valid answer; refused: the merchant said no; expired: its timestamp_end is past; invalid: the answer broke a rule; silent: no whole answer in time, or HTTP 429 or 5xx',
  http_status SMALLINT UNSIGNED NULL COMMENT 'HTTP status of the answer; NULL: none came',
  address VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'Address that was connected to; NULL: none was',
  field VARCHAR(40) NULL COMMENT 'Invalid: which field. Silent: what failed: dns, connect, timeout, status, ...',
  problem VARCHAR(80) NULL COMMENT 'Invalid: what is wrong with it. Refused: the merchant''s CODE. Answered: CODE of the lookup''s reply; NULL: 0000, or a release before this',
  said VARCHAR(100) NULL COMMENT 'Refused: the merchant''s TEXT, its first 100 characters',
  order_id BIGINT UNSIGNED NULL COMMENT 'Answered: the order that the answer stands for; NULL: none',
  PRIMARY KEY (id),
  KEY asked_at (asked_at),
  KEY merchant (merchant_id, asked_at),
  KEY reference (reference, asked_at),
  KEY integration (integration_id, asked_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Every external query and what came of it, for a time that the configuration sets';

-- The merchant is told which network asks, and may refuse it.
CREATE TABLE offers (
  order_id BIGINT UNSIGNED NOT NULL COMMENT 'Order that came by an external query',
  network_id INT UNSIGNED NOT NULL COMMENT 'Network to which its merchant has offered it',
  offered_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; for the first time',
  PRIMARY KEY (order_id, network_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Which networks may pay an order that its merchant offered when it was asked: those that asked, and no others';

CREATE TABLE dispatchers (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  host VARCHAR(64) NOT NULL COMMENT 'Host name',
  pid INT UNSIGNED NOT NULL COMMENT 'Process id there',
  task ENUM('settle','deliver') NULL
    COMMENT 'What the process does: settle payments and expire orders, or deliver notifications; NULL: both, in a release before this column',
  started_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  seen_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; it was alive',
  ended_at DATETIME(6) NULL COMMENT 'UTC; it left by itself',
  in_flight INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Notifications it had in hand when last seen',
  PRIMARY KEY (id),
  KEY seen_at (seen_at),
  KEY task (task, seen_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Runs of the dispatcher and their heartbeat; those older than a week are removed';

CREATE TABLE dispatcher_totals (
  host VARCHAR(64) NOT NULL COMMENT 'Host name',
  finalised BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Payments written as final',
  expired BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Orders written as expired',
  delivered BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Attempts to deliver a notification that were acknowledged',
  to_be_tried_again BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Attempts that failed and were not the last',
  exhausted BIGINT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Attempts that failed and were the last',
  PRIMARY KEY (host)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='What the dispatchers of each host have done since this table was made; they only ever add. A killed one''s last seconds may be missing: to count exactly, count events';

CREATE TABLE payment_counts (
  span ENUM('minute','hour') NOT NULL COMMENT 'How long it is that was counted',
  began_at DATETIME(6) NOT NULL COMMENT 'UTC; begin of the minute or hour in which the payments were confirmed',
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency; empty: the row says that the minute was counted',
  payments BIGINT UNSIGNED NOT NULL COMMENT 'Payments confirmed and not cancelled, soon after the minute was over',
  PRIMARY KEY (span, began_at, currency)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='How many payments there were in each of the last minutes and hours, for the console; counted by a dispatcher, kept for two hours and eight days';

CREATE TABLE refusal_counts (
  began_at DATETIME(6) NOT NULL COMMENT 'UTC; begin of the hour in which the refusals were written, some seconds after they were told',
  code CHAR(4) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'CODE of the reply',
  refusals BIGINT UNSIGNED NOT NULL COMMENT 'How many replies had it, of the workers of all hosts',
  last_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; when the last of them were written',
  PRIMARY KEY (began_at, code)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='How many requests of networks, merchants and customers were refused in each of the last hours, for the console; kept for eight days';

CREATE TABLE network_refusals (
  network_id INT UNSIGNED NOT NULL COMMENT 'Network',
  code CHAR(4) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'CODE of the replies: 0019, or 0025 to whoever gave its name',
  since DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; first refusal of a series without a gap of an hour, or of 5 minutes in which a request was served',
  last_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; last one; workers write it every 10 seconds at most',
  served_at DATETIME(6) NULL COMMENT 'UTC; a request of the network was served; written once after each refusal; NULL: none since the first refusal',
  PRIMARY KEY (network_id, code)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Enabled networks whose requests were refused; the view networks_refused has those that somebody must look into';

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
  what ENUM('backup', 'write', 'full', 'held', 'reload', 'unrecorded', 'seal_file', 'rights', 'serving') NOT NULL
    COMMENT 'backup: recaudo-backup saved one; write: a program tried whether this database takes writes; full: one found no room; held: a dispatcher does not seal the event log, because the seals here are not those of its seal_file; reload: workers go on with the configuration before, because they refused the new one; unrecorded: a dispatcher sends no notifications, because it cannot record what becomes of them; seal_file: one cannot write the seals to its seal_file; rights: workers lack a right, or a function, that requests need; serving: workers run',
  host VARCHAR(64) NOT NULL COMMENT 'backup: machine that made it; write and full: database server; the others: machine of the programs',
  at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; the last time',
  PRIMARY KEY (what, host)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='When what monitoring asks for was done last';

CREATE TABLE console_users (
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

CREATE TABLE console_keys (
  id TINYINT UNSIGNED NOT NULL COMMENT 'There is one row',
  form_key BINARY(32) NOT NULL COMMENT 'Key of the tokens in the console''s forms, drawn when the row is made',
  PRIMARY KEY (id),
  CONSTRAINT console_key_one CHECK (id = 1)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='What the consoles of all hosts share';

-- One row for each change, except that a payment's row may also cover its order: the row of a confirmation, of the
-- cancellation of a confirmed payment and of a finalisation also says what became of the order. The view `events` shows
-- such a row as two.
CREATE TABLE event_log (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number, in the order of writing',
  at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  subject ENUM('order','transaction','account','network','merchant','notification','integration','setting','user','approval','settlement') NOT NULL COMMENT 'Kind of thing that changed',
  subject_id BIGINT UNSIGNED NOT NULL COMMENT 'Its id',
  version INT UNSIGNED NULL COMMENT 'Version of an order or transaction after the change',
  what VARCHAR(40) NOT NULL COMMENT 'What happened: created, state, held, released, changed, enabled, disabled, ...',
  from_state VARCHAR(20) NULL COMMENT 'State before',
  to_state VARCHAR(20) NULL COMMENT 'State after',
  actor VARCHAR(80) NOT NULL COMMENT 'Who did it: network:NAME, merchant:NAME, dispatcher, monitoring, operator:NAME, console:NAME (staff), user:NAME (of a merchant); db:ACCOUNT where an account that is none of ours did not say',
  db_account VARCHAR(160) NOT NULL DEFAULT '' COMMENT 'Database account that wrote it; event_log_new sets it, whoever writes',
  reason VARCHAR(250) NULL COMMENT 'Why, where a person gave a reason',
  changes TEXT NULL COMMENT 'What was changed, where it is no state: JSON, for each column [old, new]; of secrets and personal data only that they changed',
  order_id BIGINT UNSIGNED NULL COMMENT 'Of a transaction: order that this changed with it; NULL: it changed none',
  order_version INT UNSIGNED NULL COMMENT 'Version of that order after the change',
  PRIMARY KEY (id),
  KEY subject (subject, subject_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Every change of state, who made it and when; append only';

-- The event log is sealed in batches (doc/audit.md): the digest of a seal covers the previous seal and every event
-- since. A dispatcher appends a seal after the events are committed; payments neither read nor write this table.
CREATE TABLE seals (
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

-- == The first rows of every database ==

INSERT INTO always (id) VALUES (1);
INSERT INTO settings (id, cancel_window) VALUES (1, 30000000);
INSERT INTO settlements (number, opened_at) VALUES (1, UTC_TIMESTAMP(6));
INSERT INTO console_keys (id, form_key) VALUES (1, RANDOM_BYTES(32));

INSERT INTO currencies (code, name, query_code) VALUES
  ('COP', 'Colombian peso', 1), ('CRC', 'Costa Rican colon', NULL), ('USD', 'US dollar', NULL), ('PEN', 'Peruvian sol', NULL);

INSERT INTO countries (code, name, currency, time_zone) VALUES
  (343, 'Colombia', 'COP', 'America/Bogota'), (314, 'Costa Rica', 'CRC', 'America/Costa_Rica'),
  (345, 'Ecuador', 'USD', 'America/Guayaquil'), (348, 'Peru', 'PEN', 'America/Lima');

-- Part 2

-- == The clock ==

-- Returns this moment in UTC by the server's clock. Not UTC_TIMESTAMP, which SET timestamp changes for a session. Nor
-- converted from the session's time zone, in which an hour may occur twice.
CREATE OR REPLACE FUNCTION utc_now () RETURNS DATETIME(6)
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

-- == Actors ==

-- For the triggers that write the event log. Those of orders, payments and notifications repeat the expression instead,
-- because calling a function costs more.
CREATE OR REPLACE FUNCTION actor_of_change (was VARCHAR(80), is_now VARCHAR(80)) RETURNS VARCHAR(80)
  NOT DETERMINISTIC NO SQL SQL SECURITY DEFINER
  COMMENT 'changed_by as it is now; an account that is none of ours and has left it as it was is itself the actor'
  RETURN IF(is_now <=> was AND SUBSTRING_INDEX(SESSION_USER(), '@', 1) NOT IN
              ('recaudo_worker', 'recaudo_dispatcher', 'recaudo_deliverer', 'recaudo_operator', 'recaudo_console', 'recaudo_owner'),
            LEFT(CONCAT('db:', SESSION_USER()), 80), COALESCE(is_now, ''));

-- == Payments: confirmed or cancelled by a network, finalised when their window has closed ==

-- Of each payment of `changes`, an array of up to 63 [place, network, sent, who], whose places count from 0:
-- REGISTRADA -> CONFIRMADA, and the order is held until the window ends, in one statement that also finds the transaction. Its WHERE contains every rule of
-- src/domain/transaction.c, applied to the rows as they are now. The indexes are named, because the server would
-- otherwise weigh the others each time.
-- The due date is compared with a time at which the order is locked already: whoever finds an overdue order locked by
-- nobody calls it expired.
-- Returns a bit for each place, 1 << place. 1: written. 0: the rows do not allow it, and the program reads them to find
-- out why; or the session's time zone is not UTC. (That of a worker's session is.)
-- An UPDATE of two tables changes each row once. So of two payments of one order, or of the same one twice, not both rows
-- are written; then it writes nothing and fails with 1213, as if they had met in two sessions.
CREATE OR REPLACE FUNCTION payments_confirm (changes LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin) RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Confirms those of these registered payments whose orders can be paid; which they are'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT IF(@@SESSION.time_zone = '+00:00', SYSDATE(6), NULL);
  -- Read apart: joined in the UPDATE, this one row would be locked until COMMIT for all payments.
  DECLARE closes DATETIME(6) DEFAULT moment + INTERVAL (SELECT cancel_window FROM settings WHERE id = 1) MICROSECOND;
  DECLARE confirmed BIGINT UNSIGNED DEFAULT (1 << JSON_LENGTH(changes)) - 1;
  DECLARE rows_written, payments INT UNSIGNED;
  SET @recaudo_moment = moment;
  UPDATE JSON_TABLE(changes, '$[*]' COLUMNS (network_id INT UNSIGNED PATH '$[1]' ERROR ON ERROR,
           sent VARCHAR(65) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$[2]' ERROR ON ERROR,
           who VARCHAR(81) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$[3]' ERROR ON ERROR)) AS c
    STRAIGHT_JOIN transactions t FORCE INDEX (network_transaction) ON t.network_id = c.network_id AND t.network_transaction = c.sent
    STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY) ON o.id = t.order_id
     SET t.state = 'CONFIRMADA', t.confirmed_at = moment, t.window_ends_at = closes,
         t.changed_by = c.who, t.order_version = o.version + 1, o.held_by = t.id, o.held_until = closes
   WHERE t.state = 'REGISTRADA'
     AND o.state = 'PENDIENTE' AND o.held_by IS NULL AND o.due_at > GREATEST(moment, SYSDATE(6)) AND t.currency = o.currency
     AND IF(o.amount > 0, t.amount = o.amount,
            t.amount BETWEEN COALESCE(o.min_amount, 0) AND COALESCE(o.max_amount, t.amount));
  SET rows_written = ROW_COUNT(), @recaudo_moment = NULL;
  IF rows_written <> 2 * BIT_COUNT(confirmed) THEN
    -- Each payment that was written counts as often as it is named. So these are half of the rows only if each is named
    -- once and wrote an order of its own.
    SELECT BIT_OR(1 << c.place), COUNT(*) INTO confirmed, payments
      FROM JSON_TABLE(changes, '$[*]' COLUMNS (place INT UNSIGNED PATH '$[0]' ERROR ON ERROR, network_id INT UNSIGNED PATH '$[1]' ERROR ON ERROR,
             sent VARCHAR(65) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PATH '$[2]' ERROR ON ERROR)) AS c
     STRAIGHT_JOIN transactions t FORCE INDEX (network_transaction) ON t.network_id = c.network_id AND t.network_transaction = c.sent
     WHERE t.confirmed_at = moment;
    IF rows_written <> 2 * payments THEN
      SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'payments_confirm: two of them are for one order';
    END IF;
  END IF;
  RETURN confirmed;
END;

CREATE OR REPLACE FUNCTION payment_confirm (network INT UNSIGNED, sent VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin, who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Confirms a registered payment of an order that can be paid'
  RETURN payments_confirm(JSON_ARRAY(JSON_ARRAY(0, network, sent, who)));

CREATE OR REPLACE FUNCTION top_up_confirm (payment BIGINT UNSIGNED, who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Confirms a registered top-up'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT IF(@@SESSION.time_zone = '+00:00', SYSDATE(6), utc_now());
  DECLARE length BIGINT UNSIGNED DEFAULT (SELECT cancel_window FROM settings WHERE id = 1);
  DECLARE money CHAR(3) CHARACTER SET ascii COLLATE ascii_bin
    DEFAULT (SELECT a.currency FROM transactions t STRAIGHT_JOIN accounts a ON a.id = t.account_id WHERE t.id = payment);
  SET @recaudo_moment = moment;
  UPDATE transactions
     SET state = 'CONFIRMADA', confirmed_at = moment, window_ends_at = moment + INTERVAL length MICROSECOND, changed_by = who
   WHERE id = payment AND state = 'REGISTRADA' AND account_id IS NOT NULL AND currency = money;
  RETURN (@recaudo_moment := NULL) IS NULL AND ROW_COUNT() > 0;
END;

-- REGISTRADA, or CONFIRMADA inside its window -> CANCELADA; the order that it held is released.
CREATE OR REPLACE FUNCTION payment_cancel (network INT UNSIGNED, sent VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin, who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Cancels a payment or top-up that is registered, or confirmed and inside its window; its order is free again'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT IF(@@SESSION.time_zone = '+00:00', SYSDATE(6), NULL);
  SET @recaudo_moment = moment;
  UPDATE transactions t FORCE INDEX (network_transaction)
    LEFT JOIN orders o FORCE INDEX (PRIMARY) ON o.id = t.order_id AND o.held_by = t.id
     SET t.state = 'CANCELADA', t.cancelled_at = moment, t.changed_by = who,
         t.order_version = COALESCE(o.version + 1, t.order_version), o.held_by = NULL, o.held_until = NULL, o.changed_by = who
   WHERE t.network_id = network AND t.network_transaction = sent
     AND ((t.state = 'REGISTRADA' AND moment IS NOT NULL) OR (t.state = 'CONFIRMADA' AND t.window_ends_at > moment));
  RETURN (@recaudo_moment := NULL) IS NULL AND ROW_COUNT() > 0;
END;

-- Finalises the transactions `ids` (a JSON array) and approves their orders. The caller holds the locks of both.
CREATE OR REPLACE PROCEDURE payments_write (IN ids LONGTEXT, IN who VARCHAR(80), IN moment DATETIME(6), OUT written BIGINT UNSIGNED)
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Approves the orders that these transactions hold and whose windows have closed, each with its notification'
BEGIN
  SET @recaudo_moment = moment;
  UPDATE JSON_TABLE(ids, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch
    STRAIGHT_JOIN transactions t FORCE INDEX (PRIMARY) ON t.id = batch.id
    STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY) ON o.id = t.order_id
     SET t.state = 'FINALIZADA', t.finalised_at = moment, t.changed_by = who, t.order_version = o.version + 1
   WHERE t.state = 'CONFIRMADA' AND t.window_ends_at <= moment AND o.state = 'PENDIENTE' AND o.held_by = t.id;
  SET written = ROW_COUNT(), @recaudo_moment = NULL;
  UPDATE JSON_TABLE(ids, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch
    STRAIGHT_JOIN transactions t FORCE INDEX (PRIMARY) ON t.id = batch.id
    STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY) ON o.id = t.order_id
     SET o.state = 'APROBADA', o.paid_by = t.id, o.held_by = NULL, o.held_until = NULL, o.changed_by = who
   WHERE t.state = 'FINALIZADA' AND t.finalised_at = moment AND t.order_version = o.version + 1
     AND o.state = 'PENDIENTE' AND o.held_by = t.id;
  IF ROW_COUNT() <> written THEN
    SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213, MESSAGE_TEXT = 'payments_write: a row changed meanwhile';
  END IF;
  -- Locks the merchants, so that setting a merchant's URL at this moment finds every notification that waits for one.
  INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means, due_at, created_at, changed_by)
    SELECT o.id, o.merchant_id, 'approved', IF(m.notify_url IS NULL, 'unaddressed', 'pending'), t.amount,
           COALESCE(o.payment_means, n.name), moment, moment, who
      FROM JSON_TABLE(ids, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch
     STRAIGHT_JOIN transactions t FORCE INDEX (PRIMARY) ON t.id = batch.id
     STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY) ON o.id = t.order_id AND o.paid_by = t.id
     STRAIGHT_JOIN merchants m FORCE INDEX (PRIMARY) ON m.id = o.merchant_id
     STRAIGHT_JOIN networks n FORCE INDEX (PRIMARY) ON n.id = t.network_id LOCK IN SHARE MODE;
END;

CREATE OR REPLACE FUNCTION payments_finalise (most INT UNSIGNED) RETURNS BIGINT UNSIGNED
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

-- The same for one order, before an action that needs a paid order. 1: written; 0: nothing to write.
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

-- Credits one top-up and counts it in `written`. The caller holds the locks of both. One for which its account has no
-- room stays CONFIRMADA and delays no other; due_now shows it.
CREATE OR REPLACE PROCEDURE top_up_write (IN top_up BIGINT UNSIGNED, IN account BIGINT UNSIGNED, IN credited DECIMAL(19,4),
                                          IN who VARCHAR(80), IN moment DATETIME(6), INOUT written BIGINT UNSIGNED)
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Finalises this top-up and credits its amount to its account, with the row of the ledger'
BEGIN
  SET @recaudo_moment = moment;
  UPDATE accounts SET balance = balance + credited, changed_by = who
   WHERE id = account AND balance <= 999999999999999.9999 - credited;
  IF ROW_COUNT() = 1 THEN
    UPDATE transactions SET state = 'FINALIZADA', finalised_at = moment, changed_by = who WHERE id = top_up;
    INSERT INTO account_ledger (account_id, transaction_id, amount, balance, at)
      SELECT id, top_up, credited, balance, moment FROM accounts WHERE id = account;
    SET written = written + 1;
  END IF;
  SET @recaudo_moment = NULL;
END;

CREATE OR REPLACE FUNCTION top_ups_finalise (most INT UNSIGNED) RETURNS BIGINT UNSIGNED
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
    CALL top_up_write(due.id, due.account_id, due.amount, 'dispatcher', moment, written);
  END FOR;
  RETURN written;
END;

-- The same for one top-up: when a batch is refused, or somebody asks whether it stands. 1: credited; 0: nothing to write.
CREATE OR REPLACE FUNCTION top_up_finalise (wanted BIGINT UNSIGNED, who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Credits this top-up if its cancellation window has closed'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  DECLARE written BIGINT UNSIGNED DEFAULT 0;
  FOR due IN (
    SELECT t.id, t.account_id, t.amount FROM transactions t STRAIGHT_JOIN accounts a ON a.id = t.account_id
     WHERE t.id = wanted AND t.state = 'CONFIRMADA' AND t.window_ends_at <= moment FOR UPDATE) DO
    CALL top_up_write(due.id, due.account_id, due.amount, who, moment, written);
  END FOR;
  RETURN written;
END;

-- == Orders: deleted, expired, refunded, claimed ==

-- `seen`: the version that was judged; NULL: any.
CREATE OR REPLACE FUNCTION order_cancel (wanted BIGINT UNSIGNED, seen INT UNSIGNED, who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'PENDIENTE -> CANCELADA: the merchant has withdrawn an order that nobody is paying'
BEGIN
  UPDATE orders SET state = 'CANCELADA', changed_by = who
   WHERE id = wanted AND version = COALESCE(seen, version) AND state = 'PENDIENTE' AND held_by IS NULL
     AND due_at > utc_now(); -- read when the order is locked, as in payment_confirm
  RETURN ROW_COUNT() > 0;
END;

-- Not granted to any account; the callers lock the orders.
CREATE OR REPLACE PROCEDURE orders_expire_write (IN ids LONGTEXT, IN moment DATETIME(6), OUT written BIGINT UNSIGNED)
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Expires these orders if they are unpaid and past their due date, each with its notification'
BEGIN
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
END;

CREATE OR REPLACE FUNCTION orders_expire (most INT UNSIGNED) RETURNS BIGINT UNSIGNED
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
    CALL orders_expire_write(ids, moment, written);
  END IF;
  RETURN written;
END;

-- The same for one order, when a batch is refused. 1: written; 0: nothing to write.
CREATE OR REPLACE FUNCTION order_expire (wanted BIGINT UNSIGNED) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Expires this order if it is unpaid and past its due date, with its notification'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  DECLARE written BIGINT UNSIGNED DEFAULT 0;
  DECLARE ids LONGTEXT;
  SELECT JSON_ARRAYAGG(id) INTO ids FROM (
    SELECT id FROM orders WHERE id = wanted AND state = 'PENDIENTE' AND held_by IS NULL AND due_at <= moment FOR UPDATE) AS due;
  IF ids IS NOT NULL THEN
    CALL orders_expire_write(ids, moment, written);
  END IF;
  RETURN written;
END;

CREATE OR REPLACE FUNCTION order_refund (wanted BIGINT UNSIGNED, why VARCHAR(250), who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'APROBADA -> ANULADA: the merchant gives a payment back'
BEGIN
  UPDATE orders SET state = 'ANULADA', state_reason = why, changed_by = who WHERE id = wanted AND state = 'APROBADA';
  RETURN ROW_COUNT() > 0;
END;

-- A claim is a refund of which the merchant is notified. order_claim first writes the approval of an order whose window
-- has closed. Not granted to any account: order_claim and approval_answer call it.
CREATE OR REPLACE FUNCTION order_claim_now (wanted BIGINT UNSIGNED, why VARCHAR(250), who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'APROBADA -> ANULADA on a customer''s claim, with the notification for the merchant'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  IF order_refund(wanted, why, who) = 0 THEN
    RETURN 0;
  END IF;
  -- Locks what it reads. A dispatcher that finishes `approved` at this moment then either is seen here or sees this row
  -- waiting. And setting a merchant's URL at this moment finds every notification that waits for one.
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

-- Locks what it reads of the order, so that a payment that becomes final at this moment cannot be claimed without the
-- approval that it needs.
CREATE OR REPLACE FUNCTION order_claim (wanted BIGINT UNSIGNED, why VARCHAR(250), who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Claims the order; 0: it is not APROBADA; 2: the claim waits for a second user''s approval; 3: an earlier one does, nothing is stored'
BEGIN
  DECLARE order_state VARCHAR(10);
  DECLARE order_version, valid INT UNSIGNED;
  DECLARE payment BIGINT UNSIGNED;
  DECLARE paid DECIMAL(19,4);
  DECLARE paid_in CHAR(3) CHARACTER SET ascii COLLATE ascii_bin;
  DECLARE approved INT DEFAULT order_finalise(wanted, who);
  SELECT state, version, paid_by, amount, currency INTO order_state, order_version, payment, paid, paid_in
    FROM orders WHERE id = wanted FOR UPDATE;
  SELECT amount INTO paid FROM transactions WHERE id = payment LOCK IN SHARE MODE;
  SELECT valid_for INTO valid FROM dual_control WHERE kind = 'claim' AND currency = paid_in AND above < paid LOCK IN SHARE MODE;
  IF valid IS NULL OR order_state <> 'APROBADA' THEN
    RETURN order_claim_now(wanted, why, who);
  END IF;
  IF EXISTS (SELECT 1 FROM approvals WHERE kind = 'claim' AND subject_id = wanted AND state = 'waiting'
                AND seen = order_version AND expires_at > utc_now()) THEN
    RETURN 3;
  END IF;
  INSERT INTO approvals (kind, subject_id, seen, amount, currency, reason, asked_by, expires_at)
    VALUES ('claim', wanted, order_version, paid, paid_in, why, who, utc_now() + INTERVAL valid SECOND);
  RETURN 2;
END;

-- The same person may be operator:ana or operator:EXAMPLE\ana at the command line and, in the browser, console:ana,
-- console:ana@example.com or console:CN=ana,O=Example. So two people with equal names cannot approve for each other. Of a
-- certificate's subject counts the common name that is most specific: the first (RFC 4514), or the last of the older form
-- with slashes; a backslash in it is an escape, no domain's.
CREATE OR REPLACE FUNCTION actor_person (who VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin)
  RETURNS VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin
  DETERMINISTIC CONTAINS SQL SQL SECURITY DEFINER
  COMMENT 'Who an actor is, under whatever name a program knows him'
BEGIN
  DECLARE name VARCHAR(251) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT LOWER(SUBSTRING(who, LOCATE(':', who) + 1));
  SET name = REGEXP_REPLACE(REPLACE(name, CHAR(92 USING utf8mb4), ':'), '^([^:=,/+@]*:)+', ''); -- 92: a backslash
  IF name LIKE '/%' THEN
    SET name = SUBSTRING_INDEX(REGEXP_REPLACE(name, '[/,+][/,+ ]*', '/'), '/cn=', -1);
  ELSE
    SET name = REGEXP_REPLACE(CONCAT(',', name), '[,+][/,+ ]*', ',');
    SET name = SUBSTRING(name, IF(LOCATE(',cn=', name) > 0, LOCATE(',cn=', name) + 4, 2));
  END IF;
  RETURN SUBSTRING_INDEX(SUBSTRING_INDEX(SUBSTRING_INDEX(SUBSTRING_INDEX(name, ',', 1), '+', 1), '/', 1), '@', 1);
END;

-- Returns the present state of what a change would replace: its version, its value, or a digest of it. approvals.seen
-- keeps the state at the time of the request.
CREATE OR REPLACE FUNCTION approval_seen (of_kind VARCHAR(20), subject BIGINT UNSIGNED, cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin)
  RETURNS VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin
  NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
  COMMENT 'Differs as soon as somebody has changed what such a change would replace'
  RETURN CASE of_kind
    WHEN 'claim' THEN (SELECT version FROM orders WHERE id = subject)
    WHEN 'notify_url' THEN (SELECT SHA2(COALESCE(notify_url, ''), 256) FROM merchants WHERE id = subject)
    WHEN 'merchant_secret' THEN (SELECT SHA2(fixed_hash, 256) FROM merchants WHERE id = subject)
    WHEN 'notification_secret' THEN (SELECT SHA2(notification_hash, 256) FROM merchants WHERE id = subject)
    WHEN 'network_secret' THEN (SELECT SHA2(fixed_hash, 256) FROM networks WHERE id = subject)
    WHEN 'limits' THEN (SELECT CONCAT(COALESCE(MAX(day_limit), 'none'), ' ', COALESCE(MAX(outstanding_limit), 'none'))
                          FROM network_limits WHERE network_id = subject AND currency = cur)
  END;

-- If the same person has requested the same change before, with the same reason or now without one, returns that
-- request, unless it is for a secret. Not granted to any account.
CREATE OR REPLACE FUNCTION approval_store (of_kind VARCHAR(20), subject BIGINT UNSIGNED, cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin,
                                           told TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin, secret VARBINARY(600),
                                           why VARCHAR(250), who VARCHAR(80), valid INT UNSIGNED) RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Stores a change that waits for a second user''s approval; its number'
BEGIN
  DECLARE is_now VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin DEFAULT approval_seen(of_kind, subject, cur);
  DECLARE same BIGINT UNSIGNED;
  SELECT MAX(id) INTO same FROM approvals FORCE INDEX (subject)
   WHERE kind = of_kind AND subject_id = subject AND state = 'waiting' AND secret IS NULL AND changes = told
     AND seen = is_now AND expires_at > utc_now() AND actor_person(asked_by) = actor_person(who) AND (why = '' OR reason = why);
  IF same IS NULL THEN
    INSERT INTO approvals (kind, subject_id, seen, currency, changes, sealed, reason, asked_by, expires_at)
      VALUES (of_kind, subject, is_now, cur, told, secret, why, who, utc_now() + INTERVAL valid SECOND);
    SET same = LAST_INSERT_ID();
  END IF;
  RETURN same;
END;

-- `kept`: microseconds for which the previous secret stays valid, counted from the approval.
CREATE OR REPLACE FUNCTION approval_ask (of_kind VARCHAR(20), subject BIGINT UNSIGNED, url VARCHAR(2048) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin,
                                         secret VARBINARY(600), kept BIGINT UNSIGNED, why VARCHAR(250), who VARCHAR(80)) RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Stores a new notify_url or secret that has to wait for a second user''s approval; its number, 0: it need not wait'
BEGIN
  DECLARE told TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
  DECLARE old_url VARCHAR(2048) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
  DECLARE valid INT UNSIGNED;
  SELECT valid_for INTO valid FROM dual_changes WHERE kind = IF(of_kind = 'notify_url', 'notify_url', 'secrets') LOCK IN SHARE MODE;
  IF of_kind = 'notify_url' THEN
    SELECT notify_url INTO old_url FROM merchants WHERE id = subject FOR UPDATE;
    SET valid = IF(old_url <=> NULLIF(url, ''), NULL, valid), secret = NULL,
        told = CONCAT('{"merchant":[null,', subject, '],"notify_url":', CONVERT(JSON_ARRAY(old_url, NULLIF(url, '')) USING utf8mb4), '}');
  ELSEIF of_kind IN ('network_secret', 'merchant_secret', 'notification_secret') AND secret IS NOT NULL THEN
    SET told = CONCAT('{"', IF(of_kind = 'network_secret', 'network', 'merchant'), '":[null,', subject, '],"',
                      IF(of_kind = 'notification_secret', 'notification_hash', 'fixed_hash'), '":"changed","kept":[null,', kept, ']}');
  ELSE
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'approval_ask: a notify_url or a secret';
  END IF;
  RETURN IF(valid IS NULL, 0, approval_store(of_kind, subject, NULL, told, secret, why, who, valid));
END;

-- Called by the triggers of networks and merchants when such a change is written. Only approval_answer can write one
-- that needs an approval: no other transaction sees its state `making`, and it locks the row that it changes before it
-- sets that state.
CREATE OR REPLACE PROCEDURE approval_demand (IN rule VARCHAR(20), IN of_kind VARCHAR(20), IN subject BIGINT UNSIGNED)
  NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
  COMMENT 'Refuses a change that needs a second user''s approval and has none'
BEGIN
  IF EXISTS (SELECT 1 FROM dual_changes WHERE kind = rule)
     AND NOT EXISTS (SELECT 1 FROM approvals FORCE INDEX (subject) WHERE kind = of_kind AND subject_id = subject AND state = 'making') THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'dual_changes: this change needs the approval of a second user';
  END IF;
END;

-- Two changes bring no new secret: ending an old one, and re-encryption under another key, which must not change when
-- the old one expires.
CREATE OR REPLACE PROCEDURE approval_demand_secret (IN of_kind VARCHAR(20), IN subject BIGINT UNSIGNED, IN reencrypted BOOLEAN, IN same BOOLEAN,
                                                    IN same_old BOOLEAN, IN same_until BOOLEAN, IN no_old BOOLEAN)
  NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
  COMMENT 'approval_demand, if a secret is new'
BEGIN
  IF NOT ((same OR reencrypted) AND (no_old OR (same_until AND (same_old OR reencrypted)))) THEN
    CALL approval_demand('secrets', of_kind, subject);
  END IF;
END;

CREATE OR REPLACE PROCEDURE approval_lock (IN of_kind VARCHAR(20), IN subject BIGINT UNSIGNED, IN cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin)
  NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
  COMMENT 'Locks what a change would replace'
BEGIN
  DECLARE locked INT;
  CASE of_kind
    WHEN 'claim' THEN SELECT COUNT(*) INTO locked FROM orders WHERE id = subject FOR UPDATE;
    WHEN 'limits' THEN SELECT COUNT(*) INTO locked FROM network_rooms WHERE network_id = subject AND currency = cur FOR UPDATE;
    WHEN 'network_secret' THEN SELECT COUNT(*) INTO locked FROM networks WHERE id = subject FOR UPDATE;
    ELSE SELECT COUNT(*) INTO locked FROM merchants WHERE id = subject FOR UPDATE;
  END CASE;
END;

-- Makes the change as it was requested. The caller has locked what it replaces. Not granted to any account:
-- approval_answer calls it.
CREATE OR REPLACE FUNCTION approval_make (wanted BIGINT UNSIGNED, who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Makes the change that an approval is for; 0: what it would replace has changed'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  DECLARE made INT DEFAULT 0;
  DECLARE of_kind VARCHAR(20);
  DECLARE subject, kept BIGINT UNSIGNED;
  DECLARE cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin;
  DECLARE was VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
  DECLARE told TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
  DECLARE secret VARBINARY(600);
  DECLARE why, said VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
  DECLARE asker VARCHAR(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
  SELECT kind, subject_id, currency, seen, changes, sealed, reason, asked_by, JSON_VALUE(changes, '$.kept[1]')
    INTO of_kind, subject, cur, was, told, secret, why, asker, kept FROM approvals WHERE id = wanted;
  -- The approver is the actor of the change; the reason of its event also says who asked for it, and why. A claim's
  -- event has the reason already.
  SET said = @recaudo_reason,
      @recaudo_reason = LEFT(CONCAT('approval ', wanted, ', asked by ', asker, IF(of_kind = 'claim' OR why = '', '', CONCAT(': ', why))), 250);
  CASE of_kind
    WHEN 'claim' THEN
      SELECT COUNT(*) INTO made FROM orders WHERE id = subject AND version = was FOR UPDATE;
      IF made = 1 THEN
        SET made = order_claim_now(subject, why, who);
      END IF;
    WHEN 'limits' THEN
      IF approval_seen(of_kind, subject, cur) = was THEN
        SET made = network_limit_set_now(subject, cur, JSON_VALUE(told, '$.day_limit[1]'), JSON_VALUE(told, '$.outstanding_limit[1]'), who);
      END IF;
    WHEN 'notify_url' THEN
      UPDATE merchants SET notify_url = JSON_VALUE(told, '$.notify_url[1]'), changed_by = who
       WHERE id = subject AND SHA2(COALESCE(notify_url, ''), 256) = was;
      SET made = ROW_COUNT();
    WHEN 'network_secret' THEN
      UPDATE networks SET old_hash = IF(kept > 0, fixed_hash, NULL), old_hash_until = IF(kept > 0, moment + INTERVAL kept MICROSECOND, NULL),
                          fixed_hash = secret, changed_by = who
       WHERE id = subject AND SHA2(fixed_hash, 256) = was;
      SET made = ROW_COUNT();
    WHEN 'merchant_secret' THEN
      UPDATE merchants SET old_hash = IF(kept > 0, fixed_hash, NULL), old_hash_until = IF(kept > 0, moment + INTERVAL kept MICROSECOND, NULL),
                           fixed_hash = secret, changed_by = who
       WHERE id = subject AND SHA2(fixed_hash, 256) = was;
      SET made = ROW_COUNT();
    WHEN 'notification_secret' THEN
      UPDATE merchants SET old_notification_hash = IF(kept > 0, notification_hash, NULL),
                           old_notification_hash_until = IF(kept > 0, moment + INTERVAL kept MICROSECOND, NULL),
                           notification_hash = secret, changed_by = who
       WHERE id = subject AND SHA2(notification_hash, 256) = was;
      SET made = ROW_COUNT();
  END CASE;
  SET @recaudo_reason = said;
  RETURN made;
END;

CREATE OR REPLACE FUNCTION approval_answer (wanted BIGINT UNSIGNED, wish BOOLEAN, why VARCHAR(250), who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Approves (and makes) or refuses a change; 0: it does not wait, 1: done, 2: it has expired, 3: the asker may not approve it, 4: what it would replace has changed'
BEGIN
  DECLARE of_kind VARCHAR(20);
  DECLARE asker VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
  DECLARE subject BIGINT UNSIGNED;
  DECLARE cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin;
  DECLARE was VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin;
  DECLARE expires DATETIME(6);
  SELECT kind, subject_id, currency, seen, asked_by, expires_at INTO of_kind, subject, cur, was, asker, expires
    FROM approvals WHERE id = wanted AND state = 'waiting' FOR UPDATE;
  IF subject IS NULL THEN
    RETURN 0;
  ELSEIF wish AND expires <= utc_now() THEN
    RETURN 2;
  ELSEIF wish AND actor_person(asker) = actor_person(who) THEN
    RETURN 3;
  END IF;
  IF wish THEN
    CALL approval_lock(of_kind, subject, cur);
    IF NOT approval_seen(of_kind, subject, cur) <=> was THEN
      RETURN 4;
    END IF;
    UPDATE approvals SET state = 'making' WHERE id = wanted AND state = 'waiting';
    IF approval_make(wanted, who) <> 1 THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'approval_answer: what the change would replace has changed';
    END IF;
  END IF;
  UPDATE approvals SET state = IF(wish, 'approved', 'refused'), answered_by = who, answered_at = utc_now(), answer = why, sealed = NULL
   WHERE id = wanted AND state = IF(wish, 'making', 'waiting');
  RETURN 1;
END;

-- == References ==

-- Returns the end of time while the merchant has an open order with it. SECURITY DEFINER, because callers need not see
-- the orders.
CREATE OR REPLACE FUNCTION reference_kept_until (wanted VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin, owner INT UNSIGNED) RETURNS DATETIME(6)
  NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
  COMMENT 'UTC; until then no other merchant and no account gets this reference of the merchant'
  RETURN (SELECT CASE WHEN own.open > 0 THEN '9999-12-31 00:00:00.000000'
                      ELSE GREATEST(r.taken_at, COALESCE(own.closed, r.taken_at)) + INTERVAL m.reference_quarantine SECOND END
            FROM reference_owners r JOIN merchants m ON m.id = owner
            JOIN (SELECT COALESCE(SUM(state = 'PENDIENTE'), 0) AS open, MAX(COALESCE(closed_at, changed_at)) AS closed
                    FROM orders WHERE reference = wanted AND merchant_id = owner) AS own
           WHERE r.reference = wanted);

-- For the triggers. A refusal is raised as a duplicate key, because the programs give both the same reply.
CREATE OR REPLACE PROCEDURE reference_take (IN wanted VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin, IN taker INT UNSIGNED)
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Makes the reference the merchant''s, or an account''s where there is none; refuses it while it is another''s'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  DECLARE owner INT UNSIGNED;
  INSERT INTO reference_owners (reference, merchant_id, taken_at) VALUES (wanted, taker, moment)
    ON DUPLICATE KEY UPDATE uses = uses + 1, taken_at = IF(merchant_id <=> taker, moment, taken_at);
  -- The row is locked until the end of the transaction, so the owner and its orders are judged as they are now.
  SET owner = (SELECT merchant_id FROM reference_owners WHERE reference = wanted);
  IF NOT (owner <=> taker) THEN
    IF owner IS NULL OR reference_kept_until(wanted, owner) > moment THEN
      SIGNAL SQLSTATE '23000' SET MYSQL_ERRNO = 1062, MESSAGE_TEXT = 'Duplicate entry for key ''reference_owner''';
    END IF;
    UPDATE reference_owners SET merchant_id = taker, taken_at = moment WHERE reference = wanted;
  END IF;
END;

-- Finds the longest prefix that the reference begins with. NULL: there is none, so any merchant may use the reference.
CREATE OR REPLACE FUNCTION reference_prefix_owner (wanted VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin) RETURNS INT UNSIGNED
  NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
  COMMENT 'Merchant that the prefix of this reference was given to; NULL: nobody'
  RETURN (SELECT merchant_id FROM reference_prefixes
           WHERE prefix BETWEEN LEFT(wanted, 3) AND LEFT(wanted, 12) AND LEFT(wanted, CHAR_LENGTH(prefix)) = prefix
           ORDER BY CHAR_LENGTH(prefix) DESC LIMIT 1);

CREATE OR REPLACE FUNCTION reference_is_anothers (wanted VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin, taker INT UNSIGNED) RETURNS BOOLEAN
  NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
  COMMENT 'An account''s, another merchant''s by its prefix, or another merchant''s whose order is closed: an open one tells of itself'
  RETURN COALESCE(reference_prefix_owner(wanted), taker) <> taker
      OR EXISTS (SELECT 1 FROM reference_owners r WHERE r.reference = wanted AND NOT r.merchant_id <=> taker
                    AND (r.merchant_id IS NULL
                         OR reference_kept_until(wanted, r.merchant_id) BETWEEN utc_now() AND '9999-01-01'));

CREATE OR REPLACE FUNCTION reference_under_code (code VARCHAR(16) CHARACTER SET ascii COLLATE ascii_nopad_bin, kind_of_code TINYINT UNSIGNED, taker INT UNSIGNED)
  RETURNS VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin
  NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
  COMMENT 'The first reference of another merchant''s order, open or still kept, that an integration with this code would answer for; NULL: none'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  -- The rule of reference_kept_until, which would be too slow for each of many references. The colon sorts after all
  -- digits.
  RETURN (SELECT r.reference FROM reference_owners r JOIN merchants m ON m.id = r.merchant_id
           WHERE r.reference BETWEEN code AND CONCAT(code, ':') AND r.merchant_id <> taker
             AND CHAR_LENGTH(r.reference) BETWEEN IF(kind_of_code = 2, GREATEST(9, CHAR_LENGTH(code) + 1), 1) AND 16
             AND (r.taken_at + INTERVAL m.reference_quarantine SECOND > moment
                  OR EXISTS (SELECT 1 FROM orders o FORCE INDEX (reference)
                              WHERE o.reference = r.reference AND o.merchant_id = r.merchant_id
                                AND (o.state = 'PENDIENTE' OR COALESCE(o.closed_at, o.changed_at) + INTERVAL m.reference_quarantine SECOND > moment)))
           ORDER BY r.reference LIMIT 1);
END;

-- For the triggers. A prefix or code captures references that another merchant answers for or has reserved if one
-- begins with the other. Increments the counter first, so that of two concurrent transactions the second waits for the
-- first, or fails at certification, and then sees its row here.
CREATE OR REPLACE PROCEDURE prefix_take (IN wanted VARCHAR(16) CHARACTER SET ascii COLLATE ascii_nopad_bin, IN taker INT UNSIGNED, IN kind_of_code TINYINT UNSIGNED)
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Refuses a reference prefix (kind_of_code NULL), or the code of an integration, that takes over references of another merchant'
BEGIN
  DECLARE whose VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
  DECLARE reserved VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin;
  UPDATE settings SET prefixes_given = prefixes_given + 1 WHERE id = 1;
  SET whose = (SELECT CONCAT('prefix ', p.prefix, ' of ', m.name) FROM reference_prefixes p JOIN merchants m ON m.id = p.merchant_id
                WHERE p.merchant_id <> taker AND (LEFT(p.prefix, CHAR_LENGTH(wanted)) = wanted OR LEFT(wanted, CHAR_LENGTH(p.prefix)) = p.prefix)
                ORDER BY p.prefix LIMIT 1 LOCK IN SHARE MODE);
  IF whose IS NULL THEN
    SET whose = (SELECT CONCAT('integration ', i.id, ' of ', m.name) FROM integrations i JOIN merchants m ON m.id = i.merchant_id
                  WHERE i.merchant_id <> taker AND i.removed_at IS NULL
                    AND (LEFT(i.code, CHAR_LENGTH(wanted)) = wanted OR LEFT(wanted, CHAR_LENGTH(i.code)) = i.code)
                  ORDER BY i.id LIMIT 1 LOCK IN SHARE MODE);
  END IF;
  IF whose IS NULL AND kind_of_code IS NOT NULL THEN
    SET reserved = reference_under_code(wanted, kind_of_code, taker); -- once: in the query it would be called for each row
    SET whose = (SELECT CONCAT('reference ', r.reference, ' of ', m.name) FROM reference_owners r JOIN merchants m ON m.id = r.merchant_id
                  WHERE r.reference = reserved);
  END IF;
  IF whose IS NOT NULL THEN
    SET whose = LEFT(CONCAT('Duplicate entry for key ''prefix_overlap'': ', whose), 128);
    SIGNAL SQLSTATE '23000' SET MYSQL_ERRNO = 1062, MESSAGE_TEXT = whose;
  END IF;
END;

-- == Limits of networks ==

-- Divides what is left evenly; portion `most` gets the remainder. The caller has locked the rows.
CREATE OR REPLACE PROCEDURE limit_divide (IN wanted INT UNSIGNED, IN cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin, IN on_day DATE, IN day_left DECIMAL(19,4),
                               IN outstanding_left DECIMAL(19,4), IN most TINYINT UNSIGNED)
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Divides what is left of the limits among the portions'
UPDATE network_rooms
   SET day = on_day,
       day_room = TRUNCATE(day_left / 16, 4) + IF(part = most, day_left - 16 * TRUNCATE(day_left / 16, 4), 0),
       outstanding_room = TRUNCATE(outstanding_left / 16, 4)
         + IF(part = most, outstanding_left - 16 * TRUNCATE(outstanding_left / 16, 4), 0)
 WHERE network_id = wanted AND currency = cur;

-- For the trigger transactions_changed, which calls it if there are portions. A positive amount is confirmed on that
-- day: takes it, or fails with 60113 and a text that names the exceeded limit. A negative amount was confirmed on that
-- day and is cancelled: gives it back, except to the limit of a day that is over. `mine` is the portion of this
-- connection. Nodes of a cluster that have their own auto_increment_offset never share a portion. (One procedure for
-- both, because each routine that a trigger can call costs every statement that fires it.)
CREATE OR REPLACE PROCEDURE limit_count (IN wanted INT UNSIGNED, IN cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin, IN wanted_amount DECIMAL(19,4), IN on_day DATE)
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Takes an amount from what is left of the limits of a network, or gives it back'
BEGIN
  DECLARE mine TINYINT UNSIGNED DEFAULT MOD(MOD(CONNECTION_ID(), 16 DIV LEAST(@@auto_increment_increment, 16)) * @@auto_increment_increment
                                            + @@auto_increment_offset - 1, 16);
  -- What the portion must have left. To one that has nothing left, nothing is given back alone: all portions may owe
  -- (a limit can be set below what was confirmed), and then no connection may confirm more.
  DECLARE needed DECIMAL(19,4) DEFAULT GREATEST(wanted_amount, 0.0001);
  DECLARE counted INT;
  DECLARE newest DATE;
  DECLARE day_left, outstanding_left DECIMAL(19,4);
  DECLARE reached VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin; -- which limit; the reply to the network names it
  -- Looks without a lock first: an UPDATE that has waited for its row keeps the lock even if the row does not fit, and
  -- then deadlocks with whoever divides.
  SELECT COUNT(*) INTO counted FROM network_rooms
   WHERE network_id = wanted AND currency = cur AND part = mine
     AND IF(day > on_day, wanted_amount < 0, COALESCE(IF(day < on_day, day_share, day_room) >= needed, TRUE))
     AND COALESCE(outstanding_room >= needed, TRUE);
  IF counted > 0 THEN
    -- Assigned from left to right, so day_room is computed before `day` changes.
    UPDATE network_rooms
       SET day_room = CASE WHEN day < on_day THEN day_share WHEN day = on_day THEN day_room ELSE day_room + wanted_amount END - wanted_amount,
           outstanding_room = outstanding_room - wanted_amount, day = GREATEST(day, on_day)
     WHERE network_id = wanted AND currency = cur AND part = mine
       AND IF(day > on_day, wanted_amount < 0, COALESCE(IF(day < on_day, day_share, day_room) >= needed, TRUE))
       AND COALESCE(outstanding_room >= needed, TRUE);
    SET counted = ROW_COUNT();
  END IF;
  IF counted = 0 THEN
    -- Refuses most payments beyond the limit without a lock.
    SELECT MAX(day), SUM(IF(day < on_day, day_share, day_room)), SUM(outstanding_room)
      INTO newest, day_left, outstanding_left FROM network_rooms WHERE network_id = wanted AND currency = cur;
    SET reached = CASE WHEN day_left < wanted_amount THEN CONCAT('the limit of the day in ', cur)
                       WHEN outstanding_left < wanted_amount THEN CONCAT('the outstanding limit in ', cur) END;
    IF wanted_amount > 0 AND newest <= on_day AND reached IS NOT NULL THEN
      SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = 60113, MESSAGE_TEXT = reached;
    END IF;
    SELECT GREATEST(MAX(day), on_day) INTO newest FROM network_rooms WHERE network_id = wanted AND currency = cur FOR UPDATE;
    IF wanted_amount > 0 AND newest > on_day THEN
      -- This transaction began before midnight, and others after it have counted already. Run again, it belongs to the
      -- new day.
      SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1020, MESSAGE_TEXT = 'network_limits: a new day has begun';
    END IF;
    SELECT SUM(IF(day < newest, day_share, day_room)), SUM(outstanding_room)
      INTO day_left, outstanding_left FROM network_rooms WHERE network_id = wanted AND currency = cur FOR UPDATE;
    SET reached = CASE WHEN day_left < wanted_amount THEN CONCAT('the limit of the day in ', cur)
                       WHEN outstanding_left < wanted_amount THEN CONCAT('the outstanding limit in ', cur) END;
    IF wanted_amount > 0 AND reached IS NOT NULL THEN
      SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = 60113, MESSAGE_TEXT = reached;
    END IF;
    CALL limit_divide(wanted, cur, newest, day_left - IF(newest = on_day, wanted_amount, 0), outstanding_left - wanted_amount, mine);
  END IF;
END;

-- First step of setting a limit: after its commit, confirmations see portions, which have no bound yet.
CREATE OR REPLACE FUNCTION network_limit_begin (wanted INT UNSIGNED, cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Makes the portions of a network''s limits, if there are none'
BEGIN
  DECLARE next TINYINT UNSIGNED DEFAULT 0;
  WHILE next < 16 DO
    INSERT IGNORE INTO network_rooms (network_id, currency, part, day) VALUES (wanted, cur, next, DATE(utc_now()));
    SET next = next + 1;
  END WHILE;
  RETURN 1;
END;

-- Second step: waits for confirmations that may have looked for portions before that commit. They have written their
-- rows, so a locking read waits for them.
CREATE OR REPLACE FUNCTION network_limit_settle () RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
  COMMENT 'Waits until confirmations that are under way have ended'
BEGIN
  DECLARE found BIGINT UNSIGNED;
  -- However long ago the window ended: the confirmation may still be waiting for its commit.
  SELECT COUNT(*) INTO found FROM transactions FORCE INDEX (window_end)
   WHERE state = 'CONFIRMADA' AND window_ends_at >= '2000-01-01' LOCK IN SHARE MODE;
  RETURN found;
END;

-- Last step: sets the limits of a network in a currency; NULL: no limit. A new limit counts what was confirmed already:
-- today and, for the outstanding sum, also earlier but still in its window. 0: the portions are missing; begin again.
-- Not granted to any account: network_limit_set and approval_answer call it.
CREATE OR REPLACE FUNCTION network_limit_set_now (wanted INT UNSIGNED, cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin, new_day DECIMAL(19,4),
                                   new_outstanding DECIMAL(19,4), who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Sets, changes or removes the limits of a network'
BEGIN
  DECLARE today DATE DEFAULT DATE(utc_now());
  DECLARE portions INT;
  DECLARE old_day, old_outstanding, day_left, outstanding_left DECIMAL(19,4);
  DECLARE today_sum, owed DECIMAL(38,4);
  -- Locks first. Whoever was counting has committed then, and the reads without a lock that follow see it.
  SELECT COUNT(*), GREATEST(today, MAX(day)) INTO portions, today FROM network_rooms WHERE network_id = wanted AND currency = cur FOR UPDATE;
  IF portions <> 16 THEN
    RETURN 0;
  END IF;
  SELECT SUM(IF(day < today, day_share, day_room)), SUM(outstanding_room)
    INTO day_left, outstanding_left FROM network_rooms WHERE network_id = wanted AND currency = cur FOR UPDATE;
  SELECT MAX(day_limit), MAX(outstanding_limit) INTO old_day, old_outstanding FROM network_limits
   WHERE network_id = wanted AND currency = cur FOR UPDATE;
  IF old_day IS NULL OR old_outstanding IS NULL THEN
    SELECT COALESCE(SUM(IF(confirmed_at >= today, amount, 0)), 0), COALESCE(SUM(amount), 0) INTO today_sum, owed
      FROM transactions FORCE INDEX (window_end)
     WHERE network_id = wanted AND currency = cur
       AND ((state = 'CONFIRMADA' AND window_ends_at >= '2000-01-01')
            OR (state = 'FINALIZADA' AND window_ends_at >= today AND confirmed_at >= today));
    IF (old_day IS NULL AND new_day IS NOT NULL AND today_sum > 999999999999999.9999)
       OR (old_outstanding IS NULL AND new_outstanding IS NOT NULL AND owed > 999999999999999.9999) THEN
      SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = 60113, MESSAGE_TEXT = 'network_limits: more was confirmed than a limit can count';
    END IF;
  END IF;
  SET day_left = IF(old_day IS NULL, new_day - today_sum, day_left + new_day - old_day),
      outstanding_left = IF(old_outstanding IS NULL, new_outstanding - owed, outstanding_left + new_outstanding - old_outstanding);
  INSERT INTO event_log (subject, subject_id, what, actor, reason)
    VALUES ('network', wanted, 'money limits', who,
            CONCAT(cur, ': day ', COALESCE(new_day, 'none'), ' (was ', COALESCE(old_day, 'none'), '), outstanding ',
                   COALESCE(new_outstanding, 'none'), ' (was ', COALESCE(old_outstanding, 'none'), ')'));
  DELETE FROM network_limits WHERE network_id = wanted AND currency = cur;
  -- The portions stay, without a bound, because a session between the first step and this one relies on them.
  IF new_day IS NOT NULL OR new_outstanding IS NOT NULL THEN
    INSERT INTO network_limits (network_id, currency, day_limit, outstanding_limit, changed_by)
      VALUES (wanted, cur, new_day, new_outstanding, who);
  END IF;
  UPDATE network_rooms SET day_share = TRUNCATE(new_day / 16, 4) + IF(part = 0, new_day - 16 * TRUNCATE(new_day / 16, 4), 0)
   WHERE network_id = wanted AND currency = cur;
  CALL limit_divide(wanted, cur, today, day_left, outstanding_left, 0);
  RETURN 1;
END;

CREATE OR REPLACE FUNCTION network_limit_set (wanted INT UNSIGNED, cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin, new_day DECIMAL(19,4),
                                   new_outstanding DECIMAL(19,4), seen BIGINT UNSIGNED, who VARCHAR(80)) RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Sets the limits. 1: done. 0: there are no portions, or the network has changed since history_end gave `seen`. N above 1: approval N - 1 waits for a second user'
BEGIN
  DECLARE told TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
  DECLARE why VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT COALESCE(@recaudo_reason, '');
  DECLARE portions INT;
  DECLARE valid INT UNSIGNED;
  DECLARE old_day, old_outstanding DECIMAL(19,4);
  SELECT COUNT(*) INTO portions FROM network_rooms WHERE network_id = wanted AND currency = cur FOR UPDATE;
  IF NOT (history_end('network', wanted) <=> seen) THEN
    RETURN 0;
  END IF;
  SELECT valid_for INTO valid FROM dual_changes WHERE kind = 'limits' LOCK IN SHARE MODE;
  SELECT MAX(day_limit), MAX(outstanding_limit) INTO old_day, old_outstanding FROM network_limits
   WHERE network_id = wanted AND currency = cur FOR UPDATE;
  -- The limits that it has need nobody's approval.
  IF valid IS NULL OR portions <> 16 OR (new_day <=> old_day AND new_outstanding <=> old_outstanding) THEN
    RETURN network_limit_set_now(wanted, cur, new_day, new_outstanding, who);
  END IF;
  SET told = CONCAT('{"network":[null,', wanted, '],"currency":[null,"', cur, '"],"day_limit":',
                    CONVERT(JSON_ARRAY(old_day, new_day) USING utf8mb4), ',"outstanding_limit":',
                    CONVERT(JSON_ARRAY(old_outstanding, new_outstanding) USING utf8mb4), '}');
  SET @recaudo_reason = NULL; -- stored as the approval's reason, so not added to its event as well
  RETURN 1 + approval_store('limits', wanted, cur, told, NULL, why, who, valid);
END;

-- Counts a minute some seconds after its end, when its confirmations are committed; at most the last two hours. Finds
-- payments by the end of their windows, so a change of the window's length miscounts payments confirmed shortly before
-- it. Two dispatchers that count the same minute write the same.
CREATE OR REPLACE FUNCTION payments_count () RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Counts the payments of the minutes that are over; how many minutes it has counted'
BEGIN
  DECLARE length BIGINT UNSIGNED DEFAULT (SELECT cancel_window FROM settings WHERE id = 1);
  DECLARE moment DATETIME(6) DEFAULT utc_now() - INTERVAL 5 SECOND;
  DECLARE this_minute DATETIME DEFAULT DATE_FORMAT(moment, '%Y-%m-%d %H:%i:00');
  DECLARE this_hour DATETIME;
  DECLARE counted INT DEFAULT 0;
  DECLARE newest DATETIME DEFAULT (SELECT MAX(began_at) FROM payment_counts WHERE span = 'minute');
  DECLARE next_minute DATETIME;
  -- Minutes and hours that are not over were counted before the clock was set back; they are counted again when they
  -- are over. The newest minute stays until it is near, because it shows how far the clock was ahead (recaudoctl status).
  DELETE FROM payment_counts
   WHERE span IN ('minute', 'hour') AND began_at >= this_minute
     AND (span = 'hour' OR began_at < newest OR began_at < this_minute + INTERVAL 2 MINUTE);
  SELECT MAX(began_at) + INTERVAL 1 MINUTE INTO next_minute FROM payment_counts WHERE span = 'minute' AND began_at < this_minute;
  SET next_minute = GREATEST(COALESCE(next_minute, this_minute - INTERVAL 1 MINUTE), this_minute - INTERVAL 2 HOUR);
  WHILE next_minute < this_minute DO
    SET this_hour = DATE_FORMAT(next_minute, '%Y-%m-%d %H:00:00');
    INSERT INTO payment_counts (span, began_at, currency, payments)
      SELECT 'minute', next_minute, currency, COUNT(*) FROM transactions FORCE INDEX (settled)
       WHERE settled_at >= next_minute + INTERVAL length MICROSECOND
         AND settled_at < next_minute + INTERVAL length MICROSECOND + INTERVAL 1 MINUTE AND cancelled_at IS NULL
       GROUP BY currency
      UNION ALL SELECT 'minute', next_minute, '', 0
      ON DUPLICATE KEY UPDATE payments = VALUE(payments);
    INSERT INTO payment_counts (span, began_at, currency, payments)
      SELECT * FROM (SELECT 'hour', this_hour, currency, SUM(payments) FROM payment_counts
                      WHERE span = 'minute' AND began_at >= this_hour AND began_at <= next_minute AND currency <> ''
                      GROUP BY currency) s
      ON DUPLICATE KEY UPDATE payments = VALUE(payments);
    SET next_minute = next_minute + INTERVAL 1 MINUTE, counted = counted + 1;
  END WHILE;
  IF counted > 0 THEN
    DELETE FROM payment_counts WHERE span = 'minute' AND began_at < this_minute - INTERVAL 2 HOUR;
    DELETE FROM payment_counts WHERE span = 'hour' AND began_at < this_minute - INTERVAL 8 DAY;
    DELETE FROM refusal_counts WHERE began_at < this_minute - INTERVAL 8 DAY;
  END IF;
  RETURN counted;
END;

-- Of two dispatchers that see it at once, only one marks the row, and logs it. A mark on a later day comes from a clock that was ahead.
CREATE OR REPLACE FUNCTION network_limit_warn (percent INT UNSIGNED) RETURNS VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'What is to be logged of a network that has used so much of a limit, once per day and currency; NULL: nothing'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  FOR used IN (SELECT network_id, network, currency, COALESCE(FLOOR(day_used * 100 / day_limit), IF(day_limit = 0, 100, 0)) AS of_day,
                      COALESCE(FLOOR(outstanding_used * 100 / outstanding_limit), IF(outstanding_limit = 0, 100, 0)) AS owed
                 FROM network_limits_now
                WHERE day_used * 100 >= day_limit * percent OR outstanding_used * 100 >= outstanding_limit * percent) DO
    UPDATE network_limits SET warned_at = moment
     WHERE network_id = used.network_id AND currency = used.currency AND COALESCE(DATE(warned_at) <> DATE(moment), TRUE);
    IF ROW_COUNT() = 1 THEN
      RETURN CONCAT('network ', used.network, ' has used ', GREATEST(used.of_day, used.owed), ' % of what it may ',
                    IF(used.of_day >= used.owed, 'confirm in a day', 'owe'), ' in ', used.currency);
    END IF;
  END FOR;
  RETURN NULL;
END;

-- Records what a network has paid in, which reduces its outstanding sum; a negative amount increases it.
-- 0: there is no outstanding limit to count it against.
-- 1: recorded.
-- 2: the network owes less than that.
-- 3: it would owe more than an amount can say; whoever reads what is used of the limit could not.
CREATE OR REPLACE FUNCTION network_remit (wanted INT UNSIGNED, cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin, paid DECIMAL(19,4), why VARCHAR(250),
                               who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Records what a network has paid in'
BEGIN
  DECLARE bound, day_left, left_over DECIMAL(19,4);
  DECLARE newest DATE;
  SELECT MAX(day), SUM(outstanding_room) INTO newest, left_over FROM network_rooms WHERE network_id = wanted AND currency = cur FOR UPDATE;
  SELECT MAX(outstanding_limit) INTO bound FROM network_limits WHERE network_id = wanted AND currency = cur;
  IF bound IS NULL OR left_over IS NULL THEN
    RETURN 0;
  END IF;
  IF paid > 0 AND paid > bound - left_over THEN
    RETURN 2;
  ELSEIF bound - left_over - paid > 999999999999999.9999 THEN
    RETURN 3;
  END IF;
  -- Divided anew: if one portion took it all, the others would let more be confirmed than is left.
  SELECT SUM(IF(day < newest, day_share, day_room)) INTO day_left FROM network_rooms WHERE network_id = wanted AND currency = cur FOR UPDATE;
  CALL limit_divide(wanted, cur, newest, day_left, left_over + paid, 0);
  INSERT INTO remittances (network_id, currency, amount, reason, actor) VALUES (wanted, cur, paid, why, who);
  INSERT INTO event_log (subject, subject_id, what, actor, reason)
    VALUES ('network', wanted, 'remitted', who, LEFT(CONCAT(cur, ' ', paid, IF(why = '', '', ': '), why), 250));
  RETURN 1;
END;

-- == Settlements ==

-- Puts up to `most` committed operations, oldest first, into the open settlement; returns how many. Locks the
-- settlement first, so that a closing waits for every collection that began before it. Skips rows that are not
-- committed yet.
CREATE OR REPLACE FUNCTION settlement_collect (most INT UNSIGNED) RETURNS INT UNSIGNED
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

-- Closes the settlement `wanted` if it is the open one, and opens the next.
-- `cut`: an instant that must have passed. Closes only a settlement that was opened before it, or in the future, by a
-- clock that was ahead. Dispatchers pass it; NULL: closed by hand.
-- `on_day`: by hand, a day that is over somewhere on earth; with a cut, which may lie within the day, one that has begun
-- somewhere. (The zone does not decide, because MariaDB's table of zones may be empty.)
-- 1: closed; 0: not.
CREATE OR REPLACE FUNCTION settlement_close (wanted INT UNSIGNED, who VARCHAR(80), on_day CHAR(10), in_zone VARCHAR(64), cut DATETIME(6)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Closes the open settlement and opens the next'
BEGIN
  DECLARE open_number INT UNSIGNED;
  DECLARE opened, now_at DATETIME(6);
  DECLARE last_day CHAR(10) DEFAULT DATE_FORMAT(utc_now() + INTERVAL 14 HOUR - INTERVAL (cut IS NULL) DAY, '%Y-%m-%d');
  SELECT MAX(number), MAX(opened_at) INTO open_number, opened FROM settlements FORCE INDEX (is_open) WHERE is_open = 1 FOR UPDATE;
  IF NOT open_number <=> wanted OR (opened >= cut AND opened <= utc_now()) OR cut > utc_now() OR on_day > last_day THEN
    RETURN 0;
  END IF;
  SET now_at = GREATEST(opened, utc_now());
  UPDATE settlements SET state = 'closed', closed_at = now_at, closed_by = who, day = on_day, zone = in_zone WHERE number = wanted;
  INSERT INTO settlements (number, opened_at) VALUES (wanted + 1, now_at);
  RETURN 1;
END;

-- Writes the counts and digest of a closed settlement, with an event, so that a seal covers the digest.
-- 1: written.
-- 0: the settlement is open, or has them already.
CREATE OR REPLACE FUNCTION settlement_sum (wanted INT UNSIGNED, payments BIGINT UNSIGNED, cancellations BIGINT UNSIGNED, refunds BIGINT UNSIGNED,
                                sha256 CHAR(64)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Writes counts and digest of a closed settlement, once'
BEGIN
  UPDATE settlements SET finalised = payments, cancelled = cancellations, refunded = refunds, digest = sha256
   WHERE number = wanted AND state = 'closed' AND digest IS NULL;
  IF ROW_COUNT() <> 1 THEN
    RETURN 0;
  END IF;
  INSERT INTO event_log (subject, subject_id, what, from_state, to_state, actor, changes)
    SELECT 'settlement', number, 'state', 'open', state, closed_by,
           CONCAT('{"finalised":[null,', finalised, '],"cancelled":[null,', cancelled, '],"refunded":[null,', refunded,
                  '],"digest":[null,"', digest, '"]}')
      FROM settlements WHERE number = wanted;
  RETURN 1;
END;

-- == Changes of many rows by operators ==

-- The function that changes the rows also writes the events with the reason, so that the log contains each of these
-- changes.
CREATE OR REPLACE FUNCTION notifications_retry (changes LONGTEXT, retried LONGTEXT, why VARCHAR(250), who VARCHAR(80)) RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Makes notifications pending or waiting again, notes those that an operator chose and ends the rest of their endpoints; how many were changed'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  DECLARE written BIGINT UNSIGNED;
  UPDATE JSON_TABLE(changes, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$.id', was VARCHAR(20) PATH '$.was',
                                             becomes VARCHAR(20) PATH '$.becomes')) AS retry
    STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = retry.id
     SET n.state = retry.becomes, n.attempts = 0, n.due_at = moment,
         n.settled_at = NULL, n.changed_by = who
   WHERE n.state = retry.was AND retry.becomes IN ('pending', 'waiting');
  SET written = ROW_COUNT();
  INSERT INTO event_log (subject, subject_id, what, from_state, to_state, actor, reason)
    SELECT 'notification', n.id, 'retried', retry.was, n.state, who, why
      FROM JSON_TABLE(retried, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$.id', was VARCHAR(20) PATH '$.was',
                                               becomes VARCHAR(20) PATH '$.becomes')) AS retry
     STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = retry.id AND n.state = retry.becomes
     WHERE n.due_at = moment OR retry.was = retry.becomes; -- changed just now, or in the right state already
  DELETE e FROM JSON_TABLE(retried, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$.id')) AS retry
    STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = retry.id
    STRAIGHT_JOIN endpoints e ON e.merchant_id = n.merchant_id;
  RETURN written;
END;

-- == Changes by users of the console ==

-- The console's account writes only through these functions. Each looks up the user's role itself, so that a mistake of
-- the program gives nobody more than the role allows, and writes under the user's name.
CREATE OR REPLACE FUNCTION console_actor (asker INT UNSIGNED, roles VARCHAR(40), owner INT UNSIGNED) RETURNS VARCHAR(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin
  NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
  COMMENT 'Name in the event log of an enabled user with one of these roles, who is staff or belongs to this merchant; refuses others'
BEGIN
  DECLARE who VARCHAR(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT (
    SELECT CONCAT(IF(merchant_id IS NULL, 'console:', 'user:'), name) FROM console_users
     WHERE id = asker AND enabled AND FIND_IN_SET(role, roles) AND (merchant_id IS NULL OR merchant_id = owner));
  IF who IS NULL THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'console: this user may not do that';
  END IF;
  -- A killed action leaves its reason in the session, because no handler runs then.
  SET @recaudo_reason = NULL;
  RETURN who;
END;

-- A merchant's user may retry only if all notifications are that merchant's.
CREATE OR REPLACE FUNCTION console_retry (asker INT UNSIGNED, changes LONGTEXT, retried LONGTEXT, why VARCHAR(250)) RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'notifications_retry for a user of the console'
BEGIN
  DECLARE least_owner, owner INT UNSIGNED;
  SELECT MIN(n.merchant_id), MAX(n.merchant_id) INTO least_owner, owner
    FROM (SELECT id FROM JSON_TABLE(changes, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$.id')) AS changed
          UNION SELECT id FROM JSON_TABLE(retried, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$.id')) AS chosen) AS named
    JOIN notifications n ON n.id = named.id;
  RETURN notifications_retry(changes, retried, why,
                             console_actor(asker, 'support,operator,merchant', IF(least_owner = owner, owner, NULL)));
END;

CREATE OR REPLACE FUNCTION console_claim (asker INT UNSIGNED, wanted BIGINT UNSIGNED, why VARCHAR(250)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'order_claim for a user of the console'
  RETURN order_claim(wanted, why, console_actor(asker, 'support,operator', NULL));

CREATE OR REPLACE FUNCTION console_answer (asker INT UNSIGNED, wanted BIGINT UNSIGNED, wish BOOLEAN, why VARCHAR(250)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'approval_answer for a user of the console'
BEGIN
  DECLARE of_kind VARCHAR(20);
  DECLARE subject BIGINT UNSIGNED;
  DECLARE cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin;
  -- Locks first, as console_limit_set does: the first read without a lock, in console_actor, fixes what this whole
  -- statement sees.
  SELECT kind, subject_id, currency INTO of_kind, subject, cur FROM approvals WHERE id = wanted AND state = 'waiting' FOR UPDATE;
  IF wish AND subject IS NOT NULL THEN
    CALL approval_lock(of_kind, subject, cur);
  END IF;
  RETURN approval_answer(wanted, wish, why, console_actor(asker, 'operator', NULL));
END;

-- Returns how far the subject's history has come, to be compared with the same number when a form was shown. A state
-- may return to an earlier value, this number does not. The events are counted, because one with a smaller id may be
-- committed after one with a greater id. Enabling an integration again adds another one, so integrations are counted
-- too.
CREATE OR REPLACE FUNCTION history_end (kind VARCHAR(20), wanted INT UNSIGNED) RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
  COMMENT 'A number that every change of this merchant, network or integration changes'
BEGIN
  IF kind = 'integration' THEN
    RETURN (SELECT COUNT(*) FROM integrations)
         + (SELECT COUNT(*) FROM event_log WHERE subject = 'integration' AND subject_id = wanted);
  END IF;
  RETURN (SELECT COUNT(*) FROM event_log WHERE subject = kind AND subject_id = wanted);
END;

-- Locks first. Reads without a lock that follow see what the previous holder of the lock has committed. event_log_new
-- adds @recaudo_reason to the events that the triggers write.
CREATE OR REPLACE FUNCTION console_enable (asker INT UNSIGNED, kind VARCHAR(20), wanted INT UNSIGNED, wish BOOLEAN, seen BIGINT UNSIGNED,
                                           why VARCHAR(250)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Enables or disables what has not changed since history_end gave that number; 0: it has, it is so already, or there is none'
BEGIN
  DECLARE locked, written INT DEFAULT 0;
  DECLARE who VARCHAR(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN
    SET @recaudo_reason = NULL;
    RESIGNAL;
  END;
  IF kind = 'merchant' THEN
    SELECT COUNT(*) INTO locked FROM merchants WHERE id = wanted FOR UPDATE;
  ELSEIF kind = 'network' THEN
    SELECT COUNT(*) INTO locked FROM networks WHERE id = wanted FOR UPDATE;
  ELSEIF kind = 'integration' THEN
    SELECT COUNT(*) INTO locked FROM integrations WHERE id = wanted FOR UPDATE;
  END IF;
  SET who = console_actor(asker, 'operator', NULL);
  IF locked = 0 OR NOT (history_end(kind, wanted) <=> seen) THEN
    RETURN 0;
  END IF;
  SET @recaudo_reason = why;
  IF kind = 'merchant' THEN
    UPDATE merchants SET enabled = wish, changed_by = who WHERE id = wanted AND enabled <> wish;
    SET written = ROW_COUNT();
  ELSEIF kind = 'network' THEN
    UPDATE networks SET enabled = wish, changed_by = who WHERE id = wanted AND enabled <> wish;
    SET written = ROW_COUNT();
  ELSEIF kind = 'integration' AND NOT wish THEN
    UPDATE integrations SET removed_at = utc_now(), changed_by = who WHERE id = wanted AND removed_at IS NULL;
    SET written = ROW_COUNT();
  ELSEIF kind = 'integration' THEN
    -- The removed integration stays as it was; this adds another one with the same terms. A code that is taken
    -- meanwhile is refused.
    INSERT INTO integrations (merchant_id, kind, code, network_id, endpoint, currency, changed_by)
      SELECT i.merchant_id, i.kind, i.code, i.network_id, i.endpoint, i.currency, who FROM integrations i WHERE i.id = wanted AND i.removed_at IS NOT NULL;
    SET written = ROW_COUNT();
  END IF;
  SET @recaudo_reason = NULL;
  RETURN written;
END;

CREATE OR REPLACE FUNCTION console_limit_begin (asker INT UNSIGNED, wanted INT UNSIGNED, cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'network_limit_begin for a user of the console'
BEGIN
  DECLARE who VARCHAR(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT console_actor(asker, 'operator', NULL);
  RETURN network_limit_begin(wanted, cur);
END;

-- Takes the first lock of network_limit_set before anything is read without one.
CREATE OR REPLACE FUNCTION console_limit_set (asker INT UNSIGNED, wanted INT UNSIGNED, cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin,
                                              new_day DECIMAL(19,4), new_outstanding DECIMAL(19,4), seen BIGINT UNSIGNED,
                                              why VARCHAR(250)) RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'network_limit_set for a user of the console'
BEGIN
  DECLARE portions INT;
  DECLARE written BIGINT UNSIGNED;
  DECLARE who VARCHAR(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN
    SET @recaudo_reason = NULL;
    RESIGNAL;
  END;
  SELECT COUNT(*) INTO portions FROM network_rooms WHERE network_id = wanted AND currency = cur FOR UPDATE;
  SET who = console_actor(asker, 'operator', NULL), @recaudo_reason = why;
  SET written = network_limit_set(wanted, cur, new_day, new_outstanding, seen, who);
  SET @recaudo_reason = NULL;
  RETURN written;
END;

-- One test of an endpoint at a time, and at most one in ten seconds, so that the console cannot be used to flood an
-- endpoint. A test whose outcome no dispatcher has recorded within a minute is abandoned. One dated a minute or more
-- in the future was asked for before the clock was set back, and delays no other.
CREATE OR REPLACE FUNCTION console_test (asker INT UNSIGNED, wanted INT UNSIGNED, seen DATETIME(6), why VARCHAR(250)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Asks the dispatcher to test a merchant''s endpoint; 0: another test was asked for since `seen` or is under way, or there is no URL'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  DECLARE written INT;
  DECLARE who VARCHAR(80) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT console_actor(asker, 'support,operator,merchant', wanted);
  UPDATE endpoint_tests t STRAIGHT_JOIN merchants m ON m.id = t.merchant_id
     SET t.asked_at = moment, t.asked_by = who, t.taken_at = NULL, t.done_at = NULL, t.duration_us = NULL, t.url = NULL, t.address = NULL,
         t.http_status = NULL, t.reason = NULL, t.reply = NULL
   WHERE t.merchant_id = wanted AND t.asked_at <=> seen AND m.notify_url IS NOT NULL
     AND (t.asked_at < moment - INTERVAL IF(t.done_at IS NULL, 60, 10) SECOND OR t.asked_at >= moment + INTERVAL 1 MINUTE);
  SET written = ROW_COUNT();
  IF seen IS NULL THEN
    INSERT IGNORE INTO endpoint_tests (merchant_id, asked_at, asked_by, currency)
      SELECT m.id, moment, who, c.currency FROM merchants m JOIN countries c ON c.code = m.country
       WHERE m.id = wanted AND m.notify_url IS NOT NULL;
    SET written = ROW_COUNT();
  END IF;
  IF written > 0 THEN
    INSERT INTO event_log (subject, subject_id, what, actor, reason) VALUES ('merchant', wanted, 'tested', who, why);
  END IF;
  RETURN written;
END;

-- Purges. The caller says which rows, by an age of its own. Rows younger than a day stay in any case: a compromised
-- account must not be able to remove its traces of today.
CREATE OR REPLACE FUNCTION attempts_purge (ids LONGTEXT, why VARCHAR(250), who VARCHAR(80)) RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Removes these attempts of notifications that have finished, each notification with an event; how many'
BEGIN
  DECLARE a_day_ago DATETIME(6) DEFAULT utc_now() - INTERVAL 1 DAY;
  INSERT INTO event_log (subject, subject_id, what, actor, reason)
    SELECT DISTINCT 'notification', a.notification_id, 'purged', who, why
      FROM JSON_TABLE(ids, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch
     STRAIGHT_JOIN attempts a FORCE INDEX (PRIMARY) ON a.id = batch.id
     STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = a.notification_id AND n.state IN ('delivered', 'exhausted')
            AND n.settled_at < a_day_ago;
  DELETE a FROM JSON_TABLE(ids, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch
    STRAIGHT_JOIN attempts a FORCE INDEX (PRIMARY) ON a.id = batch.id
    STRAIGHT_JOIN notifications n FORCE INDEX (PRIMARY) ON n.id = a.notification_id
   WHERE n.state IN ('delivered', 'exhausted') AND n.settled_at < a_day_ago;
  RETURN ROW_COUNT();
END;

CREATE OR REPLACE FUNCTION queries_purge (ids LONGTEXT, why VARCHAR(250), who VARCHAR(80)) RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Removes these external queries, each merchant with an event; how many'
BEGIN
  DECLARE a_day_ago DATETIME(6) DEFAULT utc_now() - INTERVAL 1 DAY;
  INSERT INTO event_log (subject, subject_id, what, actor, reason)
    SELECT DISTINCT 'merchant', q.merchant_id, 'purged', who, why
      FROM JSON_TABLE(ids, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch
     STRAIGHT_JOIN external_queries q FORCE INDEX (PRIMARY) ON q.id = batch.id AND q.asked_at < a_day_ago;
  DELETE q FROM JSON_TABLE(ids, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch
    STRAIGHT_JOIN external_queries q FORCE INDEX (PRIMARY) ON q.id = batch.id
   WHERE q.asked_at < a_day_ago;
  RETURN ROW_COUNT();
END;

-- The description of a top-up is the customer's name, so it is cleared too.
CREATE OR REPLACE FUNCTION transactions_purge (ids LONGTEXT, who VARCHAR(80)) RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Takes the personal data away from those of these transactions that may lose it; how many'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  UPDATE JSON_TABLE(ids, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch
   STRAIGHT_JOIN transactions t FORCE INDEX (PRIMARY) ON t.id = batch.id
    LEFT JOIN orders o FORCE INDEX (PRIMARY) ON o.id = t.order_id
     SET t.given_names = NULL, t.surname1 = NULL, t.surname2 = NULL,
         t.description = IF(t.account_id IS NULL, t.description, ''), t.changed_by = who
   WHERE t.state IN ('FINALIZADA', 'CANCELADA', 'REGISTRADA')
     AND IF(t.state = 'REGISTRADA', t.registered_at, t.settled_at) < moment - INTERVAL 1 DAY
     AND (COALESCE(t.given_names, t.surname1, t.surname2) IS NOT NULL OR (t.account_id IS NOT NULL AND t.description <> ''))
     AND (o.id IS NULL OR (o.state <> 'PENDIENTE'
                           AND NOT EXISTS (SELECT 1 FROM notifications n WHERE n.order_id = o.id AND n.state <> 'delivered')
                           AND NOT EXISTS (SELECT 1 FROM approvals c FORCE INDEX (subject)
                                            WHERE c.kind = 'claim' AND c.subject_id = o.id AND c.state = 'waiting' AND c.expires_at > moment)));
  RETURN ROW_COUNT();
END;

CREATE OR REPLACE FUNCTION orders_purge (ids LONGTEXT, who VARCHAR(80)) RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Takes the personal data away from those of these orders that may lose it; how many'
BEGIN
  DECLARE moment DATETIME(6) DEFAULT utc_now();
  UPDATE JSON_TABLE(ids, '$[*]' COLUMNS (id BIGINT UNSIGNED PATH '$')) AS batch
   STRAIGHT_JOIN orders o FORCE INDEX (PRIMARY) ON o.id = batch.id
     SET o.email = NULL, o.document = NULL, o.document_type = NULL, o.customer_name = NULL, o.changed_by = who
   WHERE o.state <> 'PENDIENTE' AND o.changed_at < moment - INTERVAL 1 DAY
     AND COALESCE(o.email, o.document, o.document_type, o.customer_name) IS NOT NULL
     AND NOT EXISTS (SELECT 1 FROM notifications n WHERE n.order_id = o.id AND n.state <> 'delivered')
     AND NOT EXISTS (SELECT 1 FROM approvals c FORCE INDEX (subject)
                      WHERE c.kind = 'claim' AND c.subject_id = o.id AND c.state = 'waiting' AND c.expires_at > moment);
  RETURN ROW_COUNT();
END;

-- == Monitoring ==

-- With a full disk, or in read-only mode, a server still answers every read: only a commit shows whether it accepts
-- writes. Each server of a Galera cluster has a row of its own, because certification would roll back concurrent writes
-- of a shared one. If only the tables' disk is full, overwriting existing rows still succeeds, here too. So a program
-- that finds no room notes that (full_note). A minute after the last such note, this function stores an event that says
-- that there is room again, in the table that grows fastest, unless another event was stored since. Without room that
-- fails, as other writes do. A program notes this every 10 seconds at most, so an event of these seconds may be older
-- than the last write that found no room, and proves nothing.
-- A row dated in the future was written before the clock was set back, and proves nothing: such a note counts from now,
-- such an event does not count. A minute is allowed, because another server of a cluster may be ahead, and an event
-- stored while this runs is later than its beginning.
CREATE OR REPLACE FUNCTION write_try () RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Writes a row that nobody waits for; 0: a program found no room for another one, within a minute'
BEGIN
  DECLARE found_full, last_event DATETIME(6);
  INSERT INTO last_done (what, host) VALUES ('write', LEFT(@@hostname, 64)) ON DUPLICATE KEY UPDATE at = UTC_TIMESTAMP(6);
  SET found_full = (SELECT at FROM last_done WHERE what = 'full' AND host = LEFT(@@hostname, 64));
  IF found_full >= UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE THEN
    UPDATE last_done SET at = UTC_TIMESTAMP(6) WHERE what = 'full' AND host = LEFT(@@hostname, 64) AND at > UTC_TIMESTAMP(6);
    RETURN 0;
  END IF;
  IF found_full IS NULL THEN
    RETURN 1;
  END IF;
  -- With SELECT: SET, in a function that writes the table, would wait for whoever has locked the newest event, such as
  -- an import.
  SELECT COALESCE((SELECT at FROM event_log ORDER BY id DESC LIMIT 1), '1970-01-01') INTO last_event;
  IF NOT (found_full + INTERVAL 10 SECOND < last_event AND last_event < UTC_TIMESTAMP(6) + INTERVAL 1 MINUTE) THEN
    INSERT INTO event_log (subject, subject_id, what, actor, reason)
    VALUES ('setting', 1, 'room', 'monitoring',
            CONCAT('The disk of ', LEFT(@@hostname, 64), ' was full until ', found_full, ' or longer; it has room again'));
  END IF;
  RETURN 1;
END;

CREATE OR REPLACE FUNCTION full_note () RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Notes that a program found no room for a row'
BEGIN
  INSERT INTO last_done (what, host) VALUES ('full', LEFT(@@hostname, 64)) ON DUPLICATE KEY UPDATE at = UTC_TIMESTAMP(6);
  RETURN 1;
END;

CREATE OR REPLACE FUNCTION refusals_note (reply_code CHAR(4) CHARACTER SET ascii COLLATE ascii_bin, more INT UNSIGNED) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Counts so many more refusals with this CODE in the hour that runs'
BEGIN
  INSERT INTO refusal_counts (began_at, code, refusals) VALUES (DATE_FORMAT(utc_now(), '%Y-%m-%d %H:00:00'), reply_code, more)
    ON DUPLICATE KEY UPDATE refusals = refusals + VALUE(refusals), last_at = UTC_TIMESTAMP(6);
  RETURN 1;
END;

CREATE OR REPLACE FUNCTION network_refused_note (network INT UNSIGNED, reply_code CHAR(4) CHARACTER SET ascii COLLATE ascii_bin) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Notes that a request in the name of this network was refused with this CODE'
BEGIN
  INSERT INTO network_refusals (network_id, code) VALUES (network, reply_code)
    ON DUPLICATE KEY UPDATE since = IF(last_at < UTC_TIMESTAMP(6) - INTERVAL 1 HOUR OR since > UTC_TIMESTAMP(6)
                                       OR (last_at < served_at AND last_at < UTC_TIMESTAMP(6) - INTERVAL 5 MINUTE), UTC_TIMESTAMP(6), since),
                            last_at = UTC_TIMESTAMP(6),
                            served_at = IF(served_at > UTC_TIMESTAMP(6), NULL, served_at); -- written by a clock that was ahead
  RETURN 1;
END;

CREATE OR REPLACE FUNCTION network_served_note (network INT UNSIGNED) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Notes that a request of this network was served, if any was refused'
BEGIN
  -- Once after each refusal: the row stays, and every host's workers call this all the time.
  UPDATE network_refusals SET last_at = LEAST(last_at, UTC_TIMESTAMP(6)), served_at = UTC_TIMESTAMP(6)
   WHERE network_id = network AND (served_at IS NULL OR served_at <= last_at OR served_at > UTC_TIMESTAMP(6));
  RETURN 1;
END;

CREATE OR REPLACE FUNCTION backup_note (machine VARCHAR(64)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Notes that a backup was saved on this machine'
BEGIN
  INSERT INTO last_done (what, host) VALUES ('backup', machine) ON DUPLICATE KEY UPDATE at = UTC_TIMESTAMP(6);
  RETURN 1;
END;

-- In MariaDB the right to see triggers (TRIGGER) is the right to drop them as well, so the backup's account does not have it.
CREATE OR REPLACE PROCEDURE backup_triggers ()
  NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
  COMMENT 'The statements that make the triggers, for recaudo-backup, as lines for the client mariadb'
BEGIN
  SELECT CONCAT('SET sql_mode = ', QUOTE(SQL_MODE), ', character_set_client = utf8mb4, collation_connection = ',
                COLLATION_CONNECTION, ';\nDELIMITER ;;\nCREATE TRIGGER ', TRIGGER_NAME, ' ', ACTION_TIMING, ' ', EVENT_MANIPULATION,
                ' ON ', EVENT_OBJECT_TABLE, ' FOR EACH ROW', IF(ACTION_STATEMENT LIKE 'BEGIN%', '\n', '\n  '), ACTION_STATEMENT,
                ' ;;\nDELIMITER ;')
    FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()
   ORDER BY EVENT_OBJECT_TABLE, ACTION_TIMING, EVENT_MANIPULATION, ACTION_ORDER;
END;

CREATE OR REPLACE FUNCTION trouble_note (trouble VARCHAR(20), machine VARCHAR(64)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Notes what a program of this machine cannot do, or that it serves, as last_done.what has it: each account its own'
BEGIN
  IF NOT CASE SUBSTRING_INDEX(SESSION_USER(), '@', 1)
           WHEN 'recaudo_worker' THEN trouble IN ('reload', 'rights', 'serving')
           WHEN 'recaudo_dispatcher' THEN trouble IN ('held', 'seal_file')
           WHEN 'recaudo_deliverer' THEN trouble = 'unrecorded'
           ELSE FALSE END THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'trouble_note: this account may not note that trouble';
  ELSEIF machine = '' OR machine REGEXP '[^[:alnum:]._-]' THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'trouble_note: no name of a machine';
  END IF;
  INSERT INTO last_done (what, host) VALUES (trouble, machine) ON DUPLICATE KEY UPDATE at = UTC_TIMESTAMP(6);
  RETURN 1;
END;

-- The instant of an event is that of its session, which may have used SET timestamp. But an event that no seal covers came after the newest
-- seal, so it has waited since that seal at most. The variable is needed: for `id > (SELECT ...)` MariaDB reads the log from its beginning.
CREATE OR REPLACE FUNCTION seal_wait () RETURNS BIGINT
  NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
  COMMENT 'For how many microseconds the oldest event after the newest seal has waited for a seal, since that one at most; 0: there is none'
BEGIN
  DECLARE sealed BIGINT UNSIGNED DEFAULT COALESCE((SELECT last_id FROM seals ORDER BY number DESC LIMIT 1), 0);
  RETURN COALESCE((SELECT GREATEST(TIMESTAMPDIFF(MICROSECOND, GREATEST(at, COALESCE((SELECT MAX(sealed_at) FROM seals), at)), UTC_TIMESTAMP(6)), 0)
                     FROM event_log WHERE id > sealed ORDER BY id LIMIT 1), 0);
END;

-- == Triggers ==
--
-- The database itself writes the event log and refuses transitions that the specification's state table does not have.
-- Constraints of tables do not bind the owner, who may SET check_constraint_checks = 0, so rules on which money depends
-- are in triggers and functions.
-- Triggers of one table and event run in the order in which this file creates them. A table that payments change has
-- one trigger for each event, because each costs every statement that fires it, even if it does nothing.

-- == Triggers: orders ==

-- Every order gets a token, whichever account stores it. (The workers pass one, because RETURNING would require more
-- rights than they have.)
CREATE OR REPLACE TRIGGER orders_token BEFORE INSERT ON orders FOR EACH ROW
  SET NEW.token = COALESCE(NEW.token, LOWER(HEX(RANDOM_BYTES(16))));

CREATE OR REPLACE TRIGGER orders_reference_taken BEFORE INSERT ON orders FOR EACH ROW
BEGIN
  IF @@SESSION.insert_id <> 0 THEN
    IF SUBSTRING_INDEX(SESSION_USER(), '@', 1) <> SUBSTRING_INDEX(CURRENT_USER(), '@', 1) THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'orders: the database assigns the id, leave it out';
    END IF;
  END IF;
  IF COALESCE(reference_prefix_owner(NEW.reference), NEW.merchant_id) <> NEW.merchant_id THEN
    SIGNAL SQLSTATE '23000' SET MYSQL_ERRNO = 1062, MESSAGE_TEXT = 'Duplicate entry for key ''reference_prefix''';
  END IF;
  CALL reference_take(NEW.reference, NEW.merchant_id);
  SET NEW.closed_at = NULL;
END;

-- The event contains the registered terms, so that a seal covers them: otherwise the schema's owner could change the
-- row unnoticed. If it names no least or greatest amount, there is none.
CREATE OR REPLACE TRIGGER orders_created AFTER INSERT ON orders FOR EACH ROW
  INSERT INTO event_log (subject, subject_id, version, what, to_state, actor, changes)
  VALUES ('order', NEW.id, NEW.version, 'created', NEW.state, NEW.changed_by,
          CONCAT('{"merchant_id":[null,', NEW.merchant_id, '],"po_id":', CONVERT(JSON_ARRAY(NULL, NEW.po_id) USING utf8mb4) COLLATE utf8mb4_nopad_bin,
                 ',"reference":', CONVERT(JSON_ARRAY(NULL, NEW.reference) USING utf8mb4) COLLATE utf8mb4_nopad_bin, ',"amount":[null,', NEW.amount, ']',
                 IF(NEW.min_amount IS NULL, '', CONCAT(',"min_amount":[null,', NEW.min_amount, ']')),
                 IF(NEW.max_amount IS NULL, '', CONCAT(',"max_amount":[null,', NEW.max_amount, ']')),
                 ',"currency":', CONVERT(JSON_ARRAY(NULL, NEW.currency) USING utf8mb4) COLLATE utf8mb4_nopad_bin,
                 ',"due_at":[null,"', NEW.due_at, '"]}'));

-- paid_by is written only once, and only for a finalised transaction of this order, so that one transaction never pays
-- two orders. Reference, amount and currency never change while the order is held or once it is closed. Only the owner
-- may then change its due date and bounds, or the terms of an overdue order, to repair a row; the owner could drop this
-- trigger as well.
-- When a function of this file makes a payment hold or release the order, nothing else of the order changes.
-- transactions_changed has put the payment and the version into variables. No account of the service may change
-- held_by; one that could, and sets these variables, would still change nothing to which the payment is bound.
-- @recaudo_plain: only the state and the holder change, and nothing that an event would list; orders_changed uses it
-- too.
CREATE OR REPLACE TRIGGER orders_guard BEFORE UPDATE ON orders FOR EACH ROW
BEGIN
  SET NEW.version = OLD.version + 1, NEW.changed_at = UTC_TIMESTAMP(6), NEW.closed_at = OLD.closed_at;
  -- Of several payments that change together, the variables are those of the last one.
  IF NOT (NEW.held_by <=> OLD.held_by OR @recaudo_told <=> COALESCE(NEW.held_by, OLD.held_by)) AND NEW.state = OLD.state THEN
    SELECT id, order_version INTO @recaudo_told, @recaudo_told_version FROM transactions WHERE id = COALESCE(NEW.held_by, OLD.held_by);
  END IF;
  IF @recaudo_told_version = NEW.version AND @recaudo_told = COALESCE(NEW.held_by, OLD.held_by)
     AND NOT (NEW.held_by <=> OLD.held_by) AND NEW.state = OLD.state
     AND NEW.id = OLD.id AND NEW.merchant_id = OLD.merchant_id AND NEW.po_id = OLD.po_id AND NEW.reference = OLD.reference
     AND NEW.amount = OLD.amount AND NEW.currency = OLD.currency AND NEW.paid_by <=> OLD.paid_by THEN
    SET @recaudo_plain = TRUE;
  ELSE
    SET @recaudo_plain = NEW.reference <=> OLD.reference AND NEW.amount <=> OLD.amount AND NEW.min_amount <=> OLD.min_amount
      AND NEW.max_amount <=> OLD.max_amount AND NEW.vat <=> OLD.vat AND NEW.currency <=> OLD.currency AND NEW.country <=> OLD.country
      AND NEW.description <=> OLD.description AND NEW.language <=> OLD.language AND NEW.payment_means <=> OLD.payment_means
      AND NEW.due_at <=> OLD.due_at AND NEW.email <=> OLD.email AND NEW.document <=> OLD.document
      AND NEW.document_type <=> OLD.document_type AND NEW.customer_name <=> OLD.customer_name AND NEW.token <=> OLD.token;
    IF NEW.state <> OLD.state THEN
      IF NOT ((OLD.state = 'PENDIENTE' AND NEW.state IN ('APROBADA', 'VENCIDA', 'CANCELADA'))
           OR (OLD.state = 'APROBADA' AND NEW.state = 'ANULADA')) THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'orders: this change of state does not exist';
      END IF;
      IF NEW.state = 'APROBADA' THEN
        SET @recaudo_told = NEW.paid_by, @recaudo_told_version = (
          SELECT COALESCE(t.order_version, 0) FROM transactions t WHERE t.id = NEW.paid_by AND t.order_id = NEW.id AND t.state = 'FINALIZADA');
        IF @recaudo_told_version IS NULL THEN
          SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'orders: no finalised transaction of this order pays it';
        END IF;
      END IF;
      IF OLD.state = 'PENDIENTE' THEN
        SET NEW.closed_at = utc_now();
      END IF;
    END IF;
    IF NEW.held_by = OLD.held_by AND NEW.held_until <> OLD.held_until THEN
      IF SUBSTRING_INDEX(SESSION_USER(), '@', 1) <> SUBSTRING_INDEX(CURRENT_USER(), '@', 1) THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'orders: an order is held until the end of the window, as it was written';
      END IF;
    END IF;
    IF NOT (NEW.paid_by <=> OLD.paid_by) AND NOT (OLD.paid_by IS NULL AND NEW.state = 'APROBADA' AND OLD.state = 'PENDIENTE') THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'orders: what paid an order is written once, when it is approved';
    END IF;
    IF NEW.id <> OLD.id OR NEW.merchant_id <> OLD.merchant_id OR NEW.po_id <> OLD.po_id THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'orders: whose it is never changes, nor do reference and amount once it is held or closed';
    END IF;
    -- Nested, because the server prepares all of a condition before it evaluates its first part.
    IF NOT @recaudo_plain THEN
      IF (NEW.reference <> OLD.reference OR NEW.amount <> OLD.amount OR NEW.currency <> OLD.currency)
         AND (OLD.state <> 'PENDIENTE' OR OLD.held_by IS NOT NULL OR NEW.held_by IS NOT NULL) THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'orders: whose it is never changes, nor do reference and amount once it is held or closed';
      END IF;
      IF (NEW.reference <> OLD.reference OR NEW.amount <> OLD.amount OR NEW.currency <> OLD.currency OR NEW.due_at <> OLD.due_at
          OR NOT (NEW.min_amount <=> OLD.min_amount AND NEW.max_amount <=> OLD.max_amount))
         AND (OLD.state <> 'PENDIENTE' OR OLD.held_by IS NOT NULL OR OLD.due_at <= SYSDATE(6) OR @@SESSION.time_zone <> '+00:00')
         AND SUBSTRING_INDEX(SESSION_USER(), '@', 1) <> SUBSTRING_INDEX(CURRENT_USER(), '@', 1) THEN
        IF OLD.state = 'PENDIENTE' AND OLD.held_by IS NULL AND @@SESSION.time_zone = '+00:00' THEN
          -- ER_CHECKREAD, because it may have fallen due since the statement began: a program reads and judges again.
          SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1020, MESSAGE_TEXT = 'orders: the terms of an order that is due cannot be changed';
        END IF;
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'orders: the terms of an order that is held or closed cannot be changed';
      END IF;
      IF NEW.reference <> OLD.reference THEN
        IF COALESCE(reference_prefix_owner(NEW.reference), NEW.merchant_id) <> NEW.merchant_id THEN
          SIGNAL SQLSTATE '23000' SET MYSQL_ERRNO = 1062, MESSAGE_TEXT = 'Duplicate entry for key ''reference_prefix''';
        END IF;
        -- Slips with the old reference are in circulation, so its time runs from now on.
        UPDATE reference_owners SET taken_at = utc_now(), uses = uses + 1, left_by = OLD.id WHERE reference = OLD.reference AND merchant_id = OLD.merchant_id;
        CALL reference_take(NEW.reference, NEW.merchant_id);
      END IF;
    END IF;
  END IF;
END;

-- The event of a payment already tells what the payment changes of its order, with this version. transactions_changed
-- (for an approval, orders_guard) puts both into variables. Values that a rolled-back transaction left behind match
-- nothing else, because a hold, its release and an approval always come with their payment. A hold, its release, and a
-- change of state alone are plain: the list of other changes is not built, because an expression costs the server even
-- where it is not evaluated.
CREATE OR REPLACE TRIGGER orders_changed AFTER UPDATE ON orders FOR EACH ROW
BEGIN
  IF @recaudo_plain AND @recaudo_told_version <=> NEW.version AND NOT (NEW.held_by <=> OLD.held_by)
     AND @recaudo_told <=> COALESCE(NEW.paid_by, NEW.held_by, OLD.held_by) THEN
    SET @recaudo_told = NULL;
  ELSEIF @recaudo_plain AND (NEW.state <> OLD.state OR NOT (NEW.held_by <=> OLD.held_by)) THEN
    INSERT INTO event_log (subject, subject_id, version, what, from_state, to_state, actor, reason)
    VALUES ('order', NEW.id, NEW.version,
            CASE WHEN NEW.state <> OLD.state THEN 'state' WHEN OLD.held_by IS NULL THEN 'held' ELSE 'released' END,
            OLD.state, NEW.state,
            IF(NEW.changed_by = OLD.changed_by AND SUBSTRING_INDEX(SESSION_USER(), '@', 1) NOT IN
              ('recaudo_worker', 'recaudo_dispatcher', 'recaudo_deliverer', 'recaudo_operator', 'recaudo_console', 'recaudo_owner'), LEFT(CONCAT('db:', SESSION_USER()), 80), NEW.changed_by),
            IF(NEW.state <> OLD.state, NEW.state_reason, NULL));
  ELSE
    INSERT INTO event_log (subject, subject_id, version, what, from_state, to_state, actor, reason, changes)
    VALUES ('order', NEW.id, NEW.version,
            CASE WHEN NEW.state <> OLD.state THEN 'state'
                 WHEN OLD.held_by IS NULL AND NEW.held_by IS NOT NULL THEN 'held'
                 WHEN OLD.held_by IS NOT NULL AND NEW.held_by IS NULL THEN 'released'
                 WHEN OLD.state <> 'PENDIENTE'
                      AND COALESCE(OLD.email, OLD.document, OLD.document_type, OLD.customer_name) IS NOT NULL
                      AND COALESCE(NEW.email, NEW.document, NEW.document_type, NEW.customer_name) IS NULL THEN 'purged'
                 ELSE 'changed' END,
            OLD.state, NEW.state,
            IF(NEW.changed_by = OLD.changed_by AND SUBSTRING_INDEX(SESSION_USER(), '@', 1) NOT IN
              ('recaudo_worker', 'recaudo_dispatcher', 'recaudo_deliverer', 'recaudo_operator', 'recaudo_console', 'recaudo_owner'), LEFT(CONCAT('db:', SESSION_USER()), 80), NEW.changed_by),
            IF(NEW.state <> OLD.state, NEW.state_reason, NULL),
            NULLIF(CONCAT('{', SUBSTRING(CONCAT(
              IF(NEW.reference <=> OLD.reference, '', CONCAT(',"reference":', CONVERT(JSON_ARRAY(OLD.reference, NEW.reference) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(NEW.amount <=> OLD.amount, '', CONCAT(',"amount":', CONVERT(JSON_ARRAY(OLD.amount, NEW.amount) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(NEW.min_amount <=> OLD.min_amount, '', CONCAT(',"min_amount":', CONVERT(JSON_ARRAY(OLD.min_amount, NEW.min_amount) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(NEW.max_amount <=> OLD.max_amount, '', CONCAT(',"max_amount":', CONVERT(JSON_ARRAY(OLD.max_amount, NEW.max_amount) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(NEW.vat <=> OLD.vat, '', CONCAT(',"vat":', CONVERT(JSON_ARRAY(OLD.vat, NEW.vat) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(NEW.currency <=> OLD.currency, '', CONCAT(',"currency":', CONVERT(JSON_ARRAY(OLD.currency, NEW.currency) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(NEW.country <=> OLD.country, '', CONCAT(',"country":', CONVERT(JSON_ARRAY(OLD.country, NEW.country) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(NEW.description <=> OLD.description, '', CONCAT(',"description":', CONVERT(JSON_ARRAY(OLD.description, NEW.description) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(NEW.language <=> OLD.language, '', CONCAT(',"language":', CONVERT(JSON_ARRAY(OLD.language, NEW.language) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(NEW.payment_means <=> OLD.payment_means, '', CONCAT(',"payment_means":', CONVERT(JSON_ARRAY(OLD.payment_means, NEW.payment_means) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(NEW.due_at <=> OLD.due_at, '', CONCAT(',"due_at":', CONVERT(JSON_ARRAY(OLD.due_at, NEW.due_at) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(NEW.held_by = OLD.held_by AND NEW.held_until <> OLD.held_until, CONCAT(',"held_until":', CONVERT(JSON_ARRAY(OLD.held_until, NEW.held_until) USING utf8mb4) COLLATE utf8mb4_nopad_bin), ''),
              IF(NEW.email <=> OLD.email, '', ',"email":"changed"'),
              IF(NEW.document <=> OLD.document, '', ',"document":"changed"'),
              IF(NEW.document_type <=> OLD.document_type, '', ',"document_type":"changed"'),
              IF(NEW.customer_name <=> OLD.customer_name, '', ',"customer_name":"changed"'),
              IF(NEW.token <=> OLD.token, '', ',"token":"changed"')), 2), '}'), '{}'));
  END IF;
  IF NEW.state = 'ANULADA' AND OLD.state <> 'ANULADA' THEN
    -- By the clock that judged the payment: a claim that had to wait may have begun before the window's end.
    INSERT INTO refunds (order_id, transaction_id, at) VALUES (NEW.id, NEW.paid_by, utc_now());
  END IF;
END;

-- Orders that were paid stay, and so do notifications: otherwise whoever may DELETE could remove a payment without a
-- trace.
CREATE OR REPLACE TRIGGER orders_stay BEFORE DELETE ON orders FOR EACH ROW
  IF COALESCE(OLD.held_by, OLD.paid_by) IS NOT NULL THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'orders: one that is held or paid cannot be deleted';
  END IF;

-- == Triggers: transactions ==

-- RETURNING id requires the right to insert the column. This trigger takes that right back, also from SET insert_id.
-- Only the owner may choose an id, to restore a row.
CREATE OR REPLACE TRIGGER transactions_new BEFORE INSERT ON transactions FOR EACH ROW
BEGIN
  IF NEW.id <> 0 OR @@SESSION.insert_id <> 0 THEN
    IF SUBSTRING_INDEX(SESSION_USER(), '@', 1) <> SUBSTRING_INDEX(CURRENT_USER(), '@', 1) THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'transactions: the database assigns the id, leave it out';
    END IF;
  END IF;
END;

-- Reserves the room of a top-up that is inserted as confirmed: by hand, or from another system.
CREATE OR REPLACE TRIGGER transactions_created AFTER INSERT ON transactions FOR EACH ROW
BEGIN
  INSERT INTO event_log (subject, subject_id, version, what, to_state, actor)
  VALUES ('transaction', NEW.id, NEW.version, 'created', NEW.state, NEW.changed_by);
  IF NEW.account_id IS NOT NULL AND NEW.state = 'CONFIRMADA' THEN
    UPDATE accounts SET reserved = reserved + NEW.amount WHERE id = NEW.account_id AND room >= NEW.amount;
    IF ROW_COUNT() <> 1 THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'accounts: no room for this top-up';
    END IF;
  END IF;
END;

-- A function of this file that writes a state also writes the moment at which it judged, and keeps that moment in
-- @recaudo_moment until it has written. By this the trigger recognises it; the event then also covers the order, and
-- names the actor that the function was given. No account of the service may write a state directly; one that could,
-- and sets the variable, would still change nothing that a network registered.
CREATE OR REPLACE TRIGGER transactions_guard BEFORE UPDATE ON transactions FOR EACH ROW
BEGIN
  SET NEW.version = OLD.version + 1;
  IF NEW.state <> OLD.state
     AND NOT ((OLD.state = 'REGISTRADA' AND NEW.state IN ('CONFIRMADA', 'CANCELADA'))
           OR (OLD.state = 'CONFIRMADA' AND NEW.state IN ('FINALIZADA', 'CANCELADA'))) THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'transactions: this change of state does not exist';
  END IF;
  -- An instant is written once, with its state. The owner may correct what a wrong clock wrote; the event says so, and
  -- recaudo-audit reports it.
  IF NEW.state <> OLD.state AND COALESCE(NEW.finalised_at, NEW.cancelled_at, NEW.confirmed_at) = @recaudo_moment
     AND COALESCE(OLD.confirmed_at, NEW.confirmed_at) <=> NEW.confirmed_at AND COALESCE(OLD.window_ends_at, NEW.window_ends_at) <=> NEW.window_ends_at THEN
    SET @recaudo_told = NEW.id, @recaudo_told_version = NULL;
  ELSE
    SET @recaudo_told = NULL, NEW.order_version = OLD.order_version;
    IF NOT (IF(NEW.state = OLD.state, OLD.confirmed_at, COALESCE(OLD.confirmed_at, NEW.confirmed_at)) <=> NEW.confirmed_at
            AND IF(NEW.state = OLD.state, OLD.window_ends_at, COALESCE(OLD.window_ends_at, NEW.window_ends_at)) <=> NEW.window_ends_at
            AND IF(NEW.state = OLD.state, OLD.finalised_at, COALESCE(OLD.finalised_at, NEW.finalised_at)) <=> NEW.finalised_at
            AND IF(NEW.state = OLD.state, OLD.cancelled_at, COALESCE(OLD.cancelled_at, NEW.cancelled_at)) <=> NEW.cancelled_at) THEN
      IF SUBSTRING_INDEX(SESSION_USER(), '@', 1) <> SUBSTRING_INDEX(CURRENT_USER(), '@', 1) THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'transactions: a written instant cannot be changed';
      END IF;
    END IF;
  END IF;
  IF NEW.id <> OLD.id OR NEW.network_id <> OLD.network_id OR NEW.network_transaction <> OLD.network_transaction
     OR NOT (NEW.order_id <=> OLD.order_id AND NEW.account_id <=> OLD.account_id) OR NEW.reference <> OLD.reference
     OR NEW.amount <> OLD.amount OR NEW.currency <> OLD.currency OR NEW.fingerprint <> OLD.fingerprint
     OR NEW.registered_at <> OLD.registered_at THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'transactions: what a network registered never changes';
  END IF;
END;

-- @recaudo_told: the payment that a function is writing, from which orders_guard and orders_changed know what happens
-- to its order. The event of a payment that becomes final contains its terms, as that of an order does. The event of a
-- confirmation does not, because somebody waits for it; but it names the order, and of a top-up, all.
CREATE OR REPLACE TRIGGER transactions_changed AFTER UPDATE ON transactions FOR EACH ROW
BEGIN
  DECLARE portions TINYINT UNSIGNED;
  IF @recaudo_told = NEW.id THEN
    IF NEW.finalised_at IS NULL AND NEW.account_id IS NULL THEN
      INSERT INTO event_log (subject, subject_id, version, what, from_state, to_state, order_id, order_version, actor)
      VALUES ('transaction', NEW.id, NEW.version, 'state', OLD.state, NEW.state,
              IF(NEW.order_version <=> OLD.order_version, NULL, NEW.order_id), NULLIF(NEW.order_version, OLD.order_version), NEW.changed_by);
    ELSE
      INSERT INTO event_log (subject, subject_id, version, what, from_state, to_state, order_id, order_version, actor, changes)
      VALUES ('transaction', NEW.id, NEW.version, 'state', OLD.state, NEW.state,
              IF(NEW.order_version <=> OLD.order_version, NULL, NEW.order_id), NULLIF(NEW.order_version, OLD.order_version), NEW.changed_by,
              CONCAT('{"network_id":[null,', NEW.network_id,
                     IF(NEW.order_id IS NULL, CONCAT('],"account_id":[null,', NEW.account_id), CONCAT('],"order_id":[null,', NEW.order_id)),
                     '],"amount":[null,', NEW.amount,
                     '],"currency":', CONVERT(JSON_ARRAY(NULL, NEW.currency) USING utf8mb4) COLLATE utf8mb4_nopad_bin, '}'));
    END IF;
  ELSE
    INSERT INTO event_log (subject, subject_id, version, what, from_state, to_state, actor, changes)
    VALUES ('transaction', NEW.id, NEW.version,
            CASE WHEN NEW.state <> OLD.state THEN 'state'
                 WHEN COALESCE(OLD.given_names, OLD.surname1, OLD.surname2, NULLIF(OLD.description, NEW.description)) IS NOT NULL
                      AND COALESCE(NEW.given_names, NEW.surname1, NEW.surname2) IS NULL THEN 'purged'
                 ELSE 'changed' END,
            OLD.state, NEW.state,
            IF(NEW.changed_by = OLD.changed_by AND SUBSTRING_INDEX(SESSION_USER(), '@', 1) NOT IN
              ('recaudo_worker', 'recaudo_dispatcher', 'recaudo_deliverer', 'recaudo_operator', 'recaudo_console', 'recaudo_owner'), LEFT(CONCAT('db:', SESSION_USER()), 80), NEW.changed_by),
            NULLIF(CONCAT('{', SUBSTRING(CONCAT(
              IF(NEW.commerce <=> OLD.commerce, '', CONCAT(',"commerce":', CONVERT(JSON_ARRAY(OLD.commerce, NEW.commerce) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(NEW.teller <=> OLD.teller, '', CONCAT(',"teller":', CONVERT(JSON_ARRAY(OLD.teller, NEW.teller) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(OLD.confirmed_at IS NULL OR NEW.confirmed_at <=> OLD.confirmed_at, '', CONCAT(',"confirmed_at":', CONVERT(JSON_ARRAY(OLD.confirmed_at, NEW.confirmed_at) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(OLD.window_ends_at IS NULL OR NEW.window_ends_at <=> OLD.window_ends_at, '', CONCAT(',"window_ends_at":', CONVERT(JSON_ARRAY(OLD.window_ends_at, NEW.window_ends_at) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(OLD.finalised_at IS NULL OR NEW.finalised_at <=> OLD.finalised_at, '', CONCAT(',"finalised_at":', CONVERT(JSON_ARRAY(OLD.finalised_at, NEW.finalised_at) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(OLD.cancelled_at IS NULL OR NEW.cancelled_at <=> OLD.cancelled_at, '', CONCAT(',"cancelled_at":', CONVERT(JSON_ARRAY(OLD.cancelled_at, NEW.cancelled_at) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(NEW.state = OLD.state OR (NEW.state <> 'FINALIZADA' AND NEW.account_id IS NULL), '',
                 CONCAT(',"network_id":[null,', NEW.network_id,
                        IF(NEW.order_id IS NULL, CONCAT('],"account_id":[null,', NEW.account_id), CONCAT('],"order_id":[null,', NEW.order_id)),
                        '],"amount":[null,', NEW.amount,
                        '],"currency":', CONVERT(JSON_ARRAY(NULL, NEW.currency) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(NEW.description <=> OLD.description, '', ',"description":"changed"'),
              IF(NEW.given_names <=> OLD.given_names, '', ',"given_names":"changed"'),
              IF(NEW.surname1 <=> OLD.surname1, '', ',"surname1":"changed"'),
              IF(NEW.surname2 <=> OLD.surname2, '', ',"surname2":"changed"')), 2), '}'), '{}'));
  END IF;
  IF NEW.state <> OLD.state THEN
    -- Runs after the row and its index entries are written, so that network_limit_settle waits for confirmations that
    -- looked before there were portions. Looks twice: a read without a lock shows the state at the beginning of the
    -- statement, which may have waited for its order since. The second look locks nothing if there are no portions.
    -- Each is a SELECT INTO: EXISTS in an IF would take the lock of the second look also in the first, and others take
    -- from portion 0.
    IF NEW.state = 'CONFIRMADA' OR (NEW.state = 'CANCELADA' AND OLD.state = 'CONFIRMADA') THEN
      SELECT COUNT(*) INTO portions FROM network_rooms WHERE network_id = NEW.network_id AND currency = NEW.currency AND part = 0;
      IF portions = 0 THEN
        SELECT COUNT(*) INTO portions FROM network_rooms WHERE network_id = NEW.network_id AND currency = NEW.currency AND part = 0 LOCK IN SHARE MODE;
      END IF;
      IF portions > 0 THEN
        CALL limit_count(NEW.network_id, NEW.currency, IF(NEW.state = 'CONFIRMADA', NEW.amount, -NEW.amount), DATE(NEW.confirmed_at));
      END IF;
    END IF;
    -- In the statement that changes the transaction, whichever account runs it, so that no account needs a right to
    -- `reserved`.
    IF NEW.account_id IS NOT NULL THEN
      IF NEW.state = 'CONFIRMADA' THEN
        UPDATE accounts SET reserved = reserved + NEW.amount WHERE id = NEW.account_id AND room >= NEW.amount;
        IF ROW_COUNT() <> 1 THEN
          -- ER_CHECKREAD: the account has changed since it was read; read and judge again.
          SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1020, MESSAGE_TEXT = 'accounts: no room for this top-up';
        END IF;
      ELSEIF OLD.state = 'CONFIRMADA' THEN
        UPDATE accounts SET reserved = reserved - NEW.amount WHERE id = NEW.account_id;
      END IF;
    END IF;
    -- Queues what becomes final for collection. With NULL, no settlement is locked.
    IF NEW.state IN ('FINALIZADA', 'CANCELADA') THEN
      INSERT INTO settlement_items (transaction_id, kind, at)
        VALUES (NEW.id, IF(NEW.state = 'CANCELADA', 'cancelled', 'finalised'), COALESCE(NEW.cancelled_at, NEW.window_ends_at));
    END IF;
  END IF;
  SET @recaudo_told_version = NULLIF(NEW.order_version, OLD.order_version);
END;

CREATE OR REPLACE TRIGGER transactions_stay BEFORE DELETE ON transactions FOR EACH ROW
  IF OLD.state <> 'REGISTRADA' THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'transactions: a confirmed one cannot be deleted';
  END IF;

-- == Triggers: refunds and settlements ==

CREATE OR REPLACE TRIGGER refunds_settled AFTER INSERT ON refunds FOR EACH ROW
  INSERT INTO settlement_items (transaction_id, kind, at) VALUES (NEW.transaction_id, 'refunded', NEW.at);

CREATE OR REPLACE TRIGGER refunds_keep BEFORE UPDATE ON refunds FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refunds: append only';

CREATE OR REPLACE TRIGGER refunds_stay BEFORE DELETE ON refunds FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refunds: append only';

CREATE OR REPLACE TRIGGER settlement_items_new BEFORE INSERT ON settlement_items FOR EACH ROW
BEGIN
  IF NEW.settlement IS NOT NULL THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'settlement_items: a new one is collected by settlement_collect';
  END IF;
END;

CREATE OR REPLACE TRIGGER settlement_items_keep BEFORE UPDATE ON settlement_items FOR EACH ROW
BEGIN
  IF OLD.settlement IS NOT NULL OR NEW.transaction_id <> OLD.transaction_id OR NEW.kind <> OLD.kind OR NEW.at <> OLD.at THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'settlement_items: only a settlement is added, once';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM settlements WHERE number = NEW.settlement AND is_open = 1) THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'settlement_items: that settlement is not open';
  END IF;
END;

CREATE OR REPLACE TRIGGER settlement_items_stay BEFORE DELETE ON settlement_items FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'settlement_items: append only';

-- A closed settlement gets its digest and counts once, and nothing else.
CREATE OR REPLACE TRIGGER settlements_keep BEFORE UPDATE ON settlements FOR EACH ROW
BEGIN
  IF NEW.number <> OLD.number OR NEW.opened_at <> OLD.opened_at OR OLD.digest IS NOT NULL
     OR (OLD.state = 'closed' AND NOT (NEW.state = 'closed' AND NEW.closed_at <=> OLD.closed_at AND NEW.closed_by <=> OLD.closed_by
                                       AND NEW.day <=> OLD.day AND NEW.zone <=> OLD.zone AND NEW.collected = OLD.collected
                                       AND NEW.digest IS NOT NULL)) THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'settlements: a closed one does not change';
  END IF;
END;

CREATE OR REPLACE TRIGGER settlements_stay BEFORE DELETE ON settlements FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'settlements: append only';

-- == Triggers: accounts ==

CREATE OR REPLACE TRIGGER accounts_reference_taken BEFORE INSERT ON accounts FOR EACH ROW
  CALL reference_take(NEW.document, NULL);

CREATE OR REPLACE TRIGGER accounts_created AFTER INSERT ON accounts FOR EACH ROW
  INSERT INTO event_log (subject, subject_id, what, actor)
  VALUES ('account', NEW.id, 'created', NEW.changed_by);

-- The document, which says whose the money is, and the currency never change, whichever account asks. Programs only
-- credit top-ups, each with its ledger line. A change by hand has no other trace, so it is logged here.
CREATE OR REPLACE TRIGGER accounts_changed AFTER UPDATE ON accounts FOR EACH ROW
BEGIN
  DECLARE asker VARCHAR(160) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT SUBSTRING_INDEX(SESSION_USER(), '@', 1);
  DECLARE what_changed TEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
  IF NEW.document <> OLD.document OR NEW.currency <> OLD.currency THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'accounts: document and currency never change';
  END IF;
  IF asker NOT IN ('recaudo_worker', 'recaudo_dispatcher', 'recaudo_deliverer', 'recaudo_operator', 'recaudo_console') THEN
    SET what_changed = NULLIF(CONCAT('{', SUBSTRING(CONCAT(
              IF(NEW.balance <=> OLD.balance, '', CONCAT(',"balance":', CONVERT(JSON_ARRAY(OLD.balance, NEW.balance) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(NEW.reserved <=> OLD.reserved, '', CONCAT(',"reserved":', CONVERT(JSON_ARRAY(OLD.reserved, NEW.reserved) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
              IF(NEW.document_type <=> OLD.document_type, '', ',"document_type":"changed"'),
              IF(NEW.name <=> OLD.name, '', ',"name":"changed"'),
              IF(NEW.lastname1 <=> OLD.lastname1, '', ',"lastname1":"changed"'),
              IF(NEW.lastname2 <=> OLD.lastname2, '', ',"lastname2":"changed"')), 2), '}'), '{}');
    IF what_changed IS NOT NULL THEN
      INSERT INTO event_log (subject, subject_id, what, actor, changes)
        VALUES ('account', NEW.id, 'changed',
                IF(NEW.changed_by = OLD.changed_by AND asker <> 'recaudo_owner', LEFT(CONCAT('db:', SESSION_USER()), 80), NEW.changed_by),
                what_changed);
    END IF;
  END IF;
END;

CREATE OR REPLACE TRIGGER account_ledger_keep BEFORE UPDATE ON account_ledger FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'account_ledger: append only';

CREATE OR REPLACE TRIGGER account_ledger_stay BEFORE DELETE ON account_ledger FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'account_ledger: append only';

-- == Triggers: networks ==

CREATE OR REPLACE TRIGGER networks_created AFTER INSERT ON networks FOR EACH ROW
  INSERT INTO event_log (subject, subject_id, what, to_state, actor, changes)
  VALUES ('network', NEW.id, 'created', IF(NEW.enabled, 'enabled', 'disabled'), NEW.changed_by,
          CONVERT(JSON_OBJECT('name', JSON_ARRAY(NULL, NEW.name),
                              'allow_addresses', JSON_ARRAY(NULL, NEW.allow_addresses),
                              'rate_limit', JSON_ARRAY(NULL, NEW.rate_limit),
                              'rate_burst', JSON_ARRAY(NULL, NEW.rate_burst),
                              'distinct_from', JSON_ARRAY(NULL, NEW.distinct_from),
                              'signature', JSON_ARRAY(NULL, NEW.signature)) USING utf8mb4) COLLATE utf8mb4_nopad_bin);

-- Logs what requests of a network must have, and how many it may send: each change with the new values, beside the
-- event that says who has changed the network.
CREATE OR REPLACE TRIGGER networks_signing AFTER INSERT ON networks FOR EACH ROW
BEGIN
  IF NEW.distinct_from IS NOT NULL OR NEW.signature <> 'off' THEN
    INSERT INTO event_log (subject, subject_id, what, actor, reason)
      VALUES ('network', NEW.id, 'signing', NEW.changed_by,
              CONCAT('transaction ids ', IF(NEW.distinct_from IS NULL, 'any', 'distinct'), ', signature ', NEW.signature));
  END IF;
END;

CREATE OR REPLACE TRIGGER networks_limited AFTER INSERT ON networks FOR EACH ROW
BEGIN
  DECLARE told VARCHAR(4000)
    DEFAULT CONCAT('rate ', NEW.rate_limit, ', burst ', NEW.rate_burst, ', from ', IF(NEW.allow_addresses = '', 'everywhere', NEW.allow_addresses));
  IF NEW.allow_addresses <> '' OR NEW.rate_limit <> 0 THEN
    INSERT INTO event_log (subject, subject_id, what, actor, reason)
      VALUES ('network', NEW.id, 'limits', NEW.changed_by,
              IF(CHAR_LENGTH(told) > 250, CONCAT(LEFT(told, 247), '...'), told));
  END IF;
END;

-- A name never changes: the network's secrets are encrypted for it, and closed settlements contain it.
CREATE OR REPLACE TRIGGER networks_stamp BEFORE UPDATE ON networks FOR EACH ROW
BEGIN
  IF NEW.id <> OLD.id OR NEW.name <> OLD.name THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'networks: id and name cannot be changed';
  END IF;
  SET NEW.changed_at = UTC_TIMESTAMP(6), NEW.changed_by = actor_of_change(OLD.changed_by, NEW.changed_by);
END;

CREATE OR REPLACE TRIGGER networks_approved BEFORE UPDATE ON networks FOR EACH ROW
BEGIN
  IF NOT NEW.fixed_hash <=> OLD.fixed_hash OR NOT NEW.old_hash <=> OLD.old_hash OR NOT NEW.old_hash_until <=> OLD.old_hash_until THEN
    CALL approval_demand_secret('network_secret', OLD.id, NEW.reencrypted <> OLD.reencrypted, NEW.fixed_hash <=> OLD.fixed_hash,
                                NEW.old_hash <=> OLD.old_hash, NEW.old_hash_until <=> OLD.old_hash_until, NEW.old_hash IS NULL);
  END IF;
END;

CREATE OR REPLACE TRIGGER networks_changed AFTER UPDATE ON networks FOR EACH ROW
BEGIN
  INSERT INTO event_log (subject, subject_id, what, from_state, to_state, actor, changes)
  VALUES ('network', NEW.id,
          CASE WHEN NEW.enabled <> OLD.enabled THEN 'state'
               WHEN NEW.reencrypted <> OLD.reencrypted THEN 'reencrypted'
               WHEN NEW.fixed_hash <> OLD.fixed_hash THEN 'rotated'
               WHEN OLD.old_hash IS NOT NULL AND NEW.old_hash IS NULL THEN 'old secret ended' ELSE 'changed' END,
          IF(OLD.enabled, 'enabled', 'disabled'), IF(NEW.enabled, 'enabled', 'disabled'),
          actor_of_change(OLD.changed_by, NEW.changed_by),
          NULLIF(CONCAT('{', SUBSTRING(CONCAT(
            IF(NEW.enabled <=> OLD.enabled, '', CONCAT(',"enabled":', CONVERT(JSON_ARRAY(OLD.enabled, NEW.enabled) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
            IF(NEW.allow_addresses <=> OLD.allow_addresses, '', CONCAT(',"allow_addresses":', CONVERT(JSON_ARRAY(OLD.allow_addresses, NEW.allow_addresses) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
            IF(NEW.rate_limit <=> OLD.rate_limit, '', CONCAT(',"rate_limit":', CONVERT(JSON_ARRAY(OLD.rate_limit, NEW.rate_limit) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
            IF(NEW.rate_burst <=> OLD.rate_burst, '', CONCAT(',"rate_burst":', CONVERT(JSON_ARRAY(OLD.rate_burst, NEW.rate_burst) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
            IF(NEW.distinct_from <=> OLD.distinct_from, '', CONCAT(',"distinct_from":', CONVERT(JSON_ARRAY(OLD.distinct_from, NEW.distinct_from) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
            IF(NEW.signature <=> OLD.signature, '', CONCAT(',"signature":', CONVERT(JSON_ARRAY(OLD.signature, NEW.signature) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
            IF(NEW.fixed_hash <=> OLD.fixed_hash, '', ',"fixed_hash":"changed"'),
            IF(NEW.old_hash <=> OLD.old_hash, '', ',"old_hash":"changed"'),
            IF(NEW.old_hash_until <=> OLD.old_hash_until, '', CONCAT(',"old_hash_until":', CONVERT(JSON_ARRAY(OLD.old_hash_until, NEW.old_hash_until) USING utf8mb4) COLLATE utf8mb4_nopad_bin))), 2), '}'), '{}'));
  IF NEW.fixed_hash <> OLD.fixed_hash AND NEW.reencrypted = OLD.reencrypted THEN
    DELETE FROM old_secret_uses WHERE party = 'network' AND party_id = NEW.id;
  END IF;
END;

CREATE OR REPLACE TRIGGER networks_signing_changed AFTER UPDATE ON networks FOR EACH ROW
BEGIN
  IF NEW.signature <> OLD.signature THEN
    DELETE FROM unsigned_uses WHERE network_id = NEW.id;
  END IF;
  IF NOT (NEW.distinct_from <=> OLD.distinct_from) OR NEW.signature <> OLD.signature THEN
    INSERT INTO event_log (subject, subject_id, what, actor, reason)
      VALUES ('network', NEW.id, 'signing', actor_of_change(OLD.changed_by, NEW.changed_by),
              CONCAT('transaction ids ', IF(NEW.distinct_from IS NULL, 'any', CONCAT('distinct, of old registrations from ', NEW.distinct_from)),
                     ', signature ', NEW.signature));
  END IF;
END;

CREATE OR REPLACE TRIGGER networks_limits_changed AFTER UPDATE ON networks FOR EACH ROW
BEGIN
  DECLARE told VARCHAR(4000)
    DEFAULT CONCAT('rate ', NEW.rate_limit, ', burst ', NEW.rate_burst, ', from ', IF(NEW.allow_addresses = '', 'everywhere', NEW.allow_addresses));
  IF NEW.allow_addresses <> OLD.allow_addresses OR NEW.rate_limit <> OLD.rate_limit OR NEW.rate_burst <> OLD.rate_burst THEN
    INSERT INTO event_log (subject, subject_id, what, actor, reason)
      VALUES ('network', NEW.id, 'limits', actor_of_change(OLD.changed_by, NEW.changed_by),
              IF(CHAR_LENGTH(told) > 250, CONCAT(LEFT(told, 247), '...'), told));
  END IF;
END;

CREATE OR REPLACE TRIGGER remittances_keep BEFORE UPDATE ON remittances FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'remittances: append only';

CREATE OR REPLACE TRIGGER remittances_stay BEFORE DELETE ON remittances FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'remittances: append only';

-- == Triggers: merchants ==

CREATE OR REPLACE TRIGGER merchants_created AFTER INSERT ON merchants FOR EACH ROW
  INSERT INTO event_log (subject, subject_id, what, to_state, actor, changes)
  VALUES ('merchant', NEW.id, 'created', IF(NEW.enabled, 'enabled', 'disabled'), NEW.changed_by,
          CONVERT(JSON_OBJECT('name', JSON_ARRAY(NULL, NEW.name),
                              'commerce', JSON_ARRAY(NULL, NEW.commerce),
                              'country', JSON_ARRAY(NULL, NEW.country),
                              'notify_url', JSON_ARRAY(NULL, NEW.notify_url),
                              'notify_digest', JSON_ARRAY(NULL, NEW.notify_digest),
                              'acknowledgement', JSON_ARRAY(NULL, NEW.acknowledgement),
                              'reference_quarantine', JSON_ARRAY(NULL, NEW.reference_quarantine)) USING utf8mb4) COLLATE utf8mb4_nopad_bin);

-- A name never changes: the merchant's secrets are encrypted for it, and closed settlements contain it.
CREATE OR REPLACE TRIGGER merchants_stamp BEFORE UPDATE ON merchants FOR EACH ROW
BEGIN
  IF NEW.id <> OLD.id OR NEW.name <> OLD.name THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'merchants: id and name cannot be changed';
  END IF;
  SET NEW.changed_at = UTC_TIMESTAMP(6), NEW.changed_by = actor_of_change(OLD.changed_by, NEW.changed_by);
END;

CREATE OR REPLACE TRIGGER merchants_approved BEFORE UPDATE ON merchants FOR EACH ROW
BEGIN
  IF NOT NEW.notify_url <=> OLD.notify_url THEN
    CALL approval_demand('notify_url', 'notify_url', OLD.id);
  END IF;
  IF NOT NEW.fixed_hash <=> OLD.fixed_hash OR NOT NEW.old_hash <=> OLD.old_hash OR NOT NEW.old_hash_until <=> OLD.old_hash_until THEN
    CALL approval_demand_secret('merchant_secret', OLD.id, NEW.reencrypted <> OLD.reencrypted, NEW.fixed_hash <=> OLD.fixed_hash,
                                NEW.old_hash <=> OLD.old_hash, NEW.old_hash_until <=> OLD.old_hash_until, NEW.old_hash IS NULL);
  END IF;
  IF NOT NEW.notification_hash <=> OLD.notification_hash OR NOT NEW.old_notification_hash <=> OLD.old_notification_hash
     OR NOT NEW.old_notification_hash_until <=> OLD.old_notification_hash_until THEN
    CALL approval_demand_secret('notification_secret', OLD.id, NEW.reencrypted <> OLD.reencrypted,
                                NEW.notification_hash <=> OLD.notification_hash, NEW.old_notification_hash <=> OLD.old_notification_hash,
                                NEW.old_notification_hash_until <=> OLD.old_notification_hash_until, NEW.old_notification_hash IS NULL);
  END IF;
END;

CREATE OR REPLACE TRIGGER merchants_changed AFTER UPDATE ON merchants FOR EACH ROW
BEGIN
  INSERT INTO event_log (subject, subject_id, what, from_state, to_state, actor, changes)
  VALUES ('merchant', NEW.id,
          CASE WHEN NEW.enabled <> OLD.enabled THEN 'state'
               WHEN NEW.reencrypted <> OLD.reencrypted THEN 'reencrypted'
               WHEN NEW.fixed_hash <> OLD.fixed_hash OR NEW.notification_hash <> OLD.notification_hash THEN 'rotated'
               WHEN (OLD.old_hash IS NOT NULL AND NEW.old_hash IS NULL) OR (OLD.old_notification_hash IS NOT NULL AND NEW.old_notification_hash IS NULL)
                 THEN 'old secret ended'
               ELSE 'changed' END,
          IF(OLD.enabled, 'enabled', 'disabled'), IF(NEW.enabled, 'enabled', 'disabled'),
          actor_of_change(OLD.changed_by, NEW.changed_by),
          NULLIF(CONCAT('{', SUBSTRING(CONCAT(
            IF(NEW.commerce <=> OLD.commerce, '', CONCAT(',"commerce":', CONVERT(JSON_ARRAY(OLD.commerce, NEW.commerce) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
            IF(NEW.country <=> OLD.country, '', CONCAT(',"country":', CONVERT(JSON_ARRAY(OLD.country, NEW.country) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
            IF(NEW.enabled <=> OLD.enabled, '', CONCAT(',"enabled":', CONVERT(JSON_ARRAY(OLD.enabled, NEW.enabled) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
            IF(NEW.notify_url <=> OLD.notify_url, '', CONCAT(',"notify_url":', CONVERT(JSON_ARRAY(OLD.notify_url, NEW.notify_url) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
            IF(NEW.notify_digest <=> OLD.notify_digest, '', CONCAT(',"notify_digest":', CONVERT(JSON_ARRAY(OLD.notify_digest, NEW.notify_digest) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
            IF(NEW.acknowledgement <=> OLD.acknowledgement, '', CONCAT(',"acknowledgement":', CONVERT(JSON_ARRAY(OLD.acknowledgement, NEW.acknowledgement) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
            IF(NEW.reference_quarantine <=> OLD.reference_quarantine, '', CONCAT(',"reference_quarantine":', CONVERT(JSON_ARRAY(OLD.reference_quarantine, NEW.reference_quarantine) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
            IF(NEW.fixed_hash <=> OLD.fixed_hash, '', ',"fixed_hash":"changed"'),
            IF(NEW.notification_hash <=> OLD.notification_hash, '', ',"notification_hash":"changed"'),
            IF(NEW.old_hash <=> OLD.old_hash, '', ',"old_hash":"changed"'),
            IF(NEW.old_hash_until <=> OLD.old_hash_until, '', CONCAT(',"old_hash_until":', CONVERT(JSON_ARRAY(OLD.old_hash_until, NEW.old_hash_until) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
            IF(NEW.old_notification_hash <=> OLD.old_notification_hash, '', ',"old_notification_hash":"changed"'),
            IF(NEW.old_notification_hash_until <=> OLD.old_notification_hash_until, '', CONCAT(',"old_notification_hash_until":', CONVERT(JSON_ARRAY(OLD.old_notification_hash_until, NEW.old_notification_hash_until) USING utf8mb4) COLLATE utf8mb4_nopad_bin))), 2), '}'), '{}'));
  IF NEW.fixed_hash <> OLD.fixed_hash AND NEW.reencrypted = OLD.reencrypted THEN
    DELETE FROM old_secret_uses WHERE party = 'merchant' AND party_id = NEW.id;
  END IF;
END;

CREATE OR REPLACE TRIGGER merchants_references_changed AFTER UPDATE ON merchants FOR EACH ROW
BEGIN
  IF NEW.reference_quarantine <> OLD.reference_quarantine THEN
    INSERT INTO event_log (subject, subject_id, what, actor, reason)
      VALUES ('merchant', NEW.id, 'references', actor_of_change(OLD.changed_by, NEW.changed_by), CONCAT('quarantine ', NEW.reference_quarantine, ' s'));
  END IF;
END;

-- When a merchant gets a URL, notifications that waited for one are sent. A new URL also ends the rest of the previous
-- one.
CREATE OR REPLACE TRIGGER merchants_addressed AFTER UPDATE ON merchants FOR EACH ROW
BEGIN
  IF OLD.notify_url IS NULL AND NEW.notify_url IS NOT NULL THEN
    UPDATE notifications n
      LEFT JOIN notifications earlier ON earlier.order_id = n.order_id AND earlier.sequence < n.sequence
                                     AND earlier.state NOT IN ('delivered', 'exhausted')
       SET n.state = IF(earlier.id IS NULL, 'pending', 'waiting'), n.due_at = UTC_TIMESTAMP(6), n.changed_by = actor_of_change(OLD.changed_by, NEW.changed_by)
     WHERE n.state = 'unaddressed' AND n.merchant_id = NEW.id;
  END IF;
  -- A new URL has not failed yet. Without a URL there is nothing that could rest.
  IF NOT (NEW.notify_url <=> OLD.notify_url) THEN
    DELETE FROM endpoints WHERE merchant_id = NEW.id;
  END IF;
END;

CREATE OR REPLACE TRIGGER reference_prefixes_judged BEFORE INSERT ON reference_prefixes FOR EACH ROW
  CALL prefix_take(NEW.prefix, NEW.merchant_id, NULL);

CREATE OR REPLACE TRIGGER reference_prefixes_given AFTER INSERT ON reference_prefixes FOR EACH ROW
  INSERT INTO event_log (subject, subject_id, what, actor, reason)
    VALUES ('merchant', NEW.merchant_id, 'references', NEW.changed_by, CONCAT('prefix ', NEW.prefix, ' given'));

CREATE OR REPLACE TRIGGER reference_prefixes_kept BEFORE UPDATE ON reference_prefixes FOR EACH ROW
BEGIN
  IF NEW.prefix <> OLD.prefix OR NEW.merchant_id <> OLD.merchant_id THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'reference_prefixes: take it away and give it anew';
  END IF;
END;

CREATE OR REPLACE TRIGGER reference_prefixes_taken AFTER DELETE ON reference_prefixes FOR EACH ROW
  INSERT INTO event_log (subject, subject_id, what, actor, reason)
    VALUES ('merchant', OLD.merchant_id, 'references', actor_of_change(OLD.changed_by, OLD.changed_by), CONCAT('prefix ', OLD.prefix, ' taken away'));

CREATE OR REPLACE TRIGGER integrations_judged BEFORE INSERT ON integrations FOR EACH ROW
  CALL prefix_take(NEW.code, NEW.merchant_id, NEW.kind);

CREATE OR REPLACE TRIGGER integrations_created AFTER INSERT ON integrations FOR EACH ROW
  INSERT INTO event_log (subject, subject_id, what, to_state, actor, changes)
  VALUES ('integration', NEW.id, 'created', 'in force', NEW.changed_by,
          CONVERT(JSON_OBJECT('merchant_id', JSON_ARRAY(NULL, NEW.merchant_id),
                              'kind', JSON_ARRAY(NULL, NEW.kind),
                              'code', JSON_ARRAY(NULL, NEW.code),
                              'network_id', JSON_ARRAY(NULL, NEW.network_id),
                              'endpoint', JSON_ARRAY(NULL, NEW.endpoint),
                              'currency', JSON_ARRAY(NULL, NEW.currency)) USING utf8mb4) COLLATE utf8mb4_nopad_bin);

CREATE OR REPLACE TRIGGER integrations_guard BEFORE UPDATE ON integrations FOR EACH ROW
BEGIN
  IF OLD.removed_at IS NOT NULL THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'integrations: a removed one cannot be changed';
  END IF;
  IF NOT (NEW.id = OLD.id AND NEW.merchant_id = OLD.merchant_id AND NEW.kind = OLD.kind AND NEW.code = OLD.code AND NEW.network_id <=> OLD.network_id) THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'integrations: only endpoint and currency change; for another code, remove it and add one';
  END IF;
END;

CREATE OR REPLACE TRIGGER integrations_changed AFTER UPDATE ON integrations FOR EACH ROW
  INSERT INTO event_log (subject, subject_id, what, from_state, to_state, actor, changes)
  VALUES ('integration', NEW.id, IF(NEW.removed_at IS NULL, 'changed', 'state'), 'in force',
          IF(NEW.removed_at IS NULL, 'in force', 'removed'), actor_of_change(OLD.changed_by, NEW.changed_by),
          NULLIF(CONCAT('{', SUBSTRING(CONCAT(
            IF(NEW.endpoint <=> OLD.endpoint, '', CONCAT(',"endpoint":', CONVERT(JSON_ARRAY(OLD.endpoint, NEW.endpoint) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
            IF(NEW.currency <=> OLD.currency, '', CONCAT(',"currency":', CONVERT(JSON_ARRAY(OLD.currency, NEW.currency) USING utf8mb4) COLLATE utf8mb4_nopad_bin))), 2), '}'), '{}'));

-- == Triggers: settings ==

CREATE OR REPLACE TRIGGER settings_changed AFTER UPDATE ON settings FOR EACH ROW
BEGIN
  IF NEW.cancel_window <> OLD.cancel_window THEN
    INSERT INTO event_log (subject, subject_id, what, actor, changes)
      VALUES ('setting', NEW.id, 'changed', LEFT(CONCAT('db:', SESSION_USER()), 80),
              CONCAT('{"cancel_window":', CONVERT(JSON_ARRAY(OLD.cancel_window, NEW.cancel_window) USING utf8mb4) COLLATE utf8mb4_nopad_bin, '}'));
  END IF;
END;

CREATE OR REPLACE TRIGGER currencies_new AFTER INSERT ON currencies FOR EACH ROW
  INSERT INTO event_log (subject, subject_id, what, actor, changes)
    VALUES ('setting', 1, 'changed', LEFT(CONCAT('db:', SESSION_USER()), 80),
            CONCAT('{"', CONVERT(NEW.code USING utf8mb4), '.query_code":', CONVERT(JSON_ARRAY(NULL, NEW.query_code) USING utf8mb4) COLLATE utf8mb4_nopad_bin, '}'));

CREATE OR REPLACE TRIGGER currencies_changed AFTER UPDATE ON currencies FOR EACH ROW
BEGIN
  IF NOT NEW.query_code <=> OLD.query_code THEN
    INSERT INTO event_log (subject, subject_id, what, actor, changes)
      VALUES ('setting', 1, 'changed',
              actor_of_change(OLD.changed_by, NEW.changed_by),
              CONCAT('{"', CONVERT(NEW.code USING utf8mb4), '.query_code":', CONVERT(JSON_ARRAY(OLD.query_code, NEW.query_code) USING utf8mb4) COLLATE utf8mb4_nopad_bin, '}'));
  END IF;
END;

-- The time zone of a country ends the due dates of its orders. No program writes this table.
CREATE OR REPLACE TRIGGER countries_new AFTER INSERT ON countries FOR EACH ROW
  INSERT INTO event_log (subject, subject_id, what, actor, changes)
    VALUES ('setting', 1, 'changed', LEFT(CONCAT('db:', SESSION_USER()), 80),
            CONCAT('{"country.', NEW.code, '":[null,', CONVERT(JSON_ARRAY(NEW.name, NEW.currency, NEW.time_zone) USING utf8mb4) COLLATE utf8mb4_nopad_bin, ']}'));

CREATE OR REPLACE TRIGGER countries_changed AFTER UPDATE ON countries FOR EACH ROW
  IF NOT (NEW.name <=> OLD.name AND NEW.currency <=> OLD.currency AND NEW.time_zone <=> OLD.time_zone) THEN
    INSERT INTO event_log (subject, subject_id, what, actor, changes)
      VALUES ('setting', 1, 'changed', LEFT(CONCAT('db:', SESSION_USER()), 80),
              CONCAT('{"country.', NEW.code, '":[', CONVERT(JSON_ARRAY(OLD.name, OLD.currency, OLD.time_zone) USING utf8mb4) COLLATE utf8mb4_nopad_bin, ',', CONVERT(JSON_ARRAY(NEW.name, NEW.currency, NEW.time_zone) USING utf8mb4) COLLATE utf8mb4_nopad_bin, ']}'));
  END IF;

-- The code never changes, because the change would have to be logged for both countries.
CREATE OR REPLACE TRIGGER countries_keep BEFORE UPDATE ON countries FOR EACH ROW
  IF NEW.code <> OLD.code THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'countries: delete the row and insert another one';
  END IF;

CREATE OR REPLACE TRIGGER countries_gone AFTER DELETE ON countries FOR EACH ROW
  INSERT INTO event_log (subject, subject_id, what, actor, changes)
    VALUES ('setting', 1, 'changed', LEFT(CONCAT('db:', SESSION_USER()), 80),
            CONCAT('{"country.', OLD.code, '":[', CONVERT(JSON_ARRAY(OLD.name, OLD.currency, OLD.time_zone) USING utf8mb4) COLLATE utf8mb4_nopad_bin, ',null]}'));

-- == Triggers: rows whose changes are logged are never deleted or replaced (REPLACE fires no UPDATE trigger) ==

CREATE OR REPLACE TRIGGER settings_stay BEFORE DELETE ON settings FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'settings: they are changed by UPDATE';

CREATE OR REPLACE TRIGGER currencies_stay BEFORE DELETE ON currencies FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'currencies: a currency cannot be deleted';

CREATE OR REPLACE TRIGGER networks_stay BEFORE DELETE ON networks FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'networks: a network is disabled, not deleted';

CREATE OR REPLACE TRIGGER merchants_stay BEFORE DELETE ON merchants FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'merchants: a merchant is disabled, not deleted';

CREATE OR REPLACE TRIGGER accounts_stay BEFORE DELETE ON accounts FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'accounts: an account cannot be deleted';

CREATE OR REPLACE TRIGGER integrations_stay BEFORE DELETE ON integrations FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'integrations: one is removed by its removed_at, not deleted';

-- == Triggers: dual control ==

CREATE OR REPLACE TRIGGER dual_control_new AFTER INSERT ON dual_control FOR EACH ROW
  INSERT INTO event_log (subject, subject_id, what, actor, changes)
    VALUES ('setting', 1, 'changed', LEFT(CONCAT('db:', SESSION_USER()), 80),
            CONCAT('{"dual_control.', NEW.kind, '.', CONVERT(NEW.currency USING utf8mb4), '":[null,"', NEW.above, ', ', NEW.valid_for, ' s"]}'));

CREATE OR REPLACE TRIGGER dual_control_changed AFTER UPDATE ON dual_control FOR EACH ROW
  INSERT INTO event_log (subject, subject_id, what, actor, changes)
    VALUES ('setting', 1, 'changed', LEFT(CONCAT('db:', SESSION_USER()), 80),
            CONCAT('{"dual_control.', NEW.kind, '.', CONVERT(NEW.currency USING utf8mb4), '":["', OLD.above, ', ', OLD.valid_for, ' s","',
                   NEW.above, ', ', NEW.valid_for, ' s"]}'));

-- The key never changes, because the change would have to be logged for both currencies.
CREATE OR REPLACE TRIGGER dual_control_keep BEFORE UPDATE ON dual_control FOR EACH ROW
  IF NEW.kind <> OLD.kind OR NEW.currency <> OLD.currency THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'dual_control: delete the row and insert another one';
  END IF;

CREATE OR REPLACE TRIGGER dual_control_gone AFTER DELETE ON dual_control FOR EACH ROW
  INSERT INTO event_log (subject, subject_id, what, actor, changes)
    VALUES ('setting', 1, 'changed', LEFT(CONCAT('db:', SESSION_USER()), 80),
            CONCAT('{"dual_control.', OLD.kind, '.', CONVERT(OLD.currency USING utf8mb4), '":["', OLD.above, ', ', OLD.valid_for, ' s",null]}'));

CREATE OR REPLACE TRIGGER dual_changes_new AFTER INSERT ON dual_changes FOR EACH ROW
  INSERT INTO event_log (subject, subject_id, what, actor, changes)
    VALUES ('setting', 1, 'changed', LEFT(CONCAT('db:', SESSION_USER()), 80),
            CONCAT('{"dual_changes.', NEW.kind, '":[null,"', NEW.valid_for, ' s"]}'));

CREATE OR REPLACE TRIGGER dual_changes_keep BEFORE UPDATE ON dual_changes FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'dual_changes: delete the row and insert another one';

CREATE OR REPLACE TRIGGER dual_changes_gone AFTER DELETE ON dual_changes FOR EACH ROW
  INSERT INTO event_log (subject, subject_id, what, actor, changes)
    VALUES ('setting', 1, 'changed', LEFT(CONCAT('db:', SESSION_USER()), 80),
            CONCAT('{"dual_changes.', OLD.kind, '":["', OLD.valid_for, ' s",null]}'));

CREATE OR REPLACE TRIGGER approvals_new AFTER INSERT ON approvals FOR EACH ROW
  INSERT INTO event_log (subject, subject_id, version, what, to_state, actor, reason, changes)
    VALUES ('approval', NEW.id, 1, 'created', NEW.state, NEW.asked_by, NEW.reason,
            COALESCE(NEW.changes, CONCAT('{"claim":[null,', NEW.subject_id, ']}')));

CREATE OR REPLACE TRIGGER approvals_keep BEFORE UPDATE ON approvals FOR EACH ROW
  IF NOT ((OLD.state = 'waiting' AND NEW.state IN ('making', 'refused')) OR (OLD.state = 'making' AND NEW.state = 'approved'))
     OR NOT (NEW.id <=> OLD.id AND NEW.kind <=> OLD.kind AND NEW.subject_id <=> OLD.subject_id AND NEW.seen <=> OLD.seen
             AND NEW.amount <=> OLD.amount AND NEW.currency <=> OLD.currency AND NEW.changes <=> OLD.changes
             AND (NEW.sealed <=> OLD.sealed OR (NEW.sealed IS NULL AND NEW.state <> 'making')) AND NEW.reason <=> OLD.reason
             AND NEW.asked_by <=> OLD.asked_by AND NEW.asked_at <=> OLD.asked_at AND NEW.expires_at <=> OLD.expires_at) THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'approvals: answered once, and otherwise never changed';
  END IF;

CREATE OR REPLACE TRIGGER approvals_answered AFTER UPDATE ON approvals FOR EACH ROW
  IF NEW.state <> 'making' THEN
    INSERT INTO event_log (subject, subject_id, version, what, from_state, to_state, actor, reason)
      VALUES ('approval', NEW.id, 2, 'state', 'waiting', NEW.state, NEW.answered_by, NEW.answer);
  END IF;

CREATE OR REPLACE TRIGGER approvals_stay BEFORE DELETE ON approvals FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'approvals: never deleted';

-- == Triggers: users of the console ==

CREATE OR REPLACE TRIGGER console_users_created AFTER INSERT ON console_users FOR EACH ROW
  INSERT INTO event_log (subject, subject_id, what, to_state, actor, reason, changes)
    VALUES ('user', NEW.id, 'created', IF(NEW.enabled, 'enabled', 'disabled'), NEW.changed_by, CONCAT(NEW.name, ', ', NEW.role),
            CONVERT(JSON_OBJECT('name', JSON_ARRAY(NULL, NEW.name),
                                'role', JSON_ARRAY(NULL, NEW.role),
                                'merchant_id', JSON_ARRAY(NULL, NEW.merchant_id)) USING utf8mb4) COLLATE utf8mb4_nopad_bin);

CREATE OR REPLACE TRIGGER console_users_stamp BEFORE UPDATE ON console_users FOR EACH ROW
BEGIN
  IF NEW.id <> OLD.id OR NEW.name <> OLD.name THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'console_users: id and name cannot be changed';
  END IF;
  SET NEW.changed_at = UTC_TIMESTAMP(6);
END;

CREATE OR REPLACE TRIGGER console_users_changed AFTER UPDATE ON console_users FOR EACH ROW
BEGIN
  IF NEW.enabled <> OLD.enabled THEN
    INSERT INTO event_log (subject, subject_id, what, from_state, to_state, actor)
      VALUES ('user', NEW.id, 'state', IF(OLD.enabled, 'enabled', 'disabled'), IF(NEW.enabled, 'enabled', 'disabled'), actor_of_change(OLD.changed_by, NEW.changed_by));
  END IF;
  IF NEW.role <> OLD.role OR NOT NEW.merchant_id <=> OLD.merchant_id THEN
    INSERT INTO event_log (subject, subject_id, what, actor, changes)
      VALUES ('user', NEW.id, 'changed', actor_of_change(OLD.changed_by, NEW.changed_by),
              CONCAT('{"role":', CONVERT(JSON_ARRAY(CAST(OLD.role AS CHAR), CAST(NEW.role AS CHAR)) USING utf8mb4) COLLATE utf8mb4_nopad_bin,
                     ',"merchant_id":', CONVERT(JSON_ARRAY(OLD.merchant_id, NEW.merchant_id) USING utf8mb4) COLLATE utf8mb4_nopad_bin, '}'));
  END IF;
END;

-- Users are never deleted, because the event log names them.
CREATE OR REPLACE TRIGGER console_users_stay BEFORE DELETE ON console_users FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'console_users: a user is disabled, not deleted';

-- == Triggers: notifications and the event log ==

-- Drawn here, whatever an account passes, so that no account can choose it.
CREATE OR REPLACE TRIGGER notifications_webhook_id BEFORE INSERT ON notifications FOR EACH ROW
  SET NEW.webhook_id = CONCAT('ntf_', LOWER(HEX(RANDOM_BYTES(16))));

CREATE OR REPLACE TRIGGER notifications_created AFTER INSERT ON notifications FOR EACH ROW
  INSERT INTO event_log (subject, subject_id, what, to_state, actor)
  VALUES ('notification', NEW.id, 'created', NEW.state, NEW.changed_by);

CREATE OR REPLACE TRIGGER notifications_guard BEFORE UPDATE ON notifications FOR EACH ROW
BEGIN
  IF NEW.id <> OLD.id OR NEW.webhook_id <> OLD.webhook_id OR NEW.order_id <> OLD.order_id OR NEW.merchant_id <> OLD.merchant_id
     OR NEW.sequence <> OLD.sequence OR NEW.status <> OLD.status OR NEW.amount <> OLD.amount THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'notifications: what the merchant is told never changes';
  END IF;
END;

CREATE OR REPLACE TRIGGER notifications_stay BEFORE DELETE ON notifications FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'notifications: a notification cannot be deleted';

CREATE OR REPLACE TRIGGER notifications_changed AFTER UPDATE ON notifications FOR EACH ROW
BEGIN
  IF NEW.state <> OLD.state THEN
    INSERT INTO event_log (subject, subject_id, what, from_state, to_state, actor)
    VALUES ('notification', NEW.id, 'state', OLD.state, NEW.state,
            IF(NEW.changed_by = OLD.changed_by AND SUBSTRING_INDEX(SESSION_USER(), '@', 1) NOT IN
              ('recaudo_worker', 'recaudo_dispatcher', 'recaudo_deliverer', 'recaudo_operator', 'recaudo_console', 'recaudo_owner'), LEFT(CONCAT('db:', SESSION_USER()), 80), NEW.changed_by));
  END IF;
  -- Programs move due_at with each attempt, so their changes of it are not logged.
  IF NEW.payment_means <> OLD.payment_means OR NEW.due_at <> OLD.due_at THEN
    IF NEW.payment_means <> OLD.payment_means OR SUBSTRING_INDEX(SESSION_USER(), '@', 1) NOT IN
         ('recaudo_worker', 'recaudo_dispatcher', 'recaudo_deliverer', 'recaudo_operator', 'recaudo_console') THEN
      INSERT INTO event_log (subject, subject_id, what, from_state, to_state, actor, changes)
      VALUES ('notification', NEW.id, 'changed', NEW.state, NEW.state, actor_of_change(OLD.changed_by, NEW.changed_by),
              CONCAT('{', SUBSTRING(CONCAT(
                IF(NEW.payment_means = OLD.payment_means, '', CONCAT(',"payment_means":', CONVERT(JSON_ARRAY(OLD.payment_means, NEW.payment_means) USING utf8mb4) COLLATE utf8mb4_nopad_bin)),
                IF(NEW.due_at = OLD.due_at, '', CONCAT(',"due_at":', CONVERT(JSON_ARRAY(OLD.due_at, NEW.due_at) USING utf8mb4) COLLATE utf8mb4_nopad_bin))), 2), '}'));
    END IF;
  END IF;
END;

-- SET insert_id requires no right and affects inserts by triggers. With it a session could number its events before
-- older ones, or with the greatest number, after which no event could be written. So nobody may set it, not even the
-- owner. The owner alone may give an event's number in an INSERT, to restore rows; the account is always the session's.
-- A session also needs no right to switch off its constraints, or to make each SELECT of a function find nothing.
-- Whatever changes money writes an event, so this trigger stops such a session. Only the owner may write in one, to
-- restore rows. (mariadb --safe-updates sets sql_select_limit to 1000.)
CREATE OR REPLACE TRIGGER event_log_new BEFORE INSERT ON event_log FOR EACH ROW
BEGIN
  IF @@SESSION.insert_id <> 0 THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'event_log: the database assigns the number, leave it out';
  END IF;
  IF @@SESSION.check_constraint_checks + @@SESSION.foreign_key_checks + @@SESSION.unique_checks < 3 OR @@SESSION.sql_select_limit < 1000 THEN
    IF SUBSTRING_INDEX(SESSION_USER(), '@', 1) <> SUBSTRING_INDEX(CURRENT_USER(), '@', 1) THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'event_log: only the owner may write in a session without its checks or with a small sql_select_limit';
    END IF;
  END IF;
  SET NEW.db_account = SESSION_USER();
  -- The reason that an operator or a user of the console gave for a change whose event a trigger writes. Not for
  -- notifications: many may follow from the change, and the event of a retry has the reason already.
  IF @recaudo_reason IS NOT NULL AND NEW.subject <> 'notification' THEN
    IF SUBSTRING_INDEX(SESSION_USER(), '@', 1) IN ('recaudo_console', 'recaudo_operator') THEN
      SET NEW.reason = LEFT(CONCAT_WS('; ', NEW.reason, @recaudo_reason), 250);
    END IF;
  END IF;
END;

CREATE OR REPLACE TRIGGER event_log_keep BEFORE UPDATE ON event_log FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'event_log: append only';

CREATE OR REPLACE TRIGGER event_log_stay BEFORE DELETE ON event_log FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'event_log: append only';

-- == Triggers: ids ==
--
-- A row with the greatest id that a column can hold ends a table, even if its transaction is rolled back: the table
-- takes no other row. SET insert_id needs no right, and reaches into the functions and triggers that write. A large
-- auto_increment_increment needs none either: with 65535, as many rows of one rolled back transaction use up an INT.
-- id_check refuses both. transactions, orders and event_log refuse insert_id in triggers of their own; an increment does
-- not use up their BIGINT. Before a row of account_ledger or notifications an event is written, which refuses insert_id.

CREATE OR REPLACE PROCEDURE id_check (IN name VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin, IN id BIGINT UNSIGNED)
  NOT DETERMINISTIC NO SQL SQL SECURITY DEFINER
  COMMENT 'Refuses an id that a session has chosen; the owner may choose one, to restore a row'
BEGIN
  DECLARE message VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin DEFAULT CONCAT(name, ': the database assigns the id, leave it out');
  IF (id <> 0 OR @@SESSION.insert_id <> 0 OR @@SESSION.auto_increment_increment > GREATEST(@@GLOBAL.auto_increment_increment, 16))
     AND SUBSTRING_INDEX(SESSION_USER(), '@', 1) <> SUBSTRING_INDEX(CURRENT_USER(), '@', 1) THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = message;
  END IF;
END;

CREATE OR REPLACE TRIGGER networks_id BEFORE INSERT ON networks FOR EACH ROW
  CALL id_check('networks', NEW.id);

CREATE OR REPLACE TRIGGER merchants_id BEFORE INSERT ON merchants FOR EACH ROW
  CALL id_check('merchants', NEW.id);

CREATE OR REPLACE TRIGGER integrations_id BEFORE INSERT ON integrations FOR EACH ROW
  CALL id_check('integrations', NEW.id);

CREATE OR REPLACE TRIGGER accounts_id BEFORE INSERT ON accounts FOR EACH ROW
  CALL id_check('accounts', NEW.id);

CREATE OR REPLACE TRIGGER remittances_id BEFORE INSERT ON remittances FOR EACH ROW
  CALL id_check('remittances', NEW.id);

CREATE OR REPLACE TRIGGER approvals_id BEFORE INSERT ON approvals FOR EACH ROW
  CALL id_check('approvals', NEW.id);

CREATE OR REPLACE TRIGGER attempts_id BEFORE INSERT ON attempts FOR EACH ROW
  CALL id_check('attempts', NEW.id);

CREATE OR REPLACE TRIGGER external_queries_id BEFORE INSERT ON external_queries FOR EACH ROW
  CALL id_check('external_queries', NEW.id);

CREATE OR REPLACE TRIGGER dispatchers_id BEFORE INSERT ON dispatchers FOR EACH ROW
  CALL id_check('dispatchers', NEW.id);

CREATE OR REPLACE TRIGGER console_users_id BEFORE INSERT ON console_users FOR EACH ROW
  CALL id_check('console_users', NEW.id);

-- == Triggers: seals ==

-- Accepts only the next seal of the chain. Its range ends with an event that exists, so that it passes over none that is still to come. Of two
-- dispatchers that seal at once, one finds the number taken.
CREATE OR REPLACE TRIGGER seals_new BEFORE INSERT ON seals FOR EACH ROW
BEGIN
  DECLARE last_number INT UNSIGNED;
  DECLARE last_sealed BIGINT UNSIGNED;
  DECLARE last_time DATETIME(6);
  SELECT number, last_id, sealed_at INTO last_number, last_sealed, last_time FROM seals ORDER BY number DESC LIMIT 1;
  IF NOT (NEW.number = COALESCE(last_number, 0) + 1 AND NEW.first_id = COALESCE(last_sealed, 0) + 1
          AND NEW.last_id + 1 >= NEW.first_id AND NEW.sealed_at >= COALESCE(last_time, NEW.sealed_at)
          AND (NEW.last_id < NEW.first_id OR EXISTS (SELECT 1 FROM event_log e WHERE e.id = NEW.last_id)))
     AND NOT EXISTS (SELECT 1 FROM seals s WHERE s.number = NEW.number) THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'seals: the seal does not continue the chain';
  END IF;
END;

CREATE OR REPLACE TRIGGER seals_keep BEFORE UPDATE ON seals FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'seals: append only';

CREATE OR REPLACE TRIGGER seals_stay BEFORE DELETE ON seals FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'seals: append only';

-- == Views for people who read tables, and for monitoring. "now" is this moment by the database's clock. ==
--
-- The views are written with what the server adds to them (COUNT(0), LIMIT 1 in EXISTS, <> 0), so that `recaudoctl
-- config check` can compare.

-- The event log with a row for each change: the event of a payment that changed its order is also shown as the order's,
-- with the same id.
CREATE OR REPLACE SQL SECURITY DEFINER VIEW events AS
  SELECT id, at, subject, subject_id, version, what, from_state, to_state, actor, db_account, reason, changes FROM event_log
  UNION ALL
  SELECT e.id, e.at, 'order', t.order_id, e.order_version,
         CASE e.to_state WHEN 'CONFIRMADA' THEN 'held' WHEN 'FINALIZADA' THEN 'state' ELSE 'released' END,
         'PENDIENTE', IF(e.to_state = 'FINALIZADA', 'APROBADA', 'PENDIENTE'), e.actor, e.db_account, NULL, NULL
    FROM transactions t JOIN event_log e ON e.subject = 'transaction' AND e.subject_id = t.id AND e.order_id = t.order_id;

-- The clock may refuse a payment (VENCIDA). Only a written state may assert one: a cancellation that began inside the window may
-- still commit after its end. Until the approval is written, state_now stays what is written and window_closed is 1.
CREATE OR REPLACE SQL SECURITY INVOKER VIEW orders_now AS
  SELECT o.id, m.name AS merchant, o.po_id, o.reference,
         CASE WHEN o.state <> 'PENDIENTE' OR o.held_by IS NOT NULL THEN o.state
              WHEN o.due_at <= UTC_TIMESTAMP(6) THEN 'VENCIDA'
              ELSE 'PENDIENTE' END AS state_now,
         o.state AS state_written, o.amount, o.currency, o.description, o.due_at, o.held_by, o.held_until,
         o.held_by IS NOT NULL AND o.held_until <= UTC_TIMESTAMP(6) AS window_closed, o.paid_by,
         o.origin, o.created_at, o.changed_at, o.changed_by
    FROM orders o JOIN merchants m ON m.id = o.merchant_id;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW transactions_now AS
  SELECT t.id, n.name AS network, t.network_transaction, t.reference, t.order_id, t.account_id,
         t.state AS state_now, t.state AS state_written, t.amount, t.currency, t.commerce, t.teller,
         t.registered_at, t.confirmed_at, t.window_ends_at,
         t.state = 'CONFIRMADA' AND t.window_ends_at <= UTC_TIMESTAMP(6) AS window_closed, t.finalised_at, t.cancelled_at
    FROM transactions t JOIN networks n ON n.id = t.network_id;

CREATE OR REPLACE SQL SECURITY INVOKER VIEW due_now AS
  SELECT 'finalise' AS work, t.id, t.window_ends_at AS since FROM transactions t
   WHERE t.state = 'CONFIRMADA' AND t.window_ends_at <= UTC_TIMESTAMP(6)
  UNION ALL
  SELECT 'expire', o.id, o.due_at FROM orders o
   WHERE o.state = 'PENDIENTE' AND o.held_by IS NULL AND o.due_at <= UTC_TIMESTAMP(6)
  UNION ALL
  SELECT IF(m.notify_url IS NULL OR p.resting_until IS NOT NULL, 'held', 'notify'), n.id, n.due_at
    FROM notifications n JOIN merchants m ON m.id = n.merchant_id LEFT JOIN endpoints p ON p.merchant_id = n.merchant_id
   WHERE n.state = 'pending' AND n.due_at <= UTC_TIMESTAMP(6);

-- Nothing else releases these: whoever finished the earlier one, or gave the merchant its URL, did so on another
-- database server at the same moment and did not see them. Recent ones are left out, because their transaction may
-- still be on its way to this server.
CREATE OR REPLACE SQL SECURITY DEFINER VIEW notifications_stuck AS
  SELECT w.id, w.merchant_id, w.state, w.due_at FROM
    (SELECT id, merchant_id, order_id, sequence, state, due_at FROM notifications FORCE INDEX (due)
      WHERE state = 'waiting' AND due_at <= UTC_TIMESTAMP(6) - INTERVAL 5 SECOND ORDER BY due_at, id LIMIT 10000) w
   WHERE NOT EXISTS (SELECT 1 FROM notifications earlier FORCE INDEX (order_status)
                      WHERE earlier.order_id = w.order_id AND earlier.sequence < w.sequence
                        AND earlier.state NOT IN ('delivered', 'exhausted') LIMIT 1)
  UNION ALL
  SELECT u.id, u.merchant_id, u.state, u.due_at FROM
    (SELECT n.id, n.merchant_id, n.state, n.due_at FROM merchants m
      STRAIGHT_JOIN notifications n FORCE INDEX (merchant) ON n.state = 'unaddressed' AND n.merchant_id = m.id
      WHERE m.notify_url IS NOT NULL AND n.due_at <= UTC_TIMESTAMP(6) - INTERVAL 5 SECOND LIMIT 10000) u;

-- For /metrics: the worker may not read notify_url itself.
CREATE OR REPLACE SQL SECURITY DEFINER VIEW endpoints_now AS
  SELECT m.id AS merchant_id, m.name AS merchant, m.notify_url IS NOT NULL AND e.resting_until IS NOT NULL AS resting,
         m.notify_url IS NOT NULL AND e.resting_until IS NULL AS reachable
    FROM merchants m LEFT JOIN endpoints e ON e.merchant_id = m.id;

-- Merchants that answer, so that their endpoints do not rest, and have acknowledged nothing for 15 minutes; judged by
-- the 10000 notifications that are tried next. A notification that waits for another attempt is due in the future, so
-- the index skips all that nobody has tried. The due_at of an acknowledged one is when it was acknowledged. The newest
-- failed one counts too, because notifications sent before a receiver broke may be acknowledged after the first that it
-- refused. (With EXISTS, a prepared statement could read the view once, and then not again: error 1356 of MariaDB
-- 10.11.)
CREATE OR REPLACE SQL SECURITY DEFINER VIEW merchants_refusing AS
  SELECT m.id AS merchant_id, m.name AS merchant, q.failed, q.oldest AS oldest_at
    FROM (SELECT merchant_id, COUNT(0) AS failed, MIN(created_at) AS oldest, MAX(created_at) AS newest,
                 UTC_TIMESTAMP(6) - INTERVAL 15 MINUTE AS long_ago
            FROM (SELECT n.merchant_id, n.created_at FROM notifications n FORCE INDEX (due)
                   STRAIGHT_JOIN merchants own ON own.id = n.merchant_id LEFT JOIN endpoints e ON e.merchant_id = n.merchant_id
                   WHERE n.state = 'pending' AND n.due_at > UTC_TIMESTAMP(6) AND n.attempts > 0
                     AND own.enabled <> 0 AND e.resting_until IS NULL ORDER BY n.due_at LIMIT 10000) tried
           GROUP BY merchant_id) q
    STRAIGHT_JOIN merchants m ON m.id = q.merchant_id
   WHERE q.oldest < q.long_ago
     AND COALESCE((SELECT d.due_at FROM notifications d FORCE INDEX (merchant) WHERE d.state = 'delivered' AND d.merchant_id = m.id
                    ORDER BY d.due_at DESC LIMIT 1), 0) < LEAST(q.newest, q.long_ago);

-- Networks that are refused again and again, until a request is served or none was refused for 15 minutes: some ask rarely. 0019 follows a
-- valid checksum, so it counts at once. Anybody can send a wrong checksum: 0025 counts where the network has also registered nothing for
-- 5 minutes, nor among the newest 20,000 registrations. (These are read once for all networks, and bounded, because whoever knows the
-- networks' names could make many rows here.)
CREATE OR REPLACE SQL SECURITY DEFINER VIEW networks_refused AS
  SELECT n.id AS network_id, n.name AS network, r.code, r.since
    FROM network_refusals r STRAIGHT_JOIN networks n ON n.id = r.network_id
    LEFT JOIN (SELECT DISTINCT newest.network_id
                 FROM (SELECT t.network_id FROM transactions t FORCE INDEX (registered)
                        WHERE t.registered_at > UTC_TIMESTAMP(6) - INTERVAL 5 MINUTE ORDER BY t.registered_at DESC LIMIT 20000) newest) busy ON busy.network_id = r.network_id AND r.code <> '0019'
   WHERE n.enabled <> 0 AND r.last_at > UTC_TIMESTAMP(6) - INTERVAL 15 MINUTE AND r.since < r.last_at - INTERVAL 1 MINUTE
     AND (r.served_at IS NULL OR r.served_at < r.last_at)
     AND busy.network_id IS NULL;

-- What may be purged, for accounts that may not read the rows themselves.
CREATE OR REPLACE SQL SECURITY DEFINER VIEW attempts_to_purge AS
  SELECT a.id, n.settled_at AS done_at, n.state IN ('delivered', 'exhausted') AS may_go
    FROM attempts a STRAIGHT_JOIN notifications n ON n.id = a.notification_id;

CREATE OR REPLACE SQL SECURITY DEFINER VIEW queries_to_purge AS
  SELECT q.id, q.asked_at AS done_at, 1 AS may_go FROM external_queries q;

-- Personal data may be purged once all that the merchant is to be told is delivered; a notification that an operator
-- may still retry is not. A registration that was never confirmed was abandoned when its order closed. That of a top-up
-- can still be confirmed, which needs no name. An order whose claim waits keeps its data, and so do its payments: who
-- approves it looks at them, and a claim of an order that has changed is stale.
CREATE OR REPLACE SQL SECURITY DEFINER VIEW transactions_to_purge AS
  SELECT t.id, IF(t.state = 'REGISTRADA', t.registered_at, t.settled_at) AS done_at,
         t.state IN ('FINALIZADA', 'CANCELADA', 'REGISTRADA')
         AND (COALESCE(t.given_names, t.surname1, t.surname2) IS NOT NULL OR (t.account_id IS NOT NULL AND t.description <> ''))
         AND (o.id IS NULL OR (o.state <> 'PENDIENTE'
                               AND NOT EXISTS (SELECT 1 FROM notifications n WHERE n.order_id = o.id AND n.state <> 'delivered' LIMIT 1)
                               AND NOT EXISTS (SELECT 1 FROM approvals c WHERE c.kind = 'claim' AND c.subject_id = o.id AND c.state = 'waiting'
                                                  AND c.expires_at > UTC_TIMESTAMP(6) LIMIT 1)))
         AS may_go
    FROM transactions t LEFT JOIN orders o ON o.id = t.order_id;

CREATE OR REPLACE SQL SECURITY DEFINER VIEW orders_to_purge AS
  SELECT o.id, o.changed_at AS done_at,
         o.state <> 'PENDIENTE'
         AND COALESCE(o.email, o.document, o.document_type, o.customer_name) IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM notifications n WHERE n.order_id = o.id AND n.state <> 'delivered' LIMIT 1)
         AND NOT EXISTS (SELECT 1 FROM approvals c WHERE c.kind = 'claim' AND c.subject_id = o.id AND c.state = 'waiting'
                            AND c.expires_at > UTC_TIMESTAMP(6) LIMIT 1)
         AS may_go
    FROM orders o;

-- Also for metrics, because workers may read neither table.
CREATE OR REPLACE SQL SECURITY DEFINER VIEW network_limits_now AS
  SELECT l.network_id, n.name AS network, l.currency, l.day_limit, l.outstanding_limit,
         GREATEST(l.day_limit - SUM(IF(r.day < UTC_DATE(), r.day_share, r.day_room)), 0) AS day_used,
         GREATEST(l.outstanding_limit - SUM(r.outstanding_room), 0) AS outstanding_used
    FROM network_limits l JOIN networks n ON n.id = l.network_id
    JOIN network_rooms r ON r.network_id = l.network_id AND r.currency = l.currency
   GROUP BY l.network_id, l.currency;

-- Every table that numbers its rows, its next number, and the greatest to which that may be moved, which leaves
-- programs half of the column's range.
-- The columns are those of DATABASE() by a constant: for a value from a row the server would open the tables of every schema.
CREATE OR REPLACE SQL SECURITY INVOKER VIEW id_counters AS
  SELECT t.table_name AS name, COALESCE(t.auto_increment, 1) AS next_id,
         CASE c.data_type WHEN 'bigint' THEN 9223372036854775806 WHEN 'int' THEN 2147483646 WHEN 'smallint' THEN 32766
              ELSE 126 END AS greatest
    FROM information_schema.tables t JOIN information_schema.columns c
      ON c.table_schema = DATABASE() AND c.table_name = t.table_name AND c.extra LIKE '%auto_increment%'
   WHERE t.table_schema = DATABASE();

-- A restored backup, and a server that lags behind, do not know ids that were assigned later. Moves every
-- AUTO_INCREMENT of this schema forward by `margin`; if one of them has no room for that, moves none. ALTER TABLE also
-- reaches the other servers.
CREATE OR REPLACE PROCEDURE ids_skip (IN margin BIGINT UNSIGNED)
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY INVOKER
  COMMENT 'Moves every AUTO_INCREMENT on by margin, so that no id is given a second time; for the owner, after a restore or promotion'
BEGIN
  DECLARE full VARCHAR(64) DEFAULT (SELECT MIN(name) FROM id_counters WHERE next_id > greatest OR margin > greatest - next_id);
  DECLARE message VARCHAR(128) DEFAULT CONCAT('ids_skip: ', full, '.id has no room for so many ids; nothing was moved');
  IF full IS NOT NULL THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = message;
  END IF;
  FOR counter IN (SELECT name, next_id FROM id_counters) DO
    EXECUTE IMMEDIATE CONCAT('ALTER TABLE `', counter.name, '` AUTO_INCREMENT = ', counter.next_id + margin);
  END FOR;
END;
