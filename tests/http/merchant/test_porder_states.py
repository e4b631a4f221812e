"""What may be done with an order in each state, by the clock: PATCH, DELETE and POST .../refund."""

from decimal import Decimal
from typing import Any, Callable

import pytest

from checked import CheckedMerchant, CheckedNetwork, expect
from scenes import CLOSINGS
from tests.stack import Reply
from world import MERCHANT, Order, World

ACTOR = f"merchant:{MERCHANT}"


def number_of(world: World, order: Order) -> str:
    return str(world.order_row(order)["po_id"])


def last_event(world: World, order: Order) -> dict[str, Any]:
    return world.rows("SELECT what, from_state, to_state, actor, reason FROM events WHERE subject = 'order'"
                      " AND subject_id = %s ORDER BY id DESC LIMIT 1", order.id)[0]


def change(world: World, merchant: CheckedMerchant, number: str) -> Reply:
    return merchant.patch(merchant.porder(number, world.day(), "46000"))


def delete(world: World, merchant: CheckedMerchant, number: str) -> Reply:
    return merchant.delete(number)


def refund(world: World, merchant: CheckedMerchant, number: str) -> Reply:
    return merchant.refund(number, "45000")


ACTS: dict[str, Callable[[World, CheckedMerchant, str], Reply]] = {
    "change": change, "delete": delete, "refund": refund}


@pytest.mark.parametrize("act", ["change", "delete"])
@pytest.mark.parametrize("closing", CLOSINGS)
def test_only_what_is_pending(world: World, merchant: CheckedMerchant, network: CheckedNetwork, closing: str,
                              act: str) -> None:
    order = world.order()
    CLOSINGS[closing][0](world, network, order)
    expect(ACTS[act](world, merchant, number_of(world, order)), "0041")  # writes an approval that is due, and nothing else
    with world.nothing_written():
        expect(ACTS[act](world, merchant, number_of(world, order)), "0041")


@pytest.mark.parametrize("closing", [*CLOSINGS, "pending"])
def test_only_what_is_paid_is_refunded(world: World, merchant: CheckedMerchant, network: CheckedNetwork,
                                       closing: str) -> None:
    """Also where the dispatcher has not passed: the approval is written first."""
    order = world.order()
    if closing in CLOSINGS:
        CLOSINGS[closing][0](world, network, order)
    code = "0000" if closing in ("paid", "paid, dispatcher still to come") else "0041"
    number = number_of(world, order)
    if code == "0000":
        expect(refund(world, merchant, number), code)
        code = "0041"
    with world.nothing_written():
        expect(refund(world, merchant, number), code)


@pytest.mark.parametrize("act", ACTS)
def test_unknown_order(world: World, merchant: CheckedMerchant, act: str) -> None:
    with world.nothing_written():
        expect(ACTS[act](world, merchant, world.fresh("none")), "0041")


def test_refund_before_the_dispatcher(world: World, merchant: CheckedMerchant, network: CheckedNetwork) -> None:
    """The approval is written, with its notification, and then the refund, which has none."""
    order = world.order()
    transaction = world.confirm(network, order)
    world.close_window(transaction)
    expect(merchant.refund(number_of(world, order), "44999"), "0021")
    assert world.order_row(order)["state"] == "APROBADA"
    expect(refund(world, merchant, number_of(world, order)), "0000")
    assert world.transaction(transaction)["state"] == "FINALIZADA"
    states = world.rows("SELECT to_state, actor FROM events WHERE subject = 'order' AND subject_id = %s"
                        " AND what = 'state' ORDER BY id", order.id)
    assert states == [{"to_state": "APROBADA", "actor": ACTOR}, {"to_state": "ANULADA", "actor": ACTOR}]
    world.dispatch()
    assert [told["status"] for told in world.notifications(order)] == ["approved"]


def test_escapes_in_the_path_hide_no_merchant(world: World, merchant: CheckedMerchant, network: CheckedNetwork) -> None:
    order = world.order()
    world.close_window(world.confirm(network, order))
    path = merchant.query_path(number_of(world, order)).replace("porders", "%70orders")
    expect(merchant.request("GET", path), "0000")
    assert last_event(world, order)["actor"] == ACTOR
    refusal = expect(merchant.request("GET", path + "x"), "0025")
    assert refusal.json["DESC"] == refusal.json["TEXT"]


