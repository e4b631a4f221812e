"""The measurements of the dispatcher. Each returns plain data for the tables and the JSON report."""

import statistics
import threading
import time
from pathlib import Path
from typing import Any, Callable

from tests.stack.merchant_stub import MerchantStub, hold, ok
from tests.stack import Dispatcher, wait_until

from .backlog import Batch, Queue
from .endpoint import Endpoint
from .instance import processor_seconds, resident
from .orders import MERCHANT
from .measures import Row, Table, answers, interleave, medians
from .tools import Result, Tools

MANY_MERCHANTS = 20
SAMPLE_SECONDS = 0.05
LONGEST = 3600.0
READS = ("Com_stmt_execute", "Rows_read")


class Watched:
    """Runs a dispatcher to its end; meanwhile its delivering process's memory in KiB, open files and processor time."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self.memory: list[int] = []
        self.files: list[int] = []
        self.processor = 0.0
        dispatcher.spawn()
        try:
            wait_until(lambda: not self._sample(dispatcher), "the dispatcher to end", LONGEST, SAMPLE_SECONDS)
        finally:
            self.exit_status = dispatcher.stop()

    def _sample(self, dispatcher: Dispatcher) -> bool:
        process = dispatcher.process("deliver")
        try:
            if process is None:
                return dispatcher.running()
            memory, files = resident(process), len(list(Path(f"/proc/{process}/fd").iterdir()))
            self.processor = processor_seconds([process])
        except OSError:
            return dispatcher.running()
        if dispatcher.running() and memory > 0:
            self.memory.append(memory)
            self.files.append(files)
        return dispatcher.running()


def deliver(tools: Tools, queue: Queue, batch: Batch) -> tuple[Watched, Row]:
    """Clears a batch in one pass."""
    database = [tools.instance.stack.mariadb.process.pid]
    before = processor_seconds(database)
    watched = Watched(queue.dispatcher("--once"))
    delivered = queue.delivered(batch)
    tools.wrong += batch.count - delivered
    each = 1e6 / batch.count
    return watched, {"per_second": delivered / queue.seconds_of(batch), "program_cpu_us": watched.processor * each,
                     "database_cpu_us": (processor_seconds(database) - before) * each}


def deliveries(tools: Tools, queue: Queue, rounds: int, connections: int, count: int) -> Table:
    """What one dispatcher delivers to a fast endpoint, beside what the load generator posts to it."""
    orders = tools.instance.fill(1000)
    with Endpoint(tools.instance.stack.directory / "endpoint") as endpoint:
        one, many = queue.add_merchants(endpoint.base_url), queue.add_merchants(endpoint.base_url, MANY_MERCHANTS)

        def to(merchant: int, merchants: int) -> Callable[[], Result]:
            return lambda: {"row": deliver(tools, queue, queue.fill(count, merchant, merchants))[1]}

        posts = f"load generator, {connections}"
        results = interleave(rounds, {
            posts: lambda: tools.load(endpoint.base_url, "notify", orders, connections=connections),
            "recaudo, 1 merchant": to(one, 1), f"recaudo, {MANY_MERCHANTS} merchants": to(many, MANY_MERCHANTS)})
    table = {posts: medians(results.pop(posts), "notify")}
    for name, runs in results.items():
        table[name] = {metric: statistics.median(run["row"][metric] for run in runs) for metric in runs[0]["row"]}
    return table


def backlog(tools: Tools, queue: Queue, count: int) -> Row:
    """Due notifications cleared by one pass: how fast, and what becomes of its memory after the first quarter."""
    with Endpoint(tools.instance.stack.directory / "endpoint") as endpoint:
        batch = queue.fill(count, queue.add_merchants(endpoint.base_url, MANY_MERCHANTS), MANY_MERCHANTS)
        watched, row = deliver(tools, queue, batch)
    early = len(watched.memory) // 4
    return {"count": count, "per_second": row["per_second"], "early_kib": watched.memory[early],
            "most_kib": max(watched.memory[early:]), "early_files": watched.files[early],
            "most_files": max(watched.files[early:])}


def idle_pass(tools: Tools, queue: Queue, finished: int) -> Row:
    """What a dispatcher that has nothing to do asks of the database, with so many notifications finished."""
    queue.add_finished(finished - queue.finished)
    processes = [tools.instance.stack.mariadb.process.pid]
    with queue.dispatching() as dispatcher:
        wait_until(lambda: queue.value("SELECT COUNT(*) FROM dispatchers WHERE ended_at IS NULL") >= 2, "the heartbeats")
        programs = [dispatcher.pid, *dispatcher.children()]
        before, began = queue.status(*READS), time.monotonic()
        used = processor_seconds(processes), processor_seconds(programs)
        wait_until(lambda: time.monotonic() - began >= max(5.0, tools.seconds), "a while", LONGEST, 0.1)
        after, seconds = queue.status(*READS), time.monotonic() - began
        cpu = processor_seconds(processes) - used[0], processor_seconds(programs) - used[1]
    statements = after["Com_stmt_execute"] - before["Com_stmt_execute"]
    return {"finished": finished, "statements_per_second": statements / seconds,
            "rows_per_statement": (after["Rows_read"] - before["Rows_read"]) / statements,
            "database_cpu_percent": 100 * cpu[0] / seconds, "program_cpu_percent": 100 * cpu[1] / seconds}


def arrival(tools: Tools, queue: Queue, seconds: float, rate: int) -> Row:
    """Payments through the API at a fixed rate: from each confirmation to the merchant's endpoint."""
    orders = tools.instance.fill(int(rate * seconds) + rate)
    with MerchantStub() as stub, queue.dispatching():
        queue.write("UPDATE merchants SET notify_url = %s, changed_by = 'operator:bench' WHERE name = %s",
                    stub.on("n", ok), MERCHANT)
        paid = tools.load(tools.instance.stack.base_url, "flow", orders, connections=32, rate=rate, seconds=seconds)
        count = int(paid["operations"]["flow"]["count"])
        wait_until(lambda: len({request.id for request in stub.requests}) >= count, "the notifications", 90, 0.2)
        arrived = {request.id: request.arrived for request in reversed(stub.requests)}
        sent = len(stub.requests)
    queue.write("UPDATE merchants SET notify_url = NULL, changed_by = 'operator:bench' WHERE name = %s", MERCHANT)
    rows = queue.rows("SELECT n.id, t.confirmed_at FROM notifications n JOIN transactions t ON t.order_id = n.order_id"
                      " WHERE n.id BETWEEN %s AND %s", min(arrived), max(arrived))
    delays = sorted((arrived[row["id"]] - row["confirmed_at"]).total_seconds() for row in rows)
    return {"payments": count, "rate": rate, "sent": sent, "least_s": delays[0],
            "p50_s": statistics.median(delays), "p99_s": delays[len(delays) * 99 // 100], "most_s": delays[-1]}


def hanging(tools: Tools, queue: Queue, count: int, told: int) -> Row:
    """One merchant's endpoint hangs with many due; how late another one's arrive, which fall due one after the other."""
    with MerchantStub() as stub:
        hangs = queue.add_merchants(stub.on("hangs", hold))
        fine = queue.add_merchants(stub.on("fine", ok))
        queue.fill(count, hangs)
        tools.instance.fill(told)
        first, last = queue.newest_orders(told)
        delays = []
        with queue.dispatching() as dispatcher:
            wait_until(lambda: stub.requests_to("hangs"), "the endpoint to hang", 30)
            for order in range(first, last + 1):
                number = queue.notify(order, order, fine).first
                wait_until(lambda: any(request.id == number for request in stub.requests_to("fine")), "the other's", 60)
                due = queue.value("SELECT created_at FROM notifications WHERE id = %s", number)
                delays.append((stub.requests_to("fine")[-1].arrived - due).total_seconds())
            dispatcher.kill()
    queue.write("UPDATE notifications SET state = 'exhausted', settled_at = UTC_TIMESTAMP(6) WHERE state = 'pending'")
    return {"hanging": count, "told": told, "p50_s": statistics.median(delays), "most_s": max(delays)}


def expiry(tools: Tools, queue: Queue, orders: Path, connections: int, count: int) -> Row:
    """Overdue orders marked while lookups go on, and what is left of the lookups' throughput."""
    url = tools.instance.stack.base_url
    tools.instance.fill(count)
    first, _ = queue.newest_orders(count)

    def look_up() -> Result:
        return tools.load(url, "lookup", orders, connections=connections)

    alone = medians([look_up(), look_up()], "lookup")["per_second"]
    queue.write("UPDATE orders SET due_at = UTC_TIMESTAMP(6), changed_by = 'operator:bench' WHERE id >= %s", first)
    beside: list[float] = []
    ended = threading.Event()

    def watch() -> None:
        database = tools.instance.stack.mariadb.connect()
        left = ("SELECT 1 FROM orders WHERE state = 'PENDIENTE' AND held_by IS NULL AND due_at <= UTC_TIMESTAMP(6) LIMIT 1")
        with database, database.cursor() as cursor:
            wait_until(lambda: cursor.execute(left) == 0, "the orders to expire", LONGEST, 0.05)
        ended.set()

    began = queue.now()
    watcher = threading.Thread(target=watch)
    with queue.dispatching():
        watcher.start()
        while not beside or not ended.is_set():
            result = look_up()
            if not beside or not ended.is_set():
                beside.append(answers(result) / result["elapsed_s"])
        watcher.join()
    written = queue.value("SELECT MAX(changed_at) FROM orders WHERE id >= %s AND state = 'VENCIDA'", first)
    expired = queue.value("SELECT COUNT(*) FROM orders WHERE id >= %s AND state = 'VENCIDA'", first)
    tools.wrong += count - int(expired)
    return {"count": count, "seconds": (written - began).total_seconds(), "lookups_alone": alone,
            "lookups_beside": statistics.mean(beside)}
