"""`cancelled` waits for `approved` of the same order; merchants without an address are told when they have one."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from tests.stack.dispatch_rig import DispatchRig, Merchant
from tests.stack.merchant_stub import MerchantStub, hold, in_turn, ok, says
from tests.stack import wait_until
from tests.stack.config import Settings

SHORT: Settings = {"notification": {"schedule": "100ms 100ms"}}


def approved_and_cancelled(rig: DispatchRig, merchant: Merchant, **approved: Any) -> tuple[int, int]:
    """Both notifications of one order, as a claim soon after the payment leaves them."""
    orders = rig.orders(merchant)
    first, = rig.notifications_about(merchant, orders, **approved)
    second, = rig.notifications_about(merchant, orders, status="cancelled", state="waiting", sequence=2)
    return first, second


def states(rig: DispatchRig, *numbers: int) -> list[str]:
    return [rig.notification(number)["state"] for number in numbers]


def test_cancelled_follows_approved(rig: DispatchRig, stub: MerchantStub) -> None:
    first, second = approved_and_cancelled(rig, rig.merchant(stub.on("n", ok)))
    rig.pass_once()
    assert states(rig, first, second) == ["delivered", "delivered"]
    assert [request.message["status"] for request in stub.requests] == ["approved", "cancelled"]
    assert [request.headers["recaudo-sequence"] for request in stub.requests] == ["1", "2"]
    assert rig.attempts(second)[0]["started_at"] >= rig.notification(first)["settled_at"]


def statements_executed(rig: DispatchRig) -> int:
    """By dispatchers: the tests' own are not prepared."""
    return int(rig.row("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'")["Value"])


def test_pass_asks_again_after_what_it_recorded(rig: DispatchRig, stub: MerchantStub) -> None:
    """It finds nothing due while the outcome of `approved` waits to be recorded, and must not believe that afterwards."""
    first, second = approved_and_cancelled(rig, rig.merchant(stub.on("n", hold)))
    with rig.stack.mariadb.connect() as other, ThreadPoolExecutor() as pool:
        one_pass = pool.submit(rig.pass_once)
        stub.await_requests(1)
        other.begin()
        with other.cursor() as cursor:
            cursor.execute("SELECT id FROM notifications WHERE id = %s FOR UPDATE", (first,))
        stub.on("n", ok)
        stub.release()
        wait_until(lambda: rig.lock_waits() > 0, "the recorder to wait", 30, 0.3)
        asked = statements_executed(rig)
        wait_until(lambda: statements_executed(rig) > asked + 3, "the pass to ask meanwhile")
        other.rollback()
        one_pass.result(60)
    assert states(rig, first, second) == ["delivered", "delivered"]


def test_cancelled_waits_for_retries(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("n", in_turn(says("ERROR"), says("ERROR"), ok)))
    first, second = approved_and_cancelled(rig, merchant)
    for _ in range(2):
        rig.pass_once()
        assert states(rig, first, second) == ["pending", "waiting"]
        rig.write("UPDATE notifications SET due_at = UTC_TIMESTAMP(6)")
    rig.pass_once()
    assert states(rig, first, second) == ["delivered", "delivered"]
    assert [request.message["status"] for request in stub.requests] == ["approved"] * 3 + ["cancelled"]


def test_cancelled_follows_exhausted(rig: DispatchRig, stub: MerchantStub) -> None:
    def refuses_approved(exchange: Any) -> None:
        refused = exchange.request.message["status"] == "approved"
        exchange.reply(200, b"ERROR" if refused else b"OK")

    first, second = approved_and_cancelled(rig, rig.merchant(stub.on("n", refuses_approved)))
    with rig.dispatcher(SHORT):
        rig.await_count("delivered", 1)
    assert states(rig, first, second) == ["exhausted", "delivered"]
    assert [request.message["status"] for request in stub.requests] == ["approved"] * 3 + ["cancelled"]
    assert rig.notification(first)["settled_at"] <= rig.attempts(second)[0]["started_at"]


def test_only_the_successor_of_the_same_order(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("n", ok))
    slow = rig.merchant(stub.on("slow", says("ERROR")))
    first, second = approved_and_cancelled(rig, merchant)
    other_first, other_second = approved_and_cancelled(rig, slow)
    rig.pass_once()
    assert states(rig, first, second, other_first, other_second) == ["delivered", "delivered", "pending", "waiting"]


