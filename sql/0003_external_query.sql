-- recaudo schema 3: external query, in which the merchant says what is due on a reference.

CREATE TABLE integrations (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  merchant_id INT UNSIGNED NOT NULL COMMENT 'Merchant that is asked',
  kind TINYINT UNSIGNED NOT NULL COMMENT '1: agreement code, for one network; 2: digit prefix of references with 9 to 16 digits',
  code VARCHAR(16) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'What the reference begins with',
  network_id INT UNSIGNED NULL COMMENT 'Kind 1: the only network that may use it',
  endpoint VARCHAR(2048) NOT NULL COMMENT 'URL that is asked',
  currency CHAR(3) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Currency of the orders',
  changed_by VARCHAR(80) NOT NULL COMMENT 'Who made it',
  created_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  PRIMARY KEY (id),
  UNIQUE KEY code (kind, code),
  CONSTRAINT integration_merchant FOREIGN KEY (merchant_id) REFERENCES merchants (id),
  CONSTRAINT integration_network FOREIGN KEY (network_id) REFERENCES networks (id),
  CONSTRAINT integration_currency FOREIGN KEY (currency) REFERENCES currencies (code),
  CONSTRAINT integration_kind CHECK (kind IN (1, 2) AND (kind = 1) = (network_id IS NOT NULL)),
  CONSTRAINT integration_code_form CHECK (code REGEXP '^[0-9]{1,16}\\z')
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Which references merchants answer themselves, and where they are asked';

CREATE TABLE external_queries (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  asked_at DATETIME(6) NOT NULL COMMENT 'UTC; the query began',
  merchant_id INT UNSIGNED NOT NULL COMMENT 'Merchant that was asked',
  integration_id INT UNSIGNED NOT NULL COMMENT 'Its integration, which may be gone',
  network_id INT UNSIGNED NOT NULL COMMENT 'Network that looked up the reference',
  reference VARCHAR(25) CHARACTER SET ascii COLLATE ascii_nopad_bin NOT NULL COMMENT 'Reference that was looked up',
  duration_us INT UNSIGNED NOT NULL COMMENT 'Microseconds from the look-up of the name to the last byte of the answer',
  outcome ENUM('answered','refused','expired','invalid','silent') NOT NULL COMMENT 'answered: a valid answer; refused: the merchant said no; expired: its timestamp_end is past; invalid: the answer broke a rule; silent: no whole answer in time',
  http_status SMALLINT UNSIGNED NULL COMMENT 'HTTP status of the answer; NULL: none came',
  field VARCHAR(40) NULL COMMENT 'Invalid: which field. Silent: what failed: dns, connect, timeout, ...',
  problem VARCHAR(80) NULL COMMENT 'Invalid: what is wrong with it. Refused: the merchant''s CODE',
  PRIMARY KEY (id),
  KEY asked_at (asked_at),
  KEY merchant (merchant_id, asked_at),
  KEY reference (reference, asked_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Every external query and what came of it, for a time that the configuration sets';
