"""Networks, merchants and others whose settings the log has; and events of things that are gone."""

import json
from typing import Any

from .approvals import Approvals
from .database import Database, Row, grouped
from .history import changes_of, check_values
from .report import Report, shown

# Without secrets, which no reader may read.
NETWORK = ("id, name, enabled, old_hash_until, allow_addresses, rate_limit, rate_burst, distinct_from, signature")
MERCHANT = ("id, name, commerce, country, enabled, notify_url, notify_digest, acknowledgement, old_hash_until,"
            " old_notification_hash_until, reference_quarantine")
INTEGRATION = "id, merchant_id, kind, code, network_id, endpoint, currency, removed_at"
USER = "id, name, role, merchant_id, enabled"
# Until when an old secret is valid, and the one that was rotated then.
OLD_UNTIL = {"old_hash_until": "fixed_hash", "old_notification_hash_until": "notification_hash"}
# What the settings' events name, and its value as they say it.
SETTINGS = ("SELECT 'cancel_window' AS name, cancel_window AS value FROM settings",
            "SELECT CONCAT(code, '.query_code') AS name, query_code AS value FROM currencies",
            "SELECT CONCAT('country.', code) AS name, JSON_ARRAY(name, currency, time_zone) AS value FROM countries",
            "SELECT CONCAT('dual_control.', kind, '.', currency) AS name, CONCAT(above, ', ', valid_for, ' s') AS value FROM dual_control",
            "SELECT CONCAT('dual_changes.', kind) AS name, CONCAT(valid_for, ' s') AS value FROM dual_changes")
TABLES = {"order": "orders", "transaction": "transactions", "account": "accounts", "network": "networks", "merchant": "merchants",
          "notification": "notifications", "integration": "integrations", "user": "console_users"}


def state_of(row: Row) -> str:
    if "enabled" in row:
        return "enabled" if row["enabled"] else "disabled"
    return "in force" if row["removed_at"] is None else "removed"


class Parties:
    def __init__(self, database: Database, report: Report) -> None:
        self.database = database
        self.report = report

    def check(self) -> None:
        self.approvals = Approvals(self.database, self.report)
        for subject, columns in (("network", NETWORK), ("merchant", MERCHANT), ("integration", INTEGRATION), ("user", USER)):
            for rows in self.database.chunks(TABLES[subject], columns):
                self.check_rows(subject, rows)
        self.check_settings()
        for subject, table in TABLES.items():
            self.check_orphans(subject, table)

    def check_rows(self, subject: str, rows: list[Row]) -> None:
        events = grouped(self.database.among(
            f"SELECT id, at, subject_id, what, to_state, actor, reason, changes FROM event_log WHERE subject = '{subject}' AND subject_id IN %s"
            " ORDER BY id", [row["id"] for row in rows]), "subject_id")
        for row in rows:
            of_it = events.get(row["id"], [])
            with self.report.reading(TABLES[subject], row, of_it):
                self.check_row(subject, row, of_it)
        self.report.count(f"{subject}s", len(rows))

    def check_row(self, subject: str, row: Row, events: list[Row]) -> None:
        check_values(self.report, subject, row, events)
        self.check_old_secrets(subject, row, events)
        self.check_approved(subject, row, events)
        states = [event["to_state"] for event in events if event["to_state"]]
        state = state_of(row)
        if not events or events[0]["what"] != "created":
            self.report.find(f"{subject}-without-creation", subject, row["id"], "the log does not say that it was created")
        if states and states[-1] != state:
            self.report.find(f"{subject}-state", subject, row["id"], f"it is {state}, the log says {states[-1]}")

    def check_approved(self, subject: str, row: Row, events: list[Row]) -> None:
        for event in events if subject in ("network", "merchant") else []:
            for name in self.approvals.lacking(subject, event):
                self.report.find("change-approval", subject, row["id"], f"event {event['id']} changes {name}, and the log has no approval of a second user")

    def check_old_secrets(self, subject: str, row: Row, events: list[Row]) -> None:
        """One that no event names is none. Schemas before 21 named none: there the log says it from the next rotation on."""
        told = [(event["what"], changes_of(event)) for event in events]
        for name, secret in OLD_UNTIL.items():
            says = any((what == "created" and changes) or (what == "rotated" and secret in changes) for what, changes in told)
            if row.get(name) is not None and says and all(name not in changes for _, changes in told):
                self.report.find(f"{subject}-value", subject, row["id"], f"{name} is {shown(row[name])}, the log says that there is none")

    def check_settings(self) -> None:
        """What was there from the beginning has no event, but nothing demands approval without one."""
        stored: dict[str, Any] = {row["name"]: row["value"] for sql in SETTINGS for row in self.database.rows(sql)}
        events = self.database.rows("SELECT id, what, changes FROM event_log WHERE subject = 'setting' ORDER BY id")
        told: set[str] = set()
        for event in events:
            with self.report.reading("event_log", event):
                told |= changes_of(event).keys()
        for name in stored:
            if name.startswith("country."):
                stored[name] = json.loads(stored[name])
            if name.startswith("dual_") and name not in told:
                self.report.find("setting-value", "setting", 1, f"{name} is {stored[name]}, the log does not say so")
        with self.report.reading("settings", {"id": 1}):
            check_values(self.report, "setting", {**dict.fromkeys(told), **stored, "id": 1}, events)

    def check_orphans(self, subject: str, table: str) -> None:
        """Rows of these tables are kept for ever."""
        for row in self.database.rows(f"SELECT subject_id AS id, COUNT(*) AS events FROM event_log LEFT JOIN {table} row_of_it"
                                      f"  ON row_of_it.id = subject_id WHERE subject = '{subject}' AND row_of_it.id IS NULL"
                                      " GROUP BY subject_id"):
            self.report.find(f"{subject}-removed", subject, row["id"], f"its row is gone, the log has {row['events']} events of it")
