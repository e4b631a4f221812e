"""Our own programs: worker, dispatcher and the operator's command line."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from .paths import program
from .process import Process, listens_on


QUERY_PROCESS = "recaudo-query"


def name_of(process_id: int) -> str:
    """What the process is called; nothing if it is gone."""
    try:
        return Path(f"/proc/{process_id}/comm").read_text().strip()
    except OSError:
        return ""


class Worker(Process):
    """recaudo-fcgi: a master with its serving processes as children, and beside them recaudo-query, which it starts too."""

    def __init__(self, config: Path, socket: str, log: Path) -> None:
        super().__init__("worker", [program("recaudo-fcgi")], log, lambda: listens_on(socket),
                         {"RECAUDO_CONFIG": str(config)})
        self.socket = socket

    def children(self) -> list[int]:
        """The serving processes."""
        return [child for child in super().children() if name_of(child) != QUERY_PROCESS]

    def query_process(self) -> int | None:
        """The process that asks merchants, if it runs and has become that program."""
        found = [child for child in super().children() if name_of(child) == QUERY_PROCESS]
        return found[0] if found else None

    def kill_one(self) -> int:
        """Kills one serving process as a crash would; its process id. One that ends by itself meanwhile does not count."""
        while True:
            for victim in self.children():
                try:
                    os.kill(victim, signal.SIGKILL)
                except ProcessLookupError:
                    continue
                return victim
            assert self.running(), "the worker ended"


class Dispatcher(Process):
    """recaudo-dispatch, working for `seconds`: a parent, and a process for each task as its children.

    Who supervises it starts it again, as cron does.
    """

    def __init__(self, config: Path, log: Path, seconds: int = 3600) -> None:
        command = [program("recaudo-dispatch"), "--config", str(config), "--for", str(seconds)]
        super().__init__("dispatcher", command, log, lambda: True)
        self.config = config

    def signal(self, number: int) -> None:
        """All of its processes are stopped and go on together."""
        if number in (signal.SIGSTOP, signal.SIGCONT) and self.running():
            os.killpg(self.pid, number)
        else:
            super().signal(number)

    def process(self, task: str) -> int | None:
        """The process id of the child that settles or delivers, if it runs."""
        for child in self.children():
            if name_of(child) == f"recaudo-{task}":
                return child
        return None

    def once(self) -> subprocess.CompletedProcess[str]:
        """One pass of another dispatcher, waited for."""
        return subprocess.run([self.command[0], "--config", str(self.config), "--once"],
                              capture_output=True, text=True, timeout=300)

    def show_life(self) -> None:
        """One pass, so that /readyz is content for three minutes."""
        result = self.once()
        if result.returncode != 0:
            raise RuntimeError(f"recaudo-dispatch: exit {result.returncode}: {result.stderr}")


class CtlError(Exception):
    """recaudoctl did not do what it was asked."""


class Ctl:
    """recaudoctl with the configuration of one instance."""

    def __init__(self, config: Path | str, path: str | None = None) -> None:
        self.config = str(config)
        self.path = path or program("recaudoctl")

    def run(self, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """Runs it whatever comes out."""
        return subprocess.run([self.path, "--config", self.config, *words], input=stdin, capture_output=True, text=True,
                              timeout=300)

    def succeeds(self, *words: str) -> bool:
        """Whether it did it or refused (1); anything worse raises CtlError."""
        result = self.run(*words)
        if result.returncode not in (0, 1):
            raise CtlError(f"recaudoctl {' '.join(words)}: exit {result.returncode}: {result.stderr.strip()}")
        return result.returncode == 0

    def done(self, *words: str, stdin: str = "") -> str:
        """Runs it; its output. Anything but success raises CtlError."""
        result = self.run(*words, stdin=stdin)
        if result.returncode != 0:
            shown = " ".join(words)
            raise CtlError(f"recaudoctl {shown}: exit {result.returncode}: {result.stderr.strip() or result.stdout}")
        return result.stdout

    def json(self, *words: str, stdin: str = "") -> Any:
        """Runs it with --json; the document."""
        output = self.done("--json", *words, stdin=stdin)
        try:
            return json.loads(output)
        except ValueError:
            raise CtlError(f"recaudoctl --json {' '.join(words)} printed no JSON document: {output!r}") from None
