-- recaudo schema 16: what keeps one signed request of a network from being used as another (doc/protocol.md, "Signed requests").

ALTER TABLE networks
  ADD COLUMN distinct_from DATETIME(6) NULL
    COMMENT 'UTC; NULL: any transaction id is taken. Else new ids need a character that no reference has, and from this instant on also those that are confirmed',
  ADD COLUMN signature ENUM('off','accepted','required') NOT NULL DEFAULT 'off'
    COMMENT 'Header Recaudo-Signature of its requests. off: ignored; accepted: a wrong one is refused; required: so is a missing one';

-- Each change stands in the event log with the values from then on, beside the event that says who has changed the network.
CREATE TRIGGER networks_signing AFTER INSERT ON networks FOR EACH ROW FOLLOWS networks_created
BEGIN
  IF NEW.distinct_from IS NOT NULL OR NEW.signature <> 'off' THEN
    INSERT INTO events (subject, subject_id, what, actor, db_account, reason)
      VALUES ('network', NEW.id, 'signing', NEW.changed_by, SESSION_USER(),
              CONCAT('transaction ids ', IF(NEW.distinct_from IS NULL, 'any', 'distinct'), ', signature ', NEW.signature));
  END IF;
END;

CREATE TRIGGER networks_signing_changed AFTER UPDATE ON networks FOR EACH ROW FOLLOWS networks_changed
BEGIN
  IF NOT (NEW.distinct_from <=> OLD.distinct_from) OR NEW.signature <> OLD.signature THEN
    INSERT INTO events (subject, subject_id, what, actor, db_account, reason)
      VALUES ('network', NEW.id, 'signing', NEW.changed_by, SESSION_USER(),
              CONCAT('transaction ids ', IF(NEW.distinct_from IS NULL, 'any', CONCAT('distinct, of old registrations from ', NEW.distinct_from)),
                     ', signature ', NEW.signature));
  END IF;
END;
