"""Two database servers, of which the first is away: who begins meanwhile serves with the second."""

import signal
from typing import Iterator

import pytest

from tests.stack import Stack, wait_until
from tests.stack.mariadb_tcp import SecondServer
from world import World


@pytest.fixture(scope="module")
def second() -> Iterator[World]:
    with Stack(dispatcher=False, buffer_pool="16M", settings={"database": {"connect_timeout": "2s"}}, database=SecondServer) as stack:
        yield World(stack)


@pytest.mark.parametrize("silent", [False, True])
def test_no_request_fails_because_a_process_is_new(second: World, silent: bool) -> None:
    """Its first request would try the first server, and be refused. One that is switched off is silent, and takes the time-out."""
    assert isinstance(second.stack.mariadb, SecondServer)
    second.stack.mariadb.silent = silent
    worker = second.stack.worker
    for _ in range(3):
        before = set(worker.children())
        worker.signal(signal.SIGHUP)
        wait_until(lambda: before.isdisjoint(now := worker.children()) and len(now) == len(before), "other processes")
        for _ in range(20):
            with second.connect() as network:
                assert network.lookup("1").code == "0101"
    log = worker.log_text()
    assert "database: reachable: server 2 of 2 in [database]" in log
    assert "nothing is read or written" not in log