def test_delete(world: World, merchant: CheckedMerchant, network: CheckedNetwork) -> None:
    order = world.order("45000.5")
    number = number_of(world, order)
    reply = expect(merchant.delete(number), "0000")
    assert reply.data == {"OrderID": number, "Amount": "45000.5", "PVOrderID": str(order.id),
                          "Reference": order.reference, "Operation": "DELETED"}
    assert last_event(world, order) == {"what": "state", "from_state": "PENDIENTE", "to_state": "CANCELADA",
                                        "actor": ACTOR, "reason": None}
    world.dispatch()
    assert world.notifications(order) == []
    expect(network.lookup(order.reference), "0104")


def test_delete_ends_registrations(world: World, merchant: CheckedMerchant, network: CheckedNetwork) -> None:
    """A registration holds nothing."""
    order = world.order()
    transaction = world.register(network, order)
    expect(merchant.delete(number_of(world, order)), "0000")
    expect(network.confirm(transaction), "0104")


def test_delete_after_a_cancelled_payment(world: World, merchant: CheckedMerchant, network: CheckedNetwork) -> None:
    order = world.order()
    transaction = world.confirm(network, order)
    expect(merchant.delete(number_of(world, order)), "0041")
    expect(network.confirm(transaction, False), "0000")
    expect(merchant.delete(number_of(world, order)), "0000")


def test_refund(world: World, merchant: CheckedMerchant, network: CheckedNetwork) -> None:
    order = world.order()
    world.pay(network, order)
    number = number_of(world, order)
    told = world.notifications(order)
    reply = expect(merchant.refund(number, "45000.00", reason="talla equivocada"), "0000")
    assert reply.data == {"OrderID": number, "Amount": "45000.0", "PVOrderID": str(order.id),
                          "Reference": order.reference, "Operation": "REFUNDED"}
    assert last_event(world, order) == {"what": "state", "from_state": "APROBADA", "to_state": "ANULADA",
                                        "actor": ACTOR, "reason": "talla equivocada"}
    world.dispatch()
    assert world.notifications(order) == told
    expect(network.lookup(order.reference), "0105")


@pytest.mark.parametrize("amount", ["44999.99", "45000.01", "0", "1"])
def test_refund_is_of_the_whole_amount(world: World, merchant: CheckedMerchant, network: CheckedNetwork,
                                       amount: str) -> None:
    order = world.order()
    world.pay(network, order)
    with world.nothing_written():
        expect(merchant.refund(number_of(world, order), amount), "0021")


def test_refund_of_an_open_amount(world: World, merchant: CheckedMerchant, network: CheckedNetwork) -> None:
    """What the customer chose to pay."""
    order = world.order("0")
    world.pay(network, order, "1234.56")
    expect(merchant.refund(number_of(world, order), "0"), "0021")
    assert expect(merchant.refund(number_of(world, order), "1234.56"), "0000").data["Amount"] == "1234.56"


def test_refund_names_one_order(world: World, merchant: CheckedMerchant, network: CheckedNetwork) -> None:
    order, other = world.order(), world.order()
    world.pay(network, order)
    with world.nothing_written():
        expect(merchant.refund(number_of(world, order), "45000", order=number_of(world, other)), "0011", "order")
        expect(merchant.refund(number_of(world, order), "45000", reason="x" * 251), "0011", "reason")


def test_change(world: World, merchant: CheckedMerchant, network: CheckedNetwork) -> None:
    number, reference = world.fresh("po"), world.fresh_number()
    expect(merchant.post(merchant.porder(number, world.day(), user_name="Ana", method="efectivo")), "0000")
    row = world.porder_row(number)
    reply = expect(merchant.patch(merchant.porder(number, world.day(9), "46000.25", reference=reference,
                                                  email="eva@example.com", description="Botas", language="en")), "0000")
    assert reply.data == {"Monto": "46000.25", "Operacion": "ACTUALIZADO", "OrdenID": number,
                          "PVordenID": str(row["id"]), "Referencia": reference,
                          "checkout": f"localhost/pay?token={row['token']}"}
    changed = world.porder_row(number)
    expected = {"amount": Decimal("46000.25"), "reference": reference, "email": "eva@example.com",
                "description": "Botas", "language": "en", "customer_name": "Ana", "payment_means": "efectivo",
                "version": 2, "token": row["token"], "changed_by": ACTOR}
    assert {name: changed[name] for name in expected} == expected
    assert changed["due_at"].strftime("%d/%m/%Y") == world.day(10)
    assert last_event(world, Order(row["id"], reference))["what"] == "changed"
    expect(network.lookup(row["reference"]), "0101")
    assert expect(network.lookup(reference), "0000").data["AMOUNT"] == 46000.25


