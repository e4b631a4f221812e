"""What Apache answers by itself has the form of every other reply."""

import pytest

from checked import CheckedClient, expect, reply_in
from tests.stack import Client, Stack, raw_request
from tests.stack.client import sha512
from world import World

pytestmark = pytest.mark.web

HEAD = b"POST /v1/transactions/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
CHUNKED_HEAD = HEAD + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
CHUNK, LAST_CHUNK = b"%x\r\n%s\r\n", b"0\r\n\r\n"
SPOOLED = 65536  # what Apache may write to a file of a body in chunks

BAD_HTTP = {
    "garbage": (b"GARBAGE\r\n\r\n", 400, "0140"),
    "binary": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 400, "0140"),
    "no host": (b"GET /v1/orders/1 HTTP/1.1\r\n\r\n", 400, "0140"),
    "two hosts": (b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400, "0140"),
    "header without name": (b"GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n", 400, "0140"),
    "header without name, for the slip": (b"GET /pay?token=x HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n", 400, "0140"),
    "NUL in the path": (b"GET /v1/orders/\x00 HTTP/1.1\r\nHost: x\r\n\r\n", 400, "0140"),
    "broken escape": (b"GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400, "0140"),
    "above the root": (b"GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n", 400, "0140"),
    "length is no number": (b"POST /v1/transactions/ HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n", 400, "0140"),
    "bad chunk": (b"POST /v1/transactions/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                  b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400, "0140"),
    "unknown transfer encoding": (b"POST /v1/transactions/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: rot13\r\n\r\n",
                                  400, "0140"),
    "long address": (b"GET /v1/orders/" + b"1" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414, "0140"),
    "long query": (b"GET /v1/orders/1?name=" + b"x" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 414, "0140"),
    "long header": (b"GET / HTTP/1.1\r\nHost: x\r\nX-Long: " + b"x" * 9000 + b"\r\n\r\n", 400, "0140"),
    "many headers": (b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X-Long: x\r\n" * 60 + b"\r\n", 400, "0140"),
    "unknown expectation": (b"GET /v1/orders/1 HTTP/1.1\r\nHost: x\r\nExpect: y\r\nConnection: close\r\n\r\n", 417, "0140"),
    "OPTIONS of no address": (b"OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 400, "0140"),
    "TRACE": (b"TRACE /v1/orders/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", 405, "0142"),
    "no such route": (b"GET / HTTP/1.0\r\n\r\n", 404, "0141")}


@pytest.mark.parametrize("sent, status, code", BAD_HTTP.values(), ids=BAD_HTTP.keys())
def test_bad_http(stack: Stack, world: World, sent: bytes, status: int, code: str) -> None:
    with world.nothing_written():
        reply = expect(reply_in(raw_request(stack.base_url, sent)), code)
    assert reply.status == status


def test_trace_is_refused_as_the_callers_of_an_address_read_it(stack: Stack) -> None:
    for path, words in (("/v1/porders", b'"DESC":"method not allowed"'), ("/pay?token=x", b"<!DOCTYPE html>")):
        answer = raw_request(stack.base_url, f"TRACE {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        assert answer.startswith(b"HTTP/1.1 405 ") and b"X-Recaudo-Code: 0142" in answer and words in answer, path


@pytest.mark.parametrize("path", ["/server-status", "/server-status?auto", "/dpkg/status", "/apache2/README", "/v1", "/pay/x", "/healthz/x"])
def test_nothing_but_our_routes_is_there(client: CheckedClient, path: str) -> None:
    """Debian enables mod_status, here as there. It would show whoever asks which addresses were asked for."""
    assert expect(client.request("GET", path), "0141").status == 404


def test_chunks_beside_a_length(stack: Stack, world: World) -> None:
    """The chunks count, and the connection ends: what follows is no second request. nginx refuses such a request."""
    body = b'{"name": "nobody"}'
    sent = HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n" + CHUNK % (len(body), body) + LAST_CHUNK
    with world.nothing_written():
        answer = raw_request(stack.base_url, sent + b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    expect(reply_in(answer), "0011")
    assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("end", [LAST_CHUNK, b""], ids=["whole", "goes on"])
def test_a_body_in_chunks_is_bounded(stack: Stack, end: bytes) -> None:
    """It would be written to a file before a worker is asked, as long as it goes on."""
    sent = CHUNKED_HEAD + CHUNK % (SPOOLED, b"x" * SPOOLED) * 4 + end
    assert expect(reply_in(raw_request(stack.base_url, sent)), "0140").status == 400


def test_without_mod_qos_no_body_comes_in_chunks() -> None:
    stack = Stack(dispatcher=False, buffer_pool="16M")
    stack.web.modules = tuple(name for name in stack.web.modules if name != "qos")  # type: ignore[union-attr]
    with stack:
        for end in (CHUNK % (2, b"{}") + LAST_CHUNK, CHUNK % (SPOOLED, b"x" * SPOOLED)):
            assert expect(reply_in(raw_request(stack.base_url, CHUNKED_HEAD + end)), "0140").status == 411
        with CheckedClient(stack.base_url) as client:
            expect(client.request("POST", "/v1/transactions/", b"{}", {"Content-Type": "application/json"}), "0011")


@pytest.mark.parametrize("path", ["/v1/orders/1?name=x&checksum=y", "/pay?token=x", "/metrics", "/nowhere"])
def test_nothing_is_compressed(stack: Stack, path: str) -> None:
    """Debian compresses what has these types, here as there; caches need not tell replies apart either."""
    with Client(stack.base_url) as client:
        reply = client.request("GET", path, headers={"Accept-Encoding": "gzip, br"})
    assert "Content-Encoding" not in reply.headers and "Vary" not in reply.headers


def test_large_body_announced(client: CheckedClient) -> None:
    headers = {"Content-Type": "application/json", "Content-Length": "99999999999"}
    assert expect(client.request("POST", "/v1/transactions/", b"", headers), "0144").status == 413


def test_server_does_not_tell_its_version(client: CheckedClient) -> None:
    assert client.request("GET", "/").headers["Server"] == "Apache"


def test_no_worker() -> None:
    with Stack(dispatcher=False, buffer_pool="16M") as stack:
        stack.worker.stop()
        with CheckedClient(stack.base_url) as client:
            for method, path in (("GET", "/v1/orders/1?name=x&checksum=y"), ("POST", "/v1/transactions/"),
                                 ("PATCH", "/v1/transactions/"), ("GET", "/healthz"), ("GET", "/readyz"),
                                 ("POST", "/v1/porders"), ("PATCH", "/api/v3/porders/"),
                                 ("DELETE", "/api/v3/porders/1?merchant=x&checksum=y")):
                reply = expect(client.request(method, path, b"{}", {"Content-Type": "application/json"}), "0028")
                assert (reply.status, reply.headers["Retry-After"]) == (503, "1")
            digest = sha512(stack.base_url)
            expect(client.request("GET", f"/v1/orders/1?name=x&checksum={digest}"), "0028")
        why = [line for line in stack.web.log.read_text().splitlines() if "[proxy" in line]
        assert len(why) == 9 and all("Connection refused" in line or "No such file" in line for line in why)  # one for each request
        assert digest not in stack.web.access_log.read_text() + stack.web.log.read_text()
        stack.worker.start()
        with CheckedClient(stack.base_url) as client:
            expect(client.request("GET", "/healthz"), "0000")
