"""What the system refuses to the dispatcher: it says so, does nothing by halves, and leaves with a status that says it."""

import errno
import os
import re
import resource
import signal
import subprocess
from contextlib import AbstractContextManager, nullcontext
from itertools import count
from pathlib import Path
from typing import Callable

import pytest

from tests.stack import wait_until
from tests.stack.config import Settings
from tests.stack.dispatch_rig import DispatchRig
from tests.stack.merchant_stub import MerchantStub, ok
from tests.stack.paths import program
from tests.stack.inspection.refused_calls import RefusedCalls

pytestmark = pytest.mark.preloads
WORKED, LEFT_UNDONE, USAGE, DATABASE = 0, 1, 2, 3
FEW = (100, 5000)  # files: that it may have open, and that it may allow itself
SOMEBODY = "nobody"  # a user that every system has


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> RefusedCalls:
    return RefusedCalls(tmp_path_factory.mktemp("refused"))


def run(refused: RefusedCalls, config: Path, *words: str,
        before: "Callable[[], None] | None" = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([program("recaudo-dispatch"), "--config", str(config), *words], capture_output=True, text=True,
                          timeout=60, env={**os.environ, **refused.environment()}, preexec_fn=before)


@pytest.fixture
def config(rig: DispatchRig, stub: MerchantStub) -> Path:
    """One payment to be finalised, one notification to be delivered."""
    merchant = rig.merchant(stub.on("n", ok))
    rig.confirmed_orders(merchant, 1, rig.now())
    rig.notify(merchant)
    return rig.config()


def left(rig: DispatchRig) -> tuple[int, int]:
    """Payments and notifications that are not done."""
    return rig.value("SELECT COUNT(*) FROM transactions WHERE state = 'CONFIRMADA'"), rig.count("pending")


# Function, task, error, line. The parent makes the first process; the others are made by what it has forked.
REFUSED = [
    ("fork", "settle", errno.EAGAIN, "task settle: cannot start a process: Resource temporarily unavailable"),
    ("fork", "deliver", errno.EAGAIN, "task deliver: cannot start a process: Resource temporarily unavailable"),
    ("prctl", "settle", errno.EPERM, ""),
    ("getppid", "deliver", 0, ""),
    ("eventfd", "settle", errno.EMFILE, "cannot wait for signals: Too many open files"),
    ("signalfd", "deliver", errno.EMFILE, "cannot wait for signals: Too many open files"),
    ("epoll_create1", "deliver", errno.EMFILE, "cannot wait for connections: Too many open files"),
    ("pthread_create", "deliver", errno.EAGAIN, "cannot start a thread"),
    ("pthread_create", "settle", errno.EAGAIN, "cannot start a thread"),
]


@pytest.mark.parametrize("function, task, error, line", REFUSED)
def test_task_that_cannot_begin(rig: DispatchRig, config: Path, refused: RefusedCalls, function: str, task: str, error: int,
                                line: str) -> None:
    before = left(rig)
    with refused.refusing(function, error):
        result = run(refused, config, task, "--once")
    assert result.returncode == LEFT_UNDONE and line in result.stderr
    assert left(rig) == before == (1, 1)
    assert run(refused, config, "--once").returncode == WORKED
    assert left(rig)[0] == 0


def test_no_shared_memory(rig: DispatchRig, config: Path, refused: RefusedCalls) -> None:
    """Whichever piece it is, the last one of the start is said."""
    for passing in count():
        with refused.refusing("mmap", errno.ENOMEM, passing):
            result = run(refused, config, "--once")
        if "cannot create shared memory" in result.stderr:
            break
        assert result.returncode in (LEFT_UNDONE, -signal.SIGABRT) and left(rig) == (1, 1)
    assert result.returncode == LEFT_UNDONE and left(rig) == (1, 1)


def test_limit_of_files_that_may_not_be_raised(rig: DispatchRig, config: Path, refused: RefusedCalls) -> None:
    many = rig.config({"dispatcher": {"in_flight": 1000, "in_flight_per_endpoint": 400}})
    with refused.refusing("setrlimit", errno.EPERM):
        result = run(refused, many, "deliver", "--once", before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, FEW))
    assert result.returncode == USAGE and "in_flight = 1000 needs 3064 open files" in result.stderr
    assert left(rig) == (1, 1)


def test_wait_that_is_interrupted(rig: DispatchRig, refused: RefusedCalls) -> None:
    """The thread that waits for the end goes on waiting, and hears of it."""
    dispatcher = rig.new_dispatcher()
    dispatcher.environment |= refused.environment()
    with refused.refusing("poll", errno.EINTR):
        dispatcher.start()
        wait_until(lambda: len(rig.rows("SELECT * FROM dispatchers")) == 2, "the heartbeats")
    assert dispatcher.stop(timeout=10.0) == WORKED


IS_ROOT = os.geteuid() == 0


def without_password(user: str) -> Settings:
    return {"database": {"dispatcher_user": user, "dispatcher_password_file": None}}


def as_root(refused: RefusedCalls) -> AbstractContextManager[None]:
    """The program takes itself for root's; the system knows better."""
    return nullcontext() if IS_ROOT else refused.refusing("geteuid", 0)


def test_account_that_is_no_user(rig: DispatchRig, config: Path, refused: RefusedCalls) -> None:
    with as_root(refused):
        result = run(refused, rig.config(without_password("recaudo_nobody_at_all")), "settle", "--once")
    assert result.returncode == USAGE and left(rig) == (1, 1)
    assert "the system user recaudo_nobody_at_all does not exist" in result.stderr


@pytest.mark.parametrize("function", ["initgroups", "setgid", "setuid"])
def test_user_that_it_cannot_become(rig: DispatchRig, config: Path, refused: RefusedCalls, function: str) -> None:
    """It does not go on as who it is. To whom is not root the system refuses the first of the three by itself."""
    with refused.refusing(function, errno.EPERM) if IS_ROOT else as_root(refused):
        result = run(refused, rig.config(without_password(SOMEBODY)), "settle", "--once")
    assert result.returncode == USAGE and left(rig) == (1, 1)
    assert f"cannot become the system user {SOMEBODY}: Operation not permitted" in result.stderr


def test_user_that_it_becomes(rig: DispatchRig, config: Path, refused: RefusedCalls) -> None:
    """The instance's folder lets nobody in but root, who started it. An ordinary user stays who it is, and the database refuses it."""
    result = run(refused, rig.config(without_password(SOMEBODY)), "settle", "--once")
    assert result.returncode == DATABASE and left(rig) == (1, 1)
    # 13: permission denied; 1698, 1045: access denied
    assert re.search(rf"{SOMEBODY}.*\((13|1698|1045)\)", result.stderr) and ("(13)" in result.stderr) == IS_ROOT, result.stderr
