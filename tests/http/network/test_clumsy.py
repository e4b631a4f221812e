"""What somebody sends who has not read everything: each TEXT says what was wrong and what would be right."""

import gzip
import json
import zlib
from typing import Any

import pytest

from checked import CheckedMerchant, CheckedNetwork, expect
from tests.stack.client import Reply, porder_checksum, registration_checksum
from tests.stack.waiting import wait_until
from world import COMMERCE, SERVICE_NAME, World

pytestmark = pytest.mark.web

AMOUNT = "must be at most 15 digits, with a point only before decimals, like 45000 or 45000.00"
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
    ({"amount": ""}, "0021", f"amount not valid: amount is empty: {AMOUNT}"),
    ({"amount": 45000}, "0011", "field not valid: amount must be a string, in quotes"),
    ({"money": "pesos"}, "0023", f"currency not valid: money {CURRENCY}"),
    ({"money": "cop"}, "0023", f"currency not valid: money {CURRENCY}"),
    ({"money": "$"}, "0023", f"currency not valid: money {CURRENCY}"),
    ({"reference": "123 456"}, "0011", f"field not valid: reference {REFERENCE}"),
    ({"reference": "1" * 26}, "0011", "field not valid: reference is too long: at most 25 characters"),
    ({"teller": ""}, "0011", "field not valid: teller is empty: send 1 to 64 characters"),
    ({"teller": "x" * 65}, "0011", "field not valid: teller is too long: at most 64 characters"),
    ({"transaction": "x" * 65}, "0010", "not a valid transaction id: transaction is too long: at most 64 characters"),
    ({"commerce": None}, "0011", "field not valid: commerce must be a string, in quotes"),
    ({"nombres": "x\ny"}, "0011", "field not valid: nombres has a control character: leave out line ends, tabs and the like"),
]


@pytest.mark.parametrize("changed, code, text", REGISTRATIONS)
def test_registration(world: World, network: CheckedNetwork, changed: dict[str, Any], code: str, text: str) -> None:
    fields: dict[str, Any] = {**network.registration(world.order().reference, "45000", world.fresh(), COMMERCE), **changed}
    fields["checksum"] = registration_checksum({name: str(value) for name, value in fields.items()}, network.fixed_hash)
    with world.nothing_written():
        assert expect(network.post(fields), code).json["TEXT"] == text


# The order's own columns, what the registration says instead, and what it gets.
TWO_DECIMALS = "amount not valid: amount may have 2 decimals in COP, and no separator of thousands"
NO_DECIMALS = "amount not valid: amount must have no decimals in CLP, and no separator of thousands"
PAYMENTS: list[tuple[dict[str, Any], dict[str, Any], str, str]] = [
    ({}, {"amount": "45.000"}, "0021", TWO_DECIMALS),
    ({}, {"amount": "45000.000"}, "0021", TWO_DECIMALS),
    ({}, {"amount": "45"}, "0021", "amount not valid: amount must be 45000.00"),
    ({}, {"amount": "0"}, "0021", "amount not valid: amount must be 45000.00"),
    ({"amount": "0"}, {"amount": "0.00"}, "0021", "amount not valid: amount must be more than 0"),
    ({"amount": "0"}, {"amount": "1.000"}, "0021", TWO_DECIMALS),
    ({"amount": "0", "min_amount": "1000", "max_amount": "5000"}, {"amount": "999"}, "0021",
     "amount not valid: amount must be from 1000.00 to 5000.00"),
    *(({"amount": "0", "min_amount": "0", "max_amount": "5000"}, {"amount": amount}, "0021",
       "amount not valid: amount must be more than 0 and at most 5000.00") for amount in ("0", "5000.01")),
    ({}, {"money": "USD"}, "0023", "currency not valid: money must be COP"),
    ({}, {"commerce": "Tienda"}, "0111",
     "commerce is not the merchant of this reference: commerce must be the COMMERCE of the lookup's reply"),
]


@pytest.mark.parametrize("order, changed, code, text", PAYMENTS)
def test_payment(world: World, network: CheckedNetwork, order: dict[str, Any], changed: dict[str, str], code: str,
                 text: str) -> None:
    payable = world.order(**order)
    fields = {**network.registration(payable.reference, "45000", world.fresh(), COMMERCE), **changed}
    fields["checksum"] = registration_checksum(fields, network.fixed_hash)
    with world.nothing_written():
        assert expect(network.post(fields), code).json["TEXT"] == text


