"""Every request has so much time, and no more: rows that somebody else holds, statements that get no answer."""

import re
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from statistics import median
from typing import Iterator

import pytest

from checked import CheckedNetwork, expect
from tests.stack import Reply, Stack, wait_until
from tests.stack.paths import ROOT
from world import NETWORK, World

pytestmark = pytest.mark.web

REQUEST_TIME = float(re.search(r"#define REQUEST_TIME +\((\d+) \* SECOND\)", (ROOT / "src/api/worker/call.h").read_text())[1])  # type: ignore[index]
TRYING = 3.0
ONE_LOCK_WAIT = 1.0
LATE = 0.75
VERY_LATE = 4.0  # on a busy machine


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """One process; the client library itself would wait longer for the database than any web server waits."""
    settings = {"worker": {"processes": 1, "connections": 4}, "database": {"read_timeout": "30s"}}
    with Stack(settings=settings, dispatcher=False, buffer_pool="32M") as stack:
        yield World(stack)


@pytest.fixture
def network(world: World) -> Iterator[CheckedNetwork]:
    with world.connect(NETWORK) as network:
        yield network


def test_less_than_the_web_servers_wait() -> None:
    waits = [re.search(r"fastcgi_read_timeout (\d+)s;", (ROOT / "nginx/recaudo.conf").read_text()),
             re.search(r"ProxySet .*\btimeout=(\d+)\b", (ROOT / "apache/recaudo.conf").read_text())]
    assert all(wait is not None and REQUEST_TIME + LATE < float(wait[1]) for wait in waits)


@contextmanager
def held(world: World, statement: str, *parameters: object) -> Iterator[None]:
    """Somebody's transaction holds what the statement locks."""
    holder = world.stack.mariadb.connect()
    with holder.cursor() as cursor:
        cursor.execute("SET autocommit = 0")
        cursor.execute(statement, parameters)
        try:
            yield
        finally:
            holder.close()


def timed(world: World, send: str, *parameters: object) -> tuple[Reply, float]:
    with world.connect(NETWORK) as network:
        began = time.monotonic()
        reply = getattr(network, send)(*parameters)
        return reply, time.monotonic() - began


def is_refused(world: World, result: tuple[Reply, float], longest: float) -> None:
    """By the worker, which knows what it did, not by the web server that has lost its patience."""
    reply, seconds = result
    assert (reply.code, reply.status) == ("0028", 503) and seconds < longest
    wait_until(lambda: f"id={reply.headers['X-Request-Id']}" in world.stack.worker.log_text(), "the line about the request")


def test_row_that_somebody_holds(world: World, network: CheckedNetwork) -> None:
    """0028 in time, nothing changed; who does not need the row is served meanwhile."""
    order = world.order()
    transactions = [world.register(network, order) for _ in range(3)]
    began = time.monotonic()
    with ThreadPoolExecutor(4) as threads, held(world, "SELECT id FROM orders WHERE id = %s FOR UPDATE", order.id):
        waiting: list[Future[tuple[Reply, float]]] = [threads.submit(timed, world, "confirm", transaction)
                                                      for transaction in transactions]
        times = []
        while not all(future.done() for future in waiting):
            asked = time.monotonic()
            expect(network.lookup("1"), "0101")
            times.append(time.monotonic() - asked)
        assert median(times) < 1.0
        for future in waiting:
            is_refused(world, future.result(), TRYING + 2 * ONE_LOCK_WAIT + VERY_LATE)
    assert time.monotonic() - began > TRYING
    assert {world.transaction(transaction)["state"] for transaction in transactions} == {"REGISTRADA"}
    expect(network.confirm(transactions[0]), "0000")


def lock_waits(world: World) -> int:
    """How many have begun, of the whole server."""
    return int(world.rows("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_waits'")[0]["Value"])


def test_lock_that_ends_in_time(world: World, network: CheckedNetwork) -> None:
    """What was waited for in vain is tried again."""
    transaction = world.register(network, order := world.order())
    before = lock_waits(world)
    with ThreadPoolExecutor(1) as threads:
        with held(world, "SELECT id FROM orders WHERE id = %s FOR UPDATE", order.id):
            waiting = threads.submit(timed, world, "confirm", transaction)
            wait_until(lambda: lock_waits(world) >= before + 2, "the second try to wait")
        reply, seconds = waiting.result()
    assert reply.code == "0000" and seconds < TRYING + VERY_LATE


def test_statement_without_an_answer(world: World, network: CheckedNetwork) -> None:
    """A table that an ALTER TABLE keeps: no lock wait of ours ends, and the connection is given up."""
    order = world.order()
    expect(network.lookup(order.reference), "0000")
    with ThreadPoolExecutor(2) as threads, held(world, "LOCK TABLES orders WRITE, accounts WRITE"):
        began = time.monotonic()
        waiting = [threads.submit(timed, world, "lookup", order.reference) for _ in range(2)]
        for future in waiting:
            is_refused(world, future.result(), REQUEST_TIME + VERY_LATE)
        assert time.monotonic() - began > REQUEST_TIME - LATE
    wait_until(lambda: network.lookup(order.reference).code == "0000", "the worker to be whole again")
