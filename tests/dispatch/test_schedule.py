"""The retry schedule to its last attempt, by moving the clock on and by a short schedule; then never again."""

from datetime import timedelta

import pytest

from tests.stack.dispatch_rig import DispatchRig
from tests.stack.merchant_stub import MerchantStub, hold, ok, says
from schedules import DEFAULT, MOST_JITTER, check_next_due
from tests.stack import wait_until
from tests.stack.config import Settings


def check_finished(rig: DispatchRig, stub: MerchantStub, number: int, settings: Settings | None = None) -> None:
    """Nothing is sent any more, however late it gets."""
    sent = len(stub.requests)
    rig.write("UPDATE notifications SET due_at = UTC_TIMESTAMP(6) - INTERVAL 10 DAY")
    rig.pass_once(settings)
    rig.pass_once(settings)
    assert len(stub.requests) == sent
    assert rig.notification(number)["lease"] is None


def test_default_schedule_to_the_last_attempt(rig: DispatchRig, stub: MerchantStub) -> None:
    """The clock is moved on to the next attempt after each of the twelve."""
    number, = rig.notify(rig.merchant(stub.on("n", says("ERROR"))))
    for made, delay in enumerate(DEFAULT, 1):
        rig.pass_once()
        row, attempt = rig.notification(number), rig.attempts(number)[-1]
        assert (row["state"], row["attempts"], attempt["number"], attempt["reason"]) == ("pending", made, made, "reply")
        check_next_due(row, attempt, delay, rig.now())
        rig.pass_once()
        assert len(stub.requests) == made
        rig.make_due()
    rig.pass_once()
    row = rig.notification(number)
    assert (row["state"], row["attempts"], row["lease"]) == ("exhausted", 12, None)
    assert row["settled_at"] is not None and len(rig.attempts(number)) == 12
    check_finished(rig, stub, number)


def test_early_by_a_moment_is_not_due(rig: DispatchRig, stub: MerchantStub) -> None:
    rig.notify(rig.merchant(stub.on("n", ok)), due_at=rig.now() + timedelta(seconds=30))
    rig.pass_once()
    assert stub.requests == []


def test_short_schedule_by_itself(rig: DispatchRig, stub: MerchantStub) -> None:
    """One dispatcher that runs on makes every attempt in time, neither early nor a second late."""
    settings: Settings = {"notification": {"schedule": "200ms 500ms 1s 300ms"}, "dispatcher": {"rest_after": 1000}}
    number, = rig.notify(rig.merchant(stub.on("n", says("ERROR", 500))))
    with rig.dispatcher(settings):
        rig.await_count("exhausted", 1)
    arrivals = [request.at for request in stub.requests]
    assert len(arrivals) == 5
    for earlier, later, delay in zip(arrivals, arrivals[1:], [0.2, 0.5, 1.0, 0.3]):
        assert delay <= later - earlier < delay * (1 + MOST_JITTER) + 10
    assert [attempt["number"] for attempt in rig.attempts(number)] == [1, 2, 3, 4, 5]
    check_finished(rig, stub, number, settings)


def test_jitter_spreads(rig: DispatchRig, stub: MerchantStub) -> None:
    """Many that fail together are not tried again together."""
    numbers = rig.notify(rig.merchant(stub.on("n", says("ERROR"))), 200)
    rig.pass_once()
    delays = []
    for number in numbers:
        (attempt,) = rig.attempts(number)
        row = rig.notification(number)
        check_next_due(row, attempt, DEFAULT[0], rig.now())
        delays.append((row["due_at"] - attempt["started_at"]).total_seconds())
    assert max(delays) - min(delays) > 0.5 * MOST_JITTER * DEFAULT[0]


@pytest.mark.parametrize("schedule, attempts", [("1h", 2), (" ".join(["1m"] * 32), 33)])
def test_length_of_the_schedule(rig: DispatchRig, stub: MerchantStub, schedule: str, attempts: int) -> None:
    settings: Settings = {"notification": {"schedule": schedule}}
    number, = rig.notify(rig.merchant(stub.on("n", says("ERROR"))), attempts=attempts - 2)
    for state in ("pending", "exhausted"):
        rig.make_due()
        rig.pass_once(settings)
        assert rig.notification(number)["state"] == state
    assert rig.notification(number)["attempts"] == attempts


def test_shortened_schedule_exhausts_what_has_had_more(rig: DispatchRig, stub: MerchantStub) -> None:
    """One more attempt is made for what had more than the schedule now has, because it was promised."""
    number, = rig.notify(rig.merchant(stub.on("n", says("ERROR"))), attempts=7)
    rig.pass_once({"notification": {"schedule": "1m"}})
    row = rig.notification(number)
    assert (row["state"], row["attempts"], len(stub.requests)) == ("exhausted", 8, 1)


def test_exhausted_by_timeouts(rig: DispatchRig, stub: MerchantStub) -> None:
    settings: Settings = {"notification": {"timeout": "100ms", "schedule": "100ms"}}
    number, = rig.notify(rig.merchant(stub.on("n", hold)))
    with rig.dispatcher(settings):
        rig.await_count("exhausted", 1)
    assert [attempt["reason"] for attempt in rig.attempts(number)] == ["timeout", "timeout"]


def test_replayed(rig: DispatchRig, stub: MerchantStub) -> None:
    """An operator sets it back to the start: the schedule begins again, the old attempts stay."""
    merchant = rig.merchant(stub.on("n", says("ERROR")))
    number, = rig.notify(merchant, state="exhausted", attempts=12, settled_at=rig.now())
    rig.write("UPDATE notifications SET state = 'pending', attempts = 0, due_at = UTC_TIMESTAMP(6),"
                   " settled_at = NULL, changed_by = 'operator:test' WHERE id = %s", number)
    rig.pass_once()
    attempt, row = rig.attempts(number)[-1], rig.notification(number)
    assert (row["state"], row["attempts"], attempt["number"]) == ("pending", 1, 1)
    check_next_due(row, attempt, DEFAULT[0], rig.now())


def test_events_of_a_notification(rig: DispatchRig, stub: MerchantStub) -> None:
    number, = rig.notify(rig.merchant(stub.on("n", says("ERROR"))))
    settings: Settings = {"notification": {"schedule": "100ms"}}
    with rig.dispatcher(settings):
        rig.await_count("exhausted", 1)
    events = rig.rows("SELECT * FROM events WHERE subject = 'notification' AND subject_id = %s ORDER BY id", number)
    assert [(event["what"], event["from_state"], event["to_state"]) for event in events] == [
        ("created", None, "pending"), ("state", "pending", "exhausted")]
    assert events[1]["actor"] == "dispatcher" and events[1]["db_account"] == "recaudo_deliverer@localhost"
    assert wait_until(lambda: rig.notification(number)["changed_by"] == "dispatcher", "the change to be signed")