def test_currency_without_decimals(world: World, network: CheckedNetwork, merchant: CheckedMerchant) -> None:
    """What a consult says of an amount has two decimals in every currency, and cannot be sent back as it is."""
    world.write("INSERT IGNORE INTO currencies (code, name) VALUES ('CLP', 'Chilean peso')")
    world.write("INSERT IGNORE INTO countries (code, name, currency, time_zone) VALUES (344, 'Chile', 'CLP', 'America/Santiago')")
    number = world.fresh("po")

    def register(amount: str) -> Reply:
        return merchant.post(merchant.porder(number, world.day(), amount, country="344", money="CLP"))

    wait_until(lambda: register("45.000").code != "0022", "the workers to know the country")
    for amount in ("45.000", "45000.00", "45000.0"):
        assert expect(register(amount), "0021").json["TEXT"] == NO_DECIMALS
    reference = expect(register("45000"), "0000").json["DATA"]["Referencia"]
    assert '"AMOUNT":45000,' in expect(network.lookup(reference), "0000").text
    assert expect(merchant.consult(number), "0000").json["DATA"]["AMOUNT"] == "45000.00"


def test_top_up(world: World, network: CheckedNetwork) -> None:
    document = world.account()
    for amount, right in [("1.000", TWO_DECIMALS), ("0", "amount not valid: amount must be more than 0")]:
        reply = network.register(document, amount, world.fresh(), SERVICE_NAME)
        assert expect(reply, "0021").json["TEXT"] == right


WRONG_CHECKSUM = "checksum not valid: checksum must be made of this request's values and the caller's FIXED_HASH"


def test_checksum(world: World, network: CheckedNetwork, merchant: CheckedMerchant) -> None:
    """The same for an unknown name, a wrong secret and values that were changed later."""
    strange = CheckedNetwork(world.stack.base_url, "nobody", network.fixed_hash)
    porder = merchant.porder(world.fresh("po"), world.day())
    for reply in (network.lookup("1", checksum="0" * 128), strange.lookup("1"),
                  merchant.post({**porder, "amount": "1"})):
        assert expect(reply, "0025").json["TEXT"] == WRONG_CHECKSUM


NO_DIGEST = "checksum not valid: checksum must be the 128 hex digits of a SHA512"


def test_checksum_of_another_form(world: World, network: CheckedNetwork, merchant: CheckedMerchant) -> None:
    """A SHA256, base64, a digit too few, too many, a space: told to everybody, whether the name is known or not."""
    strange = CheckedNetwork(world.stack.base_url, "nobody", network.fixed_hash)
    porder = merchant.porder(world.fresh("po"), world.day())
    for checksum in ("0" * 64, "A" * 86 + "==", "0" * 127, "0" * 129, "0" * 127 + "g", "0" * 127 + " "):
        for reply in (network.lookup("1", checksum=checksum), strange.lookup("1", checksum=checksum),
                      merchant.post({**porder, "checksum": checksum})):
            assert expect(reply, "0025").json["TEXT"] == NO_DIGEST


PORDERS: list[tuple[dict[str, str], str, str]] = [
    ({"order": "a b"}, "0011", f"field not valid: order {ORDER}"),
    ({"order": "Nº1"}, "0011", f"field not valid: order {ORDER}"),
    ({"amount": "45.000"}, "0021", TWO_DECIMALS),
    ({"amount": "45,000"}, "0021", f"amount not valid: amount {AMOUNT}"),
    ({"expiration": "31/02/2027"}, "0031", f"expiration not valid: expiration {DAY}"),
    ({"expiration": "2027-01-31"}, "0031", f"expiration not valid: expiration {DAY}"),
    ({"email": "ana"}, "0011", "field not valid: email must be NAME@HOST, without spaces"),
    ({"country": "CO"}, "0022", "country not valid: country must be the number of a country, like 343"),
    ({"country": "999"}, "0022", "country not valid: country must be one that this service serves"),
    ({"money": "USD"}, "0026", "currency not valid in this country: money must be COP"),
    ({"language": "fr"}, "0011", "field not valid: language must be es or en"),
    ({"reference": "12-34"}, "0011", "field not valid: reference must be digits"),
    ({"iva": "19%"}, "0011", f"field not valid: iva {AMOUNT}"),
    ({"description": "x" * 251}, "0011", "field not valid: description is too long: at most 250 characters"),
]


