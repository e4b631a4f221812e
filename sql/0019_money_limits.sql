-- recaudo schema 19: the most that a network may confirm in a day, and may owe, by currency.
--
-- What is left of a limit is kept in 16 portions. A confirmation takes its amount from the portion of its own database connection, in the
-- statement that confirms, so confirmations of one network do not wait for each other; only when that portion is too small, all are
-- locked and divided anew. The sum of the portions is always the limit less what was confirmed: exact to the last cent, and a rolled
-- back confirmation has taken nothing. A network without limits has no portions.

CREATE TABLE network_limits (
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

CREATE TRIGGER remittances_keep BEFORE UPDATE ON remittances FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'remittances: append only';
CREATE TRIGGER remittances_stay BEFORE DELETE ON remittances FOR EACH ROW
  SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'remittances: append only';

-- The portion of this connection; that of another node of a cluster is never the same, where its nodes have their auto_increment_offset.
CREATE FUNCTION limit_portion () RETURNS TINYINT UNSIGNED
  NOT DETERMINISTIC NO SQL SQL SECURITY DEFINER
  COMMENT 'Number of the portion that this connection takes from first'
RETURN MOD(MOD(CONNECTION_ID(), 16 DIV LEAST(@@auto_increment_increment, 16)) * @@auto_increment_increment + @@auto_increment_offset - 1, 16);

-- Divides what is left evenly; what does not divide goes to portion `most`. The caller has locked the rows.
CREATE PROCEDURE limit_divide (IN wanted INT UNSIGNED, IN cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin, IN on_day DATE, IN day_left DECIMAL(19,4),
                               IN outstanding_left DECIMAL(19,4), IN most TINYINT UNSIGNED)
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Divides what is left of the limits among the portions'
UPDATE network_rooms
   SET day = on_day,
       day_room = TRUNCATE(day_left / 16, 4) + IF(part = most, day_left - 16 * TRUNCATE(day_left / 16, 4), 0),
       outstanding_room = TRUNCATE(outstanding_left / 16, 4)
         + IF(part = most, outstanding_left - 16 * TRUNCATE(outstanding_left / 16, 4), 0)
 WHERE network_id = wanted AND currency = cur;

-- Takes an amount that is confirmed on that day, or ends the statement: 60113, the limit is reached.
CREATE PROCEDURE limit_take (IN wanted INT UNSIGNED, IN cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin, IN wanted_amount DECIMAL(19,4), IN on_day DATE)
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Takes an amount from what is left of the limits of a network'
BEGIN
  DECLARE mine TINYINT UNSIGNED DEFAULT limit_portion();
  DECLARE later INT;
  DECLARE day_left, outstanding_left DECIMAL(19,4);
  -- Assigned from left to right: day_room looks at the day as it was.
  UPDATE network_rooms
     SET day_room = IF(day < on_day, day_share, day_room) - wanted_amount, outstanding_room = outstanding_room - wanted_amount, day = on_day
   WHERE network_id = wanted AND currency = cur AND part = mine AND day <= on_day
     AND COALESCE(IF(day < on_day, day_share, day_room) >= wanted_amount, TRUE) AND COALESCE(outstanding_room >= wanted_amount, TRUE);
  IF ROW_COUNT() = 0 THEN
    -- Most who come too late are told so without a lock.
    SELECT SUM(day > on_day), SUM(IF(day < on_day, day_share, day_room)), SUM(outstanding_room)
      INTO later, day_left, outstanding_left FROM network_rooms WHERE network_id = wanted AND currency = cur;
    IF later = 0 AND (COALESCE(day_left < wanted_amount, FALSE) OR COALESCE(outstanding_left < wanted_amount, FALSE)) THEN
      SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = 60113, MESSAGE_TEXT = 'network_limits: the limit is reached';
    END IF;
    SELECT SUM(day > on_day), SUM(IF(day < on_day, day_share, day_room)), SUM(outstanding_room)
      INTO later, day_left, outstanding_left FROM network_rooms WHERE network_id = wanted AND currency = cur FOR UPDATE;
    IF later > 0 THEN
      -- It began before midnight and others after it: judged again, it is of the new day.
      SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1020, MESSAGE_TEXT = 'network_limits: a new day has begun';
    END IF;
    IF COALESCE(day_left < wanted_amount, FALSE) OR COALESCE(outstanding_left < wanted_amount, FALSE) THEN
      SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = 60113, MESSAGE_TEXT = 'network_limits: the limit is reached';
    END IF;
    CALL limit_divide(wanted, cur, on_day, day_left - wanted_amount, outstanding_left - wanted_amount, mine);
  END IF;
END;

-- Gives back an amount that was confirmed on that day and is cancelled; a day that is over has no use for it.
CREATE PROCEDURE limit_give (IN wanted INT UNSIGNED, IN cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin, IN given_amount DECIMAL(19,4), IN on_day DATE)
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Gives an amount back to what is left of the limits of a network'
UPDATE network_rooms
   SET day_room = CASE WHEN day < on_day THEN day_share + given_amount WHEN day = on_day THEN day_room + given_amount ELSE day_room END,
       outstanding_room = outstanding_room + given_amount, day = GREATEST(day, on_day)
 WHERE network_id = wanted AND currency = cur AND part = limit_portion();

-- After the row and its index entries are written: network_limit_settle finds whoever has looked before there were portions.
CREATE TRIGGER transactions_limited AFTER UPDATE ON transactions FOR EACH ROW FOLLOWS transactions_changed
BEGIN
  DECLARE limited INT;
  IF NEW.state <> OLD.state AND (NEW.state = 'CONFIRMADA' OR (NEW.state = 'CANCELADA' AND OLD.state = 'CONFIRMADA')) THEN
    SELECT COUNT(*) INTO limited FROM network_rooms WHERE network_id = NEW.network_id AND currency = NEW.currency AND part = 0;
    IF limited > 0 AND NEW.state = 'CONFIRMADA' THEN
      CALL limit_take(NEW.network_id, NEW.currency, NEW.amount, DATE(NEW.confirmed_at));
    ELSEIF limited > 0 THEN
      CALL limit_give(NEW.network_id, NEW.currency, NEW.amount, DATE(NEW.confirmed_at));
    END IF;
  END IF;
END;

-- First step of setting a limit: from its commit on, confirmations see portions, without a bound yet.
CREATE FUNCTION network_limit_begin (wanted INT UNSIGNED, cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin) RETURNS INT
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

-- Second step: waits for confirmations under way that may have looked before that. They have written their rows; locks wait for them.
CREATE FUNCTION network_limit_settle () RETURNS BIGINT UNSIGNED
  NOT DETERMINISTIC READS SQL DATA SQL SECURITY DEFINER
  COMMENT 'Waits until confirmations that are under way have ended'
BEGIN
  DECLARE since DATETIME(6) DEFAULT utc_now() - INTERVAL 1 MINUTE;
  DECLARE found BIGINT UNSIGNED;
  SELECT COUNT(*) INTO found FROM transactions FORCE INDEX (window_end)
   WHERE state = 'CONFIRMADA' AND window_ends_at > since LOCK IN SHARE MODE;
  RETURN found;
END;

-- Last step: the limits of a network in a currency, NULL for none. A limit that is new counts what was confirmed already: today, and for
-- the outstanding sum also what is still in its window. 0: the portions are not there; begin again.
CREATE FUNCTION network_limit_set (wanted INT UNSIGNED, cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin, new_day DECIMAL(19,4),
                                   new_outstanding DECIMAL(19,4), who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Sets, changes or removes the limits of a network'
BEGIN
  DECLARE today DATE DEFAULT DATE(utc_now());
  DECLARE portions INT;
  DECLARE old_day, old_outstanding, day_left, outstanding_left, today_sum, owed DECIMAL(19,4);
  -- Locks first: whoever counts has committed then, and what is read without a lock from here on shows it.
  SELECT COUNT(*), SUM(IF(day < today, day_share, day_room)), SUM(outstanding_room), GREATEST(today, MAX(day))
    INTO portions, day_left, outstanding_left, today FROM network_rooms WHERE network_id = wanted AND currency = cur FOR UPDATE;
  IF portions <> 16 THEN
    RETURN 0;
  END IF;
  SELECT MAX(day_limit), MAX(outstanding_limit) INTO old_day, old_outstanding FROM network_limits
   WHERE network_id = wanted AND currency = cur FOR UPDATE;
  IF old_day IS NULL OR old_outstanding IS NULL THEN
    SELECT COALESCE(SUM(IF(confirmed_at >= today, amount, 0)), 0), COALESCE(SUM(amount), 0) INTO today_sum, owed
      FROM transactions FORCE INDEX (window_end)
     WHERE network_id = wanted AND currency = cur
       AND ((state = 'CONFIRMADA' AND window_ends_at >= '2000-01-01')
            OR (state = 'FINALIZADA' AND window_ends_at >= today AND confirmed_at >= today));
  END IF;
  SET day_left = IF(old_day IS NULL, new_day - today_sum, day_left + new_day - old_day),
      outstanding_left = IF(old_outstanding IS NULL, new_outstanding - owed, outstanding_left + new_outstanding - old_outstanding);
  INSERT INTO events (subject, subject_id, what, actor, db_account, reason)
    VALUES ('network', wanted, 'money limits', who, SESSION_USER(),
            CONCAT(cur, ': day ', COALESCE(new_day, 'none'), ' (was ', COALESCE(old_day, 'none'), '), outstanding ',
                   COALESCE(new_outstanding, 'none'), ' (was ', COALESCE(old_outstanding, 'none'), ')'));
  DELETE FROM network_limits WHERE network_id = wanted AND currency = cur;
  IF new_day IS NULL AND new_outstanding IS NULL THEN
    DELETE FROM network_rooms WHERE network_id = wanted AND currency = cur;
    RETURN 1;
  END IF;
  INSERT INTO network_limits (network_id, currency, day_limit, outstanding_limit, changed_by)
    VALUES (wanted, cur, new_day, new_outstanding, who);
  UPDATE network_rooms SET day_share = TRUNCATE(new_day / 16, 4) + IF(part = 0, new_day - 16 * TRUNCATE(new_day / 16, 4), 0)
   WHERE network_id = wanted AND currency = cur;
  CALL limit_divide(wanted, cur, today, day_left, outstanding_left, 0);
  RETURN 1;
END;

-- Records what a network has paid in: so much less is outstanding. Negative: so much more. 0: there is no outstanding limit to count it
-- against; 1: recorded; 2: it owes less than that.
CREATE FUNCTION network_remit (wanted INT UNSIGNED, cur CHAR(3) CHARACTER SET ascii COLLATE ascii_bin, paid DECIMAL(19,4), why VARCHAR(250),
                               who VARCHAR(80)) RETURNS INT
  NOT DETERMINISTIC MODIFIES SQL DATA SQL SECURITY DEFINER
  COMMENT 'Records what a network has paid in'
BEGIN
  DECLARE bound, left_over DECIMAL(19,4);
  SELECT SUM(outstanding_room) INTO left_over FROM network_rooms WHERE network_id = wanted AND currency = cur FOR UPDATE;
  SELECT MAX(outstanding_limit) INTO bound FROM network_limits WHERE network_id = wanted AND currency = cur;
  IF bound IS NULL OR left_over IS NULL THEN
    RETURN 0;
  END IF;
  IF paid > bound - left_over THEN
    RETURN 2;
  END IF;
  UPDATE network_rooms SET outstanding_room = outstanding_room + paid WHERE network_id = wanted AND currency = cur AND part = 0;
  INSERT INTO remittances (network_id, currency, amount, reason, actor) VALUES (wanted, cur, paid, why, who);
  INSERT INTO events (subject, subject_id, what, actor, db_account, reason)
    VALUES ('network', wanted, 'remitted', who, SESSION_USER(), LEFT(CONCAT(cur, ' ', paid, IF(why = '', '', ': '), why), 250));
  RETURN 1;
END;

-- For the workers' measures too, who may read neither table.
CREATE SQL SECURITY DEFINER VIEW network_limits_now AS
  SELECT l.network_id, n.name AS network, l.currency, l.day_limit, l.outstanding_limit,
         GREATEST(l.day_limit - SUM(IF(r.day < UTC_DATE(), r.day_share, r.day_room)), 0) AS day_used,
         GREATEST(l.outstanding_limit - SUM(r.outstanding_room), 0) AS outstanding_used
    FROM network_limits l JOIN networks n ON n.id = l.network_id
    JOIN network_rooms r ON r.network_id = l.network_id AND r.currency = l.currency
   GROUP BY l.network_id, l.currency;
