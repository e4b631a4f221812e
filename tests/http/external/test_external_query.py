"""Lookups that the merchant answers: who is asked what, and what its answer becomes."""

import time
import zlib
from typing import Any

import pytest

from tests.stack import wait_until
from tests.stack.external_answers import request_checksum
from tests.stack.merchant_stub import Behaviour, Exchange, MerchantStub, closes, closes_in_the_middle, says

from asked import Asked, await_in_force, integrate, make_asked
from checked import CheckedNetwork, amount_text, expect
from world import MERCHANT, NETWORK, OTHER_NETWORK, World


@pytest.fixture(scope="module")
def shop(world: World, stub: MerchantStub) -> Asked:
    shop = make_asked(world, stub)
    with world.connect() as network:
        shop.await_well(network)
    return shop


def test_answer_is_the_reply(network: CheckedNetwork, shop: Asked) -> None:
    reference = shop.offers(shop.reference(), "po-reply", "1234567.89", user_di="1020304050", user_type_di="CC",
                            user_name="Luz")
    reply = expect(network.lookup(reference), "0000")
    assert amount_text(reply) == "1234567.89"
    assert reply.data == {"LASTNAME1": "", "LASTNAME2": "", "AMOUNT": 1234567.89, "DESCRIPTION": "Zapatos azules",
                          "DI": "1020304050", "COMMERCE": shop.commerce, "REFERENCE": reference, "TYPEDI": "CC",
                          "NAME": ""}


def test_answers_with_either_secret(world: World, network: CheckedNetwork, stub: MerchantStub) -> None:
    """After a rotation the query soon carries the new one, and the answer may be made with the old one until its end."""
    shop = make_asked(world, stub)
    shop.await_well(network)
    new_secret = world.stack.ctl.json("merchant", "rotate", shop.name)["fixed_hash"]

    def asked_with_the_new_one() -> bool:
        reference = shop.reference()
        expect(network.lookup(reference), "0000")
        (request,) = shop.asked_about(reference)
        return bool(request.message["checksum"] == request_checksum(request.message, new_secret))

    wait_until(asked_with_the_new_one, "queries to carry the new secret")
    assert world.stack.ctl.json("merchant", "show", shop.name)["old_hash_used_at"] is not None
    world.stack.mariadb.query("UPDATE merchants SET old_hash_until = UTC_TIMESTAMP(6) WHERE name = %s", shop.name)
    wait_until(lambda: network.lookup(shop.reference()).code == "0109", "the old secret to have ended")


def test_answers_with_the_new_secret_at_once(world: World, network: CheckedNetwork, stub: MerchantStub) -> None:
    """Also where a worker still remembers the old one, and signs the query with it."""
    shop = make_asked(world, stub)
    shop.await_well(network)
    for word in ([], ["--end"], ["--now"]):
        rotated = world.stack.ctl.json("merchant", "rotate", shop.name, *word)
        shop.fixed_hash = rotated.get("fixed_hash", shop.fixed_hash)
        for _ in range(10):
            expect(network.lookup(shop.reference()), "0000")
    shop.fixed_hash = "x" * 64
    expect(network.lookup(shop.reference()), "0109")


def test_answer_becomes_an_order(world: World, network: CheckedNetwork, shop: Asked) -> None:
    reference = shop.offers(shop.reference(), "po_Order-1", "0", min="10", max="2000.50")
    expect(network.lookup(reference), "0000")
    row = shop.order("po_Order-1")
    assert (row["reference"], row["origin"], row["state"]) == (reference, "external", "PENDIENTE")
    assert [str(row[name]) for name in ("amount", "min_amount", "max_amount")] == ["0.0000", "10.0000", "2000.5000"]
    assert (row["currency"], row["email"], row["version"]) == ("COP", "ana@example.com", 1)
    due_in = (row["due_at"] - world.now()).total_seconds()
    assert 3500 < due_in <= 3600 and row["due_at"].microsecond == 0


def test_request(network: CheckedNetwork, shop: Asked) -> None:
    reference = shop.reference()
    before = int(time.time())
    expect(network.lookup(reference), "0000")
    (request,) = shop.asked_about(reference)
    message = request.message
    assert request.headers["content-type"] == "application/json"
    assert (message["reference"], message["netname"], message["currency"]) == (reference, NETWORK, 1)
    assert before <= message["timestamp_start"] <= int(time.time())
    assert message["checksum"] == request_checksum(message, shop.fixed_hash)
    assert set(message) == {"reference", "netname", "currency", "timestamp_start", "checksum"}


