"""Networks, merchants and others whose settings the log has; and events of things that are gone."""

from .database import Database, Row, grouped
from .history import check_values
from .report import Report

# Without secrets, which no reader may read.
NETWORK = ("id, enabled, old_hash_until, allow_addresses, rate_limit, rate_burst, distinct_from, signature")
MERCHANT = ("id, commerce, country, enabled, notify_url, notify_digest, acknowledgement, old_hash_until,"
            " old_notification_hash_until, reference_quarantine")
TABLES = {"order": "orders", "transaction": "transactions", "account": "accounts", "network": "networks", "merchant": "merchants",
          "notification": "notifications", "integration": "integrations", "user": "console_users"}


class Parties:
    def __init__(self, database: Database, report: Report) -> None:
        self.database = database
        self.report = report

    def check(self) -> None:
        for subject, columns in (("network", NETWORK), ("merchant", MERCHANT)):
            for rows in self.database.chunks(TABLES[subject], columns):
                self.check_settings(subject, rows)
        self.check_window()
        for subject, table in TABLES.items():
            self.check_orphans(subject, table)

    def check_settings(self, subject: str, rows: list[Row]) -> None:
        events = grouped(self.database.among(
            f"SELECT id, subject_id, what, to_state, changes FROM event_log WHERE subject = '{subject}' AND subject_id IN %s"
            " ORDER BY id", [row["id"] for row in rows]), "subject_id")
        for row in rows:
            of_it = events.get(row["id"], [])
            check_values(self.report, subject, row, of_it)
            states = [event["to_state"] for event in of_it if event["to_state"]]
            state = "enabled" if row["enabled"] else "disabled"
            if not of_it or of_it[0]["what"] != "created":
                self.report.find(f"{subject}-without-creation", subject, row["id"], "the log does not say that it was created")
            if states and states[-1] != state:
                self.report.find(f"{subject}-state", subject, row["id"], f"it is {state}, the log says {states[-1]}")
        self.report.count(f"{subject}s", len(rows))

    def check_window(self) -> None:
        row = {**self.database.rows("SELECT id, cancel_window FROM settings")[0]}
        events = self.database.rows("SELECT id, what, changes FROM event_log WHERE subject = 'setting' AND changes LIKE %s ORDER BY id",
                                    '%cancel_window%')
        check_values(self.report, "setting", row, events)

    def check_orphans(self, subject: str, table: str) -> None:
        """Rows of these tables are kept for ever."""
        for row in self.database.rows(f"SELECT subject_id AS id, COUNT(*) AS events FROM event_log LEFT JOIN {table} row_of_it"
                                      f"  ON row_of_it.id = subject_id WHERE subject = '{subject}' AND row_of_it.id IS NULL"
                                      " GROUP BY subject_id"):
            self.report.find(f"{subject}-removed", subject, row["id"], f"its row is gone, the log has {row['events']} events of it")
