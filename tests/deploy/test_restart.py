"""The service is stopped and started again, as `systemctl restart` does: the web server's connections outlive it."""

import re
import signal
import socket
import subprocess
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Iterator

import pytest

from tests.http.fastcgi import FastCGI, request_bytes
from tests.stack import Stack, wait_until
from tests.stack.paths import ROOT, program

from service_manager import ServiceManager

CONNECTIONS = 40
HEALTHZ = request_bytes("GET", "/healthz")
WELL = '"CODE":"0000"'


class Unit:
    """recaudo-fcgi.service and its socket."""

    def __init__(self, stack: Stack, directory: Path) -> None:
        self.stack = stack
        self.manager = ServiceManager(directory / "notify")
        self.log = directory / "restarted.log"
        self.path = str(directory / "unit.sock")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(self.path)
        self.socket.listen(100)
        self.service: subprocess.Popen[bytes] | None = None

    def spawn(self) -> None:
        self.service = self.manager.start(program("recaudo-fcgi"), self.socket, "recaudo-fcgi.socket",
                                          {"RECAUDO_CONFIG": str(self.stack.config)}, self.log)

    def start(self) -> None:
        self.spawn()
        self.manager.await_message("READY=1")

    def stop(self) -> None:
        """As with KillMode=mixed: the first process alone is told."""
        assert self.service is not None
        self.service.send_signal(signal.SIGTERM)
        wait_until(self.has_ended, "the service to end")
        assert self.service.returncode == 0, self.log.read_text()

    def has_ended(self) -> bool:
        self.manager.take_all()
        return self.service is None or self.service.poll() is not None

    def close(self) -> None:
        if not self.has_ended():
            self.stop()
        self.manager.close()
        self.socket.close()


@pytest.fixture
def unit(tmp_path: Path) -> Iterator[Unit]:
    with Stack(settings={"worker": {"processes": "2"}}, dispatcher=False, buffer_pool="16M") as stack:
        stack.worker.stop()
        with closing(Unit(stack, tmp_path)) as unit:
            unit.start()
            yield unit


def test_requests_come_while_nobody_runs(unit: Unit) -> None:
    """Each on its connection from before, half of one, and one on a new connection: all are answered after the start, twice."""
    with ExitStack() as opened:
        connections = [opened.enter_context(FastCGI(unit.path)) for _ in range(CONNECTIONS)]
        for _ in range(2):
            for connection in connections:
                assert WELL in connection.ask("GET", "/healthz")
            unit.stop()
            for connection in connections:
                connection.send(HEALTHZ[:-10])
            new = opened.enter_context(FastCGI(unit.path))
            new.send(HEALTHZ[:-10])
            connections.append(new)
            unit.start()
            for connection in connections:
                connection.send(HEALTHZ[-10:])
                assert WELL in connection.receive()
            assert unit.manager.kept == {}


def test_what_is_closed_afterwards_is_closed(unit: Unit) -> None:
    """Nobody else has the connection still."""
    with FastCGI(unit.path) as connection:
        assert WELL in connection.ask("GET", "/healthz")
        unit.stop()
        unit.start()
        assert WELL in connection.ask("GET", "/healthz")
        connection.send(request_bytes("GET", "/healthz", keep=False))
        assert WELL in connection.receive()
        with pytest.raises(EOFError):
            connection.receive()


def test_a_start_that_fails_keeps_them(unit: Unit) -> None:
    good = unit.stack.config.read_text()
    with FastCGI(unit.path) as connection:
        assert WELL in connection.ask("GET", "/healthz")
        unit.stop()
        unit.stack.config.write_text(good.replace("[worker]", "[worker]\nthreds = 1"))
        unit.spawn()
        connection.send(HEALTHZ)
        wait_until(unit.has_ended, "the start to fail")
        unit.stack.config.write_text(good)
        unit.start()
        assert WELL in connection.receive()


def test_one_process_that_serves_alone_closes_them(unit: Unit) -> None:
    """It has nobody to hand over to: the web server connects anew."""
    with FastCGI(unit.path) as connection:
        assert WELL in connection.ask("GET", "/healthz")
        unit.stop()
        unit.stack.write_config({"worker": {"processes": "0"}})
        unit.spawn()
        unit.manager.await_message("FDSTOREREMOVE=1")
        with pytest.raises(EOFError):
            connection.receive()
        wait_until(lambda: "closes 1 connections from before the restart" in unit.log.read_text(), "the line")
        with FastCGI(unit.path) as new:
            assert WELL in new.ask("GET", "/healthz")


def test_as_many_are_kept_as_are_taken() -> None:
    unit, source = ((ROOT / name).read_text() for name in ("systemd/recaudo-fcgi.service.in", "src/edge/handover.c"))
    kept, taken = re.search(r"^FileDescriptorStoreMax=(\d+)$", unit, re.MULTILINE), re.search(r"KEPT_MAX = (\d+)", source)
    assert kept and taken and kept[1] == taken[1]
    assert re.search("^KillMode=mixed$", unit, re.MULTILINE), "a process that is told to stop by itself closes its connections"
