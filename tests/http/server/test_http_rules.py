"""Media types, methods, routes and sizes: requests that never become an operation."""

import json
import socket
import time
from contextlib import ExitStack

import pytest

from checked import CheckedClient, CheckedNetwork, expect, expect_bad_path, reply_in
from tests.stack import Stack, raw_request
from world import COMMERCE, World

pytestmark = pytest.mark.web

LIMIT = 16384
TRANSACTIONS = "/v1/transactions/"
HEAD = b"POST /v1/transactions/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
MANY = 40
CHUNKED_HEAD = HEAD + b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.fixture
def body(world: World, network: CheckedNetwork) -> bytes:
    """A registration that would be accepted."""
    return json.dumps(network.registration(world.order().reference, "45000", world.fresh(), COMMERCE)).encode()


@pytest.mark.parametrize("media", [None, "", "text/plain", "text/json", "application/x-www-form-urlencoded",
                                   "application/jsonx",
                                   "application/json-patch+json", "application/vnd.x+json", "application/xml", "json",
                                   "multipart/form-data; boundary=x", "text/plain; application/json",
                                   "application/json, text/plain",
                                   "application /json"])
@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_wrong_media_type(world: World, network: CheckedNetwork, body: bytes, media: str | None, method: str) -> None:
    headers = {} if media is None else {"Content-Type": media}
    with world.nothing_written():
        reply = network.request(method, TRANSACTIONS, body, headers)
    assert expect(reply, "0143").status == 415


@pytest.mark.parametrize("media", ["application/json", "application/json; charset=utf-8",
                                   "application/json;charset=UTF-8",
                                   "Application/JSON", " application/json ", "application/json ; charset=utf-8",
                                   "application/json;"])
def test_right_media_type(network: CheckedNetwork, body: bytes, media: str) -> None:
    expect(network.request("POST", TRANSACTIONS, body, {"Content-Type": media}), "0000")


@pytest.mark.parametrize("media", ["text/plain", "application/json", None])
def test_lookup_takes_any_media_type(world: World, network: CheckedNetwork, media: str | None) -> None:
    headers = {} if media is None else {"Content-Type": media}
    path = network.lookup_path(world.order().reference)
    expect(network.request("GET", path, b"[]", headers), "0000")
    expect(network.request("GET", path, None, headers), "0000")


@pytest.mark.parametrize("path", [TRANSACTIONS, "/v1/transactions", "/v1/%74ransactions/"])
def test_slash_at_the_end_is_optional(network: CheckedNetwork, body: bytes, path: str) -> None:
    expect(network.request("POST", path, body, {"Content-Type": "application/json"}), "0000")
    transaction = json.loads(body)["transaction"]
    confirmation = json.dumps(network.confirmation(transaction, False))
    expect(network.request("PATCH", path, confirmation, {"Content-Type": "application/json"}), "0000")


def test_query_of_a_registration_is_ignored(network: CheckedNetwork, body: bytes) -> None:
    expect(network.request("POST", TRANSACTIONS + "?name=x&checksum=y", body, {"Content-Type": "application/json"}),
           "0000")


@pytest.mark.parametrize("path, right",
                         [(TRANSACTIONS, ["POST", "PATCH"]), ("/v1/orders/1", ["GET"]), ("/healthz", ["GET", "HEAD"]),
                                         ("/readyz", ["GET", "HEAD"])])
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "FOO", "PROPFIND"])
def test_methods(world: World, client: CheckedClient, path: str, right: list[str], method: str) -> None:
    if method in right:
        assert client.request(method, path).status != 405
        return
    with world.nothing_written():
        reply = expect(client.request(method, path, b"{}", {"Content-Type": "application/json"}), "0142")
    assert reply.status == 405
    assert reply.headers["Allow"].split(", ") == right
    assert reply.json["TEXT"] == f"method not allowed: this address takes {', '.join(right)}"


@pytest.mark.parametrize("path", [TRANSACTIONS, "/v1/porders", "/api/v3/porders/", "http://x/v1/porders"])
@pytest.mark.parametrize("method", ["patch", "Post"])
def test_method_in_small_letters(stack: Stack, world: World, path: str, method: str) -> None:
    """As JavaScript's fetch sends `patch`: nginx takes it for no HTTP, Apache for a method like any other. The reply names the right form."""
    head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n"
    with world.nothing_written():
        reply = reply_in(raw_request(stack.base_url, head.encode() + b"{}"))
    expect(reply, "0142" if reply.headers["Server"] == "Apache" else "0140", "PATCH")
    assert "in capital letters" in reply.json["TEXT"]
    assert reply.json.get("DESC") == (reply.json["TEXT"] if "porders" in path else None)


