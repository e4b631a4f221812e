"""What is known after a run: all that the checker looks at."""

import json
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Mapping, Sequence

import pymysql
from pymysql.cursors import SSDictCursor

from .history import Entry
from .sink import Message

Row = dict[str, Any]
Tables = Mapping[str, list[Row]]
TABLES = ("networks", "merchants", "orders", "transactions", "accounts", "account_ledger", "notifications", "attempts",
          "event_log", "events", "refunds", "settlements", "settlement_items")
KEYS = {"refunds": "order_id", "settlements": "number", "settlement_items": "transaction_id, kind"}
# After a crash an index may keep entries that were deleted before it; no statement sees them, but CHECK TABLE tells of them.
DELETED = "info_bits=32"
DAMAGE_SIGNS = ("InnoDB: Double free", "was not found on rollback", "InnoDB: Database page corruption")
LEFT = {
    "payments that are confirmed and not finalised":
        "SELECT COUNT(*) AS n FROM transactions WHERE state = 'CONFIRMADA'",
    "overdue orders that are not expired":
        "SELECT COUNT(*) AS n FROM orders WHERE state = 'PENDIENTE' AND held_by IS NULL AND due_at <= UTC_TIMESTAMP(6)",
    "operations that are in no settlement":
        "SELECT COUNT(*) AS n FROM settlement_items WHERE settlement IS NULL",
    "settlements that are closed without a digest":
        "SELECT COUNT(*) AS n FROM settlements WHERE state = 'closed' AND digest IS NULL",
    "notifications that are neither delivered nor exhausted":
        "SELECT COUNT(*) AS n FROM notifications WHERE state NOT IN ('delivered', 'exhausted')",
}


@dataclass
class Evidence:
    """`tables` and `later` are the tables before and after a crash of the database that nobody used in between.

    `left` is what was still to be done when the time for it was over. `moved_at` is the moment when all leases were ended
    by hand, with no dispatcher alive. `apart` is by how many seconds the clocks of several database servers may have differed.
    `lost_hands` is how many dispatchers ended with messages in hand. `ends` are ends of
    processes that nobody brought about. `damaged` is what the database says of its own files. `disproved` are closed
    settlements whose digest, computed anew, is another one. `given_again` are numbers that came a second time after a
    backup was restored. Instants of the tables are as
    time.time() gives them.
    """

    history: Sequence[Entry]
    tables: Tables
    later: Tables
    sink: Sequence[Message]
    secrets: Mapping[str, str]
    window: float
    lease: float
    moved_at: float
    lost_hands: int = 0
    left: Mapping[str, int] = field(default_factory=dict)
    ends: Sequence[str] = ()
    damaged: Sequence[str] = ()
    disproved: Sequence[str] = ()
    given_again: Sequence[str] = ()
    apart: float = 0.0


def as_seconds(value: Any) -> Any:
    return value.replace(tzinfo=timezone.utc).timestamp() if isinstance(value, datetime) else value


def read_tables(connection: "pymysql.connections.Connection[Any]", before: Tables | None = None) -> Tables:
    """One consistent look; nothing can be written with it. Rows that are as they were `before` are those rows: after a long run
    there is no memory for two of each."""
    with connection.cursor(SSDictCursor) as cursor:
        cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
        tables = {}
        for table in TABLES:
            cursor.execute(f"SELECT * FROM {table} ORDER BY {KEYS.get(table, 'id')}")
            was = iter(before[table] if before is not None else ())
            tables[table] = [same_or_new(next(was, None), row) for row in cursor.fetchall_unbuffered()]
        cursor.execute("ROLLBACK")
    return tables


def same_or_new(was: Row | None, row: Row) -> Row:
    read = {name: as_seconds(value) for name, value in row.items()}
    return was if was is not None and was == read else read


def write_tables(tables: Tables, path: Path) -> None:
    """As JSON, a row a line."""
    with path.open("w") as file:
        for begin, (table, rows) in zip(("{", *[","] * len(tables)), tables.items()):
            file.write(f'{begin}"{table}": [')
            file.writelines(f"{comma}\n {json.dumps(row, default=str)}" for comma, row in zip(("", *[","] * len(rows)), rows))
            file.write("]\n")
        file.write("}\n")


def damage(connection: "pymysql.connections.Connection[Any]", log: str) -> list[str]:
    """What the database says is wrong with its own tables and files. It has to have removed what was deleted first: the check
    would look for history that is gone, and end the server (MDEV-35227)."""
    with connection.cursor() as cursor:
        cursor.execute("SET GLOBAL innodb_max_purge_lag_wait = 0")
        cursor.execute(f"CHECK TABLE {', '.join(TABLES)} EXTENDED")
        said = [f"{row['Table']}: {row['Msg_text']}" for row in cursor.fetchall()
                if row["Msg_text"] != "OK" and DELETED not in row["Msg_text"]]
    return said + [line for line in log.splitlines() if any(sign in line for sign in DAMAGE_SIGNS)]


def count_left(connection: "pymysql.connections.Connection[Any]") -> dict[str, int]:
    """What is to be done, by kind; empty when all is done."""
    with connection.cursor() as cursor:
        counts = {}
        for what, sql in LEFT.items():
            cursor.execute(sql)
            counts[what] = int(cursor.fetchone()["n"])
    return {what: number for what, number in counts.items() if number}
