"""recaudo-fcgi as a service: what it tells its manager, the socket it is passed, and SIGHUP."""

import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import Client, Stack, wait_until
from tests.stack.paths import program

from service_manager import ServiceManager

WATCHDOG_SECONDS = 1.0


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[ServiceManager]:
    manager = ServiceManager(tmp_path / "notify")
    yield manager
    manager.close()


@pytest.fixture
def stack() -> Iterator[Stack]:
    with Stack(dispatcher=False, buffer_pool="16M", settings={"worker": {"processes": "3", "threads": "2"}}) as stack:
        stack.dispatcher.show_life()
        yield stack


def serves(stack: Stack) -> bool:
    with stack.client() as client:
        return client.request("GET", "/readyz").code == "0000"


def test_messages(stack: Stack, manager: ServiceManager) -> None:
    stack.worker.stop()
    stack.worker.environment |= {"NOTIFY_SOCKET": str(manager.path), "WATCHDOG_USEC": str(int(WATCHDOG_SECONDS * 1e6))}
    stack.worker.start()
    assert manager.await_message("READY=1") == "READY=1"
    for _ in range(4):
        manager.await_message("WATCHDOG=1", WATCHDOG_SECONDS)
    stack.worker.signal(signal.SIGHUP)
    assert "MONOTONIC_USEC=" in manager.await_message("RELOADING=1")
    manager.await_message("READY=1")
    assert stack.worker.stop() == 0
    manager.await_message("STOPPING=1")


class Asking:
    """Somebody who asks all the time, each time on a new connection; `refused` has what was not answered with 0000."""

    def __init__(self, stack: Stack) -> None:
        self.base_url = stack.base_url
        self.asked = 0
        self.refused: list[str] = []
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._ask)

    def _ask(self) -> None:
        while not self.over.is_set():
            with Client(self.base_url) as client:
                reply = client.request("GET", "/readyz")
            self.asked += 1
            if reply.code != "0000":
                self.refused.append(reply.text)

    def __enter__(self) -> "Asking":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.thread.join()


def test_reload(stack: Stack) -> None:
    """All processes are replaced, by more or fewer, with the new settings; somebody always serves."""
    for processes in (3, 5, 2):
        before = set(stack.worker.children())
        stack.write_config({"worker": {"processes": str(processes), "threads": "3"}})
        with Asking(stack) as asking:
            stack.worker.signal(signal.SIGHUP)
            wait_until(lambda: before.isdisjoint(now := stack.worker.children()) and len(now) == processes, "other processes")
            asked = asking.asked
            wait_until(lambda: asking.asked > asked + 10, "more answers")
        # nginx may have sent on a kept connection in the instant in which a leaving process closed it.
        assert len(asking.refused) <= len(before), asking.refused
    assert "with 3 threads" in stack.worker.log_text()
    assert serves(stack)


def test_reload_of_a_broken_configuration(stack: Stack) -> None:
    before = stack.worker.children()
    good = stack.config.read_text()
    stack.config.write_text(good.replace("[worker]", "[worker]\nthreds = 1"))
    stack.worker.signal(signal.SIGHUP)
    wait_until(lambda: "not reloaded" in stack.worker.log_text(), "the refusal")
    assert "threds" in stack.worker.log_text()
    assert stack.worker.children() == before and serves(stack)
    stack.config.write_text(good)
    stack.worker.signal(signal.SIGHUP)
    wait_until(lambda: set(before).isdisjoint(stack.worker.children()), "other processes")
    assert serves(stack)


def test_passed_socket(stack: Stack, tmp_path: Path) -> None:
    """As systemd passes it: file descriptor 3, LISTEN_FDS and LISTEN_PID."""
    stack.worker.stop()
    assert not os.path.exists(stack.worker.socket)
    activated = subprocess.Popen(
        ["systemd-socket-activate", "-l", stack.worker.socket, "-E", f"RECAUDO_CONFIG={stack.config}", program("recaudo-fcgi")],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: os.path.exists(stack.worker.socket), "the socket")
        assert serves(stack)
    finally:
        activated.terminate()
        assert activated.wait(20) == 0
    assert os.path.exists(stack.worker.socket)
    os.unlink(stack.worker.socket)
    stack.worker.start()
