"""GET /v1/orders/{reference}: what a network is told about a reference."""

from decimal import Decimal

import pytest

from checked import CheckedNetwork, amount_text, exact, expect
from scenes import CLOSINGS, Change
from world import COMMERCE, OTHER_NETWORK, SERVICE_NAME, World

pytestmark = pytest.mark.web

FULL_DIGITS = "999999999999999.99"


def test_order(world: World, network: CheckedNetwork) -> None:
    order = world.order("45000", description="Zapatos #42, niño", document="1020304050", document_type="CC",
                        customer_name="Luz")
    reply = expect(network.lookup(order.reference), "0000")
    assert reply.data == {"LASTNAME1": "", "LASTNAME2": "", "AMOUNT": 45000, "DESCRIPTION": "Zapatos #42, niño",
                          "DI": "1020304050", "COMMERCE": COMMERCE, "REFERENCE": order.reference, "TYPEDI": "CC",
                          "NAME": ""}


def test_order_without_customer(world: World, network: CheckedNetwork) -> None:
    data = network.lookup(world.order().reference).data
    assert (data["DESCRIPTION"], data["DI"], data["TYPEDI"]) == ("", "", "")


def test_top_up(world: World, network: CheckedNetwork) -> None:
    document = world.account(name="Ana María", lastname1="Núñez", lastname2="O'Brien", document_type="CE")
    reply = expect(network.lookup(document), "0000")
    assert reply.data == {"LASTNAME1": "Núñez", "LASTNAME2": "O'Brien", "AMOUNT": 0, "DESCRIPTION": "",
                          "DI": document, "COMMERCE": SERVICE_NAME, "REFERENCE": document, "TYPEDI": "CE",
                          "NAME": "Ana María"}


def test_top_up_by_a_document_with_letters(world: World, network: CheckedNetwork) -> None:
    document = world.account(document="PA-" + world.fresh_number() + "x")
    assert expect(network.lookup(document), "0000").data["DI"] == document
    expect(network.lookup(document.lower()), "0101")
    expect(network.lookup(document.upper()), "0101")


@pytest.mark.parametrize("stored, currency, printed", [
    ("45000", "COP", "45000.00"), ("45000.5", "COP", "45000.50"), ("0.01", "COP", "0.01"), ("0", "COP", "0.00"),
    ("1234567.89", "USD", "1234567.89"), ("0.1", "PEN", "0.10"), ("1.10", "CRC", "1.10"),
    (FULL_DIGITS, "COP", FULL_DIGITS), ("100000000000000.01", "COP", "100000000000000.01"),
    ("70368744177664.07", "COP", "70368744177664.07")])
def test_amount_is_exact(world: World, network: CheckedNetwork, stored: str, currency: str, printed: str) -> None:
    order = world.order(stored, currency=currency)
    reply = network.lookup(order.reference)
    assert amount_text(reply) == printed
    assert exact(reply)["DATA"]["AMOUNT"] == Decimal(stored)


@pytest.mark.parametrize("change, code", CLOSINGS.values(), ids=CLOSINGS.keys())
def test_order_that_cannot_be_paid(world: World, network: CheckedNetwork, other: CheckedNetwork, change: Change,
                                   code: str) -> None:
    order = world.order()
    expect(network.lookup(order.reference), "0000")
    change(world, other, order)
    expect(network.lookup(order.reference), code)


def test_holder_gets_the_same_refusal(world: World, network: CheckedNetwork) -> None:
    order = world.order()
    world.keep_window_open(world.confirm(network, order))
    expect(network.lookup(order.reference), "0106")


@pytest.mark.parametrize("reference", ["1", "0", "9" * 25, "0" * 25])
def test_unknown_reference(network: CheckedNetwork, reference: str) -> None:
    expect(network.lookup(reference), "0101")


def test_references_are_text(world: World, network: CheckedNetwork) -> None:
    number = world.fresh_number()
    world.order("1000", reference=number)
    world.order("2000", reference="00" + number)
    assert network.lookup(number).data["AMOUNT"] == 1000
    assert network.lookup("00" + number).data["AMOUNT"] == 2000
    expect(network.lookup("0" + number), "0101")


@pytest.mark.parametrize("reference", [
    "1" * 26, "1;2", "1'", "1' OR '1'='1", "1 2", " 1", "1 ", "1.5", "1,5", "+1", "ñ", "１２３", "1_2", "*", "%25",
    "1\t", "1\n", "1\x7f", "1\r\nX-Injected: yes"])
def test_malformed_reference(network: CheckedNetwork, reference: str) -> None:
    expect(network.lookup(reference), "0011", "reference")


# An order that is PENDIENTE in the table keeps its reference from accounts.
WRITTEN_CLOSINGS = [name for name, (_, code) in CLOSINGS.items() if code != "0106" and "still to come" not in name]


@pytest.mark.parametrize("change", [CLOSINGS[name][0] for name in WRITTEN_CLOSINGS], ids=WRITTEN_CLOSINGS)
def test_account_comes_before_a_closed_order(world: World, network: CheckedNetwork, other: CheckedNetwork,
                                             change: Change) -> None:
    merchant = world.fresh("tienda")
    world.add_merchant(merchant, COMMERCE)
    world.stack.ctl.done("reference", "keep", "0", "--merchant", merchant)
    order = world.order(merchant=merchant)
    change(world, other, order)
    world.account(name="Ana", document=order.reference)
    assert expect(network.lookup(order.reference), "0000").data["NAME"] == "Ana"


def test_open_order_comes_before_closed_ones(world: World, network: CheckedNetwork, other: CheckedNetwork) -> None:
    first = world.order()
    world.pay(other, first)
    world.order("3000", reference=first.reference)
    assert network.lookup(first.reference).data["AMOUNT"] == 3000


def test_latest_closed_order_decides(world: World, network: CheckedNetwork, other: CheckedNetwork) -> None:
    first = world.order()
    world.pay(other, first)
    second = world.order(reference=first.reference)
    world.write("UPDATE orders SET state = 'CANCELADA' WHERE id = %s", second.id)
    expect(network.lookup(first.reference), "0104")


def test_lookup_writes_nothing(world: World, network: CheckedNetwork) -> None:
    order, document = world.order(), world.account()
    with world.nothing_written():
        for reference in (order.reference, document, "1"):
            network.lookup(reference)


def test_same_answer_for_every_network(world: World, network: CheckedNetwork, other: CheckedNetwork) -> None:
    assert other.name == OTHER_NETWORK
    order = world.order()
    assert network.lookup(order.reference).text == other.lookup(order.reference).text
