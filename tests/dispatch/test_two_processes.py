"""Settling and delivering are a process each: what each of them can do, and what becomes of one that is killed or hangs."""

import os
import signal
import subprocess
import time
from datetime import timedelta
from pathlib import Path

import pytest

from tests.stack import Dispatcher, wait_until
from tests.stack.process import leaves_no_core
from tests.stack.config import Settings
from tests.stack.dispatch_rig import DispatchRig, Merchant
from tests.stack.merchant_stub import MerchantStub, hold, ok
from tests.stack.paths import program
from tests.stack.private_files import write_private

HANGS: Settings = {"database": {"read_timeout": "1s"}, "dispatcher": {"hang_after": "4s"}}
TASKS = ("settle", "deliver")


def run(rig: DispatchRig, *words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([program("recaudo-dispatch"), "--config", str(rig.config()), *words],
                          capture_output=True, text=True, timeout=60)


def process(dispatcher: Dispatcher, task: str) -> int:
    return int(wait_until(lambda: dispatcher.process(task), f"the process of task {task}"))


def closed_window(rig: DispatchRig, stub: MerchantStub) -> None:
    rig.confirmed_orders(rig.merchant(stub.on("n", ok)), 1, rig.now())


def test_each_alone(rig: DispatchRig, stub: MerchantStub) -> None:
    """Delivering settles nothing, settling delivers nothing."""
    closed_window(rig, stub)
    assert "finalised" not in run(rig, "deliver", "--once").stderr
    assert rig.value("SELECT state FROM orders") == "PENDIENTE"
    result = run(rig, "settle", "--once")
    assert "info done finalised=1 expired=0 delivered=0 to_be_tried_again=0 exhausted=0\n" in result.stderr
    assert rig.count("pending") == 1 and stub.requests == []
    result = run(rig, "deliver", "--once")
    assert "info done finalised=0 expired=0 delivered=1 to_be_tried_again=0 exhausted=0\n" in result.stderr
    assert len(stub.requests) == 1


def test_settling_needs_no_key(rig: DispatchRig, stub: MerchantStub) -> None:
    closed_window(rig, stub)
    config = rig.config({"security": {"key_file": "/nowhere/secret.key"}})
    command = [program("recaudo-dispatch"), "--config", str(config)]
    assert subprocess.run([*command, "settle", "--once"], timeout=60).returncode == 0
    assert rig.value("SELECT state FROM orders") == "APROBADA"
    assert subprocess.run([*command, "deliver", "--once"], timeout=60, stderr=subprocess.DEVNULL).returncode == 2


def test_accounts(rig: DispatchRig, stub: MerchantStub) -> None:
    """Each logs in as its own, and as nobody else."""
    rig.notify(rig.merchant(stub.on("n", hold)))
    seen = "SELECT DISTINCT user FROM information_schema.processlist WHERE user LIKE 'recaudo%%' ORDER BY user"
    with rig.dispatcher() as dispatcher:
        stub.await_requests(1)
        wait_until(lambda: [row["user"] for row in rig.rows(seen)] == ["recaudo_deliverer", "recaudo_dispatcher"],
                   "both accounts")
        os.kill(process(dispatcher, "deliver"), signal.SIGTERM)
        stub.release()
        wait_until(lambda: [row["user"] for row in rig.rows(seen)] == ["recaudo_dispatcher"], "one account")


def status_of(process_id: int) -> dict[str, str]:
    lines = Path(f"/proc/{process_id}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def test_confined(rig: DispatchRig) -> None:
    """Both have given up what they do not need (seccomp, mode 2) before they connect; test_confine.c tries what is left."""
    with rig.dispatcher() as dispatcher:
        wait_until(lambda: len(rig.rows("SELECT * FROM dispatchers")) == 2, "the heartbeats")
        for task in TASKS:
            status = status_of(process(dispatcher, task))
            assert (status["Seccomp"], status["NoNewPrivs"]) == ("2", "1")
            assert leaves_no_core(process(dispatcher, task))


@pytest.mark.parametrize("task", TASKS)
def test_killed_and_replaced(rig: DispatchRig, stub: MerchantStub, task: str) -> None:
    with rig.dispatcher() as dispatcher:
        first = process(dispatcher, task)
        other = process(dispatcher, next(name for name in TASKS if name != task))
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: dispatcher.process(task) not in (None, first), "another process")
        said = f"task {task}: process killed by signal 9; starting another"
        wait_until(lambda: said in dispatcher.log_text(), "the line about it")
        closed_window(rig, stub)
        rig.await_count("delivered", 1)
        assert other in dispatcher.children()
        assert dispatcher.stop() == 1


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_hangs_and_is_replaced(rig: DispatchRig, stub: MerchantStub, task: str) -> None:
    with rig.dispatcher(HANGS) as dispatcher:
        hanging = process(dispatcher, task)
        os.kill(hanging, signal.SIGSTOP)
        closed_window(rig, stub)
        wait_until(lambda: dispatcher.process(task) not in (None, hanging), "another process", 60)
        said = f"task {task}: process {hanging} has made no progress for 4 s; killing it"
        wait_until(lambda: said in dispatcher.log_text(), "the line about it")
        rig.await_count("delivered", 1)


@pytest.mark.slow
def test_one_pass_that_hangs_ends(rig: DispatchRig, stub: MerchantStub) -> None:
    """Nothing starts it again: cron does, a minute later."""
    rig.notify(rig.merchant(stub.on("n", hold)))
    dispatcher = rig.new_dispatcher(HANGS)
    dispatcher.command[-2:] = ["--once"]
    dispatcher.spawn()
    try:
        stub.await_requests(1)
        os.kill(process(dispatcher, "deliver"), signal.SIGSTOP)
        wait_until(lambda: not dispatcher.running(), "the pass to end", 60)
        assert dispatcher.exit_status() == 1
    finally:
        dispatcher.kill()


@pytest.mark.slow
def test_waiting_for_an_endpoint_is_no_hang(rig: DispatchRig, stub: MerchantStub) -> None:
    rig.notify(rig.merchant(stub.on("n", hold)))
    with rig.dispatcher({**HANGS, "notification": {"timeout": "12s"}}) as dispatcher:
        stub.await_requests(1)
        before = [process(dispatcher, task) for task in TASKS]
        began = time.monotonic()
        wait_until(lambda: time.monotonic() - began > 8, "twice the time of a hang", 60)
        assert [dispatcher.process(task) for task in TASKS] == before
        stub.release()
        rig.await_count("delivered", 1)


@pytest.mark.slow
def test_stopped_as_a_whole_is_no_hang(rig: DispatchRig, stub: MerchantStub) -> None:
    """A machine that was suspended: the parent has seen none of that time."""
    with rig.dispatcher(HANGS) as dispatcher:
        before = [process(dispatcher, task) for task in TASKS]
        wait_until(lambda: len(rig.rows("SELECT * FROM dispatchers")) == 2, "both to work: who cannot log in leaves")
        dispatcher.pause()
        began = time.monotonic()
        wait_until(lambda: time.monotonic() - began > 6, "more than the time of a hang", 60)
        dispatcher.resume()
        closed_window(rig, stub)
        rig.await_count("delivered", 1)
        assert [dispatcher.process(task) for task in TASKS] == before


@pytest.mark.slow
def test_one_that_hangs_does_not_keep_it_from_leaving(rig: DispatchRig) -> None:
    with rig.dispatcher() as dispatcher:
        os.kill(process(dispatcher, "settle"), signal.SIGSTOP)
        dispatcher.child.send_signal(signal.SIGTERM)  # type: ignore[union-attr]
        wait_until(lambda: not dispatcher.running(), "the dispatcher to leave", 60)
        assert dispatcher.exit_status() == 1


def test_the_parent_is_killed(rig: DispatchRig) -> None:
    """Its children leave as if told to."""
    with rig.dispatcher() as dispatcher:
        wait_until(lambda: len(rig.rows("SELECT * FROM dispatchers")) == 2, "the heartbeats")
        os.kill(dispatcher.pid, signal.SIGKILL)
        wait_until(lambda: rig.value("SELECT COUNT(*) FROM dispatchers WHERE ended_at IS NOT NULL") == 2,
                   "both to leave")


def test_one_that_may_not_log_in(rig: DispatchRig, stub: MerchantStub, tmp_path: Path) -> None:
    """The other one works; the exit status tells of the worse."""
    closed_window(rig, stub)
    write_private(tmp_path / "password", "not this one\n")
    config = rig.config({"database": {"deliverer_password_file": tmp_path / "password"}})
    result = subprocess.run([program("recaudo-dispatch"), "--config", str(config), "--once"], capture_output=True,
                            text=True, timeout=60)
    assert result.returncode == 3 and "recaudo_deliverer" in result.stderr and stub.requests == []
    assert rig.value("SELECT state FROM orders") == "APROBADA"


def test_one_that_could_not_log_in_is_replaced(rig: DispatchRig, stub: MerchantStub) -> None:
    """The other goes on, and nobody starts a new dispatcher before that has left."""
    closed_window(rig, stub)
    rig.write("ALTER USER recaudo_deliverer@localhost ACCOUNT LOCK")
    try:
        with rig.dispatcher() as dispatcher:
            wait_until(lambda: "recaudo_deliverer" in dispatcher.log_text(), "its login to be refused")
            wait_until(lambda: rig.value("SELECT state FROM orders") == "APROBADA", "the other task")
            rig.write("ALTER USER recaudo_deliverer@localhost ACCOUNT UNLOCK")
            rig.await_count("delivered", 1)
            assert dispatcher.stop() == 0, "the database is there now"
    finally:
        rig.write("ALTER USER recaudo_deliverer@localhost ACCOUNT UNLOCK")


def test_precision(rig: DispatchRig, stub: MerchantStub) -> None:
    """A notification leaves within about a tenth of a second of the window's end, although two processes take part.

    On a busy machine at least in one of some tries; never early in any.
    """
    merchant = rig.merchant(stub.on("n", ok))
    with rig.dispatcher():
        tries = [late_ones(rig, stub, merchant)]
        while tries[-1][5] >= 0.15 and len(tries) < 6:
            tries.append(late_ones(rig, stub, merchant))
    assert min(delays[0] for delays in tries) >= 0 and tries[-1][5] < 0.15, tries


def late_ones(rig: DispatchRig, stub: MerchantStub, merchant: Merchant) -> list[float]:
    """How long after the ends of ten windows their notifications arrived, from the least to the most."""
    before = len(stub.requests)
    ends = rig.now() + timedelta(seconds=2)
    for number in range(10):
        rig.confirmed_orders(merchant, 1, ends + timedelta(milliseconds=337 * number))
    arrived = sorted(request.arrived for request in stub.await_requests(before + 10)[before:])
    return sorted((at - ends - timedelta(milliseconds=337 * number)).total_seconds() for number, at in enumerate(arrived))
