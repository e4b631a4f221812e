"""Three MariaDB servers as one Galera cluster, each with all data."""

import os
import re
import shutil
from pathlib import Path
from typing import Any, Sequence

import pymysql

from ..mariadb import MariaDB
from ..mariadb_tcp import HOST, MariaDBOverTcp
from ..process import Process, free_port
from ..waiting import wait_until

NODES = 3
TRANSFER = Path(__file__).with_name("wsrep_sst_replay")
PROVIDER = "/usr/lib/galera/libgalera_smm.so"
# A node that does not answer is left behind after 1.5 s instead of 5 s.
MEMBERSHIP = ("evs.keepalive_period=PT0.5S;evs.inactive_check_period=PT0.5S;evs.suspect_timeout=PT1.5S;"
              "evs.inactive_timeout=PT3S;evs.install_timeout=PT3S;gcache.size=64M")


class Node(MariaDBOverTcp):
    """One of the servers, at `host`:`port`. `members` are the addresses at which the servers speak to each other, its own first;
    `inside` is the command that runs another one where it lives."""

    def __init__(self, directory: Path, buffer_pool: str, port: int, members: Sequence[str], host: str = HOST,
                 callers: str = HOST, inside: Sequence[str] = ()) -> None:
        self.directory = directory
        sockets = directory / "run"
        sockets.mkdir(parents=True, exist_ok=True)
        provider = f"gmcast.listen_addr=tcp://{members[0]};ist.recv_addr={host}:{free_port()};{MEMBERSHIP}"
        super().__init__(directory, sockets, buffer_pool, port=port, host=host, callers=callers)
        self.process.environment["PATH"] = f"{TRANSFER.parent}:{os.environ['PATH']}"
        self.process.command = [*inside, *self.process.command]
        self.alone = list(self.process.command)
        self.joined = [*self.alone, "--binlog-format=ROW", "--wsrep-sst-method=replay", "--wsrep-on=ON", f"--wsrep-provider={PROVIDER}",
                       "--loose-plugin-wsrep-provider=OFF",  # on MariaDB 11.8 it keeps Galera's options from being set
                       f"--wsrep-cluster-address=gcomm://{','.join(members)}", "--wsrep-cluster-name=recaudo",
                       f"--wsrep-node-address={members[0]}", f"--wsrep-node-name={directory.name}",
                       f"--wsrep-provider-options={provider}"]

    def accounts_made(self) -> None:
        """From now on the accounts are part of the data."""
        self.init_file.write_text("")

    def prepare(self) -> None:
        if not self.datadir.is_dir():
            super().prepare()

    def start_in_cluster(self, first: bool = False) -> None:
        self.process.command = [*self.joined, *(["--wsrep-new-cluster"] if first else [])]
        self.process.start(60)

    def position(self) -> str:
        """What its data has, read after a crash: the cluster's number and that of the last change."""
        log = self.directory / "log" / "recovery.log"
        log.unlink(missing_ok=True)

        def told() -> "re.Match[str] | None":
            return re.search(r"Recovered position: (\S+)", log.read_text(errors="replace")) if log.exists() else None

        recovery = Process("recovery", [*self.joined, "--wsrep-recover", f"--log-error={log}"], log, lambda: True)
        recovery.spawn()
        try:
            found = wait_until(told, "the position of the data", 60)
            wait_until(lambda: not recovery.running(), "the server that told the position to end, as Debian's galera_recovery waits for it")
        finally:
            recovery.kill()
        return found.group(1)

    def spawn_again(self) -> None:
        """After a crash: from the position that its data has."""
        self.process.command = [*self.joined, f"--wsrep-start-position={self.position()}"]
        self.process.spawn()

    def start_again(self) -> None:
        self.spawn_again()
        self.process.await_ready(60)

    def start_first(self, position: str) -> None:
        """As the first of a new cluster, after all have crashed (doc/cluster.md)."""
        state = self.datadir / "grastate.dat"
        state.write_text(state.read_text().replace("safe_to_bootstrap: 0", "safe_to_bootstrap: 1"))
        self.process.command = [*self.joined, f"--wsrep-start-position={position}", "--wsrep-new-cluster"]
        self.process.start(60)

    def state(self, name: str) -> str:
        return str(self.query("SHOW GLOBAL STATUS LIKE %s", f"wsrep_{name}")[0]["Value"])

    def _answers(self) -> bool:
        try:
            return super()._answers() and (self.process.command == self.alone or self.state("ready") == "ON")
        except pymysql.err.OperationalError:
            return False


def own_first(members: Sequence[str], number: int) -> list[str]:
    return [members[number], *members[:number], *members[number + 1:]]


class Cluster(MariaDB):
    """All of them. Statements of the tests go to the first that lives; the passwords are those of the first."""

    node_type = Node

    def __init__(self, directory: Path, sockets: Path, buffer_pool: str) -> None:
        self.nodes = self.make_nodes(directory, buffer_pool)
        self.first = self.nodes[0]
        self.process = self.first.process
        self.log = self.first.log

    def make_nodes(self, directory: Path, buffer_pool: str) -> list[Node]:
        members = [f"{HOST}:{free_port()}" for _ in range(NODES)]
        return [self.node_type(directory / f"node-{number + 1}", buffer_pool, free_port(), own_first(members, number))
                for number in range(NODES)]

    def address(self) -> dict[str, object]:
        return {"host": " ".join(f"{node.host}:{node.port}" for node in self.nodes), "account_host": self.first.callers, "tls": "off"}

    def password_file(self, account: str) -> Path:
        return self.first.password_file(account)

    def start(self) -> None:
        """Makes the data in one server, which then is a cluster of its own, copies it to the others and lets them meet."""
        self.first.start()
        self.first.stop()
        self.first.accounts_made()
        self.first.start_in_cluster(first=True)
        self.first.stop()
        for node in self.nodes[1:]:
            shutil.copytree(self.first.datadir, node.datadir)
            shutil.copytree(self.first.secrets, node.secrets, dirs_exist_ok=True)
        for node in self.nodes:
            node.accounts_made()
            node.start_in_cluster(first=node is self.first)
        wait_until(self.is_whole, "all servers in the cluster", 60)

    def stop(self) -> None:
        for node in reversed(self.nodes):
            node.stop()

    def kill(self) -> None:
        for node in self.nodes:
            node.kill()

    def start_newest(self) -> None:
        """After all have crashed: the one whose data has come furthest begins. Another one would lose what was acknowledged."""
        positions = {node: node.position() for node in self.nodes}
        newest = max(self.nodes, key=lambda node: int(positions[node].rpartition(":")[2]))
        newest.start_first(positions[newest])

    def alive(self) -> Node:
        return next(node for node in self.nodes if node.process.running())

    def connect(self, *arguments: Any, **named: Any) -> "pymysql.connections.Connection[Any]":
        return self.alive().connect(*arguments, **named)

    def is_whole(self) -> bool:
        """Whether each server says that all are there: one that was left behind does not know it yet."""
        try:
            return all((node.state("cluster_size"), node.state("local_state_comment")) == (str(NODES), "Synced")
                       for node in self.nodes)
        except pymysql.err.OperationalError:
            return False

    def differing(self, table: str) -> bool:
        """Whether not all servers have the same rows of a table. (CHECKSUM TABLE tells equal rows apart.)"""
        rows = [node.query(f"SELECT * FROM {table} ORDER BY id") for node in self.nodes]
        return any(others != rows[0] for others in rows[1:])
