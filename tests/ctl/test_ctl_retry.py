"""notification retry: what an operator may send again, in what order it then arrives, and what must not happen by accident."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from tests.stack import wait_until
from tests.stack.mailroom import Mailroom, Merchant
from tests.stack.merchant_stub import MerchantStub, hold, ok

from operator_steps import misused, refused

KEYS = ["id", "pv_po_id", "merchant", "status", "state", "becomes", "left_because"]


def retry(mailroom: Mailroom, *words: object) -> Any:
    return mailroom.stack.ctl.json("notification", "retry", *map(str, words))


def not_retried(mailroom: Mailroom, *words: object) -> str:
    """Refused, with a reason, and nothing has changed."""
    before = mailroom.rows("SELECT * FROM notifications ORDER BY id"), mailroom.rows("SELECT * FROM events")
    reason = refused(mailroom.stack.ctl, "notification", "retry", *map(str, words))
    assert before == (mailroom.rows("SELECT * FROM notifications ORDER BY id"), mailroom.rows("SELECT * FROM events"))
    assert reason.endswith("; nothing was done")
    return reason


def exhausted(mailroom: Mailroom, merchant: Merchant, count: int = 1, **columns: Any) -> list[int]:
    return mailroom.notify(merchant, count, **{"state": "exhausted", "attempts": 12,
                                               "settled_at": mailroom.now(), **columns})


def pair(mailroom: Mailroom, merchant: Merchant, approved: str, cancelled: str) -> tuple[int, int]:
    """The ids of `approved` and `cancelled` of one order, in these states."""
    orders = mailroom.orders(merchant)
    (first,) = mailroom.notifications_about(merchant, orders, state=approved)
    (second,) = mailroom.notifications_about(merchant, orders, status="cancelled", state=cancelled, sequence=2)
    return first, second


def states(mailroom: Mailroom, *numbers: int) -> list[str]:
    return [mailroom.notification(number)["state"] for number in numbers]


def retried_events(mailroom: Mailroom, number: int) -> list[dict[str, Any]]:
    shown = mailroom.stack.ctl.json("notification", "show", str(number))
    return [event for event in shown["events"] if event["what"] == "retried"]


def test_exhausted_is_sent_again(mailroom: Mailroom, stub: MerchantStub) -> None:
    (number,) = exhausted(mailroom, mailroom.merchant(stub.on("n", ok)))
    mailroom.pass_once()
    assert stub.requests == []
    done = retry(mailroom, number, "--reason", "la tienda volvió")
    assert (done["dry_run"], done["retried"], done["left"]) == (False, 1, 0)
    (row,) = done["notifications"]
    assert list(row) == KEYS and [row[key] for key in ("id", "state", "becomes", "left_because")] == [
        number, "exhausted", "pending", None]
    notification = mailroom.notification(number)
    assert (notification["state"], notification["attempts"], notification["settled_at"]) == ("pending", 0, None)
    assert notification["due_at"] <= mailroom.now()
    mailroom.pass_once()
    assert [request.id for request in stub.requests] == [number] and states(mailroom, number) == ["delivered"]
    (event,) = retried_events(mailroom, number)
    assert (event["from"], event["to"], event["reason"]) == ("exhausted", "pending", "la tienda volvió")
    assert event["actor"].startswith("operator:") and notification["changed_by"] == event["actor"]


def test_without_a_reason(mailroom: Mailroom, stub: MerchantStub) -> None:
    (number,) = exhausted(mailroom, mailroom.merchant(stub.on("n", ok)))
    retry(mailroom, number, number)
    (event,) = retried_events(mailroom, number)
    assert event["reason"] is None


def test_dry_run_changes_nothing(mailroom: Mailroom, stub: MerchantStub) -> None:
    merchant = mailroom.merchant(stub.on("n", ok))
    numbers = exhausted(mailroom, merchant, 2)
    before = mailroom.rows("SELECT * FROM notifications")
    for words in ([*numbers], ["--merchant", merchant.name, "--since", "0"]):
        shown = retry(mailroom, *words, "--dry-run")
        assert (shown["dry_run"], shown["retried"]) == (True, 2)
        assert [row["becomes"] for row in shown["notifications"]] == ["pending", "pending"]
    assert mailroom.rows("SELECT * FROM notifications") == before
    assert retried_events(mailroom, numbers[0]) == []


def test_delivered_needs_again(mailroom: Mailroom, stub: MerchantStub) -> None:
    (number,) = mailroom.notify(mailroom.merchant(stub.on("n", ok)))
    mailroom.pass_once()
    assert "it was delivered; --again sends it all the same" in not_retried(mailroom, number)
    retry(mailroom, number, "--again")
    mailroom.pass_once()
    assert [request.id for request in stub.requests] == [number, number]
    assert [attempt["number"] for attempt in mailroom.attempts(number)] == [1, 1]


def test_no_url(mailroom: Mailroom, stub: MerchantStub) -> None:
    merchant = mailroom.merchant(None)
    (unaddressed,), (given_up,) = mailroom.notify(merchant, state="unaddressed"), exhausted(mailroom, merchant)
    for number in (unaddressed, given_up):
        assert "its merchant has no notify_url" in not_retried(mailroom, number, "--again")
    mailroom.stack.ctl.done("merchant", "set", merchant.name, "--notify-url", stub.on("n", ok))
    assert states(mailroom, unaddressed, given_up) == ["pending", "exhausted"]
    retry(mailroom, given_up)
    mailroom.pass_once()
    assert states(mailroom, unaddressed, given_up) == ["delivered", "delivered"]


def test_unaddressed_of_a_merchant_with_a_url(mailroom: Mailroom, stub: MerchantStub) -> None:
    (number,) = mailroom.notify(mailroom.merchant(stub.on("n", ok)), state="unaddressed")
    retry(mailroom, number)
    mailroom.pass_once()
    assert states(mailroom, number) == ["delivered"]


def test_one_that_waits_for_a_later_attempt(mailroom: Mailroom, stub: MerchantStub) -> None:
    tomorrow = mailroom.now() + timedelta(days=1)
    (number,) = mailroom.notify(mailroom.merchant(stub.on("n", ok)), due_at=tomorrow, attempts=9)
    retry(mailroom, number)
    assert mailroom.notification(number)["attempts"] == 9
    mailroom.pass_once()
    assert states(mailroom, number) == ["delivered"] and len(retried_events(mailroom, number)) == 1


def test_one_that_is_due_already(mailroom: Mailroom, stub: MerchantStub) -> None:
    (number,) = mailroom.notify(mailroom.merchant(stub.on("n", ok)))
    assert "it is due already" in not_retried(mailroom, number)


def test_one_that_is_being_sent(mailroom: Mailroom, stub: MerchantStub) -> None:
    (number,) = mailroom.notify(mailroom.merchant(stub.on("n", hold)))
    with mailroom.dispatcher():
        stub.await_requests(1)
        assert "it is being sent at this moment" in not_retried(mailroom, number, "--again")
        assert mailroom.stack.ctl.json("notification", "show", str(number))["in_flight"] is True
        stub.release()
        mailroom.await_count("delivered", 1)
    assert len(stub.requests) == 1


def test_one_that_waits_its_turn(mailroom: Mailroom, stub: MerchantStub) -> None:
    tomorrow = mailroom.now() + timedelta(days=1)
    approved, cancelled = pair(mailroom, mailroom.merchant(stub.on("n", ok)), "pending", "waiting")
    mailroom.write("UPDATE notifications SET due_at = %s WHERE id = %s", tomorrow, approved)
    assert "it comes by itself after the earlier" in not_retried(mailroom, cancelled)
    retry(mailroom, cancelled, approved)
    assert states(mailroom, approved, cancelled) == ["pending", "waiting"]
    assert mailroom.notification(approved)["due_at"] <= mailroom.now()


@pytest.mark.parametrize("approved, cancelled, again", [
    ("exhausted", "exhausted", []), ("exhausted", "delivered", ["--again"]), ("delivered", "delivered", ["--again"])])
def test_approved_before_cancelled(mailroom: Mailroom, stub: MerchantStub, approved: str, cancelled: str,
                                   again: list[str]) -> None:
    """The merchant must not be left with `approved` as the last word about a cancelled order."""
    first, second = pair(mailroom, mailroom.merchant(stub.on("n", ok)), approved, cancelled)
    assert "retry both" in not_retried(mailroom, first, *again)
    assert retry(mailroom, second, first, *again)["retried"] == 2
    assert states(mailroom, first, second) == ["pending", "waiting"]
    mailroom.pass_once()
    mailroom.pass_once()
    assert [request.message["status"] for request in stub.requests] == ["approved", "cancelled"]
    assert states(mailroom, first, second) == ["delivered", "delivered"]


def test_cancelled_that_is_still_to_come_stands_behind(mailroom: Mailroom, stub: MerchantStub) -> None:
    first, second = pair(mailroom, mailroom.merchant(stub.on("n", ok)), "exhausted", "pending")
    done = retry(mailroom, first)
    assert [(row["id"], row["state"], row["becomes"]) for row in done["notifications"]] == [
        (first, "exhausted", "pending"), (second, "pending", "waiting")]
    assert done["retried"] == 1 and retried_events(mailroom, second) == []
    mailroom.pass_once()
    mailroom.pass_once()
    assert [request.message["status"] for request in stub.requests] == ["approved", "cancelled"]


def test_cancelled_alone(mailroom: Mailroom, stub: MerchantStub) -> None:
    first, second = pair(mailroom, mailroom.merchant(stub.on("n", ok)), "delivered", "exhausted")
    retry(mailroom, second)
    mailroom.pass_once()
    assert [request.message["status"] for request in stub.requests] == ["cancelled"]


def test_cancelled_on_its_way_holds_approved_back(mailroom: Mailroom, stub: MerchantStub) -> None:
    first, second = pair(mailroom, mailroom.merchant(stub.on("n", hold)), "exhausted", "pending")
    with mailroom.dispatcher():
        stub.await_requests(1)
        assert "the later notification of its order is being sent" in not_retried(mailroom, first)
        stub.release()
        mailroom.await_count("delivered", 1)


def test_all_of_the_ids_or_none(mailroom: Mailroom, stub: MerchantStub) -> None:
    merchant = mailroom.merchant(stub.on("n", ok))
    good, (delivered,) = exhausted(mailroom, merchant, 2), mailroom.notify(merchant, state="delivered")
    reason = not_retried(mailroom, *good, delivered)
    assert reason.startswith(f"notification {delivered} (approved, order ") and f" of {merchant.name}): " in reason
    assert not_retried(mailroom, *good, 999999999) == "there is no notification 999999999; nothing was done"


def test_a_merchant_since(mailroom: Mailroom, stub: MerchantStub) -> None:
    merchant, other = mailroom.merchant(stub.on("n", ok)), mailroom.merchant(stub.on("other", ok))
    now = mailroom.now()
    old, new = exhausted(mailroom, merchant), exhausted(mailroom, merchant, 2)
    (later,) = mailroom.notify(merchant, due_at=now + timedelta(hours=1), attempts=3)
    (delivered,), (due,) = mailroom.notify(merchant, state="delivered"), mailroom.notify(merchant)
    foreign = exhausted(mailroom, other)
    mailroom.write("UPDATE notifications SET created_at = %s WHERE id = %s", now - timedelta(days=2), old[0])
    since = (now - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    done = retry(mailroom, "--merchant", merchant.name, "--since", since)
    assert ({row["id"] for row in done["notifications"]}, done["retried"], done["left"]) == ({*new, later}, 3, 0)
    assert states(mailroom, *old, *new, later, delivered, due, *foreign) == [
        "exhausted", "pending", "pending", "pending", "delivered", "pending", "exhausted"]
    mailroom.pass_once()
    assert {request.id for request in stub.requests} == {*new, later, due}
    again = retry(mailroom, "--merchant", merchant.name, "--since", since, "--again")
    assert again["retried"] == 5 and states(mailroom, *old) == ["exhausted"]
    assert retry(mailroom, "--merchant", other.name, "--since", "9999999999")["notifications"] == []


def test_a_merchant_lists_what_it_leaves(mailroom: Mailroom, stub: MerchantStub) -> None:
    merchant = mailroom.merchant(stub.on("n", ok))
    first, second = pair(mailroom, merchant, "exhausted", "delivered")
    (alone,) = exhausted(mailroom, merchant)
    done = retry(mailroom, "--merchant", merchant.name, "--since", "0")
    assert (done["retried"], done["left"]) == (1, 1)
    assert {row["id"]: row["left_because"] is None for row in done["notifications"]} == {first: False, alone: True}
    assert states(mailroom, first, second, alone) == ["exhausted", "delivered", "pending"]
    for_people = mailroom.stack.ctl.done("notification", "retry", "--merchant", merchant.name, "--since", "0")
    assert "retry both" in for_people and "retried 0\n" in for_people


def test_more_than_one_transaction_holds(mailroom: Mailroom, stub: MerchantStub) -> None:
    """Pairs are never torn apart at the seams."""
    merchant = mailroom.merchant(stub.on("n", ok))
    exhausted(mailroom, merchant)
    orders = mailroom.orders(merchant, 700)
    first = mailroom.notifications_about(merchant, orders, state="exhausted")
    second = mailroom.notifications_about(merchant, orders, status="cancelled", state="exhausted", sequence=2)
    done = retry(mailroom, "--merchant", merchant.name, "--since", "0", "--reason", "all")
    assert (done["retried"], done["left"], len(done["notifications"])) == (1401, 0, 1401)
    assert mailroom.count("pending") == 701 and mailroom.count("waiting") == 700
    assert set(states(mailroom, first[0], first[699])) == {"pending"}
    assert set(states(mailroom, second[0], second[699])) == {"waiting"}
    assert mailroom.value("SELECT COUNT(*) FROM events WHERE what = 'retried' AND reason = 'all'") == 1401


def test_only_one_of_many_at_once_does_it(mailroom: Mailroom, stub: MerchantStub) -> None:
    (number,) = exhausted(mailroom, mailroom.merchant(stub.on("n", ok)))
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda _: mailroom.stack.ctl.run("notification", "retry", str(number)), range(6)))
    assert sorted(result.returncode for result in results) == [0, 1, 1, 1, 1, 1], [one.stderr for one in results]
    assert len(retried_events(mailroom, number)) == 1


def test_the_merchants_row_is_not_locked(mailroom: Mailroom, stub: MerchantStub) -> None:
    """Whoever changes the merchant, or notes new notifications for it, does not wait for a retry, nor it for them."""
    (number,) = exhausted(mailroom, mailroom.merchant(stub.on("n", ok)))
    other = mailroom.stack.mariadb.connect()
    try:
        other.begin()
        with other.cursor() as cursor:
            cursor.execute("SELECT id FROM merchants FOR UPDATE")
        assert retry(mailroom, number)["retried"] == 1
    finally:
        other.close()


def test_it_waits_for_an_outcome_that_is_being_written(mailroom: Mailroom, stub: MerchantStub) -> None:
    """A dispatcher's word comes first, and then counts."""
    (number,) = exhausted(mailroom, mailroom.merchant(stub.on("n", ok)))
    other = mailroom.stack.mariadb.connect()
    try:
        other.begin()
        with other.cursor() as cursor:
            cursor.execute("UPDATE notifications SET state = 'delivered' WHERE id = %s", (number,))
        with ThreadPoolExecutor(1) as pool:
            result = pool.submit(mailroom.stack.ctl.run, "notification", "retry", str(number))
            wait_until(mailroom.lock_waits, "the retry to wait", pause=0.1)
            other.commit()
        assert result.result().returncode == 1 and "it was delivered" in result.result().stderr
    finally:
        other.close()