def test_asked_at_every_lookup(world: World, network: CheckedNetwork, shop: Asked) -> None:
    reference = shop.offers(shop.reference(), "po-again")
    expect(network.lookup(reference), "0000")
    events = world.counts()["event_log"]
    expect(network.lookup(reference), "0000")
    assert len(shop.asked_about(reference)) == 2
    assert shop.order("po-again")["version"] == 1 and world.counts()["event_log"] == events
    shop.offers(reference, "po-again", "46000", description="Botas")
    assert (data := network.lookup(reference).data)["AMOUNT"] == 46000 and data["DESCRIPTION"] == "Botas"
    assert shop.order("po-again")["version"] == 2


@pytest.mark.parametrize("digits, is_asked", [(8, False), (9, True), (16, True), (17, False)])
def test_length_of_a_reference(network: CheckedNetwork, shop: Asked, digits: int, is_asked: bool) -> None:
    reference = shop.prefix + "7" * (digits - len(shop.prefix))
    expect(network.lookup(reference), "0000" if is_asked else "0101")
    assert len(shop.asked_about(reference)) == is_asked


def test_longest_prefix(world: World, network: CheckedNetwork, stub: MerchantStub, shop: Asked) -> None:
    path = f"{shop.path}-longer"
    integrate(world, shop.name, shop.prefix + "9", stub.on(path, shop.received))
    await_in_force(time.monotonic())
    reference = f"{shop.prefix}9{next(shop.numbers):08d}"
    expect(network.lookup(reference), "0000")
    assert not shop.asked_about(reference)
    assert [request.message["reference"] for request in stub.requests_to(path)] == [reference]


def test_agreement_code_is_for_one_network(world: World, network: CheckedNetwork, other: CheckedNetwork,
                                           stub: MerchantStub, shop: Asked) -> None:
    integrate(world, shop.name, "66", stub.on(shop.path, shop.received), 1, OTHER_NETWORK)
    await_in_force(time.monotonic())
    expect(other.lookup("66123"), "0000")
    expect(network.lookup("66124"), "0101")
    assert not shop.asked_about("66124")


def test_what_an_agreement_offered_is_for_its_network_alone(world: World, network: CheckedNetwork, other: CheckedNetwork,
                                                            stub: MerchantStub, shop: Asked) -> None:
    """Also once it is stored: the other network finds nothing, and registers nothing."""
    integrate(world, shop.name, "67", stub.on(shop.path, shop.received), 1, OTHER_NETWORK)
    await_in_force(time.monotonic())
    reference = f"67{world.fresh_number()}"
    expect(other.lookup(reference), "0000")
    expect(network.lookup(reference), "0101")
    with world.nothing_written():
        expect(network.register(reference, "45000", world.fresh(), shop.commerce), "0101")
    transaction = world.fresh()
    expect(other.register(reference, "45000", transaction, shop.commerce), "0000")
    expect(other.confirm(transaction), "0000")
    expect(network.lookup(reference), "0106")
    expect(network.register(reference, "45000", world.fresh(), shop.commerce), "0101")
    world.close_window(transaction, OTHER_NETWORK)
    expect(network.lookup(reference), "0102")
    expect(network.register(reference, "45000", world.fresh(), shop.commerce), "0102")


def test_network_that_the_merchant_refuses_cannot_pay_what_others_were_offered(
        world: World, network: CheckedNetwork, other: CheckedNetwork, shop: Asked) -> None:
    reference = shop.offers(shop.reference(), world.fresh())
    expect(other.lookup(reference), "0000")
    shop.on(reference, says('{"CODE": "NNET", "TEXT": "not by this network"}', Content_Type="application/json"))
    expect(network.lookup(reference), "0107")
    with world.nothing_written():
        expect(network.register(reference, "45000", world.fresh(), shop.commerce), "0101")
    transaction = world.fresh()
    expect(other.register(reference, "45000", transaction, shop.commerce), "0000")
    expect(other.confirm(transaction), "0000")


