"""POST /v1/porders: what is stored and answered, and what is refused."""

import re
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Callable

import pytest

from checked import CheckedMerchant, CheckedNetwork, expect
from fields import ABSENT, CONTROL, HOSTILE, with_field
from tests.stack.client import Reply, porder_checksum
from world import COLOMBIA_BEHIND, COMMERCE, MERCHANT, World

MANDATORY = ["merchant", "email", "country", "order", "money", "amount", "description", "expiration", "checksum"]
OPTIONAL = ["reference", "method", "language", "recurrent", "iva", "user_di", "user_type_di", "user_name",
            "redirect_timeout"]
SIGNED = {"email", "country", "order", "money", "amount"}
LONGEST = {"merchant": 50, "order": 200, "reference": 25, "description": 250, "method": 40, "user_di": 15,
           "user_type_di": 40, "user_name": 150}


def signed(merchant: CheckedMerchant, fields: dict[str, Any]) -> dict[str, Any]:
    """So that nothing but the field itself can be the reason of a refusal."""
    if all(isinstance(fields.get(name), str) for name in SIGNED):
        return {**fields, "checksum": porder_checksum(fields, merchant.fixed_hash)}
    return fields


@pytest.fixture
def body(world: World, merchant: CheckedMerchant) -> dict[str, str]:
    """A registration that would be accepted."""
    return merchant.porder(world.fresh("po"), world.day(), reference=world.fresh_number(), method="efectivo",
                           recurrent="false", user_di="10203040", user_type_di="CC", user_name="Ana Núñez",
                           redirect_timeout="300000")


def refuse(world: World, merchant: CheckedMerchant, fields: dict[str, Any], code: str, *words: str) -> None:
    with world.nothing_written():
        expect(merchant.post(fields), code, *words)


def test_registration(world: World, merchant: CheckedMerchant, network: CheckedNetwork, body: dict[str, str]) -> None:
    reply = expect(merchant.post(body), "0000")
    row = world.porder_row(body["order"])
    assert reply.json == {
        "CODE": "0000", "TEXT": "OK", "DESC": "OK",
        "DATA": {"Monto": "45000.0", "Operacion": "CREADA", "OrdenID": body["order"], "PVordenID": str(row["id"]),
                 "Referencia": body["reference"], "checkout": f"localhost/pay?token={row['token']}"}}
    stored = {"po_id": body["order"], "reference": body["reference"], "state": "PENDIENTE", "amount": Decimal(45000),
              "currency": "COP", "country": 343, "description": "Zapatos rojos", "language": "es",
              "payment_means": "efectivo", "email": "ana@example.com", "document": "10203040", "document_type": "CC",
              "customer_name": "Ana Núñez", "vat": Decimal(19), "origin": "registered",
              "changed_by": f"merchant:{MERCHANT}"}
    assert {name: row[name] for name in stored} == stored
    assert re.fullmatch(r"[0-9a-f]{32}", row["token"])
    found = expect(network.lookup(body["reference"]), "0000").data
    assert (found["AMOUNT"], found["DESCRIPTION"], found["COMMERCE"]) == (45000, "Zapatos rojos", COMMERCE)


def test_event_names_the_merchant(world: World, merchant: CheckedMerchant, body: dict[str, str]) -> None:
    expect(merchant.post(body), "0000")
    row = world.porder_row(body["order"])
    events = world.rows("SELECT what, to_state, actor FROM events WHERE subject = 'order' AND subject_id = %s",
                        row["id"])
    assert events == [{"what": "created", "to_state": "PENDIENTE", "actor": f"merchant:{MERCHANT}"}]


def test_assigned_references(world: World, merchant: CheckedMerchant) -> None:
    """14 digits with a check digit, in no sequence; each can be looked up."""
    references = []
    for _ in range(20):
        reply = expect(merchant.post(merchant.porder(world.fresh("po"), world.day())), "0000")
        references.append(reply.data["Referencia"])
    assert all(re.fullmatch(r"[1-9][0-9]{13}", reference) for reference in references)
    for reference in references:
        doubled = [int(digit) * (1 + at % 2) for at, digit in enumerate(reversed(reference))]
        assert sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0
    numbers = [int(reference) for reference in references]
    assert min(abs(a - b) for a, b in zip(numbers, numbers[1:])) > 1000


