"""What nginx answers by itself has the form of every other reply."""

import json
import os
import re
import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from typing import Iterator

import pytest

from checked import CheckedClient, CheckedNetwork, expect, reply_in
from tests.stack import Client, Reply, Stack, raw_request, wait_until
from tests.stack.client import sha512
from world import World

BAD_HTTP = {
    "garbage": (b"GARBAGE\r\n\r\n", 400, "0140"),
    "binary": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, "0140"),
    "no host": (b"GET /v1/orders/1 HTTP/1.1\r\n\r\n", 400, "0140"),
    "two hosts": (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "0140"),
    "method in lower case": (b"get / HTTP/1.1\r\nHost: x\r\n\r\n", 400, "0140"),
    "header without name": (b"GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n", 400, "0140"),
    "NUL in the path": (b"GET /v1/orders/\x00 HTTP/1.1\r\nHost: x\r\n\r\n", 400, "0140"),
    "escaped NUL": (b"GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n", 400, "0140"),
    "broken escape": (b"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400, "0140"),
    "above the root": (b"GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", 400, "0140"),
    "length is no number": (b"POST /v1/transactions/ HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n", 400, "0140"),
    "length is negative": (b"POST /v1/transactions/ HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400, "0140"),
    "two lengths": (b"POST /v1/transactions/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
                    400, "0140"),
    "length and chunks": (b"POST /v1/transactions/ HTTP/1.1\r\nHost: x\r\n"
                          b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
                          b"2\r\n{}\r\n0\r\n\r\n", 400, "0140"),
    "bad chunk": (b"POST /v1/transactions/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400,
                  "0140"),
    "bad chunk for nobody": (b"POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "0140"),
    "bad chunk for nginx itself": (b"TRACE /v1/porders HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "0140"),
    "unknown transfer encoding": (b"POST /v1/transactions/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: rot13\r\n\r\n",
                                  501, "0140"),
    "long address": (b"GET /v1/orders/" + b"1" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414, "0140"),
    "long query": (b"GET /v1/orders/1?name=" + b"x" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414, "0140"),
    "long header": (b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 9000 + b"\r\n\r\n", 431, "0140"),
    "many headers": (b"GET / HTTP/1.1\r\nHost: x\r\n" + (b"X-Long: " + b"x" * 1000 + b"\r\n") * 60 + b"\r\n", 431,
                     "0140"),
    "unknown version": (b"GET / HTTP/3.0\r\nHost: x\r\n\r\n", 505, "0140"),
    "TRACE": (b"TRACE / HTTP/1.1\r\nHost: x\r\n\r\n", 405, "0142"),
    "CONNECT": (b"CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n", 400, "0140"),
    "no such route": (b"GET / HTTP/1.0\r\n\r\n", 404, "0141")}


@pytest.mark.parametrize("sent, status, code", BAD_HTTP.values(), ids=BAD_HTTP.keys())
def test_bad_http(stack: Stack, world: World, sent: bytes, status: int, code: str) -> None:
    with world.nothing_written():
        reply = expect(reply_in(raw_request(stack.base_url, sent)), code)
    assert reply.status == status


def test_large_body_announced(client: CheckedClient) -> None:
    """It is refused before it is sent."""
    headers = {"Content-Type": "application/json", "Content-Length": "99999999999"}
    assert expect(client.request("POST", "/v1/transactions/", b"", headers), "0144").status == 413


def test_a_client_that_only_ends_its_sending_gets_the_reply(stack: Stack, world: World, network: CheckedNetwork) -> None:
    """Although the web server knows that it does before the worker has answered."""
    order = world.order()
    fields = network.confirmation(world.register(network, order), True)
    body = json.dumps(fields).encode()
    sent = (b"PATCH /v1/transactions/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
            b"Content-Length: %d\r\n\r\n" % len(body)) + body
    with ThreadPoolExecutor(1) as thread, closing(stack.mariadb.connect()) as blocker, blocker.cursor() as cursor:
        blocker.begin()
        cursor.execute("SELECT id FROM orders WHERE id = %s FOR UPDATE", [order.id])
        answer = thread.submit(raw_request, stack.base_url, sent, end_sending=True)
        world.await_lock_wait()
        blocker.rollback()
        assert fields["transaction"] in expect(reply_in(answer.result(60)), "0000").text


def test_server_does_not_tell_its_version(client: CheckedClient) -> None:
    assert client.request("GET", "/").headers["Server"] == "nginx"


def test_rate_limit() -> None:
    """Ten requests at once against a limit of one per minute and three more."""
    with Stack(dispatcher=False, buffer_pool="16M", rate="1r/m", burst=3) as limited:
        with CheckedClient(limited.base_url) as client:
            replies = [client.request("GET", "/v1/orders/1") for _ in range(10)]
            refused = [reply for reply in replies if reply.code == "0145"]
            assert len(refused) in (5, 6)
            assert {(reply.status, reply.headers["Retry-After"]) for reply in refused} == {(429, "1")}
            assert {reply.code for reply in replies} == {"0145", "0011"}
            expect(client.request("GET", "/healthz"), "0000")
        with Client(limited.base_url) as browser:
            (page, *_) = [page for page in (browser.request("GET", "/pay") for _ in range(6)) if page.status == 429]
            check_page(page, "0145")
            assert page.headers["Retry-After"] == "1"


# Callers by their addresses, 12 each, and how many of them share a limit of 1 and three more.
SHARED = {"all of a network of IPv6": ([f"2001:db8:1:2:{last:x}::{last:x}" for last in range(1, 13)], 1),
          "each its network of IPv6": ([f"2001:db8:2:{last:x}::1" for last in range(1, 13)], 12),
          "each its own of IPv4": ([f"192.0.2.{last}" for last in range(1, 13)], 12),
          "IPv4 in the form of IPv6": ([f"::ffff:192.0.2.{last}" for last in range(101, 113)], 12),
          "with bytes that are line feeds": ([f"2001:a0a:a0a:a0a:{last:x}::a0a" for last in range(1, 13)], 1)}


def test_whose_limit_an_address_uses_up() -> None:
    with Stack(dispatcher=False, buffer_pool="16M", rate="1r/m", burst=3, trusted_proxy="127.0.0.1") as limited:
        with Client(limited.base_url) as client:
            for what, (addresses, limits) in SHARED.items():
                replies = [client.request("GET", "/v1/orders/1", headers={"X-Forwarded-For": address}) for address in addresses]
                taken = sum(reply.status != 429 for reply in replies)
                assert taken == 12 if limits == 12 else 4 <= taken <= 6, (what, taken)


def check_page(page: Reply, code: str) -> None:
    """What customers' browsers get instead of JSON."""
    assert (page.headers["X-Recaudo-Code"], page.headers["Content-Type"]) == (code, "text/html; charset=utf-8")
    assert page.text.startswith("<!DOCTYPE html>") and "Try again in a moment" in page.text


def test_bad_http_for_the_slip(stack: Stack) -> None:
    for rest, status in ((b"x" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", b"414"), (b"x HTTP/1.1\r\n\r\n", b"400")):
        for address in (b"/pay?token=", b"http://x/pay?token=", b"http://x?token="):
            answer = raw_request(stack.base_url, b"GET " + address + rest)
            assert answer.startswith(b"HTTP/1.1 " + status) and b"<!DOCTYPE html>" in answer
            assert b"X-Recaudo-Code: 0140\r\n" in answer


@pytest.mark.parametrize("address", ["/v1/porders", "http://x/v1/porders", "https://x:443/api/v3/porders/1"])
def test_bad_http_for_merchants(stack: Stack, address: str) -> None:
    """Their clients read DESC, also where they write the address whole."""
    answer = raw_request(stack.base_url, f"POST {address} HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n".encode())
    reply = json.loads(answer.partition(b"\r\n\r\n")[2])
    assert (reply["CODE"], reply["DESC"]) == ("0140", reply["TEXT"])


@pytest.fixture(scope="module")
def small() -> Iterator[Stack]:
    with Stack(dispatcher=False, buffer_pool="16M") as small:
        yield small


def check_digest_is_not_logged(small: Stack, number: str, digest: str) -> None:
    wait_until(lambda: number in small.web.access_log.read_text(), "the access log")
    assert digest not in small.web.access_log.read_text() + small.web.log.read_text()


def test_no_worker(small: Stack) -> None:
    small.worker.stop()
    try:
        with CheckedClient(small.base_url) as client:
            for method, path in (("GET", "/v1/orders/1?name=x&checksum=y"), ("POST", "/v1/transactions/"),
                                 ("PATCH", "/v1/transactions/"), ("GET", "/healthz"), ("GET", "/readyz"),
                                 ("POST", "/v1/porders"), ("PATCH", "/api/v3/porders/"),
                                 ("DELETE", "/api/v3/porders/1?merchant=x&checksum=y")):
                reply = expect(client.request(method, path, b"{}", {"Content-Type": "application/json"}), "0028")
                assert (reply.status, reply.headers["Retry-After"]) == (502, "1")
            expect(client.request("GET", "/nowhere"), "0141")
            digest = sha512(small.base_url)
            reply = expect(client.request("GET", f"/v1/orders/1?name=x&checksum={digest}"), "0028")
        check_digest_is_not_logged(small, reply.headers["X-Request-Id"], digest)
    finally:
        small.worker.start()
    with CheckedClient(small.base_url) as client:
        expect(client.request("GET", "/healthz"), "0000")


def signal_all(processes: list[int], number: signal.Signals) -> None:
    for process in processes:
        os.kill(process, number)


@pytest.mark.slow
def test_worker_that_does_not_answer(small: Stack) -> None:
    """A request is sent once, and given up after eight seconds."""
    frozen = [small.worker.pid, *small.worker.children()]
    signal_all(frozen, signal.SIGSTOP)
    try:
        with CheckedClient(small.base_url) as client:
            digest = sha512(small.base_url)
            reply = expect(client.request("GET", f"/v1/orders/1?name=x&checksum={digest}"), "0028")
        assert reply.status == 504
        check_digest_is_not_logged(small, reply.headers["X-Request-Id"], digest)
    finally:
        signal_all(frozen, signal.SIGCONT)


def codes_of_a_crowd(stack: Stack) -> set[tuple[int, str]]:
    """What eight who come at once get; nginx closes idle connections to have one for them."""
    found = set()
    with ExitStack() as opened:
        crowd = [opened.enter_context(closing(socket.create_connection((stack.web.address, stack.web.port), 10))) for _ in range(8)]
        for someone in crowd:
            with suppress(OSError):
                someone.sendall(b"GET /v1/orders/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        for someone in crowd:
            with suppress(OSError):
                told = someone.makefile("rb").read().decode()
                if told:
                    found.add((int(told.split()[1]), re.findall('"CODE":"([0-9]+)"', told)[-1]))
    return found


def test_no_connection_is_left_for_the_worker() -> None:
    """Try again in a moment: it is no error of a worker, and no worker's log has it."""
    with Stack(dispatcher=False, buffer_pool="16M", web="nginx") as stack:
        main = stack.web.directory / "nginx.conf"
        main.write_text(re.sub(r"worker_connections \d+", "worker_connections 7", main.read_text()))
        stack.web.process.restart()
        found: set[tuple[int, str]] = set()

        def one_has_none() -> bool:
            found.update(codes_of_a_crowd(stack))
            return any(status >= 500 for status, _ in found)

        wait_until(one_has_none, "nginx to have no connection left")
        assert {(status, code) for status, code in found if status >= 500} == {(503, "0028")}
