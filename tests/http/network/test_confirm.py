"""PATCH /v1/transactions/: confirm true and false in every state of a transaction and of its order."""

from typing import Any

import pytest

from checked import CheckedNetwork, expect
from fields import ABSENT, CONTROL, NOT_TEXT, with_field
from scenes import CLOSINGS, Change
from world import COMMERCE, SERVICE_NAME, World

pytestmark = pytest.mark.web


def register_target(world: World, network: CheckedNetwork, target: str) -> str:
    """Registers a payment of a new order or account."""
    transaction = world.fresh()
    reference, commerce = ((world.order().reference, COMMERCE) if target == "order"
                           else (world.account(), SERVICE_NAME))
    expect(network.register(reference, "45000", transaction, commerce), "0000")
    return transaction


TARGETS = pytest.mark.parametrize("target", ["order", "account"])


@TARGETS
def test_true(world: World, network: CheckedNetwork, target: str) -> None:
    transaction = register_target(world, network, target)
    reply = expect(network.confirm(transaction), "0000")
    assert reply.data == {"IDTRANSACTION": transaction, "CONFIRM": True}
    row = world.transaction(transaction)
    assert (row["state"], row["cancelled_at"], row["finalised_at"]) == ("CONFIRMADA", None, None)


def test_true_holds_the_order_and_leaves_it_pending(world: World, network: CheckedNetwork) -> None:
    order = world.order()
    row = world.transaction(world.confirm(network, order))
    held = world.order_row(order)
    assert (held["state"], held["held_by"], held["held_until"], held["paid_by"]) == (
        "PENDIENTE", row["id"], row["window_ends_at"], None)
    assert world.notifications(order) == []


@TARGETS
def test_true_again_moves_nothing(world: World, network: CheckedNetwork, target: str) -> None:
    transaction = register_target(world, network, target)
    text = expect(network.confirm(transaction), "0000").text
    row = world.transaction(transaction)
    with world.nothing_written():
        assert network.confirm(transaction).text == text
    assert world.transaction(transaction) == row


@TARGETS
def test_false_on_registered(world: World, network: CheckedNetwork, target: str) -> None:
    transaction = register_target(world, network, target)
    reply = expect(network.confirm(transaction, False), "0000")
    assert reply.data == {"IDTRANSACTION": transaction, "CONFIRM": False}
    row = world.transaction(transaction)
    assert (row["state"], row["confirmed_at"], row["window_ends_at"]) == ("CANCELADA", None, None)
    assert row["cancelled_at"] is not None


@TARGETS
def test_false_in_the_window(world: World, network: CheckedNetwork, target: str) -> None:
    transaction = register_target(world, network, target)
    expect(network.confirm(transaction), "0000")
    world.keep_window_open(transaction)
    reply = expect(network.confirm(transaction, False), "0000")
    assert reply.data == {"IDTRANSACTION": transaction, "CONFIRM": False}
    assert world.transaction(transaction)["state"] == "CANCELADA"


@TARGETS
@pytest.mark.parametrize("confirmed_before", [True, False])
def test_false_again_moves_nothing(world: World, network: CheckedNetwork, target: str, confirmed_before: bool) -> None:
    transaction = register_target(world, network, target)
    if confirmed_before:
        expect(network.confirm(transaction), "0000")
    text = expect(network.confirm(transaction, False), "0000").text
    row = world.transaction(transaction)
    with world.nothing_written():
        assert network.confirm(transaction, False).text == text
    assert world.transaction(transaction) == row


@TARGETS
@pytest.mark.parametrize("confirmed_before", [True, False])
def test_true_after_false(world: World, network: CheckedNetwork, target: str, confirmed_before: bool) -> None:
    transaction = register_target(world, network, target)
    if confirmed_before:
        expect(network.confirm(transaction), "0000")
    expect(network.confirm(transaction, False), "0000")
    with world.nothing_written():
        expect(network.confirm(transaction), "0014")


