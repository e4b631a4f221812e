"""POST /v1/transactions/: what is registered, what is stored, what is replied."""

from typing import Any

import pytest

from checked import CheckedNetwork, amount_text, expect
from fields import HOSTILE
from scenes import CLOSINGS, Change
from world import COMMERCE, MERCHANT, NETWORK, OTHER_NETWORK, SERVICE_NAME, World

pytestmark = pytest.mark.web


def test_order(world: World, network: CheckedNetwork) -> None:
    order = world.order("45000", description="Zapatos, niño")
    transaction = world.fresh()
    reply = expect(network.register(order.reference, "45000", transaction, COMMERCE), "0000")
    row = world.transaction(transaction)
    assert reply.data == {"AMOUNT": 45000, "DESCRIPTION": "Zapatos, niño", "REFERENCE": order.reference,
                          "IDTRANSACTION": transaction, "IDSERVICE": str(row["id"]), "COMMERCE": COMMERCE}
    assert amount_text(reply) == "45000.00"


def test_what_is_stored_of_an_order(world: World, network: CheckedNetwork) -> None:
    order = world.order("45000.50", description="Zapatos")
    transaction = world.fresh()
    before = world.now()
    network.register(order.reference, "45000.50", transaction, COMMERCE, teller="203.0.113.7", nombres="Ana María",
                     apellido1="Núñez", apellido2="O'Brien")
    row = world.transaction(transaction)
    assert before <= row["registered_at"] <= world.now()
    kept = {name: row[name] for name in ("order_id", "account_id", "reference", "state", "currency", "commerce",
                                         "description", "teller", "given_names", "surname1", "surname2", "changed_by")}
    assert kept == {"order_id": order.id, "account_id": None, "reference": order.reference, "state": "REGISTRADA",
                    "currency": "COP", "commerce": COMMERCE, "description": "Zapatos", "teller": "203.0.113.7",
                    "given_names": "Ana María", "surname1": "Núñez", "surname2": "O'Brien",
                    "changed_by": f"network:{NETWORK}"}
    assert str(row["amount"]) == "45000.5000"


def test_registration_leaves_the_order_alone(world: World, network: CheckedNetwork, other: CheckedNetwork) -> None:
    order = world.order()
    before = world.order_row(order)
    world.register(network, order)
    world.register(other, order)
    assert world.order_row(order) == before
    expect(network.lookup(order.reference), "0000")


@pytest.mark.parametrize("amount, printed",
                         [("0.01", "0.01"), ("1", "1.00"), ("999999999999999.99", "999999999999999.99"),
                                             ("70368744177664.07", "70368744177664.07")])
def test_open_order(world: World, network: CheckedNetwork, amount: str, printed: str) -> None:
    order = world.order("0")
    reply = expect(network.register(order.reference, amount, world.fresh(), COMMERCE), "0000")
    assert amount_text(reply) == printed


@pytest.mark.parametrize("lastnames, description", [
    (("Núñez", "O'Brien"), "Ana Núñez O'Brien"), (("Núñez", ""), "Ana Núñez"), (("", "O'Brien"), "Ana O'Brien"),
    (("", ""), "Ana")])
def test_top_up(world: World, network: CheckedNetwork, lastnames: tuple[str, str], description: str) -> None:
    document = world.account(name="Ana", lastname1=lastnames[0], lastname2=lastnames[1])
    transaction = world.fresh()
    reply = expect(network.register(document, "20000", transaction, SERVICE_NAME), "0000")
    row = world.transaction(transaction)
    assert reply.data == {"AMOUNT": 20000, "DESCRIPTION": description, "REFERENCE": document,
                          "IDTRANSACTION": transaction, "IDSERVICE": str(row["id"]), "COMMERCE": SERVICE_NAME}
    assert row["order_id"] is None
    assert row["account_id"] == world.value("SELECT id FROM accounts WHERE document = %s", document)


def test_registration_credits_nothing(world: World, network: CheckedNetwork) -> None:
    document = world.account()
    network.register(document, "20000", world.fresh(), SERVICE_NAME)
    assert world.value("SELECT balance FROM accounts WHERE document = %s", document) == 0


@pytest.mark.parametrize("absent", [{}, {"nombres": ""}, {"nombres": "", "apellido1": "", "apellido2": ""}])
def test_without_the_customers_names(world: World, network: CheckedNetwork, absent: dict[str, str]) -> None:
    transaction = world.register(network, world.order(), **absent)
    row = world.transaction(transaction)
    assert (row["given_names"], row["surname1"], row["surname2"]) == (None, None, None)


@pytest.mark.parametrize("change, code", CLOSINGS.values(), ids=CLOSINGS.keys())
def test_order_that_cannot_be_paid(world: World, network: CheckedNetwork, other: CheckedNetwork, change: Change,
                                   code: str) -> None:
    order = world.order()
    change(world, other, order)
    expect(network.register(order.reference, "45000", world.fresh(), COMMERCE), code)  # writes an approval that is due
    with world.nothing_written():
        expect(network.register(order.reference, "45000", world.fresh(), COMMERCE), code)


def test_unknown_reference(world: World, network: CheckedNetwork) -> None:
    with world.nothing_written():
        expect(network.register("12345", "45000", world.fresh(), COMMERCE), "0101")


@pytest.mark.parametrize("write", [str.upper, str.lower, str.swapcase])
def test_commerce_in_any_case(world: World, network: CheckedNetwork, write: Any) -> None:
    order = world.order()
    reply = expect(network.register(order.reference, "45000", world.fresh(), write(COMMERCE)), "0000")
    assert reply.data["COMMERCE"] == COMMERCE


