"""What is measured: an instance of everything, and orders to pay."""

import os
import re
from pathlib import Path
from typing import Any, Sequence

from tests.stack import Stack
from tests.stack.private_files import write_private
from tests.stack.waiting import wait_until

from .orders import ACCOUNTS, COMMERCE, FIRST_ACCOUNT, FIRST_REFERENCE, MERCHANT, NETWORK, OPEN_FROM, ROWS, SAMPLE, write_orders

FILL_CHUNK = 50_000
DIRTY_PAGES_WHEN_CALM = 100
CALM_SECONDS = 300
FILL = """
INSERT INTO orders (merchant_id, po_id, reference, amount, currency, description, origin, due_at, changed_by)
SELECT m.id, {reference}, {reference}, {amount}, 'COP', CONCAT('Pedido ', seq), 'imported', UTC_TIMESTAMP(6) + INTERVAL 10 DAY,
       'operator:bench'
  FROM seq_{first}_to_{last} CROSS JOIN merchants m WHERE m.name = '{merchant}'"""
FILL_ACCOUNTS = f"""
INSERT INTO accounts (document, document_type, name, lastname1, lastname2, currency, changed_by)
SELECT {FIRST_ACCOUNT} + seq, 'CC', 'Ana', 'Paz', '', 'COP', 'operator:bench' FROM seq_1_to_{ACCOUNTS}"""


class Instance:
    """A started stack with a network and a merchant; what an earlier run has kept in the stack's directory is used again."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.orders = 0
        self.hash_file = stack.directory / "network.hash"
        self.merchant_hash_file = stack.directory / "merchant.hash"

    def __enter__(self) -> "Instance":
        if self.hash_file.exists():
            self.orders = self.count_orders()
            return self
        made = self.stack.ctl.json("network", "add", NETWORK)
        write_private(self.hash_file, made["fixed_hash"] + "\n")
        made = self.stack.ctl.json("merchant", "add", MERCHANT, "--commerce", COMMERCE, "--country", "343")
        write_private(self.merchant_hash_file, made["fixed_hash"] + "\n")
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def processes(self) -> list[int]:
        """The worker's process ids."""
        return [self.stack.worker.pid, *self.stack.worker.children()]

    def fill(self, count: int) -> Path:
        """Adds so many orders; a file that lists them."""
        first = self.orders + 1
        self.add_orders(count)
        return write_orders(self.stack.directory / f"orders-{first}-{self.orders}", first, self.orders)

    def grow(self, count: int) -> Path:
        """Adds what is missing to so many orders; a file of orders spread evenly over all of them."""
        if count > self.orders:
            self.add_orders(count - self.orders)
        return write_orders(self.stack.directory / "orders-spread", 1, count, SAMPLE)

    def add_orders(self, count: int) -> None:
        first, last = self.orders + 1, self.orders + count
        with self.stack.mariadb.connect() as connection, connection.cursor() as cursor:
            cursor.execute("SET SESSION foreign_key_checks = 0")
            for start in range(first, last + 1, FILL_CHUNK):
                cursor.execute(FILL.format(first=start, last=min(start + FILL_CHUNK - 1, last), merchant=MERCHANT, **ROWS))
            cursor.execute("ANALYZE TABLE orders, transactions")
        self.calm_down()
        self.orders = last

    def count_orders(self) -> int:
        """Those that `fill` has added."""
        rows: list[dict[str, Any]] = self.stack.mariadb.query(
            "SELECT COUNT(*) AS number FROM orders WHERE reference > %s AND reference < %s", str(FIRST_REFERENCE), str(OPEN_FROM))
        return int(rows[0]["number"])

    def add_open_orders(self, count: int) -> None:
        """Orders whose amount the customer chooses."""
        self.stack.mariadb.query(FILL.format(first=1, last=count, merchant=MERCHANT, reference=f"{OPEN_FROM} + seq", amount="0"))

    def add_accounts(self) -> None:
        self.stack.mariadb.query(FILL_ACCOUNTS)

    def calm_down(self) -> None:
        """Waits until the database has written what it was filled with: that would run beside what is measured."""
        before = self.stack.mariadb.query("SELECT @@GLOBAL.innodb_max_dirty_pages_pct AS share")[0]["share"]
        self.stack.mariadb.query("SET GLOBAL innodb_max_dirty_pages_pct = 0")
        wait_until(lambda: self.dirty_pages() < DIRTY_PAGES_WHEN_CALM or None, "filled pages written", CALM_SECONDS)
        self.stack.mariadb.query("SET GLOBAL innodb_max_dirty_pages_pct = %s", before)

    def dirty_pages(self) -> int:
        rows: list[dict[str, Any]] = self.stack.mariadb.query(
            "SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_dirty'")
        return int(rows[0]["Value"])

    def questions(self) -> int:
        """Statements and commands the server has received so far."""
        rows: list[dict[str, Any]] = self.stack.mariadb.query(
            "SHOW GLOBAL STATUS WHERE Variable_name IN ('Questions', 'Com_admin_commands')")
        return sum(int(row["Value"]) for row in rows)

    def worker_memory(self) -> int:
        """Resident memory of the worker's processes, in KiB."""
        return sum(resident(pid) for pid in self.processes())


def processor_seconds(processes: Sequence[int]) -> float:
    """Processor time that living processes have used so far."""
    ticks = 0
    for pid in processes:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"^VmRSS:\s+(\d+) kB$", status, re.MULTILINE)
    return int(found.group(1)) if found else 0