# What waits for nothing: left behind by two database servers that were written to at once (tests/http/server/test_cluster.py makes it).

def passed(rig: DispatchRig, *numbers: int) -> None:
    """A while has passed since these were written."""
    for number in numbers:
        rig.write("UPDATE notifications SET due_at = due_at - INTERVAL 1 MINUTE WHERE id = %s", number)


@pytest.mark.parametrize("state", ["delivered", "exhausted"])
def test_behind_one_that_is_settled(rig: DispatchRig, stub: MerchantStub, state: str) -> None:
    first, second = approved_and_cancelled(rig, rig.merchant(stub.on("n", ok)), state=state)
    rig.pass_once()
    assert states(rig, second) == ["waiting"], "whoever settled the first one may be about to release it"
    passed(rig, second)
    result = rig.pass_once()
    assert "released 1 stuck notifications" in result.stderr
    assert states(rig, first, second) == [state, "delivered"]
    assert [request.message["status"] for request in stub.requests] == ["cancelled"]


def test_a_held_successor_keeps_nothing_back(rig: DispatchRig, stub: MerchantStub) -> None:
    """What became of the one before it is recorded, and what is stuck besides it is released. It follows when nobody holds it."""
    merchant = rig.merchant(stub.on("n", ok))
    first, held = approved_and_cancelled(rig, merchant)
    other_first, other_second = approved_and_cancelled(rig, merchant)
    settled, stuck = approved_and_cancelled(rig, merchant, state="delivered")
    passed(rig, held)
    with rig.stack.mariadb.connect() as forgotten, forgotten.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT id FROM notifications FORCE INDEX (PRIMARY) WHERE id = %s FOR UPDATE", held)
        assert "gave up waiting" not in rig.pass_once().stderr
        assert states(rig, first, held, other_first, other_second) == ["delivered", "waiting", "delivered", "delivered"]
        passed(rig, stuck)
        result = rig.pass_once()
        assert "released 1 stuck notifications" in result.stderr and "gave up waiting" not in result.stderr
        assert states(rig, held, settled, stuck) == ["waiting", "delivered", "delivered"]
    rig.pass_once()
    assert states(rig, held) == ["delivered"] and len(stub.requests) == 5


@pytest.mark.parametrize("state", ["pending", "unaddressed"])
def test_behind_one_that_is_not(rig: DispatchRig, stub: MerchantStub, state: str) -> None:
    merchant = rig.merchant(stub.on("n", says("ERROR")))
    first, second = approved_and_cancelled(rig, merchant, state=state)
    passed(rig, second)
    rig.pass_once()
    assert states(rig, first, second) == [state, "waiting"]


def test_unaddressed_although_there_is_an_address(rig: DispatchRig, stub: MerchantStub) -> None:
    """The address was set on one server while the notification was written on another one."""
    merchant, silent = rig.merchant(stub.on("n", ok)), rig.merchant(None)
    numbers = [*rig.notify(merchant, 2, state="unaddressed"), *rig.notify(silent, state="unaddressed")]
    passed(rig, *numbers)
    rig.pass_once()
    assert states(rig, *numbers) == ["delivered", "delivered", "unaddressed"]


def test_a_running_dispatcher_releases(rig: DispatchRig, stub: MerchantStub) -> None:
    with rig.dispatcher():
        _, second = approved_and_cancelled(rig, rig.merchant(stub.on("n", ok)), state="delivered")
        passed(rig, second)
        stub.await_requests(1)


def test_many_orders_in_order(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("n", ok))
    orders = rig.orders(merchant, 300)
    rig.notifications_about(merchant, orders)
    rig.notifications_about(merchant, orders, status="cancelled", state="waiting", sequence=2)
    with rig.dispatcher(), rig.dispatcher():
        rig.await_count("delivered", 600)
    told: dict[int, list[str]] = {}
    for request in stub.requests:
        told.setdefault(request.message["pv_po_id"], []).append(request.message["status"])
    assert told == {order: ["approved", "cancelled"] for order in orders}


# Merchants without an address.

