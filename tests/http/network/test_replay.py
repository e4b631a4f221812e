"""A registration is identified by network and transaction for ever: repeats, and other data under the same id."""

import json
from typing import Any, Callable

import pytest

from checked import CheckedNetwork, expect
from scenes import CLOSINGS, Change
from world import COMMERCE, SERVICE_NAME, World

Step = Callable[[World, CheckedNetwork, str], None]


def registered(world: World, network: CheckedNetwork, **others: str) -> dict[str, str]:
    fields = network.registration(world.order().reference, "45000", world.fresh(), COMMERCE, **others)
    expect(network.post(fields), "0000")
    return fields


def check_repeat(world: World, network: CheckedNetwork, fields: dict[str, str], text: str) -> None:
    """The same request again gets the same bytes and writes nothing."""
    with world.nothing_written():
        assert network.post(fields).text == text


def confirmed(world: World, network: CheckedNetwork, transaction: str) -> None:
    expect(network.confirm(transaction), "0000")


def cancelled(world: World, network: CheckedNetwork, transaction: str) -> None:
    expect(network.confirm(transaction, False), "0000")


def cancelled_in_its_window(world: World, network: CheckedNetwork, transaction: str) -> None:
    confirmed(world, network, transaction)
    cancelled(world, network, transaction)


def window_over(world: World, network: CheckedNetwork, transaction: str) -> None:
    confirmed(world, network, transaction)
    world.close_window(transaction)


def finalised(world: World, network: CheckedNetwork, transaction: str) -> None:
    window_over(world, network, transaction)
    world.dispatch()
    assert world.transaction(transaction)["state"] == "FINALIZADA"


@pytest.mark.parametrize("step", [confirmed, cancelled, cancelled_in_its_window, window_over, finalised])
@pytest.mark.parametrize("target", ["order", "account"])
def test_repeat_after_its_own_steps(world: World, network: CheckedNetwork, step: Step, target: str) -> None:
    reference, commerce = ((world.order().reference, COMMERCE) if target == "order"
                           else (world.account(), SERVICE_NAME))
    fields = network.registration(reference, "45000", world.fresh(), commerce)
    text = expect(network.post(fields), "0000").text
    check_repeat(world, network, fields, text)
    step(world, network, fields["transaction"])
    state = world.transaction(fields["transaction"])
    check_repeat(world, network, fields, text)
    assert world.transaction(fields["transaction"]) == state


@pytest.mark.parametrize("change", [change for change, _ in CLOSINGS.values()], ids=CLOSINGS.keys())
def test_repeat_after_the_order_is_closed(world: World, network: CheckedNetwork, other: CheckedNetwork,
                                          change: Change) -> None:
    order = world.order(description="before")
    fields = network.registration(order.reference, "45000", world.fresh(), COMMERCE)
    text = expect(network.post(fields), "0000").text
    change(world, other, order)
    check_repeat(world, network, fields, text)


def test_repeat_after_the_order_has_changed(world: World, network: CheckedNetwork) -> None:
    order = world.order(description="before")
    fields = network.registration(order.reference, "45000", world.fresh(), COMMERCE)
    text = expect(network.post(fields), "0000").text
    world.write("UPDATE orders SET description = 'after', amount = 1 WHERE id = %s", order.id)
    check_repeat(world, network, fields, text)


def test_repeat_after_the_reference_is_another_orders(world: World, network: CheckedNetwork,
                                                      other: CheckedNetwork) -> None:
    order = world.order()
    fields = network.registration(order.reference, "45000", world.fresh(), COMMERCE)
    text = expect(network.post(fields), "0000").text
    world.pay(other, order)
    world.order("7", reference=order.reference)
    check_repeat(world, network, fields, text)


