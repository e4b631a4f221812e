"""What nginx and Apache bound, write down and add to replies before the console."""

import base64
import http.client
import itertools

import pytest

from tests.stack import raw_request
from tests.stack.waiting import wait_until

from browsing import Browser

LIMIT = 16 * 1024 * 1024
PIECE = 65536
numbers = itertools.count(79123456)


def begin_upload(browser: Browser, name: str, value: str) -> http.client.HTTPConnection:
    """A request of an operator whose header is sent."""
    login = base64.b64encode(f"operator:{browser.stack.console.users['operator']}".encode()).decode()
    connection = http.client.HTTPConnection("127.0.0.1", browser.stack.console.port, timeout=60)
    connection.putrequest("POST", "/settlements/compare")
    for header, text in (("Authorization", f"Basic {login}"), ("Content-Type", "text/csv"), (name, value)):
        connection.putheader(header, text)
    connection.endheaders()
    return connection


def test_a_body_that_is_announced_too_large(browser: Browser) -> None:
    """It is refused before it is sent."""
    connection = begin_upload(browser, "Content-Length", str(LIMIT + 1))
    assert connection.getresponse().status == 413
    connection.close()


def test_a_body_in_chunks_is_bounded(browser: Browser) -> None:
    """It is refused while it goes on: a web server writes what it has of it to a file."""
    connection = begin_upload(browser, "Transfer-Encoding", "chunked")
    try:
        for _ in range(0, 3 * LIMIT, PIECE):
            connection.send(b"%x\r\n%s\r\n" % (PIECE, b"x" * PIECE))
    except OSError:
        pass  # it did not wait for the rest
    assert connection.getresponse().status in (400, 413)
    connection.close()


@pytest.mark.parametrize("asked", ["/find?q={}", "/find%3Fq={}", "/find%3fq={}", "http://x/find?q={}", "/find&q={}"])
def test_logs_have_no_query(browser: Browser, asked: str) -> None:
    """Of what somebody looks for stands nothing there, whoever asks, nor of the page that led to it."""
    number = str(next(numbers))
    wrong, unknown = ("Basic " + base64.b64encode(login).decode() for login in (b"viewer:wrong", b"nobody-known:wrong"))
    access, errors = (browser.stack.console.log_directory / name for name in ("console-access.log", "console-web.log"))

    def lines() -> list[str]:
        return [line for line in access.read_text().splitlines() if '"GET ' in line]

    before = len(lines())
    for user, more in (("viewer", {}), (None, {}), (None, {"Authorization": wrong}), (None, {"Authorization": unknown})):
        browser.ask(user, asked.format(number), Referer=f"http://x/find?q={number}", **more)
    wait_until(lambda: len(lines()) == before + 4, "the requests in the access log")
    assert all('"GET /find" ' in line for line in lines()[before:])
    assert number not in access.read_text() + errors.read_text()


def test_what_is_no_request_leaves_no_query(browser: Browser) -> None:
    """A web server may take the whole line for a method where no space ends one."""
    number = str(next(numbers))
    access, errors = (browser.stack.console.log_directory / name for name in ("console-access.log", "console-web.log"))
    before = access.read_text().count("\n")
    answer = raw_request(f"http://127.0.0.1:{browser.stack.console.port}", f"GET/find?q={number} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 400 ")
    wait_until(lambda: access.read_text().count("\n") > before, "the request in the access log")
    assert number not in access.read_text() + errors.read_text()


def test_pages_are_not_compressed(browser: Browser) -> None:
    page = browser.ask("viewer", "/", Accept_Encoding="gzip, br")
    assert page.status == 200 and "Content-Encoding" not in page.headers