def test_registered_order_and_account_come_first(world: World, network: CheckedNetwork, shop: Asked) -> None:
    registered = world.order("700", reference=shop.reference())
    document = world.account(document=shop.reference())
    assert network.lookup(registered.reference).data["AMOUNT"] == 700
    assert network.lookup(document).data["DI"] == document
    assert not shop.asked_about(registered.reference) and not shop.asked_about(document)


def test_another_merchants_closed_order_keeps_its_reference_for_a_time(world: World, network: CheckedNetwork, shop: Asked) -> None:
    order = world.order("700", reference=shop.reference())
    world.write("UPDATE orders SET state = 'CANCELADA' WHERE id = %s", order.id)
    expect(network.lookup(order.reference), "0109")
    world.write("UPDATE merchants SET reference_quarantine = 0 WHERE name = %s", MERCHANT)
    try:
        assert network.lookup(order.reference).data["AMOUNT"] == 45000
    finally:
        world.write("UPDATE merchants SET reference_quarantine = DEFAULT WHERE name = %s", MERCHANT)


def test_merchant_refuses(world: World, network: CheckedNetwork, shop: Asked) -> None:
    reference = shop.on(shop.reference(), says('{"CODE": "0044", "TEXT": "NO"}', Content_Type="application/json"))
    with world.nothing_written():
        reply = expect(network.lookup(reference), "0107")
    assert "0044" not in reply.text


def test_end_in_the_past(world: World, network: CheckedNetwork, shop: Asked) -> None:
    reference = shop.offers(shop.reference(), "po-past", due_in=-1)
    with world.nothing_written():
        expect(network.lookup(reference), "0103")


def test_disabled_merchant_is_not_asked(world: World, network: CheckedNetwork, stub: MerchantStub) -> None:
    shop = make_asked(world, stub)
    shop.await_well(network)
    world.stack.ctl.done("merchant", "disable", shop.name)
    await_in_force(time.monotonic())
    reference = shop.reference()
    expect(network.lookup(reference), "0019", "the merchant of this reference is disabled")
    assert not shop.asked_about(reference)


def test_removed_integration(world: World, network: CheckedNetwork, stub: MerchantStub) -> None:
    shop = make_asked(world, stub)
    shop.await_well(network)
    known = shop.offers(shop.reference(), "po-known")
    expect(network.lookup(known), "0000")
    world.stack.ctl.done("integration", "remove", str(shop.integration))
    await_in_force(time.monotonic())
    expect(network.lookup(shop.reference()), "0101")
    expect(network.lookup(known), "0000")  # as it was stored, until it expires
    assert len(shop.asked_about(known)) == 1


def test_lookups_that_nothing_matches_ask_nobody(network: CheckedNetwork, stub: MerchantStub) -> None:
    before = len(stub.requests)
    for reference in ("1", "123456789", "9" * 16):
        expect(network.lookup(reference), "0101")
    assert len(stub.requests) == before


# What comes after the lookup: the order is one as any other.

def test_payment(world: World, network: CheckedNetwork, stub: MerchantStub) -> None:
    url = stub.on("paid", says("OK"))
    shop = make_asked(world, stub, "--notify-url", url)
    shop.await_well(network)
    reference = shop.offers(shop.reference(), "po-paid")
    expect(network.lookup(reference), "0000")
    transaction = world.fresh()
    asked = len(shop.asked_about(reference))
    expect(network.register(reference, "45000", transaction, shop.commerce), "0000")
    assert len(shop.asked_about(reference)) == asked
    expect(network.confirm(transaction), "0000")
    world.close_window(transaction)
    world.dispatch()
    assert shop.order("po-paid")["state"] == "APROBADA"
    (told,) = stub.requests_to("paid")
    assert (told.message["po_id"], told.message["status"], told.message["amount"]) == ("po-paid", "approved", "45000.00")


def test_expiry(world: World, network: CheckedNetwork, shop: Asked) -> None:
    reference = shop.offers(shop.reference(), "po-expires", due_in=2)
    expect(network.lookup(reference), "0000")
    world.await_instant(shop.order("po-expires")["due_at"])
    world.dispatch()
    row = shop.order("po-expires")
    assert row["state"] == "VENCIDA"
    (notification,) = world.rows("SELECT status FROM notifications WHERE order_id = %s", row["id"])
    assert notification["status"] == "cancelled"


