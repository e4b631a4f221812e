-- recaudo schema 8: integrations that are removed stay readable, with who made and removed them; more of what came of an external query.

ALTER TABLE integrations
  MODIFY changed_by VARCHAR(80) NOT NULL COMMENT 'Who made the last change',
  ADD COLUMN removed_at DATETIME(6) NULL COMMENT 'UTC; from here on no reference fits it; NULL: it is in force' AFTER created_at,
  ADD COLUMN live_code VARCHAR(16) CHARACTER SET ascii COLLATE ascii_nopad_bin AS (IF(removed_at IS NULL, code, NULL)) VIRTUAL
    COMMENT 'The code while it is in force: each kind has a code once' AFTER code,
  DROP KEY code,
  ADD UNIQUE KEY live_code (kind, live_code);

ALTER TABLE external_queries
  ADD COLUMN address VARCHAR(45) CHARACTER SET ascii COLLATE ascii_bin NULL COMMENT 'Address that was connected to; NULL: none was' AFTER http_status,
  ADD COLUMN said VARCHAR(100) NULL COMMENT 'Refused: the merchant''s TEXT, its first 100 characters',
  ADD COLUMN order_id BIGINT UNSIGNED NULL COMMENT 'Answered: the order that the answer stands for; NULL: none';

ALTER TABLE currencies
  ADD COLUMN changed_by VARCHAR(80) NULL COMMENT 'Who set query_code last; NULL: it is as it was installed';

ALTER TABLE events
  MODIFY subject ENUM('order','transaction','account','network','merchant','notification','integration') NOT NULL COMMENT 'Kind of thing that changed';

CREATE TRIGGER integrations_created AFTER INSERT ON integrations FOR EACH ROW
  INSERT INTO events (subject, subject_id, what, to_state, actor, db_account)
  VALUES ('integration', NEW.id, 'created', 'in force', NEW.changed_by, SESSION_USER());

CREATE TRIGGER integrations_guard BEFORE UPDATE ON integrations FOR EACH ROW
BEGIN
  IF OLD.removed_at IS NOT NULL THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'integrations: what was removed stays as it was';
  END IF;
END;

CREATE TRIGGER integrations_changed AFTER UPDATE ON integrations FOR EACH ROW
  INSERT INTO events (subject, subject_id, what, from_state, to_state, actor, db_account)
  VALUES ('integration', NEW.id, IF(NEW.removed_at IS NULL, 'changed', 'state'), 'in force',
          IF(NEW.removed_at IS NULL, 'in force', 'removed'), NEW.changed_by, SESSION_USER());
