"""Clocks that are wrong or step: the database's decides, and what it has decided stays.

The programs run under libfaketime, which adds to the time of day what a file says, or a variable.
"""

from collections import Counter
from datetime import datetime, timedelta
from typing import Iterator

import pytest

from tests.stack.false_time import Clock, faked
from tests.stack.dispatch_rig import DispatchRig
from tests.stack.merchant_stub import MerchantStub, hold, in_turn, ok, says
from tests.stack import Stack, wait_until

pytestmark = pytest.mark.preloads
HOUR = timedelta(hours=1)
STEPS = {"back": -HOUR, "forth": HOUR}


# The dispatcher's own host.

@pytest.mark.parametrize("wrong", ["-1h", "+1h"])
def test_host_whose_clock_is_wrong(rig: DispatchRig, stub: MerchantStub, wrong: str) -> None:
    """Windows, due dates, retries and the time it tells the merchant are the database's."""
    merchant = rig.merchant(stub.on("n", in_turn(says("ERROR"), ok)))
    dispatcher = rig.new_dispatcher({"notification": {"schedule": "300ms"}})
    dispatcher.environment.update(faked(FAKETIME=wrong))
    dispatcher.start()
    rig.running.append(dispatcher)
    ends_at = rig.now() + timedelta(seconds=1)
    rig.confirmed_orders(merchant, 1, ends_at)
    later = rig.notify(merchant, due_at=rig.now() + HOUR / 2)
    rig.await_count("delivered", 1)
    first, second = stub.requests
    assert ends_at <= first.arrived < ends_at + HOUR / 10
    assert second.arrived - first.arrived >= timedelta(milliseconds=300)
    told = datetime.utcfromtimestamp(int(first.headers["webhook-timestamp"]))
    assert abs(told - first.arrived) < HOUR / 10
    assert rig.notification(later[0])["attempts"] == 0


# The database's.

@pytest.fixture(scope="module")
def stepping() -> Iterator[tuple[DispatchRig, Clock]]:
    stack = Stack(dispatcher=False, buffer_pool="64M")
    clock = Clock(stack.directory / "clock")
    stack.mariadb.process.environment.update(clock.environment)
    try:
        stack.write_config()
        stack.mariadb.start()
        stack.migrate()
        yield DispatchRig(stack), clock
    finally:
        stack.close()


@pytest.fixture
def database(stepping: tuple[DispatchRig, Clock]) -> Iterator[tuple[DispatchRig, Clock]]:
    rig, clock = stepping
    clock.step(timedelta(0))
    rig.empty()
    yield rig, clock
    rig.stop_all()


def test_the_library_works(database: tuple[DispatchRig, Clock]) -> None:
    rig, clock = database
    before = rig.now()
    clock.step(HOUR)
    assert HOUR <= rig.now() - before < HOUR * 1.1
    clock.step(-HOUR)
    assert rig.now() < before


def test_forth_in_the_middle_of_a_window(database: tuple[DispatchRig, Clock], stub: MerchantStub) -> None:
    """The window has ended by the only clock there is."""
    rig, clock = database
    orders = rig.confirmed_orders(rig.merchant(stub.on("n", ok)), 20, rig.now() + HOUR / 2)
    with rig.dispatcher():
        wait_until(lambda: rig.rows("SELECT * FROM dispatchers"), "a heartbeat")
        assert stub.requests == []
        clock.step(HOUR)
        rig.await_count("delivered", 20)
    assert sorted(request.message["pv_po_id"] for request in stub.requests) == orders


def test_back_in_the_middle_of_a_window(database: tuple[DispatchRig, Clock], stub: MerchantStub) -> None:
    """It ends when the clock has come there again: never early."""
    rig, clock = database
    ends_at = rig.now() + timedelta(seconds=5)
    merchant = rig.merchant(stub.on("n", ok))
    rig.confirmed_orders(merchant, 20, ends_at)
    rig.orders(merchant, 20, state="PENDIENTE", due_at=ends_at)
    with rig.dispatcher():
        clock.step(-HOUR)
        began = datetime.utcnow()
        wait_until(lambda: datetime.utcnow() > max(began, ends_at) + timedelta(seconds=1), "the window's length", 60)
        assert stub.requests == []
        assert rig.value("SELECT COUNT(*) FROM orders WHERE state = 'PENDIENTE'") == 40
        clock.step(timedelta(0))
        rig.await_count("delivered", 40)
    assert len(stub.requests) == 40


@pytest.mark.parametrize("way", STEPS)
def test_step_while_one_is_in_hand(database: tuple[DispatchRig, Clock], stub: MerchantStub, way: str) -> None:
    """Its outcome is recorded; the dispatcher that has it in hand does not take it a second time."""
    rig, clock = database
    number, = rig.notify(rig.merchant(stub.on("n", hold)))
    with rig.dispatcher():
        stub.await_requests(1)
        clock.step(STEPS[way])
        look = "SELECT * FROM dispatchers WHERE task = 'deliver'"
        seen = rig.row(look)["seen_at"]
        wait_until(lambda: rig.row(look)["seen_at"] not in (seen, None), "a heartbeat", 60)
        stub.release()
        rig.await_count("delivered", 1)
    assert len(stub.requests) == 1
    assert [(row["number"], row["reason"], row["late"]) for row in rig.attempts(number)] == [(1, "acknowledged", 0)]


def test_back_and_forth(database: tuple[DispatchRig, Clock], stub: MerchantStub) -> None:
    """While notifications, windows and overdue orders come in: each is told once, and none early by the clock of its moment."""
    rig, clock = database
    merchant = rig.merchant(stub.on("n", ok))
    orders: list[int] = []
    with rig.dispatcher():
        for step in (HOUR, -HOUR, 2 * HOUR, timedelta(seconds=-1), timedelta(seconds=1), -24 * HOUR, timedelta(0)):
            clock.step(step)
            orders += rig.confirmed_orders(merchant, 20, rig.now())
            orders += rig.orders(merchant, 20, state="PENDIENTE", due_at=rig.now())
        clock.step(25 * HOUR)
        rig.await_count("delivered", len(orders))
    told = Counter(request.message["pv_po_id"] for request in stub.requests)
    assert sorted(told) == sorted(orders)
    assert [order for order, times in told.items() if times > 1] == []
    assert rig.value("SELECT COUNT(*) FROM attempts WHERE late = 1") == 0


@pytest.mark.slow
def test_schedule_by_the_clock(database: tuple[DispatchRig, Clock], stub: MerchantStub) -> None:
    """Twelve attempts in ninety-four hours, to the last one: the clock is stepped to each."""
    rig, clock = database
    number, = rig.notify(rig.merchant(stub.on("n", says("ERROR"))))
    started = rig.now()
    with rig.dispatcher():
        for made in range(1, 12):
            wait_until(lambda: rig.notification(number)["attempts"] == made, f"attempt {made}")
            due_at = rig.notification(number)["due_at"]
            clock.step(due_at - datetime.utcnow() - timedelta(seconds=2))
            wait_until(lambda: rig.now() > due_at - timedelta(seconds=1), "the second before it is due")
            assert rig.notification(number)["attempts"] == made or rig.now() >= due_at
        wait_until(lambda: rig.notification(number)["state"] == "exhausted", "the last attempt")
    attempts = rig.attempts(number)
    assert len(attempts) == len(stub.requests) == 12
    assert timedelta(hours=94) <= attempts[-1]["started_at"] - started <= timedelta(hours=94) * 1.1 + HOUR
