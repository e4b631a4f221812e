"""`cancelled` waits for `approved` of the same order; merchants without an address are told when they have one."""

from typing import Any

import pytest

from tests.stack.mailroom import Mailroom, Merchant
from tests.stack.merchant_stub import MerchantStub, in_turn, ok, says
from tests.stack import wait_until
from tests.stack.config import Settings

SHORT: Settings = {"notification": {"schedule": "100ms 100ms"}}


def approved_and_cancelled(mailroom: Mailroom, merchant: Merchant, **approved: Any) -> tuple[int, int]:
    """Both notifications of one order, as a claim soon after the payment leaves them."""
    orders = mailroom.orders(merchant)
    first, = mailroom.notifications_about(merchant, orders, **approved)
    second, = mailroom.notifications_about(merchant, orders, status="cancelled", state="waiting", sequence=2)
    return first, second


def states(mailroom: Mailroom, *numbers: int) -> list[str]:
    return [mailroom.notification(number)["state"] for number in numbers]


def test_cancelled_follows_approved(mailroom: Mailroom, stub: MerchantStub) -> None:
    first, second = approved_and_cancelled(mailroom, mailroom.merchant(stub.on("n", ok)))
    mailroom.pass_once()
    assert states(mailroom, first, second) == ["delivered", "delivered"]
    assert [request.message["status"] for request in stub.requests] == ["approved", "cancelled"]
    assert [request.headers["recaudo-sequence"] for request in stub.requests] == ["1", "2"]
    assert mailroom.attempts(second)[0]["started_at"] >= mailroom.notification(first)["settled_at"]


def test_cancelled_waits_for_retries(mailroom: Mailroom, stub: MerchantStub) -> None:
    merchant = mailroom.merchant(stub.on("n", in_turn(says("ERROR"), says("ERROR"), ok)))
    first, second = approved_and_cancelled(mailroom, merchant)
    for _ in range(2):
        mailroom.pass_once()
        assert states(mailroom, first, second) == ["pending", "waiting"]
        mailroom.write("UPDATE notifications SET due_at = UTC_TIMESTAMP(6)")
    mailroom.pass_once()
    assert states(mailroom, first, second) == ["delivered", "delivered"]
    assert [request.message["status"] for request in stub.requests] == ["approved"] * 3 + ["cancelled"]


def test_cancelled_follows_exhausted(mailroom: Mailroom, stub: MerchantStub) -> None:
    def refuses_approved(exchange: Any) -> None:
        refused = exchange.request.message["status"] == "approved"
        exchange.reply(200, b"ERROR" if refused else b"OK")

    first, second = approved_and_cancelled(mailroom, mailroom.merchant(stub.on("n", refuses_approved)))
    with mailroom.dispatcher(SHORT):
        mailroom.await_count("delivered", 1)
    assert states(mailroom, first, second) == ["exhausted", "delivered"]
    assert [request.message["status"] for request in stub.requests] == ["approved"] * 3 + ["cancelled"]
    assert mailroom.notification(first)["settled_at"] <= mailroom.attempts(second)[0]["started_at"]


def test_only_the_successor_of_the_same_order(mailroom: Mailroom, stub: MerchantStub) -> None:
    merchant = mailroom.merchant(stub.on("n", ok))
    slow = mailroom.merchant(stub.on("slow", says("ERROR")))
    first, second = approved_and_cancelled(mailroom, merchant)
    other_first, other_second = approved_and_cancelled(mailroom, slow)
    mailroom.pass_once()
    assert states(mailroom, first, second, other_first, other_second) == ["delivered", "delivered", "pending", "waiting"]


# What waits for nothing: left behind by two database servers that were written to at once (tests/http/test_cluster.py makes it).

def passed(mailroom: Mailroom, *numbers: int) -> None:
    """A while has passed since these were written."""
    for number in numbers:
        mailroom.write("UPDATE notifications SET due_at = due_at - INTERVAL 1 MINUTE WHERE id = %s", number)


@pytest.mark.parametrize("state", ["delivered", "exhausted"])
def test_behind_one_that_is_settled(mailroom: Mailroom, stub: MerchantStub, state: str) -> None:
    first, second = approved_and_cancelled(mailroom, mailroom.merchant(stub.on("n", ok)), state=state)
    mailroom.pass_once()
    assert states(mailroom, second) == ["waiting"], "whoever settled the first one may be about to release it"
    passed(mailroom, second)
    result = mailroom.pass_once()
    assert "1 notifications waited for nothing: they are sent now" in result.stderr
    assert states(mailroom, first, second) == [state, "delivered"]
    assert [request.message["status"] for request in stub.requests] == ["cancelled"]


@pytest.mark.parametrize("state", ["pending", "unaddressed"])
def test_behind_one_that_is_not(mailroom: Mailroom, stub: MerchantStub, state: str) -> None:
    merchant = mailroom.merchant(stub.on("n", says("ERROR")))
    first, second = approved_and_cancelled(mailroom, merchant, state=state)
    passed(mailroom, second)
    mailroom.pass_once()
    assert states(mailroom, first, second) == [state, "waiting"]


def test_unaddressed_although_there_is_an_address(mailroom: Mailroom, stub: MerchantStub) -> None:
    """The address was set on one server while the notification was written on another one."""
    merchant, silent = mailroom.merchant(stub.on("n", ok)), mailroom.merchant(None)
    numbers = [*mailroom.notify(merchant, 2, state="unaddressed"), *mailroom.notify(silent, state="unaddressed")]
    passed(mailroom, *numbers)
    mailroom.pass_once()
    assert states(mailroom, *numbers) == ["delivered", "delivered", "unaddressed"]


