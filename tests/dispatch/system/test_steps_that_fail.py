"""A step that the database refuses for a lasting reason: it is said, all others are done, and the next pass goes on."""

import re
from contextlib import contextmanager
from typing import Iterator

import pytest

from tests.stack import wait_until
from tests.stack.dispatch_rig import DispatchRig, Merchant
from tests.stack.merchant_stub import MerchantStub, hold, ok

WORKED, LEFT_UNDONE = 0, 1


@contextmanager
def without(rig: DispatchRig, table: str) -> Iterator[None]:
    rig.write(f"RENAME TABLE {table} TO {table}_away")
    try:
        yield
    finally:
        rig.write(f"RENAME TABLE {table}_away TO {table}")


# In the order of a pass: settlements, top-ups without room, limits, counts, what is kept too long, seals.
BESIDE = [("settlements", "closing_collect"), ("accounts", "without_room"), ("network_limits", "money_limit_warn"),
          ("payment_counts", "payment_count"), ("retention", "retention_find"), ("seals", "seal_")]


# The first step and the last one leave rows in these tables.
LEAVES = {"settlements": "settlement_items", "seals": "seals"}

SEALED_AT_ONCE = ("INSERT INTO event_log (at, subject, subject_id, what, actor, db_account, reason)"
                  " VALUES ('2026-01-01', 'setting', 1, 'test', 'test', 'test', '')")


@pytest.mark.parametrize("table, statement", BESIDE)
def test_what_is_done_beside_settling(rig: DispatchRig, stub: MerchantStub, table: str, statement: str) -> None:
    """Payments come first; of what comes beside them, only the step that fails waits for the next pass."""
    rig.write(SEALED_AT_ONCE)
    rig.confirmed_orders(rig.merchant(stub.on("n", ok)), 1, rig.now())
    with without(rig, table):
        result = rig.run_once()
        assert result.returncode == LEFT_UNDONE and re.search(rf"statement \w*{statement}\w* failed: ", result.stderr)
        assert rig.value("SELECT state FROM orders") == "APROBADA"
        assert all(rig.value(f"SELECT COUNT(*) FROM {left}") > 0 for step, left in LEAVES.items() if step != table)
    assert " failed: " not in rig.pass_once().stderr
    assert rig.value("SELECT COUNT(*) FROM settlement_items") == 1


def test_an_order_that_cannot_expire(rig: DispatchRig, stub: MerchantStub) -> None:
    """A trigger of the operator's own, say. What comes beside settling is done nevertheless."""
    rig.write(SEALED_AT_ONCE)
    merchant = rig.merchant(stub.on("n", ok))
    rig.confirmed_orders(merchant, 1, rig.now())
    rig.orders(merchant, state="PENDIENTE", due_at=rig.now())
    with rig.refusing("UPDATE", "orders", "NEW.state = 'VENCIDA'"):
        result = rig.run_once()
    assert result.returncode == LEFT_UNDONE and "expiry_write failed: refused" in result.stderr
    assert all(rig.value(f"SELECT COUNT(*) FROM {left}") > 0 for left in LEAVES.values())


def test_an_order_that_cannot_expire_keeps_no_other(rig: DispatchRig) -> None:
    """It is the oldest; those of its batch expire, it is named, and it expires when it is mended."""
    orders = rig.orders(rig.merchant(None), 3, state="PENDIENTE", due_at=rig.now())
    rig.write("UPDATE orders SET due_at = due_at - INTERVAL 1 HOUR WHERE id = %s", orders[0])
    with rig.refusing("UPDATE", "orders", f"NEW.id = {orders[0]}"):
        result = rig.run_once()
    assert result.returncode == LEFT_UNDONE and f"order {orders[0]} cannot be written as expired" in result.stderr
    assert [rig.value("SELECT state FROM orders WHERE id = %s", order) for order in orders] == ["PENDIENTE", "VENCIDA", "VENCIDA"]
    assert rig.value("SELECT COUNT(*) FROM notifications WHERE order_id IN (%s, %s)", *orders[1:]) == 2
    rig.pass_once()
    assert rig.value("SELECT state FROM orders WHERE id = %s", orders[0]) == "VENCIDA"


