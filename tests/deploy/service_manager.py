"""The side of systemd that a service talks to: the socket it sends its messages to (sd_notify)."""

import socket
from pathlib import Path


class ServiceManager:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.messages: list[str] = []

    def await_message(self, start: str, timeout: float = 10.0) -> str:
        """The next message that begins so; those before it are kept too."""
        self.socket.settimeout(timeout)
        while True:
            message = self.socket.recv(4096).decode()
            self.messages.append(message)
            if message.startswith(start):
                return message

    def close(self) -> None:
        self.socket.close()
