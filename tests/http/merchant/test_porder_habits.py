"""The exact bytes that merchants' clients send, each with a habit of its own: all of them are served.

`DIGEST` stands for the checksum over what the request says, joined as its client joins it.
"""

import hashlib
import json
from typing import Any, Iterator, Mapping
from urllib.parse import unquote

import pytest

from checked import CheckedMerchant, expect
from tests.stack import Reply
from tests.stack.contract import judge
from world import World

pytestmark = pytest.mark.web

FORM = "application/x-www-form-urlencoded"

# What a client sends, and the five texts its checksum is over.
COMPACT = ('{"country":343,"email":"ana@example.com","merchant":"MERCHANT","order":"ORDER","money":"COP",'
           '"amount":"45000","description":"Zapatos rojos","language":"es","recurrent":false,"expiration":"EXPIRATION",'
           '"iva":"0","checksum":"DIGEST"}')
SPACED = ('{\n    "merchant" : "MERCHANT",\n    "email" : "ana@example.com",\n\t"country" : 343,\r\n    "order" : "ORDER",'
          '\n    "money" : "COP",\n    "amount" : "45000.00",\n    "description" : "Zapatos rojos",\n'
          '    "language" : "es",\n    "recurrent" : false,\n    "expiration" : "EXPIRATION",\n    "iva" : "0",\n'
          '    "checksum" : "DIGEST"\n}\n')
ESCAPED = ('{"merchant":"MERCHANT","email":"ana@example.com","country":"343","order":"ORDER","money":"COP",'
           '"amount":"45000.00","description":"Pedido #7: ni\\u00f1o \\ud83d\\ude00 a\\/b \\"c\\"",'
           '"expiration":"EXPIRATION_ESCAPED","checksum":"DIGEST"}')
NULLS = ('{"merchant":"MERCHANT","email":"ana@example.com","country":343,"order":"ORDER","reference":null,"money":"COP",'
         '"amount":"45000","description":"x","method":null,"language":null,"recurrent":null,'
         '"expiration":"EXPIRATION","iva":null,"user_di":null,"user_type_di":null,"user_name":null,'
         '"redirect_timeout":null,"checksum":"DIGEST"}')
EMPTY = ('{"merchant":"MERCHANT","email":"ana@example.com","country":"343","order":"ORDER","reference":"","money":"COP",'
         '"amount":"45000","description":"x","method":"","language":"","recurrent":"","expiration":"EXPIRATION",'
         '"iva":"","user_di":"","user_type_di":"","user_name":"","redirect_timeout":"","checksum":"DIGEST"}')
NUMBERS = ('{"merchant":"MERCHANT","email":"ana@example.com","country":343,"order":ORDER,"reference":REFERENCE,'
           '"money":"COP","amount":45000.00,"description":4711,"expiration":"EXPIRATION","iva":19.0,'
           '"user_di":10203040,"user_name":7,"redirect_timeout":300000,"checksum":"DIGEST"}')
UNKNOWN = ('{"merchant":"MERCHANT","email":"ana@example.com","country":343,"order":"ORDER","money":"COP",'
           '"amount":"45000","description":"x","expiration":"EXPIRATION","checksum":"DIGEST",'
           '"phone":"3001234567","nested":{"amount":1,"list":[{"order":"x"}]},"template":true}')

HABITS: dict[str, tuple[str, str]] = {
    "compact": (COMPACT, "45000"), "spaced": (SPACED, "45000.00"), "escaped": (ESCAPED, "45000.00"),
    "nulls": (NULLS, "45000"), "empty texts": (EMPTY, "45000"), "numbers for texts": (NUMBERS, "45000.00"),
    "more than we know": (UNKNOWN, "45000")}


def bytes_of(template: str, values: Mapping[str, str], digest: str) -> bytes:
    text = template.replace("EXPIRATION_ESCAPED", values["expiration"].replace("/", "\\/"))
    text = text.replace("EXPIRATION", values["expiration"]).replace("MERCHANT", values["merchant"])
    text = text.replace("ORDER", values["order"]).replace("REFERENCE", values["reference"])
    return text.replace("DIGEST", digest).encode("ascii")


@pytest.fixture(params=["/v1/porders", "/api/v3/porders"])
def merchant(world: World, request: pytest.FixtureRequest) -> Iterator[CheckedMerchant]:
    """Under the path of ours, and the one that clients know."""
    with world.connect_merchant(base=request.param) as merchant:
        yield merchant


@pytest.fixture
def values(world: World, merchant: CheckedMerchant) -> dict[str, str]:
    return {"merchant": merchant.name, "order": world.fresh_number(), "reference": world.fresh_number(),
            "expiration": world.day()}


