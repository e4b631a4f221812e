"""A planned change of the primary, as doc/cluster.md has it, between two servers with the file of the page."""

import re
import shutil
from pathlib import Path
from typing import Any, Iterator

import pytest

from tests.stack import wait_until
from tests.stack.mariadb import OWNER
from tests.stack.mariadb_tcp import HOST, MariaDBOverTcp
from tests.stack.page_blocks import block, changed, server_options
from tests.stack.paths import ROOT
from tests.stack.stack import socket_directory

PAGE = (ROOT / "doc" / "cluster.md").read_text()


class Server(MariaDBOverTcp):
    """It has the file from its second start on."""

    def __init__(self, directory: Path, number: int) -> None:
        directory.mkdir()
        super().__init__(directory, socket_directory(directory), "16M")
        self.options = server_options(changed(block("cluster.md", "replicas"), ("server_id = 1", f"server_id = {number}")))

    def prepare(self) -> None:
        if not self.datadir.is_dir():
            super().prepare()

    def copy_to(self, other: "Server") -> None:
        shutil.copytree(self.datadir, other.datadir)
        shutil.copytree(self.secrets, other.secrets, dirs_exist_ok=True)

    def start_replicating(self) -> None:
        self.init_file.write_text("")
        self.process.command += self.options
        self.start()

    def follow(self, primary: "Server", *more: str) -> None:
        self.query(", ".join([f"CHANGE MASTER TO MASTER_HOST = '{HOST}', MASTER_PORT = {primary.port}, MASTER_USER = '{OWNER}'",
                              f"MASTER_PASSWORD = '{primary.password(OWNER)}', MASTER_CONNECT_RETRY = 1, MASTER_HEARTBEAT_PERIOD = 0.5",
                              "MASTER_USE_GTID = slave_pos", *more]))
        self.query("START SLAVE")
        wait_until(lambda: self.replication()["Slave_IO_Running"] == "Yes", "the replica to follow")

    def replication(self) -> dict[str, Any]:
        return self.query("SHOW SLAVE STATUS")[0]

    def position(self) -> str:
        return str(self.query("SELECT @@gtid_binlog_pos AS position")[0]["position"])


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[list[Server]]:
    """The first is the primary."""
    servers = [Server(tmp_path / str(number), number) for number in (1, 2)]
    try:
        servers[0].start()
        servers[0].stop()
        servers[0].copy_to(servers[1])
        for server in servers:
            server.start_replicating()
        servers[1].follow(servers[0])
        servers[0].query("SET GLOBAL rpl_semi_sync_master_enabled = ON, read_only = OFF")
        yield servers
    finally:
        for server in servers:
            server.kill()


def statements_of_promotion() -> list[list[str]]:
    """Of each step of the page."""
    found = re.search(r"^#### Promote a replica\n.*?\n\n(1\. .*?)\n\n", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None
    steps = re.split(r"^\d\. ", found[1], flags=re.MULTILINE)[1:]
    return [[statement for text in re.findall(r"`((?:SET|STOP|RESET) [^`]+)`", " ".join(step.split())) for statement in text.split("; ")] for step in steps]


def test_the_old_primary_applies_what_the_new_one_writes(servers: list[Server]) -> None:
    """It waited for a replica of its own, an hour for each transaction, and no error said so."""
    old, new = servers
    end, _, lead, _, serve = statements_of_promotion()
    old.query("CREATE TABLE recaudo.seen (id INT PRIMARY KEY)")
    old.query("INSERT INTO recaudo.seen VALUES (1)")
    old.query(end[0])
    wait_until(lambda: new.position() == old.position(), "the replica to have everything")
    for statement in end[1:]:
        old.query(statement)
    for statement in lead + serve:
        new.query(statement)
    assert "`MASTER_DEMOTE_TO_SLAVE = 1`" in PAGE
    old.follow(new, "MASTER_DEMOTE_TO_SLAVE = 1")
    for number in (2, 3):
        new.query("INSERT INTO recaudo.seen VALUES (%s)", number)
    wait_until(lambda: len(old.query("SELECT * FROM recaudo.seen")) == 3, "the old primary to apply it")
    assert "semi-sync" not in old.replication()["Slave_SQL_Running_State"]
