"""A server with settings that are dangerous or strange: they are named, or do no harm."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import Ctl, Stack, wait_until
from tests.stack.config import default_settings, write_config
from tests.stack.mariadb import DATABASE, MariaDB
from tests.stack.paths import ROOT

from operator_steps import add_order

DANGEROUS = ("--log-bin=binlog", "--binlog-format=ROW", "--server-id=1", "--log-bin-trust-function-creators=1", "--sync-binlog=0",
             "--innodb-flush-method=nosync", "--character-set-server=latin1", "--skip-character-set-client-handshake")
STRANGE = {"foreign_key_checks": 0, "unique_checks": 0, "check_constraint_checks": 0, "sql_select_limit": 3, "group_concat_max_len": 4,
           "tx_read_only": 1, "sql_safe_updates": 1, "max_join_size": 10, "max_statement_time": 0.01, "completion_type": 1}
LETTERS = "Ñandú €, Łucja"


class Careless(MariaDB):
    def __init__(self, directory: Path, sockets: Path, buffer_pool: str) -> None:
        super().__init__(directory, sockets, buffer_pool, DANGEROUS)


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    stack = Stack(settings={"audit": {"seal_every": "1s"}}, dispatcher=False, buffer_pool="16M", database=Careless)
    try:
        stack.write_config()
        stack.mariadb.start()
        stack.mariadb.query(f"ALTER DATABASE {DATABASE} CHARACTER SET latin1 COLLATE latin1_swedish_ci")
        stack.migrate()
        stack.ctl.done("merchant", "add", "shop")
        yield stack
    finally:
        stack.close()


def wrong(stack: Stack) -> dict[str, str]:
    checked = json.loads(stack.ctl.run("--json", "config", "check").stdout)
    return {found["what"]: found["detail"] for found in checked if found["finding"] in ("wrong", "not checked")}


def test_commits_that_are_not_on_disk(stack: Stack) -> None:
    """`status` and `config check` say the same. One setting is named after the other."""
    stack.mariadb.query("SET GLOBAL innodb_flush_log_at_trx_commit = 2")
    for words, mend in (("innodb_flush_log_at_trx_commit is 2: payments ", "SET GLOBAL innodb_flush_log_at_trx_commit = 1"),
                        ("sync_binlog is 0, and there is a binary log, ", "SET GLOBAL sync_binlog = 1"),
                        ("innodb_flush_method is nosync: payments ", "DO 0")):
        said = wrong(stack)["acknowledged payments"]
        assert said.startswith(words) and f"recaudoctl: {said}\n" in stack.ctl.run("status").stderr
        stack.mariadb.query(mend)


def sealed(stack: Stack) -> bool:
    stack.dispatcher.show_life()
    (row,) = stack.mariadb.query("SELECT (SELECT MAX(id) FROM event_log) <= (SELECT MAX(last_id) FROM seals) AS whole")
    return bool(row["whole"])


def stored_description(stack: Stack, reference: str) -> str:
    """By its bytes."""
    (row,) = stack.mariadb.query(f"SELECT HEX(description) AS bytes FROM orders WHERE reference = '{reference}'")
    return bytes.fromhex(row["bytes"]).decode()


def test_texts_are_stored_as_they_are(stack: Stack) -> None:
    """By a server that takes every client's texts for latin1, in a database that was made for latin1."""
    add_order(stack.ctl, merchant="shop", reference="1001", description=LETTERS)
    assert stored_description(stack, "1001") == LETTERS
    wait_until(lambda: sealed(stack), "the log to be sealed", 60)
    assert stack.ctl.json("audit", "verify")["findings"] == 0
    stack.mariadb.query("SET GLOBAL sql_select_limit = 3, sql_mode = 'ORACLE'")
    try:
        audited = subprocess.run([sys.executable, ROOT / "audit/recaudo-audit", "--socket", stack.mariadb.socket, "--password-file",
                                  stack.mariadb.password_file("recaudo_reader")], capture_output=True, text=True)
    finally:
        stack.mariadb.query("SET GLOBAL sql_select_limit = 18446744073709551615, sql_mode = DEFAULT")
    assert (audited.returncode, audited.stderr) == (0, ""), audited.stdout


