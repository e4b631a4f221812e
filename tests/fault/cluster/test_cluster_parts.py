"""The network between hosts, and how recoveries are counted. The runs themselves take root and minutes: make cluster."""

import socket
from dataclasses import replace
from itertools import islice
from typing import Iterator

import pytest

from tests.stack import wait_until

from ..history import Answer, Entry
from .faults import ALL_HOSTS, Fault, draw_faults, draw_pairs
from .hosts import HOSTS
from .recovery import Broken, Recovery, recovery_of, table
from .switch import Switch, hardware_address

EVERYBODY = b"\xff" * 6
FAULT = Fault("server killed", 1, 5.0, 3600, 3)


class Wire:
    """A switch between three hosts, whose devices are sockets here."""

    def __init__(self) -> None:
        pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(3)]
        for pair in pairs:
            for end in pair:
                end.setblocking(False)
        self.hosts, self.ends = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        self.switch = Switch([end.fileno() for end in self.ends])

    def send(self, source: int, receiver: bytes, text: bytes = b"hello") -> None:
        self.hosts[source].send(receiver + hardware_address(source) + text)
        self.switch.forward(source)

    def received(self, host: int) -> int:
        """How many frames have come."""
        count = 0
        while True:
            try:
                self.hosts[host].recv(2048)
            except BlockingIOError:
                return count
            count += 1


@pytest.fixture
def wire() -> Iterator[Wire]:
    wire = Wire()
    yield wire
    for end in (*wire.hosts, *wire.ends):
        end.close()


def test_a_frame_comes_to_whom_it_is_for(wire: Wire) -> None:
    wire.send(0, hardware_address(2))
    assert [wire.received(host) for host in range(3)] == [0, 0, 1]
    wire.send(0, EVERYBODY)
    assert [wire.received(host) for host in range(3)] == [0, 1, 1]
    wire.send(0, bytes((2, 0, 0, 0, 0, 9)))
    assert [wire.received(host) for host in range(3)] == [0, 0, 0]


def test_a_link_is_cut_one_way(wire: Wire) -> None:
    wire.switch.obey("lose 0 1 1")
    for source, receiver in ((0, 1), (1, 0), (0, 2)):
        wire.send(source, hardware_address(receiver))
    assert [wire.received(host) for host in range(3)] == [1, 0, 1]
    wire.switch.obey("lose 0 1 0")
    wire.send(0, hardware_address(1))
    assert wire.received(1) == 1


def test_a_share_is_lost(wire: Wire) -> None:
    wire.switch.obey("lose 0 1 0.5")
    came = 0
    for _ in range(400):
        wire.send(0, hardware_address(1))
        came += wire.received(1)
    assert 100 < came < 300


def test_what_is_late_comes_in_its_order(wire: Wire) -> None:
    wire.switch.obey("delay 0 1 0.05")
    for text in (b"1", b"2"):
        wire.send(0, hardware_address(1), text)
    assert wire.received(1) == 0
    wait_until(lambda: wire.switch.deliver_late() is None, "both to be delivered")
    assert [wire.hosts[1].recv(2048)[-1:] for _ in range(2)] == [b"1", b"2"]


@pytest.mark.parametrize("order", ["cut 0 1 1", "lose 0 1", "lose 0 7 1"])
def test_wrong_orders(wire: Wire, order: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        wire.switch.obey(order)


def confirmed(payer: str, sent: float, ended: float, code: str = "0000") -> Entry:
    answer = Answer(200, f'{{"CODE": "{code}"}}') if code else None
    return Entry("confirm", "norte", f"{payer}-7", {}, sent, ended, answer)


def test_recovery_is_from_the_fault_to_the_first_that_was_sent_after_it() -> None:
    broken = Broken([FAULT], 100.0, 105.0, 106.0)
    history = [confirmed("p0-norte", 99.9, 100.1),  # sent before it
               confirmed("p0-norte", 100.2, 104.0, ""), confirmed("p0-norte", 104.0, 104.5), confirmed("p0-norte", 104.6, 104.7),
               confirmed("p1-sur", 101.0, 101.5)]
    assert recovery_of(broken, 120.0, history) == Recovery(1.5, 4.5)
    assert recovery_of(broken, 104.2, history) == Recovery(1.5, None)
    assert recovery_of(broken, 120.0, history[:2]) == Recovery(None, None)


def test_table_says_how_often_nobody_was_served() -> None:
    breaks = [Broken([FAULT], 100.0, 105.0, 106.0), Broken([FAULT], 120.0, 125.0, 127.0)]
    history = [confirmed("p0-norte", 101.0, 102.0), confirmed("p0-norte", 121.0, 124.0, "")]
    (line,) = [line for line in table(breaks, 140.0, history).splitlines() if line.startswith("server killed")]
    assert " ".join(line.split()) == "server killed 2 2.00 / 2.00 (1 never) 2.00 / 2.00 (1 never) 1.50 / 2.00"


def test_each_kind_comes_once_before_the_next_round() -> None:
    kinds = ["a", "b", "c"]
    drawn = draw_faults(7, kinds)
    rounds = [sorted(next(drawn).kind for _ in kinds) for _ in range(3)]
    assert rounds == [kinds] * 3
    assert [next(draw_faults(7, kinds)) for _ in range(2)] == [next(draw_faults(7, kinds))] * 2



def test_pairs_are_of_two_kinds_at_two_hosts() -> None:
    pairs = list(islice(draw_pairs(7, ["a", "b", "c", ALL_HOSTS]), 60))
    assert all(one.kind != other.kind and one.host != other.host for one, other in pairs)
    assert {fault.kind for pair in pairs for fault in pair} == {"a", "b", "c"}
    assert {(pair[0].host, pair[1].host) for pair in pairs} == {(one, other) for one in HOSTS for other in HOSTS if one != other}


def test_a_pair_counts_for_both_kinds() -> None:
    other = replace(FAULT, kind="parted", host=2)
    lines = table([Broken([FAULT, other], 100.0, 105.0, 106.0)], 120.0, [confirmed("p0-norte", 101.0, 102.0)]).splitlines()
    assert [" ".join(line.split()) for line in lines[1:]] == [f"{kind} 1 2.00 / 2.00 2.00 / 2.00 1.00 / 1.00" for kind in ("parted", "server killed")]
