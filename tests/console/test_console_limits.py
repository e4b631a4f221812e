"""Pages whose statements are too slow, and a console that is told to end while it works on requests."""

import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

import pytest

from tests.http.fastcgi import FastCGI, request_bytes
from tests.stack import Stack, wait_until

SLOW, STAFF = "/networks", "vera"
THREADS = 4


@contextmanager
def console(read_timeout: str) -> Iterator[Stack]:
    settings = {"database": {"read_timeout": read_timeout}, "console": {"threads": THREADS}}
    with Stack(dispatcher=False, buffer_pool="64M", settings=settings, console=True) as stack:
        stack.ctl.done("user", "add", STAFF, "--role", "viewer")
        yield stack


@contextmanager
def held(stack: Stack) -> Iterator[None]:
    """Nobody reads the networks meanwhile."""
    with stack.mariadb.connect() as connection, connection.cursor() as cursor:
        cursor.execute("LOCK TABLES networks WRITE")
        yield
        cursor.execute("UNLOCK TABLES")


def waiting(stack: Stack) -> int:
    return int(stack.mariadb.query("SELECT COUNT(*) AS n FROM information_schema.processlist WHERE user = 'recaudo_console'"
                                   " AND state LIKE '%%metadata lock%%'")[0]["n"])


def page(stack: Stack, path: str) -> str:
    with FastCGI(stack.console.socket) as connection:
        connection.send(request_bytes("GET", path + "?lang=en", keep=False, REMOTE_USER=STAFF))
        return connection.receive()


def test_a_page_that_is_too_slow_says_so() -> None:
    """A page whose statement waits gets 503 and words; the other pages are not in its way, and all is well afterwards."""
    with console("2s") as stack:
        with held(stack), ThreadPoolExecutor(THREADS) as threads:
            slow = [threads.submit(page, stack, SLOW) for _ in range(THREADS - 1)]
            wait_until(lambda: "Status: 200" in page(stack, "/users"), "another page")
            for reply in (one.result() for one in slow):
                assert "Status: 503" in reply and "Retry-After: 10" in reply
                assert "<h1>" in reply and "</html>" in reply and "<table" not in reply
        wait_until(lambda: "Status: 200" in page(stack, SLOW), "the page again")


def test_requests_in_hand_are_answered_when_it_ends() -> None:
    with console("60s") as stack, ThreadPoolExecutor(THREADS) as threads:
        with held(stack):
            in_hand = [threads.submit(page, stack, SLOW) for _ in range(THREADS - 1)]
            wait_until(lambda: waiting(stack) == THREADS - 1, "the pages wait for the table")
            stack.console.signal(signal.SIGTERM)
            assert stack.console.running()
        for reply in (one.result() for one in in_hand):
            assert "Status: 200" in reply and "</html>" in reply
        wait_until(lambda: not stack.console.running(), "the console has ended")
        assert stack.console.exit_status() == 0


MANY = 16_000_000
MULTIPART = "multipart/form-data; boundary=x"
LARGE_FIELD = b'--x\r\nContent-Disposition: form-data; name="token"\r\n\r\n' + b"a" * MANY + b"\r\n--x--\r\n"


def peak_of(pid: int) -> int:
    """Bytes of memory that it has had at most."""
    (line,) = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM")]
    return int(line.split()[1]) * 1024


URL_ENCODED = "application/x-www-form-urlencoded"
BODIES = {"large": (b"&" * MANY, URL_ENCODED, "413"), "of many fields": (b"&" * 60_000, URL_ENCODED, "400"),
          "malformed": (b"a=%zz", URL_ENCODED, "400"), "with a large field": (LARGE_FIELD, MULTIPART, "403"),
          "larger than a list": (LARGE_FIELD + b"x" * MANY, MULTIPART, "413")}


@pytest.mark.parametrize("name", BODIES)
def test_no_form_takes_all_memory(name: str) -> None:
    """Each field was read from the whole body again, and each parameter kept memory until the request had ended."""
    body, form, status = BODIES[name]
    with console("10s") as stack:
        with FastCGI(stack.console.socket) as connection:
            connection.send(request_bytes("POST", "/settlement/compare", body, keep=False, REMOTE_USER=STAFF, CONTENT_TYPE=form))
            assert connection.receive().startswith(f"Status: {status}")
        assert peak_of(stack.console.pid) < 100_000_000
