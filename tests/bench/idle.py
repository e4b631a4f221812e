"""FastCGI connections kept open without a request, as a second web server's pool has them."""

import socket
import struct
from pathlib import Path

from tests.stack import Network

from .instance import Instance
from .orders import NETWORK

BEGIN_REQUEST, END_REQUEST, PARAMS, STDIN = 1, 3, 4, 5
RESPONDER, KEEP_CONN = 1, 1


def _record(kind: int, content: bytes) -> bytes:
    return struct.pack("!BBHHBB", 1, kind, 1, len(content), 0, 0) + content


def _pair(name: str, value: str) -> bytes:
    return struct.pack("!II", len(name) | 1 << 31, len(value) | 1 << 31) + name.encode() + value.encode()


def _lookup_request(instance: Instance, orders: Path) -> bytes:
    with open(orders) as file:
        reference = file.readline().split("\t")[0]
    network = Network(instance.stack.base_url, NETWORK, instance.hash_file.read_text().strip())
    uri = network.lookup_path(reference)
    values = {"REQUEST_METHOD": "GET", "REQUEST_URI": uri, "QUERY_STRING": uri.partition("?")[2], "CONTENT_LENGTH": "",
              "CONTENT_TYPE": "application/json", "REMOTE_ADDR": "127.0.0.1", "REQUEST_ID": "bench",
              "SERVER_PROTOCOL": "HTTP/1.1"}
    params = b"".join(_pair(name, value) for name, value in values.items())
    begin = struct.pack("!HB5x", RESPONDER, KEEP_CONN)
    return _record(BEGIN_REQUEST, begin) + _record(PARAMS, params) + _record(PARAMS, b"") + _record(STDIN, b"")


def _read_exactly(connection: socket.socket, size: int) -> bytes:
    received = b""
    while len(received) < size:
        part = connection.recv(size - len(received))
        if not part:
            raise RuntimeError("the worker closed an idle connection during its request")
        received += part
    return received


def _read_reply(connection: socket.socket) -> bytes:
    """Everything the worker says until the end of the request."""
    said = b""
    while True:
        _, kind, _, size, padding, _ = struct.unpack("!BBHHBB", _read_exactly(connection, 8))
        content = _read_exactly(connection, size + padding)
        if kind == END_REQUEST:
            return said
        said += content


class IdleConnections:
    """`count` connections straight to the worker's socket, each with one lookup behind it."""

    def __init__(self, instance: Instance, orders: Path, count: int) -> None:
        self.request = _lookup_request(instance, orders)
        self.socket = instance.stack.worker.socket
        self.count = count
        self.connections: list[socket.socket] = []

    def __enter__(self) -> "IdleConnections":
        for _ in range(self.count):
            connection = socket.socket(socket.AF_UNIX)
            self.connections.append(connection)
            connection.settimeout(10)
            connection.connect(self.socket)
            connection.sendall(self.request)
            if b'"0000"' not in _read_reply(connection):
                raise RuntimeError("a lookup on an idle connection failed")
        return self

    def __exit__(self, *_: object) -> None:
        for connection in self.connections:
            connection.close()

    def still_open(self) -> int:
        """How many the worker has not closed."""
        open_ones = 0
        for connection in self.connections:
            connection.setblocking(False)
            try:
                open_ones += connection.recv(1) != b""
            except BlockingIOError:
                open_ones += 1
        return open_ones
