"""What somebody sends who has not read everything: each TEXT says what was wrong and what would be right."""

import gzip
import json
from typing import Any

import pytest

from checked import CheckedMerchant, CheckedNetwork, expect
from tests.stack.client import registration_checksum
from world import COMMERCE, World

AMOUNT = "must be digits, with a point only before decimals, like 45000 or 45000.00"
CURRENCY = "must be a currency code of ISO 4217 in capitals, like COP"
REFERENCE = "must have only letters a to z and A to Z, digits and -"
ORDER = "must have only letters a to z and A to Z, digits, - and _"
DAY = "must be a day of the calendar as DD/MM/YYYY, like 31/12/2026"

REGISTRATIONS: list[tuple[dict[str, Any], str, str]] = [
    ({"amount": "45.000,00"}, "0021", f"amount not valid: amount {AMOUNT}"),
    ({"amount": "4.5e4"}, "0021", f"amount not valid: amount {AMOUNT}"),
    ({"amount": "-1"}, "0021", f"amount not valid: amount {AMOUNT}"),
    ({"amount": "1" + "0" * 21}, "0021", f"amount not valid: amount {AMOUNT}"),
    ({"amount": "$45000"}, "0021", f"amount not valid: amount {AMOUNT}"),
    ({"amount": ""}, "0021", "amount not valid: amount is empty"),
    ({"amount": 45000}, "0011", "field not valid: amount is not a string"),
    ({"money": "pesos"}, "0023", "currency not valid: money is too long: at most 3 characters"),
    ({"money": "cop"}, "0023", f"currency not valid: money {CURRENCY}"),
    ({"money": "$"}, "0023", f"currency not valid: money {CURRENCY}"),
    ({"reference": "123 456"}, "0011", f"field not valid: reference {REFERENCE}"),
    ({"reference": "1" * 26}, "0011", "field not valid: reference is too long: at most 25 characters"),
    ({"teller": ""}, "0011", "field not valid: teller is empty"),
    ({"teller": "x" * 65}, "0011", "field not valid: teller is too long: at most 64 characters"),
    ({"transaction": "x" * 65}, "0010", "not a valid transaction id: transaction is too long: at most 64 characters"),
    ({"commerce": None}, "0011", "field not valid: commerce is not a string"),
    ({"nombres": "x\ny"}, "0011", "field not valid: nombres has a control character"),
]


@pytest.mark.parametrize("changed, code, text", REGISTRATIONS)
def test_registration(world: World, network: CheckedNetwork, changed: dict[str, Any], code: str, text: str) -> None:
    fields: dict[str, Any] = {**network.registration(world.order().reference, "45000", world.fresh(), COMMERCE), **changed}
    fields["checksum"] = registration_checksum({name: str(value) for name, value in fields.items()}, network.fixed_hash)
    with world.nothing_written():
        assert expect(network.post(fields), code).json["TEXT"] == text


PORDERS: list[tuple[dict[str, str], str, str]] = [
    ({"order": "a b"}, "0011", f"field not valid: order {ORDER}"),
    ({"order": "Nº1"}, "0011", f"field not valid: order {ORDER}"),
    ({"amount": "45,000"}, "0021", f"amount not valid: amount {AMOUNT}"),
    ({"expiration": "31/02/2027"}, "0031", f"expiration not valid: expiration {DAY}"),
    ({"expiration": "2027-01-31"}, "0031", f"expiration not valid: expiration {DAY}"),
    ({"email": "ana"}, "0011", "field not valid: email must be NAME@HOST, without spaces"),
    ({"country": "CO"}, "0022", "country not valid: country must be the number of a country, like 343"),
    ({"language": "fr"}, "0011", "field not valid: language must be es or en"),
    ({"reference": "12-34"}, "0011", "field not valid: reference must be digits"),
    ({"iva": "19%"}, "0011", f"field not valid: iva {AMOUNT}"),
    ({"description": "x" * 251}, "0011", "field not valid: description is too long: at most 250 characters"),
]


@pytest.mark.parametrize("changed, code, text", PORDERS)
def test_merchant_order(world: World, merchant: CheckedMerchant, changed: dict[str, str], code: str, text: str) -> None:
    with world.nothing_written():
        reply = expect(merchant.post({**merchant.porder(world.fresh("po"), world.day()), **changed}), code)
    assert reply.json["TEXT"] == text


BODIES: list[tuple[bytes, str]] = [
    (b"\xef\xbb\xbf{}", "begins with a byte order mark: send UTF-8 without one"),
    ('{"name":"x"}'.encode("utf-16"), "is UTF-16: send UTF-8"),
    ('{"name":"x"}'.encode("utf-16-be"), "is UTF-16: send UTF-8"),
    (gzip.compress(b"{}"), "is compressed: send it as it is, without Content-Encoding"),
    (b"name=red&transaction=1", "is form-encoded: send one JSON object, {...}"),
    (b"<transaction/>", "is XML or HTML: send one JSON object, {...}"),
    (b"[{}]", "is an array: send one object, {...}"),
    (json.dumps("x").encode(), "is not a JSON object"),
    (b"", "is empty"),
]


@pytest.mark.parametrize("body, problem", BODIES)
def test_body(network: CheckedNetwork, body: bytes, problem: str) -> None:
    reply = network.request("POST", "/v1/transactions/", body, {"Content-Type": "application/json"})
    assert expect(reply, "0140").json["TEXT"] == f"malformed request: the body {problem}"
