"""One merchant does not hurt another: bounds in flight, slots for first attempts, endpoints that hang or fail, leases ahead."""

import signal
from datetime import timedelta
from statistics import median
from typing import Any

import pytest

from tests.stack.dispatch_rig import DispatchRig, Merchant
from tests.stack.merchant_stub import Behaviour, MerchantStub, Request, after, hold, in_turn, ok, resets, says
from tests.stack import wait_until
from tests.stack.config import Settings

DELAY_ALLOWED = 1.0  # of most; a busy machine holds up some
LONGEST_DELAY = 8.0  # less than what an endpoint that hangs takes


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
def test_bound_per_endpoint(rig: DispatchRig, stub: MerchantStub, bound: int) -> None:
    counter = InFlight(0.1)
    rig.notify(rig.merchant(stub.on("n", counter)), 10 * bound)
    rig.pass_once({"dispatcher": {"in_flight_per_endpoint": bound}})
    assert rig.count("delivered") == 10 * bound
    assert counter.most <= bound
    assert counter.most > bound / 2


def test_bound_of_a_dispatcher(rig: DispatchRig, stub: MerchantStub) -> None:
    counter = InFlight(0.1)
    url = stub.on("n", counter)
    for _ in range(6):
        rig.notify(rig.merchant(url), 25)
    rig.pass_once({"dispatcher": {"in_flight": 10}})
    assert rig.count("delivered") == 150
    assert 5 < counter.most <= 10


def test_a_single_pass_leaves_nothing_that_is_due(rig: DispatchRig, stub: MerchantStub) -> None:
    """Retries that find the slots full are sent all the same, after the others."""
    url = stub.on("n", ok)
    for _ in range(20):
        rig.notify(rig.merchant(url), 3, attempts=1)
    rig.pass_once({"dispatcher": {"in_flight": 4}})
    assert rig.count("delivered") == 60


def test_slots_for_first_attempts(rig: DispatchRig, stub: MerchantStub) -> None:
    """Retries that hang never take every slot, however many merchants they go to."""
    for _ in range(10):
        rig.notify(rig.merchant(stub.on("hangs", hold)), 10, attempts=1)
    fine = rig.merchant(stub.on("fine", ok))
    settings: Settings = {"dispatcher": {"in_flight": 8}}
    with rig.dispatcher(settings) as dispatcher:
        wait_until(lambda: len(stub.requests_to("hangs")) >= 6, "the retries")
        delays = send_one_by_one(rig, stub, fine, 10)
        dispatcher.kill()
    check_delays(delays)
    assert len(stub.requests_to("hangs")) <= 6


def check_delays(delays: list[float]) -> None:
    assert median(delays) < DELAY_ALLOWED and max(delays) < LONGEST_DELAY, sorted(delays)


def send_one_by_one(rig: DispatchRig, stub: MerchantStub, merchant: Merchant, count: int) -> list[float]:
    """Notifications that become due one after the other; how long each took to arrive at `fine`."""
    delays = []
    for _ in range(count):
        seen = len(stub.requests_to("fine"))
        number, = rig.notify(merchant)
        wait_until(lambda: len(stub.requests_to("fine")) > seen, "the notification", 60, 0.002)
        request = stub.requests_to("fine")[-1]
        assert request.id == number
        delays.append((request.arrived - rig.notification(number)["created_at"]).total_seconds())
    return delays


@pytest.mark.slow
@pytest.mark.parametrize("behaviour", [hold, resets, says("busy", 503), after(0.5, says("OK")), says("OK")])
def test_ten_thousand_for_another_merchant(rig: DispatchRig, stub: MerchantStub, behaviour: Behaviour) -> None:
    """Whether its endpoint hangs, fails, is slow or just takes what it gets."""
    rig.notify(rig.merchant(stub.on("other", behaviour)), 10_000)
    fine = rig.merchant(stub.on("fine", ok))
    with rig.dispatcher():
        wait_until(lambda: len(stub.requests_to("other")) >= 4, "the other's")
        delays = send_one_by_one(rig, stub, fine, 40)
    print(f"longest delay {max(delays):.3f} s")
    check_delays(delays)


