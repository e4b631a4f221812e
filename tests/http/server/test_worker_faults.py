"""Worker processes that are killed or told to stop while they serve."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Iterator

import pytest

from checked import CheckedClient, expect
from conftest import LONG_WINDOW_SECONDS
from tests.stack import Stack, wait_until
from tests.stack.invariants import check_invariants
from traffic import new_traffic, resolve
from world import NETWORK, World

pytestmark = pytest.mark.web

FORCED_AFTER = 8.0  # less than the ten seconds after which the master kills a process that does not leave
WITHOUT_DELAY = 10.0


@pytest.fixture(scope="module")
def broken() -> Iterator[World]:
    """An instance to break."""
    settings = {"worker": {"cancel_window": f"{LONG_WINDOW_SECONDS}s", "processes": 2}, "database": {"read_timeout": "1s"}}
    with Stack(settings=settings, dispatcher=False, buffer_pool="32M") as stack:
        yield World(stack)


@pytest.fixture(autouse=True)
def worker_runs(broken: World) -> Iterator[None]:
    """A test that failed half-way takes no other with it."""
    yield
    if not broken.stack.worker.running():
        broken.stack.worker.start()


def await_settled(stack: Stack) -> list[int]:
    """Until both worker processes have lived for a second; one that dies younger is not replaced at once."""
    ticks = os.sysconf("SC_CLK_TCK")

    def age(process: int) -> float:
        started = int(open(f"/proc/{process}/stat").read().rpartition(")")[2].split()[19]) / ticks
        return time.clock_gettime(time.CLOCK_BOOTTIME) - started

    wait_until(lambda: len(stack.worker.children()) == 2 and all(age(child) > 1.2 for child in stack.worker.children()),
               "two worker processes")
    return stack.worker.children()


def test_killed_worker_is_replaced_and_nothing_is_lost(broken: World) -> None:
    stack = broken.stack
    traffic = new_traffic(broken)
    with traffic:
        for _ in range(2):
            traffic.await_more()
            await_settled(stack)
            victim = stack.worker.kill_one()
            wait_until(lambda: len(stack.worker.children()) == 2 and victim not in stack.worker.children(),
                       "another worker process", WITHOUT_DELAY)
            traffic.await_more()
    resolve(broken, traffic)
    check_invariants(broken, LONG_WINDOW_SECONDS)
    with broken.connect() as network:
        for _ in range(20):
            expect(network.lookup("1"), "0101")


def test_all_workers_killed_at_once(broken: World) -> None:
    stack = broken.stack
    traffic = new_traffic(broken)
    with traffic:
        traffic.await_more()
        victims = await_settled(stack)
        for victim in victims:
            os.kill(victim, signal.SIGKILL)
        wait_until(lambda: len(stack.worker.children()) == 2 and not set(victims) & set(stack.worker.children()),
                   "other worker processes", WITHOUT_DELAY)
        traffic.await_more()
    resolve(broken, traffic)
    check_invariants(broken, LONG_WINDOW_SECONDS)


def test_stop_answers_what_is_in_flight(broken: World) -> None:
    """A confirmation waits for a lock when SIGTERM comes: it is still answered, then the worker leaves with 0."""
    order = broken.order()
    blocker = broken.stack.mariadb.connect()
    with broken.connect() as network, ThreadPoolExecutor(2) as threads, blocker.cursor() as cursor:
        transaction = broken.register(network, order)
        blocker.begin()
        cursor.execute("SELECT id FROM orders WHERE id = %s FOR UPDATE", [order.id])
        answer = threads.submit(network.confirm, transaction)
        broken.await_lock_wait()
        began = time.monotonic()
        stopped = threads.submit(broken.stack.worker.stop)
        wait_until(lambda: len(broken.stack.worker.children()) == 1, "the idle process to leave")
        blocker.rollback()
        expect(answer.result(60), "0000")
        assert stopped.result(60) == 0
        assert time.monotonic() - began < FORCED_AFTER
    blocker.close()
    broken.stack.worker.start()
    assert broken.transaction(transaction)["state"] == "CONFIRMADA"


def test_stop_under_traffic(broken: World) -> None:
    """Whatever was stored was answered, or its answer is found by asking again; the end is quick and clean."""
    traffic = new_traffic(broken)
    with traffic:
        traffic.await_more(40)
        began = time.monotonic()
        assert broken.stack.worker.stop() == 0
        took = time.monotonic() - began
        broken.stack.worker.start()
        traffic.await_more()
    assert took < FORCED_AFTER
    assert "killing" not in broken.stack.worker.log_text()
    resolve(broken, traffic)
    check_invariants(broken, LONG_WINDOW_SECONDS)


def test_stop_with_kept_connections(broken: World) -> None:
    """Idle connections of nginx do not keep a worker from leaving."""
    broken.dispatch()
    with CheckedClient(broken.stack.base_url) as client:
        for _ in range(8):
            expect(client.request("GET", "/readyz"), "0000")
        began = time.monotonic()
        assert broken.stack.worker.stop() == 0
        assert time.monotonic() - began < FORCED_AFTER
        broken.stack.worker.start()
        expect(client.request("GET", "/readyz"), "0000")


@pytest.mark.nginx  # takes 17 s, and the web server has no part in it
def test_process_that_hangs_is_replaced(broken: World) -> None:
    """Nobody answers for it, and the watchdog would be content: it is killed after its time, said and counted."""
    stack = broken.stack
    victim = await_settled(stack)[0]
    os.kill(victim, signal.SIGSTOP)
    wait_until(lambda: victim not in stack.worker.children() and len(stack.worker.children()) == 2, "another process", 120)
    wait_until(lambda: f"worker process {victim} has made no progress for" in stack.worker.log_text(), "the line about it")
    with broken.connect(NETWORK) as network:
        for _ in range(20):
            expect(network.lookup("1"), "0101")
        assert "\nrecaudo_worker_process_hangs_total 1\n" in stack.client().request("GET", "/metrics").text


def test_master_killed(broken: World) -> None:
    """The serving processes do not outlive their master, and another one takes the place."""
    stack = broken.stack
    orphans = await_settled(stack)
    os.kill(stack.worker.pid, signal.SIGKILL)
    wait_until(lambda: not any(os.path.exists(f"/proc/{orphan}") for orphan in orphans), "the processes to end")
    stack.worker.kill()
    stack.worker.start()
    with broken.connect(NETWORK) as network:
        expect(network.lookup("1"), "0101")
