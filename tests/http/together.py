"""Requests that leave at the same moment."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from threading import Barrier
from typing import Callable, Iterator, Sequence, TypeVar

from checked import CheckedNetwork, expect
from tests.stack import Reply
from world import World

Result = TypeVar("Result")


def at_once(calls: Sequence[Callable[[], Result]]) -> list[Result]:
    """Runs every call in a thread of its own, all let go at the same moment; their results in order."""
    gate = Barrier(len(calls))

    def run(call: Callable[[], Result]) -> Result:
        gate.wait(120)
        return call()

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(run, calls))


@contextmanager
def connected(world: World, names: Sequence[str]) -> Iterator[list[CheckedNetwork]]:
    """Clients with connections that are open already, so that nothing but the request itself is in the race."""
    with ExitStack() as open_clients:
        clients = [open_clients.enter_context(world.connect(name)) for name in names]
        for client in clients:
            expect(client.lookup("1"), "0101")
        yield clients


def codes(replies: list[Reply]) -> Counter[str]:
    """How often each CODE came, none of them with a 5xx."""
    assert all(reply.status < 500 for reply in replies), [reply.text for reply in replies]
    return Counter(reply.code for reply in replies)
