"""Processes that are ours: a log file each, gone when we are."""

import ctypes
import os
import random
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Callable, Mapping, Sequence

from .waiting import wait_until

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)
SERVER_PORTS = (12000, 32768)  # Linux gives connections the ports from 32768 on.
TAKEN_PORTS: list[socket.socket] = []


def children(pid: int) -> list[int]:
    """The process ids of the children of `pid`."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit() and _parent(int(entry)) == pid:
            found.append(int(entry))
    return sorted(found)


def _parent(pid: int) -> int:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return 0
    state, parent = stat.rpartition(")")[2].split()[:2]
    return 0 if state == "Z" else int(parent)


def leaves_no_core(pid: int) -> bool:
    """Whether the process may not write a core dump, and cannot allow itself to. A sanitizer needs what that takes away, so
    with one the programs leave it (src/base/process/core_dumps.c)."""
    if "ASAN_OPTIONS" in os.environ:
        return True
    limits = Path(f"/proc/{pid}/limits").read_text().splitlines()
    (line,) = [line for line in limits if line.startswith("Max core file size")]
    return line.split()[4:6] == ["0", "0"]


def free_port() -> int:
    """A loopback port that nobody listens on at this moment.

    It is below those that the kernel gives to connections, so none can take it before the server has it. Tests that run side
    by side get different ones: a socket of this name is kept until the process ends.
    """
    for _ in range(100):
        port = random.SystemRandom().randrange(*SERVER_PORTS)
        mine = socket.socket(socket.AF_UNIX)
        with socket.socket() as probe:
            try:
                mine.bind(f"\0recaudo-test-port-{port}")
                probe.bind(("127.0.0.1", port))
            except OSError:
                mine.close()
                continue
        TAKEN_PORTS.append(mine)
        return port
    raise RuntimeError(f"no port of {SERVER_PORTS[0]} to {SERVER_PORTS[1]} is free")


def listens_on(path: str) -> bool:
    """Whether somebody accepts connections on the unix socket `path`."""
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except OSError:
            return False
    return True


def preloading(library: str) -> dict[str, str]:
    """The environment with this library before those that are preloaded already."""
    return {"LD_PRELOAD": " ".join([library, *os.environ.get("LD_PRELOAD", "").split()])}


class Process:
    """One server. `ready` says whether it serves; the log is appended to over restarts. `output` is what it writes to: the log,
    or a pipe whose reader writes the log."""

    def __init__(self, name: str, command: Sequence[str], log: Path, ready: Callable[[], bool],
                 environment: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.command = list(command)
        self.log = self.output = log
        self.ready = ready
        self.environment = {**os.environ, "LC_ALL": "C", **(environment or {})}
        self.child: subprocess.Popen[bytes] | None = None
        self.spawned_at = 0.0

    @property
    def pid(self) -> int:
        if self.child is None:
            raise RuntimeError(f"{self.name} was not started")
        return self.child.pid

    def running(self) -> bool:
        return self.child is not None and self.child.poll() is None

    def exit_status(self) -> int | None:
        return self.child.poll() if self.child else None

    def spawn(self) -> None:
        """Starts it without waiting until it serves."""
        if self.running():
            raise RuntimeError(f"{self.name} runs already")
        self.spawned_at = time.monotonic()
        with open(self.output, "ab") as log:
            self.child = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment,
                start_new_session=True, preexec_fn=_die_with(os.getpid()))

    def await_ready(self, timeout: float = 120.0) -> None:
        def settled() -> bool:
            if not self.running():
                raise RuntimeError(f"{self.name} ended with {self.exit_status()}:\n{self.log_tail()}")
            return self.ready()

        try:
            wait_until(settled, f"{self.name} to serve", timeout)
        except TimeoutError as error:
            raise TimeoutError(f"{error}:\n{self.log_tail()}") from None

    def start(self, timeout: float = 120.0) -> None:
        self.spawn()
        self.await_ready(timeout)

    def stop(self, timeout: float = 60.0) -> int | None:
        """Asks it to end, forces it after `timeout`, leaves nothing of its process group. Returns its exit status."""
        if self.child is None:
            return None
        if self.running():
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGTERM)
            try:
                self.child.wait(timeout)
            except subprocess.TimeoutExpired:
                self.signal(signal.SIGKILL)
                self.child.wait()
        self._end_group()
        return self.child.returncode

    def kill(self) -> None:
        """Ends it and its children at once, as a crash would; none of them holds a socket afterwards."""
        family = children(self.pid) if self.running() else []
        self._end_group()
        if self.child is not None:
            self.child.wait()
        wait_until(lambda: not any(_lives(pid) for pid in family), f"the children of {self.name} to end")

    def restart(self) -> None:
        self.stop()
        self.start()

    def pause(self) -> None:
        """Returns when no thread of it runs any more: on a busy machine the signal takes its time."""
        self.signal(signal.SIGSTOP)
        wait_until(self._stands_still, f"{self.name} to stand still")

    def _stands_still(self) -> bool:
        states = [path.read_text().rpartition(")")[2].split()[0] for path in Path(f"/proc/{self.pid}/task").glob("*/stat")]
        return all(state == "T" for state in states)

    def resume(self) -> None:
        self.signal(signal.SIGCONT)

    def signal(self, number: int) -> None:
        if self.child is not None:
            self.child.send_signal(number)

    def children(self) -> list[int]:
        return children(self.pid)

    def log_text(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def log_tail(self, lines: int = 30) -> str:
        return "\n".join(self.log_text().splitlines()[-lines:])

    def _end_group(self) -> None:
        if self.child is None:
            return
        try:
            os.killpg(self.child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def _die_with(parent: int) -> Callable[[], None]:
    """Runs in the child: SIGTERM when the parent ends, however it ends."""
    def arrange() -> None:
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:
            os._exit(1)
    return arrange
