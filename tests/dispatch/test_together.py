"""Many notifications, several dispatchers, endpoints that hang, a database that is restarted."""

import time
from collections import Counter

import pytest

import tests.stack.merchant_stub as stub_of
from tests.stack.mailroom import Mailroom
from tests.stack.merchant_stub import MerchantStub, says
from tests.stack import wait_until

ROWS = 10_000


def each_once(stub: MerchantStub, numbers: list[int]) -> None:
    received = Counter(request.id for request in stub.requests)
    assert set(received) == set(numbers)
    assert [number for number, times in received.items() if times != 1] == []


@pytest.mark.parametrize("dispatchers", [2, 4])
def test_side_by_side(mailroom: Mailroom, stub: MerchantStub, dispatchers: int) -> None:
    numbers = []
    for i in range(5):
        numbers += mailroom.notify(mailroom.merchant(stub.on(f"m{i}", stub_of.ok)), ROWS // 5)
    started = [mailroom.new_dispatcher() for _ in range(dispatchers)]
    try:
        for dispatcher in started:
            dispatcher.start()
        mailroom.await_count("delivered", ROWS, 90)
    finally:
        for dispatcher in started:
            dispatcher.stop()
    each_once(stub, numbers)
    assert mailroom.value("SELECT COUNT(*) FROM attempts") == ROWS
    assert mailroom.value("SELECT COUNT(*) FROM dispatchers WHERE ended_at IS NOT NULL") == 2 * dispatchers


def test_endpoint_that_hangs_delays_nobody_else(mailroom: Mailroom, stub: MerchantStub) -> None:
    mailroom.notify(mailroom.merchant(stub.on("hangs", stub_of.hold)), 10_000)
    with mailroom.dispatcher() as dispatcher:
        wait_until(lambda: len(stub.requests_to("hangs")) >= 4, "the first to be sent")
        other = mailroom.merchant(stub.on("well", stub_of.ok))
        for sent in range(1, 6):
            (number,) = mailroom.notify(other)
            wait_until(lambda: len(stub.requests_to("well")) == sent, "the other merchant to be told", 10, 0.01)
            due = mailroom.notification(number)["created_at"]
            assert (stub.requests_to("well")[-1].arrived - due).total_seconds() < 1.0
        dispatcher.kill()


def test_half_of_the_endpoints_hang(mailroom: Mailroom, stub: MerchantStub) -> None:
    for i in range(40):
        mailroom.notify(mailroom.merchant(stub.on(f"h{i}", stub_of.hold)), 50)
    with mailroom.dispatcher() as dispatcher:
        wait_until(lambda: len(stub.requests) >= 100, "the hanging ones to be tried")
        well = [mailroom.merchant(stub.on(f"w{i}", stub_of.ok)) for i in range(10)]
        began = time.time()
        for merchant in well:
            mailroom.notify(merchant)
        wait_until(lambda: all(stub.requests_to(f"w{i}") for i in range(10)), "the well ones to be told", 10, 0.01)
        assert time.time() - began < 2.0
        dispatcher.kill()


def test_failing_endpoint_rests_and_comes_back(mailroom: Mailroom, stub: MerchantStub) -> None:
    merchant = mailroom.merchant(stub.on("a", says("", 500)))
    mailroom.notify(merchant, 200)
    for _ in range(3):
        mailroom.pass_once({"notification": {"schedule": "100ms 100ms 100ms"}, "dispatcher": {"in_flight_per_endpoint": "4"}})
    rest = mailroom.row("SELECT failures, resting_until > UTC_TIMESTAMP(6) AS rests FROM endpoints")
    assert rest["failures"] >= 3 and rest["rests"] == 1
    sent = len(stub.requests)
    mailroom.pass_once()
    assert len(stub.requests) == sent, "nothing is sent while it rests"
    stub.on("a", stub_of.ok)
    mailroom.end_rests()
    mailroom.make_due()
    mailroom.pass_once()
    mailroom.make_due()
    mailroom.pass_once()
    assert mailroom.count("delivered") + mailroom.count("exhausted") == 200
    assert mailroom.rows("SELECT * FROM endpoints") == []


def test_database_restarted_in_the_middle(mailroom: Mailroom, stub: MerchantStub) -> None:
    numbers = mailroom.notify(mailroom.merchant(stub.on("a", stub_of.after(0.02))), 3000)
    with mailroom.dispatcher():
        stub.await_requests(300)
        mailroom.stack.mariadb.restart()
        mailroom.database = mailroom.stack.mariadb.connect()
        wait_until(lambda: len(stub.requests) >= len(numbers), "the rest to be sent", 90, 0.1)
        mailroom.make_due()
        mailroom.await_count("delivered", len(numbers), 90)
    assert {request.id for request in stub.requests} == set(numbers)
