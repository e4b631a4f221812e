"""The load generator judges the product; here it is judged itself, by a server that answers wrongly in every way."""

import hashlib
import json
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.stack.paths import program

NETWORK, HASH = "Red Ñandú", "s3cret"
COMMERCE, AMOUNT = "Tienda Ñ", "45000.00"
Head = bytes
JSON_HEAD: Head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json; charset=utf-8\r\n"
Answer = Callable[[socket.socket, bytes], None]


def sha512(*texts: str) -> str:
    return hashlib.sha512("".join(texts).encode()).hexdigest()


def payable(reference: str, **changes: Any) -> dict[str, Any]:
    return {"AMOUNT": float(AMOUNT), "REFERENCE": reference, "COMMERCE": COMMERCE, **changes}


def body(data: dict[str, Any] | None, code: str = "0000") -> bytes:
    reply = {"CODE": code, "TEXT": "OK", **({} if data is None else {"DATA": data})}
    return json.dumps(reply, ensure_ascii=False).replace("45000.0,", AMOUNT + ",").encode()


def sized(content: bytes, head: Head = JSON_HEAD) -> bytes:
    return head + b"Content-Length: %d\r\n\r\n" % len(content) + content


class Server:
    """Answers each request with what `answer` sends; keeps the requests."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.answer: Answer = lambda connection, request: None
        self.requests: list[bytes] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        received = b""
        with connection:
            try:
                while part := connection.recv(65536):
                    received += part
                    if self._whole(received):
                        self.requests.append(received)
                        self.answer(connection, received)
                        received = b""
            except OSError:
                return

    @staticmethod
    def _whole(received: bytes) -> bool:
        head, found, content = received.partition(b"\r\n\r\n")
        size = int(head.partition(b"Content-Length: ")[2].split(b"\r\n")[0] or b"0")
        return bool(found) and len(content) == size


@pytest.fixture
def server() -> Iterator[Server]:
    started = Server()
    yield started
    started.listener.close()


@pytest.fixture
def load(server: Server, tmp_path: Path) -> Callable[..., tuple[int, dict[str, Any]]]:
    (tmp_path / "hash").write_text(HASH + "\n")
    (tmp_path / "orders").write_text("".join(f"{7000 + n}\t{AMOUNT}\t{COMMERCE}\tCOP\n" for n in range(20)))

    def run(*words: str) -> tuple[int, dict[str, Any]]:
        report = tmp_path / "report.json"
        command = [program("tests/bench/recaudo-load"), "--url", server.url, "--network", NETWORK,
                   "--hash-file", str(tmp_path / "hash"), "--orders", str(tmp_path / "orders"), "--json", str(report),
                   "--connections", "3", "--seconds", "20", *words]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert done.returncode in (0, 1), done.stderr
        return done.returncode, json.loads(report.read_text())
    return run


def reference_of(request: bytes) -> str:
    return request.split(b" ")[1].decode().split("?")[0].rsplit("/", 1)[1]


def right(request: bytes) -> bytes:
    """What the specification asks for."""
    if request.startswith(b"GET"):
        return body(payable(reference_of(request)))
    sent = json.loads(request.partition(b"\r\n\r\n")[2])
    if request.startswith(b"PATCH"):
        return body({"IDTRANSACTION": sent["transaction"], "CONFIRM": True})
    return body(payable(sent["reference"], IDTRANSACTION=sent["transaction"], IDSERVICE="17"))


def in_chunks(content: bytes) -> list[bytes]:
    half = len(content) // 2
    return [JSON_HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"%x;a=b\r\n" % half + content[:half] + b"\r",
            b"\n%X\r\n" % (len(content) - half) + content[half:] + b"\r\n0\r", b"\n\r\n"]


def close_after(connection: socket.socket, request: bytes) -> None:
    connection.sendall(sized(right(request), JSON_HEAD + b"Connection: close\r\n"))
    connection.close()


def send_parts(parts: Callable[[bytes], Iterable[bytes]]) -> Answer:
    def answer(connection: socket.socket, request: bytes) -> None:
        for part in parts(request):
            connection.sendall(part)
    return answer


def send(content: Callable[[bytes], bytes]) -> Answer:
    return send_parts(lambda request: [content(request)])


RIGHT_WAYS: dict[str, Answer] = {
    "whole": send(lambda request: sized(right(request))),
    "byte by byte": send_parts(lambda request: [bytes([byte]) for byte in sized(right(request))]),
    "in chunks": send_parts(lambda request: in_chunks(right(request))),
    "closing": close_after,
}


@pytest.mark.parametrize("way", RIGHT_WAYS)
def test_right_replies_pass(server: Server, load: Callable[..., Any], way: str) -> None:
    server.answer = RIGHT_WAYS[way]
    code, result = load("--mode", "flow", "--requests", "20")
    assert (code, result["wrong"], result["codes"]) == (0, 0, {"0000": 60})
    assert {name: row["count"] for name, row in result["operations"].items()} == {
        "lookup": 20, "register": 20, "confirm": 20, "flow": 20}


def changed(old: str, new: str) -> Answer:
    return send(lambda request: sized(right(request).replace(old.encode(), new.encode())))


WRONG_WAYS: list[tuple[str, str, Answer]] = [
    ("lookup", "status", send(lambda request: sized(right(request), JSON_HEAD.replace(b"200 OK", b"500 No")))),
    ("lookup", "content type", send(lambda request: sized(right(request), JSON_HEAD.replace(b"json", b"jsonp")))),
    ("lookup", "json", send(lambda request: sized(right(request) + b"}"))),
    ("lookup", "json", send(lambda request: sized(body(None)))),
    ("lookup", "CODE", send(lambda request: sized(body(None, "0101")))),
    ("lookup", "AMOUNT", changed("45000.00", "45000.0")),
    ("lookup", "AMOUNT", changed("45000.00", '"45000.00"')),
    ("lookup", "REFERENCE", changed('"REFERENCE": "7', '"REFERENCE": "8')),
    ("lookup", "COMMERCE", changed("Tienda", "tienda")),
    ("lookup", "framing", send(lambda request: b"hello\r\n\r\n")),
    ("lookup", "framing", send(lambda request: sized(right(request)) + b"more")),
    ("lookup", "framing", send(lambda request: sized(b" " * 20000 + right(request)))),
    ("lookup", "closed", lambda connection, request: connection.close()),
    ("register", "IDTRANSACTION", changed('"IDTRANSACTION": "', '"IDTRANSACTION": "0')),
    ("register", "IDSERVICE", changed('"17"', '""')),
    ("confirm", "IDTRANSACTION", changed('"IDTRANSACTION": "', '"IDTRANSACTION": "0')),
    ("confirm", "CONFIRM", changed("true", '"true"')),
    ("notify", "acknowledgement", send(lambda request: sized(b"ERROR"))),
    ("notify", "status", send(lambda request: sized(b"OK", JSON_HEAD.replace(b"200 OK", b"500 No")))),
]


@pytest.mark.parametrize("mode, kind, answer", WRONG_WAYS)
def test_wrong_replies_are_counted(server: Server, load: Callable[..., Any], mode: str, kind: str,
                                   answer: Answer) -> None:
    server.answer = answer
    code, result = load("--mode", mode, "--requests", "10", "--transactions", "t")
    assert (code, result["mismatches"], result["wrong"]) == (1, {kind: 10}, 10)
    assert result["operations"] == {} and kind in result["first_failure"]


def test_a_missing_refusal_is_counted(server: Server, load: Callable[..., Any], tmp_path: Path) -> None:
    """A mix contains what must be refused, and lookups whose amount must be 0."""
    files = [word for name in ("looked-up", "open", "accounts") for word in (f"--{name}", str(tmp_path / "orders"))]
    server.answer = RIGHT_WAYS["whole"]
    code, result = load("--mode", "mix", "--requests", "1000", "--seed", "1", *files)
    assert code == 1 and set(result["mismatches"]) >= {"CODE", "AMOUNT"}


def test_a_missing_reply_is_counted(load: Callable[..., Any]) -> None:
    code, result = load("--requests", "3", "--timeout", "0.2")
    assert (code, result["mismatches"]) == (1, {"timeout": 3})


def test_checksums_and_fields(server: Server, load: Callable[..., Any]) -> None:
    server.answer = RIGHT_WAYS["whole"]
    assert load("--mode", "flow", "--requests", "1", "--transactions", "t")[0] == 0
    lookup, registration, confirmation = server.requests
    query = parse_qs(urlsplit(lookup.split(b" ")[1].decode()).query)
    assert query == {"name": [NETWORK], "checksum": [sha512(NETWORK, "7000", HASH)]}
    assert registration.startswith(b"POST /v1/transactions/ HTTP/1.1\r\n")
    assert json.loads(registration.partition(b"\r\n\r\n")[2]) == {
        "name": NETWORK, "reference": "7000", "amount": AMOUNT, "transaction": "t-0", "commerce": COMMERCE,
        "teller": "bench-1", "money": "COP", "checksum": sha512(NETWORK, "7000", AMOUNT, "t-0", HASH)}
    assert confirmation.startswith(b"PATCH /v1/transactions/ HTTP/1.1\r\n")
    assert json.loads(confirmation.partition(b"\r\n\r\n")[2]) == {
        "name": NETWORK, "transaction": "t-0", "confirm": "true", "checksum": sha512(NETWORK, "t-0", HASH)}
    assert all(b"\r\nContent-Type: application/json\r\n" in request for request in server.requests)


def test_notification(server: Server, load: Callable[..., Any]) -> None:
    server.answer = send(lambda request: sized(b"OK"))
    code, result = load("--mode", "notify", "--requests", "30")
    assert (code, result["wrong"], result["operations"]["notify"]["count"]) == (0, 0, 30)
    head, _, content = server.requests[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /notifications HTTP/1.1\r\n")
    assert list(json.loads(content)) == ["pv_po_id", "po_id", "status", "pv_checksum", "amount", "iso_currency", "pv_payment"]


def test_fixed_rate_counts_the_waiting(server: Server, load: Callable[..., Any]) -> None:
    """A server that stands still for half a second delays every request meant to start meanwhile."""
    turns = iter(range(1, 1 << 30))
    gate = threading.Lock()

    def answer(connection: socket.socket, request: bytes) -> None:
        with gate:
            if next(turns) == 100:
                time.sleep(0.5)
        connection.sendall(sized(right(request)))

    server.answer = answer
    code, result = load("--rate", "200", "--seconds", "2", "--connections", "4")
    row = result["operations"]["lookup"]
    assert code == 0 and row["count"] + result["unsent"] == 400
    assert row["max_ms"] >= 500 and row["p90_ms"] >= 200


def test_idle_connections_are_held(server: Server, load: Callable[..., Any]) -> None:
    server.answer = RIGHT_WAYS["whole"]
    code, result = load("--idle", "10", "--requests", "5")
    assert (code, result["idle_open_at_end"], len(server.requests)) == (0, 10, 15)
