"""The measurements. Each returns plain data for the tables and the JSON report."""

import statistics
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence, TypeVar

from tests.stack import children

from .idle import IdleConnections
from .instance import Instance, processor_seconds
from .systems import System
from .tools import Result, Tools

Kind = TypeVar("Kind")

Row = dict[str, float]
Table = dict[str, Row]
LATENCIES = ("per_second", "p50_ms", "p90_ms", "p99_ms", "p999_ms", "max_ms")
DIRECT_CONNECTIONS = (8, 32)


def medians(results: list[Result], operation: str) -> Row:
    """The middle one of each figure over all rounds; an operation that never ended well counts as 0."""
    nothing = dict.fromkeys(LATENCIES, 0.0)
    rows = [{**nothing, **result["operations"].get(operation, {}), **result.get("cpu", {})} for result in results]
    return {metric: statistics.median(row[metric] for row in rows) for metric in rows[0]}


def answers(result: Result) -> int:
    """Requests or operations that ended, in the warm-up too; a flow is three of them."""
    if "codes" in result:
        return sum(result["codes"].values())
    return sum(row["count"] for name, row in result["operations"].items() if name != "flow")


def with_cpu(run: Callable[[], Result], instance: Instance, programs: Sequence[int] = ()) -> Result:
    """The result, and the processor time per answer of these processes and of the database, in microseconds."""
    database = [instance.stack.mariadb.process.pid]
    before = processor_seconds(programs), processor_seconds(database)
    result = run()
    each = 1e6 / max(1, answers(result))
    result["cpu"] = {"database_cpu_us": (processor_seconds(database) - before[1]) * each}
    if programs:
        result["cpu"]["program_cpu_us"] = (processor_seconds(programs) - before[0]) * each
    return result


def interleave(rounds: int, runs: Mapping[str, Callable[[], Kind]]) -> dict[str, list[Kind]]:
    """Runs all of them in every round, each round beginning with another."""
    names = list(runs)
    results: dict[str, list[Kind]] = {name: [] for name in names}
    for number in range(rounds):
        shift = number % len(names)
        for name in names[shift:] + names[:shift]:
            results[name].append(runs[name]())
    return results


def merchants(tools: Tools, floor: System, orders: Path, rounds: int, connections: int) -> dict[str, Table]:
    """Registering and consulting orders: the product, its statements alone, and for consulting the floor's lookups."""
    instance = tools.instance
    warmup = min(1.0, tools.seconds / 2)

    def over_http(mode: str, url: str, program: int) -> Callable[[], Result]:
        return lambda: with_cpu(
            lambda: tools.load(url, mode, orders, connections=connections, warmup=warmup), instance,
            [program, *children(program)])

    def directly(mode: str, count: int) -> Callable[[], Result]:
        return lambda: with_cpu(lambda: tools.direct(mode, orders, connections=count), instance)

    def table(runs: dict[str, tuple[str, Callable[[], Result]]]) -> Table:
        results = interleave(rounds, {name: run for name, (_, run) in runs.items()})
        return {name: medians(rows, runs[name][0]) for name, rows in results.items()}

    url, worker = instance.stack.base_url, instance.stack.worker.pid
    inserts = {f"insert, {count} connections": ("porder", directly("porder", count)) for count in DIRECT_CONNECTIONS}
    lookups = {"floor": ("lookup", over_http("lookup", floor.url, floor.sessions()["worker"]))}
    few = DIRECT_CONNECTIONS[0]
    return {
        "porder": table({"recaudo": ("porder", over_http("porder", url, worker)), **inserts}),
        "consult": table({"recaudo": ("consult", over_http("consult", url, worker)), **lookups,
                          f"statement, {few} connections": ("consult", directly("consult", few)),
                          f"point select, {few} connections": ("select", directly("select", few))}),
    }


def beside_idle(tools: Tools, orders: Path, idle: int) -> dict[str, Any]:
    """Lookups while others hold idle kept connections, to nginx and straight to the worker's socket."""
    instance = tools.instance
    with IdleConnections(instance, orders, idle) as held:
        result = tools.load(instance.stack.base_url, "lookup", orders, connections=8, idle=idle)
        still_open = held.still_open()
    return {**result["operations"]["lookup"], "idle_http": idle, "idle_http_open_at_end": result["idle_open_at_end"],
            "idle_fastcgi": idle, "idle_fastcgi_open_at_end": still_open}


def round_trips(tools: Tools, requests: int = 200) -> Row:
    """What one request of each kind sends to the database."""
    instance = tools.instance
    orders = instance.fill(requests)
    found: Row = {}
    transactions: str | None = None
    for mode in ("lookup", "register", "confirm"):
        before = instance.questions()
        result = tools.load(instance.stack.base_url, mode, orders, connections=1, seconds=60, requests=requests,
                            transactions=transactions)
        own = 1  # the question for the number of questions
        found[mode] = (instance.questions() - before - own) / requests
        transactions = result["transactions"] if mode == "register" else None
    return found


def at_fixed_rate(tools: Tools, orders: Path, connections: int) -> Row:
    """Latency from the intended start, at half of the lookups per second that a closed loop reaches."""
    url = tools.instance.stack.base_url
    reached = tools.load(url, "lookup", orders, connections=connections)["operations"]["lookup"]["per_second"]
    result = tools.load(url, "lookup", orders, connections=connections, rate=round(reached / 2))
    return {"asked_per_second": result["rate"], "never_sent": result["unsent"], **medians([result], "lookup")}


def memory(tools: Tools, orders: Path, connections: int, requests: int) -> Row:
    """The worker's resident memory before and after so many lookups, in KiB."""
    url = tools.instance.stack.base_url
    tools.load(url, "lookup", orders, connections=connections, seconds=600, requests=max(1000, requests // 20))
    before = tools.instance.worker_memory()
    tools.load(url, "lookup", orders, connections=connections, seconds=3600, requests=requests)
    return {"requests": requests, "before_kib": before, "after_kib": tools.instance.worker_memory()}
