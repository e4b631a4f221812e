"""One merchant does not hurt another: bounds in flight, slots for first attempts, endpoints that hang or fail."""

import time
from typing import Any

import pytest

from tests.stack.mailroom import Mailroom, Merchant
from tests.stack.merchant_stub import Behaviour, MerchantStub, Request, after, hold, in_turn, ok, resets, says
from tests.stack import wait_until
from tests.stack.config import Settings

DELAY_ALLOWED = 1.0


class InFlight:
    """A behaviour that counts how many requests it has at the same time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.now = 0
        self.most = 0

    def __call__(self, exchange: Any) -> None:
        self.now += 1
        self.most = max(self.most, self.now)
        exchange.later(self.seconds, lambda: self._answer(exchange))

    def _answer(self, exchange: Any) -> None:
        self.now -= 1
        ok(exchange)


@pytest.mark.parametrize("bound", [1, 2, 3, 8, 32])
def test_bound_per_endpoint(mailroom: Mailroom, stub: MerchantStub, bound: int) -> None:
    counter = InFlight(0.02)
    mailroom.notify(mailroom.merchant(stub.on("n", counter)), 40 * bound)
    mailroom.pass_once({"dispatcher": {"in_flight_per_endpoint": bound}})
    assert mailroom.count("delivered") == 40 * bound
    assert counter.most <= bound
    assert counter.most > bound / 2


def test_bound_of_a_dispatcher(mailroom: Mailroom, stub: MerchantStub) -> None:
    counter = InFlight(0.02)
    url = stub.on("n", counter)
    for _ in range(6):
        mailroom.notify(mailroom.merchant(url), 50)
    mailroom.pass_once({"dispatcher": {"in_flight": 10}})
    assert mailroom.count("delivered") == 300
    assert 5 < counter.most <= 10


def test_a_single_pass_leaves_nothing_that_is_due(mailroom: Mailroom, stub: MerchantStub) -> None:
    """Retries that find the slots full are sent all the same, after the others."""
    url = stub.on("n", ok)
    for _ in range(20):
        mailroom.notify(mailroom.merchant(url), 3, attempts=1)
    mailroom.pass_once({"dispatcher": {"in_flight": 4}})
    assert mailroom.count("delivered") == 60


def test_slots_for_first_attempts(mailroom: Mailroom, stub: MerchantStub) -> None:
    """Retries that hang never take every slot, however many merchants they go to."""
    for _ in range(10):
        mailroom.notify(mailroom.merchant(stub.on("hangs", hold)), 10, attempts=1)
    fine = mailroom.merchant(stub.on("fine", ok))
    settings: Settings = {"dispatcher": {"in_flight": 8}}
    with mailroom.dispatcher(settings) as dispatcher:
        wait_until(lambda: len(stub.requests_to("hangs")) >= 6, "the retries")
        delays = send_one_by_one(mailroom, stub, fine, 10)
        dispatcher.kill()
    assert max(delays) < DELAY_ALLOWED
    assert len(stub.requests_to("hangs")) <= 6


def send_one_by_one(mailroom: Mailroom, stub: MerchantStub, merchant: Merchant, count: int) -> list[float]:
    """Notifications that become due one after the other; how long each took to arrive at `fine`."""
    delays = []
    for _ in range(count):
        seen = len(stub.requests_to("fine"))
        number, = mailroom.notify(merchant)
        wait_until(lambda: len(stub.requests_to("fine")) > seen, "the notification", 30, 0.002)
        request = stub.requests_to("fine")[-1]
        assert request.id == number
        delays.append((request.arrived - mailroom.notification(number)["created_at"]).total_seconds())
    return delays


@pytest.mark.slow
@pytest.mark.parametrize("behaviour", [hold, resets, says("busy", 503), after(0.5, says("OK")), says("OK")])
def test_ten_thousand_for_another_merchant(mailroom: Mailroom, stub: MerchantStub, behaviour: Behaviour) -> None:
    """Whether its endpoint hangs, fails, is slow or just takes what it gets."""
    mailroom.notify(mailroom.merchant(stub.on("other", behaviour)), 10_000)
    fine = mailroom.merchant(stub.on("fine", ok))
    with mailroom.dispatcher():
        wait_until(lambda: len(stub.requests_to("other")) >= 4, "the other's")
        delays = send_one_by_one(mailroom, stub, fine, 40)
    print(f"longest delay {max(delays):.3f} s")
    assert max(delays) < DELAY_ALLOWED


@pytest.mark.slow
def test_half_of_a_hundred_endpoints_hang(mailroom: Mailroom, stub: MerchantStub) -> None:
    hanging = [mailroom.merchant(stub.on("hangs", hold)) for _ in range(50)]
    fine = [mailroom.merchant(stub.on("fine", ok)) for _ in range(50)]
    for merchant in hanging:
        mailroom.notify(merchant, 50)
    with mailroom.dispatcher() as dispatcher:
        wait_until(lambda: len(stub.requests_to("hangs")) >= 100, "those that hang")
        began = mailroom.now()
        numbers = [number for merchant in fine for number in mailroom.notify(merchant)]
        wait_until(lambda: len(stub.requests_to("fine")) >= len(numbers), "the others", 30)
        dispatcher.kill()
    created = {row["id"]: row["created_at"] for row in mailroom.rows(
        "SELECT id, created_at FROM notifications WHERE created_at >= %s", began)}
    delays = [(request.arrived - created[request.id]).total_seconds() for request in stub.requests_to("fine")]
    print(f"longest delay {max(delays):.3f} s")
    assert max(delays) < DELAY_ALLOWED


@pytest.mark.slow
def test_endpoints_that_were_busy_and_hang_now(mailroom: Mailroom, stub: MerchantStub) -> None:
    """They have many in flight when they begin to hang; others still get theirs."""
    for _ in range(12):
        mailroom.notify(mailroom.merchant(stub.on("busy", ok)), 3000)
    fine = mailroom.merchant(stub.on("fine", ok))
    with mailroom.dispatcher():
        wait_until(lambda: len(stub.requests_to("busy")) >= 2000, "the busy ones", 30)
        stub.on("busy", hold)
        delays = send_one_by_one(mailroom, stub, fine, 10)
    print(f"longest delay {max(delays):.3f} s")
    assert max(delays) < DELAY_ALLOWED


def test_oldest_first(mailroom: Mailroom, stub: MerchantStub) -> None:
    """Of one merchant, and each merchant in its turn."""
    one, other = mailroom.merchant(stub.on("one", after(0.01))), mailroom.merchant(stub.on("other", after(0.01)))
    for merchant in (one, other):
        mailroom.notify(merchant, 40)
    mailroom.write("UPDATE notifications SET due_at = created_at - INTERVAL id SECOND")
    mailroom.pass_once({"dispatcher": {"in_flight_per_endpoint": 1}})
    for path in ("one", "other"):
        sent = [request.id for request in stub.requests_to(path)]
        assert sent == sorted(sent, reverse=True)
    first_half: list[Request] = stub.requests[:40]
    assert len([request for request in first_half if request.path == "/one"]) >= 15


def test_notification_that_makes_an_endpoint_fail(mailroom: Mailroom, stub: MerchantStub) -> None:
    """One that always fails does not keep the others of its merchant from their place."""
    merchant = mailroom.merchant(stub.on("n", hold))
    poison, = mailroom.notify(merchant)

    def one_is_poison(exchange: Any) -> None:
        exchange.reply(500 if exchange.request.id == poison else 200, b"OK")

    stub.on("n", one_is_poison)
    mailroom.notify(merchant, 300)
    began = time.monotonic()
    mailroom.pass_once()
    assert time.monotonic() - began < 5
    assert mailroom.count("delivered") == 300 and len(mailroom.attempts(poison)) == 1


def test_reused_connections(mailroom: Mailroom, stub: MerchantStub) -> None:
    mailroom.notify(mailroom.merchant(stub.on("n", in_turn(ok))), 500)
    mailroom.pass_once()
    assert len(stub.requests) == 500 and stub.connections <= 40


def test_endpoint_that_hangs_delays_nobody_else(mailroom: Mailroom, stub: MerchantStub) -> None:
    mailroom.notify(mailroom.merchant(stub.on("hangs", hold)), 10_000)
    with mailroom.dispatcher() as dispatcher:
        wait_until(lambda: len(stub.requests_to("hangs")) >= 4, "the first to be sent")
        other = mailroom.merchant(stub.on("well", ok))
        for sent in range(1, 6):
            (number,) = mailroom.notify(other)
            wait_until(lambda: len(stub.requests_to("well")) == sent, "the other merchant to be told", 10, 0.01)
            due = mailroom.notification(number)["created_at"]
            assert (stub.requests_to("well")[-1].arrived - due).total_seconds() < 1.0
        dispatcher.kill()


def test_half_of_the_endpoints_hang(mailroom: Mailroom, stub: MerchantStub) -> None:
    for i in range(40):
        mailroom.notify(mailroom.merchant(stub.on(f"h{i}", hold)), 50)
    with mailroom.dispatcher() as dispatcher:
        wait_until(lambda: len(stub.requests) >= 100, "the hanging ones to be tried")
        well = [mailroom.merchant(stub.on(f"w{i}", ok)) for i in range(10)]
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
    stub.on("a", ok)
    mailroom.end_rests()
    mailroom.make_due()
    mailroom.pass_once()
    mailroom.make_due()
    mailroom.pass_once()
    assert mailroom.count("delivered") + mailroom.count("exhausted") == 200
    assert mailroom.rows("SELECT * FROM endpoints") == []
