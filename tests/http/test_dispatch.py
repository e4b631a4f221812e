"""What a pass of the dispatcher writes: paid orders, credited accounts, expired orders, and their notifications."""

from decimal import Decimal
from typing import Iterator

import pytest

from checked import CheckedNetwork, expect
from world import COMMERCE, MERCHANT, NETWORK, SERVICE_NAME, World

NOTIFIED = "tienda-con-url"


@pytest.fixture(scope="module", autouse=True)
def notified_merchant(world: World) -> Iterator[None]:
    """A merchant that wants to be told; an address that is not allowed, so that nothing leaves this machine."""
    world.add_merchant(NOTIFIED, COMMERCE)
    world.write("UPDATE merchants SET notify_url = 'http://127.0.0.1:1/' WHERE name = %s", NOTIFIED)
    yield
    world.write("UPDATE notifications SET state = 'exhausted', settled_at = UTC_TIMESTAMP(6) WHERE state = 'pending'")


MERCHANTS = pytest.mark.parametrize("merchant, state", [(MERCHANT, "unaddressed"), (NOTIFIED, "pending")])


@MERCHANTS
@pytest.mark.parametrize("amount_due, paid, means, told", [
    ("45000", "45000", None, NETWORK), ("45000.50", "45000.5", "EFECTIVO", "EFECTIVO"), ("0", "123.45", None, NETWORK)])
def test_paid_order(world: World, network: CheckedNetwork, merchant: str, state: str, amount_due: str, paid: str,
                    means: str | None, told: str) -> None:
    order = world.order(amount_due, merchant=merchant, payment_means=means)
    transaction = world.pay(network, order, paid)
    row, order_row = world.transaction(transaction), world.order_row(order)
    assert row["state"] == "FINALIZADA" and row["finalised_at"] >= row["window_ends_at"]
    assert (order_row["paid_by"], order_row["held_by"], order_row["held_until"]) == (row["id"], None, None)
    (notification,) = world.notifications(order)
    kept = {name: notification[name] for name in ("status", "state", "amount", "payment_means")}
    assert kept == {"status": "approved", "state": state, "amount": Decimal(paid), "payment_means": told}


@MERCHANTS
def test_expired_order(world: World, merchant: str, state: str) -> None:
    order = world.order("45000", merchant=merchant)
    world.write("UPDATE orders SET due_at = UTC_TIMESTAMP(6) WHERE id = %s", order.id)
    world.dispatch()
    assert world.order_row(order)["state"] == "VENCIDA"
    (notification,) = world.notifications(order)
    assert (notification["status"], notification["state"], notification["amount"]) == ("cancelled", state, 45000)


def test_top_up_is_credited_through_the_ledger(world: World, network: CheckedNetwork) -> None:
    document = world.account()
    amounts = [Decimal("100.25"), Decimal("0.01"), Decimal("999999999.99")]
    for amount in amounts:
        transaction = world.fresh()
        expect(network.register(document, str(amount), transaction, SERVICE_NAME), "0000")
        expect(network.confirm(transaction), "0000")
        world.close_window(transaction)
    world.dispatch()
    account = world.rows("SELECT * FROM accounts WHERE document = %s", document)[0]
    lines = world.rows("SELECT amount, balance FROM account_ledger WHERE account_id = %s ORDER BY id", account["id"])
    assert sorted(line["amount"] for line in lines) == sorted(amounts)
    assert [line["balance"] for line in lines] == [sum(line["amount"] for line in lines[:at + 1]) for at in range(3)]
    assert account["balance"] == sum(amounts)


@pytest.mark.parametrize("confirmed", [True, False])
def test_cancelled_top_up_credits_nothing(world: World, network: CheckedNetwork, confirmed: bool) -> None:
    document = world.account()
    transaction = world.fresh()
    expect(network.register(document, "100", transaction, SERVICE_NAME), "0000")
    if confirmed:
        expect(network.confirm(transaction), "0000")
    expect(network.confirm(transaction, False), "0000")
    world.dispatch()
    assert world.value("SELECT balance FROM accounts WHERE document = %s", document) == 0


def test_a_second_pass_finds_nothing(world: World, network: CheckedNetwork) -> None:
    world.pay(network, world.order())
    with world.nothing_written():
        world.dispatch()


def test_what_is_not_due_stays(world: World, network: CheckedNetwork, other: CheckedNetwork) -> None:
    waiting, held, left = world.order(), world.order(), world.order()
    transaction = world.confirm(network, held)
    world.keep_window_open(transaction)
    registered = world.register(other, left)
    world.dispatch()
    assert [world.order_row(order)["state"] for order in (waiting, held, left)] == ["PENDIENTE"] * 3
    assert world.transaction(transaction)["state"] == "CONFIRMADA"
    assert world.transaction(registered, other.name)["state"] == "REGISTRADA"


def test_passes_over_more_than_one_batch(world: World, network: CheckedNetwork) -> None:
    """More expired orders than one statement takes."""
    stem = world.fresh("batch")
    world.write("INSERT INTO orders (merchant_id, po_id, reference, amount, currency, origin, due_at, changed_by)"
                " SELECT (SELECT id FROM merchants WHERE name = %s), CONCAT(%s, '-', seq), 8000000000 + seq, 1,"
                " 'COP', 'imported',"
                " UTC_TIMESTAMP(6), 'test' FROM seq_1_to_1203", MERCHANT, stem)
    world.dispatch()
    states = world.rows("SELECT state, COUNT(*) AS orders FROM orders WHERE po_id LIKE %s GROUP BY state", stem + "-%")
    assert states == [{"state": "VENCIDA", "orders": 1203}]


def test_events_tell_the_whole_story(world: World, network: CheckedNetwork) -> None:
    order = world.order()
    transaction = world.pay(network, order)
    def story(subject: str, subject_id: int) -> list[tuple[str, str]]:
        rows = world.rows("SELECT what, to_state FROM events WHERE subject = %s AND subject_id = %s ORDER BY id",
                          subject,
                          subject_id)
        return [(row["what"], row["to_state"]) for row in rows if row["what"] != "changed"]

    assert story("order", order.id) == [("created", "PENDIENTE"), ("held", "PENDIENTE"), ("state", "APROBADA")]
    assert story("transaction", world.transaction(transaction)["id"]) == [
        ("created", "REGISTRADA"), ("state", "CONFIRMADA"), ("state", "FINALIZADA")]