@pytest.mark.parametrize("words, complaint", [
    ([], "either ids, or --merchant NAME with --since"),
    (["1", "--merchant", "tienda", "--since", "0"], "either ids, or --merchant NAME with --since"),
    (["--merchant", "tienda"], "--merchant and --since go together"),
    (["1", "--since", "0"], "--merchant and --since go together"),
    (["x"], "x is not the id of a notification"),
    (["1", "1.5"], "1.5 is not the id of a notification"),
    (["--merchant", "tienda", "--since", "soon"], "--since is seconds since 1970 or an instant in UTC like "
                                                  "2026-11-21T09:30:00Z"),
    (["1", "--reason", ""], "--reason is empty: leave it out instead"),
    ([str(number) for number in range(101)], "100 is one word too many"),
])
def test_asked_wrongly(mailroom: Mailroom, words: list[str], complaint: str) -> None:
    assert misused(mailroom.stack.ctl, "notification", "retry", *words) == complaint


def test_reason_that_cannot_be_kept(mailroom: Mailroom) -> None:
    ctl = mailroom.stack.ctl
    assert refused(ctl, "notification", "retry", "1", "--reason", "x" * 251) == "reason: is longer than 250 characters"
    assert refused(ctl, "notification", "retry", "1", "--reason", "a\nb").startswith("reason: holds a control")
    assert refused(ctl, "notification", "retry", "--merchant", "nobody", "--since", "0").startswith("there is no mer")
