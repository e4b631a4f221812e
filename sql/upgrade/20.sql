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

ALTER TABLE endpoints
  ADD COLUMN failing_since DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; when the first of these rounds was recorded';

-- Part 2
