"""A database that is stopped, killed or frozen: 0028 at once, nothing acknowledged is lost, back again by itself."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from statistics import median
from typing import Iterator

import pytest
from pymysql.constants import ER

from checked import CheckedNetwork, expect
from conftest import LONG_WINDOW_SECONDS
from tests.stack import Reply, Stack, wait_until
from tests.stack.invariants import check_invariants
from traffic import new_traffic, resolve
from world import COMMERCE, NETWORK, World

READ_TIMEOUT = 1.0
CONNECT_TIMEOUT = 1.0
AT_ONCE = 0.5  # of most requests: a busy machine holds up some
LATE = 5.0
BACK_WITHIN = 20.0
ROLLBACK_ONLY = 4060  # what MariaDB 11.8 calls a deadlock inside a function


@pytest.fixture(scope="module")
def broken() -> Iterator[World]:
    """An instance to break."""
    settings = {"worker": {"cancel_window": f"{LONG_WINDOW_SECONDS}s", "processes": 2}, "database": {"read_timeout": "1s"}}
    with Stack(settings=settings, dispatcher=False, buffer_pool="32M") as stack:
        yield World(stack)


@pytest.fixture
def network(broken: World) -> Iterator[CheckedNetwork]:
    with broken.connect() as network:
        wait_until(lambda: network.lookup("1").code == "0101", "the instance to be whole again")
        broken.dispatch()
        yield network


def timed(send: object) -> tuple[Reply, float]:
    began = time.monotonic()
    return send(), time.monotonic() - began  # type: ignore[operator]


def all_requests(network: CheckedNetwork) -> list[tuple[Reply, float]]:
    return [timed(lambda: network.lookup("1")), timed(lambda: network.register("1", "1", "t", COMMERCE)),
            timed(lambda: network.confirm("t")), timed(lambda: network.request("GET", "/readyz"))]


def check_away(network: CheckedNetwork, rounds: int) -> None:
    """Every operation is refused at once; the process itself is alive."""
    times = []
    for _ in range(rounds):
        for reply, seconds in all_requests(network):
            assert (expect(reply, "0028").status, reply.headers["Retry-After"]) == (503, "1")
            times.append(seconds)
        expect(network.request("GET", "/healthz"), "0000")
    assert median(times) < AT_ONCE


def check_back(network: CheckedNetwork, began: float) -> None:
    """Every worker process serves again soon after `began`: both are asked, as nobody says which one answers."""
    wait_until(lambda: all(network.request("GET", "/readyz").code == "0000" and network.lookup("1").code == "0101"
                           for _ in range(20)),
               "the workers to be back",
               max(0.0, began + BACK_WITHIN - time.monotonic()))


def test_stopped_and_started(broken: World, network: CheckedNetwork) -> None:
    workers = broken.stack.worker.children()
    broken.stack.mariadb.stop()
    check_away(network, 10)
    broken.stack.mariadb.start()
    check_back(network, time.monotonic())
    assert broken.stack.worker.children() == workers


def line_of(stack: Stack, reply: Reply) -> str:
    def found() -> list[str]:
        return [line for line in stack.worker.log_text().splitlines() if reply.headers["X-Request-Id"] in line]

    return wait_until(found, "the line of the request")[0]


def test_networks_while_the_database_is_away(broken: World, network: CheckedNetwork) -> None:
    """Their credentials cannot be read, which is not the same as being unknown. The log names one that a worker has seen."""
    broken.stack.mariadb.stop()
    try:
        wait_until(lambda: f' said_network="{NETWORK}" code=0028' in line_of(broken.stack, expect(network.lookup("1"), "0028")),
                   "the credentials to be too old")
        with broken.connect() as stranger:
            stranger.name = "stranger"
            assert ' network="" code=0028' in line_of(broken.stack, expect(stranger.lookup("1"), "0028"))
    finally:
        broken.stack.mariadb.start()


def test_restarted_while_nobody_called(broken: World, network: CheckedNetwork) -> None:
    """Connections that were idle have died unnoticed: the first requests afterwards are served all the same.

    The note that the workers write every ten seconds may fall into it, and notices: then it is as after any outage.
    """
    def outages() -> int:
        return broken.stack.worker.log_text().count("database: unreachable")

    check_back(network, time.monotonic())
    before = outages()
    broken.stack.mariadb.restart()
    refused = [reply.text for reply in (network.lookup("1") for _ in range(20)) if reply.code != "0101"]
    if refused:
        wait_until(lambda: outages() > before, "a sign that the outage was noticed")
        check_back(network, time.monotonic())


@contextmanager
def accounts_that(world: World, happens: str) -> Iterator[None]:
    """Whoever reads an account meets the expression `happens`."""
    columns = [row["Field"] for row in world.rows("SHOW COLUMNS FROM accounts")]
    shown = ", ".join(f"IF({happens}, '', lastname2) AS lastname2" if name == "lastname2" else name for name in columns)
    world.write("RENAME TABLE accounts TO accounts_kept")
    try:
        world.write(f"CREATE VIEW accounts AS SELECT {shown} FROM accounts_kept")
        yield
    finally:
        world.write("DROP VIEW IF EXISTS accounts")
        world.write("RENAME TABLE accounts_kept TO accounts")


def test_connection_killed_while_it_answers(broken: World, network: CheckedNetwork) -> None:
    document = broken.account()
    asleep = "SELECT id FROM information_schema.processlist WHERE user = 'recaudo_worker' AND state = 'User sleep'"
    with ThreadPoolExecutor(1) as thread, accounts_that(broken, "SLEEP(30)"):
        answer = thread.submit(network.lookup, document)
        (connection,) = wait_until(lambda: broken.rows(asleep), "the worker to wait for an account")
        broken.write("KILL CONNECTION %s", connection["id"])
        expect(answer.result(60), "0028")
    expect(network.lookup(document), "0000")


@pytest.mark.parametrize("error", [ER.LOCK_DEADLOCK, ROLLBACK_ONLY])
def test_deadlock_in_the_middle_of_an_answer(broken: World, network: CheckedNetwork, error: int) -> None:
    """An error that comes with the rows, after the statement itself has begun well, is told apart like any other."""
    document = broken.account()
    broken.write(f"CREATE OR REPLACE FUNCTION deadlock() RETURNS INT BEGIN SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = {error};"
                 " RETURN 0; END")
    with accounts_that(broken, "deadlock()"):
        expect(network.lookup(document), "0028")
    expect(network.lookup(document), "0000")


def test_read_only(broken: World, network: CheckedNetwork) -> None:
    """As while a replica takes over: what only reads is answered, what would write is to come again."""
    reference, transaction = broken.order().reference, broken.fresh()
    broken.stack.mariadb.query("SET GLOBAL read_only = 1")
    try:
        expect(network.lookup(reference), "0000")
        for _ in range(3):
            assert expect(network.register(reference, "45000", transaction, COMMERCE), "0028").status == 503
    finally:
        broken.stack.mariadb.query("SET GLOBAL read_only = 0")
    expect(network.register(reference, "45000", transaction, COMMERCE), "0000")
    expect(network.confirm(transaction), "0000")


@pytest.mark.parametrize("option", ["--innodb-read-only=1", "--innodb-force-recovery=5"])
def test_started_to_be_read_only(broken: World, network: CheckedNetwork, option: str) -> None:
    """As to look at a database that is damaged: this is no fault of ours, and `status` names the cause."""
    reference, transaction = broken.order().reference, broken.fresh()
    server = broken.stack.mariadb
    server.process.command.append(option)
    try:
        server.restart()
        wait_until(lambda: network.lookup(reference).code == "0000", "the database to be back", BACK_WITHIN)
        assert expect(network.register(reference, "45000", transaction, COMMERCE), "0028").status == 503
        said = broken.stack.ctl.run("status").stderr
        assert "the database accepts no writes: it is read only" in said and "its disk is full" not in said
        assert " failed: Running in read-only mode (1836)" in broken.stack.worker.log_text()
    finally:
        server.process.command.remove(option)
        server.restart()
    wait_until(lambda: network.register(reference, "45000", transaction, COMMERCE).code == "0000", "the database to take it", BACK_WITHIN)
    expect(network.confirm(transaction), "0000")


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_restarted_under_traffic(broken: World, network: CheckedNetwork, end: str) -> None:
    """A crash of the database loses nothing that was acknowledged, and what is unknown is resolved by asking again."""
    traffic = new_traffic(broken)
    with traffic:
        traffic.await_more(40)
        getattr(broken.stack.mariadb, end)()
        broken.stack.mariadb.start()
        wait_until(lambda: broken.stack.mariadb.query("SELECT 1"), "the database")
        check_back(network, time.monotonic())
        traffic.await_more(20)
    resolve(broken, traffic)
    check_invariants(broken, LONG_WINDOW_SECONDS)


def test_frozen(broken: World, network: CheckedNetwork) -> None:
    """A database that hangs: the first requests wait for the read time-out, all others are refused sooner."""
    check_back(network, time.monotonic())
    broken.stack.mariadb.process.pause()
    try:
        first = all_requests(network)
        assert {reply.code for reply, _ in first} == {"0028"}
        assert max(seconds for _, seconds in first) < READ_TIMEOUT + CONNECT_TIMEOUT + LATE
        wait_until(lambda: timed(lambda: network.lookup("1"))[1] < AT_ONCE, "both processes to have noticed")
        for _ in range(10):
            reply, seconds = timed(lambda: network.lookup("1"))
            assert (reply.code, seconds < READ_TIMEOUT + CONNECT_TIMEOUT + LATE) == ("0028", True)
    finally:
        broken.stack.mariadb.process.resume()
    check_back(network, time.monotonic() + CONNECT_TIMEOUT)


def test_frozen_under_traffic(broken: World) -> None:
    """No request takes longer than the time-outs allow, and none is stored twice or lost."""
    traffic = new_traffic(broken, clients=40)
    with traffic:
        traffic.await_more(60)
        broken.stack.mariadb.process.pause()
        try:
            traffic.await_more(100)
        finally:
            broken.stack.mariadb.process.resume()
        traffic.await_more(60)
    assert traffic.slowest < READ_TIMEOUT + CONNECT_TIMEOUT + LATE
    resolve(broken, traffic)
    check_invariants(broken, LONG_WINDOW_SECONDS)


def test_worker_started_without_a_database(broken: World) -> None:
    stack = broken.stack
    stack.worker.stop()
    stack.mariadb.stop()
    stack.worker.start()
    with broken.connect() as network:
        check_away(network, 3)
        stack.mariadb.start()
        check_back(network, time.monotonic())
