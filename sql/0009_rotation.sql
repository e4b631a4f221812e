-- recaudo schema 9: a secret that was replaced stays good for a while; changing the encryption key is an event of its own.

ALTER TABLE networks
  ADD COLUMN old_hash VARBINARY(600) NULL COMMENT 'FIXED_HASH before the last rotation, encrypted like fixed_hash; NULL: none is good beside it' AFTER fixed_hash,
  ADD COLUMN old_hash_until DATETIME(6) NULL COMMENT 'UTC; from here on old_hash is worth nothing' AFTER old_hash,
  ADD COLUMN reencrypted INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Counts how often its secrets were encrypted anew, under another key' AFTER old_hash_until,
  ADD CONSTRAINT network_old_hash CHECK ((old_hash IS NULL) = (old_hash_until IS NULL));

ALTER TABLE merchants
  ADD COLUMN old_hash VARBINARY(600) NULL COMMENT 'FIXED_HASH before the last rotation, encrypted like fixed_hash; NULL: none is good beside it' AFTER notification_hash,
  ADD COLUMN old_hash_until DATETIME(6) NULL COMMENT 'UTC; from here on old_hash is worth nothing' AFTER old_hash,
  ADD COLUMN old_notification_hash VARBINARY(600) NULL COMMENT 'NOTIFICATION_HASH before the last rotation, encrypted like notification_hash; NULL: nothing is signed with it' AFTER old_hash_until,
  ADD COLUMN old_notification_hash_until DATETIME(6) NULL COMMENT 'UTC; from here on nothing is signed with old_notification_hash' AFTER old_notification_hash,
  ADD COLUMN reencrypted INT UNSIGNED NOT NULL DEFAULT 0 COMMENT 'Counts how often its secrets were encrypted anew, under another key' AFTER old_notification_hash_until,
  ADD CONSTRAINT merchant_old_hash CHECK ((old_hash IS NULL) = (old_hash_until IS NULL)),
  ADD CONSTRAINT merchant_old_notification_hash CHECK ((old_notification_hash IS NULL) = (old_notification_hash_until IS NULL));

CREATE TABLE old_secret_uses (
  party ENUM('network','merchant') NOT NULL COMMENT 'Whose FIXED_HASH',
  party_id INT UNSIGNED NOT NULL COMMENT 'Its id',
  used_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC; a checksum made with the old FIXED_HASH was accepted; each worker process writes it once a minute at most',
  PRIMARY KEY (party, party_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Who has not changed over to the new secret yet; a rotation takes the row away';

CREATE OR REPLACE TRIGGER networks_changed AFTER UPDATE ON networks FOR EACH ROW
BEGIN
  INSERT INTO events (subject, subject_id, what, from_state, to_state, actor, db_account)
  VALUES ('network', NEW.id,
          CASE WHEN NEW.enabled <> OLD.enabled THEN 'state'
               WHEN NEW.reencrypted <> OLD.reencrypted THEN 'reencrypted'
               WHEN NEW.fixed_hash <> OLD.fixed_hash THEN 'rotated'
               WHEN NOT (NEW.old_hash_until <=> OLD.old_hash_until) THEN 'old secret ended' ELSE 'changed' END,
          IF(OLD.enabled, 'enabled', 'disabled'), IF(NEW.enabled, 'enabled', 'disabled'), NEW.changed_by, SESSION_USER());
  IF NEW.fixed_hash <> OLD.fixed_hash AND NEW.reencrypted = OLD.reencrypted THEN
    DELETE FROM old_secret_uses WHERE party = 'network' AND party_id = NEW.id;
  END IF;
END;

CREATE OR REPLACE TRIGGER merchants_changed AFTER UPDATE ON merchants FOR EACH ROW
BEGIN
  INSERT INTO events (subject, subject_id, what, from_state, to_state, actor, db_account)
  VALUES ('merchant', NEW.id,
          CASE WHEN NEW.enabled <> OLD.enabled THEN 'state'
               WHEN NEW.reencrypted <> OLD.reencrypted THEN 'reencrypted'
               WHEN NEW.fixed_hash <> OLD.fixed_hash OR NEW.notification_hash <> OLD.notification_hash THEN 'rotated'
               WHEN NOT (NEW.old_hash_until <=> OLD.old_hash_until AND NEW.old_notification_hash_until <=> OLD.old_notification_hash_until)
                 THEN 'old secret ended'
               ELSE 'changed' END,
          IF(OLD.enabled, 'enabled', 'disabled'), IF(NEW.enabled, 'enabled', 'disabled'), NEW.changed_by, SESSION_USER());
  IF NEW.fixed_hash <> OLD.fixed_hash AND NEW.reencrypted = OLD.reencrypted THEN
    DELETE FROM old_secret_uses WHERE party = 'merchant' AND party_id = NEW.id;
  END IF;
END;
