"""The disk space that a paid order takes, with its transaction, its events, its notification and the attempt to deliver it."""

from typing import Any

from tests.stack import Stack, wait_until

from .backlog import Queue
from .endpoint import Endpoint
from .instance import Instance
from .orders import MERCHANT
from .tools import Tools

WINDOW = {"worker": {"cancel_window": "1s"}}
PATIENCE = 1800.0
SIZES = ("SELECT TABLE_NAME AS name, DATA_LENGTH + INDEX_LENGTH AS bytes FROM information_schema.TABLES"
         " WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE'")


def sizes(instance: Instance) -> dict[str, int]:
    """Bytes of each table with its indexes."""
    rows: list[dict[str, Any]] = instance.stack.mariadb.query(SIZES)
    names = ", ".join(row["name"] for row in rows)
    instance.stack.mariadb.query(f"ANALYZE TABLE {names}")
    return {row["name"]: int(row["bytes"]) for row in instance.stack.mariadb.query(SIZES)}


def measure(count: int, seconds: float) -> dict[str, Any]:
    """An instance of its own, in which so many orders are registered, paid, finalised and told."""
    with Stack(settings=WINDOW, dispatcher=False) as stack, Instance(stack) as instance, \
            Endpoint(stack.directory / "endpoint") as endpoint:
        tools, queue = Tools(instance, seconds), Queue(instance)
        queue.write("UPDATE merchants SET notify_url = %s, changed_by = 'operator:bench' WHERE name = %s", endpoint.base_url, MERCHANT)
        before = sizes(instance)
        orders = instance.fill(count)
        paid = tools.load(stack.base_url, "flow", orders, seconds=PATIENCE, connections=32)
        with queue.dispatching():
            told = "SELECT COUNT(*) FROM notifications WHERE state = 'delivered'"
            wait_until(lambda: int(queue.value(told)) == count, "the notifications", PATIENCE, 0.5)
        instance.calm_down()
        after = sizes(instance)
    tables = {name: (after[name] - before.get(name, 0)) / count for name in after}
    return {"orders": count, "wrong": paid["wrong"], "bytes": sum(tables.values()),
            "tables": {name: size for name, size in sorted(tables.items(), key=lambda item: -item[1]) if size >= 1}}
