"""How it is called, how it ends, its heartbeat, and what a pass costs that has nothing to do."""

import os
import re
import signal
import socket
import subprocess
import time
from datetime import timedelta
from pathlib import Path

import pytest

from tests.stack.dispatch_rig import DispatchRig
from tests.stack.merchant_stub import MerchantStub, after, hold, ok, says
from tests.stack import Dispatcher, wait_until
from tests.stack.config import Settings
from tests.stack.inspection.files import closed, standard_files
from tests.stack.paths import program

WORKED, LEFT_UNDONE, USAGE, DATABASE = 0, 1, 2, 3


def run(*words: str, environment: dict[str, str] | None = None,
        files: tuple[int, int] | None = None) -> "subprocess.CompletedProcess[str]":
    """`files`: how many it may open, and how many it may allow itself."""
    limit = ["bash", "-c", f'ulimit -n {files[1]} && ulimit -Sn {files[0]} && exec "$@"', "bash"] if files else []
    return subprocess.run([*limit, program("recaudo-dispatch"), *words], capture_output=True, text=True, timeout=60,
                          env={**os.environ, **(environment or {})})


@pytest.mark.parametrize("words", [
    [], ["--once", "--for", "1"], ["--for"], ["--for", "0"], ["--for", "-1"], ["--for", "soon"], ["--once", "more"],
    ["--never"], ["--config"], ["--for", ""], ["settle"], ["deliver", "settle", "--once"], ["settles", "--once"]])
def test_wrong_usage(rig: DispatchRig, words: list[str]) -> None:
    result = run(*words, environment={"RECAUDO_CONFIG": str(rig.config())})
    assert result.returncode == USAGE
    assert "usage: recaudo-dispatch" in result.stderr and result.stdout == ""


def test_help() -> None:
    result = run("--help")
    assert result.returncode == WORKED and "usage: recaudo-dispatch" in result.stdout and result.stderr == ""


