"""How long nobody, or somebody, was acknowledged nothing after a fault."""

from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import Iterable, Sequence

from ..history import Entry
from .faults import Fault

PAYING = ("register", "confirm")


@dataclass(frozen=True)
class Broken:
    """A fault, or two at once, from the first's beginning until all was ended, and until the cluster was whole and every host served."""

    faults: Sequence[Fault]
    began: float
    ended: float
    whole: float


@dataclass(frozen=True)
class Recovery:
    """Seconds from the beginning of a fault to the end of the first request of a payment that was sent after it and acknowledged:
    of anybody, and of the one who waited longest. None: of no one, or not of everybody, before the next fault."""

    anybody: float | None
    everybody: float | None


def payer_of(entry: Entry) -> str:
    """Each numbers its transactions with its name in front."""
    return entry.key.rpartition("-")[0]


def recovery_of(broken: Broken, until: float, history: Iterable[Entry]) -> Recovery:
    asked = [entry for entry in history if entry.kind in PAYING and broken.began <= entry.sent and entry.ended < until]
    waits: dict[str, float] = {}
    for entry in asked:
        if entry.is_ok:
            waits[payer_of(entry)] = min(entry.ended - broken.began, waits.get(payer_of(entry), until))
    complete = waits and len(waits) == len({payer_of(entry) for entry in asked})
    return Recovery(min(waits.values(), default=None), max(waits.values()) if complete else None)


def table(breaks: Sequence[Broken], end: float, history: Sequence[Entry]) -> str:
    """A line for each kind: how often, the middle and the longest of both, and of how long until it was whole after its end."""
    by_kind: dict[str, list[tuple[Broken, Recovery]]] = defaultdict(list)
    for broken, until in zip(breaks, [*(after.began for after in breaks[1:]), end]):
        for fault in broken.faults:
            by_kind[fault.kind].append((broken, recovery_of(broken, until, history)))
    lines = [f"{'fault':44}{'times':>6}{'anybody':>24}{'everybody':>24}{'whole after':>24}"]
    for kind, cases in sorted(by_kind.items()):
        columns = [spread([case.anybody for _, case in cases]), spread([case.everybody for _, case in cases]),
                   spread([broken.whole - broken.ended for broken, _ in cases])]
        lines.append(f"{kind:44}{len(cases):6}" + "".join(f"{column:>24}" for column in columns))
    return "\n".join(lines)


def spread(seconds: Sequence[float | None]) -> str:
    """The middle and the longest."""
    known = [one for one in seconds if one is not None]
    missing = f" ({len(seconds) - len(known)} never)" if len(known) < len(seconds) else ""
    return f"{median(known):.2f} / {max(known):.2f}{missing}" if known else "never"
