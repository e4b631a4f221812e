"""A shared statement that gets no answer. Those that wait for its end go beside it where a connection is to spare."""

import json
import os
import select
import signal
import time
from contextlib import ExitStack, contextmanager
from typing import Iterator

import pytest

from checked import expect
from fastcgi import FastCGI, request_bytes
from tests.stack import Stack, free_port, wait_until
from tests.stack.database_proxy import DatabaseProxy
from world import MERCHANT, NETWORK, World

CONNECTIONS = "SELECT COUNT(*) AS n FROM information_schema.processlist WHERE user = 'recaudo_worker'"
LONGER_THAN_PATIENCE = 3.0  # and shorter than the time that a request has


@contextmanager
def proxied(connections: int) -> Iterator[tuple[World, DatabaseProxy]]:
    """One process, which asks the database by way of the proxy."""
    stack = Stack(dispatcher=False, buffer_pool="32M")
    with DatabaseProxy(stack.mariadb.socket, str(stack.sockets / "proxy.sock")) as proxy:
        stack.settings = {"worker": {"processes": 1, "connections": connections}, "database": {"socket": proxy.path}}
        with stack:
            world = World(stack)
            wait_until(lambda: world.rows(CONNECTIONS)[0]["n"] == connections, "the process to have all its connections")
            yield world, proxy


class Lookups:
    """The first gets no answer until `release`; the others come after it, while its statement is at work."""

    def __init__(self, world: World, proxy: DatabaseProxy, count: int) -> None:
        self.kept = ExitStack()
        self.proxy = proxy
        references = [world.order().reference for _ in range(count)]
        with world.connect(NETWORK) as network:
            network.lookup(world.order().reference)  # from now on the process knows the network's secret
            requests = [request_bytes("GET", network.lookup_path(reference)) for reference in references]
        proxy.hold_answer_to = f'"{references[0]}"]]'.encode()
        self.connections = [self.kept.enter_context(FastCGI(world.stack.worker.socket)) for _ in requests]
        self.connections[0].send(requests[0])
        assert proxy.held.wait(60)
        proxy.held.clear()
        for connection, request in zip(self.connections[1:], requests[1:]):
            connection.send(request)

    def __enter__(self) -> "Lookups":
        return self

    def __exit__(self, *_: object) -> None:
        self.proxy.release()
        self.kept.close()

    def code(self, at: int) -> str:
        code: str = json.loads(self.connections[at].receive().partition("\r\n\r\n")[2])["CODE"]
        return code

    def codes(self) -> list[str]:
        return [self.code(at) for at in range(len(self.connections))]

    def any_is_answered(self, seconds: float) -> bool:
        return bool(select.select([connection.socket for connection in self.connections], [], [], seconds)[0])

    def first_is_answered(self) -> bool:
        return bool(select.select([self.connections[0].socket], [], [], 0)[0])


def test_a_connection_that_gives_no_answer() -> None:
    """Those that come later are answered before it."""
    with proxied(connections=4) as (world, proxy):
        with Lookups(world, proxy, 4) as lookups:
            assert [lookups.code(at) for at in (1, 2, 3)] == ["0000"] * 3
            assert not lookups.first_is_answered()
            proxy.release()
            assert lookups.code(0) == "0000"


def test_a_lookup_that_its_merchant_answers() -> None:
    """It goes its own way at once: the merchant needs most of its time. Here nobody listens at its endpoint."""
    with proxied(connections=4) as (world, proxy), world.connect(NETWORK) as network:
        world.insert("integrations", merchant_id=world.value("SELECT id FROM merchants WHERE name = %s", MERCHANT), kind=2,
                     code="77", endpoint=f"http://127.0.0.1:{free_port()}/", currency="COP", changed_by="test")
        wait_until(lambda: network.lookup("77000000001").code == "0108", "the integration to be known")
        with Lookups(world, proxy, 1) as lookups:
            expect(network.lookup("77000000002"), "0108")
            assert not lookups.first_is_answered()


@pytest.mark.parametrize("connections", [1, 3])
def test_no_connection_is_to_spare(connections: int) -> None:
    """None is free, or too few would be. Nobody is refused because of it: all wait, and are answered when the first is."""
    with proxied(connections) as (world, proxy):
        with Lookups(world, proxy, 4) as lookups:
            assert not lookups.any_is_answered(LONGER_THAN_PATIENCE)
            proxy.release()
            assert lookups.codes() == ["0000"] * 4


def test_two_kinds_that_go_beside_at_once() -> None:
    """Whoever is first takes the connection that is to spare. The other one sees that too few would be left."""
    with proxied(connections=6) as (world, proxy), world.connect(NETWORK) as network, ExitStack() as kept:
        payments = [world.register(network, world.order()) for _ in range(2)]
        requests = [[request_bytes("GET", network.lookup_path(world.order().reference)),
                     request_bytes("PATCH", "/v1/transactions/", json.dumps(network.confirmation(payment)).encode())]
                    for payment in payments]
        connections = [kept.enter_context(FastCGI(world.stack.worker.socket)) for _ in range(4)]
        proxy.hold_answer_to, proxy.holds_all = b'"]]', True
        for connection, request in zip(connections, requests[0]):
            connection.send(request)
        wait_until(lambda: proxy.holding == 2, "a statement of each kind to be at work")
        (process,) = world.stack.worker.children()
        os.kill(process, signal.SIGSTOP)
        try:
            for connection, request in zip(connections[2:], requests[1]):
                connection.send(request)
        finally:
            os.kill(process, signal.SIGCONT)
        wait_until(lambda: proxy.holding > 2, "one of them to lose patience")
        time.sleep(LONGER_THAN_PATIENCE / 2)
        held = proxy.holding
        proxy.hold_answer_to = b""
        proxy.release()
        assert all('"CODE":"0000"' in connection.receive() for connection in connections) and held == 3
