"""Every point of an operation, one round each."""

import sys
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Iterator, Sequence

from .control import ALLOCATIONS, CALLS, Whose
from .errors import errors_of
from .operations import Operation
from .world import Point

KILLS, FAILURES, ALLOCATED = "kills", "failures", "allocations"
KINDS = (KILLS, FAILURES, ALLOCATED)


@dataclass
class Result:
    """What became of an operation. `missed` points were not reached: a round makes a call more or less than another."""
    name: str
    calls: int = 0
    rounds: Counter[str] = field(default_factory=Counter)
    missed: int = 0
    findings: list[str] = field(default_factory=list)
    seconds: float = 0.0
    is_whole: bool = True


def look(operation: Operation, kind: int, place: int) -> list[str]:
    """A round in which all goes well: what counts, in its order. Raises ValueError if the operation itself is wrong."""
    operation.stage()
    wrong = operation.round(Point(kind, operation.whose(kind)[place], 0, ""))
    if wrong:
        raise ValueError(f"{operation.name} does not work undisturbed: {wrong}")
    control = operation.world.control
    return control.calls() if kind == CALLS else ["allocation"] * control.seen()


def points(kinds: Sequence[str], kind: int, names: Sequence[str]) -> Iterator[Point]:
    """Whose they are is known only in its round: a process that was killed has a successor."""
    before: Counter[str] = Counter()
    for name in names:
        before[name] += 1
        if kind == ALLOCATIONS:
            yield Point(kind, Whose(), before[name], name, "ENOMEM")
            continue
        if KILLS in kinds:
            yield Point(kind, Whose(), before[name], name)
        if FAILURES in kinds:
            for error_name, error in errors_of(name):
                yield Point(kind, Whose(), before[name], name, error_name, error)


def of_now(operation: Operation, place: int, point: Point) -> Point:
    whose = operation.whose(point.kind)[place]
    return replace(point, whose=replace(whose, only=point.name if point.kind == CALLS else ""))


def what_is(point: Point) -> str:
    return ALLOCATED if point.kind == ALLOCATIONS else KILLS if point.error == 0 else FAILURES


def go_through(operation: Operation, kind: int, place: int, kinds: Sequence[str], every: int, result: Result) -> None:
    names = look(operation, kind, place)
    if kind == CALLS:
        result.calls += len(names)
    for number, point in enumerate(points(kinds, kind, names)):
        if number % every != 0:
            continue
        operation.stage()
        point = of_now(operation, place, point)
        wrong = operation.round(point)
        result.rounds[what_is(point)] += 1
        for what in wrong:
            result.findings.append(f"{operation.name}, {point}: {what}")
            print(result.findings[-1], file=sys.stderr, flush=True)


def sweep(operation: Operation, kinds: Sequence[str] = KINDS, every: int = 1) -> Result:
    """All points, or every so many. Who interrupts it gets what is known until then."""
    result, begun = Result(operation.name), time.monotonic()
    wanted = [CALLS] if {KILLS, FAILURES} & set(kinds) else []
    wanted += [ALLOCATIONS] if ALLOCATED in kinds else []
    try:
        for kind in wanted:
            for place in range(len(operation.whose(kind))):
                go_through(operation, kind, place, kinds, every, result)
    except KeyboardInterrupt:
        result.is_whole = False
    print(f"{operation.name}, not reached: {', '.join(operation.missed) or 'none'}", file=sys.stderr, flush=True)
    result.missed, result.seconds = len(operation.missed), time.monotonic() - begun
    return result
