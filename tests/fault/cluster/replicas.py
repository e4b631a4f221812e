"""A primary and two replicas, one on each host, and who promotes a replica when the primary serves no more.

The primary acknowledges a transaction when a replica has it (semi-synchronous, AFTER_SYNC), however long that takes. Whoever
promotes speaks to the servers by a way of his own, which the faults of the network do not touch; he ends the old primary first.
"""

import shutil
import time
from pathlib import Path
from typing import Any, Sequence

import pymysql

from tests.stack import wait_until
from tests.stack.galera import Cluster
from tests.stack.mariadb import OWNER
from tests.stack.mariadb_tcp import MariaDBOverTcp
from tests.stack.page_blocks import block, changed, server_options

from .hosts import EVERYBODY, HOSTS, SQL_PORT
from .lan import Lan

ANSWERS_WITHIN = 1.0
PATIENCE = 2.0  # with a primary that does not serve
APPLIED_WITHIN = 60.0
GIVES_UP = (1236, 1593, 1623, 1595)  # errors of a replica that asks for what is not there, or cannot write what it gets


class Server(MariaDBOverTcp):
    """One of them: read only and alone, until it is told whom to follow, or promoted."""

    def __init__(self, number: int, directory: Path, lan: Lan, buffer_pool: str) -> None:
        self.directory = directory
        sockets = directory / "run"
        sockets.mkdir(parents=True, exist_ok=True)
        super().__init__(directory, sockets, buffer_pool, port=SQL_PORT, host=lan.address(number), callers=EVERYBODY)
        self.process.command = [*lan.inside(number), *self.process.command]
        self.alone = list(self.process.command)
        self.replicating = [*self.alone, *server_options(changed(block("cluster.md", "replicas"), ("server_id = 1", f"server_id = {number}")))]
        self.has_left_the_others = False

    def prepare(self) -> None:
        if not self.datadir.is_dir():
            super().prepare()

    def ask(self, statement: str) -> list[dict[str, Any]]:
        """Raises OperationalError soon when it does not answer."""
        with pymysql.connect(unix_socket=self.socket, user=OWNER, password=self.password(OWNER), autocommit=True, cursorclass=pymysql.cursors.DictCursor,
                             connect_timeout=ANSWERS_WITHIN, read_timeout=ANSWERS_WITHIN, write_timeout=ANSWERS_WITHIN) as connection:
            cursor = connection.cursor()
            cursor.execute(statement)
            return list(cursor.fetchall())

    def answers(self) -> bool:
        try:
            return self.process.running() and bool(self.ask("SELECT 1"))
        except pymysql.err.OperationalError:
            return False

    def replication(self) -> dict[str, Any]:
        """Empty: it follows nobody, or does not answer."""
        try:
            return dict(next(iter(self.ask("SHOW SLAVE STATUS")), {})) if self.process.running() else {}
        except pymysql.err.OperationalError:
            return {}

    def hears(self) -> bool:
        return self.replication().get("Slave_IO_Running") == "Yes"

    def cannot_go_on(self) -> bool:
        told = self.replication()
        return told.get("Last_SQL_Errno", 0) != 0 or told.get("Last_IO_Errno", 0) in GIVES_UP

    def received(self) -> int:
        """The number of the last transaction that it has, applied or not."""
        positions = [self.ask("SELECT @@gtid_binlog_pos AS position")[0]["position"], self.replication().get("Gtid_IO_Pos", "")]
        return max(int(position.rpartition("-")[2] or 0) for position in positions)

    def has_applied(self, number: int) -> bool:
        return int(str(self.ask("SELECT @@gtid_binlog_pos AS position")[0]["position"]).rpartition("-")[2] or 0) >= number

    def follow(self, primary: "Server") -> None:
        """Also one that was the primary: it asks for what comes after its own last transaction."""
        self.query("STOP SLAVE")
        self.query("SET GLOBAL rpl_semi_sync_master_enabled = 0, read_only = 1")
        demoted = "" if self.replication() else ", MASTER_DEMOTE_TO_SLAVE = 1"
        self.query(f"CHANGE MASTER TO MASTER_HOST = '{primary.host}', MASTER_PORT = {primary.port}, MASTER_USER = '{OWNER}',"
                   f" MASTER_PASSWORD = '{self.password(OWNER)}', MASTER_CONNECT_RETRY = 1, MASTER_HEARTBEAT_PERIOD = 0.5,"
                   f" MASTER_USE_GTID = slave_pos{demoted}")
        self.query("START SLAVE")

    def lead(self, waits_for_a_replica: bool) -> None:
        if self.replication():
            self.query("STOP SLAVE")
            self.query("RESET SLAVE ALL")
        self.query(f"SET GLOBAL rpl_semi_sync_master_enabled = {waits_for_a_replica:d}")
        self.query("SET GLOBAL read_only = 0")

    def start_replicating(self, role: str) -> None:
        """`role`: what it makes of transactions that it had written down and not finished. MASTER: it keeps them; SLAVE: not."""
        self.process.command = [*self.replicating, f"--init-rpl-role={role}"]
        self.process.start(60)


