"""An instance to be broken: database behind a proxy, workers, nginx, several dispatchers, and merchants."""

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import IO, Protocol, Sequence

from tests.stack import Ctl, Dispatcher, Process, Stack, false_time, wait_until
from tests.stack.mariadb import MariaDB
from tests.stack.process import listens_on, preloading

from .log_reader import LogReader
from .plan import SHORT, Fault, Scale, needs
from .sink import HABITS, Sink

HERE = Path(__file__).parent
WINDOW = 2.0
ATTEMPT = 1.0
LEASE = ATTEMPT + 20.0
NETWORKS = ("norte", "sur")
LIMITED = "sur"  # reaches its limits in the course of a run
PREFIXES = {"firme": "77", "flaca": "78"}
NUMBERED_DOCUMENTS = ("10034567", "10034568")  # look like references of orders
DOCUMENTS = ("D-1001", "D-1002", *NUMBERED_DOCUMENTS)
FULL_DOCUMENTS = tuple(f"D-900{number}" for number in range(1, 9))  # have room for one or two top-ups
EMPTY_DOCUMENT = "D-9100"  # the traffic leaves its account alone
DISPATCHER_SECONDS = (3, 5, 3600)
MENDING_PAUSE = 0.3
WELL_WITHIN = 150.0  # the database looks for space once a minute when its disk was full at its start
SETTINGS: dict[str, dict[str, object]] = {
    "database": {"read_timeout": "2s"},
    "worker": {"cancel_window": f"{WINDOW:g}s", "processes": 2},
    "notification": {"timeout": f"{ATTEMPT:g}s", "schedule": "200ms 300ms 500ms " + "1s " * 25},
    "dispatcher": {"rest": "500ms", "rest_longest": "1s", "batch": 20},
    "external_query": {"timeout": "1s", "rest": "500ms"},
}
EXPECTED_ENDS = {0, 1, 3, -9, -15}
ABORTED = {-6, -11}  # what MariaDB does when it finds no space for what it has begun


def together(*environments: dict[str, str]) -> dict[str, str]:
    """Of several, with all the libraries that they preload."""
    libraries = dict.fromkeys(" ".join(one["LD_PRELOAD"] for one in environments).split())
    return {name: value for one in environments for name, value in one.items()} | {"LD_PRELOAD": " ".join(libraries)}


def disk_full_while(sign: Path, directory: Path) -> dict[str, str]:
    """The environment of a program whose disk is full while this file is there."""
    library = directory / "full_disk.so"
    subprocess.run(["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", str(library), str(HERE / "full_disk.c"), "-ldl"], check=True)
    return preloading(str(library)) | {"RECAUDO_TEST_FULL": str(sign)}


def step_clock(file: Path, seconds: float) -> None:
    """The time of day of programs with `clock_from` this file is so far from the right one from now on."""
    fresh = file.with_suffix(".new")
    fresh.write_text(f"{seconds:+.0f}\n")
    os.replace(fresh, file)


def clock_from(file: Path) -> dict[str, str]:
    """The environment of a program whose clock can be stepped."""
    step_clock(file, 0)
    return preloading(false_time.library()) | false_time.SETTINGS | {"FAKETIME_TIMESTAMP_FILE": str(file)}


def open_accounts(ctl: Ctl, sink: Sink, scale: Scale) -> dict[str, dict[str, str]]:
    """Networks, merchants and customers; the secrets of the first two by their names."""
    secrets: dict[str, dict[str, str]] = {network: ctl.json("network", "add", network) for network in NETWORKS}
    ctl.done("network", "limit", LIMITED, "COP", "--day", f"{scale.day}", "--outstanding", f"{scale.outstanding}")
    for merchant in HABITS:
        sink.add(merchant)
        secrets[merchant] = ctl.json("merchant", "add", merchant, "--commerce", f"Tienda {merchant}", "--notify-url",
                                     sink.url("notify", merchant))
        ctl.done("integration", "add", "--merchant", merchant, "--kind", "2", "--code", PREFIXES[merchant],
                 "--endpoint", sink.url("query", merchant))
        sink.secrets[merchant] = secrets[merchant]["fixed_hash"]
    for document in (*DOCUMENTS, *FULL_DOCUMENTS, EMPTY_DOCUMENT):
        ctl.done("account", "add", "--document", document, "--type", "CC", "--name", f"Ana {document}")
    return secrets


class Front(Protocol):
    """What everybody outside sees. More than one URL: of web hosts that do the same."""

    @property
    def base_url(self) -> str | Sequence[str]: ...
    @property
    def ctl(self) -> Ctl: ...
    @property
    def mariadb(self) -> MariaDB: ...


class Instance(Protocol):
    """What traffic and judges ask of an instance, whatever it is made of."""

    sink: Sink
    scale: Scale
    secrets: dict[str, dict[str, str]]
    dispatchers: list[Dispatcher]

    @property
    def stack(self) -> Front: ...
    def mend(self) -> None: ...


