"""recaudo-fcgi as a service: what it tells its manager, the socket it is passed, and SIGHUP."""

import os
import signal
import socket
import subprocess
import threading
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import Client, Stack, wait_until
from tests.stack.paths import program
from tests.stack.scrape import scrape

from service_manager import ServiceManager

WATCHDOG_SECONDS = 4.0


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[ServiceManager]:
    manager = ServiceManager(tmp_path / "notify")
    yield manager
    manager.close()


@pytest.fixture
def stack() -> Iterator[Stack]:
    with Stack(dispatcher=False, buffer_pool="16M", settings={"worker": {"processes": "3", "connections": "2"}}) as stack:
        stack.dispatcher.show_life()
        yield stack


def serves(stack: Stack) -> bool:
    with stack.client() as client:
        return client.request("GET", "/readyz").code == "0000"


def serving(stack: Stack) -> list[int]:
    """The serving processes, as soon as the one that is forked beside them has become recaudo-query."""
    wait_until(lambda: stack.worker.query_process() is not None, "recaudo-query")
    return stack.worker.children()


def test_messages(stack: Stack, manager: ServiceManager) -> None:
    stack.worker.stop()
    stack.worker.environment |= {"NOTIFY_SOCKET": str(manager.path), "WATCHDOG_USEC": str(int(WATCHDOG_SECONDS * 1e6))}
    stack.worker.start()
    assert manager.await_message("READY=1") == "READY=1"
    for _ in range(2):
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
        before = set(serving(stack))
        stack.write_config({"worker": {"processes": str(processes), "connections": "3"}})
        with Asking(stack) as asking:
            stack.worker.signal(signal.SIGHUP)
            wait_until(lambda: before.isdisjoint(now := stack.worker.children()) and len(now) == processes, "other processes")
            asked = asking.asked
            wait_until(lambda: asking.asked > asked + 10, "more answers")
        assert asking.refused == []
    wait_until(lambda: "with 3 database connections" in stack.worker.log_text(), "the line")
    assert serves(stack)


def test_reload_with_another_socket(stack: Stack) -> None:
    """It is listened on from the next start on: the log says so each time, and not while the socket is the same."""
    line = f"recaudo-fcgi listens on {stack.worker.socket}, mode"
    for changed in ({}, {"socket": stack.worker.socket + ".other"}, {"socket_mode": "0600"}):
        told = stack.worker.log_text().count(line)
        before = set(serving(stack))
        stack.write_config({"worker": {**SETTINGS["worker"], **changed}})
        stack.worker.signal(signal.SIGHUP)
        wait_until(lambda: len(now := stack.worker.children()) == 3 and before.isdisjoint(now), "other processes")
        assert stack.worker.log_text().count(line) == told + bool(changed), stack.worker.log_text()
        assert serves(stack)


def test_reload_of_a_broken_configuration(stack: Stack) -> None:
    before = serving(stack)
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


SETTINGS = {"worker": {"processes": "3", "connections": "2"}}

MISTAKES = {
    "unknown setting": ({"worker": {"threds": "1"}}, "threds"),
    "value": ({"worker": {"connections": "many"}}, "connections is not valid: expected a number"),
    "key file": ({"security": {"key_file": "/nowhere/secret.key"}}, "/nowhere/secret.key"),
    "addresses": ({"security": {"allow_addresses": "10.1.2"}}, "allow_addresses: not an address range"),
    "rate file": ({"worker": {"rate_file": "/nowhere/rates"}}, "/nowhere/rates cannot be used"),
    "unknown database": ({"database": {"name": "elsewhere"}}, "the database does not exist"),
    "no such socket": ({"database": {"socket": "/nowhere/db.sock"}}, "[database] socket names another file"),
    "refused login": ({"database": {"worker_user": "nobody"}}, "the account does not exist, or the password"),
    "no password file": ({"database": {"worker_password_file": "/nowhere/password"}}, "cannot read the password file of recaudo_worker, /nowhere/password: No such file or directory"),
}