@pytest.mark.parametrize("field", MANDATORY)
def test_missing(world: World, merchant: CheckedMerchant, body: dict[str, str], field: str) -> None:
    refuse(world, merchant, with_field(body, field, ABSENT), "0011", field, "missing")


@pytest.mark.parametrize("field", OPTIONAL)
@pytest.mark.parametrize("value", [ABSENT, None, ""], ids=["absent", "null", "empty"])
def test_optional(merchant: CheckedMerchant, body: dict[str, str], field: str, value: Any) -> None:
    expect(merchant.post(with_field(body, field, value)), "0000")


@pytest.mark.parametrize("field", MANDATORY + OPTIONAL)
@pytest.mark.parametrize("value", [[], ["x"], {}, {"a": "b"}], ids=repr)
def test_neither_string_nor_number(world: World, merchant: CheckedMerchant, body: dict[str, str], field: str,
                                   value: Any) -> None:
    refuse(world, merchant, with_field(body, field, value), "0011", field)


@pytest.mark.parametrize("field", LONGEST)
def test_longest(merchant: CheckedMerchant, world: World, body: dict[str, str], field: str) -> None:
    character = "7" if field in ("order", "reference", "merchant") else "ñ"
    text = (world.fresh_number() * 20)[:LONGEST[field]] if character == "7" else character * LONGEST[field]
    expect(merchant.post(signed(merchant, {**body, field: text})), "0025" if field == "merchant" else "0000")
    own_code = "0027" if field == "method" else "0011"
    refuse(world, merchant, signed(merchant, {**body, field: text + character}), own_code, field, "too long")


@pytest.mark.parametrize("field", ["merchant", "email", "order", "reference", "description", "method", "user_di",
                                   "user_type_di", "user_name"])
@pytest.mark.parametrize("character", CONTROL, ids=repr)
def test_control_characters(world: World, merchant: CheckedMerchant, body: dict[str, str], field: str,
                            character: str) -> None:
    fields = signed(merchant, {**body, field: f"{body[field]}{character}"})
    refuse(world, merchant, fields, "0027" if field == "method" else "0011", field)


MALFORMED = [
    ("email", "ana", "0011"), ("email", "@example.com", "0011"), ("email", "ana@", "0011"),
    ("email", "a b@example.com", "0011"), ("email", "a@" + "x" * 99, "0011"),
    ("order", "a b", "0011"), ("order", "ñ", "0011"), ("order", "a/b", "0011"), ("order", "a.b", "0011"),
    ("reference", "12a", "0011"), ("reference", "-1", "0011"), ("reference", "1" * 26, "0011"),
    ("country", "999", "0022"), ("country", "CO", "0022"), ("country", "-343", "0022"), ("country", "343.0", "0022"),
    ("country", "0", "0022"), ("country", "99999", "0022"),
    ("money", "cop", "0023"), ("money", "XYZ", "0023"), ("money", "COPS", "0023"), ("money", "1", "0023"),
    ("money", "USD", "0026"), ("money", "PEN", "0026"),
    ("amount", "-1", "0021"), ("amount", "45.000,00", "0021"), ("amount", "45000.001", "0021"),
    ("amount", "1e3", "0021"), ("amount", "45000.", "0021"), ("amount", ".5", "0021"), ("amount", "x", "0021"),
    ("amount", "1234567890123456", "0021"), ("amount", "1.00001", "0021"),
    ("language", "fr", "0011"), ("language", "español", "0011"),
    ("recurrent", "true", "0011"), ("recurrent", True, "0011"), ("recurrent", 1, "0011"), ("recurrent", "1", "0011"),
    ("iva", "x", "0011"), ("iva", "-1", "0011"), ("redirect_timeout", "x", "0011"),
    ("expiration", "2026-12-31", "0031"), ("expiration", "31/02/2027", "0031"), ("expiration", "1/1/2027", "0031"),
    ("expiration", "01-01-2027", "0031"), ("expiration", "01/13/2027", "0031"), ("expiration", "00/01/2027", "0031"),
    ("expiration", "01/01/27", "0031"), ("expiration", "01/01/2027 ", "0031"), ("expiration", "aa/bb/cccc", "0031"),
    ("expiration", "01/01/2020", "0032"), ("expiration", "31/12/9999", "0032"), ("expiration", "01/01/1970", "0032"),
]