@pytest.mark.parametrize("commerce",
                         [MERCHANT, SERVICE_NAME, COMMERCE + " ", COMMERCE[:-1], "ñ" * 100, "Tienda Unica & Cia"])
def test_other_commerce(world: World, network: CheckedNetwork, commerce: str) -> None:
    order = world.order()
    with world.nothing_written():
        expect(network.register(order.reference, "45000", world.fresh(), commerce), "0111")


@pytest.mark.parametrize("commerce, code", [("RECAUDO", "0000"), (COMMERCE, "0111"), ("recaudo ", "0111")])
def test_commerce_of_a_top_up(world: World, network: CheckedNetwork, commerce: str, code: str) -> None:
    expect(network.register(world.account(), "1", world.fresh(), commerce), code)


@pytest.mark.parametrize("money", ["USD", "PEN", "cop", "Cop", "XXX", "ZZZ", "170", "$", "CO", "COPX", "ÑÑÑ", "CO "])
@pytest.mark.parametrize("target", ["order", "account"])
def test_wrong_money(world: World, network: CheckedNetwork, money: str, target: str) -> None:
    reference, commerce = ((world.order().reference, COMMERCE) if target == "order"
                           else (world.account(), SERVICE_NAME))
    with world.nothing_written():
        expect(network.register(reference, "45000", world.fresh(), commerce, money), "0023")


def test_other_currencies(world: World, network: CheckedNetwork) -> None:
    order = world.order("10.50", currency="USD")
    expect(network.register(order.reference, "10.5", world.fresh(), COMMERCE, "USD"), "0000")


@pytest.mark.parametrize("text", HOSTILE)
def test_text_is_stored_as_it_is(world: World, network: CheckedNetwork, text: str) -> None:
    order = world.order()
    transaction = f"{text}{world.fresh()}{text}"
    reply = expect(network.register(order.reference, "45000", transaction, COMMERCE, teller=text, nombres=text,
                                    apellido1=text, apellido2=text), "0000")
    row = world.transaction(transaction)
    assert reply.data["IDTRANSACTION"] == row["network_transaction"] == transaction
    assert (row["teller"], row["given_names"], row["surname1"], row["surname2"]) == (text, text, text, text)
    assert expect(network.confirm(transaction, False), "0000").data["IDTRANSACTION"] == transaction


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("field, codes",
                         [("name", {"0025"}), ("reference", {"0011"}), ("amount", {"0021"}), ("money", {"0023"}),
                                          ("commerce", {"0111"}), ("checksum", {"0025"})])
def test_hostile_text_is_refused(world: World, network: CheckedNetwork, field: str, codes: set[str], text: str) -> None:
    order = world.order()
    fields = {"reference": order.reference, "amount": "45000", "commerce": COMMERCE, "money": "COP"}
    if field == "reference" and text in ("null", "true"):
        codes = {"0101"}
    with world.nothing_written():
        if field in ("name", "checksum"):
            request = network.registration(transaction=world.fresh(), **fields)
            reply = network.post({**request, field: text})
        else:
            reply = network.register(transaction=world.fresh(), **{**fields, field: text})
    assert reply.code in codes, reply.text


@pytest.mark.parametrize("first, second",
                         [("A", "a"), ("x", "x "), ("x", " x"), ("é", "e\u0301"), ("é", "e"), ("ß", "ss"), ("1", "01")])
def test_transaction_ids_are_compared_byte_by_byte(world: World, network: CheckedNetwork, first: str,
                                                   second: str) -> None:
    order = world.order()
    stem = world.fresh()
    for end in (first, second):
        expect(network.register(order.reference, "45000", end + stem + end, COMMERCE), "0000")
    assert world.value("SELECT COUNT(*) FROM transactions WHERE order_id = %s", order.id) == 2


@pytest.mark.parametrize("field, value", [("transaction", "ñ" * 64), ("teller", "ñ" * 64), ("nombres", "ñ" * 100),
                                          ("apellido1", "\U0001f600" * 100), ("apellido2", "x" * 100)])
def test_longest_values(world: World, network: CheckedNetwork, field: str, value: str) -> None:
    fields = {"transaction": world.fresh(), field: value}
    reply = network.register(world.order().reference, "45000", commerce=COMMERCE, **fields)
    expect(reply, "0000")
    column = {"transaction": "network_transaction", "nombres": "given_names", "apellido1": "surname1",
              "apellido2": "surname2"}.get(field, field)
    assert world.transaction(fields["transaction"])[column] == value


def test_unknown_keys_are_ignored(world: World, network: CheckedNetwork) -> None:
    fields = network.registration(world.order().reference, "45000", world.fresh(), COMMERCE)
    extra = {"state": "FINALIZADA", "id": 1, "CODE": "0000", "x": [1, {"y": None}], "": "", "Amount": "1", "ñ": 1e300}
    expect(network.post({**extra, **fields}), "0000")
    assert world.transaction(fields["transaction"])["state"] == "REGISTRADA"


def test_several_networks_register_one_order(world: World, network: CheckedNetwork, other: CheckedNetwork) -> None:
    order = world.order()
    transaction = world.fresh()
    replies = [payer.register(order.reference, "45000", transaction, COMMERCE) for payer in (network, other)]
    assert [reply.code for reply in replies] == ["0000", "0000"]
    assert replies[0].data["IDSERVICE"] != replies[1].data["IDSERVICE"]
    assert world.transaction(transaction, OTHER_NETWORK)["id"] != world.transaction(transaction)["id"]
