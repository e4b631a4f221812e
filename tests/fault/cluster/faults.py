"""What happens to a cluster: one thing at a time, or two at once, and then all is well again."""

import signal
from dataclasses import dataclass, replace
from random import Random
from typing import Callable, Iterator, Sequence

from ..arena import step_clock
from ..faults import send_all
from .arena import ClusterArena
from .hosts import HOSTS, Host
from .lan import OUTSIDE

SHORTEST, LONGEST = 3.0, 9.0
SERVER_CLOCK = "clock of the database server wrong"
ALL_HOSTS = "power failure of all hosts"  # leaves nothing that could break at the same time
LOST, LATE = 0.2, 0.1
STEPS = (-86400, -3600, 3600, 86400)
SERVER_STEPS = (-10, -3, 3, 10)  # beyond the window; the lease of a notification is longer


@dataclass(frozen=True)
class Fault:
    """It lasts for `seconds`. `step` is how wrong a program's clock becomes, `server_step` the database server's."""

    kind: str
    host: int
    seconds: float
    step: int
    server_step: int

    def __str__(self) -> str:
        return f"host {self.host}: {self.kind}, {self.seconds:.1f} s"


def others(host: int) -> list[int]:
    return [other for other in HOSTS if other != host]


class Breaker:
    """Each of `acts` breaks something; ClusterArena.make_well ends it."""

    def __init__(self, arena: ClusterArena) -> None:
        self.arena = arena
        self.acts: dict[str, Callable[[Host, Fault], None]] = {
            "database server killed": self.kill_server,
            "database server frozen": lambda host, fault: send_all(host.node.process, signal.SIGSTOP),
            "disk of the database server full": self.fill_disk,
            "workers, dispatcher and web server killed": self.kill_programs,
            "dispatcher frozen": lambda host, fault: send_all(host.dispatcher, signal.SIGSTOP),
            "power failure of a host": self.power_failure,
            ALL_HOSTS: lambda host, fault: self.lose_all_power(fault),
            "parted from the other hosts": lambda host, fault: self.part(host, others(host.number), both=True),
            "parted from everybody": lambda host, fault: self.part(host, [OUTSIDE, *others(host.number)], both=True),
            "not heard by the other hosts": lambda host, fault: self.part(host, others(host.number), both=False),
            "does not hear the other hosts": self.deafen,
            "a fifth of all packets lost": lambda host, fault: self.everywhere(self.arena.lan.lose, LOST),
            "all packets 0.1 s late": lambda host, fault: self.everywhere(self.arena.lan.delay, LATE),
            "clock of workers and dispatcher wrong": lambda host, fault: step_clock(host.clock, fault.step),
            SERVER_CLOCK: lambda host, fault: step_clock(host.server_clock, fault.server_step),
        }

    def begin(self, fault: Fault) -> None:
        self.acts[fault.kind](self.arena.hosts[fault.host - 1], fault)

    def kill_server(self, host: Host, fault: Fault) -> None:
        self.arena.down.add(host.number)
        host.node.kill()

    def fill_disk(self, host: Host, fault: Fault) -> None:
        """A server that ends or leaves the others because of it is started again when there is space."""
        self.arena.down.add(host.number)
        host.full.touch()

    def kill_programs(self, host: Host, fault: Fault) -> None:
        for part in host.programs():
            part.kill()

    def power_failure(self, host: Host, fault: Fault) -> None:
        self.kill_server(host, fault)
        self.kill_programs(host, fault)

    def lose_all_power(self, fault: Fault) -> None:
        for host in self.arena.hosts:
            host.node.process.kill()
        for host in self.arena.hosts:
            self.power_failure(host, fault)

    def part(self, host: Host, from_whom: list[int], both: bool) -> None:
        for other in from_whom:
            self.arena.lan.lose(host.number, other, 1)
            if both:
                self.arena.lan.lose(other, host.number, 1)

    def deafen(self, host: Host, fault: Fault) -> None:
        for other in others(host.number):
            self.arena.lan.lose(other, host.number, 1)

    def everywhere(self, set_link: Callable[[int, int, float], None], value: float) -> None:
        for one in (OUTSIDE, *HOSTS):
            for other in (OUTSIDE, *HOSTS):
                if one != other:
                    set_link(one, other, value)


def draw_faults(seed: int, kinds: list[str]) -> Iterator[Fault]:
    """Without end: each kind once, in some order, then each once more."""
    chance = Random(f"cluster {seed}")
    while True:
        for kind in chance.sample(kinds, len(kinds)):
            yield Fault(kind, chance.choice(HOSTS), round(chance.uniform(SHORTEST, LONGEST), 1), chance.choice(STEPS),
                        chance.choice(SERVER_STEPS))


def draw_pairs(seed: int, kinds: Sequence[str]) -> Iterator[tuple[Fault, Fault]]:
    """Without end: each kind with another one, at another host."""
    chance, faults = Random(f"cluster pairs {seed}"), draw_faults(seed, [kind for kind in kinds if kind != ALL_HOSTS])
    for first in faults:
        second = next(fault for fault in faults if fault.kind != first.kind)
        yield first, replace(second, host=chance.choice(others(first.host)))
