"""recaudo beside its floors and its peers: the same requests to all of them, round by round."""

import statistics
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Callable, Sequence

from .cost import Meter
from .measures import LATENCIES, interleave
from .orders import write_accounts, write_open_orders
from .systems import Floor, Node, Peer, Php, Recaudo, System
from .tools import Result, Tools

Rows = dict[str, list[dict[str, float]]]  # by system, one for each round
DIRECT = "statements"
DIRECT_CONNECTIONS = 8
CURVE_LEAST, CURVE_MOST = 0.1, 1.15  # of the floor's throughput
CURVE_CONNECTIONS = 128
WARM_FLOWS, WARM_LOOKUPS, WARM_SECONDS_MOST = 3_000, 10_000, 120.0
FLOWS_PER_SECOND = 4_000  # at most


def figures(result: Result, operation: str) -> dict[str, float]:
    """One row of a table; an operation that never ended well counts as 0."""
    row = {metric: 0.0 for metric in LATENCIES} | result["operations"].get(operation, {})
    return {**row, **result["cost"]}


def middle(rows: Sequence[dict[str, float]], metric: str) -> float:
    return statistics.median(row.get(metric, 0.0) for row in rows)


def shares(points: int) -> list[float]:
    """Of the floor's throughput, evenly spread."""
    step = (CURVE_MOST - CURVE_LEAST) / max(1, points - 1)
    return [CURVE_LEAST + number * step for number in range(points)]