@pytest.mark.parametrize("field, value, code", MALFORMED, ids=lambda value: str(value)[:20])
def test_malformed(world: World, merchant: CheckedMerchant, body: dict[str, str], field: str, value: Any,
                   code: str) -> None:
    words = [field] if code == "0011" else []
    refuse(world, merchant, signed(merchant, {**body, field: value}), code, *words)


@pytest.mark.parametrize("value", [False, "false", "False", 0, "0"], ids=repr)
def test_not_recurrent(merchant: CheckedMerchant, body: dict[str, str], value: Any) -> None:
    expect(merchant.post({**body, "recurrent": value}), "0000")


COUNTRIES = [("343", "COP", 5), ("314", "CRC", 6), ("345", "USD", 5), ("348", "PEN", 5)]


@pytest.mark.parametrize("country, money, behind", COUNTRIES)
def test_countries(world: World, merchant: CheckedMerchant, country: str, money: str, behind: int) -> None:
    """An order ends with the last moment of its last day there."""
    order = world.fresh("po")
    day = (world.now() - timedelta(hours=behind) + timedelta(days=3)).date()
    fields = merchant.porder(order, day.strftime("%d/%m/%Y"), country=country, money=money)
    expect(merchant.post(fields), "0000")
    row = world.porder_row(order)
    ends = datetime(day.year, day.month, day.day) + timedelta(days=1, hours=behind)
    assert (row["due_at"], row["currency"], row["country"]) == (ends, money, int(country))


@pytest.mark.parametrize("ahead, code", [(-1, "0032"), (0, "0000"), (1, "0000"), (31, "0000"), (32, "0032")])
def test_days_ahead(world: World, merchant: CheckedMerchant, ahead: int, code: str) -> None:
    """Today is Colombia's date; the 31 days are counted from that of UTC, which is a day ahead in the evening."""
    behind = COLOMBIA_BEHIND if ahead < 31 else timedelta(0)

    def post(today: date) -> Reply:
        return merchant.post(merchant.porder(world.fresh("po"), (today + timedelta(days=ahead)).strftime("%d/%m/%Y")))

    expect(on_one_day(world, behind, post)[1], code)


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_0032_tells_the_first_and_the_last_day(world: World, merchant: CheckedMerchant, method: str) -> None:
    order = world.fresh("po")
    if method == "PATCH":
        expect(merchant.post(merchant.porder(order, world.day())), "0000")

    def send(expiration: date) -> Reply:
        return merchant.send_json(method, merchant.base, merchant.porder(order, expiration.strftime("%d/%m/%Y")))

    today, reply = on_one_day(world, COLOMBIA_BEHIND, lambda today: send(today - timedelta(days=1)))
    expect(reply, "0032", f"expiration is in the past: the first valid day is {today.strftime('%d/%m/%Y')}")
    today, reply = on_one_day(world, timedelta(0), lambda today: send(today + timedelta(days=32)))
    last = (today + timedelta(days=31)).strftime("%d/%m/%Y")
    expect(reply, "0032", f"expiration is more than 31 days ahead: the last valid day is {last}")


def on_one_day(world: World, behind: timedelta, act: Callable[[date], Reply]) -> tuple[date, Reply]:
    """What `act` gets on a day of a clock so far behind UTC, which ends only after it; and that day."""
    while True:
        today = (world.now() - behind).date()
        reply = act(today)
        if (world.now() - behind).date() == today:
            return today, reply


AMOUNTS = {"0": "0.0", "0.00": "0.0", "45000": "45000.0", "45000.0": "45000.0", "45000.00": "45000.0",
           "45000.5": "45000.5", "45000.05": "45000.05", "045000.05": "45000.05",
           "999999999999999.99": "999999999999999.99"}


