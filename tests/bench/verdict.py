"""What must be reached (issue: a benchmark that cannot flatter), beside what was measured. It may well come out against us."""

import statistics
from dataclasses import dataclass
from typing import Any, Callable, Sequence

Result = dict[str, Any]
Row = dict[str, float]
Quotients = Sequence[float]


def quotients(parts: Sequence[Row], wholes: Sequence[Row], metric: str) -> list[float]:
    """Of each round for itself: what the machine did meanwhile disturbed both."""
    return [part[metric] / whole[metric] if whole[metric] else 0.0 for part, whole in zip(parts, wholes)]


@dataclass
class Figure:
    """`wanted` after the first step (statements) and `later`, with the event loop: at least, or else at most. `of` finds the figure
    of each round; nothing, or a KeyError, means that it was not measured."""

    name: str
    wanted: float
    later: float
    at_least: bool
    of: Callable[[Result], Quotients]

    def values(self, result: Result) -> list[float]:
        try:
            return list(self.of(result))
        except KeyError:
            return []

    def verdict(self, measured: float, wanted: float) -> str:
        return "reached" if (measured >= wanted if self.at_least else measured <= wanted) else "MISSED"


def throughput(operation: str, other: str) -> Callable[[Result], Quotients]:
    return lambda result: quotients(result[operation]["recaudo"], result[operation][other], "per_second")


def late(part: str) -> Callable[[Result], Quotients]:
    return lambda result: quotients(result[part]["recaudo"], result[part]["floor"], "p99_ms")


def database(operation: str) -> Callable[[Result], Quotients]:
    return lambda result: quotients(result[operation]["recaudo"], result[operation]["floor"], "database_us")


def grown(count: int) -> Callable[[Result], Quotients]:
    """Against the smallest number of orders that was measured in the same rounds, which must be 50,000."""
    def of(result: Result) -> Quotients:
        rows = result["sizes"]["rows"]["recaudo"]
        return quotients(rows[str(count)], rows["50000"], "per_second")
    return of


def delivered(result: Result) -> Quotients:
    table: dict[str, Row] = result["deliveries"]
    most = {begin: max(row["per_second"] for name, row in table.items() if name.startswith(begin)) for begin in ("recaudo", "load")}
    return [most["recaudo"] / most["load"]] if most["load"] else []


def beside_hanging(result: Result) -> Quotients:
    rows: dict[str, Row] = result["external"]
    return [rows["beside"]["per_second"] / rows["ordinary"]["per_second"]]


FIGURES = (
    Figure("lookup / floor", 1.0, 1.25, True, throughput("lookup", "floor")),
    Figure("register / floor", 0.80, 1.0, True, throughput("register", "floor")),
    Figure("flow / floor", 0.80, 0.95, True, throughput("flow", "floor")),
    Figure("lookup / Node", 1.15, 1.5, True, throughput("lookup", "node")),
    Figure("register / Node", 1.3, 1.5, True, throughput("register", "node")),
    Figure("flow / Node", 1.3, 1.5, True, throughput("flow", "node")),
    Figure("p99 of lookups at 32 connections / floor's", 1.2, 1.0, False, late("lookup")),
    Figure("p99 of lookups at 128 connections / floor's", 1.2, 1.0, False, late("lookup_many")),
    Figure("mariadbd's processor time of a lookup / floor's", 1.25, 1.25, False, database("lookup")),
    Figure("mariadbd's processor time of a registration / floor's", 1.25, 1.25, False, database("register")),
    Figure("mariadbd's processor time of a confirmation / floor's", 1.25, 1.25, False, database("confirm")),
    Figure("lookup at 5,000,000 orders / at 50,000", 0.95, 0.95, True, grown(5_000_000)),
    Figure("lookup at 50,000,000 orders / at 50,000", 0.85, 0.85, True, grown(50_000_000)),
    Figure("deliveries / what a load generator posts", 0.8, 0.8, True, delivered),
    Figure("lookups beside 200/s for a hanging merchant / without", 0.9, 0.95, True, beside_hanging),
    Figure("their p99 in ms", 50, 50, False, lambda result: [result["external"]["beside"]["p99_ms"]]),
)
HEADS = ("figure", "measured", "wanted", "", "with the event loop", "")


def judge(result: Result) -> list[dict[str, Any]]:
    """Every figure, also those that were not measured."""
    found: list[dict[str, Any]] = []
    for figure in FIGURES:
        values = figure.values(result)
        row: dict[str, Any] = {"figure": figure.name, "wanted": figure.wanted, "later": figure.later, "at_least": figure.at_least,
                               "measured": None, "verdict": "not measured", "later_verdict": "not measured"}
        if values:
            measured = statistics.median(values)
            row |= {"measured": measured, "lowest": min(values), "highest": max(values),
                    "verdict": figure.verdict(measured, figure.wanted), "later_verdict": figure.verdict(measured, figure.later)}
        found.append(row)
    return found


def cells(rows: Sequence[dict[str, Any]]) -> list[list[str]]:
    """For a table with the heads HEADS."""
    lines = []
    for row in rows:
        sign = ">=" if row["at_least"] else "<="
        measured = "-" if row["measured"] is None else f"{row['measured']:.2f}"
        if row["measured"] is not None and row["lowest"] != row["highest"]:
            measured += f" ({row['lowest']:.2f} to {row['highest']:.2f})"
        lines.append([row["figure"], measured, f"{sign} {row['wanted']:g}", row["verdict"], f"{sign} {row['later']:g}",
                      row["later_verdict"]])
    return lines
