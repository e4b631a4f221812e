"""GET /v1/orders/{reference}?name=&checksum=: tricks in the path and in the query."""

import hashlib
from typing import Callable
from urllib.parse import quote

import pytest

from checked import CheckedClient, CheckedNetwork, expect, expect_bad_path
from tests.stack import Stack, raw_request
from tests.stack.client import lookup_checksum
from world import NETWORK, OTHER_NETWORK, World

pytestmark = pytest.mark.web

ENCODED = quote(NETWORK, safe="")


@pytest.fixture(scope="module")
def reference(world: World) -> str:
    return world.order().reference


@pytest.fixture
def digest(world: World, reference: str) -> str:
    return lookup_checksum(NETWORK, reference, world.hashes[NETWORK])


def escaped(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


@pytest.mark.parametrize("path", ["/v1/orders/{}", "/v1/orders/{}/", "/%761/orders/{}", "/v1/%6Frders/{}"])
@pytest.mark.parametrize("write", [str, escaped])
def test_paths_that_lead_there(client: CheckedClient, reference: str, digest: str, path: str,
                               write: Callable[[str], str]) -> None:
    expect(client.request("GET", path.format(write(reference)) + f"?name={ENCODED}&checksum={digest}"), "0000")


@pytest.mark.parametrize("path", [
    "/v1/orders", "/v1/orders/", "/v1/orders//{}", "/v1//orders/{}", "//v1/orders/{}", "/v1/orders/{}//",
    "/v1/orders/{}/x",
    "/v1/orders/x/../{}", "/v1/orders/./{}", "/v1/x/../orders/{}", "/v1/orders/%2E%2E/orders/{}", "/v1/orders/{}/.",
    "/v1/Orders/{}", "/V1/orders/{}", "/v2/orders/{}", "/orders/{}", "/v1/order/{}", "/v1/orders/{}/..",
    "/v1/orders/../orders/{}"])
def test_paths_that_lead_nowhere(client: CheckedClient, reference: str, digest: str, path: str) -> None:
    expect(client.request("GET", path.format(reference) + f"?name={ENCODED}&checksum={digest}"), "0141")


@pytest.mark.parametrize("segment", ["%2F{}", "{}%2F", "{}%2f..", "%00{}", "{}%00", "{}%", "{}%4", "{}%zz", "{}%4g",
                                     "{}%C3",
                                     "{}%C0%AF", "{}%ED%A0%80", "{}%FF", "%2F..%2F{}"])
def test_broken_escapes_in_the_path(client: CheckedClient, reference: str, digest: str, segment: str) -> None:
    path = "/v1/orders/" + segment.format(reference)
    expect_bad_path(client.request("GET", f"{path}?name={ENCODED}&checksum={digest}"))


@pytest.mark.parametrize("name", [ENCODED, ENCODED.replace("%20", "+"), ENCODED.lower().replace("red", "Red"),
                                  escaped(NETWORK)])
def test_ways_to_write_the_name(client: CheckedClient, reference: str, digest: str, name: str) -> None:
    expect(client.request("GET", f"/v1/orders/{reference}?name={name}&checksum={digest}"), "0000")


def test_name_that_is_not_escaped(stack: Stack, reference: str, digest: str) -> None:
    target = f"/v1/orders/{reference}?name={NETWORK.replace(' ', '+')}&checksum={digest}"
    answer = raw_request(stack.base_url, f"GET {target} HTTP/1.0\r\nHost: x\r\n\r\n".encode())
    assert b'"CODE":"0000"' in answer


@pytest.mark.parametrize("name", ["red ñandú 1", NETWORK + " ", " " + NETWORK, NETWORK.replace("Ñ", "N"),
                                  "Red N\u0303andu\u0301 1",
                                  "' OR '1'='1", "%", "_" * len(NETWORK), "nobody", OTHER_NETWORK])
def test_unknown_or_other_name_looks_like_a_wrong_checksum(world: World, reference: str, name: str) -> None:
    with world.connect() as liar:
        wrong = expect(liar.lookup(reference, checksum="0" * 128), "0025").text
        liar.name = name
        assert liar.lookup(reference).text == wrong


@pytest.mark.parametrize("query, code, words", [
    ("", "0011", ["name", "missing"]),
    ("checksum={digest}", "0011", ["name", "missing"]),
    ("name={name}", "0011", ["checksum", "missing"]),
    ("name=&checksum={digest}", "0011", ["name", "empty"]),
    ("name&checksum={digest}", "0011", ["name", "empty"]),
    ("Name={name}&checksum={digest}", "0011", ["name", "missing"]),
    ("name={name}&name={name}&checksum={digest}", "0011", ["name", "twice"]),
    ("name={name}&%6Eame={name}&checksum={digest}", "0011", ["name", "twice"]),
    ("name={name}&checksum={digest}&checksum={digest}", "0011", ["checksum", "twice"]),
    ("name={name}&checksum={digest}&name=", "0011", ["name", "twice"]),
    ("name={name}%&checksum={digest}", "0011", ["name", "percent-encoding"]),
    ("name={name}%4&checksum={digest}", "0011", ["name", "percent-encoding"]),
    ("name={name}%zz&checksum={digest}", "0011", ["name", "percent-encoding"]),
    ("name={name}%00&checksum={digest}", "0011", ["name", "percent-encoding"]),
    ("name={name}%FF&checksum={digest}", "0011", ["name", "percent-encoding"]),
    ("name={name}%0A&checksum={digest}", "0011", ["name", "control"]),
    ("name=%7F{name}&checksum={digest}", "0011", ["name", "control"]),
    ("name=" + "a" * 41 + "&checksum={digest}", "0011", ["name", "long"]),
    ("name=" + "%C3%B1" * 41 + "&checksum={digest}", "0011", ["name", "long"]),
    ("name=" + "%C3%B1" * 40 + "&checksum={digest}", "0025", []),
    ("name={name};checksum={digest}", "0011", []),
    ("name={name}&checksum=", "0025", []),
    ("name={name}&checksum=%00", "0011", ["checksum", "percent-encoding"]),
    ("name={name}&checksum={digest}", "0000", []),
    ("checksum={digest}&name={name}", "0000", []),
    ("&&name={name}&&checksum={digest}&", "0000", []),
    ("x=1&name={name}&y&checksum={digest}&NAME=z&x=2&=&%zz=1", "0000", []),
    ("name={name}&checksum={digest}&amount=0&reference=1", "0000", [])])
def test_queries(client: CheckedClient, reference: str, digest: str, query: str, code: str, words: list[str]) -> None:
    query = query.format(name=ENCODED, digest=digest)
    expect(client.request("GET", f"/v1/orders/{reference}?{query}"), code, *words)


def wrong_digests(world: World, reference: str, digest: str) -> dict[str, str]:
    fixed_hash = world.hashes[NETWORK]
    flipped = digest[:-1] + ("0" if digest[-1] != "0" else "1")
    return {
        "last digit": flipped, "first digit": ("0" if digest[0] != "0" else "1") + digest[1:],
        "one short": digest[:-1], "two short": digest[:-2], "one more": digest + "0", "two more": digest + "00",
        "twice": digest * 2, "no hex": digest[:-1] + "g", "blank in it": digest[:-1] + " ",
        "blank before": " " + digest,
        "zeros": "0" * 128, "0x": "0x" + digest[2:], "full-width": digest[:-1] + "０",
        "sha256": hashlib.sha256((NETWORK + reference + fixed_hash).encode()).hexdigest(),
        "other reference": lookup_checksum(NETWORK, reference + "0", fixed_hash),
        "other network's": lookup_checksum(NETWORK, reference, world.hashes[OTHER_NETWORK]),
        "other order": lookup_checksum(reference, NETWORK, fixed_hash),
        "no secret": lookup_checksum(NETWORK, reference, "")}


def test_wrong_digests(world: World, network: CheckedNetwork, reference: str, digest: str) -> None:
    for what, wrong in wrong_digests(world, reference, digest).items():
        assert network.lookup(reference, checksum=wrong).code == "0025", what


@pytest.mark.parametrize("change", [str.upper, str.lower, str.title])
def test_case_of_the_digest(network: CheckedNetwork, reference: str, digest: str,
                            change: Callable[[str], str]) -> None:
    expect(network.lookup(reference, checksum=change(digest)), "0000")


def test_checksum_is_judged_before_the_reference(network: CheckedNetwork) -> None:
    expect(network.lookup("1", checksum="0" * 128), "0025")