@pytest.mark.parametrize("changed, code, text", PORDERS)
def test_merchant_order(world: World, merchant: CheckedMerchant, changed: dict[str, str], code: str, text: str) -> None:
    fields = {**merchant.porder(world.fresh("po"), world.day()), **changed}
    fields["checksum"] = porder_checksum(fields, merchant.fixed_hash)
    with world.nothing_written():
        assert expect(merchant.post(fields), code).json["TEXT"] == text


BODIES: list[tuple[bytes, str]] = [
    (b"\xef\xbb\xbf{}", "begins with a byte order mark: send UTF-8 without one"),
    ('{"name":"x"}'.encode("utf-16"), "is UTF-16: send UTF-8"),
    ('{"name":"x"}'.encode("utf-16-be"), "is UTF-16: send UTF-8"),
    (gzip.compress(b"{}"), "is compressed: send it as it is, without Content-Encoding"),
    (zlib.compress(b'{"name":"x","transaction":"y"}'), "is not UTF-8: send one JSON object, {...}, as it is, without Content-Encoding"),
    (b"name=red&transaction=1", "is form-encoded: send one JSON object, {...}"),
    (b"<transaction/>", "is XML or HTML: send one JSON object, {...}"),
    (b"[{}]", "is an array: send one object, {...}"),
    (json.dumps("x").encode(), "is not a JSON object, {...}"),
    (b"", "is empty: send one JSON object, {...}"),
    (b'{"name":"red",}', "needs a key in double quotes at byte 15"),
    (b"{'name':'red'}", "needs a key in double quotes at byte 2"),
    (b'{"name":red}', "needs a value at byte 9: text in double quotes, a number, true, false, null, {...} or [...]"),
    (b'{"name":"red" "x":"1"}', "needs , or } at byte 15"),
    (b'{"name":"red"', "ends too early at byte 14: a closing } or ] is missing"),
    (b'{"amount":045}', "has a number that is not JSON at byte 11: write it like 45000, -1 or 45000.00"),
    (b'{"name":"a\nb"}', "has a control character in a string at byte 11: write \\n, \\t, or \\u and four hex digits"),
    ('{"name":"Núñez"}'.encode("latin-1"), "is not UTF-8 at byte 11"),
    (b'{"name":"a","name":"b"}', "has the same key twice: send each key once"),
]


@pytest.mark.parametrize("body, problem", BODIES)
def test_body(network: CheckedNetwork, body: bytes, problem: str) -> None:
    reply = network.request("POST", "/v1/transactions/", body, {"Content-Type": "application/json"})
    assert expect(reply, "0140").json["TEXT"] == f"malformed request: the body {problem}"


ROUTES = "this service has /v1/orders/..., /v1/transactions, /v1/porders, /v1/porders/..., /v1/porders/.../refund, " \
         "/v1/wporders, /v1/wpkeys"
ROUTES_OF_THE_WEB_SERVER = "this service has /v1/orders/..., /v1/transactions and /v1/porders"  # outside /v1


ESCAPE = "malformed request: the path has an invalid percent-encoding: write % and two hex digits for each byte of UTF-8, but no %2F or %00"


@pytest.mark.parametrize("method, path, code, text", [
    ("POST", "/v1/transaction/", "0141", f"no such route: {ROUTES}"),
    ("POST", "/transactions/", "0141", f"no such route: {ROUTES_OF_THE_WEB_SERVER}"),
    ("GET", "/", "0141", f"no such route: {ROUTES_OF_THE_WEB_SERVER}"),
    ("POST", "/v1/porders/a/refunds", "0141", f"no such route: {ROUTES}"),
    ("PUT", "/v1/transactions/", "0142", "method not allowed: this address takes POST, PATCH"),
    ("GET", "/v1/orders/%FF", "0140", ESCAPE),
    ("GET", "/v1/porders/A%2FB", "0140", ESCAPE),
])
def test_route(network: CheckedNetwork, method: str, path: str, code: str, text: str) -> None:
    reply = network.request(method, path, b"{}", {"Content-Type": "application/json"})
    assert expect(reply, code).json["TEXT"] == text
