"""Merchants that answer late, wrongly or not at all: the lookup is refused, and nothing changes."""

import gzip
import json
import time

import pytest

from tests.stack import wait_until
from tests.stack.merchant_stub import (Behaviour, Exchange, MerchantStub, after, closes, closes_in_the_middle, drip,
                                       drip_head, garbage, hang_in_the_middle, hold, resets, says)

from asked import Asked, make_asked
from checked import CheckedNetwork, expect
from world import World

TIMEOUT = 5.0
QUICK, TARDY = 4.0, 4.0  # not by the time-out; by it, on a busy machine
HALF_MEGABYTE = 512 * 1024


@pytest.fixture(scope="module")
def known(world: World, stub: MerchantStub) -> Asked:
    return make_asked(world, stub)


@pytest.fixture
def shop(world: World, network: CheckedNetwork, known: Asked) -> Asked:
    """A good answer before each test: what failed in the one before is forgotten."""
    known.await_well(network)
    return known


def answered_with(head: str, body: bytes) -> Behaviour:
    def behave(exchange: Exchange) -> None:
        exchange.send(f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n".encode() + body)
    return behave


def chunked(body: bytes) -> bytes:
    pieces = [body[at:at + 7] for at in range(0, len(body), 7)]
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def check_refused(world: World, network: CheckedNetwork, shop: Asked, behaviour: Behaviour, code: str) -> float:
    """How long the lookup took."""
    reference = shop.on(shop.reference(), behaviour)
    began = time.monotonic()
    with world.nothing_written():
        expect(network.lookup(reference), code)
    assert len(shop.asked_about(reference)) == 1
    return time.monotonic() - began


JSON = "Content-Type: application/json"
SILENT: dict[str, Behaviour] = {
    "closes at once": closes, "closes in the middle": closes_in_the_middle, "resets": resets, "not HTTP": garbage,
    "bad chunk": answered_with(f"{JSON}\r\nTransfer-Encoding: chunked", b"zz\r\n{}"),
    "internal error": says("oh", status=500), "too many requests": says("oh", status=429),
}


@pytest.mark.parametrize("behaviour", SILENT.values(), ids=SILENT.keys())
def test_no_whole_answer(world: World, network: CheckedNetwork, shop: Asked, behaviour: Behaviour) -> None:
    assert check_refused(world, network, shop, behaviour, "0108") < QUICK


INVALID: dict[str, Behaviour] = {
    "empty": says("", Content_Type="application/json"),
    "not JSON": says("OK", Content_Type="application/json"),
    "not an object": says("[]", Content_Type="application/json"),
    "no DATA": says('{"CODE": "0000", "TEXT": "OK"}', Content_Type="application/json"),
    "not found": says("{}", status=404, Content_Type="application/json"),
    "redirect": says("", status=302, Location="http://127.0.0.1:1/"),
    "too large": says(b" " * HALF_MEGABYTE, Content_Type="application/json"),
}


@pytest.mark.parametrize("behaviour", INVALID.values(), ids=INVALID.keys())
def test_answer_that_is_not_valid(world: World, network: CheckedNetwork, shop: Asked, behaviour: Behaviour) -> None:
    assert check_refused(world, network, shop, behaviour, "0109") < QUICK


def test_duplicate_key(world: World, network: CheckedNetwork, shop: Asked) -> None:
    body = shop.body("po-twice").replace(b'"amount": "45000"', b'"amount": "45000", "amount": "45000"')
    check_refused(world, network, shop, says(body, Content_Type="application/json"), "0109")


def test_wrong_checksum(world: World, network: CheckedNetwork, shop: Asked) -> None:
    body = shop.body("po-wrong", checksum="0" * 128)
    check_refused(world, network, shop, says(body, Content_Type="application/json"), "0109")
    assert not shop.has_order("po-wrong")


def test_redirect_is_not_followed(world: World, network: CheckedNetwork, shop: Asked, stub: MerchantStub) -> None:
    elsewhere = stub.on("elsewhere", says(shop.body("po-elsewhere"), Content_Type="application/json"))
    check_refused(world, network, shop, says("", status=307, Location=elsewhere), "0109")
    assert not stub.requests_to("elsewhere")


def test_valid_answer_with_another_status(world: World, network: CheckedNetwork, shop: Asked) -> None:
    behaviour = says(shop.body("po-201"), status=201, Content_Type="application/json")
    check_refused(world, network, shop, behaviour, "0109")


def test_compressed_without_being_asked(world: World, network: CheckedNetwork, shop: Asked, stub: MerchantStub) -> None:
    body = gzip.compress(shop.body("po-gzip"))
    head = f"{JSON}\r\nContent-Encoding: gzip\r\nContent-Length: {len(body)}"
    check_refused(world, network, shop, answered_with(head, body), "0109")
    assert "accept-encoding" not in stub.requests[-1].headers


def test_too_large_without_an_end(world: World, network: CheckedNetwork, shop: Asked) -> None:
    behaviour = answered_with(JSON, b'{"CODE": "' + b"0" * HALF_MEGABYTE)
    assert check_refused(world, network, shop, behaviour, "0109") < QUICK


def test_chunked(network: CheckedNetwork, shop: Asked) -> None:
    behaviour = answered_with(f"{JSON}\r\nTransfer-Encoding: chunked", chunked(shop.body("po-chunked")))
    expect(network.lookup(shop.on(shop.reference(), behaviour)), "0000")


@pytest.mark.parametrize("content_type", ["text/plain", "text/html; charset=latin-1", ""])
def test_wrong_content_type(network: CheckedNetwork, shop: Asked, content_type: str) -> None:
    """The body says what it is."""
    behaviour = says(shop.body(f"po-{len(content_type)}"), Content_Type=content_type)
    expect(network.lookup(shop.on(shop.reference(), behaviour)), "0000")


LATE: dict[str, Behaviour] = {"says nothing": hold, "hangs in the middle": hang_in_the_middle, "drips": drip,
                              "drips its headers": drip_head}


@pytest.mark.parametrize("behaviour", LATE.values(), ids=LATE.keys())
def test_too_late(world: World, network: CheckedNetwork, shop: Asked, behaviour: Behaviour) -> None:
    """The network is answered and the merchant's connection closed at that moment."""
    exchanges: list[Exchange] = []

    def noted(exchange: Exchange) -> None:
        exchanges.append(exchange)
        behaviour(exchange)

    assert TIMEOUT <= check_refused(world, network, shop, noted, "0108") < TIMEOUT + TARDY
    wait_until(exchanges[0].transport.is_closing, "the connection to be closed")


def test_just_in_time(network: CheckedNetwork, shop: Asked) -> None:
    reference = shop.reference()
    shop.on(reference, after(TIMEOUT - 1.0, shop.offer))
    expect(network.lookup(reference), "0000")


@pytest.mark.parametrize("seconds", [TIMEOUT, TIMEOUT + 0.1])
def test_just_too_late(world: World, network: CheckedNetwork, shop: Asked, seconds: float) -> None:
    """The time runs from before the merchant has the request, so an answer after exactly as long is late."""
    reference = shop.reference()
    check_refused(world, network, shop, after(seconds, shop.offer), "0108")
    expect(network.lookup(reference), "0000")


def test_failed_query_leaves_the_order_as_it_was(world: World, network: CheckedNetwork, shop: Asked) -> None:
    reference = shop.offers(shop.reference(), "po-stays")
    expect(network.lookup(reference), "0000")
    before = shop.order("po-stays")
    for behaviour, code in ((closes, "0108"), (says("{}"), "0109"), (says(json.dumps({"CODE": "1"})), "0109")):
        shop.on(reference, behaviour)
        expect(network.lookup(reference), code)
        assert shop.order("po-stays") == before
    expect(network.register(reference, "45000", world.fresh(), shop.commerce), "0000")
