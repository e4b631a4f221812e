"""A shared statement that the database does not answer holds up those that come after it for a second, not for its own time."""

import json
import select
from contextlib import ExitStack, contextmanager
from typing import Iterator

from fastcgi import FastCGI, request_bytes
from tests.stack import Stack
from tests.stack.database_proxy import DatabaseProxy
from world import NETWORK, World


@contextmanager
def proxied(connections: int) -> Iterator[tuple[World, DatabaseProxy]]:
    """One process, which asks the database by way of the proxy."""
    stack = Stack(dispatcher=False, buffer_pool="32M")
    with DatabaseProxy(stack.mariadb.socket, str(stack.sockets / "proxy.sock")) as proxy:
        stack.settings = {"worker": {"processes": 1, "connections": connections}, "database": {"socket": proxy.path}}
        with stack:
            yield World(stack), proxy


class Lookups:
    """One that gets no answer until `release`, and three that come after it."""

    def __init__(self, world: World, proxy: DatabaseProxy) -> None:
        self.kept = ExitStack()
        self.proxy = proxy
        references = [world.order().reference for _ in range(4)]
        with world.connect(NETWORK) as network:
            network.lookup(world.order().reference)  # from now on the process knows the secret
            requests = [request_bytes("GET", network.lookup_path(reference)) for reference in references]
        proxy.hold_answer_to = f'"{references[0]}"]]'.encode()
        self.connections = [self.kept.enter_context(FastCGI(world.stack.worker.socket)) for _ in requests]
        self.connections[0].send(requests[0])
        assert proxy.held.wait(60)
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

    def first_waits(self) -> bool:
        return not select.select([self.connections[0].socket], [], [], 0)[0]


def test_those_that_come_later_are_answered_first() -> None:
    with proxied(connections=2) as (world, proxy), Lookups(world, proxy) as lookups:
        assert [lookups.code(at) for at in (1, 2, 3)] == ["0000"] * 3
        assert lookups.first_waits()
        proxy.release()
        assert lookups.code(0) == "0000"


def test_without_another_connection_all_are_told_so() -> None:
    """After the second for which a request waits for others, and the second for a connection; not one after the other."""
    with proxied(connections=1) as (world, proxy), Lookups(world, proxy) as lookups:
        assert [lookups.code(at) for at in (1, 2, 3)] == ["0028"] * 3
        assert lookups.first_waits()
        proxy.release()
        assert lookups.code(0) == "0000"