def digest_of(merchant: CheckedMerchant, values: Mapping[str, str], amount: str) -> str:
    signed = f"ana@example.com343{values['order']}COP{amount}{merchant.fixed_hash}"
    return hashlib.sha512(signed.encode()).hexdigest()


def send(merchant: CheckedMerchant, method: str, habit: str, values: Mapping[str, str], path: str = "",
         headers: Mapping[str, str] | None = None, upper: bool = False) -> Reply:
    template, amount = HABITS[habit]
    digest = digest_of(merchant, values, amount)
    body = bytes_of(template, values, digest.upper() if upper else digest)
    return merchant.request(method, merchant.base + path, body, headers)


def check_stored(reply: Reply, operation: str, values: Mapping[str, str]) -> None:
    """Read as the public clients read it."""
    data = json.loads(reply.text)["DATA"]
    assert reply.status == 200
    assert (data["OrdenID"], data["Operacion"], data["Monto"]) == (values["order"], operation, "45000.0")
    assert int(data["PVordenID"]) > 0 and data["Referencia"].isdigit()
    base, token = data["checkout"].split("=")
    assert base == "localhost/pay?token" and token.replace("-", "").replace("_", "").isalnum()


@pytest.mark.parametrize("habit", HABITS)
def test_register_and_change(merchant: CheckedMerchant, values: dict[str, str], habit: str) -> None:
    check_stored(expect(send(merchant, "POST", habit, values), "0000"), "CREADA", values)
    check_stored(expect(send(merchant, "PATCH", habit, values), "0000"), "ACTUALIZADO", values)


@pytest.mark.parametrize("habit", HABITS)
def test_the_document_allows_it(merchant: CheckedMerchant, values: dict[str, str], habit: str) -> None:
    """So no program that checks requests against it refuses what the service takes."""
    template, amount = HABITS[habit]
    judge("#/components/schemas/Porder", json.loads(bytes_of(template, values, digest_of(merchant, values, amount))))


@pytest.mark.parametrize("method", ["POST", "PATCH"])
@pytest.mark.parametrize("content_type", [None, FORM, "text/plain", "application/json", "application/json; charset=utf-8"])
def test_content_type(merchant: CheckedMerchant, values: dict[str, str], method: str, content_type: str | None) -> None:
    """curl_setopt without headers sends the JSON as a form."""
    headers = {"Content-Type": content_type} if content_type else {}
    expect(send(merchant, "POST", "compact", values), "0000")
    second = values if method == "PATCH" else {**values, "order": f"{values['order']}0"}
    expect(send(merchant, method, "compact", second, headers=headers), "0000")


def test_digest_in_upper_case(merchant: CheckedMerchant, values: dict[str, str]) -> None:
    expect(send(merchant, "POST", "compact", values, upper=True), "0000")
    expect(merchant.request("GET", upper_query(merchant, values["order"])), "0000")
    expect(merchant.request("DELETE", upper_query(merchant, values["order"])), "0000")


def upper_query(merchant: CheckedMerchant, order: str) -> str:
    digest = hashlib.sha512(f"{order}{merchant.name}{merchant.fixed_hash}".encode()).hexdigest().upper()
    return f"{merchant.base}/{order}?merchant={merchant.name}&checksum={digest}"


def test_slash_at_the_end(merchant: CheckedMerchant, values: dict[str, str]) -> None:
    expect(send(merchant, "POST", "compact", values, path="/"), "0000")
    expect(send(merchant, "PATCH", "compact", values, path="/"), "0000")
    path, _, query = merchant.query_path(values["order"]).partition("?")
    expect(merchant.request("GET", f"{path}/?{query}"), "0000")
    expect(merchant.request("DELETE", f"{path}/?{query}"), "0000")
    expect(merchant.request("POST", f"{path}/refund/", b"{}"), "0011")


@pytest.mark.parametrize("body", [b"[]", b"{}", b"null", b"x=1", b"not json", b'{"order":"other"}'])
def test_body_of_get_and_delete(merchant: CheckedMerchant, values: dict[str, str], body: bytes) -> None:
    """PHP's json_encode(array()) is []; nobody looks at it."""
    expect(send(merchant, "POST", "compact", values), "0000")
    query = merchant.query_path(values["order"])
    for headers in ({"Content-Type": "application/json"}, {"Content-Type": FORM}, {}):
        assert expect(merchant.request("GET", query, body, headers), "0000").data["ORDER"] == values["order"]
    assert expect(merchant.request("DELETE", query, body), "0000").data["Operation"] == "DELETED"


@pytest.mark.parametrize("habit", ["compact", "numbers for texts"])
def test_the_literal_is_what_is_signed(merchant: CheckedMerchant, values: dict[str, str], habit: str) -> None:
    template, amount = HABITS[habit]
    for other in ("45000.0", "45000.000", "045000", "45000" if amount == "45000.00" else "45000.00"):
        body = bytes_of(template, values, digest_of(merchant, values, other))
        expect(merchant.request("POST", merchant.base, body), "0025")


