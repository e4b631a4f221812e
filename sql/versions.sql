-- What `recaudoctl db migrate` needs before anything else. No release changes it.

CREATE TABLE IF NOT EXISTS schema_version (
  version SMALLINT UNSIGNED NOT NULL COMMENT 'Number of the migration',
  name VARCHAR(100) NOT NULL COMMENT 'File name of the migration',
  checksum CHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL COMMENT 'SHA-256 of the file as it was applied',
  started_at DATETIME(6) NOT NULL DEFAULT UTC_TIMESTAMP(6) COMMENT 'UTC',
  applied_at DATETIME(6) NULL COMMENT 'UTC; NULL: it began and did not end, look before you go on',
  PRIMARY KEY (version)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='Migrations applied to this schema';

CREATE TABLE IF NOT EXISTS schema_lock (
  id TINYINT UNSIGNED NOT NULL COMMENT 'Always 1',
  PRIMARY KEY (id),
  CONSTRAINT schema_lock_single CHECK (id = 1)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_nopad_bin
  COMMENT='One row, locked by whoever migrates';

-- Only where it is not there yet: a second INSERT would wait for whoever migrates, before it can be told so. Where
-- somebody else puts it there at the same moment, MariaDB 11.8 fails with 1020 (ER_CHECKREAD) instead of ignoring it.
BEGIN NOT ATOMIC
  DECLARE CONTINUE HANDLER FOR 1020 BEGIN END;
  INSERT IGNORE INTO schema_lock (id) SELECT 1 FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM schema_lock);
END;