@pytest.mark.parametrize("amount, code", [("9.99", "0021"), ("10", "0000"), ("2000.50", "0000"), ("2000.51", "0021"),
                                          ("0", "0021")])
def test_limits_bind(world: World, network: CheckedNetwork, shop: Asked, amount: str, code: str) -> None:
    reference = shop.offers(shop.reference(), world.fresh("po-limits"), "0", min="10", max="2000.50")
    assert network.lookup(reference).data["AMOUNT"] == 0
    expect(network.register(reference, amount, world.fresh(), shop.commerce), code)


@pytest.mark.parametrize("amount, code", [("0.01", "0000"), ("999999999", "0000"), ("999999999.01", "0021"),
                                          ("0", "0021")])
def test_limits_by_default(world: World, network: CheckedNetwork, shop: Asked, amount: str, code: str) -> None:
    reference = shop.offers(shop.reference(), world.fresh("po-open"), "0")
    expect(network.lookup(reference), "0000")
    expect(network.register(reference, amount, world.fresh(), shop.commerce), code)


def test_limits_that_change_after_the_registration(world: World, network: CheckedNetwork, shop: Asked) -> None:
    reference = shop.offers(shop.reference(), "po-narrower", "0", min="10", max="2000")
    expect(network.lookup(reference), "0000")
    transaction = world.fresh()
    expect(network.register(reference, "2000", transaction, shop.commerce), "0000")
    shop.offers(reference, "po-narrower", "0", min="10", max="1999")
    expect(network.lookup(reference), "0000")
    expect(network.confirm(transaction), "0021")


REFUSAL = says('{"CODE": "0044", "TEXT": "Not today"}')
# What the merchant does, and what is recorded of it: HTTP status, outcome, field, problem, what it said.
RECORDED: dict[str, tuple[Behaviour | None, str, tuple[int | None, str, str | None, str | None, str | None]]] = {
    "answered": (None, "0000", (200, "answered", None, None, None)),
    "refused": (REFUSAL, "0107", (200, "refused", None, "0044", "Not today")),
    "no answer": (closes, "0108", (None, "silent", "protocol", "failed", None)),
    "cut off": (closes_in_the_middle, "0108", (200, "silent", "protocol", "failed", None)),
    "not JSON": (says("OK"), "0109", (200, "invalid", "the body", "is not a JSON object, {...}", None)),
    "compressed": (says(zlib.compress(b'{"CODE":"0044","TEXT":"Not today"}')), "0109",
                   (200, "invalid", "the body", "is not UTF-8: send one JSON object, {...}, as it is, without Content-Encoding", None)),
    "not found": (says("", status=404), "0109", (404, "invalid", "HTTP status", "is not 200", None)),
    "too many": (says("", status=429), "0108", (429, "silent", "status", "is not 200", None)),
    "internal error": (says("", status=500), "0108", (500, "silent", "status", "is not 200", None)),
}


def recorded(world: World, reference: str) -> dict[str, Any]:
    (row,) = world.rows("SELECT q.*, n.name AS network, m.name AS merchant FROM external_queries q"
                        " JOIN networks n ON n.id = q.network_id JOIN merchants m ON m.id = q.merchant_id"
                        " WHERE reference = %s", reference)
    return row


@pytest.mark.parametrize("behaviour, code, outcome", RECORDED.values(), ids=RECORDED.keys())
def test_every_query_is_recorded(world: World, network: CheckedNetwork, shop: Asked, behaviour: Behaviour | None,
                                 code: str, outcome: tuple[Any, ...]) -> None:
    reference = shop.on(shop.reference(), behaviour or shop.offer)
    before = world.now()
    expect(network.lookup(reference), code)
    row = recorded(world, reference)
    assert tuple(row[name] for name in ("http_status", "outcome", "field", "problem", "said")) == outcome
    assert (row["network"], row["merchant"], row["integration_id"]) == (NETWORK, shop.name, shop.integration)
    assert before <= row["asked_at"] <= world.now() and 0 < row["duration_us"] < 5_000_000
    assert row["address"] == "127.0.0.1"
    assert row["order_id"] == (shop.order(f"po-{reference}")["id"] if code == "0000" else None)


