"""What a run tells systemd, and how long systemd is to wait before it takes the dispatcher for one that hangs."""

import os
import socket
import subprocess
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack.config import Settings
from tests.stack.dispatch_rig import DispatchRig
from tests.stack.paths import program

HANG_AFTER, BEYOND = 40, 15
HANGS: Settings = {"dispatcher": {"hang_after": f"{HANG_AFTER}s"}, "database": {"read_timeout": "1s"}}
MICROSECONDS = 1_000_000


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(60)
        yield manager


def run(rig: DispatchRig, manager: socket.socket, watchdog: int | None, *words: str) -> list[str]:
    """One run that is told that systemd waits for so many seconds; the messages that it sent."""
    environment = {**os.environ, "NOTIFY_SOCKET": manager.getsockname()}
    if watchdog is not None:
        environment["WATCHDOG_USEC"] = str(watchdog * MICROSECONDS)
    process = subprocess.Popen([program("recaudo-dispatch"), "--config", str(rig.config(HANGS)), *words], env=environment)
    messages = []
    try:
        while not messages or messages[-1] != "WATCHDOG=1":
            messages.append(manager.recv(4096).decode())
    finally:
        process.terminate()
        assert process.wait(60) == 0
    return messages


@pytest.mark.parametrize("words", [["--for", "60"], ["settle", "--for", "60"]], ids=["both tasks", "one task"])
@pytest.mark.parametrize("watchdog, asks", [(None, False), (HANG_AFTER + BEYOND, False), (HANG_AFTER + BEYOND - 1, True)])
def test_watchdog(rig: DispatchRig, manager: socket.socket, watchdog: int | None, asks: bool, words: list[str]) -> None:
    """It must not strike before a process that hangs has been replaced: one that is too short is made longer."""
    longer = [f"WATCHDOG_USEC={(HANG_AFTER + BEYOND) * MICROSECONDS}"] if asks else []
    assert run(rig, manager, watchdog, *words) == [*longer, "READY=1", "WATCHDOG=1"]