@pytest.mark.parametrize("path, right", [("/pay?token=x", "GET, HEAD"), ("/?token=x", "GET, HEAD"), ("/metrics", "GET, HEAD"), ("/healthz/", "GET, HEAD"),
                                         ("/v1/orders/1", "GET"), (TRANSACTIONS, "POST, PATCH"), ("/v1/porders", "POST, PATCH"),
                                         ("/api/v3/porders/x", "GET, DELETE"), ("/v1/porders/x/refund", "POST"), ("/v1/wporders/", "POST"),
                                         ("/api/v3/wpkeys", "POST")])
@pytest.mark.parametrize("host", ["", "http://x", "HTTP://x:80"])
@pytest.mark.nginx
def test_what_the_web_server_refuses_names_the_methods_of_the_address(stack: Stack, path: str, right: str, host: str) -> None:
    answer = raw_request(stack.base_url, f"TRACE {host}{path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    lines = answer.partition(b"\r\n\r\n")[0].decode().split("\r\n")
    assert lines[0] == "HTTP/1.1 405 Method Not Allowed" or lines[0] == "HTTP/1.1 405 Not Allowed"
    assert [line for line in lines if line.startswith("Allow:")] == [f"Allow: {right}"]


@pytest.mark.parametrize("path", ["/healthz", "/v1/orders/1?name=x&checksum=y", "/api/v3/porders/1", "/nowhere"])
def test_address_that_is_written_whole(stack: Stack, path: str) -> None:
    """RFC 9112, section 3.2.2: a server takes it."""
    said = {}
    for address in (path, f"http://x{path}", f"HTTP://x:80{path}"):
        answer = raw_request(stack.base_url, f"GET {address} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        said[address] = [answer.split(b"\r\n", 1)[0], answer.partition(b"\r\n\r\n")[2]]
    assert said[f"http://x{path}"] == said[f"HTTP://x:80{path}"] == said[path]


@pytest.mark.parametrize("path", [TRANSACTIONS, "/v1/orders/1"])
def test_head(client: CheckedClient, path: str) -> None:
    reply = client.request("HEAD", path)
    assert (reply.status, reply.headers["X-Recaudo-Code"], reply.text) == (405, "0142", "")


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/pay?token=0"])
def test_head_is_get_without_a_body(stack: Stack, path: str) -> None:
    """Twice on one connection: nothing of a body is left over for the next reply."""
    with stack.client() as client:
        got, *asked = [client.request(method, path) for method in ("GET", "HEAD", "HEAD")]
    for reply in asked:
        assert (reply.status, reply.text) == (got.status, "")
        for name in ("Content-Type", "X-Recaudo-Code"):
            assert reply.headers[name] == got.headers[name]


@pytest.mark.parametrize("path, line", [("/healthz", "HTTP/1.1 200 OK"), ("/nowhere", "HTTP/1.1 404 Not Found"),
                                        (TRANSACTIONS, "HTTP/1.1 405 Method Not Allowed")])
def test_status_line_has_its_reason(stack: Stack, path: str, line: str) -> None:
    """RFC 9112, section 4: a client may insist on the space behind the status."""
    answer = raw_request(stack.base_url, f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    assert answer.split(b"\r\n", 1)[0].decode() == line


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/", "/v1//", "/v1/transaction", "/v1/transactions/1",
                                  "/v1/transactions//", "/v1/Transactions/",
                                  "/V1/transactions", "/v2/transactions", "/transactions", "/v1/accounts/1",
                                  "/index.html", "/favicon.ico",
                                  "/.git/config", "/v1/transactions/../transactions", "/v1/./transactions/",
                                  "/v1/transactions.json",
                                  "/healthz/x", "/v1/healthz", "/api", "/api/v3", "/api/v3/transactions/", "/refusal",
                                  "/nginx_status",
                                  "/v1/transactions;x=1", "/v1/%09", "/v1/%3Cscript%3E"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_no_such_route(world: World, client: CheckedClient, path: str, method: str) -> None:
    with world.nothing_written():
        reply = client.request(method, path, b"{}" if method == "POST" else None, {"Content-Type": "application/json"})
    assert expect(reply, "0141").status == 404


@pytest.mark.parametrize("path", ["/v1/transactions%2F", "/v1%2Ftransactions/", "/v1/transactions/%00", "/v1/%zz",
                                  "/v1/transactions%",
                                  "/v1/%FF", "/v1/%C0%AE%C0%AE/"])
def test_broken_paths(client: CheckedClient, body: bytes, path: str) -> None:
    expect_bad_path(client.request("POST", path, body, {"Content-Type": "application/json"}))


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/healthz/", "/readyz/"])
def test_health(world: World, client: CheckedClient, path: str) -> None:
    world.dispatch()
    assert expect(client.request("GET", path), "0000").status == 200


@pytest.mark.parametrize("size, status, code",
                         [(LIMIT - 1, 200, "0000"), (LIMIT, 200, "0000"), (LIMIT + 1, 413, "0144"),
                                                (LIMIT + 2, 413, "0144"), (1_000_000, 413, "0144")])
@pytest.mark.parametrize("filling", ["blanks", "a key"])
def test_sizes(world: World, network: CheckedNetwork, body: bytes, size: int, status: int, code: str,
               filling: str) -> None:
    before = world.counts()
    if filling == "blanks":
        sent = body.ljust(size)
    else:
        sent = body[:-1] + b', "x": "' + b"x" * (size - len(body) - len(b', "x": ""')) + b'"}'
    assert len(sent) == size
    reply = expect(network.request("POST", TRANSACTIONS, sent, {"Content-Type": "application/json"}), code)
    assert reply.status == status
    assert (world.counts() == before) == (code != "0000")


def chunked(sent: bytes, size: int) -> bytes:
    pieces = [sent[at:at + size] for at in range(0, len(sent), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_chunked_body(stack: Stack, body: bytes, size: int) -> None:
    answer = raw_request(stack.base_url, CHUNKED_HEAD + chunked(body, size))
    expect(reply_in(answer), "0000")


@pytest.mark.parametrize("size, status, code", [(LIMIT, 200, "0000"), (LIMIT + 1, 413, "0144")])
def test_size_of_a_chunked_body(stack: Stack, body: bytes, size: int, status: int, code: str) -> None:
    sent = CHUNKED_HEAD + chunked(body.ljust(size), 1000)
    reply = expect(reply_in(raw_request(stack.base_url, sent)), code)
    assert reply.status == status


@pytest.mark.parametrize("digits", [300, 4096, 8000])
def test_long_reference(network: CheckedNetwork, digits: int) -> None:
    """The worker judges it, whatever files the web server's system can have."""
    expect(network.lookup("1" * digits), "0011", "reference is too long")


@pytest.mark.parametrize("share", [0.0, 0.5, 0.99])
def test_truncated_body(world: World, stack: Stack, network: CheckedNetwork, body: bytes, share: float) -> None:
    """The client goes away in mid-body: nothing happens, and others are served."""
    head = HEAD + b"Content-Length: %d\r\n\r\n" % len(body)
    with world.nothing_written():
        answer = raw_request(stack.base_url, head + body[:int(len(body) * share)], end_sending=True)
        assert answer == b"" or b" 400 " in answer.splitlines()[0]
        expect(network.lookup("1"), "0101")


@pytest.mark.parametrize("start", [HEAD + b"Content-Length: 1000\r\n\r\n{", CHUNKED_HEAD + b"1\r\n{\r\n"],
                         ids=["announced", "chunked"])
def test_bodies_that_do_not_come_do_not_delay_others(stack: Stack, network: CheckedNetwork, start: bytes) -> None:
    """Web servers take a body in before they ask a worker."""
    with ExitStack() as slow:
        for _ in range(MANY):
            connection = slow.enter_context(socket.create_connection(("127.0.0.1", stack.web.port), 10))
            connection.sendall(start)
        for _ in range(50):
            expect(network.lookup("1"), "0101")


def test_several_requests_in_one_packet(stack: Stack, network: CheckedNetwork, world: World) -> None:
    """Pipelined requests are answered in their order."""
    paths = [network.lookup_path(world.order(str(amount)).reference) for amount in (11, 22, 33)]
    requests = "".join(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n" for path in paths)
    requests += "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    answer = raw_request(stack.base_url, requests.encode()).decode()
    places = [answer.index(f'"AMOUNT":{amount}.00') for amount in (11, 22, 33)]
    assert places == sorted(places)
    assert answer.count('"CODE":"0000"') == 4


def test_request_in_single_bytes(stack: Stack, body: bytes) -> None:
    head = HEAD + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(body)
    with socket.create_connection(("127.0.0.1", stack.web.port), 10) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in head + body:
            connection.sendall(bytes([byte]))
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
    expect(reply_in(answer), "0000")


def test_headers_of_a_reply(world: World, network: CheckedNetwork) -> None:
    reply = network.lookup(world.order().reference)
    assert int(reply.headers["Content-Length"]) == len(reply.text.encode())


def test_every_reply_has_another_request_id(network: CheckedNetwork) -> None:
    ids = [network.lookup("1").headers["X-Request-Id"] for _ in range(5)]
    assert len(set(ids)) == 5
