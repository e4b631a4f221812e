"""Callers that do not finish their requests cost others nothing, and no caller takes more than its part."""

import socket
import time
from functools import partial
from statistics import median
from typing import Iterator

import pytest

from checked import CheckedClient, expect
from slow_senders import BODY, HEADER, Reader, Sender, SlowSenders
from tests.stack import Client, Stack, wait_until
from tests.stack.web.front_proxy import FrontProxy
from tests.stack.stack import WEB
from together import at_once

pytestmark = pytest.mark.web

ADDRESSES = [f"127.0.0.{last}" for last in range(2, 12)]
EACH = 200
REQUESTS = 300
AT_MOST = 250  # a second: what is shipped lets an address send 500
HEADER_SECONDS, BODY_SECONDS, READ_SECONDS, SLACK = 5, 5, 5, 30
AT_ONCE = {"nginx": 256, "apache": 100}[WEB]


@pytest.fixture(scope="module")
def limited() -> Iterator[Stack]:
    """With the limits as they are shipped."""
    with Stack(dispatcher=False, buffer_pool="16M", rate=None) as stack:
        yield stack


def times_of(stack: Stack, count: int) -> list[float]:
    """How long each of `count` requests takes; all are answered by the worker, which sees no more than AT_MOST of them a second."""
    times = []
    first = time.monotonic()
    with CheckedClient(stack.base_url) as client:
        for _ in range(count):
            began = time.monotonic()
            expect(client.request("GET", "/v1/orders/1?name=x&checksum=y"), "0025")
            times.append(time.monotonic() - began)
            client.close()
            time.sleep(max(0.0, first + len(times) / AT_MOST - time.monotonic()))
    return times


def shown(times: list[float]) -> str:
    ordered = sorted(times)
    return f"median {median(times) * 1000:.1f} ms, 99 % {ordered[len(ordered) * 99 // 100] * 1000:.1f} ms, longest {ordered[-1] * 1000:.1f} ms"


@pytest.mark.slow
def test_two_thousand_cost_others_nothing(limited: Stack) -> None:
    """200 from each of ten addresses, and each request of another one on a connection of its own."""
    alone = times_of(limited, REQUESTS)
    with SlowSenders(limited.base_url, ADDRESSES, EACH) as slow:
        wait_until(lambda: slow.open_ones() >= len(ADDRESSES) * min(EACH, AT_ONCE) * 9 // 10, "the slow senders", 120)
        first = slow.rounds
        beside: list[float] = []
        while len(beside) < REQUESTS or slow.rounds < first + 2 * HEADER_SECONDS:
            beside += times_of(limited, 20)
    print(f"\n{WEB}: alone {shown(alone)}; beside {len(slow.senders)} slow senders {shown(beside)} ({len(beside)} requests)")
    assert sorted(beside)[len(beside) * 95 // 100] < 1.0
    assert sum(sender.closed for sender in slow.senders) > len(slow.senders)


@pytest.mark.parametrize("begins, seconds", [(HEADER, HEADER_SECONDS), *([(BODY, BODY_SECONDS)] if WEB == "apache" else [])])
def test_bytes_do_not_stretch_the_time(limited: Stack, begins: bytes, seconds: int) -> None:
    sender = Sender(limited.base_url, "127.0.0.2", begins)
    began = time.monotonic()

    def is_closed() -> bool:
        sender.go_on()
        return sender.closed > 0

    wait_until(is_closed, "the end of a slow request", seconds + SLACK)
    assert time.monotonic() - began > seconds - 1


def test_a_body_that_stops(limited: Stack) -> None:
    with socket.create_connection(("127.0.0.1", limited.web.port)) as connection:
        connection.settimeout(BODY_SECONDS + SLACK)
        connection.sendall(BODY)
        try:
            while connection.recv(4096):
                pass
        except ConnectionResetError:
            pass


def test_replies_that_nobody_reads(limited: Stack) -> None:
    reader = Reader(limited.web.port)
    wait_until(reader.is_given_up, "the end of a connection whose replies nobody reads", READ_SECONDS + SLACK)
    reader.connection.close()


def is_refused(sender: Sender) -> bool:
    """Not one that was too slow, as all are after a while."""
    return sender.closed > 0 and b" 408 " not in sender.said.split(b"\r\n")[0]


def test_one_address_has_its_part(limited: Stack) -> None:
    """What goes beyond it is refused at once, and another address is not."""
    senders = [Sender(limited.base_url, "127.0.0.2", BODY) for _ in range(AT_ONCE + 40)]
    try:
        def some_refused() -> bool:
            for sender in senders:
                if not sender.closed:
                    sender.go_on()
            return sum(is_refused(sender) for sender in senders) >= 40

        wait_until(some_refused, "refusals")
        if WEB == "nginx":
            refused = [sender.said for sender in senders if is_refused(sender)]
            assert all(said.startswith(b"HTTP/1.1 429") and b'"0145"' in said for said in refused)
        with CheckedClient(limited.base_url) as client:
            expect(client.request("GET", "/v1/orders/1?name=x&checksum=y"), "0025")
    finally:
        for sender in senders:
            sender.end()


def statuses(stack: Stack, path: str) -> list[int]:
    with Client(stack.base_url) as client:
        return [client.request("GET", path).status for _ in range(20)]


@pytest.mark.nginx  # Apache has no limit of requests
def test_probes_have_a_limit(limited: Stack) -> None:
    for path in ("/healthz", "/readyz", "/metrics"):
        with Client(limited.base_url) as client:
            wait_until(lambda: client.request("GET", path).status != 429, "the limit to let go")
        assert 429 in [status for part in at_once([partial(statuses, limited, path)] * 8) for status in part]


@pytest.mark.nginx  # Apache counts connections, and a proxy's are its own
def test_behind_a_proxy_the_caller_counts(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The proxy passes bodies on as they come; two callers share its address."""
    with Stack(dispatcher=False, buffer_pool="16M", rate=None, trusted_proxy="127.0.0.9") as stack:
        with FrontProxy(tmp_path_factory.mktemp("front"), stack.base_url, "127.0.0.9", "proxy_request_buffering off;") as proxy:
            senders = [Sender(proxy.base_url, "127.0.0.2", BODY) for _ in range(AT_ONCE + 20)]
            for _ in range(2):
                for sender in senders:
                    sender.go_on()
            wait_until(lambda: any(sender.go_on() or sender.said.startswith(b"HTTP/1.1 429") for sender in senders), "a refusal")
            with Client(proxy.base_url) as other:
                assert other.request("GET", "/v1/orders/1?name=x&checksum=y").code == "0025"
            for sender in senders:
                sender.end()
