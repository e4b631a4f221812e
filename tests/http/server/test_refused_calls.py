"""What the system refuses to the worker: it says so, and does not serve half; what may pass is tried until it has."""

import errno
import os
import re
import signal
import subprocess
from itertools import count
from pathlib import Path
from typing import Iterator

import pytest

from fastcgi import FastCGI
from tests.stack import Stack, Worker, wait_until
from tests.stack.paths import program
from tests.stack.inspection.refused_calls import RefusedCalls

pytestmark = pytest.mark.preloads
NOT_CONFIGURED = 78
HEALTHY = '"CODE":"0000"'


@pytest.fixture(scope="module")
def own() -> Iterator[Stack]:
    with Stack(dispatcher=False, buffer_pool="16M") as own:
        yield own


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> RefusedCalls:
    return RefusedCalls(tmp_path_factory.mktemp("refused"))


@pytest.fixture
def worker(own: Stack, refused: RefusedCalls, tmp_path: Path) -> Iterator[Worker]:
    """Another one, which is not started."""
    socket = own.worker.socket + ".refused"
    config = tmp_path / "recaudo.conf"
    config.write_text(own.config.read_text().replace(own.worker.socket, socket))
    worker = Worker(config, socket, tmp_path / "worker.log")
    worker.environment |= refused.environment()
    yield worker
    worker.stop()


def ends(worker: Worker) -> "subprocess.CompletedProcess[str]":
    """Where it ought to end by itself."""
    return subprocess.run(worker.command, env=worker.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60)


def start_wholly(worker: Worker) -> list[int]:
    """Until the query process is that program too; the serving processes."""
    worker.start()
    wait_until(lambda: healthy(worker) and worker.query_process() is not None, "an answer, and the query process")
    return worker.children()


def healthy(worker: Worker) -> bool:
    try:
        with FastCGI(worker.socket, 1.0) as connection:
            return HEALTHY in connection.ask("GET", "/healthz")
    except (EOFError, OSError):
        return False


@pytest.mark.parametrize("function", ["memfd_create", "ftruncate"])
def test_no_memory_to_watch_over_the_query_process(worker: Worker, refused: RefusedCalls, function: str) -> None:
    with refused.refusing(function, errno.ENOMEM):
        result = ends(worker)
    assert result.returncode == NOT_CONFIGURED
    assert "cannot watch over recaudo-query: Cannot allocate memory" in result.stderr
    assert not os.path.exists(worker.socket)


def test_no_shared_memory(worker: Worker, refused: RefusedCalls) -> None:
    """Whichever piece it is: the process ends, and the last piece of the start is said."""
    for passing in count():
        with refused.refusing("mmap", errno.ENOMEM, passing):
            result = ends(worker)
        if "cannot watch over recaudo-query: Cannot allocate memory" in result.stderr:
            break
        assert result.returncode in (NOT_CONFIGURED, -signal.SIGABRT)
    assert result.returncode == NOT_CONFIGURED


# Function, how often it is called before by the first process, error, line.
WITHOUT_WHICH_NOBODY_SERVES = [
    ("fork", 0, errno.EAGAIN, "cannot start a worker process: Resource temporarily unavailable"),
    ("epoll_create1", 0, errno.EMFILE, "cannot serve: Too many open files"),
    ("epoll_ctl", 0, errno.ENOSPC, "cannot serve: No space left on device"),
    ("signalfd", 0, errno.EMFILE, "cannot serve: Too many open files"),
    ("memfd_create", 1, errno.EMFILE, "cannot serve: Too many open files"),
]


@pytest.mark.parametrize("function, passing, error, line", WITHOUT_WHICH_NOBODY_SERVES)
def test_processes_that_cannot_serve_are_tried_again(worker: Worker, refused: RefusedCalls, function: str, passing: int,
                                                     error: int, line: str) -> None:
    with refused.refusing(function, error, passing):
        worker.start()
        wait_until(lambda: line in worker.log_text(), "the line")
        assert worker.running()
    wait_until(lambda: healthy(worker), "an answer")
    assert worker.stop() == 0


@pytest.mark.parametrize("function", ["readlink", "dup2", "close_range", "setenv"])
def test_query_process_that_cannot_be_started(worker: Worker, refused: RefusedCalls, function: str) -> None:
    """The workers serve; it is tried again."""
    with refused.refusing(function, errno.EPERM, int(function == "setenv")):  # the first process calls it once
        worker.start()
        wait_until(lambda: "recaudo-query: Operation not permitted" in worker.log_text(), "the line")
        wait_until(lambda: re.search(r"query process \d+ ended \(exit code 1\); starting another", worker.log_text()), "its end")
        wait_until(lambda: healthy(worker), "an answer")
    wait_until(lambda: worker.query_process() is not None, "the query process")


def test_request_that_cannot_be_laid_out(worker: Worker, refused: RefusedCalls) -> None:
    """Its connection is closed, and the next request is served."""
    serving = start_wholly(worker)
    for function in ("pwritev", "lseek"):
        with refused.refusing(function, errno.ENOSPC):
            with FastCGI(worker.socket) as connection, pytest.raises(EOFError):
                connection.ask("GET", "/healthz")
        assert healthy(worker)
    assert worker.children() == serving


def test_connection_that_cannot_be_watched(worker: Worker, refused: RefusedCalls) -> None:
    serving = start_wholly(worker)
    with refused.refusing("epoll_ctl", errno.ENOSPC):
        with FastCGI(worker.socket) as connection, pytest.raises((EOFError, OSError)):
            connection.ask("GET", "/healthz")
    assert healthy(worker) and worker.children() == serving


def test_reload_that_cannot_be_checked(worker: Worker, refused: RefusedCalls) -> None:
    before = start_wholly(worker)
    with refused.refusing("fork", errno.EAGAIN):
        worker.signal(signal.SIGHUP)
        wait_until(lambda: "not reloaded; still using the configuration read before: cannot start the process that checks it"
                   in worker.log_text(), "the refusal")
    assert worker.children() == before and healthy(worker)
    worker.signal(signal.SIGHUP)
    wait_until(lambda: set(before).isdisjoint(worker.children()), "other processes")
    wait_until(lambda: healthy(worker), "an answer")


def test_query_program_that_is_not_there(worker: Worker, tmp_path: Path) -> None:
    """A copy of the program that stands alone."""
    alone = tmp_path / "recaudo-fcgi"
    alone.write_bytes(Path(program("recaudo-fcgi")).read_bytes())
    alone.chmod(0o700)
    worker.command = [str(alone)]
    worker.start()
    wait_until(lambda: f"cannot start {tmp_path}/recaudo-query: No such file or directory" in worker.log_text(), "the line")
    wait_until(lambda: healthy(worker), "an answer")