FIELDS = {"amount": "1e3", "description": "a.b", "email": "ana", "timestamp_end": "soon", "min": "x", "max": "x",
          "checksum": "0" * 128, "user_di": "1" * 11, "user_type_di": "C" * 41, "user_name": "N" * 151}


@pytest.mark.parametrize("field, value", FIELDS.items(), ids=FIELDS.keys())
def test_record_names_the_field(world: World, network: CheckedNetwork, shop: Asked, field: str, value: str) -> None:
    """The checksum is right but for the field it is itself."""
    limits = {"min": "10", "max": "2000"} if field in ("min", "max") else {}
    reference = shop.reference()
    shop.offers(reference, f"po-{reference}", **{"amount": "45000", **limits, field: value})
    with world.nothing_written():
        expect(network.lookup(reference), "0109")
    row = recorded(world, reference)
    assert (row["outcome"], row["field"], row["order_id"]) == ("invalid", field, None)


CUSTOMER = {"user_di": "1710034065", "user_type_di": "CEDULA DE IDENTIDAD", "user_name": "María Belén Ñáñez"}


def test_country_that_wants_to_know_who_pays(world: World, network: CheckedNetwork, stub: MerchantStub) -> None:
    ecuador = make_asked(world, stub, "--country", "345")
    await_in_force(ecuador.made_at)
    for missing in CUSTOMER:
        reference = ecuador.reference()
        ecuador.offers(reference, f"po-{reference}", **{name: CUSTOMER[name] for name in CUSTOMER if name != missing})
        expect(network.lookup(reference), "0109")
        assert recorded(world, reference)["field"] == missing
    reference = ecuador.offers(ecuador.reference(), "po-ecuador", **CUSTOMER)
    reply = expect(network.lookup(reference), "0000")
    assert (reply.data["DI"], reply.data["TYPEDI"]) == (CUSTOMER["user_di"], CUSTOMER["user_type_di"])
    assert ecuador.order("po-ecuador")["customer_name"] == CUSTOMER["user_name"]


@pytest.mark.parametrize("description, code", [("ñ" * 40, "0000"), ("हिन्दी 漢字 Привет_1-2", "0000"), ("ñ" * 41, "0109"),
                                               ("Zapatos\n", "0109"), ("", "0109")])
def test_letters_of_every_alphabet(world: World, network: CheckedNetwork, shop: Asked, description: str,
                                   code: str) -> None:
    number = world.fresh("po-letters")
    reply = expect(network.lookup(shop.offers(shop.reference(), number, description=description)), code)
    assert code != "0000" or (reply.data["DESCRIPTION"], shop.order(number)["description"]) == (description, description)


def during_the_query(world: World, network: CheckedNetwork, shop: Asked, *words: str) -> tuple[str, str]:
    """The operator runs recaudoctl while the merchant is asked, which then answers; the reference and its CODE."""
    def answers_afterwards(exchange: Exchange) -> None:
        world.stack.ctl.done(*words)
        shop.offer(exchange)

    reference = shop.on(shop.reference(), answers_afterwards)
    return reference, network.lookup(reference).code


def test_merchant_disabled_while_it_is_asked(world: World, network: CheckedNetwork, stub: MerchantStub) -> None:
    shop = make_asked(world, stub)
    shop.await_well(network)
    reference, code = during_the_query(world, network, shop, "merchant", "disable", shop.name)
    assert code in ("0000", "0019")  # workers remember for seconds whether it is enabled
    await_in_force(time.monotonic())
    expect(network.lookup(reference), "0019")
    expect(network.register(reference, "45000", world.fresh(), shop.commerce), "0019")
    assert len(shop.asked_about(reference)) == 1


def test_integration_removed_while_the_merchant_is_asked(world: World, network: CheckedNetwork,
                                                         stub: MerchantStub) -> None:
    """What it answered stands, as what it had answered before."""
    shop = make_asked(world, stub)
    shop.await_well(network)
    reference, code = during_the_query(world, network, shop, "integration", "remove", str(shop.integration))
    assert code == "0000"
    await_in_force(time.monotonic())
    expect(network.lookup(reference), "0000")
    assert len(shop.asked_about(reference)) == 1
    expect(network.register(reference, "45000", world.fresh(), shop.commerce), "0000")
