"""Connections that began while the binary log was one of statements: the server refuses their writes, also when it is set to ROW."""

from pathlib import Path
from typing import Iterator

import pytest

from checked import expect
from tests.stack import MariaDB, Stack, wait_until
from world import COMMERCE, World

LOGGED = ("--log-bin=binlog", "--binlog-format=ROW", "--server-id=1", "--log-bin-trust-function-creators=1", "--sync-binlog=0")
REASON = "impossible to write to binary log since BINLOG_FORMAT = STATEMENT"


class Logged(MariaDB):
    def __init__(self, directory: Path, sockets: Path, buffer_pool: str) -> None:
        super().__init__(directory, sockets, buffer_pool, LOGGED)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with Stack(dispatcher=False, buffer_pool="16M", database=Logged) as stack:
        yield World(stack)


def test_a_binary_log_of_statements_ends(world: World) -> None:
    """The reason is told, and no other; then each process is refused once more at most, and nobody restarts it."""
    reference, transaction = world.order().reference, world.fresh()
    world.dispatch()
    world.stack.mariadb.query("SET GLOBAL binlog_format = 'STATEMENT'")
    world.stack.worker.restart()
    with world.connect() as network:
        wait_until(lambda: network.lookup(reference).code == "0000", "the worker to serve")
        expect(network.register(reference, "45000", transaction, COMMERCE), "0009")
        expect(network.request("GET", "/readyz"), "0028", "accepts no writes, because of an error that the worker's log names")
        world.stack.mariadb.query("SET GLOBAL binlog_format = 'ROW'")
        assert [network.register(reference, "45000", transaction, COMMERCE).code for _ in range(12)][1:] == ["0000"] * 11
        expect(network.request("GET", "/readyz"), "0000")
    said = world.stack.worker.log_text()
    assert REASON in said and "set binlog_format to ROW" in said and "disk is full" not in said
