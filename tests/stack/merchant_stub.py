"""A merchant's server that behaves as told: one event loop in a thread of its own, every request noted with its time.

What answers is chosen by the path of the URL; `stub.on(path, behaviour)` gives the behaviour.
"""

import asyncio
import json
import socket
import ssl
import struct
import threading
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Callable

from .waiting import wait_until

TLS_RECORD = b"\x16"
WHO_KNOWS: list[Callable[[str], int | None]] = []  # the number of a notification by its webhook-id
RESET_ON_CLOSE = struct.pack("ii", 1, 0)


@dataclass(frozen=True)
class Request:
    at: float
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int

    @property
    def message(self) -> Any:
        return json.loads(self.body)

    @property
    def webhook_id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def id(self) -> int:
        """The notification's number, which its webhook-id does not tell: whose database it is in knows."""
        return next(number for knows in reversed(WHO_KNOWS) if (number := knows(self.webhook_id)) is not None)

    @property
    def arrived(self) -> datetime:
        """As the database writes instants."""
        return datetime.fromtimestamp(self.at, timezone.utc).replace(tzinfo=None)


class Exchange:
    """One request and what is done about it. Only for use within the stub's loop."""

    def __init__(self, stub: "MerchantStub", request: Request, transport: asyncio.Transport) -> None:
        self.stub = stub
        self.request = request
        self.transport = transport

    def send(self, data: bytes) -> None:
        if not self.transport.is_closing():
            self.transport.write(data)

    def reply(self, status: int, body: bytes = b"", **headers: str) -> None:
        lines = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(body)}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.send("\r\n".join(lines).encode() + b"\r\n\r\n" + body)

    def close(self) -> None:
        self.transport.close()

    def reset(self) -> None:
        connection = self.transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        self.transport.abort()

    def later(self, seconds: float, act: Callable[[], None]) -> None:
        self.stub.loop.call_later(seconds, act)


Behaviour = Callable[[Exchange], None]


class Connection(asyncio.Protocol):
    def __init__(self, stub: "MerchantStub") -> None:
        self.stub = stub
        self.data = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self.stub.connections += 1
        self.number = self.stub.connections

    def data_received(self, data: bytes) -> None:
        self.data += data
        if self.data.startswith(TLS_RECORD):
            self.transport.write(b"HTTP/1.1 400 This is not TLS\r\n\r\n")
            self.transport.close()
            return
        head, end, rest = self.data.partition(b"\r\n\r\n")
        if not end:
            return
        request_line, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        size = int(headers.get("content-length", "0"))
        if len(rest) >= size:
            self.data = rest[size:]
            self.stub.received(Request(time.time(), request_line.split(" ")[1], headers, rest[:size], self.number),
                               self.transport)


class MerchantStub:
    """A context manager. `tls` is the context of a server that speaks TLS. It listens at `address`."""

    def __init__(self, tls: ssl.SSLContext | None = None, port: int = 0, address: str = "127.0.0.1") -> None:
        self.tls = tls
        self.port = port
        self.address = address
        self.loop = asyncio.new_event_loop()
        self.behaviours: dict[str, Behaviour] = {}
        self.requests: list[Request] = []
        self.connections = 0
        self.held: list[Exchange] = []
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def __enter__(self) -> "MerchantStub":
        self.thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self.loop).result(30)
        return self

    def __exit__(self, *_: object) -> None:
        self.in_loop(self.server.close)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(30)

    async def _listen(self) -> None:
        self.server = await self.loop.create_server(lambda: Connection(self), self.address, self.port, ssl=self.tls,
                                                    backlog=4096)
        self.port = int(self.server.sockets[0].getsockname()[1])

    def in_loop(self, act: Callable[[], object]) -> None:
        """Runs `act` in the stub's thread and waits for its end."""
        done = threading.Event()

        def run() -> None:
            act()
            done.set()

        self.loop.call_soon_threadsafe(run)
        if not done.wait(30):
            raise TimeoutError("the merchant stub does not come round")

    def on(self, path: str, behaviour: Behaviour, host: str = "127.0.0.1") -> str:
        """Requests to `path` meet this behaviour from now on; its URL."""
        self.behaviours["/" + path] = behaviour
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}/{path}"

    def received(self, request: Request, transport: asyncio.Transport) -> None:
        self.requests.append(request)
        self.behaviours[request.path](Exchange(self, request, transport))

    def requests_to(self, path: str) -> list[Request]:
        return [request for request in list(self.requests) if request.path == "/" + path]

    def await_requests(self, count: int, timeout: float = 60.0) -> list[Request]:
        wait_until(lambda: len(self.requests) >= count, f"{count} requests at the merchant", timeout)
        return list(self.requests)

    def release(self, status: int = 200, body: bytes = b"OK") -> None:
        """Answers what `hold` has kept waiting."""
        def answer() -> None:
            while self.held:
                self.held.pop().reply(status, body)

        self.in_loop(answer)


# Behaviours.

def says(body: bytes | str, status: int = 200, **headers: str) -> Behaviour:
    data = body.encode() if isinstance(body, str) else body
    return lambda exchange: exchange.reply(status, data, **headers)


ok = says("OK")


def hold(exchange: Exchange) -> None:
    """No answer, until the stub releases it."""
    exchange.stub.held.append(exchange)


def hang_in_the_middle(exchange: Exchange) -> None:
    exchange.send(b"HTTP/1.1 200 Said\r\nContent-Length: 100\r\n\r\nOK. ")


def drip(exchange: Exchange) -> None:
    """A byte at a time, without end."""
    exchange.send(b"HTTP/1.1 200 Said\r\nContent-Length: 1000000\r\n\r\nOK")

    def more() -> None:
        exchange.send(b".")
        if not exchange.transport.is_closing():
            exchange.later(0.02, more)

    more()


def drip_head(exchange: Exchange) -> None:
    exchange.send(b"HTTP/1.1 200 Said\r\nX-Slow: ")

    def more() -> None:
        exchange.send(b"a")
        if not exchange.transport.is_closing():
            exchange.later(0.02, more)

    more()


def after(seconds: float, behaviour: Behaviour = ok) -> Behaviour:
    return lambda exchange: exchange.later(seconds, lambda: behaviour(exchange))


def garbage(exchange: Exchange) -> None:
    exchange.send(b"\x00\x01 this is not HTTP\r\n\r\n")
    exchange.close()


def closes(exchange: Exchange) -> None:
    exchange.close()


def closes_in_the_middle(exchange: Exchange) -> None:
    exchange.send(b"HTTP/1.1 200 Said\r\nContent-Length: 100\r\n\r\nOK. ")
    exchange.close()


def resets(exchange: Exchange) -> None:
    exchange.reset()


def ok_and_closes(exchange: Exchange) -> None:
    exchange.reply(200, b"OK", Connection="close")
    exchange.close()


def in_turn(*behaviours: Behaviour) -> Behaviour:
    """The first request meets the first one, and so on; the last one stays."""
    waiting = list(behaviours)
    return lambda exchange: (waiting.pop(0) if len(waiting) > 1 else waiting[0])(exchange)
