"""Connections of the web server among the worker processes: they are spread, and a reload loses none."""

import json
import os
import signal
from contextlib import ExitStack
from pathlib import Path
from typing import Iterator

import pytest

from conftest import LONG_WINDOW_SECONDS
from fastcgi import FastCGI, request_bytes
from tests.stack import Stack, wait_until
from world import World

CONNECTIONS = 40
MANY = 400  # as single messages more than fit where the room of a socket is not set
CONNECTED = "03"  # in /proc/net/unix
WELL = '"CODE":"0000"'


@pytest.fixture(scope="module", params=[2, 1], ids=["two-processes", "one-process"])
def reloaded(request: pytest.FixtureRequest) -> Iterator[World]:
    """An instance whose worker is reloaded."""
    settings = {"worker": {"cancel_window": f"{LONG_WINDOW_SECONDS}s", "processes": str(request.param)}}
    with Stack(settings=settings, dispatcher=False, buffer_pool="32M") as stack:
        yield World(stack)


def begin_reload(stack: Stack) -> set[int]:
    """The processes that are to be replaced, once the new configuration is in use."""
    reloads = stack.worker.log_text().count("configuration reloaded")
    before = set(stack.worker.children())
    stack.worker.signal(signal.SIGHUP)
    wait_until(lambda: stack.worker.log_text().count("configuration reloaded") > reloads, "the reload to begin")
    return before


def await_replaced(stack: Stack, before: set[int]) -> None:
    wait_until(lambda: before.isdisjoint(now := stack.worker.children()) and len(now) == len(before), "other processes")


def kept_by(process: int, path: str) -> int:
    """The connections that it has accepted at `path`."""
    fields = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()]
    connected = {f"socket:[{field[6]}]" for field in fields if field[5] == CONNECTED and field[-1] == path}
    return sum(os.readlink(file) in connected for file in Path(f"/proc/{process}/fd").iterdir())


def test_connections_are_spread() -> None:
    """Each process gets its part of connections that come one after the other, when all wait for them."""
    with Stack(dispatcher=False, buffer_pool="16M") as stack, ExitStack() as kept:
        processes = stack.worker.children()
        wait_until(lambda: stack.worker.log_text().count("serves with") == len(processes), "all processes to serve")

        def came() -> list[int]:
            return [kept_by(process, stack.worker.socket) for process in processes]

        before = sum(came())
        for number in range(1, CONNECTIONS + 1):
            kept.enter_context(FastCGI(stack.worker.socket))
            wait_until(lambda: sum(came()) == before + number, "the connection to be accepted")
        assert all(count >= CONNECTIONS / 4 for count in came()), came()


def test_idle_connections_outlive_a_reload(reloaded: World) -> None:
    stack = reloaded.stack
    with ExitStack() as kept:
        connections = [kept.enter_context(FastCGI(stack.worker.socket)) for _ in range(MANY)]
        for connection in connections:
            assert WELL in connection.ask("GET", "/healthz")
        for _ in range(2):
            await_replaced(stack, begin_reload(stack))
            for connection in connections:
                assert WELL in connection.ask("GET", "/healthz")


def test_request_of_which_half_has_come(reloaded: World) -> None:
    """Whoever tells its process to leave, it is answered, and the connection goes on in another one."""
    stack, request = reloaded.stack, request_bytes("GET", "/healthz")
    before = set(stack.worker.children())
    with FastCGI(stack.worker.socket) as connection:
        connection.send(request[:-10])
        for process in before:
            os.kill(process, signal.SIGHUP)
        connection.send(request[-10:])
        assert WELL in connection.receive()
        await_replaced(stack, before)
        assert WELL in connection.ask("GET", "/healthz")


def test_request_at_work(reloaded: World) -> None:
    """It waits for a lock while its process is told to leave; the one behind it in the same connection is answered too."""
    stack = reloaded.stack
    with reloaded.connect() as network, FastCGI(stack.worker.socket) as connection:
        order = reloaded.order()
        fields = network.confirmation(reloaded.register(network, order), True)
        blocker = stack.mariadb.connect()
        with blocker.cursor() as cursor:
            blocker.begin()
            cursor.execute("SELECT id FROM orders WHERE id = %s FOR UPDATE", [order.id])
            connection.send(request_bytes("PATCH", "/v1/transactions/", json.dumps(fields).encode()))
            reloaded.await_lock_wait()
            before = begin_reload(stack)
            connection.send(request_bytes("GET", "/healthz"))
            blocker.rollback()
        blocker.close()
        answers = [connection.receive(), connection.receive()]
        assert [WELL in answer for answer in answers] == [True, True]
        assert fields["transaction"] in answers[0]
        await_replaced(stack, before)
        assert WELL in connection.ask("GET", "/healthz")


def test_process_that_is_stopped_closes(reloaded: World) -> None:
    """SIGTERM is for the end of all: the web server connects anew, and waits in the listener's queue."""
    stack = reloaded.stack
    with FastCGI(stack.worker.socket) as connection:
        assert WELL in connection.ask("GET", "/healthz")
        before = set(stack.worker.children())
        for process in before:
            os.kill(process, signal.SIGTERM)
        with pytest.raises(EOFError):
            connection.receive()
        await_replaced(stack, before)


def test_end_of_all_during_a_reload() -> None:
    """What its only process has handed over is closed, and so is what it waits for: nobody follows who would take either."""
    with Stack(settings={"worker": {"processes": "1"}}, dispatcher=False, buffer_pool="16M") as stack:
        with FastCGI(stack.worker.socket) as idle, FastCGI(stack.worker.socket) as slow:
            assert WELL in idle.ask("GET", "/healthz") and WELL in slow.ask("GET", "/healthz")
            slow.send(request_bytes("GET", "/healthz")[:-10])
            (process,) = stack.worker.children()
            stack.worker.signal(signal.SIGSTOP)
            os.kill(process, signal.SIGHUP)
            os.kill(process, signal.SIGTERM)
            with pytest.raises(EOFError):
                idle.receive()
            stack.worker.signal(signal.SIGCONT)
            await_replaced(stack, {process})
