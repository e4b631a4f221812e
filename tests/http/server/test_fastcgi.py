"""The worker's own socket: connections that idle, that stop in the middle, and that do not speak FastCGI."""

import json
import os
import re
import select
import signal
import struct
import time
from contextlib import ExitStack, contextmanager
from typing import Iterator

import pytest

from checked import CheckedNetwork, expect
from fastcgi import ABORT_REQUEST, PARAMS, STDIN, FastCGI, record, request_bytes, stream
from tests.stack import Stack, wait_until
from tests.stack.inspection.files import check_connections_wait
from world import COMMERCE, World

LIMIT = 16384
IDLE_CONNECTIONS = 200
LONGEST_ANSWER = 1.5  # less than the two seconds after which a half sent request is given up


@pytest.fixture
def worker(stack: Stack) -> Iterator[FastCGI]:
    with FastCGI(stack.worker.socket) as connection:
        yield connection


@pytest.fixture
def body(world: World, network: CheckedNetwork) -> bytes:
    return json.dumps(network.registration(world.order().reference, "45000", world.fresh(), COMMERCE)).encode()


@pytest.fixture(autouse=True)
def same_workers(stack: Stack, network: CheckedNetwork) -> Iterator[None]:
    """Whatever was sent, no worker process has died, and others are served."""
    before = stack.worker.children()
    yield
    assert stack.worker.children() == before
    expect(network.lookup("1"), "0101")


def test_kept_connection(worker: FastCGI) -> None:
    for _ in range(5):
        assert '"CODE":"0000"' in worker.ask("GET", "/healthz")


def test_connection_that_is_not_kept(worker: FastCGI) -> None:
    assert '"CODE":"0000"' in worker.ask("GET", "/healthz", keep=False)
    with pytest.raises(EOFError):
        worker.receive()


def test_requests_that_come_together(worker: FastCGI) -> None:
    """Two and a half: each is answered in its turn, the last when the rest of it is there."""
    last = request_bytes("GET", "/healthz")
    worker.send(2 * request_bytes("GET", "/healthz") + last[:-20])
    for _ in range(2):
        assert '"CODE":"0000"' in worker.receive()
    worker.send(last[-20:-10])
    worker.send(last[-10:])
    assert '"CODE":"0000"' in worker.receive()


def test_connection_stays_after_requests_that_come_together(worker: FastCGI) -> None:
    """It has nothing half sent, so it is not given up after the time of a half sent request."""
    worker.send(3 * request_bytes("GET", "/healthz"))
    for _ in range(3):
        assert '"CODE":"0000"' in worker.receive()
    assert select.select([worker.socket], [], [], 2.5)[0] == []
    assert '"CODE":"0000"' in worker.ask("GET", "/healthz")


def test_request_that_comes_while_one_is_served(world: World, network: CheckedNetwork, worker: FastCGI) -> None:
    """The first, a confirmation, waits for a lock meanwhile."""
    order = world.order()
    fields = network.confirmation(world.register(network, order), True)
    blocker = world.stack.mariadb.connect()
    with blocker.cursor() as cursor:
        blocker.begin()
        cursor.execute("SELECT id FROM orders WHERE id = %s FOR UPDATE", [order.id])
        worker.send(request_bytes("PATCH", "/v1/transactions/", json.dumps(fields).encode()))
        world.await_lock_wait()
        worker.send(request_bytes("GET", "/healthz"))
        blocker.rollback()
    blocker.close()
    answers = [worker.receive(), worker.receive()]
    assert all('"CODE":"0000"' in answer for answer in answers)
    assert [fields["transaction"] in answer for answer in answers] == [True, False]


def test_reply_that_nobody_reads(stack: Stack) -> None:
    """A client that goes with the reply unread resets its connection: it is given back."""
    def open_files() -> int:
        return sum(len(os.listdir(f"/proc/{process}/fd")) for process in stack.worker.children())

    with FastCGI(stack.worker.socket) as first:
        first.ask("GET", "/healthz")
    before = open_files()
    for _ in range(20):
        with FastCGI(stack.worker.socket) as gone:
            gone.send(request_bytes("GET", "/healthz"))
            assert select.select([gone.socket], [], [], 60)[0]
    wait_until(lambda: open_files() <= before + 4, "the workers to close what their clients have reset")


def test_end_of_input_that_comes_late(worker: FastCGI) -> None:
    """Apache sends the parameters of a GET, and the empty end of its input a moment later, on a connection that it keeps."""
    end = len(record(STDIN))
    for _ in range(5):
        asked = request_bytes("GET", "/healthz")
        worker.send(asked[:-end])
        worker.socket.settimeout(0.05)
        with pytest.raises(TimeoutError):
            worker.receive()
        worker.socket.settimeout(10)
        worker.send(asked[-end:])
        assert '"CODE":"0000"' in worker.receive()


