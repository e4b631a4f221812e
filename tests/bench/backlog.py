"""Notifications and dispatchers for the measurements of the dispatcher."""

from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Iterator

from tests.stack import Dispatcher

from .instance import Instance
from .orders import MERCHANT

CHUNK = 50_000
NOTIFY = """
INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means)
SELECT o.id, {first} + o.id MOD {merchants}, '{status}', 'pending', o.amount, 'EFECTIVO'
  FROM orders o WHERE o.id BETWEEN %s AND %s"""
FINISHED = """
INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means, attempts, settled_at)
SELECT {first} + seq, m.id, 'approved', 'delivered', 1000, 'EFECTIVO', 1, UTC_TIMESTAMP(6)
  FROM seq_{start}_to_{end} CROSS JOIN merchants m WHERE m.name = '{merchant}'"""
NO_ORDERS = 1 << 40  # there are none with such ids


@dataclass(frozen=True)
class Batch:
    """Notifications that were made due together: the range of their ids, which may have gaps."""

    first: int
    last: int
    count: int


class Queue:
    """The instance's notifications, written as the owner."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.database = instance.stack.mariadb.connect()
        self.merchants = 0
        self.finished = 0

    def value(self, sql: str, *values: Any) -> Any:
        with self.database.cursor() as cursor:
            cursor.execute(sql, values or None)
            row = cursor.fetchone()
        return next(iter(row.values())) if row else None

    def rows(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        with self.database.cursor() as cursor:
            cursor.execute(sql, values or None)
            return list(cursor.fetchall())

    def write(self, sql: str, *values: Any) -> None:
        with self.database.cursor() as cursor:
            cursor.execute(sql, values or None)

    def now(self) -> datetime:
        return self.value("SELECT UTC_TIMESTAMP(6)")

    def add_merchants(self, url: str, count: int = 1) -> int:
        """Merchants with this URL and ids one after the other; the first one's."""
        first = 0
        for _ in range(count):
            self.merchants += 1
            name = f"told-{self.merchants}"
            self.instance.stack.ctl.done("merchant", "add", name, "--commerce", name, "--notify-url", url)
            number = int(self.value("SELECT id FROM merchants WHERE name = %s", name))
            first = first or number
        return first

    def fill(self, count: int, merchant: int, merchants: int = 1) -> Batch:
        """Due notifications about as many new orders, in turn for merchants with ids from `merchant` on."""
        self.instance.fill(count)
        batch = self.notify(*self.newest_orders(count), merchant, merchants)
        if batch.count != count:
            raise RuntimeError(f"{batch.count} notifications instead of {count}")
        return batch

    def newest_orders(self, count: int) -> tuple[int, int]:
        """The least and the greatest id of so many."""
        row, = self.rows("SELECT MIN(id), MAX(id) FROM (SELECT id FROM orders ORDER BY id DESC LIMIT %s) newest", count)
        first, last = row.values()
        return int(first), int(last)

    def notify(self, first_order: int, last_order: int, merchant: int, merchants: int = 1,
               status: str = "approved") -> Batch:
        before = int(self.value("SELECT COALESCE(MAX(id), 0) FROM notifications"))
        sql = NOTIFY.format(first=merchant, merchants=merchants, status=status)
        for start in range(first_order, last_order + 1, CHUNK):
            self.write(sql, start, min(start + CHUNK - 1, last_order))
        return Batch(*self.rows("SELECT MIN(id), MAX(id), COUNT(*) FROM notifications WHERE id > %s", before)[0].values())

    def add_finished(self, count: int, first: int = NO_ORDERS) -> None:
        """Notifications that were delivered long ago, about the orders behind `first`."""
        for start in range(self.finished + 1, self.finished + count + 1, CHUNK):
            end = min(start + CHUNK - 1, self.finished + count)
            self.write(FINISHED.format(first=first, start=start, end=end, merchant=MERCHANT))
        self.finished += count
        self.write("ANALYZE TABLE notifications")

    def delivered(self, batch: Batch) -> int:
        return int(self.value("SELECT COUNT(*) FROM notifications WHERE id BETWEEN %s AND %s AND state = 'delivered'",
                              batch.first, batch.last))

    def seconds_of(self, batch: Batch) -> float:
        """From the first attempt to the last outcome recorded."""
        return float(self.value(
            "SELECT TIMESTAMPDIFF(MICROSECOND, (SELECT MIN(started_at) FROM attempts WHERE notification_id BETWEEN %s AND %s),"
            " (SELECT MAX(settled_at) FROM notifications WHERE id BETWEEN %s AND %s))",
            batch.first, batch.last, batch.first, batch.last)) / 1e6

    def dispatcher(self, *words: str) -> Dispatcher:
        """One that is not started. Without words it works until it is stopped."""
        stack = self.instance.stack
        dispatcher = Dispatcher(stack.config, stack.directory / "log" / "dispatcher.log")
        if words:
            dispatcher.command[-2:] = words
        return dispatcher

    @contextmanager
    def dispatching(self) -> Iterator[Dispatcher]:
        dispatcher = self.dispatcher()
        dispatcher.start()
        try:
            yield dispatcher
        finally:
            dispatcher.stop()

    def status(self, *names: str) -> dict[str, int]:
        """The server's counters."""
        rows = self.rows("SHOW GLOBAL STATUS")
        return {row["Variable_name"]: int(row["Value"]) for row in rows if row["Variable_name"] in names}
