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
