"""A server with settings that are dangerous or strange: they are named, or do no harm."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import Stack, wait_until
from tests.stack.mariadb import DATABASE, MariaDB
from tests.stack.paths import ROOT

from operator_steps import add_order

DANGEROUS = ("--log-bin=binlog", "--binlog-format=ROW", "--server-id=1", "--log-bin-trust-function-creators=1", "--sync-binlog=0",
             "--innodb-flush-method=nosync", "--character-set-server=latin1", "--skip-character-set-client-handshake")
STRANGE = {"foreign_key_checks": 0, "unique_checks": 0, "check_constraint_checks": 0, "sql_select_limit": 3, "group_concat_max_len": 4}
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


def sealed(stack: Stack) -> bool:
    stack.dispatcher.show_life()
    (row,) = stack.mariadb.query("SELECT (SELECT MAX(id) FROM event_log) <= (SELECT MAX(last_id) FROM seals) AS whole")
    return bool(row["whole"])


def stored_description(stack: Stack, reference: str) -> str:
    """What is stored, by its bytes."""
    add_order(stack.ctl, merchant="shop", reference=reference, description=LETTERS)
    (row,) = stack.mariadb.query(f"SELECT HEX(description) AS bytes FROM orders WHERE reference = '{reference}'")
    return bytes.fromhex(row["bytes"]).decode()


def test_texts_are_stored_as_they_are(stack: Stack) -> None:
    """By a server that takes every client's texts for latin1, in a database that was made for latin1."""
    assert stored_description(stack, "1001") == LETTERS
    wait_until(lambda: sealed(stack), "the log to be sealed", 60)
    assert stack.ctl.json("audit", "verify")["findings"] == 0
    stack.mariadb.query("SET GLOBAL sql_select_limit = 3")
    try:
        audited = subprocess.run([sys.executable, ROOT / "audit/recaudo-audit", "--socket", stack.mariadb.socket, "--password-file",
                                  stack.mariadb.password_file("recaudo_reader")], capture_output=True, text=True)
    finally:
        stack.mariadb.query("SET GLOBAL sql_select_limit = 18446744073709551615")
    assert (audited.returncode, audited.stderr) == (0, ""), audited.stdout


def test_strange_values_of_new_sessions(stack: Stack) -> None:
    old = stack.mariadb.query("SELECT " + ", ".join(f"@@GLOBAL.{name} AS {name}" for name in STRANGE))[0]
    try:
        for name, value in STRANGE.items():
            stack.mariadb.query(f"SET GLOBAL {name} = {value}")
        assert wrong(stack) == {}
        assert stored_description(stack, "1002") == LETTERS
    finally:
        for name, value in old.items():
            stack.mariadb.query(f"SET GLOBAL {name} = {value}")