def test_help_that_cannot_be_written() -> None:
    with open("/dev/full", "w") as full:
        result = subprocess.run([program("recaudo-dispatch"), "--help"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert result.returncode == LEFT_UNDONE and "cannot write to standard output: No space left on device" in result.stderr


@pytest.mark.parametrize("settings, words", [
    ({"security": {"key_file": "/nowhere/secret.key"}}, "/nowhere/secret.key"),
    ({"security": {"allow_addresses": "10.0.0.0/8 elsewhere"}}, "elsewhere"),
    ({"notification": {"schedule": "soon"}}, "schedule"), ({"notification": {"schedule": ""}}, "schedule"),
    ({"dispatcher": {"in_flight": "0"}}, "in_flight"), ({"dispatcher": {"colour": "blue"}}, "colour")])
def test_configuration_that_is_wrong(rig: DispatchRig, settings: Settings, words: str) -> None:
    result = run("--config", str(rig.config(settings)), "--once")
    assert result.returncode == USAGE and words in result.stderr


def test_no_configuration() -> None:
    result = run("--config", "/nowhere/recaudo.conf", "--once")
    assert result.returncode == USAGE and "/nowhere/recaudo.conf" in result.stderr


def test_configuration_by_environment(rig: DispatchRig) -> None:
    assert run("--once", environment={"RECAUDO_CONFIG": str(rig.config())}).returncode == WORKED


@pytest.mark.parametrize("words", [["--once"], ["--for", "30"]])
def test_database_away_at_the_start(rig: DispatchRig, tmp_path: Path, words: list[str]) -> None:
    began = time.monotonic()
    result = run("--config", str(rig.config({"database": {"socket": tmp_path / "nobody.sock"}})), *words)
    assert result.returncode == DATABASE and "database" in result.stderr
    assert time.monotonic() - began < 20  # far less than the 30 s of the second one


def test_database_that_lets_nobody_in(rig: DispatchRig, tmp_path: Path) -> None:
    (tmp_path / "password").write_text("not this one\n")
    settings: Settings = {"database": {"dispatcher_password_file": tmp_path / "password"}}
    result = run("--config", str(rig.config(settings)), "--once")
    assert result.returncode == DATABASE and "not this one" not in result.stderr


def test_database_that_is_read_only(rig: DispatchRig) -> None:
    """A dispatcher that can write nothing says why."""
    rig.stack.mariadb.query("SET GLOBAL read_only = 1")
    try:
        result = run("--config", str(rig.config()), "--once")
    finally:
        rig.stack.mariadb.query("SET GLOBAL read_only = 0")
    assert result.returncode == 1 and "running with the --read-only option" in result.stderr, result


def test_turns_read_only(rig: DispatchRig) -> None:
    """What one refusal says of all rows is not asked for each; they wait for the next pass, and no longer."""
    merchant = rig.merchant(None)
    with rig.dispatcher() as dispatcher:
        wait_until(lambda: len(rig.rows("SELECT * FROM dispatchers")) == 2, "both heartbeats")
        (payment,) = rig.confirmed_orders(merchant, 1, rig.now() + timedelta(seconds=5))
        (order,) = rig.orders(merchant, state="PENDIENTE", due_at=rig.now() + timedelta(seconds=4))
        rig.stack.mariadb.query("SET GLOBAL read_only = 1")
        try:
            for statement in ("window_finalise_orders", "expiry_write"):
                wait_until(lambda: f"statement {statement} failed" in dispatcher.log_text(), statement)
        finally:
            rig.stack.mariadb.query("SET GLOBAL read_only = 0")
        wait_until(lambda: [rig.value("SELECT state FROM orders WHERE id = %s", number) for number in (payment, order)]
                   == ["APROBADA", "VENCIDA"], "both to be written")
        assert not re.search(r"statement (window_finalise_order|expiry_write_one) failed", dispatcher.log_text())


def test_nothing_due(rig: DispatchRig) -> None:
    result = rig.pass_once()
    assert (result.stdout, result.stderr) == ("", "")


def test_for_seconds(rig: DispatchRig) -> None:
    began = time.monotonic()
    assert run("--config", str(rig.config()), "--for", "2").returncode == WORKED
    assert 2 <= time.monotonic() - began < 9  # not what a process gets that does not leave


def test_one_line_of_each_process_that_did_something(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("n", ok))
    rig.notify(merchant, 300)
    rig.notify(rig.merchant(stub.on("other", says("ERROR"))), 7)
    rig.orders(merchant, 2, state="PENDIENTE", due_at=rig.now())
    rig.confirmed_orders(merchant, 3, rig.now())
    lines = [line.split(" ", 1) for line in rig.pass_once().stderr.splitlines() if "finalised" in line]
    assert [text for _, text in lines] == [
        "info done finalised=3 expired=2 delivered=0 to_be_tried_again=0 exhausted=0",
        "info done finalised=0 expired=0 delivered=305 to_be_tried_again=7 exhausted=0"]
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", at) for at, _ in lines)


def test_lines_of_a_run(rig: DispatchRig, stub: MerchantStub) -> None:
    """Seldom, however busy it is, and everything stands in one of them."""
    merchant = rig.merchant(stub.on("n", ok))
    with rig.dispatcher() as dispatcher:
        for number in range(1, 11):
            rig.notify(merchant, 5)
            rig.await_count("delivered", 5 * number)
    lines = re.findall(r" info done finalised=0 expired=0 delivered=(\d+) to_be_tried_again=0 exhausted=0$",
                       dispatcher.log_text(), re.MULTILINE)
    assert sum(map(int, lines)) == 50 and 1 <= len(lines) <= 4


def test_limit_of_open_files(rig: DispatchRig, stub: MerchantStub) -> None:
    """Raised as far as it is needed; where that may not be, it is said before anything is sent."""
    rig.notify(rig.merchant(stub.on("n", after(0.5))), 400)
    many = rig.config({"dispatcher": {"in_flight": 1000, "in_flight_per_endpoint": 400}})
    result = run("--config", str(many), "--once", files=(100, 300))
    assert result.returncode == USAGE and "in_flight = 1000 needs 3064 open files" in result.stderr
    assert stub.requests == []
    assert run("--config", str(many), "--once", files=(100, 4000)).returncode == WORKED
    assert rig.count("delivered") == 400
    assert rig.value("SELECT COUNT(*) FROM attempts") == 400


def test_standard_files_that_are_closed(rig: DispatchRig, tmp_path: Path) -> None:
    """No connection to the database takes their places: the log would be written into it."""
    dispatcher = Dispatcher(rig.config(), tmp_path / "log")
    dispatcher.command = closed(dispatcher.command)
    dispatcher.start()
    try:
        for task in ("settle", "deliver"):
            process = int(wait_until(lambda: dispatcher.process(task), f"the process of {task}"))
            wait_until(lambda: rig.rows("SELECT 1 FROM dispatchers WHERE task = %s", task), "its connection")
            assert standard_files(process) == ["/dev/null"] * 3
    finally:
        assert dispatcher.stop() == WORKED


# The heartbeat.

def beats(rig: DispatchRig) -> list[dict[str, object]]:
    return rig.rows("SELECT * FROM dispatchers ORDER BY id")


def test_heartbeats_of_a_pass(rig: DispatchRig) -> None:
    rig.pass_once()
    rows = beats(rig)
    assert [row["task"] for row in rows] == ["settle", "deliver"]
    for row in rows:
        assert (row["host"], row["in_flight"]) == (socket.gethostname(), 0)
        assert row["started_at"] <= row["seen_at"] <= row["ended_at"] <= rig.now()  # type: ignore[operator]


def beat(rig: DispatchRig, task: str) -> dict[str, object]:
    """The newest one."""
    return next((row for row in reversed(beats(rig)) if row["task"] == task), {})


@pytest.mark.slow
def test_heartbeats_of_a_run(rig: DispatchRig, stub: MerchantStub) -> None:
    rig.notify(rig.merchant(stub.on("n", hold)), 3)
    with rig.dispatcher() as dispatcher:
        wait_until(lambda: len(beats(rig)) == 2, "the heartbeats")
        for task in ("settle", "deliver"):
            first = beat(rig, task)
            assert first["pid"] == dispatcher.process(task) and first["ended_at"] is None
        wait_until(lambda: beat(rig, "deliver")["in_flight"] == 3, "the number in flight", 60)
        for task in ("settle", "deliver"):
            seen = beat(rig, task)["seen_at"]
            wait_until(lambda: beat(rig, task)["seen_at"] > seen, "another heartbeat", 60)  # type: ignore
        stub.release()
    assert all(row["ended_at"] is not None and row["in_flight"] == 0 for row in beats(rig))


def test_heartbeat_of_one_that_was_killed(rig: DispatchRig) -> None:
    with rig.dispatcher() as dispatcher:
        wait_until(lambda: beats(rig), "a heartbeat")
        dispatcher.kill()
    assert beats(rig)[0]["ended_at"] is None


def test_old_runs_are_forgotten(rig: DispatchRig) -> None:
    now = rig.now()
    for days in (6, 8):
        rig.write("INSERT INTO dispatchers (host, pid, started_at, seen_at) VALUES ('old', %s, %s, %s)", days,
                       now - timedelta(days=days), now - timedelta(days=days))
    # A pass may leave them to the next one where its two processes stand in each other's way.
    wait_until(lambda: rig.pass_once() and [row["pid"] for row in beats(rig) if row["host"] == "old"] == [6], "the old one to go")


# Ending.

def ended(dispatcher: Dispatcher, seconds: float) -> int | None:
    """Sends SIGTERM; its exit status, once it has left within `seconds`."""
    dispatcher.signal(signal.SIGTERM)
    began = time.monotonic()
    wait_until(lambda: not dispatcher.running(), "the dispatcher to leave", seconds + 30)
    assert time.monotonic() - began < seconds
    return dispatcher.exit_status()


def test_told_to_stop_when_idle(rig: DispatchRig) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        with rig.dispatcher() as dispatcher:
            wait_until(lambda: rig.rows("SELECT * FROM dispatchers WHERE ended_at IS NULL"), "a heartbeat")
            dispatcher.signal(number)
            wait_until(lambda: not dispatcher.running(), "the dispatcher to leave", 9)
            assert dispatcher.exit_status() == WORKED


def test_told_to_stop_with_some_in_flight(rig: DispatchRig, stub: MerchantStub) -> None:
    """What is in flight is finished and recorded; what is not stays as it was."""
    rig.notify(rig.merchant(stub.on("n", after(2.5))), 50)
    with rig.dispatcher() as dispatcher:
        sent = len(stub.await_requests(4))
        assert ended(dispatcher, 9) == WORKED
    assert rig.count("delivered") == sent == len(stub.requests)
    assert rig.value("SELECT COUNT(*) FROM notifications WHERE state = 'pending' AND lease IS NULL"
                          " AND attempts = 0 AND due_at <= UTC_TIMESTAMP(6)") == 50 - sent


@pytest.mark.slow
def test_told_to_stop_while_an_endpoint_hangs(rig: DispatchRig, stub: MerchantStub) -> None:
    """It waits until the attempts in flight have timed out, and records them. Meanwhile another dispatcher delivers the rest."""
    hanging = rig.notify(rig.merchant(stub.on("n", hold)), 3)
    with rig.dispatcher({"notification": {"timeout": "13s"}}) as dispatcher:
        stub.await_requests(3)
        dispatcher.signal(signal.SIGTERM)
        rig.notify(rig.merchant(stub.on("other", ok)), 2)
        rig.pass_once()
        assert rig.count("delivered") == 2 and dispatcher.running()
        wait_until(lambda: not dispatcher.running(), "the dispatcher to leave", 60)
        assert dispatcher.exit_status() == WORKED
    assert len(stub.requests_to("n")) == 3
    assert [[attempt["reason"] for attempt in rig.attempts(number)] for number in hanging] == [["timeout"]] * 3


def test_end_of_the_time_with_some_in_flight(rig: DispatchRig, stub: MerchantStub) -> None:
    rig.notify(rig.merchant(stub.on("n", after(2))), 4)
    result = run("--config", str(rig.config()), "--for", "1")
    assert result.returncode == WORKED
    assert rig.count("delivered") == len(stub.requests) == 4


# What idling costs.

def executed(rig: DispatchRig) -> int:
    return int(rig.row("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'")["Value"])


def test_idling_costs_one_statement_a_pass(rig: DispatchRig) -> None:
    """Settling looks every half second and delivering five times a second, with one statement each.

    Once a second the delivering task looks for tests of endpoints, and the settling task also collects
    for the open settlement and looks for closed ones without sums: two statements. They are not part of a pass, because a settlement may be closed,
    or fall due, while nothing else does; both read one index entry when there is nothing. Once a minute
    it looks at the limits of networks and counts payments. Six times within the time of a seal it looks whether the event log is to be
    sealed, with six statements at most. The delivering task tries at its start, with six, whether the database takes outcomes.
    """
    with rig.dispatcher():
        wait_until(lambda: beats(rig), "a heartbeat")
        before, began = executed(rig), time.monotonic()
        wait_until(lambda: time.monotonic() - began >= 4, "a while", 60)
        statements, seconds = executed(rig) - before, time.monotonic() - began
    heartbeats, first_round = seconds * 2 / 5, 8 + 6 + 6
    assert statements <= seconds * (2 + 5 + 1 + 2) + heartbeats + first_round, statements


def test_single_pass_costs_few_statements(rig: DispatchRig) -> None:
    """Of both tasks together; two of them are the settling one's look for what a settlement lacks, two for what is old,
    one for networks near a limit, one that counts payments, three for events that are to be sealed, one for tests of endpoints, six of the
    trial whether outcomes can be recorded.
    """
    before = executed(rig)
    rig.pass_once()
    assert executed(rig) - before <= 23 + 6