@pytest.mark.parametrize("sent, answered", AMOUNTS.items())
def test_amounts(world: World, merchant: CheckedMerchant, sent: str, answered: str) -> None:
    order = world.fresh("po")
    reply = expect(merchant.post(merchant.porder(order, world.day(), sent)), "0000")
    assert reply.data["Monto"] == answered
    assert world.porder_row(order)["amount"] == Decimal(sent)


@pytest.mark.parametrize("text", [text for text in HOSTILE if text.strip()])
def test_description_is_kept_as_it_is(world: World, merchant: CheckedMerchant, text: str) -> None:
    order = world.fresh("po")
    fields = merchant.porder(order, world.day(), description=text, user_name=text)
    expect(merchant.post(fields), "0000")
    row = world.porder_row(order)
    assert (row["description"], row["customer_name"]) == (text, text)
    assert expect(merchant.consult(order), "0000").data["DESCRIPTION"] == text


def test_number_is_taken_for_ever(world: World, merchant: CheckedMerchant, body: dict[str, str]) -> None:
    expect(merchant.post(body), "0000")
    refuse(world, merchant, body, "0042")
    refuse(world, merchant, {**body, "reference": world.fresh_number()}, "0042")
    expect(merchant.delete(body["order"]), "0000")
    refuse(world, merchant, body, "0042")


def test_reference_is_taken_while_open(world: World, merchant: CheckedMerchant, body: dict[str, str]) -> None:
    expect(merchant.post(body), "0000")
    second = merchant.porder(world.fresh("po"), world.day(), reference=body["reference"])
    refuse(world, merchant, second, "0043")
    expect(merchant.delete(body["order"]), "0000")
    expect(merchant.post(second), "0000")


def test_reference_of_an_account(world: World, merchant: CheckedMerchant, network: CheckedNetwork) -> None:
    """A merchant cannot put an order in front of somebody's account."""
    document = world.account()
    refuse(world, merchant, merchant.porder(world.fresh("po"), world.day(), reference=document), "0043")
    assert expect(network.lookup(document), "0000").data["NAME"] == "Ana"


def test_two_merchants_may_use_one_number(world: World, merchant: CheckedMerchant) -> None:
    name, order = world.fresh("tienda"), world.fresh("po")
    world.add_merchant(name, name)
    with world.connect_merchant(name) as other:
        expect(other.post(other.porder(order, world.day())), "0000")
        expect(merchant.consult(order), "0041")
        expect(merchant.delete(order), "0041")
    expect(merchant.post(merchant.porder(order, world.day())), "0000")


@pytest.mark.parametrize("field", sorted(SIGNED))
def test_checksum_covers(world: World, merchant: CheckedMerchant, body: dict[str, str], field: str) -> None:
    other = {"email": "eva@example.com", "country": "0343", "order": world.fresh("po"), "money": "USD",
             "amount": "45000.0"}
    refuse(world, merchant, {**body, field: other[field]}, "0025")


def test_names_cannot_be_probed(world: World, merchant: CheckedMerchant, body: dict[str, str]) -> None:
    refuse(world, merchant, {**body, "merchant": "nobody"}, "0025")
    refuse(world, merchant, {**body, "checksum": "0" * 128}, "0025")
    refuse(world, merchant, {**body, "checksum": "x"}, "0025")
    expect(merchant.request("GET", merchant.query_path(body["order"], "0" * 128)), "0025")
    expect(merchant.request("DELETE", merchant.query_path(body["order"], "0" * 128)), "0025")
    expect(merchant.refund(body["order"], "1", checksum="0" * 128), "0025")


def test_checksum_comes_before_the_order(world: World, merchant: CheckedMerchant, body: dict[str, str]) -> None:
    """Whoever does not know the secret learns nothing about countries, numbers and references."""
    expect(merchant.post(body), "0000")
    refuse(world, merchant, {**body, "checksum": "0" * 128}, "0025")
    refuse(world, merchant, {**body, "country": "999"}, "0025")
