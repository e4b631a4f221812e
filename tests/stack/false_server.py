"""A program that pretends to be a MariaDB server, to see what a client would tell it."""

import socket
import ssl
import struct
import threading

LONG_PASSWORD, CONNECT_WITH_DB, PROTOCOL_41, TLS, SECURE_CONNECTION, PLUGIN_AUTH = 1, 8, 0x200, 0x800, 0x8000, 0x80000
CAPABILITIES = LONG_PASSWORD | CONNECT_WITH_DB | PROTOCOL_41 | SECURE_CONNECTION | PLUGIN_AUTH
NATIVE = "mysql_native_password"


class FalseServer:
    """Greets with the login `greeting`, then asks for `asked` instead. With `context` it speaks TLS.

    `told` is every byte that clients sent, as this server understands it: what came through TLS is in clear.
    """

    def __init__(self, asked: bytes | None = None, greeting: str = NATIVE, context: ssl.SSLContext | None = None) -> None:
        self.asked = asked
        self.greeting = greeting
        self.context = context
        self.told = b""
        self.callers = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listener.getsockname()[1])
        self.thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> "FalseServer":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()

    def _serve(self) -> None:
        while True:
            try:
                caller, _ = self.listener.accept()
            except OSError:
                return
            self.callers += 1
            caller.settimeout(5)
            try:
                self._talk(caller)
            except OSError:
                pass
            finally:
                caller.close()

    def _talk(self, caller: socket.socket) -> None:
        caller.sendall(self._packet(0, self._greeting()))
        number = self._hear(caller)
        if self.context is not None and len(self.told) == 4 + 32:
            caller = self.context.wrap_socket(caller, server_side=True)
            number = self._hear(caller)
        if self.asked is not None and number >= 0:
            caller.sendall(self._packet(number + 1, b"\xfe" + self.asked))
            self._hear(caller)

    def _hear(self, caller: socket.socket) -> int:
        """Takes one packet of the caller's and nothing behind it; its number, -1 at the end."""
        head = self._take(caller, 4)
        if len(head) < 4:
            return -1
        self._take(caller, int.from_bytes(head[:3], "little"))
        return head[3]

    def _take(self, caller: socket.socket, size: int) -> bytes:
        taken = b""
        while len(taken) < size and (data := caller.recv(size - len(taken))):
            taken += data
            self.told += data
        return taken

    @staticmethod
    def _packet(number: int, payload: bytes) -> bytes:
        return struct.pack("<I", len(payload) | number << 24) + payload

    def _greeting(self) -> bytes:
        capabilities = CAPABILITIES | (TLS if self.context is not None else 0)
        return b"".join((
            b"\x0a10.11.6-MariaDB\0", struct.pack("<I", 7), b"saltsalt\0", struct.pack("<H", capabilities & 0xffff),
            b"\x2d", struct.pack("<HH", 2, capabilities >> 16), b"\x15", bytes(10), b"moresaltmore\0",
            self.greeting.encode(), b"\0"))