class Proxy:
    """proxy.py as a process; see there."""

    def __init__(self, socket: str, target: str, log: Path) -> None:
        self.socket = socket
        self.command = [sys.executable, str(HERE / "proxy.py"), socket, target]
        self.log = log

    def start(self) -> None:
        with open(self.log, "ab") as log:
            self.child = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=log, stderr=log, text=True)
        wait_until(lambda: listens_on(self.socket), "the proxy to listen")

    def tell(self, command: str) -> None:
        self._commands.write(command + "\n")
        self._commands.flush()

    def stop(self) -> None:
        self._commands.close()
        self.child.wait(10)

    def cuts(self) -> int:
        return self.log.read_text().count("cut ")

    @property
    def _commands(self) -> IO[str]:
        assert self.child.stdin is not None
        return self.child.stdin


class Arena:
    """A context manager. What a plan does not need is not preloaded."""

    def __init__(self, plan: Sequence[Fault], sink: Sink, scale: Scale = SHORT) -> None:
        self.sink = sink
        self.scale = scale
        self.stack = Stack(dispatcher=False, buffer_pool=scale.buffer_pool, web="nginx", nginx_workers=2)
        directory, log = self.stack.directory, self.stack.directory / "log"
        self.proxy = Proxy(str(self.stack.sockets / "proxy.sock"), self.stack.mariadb.socket, log / "proxy.log")
        self.stack.settings = SETTINGS | {"database": {**SETTINGS["database"], "socket": self.proxy.socket}}
        self.full_sign, self.clock_file = directory / "full", directory / "clock"
        self.dispatchers = [Dispatcher(self.stack.config, log / f"dispatcher-{number}.log", seconds)
                            for number, seconds in enumerate(DISPATCHER_SECONDS, 1)]
        self.log_reader = LogReader(self.stack.sockets / "worker-log", self.stack.worker.log)
        self.stack.worker.output = self.log_reader.pipe
        self.secrets: dict[str, dict[str, str]] = {}
        self.ends: Counter[str] = Counter()
        if needs(list(plan), "full disk"):
            self.stack.mariadb.process.environment |= disk_full_while(self.full_sign, directory)
        if needs(list(plan), "step the clock"):
            for part in (self.stack.worker, *self.dispatchers):
                part.environment |= clock_from(self.clock_file)

    def __enter__(self) -> "Arena":
        try:
            self._start()
        except BaseException as error:
            self.__exit__(type(error))
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for dispatcher in self.dispatchers:
            dispatcher.kill()
        self.stack.close(kind)
        self.proxy.stop()
        self.log_reader.close()

    def _start(self) -> None:
        self.stack.write_config()
        self.proxy.start()
        self.stack.mariadb.start()
        self.stack.migrate()
        self.secrets = open_accounts(self.stack.ctl, self.sink, self.scale)
        for part in (self.stack.worker, *self.dispatchers):
            part.spawn()
        self.stack.web.start()
        self.stack.worker.await_ready()

    def step_clock(self, seconds: float) -> None:
        """The time of day of workers and dispatchers is so far from the right one from now on."""
        step_clock(self.clock_file, seconds)

    def parts(self) -> list[Process]:
        return [self.stack.mariadb.process, self.stack.worker, *self.dispatchers, self.stack.web.process]

    def mend(self) -> None:
        """Starts again what has ended, as an init system and cron do, and notes ends that nobody brought about."""
        for part in self.parts():
            if part.running() or time.monotonic() - part.spawned_at < MENDING_PAUSE:
                continue
            status = part.exit_status()
            if status not in self._expected(part):
                self.ends[f"{part.name} ended with {status}"] += 1
            part.spawn()

    def _expected(self, part: Process) -> set[int]:
        may_abort = part is self.stack.mariadb.process and "RECAUDO_TEST_FULL" in part.environment
        return EXPECTED_ENDS | ABORTED if may_abort else EXPECTED_ENDS

    def make_well(self) -> None:
        """Ends what may still be broken, and waits until everything serves."""
        self.proxy.tell("delay 0")
        self.proxy.tell("cut before 0")
        self.full_sign.unlink(missing_ok=True)
        self.log_reader.go_on()
        self.step_clock(0)
        self.sink.well = True
        wait_until(self._serves, f"everything to serve:\n{self.log_tails()}", WELL_WITHIN, 0.1)

    def _serves(self) -> bool:
        self.mend()
        if not all(part.running() for part in self.parts()) or not self.stack.mariadb.process.ready():
            return False
        try:
            with self.stack.client(5) as client:
                return all(client.request("GET", "/readyz").code == "0000" for _ in range(8))
        except (OSError, ValueError):
            return False

    def log_tails(self) -> str:
        tails = [f"--- {part.name}: {part.log}\n{part.log_tail(15)}" for part in self.dispatchers]
        return "\n".join([self.stack.log_tails(15), *tails])
