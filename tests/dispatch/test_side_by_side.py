"""Several dispatchers over the same rows: everything is delivered, nothing twice."""

import os
from collections import Counter
from contextlib import ExitStack
from datetime import timedelta

import pytest

from tests.stack.dispatch_rig import DispatchRig
from tests.stack.merchant_stub import MerchantStub, hold, ok
from tests.stack import wait_until
from tests.stack.config import Settings

ROWS, IN_FLIGHT = 10_000, 16


def check_each_delivered_once(rig: DispatchRig, stub: MerchantStub, numbers: list[int]) -> None:
    assert rig.count("delivered") == len(numbers)
    assert sorted(request.id for request in stub.requests) == numbers
    attempts = rig.rows("SELECT notification_id, number, reason, late FROM attempts ORDER BY notification_id")
    assert attempts == [{"notification_id": number, "number": 1, "reason": "acknowledged", "late": 0}
                        for number in numbers]


@pytest.mark.slow
@pytest.mark.parametrize("dispatchers", [1, 2, 4])
@pytest.mark.parametrize("merchants", [1, 20])
def test_no_row_twice(rig: DispatchRig, stub: MerchantStub, merchants: int, dispatchers: int) -> None:
    url = stub.on("n", ok)
    numbers = [number for _ in range(merchants)
               for number in rig.notify(rig.merchant(url), ROWS // merchants)]
    with ExitStack() as running:
        for _ in range(dispatchers):
            running.enter_context(rig.dispatcher())
        rig.await_count("delivered", ROWS, 120)
    check_each_delivered_once(rig, stub, numbers)
    ended = rig.value("SELECT COUNT(*) FROM dispatchers WHERE ended_at IS NOT NULL")
    assert ended == 2 * dispatchers, "a settling and a delivering process each"


def test_every_dispatcher_takes_its_share(rig: DispatchRig, stub: MerchantStub) -> None:
    """No reply comes before there is more in flight than one of them may have, however quick that one is."""
    settings: Settings = {"dispatcher": {"in_flight": IN_FLIGHT}}
    url = stub.on("n", hold)
    merchants = [rig.merchant(url) for _ in range(8)]
    with rig.dispatcher(settings), rig.dispatcher(settings):
        numbers = [number for merchant in merchants for number in rig.notify(merchant, 250)]
        wait_until(lambda: len(stub.held) > IN_FLIGHT, "both to send")
        stub.on("n", ok)
        stub.release()
        rig.await_count("delivered", len(numbers))
    check_each_delivered_once(rig, stub, sorted(numbers))
    shares = Counter(row["dispatcher_id"] for row in rig.rows("SELECT dispatcher_id FROM attempts"))
    assert len(shares) == 2 and sum(shares.values()) == len(numbers)


def test_two_single_passes(rig: DispatchRig, stub: MerchantStub) -> None:
    numbers = rig.notify(rig.merchant(stub.on("n", ok)), 500)
    both = [rig.new_dispatcher() for _ in range(2)]
    for dispatcher in both:
        dispatcher.command[-2:] = ["--once"]
        dispatcher.spawn()
        rig.running.append(dispatcher)
    for dispatcher in both:
        assert dispatcher.child is not None and dispatcher.child.wait(60) == 0
    rig.pass_once()
    check_each_delivered_once(rig, stub, numbers)


@pytest.mark.parametrize("dispatchers", [2, 4])
def test_windows_and_due_dates(rig: DispatchRig, stub: MerchantStub, dispatchers: int) -> None:
    """Settling side by side: each payment is finalised once, each overdue order expires once, each with one message."""
    merchant = rig.merchant(stub.on("n", ok))
    overdue = rig.orders(merchant, 1000, state="PENDIENTE", due_at=rig.now())
    paid = rig.confirmed_orders(merchant, 1000, rig.now() - timedelta(seconds=1))
    with ExitStack() as running:
        for _ in range(dispatchers):
            running.enter_context(rig.dispatcher())
        rig.await_count("delivered", 2000)
    told = sorted((request.message["pv_po_id"], request.message["status"]) for request in stub.requests)
    assert told == sorted([(order, "approved") for order in paid] + [(order, "cancelled") for order in overdue])
    states = rig.rows("SELECT state, COUNT(*) AS orders FROM orders GROUP BY state ORDER BY state")
    assert states == [{"state": "APROBADA", "orders": 1000}, {"state": "VENCIDA", "orders": 1000}]
    assert rig.value("SELECT COUNT(*) FROM transactions WHERE state = 'FINALIZADA'") == 1000
    assert rig.value("SELECT COUNT(*) FROM events WHERE subject = 'order' AND what = 'state'") == 2000


def test_one_ends_as_the_next_begins(rig: DispatchRig, stub: MerchantStub) -> None:
    """As at the change of cron's minute: runs of one second that overlap, while notifications come in."""
    merchant = rig.merchant(stub.on("n", ok))
    numbers: list[int] = []
    with ExitStack() as running:
        for _ in range(4):
            dispatcher = running.enter_context(rig.dispatcher(seconds=1))
            numbers += rig.notify(merchant, 100)
            rig.await_count("delivered", len(numbers) - 50)
            assert dispatcher.pid != os.getpid()
        running.enter_context(rig.dispatcher())
        rig.await_count("delivered", len(numbers))
    check_each_delivered_once(rig, stub, numbers)


@pytest.mark.slow
def test_small_batches_and_few_slots(rig: DispatchRig, stub: MerchantStub) -> None:
    settings: Settings = {"dispatcher": {"batch": 1, "in_flight": 4, "in_flight_per_endpoint": 1}}
    url = stub.on("n", ok)
    numbers = [number for _ in range(6) for number in rig.notify(rig.merchant(url), 100)]
    with rig.dispatcher(settings), rig.dispatcher(settings):
        rig.await_count("delivered", 600)
    check_each_delivered_once(rig, stub, numbers)
