"""A database with merchants, orders and notifications, and dispatchers with whatever configuration a test needs."""

import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any, Iterator, Mapping, Sequence

import pymysql
from pymysql.constants import ER

from .config import Settings, default_settings, write_config
from .merchant_stub import WHO_KNOWS
from .process import Process
from .programs import Dispatcher
from .stack import Stack
from .waiting import wait_until

EMPTIED = ("reference_owners", "settlement_items", "refunds", "notifications", "attempts", "endpoints", "dispatchers",
           "account_ledger", "accounts", "transactions", "orders", "event_log", "seals", "last_done")
NUMBERS = count(1)  # of merchants, orders and configurations: two rigs may share a database
NO_ALLOW_LIST: Settings = {"security": {"allow_addresses": None}}


@contextmanager
def database_only(buffer_pool: str = "256M") -> Iterator[Stack]:
    """An instance without workers and web server."""
    stack = Stack(dispatcher=False, buffer_pool=buffer_pool)
    try:
        stack.write_config()
        stack.mariadb.start()
        stack.migrate()
        yield stack
    finally:
        stack.close()


@dataclass(frozen=True)
class Merchant:
    id: int
    name: str
    fixed_hash: str
    notification_hash: str


class DispatchRig:
    """`stack` needs nothing but its database; workers and nginx are for tests that pay as a network does."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.database = stack.mariadb.connect()
        self.numbers = NUMBERS
        self.running: list[Process] = []
        self.known: dict[str, int] = {}
        WHO_KNOWS.append(self.number_of)

    def number_of(self, webhook_id: str) -> int | None:
        """The notification's number; None where it is not in this database, or the database is gone."""
        if webhook_id not in self.known:
            try:
                rows = self.stack.mariadb.query("SELECT webhook_id, id FROM notifications")
            except (pymysql.err.Error, OSError):
                return None
            self.known.update((row["webhook_id"], row["id"]) for row in rows)
        return self.known.get(webhook_id)

    # Rows, written as the owner.

    def rows(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        self.database.ping()
        with self.database.cursor() as cursor:
            cursor.execute(sql, values or None)
            return list(cursor.fetchall())

    def row(self, sql: str, *values: Any) -> dict[str, Any]:
        (row,) = self.rows(sql, *values)
        return row

    def value(self, sql: str, *values: Any) -> Any:
        (value,) = self.row(sql, *values).values()
        return value

    def write(self, sql: str, *values: Any) -> int:
        """A statement by itself; one that the database gave up for a dispatcher's sake is tried again."""
        self.database.ping()
        while True:
            try:
                with self.database.cursor() as cursor:
                    return int(cursor.execute(sql, values or None))
            except pymysql.err.OperationalError as error:
                if error.args[0] != ER.LOCK_DEADLOCK:
                    raise

    @contextmanager
    def refusing(self, event: str, table: str, condition: str = "TRUE") -> Iterator[None]:
        """A trigger of the operator's own refuses to INSERT, UPDATE or DELETE such rows of the table."""
        self.write(f"CREATE TRIGGER refusing BEFORE {event} ON {table} FOR EACH ROW IF {condition} THEN"
                   " SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refused'; END IF")
        try:
            yield
        finally:
            self.write("DROP TRIGGER refusing")

    def empty(self) -> None:
        """Everything goes but the merchants: each test has its own. To truncate a table without rows costs as much as one with."""
        filled = [table for table in EMPTIED if self.rows(f"SELECT 1 FROM {table} LIMIT 1")]
        self.write("SET foreign_key_checks = 0")
        for table in filled:
            self.write(f"TRUNCATE {table}")
        self.write("SET foreign_key_checks = 1")

    def now(self) -> datetime:
        return self.value("SELECT UTC_TIMESTAMP(6)")

    def lock_waits(self) -> int:
        """The server looks anew only when it was not asked for a tenth of a second."""
        return int(self.value("SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"))

    # Merchants, orders, notifications.

    def merchant(self, url: str | None, *options: str) -> Merchant:
        """A new merchant, made by the operator's command."""
        name = f"tienda-{next(self.numbers)}"
        address = [] if url is None else ["--notify-url", url]
        hashes = self.stack.ctl.json("merchant", "add", name, "--commerce", f"Tienda {name}", *address, *options)
        number = self.value("SELECT id FROM merchants WHERE name = %s", name)
        return Merchant(number, name, hashes["fixed_hash"], hashes["notification_hash"])

    def orders(self, merchant: Merchant, count: int = 1, **columns: Any) -> list[int]:
        """Orders of this merchant; their ids. Without more words they are paid, so that a notification fits to them."""
        first = 1_000_000_000 + next(self.numbers) * 10_000_000
        row = {"state": "APROBADA", "amount": "45000", "currency": "COP", "origin": "imported",
               "due_at": self.value("SELECT UTC_TIMESTAMP(6) + INTERVAL 1 DAY"), "changed_by": "test", **columns}
        is_paid = row["state"] in ("APROBADA", "ANULADA")
        names = ", ".join(row)
        marks = ", ".join(["%s"] * len(row))
        self.write(f"INSERT INTO orders (merchant_id, po_id, reference, {names}, paid_by)"
                   f" SELECT %s, CONCAT('po-', %s + seq), %s + seq, {marks},"
                   f" {first if is_paid else 'NULL'} + seq FROM seq_1_to_{count}",
                   merchant.id, first, first, *row.values())
        found = self.rows("SELECT id FROM orders WHERE reference > %s AND reference <= %s ORDER BY id", str(first),
                          str(first + count))
        assert len(found) == count
        return [order["id"] for order in found]

    def confirmed_orders(self, merchant: Merchant, count: int, window_ends_at: datetime) -> list[int]:
        """Orders held by a confirmed payment whose window ends at this instant; their ids."""
        if not self.rows("SELECT id FROM networks"):
            self.stack.ctl.done("network", "add", "red")
        orders = self.orders(merchant, count, state="PENDIENTE")
        self.write("INSERT INTO transactions (network_id, network_transaction, order_id, reference, state, amount,"
                   " currency, commerce, description, teller, fingerprint, confirmed_at, window_ends_at, changed_by)"
                   " SELECT (SELECT MIN(id) FROM networks), CONCAT('t-', id), id, reference, 'CONFIRMADA', amount,"
                   " currency, 'Tienda', '', '192.0.2.1', REPEAT('x', 32), LEAST(%s - INTERVAL 30 SECOND, UTC_TIMESTAMP(6)), %s, 'network:red'"
                   " FROM orders WHERE id BETWEEN %s AND %s", window_ends_at, window_ends_at, orders[0], orders[-1])
        self.write("UPDATE orders o JOIN transactions t ON t.order_id = o.id"
                   " SET o.held_by = t.id, o.held_until = t.window_ends_at WHERE o.id BETWEEN %s AND %s",
                   orders[0], orders[-1])
        return orders

    def notify(self, merchant: Merchant, count: int = 1, **columns: Any) -> list[int]:
        """Due notifications about as many orders; their ids."""
        orders = self.orders(merchant, count)
        return self.notifications_about(merchant, orders, **columns)

    def notifications_about(self, merchant: Merchant, orders: Sequence[int], **columns: Any) -> list[int]:
        row = {"status": "approved", "state": "pending", "amount": "45000", "payment_means": "EFECTIVO", **columns}
        is_paid = row["state"] in ("APROBADA", "ANULADA") and "paid_by" not in row
        names = ", ".join(row)
        marks = ", ".join(["%s"] * len(row))
        self.write(f"INSERT INTO notifications (order_id, merchant_id, {names})"
                   f" SELECT id, %s, {marks} FROM orders WHERE id BETWEEN %s AND %s", merchant.id, *row.values(),
                   orders[0], orders[-1])
        found = self.rows("SELECT id FROM notifications WHERE order_id BETWEEN %s AND %s AND status = %s ORDER BY id",
                          orders[0], orders[-1], row["status"])
        assert len(found) == len(orders)
        return [notification["id"] for notification in found]

    def notification(self, number: int) -> dict[str, Any]:
        return self.row("SELECT * FROM notifications WHERE id = %s", number)

    def attempts(self, number: int) -> list[dict[str, Any]]:
        return self.rows("SELECT * FROM attempts WHERE notification_id = %s ORDER BY id", number)

    def count(self, state: str) -> int:
        return int(self.value("SELECT COUNT(*) FROM notifications WHERE state = %s", state))

    def await_count(self, state: str, count: int, timeout: float = 60.0) -> None:
        wait_until(lambda: self.count(state) >= count, f"{count} notifications to be {state}", timeout, 0.05)

    def await_instant(self, instant: datetime, timeout: float = 60.0) -> None:
        wait_until(lambda: self.now() >= instant, f"the database's clock to reach {instant}", timeout)

    def make_due(self) -> None:
        """The clock moves on: what is to be tried again, or is in a dispatcher's hands, is due now."""
        self.write("UPDATE notifications SET due_at = UTC_TIMESTAMP(6) WHERE state = 'pending'"
                   " AND due_at > UTC_TIMESTAMP(6)")

    def end_rests(self) -> None:
        self.write("UPDATE endpoints SET resting_until = UTC_TIMESTAMP(6)")

    # Dispatchers.

    def change_settlements(self, assignments: str) -> None:
        """What their trigger refuses, as if time had passed: it is away for a moment."""
        made = self.row("SHOW CREATE TRIGGER settlements_keep")["SQL Original Statement"]
        self.write("DROP TRIGGER settlements_keep")
        self.write(f"UPDATE settlements SET {assignments}")
        self.write(made.replace("%", "%%"))

    def config(self, settings: Settings | None = None) -> Path:
        """A configuration file; a setting that is None is left out."""
        path = self.stack.directory / f"recaudo-{next(self.numbers)}.conf"
        merged: dict[str, dict[str, object]] = default_settings(self.stack.mariadb, self.stack.worker.socket,
                                                                self.stack.key_file)
        for section, values in (settings or {}).items():
            merged.setdefault(section, {}).update(values)
        write_config(path, {section: without_none(values) for section, values in merged.items()})
        return path

    def new_dispatcher(self, settings: Settings | None = None, seconds: int = 3600) -> Dispatcher:
        path = self.config(settings)
        return Dispatcher(path, self.stack.directory / "log" / f"{path.stem}.log", seconds)

    @contextmanager
    def dispatcher(self, settings: Settings | None = None, seconds: int = 3600) -> Iterator[Dispatcher]:
        """One that works until it is no longer needed; after a failure the end of its log is shown."""
        dispatcher = self.new_dispatcher(settings, seconds)
        dispatcher.start()
        self.running.append(dispatcher)
        try:
            yield dispatcher
        except BaseException:
            print(f"--- {dispatcher.log}\n{dispatcher.log_tail(30)}", file=sys.stderr)
            raise
        finally:
            dispatcher.stop()
            self.running.remove(dispatcher)

    def run_once(self, settings: Settings | None = None) -> "subprocess.CompletedProcess[str]":
        return self.new_dispatcher(settings).once()

    def pass_once(self, settings: Settings | None = None) -> "subprocess.CompletedProcess[str]":
        """One pass that must go well."""
        result = self.run_once(settings)
        assert result.returncode == 0, result.stderr
        return result

    def stop_all(self) -> None:
        for process in list(self.running):
            process.stop()


def without_none(values: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in values.items() if value is not None}
