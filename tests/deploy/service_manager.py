"""The side of systemd that a service talks to: the socket it sends its messages to (sd_notify), and what it is passed at its start."""

import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Mapping

# Numbers what it has inherited from 3 on, then becomes the program: LISTEN_PID is its own number.
LAUNCHER = """
import fcntl, os, sys
program, passed = sys.argv[1], [int(number) for number in sys.argv[2:]]
copies = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 1000) for fd in passed]
for fd in passed:
    os.close(fd)
for place, copy in enumerate(copies):
    os.dup2(copy, 3 + place)
os.execve(program, [program], {**os.environ, "LISTEN_PID": str(os.getpid())})
"""
MOST_AT_ONCE = 253  # descriptors in one message: the kernel's SCM_MAX_FD


class ServiceManager:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.messages: list[str] = []
        self.kept: dict[str, list[int]] = {}

    def await_message(self, start: str, timeout: float = 60.0) -> str:
        """The next message that begins so; those before it are kept too."""
        self.socket.settimeout(timeout)
        while True:
            message = self._take()
            if message.startswith(start):
                return message

    def take_all(self) -> list[str]:
        """Every message that has come; whoever sends waits while nobody takes them."""
        self.socket.setblocking(False)
        try:
            while True:
                self._take()
        except BlockingIOError:
            return self.messages

    def _take(self) -> str:
        data, descriptors, _, _ = socket.recv_fds(self.socket, 4096, MOST_AT_ONCE)
        message = data.decode()
        self.messages.append(message)
        words = dict(line.split("=", 1) for line in message.splitlines())
        if words.get("FDSTOREREMOVE") == "1":
            self._let_go(words["FDNAME"])
        elif words.get("FDSTORE") == "1":
            self.kept.setdefault(words["FDNAME"], []).extend(descriptors)
        return message

    def _let_go(self, name: str) -> None:
        for descriptor in self.kept.pop(name, []):
            os.close(descriptor)

    def start(self, program: Path, listener: socket.socket, name: str, environment: Mapping[str, str], log: Path) -> "subprocess.Popen[bytes]":
        """Starts the service with its socket, which has this name, and all that was kept for it."""
        names, passed = [name], [listener.fileno()]
        for kept, descriptors in self.kept.items():
            names += [kept] * len(descriptors)
            passed += descriptors
        told = {"NOTIFY_SOCKET": str(self.path), "LISTEN_FDS": str(len(passed)), "LISTEN_FDNAMES": ":".join(names)}
        words = [sys.executable, "-c", LAUNCHER, str(program), *map(str, passed)]
        with open(log, "ab") as output:
            return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, pass_fds=passed,
                                    env={**os.environ, **environment, **told})

    def close(self) -> None:
        for name in list(self.kept):
            self._let_go(name)
        self.socket.close()
