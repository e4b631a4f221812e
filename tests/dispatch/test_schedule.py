"""The retry schedule to its last attempt, by moving the clock on and by a short schedule; then never again."""

from datetime import timedelta

import pytest

from tests.stack.mailroom import Mailroom
from tests.stack.merchant_stub import MerchantStub, hold, ok, says
from schedules import DEFAULT, MOST_JITTER, check_next_due
from tests.stack import wait_until
from tests.stack.config import Settings


def check_finished(mailroom: Mailroom, stub: MerchantStub, number: int, settings: Settings | None = None) -> None:
    """Nothing is sent any more, however late it gets."""
    sent = len(stub.requests)
    mailroom.write("UPDATE notifications SET due_at = UTC_TIMESTAMP(6) - INTERVAL 10 DAY")
    mailroom.pass_once(settings)
    mailroom.pass_once(settings)
    assert len(stub.requests) == sent
    assert mailroom.notification(number)["lease"] is None


def test_default_schedule_to_the_last_attempt(mailroom: Mailroom, stub: MerchantStub) -> None:
    """The clock is moved on to the next attempt after each of the twelve."""
    number, = mailroom.notify(mailroom.merchant(stub.on("n", says("ERROR"))))
    for made, delay in enumerate(DEFAULT, 1):
        mailroom.pass_once()
        row, attempt = mailroom.notification(number), mailroom.attempts(number)[-1]
        assert (row["state"], row["attempts"], attempt["number"], attempt["reason"]) == ("pending", made, made, "reply")
        check_next_due(row, attempt, delay, mailroom.now())
        mailroom.pass_once()
        assert len(stub.requests) == made
        mailroom.make_due()
    mailroom.pass_once()
    row = mailroom.notification(number)
    assert (row["state"], row["attempts"], row["lease"]) == ("exhausted", 12, None)
    assert row["settled_at"] is not None and len(mailroom.attempts(number)) == 12
    check_finished(mailroom, stub, number)


def test_early_by_a_moment_is_not_due(mailroom: Mailroom, stub: MerchantStub) -> None:
    mailroom.notify(mailroom.merchant(stub.on("n", ok)), due_at=mailroom.now() + timedelta(seconds=30))
    mailroom.pass_once()
    assert stub.requests == []


def test_short_schedule_by_itself(mailroom: Mailroom, stub: MerchantStub) -> None:
    """One dispatcher that runs on makes every attempt in time, neither early nor a second late."""
    settings: Settings = {"notification": {"schedule": "200ms 500ms 1s 300ms"}, "dispatcher": {"rest_after": 1000}}
    number, = mailroom.notify(mailroom.merchant(stub.on("n", says("ERROR", 500))))
    with mailroom.dispatcher(settings):
        mailroom.await_count("exhausted", 1)
    arrivals = [request.at for request in stub.requests]
    assert len(arrivals) == 5
    for earlier, later, delay in zip(arrivals, arrivals[1:], [0.2, 0.5, 1.0, 0.3]):
        assert delay <= later - earlier < delay * (1 + MOST_JITTER) + 1
    assert [attempt["number"] for attempt in mailroom.attempts(number)] == [1, 2, 3, 4, 5]
    check_finished(mailroom, stub, number, settings)


def test_jitter_spreads(mailroom: Mailroom, stub: MerchantStub) -> None:
    """Many that fail together are not tried again together."""
    numbers = mailroom.notify(mailroom.merchant(stub.on("n", says("ERROR"))), 200)
    mailroom.pass_once()
    delays = []
    for number in numbers:
        (attempt,) = mailroom.attempts(number)
        row = mailroom.notification(number)
        check_next_due(row, attempt, DEFAULT[0], mailroom.now())
        delays.append((row["due_at"] - attempt["started_at"]).total_seconds())
    assert max(delays) - min(delays) > 0.5 * MOST_JITTER * DEFAULT[0]


@pytest.mark.parametrize("schedule, attempts", [("1h", 2), (" ".join(["1m"] * 32), 33)])
def test_length_of_the_schedule(mailroom: Mailroom, stub: MerchantStub, schedule: str, attempts: int) -> None:
    settings: Settings = {"notification": {"schedule": schedule}}
    number, = mailroom.notify(mailroom.merchant(stub.on("n", says("ERROR"))), attempts=attempts - 2)
    for state in ("pending", "exhausted"):
        mailroom.make_due()
        mailroom.pass_once(settings)
        assert mailroom.notification(number)["state"] == state
    assert mailroom.notification(number)["attempts"] == attempts


def test_shortened_schedule_exhausts_what_has_had_more(mailroom: Mailroom, stub: MerchantStub) -> None:
    """One more attempt is made for what had more than the schedule now has, because it was promised."""
    number, = mailroom.notify(mailroom.merchant(stub.on("n", says("ERROR"))), attempts=7)
    mailroom.pass_once({"notification": {"schedule": "1m"}})
    row = mailroom.notification(number)
    assert (row["state"], row["attempts"], len(stub.requests)) == ("exhausted", 8, 1)


def test_exhausted_by_timeouts(mailroom: Mailroom, stub: MerchantStub) -> None:
    settings: Settings = {"notification": {"timeout": "100ms", "schedule": "100ms"}}
    number, = mailroom.notify(mailroom.merchant(stub.on("n", hold)))
    with mailroom.dispatcher(settings):
        mailroom.await_count("exhausted", 1)
    assert [attempt["reason"] for attempt in mailroom.attempts(number)] == ["timeout", "timeout"]


def test_replayed(mailroom: Mailroom, stub: MerchantStub) -> None:
    """An operator sets it back to the start: the schedule begins again, the old attempts stay."""
    merchant = mailroom.merchant(stub.on("n", says("ERROR")))
    number, = mailroom.notify(merchant, state="exhausted", attempts=12, settled_at=mailroom.now())
    mailroom.write("UPDATE notifications SET state = 'pending', attempts = 0, due_at = UTC_TIMESTAMP(6),"
                   " settled_at = NULL, changed_by = 'operator:test' WHERE id = %s", number)
    mailroom.pass_once()
    attempt, row = mailroom.attempts(number)[-1], mailroom.notification(number)
    assert (row["state"], row["attempts"], attempt["number"]) == ("pending", 1, 1)
    check_next_due(row, attempt, DEFAULT[0], mailroom.now())


def test_events_of_a_notification(mailroom: Mailroom, stub: MerchantStub) -> None:
    number, = mailroom.notify(mailroom.merchant(stub.on("n", says("ERROR"))))
    settings: Settings = {"notification": {"schedule": "100ms"}}
    with mailroom.dispatcher(settings):
        mailroom.await_count("exhausted", 1)
    events = mailroom.rows("SELECT * FROM events WHERE subject = 'notification' AND subject_id = %s ORDER BY id", number)
    assert [(event["what"], event["from_state"], event["to_state"]) for event in events] == [
        ("created", None, "pending"), ("state", "pending", "exhausted")]
    assert events[1]["actor"] == "dispatcher" and events[1]["db_account"] == "recaudo_deliverer@localhost"
    assert wait_until(lambda: mailroom.notification(number)["changed_by"] == "dispatcher", "the change to be signed")
