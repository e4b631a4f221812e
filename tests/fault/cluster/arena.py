"""The cluster that is to be broken, with what its traffic and its judges ask for; see ../arena.py."""

import shutil
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from tests.stack import Ctl, Dispatcher, Network, Process, wait_until

from ..arena import ABORTED, EXPECTED_ENDS, MENDING_PAUSE, NETWORKS, SETTINGS, open_accounts, step_clock
from ..plan import Scale
from ..sink import Sink
from .hosts import HOSTS, Host, HostCluster
from .lan import Lan
from .replicas import Replicas

WELL_WITHIN = 120.0
UNKNOWN_REFERENCE = "1"
BIG = Scale(payers=3, day=10**12, outstanding=10**12)


@dataclass
class Hosts:
    """What everybody outside sees of them."""

    base_url: Sequence[str]
    ctl: Ctl
    mariadb: HostCluster | Replicas


class ClusterArena:
    """A context manager, on the host OUTSIDE of a network that is there."""

    def __init__(self, lan: Lan, sink: Sink, kind: type[HostCluster | Replicas] = HostCluster) -> None:
        self.lan, self.sink, self.scale = lan, sink, BIG
        self.directory = Path(tempfile.mkdtemp(prefix="recaudo-cluster-"))
        self.cluster = kind(self.directory, lan)
        key_file = self.directory / "secret.key"
        self.hosts = [Host(number, lan, self.cluster, self.directory, key_file, SETTINGS) for number in HOSTS]
        self.stack = Hosts([host.web.base_url for host in self.hosts], Ctl(self.hosts[0].config), self.cluster)
        self.dispatchers: list[Dispatcher] = [host.dispatcher for host in self.hosts]
        self.secrets: dict[str, dict[str, str]] = {}
        self.ends: Counter[str] = Counter()
        self.copied = 0
        self.down: set[int] = set()  # hosts without power, and servers that are to stay down

    def __enter__(self) -> "ClusterArena":
        try:
            self.cluster.start()
            self.stack.ctl.done("key", "create")
            self.stack.ctl.done("db", "migrate")
            self.cluster.query("GRANT SELECT ON recaudo.* TO recaudo_reader@localhost")  # recaudo-audit asks by the socket
            self.secrets = open_accounts(self.stack.ctl, self.sink, self.scale)
            for host in self.hosts:
                host.start()
        except BaseException as error:
            self.__exit__(type(error))
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind not in (None, KeyboardInterrupt):
            print(self.log_tails(), file=sys.stderr)
        for host in self.hosts:
            for part in host.programs():
                part.kill()
        self.cluster.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    def mend(self) -> None:
        """Starts again what has ended, as an init system does, and notes ends that nobody brought about."""
        self.cluster.look_after()
        if not self.down and not any(host.node.process.running() for host in self.hosts):
            self.cluster.start_newest()
        powered = [host for host in self.hosts if host.number not in self.down]
        gone = [host for host in powered if not host.node.process.running()]
        for host in gone:
            self.note_end(host.node.process, EXPECTED_ENDS | ABORTED)
        if len(gone) > 1:
            self.cluster.spawn_together([host.node for host in gone])
        for host in gone:
            self.copied += self.cluster.join(host.node, [other.node for other in powered if other is not host])
        for host in powered:
            for part in host.programs():
                if not part.running() and time.monotonic() - part.spawned_at >= MENDING_PAUSE:
                    self.note_end(part, EXPECTED_ENDS)
                    part.spawn()

    def note_end(self, part: Process, expected: set[int]) -> None:
        status = part.exit_status()
        if status not in expected:
            self.ends[f"{part.name} ended with {status}"] += 1

    def make_well(self) -> None:
        self.down.clear()
        self.lan.make_well()
        for host in self.hosts:
            host.full.unlink(missing_ok=True)
            step_clock(host.clock, 0)
            step_clock(host.server_clock, 0)
            for part in (*host.programs(), host.node.process):
                if part.running():
                    part.resume()

    def await_well(self) -> None:
        wait_until(self.is_well, f"the cluster to be whole and every host to serve:\n{self.log_tails()}", WELL_WITHIN, 0.1)

    def is_well(self) -> bool:
        self.cluster.end_those_that_left()
        self.mend()
        return self.cluster.is_whole() and all(self.serves(host) for host in self.hosts)

    def serves(self, host: Host) -> bool:
        """Asked for what it does not know: nobody but its own machine may ask whether it is ready."""
        name = NETWORKS[0]
        try:
            with Network(host.web.base_url, name, self.secrets[name]["fixed_hash"], 5) as network:
                return network.lookup(UNKNOWN_REFERENCE).code == "0101"
        except (OSError, ValueError):
            return False

    def log_tails(self) -> str:
        parts = [part for host in self.hosts for part in (host.node.process, *host.programs())]
        return "\n".join(f"--- {part.name}: {part.log}\n{part.log_tail(12)}" for part in parts)