def test_strange_values_of_new_sessions(stack: Stack) -> None:
    """The programs do what they do otherwise: an order is added, another one expires, and a rotation that is told is stored."""
    ends = add_order(stack.ctl, merchant="shop", reference="1002")["pv_po_id"]
    stack.mariadb.query(f"UPDATE orders SET due_at = UTC_TIMESTAMP(6) WHERE id = {ends}")
    old = stack.mariadb.query("SELECT " + ", ".join(f"@@GLOBAL.{name} AS {name}" for name in STRANGE))[0]
    try:
        for name, value in STRANGE.items():
            stack.mariadb.query(f"SET GLOBAL {name} = {value}")
        found = wrong(stack)
        add_order(stack.ctl, merchant="shop", reference="1003", description=LETTERS)
        stack.dispatcher.once()
        told = stack.ctl.json("merchant", "rotate", "shop")["old_hash_until"]
    finally:
        for name, value in old.items():
            stack.mariadb.query(f"SET GLOBAL {name} = %s", value)
    assert found.keys() <= {"acknowledged payments"}
    assert stored_description(stack, "1003") == LETTERS
    assert stack.mariadb.query(f"SELECT state FROM orders WHERE id = {ends}") == [{"state": "VENCIDA"}]
    assert stack.mariadb.query("SELECT DATE_FORMAT(old_hash_until, '%Y-%m-%dT%H:%i:%s.%fZ') AS stored FROM merchants") == [{"stored": told}]


def test_a_limit_of_rows(stack: Stack) -> None:
    """A warning: the programs set their own, and a backup saves nothing."""
    def said() -> list[tuple[str, str]]:
        checked = json.loads(stack.ctl.run("--json", "config", "check").stdout)
        return [(row["finding"], row["detail"]) for row in checked if row["what"] == "sql_select_limit"]

    stack.mariadb.query("SET GLOBAL sql_select_limit = 1000000")
    try:
        ((finding, detail),) = said()
    finally:
        stack.mariadb.query("SET GLOBAL sql_select_limit = DEFAULT")
    assert finding == "warning" and detail.startswith("1000000: mariadb-dump would leave out rows") and said() == []


def test_a_database_for_other_letters(stack: Stack) -> None:
    """An empty one is altered; of one that has functions it is said."""
    (row,) = stack.mariadb.query("SELECT @@collation_database AS collation, COUNT(*) AS parameters FROM information_schema.parameters"
                                 f" WHERE specific_schema = '{DATABASE}' AND character_set_name = 'latin1'")
    assert (row["collation"], row["parameters"]) == ("utf8mb4_nopad_bin", 0)
    assert "character set" not in wrong(stack)
    stack.mariadb.query(f"ALTER DATABASE {DATABASE} CHARACTER SET latin1")
    try:
        assert wrong(stack)["character set"].startswith("that of the database is latin1, ")
    finally:
        stack.mariadb.query(f"ALTER DATABASE {DATABASE} CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin")


@pytest.mark.parametrize(("allowed", "processes", "words"), [
    (74, "3", None), (73, "3", "73: the workers of this host make 24 connections, "), (57, "0", "57: the workers of this host make 8 connections, ")])
def test_connections_for_all_workers(stack: Stack, tmp_path: Path, allowed: int, processes: str, words: str | None) -> None:
    """A warning: it may be enough for what runs today."""
    config = tmp_path / "recaudo.conf"
    write_config(config, default_settings(stack.mariadb, stack.worker.socket, stack.key_file), {"worker": {"processes": processes}})
    (before,) = stack.mariadb.query("SELECT @@GLOBAL.max_connections AS allowed")
    stack.mariadb.query(f"SET GLOBAL max_connections = {allowed}")
    try:
        checked = json.loads(Ctl(config).run("--json", "config", "check").stdout)
    finally:
        stack.mariadb.query("SET GLOBAL max_connections = %s", before["allowed"])
    found = [(row["finding"], row["detail"]) for row in checked if row["what"] == "max_connections"]
    assert [finding for finding, _ in found] == (["warning"] if words else []) and all(detail.startswith(words or "") for _, detail in found)
