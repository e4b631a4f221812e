"""Looks at the processes and the tables while they work."""

import os
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Mapping

from tests.stack import Process

from ..arena import Arena
from ..history import History

MINUTE = 60.0


@dataclass
class Held:
    """What the processes of one kind hold: memory in KiB and open files of the one that holds most, and threads of all."""

    memory: int = 0
    files: int = 0
    threads: int = 0


@dataclass
class Sample:
    """`at` is as time.time() gives it; `tables` the bytes of the tables' files."""

    at: float
    tables: int
    held: dict[str, Held] = field(default_factory=dict)


class Watch(threading.Thread):
    """A context manager: takes a sample every so many seconds until it is left, and says once a minute how far the run is."""

    def __init__(self, arena: Arena, history: History, every: float) -> None:
        super().__init__(name="watch", daemon=True)
        self.arena = arena
        self.history = history
        self.began = 0.0
        self.every = every
        self.samples: list[Sample] = []
        self.stopping = threading.Event()
        self.error: BaseException | None = None

    def __enter__(self) -> "Watch":
        self.began = time.time()
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stopping.set()
        self.join()
        if self.error and kind is None:
            raise RuntimeError("what watches has ended badly") from self.error

    def run(self) -> None:
        try:
            while not self.stopping.wait(self.every):
                self.samples.append(self.look())
                self.tell()
        except BaseException as error:  # reported when the watch ends
            self.error = error

    def look(self) -> Sample:
        sample = Sample(time.time(), size_of(self.arena.stack.mariadb.datadir))
        for kind, processes in self.processes().items():
            held = [one for one in map(held_by, processes) if one is not None]
            if held:
                sample.held[kind] = Held(max(one.memory for one in held), max(one.files for one in held),
                                         sum(one.threads for one in held))
        return sample

    def tell(self) -> None:
        before, last = ([0.0] + [sample.at - self.began for sample in self.samples])[-2:]
        if int(last / MINUTE) > int(before / MINUTE):
            print(f"{int(last / MINUTE)} min: {len(self.history.entries)} requests", flush=True)

    def processes(self) -> Mapping[str, list[int]]:
        stack = self.arena.stack
        asking = stack.worker.query_process() if stack.worker.running() else None
        return {
            "worker": serving(stack.worker),
            "query": [asking] if asking else [],
            "dispatcher": [task for part in self.arena.dispatchers for task in serving(part)],
            "mariadbd": [stack.mariadb.process.pid],
            "nginx": serving(stack.web.process),
        }


def serving(part: Process) -> list[int]:
    return part.children() if part.running() else []


def held_by(process: int) -> Held | None:
    """None: it has ended."""
    try:
        status = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
        return Held(int(status["VmRSS"].split()[0]), len(os.listdir(f"/proc/{process}/fd")), int(status["Threads"]))
    except (FileNotFoundError, ProcessLookupError, KeyError):  # without VmRSS: a zombie
        return None


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*/*.ibd"))