def with_mistake(mistake: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    return {section: {**SETTINGS.get(section, {}), **mistake.get(section, {})} for section in {*SETTINGS, *mistake}}


def notifying(stack: Stack, manager: ServiceManager) -> None:
    stack.worker.stop()
    stack.worker.environment |= {"NOTIFY_SOCKET": str(manager.path)}
    stack.worker.start()
    manager.await_message("READY=1")


def refused(stack: Stack, manager: ServiceManager, word: str) -> None:
    """The reload is refused: said in the log and to the service manager, with the cause."""
    lines = stack.worker.log_text().count("not reloaded")
    stack.worker.signal(signal.SIGHUP)
    manager.await_message("RELOADING=1")
    assert word in manager.await_message("STATUS=reload refused")
    manager.await_message("READY=1")
    wait_until(lambda: stack.worker.log_text().count("not reloaded") == lines + 1, "the line")
    assert word in [line for line in stack.worker.log_text().splitlines() if "not reloaded" in line][-1]


def reloaded(stack: Stack, manager: ServiceManager) -> None:
    before = serving(stack)
    stack.write_config(SETTINGS)
    stack.worker.signal(signal.SIGHUP)
    manager.await_message("STATUS=serving")
    manager.await_message("READY=1")
    wait_until(lambda: set(before).isdisjoint(now := stack.worker.children()) and len(now) == 3, "other processes")


def test_mistakes_are_found_before_anybody_is_replaced(stack: Stack, manager: ServiceManager) -> None:
    notifying(stack, manager)
    before = serving(stack)
    with Asking(stack) as asking:
        for mistake, word in MISTAKES.values():
            stack.write_config(with_mistake(mistake))
            for _ in range(2):
                refused(stack, manager, word)
    assert stack.worker.children() == before and asking.refused == []
    reloaded(stack, manager)
    assert serves(stack)


def test_certificate_that_cannot_be_read_is_told(stack: Stack, manager: ServiceManager) -> None:
    """It is only watched, so it stops no reload."""
    notifying(stack, manager)
    stack.write_config(with_mistake({"security": {"web_certificate": "/nowhere/web.pem"}}))
    stack.worker.signal(signal.SIGHUP)
    manager.await_message("STATUS=serving")
    manager.await_message("READY=1")
    line = "warning [security] web_certificate cannot be read, and its end is not watched: /nowhere/web.pem: No such file"
    wait_until(lambda: line in stack.worker.log_text(), "the line")
    reloaded(stack, manager)


def test_wrong_key(stack: Stack, manager: ServiceManager, tmp_path: Path) -> None:
    """It decrypts none of the secrets: every lookup would get 0009."""
    notifying(stack, manager)
    stack.ctl.done("network", "add", "Red")
    key = tmp_path / "other.key"
    key.write_text("ab" * 32 + "\n")
    key.chmod(0o600)
    stack.write_config(with_mistake({"security": {"key_file": str(key)}}))
    refused(stack, manager, "decrypts none of the stored secrets")
    reloaded(stack, manager)


def test_reload_to_a_database_without_a_right(stack: Stack, manager: ServiceManager) -> None:
    """In the one that is used already the right is missed with and without the reload, which may mend something else."""
    notifying(stack, manager)
    stack.mariadb.query("CREATE DATABASE elsewhere CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin")
    try:
        stack.write_config({"database": {"name": "elsewhere"}})
        stack.ctl.done("db", "migrate")
        stack.mariadb.query("REVOKE EXECUTE ON FUNCTION elsewhere.payment_confirm FROM recaudo_worker@localhost")
        stack.write_config(with_mistake({"database": {"name": "elsewhere"}}))
        refused(stack, manager, "database: missing: FUNCTION payment_confirm for recaudo_worker")
        stack.mariadb.query("REVOKE EXECUTE ON FUNCTION recaudo.payment_cancel FROM recaudo_worker@localhost")
        reloaded(stack, manager)
    finally:
        stack.write_config(SETTINGS)
        stack.mariadb.query("DROP DATABASE elsewhere")
        stack.ctl.done("db", "migrate")


OF_ANOTHER_DATABASE = [("name", "elsewhere"), ("worker_user", "somebody")]


def test_database_that_is_away_stops_no_reload(stack: Stack, manager: ServiceManager) -> None:
    """It mends itself; another one that was never seen may be a mistake."""
    notifying(stack, manager)
    stack.mariadb.stop()
    reloaded(stack, manager)
    for setting, value in OF_ANOTHER_DATABASE:
        stack.write_config(with_mistake({"database": {setting: value}}))
        refused(stack, manager, str(stack.mariadb.address()["socket"]))
    stack.write_config(with_mistake({"database": {"socket": stack.worker.socket + ".none"}}))
    refused(stack, manager, stack.worker.socket + ".none")
    stack.mariadb.start()
    wait_until(lambda: serves(stack), "the database to be back")


def test_stop_while_a_reload_is_checked(stack: Stack, manager: ServiceManager) -> None:
    """The check is given up, also one that was asked for meanwhile; the end is an orderly one."""
    notifying(stack, manager)
    stack.mariadb.process.pause()
    try:
        stack.worker.signal(signal.SIGHUP)
        manager.await_message("RELOADING=1")
        stack.worker.signal(signal.SIGHUP)
        assert stack.worker.stop() == 0
    finally:
        stack.mariadb.process.resume()
    assert "reloaded" not in stack.worker.log_text()


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP], ids=["crashes", "hangs"])
def test_check_that_does_not_end(stack: Stack, manager: ServiceManager, end: int) -> None:
    """It takes no worker with it, and the next reload is checked anew."""
    notifying(stack, manager)
    before = serving(stack)
    stack.mariadb.process.pause()
    try:
        stack.worker.signal(signal.SIGHUP)
        manager.await_message("RELOADING=1")
        (checking,) = wait_until(lambda: set(stack.worker.children()) - set(before), "the process that checks")
        os.kill(checking, end)
        assert "the check of it crashed or took too long" in manager.await_message("STATUS=reload refused")
        manager.await_message("READY=1")
    finally:
        stack.mariadb.process.resume()
    assert stack.worker.children() == before
    reloaded(stack, manager)


