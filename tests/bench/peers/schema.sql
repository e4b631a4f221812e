-- What somebody would make who writes the collection networks' part of the service with a framework: Node and PHP share it, each
-- in a database of its own. Foreign keys and unique keys guard it; there is no log of events, no grant by column and no trigger.

CREATE TABLE networks (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name VARCHAR(40) NOT NULL UNIQUE,
  fixed_hash VARCHAR(200) NOT NULL
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE merchants (
  id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  commerce VARCHAR(100) NOT NULL UNIQUE
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE orders (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  merchant_id INT UNSIGNED NOT NULL,
  reference VARCHAR(25) CHARACTER SET ascii NOT NULL UNIQUE,
  state ENUM('pending','paid','cancelled') NOT NULL DEFAULT 'pending',
  amount DECIMAL(19,2) NOT NULL COMMENT '0: the customer chooses',
  currency CHAR(3) CHARACTER SET ascii NOT NULL,
  description VARCHAR(250) NOT NULL,
  due_at DATETIME(6) NOT NULL,
  held_by BIGINT UNSIGNED NULL COMMENT 'confirmed transaction',
  held_until DATETIME(6) NULL,
  CONSTRAINT order_merchant FOREIGN KEY (merchant_id) REFERENCES merchants (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE accounts (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  document VARCHAR(25) CHARACTER SET ascii NOT NULL UNIQUE,
  document_type VARCHAR(40) NOT NULL,
  name VARCHAR(150) NOT NULL,
  lastname1 VARCHAR(100) NOT NULL,
  lastname2 VARCHAR(100) NOT NULL,
  currency CHAR(3) CHARACTER SET ascii NOT NULL,
  balance DECIMAL(19,2) NOT NULL DEFAULT 0,
  reserved DECIMAL(19,2) NOT NULL DEFAULT 0 COMMENT 'confirmed, not yet credited'
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;

CREATE TABLE transactions (
  id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  network_id INT UNSIGNED NOT NULL,
  network_transaction VARCHAR(64) NOT NULL,
  reference VARCHAR(25) CHARACTER SET ascii NOT NULL,
  order_id BIGINT UNSIGNED NULL,
  account_id BIGINT UNSIGNED NULL,
  amount DECIMAL(19,2) NOT NULL,
  currency CHAR(3) CHARACTER SET ascii NOT NULL,
  commerce VARCHAR(100) NOT NULL,
  description VARCHAR(250) NOT NULL,
  teller VARCHAR(64) NOT NULL,
  state ENUM('registered','confirmed','cancelled') NOT NULL DEFAULT 'registered',
  registered_at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6),
  confirmed_at DATETIME(6) NULL,
  window_ends_at DATETIME(6) NULL,
  UNIQUE KEY network_transaction (network_id, network_transaction),
  CONSTRAINT transaction_network FOREIGN KEY (network_id) REFERENCES networks (id),
  CONSTRAINT transaction_order FOREIGN KEY (order_id) REFERENCES orders (id),
  CONSTRAINT transaction_account FOREIGN KEY (account_id) REFERENCES accounts (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;
