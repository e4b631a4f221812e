"""A user of each role who asks the console through a web server."""

import base64
import http.client
from typing import Mapping, NamedTuple

from tests.stack import Stack

ROLES = ("viewer", "support", "operator", "merchant")
MINE, OTHERS = "console-mine", "console-others"
DISABLED, STRANGER = "disabled", "stranger"


class Page(NamedTuple):
    status: int
    headers: Mapping[str, str]
    text: str


class Browser:
    """Asks the console as a user; `None`: as nobody."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack

    def ask(self, user: str | None, path: str, method: str = "GET", body: str | None = None,
            **headers: str) -> Page:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if user is not None:
            login = f"{user}:{self.stack.console.users[user]}"
            sent["Authorization"] = "Basic " + base64.b64encode(login.encode()).decode()
        if body is not None:
            sent.setdefault("Content-Type", "application/x-www-form-urlencoded")
        connection = http.client.HTTPConnection("127.0.0.1", self.stack.console.port, timeout=60)
        try:
            connection.request(method, path, body, sent)
            reply = connection.getresponse()
            return Page(reply.status, dict(reply.getheaders()), reply.read().decode())
        finally:
            connection.close()
