"""The side of systemd that a service talks to: the socket it sends its messages to (sd_notify)."""

import socket
from pathlib import Path


class ServiceManager:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.messages: list[str] = []

    def await_message(self, start: str, timeout: float = 60.0) -> str:
        """The next message that begins so; those before it are kept too."""
        self.socket.settimeout(timeout)
        while True:
            message = self.socket.recv(4096).decode()
            self.messages.append(message)
            if message.startswith(start):
                return message

    def take_all(self) -> list[str]:
        """Every message that has come; whoever sends waits while nobody takes them."""
        self.socket.setblocking(False)
        try:
            while True:
                self.messages.append(self.socket.recv(4096).decode())
        except BlockingIOError:
            return self.messages

    def close(self) -> None:
        self.socket.close()
