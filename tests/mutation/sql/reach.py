"""Which suites of the store tests run which SQL: the server itself says which programs and statements it has run."""

import hashlib
import json
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.mutation.mutants import Mutant
from tests.mutation.sql.memory import directory_in_memory
from tests.mutation.sql.texts import FOUNDATION, object_at, objects_of, statement_at
from tests.stack.config import configured_server
from tests.stack.mariadb import DATABASE
from tests.stack.paths import ROOT

RAN = f"""SELECT OBJECT_NAME AS name FROM performance_schema.events_statements_summary_by_program
 WHERE OBJECT_SCHEMA = '{DATABASE}' AND COUNT_STAR > 0"""
FORGET = "TRUNCATE performance_schema.events_statements_summary_by_program"
ENTRY = re.compile(r"^(?:\d{6} +[\d:]+)?\t+ *\d+ ([A-Z][A-Za-z ]*)\t", re.MULTILINE)
WORD = re.compile(r"\w+")
SECONDS = 600  # a suite may take
SCHEMA_IS_MADE = "SET PASSWORD FOR recaudo_reader"  # begins tests/store/database.c after it


@dataclass
class Run:
    """What a suite did. `programs`: routines and triggers; `named`: tables and views, also those that a program or view names."""

    seconds: float
    programs: list[str]
    named: list[str]
    prepared: list[str]


def entries(log: str) -> list[tuple[str, str]]:
    """The kind and the text of each statement in the server's log, as it was sent."""
    parts = ENTRY.split(log)
    return [(kind, text.rstrip("\n")) for kind, text in zip(parts[1::2], parts[2::2]) if kind in ("Prepare", "Query")]


def all_named(words: set[str], programs: set[str], foundation: str) -> set[str]:
    """The tables and views among the words, and those that the programs and such views name."""
    objects = {one.name: one for one in objects_of(foundation)}
    waiting, found = {*words & objects.keys(), *programs & objects.keys()}, set[str]()
    while waiting:
        one = objects[waiting.pop()]
        found.add(one.name)
        if one.name in programs or one.kind == "VIEW":
            waiting |= set(WORD.findall(one.text)) & objects.keys() - found
    return {name for name in found if not objects[name].is_program}


def run_of(seconds: float, programs: set[str], log: str, foundation: str) -> Run:
    """Leaves out the statements that make the schema."""
    every = entries(log)
    done = every[next(place for place, (_, text) in enumerate(every) if text.startswith(SCHEMA_IS_MADE)):]
    words = {word for _, text in done for word in WORD.findall(text)}
    return Run(seconds, sorted(programs), sorted(all_named(words, programs, foundation)), sorted({text for kind, text in done if kind == "Prepare"}))


def measure(store: Path, suites: tuple[str, ...]) -> dict[str, Run]:
    foundation = (ROOT / FOUNDATION).read_text()
    found: dict[str, Run] = {}
    with tempfile.TemporaryDirectory(prefix="recaudo-reach-", dir=directory_in_memory()) as name:
        directory = Path(name)
        log = directory / "statements.log"
        server, config = configured_server(directory, ["--performance-schema=ON", "--general-log=ON", f"--general-log-file={log}"])
        server.start()
        try:
            for suite in suites:
                server.recreate_database()
                server.query(FORGET)
                before, begin = log.stat().st_size, time.monotonic()
                ran = subprocess.run([store, suite], env={**os.environ, "RECAUDO_TEST_SOCKET": server.socket, "RECAUDO_CONFIG": str(config)},
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=SECONDS)
                if ran.returncode != 0:
                    raise RuntimeError(f"the store tests of {suite} fail without any change: {ran.stdout}")
                seconds = time.monotonic() - begin
                programs = {str(row["name"]) for row in server.query(RAN)}
                found[suite] = run_of(seconds, programs, log.read_bytes()[before:].decode(errors="replace"), foundation)
        finally:
            server.kill()
    return found


class Reach:
    def __init__(self, runs: dict[str, Run]) -> None:
        self.runs = runs

    def seconds(self, suites: tuple[str, ...]) -> float:
        return sum(self.runs[suite].seconds for suite in suites)

    def fastest_first(self, suites: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(suites, key=lambda suite: self.runs[suite].seconds))

    def of(self, mutant: Mutant) -> tuple[str, ...]:
        """The suites that run the changed SQL, the fastest first."""
        if mutant.path == FOUNDATION:
            changed = object_at(mutant.source, mutant.change.at)
            names = [suite for suite, run in self.runs.items() if changed.name in (run.programs if changed.is_program else run.named)]
        else:
            pieces = statement_at(mutant.source, mutant.change.at)
            names = [suite for suite, run in self.runs.items() if any(all(piece in text for piece in pieces) for text in run.prepared)]
        return self.fastest_first(names)


def known_reach(store: Path, suites: tuple[str, ...], kept: Path) -> Reach:
    """Measured once for the same program, which contains the schema."""
    digest = hashlib.sha256(store.read_bytes() + ",".join(suites).encode()).hexdigest()
    if kept.exists() and (stored := json.loads(kept.read_text()))["digest"] == digest:
        return Reach({suite: Run(**run) for suite, run in stored["runs"].items()})
    runs = measure(store, suites)
    fresh = kept.with_suffix(".new")
    fresh.write_text(json.dumps({"digest": digest, "runs": {suite: asdict(run) for suite, run in runs.items()}}))
    fresh.replace(kept)
    return Reach(runs)
