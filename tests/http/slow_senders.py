"""Callers that begin requests, send a byte from time to time and never end them, and one that reads no reply."""

import resource
import socket
import threading
from pathlib import Path
from typing import Sequence
from urllib.parse import urlsplit

HEADER = b"GET /v1/orders/1?name=x&checksum=y HTTP/1.1\r\nHost: x\r\nX-Slow: "
BODY = b"POST /v1/transactions/ HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 16000\r\n\r\n{"
PAUSE_SECONDS = 1.0
ESTABLISHED = "01"  # in /proc/net/tcp


def allow_files(count: int) -> None:
    """Raises this process's limit of open files to what it may have, which must be `count` at least."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert hard == resource.RLIM_INFINITY or hard >= count, f"the limit of open files is {hard}"
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class Sender:
    """One connection after the other from `address`, each with a request that begins with `begins` and goes on by one byte a time."""

    def __init__(self, url: str, address: str, begins: bytes) -> None:
        parts = urlsplit(url)
        self.to = (parts.hostname or "", parts.port or 80)
        self.address = address
        self.begins = begins
        self.connection: socket.socket | None = None
        self.begun = False
        self.closed = 0
        self.said = b""

    def go_on(self) -> None:
        """Does what is next, without waiting."""
        if self.connection is None:
            self._connect()
        try:
            assert self.connection is not None
            self.connection.send(b"x" if self.begun else self.begins)
            self.begun = True
            self.said = self.connection.recv(4096)
            self.end()
        except BlockingIOError:
            pass
        except OSError:
            self.end()

    def _connect(self) -> None:
        self.connection = socket.socket()
        self.connection.bind((self.address, 0))
        self.connection.settimeout(5)
        try:
            self.connection.connect(self.to)
        except OSError:
            pass
        self.connection.setblocking(False)

    def end(self) -> None:
        if self.connection is not None:
            self.connection.close()
            self.connection = None
            self.begun = False
            self.closed += 1


class Reader:
    """A connection that sends one request after the other, as long as they are taken, and reads no reply."""

    def __init__(self, port: int, path: str = "/nowhere", host: str = "x") -> None:
        self.requests = f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode() * 100
        self.connection = socket.socket()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.connection.settimeout(30)
        self.connection.connect(("127.0.0.1", port))
        self.connection.setblocking(False)
        self.ends = [f"0100007F:{number:04X}" for number in (port, self.connection.getsockname()[1])]

    def is_given_up(self) -> bool:
        """Whether the server has closed its end, or waits only for what is sent after that; if not, sends all that is taken."""
        try:
            while self.connection.send(self.requests):
                pass
        except BlockingIOError:
            pass
        except OSError:
            return True
        lines = [line.split()[1:4] for family in ("tcp", "tcp6") for line in Path(f"/proc/net/{family}").read_text().splitlines()]
        return not any(here.endswith(self.ends[0]) and there.endswith(self.ends[1]) and state == ESTABLISHED for here, there, state in lines)


class SlowSenders:
    """`each` senders from each of `addresses`, half of them slow with the header, half with the body."""

    def __init__(self, url: str, addresses: Sequence[str], each: int) -> None:
        self.senders = [Sender(url, address, (HEADER, BODY)[number % 2]) for number in range(each) for address in addresses]
        self.done = threading.Event()
        self.rounds = 0
        self.thread = threading.Thread(target=self._send, daemon=True)

    def __enter__(self) -> "SlowSenders":
        allow_files(len(self.senders) + 500)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.done.set()
        self.thread.join()
        for sender in self.senders:
            sender.end()

    def open_ones(self) -> int:
        return sum(sender.begun for sender in self.senders)

    def _send(self) -> None:
        while not self.done.is_set():
            for sender in self.senders:
                sender.go_on()
            self.rounds += 1
            self.done.wait(PAUSE_SECONDS)
