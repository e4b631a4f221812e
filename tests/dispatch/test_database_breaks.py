"""The database is restarted, killed or frozen under working dispatchers."""

import signal
from collections import Counter
from datetime import timedelta
from typing import Iterator

import pytest

from conftest import database_only
from mailroom import Mailroom
from merchant_stub import MerchantStub, after, hold, ok
from tests.stack import wait_until
from tests.stack.config import Settings

QUICK: Settings = {"database": {"read_timeout": "2s"}}


@pytest.fixture(scope="module")
def own() -> Iterator[Mailroom]:
    with database_only("64M") as stack:
        yield Mailroom(stack)


@pytest.fixture
def mailroom(own: Mailroom) -> Iterator[Mailroom]:
    """Its database is for this module alone, to be broken."""
    own.empty()
    yield own
    own.stop_all()


def check_each_once(mailroom: Mailroom, stub: MerchantStub, count: int) -> None:
    """The dispatcher lived on, so that it could record every outcome in the end: nothing is sent twice."""
    assert mailroom.count("delivered") == count
    told = Counter(request.id for request in stub.requests)
    assert len(told) == count
    assert {number: times for number, times in told.items() if times > 1} == {}
    assert mailroom.value("SELECT COUNT(*) FROM attempts WHERE late = 0") == count


def await_all(mailroom: Mailroom, count: int) -> None:
    """What a claim with an unknown outcome has leased waits for the end of the lease, which is moved here."""
    def all_there() -> bool:
        delivered = mailroom.count("delivered")
        resting = mailroom.value("SELECT COUNT(*) FROM notifications WHERE state = 'pending'"
                                 " AND due_at > UTC_TIMESTAMP(6) + INTERVAL 5 SECOND")
        if delivered + resting == count:
            mailroom.make_due()
        return delivered == count

    wait_until(all_there, f"{count} to be delivered", 90, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["restart", "kill", "freeze"])
@pytest.mark.parametrize("seconds", [0.0, 0.05])
def test_in_the_middle_of_a_pass(mailroom: Mailroom, stub: MerchantStub, way: str, seconds: float) -> None:
    count = 3000
    for _ in range(3):
        mailroom.notify(mailroom.merchant(stub.on("n", after(seconds))), count // 3)
    with mailroom.dispatcher(QUICK):
        stub.await_requests(500)
        server = mailroom.stack.mariadb
        if way == "restart":
            server.restart()
        elif way == "kill":
            server.kill()
            server.start()
        else:
            server.process.pause()
            wait_until(lambda: "database" in mailroom.running[0].log_text(), "the time to run out", 20)
            server.process.resume()
        mailroom.database = server.connect()
        await_all(mailroom, count)
    check_each_once(mailroom, stub, count)


def test_outcomes_wait_for_the_database(mailroom: Mailroom, stub: MerchantStub) -> None:
    """Acknowledged while the database is away: recorded when it is back, and not sent again."""
    mailroom.notify(mailroom.merchant(stub.on("n", hold)), 4)
    with mailroom.dispatcher(QUICK):
        stub.await_requests(4)
        mailroom.stack.mariadb.stop()
        stub.release()
        wait_until(lambda: "away" in mailroom.running[0].log_text(), "the dispatcher to notice", 20)
        mailroom.stack.mariadb.start()
        mailroom.database = mailroom.stack.mariadb.connect()
        mailroom.await_count("delivered", 4, 20)
    check_each_once(mailroom, stub, 4)


def test_windows_close_when_it_is_back(mailroom: Mailroom, stub: MerchantStub) -> None:
    merchant = mailroom.merchant(stub.on("n", ok))
    orders = mailroom.confirmed_orders(merchant, 20, mailroom.now() + timedelta(seconds=1))
    with mailroom.dispatcher(QUICK):
        mailroom.stack.mariadb.restart()
        mailroom.database = mailroom.stack.mariadb.connect()
        mailroom.await_count("delivered", 20, 20)
    assert sorted(request.message["pv_po_id"] for request in stub.requests) == orders


def test_told_to_stop_while_it_is_away(mailroom: Mailroom, stub: MerchantStub) -> None:
    """It tries for ten seconds to record what it knows, without burning a processor, and says what it left."""
    mailroom.notify(mailroom.merchant(stub.on("n", hold)), 2)
    with mailroom.dispatcher(QUICK) as dispatcher:
        stub.await_requests(2)
        mailroom.stack.mariadb.stop()
        stub.release()
        wait_until(lambda: "away" in dispatcher.log_text(), "the dispatcher to notice", 20)
        dispatcher.signal(signal.SIGTERM)
        processor = wait_until(lambda: None if dispatcher.running() else 0, "the end", 15) or 0
        assert processor == 0
    mailroom.stack.mariadb.start()
    mailroom.database = mailroom.stack.mariadb.connect()
    assert mailroom.count("pending") == 2