def test_change_keeps_what_is_not_said(world: World, merchant: CheckedMerchant) -> None:
    number = world.fresh("po")
    fields = merchant.porder(number, world.day(), reference=world.fresh_number(), user_di="1", user_type_di="CC",
                             user_name="Ana", method="efectivo", language="en", iva="19")
    expect(merchant.post(fields), "0000")
    before = world.porder_row(number)
    expect(merchant.patch({**fields, "reference": None, "user_di": None, "user_type_di": "", "user_name": None,
                           "method": "", "language": None, "iva": ""}), "0000")
    after = world.porder_row(number)
    assert {name for name in after if after[name] != before[name]} == {"version", "changed_at"}


@pytest.mark.parametrize("ahead, code", [(-1, "0032"), (0, "0000"), (31, "0000"), (33, "0032")])
def test_change_of_the_due_date(world: World, merchant: CheckedMerchant, ahead: int, code: str) -> None:
    number = world.fresh("po")
    expect(merchant.post(merchant.porder(number, world.day())), "0000")
    while True:
        day = world.day(ahead)
        reply = merchant.patch(merchant.porder(number, day))
        if world.day(ahead) == day:
            break
    expect(reply, code)


def test_change_never_changes_the_currency(world: World, merchant: CheckedMerchant) -> None:
    number = world.fresh("po")
    expect(merchant.post(merchant.porder(number, world.day())), "0000")
    with world.nothing_written():
        reply = merchant.patch(merchant.porder(number, world.day(), country="345", money="USD"))
    expect(reply, "0023")
    assert "money must be COP: an order keeps its currency" in reply.text


def test_change_to_a_taken_reference(world: World, merchant: CheckedMerchant) -> None:
    number, other, document = world.fresh("po"), world.order(), world.account()
    expect(merchant.post(merchant.porder(number, world.day())), "0000")
    with world.nothing_written():
        expect(merchant.patch(merchant.porder(number, world.day(), reference=other.reference)), "0043")
        expect(merchant.patch(merchant.porder(number, world.day(), reference=document)), "0043")


def test_change_to_its_own_reference(world: World, merchant: CheckedMerchant) -> None:
    number, reference = world.fresh("po"), world.fresh_number()
    expect(merchant.post(merchant.porder(number, world.day(), reference=reference)), "0000")
    expect(merchant.patch(merchant.porder(number, world.day(), reference=reference)), "0000")


def test_changed_amount_refuses_earlier_registrations(world: World, merchant: CheckedMerchant,
                                                      network: CheckedNetwork) -> None:
    order = world.order()
    transaction = world.register(network, order)
    expect(merchant.patch(merchant.porder(number_of(world, order), world.day(), "46000")), "0000")
    assert expect(network.confirm(transaction), "0021").json["TEXT"] == "amount not valid: amount must be 46000.00"


def test_changed_limits_refuse_earlier_registrations(world: World, merchant: CheckedMerchant, network: CheckedNetwork) -> None:
    """They come with answers of a merchant who is asked, and by import; here the row is changed."""
    order = world.order(amount="0", min_amount="10", max_amount="90")
    transaction = world.register(network, order, "80")
    world.write("UPDATE orders SET max_amount = 70 WHERE id = %s", order.id)
    assert expect(network.confirm(transaction), "0021").json["TEXT"] == "amount not valid: amount must be from 10.00 to 70.00"


def test_imported_orders_are_the_merchants_too(world: World, merchant: CheckedMerchant) -> None:
    order = world.order(origin="imported")
    assert expect(merchant.consult(number_of(world, order)), "0000").data["checkout"].startswith("localhost/pay?token=")
    expect(change(world, merchant, number_of(world, order)), "0000")
    expect(merchant.delete(number_of(world, order)), "0000")
