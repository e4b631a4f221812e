-- recaudo schema 7: retention. What takes customers' personal data away is an event of its own kind.

CREATE OR REPLACE TRIGGER orders_changed AFTER UPDATE ON orders FOR EACH ROW
  INSERT INTO events (subject, subject_id, version, what, from_state, to_state, actor, db_account, reason)
  VALUES ('order', NEW.id, NEW.version,
          CASE WHEN NEW.state <> OLD.state THEN 'state'
               WHEN OLD.held_by IS NULL AND NEW.held_by IS NOT NULL THEN 'held'
               WHEN OLD.held_by IS NOT NULL AND NEW.held_by IS NULL THEN 'released'
               WHEN OLD.state <> 'PENDIENTE'
                    AND COALESCE(OLD.email, OLD.document, OLD.document_type, OLD.customer_name) IS NOT NULL
                    AND COALESCE(NEW.email, NEW.document, NEW.document_type, NEW.customer_name) IS NULL THEN 'purged'
               ELSE 'changed' END,
          OLD.state, NEW.state, NEW.changed_by, SESSION_USER(), IF(NEW.state <> OLD.state, NEW.state_reason, NULL));

CREATE OR REPLACE TRIGGER transactions_changed AFTER UPDATE ON transactions FOR EACH ROW
  INSERT INTO events (subject, subject_id, version, what, from_state, to_state, actor, db_account)
  VALUES ('transaction', NEW.id, NEW.version,
          CASE WHEN NEW.state <> OLD.state THEN 'state'
               WHEN COALESCE(OLD.given_names, OLD.surname1, OLD.surname2, NULLIF(OLD.description, NEW.description)) IS NOT NULL
                    AND COALESCE(NEW.given_names, NEW.surname1, NEW.surname2) IS NULL THEN 'purged'
               ELSE 'changed' END,
          OLD.state, NEW.state, NEW.changed_by, SESSION_USER());