class Contest:
    """The systems, started. Every system has the same orders; none pays one twice."""

    def __init__(self, tools: Tools, names: Sequence[str], rounds: int) -> None:
        self.tools = tools
        self.rounds = rounds
        self.instance = tools.instance
        stack = self.instance.stack
        makers: dict[str, Callable[[], System]] = {
            "recaudo": lambda: Recaudo(stack), "floor": lambda: Floor(stack, "floor", "recaudo-floor", False),
            "loop": lambda: Floor(stack, "loop", "recaudo-loop", True), "node": lambda: Node(stack), "php": lambda: Php(stack)}
        self.systems = {name: makers[name]() for name in names if name != DIRECT}
        self.direct = DIRECT in names
        self.meter = Meter(stack.mariadb)
        self.exit = ExitStack()
        self.warm = False

    def __enter__(self) -> "Contest":
        for system in self.systems.values():
            if not isinstance(system, Recaudo):
                self.exit.callback(system.stop)
                system.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.exit.close()

    def fill(self, count: int) -> Path:
        """So many new orders everywhere; a file that lists them."""
        path = self.instance.fill(count)
        self.fill_others()
        return path

    def fill_others(self) -> None:
        """Adds what is missing to as many orders as recaudo has."""
        for system in self.systems.values():
            if isinstance(system, (Floor, Peer)):
                system.database.grow(self.instance.orders)
        self.instance.calm_down()

    def ways(self) -> dict[str, Callable[..., Result]]:
        """How each takes `mode, orders, **options` of the load generator; its cost is in the result."""
        found: dict[str, Callable[..., Result]] = {}
        for name, system in self.systems.items():
            found[name] = self._over_http(system)
        if self.direct:
            found[DIRECT] = lambda mode, orders, **options: self.meter.measure(
                lambda: self.tools.direct(mode, orders, **{**options, "connections": DIRECT_CONNECTIONS}), {}, mode)
        return found

    def _over_http(self, system: System) -> Callable[..., Result]:
        return lambda mode, orders, **options: self.meter.measure(
            lambda: self.tools.load(system.url, mode, orders, **options), system.sessions(), mode)

    def warm_up(self) -> None:
        """Compilers, caches and pools have their time before the first round, once: so many requests, however long they take. A
        compiler that has seen a few hundred requests only would make a peer look many times slower than it is."""
        if self.warm:
            return
        self.warm = True
        orders = self.fill(2 * WARM_FLOWS)
        for system in self.systems.values():
            for mode, skip, requests in (("flow", 0, WARM_FLOWS), ("lookup", WARM_FLOWS, WARM_LOOKUPS)):
                self.tools.load(system.url, mode, orders, connections=32, seconds=WARM_SECONDS_MOST, skip=skip, requests=requests)

    def lookups(self, orders: Path, connections: int, names: Sequence[str] | None = None) -> Rows:
        self.warm_up()

        def run(way: Callable[..., Result]) -> Callable[[], dict[str, float]]:
            return lambda: figures(way("lookup", orders, connections=connections), "lookup")

        return interleave(self.rounds, {name: run(way) for name, way in self.ways().items() if names is None or name in names})

    def payments(self, connections: int, each: int) -> dict[str, Rows]:
        """Registrations, the confirmations of these, and flows."""
        self.warm_up()
        ways = self.ways()
        orders = self.fill(2 * each * self.rounds)
        apart = self.fill(2 * each * self.rounds) if self.direct else orders
        results: dict[str, Rows] = {mode: {name: [] for name in ways} for mode in ("register", "confirm", "flow")}
        used = dict.fromkeys(ways, 0)

        def turn(name: str) -> Callable[[], None]:
            """A system's share of a round."""
            listed = apart if name == DIRECT else orders

            def step(mode: str, requests: int, transactions: str | None = None) -> Result:
                result = ways[name](mode, listed, skip=used[name], requests=requests, transactions=transactions,
                                    connections=connections, seconds=self.tools.seconds)
                results[mode][name].append(figures(result, mode))
                return result

            def run() -> None:
                registered = step("register", each)
                done = int(registered["operations"].get("register", {"count": 0})["count"])
                if done == 0:
                    raise RuntimeError(f"{name}: no registration succeeded")
                step("confirm", done, registered["transactions"])
                used[name] += each
                step("flow", each)
                used[name] += each
            return run

        interleave(self.rounds, {name: turn(name) for name in ways})
        return results

    def mix(self, connections: int, looked_up: Path, each: int) -> Rows:
        """What a network asks for in life; the floors refuse nothing and have no accounts, so they take no part."""
        self.warm_up()
        directory = self.instance.stack.directory
        ways = {name: way for name, way in self.ways().items() if name in self.systems and self.systems[name].refuses}
        if not ways:
            return {}
        orders, count = self.fill(each * self.rounds), max(1000, each * self.rounds // 4)
        self.add_special(count)
        accounts = write_accounts(directory / "accounts")
        share = count // self.rounds
        opened = [write_open_orders(directory / f"open-{number}", number * share + 1, (number + 1) * share)
                  for number in range(self.rounds)]
        turns = dict.fromkeys(ways, 0)

        def run(name: str) -> Callable[[], dict[str, float]]:
            def turn() -> dict[str, float]:
                number = turns[name]
                turns[name] += 1
                return figures(ways[name]("mix", orders, connections=connections, skip=number * each, **{
                    "looked-up": looked_up, "open": opened[number], "accounts": accounts}), "mix")
            return turn

        return interleave(self.rounds, {name: run(name) for name in ways})

    def add_special(self, count: int) -> None:
        """Accounts, and orders of an open amount."""
        self.instance.add_accounts()
        self.instance.add_open_orders(count)
        for system in self.systems.values():
            if isinstance(system, Peer):
                system.add_accounts()
                system.database.add_open_orders(count)

    def curve(self, mode: str, orders: Path | None, seconds: float, points: int) -> dict[str, Any]:
        """Open loop: what is answered, and how late, of what is offered. The offers are shares of the floor's throughput."""
        self.warm_up()
        ways = {name: way for name, way in self.ways().items() if name in self.systems}
        first = "floor" if "floor" in ways else next(iter(ways))
        probe = orders or self.fill(int(FLOWS_PER_SECOND * seconds))
        reached = ways[first](mode, probe, connections=32, seconds=seconds)["operations"][mode]["per_second"]
        rates = [max(1, round(reached * share)) for share in shares(points)]
        listed = orders or self.fill(int(sum(rate * seconds + rate for rate in rates)))
        found: dict[str, list[dict[str, float]]] = {name: [] for name in ways}
        skip = 0
        for rate in rates:
            for name, way in ways.items():
                result = way(mode, listed, connections=CURVE_CONNECTIONS, rate=rate, seconds=seconds, skip=skip)
                found[name].append({"offered": rate, "unsent": result["unsent"], **figures(result, mode)})
            skip += 0 if orders else int(rate * seconds) + rate
        return {"connections": CURVE_CONNECTIONS, "seconds": seconds, "points": found}
