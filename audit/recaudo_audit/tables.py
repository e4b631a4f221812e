"""That what is read is what was stored: views and computed columns can show each account something else."""

from .database import Database
from .report import Report

READ = ("account_ledger", "accounts", "console_users", "countries", "currencies", "dual_changes", "dual_control", "event_log", "integrations",
        "merchants", "network_limits", "network_rooms", "networks", "notifications", "orders", "refunds", "remittances", "seals", "settings",
        "settlement_items", "settlements", "transactions")
REPLACED = ("SELECT table_name AS id, LOWER(table_type) AS kind FROM information_schema.tables WHERE table_schema = DATABASE()"
            " AND table_name IN %s AND table_type <> 'BASE TABLE' ORDER BY table_name")
# The server refuses a STORED one whose value depends on who reads it. One VIRTUAL column is the schema's own, and nothing here reads it.
COMPUTED = ("SELECT table_name AS id, column_name AS name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name IN %s"
            " AND extra LIKE 'VIRTUAL%%' AND (table_name <> 'accounts' OR column_name <> 'room') ORDER BY table_name, column_name")


def check_tables(database: Database, report: Report) -> None:
    for row in database.among(REPLACED, READ):
        report.find("table-replaced", "table", row["id"], f"is a {row['kind']}, which can show this account something else than the service")
    for row in database.among(COMPUTED, READ):
        report.find("table-replaced", "table", row["id"], f"computes {row['name']} for each reader, so this account may see something else than the service")
