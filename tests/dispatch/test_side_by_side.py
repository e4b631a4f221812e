"""Several dispatchers over the same rows: everything is delivered, nothing twice."""

import os
from collections import Counter
from contextlib import ExitStack
from datetime import timedelta

import pytest

from tests.stack.mailroom import Mailroom
from tests.stack.merchant_stub import MerchantStub, ok
from tests.stack.config import Settings

ROWS = 10_000


def check_each_delivered_once(mailroom: Mailroom, stub: MerchantStub, numbers: list[int]) -> None:
    assert mailroom.count("delivered") == len(numbers)
    assert sorted(request.id for request in stub.requests) == numbers
    attempts = mailroom.rows("SELECT notification_id, number, reason, late FROM attempts ORDER BY notification_id")
    assert attempts == [{"notification_id": number, "number": 1, "reason": "acknowledged", "late": 0}
                        for number in numbers]


@pytest.mark.slow
@pytest.mark.parametrize("dispatchers", [1, 2, 4])
@pytest.mark.parametrize("merchants", [1, 20])
def test_no_row_twice(mailroom: Mailroom, stub: MerchantStub, merchants: int, dispatchers: int) -> None:
    url = stub.on("n", ok)
    numbers = [number for _ in range(merchants)
               for number in mailroom.notify(mailroom.merchant(url), ROWS // merchants)]
    with ExitStack() as running:
        for _ in range(dispatchers):
            running.enter_context(mailroom.dispatcher())
        mailroom.await_count("delivered", ROWS, 120)
    check_each_delivered_once(mailroom, stub, numbers)
    ended = mailroom.value("SELECT COUNT(*) FROM dispatchers WHERE ended_at IS NOT NULL")
    assert ended == 2 * dispatchers, "a settling and a delivering process each"


def test_every_dispatcher_takes_its_share(mailroom: Mailroom, stub: MerchantStub) -> None:
    url = stub.on("n", ok)
    merchants = [mailroom.merchant(url) for _ in range(8)]
    with mailroom.dispatcher(), mailroom.dispatcher():
        numbers = [number for merchant in merchants for number in mailroom.notify(merchant, 250)]
        mailroom.await_count("delivered", len(numbers))
    check_each_delivered_once(mailroom, stub, sorted(numbers))
    shares = Counter(row["dispatcher_id"] for row in mailroom.rows("SELECT dispatcher_id FROM attempts"))
    assert len(shares) == 2 and sum(shares.values()) == len(numbers)


def test_two_single_passes(mailroom: Mailroom, stub: MerchantStub) -> None:
    numbers = mailroom.notify(mailroom.merchant(stub.on("n", ok)), 500)
    both = [mailroom.new_dispatcher() for _ in range(2)]
    for dispatcher in both:
        dispatcher.command[-2:] = ["--once"]
        dispatcher.spawn()
        mailroom.running.append(dispatcher)
    for dispatcher in both:
        assert dispatcher.child is not None and dispatcher.child.wait(60) == 0
    mailroom.pass_once()
    check_each_delivered_once(mailroom, stub, numbers)


@pytest.mark.parametrize("dispatchers", [2, 4])
def test_windows_and_due_dates(mailroom: Mailroom, stub: MerchantStub, dispatchers: int) -> None:
    """Settling side by side: each payment is finalised once, each overdue order expires once, each with one message."""
    merchant = mailroom.merchant(stub.on("n", ok))
    overdue = mailroom.orders(merchant, 1000, state="PENDIENTE", due_at=mailroom.now())
    paid = mailroom.confirmed_orders(merchant, 1000, mailroom.now() - timedelta(seconds=1))
    with ExitStack() as running:
        for _ in range(dispatchers):
            running.enter_context(mailroom.dispatcher())
        mailroom.await_count("delivered", 2000)
    told = sorted((request.message["pv_po_id"], request.message["status"]) for request in stub.requests)
    assert told == sorted([(order, "approved") for order in paid] + [(order, "cancelled") for order in overdue])
    states = mailroom.rows("SELECT state, COUNT(*) AS orders FROM orders GROUP BY state ORDER BY state")
    assert states == [{"state": "APROBADA", "orders": 1000}, {"state": "VENCIDA", "orders": 1000}]
    assert mailroom.value("SELECT COUNT(*) FROM transactions WHERE state = 'FINALIZADA'") == 1000
    assert mailroom.value("SELECT COUNT(*) FROM events WHERE subject = 'order' AND what = 'state'") == 2000


def test_one_ends_as_the_next_begins(mailroom: Mailroom, stub: MerchantStub) -> None:
    """As at the change of cron's minute: runs of one second that overlap, while notifications come in."""
    merchant = mailroom.merchant(stub.on("n", ok))
    numbers: list[int] = []
    with ExitStack() as running:
        for _ in range(4):
            dispatcher = running.enter_context(mailroom.dispatcher(seconds=1))
            numbers += mailroom.notify(merchant, 100)
            mailroom.await_count("delivered", len(numbers) - 50)
            assert dispatcher.pid != os.getpid()
        running.enter_context(mailroom.dispatcher())
        mailroom.await_count("delivered", len(numbers))
    check_each_delivered_once(mailroom, stub, numbers)


@pytest.mark.slow
def test_small_batches_and_few_slots(mailroom: Mailroom, stub: MerchantStub) -> None:
    settings: Settings = {"dispatcher": {"batch": 1, "in_flight": 4, "in_flight_per_endpoint": 1}}
    url = stub.on("n", ok)
    numbers = [number for _ in range(6) for number in mailroom.notify(mailroom.merchant(url), 100)]
    with mailroom.dispatcher(settings), mailroom.dispatcher(settings):
        mailroom.await_count("delivered", 600)
    check_each_delivered_once(mailroom, stub, numbers)