@pytest.mark.parametrize("literal, code", [("45000", "0000"), ("45000.0", "0000"), ("45000.00", "0000"), ("0", "0000"),
                                           ("4.5e4", "0021"), ("45E3", "0021"), ("-1", "0021"), ("-0", "0021"),
                                           ("99999999999999999999", "0021"), ("0.00001", "0021"), ("45.000", "0021"),
                                           ("45000.000", "0021")])
def test_amount_as_a_number(merchant: CheckedMerchant, values: dict[str, str], literal: str, code: str) -> None:
    template = NUMBERS.replace("45000.00", literal)
    expect(merchant.request("POST", merchant.base, bytes_of(template, values, digest_of(merchant, values, literal))),
           code)


def test_reference_of_25_digits_as_a_number(world: World, merchant: CheckedMerchant, values: dict[str, str]) -> None:
    """More than any machine's whole number holds."""
    values["reference"] = f"{world.fresh_number()}987654321098765"
    assert expect(send(merchant, "POST", "numbers for texts", values), "0000").data["Referencia"] == values["reference"]


def test_texts_are_stored_as_they_mean(world: World, merchant: CheckedMerchant, values: dict[str, str]) -> None:
    expect(send(merchant, "POST", "escaped", values), "0000")
    assert world.porder_row(values["order"])["description"] == 'Pedido #7: niño \U0001f600 a/b "c"'
    other = {**values, "order": world.fresh_number()}
    expect(send(merchant, "POST", "numbers for texts", other), "0000")
    row = world.porder_row(other["order"])
    assert (row["description"], row["document"], row["customer_name"]) == ("4711", "10203040", "7")


BROKEN: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "0140"), "array": (b"[]", "0140"), "form": (b"merchant=x&order=y", "0140"),
    "twice": (b'{"order":"a","order":"b"}', "0140"), "cut off": (b'{"merchant":"x"', "0140"),
    "not UTF-8": (b'{"description":"\xff"}', "0140"), "a NUL": (b'{"merchant":"a\\u0000"}', "0140"),
    "too large": (b'{"x":"' + b"y" * 17_000 + b'"}', "0144"), "no fields": (b"{}", "0011")}


@pytest.mark.parametrize("method, path", [("POST", ""), ("PATCH", ""), ("POST", "/x/refund")])
@pytest.mark.parametrize("body, code", BROKEN.values(), ids=BROKEN.keys())
def test_broken_bodies(world: World, merchant: CheckedMerchant, method: str, path: str, body: bytes, code: str) -> None:
    """DESC says why here too: the client that reads every reply asserts it."""
    with world.nothing_written():
        expect(merchant.request(method, merchant.base + path, body), code)


ROUTES: list[tuple[str, str, str, Any]] = [
    ("GET", "", "0142", "POST, PATCH"), ("DELETE", "/", "0142", "POST, PATCH"), ("PUT", "/x", "0142", "GET, DELETE"),
    ("POST", "/x", "0142", "GET, DELETE"), ("GET", "/x/refund", "0142", "POST"), ("GET", "/x/y", "0141", None),
    ("POST", "/x/refund/y", "0141", None), ("GET", "//", "0141", None)]


@pytest.mark.parametrize("method, path, code, allow", ROUTES)
def test_routes(merchant: CheckedMerchant, method: str, path: str, code: str, allow: str | None) -> None:
    assert expect(merchant.request(method, merchant.base + path), code).headers.get("Allow") == allow


@pytest.mark.parametrize("order, code", [("a%2Fb", "0140"), ("a%20b", "0011"), ("%C3%B1", "0011"),
                                         ("x" * 201, "0011"), ("x" * 200, "0041"), ("a%2Db", "0041")])
def test_order_of_the_path(merchant: CheckedMerchant, order: str, code: str) -> None:
    right = hashlib.sha512(f"{unquote(order)}{merchant.name}{merchant.fixed_hash}".encode()).hexdigest()
    for method in ("GET", "DELETE"):
        path = f"{merchant.base}/{order}?merchant={merchant.name}&checksum={right}"
        expect(merchant.request(method, path), code)


@pytest.mark.parametrize("query, word", [("", "merchant"), ("merchant=x", "checksum"), ("checksum=x", "merchant"),
                                         ("merchant=x&merchant=y&checksum=z", "merchant")])
def test_query(merchant: CheckedMerchant, query: str, word: str) -> None:
    for method in ("GET", "DELETE"):
        expect(merchant.request(method, f"{merchant.base}/x?{query}"), "0011", word)
