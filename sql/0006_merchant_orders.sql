-- recaudo schema 6: what merchants say of their orders through the API, and the address of an order's slip.

ALTER TABLE orders
  ADD COLUMN country SMALLINT UNSIGNED NULL COMMENT 'Country the order was registered in: its time zone ends the due date; NULL: the merchant''s' AFTER currency,
  ADD COLUMN language ENUM('es','en') NOT NULL DEFAULT 'es' COMMENT 'Language of the payment slip' AFTER description,
  ADD COLUMN vat DECIMAL(19,4) NULL COMMENT 'Value added tax as the merchant sent it (iva); for the slip, not reckoned with' AFTER max_amount,
  ADD COLUMN token CHAR(32) CHARACTER SET ascii COLLATE ascii_bin NULL
    COMMENT 'Opens the payment slip: 128 random bits in hex, made with the row; NULL: the order is older than this column' AFTER customer_name,
  ADD UNIQUE KEY token (token),
  ADD CONSTRAINT order_country FOREIGN KEY (country) REFERENCES countries (code);

-- Every order gets a token, whoever stores it. (The workers bring one, because RETURNING would ask for more rights than they have.)
CREATE TRIGGER orders_token BEFORE INSERT ON orders FOR EACH ROW
  SET NEW.token = COALESCE(NEW.token, LOWER(HEX(RANDOM_BYTES(16))));
