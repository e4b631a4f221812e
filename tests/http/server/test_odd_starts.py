"""Other ways to start and to end the worker: alone, with a socket from outside, with few files, and when it does not leave."""

import os
import re
import resource
import signal
import socket
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Callable, Iterator

import pytest

from fastcgi import FastCGI
from tests.stack import Stack, Worker, wait_until
from tests.stack.inspection.files import closed, standard_files
from tests.stack.paths import program
from tests.stack.process import children, listens_on

NOT_CONFIGURED = 78
HEALTHY = '"CODE":"0000"'
FORCED_AFTER = 10.0
FEW_FILES = 300


@pytest.fixture(scope="module")
def own() -> Iterator[Stack]:
    with Stack(dispatcher=False, buffer_pool="16M") as own:
        yield own


@pytest.fixture
def other(own: Stack, tmp_path: Path) -> Iterator[Callable[[str], Worker]]:
    """Makes another worker, with such lines in its section [worker]; it is not started."""
    started = []

    def make(lines: str = "") -> Worker:
        path = own.worker.socket + ".other"
        config = tmp_path / "recaudo.conf"
        text = own.config.read_text().replace(own.worker.socket, path)
        config.write_text(text.replace("[worker]", f"[worker]\n{lines}"))
        started.append(Worker(config, path, tmp_path / "worker.log"))
        return started[-1]

    yield make
    for worker in started:
        worker.stop()


def ends(worker: Worker, stdin: "socket.socket | int" = subprocess.DEVNULL) -> "subprocess.CompletedProcess[str]":
    """Where it ought to end by itself."""
    return subprocess.run(worker.command, env=worker.environment, stdin=stdin, capture_output=True, text=True, timeout=60)


def ask(path: str) -> str:
    with FastCGI(path) as connection:
        return connection.ask("GET", "/healthz")


def test_process_that_serves_alone(other: Callable[[str], Worker]) -> None:
    """Beside it is the one that asks merchants, which ends with it."""
    worker = other("processes = 0")
    worker.start()
    assert HEALTHY in ask(worker.socket)
    asking = wait_until(worker.query_process, "the query process")
    assert children(worker.pid) == [asking]
    assert worker.stop() == 0
    assert not os.path.exists(f"/proc/{asking}") and not os.path.exists(worker.socket)


def test_process_that_serves_alone_with_a_query_process_from_outside(other: Callable[[str], Worker]) -> None:
    worker = other("processes = 0")
    worker.environment["RECAUDO_QUERY_SOCKET"] = "/nowhere/query.sock"
    worker.start()
    assert HEALTHY in ask(worker.socket)
    assert children(worker.pid) == []
    assert worker.stop() == 0


def test_name_of_the_query_socket_that_is_too_long(other: Callable[[str], Worker]) -> None:
    worker = other("")
    worker.environment["RECAUDO_QUERY_SOCKET"] = "/run/" + "q" * 107
    result = ends(worker)
    assert result.returncode == NOT_CONFIGURED
    assert "the name of the socket for queries is too long (107 bytes with .queries)" in result.stderr


def test_socket_in_use_where_the_query_process_is_from_outside(own: Stack, other: Callable[[str], Worker]) -> None:
    worker = other("")
    worker.environment |= {"RECAUDO_QUERY_SOCKET": "/nowhere/query.sock", "RECAUDO_CONFIG": str(own.config)}
    result = ends(worker)
    assert result.returncode == NOT_CONFIGURED
    assert f"{own.worker.socket}: another process listens there already" in result.stderr
    assert HEALTHY in ask(own.worker.socket)


def test_socket_of_a_process_that_hangs(other: Callable[[str], Worker]) -> None:
    """Its queue is full, so a connection would wait as long as it hangs."""
    worker = other("")
    worker.environment["RECAUDO_QUERY_SOCKET"] = "/nowhere/query.sock"
    with ExitStack() as sockets:
        hanging = sockets.enter_context(socket.socket(socket.AF_UNIX))
        hanging.bind(worker.socket)
        hanging.listen(0)
        with pytest.raises(BlockingIOError):
            while True:
                waiting = sockets.enter_context(socket.socket(socket.AF_UNIX))
                waiting.setblocking(False)
                waiting.connect(worker.socket)
        result = ends(worker)
    os.unlink(worker.socket)
    assert result.returncode == NOT_CONFIGURED
    assert f"{worker.socket}: another process listens there already" in result.stderr


