-- The floor's own schema: what one plain select, one plain insert and one plain update need, and nothing else. It has no
-- foreign key, no trigger, no check and no event. Every system that is called a floor has a database of its own of this form.

CREATE TABLE orders (
  reference VARCHAR(25) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  amount DECIMAL(15,2) NOT NULL,
  commerce VARCHAR(100) NOT NULL,
  description VARCHAR(250) NOT NULL
) ENGINE=InnoDB;

CREATE TABLE payments (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  network_transaction VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  reference VARCHAR(25) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
  amount DECIMAL(15,2) NOT NULL,
  state ENUM('REGISTRADA','CONFIRMADA') NOT NULL DEFAULT 'REGISTRADA',
  UNIQUE KEY payments_network_transaction (network_transaction)
) ENGINE=InnoDB;
