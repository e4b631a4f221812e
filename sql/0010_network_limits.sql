-- recaudo schema 10: from where a network may call, and how often.

ALTER TABLE networks
  ADD COLUMN allow_addresses VARCHAR(3000) CHARACTER SET ascii COLLATE ascii_bin NOT NULL DEFAULT ''
    COMMENT 'Address ranges that the network may call from, IPv4 and IPv6, with spaces between: 192.0.2.0/24 2001:db8::/32; empty: everyone',
  ADD COLUMN rate_limit INT UNSIGNED NOT NULL DEFAULT 0
    COMMENT 'Requests per second that each host takes from the network; more are refused with 0145. 0: no limit',
  ADD COLUMN rate_burst INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Requests at once after a pause; 0 where there is no limit',
  ADD CONSTRAINT network_addresses_form CHECK (allow_addresses REGEXP '^([0-9a-f.:]+/[0-9]+( [0-9a-f.:]+/[0-9]+)*)?\\z'),
  ADD CONSTRAINT network_rate CHECK ((rate_limit = 0) = (rate_burst = 0));

-- Each change stands in the event log with the values from then on, beside the event that says who has changed the network.
CREATE TRIGGER networks_limited AFTER INSERT ON networks FOR EACH ROW FOLLOWS networks_created
BEGIN
  DECLARE told VARCHAR(4000)
    DEFAULT CONCAT('rate ', NEW.rate_limit, ', burst ', NEW.rate_burst, ', from ', IF(NEW.allow_addresses = '', 'everywhere', NEW.allow_addresses));
  IF NEW.allow_addresses <> '' OR NEW.rate_limit <> 0 THEN
    INSERT INTO events (subject, subject_id, what, actor, db_account, reason)
      VALUES ('network', NEW.id, 'limits', NEW.changed_by, SESSION_USER(),
              IF(CHAR_LENGTH(told) > 250, CONCAT(LEFT(told, 247), '...'), told));
  END IF;
END;

CREATE TRIGGER networks_limits_changed AFTER UPDATE ON networks FOR EACH ROW FOLLOWS networks_changed
BEGIN
  DECLARE told VARCHAR(4000)
    DEFAULT CONCAT('rate ', NEW.rate_limit, ', burst ', NEW.rate_burst, ', from ', IF(NEW.allow_addresses = '', 'everywhere', NEW.allow_addresses));
  IF NEW.allow_addresses <> OLD.allow_addresses OR NEW.rate_limit <> OLD.rate_limit OR NEW.rate_burst <> OLD.rate_burst THEN
    INSERT INTO events (subject, subject_id, what, actor, db_account, reason)
      VALUES ('network', NEW.id, 'limits', NEW.changed_by, SESSION_USER(),
              IF(CHAR_LENGTH(told) > 250, CONCAT(LEFT(told, 247), '...'), told));
  END IF;
END;
