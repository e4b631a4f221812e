"""What is written down about requests: enough to follow each, never a secret."""

import re
from pathlib import Path

import pytest

from checked import CheckedMerchant, CheckedNetwork, expect, reply_in, secrets_used
from tests.stack import Stack, raw_request, wait_until
from tests.stack.client import sha512
from world import COMMERCE, MERCHANT, NETWORK, World

pytestmark = pytest.mark.web


def line_of(log: Path, request_id: str) -> str:
    """The line about one request; the log may be a moment behind the reply."""
    def found() -> str | None:
        lines = [line for line in log.read_text().splitlines() if request_id in line]
        assert len(lines) <= 1
        return lines[0] if lines else None

    return wait_until(found, f"{request_id} in {log.name}")


def test_worker_logs_one_line_per_request(stack: Stack, world: World, network: CheckedNetwork) -> None:
    replies = {"/v1/orders/{}": network.lookup("1"),
               "/v1/transactions": network.register(world.order().reference, "1", world.fresh(), COMMERCE)}
    for route, reply in replies.items():
        line = line_of(stack.worker.log, reply.headers["X-Request-Id"])
        for part in (f"route={route}", f'network="{NETWORK}"', f"code={reply.code}", f"http={reply.status}"):
            assert part in line
        assert re.search(r" ms=[0-9]+\.[0-9]{3}\b", line)


def test_worker_logs_merchants_too(stack: Stack, merchant: CheckedMerchant) -> None:
    reply = expect(merchant.consult("none"), "0041")
    line = line_of(stack.worker.log, reply.headers["X-Request-Id"])
    for part in ("route=/v1/porders/{}", f'merchant="{MERCHANT}"', "code=0041"):
        assert part in line


def test_worker_logs_whom_a_wrong_checksum_names(stack: Stack, network: CheckedNetwork) -> None:
    """So that the operator knows whom to ask; a name that nobody has tells nothing."""
    network.fixed_hash = "0" * 64
    for name, told in ((NETWORK, f' said_network="{NETWORK}" '), ("nobody", ' network="" ')):
        network.name = name
        reply = expect(network.lookup("1"), "0025")
        assert told in line_of(stack.worker.log, reply.headers["X-Request-Id"])


def test_worker_logs_whose_secret_does_not_open(world: World, stack: Stack) -> None:
    """By name, and with what mends it."""
    world.add_network("of another key")
    world.write("UPDATE networks n JOIN networks other ON other.name = %s SET n.fixed_hash = other.fixed_hash"
                " WHERE n.name = 'of another key'", NETWORK)
    with world.connect("of another key") as network:
        expect(network.lookup("1"), "0009")
    line = "the FIXED_HASH of network of another key cannot be decrypted: encrypted with another key, or damaged;" \
           " restore the copy of the key file, then recaudoctl config check"
    wait_until(lambda: line in stack.worker.log_text(), "the line")


def test_access_log(stack: Stack, network: CheckedNetwork) -> None:
    reply = network.lookup("1")
    line = line_of(stack.web.access_log, reply.headers["X-Request-Id"])
    assert '"GET /v1/orders/1" 200 code=0101' in line


def test_access_log_of_an_address_that_is_written_whole(stack: Stack) -> None:
    """The path without what could hold a secret, as of any other."""
    request = "GET http://x:80/v1/orders/1?name=x&checksum=y HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    reply = reply_in(raw_request(stack.base_url, request.encode()))
    line = line_of(stack.web.access_log, reply.headers["X-Request-Id"])
    assert '"GET /v1/orders/1" ' in line and "checksum" not in line


def test_text_of_a_request_cannot_break_a_line(stack: Stack, network: CheckedNetwork) -> None:
    """A name with a quotation mark stays inside its quotation marks."""
    network.name = 'x" code=0000 http=200 "'
    reply = expect(network.lookup("1"), "0025")
    line = line_of(stack.worker.log, reply.headers["X-Request-Id"])
    assert ' code=0025 ' in line and line.count(" code=") == 1


BAD_REQUESTS = {
    "broken escape": "GET /v1/orders/%zz?checksum={} HTTP/1.1\r\nHost: x\r\n\r\n",
    "above the root": "GET /../..?checksum={} HTTP/1.1\r\nHost: x\r\n\r\n",
    "no host": "GET /v1/orders/1?checksum={} HTTP/1.1\r\n\r\n",
    "header without name": "GET /v1/orders/1?checksum={} HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n",
    "no space behind the method": "GET/v1/orders/1?checksum={} HTTP/1.1\r\nHost: x\r\n\r\n",
    "method that is none": "GET-{} / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "long query": "GET /v1/orders/1?checksum={}" + "x" * 9000 + " HTTP/1.1\r\nHost: x\r\n\r\n",
    "large body": "GET /v1/orders/1?checksum={} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 99999\r\n\r\n",
    "referer": "GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\nReferer: http://x/?checksum={}\r\n\r\n"}


@pytest.mark.parametrize("request_text", BAD_REQUESTS.values(), ids=BAD_REQUESTS.keys())
def test_bad_request_leaves_no_digest(stack: Stack, world: World, request_text: str) -> None:
    """Of what the web server refuses by itself its logs repeat the address at most, never the query."""
    digest = sha512(world.fresh())
    lines = stack.web.access_log.read_text().count("\n")
    answer = raw_request(stack.base_url, request_text.format(digest).encode(), end_sending=True)
    assert answer.startswith(b"HTTP/1.1 4")
    wait_until(lambda: stack.web.access_log.read_text().count("\n") > lines, "the request in the access log")
    assert digest not in stack.web.access_log.read_text() + stack.web.log.read_text()


@pytest.mark.parametrize("question", ["%3F", "%3f", "/%3F", "&", ";", "/token/"])
def test_slip_address_that_was_mangled(stack: Stack, world: World, question: str) -> None:
    """A program that handles the address badly on its way to the customer sends the token as a part of the path."""
    token = str(world.order_row(world.order())["token"])
    lines = stack.web.access_log.read_text().count("\n")
    answer = raw_request(stack.base_url, f"GET /pay{question}token={token} HTTP/1.0\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 404")
    wait_until(lambda: stack.web.access_log.read_text().count("\n") > lines, "the request in the access log")
    assert token not in stack.web.access_log.read_text() + stack.web.log.read_text() + stack.worker.log_text()


@pytest.mark.last
def test_no_secret_in_any_log(stack: Stack, world: World, network: CheckedNetwork) -> None:
    """Over everything that this run has sent."""
    expect(network.lookup("1"), "0101")
    expect(network.register("1", "1", world.fresh(), COMMERCE), "0101")
    expect(network.confirm(world.fresh()), "0013")
    expect(network.request("GET", "/nowhere" + network.lookup_path("1")), "0141")
    line_of(stack.worker.log, network.lookup("1").headers["X-Request-Id"])
    known = {secret.lower() for secret in secrets_used}
    assert network.fixed_hash.lower() in known and len(known) > 3
    for log in (stack.worker.log, stack.web.access_log, stack.web.log, stack.mariadb.log):
        text = log.read_text(errors="replace").lower()
        assert known.isdisjoint(re.findall(r"[0-9a-f]{40,}", text)), log
        hashes = {**world.hashes, **world.merchant_hashes}
        assert [name for name, secret in hashes.items() if secret.lower() in text] == [], log
