"""A primary and a replica: what is on the primary alone is no state to call well."""

import json
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import Ctl, Stack, wait_until
from tests.stack.config import default_settings, write_config
from tests.stack.mariadb import OWNER, MariaDB
from tests.stack.mariadb_tcp import HOST, MariaDBOverTcp
from tests.stack.stack import socket_directory

SAYS = {"off": "the database acknowledges payments that no replica has", "alone": "no replica acknowledges to the primary"}


class Primary(MariaDBOverTcp):
    """The configuration names it twice, as two servers."""

    def __init__(self, directory: Path, sockets: Path, buffer_pool: str) -> None:
        super().__init__(directory, sockets, buffer_pool, ["--log-bin=binlog", "--binlog-format=ROW", "--server-id=1",
                                                           "--log-bin-trust-function-creators=1", "--sync-binlog=1", "--rpl-semi-sync-master-timeout=100"])

    def address(self) -> dict[str, object]:
        return super().address() | {"host": f"{HOST}:{self.port} localhost:{self.port}", "tls": "off"}


class Replica(MariaDB):
    """It keeps what it receives, and applies nothing."""

    def follow(self, primary: MariaDBOverTcp) -> None:
        at = primary.query("SHOW MASTER STATUS")[0]
        self.query(f"CHANGE MASTER TO MASTER_HOST = '{HOST}', MASTER_PORT = {primary.port}, MASTER_USER = '{OWNER}',"
                   f" MASTER_PASSWORD = '{primary.password(OWNER)}', MASTER_LOG_FILE = '{at['File']}', MASTER_LOG_POS = {at['Position']},"
                   f" MASTER_CONNECT_RETRY = 1")
        self.query("START SLAVE IO_THREAD")


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    stack = Stack(dispatcher=False, buffer_pool="16M", database=Primary)
    try:
        stack.write_config()
        stack.mariadb.start()
        stack.migrate()
        yield stack
    finally:
        stack.close()


@pytest.fixture(scope="module")
def replica(stack: Stack, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Replica]:
    directory = tmp_path_factory.mktemp("replica")
    replica = Replica(directory, socket_directory(directory), "16M", ["--server-id=2", "--relay-log=relay", "--rpl-semi-sync-slave-enabled=ON"])
    try:
        replica.start()
        assert isinstance(stack.mariadb, MariaDBOverTcp)
        replica.follow(stack.mariadb)
        yield replica
    finally:
        replica.stop()


def has(stack: Stack, name: str, value: str) -> bool:
    return str(stack.mariadb.query(f"SHOW STATUS LIKE 'Rpl_semi_sync_master_{name}'")[0]["Value"]) == value


def told_problems(ctl: Ctl) -> str:
    return " ".join(each["problem"] for each in json.loads(ctl.run("--json", "status").stdout)["problems"])


def said(ctl: Ctl) -> tuple[set[str], tuple[str, str] | None]:
    """What `status` says of replicas, and the finding of `config check`."""
    problems = told_problems(ctl)
    found = [(found["finding"], found["detail"]) for found in json.loads(ctl.run("--json", "config", "check").stdout) if found["what"] == "replicas"]
    return {name for name, words in SAYS.items() if words in problems}, found[0] if found else None


def test_what_is_on_the_primary_alone(stack: Stack, replica: Replica) -> None:
    shown, found = said(stack.ctl)
    assert shown == {"off"} and found is not None and found[0] == "warning" and "SET GLOBAL rpl_semi_sync_master_enabled = ON" in found[1]
    stack.mariadb.query("SET GLOBAL rpl_semi_sync_master_enabled = ON")
    wait_until(lambda: has(stack, "clients", "1") and has(stack, "status", "ON"), "the replica to acknowledge")
    assert said(stack.ctl) == (set(), ("right", "one acknowledges each payment"))
    replica.query("STOP SLAVE IO_THREAD")
    wait_until(lambda: has(stack, "clients", "0"), "the replica to be gone")
    stack.mariadb.query("SET GLOBAL rpl_semi_sync_master_timeout = 3600000")
    shown, found = said(stack.ctl)
    assert shown == {"alone"} and found is not None and found[0] == "warning"
    stack.mariadb.query("SET GLOBAL rpl_semi_sync_master_timeout = 100")
    stack.mariadb.query("UPDATE recaudo.settings SET cancel_window = cancel_window + 1000")
    stack.mariadb.query("UPDATE recaudo.settings SET cancel_window = cancel_window - 1000")
    assert said(stack.ctl)[0] == {"off"}


def test_one_server(stack: Stack, tmp_path: Path) -> None:
    config = tmp_path / "recaudo.conf"
    assert isinstance(stack.mariadb, MariaDBOverTcp)
    write_config(config, default_settings(stack.mariadb, stack.worker.socket, stack.key_file), {"database": {"host": f"{HOST}:{stack.mariadb.port}"}})
    assert said(Ctl(config)) == (set(), None)


@contextmanager
def binary_log(stack: Stack, form: str) -> Iterator[None]:
    stack.mariadb.query("SET GLOBAL binlog_format = %s", form)
    try:
        yield
    finally:
        stack.mariadb.query("SET GLOBAL binlog_format = 'ROW'")


def test_a_binary_log_of_statements(stack: Stack) -> None:
    """The server refuses each payment then; neither its disk nor a lock is the cause."""
    with binary_log(stack, "STATEMENT"):
        problems = told_problems(stack.ctl)
        checked = stack.ctl.run("config", "check")
    assert "binlog_format is STATEMENT: the database refuses payments (error 1665)" in problems and "its disk is full" not in problems
    assert checked.returncode == 1 and "wrong: binlog_format: " in checked.stderr
    assert "binlog_format" not in stack.ctl.run("config", "check").stdout + stack.ctl.run("status").stderr


def test_a_binary_log_that_makes_confirmations_wait(stack: Stack) -> None:
    """A warning, and nothing that `status` calls a problem: payments are right."""
    with binary_log(stack, "MIXED"):
        problems = told_problems(stack.ctl)
        checked = stack.ctl.run("config", "check")
    assert "warning: binlog_format: MIXED: the database locks" in checked.stdout + checked.stderr
    assert "binlog_format" not in problems