def test_unaddressed_until_there_is_an_address(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(None)
    overdue = rig.orders(merchant, 3, state="PENDIENTE", due_at=rig.now())
    rig.pass_once()
    assert rig.count("unaddressed") == len(overdue)
    assert rig.value("SELECT COUNT(*) FROM attempts") == 0
    rig.stack.ctl.done("merchant", "set", merchant.name, "--notify-url", stub.on("n", ok))
    rig.pass_once()
    assert rig.count("delivered") == len(overdue)
    assert sorted(request.message["pv_po_id"] for request in stub.requests) == overdue


def test_running_dispatcher_notices_the_address(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(None)
    numbers = rig.notify(merchant, 5, state="unaddressed")
    with rig.dispatcher():
        rig.stack.ctl.done("merchant", "set", merchant.name, "--notify-url", stub.on("n", ok))
        rig.await_count("delivered", 5)
    assert sorted(request.id for request in stub.requests) == numbers


def test_order_is_kept_when_the_address_comes(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(None)
    orders = rig.orders(merchant)
    first, = rig.notifications_about(merchant, orders, state="unaddressed")
    second, = rig.notifications_about(merchant, orders, status="cancelled", state="unaddressed", sequence=2)
    rig.stack.ctl.done("merchant", "set", merchant.name, "--notify-url", stub.on("n", ok))
    assert states(rig, first, second) == ["pending", "waiting"]
    rig.pass_once()
    assert [request.message["status"] for request in stub.requests] == ["approved", "cancelled"]


@pytest.mark.parametrize("settled", ["delivered", "exhausted"])
def test_address_comes_when_the_first_is_settled(rig: DispatchRig, stub: MerchantStub, settled: str) -> None:
    """The address was away only when the second notification was written: nothing is left to wait for."""
    merchant = rig.merchant(None)
    orders = rig.orders(merchant)
    rig.notifications_about(merchant, orders, state=settled, settled_at=rig.now())
    second, = rig.notifications_about(merchant, orders, status="cancelled", state="unaddressed", sequence=2)
    rig.stack.ctl.done("merchant", "set", merchant.name, "--notify-url", stub.on("n", ok))
    rig.pass_once()
    assert states(rig, second) == ["delivered"]


def test_address_comes_while_the_notification_is_written(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(None)
    overdue = rig.orders(merchant, state="PENDIENTE", due_at=rig.now())
    dispatcher = rig.new_dispatcher(seconds=3)
    with rig.stack.mariadb.connect() as operator, operator.cursor() as cursor:
        operator.begin()
        cursor.execute("UPDATE merchants SET notify_url = %s WHERE id = %s", (stub.on("n", ok), merchant.id))
        dispatcher.start()
        wait_until(lambda: rig.count("unaddressed") or rig.lock_waits() > 0, "the notification", pause=0.2)
        operator.commit()
    wait_until(lambda: not dispatcher.running(), "the dispatcher's end")
    assert [request.message["pv_po_id"] for request in stub.requests] == overdue


def test_address_taken_away_and_given_back(rig: DispatchRig, stub: MerchantStub) -> None:
    """What is due meanwhile is neither sent nor lost."""
    merchant = rig.merchant(stub.on("n", ok))
    number, = rig.notify(merchant)
    rig.write("UPDATE merchants SET notify_url = NULL WHERE id = %s", merchant.id)
    rig.pass_once()
    assert stub.requests == [] and rig.attempts(number) == []
    rig.stack.ctl.done("merchant", "set", merchant.name, "--notify-url", stub.on("n", ok))
    rig.pass_once()
    assert states(rig, number) == ["delivered"]


def due_top_up(rig: DispatchRig, document: str) -> int:
    """A top-up whose window has closed; its account."""
    if not rig.rows("SELECT id FROM networks"):
        rig.stack.ctl.done("network", "add", "red")
    rig.stack.ctl.done("account", "add", "--document", document, "--type", "CC", "--name", "Ana")
    account = int(rig.value("SELECT id FROM accounts WHERE document = %s", document))
    rig.write("INSERT INTO transactions (network_id, network_transaction, account_id, reference, state, amount, currency,"
              " commerce, description, teller, fingerprint, confirmed_at, window_ends_at, changed_by)"
              " SELECT MIN(id), CONCAT('top-up ', %s), %s, %s, 'CONFIRMADA', 5, 'COP', 'recaudo', 'Ana', '192.0.2.1', REPEAT('x', 32),"
              " UTC_TIMESTAMP(6) - INTERVAL 31 SECOND, UTC_TIMESTAMP(6) - INTERVAL 1 SECOND, 'network:red' FROM networks",
              document, account, document)
    return account


def test_payment_that_is_refused_keeps_nothing_else(rig: DispatchRig) -> None:
    """Top-ups are credited, and orders expire."""
    merchant = rig.merchant(None)
    account = due_top_up(rig, "5552")
    (held,) = rig.confirmed_orders(merchant, 1, rig.now())
    (order,) = rig.orders(merchant, state="PENDIENTE", due_at=rig.now())
    rig.write("CREATE TRIGGER refusing BEFORE INSERT ON notifications FOR EACH ROW IF NEW.status = 'approved' THEN"
              " SIGNAL SQLSTATE '23000' SET MYSQL_ERRNO = 1062, MESSAGE_TEXT = \"Duplicate entry for key 'refusing'\"; END IF")
    try:
        assert rig.run_once().returncode == 1
        assert rig.value("SELECT balance FROM accounts WHERE id = %s", account) == 5
        assert rig.value("SELECT state FROM orders WHERE id = %s", order) == "VENCIDA"
        assert rig.value("SELECT state FROM orders WHERE id = %s", held) == "PENDIENTE"
    finally:
        rig.write("DROP TRIGGER refusing")
    rig.pass_once()
    assert rig.value("SELECT state FROM orders WHERE id = %s", held) == "APROBADA"


def test_payment_that_is_refused_keeps_no_other_payment(rig: DispatchRig) -> None:
    """It is the oldest; those of its batch are written, it is named, and it is written when it is mended."""
    merchant = rig.merchant(None)
    orders = rig.confirmed_orders(merchant, 3, rig.now() - timedelta(seconds=100))
    with rig.refusing("INSERT", "notifications", f"NEW.status = 'approved' AND NEW.order_id = {orders[0]}"):
        result = rig.run_once()
        assert result.returncode == 1 and f"the payment of order {orders[0]} cannot be written as final" in result.stderr
        assert [rig.value("SELECT state FROM orders WHERE id = %s", order) for order in orders] == ["PENDIENTE", "APROBADA", "APROBADA"]
        assert rig.value("SELECT COUNT(*) FROM notifications WHERE order_id IN (%s, %s)", *orders[1:]) == 2
        said = rig.stack.ctl.run("status").stderr
        assert f"recaudoctl order show id:{orders[0]}, which waits longest" in said
    rig.pass_once()
    assert rig.value("SELECT state FROM orders WHERE id = %s", orders[0]) == "APROBADA"


def test_top_up_that_is_refused_keeps_no_other_top_up(rig: DispatchRig) -> None:
    """It is named, and credited when it is mended."""
    refused, other = due_top_up(rig, "5553"), due_top_up(rig, "5554")
    with rig.refusing("INSERT", "account_ledger", f"NEW.account_id = {refused}"):
        result = rig.run_once()
    number = rig.value("SELECT id FROM transactions WHERE account_id = %s", refused)
    assert result.returncode == 1 and f"the top-up of transaction {number} cannot be credited" in result.stderr
    assert [rig.value("SELECT balance FROM accounts WHERE id = %s", account) for account in (refused, other)] == [0, 5]
    rig.pass_once()
    assert rig.value("SELECT balance FROM accounts WHERE id = %s", refused) == 5


def test_top_up_that_is_refused_keeps_nothing_else(rig: DispatchRig) -> None:
    """As after a repair by hand that forgot what the account has reserved: orders expire, and the exit status says it."""
    merchant = rig.merchant(None)
    account = due_top_up(rig, "5551")
    rig.write("UPDATE accounts SET reserved = 0 WHERE id = %s", account)
    (order,) = rig.orders(merchant, state="PENDIENTE", due_at=rig.now())
    try:
        assert rig.run_once().returncode == 1
        assert rig.value("SELECT state FROM orders WHERE id = %s", order) == "VENCIDA"
        assert rig.value("SELECT state FROM transactions WHERE account_id = %s", account) == "CONFIRMADA"
    finally:
        rig.write("UPDATE accounts SET reserved = 5 WHERE id = %s", account)
    rig.pass_once()
    assert rig.value("SELECT balance FROM accounts WHERE id = %s", account) == 5