@pytest.mark.slow
def test_half_of_a_hundred_endpoints_hang(rig: DispatchRig, stub: MerchantStub) -> None:
    hanging = [rig.merchant(stub.on("hangs", hold)) for _ in range(50)]
    fine = [rig.merchant(stub.on("fine", ok)) for _ in range(50)]
    for merchant in hanging:
        rig.notify(merchant, 50)
    with rig.dispatcher() as dispatcher:
        wait_until(lambda: len(stub.requests_to("hangs")) >= 100, "those that hang")
        began = rig.now()
        numbers = [number for merchant in fine for number in rig.notify(merchant)]
        wait_until(lambda: len(stub.requests_to("fine")) >= len(numbers), "the others", 60)
        dispatcher.kill()
    created = {row["id"]: row["created_at"] for row in rig.rows(
        "SELECT id, created_at FROM notifications WHERE created_at >= %s", began)}
    delays = [(request.arrived - created[request.id]).total_seconds() for request in stub.requests_to("fine")]
    print(f"longest delay {max(delays):.3f} s")
    check_delays(delays)


@pytest.mark.slow
def test_endpoints_that_were_busy_and_hang_now(rig: DispatchRig, stub: MerchantStub) -> None:
    """They have many in flight when they begin to hang; others still get theirs."""
    for _ in range(12):
        rig.notify(rig.merchant(stub.on("busy", ok)), 3000)
    fine = rig.merchant(stub.on("fine", ok))
    with rig.dispatcher():
        wait_until(lambda: len(stub.requests_to("busy")) >= 2000, "the busy ones", 120)
        stub.on("busy", hold)
        delays = send_one_by_one(rig, stub, fine, 10)
    print(f"longest delay {max(delays):.3f} s")
    check_delays(delays)


def test_oldest_first(rig: DispatchRig, stub: MerchantStub) -> None:
    """Of one merchant, and each merchant in its turn."""
    one, other = rig.merchant(stub.on("one", after(0.01))), rig.merchant(stub.on("other", after(0.01)))
    for merchant in (one, other):
        rig.notify(merchant, 40)
    rig.write("UPDATE notifications SET due_at = created_at - INTERVAL id SECOND")
    rig.pass_once({"dispatcher": {"in_flight_per_endpoint": 1}})
    for path in ("one", "other"):
        sent = [request.id for request in stub.requests_to(path)]
        assert sent == sorted(sent, reverse=True)
    first_half: list[Request] = stub.requests[:40]
    assert len([request for request in first_half if request.path == "/one"]) >= 15


def test_notification_that_makes_an_endpoint_fail(rig: DispatchRig, stub: MerchantStub) -> None:
    """One that always fails does not keep the others of its merchant from their place."""
    merchant = rig.merchant(stub.on("n", hold))
    poison, = rig.notify(merchant)

    def one_is_poison(exchange: Any) -> None:
        exchange.reply(500 if exchange.request.id == poison else 200, b"OK")

    stub.on("n", one_is_poison)
    rig.notify(merchant, 300)
    rig.pass_once()
    assert rig.count("delivered") == 300 and len(rig.attempts(poison)) == 1


def test_reused_connections(rig: DispatchRig, stub: MerchantStub) -> None:
    rig.notify(rig.merchant(stub.on("n", in_turn(ok))), 500)
    rig.pass_once()
    assert len(stub.requests) == 500 and stub.connections <= 40


def test_endpoint_that_hangs_delays_nobody_else(rig: DispatchRig, stub: MerchantStub) -> None:
    rig.notify(rig.merchant(stub.on("hangs", hold)), 10_000)
    with rig.dispatcher() as dispatcher:
        wait_until(lambda: len(stub.requests_to("hangs")) >= 4, "the first to be sent")
        other = rig.merchant(stub.on("well", ok))
        delays = []
        for sent in range(1, 6):
            (number,) = rig.notify(other)
            wait_until(lambda: len(stub.requests_to("well")) == sent, "the other merchant to be told")
            due = rig.notification(number)["created_at"]
            delays.append((stub.requests_to("well")[-1].arrived - due).total_seconds())
        dispatcher.kill()
    check_delays(delays)


def test_half_of_the_endpoints_hang(rig: DispatchRig, stub: MerchantStub) -> None:
    for i in range(40):
        rig.notify(rig.merchant(stub.on(f"h{i}", hold)), 50)
    with rig.dispatcher() as dispatcher:
        wait_until(lambda: len(stub.requests) >= 100, "the hanging ones to be tried")
        well = [rig.merchant(stub.on(f"w{i}", ok)) for i in range(10)]
        created = [rig.notification(rig.notify(merchant)[0])["created_at"] for merchant in well]
        wait_until(lambda: all(stub.requests_to(f"w{i}") for i in range(10)), "the well ones to be told")
        dispatcher.kill()
    check_delays([(stub.requests_to(f"w{i}")[0].arrived - at).total_seconds() for i, at in enumerate(created)])


