"""./sandbox stop and start: the supervisor holds a part as it is told and lets it go; and what a fresh start says about it."""

import argparse
import json
import os
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack.mariadb import DATABASE
from tests.stack.paths import ROOT
from tests.stack.process import Process
from tests.stack.programs import CtlError
from tests.stack.waiting import wait_until
from tools.sandbox import commands, pay
from tools.sandbox import scene as scene_of_tools
from tools.sandbox.__main__ import main
from tools.sandbox.instance import DOCUMENT, Instance, check_port
from tools.sandbox.parts import ALIASES, CONSEQUENCES, FREEZE, KILL, NAMES, RUNS, STOP, Holder, real_name
from tools.sandbox.state import State


@pytest.fixture
def holder(sandbox: Instance, tmp_path: Path) -> Iterator[Holder]:
    state = State(tmp_path)
    holder = Holder(state)
    yield holder
    for part in list(state.wanted()):
        state.want(part, None)
    holder.reconcile(sandbox.parts())
    for part in sandbox.parts():
        part.await_ready()


def part_of(sandbox: Instance, name: str) -> Process:
    return next(part for part in sandbox.parts() if part.name == real_name(name))


def test_every_part_has_a_name_and_a_consequence(sandbox: Instance) -> None:
    names = {part.name for part in sandbox.parts()}
    assert {real_name(name) for name in NAMES} == names == set(CONSEQUENCES) and set(ALIASES.values()) <= names


@pytest.mark.parametrize("how", [STOP, KILL])
@pytest.mark.parametrize("name", ["worker", "console", "web", "merchant"])
def test_held_part_is_not_mended_until_it_is_started(sandbox: Instance, holder: Holder, name: str, how: str) -> None:
    part = part_of(sandbox, name)
    holder.state.want(part.name, how)
    assert holder.reconcile(sandbox.parts()) == [f"{part.name} was {how}, as ./sandbox was told"]
    part.spawned_at = 0.0  # long ago: only the holder keeps it from being started again
    assert not part.running() and sandbox.mend(holder.held) == [] and not part.running()
    assert holder.condition(part) == how and holder.reconcile(sandbox.parts()) == []
    holder.state.want(part.name, None)
    assert holder.reconcile(sandbox.parts()) == [f"{part.name} was started, as ./sandbox was told"]
    part.await_ready()
    assert holder.condition(part) == RUNS


def test_program_that_make_writes_anew(sandbox: Instance, holder: Holder, tmp_path: Path) -> None:
    """It is not there for a moment: the sandbox goes on, says so once, and starts it as soon as it is there."""
    worker = part_of(sandbox, "worker")
    program, worker.command[0] = worker.command[0], str(tmp_path / "recaudo-fcgi")
    try:
        worker.kill()
        worker.spawned_at = 0.0
        (said,) = sandbox.mend()
        assert said.startswith("worker was ended by SIGKILL and cannot be started: ") and worker.command[0] in said
        worker.spawned_at = 0.0
        assert sandbox.mend() == []
        holder.state.want("worker", STOP)
        holder.reconcile(sandbox.parts())
        holder.state.want("worker", None)
        assert holder.reconcile(sandbox.parts()) and holder.condition(worker) != RUNS
    finally:
        worker.command[0] = program
    worker.spawned_at = 0.0
    assert sandbox.mend() == [f"worker was ended by SIGKILL and was started again, process {worker.pid}"]
    worker.await_ready()


@pytest.mark.parametrize("name, waits_for", [("dispatcher", "the payment to be final: the dispatcher"), ("merchant", "the notification to be sent and answered")])
def test_pay_says_what_may_keep_it_waiting(sandbox: Instance, holder: Holder, monkeypatch: pytest.MonkeyPatch, name: str, waits_for: str) -> None:
    monkeypatch.setattr(pay, "FINAL_WITHIN" if name == "dispatcher" else "TOLD_WITHIN", 1.0)
    scene = sandbox.scene()
    reference = DOCUMENT if name == "dispatcher" else scene.add_order("TEST", "0", "Donación")
    payment = pay.Payment(scene, reference, "2000", cancel=False)
    holder.state.want(name, FREEZE)
    holder.reconcile(sandbox.parts())
    with pytest.raises(TimeoutError, match=f"^waited 1 s for {waits_for}"):
        payment.run()


