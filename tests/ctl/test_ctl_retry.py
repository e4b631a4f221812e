"""notification retry: what an operator may send again, in what order it then arrives, and what must not happen by accident."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from tests.stack import wait_until
from tests.stack.dispatch_rig import DispatchRig, Merchant
from tests.stack.merchant_stub import MerchantStub, hold, ok

from operator_steps import misused, refused

KEYS = ["id", "pv_po_id", "merchant", "status", "state", "becomes", "left_because"]


def retry(rig: DispatchRig, *words: object) -> Any:
    return rig.stack.ctl.json("notification", "retry", *map(str, words))


def not_retried(rig: DispatchRig, *words: object) -> str:
    """Refused, with a reason, and nothing has changed."""
    before = rig.rows("SELECT * FROM notifications ORDER BY id"), rig.rows("SELECT * FROM events")
    reason = refused(rig.stack.ctl, "notification", "retry", *map(str, words))
    assert before == (rig.rows("SELECT * FROM notifications ORDER BY id"), rig.rows("SELECT * FROM events"))
    assert reason.endswith("; nothing was done")
    return reason


def exhausted(rig: DispatchRig, merchant: Merchant, count: int = 1, **columns: Any) -> list[int]:
    return rig.notify(merchant, count, **{"state": "exhausted", "attempts": 12,
                                               "settled_at": rig.now(), **columns})


def pair(rig: DispatchRig, merchant: Merchant, approved: str, cancelled: str) -> tuple[int, int]:
    """The ids of `approved` and `cancelled` of one order, in these states."""
    orders = rig.orders(merchant)
    (first,) = rig.notifications_about(merchant, orders, state=approved)
    (second,) = rig.notifications_about(merchant, orders, status="cancelled", state=cancelled, sequence=2)
    return first, second


def states(rig: DispatchRig, *numbers: int) -> list[str]:
    return [rig.notification(number)["state"] for number in numbers]


def retried_events(rig: DispatchRig, number: int) -> list[dict[str, Any]]:
    shown = rig.stack.ctl.json("notification", "show", str(number))
    return [event for event in shown["events"] if event["what"] == "retried"]


def test_exhausted_is_sent_again(rig: DispatchRig, stub: MerchantStub) -> None:
    (number,) = exhausted(rig, rig.merchant(stub.on("n", ok)))
    rig.pass_once()
    assert stub.requests == []
    done = retry(rig, number, "--reason", "la tienda volvió")
    assert (done["dry_run"], done["retried"], done["left"]) == (False, 1, 0)
    (row,) = done["notifications"]
    assert list(row) == KEYS and [row[key] for key in ("id", "state", "becomes", "left_because")] == [
        number, "exhausted", "pending", None]
    notification = rig.notification(number)
    assert (notification["state"], notification["attempts"], notification["settled_at"]) == ("pending", 0, None)
    assert notification["due_at"] <= rig.now()
    rig.pass_once()
    assert [request.id for request in stub.requests] == [number] and states(rig, number) == ["delivered"]
    (event,) = retried_events(rig, number)
    assert (event["from"], event["to"], event["reason"]) == ("exhausted", "pending", "la tienda volvió")
    assert event["actor"].startswith("operator:") and notification["changed_by"] == event["actor"]


def test_without_a_reason(rig: DispatchRig, stub: MerchantStub) -> None:
    (number,) = exhausted(rig, rig.merchant(stub.on("n", ok)))
    retry(rig, number, number)
    (event,) = retried_events(rig, number)
    assert event["reason"] is None


def test_dry_run_changes_nothing(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("n", ok))
    numbers = exhausted(rig, merchant, 2)
    before = rig.rows("SELECT * FROM notifications")
    for words in ([*numbers], ["--merchant", merchant.name, "--since", "0"]):
        shown = retry(rig, *words, "--dry-run")
        assert (shown["dry_run"], shown["would_retry"], "retried" in shown) == (True, 2, False)
        assert [row["becomes"] for row in shown["notifications"]] == ["pending", "pending"]
    assert rig.rows("SELECT * FROM notifications") == before
    assert retried_events(rig, numbers[0]) == []


def test_delivered_needs_again(rig: DispatchRig, stub: MerchantStub) -> None:
    (number,) = rig.notify(rig.merchant(stub.on("n", ok)))
    rig.pass_once()
    assert "it was delivered; --again sends it all the same" in not_retried(rig, number)
    retry(rig, number, "--again")
    rig.pass_once()
    assert [request.id for request in stub.requests] == [number, number]
    assert [attempt["number"] for attempt in rig.attempts(number)] == [1, 1]
    shown = rig.stack.ctl.json("notification", "show", str(number))
    assert [attempt["number"] for attempt in shown["attempts"]] == [1, 2]
    order = rig.stack.ctl.json("order", "show", f"id:{shown['pv_po_id']}")
    (told,) = order["notifications"]
    assert [attempt["number"] for attempt in told["attempts"]] == [1, 2]


def test_no_url(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(None)
    (unaddressed,), (given_up,) = rig.notify(merchant, state="unaddressed"), exhausted(rig, merchant)
    for number in (unaddressed, given_up):
        assert "its merchant has no notify_url" in not_retried(rig, number, "--again")
    rig.stack.ctl.done("merchant", "set", merchant.name, "--notify-url", stub.on("n", ok))
    assert states(rig, unaddressed, given_up) == ["pending", "exhausted"]
    retry(rig, given_up)
    rig.pass_once()
    assert states(rig, unaddressed, given_up) == ["delivered", "delivered"]


def test_unaddressed_of_a_merchant_with_a_url(rig: DispatchRig, stub: MerchantStub) -> None:
    (number,) = rig.notify(rig.merchant(stub.on("n", ok)), state="unaddressed")
    retry(rig, number)
    rig.pass_once()
    assert states(rig, number) == ["delivered"]


def test_one_that_waits_for_a_later_attempt(rig: DispatchRig, stub: MerchantStub) -> None:
    """Its schedule begins anew."""
    tomorrow = rig.now() + timedelta(days=1)
    (number,) = rig.notify(rig.merchant(stub.on("n", ok)), due_at=tomorrow, attempts=9)
    retry(rig, number)
    assert rig.notification(number)["attempts"] == 0
    rig.pass_once()
    assert states(rig, number) == ["delivered"] and len(retried_events(rig, number)) == 1


def test_one_that_is_due_already(rig: DispatchRig, stub: MerchantStub) -> None:
    (number,) = rig.notify(rig.merchant(stub.on("n", ok)))
    assert "it is due already" in not_retried(rig, number)


@pytest.mark.parametrize("by_merchant", [False, True])
def test_one_that_is_due_at_an_endpoint_that_rests(rig: DispatchRig, stub: MerchantStub, by_merchant: bool) -> None:
    """The retry ends the rest."""
    merchant = rig.merchant(stub.on("n", ok))
    (number,) = rig.notify(merchant)
    rig.write("INSERT INTO endpoints (merchant_id, failures, resting_until)"
              " VALUES (%s, 9, UTC_TIMESTAMP(6) + INTERVAL 1 HOUR)", merchant.id)
    rig.pass_once()
    assert stub.requests == []
    words = ["--merchant", merchant.name, "--since", "0"] if by_merchant else [number]
    assert retry(rig, *words)["retried"] == 1 and len(retried_events(rig, number)) == 1
    rig.pass_once()
    assert states(rig, number) == ["delivered"]


def test_one_that_is_being_sent(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("n", hold))
    (number,) = rig.notify(merchant)
    with rig.dispatcher():
        stub.await_requests(1)
        assert "it is being sent at this moment" in not_retried(rig, number, "--again")
        order = rig.value("SELECT order_id FROM notifications WHERE id = %s", number)
        for shown in (rig.stack.ctl.json("notification", "show", str(number)), rig.stack.ctl.json("notification", "list")[0],
                      rig.stack.ctl.json("order", "show", f"id:{order}")["notifications"][0]):
            assert (shown["in_flight"], shown["due_at"]) == (True, None)
        by_merchant = retry(rig, "--merchant", merchant.name, "--since", "0")
        assert (by_merchant["retried"], by_merchant["left"]) == (0, 1)
        assert by_merchant["notifications"][0]["left_because"] == "it is being sent at this moment"
        stub.release()
        rig.await_count("delivered", 1)
    assert len(stub.requests) == 1


def test_one_that_waits_its_turn(rig: DispatchRig, stub: MerchantStub) -> None:
    tomorrow = rig.now() + timedelta(days=1)
    approved, cancelled = pair(rig, rig.merchant(stub.on("n", ok)), "pending", "waiting")
    rig.write("UPDATE notifications SET due_at = %s WHERE id = %s", tomorrow, approved)
    assert "it is sent automatically after the earlier" in not_retried(rig, cancelled)
    retry(rig, cancelled, approved)
    assert states(rig, approved, cancelled) == ["pending", "waiting"]
    assert rig.notification(approved)["due_at"] <= rig.now()


def test_refunded_by_the_merchant(rig: DispatchRig, stub: MerchantStub) -> None:
    """No `cancelled` follows that could say so; after a claim one does."""
    merchant = rig.merchant(stub.on("n", ok))
    refunded, claimed = rig.orders(merchant, 2, state="ANULADA")
    first, second = rig.notifications_about(merchant, [refunded, claimed], state="delivered")
    cancelled, = rig.notifications_about(merchant, [claimed], status="cancelled", state="delivered", sequence=2)
    words = ("notification", "retry", str(first), str(second), str(cancelled), "--again")
    po_id = rig.value("SELECT po_id FROM orders WHERE id = %s", refunded)
    warning = (f"recaudoctl: order {refunded} ({po_id} of {merchant.name}) was refunded, and nothing follows this approved to say"
               " so: warn the merchant\n")
    for more in ("--dry-run",), ():
        said = rig.stack.ctl.run(*words, *more)
        assert (said.returncode, said.stderr) == (0, warning)
    assert states(rig, first, second, cancelled) == ["pending", "pending", "waiting"]


@pytest.mark.parametrize("approved, cancelled, again", [
    ("exhausted", "exhausted", []), ("exhausted", "delivered", ["--again"]), ("delivered", "delivered", ["--again"])])
def test_approved_before_cancelled(rig: DispatchRig, stub: MerchantStub, approved: str, cancelled: str,
                                   again: list[str]) -> None:
    """The merchant must not be left with `approved` as the last word about a cancelled order."""
    first, second = pair(rig, rig.merchant(stub.on("n", ok)), approved, cancelled)
    command = f"recaudoctl notification retry {first} {second}" + (" --again" if again else "")
    assert f"retry both: {command}; nothing" in not_retried(rig, first, *again)
    if again and approved == "exhausted":
        for ids in (first,), (first, second):
            assert f"retry both: {command}; nothing" in not_retried(rig, *ids)
    assert retry(rig, second, first, *again)["retried"] == 2
    assert states(rig, first, second) == ["pending", "waiting"]
    rig.pass_once()
    rig.pass_once()
    assert [request.message["status"] for request in stub.requests] == ["approved", "cancelled"]
    assert states(rig, first, second) == ["delivered", "delivered"]


def test_cancelled_that_is_still_to_come_stands_behind(rig: DispatchRig, stub: MerchantStub) -> None:
    first, second = pair(rig, rig.merchant(stub.on("n", ok)), "exhausted", "pending")
    done = retry(rig, first)
    assert [(row["id"], row["state"], row["becomes"]) for row in done["notifications"]] == [
        (first, "exhausted", "pending"), (second, "pending", "waiting")]
    assert done["retried"] == 1 and retried_events(rig, second) == []
    rig.pass_once()
    rig.pass_once()
    assert [request.message["status"] for request in stub.requests] == ["approved", "cancelled"]


def test_cancelled_alone(rig: DispatchRig, stub: MerchantStub) -> None:
    first, second = pair(rig, rig.merchant(stub.on("n", ok)), "delivered", "exhausted")
    retry(rig, second)
    rig.pass_once()
    assert [request.message["status"] for request in stub.requests] == ["cancelled"]


def test_cancelled_on_its_way_holds_approved_back(rig: DispatchRig, stub: MerchantStub) -> None:
    first, second = pair(rig, rig.merchant(stub.on("n", hold)), "exhausted", "pending")
    with rig.dispatcher():
        stub.await_requests(1)
        assert "the later notification of its order is being sent" in not_retried(rig, first)
        stub.release()
        rig.await_count("delivered", 1)


def test_all_of_the_ids_or_none(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("n", ok))
    good, (delivered,) = exhausted(rig, merchant, 2), rig.notify(merchant, state="delivered")
    reason = not_retried(rig, *good, delivered)
    assert reason.startswith(f"notification {delivered} (approved, order ") and f" of {merchant.name}): " in reason
    assert not_retried(rig, *good, 999999999) == "there is no notification 999999999; nothing was done"


def test_a_merchant_since(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant, other = rig.merchant(stub.on("n", ok)), rig.merchant(stub.on("other", ok))
    now = rig.now()
    old, new = exhausted(rig, merchant), exhausted(rig, merchant, 2)
    (later,) = rig.notify(merchant, due_at=now + timedelta(hours=1), attempts=3)
    (delivered,), (due,) = rig.notify(merchant, state="delivered"), rig.notify(merchant)
    foreign = exhausted(rig, other)
    rig.write("UPDATE notifications SET created_at = %s WHERE id = %s", now - timedelta(days=2), old[0])
    since = (now - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    done = retry(rig, "--merchant", merchant.name, "--since", since)
    assert ({row["id"] for row in done["notifications"]}, done["retried"], done["left"]) == ({*new, later}, 3, 0)
    assert states(rig, *old, *new, later, delivered, due, *foreign) == [
        "exhausted", "pending", "pending", "pending", "delivered", "pending", "exhausted"]
    rig.pass_once()
    assert {request.id for request in stub.requests} == {*new, later, due}
    again = retry(rig, "--merchant", merchant.name, "--since", since, "--again")
    assert again["retried"] == 5 and states(rig, *old) == ["exhausted"]
    assert retry(rig, "--merchant", other.name, "--since", "9999999999")["notifications"] == []


def test_a_merchant_lists_what_it_leaves(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("n", ok))
    first, second = pair(rig, merchant, "exhausted", "delivered")
    (alone,) = exhausted(rig, merchant)
    done = retry(rig, "--merchant", merchant.name, "--since", "0")
    assert (done["retried"], done["left"]) == (1, 1)
    assert {row["id"]: row["left_because"] is None for row in done["notifications"]} == {first: False, alone: True}
    assert states(rig, first, second, alone) == ["exhausted", "delivered", "pending"]
    for_people = rig.stack.ctl.done("notification", "retry", "--merchant", merchant.name, "--since", "0")
    assert f"retry both: recaudoctl notification retry {first} {second} --again" in for_people and "retried 0\n" in for_people


def test_more_than_one_transaction_holds(rig: DispatchRig, stub: MerchantStub) -> None:
    """Pairs are never torn apart at the seams."""
    merchant = rig.merchant(stub.on("n", ok))
    exhausted(rig, merchant)
    orders = rig.orders(merchant, 700)
    first = rig.notifications_about(merchant, orders, state="exhausted")
    second = rig.notifications_about(merchant, orders, status="cancelled", state="exhausted", sequence=2)
    done = retry(rig, "--merchant", merchant.name, "--since", "0", "--reason", "all")
    assert (done["retried"], done["left"], len(done["notifications"])) == (1401, 0, 1401)
    assert rig.count("pending") == 701 and rig.count("waiting") == 700
    assert set(states(rig, first[0], first[699])) == {"pending"}
    assert set(states(rig, second[0], second[699])) == {"waiting"}
    assert rig.value("SELECT COUNT(*) FROM events WHERE what = 'retried' AND reason = 'all'") == 1401


def test_only_one_of_many_at_once_does_it(rig: DispatchRig, stub: MerchantStub) -> None:
    (number,) = exhausted(rig, rig.merchant(stub.on("n", ok)))
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda _: rig.stack.ctl.run("notification", "retry", str(number)), range(6)))
    assert sorted(result.returncode for result in results) == [0, 1, 1, 1, 1, 1], [one.stderr for one in results]
    assert len(retried_events(rig, number)) == 1


def test_the_merchants_row_is_not_locked(rig: DispatchRig, stub: MerchantStub) -> None:
    """Whoever changes the merchant, or notes new notifications for it, does not wait for a retry, nor it for them."""
    (number,) = exhausted(rig, rig.merchant(stub.on("n", ok)))
    other = rig.stack.mariadb.connect()
    try:
        other.begin()
        with other.cursor() as cursor:
            cursor.execute("SELECT id FROM merchants FOR UPDATE")
        assert retry(rig, number)["retried"] == 1
    finally:
        other.close()


def test_it_waits_for_an_outcome_that_is_being_written(rig: DispatchRig, stub: MerchantStub) -> None:
    """A dispatcher's word comes first, and then counts."""
    (number,) = exhausted(rig, rig.merchant(stub.on("n", ok)))
    other = rig.stack.mariadb.connect()
    try:
        other.begin()
        with other.cursor() as cursor:
            cursor.execute("UPDATE notifications SET state = 'delivered' WHERE id = %s", (number,))
        with ThreadPoolExecutor(1) as pool:
            result = pool.submit(rig.stack.ctl.run, "notification", "retry", str(number))
            wait_until(rig.lock_waits, "the retry to wait", pause=0.1)
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
    (["--merchant", "tienda", "--since", "soon"], "--since is seconds since 1970, or an instant or a day in UTC "
                                                  "like 2026-11-21T09:30:00Z or 2026-11-21"),
    (["1", "--reason", ""], "--reason is empty: leave it out instead"),
    ([str(number) for number in range(101)], "unexpected argument '100'"),
])
def test_asked_wrongly(rig: DispatchRig, words: list[str], complaint: str) -> None:
    assert misused(rig.stack.ctl, "notification", "retry", *words) == complaint


def test_reason_that_cannot_be_kept(rig: DispatchRig) -> None:
    ctl = rig.stack.ctl
    assert refused(ctl, "notification", "retry", "1", "--reason", "x" * 251) == "reason: is longer than 250 characters"
    assert refused(ctl, "notification", "retry", "1", "--reason", "a\nb").startswith("reason: holds a control")
    assert refused(ctl, "notification", "retry", "--merchant", "nobody", "--since", "0").startswith("there is no mer")