def test_body_without_announced_length(worker: FastCGI, body: bytes) -> None:
    """What a web server may make of chunks."""
    assert '"CODE":"0000"' in worker.ask("POST", "/v1/transactions/", body, CONTENT_LENGTH="")


def longest_answer(network: CheckedNetwork, requests: int) -> float:
    longest = 0.0
    for _ in range(requests):
        began = time.monotonic()
        expect(network.lookup("1"), "0101")
        longest = max(longest, time.monotonic() - began)
    return longest


def test_idle_kept_connections_do_not_delay_others(stack: Stack, network: CheckedNetwork) -> None:
    with ExitStack() as idle:
        for _ in range(IDLE_CONNECTIONS):
            connection = idle.enter_context(FastCGI(stack.worker.socket))
            assert '"CODE":"0000"' in connection.ask("GET", "/healthz")
        assert longest_answer(network, 100) < LONGEST_ANSWER


def test_connections_without_a_request_do_not_delay_others(stack: Stack, network: CheckedNetwork) -> None:
    with ExitStack() as idle:
        for _ in range(IDLE_CONNECTIONS):
            idle.enter_context(FastCGI(stack.worker.socket))
        assert longest_answer(network, 100) < LONGEST_ANSWER


HALVES = {"half a header": 4, "a header": 8, "the beginning": 16, "half the parameters": 60, "half the body": -20}


@contextmanager
def halves_sent(stack: Stack, half: bytes, connections: int) -> Iterator[None]:
    with ExitStack() as halves:
        for _ in range(connections):
            halves.enter_context(FastCGI(stack.worker.socket)).send(half)
        yield


@pytest.mark.parametrize("size", HALVES.values(), ids=HALVES.keys())
def test_half_sent_requests_do_not_delay_others(stack: Stack, network: CheckedNetwork, body: bytes, size: int) -> None:
    """They are given up after two seconds, and nobody waits for that."""
    with halves_sent(stack, request_bytes("POST", "/v1/transactions/", body)[:size], 100):
        assert longest_answer(network, 20) < LONGEST_ANSWER


@contextmanager
def workers_stopped(stack: Stack) -> Iterator[None]:
    """What is sent meanwhile is there, all of it, when they go on."""
    for process in stack.worker.children():
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in stack.worker.children():
            os.kill(process, signal.SIGCONT)


def test_many_requests_on_one_connection_do_not_delay_others(stack: Stack) -> None:
    """Each process serves those of its connections in turn: when the first has its last reply, the others have begun."""
    connections, requests = 16, 60
    numbers = [[f"{time.time_ns()}-{number}" for number in range(requests)] for _ in range(connections)]
    with ExitStack() as open_ones:
        clients = [open_ones.enter_context(FastCGI(stack.worker.socket)) for _ in range(connections)]
        for client in clients:
            client.ask("GET", "/healthz")
        with workers_stopped(stack):
            for client, asked in zip(clients, numbers):
                client.send(b"".join(request_bytes("GET", "/v1/x", REQUEST_ID=number) for number in asked))
        for client, asked in zip(clients, numbers):
            assert all(f"X-Request-Id: {number}\r\n" in client.receive() for number in asked)
    wait_until(lambda: all(f"id={asked[-1]} " in stack.worker.log_text() for asked in numbers), "the last lines")
    log = stack.worker.log_text()
    first_end = min(log.index(f"id={asked[-1]} ") for asked in numbers)
    assert sum(log.index(f"id={asked[0]} ") < first_end for asked in numbers) > len(stack.worker.children())


@pytest.mark.parametrize("missing", [1, 100])
def test_truncated_body(world: World, worker: FastCGI, body: bytes, missing: int) -> None:
    """The end of the stream comes before what was announced."""
    with world.nothing_written():
        text = worker.ask("POST", "/v1/transactions/", body[:-missing], announced=len(body))
    assert text.startswith("Status: 400") and '"CODE":"0140"' in text


def test_body_that_would_be_right_without_what_is_missing(world: World, worker: FastCGI, body: bytes) -> None:
    with world.nothing_written():
        text = worker.ask("POST", "/v1/transactions/", body, announced=len(body) + 1)
    assert '"CODE":"0140"' in text


@pytest.mark.parametrize("size", [LIMIT + 1, 70_000, 1_000_000])
def test_large_body(world: World, worker: FastCGI, body: bytes, size: int) -> None:
    """The worker has the limit too, for web servers that do not keep theirs, and reads the rest away."""
    with world.nothing_written():
        text = worker.ask("POST", "/v1/transactions/", body.ljust(size))
    assert text.startswith("Status: 413") and '"CODE":"0144"' in text
    assert '"CODE":"0000"' in worker.ask("GET", "/healthz")


