"""A FastCGI client that speaks to the worker's socket without nginx between, and can stop in the middle."""

import socket
import struct
from typing import Mapping

BEGIN_REQUEST, ABORT_REQUEST, END_REQUEST, PARAMS, STDIN, STDOUT = 1, 2, 3, 4, 5, 6
RESPONDER, KEEP_CONNECTION = 1, 1
LARGEST_RECORD = 65535


def record(kind: int, content: bytes = b"", request: int = 1) -> bytes:
    return struct.pack("!BBHHBB", 1, kind, request, len(content), 0, 0) + content


def stream(kind: int, content: bytes) -> bytes:
    pieces = [content[at:at + LARGEST_RECORD] for at in range(0, len(content), LARGEST_RECORD)]
    return b"".join(record(kind, piece) for piece in pieces) + record(kind)


def encode(parameters: Mapping[str, str]) -> bytes:
    encoded = b""
    for name, value in parameters.items():
        sizes = [len(name.encode()), len(value.encode())]
        encoded += b"".join(struct.pack("!B", size) if size < 128 else struct.pack("!I", size | 1 << 31)
                            for size in sizes)
        encoded += name.encode() + value.encode()
    return encoded


def request_bytes(method: str, target: str, body: bytes = b"", keep: bool = True, announced: int | None = None,
                  **others: str) -> bytes:
    """A whole request; `announced` is a CONTENT_LENGTH other than the body's."""
    parameters = {"REQUEST_METHOD": method, "REQUEST_URI": target, "CONTENT_TYPE": "application/json",
                  "CONTENT_LENGTH": str(len(body) if announced is None else announced), **others}
    begin = record(BEGIN_REQUEST, struct.pack("!HB5x", RESPONDER, KEEP_CONNECTION if keep else 0))
    return begin + stream(PARAMS, encode(parameters)) + stream(STDIN, body)


class FastCGI:
    """One connection."""

    def __init__(self, path: str, timeout: float = 60.0) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(timeout)
        self.socket.connect(path)

    def __enter__(self) -> "FastCGI":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def receive(self) -> str:
        """The reply, headers and body; raises EOFError when the worker closes before its end."""
        text = b""
        while True:
            _, kind, _, size, padding, _ = struct.unpack("!BBHHBB", self._read(8))
            content = self._read(size + padding)[:size]
            if kind == STDOUT:
                text += content
            elif kind == END_REQUEST:
                return text.decode()

    def ask(self, method: str, target: str, body: bytes = b"", **options: object) -> str:
        self.send(request_bytes(method, target, body, **options))  # type: ignore[arg-type]
        return self.receive()

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            piece = self.socket.recv(size - len(data))
            if not piece:
                raise EOFError("the worker has closed the connection")
            data += piece
        return data