@TARGETS
@pytest.mark.parametrize("dispatched", [True, False])
def test_after_the_window(world: World, network: CheckedNetwork, target: str, dispatched: bool) -> None:
    """A `false` first writes that the payment is final; a `true` has nothing to write."""
    transaction = register_target(world, network, target)
    text = expect(network.confirm(transaction), "0000").text
    world.close_window(transaction)
    if dispatched:
        world.dispatch()
    row = world.transaction(transaction)
    assert row["state"] == ("FINALIZADA" if dispatched else "CONFIRMADA")
    with world.nothing_written():
        assert network.confirm(transaction).text == text
    expect(network.confirm(transaction, False), "0015")
    final = world.transaction(transaction)
    assert final["state"] == "FINALIZADA"
    assert final == row or not dispatched
    with world.nothing_written():
        expect(network.confirm(transaction, False), "0015")
        assert network.confirm(transaction).text == text


def test_false_frees_the_order_for_another_network(world: World, network: CheckedNetwork,
                                                   other: CheckedNetwork) -> None:
    order = world.order()
    transaction = world.confirm(network, order)
    world.keep_window_open(transaction)
    expect(other.lookup(order.reference), "0106")
    expect(network.confirm(transaction, False), "0000")
    freed = world.order_row(order)
    assert (freed["state"], freed["held_by"], freed["held_until"]) == ("PENDIENTE", None, None)
    expect(other.lookup(order.reference), "0000")
    world.pay(other, order)


def test_false_of_one_does_not_free_what_another_holds(world: World, network: CheckedNetwork,
                                                       other: CheckedNetwork) -> None:
    order = world.order()
    early = world.register(network, order)
    world.keep_window_open(world.confirm(other, order), other.name)
    held = world.order_row(order)
    expect(network.confirm(early, False), "0000")
    assert world.order_row(order) == held


def test_second_payment_by_the_same_network(world: World, network: CheckedNetwork) -> None:
    order = world.order()
    second = world.register(network, order)
    world.keep_window_open(world.confirm(network, order))
    with world.nothing_written():
        expect(network.confirm(second), "0106")


@pytest.mark.parametrize("change, code", CLOSINGS.values(), ids=CLOSINGS.keys())
def test_order_that_was_closed_since(world: World, network: CheckedNetwork, other: CheckedNetwork, change: Change,
                                     code: str) -> None:
    order = world.order()
    transaction = world.register(network, order)
    change(world, other, order)
    expect(network.confirm(transaction), code)  # writes an approval that is due
    with world.nothing_written():
        expect(network.confirm(transaction), code)
    assert world.transaction(transaction)["state"] == "REGISTRADA"
    expect(network.confirm(transaction, False), "0000")
    assert world.transaction(transaction)["state"] == "CANCELADA"


@pytest.mark.parametrize("column, value, code", [("amount", "45000.01", "0021"), ("currency", "CRC", "0023")])
def test_order_that_was_changed_since(world: World, network: CheckedNetwork, column: str, value: str,
                                      code: str) -> None:
    order = world.order()
    transaction = world.register(network, order)
    world.write(f"UPDATE orders SET {column} = %s WHERE id = %s", value, order.id)
    with world.nothing_written():
        expect(network.confirm(transaction), code)
    assert world.transaction(transaction)["state"] == "REGISTRADA"


@pytest.mark.parametrize("confirm", [True, False])
def test_no_such_transaction(world: World, network: CheckedNetwork, other: CheckedNetwork, confirm: bool) -> None:
    transaction = world.register(network, world.order())
    row = world.transaction(transaction)
    with world.nothing_written():
        expect(network.confirm(world.fresh(), confirm), "0013")
        expect(other.confirm(transaction, confirm), "0013")
        expect(network.confirm(transaction.upper(), confirm), "0013")
        expect(network.confirm(transaction + " ", confirm), "0013")
    assert world.transaction(transaction) == row


