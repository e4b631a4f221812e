"""Three hosts, each with a database server, workers, a dispatcher and a web server."""

import shutil
from pathlib import Path
from typing import Sequence

import pymysql

from tests.stack import Dispatcher, Process, Worker
from tests.stack.config import Settings, default_settings, write_config
from tests.stack.galera import Cluster, Node
from tests.stack.web.nginx import Nginx

from ..arena import clock_from, disk_full_while, together
from .lan import Lan
from .switch import NETWORK

HOSTS = (1, 2, 3)
SQL_PORT, CLUSTER_PORT, WEB_PORT = 3306, 4567, 8080
EVERYBODY = f"{NETWORK}.%"
EVERY_ADDRESS = f"127.0.0.0/8 {NETWORK}.0/24"
DISPATCHER_SECONDS = 3600


class HostCluster(Cluster):
    """A server on each host, in one Galera cluster, which looks after itself."""

    promoted = 0

    def __init__(self, directory: Path, lan: Lan) -> None:
        self.lan = lan
        super().__init__(directory, directory / "run", "64M")

    def make_nodes(self, directory: Path, buffer_pool: str) -> list[Node]:
        nodes = []
        for host in HOSTS:
            own_first = sorted(HOSTS, key=lambda other: other != host)
            members = [f"{self.lan.address(other)}:{CLUSTER_PORT}" for other in own_first]
            nodes.append(Node(directory / f"node-{host}", buffer_pool, SQL_PORT, members, self.lan.address(host), EVERYBODY,
                              self.lan.inside(host)))
        return nodes

    def look_after(self) -> None:
        """Nobody needs to."""

    def spawn_together(self, servers: Sequence[Node]) -> None:
        """Two of three that have crashed: each waits for the other."""
        for server in servers:
            server.spawn_again()

    def join(self, server: Node, donors: Sequence[Node]) -> bool:
        """Starts it again, unless that is done; whether it needed a copy of another one's data. One that could not write what the
        others wrote has left them and lost its place."""
        try:
            if not server.process.running():
                server.spawn_again()
            server.process.await_ready(60)
            return False
        except RuntimeError:
            donors[0].stop()
            shutil.rmtree(server.datadir)
            shutil.copytree(donors[0].datadir, server.datadir)
            donors[0].start_again()
            server.start_again()
            return True

    def end_those_that_left(self) -> None:
        """A server that has left the others by itself lives on and does not come back: an operator ends it."""
        for node in self.nodes:
            try:
                if node.process.running() and node.state("connected") == "OFF":
                    node.kill()
            except pymysql.err.OperationalError:
                pass  # it does not answer yet

    def catch_up(self) -> None:
        """Who reads waits for the others' writes (wsrep_sync_wait)."""


class Host:
    """What recaudo has on one of them; the database server of its own comes first. Its clocks and its disk can be wrong."""

    def __init__(self, number: int, lan: Lan, cluster: HostCluster, directory: Path, key_file: Path, settings: Settings) -> None:
        self.number = number
        self.node = cluster.nodes[number - 1]
        folder = directory / f"host-{number}"
        (folder / "log").mkdir(parents=True)
        self.clock, self.server_clock, self.full = folder / "clock", folder / "server-clock", folder / "full"
        self.config, socket = folder / "recaudo.conf", str(folder / "fcgi.sock")
        servers = sorted(HOSTS, key=lambda other: other != number)
        write_config(self.config, default_settings(cluster, socket, key_file), settings,
                     {"database": {"host": " ".join(f"{lan.address(other)}:{SQL_PORT}" for other in servers)},
                      "security": {"allow_addresses": EVERY_ADDRESS}})
        self.worker = Worker(self.config, socket, folder / "log" / "worker.log")
        self.dispatcher = Dispatcher(self.config, folder / "log" / "dispatcher.log", DISPATCHER_SECONDS)
        self.web = Nginx(folder, socket, WEB_PORT, address=lan.address(number))
        for part in self.programs():
            part.command = [*lan.inside(number), *part.command]
            part.name = f"{part.name} of host {number}"
        for clocked in (self.worker, self.dispatcher):
            clocked.environment |= clock_from(self.clock)
        self.node.process.environment |= together(disk_full_while(self.full, folder), clock_from(self.server_clock))

    def programs(self) -> Sequence[Process]:
        return [self.worker, self.dispatcher, self.web.process]

    def start(self) -> None:
        for part in (self.worker, self.dispatcher):
            part.spawn()
        self.web.start()
        self.worker.await_ready()