def test_web_server_that_never_answers(sandbox: Instance, holder: Holder, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a network does, `pay` waits some seconds and no longer."""
    monkeypatch.setattr(scene_of_tools, "REPLY_WITHIN", 1.0)
    holder.state.want("nginx", FREEZE)
    holder.reconcile(sandbox.parts())
    with pytest.raises(TimeoutError):
        pay.Payment(sandbox.scene(), "1", None, cancel=False).run()


def stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def test_frozen_part_and_its_children_stay_and_go_on(sandbox: Instance, holder: Holder) -> None:
    worker = part_of(sandbox, "worker")
    everyone = [worker.pid, *worker.children()]
    holder.state.want("worker", FREEZE)
    holder.reconcile(sandbox.parts())
    wait_until(lambda: all(stopped(pid) for pid in everyone), "the worker and its processes to stand still")
    holder.release_all(sandbox.parts())
    wait_until(lambda: not any(stopped(pid) for pid in everyone), "them to go on")
    assert holder.held == {} and [worker.pid, *worker.children()] == everyone


def test_merchant_runs_again_only_when_it_answers(sandbox: Instance, tmp_path: Path, holder: Holder, monkeypatch: pytest.MonkeyPatch,
                                                  capsys: pytest.CaptureFixture[str]) -> None:
    """Its process exists a moment before it listens: a lookup in between got 0108."""
    holder.state.write_environment(sandbox.environment())
    for name, value in {"State": lambda: State(tmp_path), "running": lambda: None, "await_condition": lambda *_: None,
                        "readiness": lambda: (True, ""), "READY_WITHIN": 0.5}.items():
        monkeypatch.setattr(commands, name, value)
    holder.state.want("merchant", STOP)
    holder.reconcile(sandbox.parts())
    with pytest.raises(TimeoutError, match="the merchant to answer; ./sandbox logs merchant"):
        commands.start(argparse.Namespace(part="merchant"))
    assert capsys.readouterr().out == ""
    holder.reconcile(sandbox.parts())
    part_of(sandbox, "merchant").await_ready()
    holder.state.want("merchant", STOP)
    monkeypatch.setattr(commands, "READY_WITHIN", 60.0)
    assert commands.start(argparse.Namespace(part="merchant")) == 0
    assert capsys.readouterr().out == "merchant runs again.\n"


def in_fresh_checkout(tmp_path: Path, name: str, *words: str) -> "subprocess.CompletedProcess[str]":
    """./sandbox WORDS in a folder with nothing built, without the means to install."""
    folder = tmp_path / name
    (folder / "tests").mkdir(parents=True)
    (folder / "sandbox").write_text((ROOT / "sandbox").read_text())
    (folder / "tests" / "stack").symlink_to(ROOT / "tests" / "stack")
    return subprocess.run(["bash", "./sandbox", *words], cwd=folder, text=True, capture_output=True, timeout=20)


@pytest.mark.parametrize("name", ["with space", "with'quote", "with$dollar", "with[bracket", "with:colon"])
def test_path_that_cannot_be_built_in(tmp_path: Path, name: str) -> None:
    said = in_fresh_checkout(tmp_path, name, "up")
    assert (said.returncode, said.stdout) == (1, "") and len(said.stderr.splitlines()) == 1
    assert "cannot be built: move it" in said.stderr and name in said.stderr


@pytest.mark.parametrize("words", [("--port", "{}"), ("--port={}",), ("--detach", "--port", "{}")], ids=" ".join)
def test_port_that_is_taken(tmp_path: Path, words: tuple[str, ...]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        said = in_fresh_checkout(tmp_path, "new", "up", *(word.format(port) for word in words))
        with pytest.raises(RuntimeError, match=f"^Port {port} is taken by another program: .*$"):
            check_port(port)
    assert (said.returncode, said.stdout) == (1, "")
    assert said.stderr.splitlines() == [f"Port {port} is taken by another program: ./sandbox up --port N takes another one, "
                                        "without --port one that is free."]


@pytest.mark.parametrize("words, why", [(("--port", "abc"), "--port takes a number from 1 to 65535, not abc"),
                                        (("--port=70000",), "--port takes a number from 1 to 65535, not 70000"),
                                        (("--port", "0"), "--port takes a number from 1 to 65535, not 0"),
                                        (("--port",), "--port takes a number from 1 to 65535, not nothing"),
                                        (("--window", "soon"), "--window takes a duration from 1s to 3600s, such as 2s or 1500ms, not soon"),
                                        (("--window", "500ms"), "--window takes a duration from 1s to 3600s, such as 2s or 1500ms, not 500ms"),
                                        (("--window", "0s"), "--window takes a duration from 1s to 3600s, such as 2s or 1500ms, not 0s"),
                                        (("--window", "3601s"), "--window takes a duration from 1s to 3600s, such as 2s or 1500ms, not 3601s")])
def test_wrong_value_is_named_in_one_line(tmp_path: Path, words: tuple[str, ...], why: str) -> None:
    said = in_fresh_checkout(tmp_path, "new", "up", *words)
    assert (said.returncode, said.stdout, said.stderr) == (2, "", f"./sandbox up: {why}\n")


def run_in(sandbox: Instance, tmp_path: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """./sandbox sql WORDS or audit WORDS in the sandbox of these tests."""
    state = State(tmp_path)
    state.write_environment(sandbox.environment())
    (tmp_path / "secrets").symlink_to(sandbox.stack.directory / "secrets")
    script = ("import sys; from pathlib import Path; from tools.sandbox import commands, __main__, state; "
              f"commands.State = lambda: state.State(Path({str(tmp_path)!r})); commands.running = lambda: None; sys.exit(__main__.main())")
    return subprocess.run([sys.executable, "-c", script, *words], cwd=ROOT, text=True, capture_output=True, timeout=60,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})


@pytest.mark.parametrize("owner, account", [((), "recaudo_reader@localhost"), (("--owner",), "root@localhost")])
def test_sql(sandbox: Instance, tmp_path: Path, owner: tuple[str, ...], account: str) -> None:
    said = run_in(sandbox, tmp_path, "sql", *owner, "--batch", "-N", "-e", "SELECT CURRENT_USER(), DATABASE()")
    assert (said.returncode, said.stdout) == (0, f"{account}\t{DATABASE}\n"), said.stderr


def test_audit(sandbox: Instance, tmp_path: Path) -> None:
    said = run_in(sandbox, tmp_path, "audit", "--only", "money", "--json")
    assert (said.returncode, json.loads(said.stdout)["findings"]) == (0, 0), said


def test_logs_have_the_names_of_the_parts(sandbox: Instance, monkeypatch: pytest.MonkeyPatch,
                                          capsys: pytest.CaptureFixture[str]) -> None:
    home = sandbox.stack.mariadb.log.parent.parent
    monkeypatch.setattr(commands, "State", lambda: State(home))

    def logs(part: str | None) -> tuple[int, str]:
        return commands.logs(argparse.Namespace(part=part)), capsys.readouterr().out

    shown = set(re.findall(r"^--- (\w+):", logs(None)[1], re.MULTILINE))
    assert set(NAMES) - {"merchant"} <= shown and not shown & set(ALIASES.values())
    code, database = logs("database")
    assert code == 0 and "ready for connections" in database and logs("mariadb")[0] == 2


def test_reload(sandbox: Instance, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong configuration is named; with the right one again all is as before."""
    state, config = State(sandbox.stack.mariadb.log.parent.parent), sandbox.stack.config
    worker, good = part_of(sandbox, "worker"), config.read_text()
    monkeypatch.setattr(commands, "State", lambda: state)
    monkeypatch.setattr(commands, "running", lambda: None)

    def reload() -> tuple[int, str]:
        state.write_parts({"worker": (worker.pid, RUNS)})
        return commands.reload(argparse.Namespace()), capsys.readouterr().out

    try:
        config.write_text(good.replace("[worker]", "[worker]\nthreds = 1"))
        code, said = reload()
        assert code == 1 and "not reloaded" in said and "threds" in said
        config.write_text(re.sub(r"cancel_window = .*", "cancel_window = 31s", good))
        code, said = reload()
        warning, end = said.splitlines()
        assert code == 0 and " warning [worker] cancel_window is 31 s, and the database uses " in warning and "configuration reloaded" in end
    finally:
        config.write_text(good)
        code, said = reload()
    assert code == 0 and "configuration reloaded" in said
    state.write_parts({"worker": (worker.pid, FREEZE)})
    assert commands.reload(argparse.Namespace()) == 1 and "frozen: ./sandbox start worker, then" in capsys.readouterr().err


def test_data_of_another_version(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """As after a pull that changed a schema before its release: db migrate refuses, and a developer is told what helps."""
    def refused(options: argparse.Namespace) -> int:
        raise CtlError("schema: migration 0021_foundation.sql in the database is not one that this program knows")

    monkeypatch.setattr(commands, "up", refused)
    monkeypatch.setattr(sys, "argv", ["./sandbox", "up"])
    assert main() == 1 and "./sandbox up --fresh begins anew" in capsys.readouterr().err
