"""How long the pages of the console take with very many orders:

    /usr/bin/python3 -m tests.bench.apart.console --orders 5000000 --keep DIRECTORY

What is filled under --keep is used again by the next run. Prints milliseconds for each page, for staff and for a merchant's
user, measured at the console's socket: the web server in front of it and its check of passwords are not part of it.
"""

import argparse
import time
from pathlib import Path
from typing import Any

from tests.http.fastcgi import FastCGI, request_bytes
from tests.stack import Stack

from .. import settlement
from ..backlog import Queue
from ..instance import Instance
from ..orders import MERCHANT, NETWORK
from ..sizes import buffer_pool

PAID_SHARE = 10  # one order in so many is paid
STAFF, OWN = "vera", "own"
ROUNDS, HUNDRED = 40, 100
MOST_MILLISECONDS = 100.0


def fill(instance: Instance, orders: int) -> None:
    """Orders of one big merchant, of which a part was paid to fifty others within the day before."""
    query = instance.stack.mariadb.query
    if query("SELECT COUNT(*) AS n FROM merchants WHERE name LIKE 'settled-%'")[0]["n"] == 0:
        settlement.add_merchants(instance)
        day = str(query("SELECT CAST(DATE(UTC_TIMESTAMP() - INTERVAL 1 DAY) AS CHAR) AS day")[0]["day"])
        settlement.fill(instance, day, settlement.FIRST, orders // PAID_SHARE)
        Queue(instance).add_finished(orders // PAID_SHARE, settlement.FIRST)
    instance.grow(orders - orders // PAID_SHARE)


def add_users(instance: Instance) -> None:
    if not instance.stack.mariadb.query("SELECT 1 FROM console_users WHERE name = %s", STAFF):
        instance.stack.ctl.done("user", "add", STAFF, "--role", "operator")
        instance.stack.ctl.done("user", "add", OWN, "--role", "merchant", "--merchant", MERCHANT)


def pages(instance: Instance) -> list[str]:
    query = instance.stack.mariadb.query
    merchant = query("SELECT id FROM merchants WHERE name = %s", MERCHANT)[0]["id"]
    network = query("SELECT id FROM networks WHERE name = %s", NETWORK)[0]["id"]
    paid = query("SELECT order_id, network_transaction, id FROM transactions ORDER BY id LIMIT 1 OFFSET 1000")[0]
    order = query("SELECT id, reference FROM orders ORDER BY id DESC LIMIT 1")[0]
    old = query("SELECT CAST(DATE(MIN(created_at)) AS CHAR) AS day FROM orders")[0]["day"]
    return ["/", f"/find?q={order['reference']}", f"/find?q={paid['network_transaction']}", "/find?q=nobody-has-this",
            f"/orders/{order['id']}", f"/orders/{paid['order_id']}", "/orders", "/orders?state=APROBADA", "/orders?state=ANULADA",
            f"/orders?merchant={merchant}&state=VENCIDA", f"/orders?to={old}", "/transactions", "/transactions?state=CANCELADA",
            "/notifications", "/notifications?state=exhausted", "/merchants", f"/merchants/{merchant}", "/networks",
            f"/networks/{network}", "/settlement", "/log", f"/log?subject=order&id={order['id']}", "/users"]


def took(socket: str, user: str, path: str) -> float:
    """Milliseconds of one page."""
    began = time.perf_counter()
    with FastCGI(socket) as connection:
        connection.send(request_bytes("GET", path, keep=False, REMOTE_USER=user))
        reply = connection.receive()
    if "Status: 5" in reply:
        raise RuntimeError(f"{path}: {reply[:200]}")
    return (time.perf_counter() - began) * 1000


def measure(instance: Instance) -> dict[str, list[float]]:
    """Each page of each user, in turn, as often as a percentile needs."""
    socket = instance.stack.console.socket
    rows = {f"{user} {path}": [] for user in (STAFF, OWN) for path in pages(instance)}  # type: dict[str, list[float]]
    for _ in range(ROUNDS):
        for row, times in rows.items():
            times.append(took(socket, *row.split(" ", 1)))
    return rows


def percentile(times: list[float], share: int) -> float:
    return sorted(times)[min(len(times) - 1, len(times) * share // HUNDRED)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=5_000_000)
    parser.add_argument("--keep", type=Path, required=True)
    given = parser.parse_args()
    given.keep.mkdir(parents=True, exist_ok=True)
    settings: dict[str, Any] = {"console": {"threads": 4}}
    with Stack(given.keep, settings=settings, dispatcher=False, buffer_pool=buffer_pool(given.orders), console=True) as stack, \
            Instance(stack) as instance:
        fill(instance, given.orders)
        add_users(instance)
        rows = measure(instance)
    print(f"{'page':<60} {'p50':>8} {'p95':>8} {'max':>8}   ({given.orders} orders; milliseconds)")
    for row, times in rows.items():
        print(f"{row:<60} {percentile(times, 50):8.1f} {percentile(times, 95):8.1f} {max(times):8.1f}")
    return 1 if max(percentile(times, 95) for times in rows.values()) >= MOST_MILLISECONDS else 0


if __name__ == "__main__":
    raise SystemExit(main())
