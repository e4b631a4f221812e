"""What is measured: an instance of everything, the floor beside it, and orders to pay."""

import os
import re
import shutil
from pathlib import Path
from typing import Any

from tests.stack import Nginx, Process, Stack
from tests.stack.paths import program
from tests.stack.private_files import write_private
from tests.stack.process import listens_on
from tests.stack.waiting import wait_until

NETWORK = "bench"
MERCHANT = "bench"
COMMERCE = "Comercio de prueba"
FIRST_REFERENCE = 7_000_000_000
FILL_CHUNK = 50_000
DIRTY_PAGES_WHEN_CALM = 100
CALM_SECONDS = 300
FILL = """
INSERT INTO orders (merchant_id, po_id, reference, amount, currency, description, origin, due_at, changed_by)
SELECT m.id, {base} + seq, {base} + seq, CONCAT(1000 + seq MOD 90000, '.', LPAD(seq MOD 100, 2, '0')), 'COP',
       CONCAT('Pedido ', seq), 'imported', UTC_TIMESTAMP(6) + INTERVAL 10 DAY, 'operator:bench'
  FROM seq_{first}_to_{last} CROSS JOIN merchants m WHERE m.name = '{merchant}'"""


class UnkeptNginx(Nginx):
    """nginx that opens a FastCGI connection for each request."""

    def write_config(self) -> None:
        super().write_config()
        path = self.directory / "recaudo.conf"
        text, changes = re.subn(r"fastcgi_keep_conn on;", "fastcgi_keep_conn off;", path.read_text())
        if changes != 1:
            raise ValueError("nginx/recaudo.conf: fastcgi_keep_conn is not where it was")
        path.write_text(text)


class Floor:
    """recaudo-floor behind the product's nginx configuration."""

    def __init__(self, stack: Stack, name: str, threads: int, kept: bool) -> None:
        directory = stack.directory / name
        socket = str(stack.sockets / f"{name}.sock")
        self.nginx = (Nginx if kept else UnkeptNginx)(directory, socket)
        command = [program("tests/bench/recaudo-floor"), "--config", str(stack.config), "--socket", socket, "--threads",
                   str(threads)]
        self.process = Process(name, command, directory / "log" / f"{name}.log", lambda: listens_on(socket))

    def start(self) -> None:
        self.process.start()
        self.nginx.start()

    def stop(self) -> None:
        self.nginx.stop()
        self.process.kill()


class Instance:
    """A started stack with a network, a merchant and the two floors; none of these with `floor_threads` 0."""

    def __init__(self, stack: Stack, floor_threads: int) -> None:
        self.stack = stack
        self.orders = 0
        self.hash_file = stack.directory / "network.hash"
        self.merchant_hash_file = stack.directory / "merchant.hash"
        self.floors = {} if floor_threads == 0 else {
            "floor, kept": Floor(stack, "floor-kept", floor_threads, True),
            "floor, not kept": Floor(stack, "floor-unkept", 16, False)}

    def __enter__(self) -> "Instance":
        made = self.stack.ctl.json("network", "add", NETWORK)
        write_private(self.hash_file, made["fixed_hash"] + "\n")
        made = self.stack.ctl.json("merchant", "add", MERCHANT, "--commerce", COMMERCE, "--country", "343")
        write_private(self.merchant_hash_file, made["fixed_hash"] + "\n")
        for floor in self.floors.values():
            floor.start()
        return self

    def __exit__(self, *_: object) -> None:
        for floor in self.floors.values():
            floor.stop()

    def urls(self) -> dict[str, str]:
        """Where lookups can be sent, by name of the target."""
        return {**{name: floor.nginx.base_url for name, floor in self.floors.items()}, "recaudo": self.stack.base_url}

    def program_processes(self, name: str) -> list[int]:
        """The process ids of a target, without nginx and database."""
        if name in self.floors:
            return [self.floors[name].process.pid]
        return [self.stack.worker.pid, *self.stack.worker.children()]

    def fill(self, count: int) -> Path:
        """Adds so many orders; a file that lists them."""
        first, last = self.orders + 1, self.orders + count
        with self.stack.mariadb.connect() as connection, connection.cursor() as cursor:
            cursor.execute("SET SESSION foreign_key_checks = 0")
            for start in range(first, last + 1, FILL_CHUNK):
                cursor.execute(FILL.format(base=FIRST_REFERENCE, first=start, last=min(start + FILL_CHUNK - 1, last),
                                           merchant=MERCHANT))
            cursor.execute("ANALYZE TABLE orders, transactions")
        self.calm_down()
        self.orders = last
        return self.list_orders(first, last)

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

    def grow(self, untouched: Path, count: int) -> Path:
        """Adds what is missing to so many orders; a file of the new ones and those in `untouched`."""
        if count <= self.orders:
            return untouched
        path = self.fill(count - self.orders)
        with open(path, "a") as file, open(untouched) as others:
            shutil.copyfileobj(others, file)
        return path

    def list_orders(self, first: int, last: int) -> Path:
        """A file for the load generator with the orders number `first` to `last`."""
        path = self.stack.directory / f"orders-{first}-{last}"
        with open(path, "w") as file:
            for number in range(first, last + 1):
                amount = f"{1000 + number % 90000}.{number % 100:02d}"
                file.write(f"{FIRST_REFERENCE + number}\t{amount}\t{COMMERCE}\tCOP\n")
        return path

    def questions(self) -> int:
        """Statements and commands the server has received so far."""
        rows: list[dict[str, Any]] = self.stack.mariadb.query(
            "SHOW GLOBAL STATUS WHERE Variable_name IN ('Questions', 'Com_admin_commands')")
        return sum(int(row["Value"]) for row in rows)

    def worker_memory(self) -> int:
        """Resident memory of the worker's processes, in KiB."""
        return sum(resident(pid) for pid in self.program_processes("recaudo"))


def processor_seconds(processes: list[int]) -> float:
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