@pytest.mark.parametrize("write", [
    lambda fields: json.dumps(dict(reversed(fields.items()))), lambda fields: json.dumps(fields, indent=3),
    lambda fields: json.dumps(fields, ensure_ascii=False), lambda fields: json.dumps({**fields, "unknown": 1}),
    lambda fields: json.dumps({**fields, "checksum": fields["checksum"].upper()})],
    ids=["other order of keys", "other white space", "no escapes", "unknown key", "digest in upper case"])
def test_repeat_written_differently(world: World, network: CheckedNetwork,
                                    write: Callable[[dict[str, str]], str]) -> None:
    fields = registered(world, network)
    with world.nothing_written():
        reply = network.request("POST", "/v1/transactions/", write(fields), {"Content-Type": "application/json"})
    expect(reply, "0000")


def test_repeat_over_another_connection(world: World, network: CheckedNetwork) -> None:
    fields = network.registration(world.order().reference, "45000", world.fresh(), COMMERCE)
    text = expect(network.post(fields), "0000").text
    for _ in range(10):
        with world.connect() as again:
            check_repeat(world, again, fields, text)


def test_repeat_with_an_equal_amount(world: World, network: CheckedNetwork) -> None:
    fields = registered(world, network)
    again = network.registration(fields["reference"], "45000.00", fields["transaction"], COMMERCE)
    with world.nothing_written():
        expect(network.post(again), "0000")


def changes(world: World) -> dict[str, str]:
    return {"reference": world.order().reference, "amount": "45001", "commerce": "another", "teller": "198.51.100.1",
            "money": "USD", "nombres": "Eva", "apellido1": "Paz", "apellido2": "Sol"}


@pytest.mark.parametrize("field", ["reference", "amount", "commerce", "teller", "money", "nombres", "apellido1",
                                   "apellido2"])
@pytest.mark.parametrize("step", [None, cancelled, confirmed])
def test_other_data_under_the_same_id(world: World, network: CheckedNetwork, field: str, step: Step | None) -> None:
    fields = registered(world, network, nombres="Ana", apellido1="Núñez", apellido2="Ríos")
    if step is not None:
        step(world, network, fields["transaction"])
    row = world.transaction(fields["transaction"])
    texts = {name: value for name, value in fields.items() if name not in ("name", "checksum")}
    named = field if field in ("reference", "amount", "money") else "commerce, teller or a name"
    changed: dict[str, Any] = {**texts, field: changes(world)[field]}
    with world.nothing_written():
        expect(network.register(**changed), "0016", f"other data: {named} differs")
    assert world.transaction(fields["transaction"]) == row
    expect(network.post(fields), "0000")


def test_a_name_more_or_less_is_other_data(world: World, network: CheckedNetwork) -> None:
    fields = registered(world, network)
    with world.nothing_written():
        expect(network.post({**fields, "nombres": "Ana"}), "0016")


def test_values_that_move_between_fields_are_other_data(world: World, network: CheckedNetwork) -> None:
    fields = registered(world, network, nombres="Ana", apellido1="Núñez")
    with world.nothing_written():
        expect(network.post({**fields, "nombres": "AnaN", "apellido1": "úñez"}), "0016")
        expect(network.post({**fields, "nombres": "", "apellido1": "AnaNúñez"}), "0016")


def test_repeat_needs_its_checksum(world: World, network: CheckedNetwork) -> None:
    fields = registered(world, network)
    with world.nothing_written():
        expect(network.post({**fields, "checksum": "0" * 128}), "0025")


def test_a_refused_request_does_not_use_up_its_id(world: World, network: CheckedNetwork) -> None:
    order = world.order("45000")
    transaction = world.fresh()
    expect(network.register(order.reference, "44000", transaction, COMMERCE), "0021")
    expect(network.register(order.reference, "45000", transaction, COMMERCE), "0000")


def test_ids_belong_to_their_network(world: World, network: CheckedNetwork, other: CheckedNetwork) -> None:
    fields = registered(world, network)
    order = world.order("9")
    expect(other.register(order.reference, "9", fields["transaction"], COMMERCE), "0000")
    assert world.transaction(fields["transaction"], other.name)["order_id"] == order.id