def test_failing_endpoint_rests_and_comes_back(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("a", says("", 500)))
    rig.notify(merchant, 200)
    for _ in range(3):
        rig.pass_once({"notification": {"schedule": "100ms 100ms 100ms"}, "dispatcher": {"in_flight_per_endpoint": "4"}})
    rest = rig.row("SELECT failures, resting_until > UTC_TIMESTAMP(6) AS rests FROM endpoints")
    assert rest["failures"] >= 3 and rest["rests"] == 1
    sent = len(stub.requests)
    rig.pass_once()
    assert len(stub.requests) == sent, "nothing is sent while it rests"
    stub.on("a", ok)
    rig.end_rests()
    rig.make_due()
    rig.pass_once()
    rig.make_due()
    rig.pass_once()
    assert rig.count("delivered") + rig.count("exhausted") == 200
    assert rig.rows("SELECT * FROM endpoints") == []


# What is leased ahead of its sending.

FEW_AT_ONCE: Settings = {"dispatcher": {"in_flight_per_endpoint": 2}, "notification": {"timeout": "30s"}}


def leased(rig: DispatchRig) -> int:
    return int(rig.value("SELECT COUNT(*) FROM notifications WHERE state = 'pending' AND lease IS NOT NULL"))


def test_leases_are_few(rig: DispatchRig, stub: MerchantStub) -> None:
    """An endpoint that answers at once is leased for by the dozen, although little is in flight to it."""
    rig.notify(rig.merchant(stub.on("n", ok)), 2000)
    rig.pass_once({"dispatcher": {"in_flight_per_endpoint": 4}})
    assert rig.count("delivered") == 2000
    leases = rig.value("SELECT COUNT(DISTINCT lease) FROM attempts")
    assert leases < 250, leases


def hang_in_the_middle(rig: DispatchRig, stub: MerchantStub) -> None:
    """The endpoint was fast, and hangs while many are leased for it and two are in flight."""
    wait_until(lambda: len(stub.requests) >= 300, "the first hundreds")
    wait_until(lambda: leased(rig) > 20, "some to be leased ahead")
    stub.on("n", hold)
    wait_until(lambda: len(stub.held) == 2, "two in flight")


def test_leased_and_not_sent_is_given_back_at_the_end(rig: DispatchRig, stub: MerchantStub) -> None:
    rig.notify(rig.merchant(stub.on("n", ok)), 5000)
    with rig.dispatcher(FEW_AT_ONCE) as dispatcher:
        hang_in_the_middle(rig, stub)
        dispatcher.signal(signal.SIGTERM)
        wait_until(lambda: leased(rig) <= 2, "what waits to be given back", 9)
        stub.release()
    assert rig.count("delivered") == len(stub.requests) == len({request.id for request in stub.requests})
    left = rig.value("SELECT COUNT(*) FROM notifications WHERE state = 'pending' AND lease IS NULL AND attempts = 0"
                     " AND due_at <= UTC_TIMESTAMP(6)")
    assert left == 5000 - len(stub.requests)


def test_nothing_goes_to_the_address_before_a_change(rig: DispatchRig, stub: MerchantStub) -> None:
    """What waited while it was changed is leased again: nothing waits for longer than a second."""
    merchant = rig.merchant(stub.on("n", ok))
    rig.notify(merchant, 3000)
    with rig.dispatcher(FEW_AT_ONCE):
        hang_in_the_middle(rig, stub)
        rig.write("UPDATE merchants SET notify_url = %s, changed_by = 'test' WHERE id = %s", stub.on("m", ok), merchant.id)
        rig.await_instant(rig.now() + timedelta(seconds=1.5))
        before = len(stub.requests_to("n"))
        stub.release()
        rig.await_count("delivered", 3000)
    assert len(stub.requests_to("n")) == before
    assert len(stub.requests) == 3000


def test_leased_for_an_endpoint_that_hangs_is_given_back(rig: DispatchRig, stub: MerchantStub) -> None:
    """Long before the attempts in flight time out: another dispatcher may have better luck."""
    rig.notify(rig.merchant(stub.on("n", ok)), 5000)
    with rig.dispatcher(FEW_AT_ONCE) as dispatcher:
        hang_in_the_middle(rig, stub)
        wait_until(lambda: leased(rig) <= 2, "what waits to be given back", 120)
        assert len(stub.held) == 2, "the attempts in flight go on"
        stub.release()
        dispatcher.kill()
