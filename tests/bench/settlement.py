"""The settlement of a day with many payments: how long it takes, and how much memory."""

import re
import subprocess
import time
from pathlib import Path
from typing import Any, Sequence

from tests.bench.instance import Instance
from tests.bench.orders import FIRST_REFERENCE, NETWORK

DAY = "2026-01-15"
BIG_DAY = "2026-01-16"
MERCHANTS = 50
CHUNK = 50_000
FIRST = 900_000_000
LOOK_SECONDS = 0.005

# One payment in a hundred was cancelled; the others paid orders of many merchants. Spread over the day.
ORDERS = """
INSERT INTO orders (id, merchant_id, po_id, reference, state, amount, currency, origin, due_at, paid_by, changed_by)
SELECT {first} + seq, (SELECT MIN(id) FROM merchants WHERE name LIKE 'settled-%') + seq MOD {merchants},
       CONCAT('S', {first} + seq), {reference} + {first} + seq, IF(seq MOD 100 = 0, 'CANCELADA', 'APROBADA'),
       1000 + seq MOD 90000, 'COP', 'imported', '{day}', IF(seq MOD 100 = 0, NULL, {first} + seq), 'bench'
  FROM seq_{start}_to_{end}"""
TRANSACTIONS = """
INSERT INTO transactions (id, network_id, network_transaction, order_id, reference, state, amount, currency, commerce,
       description, teller, fingerprint, confirmed_at, window_ends_at, finalised_at, cancelled_at, changed_by)
SELECT {first} + seq, (SELECT id FROM networks WHERE name = '{network}'), CONCAT('S', {first} + seq), {first} + seq,
       {reference} + {first} + seq, IF(seq MOD 100 = 0, 'CANCELADA', 'FINALIZADA'), 1000 + seq MOD 90000, 'COP',
       'Comercio', '', '192.0.2.1', REPEAT('f', 32), {at} - INTERVAL 30 SECOND, {at},
       IF(seq MOD 100 = 0, NULL, {at}), IF(seq MOD 100 = 0, {at} - INTERVAL 10 SECOND, NULL), 'bench'
  FROM seq_{start}_to_{end}"""


def add_merchants(instance: Instance) -> None:
    for number in range(MERCHANTS):
        instance.stack.ctl.json("merchant", "add", f"settled-{number}")


def fill(instance: Instance, day: str, first: int, count: int) -> None:
    """So many payments of the day, whose numbers begin behind `first`."""
    at = f"TIMESTAMP'{day} 00:00:00' + INTERVAL seq * {86_300_000_000 // count} MICROSECOND + INTERVAL 1 MINUTE"
    with instance.stack.mariadb.connect() as connection, connection.cursor() as cursor:
        cursor.execute("SET SESSION foreign_key_checks = 0")
        for start in range(1, count + 1, CHUNK):
            end = min(start + CHUNK - 1, count)
            for statement in (ORDERS, TRANSACTIONS):
                cursor.execute(statement.format(first=first, reference=FIRST_REFERENCE, day=day, at=at, start=start,
                                                end=end, merchants=MERCHANTS, network=NETWORK))
        cursor.execute("ANALYZE TABLE orders, transactions")


def resident_peak(pid: int) -> int:
    """The greatest resident memory so far, in KiB; 0 when the process has just ended."""
    found = re.search(r"^VmHWM:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return int(found.group(1)) if found else 0


def report(instance: Instance, day: str, words: Sequence[str], into: Path) -> dict[str, float]:
    """Seconds and the greatest resident memory of one run, looked at while it runs; what it prints is left in `into`."""
    command = [instance.stack.ctl.path, "--config", str(instance.stack.config), "report", "settlement", "--date", day]
    peak = 0
    began = time.monotonic()
    with open(into, "wb") as output, subprocess.Popen([*command, *words], stdout=output) as process:
        while process.poll() is None:
            peak = max(peak, resident_peak(process.pid))
            time.sleep(LOOK_SECONDS)
    seconds = time.monotonic() - began
    if process.returncode != 0:
        raise RuntimeError(f"report settlement {' '.join(words)}: exit {process.returncode}")
    return {"seconds": seconds, "peak_kib": float(peak)}


def measure(instance: Instance, count: int) -> dict[str, Any]:
    """A day of so many payments, and one of a hundredth of them, in each form."""
    small = max(1, count // 100)
    add_merchants(instance)
    fill(instance, DAY, FIRST, small)
    fill(instance, BIG_DAY, FIRST + small, count)
    printed = instance.stack.directory / "settlement"
    forms: dict[str, dict[str, float]] = {}
    for form in ("csv", "json", "table"):
        few = report(instance, DAY, ("--format", form), printed)
        forms[form] = {**report(instance, BIG_DAY, ("--format", form), printed), "few_peak_kib": few["peak_kib"]}
    printed.unlink()
    return {"count": count, "few": small, "forms": forms,
            "seconds": max(row["seconds"] for row in forms.values()),
            "peak_kib": max(row["peak_kib"] for row in forms.values()),
            "few_peak_kib": max(row["few_peak_kib"] for row in forms.values())}
