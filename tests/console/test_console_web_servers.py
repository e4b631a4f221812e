"""What nginx and Apache bound, write down and add to replies before the console."""

import base64
import http.client

from browsing import Browser

LIMIT = 16 * 1024 * 1024
PIECE = 65536


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
