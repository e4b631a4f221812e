-- recaudo schema 11: what the dispatchers have done so far, for those who measure it.

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

-- For /metrics: the worker may not read notify_url itself.
CREATE SQL SECURITY DEFINER VIEW endpoints_now AS
  SELECT m.id AS merchant_id, m.name AS merchant, e.resting_until IS NOT NULL AS resting,
         m.notify_url IS NOT NULL AND e.resting_until IS NULL AS reachable
    FROM merchants m LEFT JOIN endpoints e ON e.merchant_id = m.id;