def test_a_running_dispatcher_releases(mailroom: Mailroom, stub: MerchantStub) -> None:
    with mailroom.dispatcher():
        _, second = approved_and_cancelled(mailroom, mailroom.merchant(stub.on("n", ok)), state="delivered")
        passed(mailroom, second)
        stub.await_requests(1)


def test_many_orders_in_order(mailroom: Mailroom, stub: MerchantStub) -> None:
    merchant = mailroom.merchant(stub.on("n", ok))
    orders = mailroom.orders(merchant, 300)
    mailroom.notifications_about(merchant, orders)
    mailroom.notifications_about(merchant, orders, status="cancelled", state="waiting", sequence=2)
    with mailroom.dispatcher(), mailroom.dispatcher():
        mailroom.await_count("delivered", 600)
    told: dict[int, list[str]] = {}
    for request in stub.requests:
        told.setdefault(request.message["pv_po_id"], []).append(request.message["status"])
    assert told == {order: ["approved", "cancelled"] for order in orders}


# Merchants without an address.

def test_unaddressed_until_there_is_an_address(mailroom: Mailroom, stub: MerchantStub) -> None:
    merchant = mailroom.merchant(None)
    overdue = mailroom.orders(merchant, 3, state="PENDIENTE", due_at=mailroom.now())
    mailroom.pass_once()
    assert mailroom.count("unaddressed") == len(overdue)
    assert mailroom.value("SELECT COUNT(*) FROM attempts") == 0
    mailroom.stack.ctl.done("merchant", "set", merchant.name, "--notify-url", stub.on("n", ok))
    mailroom.pass_once()
    assert mailroom.count("delivered") == len(overdue)
    assert sorted(request.message["pv_po_id"] for request in stub.requests) == overdue


def test_running_dispatcher_notices_the_address(mailroom: Mailroom, stub: MerchantStub) -> None:
    merchant = mailroom.merchant(None)
    numbers = mailroom.notify(merchant, 5, state="unaddressed")
    with mailroom.dispatcher():
        mailroom.stack.ctl.done("merchant", "set", merchant.name, "--notify-url", stub.on("n", ok))
        mailroom.await_count("delivered", 5, 5)
    assert sorted(request.id for request in stub.requests) == numbers


def test_order_is_kept_when_the_address_comes(mailroom: Mailroom, stub: MerchantStub) -> None:
    merchant = mailroom.merchant(None)
    orders = mailroom.orders(merchant)
    first, = mailroom.notifications_about(merchant, orders, state="unaddressed")
    second, = mailroom.notifications_about(merchant, orders, status="cancelled", state="unaddressed", sequence=2)
    mailroom.stack.ctl.done("merchant", "set", merchant.name, "--notify-url", stub.on("n", ok))
    assert states(mailroom, first, second) == ["pending", "waiting"]
    mailroom.pass_once()
    assert [request.message["status"] for request in stub.requests] == ["approved", "cancelled"]


@pytest.mark.parametrize("settled", ["delivered", "exhausted"])
def test_address_comes_when_the_first_is_settled(mailroom: Mailroom, stub: MerchantStub, settled: str) -> None:
    """The address was away only when the second notification was written: nothing is left to wait for."""
    merchant = mailroom.merchant(None)
    orders = mailroom.orders(merchant)
    mailroom.notifications_about(merchant, orders, state=settled, settled_at=mailroom.now())
    second, = mailroom.notifications_about(merchant, orders, status="cancelled", state="unaddressed", sequence=2)
    mailroom.stack.ctl.done("merchant", "set", merchant.name, "--notify-url", stub.on("n", ok))
    mailroom.pass_once()
    assert states(mailroom, second) == ["delivered"]


def test_address_comes_while_the_notification_is_written(mailroom: Mailroom, stub: MerchantStub) -> None:
    merchant = mailroom.merchant(None)
    overdue = mailroom.orders(merchant, state="PENDIENTE", due_at=mailroom.now())
    dispatcher = mailroom.new_dispatcher(seconds=3)
    with mailroom.stack.mariadb.connect() as operator, operator.cursor() as cursor:
        operator.begin()
        cursor.execute("UPDATE merchants SET notify_url = %s WHERE id = %s", (stub.on("n", ok), merchant.id))
        dispatcher.start()
        wait_until(lambda: mailroom.count("unaddressed") or mailroom.lock_waits() > 0, "the notification", pause=0.2)
        operator.commit()
    wait_until(lambda: not dispatcher.running(), "the dispatcher's end")
    assert [request.message["pv_po_id"] for request in stub.requests] == overdue


def test_address_taken_away_and_given_back(mailroom: Mailroom, stub: MerchantStub) -> None:
    """What is due meanwhile is neither sent nor lost."""
    merchant = mailroom.merchant(stub.on("n", ok))
    number, = mailroom.notify(merchant)
    mailroom.write("UPDATE merchants SET notify_url = NULL WHERE id = %s", merchant.id)
    mailroom.pass_once()
    assert stub.requests == [] and mailroom.attempts(number) == []
    mailroom.stack.ctl.done("merchant", "set", merchant.name, "--notify-url", stub.on("n", ok))
    mailroom.pass_once()
    assert states(mailroom, number) == ["delivered"]
