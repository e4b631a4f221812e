"""That what is read is what was stored: views, computed columns and temporary tables can show each account something else."""

import pymysql
from pymysql.constants import ER

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

# What a key of the schema makes single. Others are compared row by row.
SINGLE = {"transactions": "network_id, network_transaction", "orders": "merchant_id, po_id", "accounts": "document", "networks": "name",
          "merchants": "name", "console_users": "name"}


def is_temporary(database: Database, table: str) -> bool:
    """The server's init_connect can make one, which information_schema does not have. Of a table of its own session an account may see all; of
    others, this one may be refused."""
    try:
        (row,) = database.rows(f"SHOW CREATE TABLE {table}")
    except pymysql.err.Error as error:
        if error.args[0] == ER.TABLEACCESS_DENIED_ERROR:
            return False
        raise
    return str(row["Create Table"]).startswith("CREATE TEMPORARY")


def check_tables(database: Database, report: Report) -> None:
    replaced = database.among(REPLACED, READ)
    for row in replaced:
        report.find("table-replaced", "table", row["id"], f"is a {row['kind']}, which can show this account something else than the service")
    for row in database.among(COMPUTED, READ):
        report.find("table-replaced", "table", row["id"], f"computes {row['name']} for each reader, so this account may see something else than the service")
    for table in sorted(set(READ) - {row["id"] for row in replaced}):
        if is_temporary(database, table):
            report.find("table-replaced", "table", table, "is a temporary one, which this account alone sees")
    for table, columns in SINGLE.items():
        for row in database.rows(f"SELECT MAX(id) AS id, COUNT(*) AS number FROM {table} GROUP BY {columns} HAVING number > 1"):
            report.find("row-twice", table, row["id"], f"is one of {row['number']} rows with the same {columns.replace(', ', ' and ')}")
