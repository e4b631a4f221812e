-- recaudo schema 2: delivering notifications.

ALTER TABLE notifications
  MODIFY state ENUM('unaddressed','waiting','pending','delivered','exhausted') NOT NULL
    COMMENT 'unaddressed: the merchant has no notify_url; waiting: an earlier one of the order comes first; pending: is to be delivered; delivered: acknowledged; exhausted: all attempts failed, an operator may replay it',
  MODIFY due_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6)
    COMMENT 'UTC; the next attempt leaves at this instant or later; while a dispatcher has it in hand, the end of its lease',
  ADD COLUMN sequence TINYINT UNSIGNED NOT NULL DEFAULT 1 COMMENT 'Number of this notification among the order''s, from 1' AFTER merchant_id,
  ADD COLUMN lease BINARY(16) NULL COMMENT 'Token of the dispatcher that has it in hand; NULL: nobody has' AFTER due_at,
  ADD COLUMN changed_by VARCHAR(80) NOT NULL DEFAULT 'dispatcher' COMMENT 'Who made the last change' AFTER settled_at,
  DROP KEY merchant,
  ADD KEY merchant (state, merchant_id, due_at, id),
  ADD KEY of_merchant (merchant_id, created_at);

CREATE TABLE attempts (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  notification_id BIGINT UNSIGNED NOT NULL COMMENT 'Notification that was sent',
  number SMALLINT UNSIGNED NOT NULL COMMENT 'Number of the attempt since the notification became pending, from 1',
  dispatcher_id BIGINT UNSIGNED NOT NULL COMMENT 'Dispatcher that sent it',
  started_at DATETIME(6) NOT NULL COMMENT 'UTC',
  duration_us BIGINT UNSIGNED NOT NULL COMMENT 'Microseconds from the start to the end of the reply, or to the failure',
  address VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'Address that was connected to; empty: none was',
  http_status SMALLINT UNSIGNED NULL COMMENT 'Status of the reply; NULL: there was none',
  reason ENUM('acknowledged','status','reply','secret','url','dns','address','connect','tls','timeout','protocol','too_large') NOT NULL
    COMMENT 'The verdict and why: acknowledged; a status other than 2xx; a reply that is not OK; our secret for it does not open; else what failed below HTTP (address: not one that may be connected to)',
  late BOOLEAN NOT NULL COMMENT 'The lease had ended when the outcome came: the outcome was noted here and changed nothing',
  reply BLOB NOT NULL COMMENT 'Body of the reply as received, its first 16 KiB',
  lease BINARY(16) NOT NULL COMMENT 'Lease under which it was sent: one attempt each',
  PRIMARY KEY (id),
  UNIQUE KEY one_per_lease (notification_id, lease),
  KEY started_at (started_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Every attempt to deliver a notification';

CREATE TABLE endpoints (
  merchant_id INT UNSIGNED NOT NULL COMMENT 'Merchant whose notify_url it is',
  failures INT UNSIGNED NOT NULL COMMENT 'Failed rounds in a row; a round is what a dispatcher recorded at once',
  resting_until DATETIME(6) NULL COMMENT 'UTC; until then nothing is sent, then single notifications until one is acknowledged; NULL: it is well',
  PRIMARY KEY (merchant_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='How the merchants'' notification endpoints are doing; no row: well';

CREATE TABLE dispatchers (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT COMMENT 'Internal number',
  host VARCHAR(64) NOT NULL COMMENT 'Host name',
  pid INT UNSIGNED NOT NULL COMMENT 'Process id there',
  started_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  seen_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; it was alive',
  ended_at DATETIME(6) NULL COMMENT 'UTC; it left by itself',
  in_flight INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Notifications it had in hand when last seen',
  PRIMARY KEY (id),
  KEY seen_at (seen_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Runs of the dispatcher and their heartbeat; those older than a week are removed';

CREATE TRIGGER notifications_created AFTER INSERT ON notifications FOR EACH ROW
  INSERT INTO events (subject, subject_id, what, to_state, actor, db_account)
  VALUES ('notification', NEW.id, 'created', NEW.state, NEW.changed_by, SESSION_USER());

CREATE TRIGGER notifications_changed AFTER UPDATE ON notifications FOR EACH ROW
BEGIN
  IF NEW.state <> OLD.state THEN
    INSERT INTO events (subject, subject_id, what, from_state, to_state, actor, db_account)
    VALUES ('notification', NEW.id, 'state', OLD.state, NEW.state, NEW.changed_by, SESSION_USER());
  END IF;
END;

-- A merchant that gets an address is told what waited for one.
CREATE TRIGGER merchants_addressed AFTER UPDATE ON merchants FOR EACH ROW FOLLOWS merchants_changed
BEGIN
  IF OLD.notify_url IS NULL AND NEW.notify_url IS NOT NULL THEN
    UPDATE notifications n
      LEFT JOIN notifications earlier ON earlier.order_id = n.order_id AND earlier.sequence < n.sequence
                                     AND earlier.state NOT IN ('delivered', 'exhausted')
       SET n.state = IF(earlier.id IS NULL, 'pending', 'waiting'), n.due_at = UTC_TIMESTAMP(6), n.changed_by = NEW.changed_by
     WHERE n.state = 'unaddressed' AND n.merchant_id = NEW.id;
  END IF;
END;
