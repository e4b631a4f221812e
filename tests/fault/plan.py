"""What breaks when: drawn from a seed, so that a run can be had again."""

from dataclasses import dataclass
from random import Random
from typing import Collection

QUIET = 0.5


@dataclass(frozen=True)
class Scale:
    """How much of everything a run has: the mean time between two faults in seconds, the payers of each network, the orders
    in a file, what the network with limits may take on a day and have outstanding, the memory for the database's pages."""

    pause: float = 0.6
    payers: int = 2
    file: int = 6
    day: int = 5_000_000
    outstanding: int = 4_000_000
    buffer_pool: str = "24M"


SHORT = Scale()


@dataclass(frozen=True)
class Fault:
    """`which` chooses among several processes or ways; `length` is how long it lasts, 0 for what happens at once."""

    at: float
    kind: str
    which: int
    length: float

    def __str__(self) -> str:
        lasting = f" for {self.length:.2f} s" if self.length else ""
        return f"{self.at:6.2f} s  {self.kind} ({self.which}){lasting}"


@dataclass(frozen=True)
class Kind:
    name: str
    weight: int
    shortest: float = 0.0
    longest: float = 0.0


KINDS = (
    Kind("kill a serving process", 4), Kind("kill all workers", 2), Kind("kill a dispatcher", 4),
    Kind("kill a task of a dispatcher", 3), Kind("kill all dispatchers", 1), Kind("kill an nginx process", 1), Kind("kill nginx", 1),
    Kind("kill the database", 3),
    Kind("stop a serving process", 2, 0.2, 3.0), Kind("stop all workers", 1, 0.2, 2.0),
    Kind("stop a dispatcher", 3, 0.2, 4.0), Kind("stop a task of a dispatcher", 2, 0.2, 6.0), Kind("stop nginx", 1, 0.2, 2.0), Kind("stop the database", 2, 0.1, 3.5),
    Kind("slow database", 3, 0.3, 2.5), Kind("cut commits", 6), Kind("full disk", 2, 0.3, 2.0),
    Kind("step the clock", 2), Kind("stop the log's reader", 2, 0.5, 4.0),
    Kind("kill the query process", 2), Kind("stop the query process", 2, 0.2, 4.0),
)

NAMES = [kind.name for kind in KINDS]


def draw_plan(seed: int, seconds: float, pause: float = SHORT.pause, only: Collection[str] = NAMES) -> list[Fault]:
    """The faults of a run, of these kinds, in the order of their beginnings. The same of all gives the same plan."""
    chance = Random(f"plan {seed} {seconds:g}")
    faults, at = [], QUIET + chance.uniform(0, pause)
    kinds = [kind for kind in KINDS if kind.name in only]
    weights = [kind.weight for kind in kinds]
    while at < seconds:
        kind = chance.choices(kinds, weights)[0]
        length = min(chance.uniform(kind.shortest, kind.longest), seconds - at)
        faults.append(Fault(round(at, 3), kind.name, chance.randrange(1000), round(length, 3)))
        at += chance.expovariate(1 / pause)
    return faults


def needs(plan: list[Fault], kind: str) -> bool:
    return any(fault.kind == kind for fault in plan)