def test_however_many_orders_cannot_expire(rig: DispatchRig) -> None:
    """More than are written in one step; the youngest one expires nevertheless, and the log is not flooded."""
    orders = rig.orders(rig.merchant(None), 201, state="PENDIENTE", due_at=rig.now())
    with rig.refusing("UPDATE", "orders", f"NEW.id < {orders[-1]}"):
        result = rig.run_once()
    assert result.returncode == LEFT_UNDONE and result.stderr.count(" cannot be written as expired") == 20
    assert "180 more orders cannot be written" in result.stderr
    assert [row["id"] for row in rig.rows("SELECT id FROM orders WHERE state = 'VENCIDA'")] == orders[-1:]


@pytest.mark.parametrize("table", ["endpoint_tests", "endpoints"])
def test_what_delivering_needs(rig: DispatchRig, stub: MerchantStub, table: str) -> None:
    """Nothing is lost, and nothing sent twice, whichever pass it is that sends."""
    rig.notify(rig.merchant(stub.on("n", ok)))
    with without(rig, table):
        result = rig.run_once()
        assert result.returncode == LEFT_UNDONE and f".{table}' doesn't exist" in result.stderr
    rig.make_due()
    rig.pass_once()
    assert rig.count("delivered") == 1 and len(stub.requests) == 1


def ask_for_test(rig: DispatchRig, merchant: Merchant) -> None:
    """As the console does, once more if there was one before."""
    rig.write("REPLACE INTO endpoint_tests (merchant_id, asked_at, asked_by, currency)"
              " VALUES (%s, UTC_TIMESTAMP(6), 'test', 'COP')", merchant.id)


def reason_of_test(rig: DispatchRig) -> str | None:
    return rig.value("SELECT reason FROM endpoint_tests")


@pytest.fixture
def no_tests(rig: DispatchRig) -> Iterator[None]:
    yield
    rig.write("DELETE FROM endpoint_tests")


@pytest.mark.usefixtures("no_tests")
def test_endpoint_test_with_a_secret_that_does_not_open(rig: DispatchRig, stub: MerchantStub) -> None:
    """Nothing is sent that nobody has signed."""
    merchant = rig.merchant(stub.on("n", ok))
    rig.write("UPDATE merchants SET notification_hash = REPEAT('x', 60) WHERE id = %s", merchant.id)
    ask_for_test(rig, merchant)
    with rig.dispatcher():
        wait_until(lambda: reason_of_test(rig) == "secret", "the outcome")
    assert stub.requests == []


@pytest.mark.usefixtures("no_tests")
def test_endpoint_test_that_is_asked_for_again(rig: DispatchRig, stub: MerchantStub) -> None:
    """The outcome of the one before belongs to nothing any more; the new one is made."""
    merchant = rig.merchant(stub.on("n", hold))
    ask_for_test(rig, merchant)
    with rig.dispatcher() as dispatcher:
        stub.await_requests(1)
        ask_for_test(rig, merchant)
        stub.await_requests(2)
        stub.release(200, b"OK")
        wait_until(lambda: reason_of_test(rig) is not None, "the outcome")
        assert len(stub.requests) == 2
        assert dispatcher.stop() == WORKED


@pytest.mark.usefixtures("no_tests")
def test_endpoint_test_whose_outcome_cannot_be_recorded(rig: DispatchRig, stub: MerchantStub) -> None:
    """It is recorded later, and not made anew."""
    merchant = rig.merchant(stub.on("n", hold))
    ask_for_test(rig, merchant)
    with rig.dispatcher() as dispatcher:
        stub.await_requests(1)
        with without(rig, "endpoint_tests"):
            stub.release(500, b"")
            wait_until(lambda: "endpoint_test_record failed" in dispatcher.log_text(), "the refusal")
        wait_until(lambda: reason_of_test(rig) is not None, "the outcome")
    assert len(stub.requests) == 1
