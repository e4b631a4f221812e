"""Whether what a run costs stays the same: what was seen after its first tenth, against its end."""

from dataclasses import dataclass
from math import inf
from statistics import median
from typing import Mapping, Sequence

from ..history import Entry
from .watch import Sample

Point = tuple[float, float]
MIB = 1024 * 1024
BEGINNING = 0.1  # of the run: caches fill
COMPARED = 0.2  # of the run, after the beginning and at the end
MAY_GROW = 1.25
ASKED = ("lookup", "register", "confirm")


@dataclass(frozen=True)
class Series:
    """A figure over time, in seconds from the beginning of the run. What grows by less than `slack` does not count; without
    a bound, the figure may grow."""

    name: str
    unit: str
    slack: float
    points: Sequence[Point]


def series_of(samples: Sequence[Sample], history: Sequence[Entry], began: float, every: float) -> list[Series]:
    kinds = sorted({kind for sample in samples for kind in sample.held})
    found = []
    for name, unit, slack, scale in (("memory", "MiB", 2.0, 1 / 1024), ("files", "", 8.0, 1), ("threads", "", 8.0, 1)):
        for kind in kinds:
            points = [(sample.at - began, getattr(sample.held[kind], name) * scale) for sample in samples if kind in sample.held]
            found.append(Series(f"{name} of {kind}", unit, slack, points))
    found.append(Series("size of the tables", "MiB", inf, [(sample.at - began, sample.tables / MIB) for sample in samples]))
    return found + [Series(f"{kind}, {name}", "ms", 2.0, points) for kind in ASKED
                    for name, points in latencies(kind, history, began, every).items()]


def latencies(kind: str, history: Sequence[Entry], began: float, every: float) -> Mapping[str, list[Point]]:
    """Of what was acknowledged, for each span of `every` seconds."""
    spans: dict[int, list[float]] = {}
    for entry in history:
        if entry.kind == kind and entry.is_ok and entry.sent >= began:
            spans.setdefault(int((entry.sent - began) / every), []).append(1000 * (entry.ended - entry.sent))
    return {"p50": [(span * every, median(taken)) for span, taken in sorted(spans.items())],
            "p90": [(span * every, sorted(taken)[int(0.9 * len(taken))]) for span, taken in sorted(spans.items())]}


def growth(series: Series, seconds: float) -> tuple[float, float] | None:
    """The middle of the figure after the beginning and at the end; None: there is too little to compare."""
    first = [value for at, value in series.points if BEGINNING * seconds <= at < (BEGINNING + COMPARED) * seconds]
    last = [value for at, value in series.points if (1 - COMPARED) * seconds <= at <= seconds]
    return (median(first), median(last)) if first and last else None


def what_grows(every: Sequence[Series], seconds: float) -> list[str]:
    """A line for each figure that does not stay the same, or of which nothing is known."""
    said = []
    for series in every:
        compared = growth(series, seconds)
        if compared is None:
            said.append(f"{series.name}: nothing to compare")
        elif compared[1] > MAY_GROW * compared[0] and compared[1] > compared[0] + series.slack:
            said.append(f"{series.name} grows from {compared[0]:.1f} to {compared[1]:.1f} {series.unit}".rstrip())
    return said
