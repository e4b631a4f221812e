"""Networks that may ask so often: how many, of all worker processes together, and when again."""

import time
from typing import Callable, Iterator

import pytest

from callers import Caller
from checked import CheckedNetwork, expect
from tests.stack import Reply, Stack, wait_until
from together import at_once
from world import COMMERCE, World

# 5 s by the protocol; a busy machine takes longer for the requests that look.
TAKES_EFFECT = 30.0
BURST = 60
CLIENTS = 12


@pytest.fixture(scope="module")
def limited() -> Iterator[World]:
    """An instance of its own with two worker processes: what is killed here is nobody else's."""
    with Stack(dispatcher=False, buffer_pool="16M", settings={"worker": {"processes": 2}}) as stack:
        yield World(stack)


def network(world: World, *options: str) -> str:
    name = world.fresh("red")
    world.hashes[name] = world.stack.ctl.json("network", "add", name, *options)["fixed_hash"]
    return name


def lookups(world: World, name: str, count: int) -> list[Reply]:
    """`count` of them by each of many clients at once, over connections that both processes take."""
    clients = [world.connect(name) for _ in range(CLIENTS)]

    def work(client: CheckedNetwork) -> Callable[[], list[Reply]]:
        return lambda: [client.lookup("1") for _ in range(count)]

    replies = [reply for part in at_once([work(client) for client in clients]) for reply in part]
    for client in clients:
        client.close()
    return replies


def admitted(replies: list[Reply]) -> int:
    assert {reply.code for reply in replies} <= {"0101", "0145"}
    return sum(reply.code == "0101" for reply in replies)


def test_the_burst_is_shared_by_all_processes(limited: World) -> None:
    name = network(limited, "--rate", "1/s", "--burst", str(BURST))
    began = time.monotonic()
    replies = lookups(limited, name, 10)
    assert BURST <= admitted(replies) <= BURST + time.monotonic() - began + 1
    assert {(reply.status, reply.headers["X-Recaudo-Code"]) for reply in replies if reply.code == "0145"} == {(429, "0145")}
    assert {reply.headers["Retry-After"] for reply in replies if reply.code == "0145"} == {"1"}
    assert {reply.json["TEXT"] for reply in replies if reply.code == "0145"} == {"too many requests"}


def test_killed_processes_leave_the_budget_as_it_is(limited: World) -> None:
    """Their successors know what was used up, and are not kept waiting."""
    name = network(limited, "--rate", "1/s", "--burst", str(BURST))
    began = time.monotonic()
    used = admitted(lookups(limited, name, 10))
    worker = limited.stack.worker
    for _ in range(2):
        before = worker.children()
        victim = worker.kill_one()
        wait_until(lambda: victim not in worker.children() and len(worker.children()) == len(before), "another process")
    with limited.connect(name) as client:
        wait_until(lambda: client.request("GET", "/healthz").code == "0000", "the workers")
        used += sum(client.lookup("1").code == "0101" for _ in range(30))
        assert BURST <= used <= BURST + time.monotonic() - began + 1
        wait_until(lambda: client.lookup("1").code == "0101", "the next second's request")


def test_retry_after_is_right(limited: World) -> None:
    """Who comes too early is told when to come back, and is taken then."""
    name = network(limited, "--rate", "1", "--burst", "1")
    with limited.connect(name) as client:
        expect(client.lookup("1"), "0101")
        refused = time.monotonic()
        assert expect(client.lookup("1"), "0145").headers["Retry-After"] == "1"
        wait_until(lambda: client.lookup("1").code == "0101", "another request to be taken")
        assert time.monotonic() - refused <= 10


def test_registration_and_confirmation_count(limited: World) -> None:
    """Those that are forged do not. As many are taken as the time allows, however long it takes; the others write nothing."""
    burst, many = 2, 100
    name = network(limited, "--rate", "1", "--burst", f"{burst}")
    order, before = limited.order(), f"{limited.fresh()}-"
    with limited.connect(name) as client:
        transaction = limited.register(client, order)
        began = time.monotonic()
        for send in (lambda number: client.register(order.reference, "45000", f"{before}{number}", COMMERCE),
                     lambda number: client.confirm(transaction)):
            with limited.nothing_written():
                forged = {client.register(order.reference, "45000", limited.fresh(), COMMERCE, checksum="0" * 128).code
                          for _ in range(20)}
            assert forged == {"0025"}
            wait_until(lambda: send(many).code == "0000", "one to be taken")
            codes = [send(number).code for number in range(many)]
            assert "0145" in codes and set(codes) <= {"0000", "0145"}
            assert codes.count("0000") <= burst + 1 + time.monotonic() - began
        stored = limited.rows("SELECT id FROM transactions WHERE network_transaction LIKE %s", f"{before}%")
        assert 0 < len(stored) < many


def test_nobody_else_uses_it_up(limited: World) -> None:
    """Not without the secret, not from an address that is not allowed, not another network."""
    name = network(limited, "--rate", "1", "--burst", "3", "--allow", "127.0.0.9")
    other = network(limited, "--rate", "1", "--burst", "1")
    with Caller(limited, name, "127.0.0.9") as friend, Caller(limited, name) as stranger:
        for _ in range(20):
            expect(friend.lookup("1", checksum="0" * 128), "0025")
            expect(stranger.lookup("1"), "0019")
        with limited.connect(other) as neighbour:
            assert [neighbour.lookup("1").code for _ in range(2)] == ["0101", "0145"]
        assert [friend.lookup("1").code for _ in range(3)] == ["0101"] * 3


def test_a_limit_is_set_and_lifted(limited: World) -> None:
    name = network(limited)
    assert admitted(lookups(limited, name, 5)) == 5 * CLIENTS
    limited.stack.ctl.done("network", "set", name, "--rate", "1", "--burst", "2")
    wait_until(lambda: admitted(lookups(limited, name, 2)) <= 4, "the limit", TAKES_EFFECT)
    limited.stack.ctl.done("network", "set", name, "--rate", "none")
    wait_until(lambda: admitted(lookups(limited, name, 2)) == 2 * CLIENTS, "no limit", TAKES_EFFECT)


def test_a_greater_limit_counts_at_once(limited: World) -> None:
    """What was used up under the old one keeps nobody waiting longer than the new one does."""
    name = network(limited, "--rate", "1", "--burst", "1000")
    assert admitted(lookups(limited, name, 80)) == 80 * CLIENTS
    limited.stack.ctl.done("network", "set", name, "--rate", "1000", "--burst", "100")
    wait_until(lambda: admitted(lookups(limited, name, 5)) == 5 * CLIENTS, "the greater limit", TAKES_EFFECT)


def test_others_are_not_slowed(limited: World) -> None:
    with limited.connect() as free:
        assert [free.lookup("1").code for _ in range(200)] == ["0101"] * 200