@pytest.mark.parametrize("length", ["x", "-1", "1e3", " 10", "99999999999999999999999"])
def test_length_that_is_no_number(world: World, worker: FastCGI, body: bytes, length: str) -> None:
    with world.nothing_written():
        text = worker.ask("POST", "/v1/transactions/", body, CONTENT_LENGTH=length)
    assert '"CODE":"0140"' in text or '"CODE":"0144"' in text


def test_request_without_parameters(worker: FastCGI) -> None:
    worker.send(request_bytes("GET", "/")[:16] + record(PARAMS) + record(STDIN))
    assert '"CODE":"01' in worker.receive()


def test_large_parameters(worker: FastCGI) -> None:
    assert '"CODE":"0000"' in worker.ask("GET", "/healthz", HTTP_X="x" * 200_000)


@pytest.mark.parametrize("method", ["", "\x01", "G" * 5000])
def test_odd_methods(worker: FastCGI, method: str) -> None:
    assert '"CODE":"0142"' in worker.ask(method, "/healthz")


@pytest.mark.parametrize("given", ["x\r\nX-Injected: yes", "x" * 65, ""])
def test_request_id_that_is_no_id(worker: FastCGI, given: str) -> None:
    """It gets into a header and the log: nothing may get in with it. The reply has one of ours."""
    text = worker.ask("GET", "/healthz", REQUEST_ID=given)
    assert "X-Injected" not in text
    assert re.search(r"^X-Request-Id: [0-9a-f]{24}\r$", text, re.MULTILINE)


def test_request_id_of_the_web_server(worker: FastCGI) -> None:
    assert f"\r\nX-Request-Id: {'x' * 64}\r\n" in worker.ask("GET", "/healthz", REQUEST_ID="x" * 64)


NO_FASTCGI = {
    "nothing": b"", "HTTP": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    "wrong version": b"\x02" + request_bytes("GET", "/healthz")[1:],
    "unknown type": record(99, b"x" * 8), "zeros": b"\0" * 1000, "ones": b"\xff" * 1000, "noise": os.urandom(5000),
    "aborted": request_bytes("POST", "/v1/transactions/", b"{}")[:60] + record(ABORT_REQUEST),
    "body before the beginning": record(STDIN, b"{}"), "wrong lengths": record(PARAMS, b"\x7f\x7fabc")}


@pytest.mark.parametrize("sent", NO_FASTCGI.values(), ids=NO_FASTCGI.keys())
def test_what_is_no_fastcgi(world: World, worker: FastCGI, sent: bytes) -> None:
    with world.nothing_written():
        worker.send(sent)
        worker.socket.close()


HUGE = struct.pack("!II", 0xfffffffe, 0x80000000)
INSIDE = {
    "a second beginning": request_bytes("GET", "/healthz")[:16], "another request": record(PARAMS, b"", request=2),
    "a question of management": record(9, request=0), "an unknown type": record(99), "the body first": record(STDIN, b"x"),
    "a parameter of 4 GB": stream(PARAMS, HUGE + b"x"), "half a parameter": stream(PARAMS, b"\x05\x05x")}


@pytest.mark.parametrize("sent", INSIDE.values(), ids=INSIDE.keys())
def test_what_no_web_server_sends(worker: FastCGI, sent: bytes) -> None:
    """libfcgi would answer it into the request, or end the process: the connection is closed before it sees it."""
    worker.send(request_bytes("GET", "/healthz")[:16] + sent + record(STDIN))
    with pytest.raises((EOFError, ConnectionResetError)):
        worker.receive()


def test_no_file_for_a_connection(stack: Stack) -> None:
    """Connections wait for one, and the processes do not ask for it without end; one line of each says why."""
    with ExitStack() as clients:
        waiting: list[FastCGI] = []
        check_connections_wait(stack.worker.children(), "connections of the web server", stack.worker.log_text,
                               lambda: waiting.append(clients.enter_context(FastCGI(stack.worker.socket))))
        for connection in waiting:
            assert '"CODE":"0000"' in connection.ask("GET", "/healthz")


def test_clients_that_have_gone(world: World, stack: Stack, network: CheckedNetwork) -> None:
    """Their requests are executed, or not, and repeated safely."""
    requests = [network.registration(world.order().reference, "45000", world.fresh(), COMMERCE) for _ in range(20)]
    for fields in requests:
        with FastCGI(stack.worker.socket) as gone:
            gone.send(request_bytes("POST", "/v1/transactions/", json.dumps(fields).encode()))
    for fields in requests:
        expect(network.post(fields), "0000")
        assert len(world.transactions(fields["transaction"])) == 1


def test_files_are_given_back(stack: Stack, network: CheckedNetwork) -> None:
    def open_files() -> int:
        return sum(len(os.listdir(f"/proc/{process}/fd")) for process in stack.worker.children())

    before = open_files()
    for _ in range(100):
        with FastCGI(stack.worker.socket) as connection:
            connection.ask("GET", "/healthz")
    wait_until(lambda: open_files() <= before + 4, "the workers to close what their clients have closed")