def test_file_of_rates_that_cannot_be_used(other: Callable[[str], Worker]) -> None:
    """Its first process finds that out; none is started after it."""
    result = ends(other("rate_file = /nowhere/rates"))
    assert result.returncode == NOT_CONFIGURED
    assert "/nowhere/rates cannot be used: No such file or directory" in result.stderr
    assert "starting another" not in result.stderr


def test_socket_as_standard_input(other: Callable[[str], Worker], tmp_path: Path) -> None:
    """As spawn-fcgi passes it. Who made it removes it."""
    worker, path = other(""), str(tmp_path / "passed.sock")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen(64)
        process = subprocess.Popen([program("recaudo-fcgi")], stdin=listener, stderr=subprocess.DEVNULL,
                                   env=worker.environment)
    try:
        assert HEALTHY in ask(path)
        assert not os.path.exists(worker.socket)
    finally:
        process.terminate()
        assert process.wait(60) == 0
    assert os.path.exists(path)


def test_interrupted(other: Callable[[str], Worker]) -> None:
    """As by Ctrl-C: an orderly end."""
    worker = other("")
    worker.start()
    wait_until(lambda: HEALTHY in ask(worker.socket), "an answer")
    worker.signal(signal.SIGINT)
    wait_until(lambda: not worker.running(), "the end")
    assert worker.exit_status() == 0 and not os.path.exists(worker.socket)


def test_more_connections_than_files(other: Callable[[str], Worker]) -> None:
    """Those beyond are refused and said; the others are served."""
    worker = other("processes = 1")
    worker.command = ["bash", "-c", f"ulimit -n {FEW_FILES} && exec {program('recaudo-fcgi')}"]
    worker.start()
    serving = wait_until(worker.children, "the process")[0]
    assert resource.prlimit(serving, resource.RLIMIT_NOFILE) == (FEW_FILES, FEW_FILES)
    with ExitStack() as clients:
        first = clients.enter_context(FastCGI(worker.socket))
        for _ in range(FEW_FILES):
            clients.enter_context(FastCGI(worker.socket))
        wait_until(lambda: re.search(r"more than \d+ connections: refusing one", worker.log_text()), "the line")
        assert HEALTHY in first.ask("GET", "/healthz")
    wait_until(lambda: HEALTHY in ask(worker.socket), "an answer")


def test_standard_files_that_are_closed(other: Callable[[str], Worker]) -> None:
    """No socket and no shared memory takes their places: the log would be written into it."""
    worker = other("")
    worker.command = closed(worker.command)
    worker.start()
    asking = wait_until(worker.query_process, "the query process")
    assert HEALTHY in ask(worker.socket)
    for process in (worker.pid, *worker.children()):
        assert standard_files(process) == ["/dev/null"] * 3
    listener, *others = standard_files(asking)
    assert listener.startswith("socket:") and others == ["/dev/null"] * 2


@pytest.mark.slow
def test_processes_that_do_not_leave(other: Callable[[str], Worker]) -> None:
    """They are killed in the end, and the service ends nevertheless."""
    worker = other("processes = 2")
    worker.start()
    wait_until(lambda: len(worker.children()) == 2 and HEALTHY in ask(worker.socket), "two processes")
    stuck = worker.children()
    for process in stuck:
        os.kill(process, signal.SIGSTOP)
    began = time.monotonic()
    assert worker.stop() == 0
    assert time.monotonic() - began >= FORCED_AFTER
    assert "2 worker processes did not stop in time; killing them" in worker.log_text()
    assert not any(os.path.exists(f"/proc/{process}") for process in stuck) and not listens_on(worker.socket)