class Replicas(Cluster):
    """All three. Statements of the tests go to the primary."""

    waits_for_a_replica = True

    def __init__(self, directory: Path, lan: Lan) -> None:
        self.lan = lan
        super().__init__(directory, directory / "run", "64M")
        self.primary: Server = self.first
        self.served_at = time.monotonic()
        self.promoted = 0

    def make_nodes(self, directory: Path, buffer_pool: str) -> list[Any]:
        return [Server(number, directory / f"node-{number}", self.lan, buffer_pool) for number in HOSTS]

    def start(self) -> None:
        """Makes the data in one server and copies it to the others."""
        self.first.start()
        self.first.stop()
        self.first.init_file.write_text("")
        for server in self.nodes[1:]:
            shutil.copytree(self.first.datadir, server.datadir)
            shutil.copytree(self.first.secrets, server.secrets, dirs_exist_ok=True)
            server.init_file.write_text("")
        for server in self.nodes:
            server.start_replicating("MASTER")
        self.lead_all()
        wait_until(self.is_whole, "all replicas to follow", 60)

    def replicas(self) -> list[Server]:
        return [server for server in self.nodes if server is not self.primary]

    def lead_all(self) -> None:
        """The others follow the primary; then it is written to."""
        for server in self.replicas():
            if server.answers():
                server.follow(self.primary)
        self.primary.lead(self.waits_for_a_replica)

    def look_after(self) -> None:
        """Promotes a replica when the primary has not served for a while: it does not answer, or no replica hears it."""
        if not self.primary.process.running() or not self.primary.answers() or not any(server.hears() for server in self.replicas()):
            if time.monotonic() - self.served_at > PATIENCE:
                self.promote([server for server in self.replicas() if server.answers()])
            return
        self.served_at = time.monotonic()

    def promote(self, candidates: Sequence[Server]) -> None:
        """The one that has received most: what was acknowledged is among it."""
        if not candidates:
            return
        self.primary.kill()
        newest = max(candidates, key=Server.received)
        received = newest.received()
        wait_until(lambda: newest.has_applied(received), "the replica to apply what it has received", APPLIED_WITHIN)
        self.primary = newest
        self.lead_all()
        self.served_at = time.monotonic()
        self.promoted += 1

    def start_newest(self) -> None:
        """The primary again, after it has crashed, or all have. It has all that it acknowledged, and keeps what it had not finished."""
        self.primary.start_replicating("MASTER")
        self.primary.lead(self.waits_for_a_replica)

    def spawn_together(self, servers: Sequence[Server]) -> None:
        """None waits for another."""

    def join(self, server: Server, donors: Sequence[Server]) -> bool:
        """Starts it again, as a replica unless nobody was promoted in its place; whether it needed a copy of another one's data."""
        copies = server.has_left_the_others
        if copies:
            self.copy_data(next(donor for donor in donors if donor is not self.primary), server)
        if server is self.primary:
            self.start_newest()
        else:
            self.start_replica(server)
        return copies

    def start_replica(self, server: Server) -> None:
        server.start_replicating("SLAVE")
        server.follow(self.primary)

    def copy_data(self, donor: Server, server: Server) -> None:
        donor.stop()
        shutil.rmtree(server.datadir)
        shutil.copytree(donor.datadir, server.datadir)
        self.start_replica(donor)
        server.has_left_the_others = False

    def end_those_that_left(self) -> None:
        """A replica that cannot go on: it has what the primary has not, or could not write what it received."""
        for server in self.replicas():
            if server.cannot_go_on():
                server.has_left_the_others = True
                server.kill()

    def catch_up(self) -> None:
        last = self.primary.received()
        wait_until(lambda: all(server.has_applied(last) for server in self.nodes), "all replicas to have everything", APPLIED_WITHIN)

    def is_whole(self) -> bool:
        return self.primary.answers() and all(server.replication().get("Slave_SQL_Running") == "Yes" and server.hears()
                                              for server in self.replicas())

    def alive(self) -> Server:
        return self.primary


class AsynchronousReplicas(Replicas):
    """The primary waits for none of them: what it has acknowledged can be lost."""

    waits_for_a_replica = False