def test_reload_to_no_processes(stack: Stack, manager: ServiceManager) -> None:
    """One that serves by itself is decided at the start: there is a single process then."""
    notifying(stack, manager)
    before = serving(stack)
    stack.write_config({"worker": {"processes": "0", "connections": "2"}})
    stack.worker.signal(signal.SIGHUP)
    manager.await_message("STATUS=serving with 1 processes")
    wait_until(lambda: set(before).isdisjoint(now := stack.worker.children()) and len(now) == 1, "another process")
    wait_until(lambda: serves(stack), "an answer")


def test_reloads_in_a_row_while_processes_crash(stack: Stack, manager: ServiceManager) -> None:
    """Each is answered by its own READY; those that were killed meanwhile are replaced."""
    notifying(stack, manager)
    before = set(serving(stack))
    for _ in range(3):
        stack.worker.signal(signal.SIGHUP)
        stack.worker.kill_one()
        manager.await_message("RELOADING=1")
    stack.worker.signal(signal.SIGHUP)

    def told(start: str) -> int:
        return sum(message.startswith(start) for message in manager.take_all())

    wait_until(lambda: told("READY=1") == told("RELOADING=1") + 1 > 3 and before.isdisjoint(now := stack.worker.children())
               and len(now) == 3, "other processes", 60)
    wait_until(lambda: serves(stack), "an answer")


def test_passed_socket(stack: Stack, tmp_path: Path) -> None:
    """As systemd passes it: file descriptor 3, LISTEN_FDS and LISTEN_PID."""
    stack.worker.stop()
    assert not os.path.exists(stack.worker.socket)
    activated = subprocess.Popen(
        ["systemd-socket-activate", "-l", stack.worker.socket, "-E", f"RECAUDO_CONFIG={stack.config}", program("recaudo-fcgi")],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: os.path.exists(stack.worker.socket), "the socket")
        wait_until(lambda: serves(stack), "an answer")
    finally:
        activated.terminate()
        assert activated.wait(60) == 0
    assert os.path.exists(stack.worker.socket)
    os.unlink(stack.worker.socket)
    stack.worker.start()


@pytest.fixture
def asking(stack: Stack, manager: ServiceManager) -> "Iterator[subprocess.Popen[bytes]]":
    """recaudo-query as its unit starts it: the socket as standard input, and a watchdog."""
    path = str(stack.sockets / "query.sock")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(path)
        listener.listen(64)
        environment = {**os.environ, "RECAUDO_CONFIG": str(stack.config), "NOTIFY_SOCKET": str(manager.path),
                       "WATCHDOG_USEC": str(int(WATCHDOG_SECONDS * 1e6))}
        log = open(stack.directory / "log" / "query.log", "wb")
        process = subprocess.Popen([program("recaudo-query")], stdin=listener, stderr=log, env=environment)
    stack.worker.stop()
    stack.worker.environment["RECAUDO_QUERY_SOCKET"] = path
    stack.worker.start()
    yield process
    process.kill()
    process.wait()
    log.close()


def is_up(stack: Stack) -> bool:
    return scrape(stack.base_url).value("recaudo_query_process_up") == 1


def test_query_process_as_a_service(stack: Stack, manager: ServiceManager, asking: "subprocess.Popen[bytes]") -> None:
    manager.await_message("READY=1")
    assert is_up(stack) and stack.worker.query_process() is None
    for _ in range(2):
        manager.await_message("WATCHDOG=1", WATCHDOG_SECONDS)
    asking.send_signal(signal.SIGHUP)
    assert "MONOTONIC_USEC=" in manager.await_message("RELOADING=1")
    manager.await_message("READY=1")
    asking.terminate()
    manager.await_message("STOPPING=1")
    assert asking.wait(60) == 0
    wait_until(lambda: not is_up(stack), "the measure to say so")


def test_query_process_with_a_configuration_that_cannot_be_used(stack: Stack) -> None:
    stack.config.write_text(stack.config.read_text().replace("[worker]", "[worker]\nthreds = 1"))
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(stack.sockets / "query.sock"))
        listener.listen(1)
        result = subprocess.run([program("recaudo-query")], stdin=listener, capture_output=True, text=True, timeout=60,
                                env={**os.environ, "RECAUDO_CONFIG": str(stack.config)})
    assert result.returncode == 78 and "threds" in result.stderr


def test_query_process_without_a_socket() -> None:
    result = subprocess.run([program("recaudo-query")], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert result.returncode == 2 and "recaudo-query.socket starts it" in result.stderr