def test_top_ups_hold_nothing(world: World, network: CheckedNetwork, other: CheckedNetwork) -> None:
    document = world.account()
    for payer in (network, other, network):
        transaction = world.fresh()
        expect(payer.register(document, "100", transaction, SERVICE_NAME), "0000")
        expect(payer.confirm(transaction), "0000")
        expect(other.lookup(document), "0000")


# The fields of the request.

@pytest.fixture
def confirmation(world: World, network: CheckedNetwork) -> dict[str, str]:
    return network.confirmation(world.register(network, world.order()))


@pytest.mark.parametrize("value, kept", [("true", True), ("false", False), (True, True), (False, False)])
def test_ways_to_say_it(world: World, network: CheckedNetwork, confirmation: dict[str, str], value: Any,
                        kept: bool) -> None:
    reply = expect(network.patch(with_field(confirmation, "confirm", value)), "0000")
    assert reply.data["CONFIRM"] is kept
    assert world.transaction(confirmation["transaction"])["state"] == ("CONFIRMADA" if kept else "CANCELADA")


@pytest.mark.parametrize("value", ["", "TRUE", "True", "False", "1", "0", "yes", "si", " true", "true ", "true\t",
                                   "truefalse", "null",
                                   "falsE", "t", None, 0, 1, 1.0, [], [True], {}, {"true": True}], ids=repr)
def test_other_values(world: World, network: CheckedNetwork, confirmation: dict[str, str], value: Any) -> None:
    with world.nothing_written():
        expect(network.patch(with_field(confirmation, "confirm", value)), "0011", "confirm")


@pytest.mark.parametrize("field", ["name", "transaction", "confirm", "checksum"])
def test_missing(world: World, network: CheckedNetwork, confirmation: dict[str, str], field: str) -> None:
    with world.nothing_written():
        expect(network.patch(with_field(confirmation, field, ABSENT)), "0011", field, "missing")


@pytest.mark.parametrize("field", ["name", "transaction", "checksum"])
@pytest.mark.parametrize("value", NOT_TEXT, ids=repr)
def test_not_a_string(world: World, network: CheckedNetwork, confirmation: dict[str, str], field: str,
                      value: Any) -> None:
    with world.nothing_written():
        expect(network.patch(with_field(confirmation, field, value)), "0011", field)


@pytest.mark.parametrize("field, value, code", [
    ("name", "", "0011"), ("name", "ñ" * 41, "0011"), ("name", "nobody", "0025"), ("transaction", "", "0010"),
    ("transaction", "ñ" * 65, "0010"), ("checksum", "", "0025"), ("checksum", "0" * 128, "0025"),
    ("checksum", "0" * 127, "0025"),
    *[("transaction", "x" + character, "0010") for character in CONTROL],
    *[("name", "x" + character, "0011") for character in CONTROL]])
def test_malformed(world: World, network: CheckedNetwork, confirmation: dict[str, str], field: str, value: str,
                   code: str) -> None:
    with world.nothing_written():
        expect(network.patch(with_field(confirmation, field, value)), code)


def test_checksum_covers_the_transaction(world: World, network: CheckedNetwork, other: CheckedNetwork,
                                         confirmation: dict[str, str]) -> None:
    victim = world.register(network, world.order())
    with world.nothing_written():
        expect(network.patch({**confirmation, "transaction": victim}), "0025")
        expect(network.patch({**confirmation, "name": other.name}), "0025")


def test_digest_in_upper_case(network: CheckedNetwork, confirmation: dict[str, str]) -> None:
    expect(network.patch({**confirmation, "checksum": confirmation["checksum"].upper()}), "0000")


def test_unknown_keys_are_ignored(network: CheckedNetwork, confirmation: dict[str, str]) -> None:
    expect(network.patch({"amount": 1, "Confirm": "false", **confirmation, "x": []}), "0000")
