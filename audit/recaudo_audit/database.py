"""One read-only snapshot of the database: everything that is compared is of the same moment."""

from typing import Any, Iterable, Iterator, Sequence

import pymysql
import pymysql.connections
import pymysql.cursors
from pymysql.constants import CLIENT

Row = dict[str, Any]
CHUNK = 2000  # rows of a table that are looked at together


# Whatever the server's global values and its init_connect are, and whether or not it takes the character set of the handshake.
BEGIN = ("SET NAMES utf8mb4, time_zone = '+00:00', sql_mode = '', sql_select_limit = 18446744073709551615, sql_big_selects = 1,"
         " sql_auto_is_null = 0, max_statement_time = 0, timestamp = DEFAULT",
         "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ", "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")


class Connection(pymysql.connections.Connection):  # type: ignore[type-arg]
    """With TLS, where it is asked for: PyMySQL would log in in clear text at a server that offers none."""

    def _get_server_information(self) -> None:
        super()._get_server_information()
        if self.ssl and not self.server_capabilities & CLIENT.SSL:
            raise pymysql.err.OperationalError(2026, "the server offers no TLS, so nothing was sent to it")


def connect(**login: Any) -> "Database":
    database = Database(Connection(charset="utf8mb4", cursorclass=pymysql.cursors.DictCursor, autocommit=False, **login))
    for statement in BEGIN:
        database.rows(statement)
    return database


class Database:
    """`connection` returns rows as dictionaries."""

    def __init__(self, connection: "pymysql.connections.Connection[Any]") -> None:
        self.connection = connection

    def rows(self, sql: str, *values: Any) -> list[Row]:
        with self.connection.cursor() as cursor:
            cursor.execute(sql, values or None)
            return list(cursor.fetchall())

    def stream(self, sql: str, *values: Any) -> Iterator[Row]:
        """Rows as they come; nothing else may be asked meanwhile."""
        with self.connection.cursor(pymysql.cursors.SSDictCursor) as cursor:
            cursor.execute(sql, values or None)
            yield from cursor.fetchall_unbuffered()

    def value(self, sql: str, *values: Any) -> Any:
        (row,) = self.rows(sql, *values)
        (value,) = row.values()
        return value

    def among(self, sql: str, numbers: Iterable[Any]) -> list[Row]:
        """The rows of a statement with one list of numbers, `IN %s`; none for an empty list."""
        wanted = sorted(set(numbers))
        return self.rows(sql, wanted) if wanted else []

    def chunks(self, table: str, columns: str = "*") -> Iterator[list[Row]]:
        """All rows of a table by their ids, some at a time."""
        last = -1
        while True:
            rows = self.rows(f"SELECT {columns} FROM {table} WHERE id > %s ORDER BY id LIMIT {CHUNK}", last)
            if not rows:
                return
            yield rows
            last = rows[-1]["id"]


def grouped(rows: Sequence[Row], key: str) -> dict[Any, list[Row]]:
    """The rows by the value of a column, each group in their order."""
    groups: dict[Any, list[Row]] = {}
    for row in rows:
        groups.setdefault(row[key], []).append(row)
    return groups
