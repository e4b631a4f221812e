"""Trying mutants, two at a time, and keeping what became of each: an interrupted run goes on where it was."""

import hashlib
import json
import shutil
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutation.mutants import Fate, Mutant
from tests.mutation.program import PROCESSOR_SECONDS, TYPES_FIT, Program, run_suite
from tests.mutation.reach import Reach
from tests.stack.paths import ROOT

JOBS = 2
OPTIMISED = ("-O2", *TYPES_FIT)


class Campaign:
    def __init__(self, program: Program, reach: Reach, directory: Path) -> None:
        self.program = program
        self.reach = reach
        self.directory = directory
        self.journal = directory / "journal"
        self.tests = hashlib.sha256((program.build / "tests/unit/unit").read_bytes()).hexdigest()[:16]
        self.lock = threading.Lock()
        self.first: dict[str, str] = {}  # by digest of the object: the first mutant that was compiled to it
        self.known = self._read_journal()
        self.words: dict[str, list[str]] = {}
        self.originals: dict[str, str] = {}

    def _read_journal(self) -> dict[str, Fate]:
        """What survived other tests than these is tried again; what is decided by the compiler or was killed stays so."""
        known: dict[str, Fate] = {}
        decided = (Fate.REJECTED, Fate.SAME, Fate.TWIN, Fate.KILLED)
        if self.journal.exists():
            for line in self.journal.read_text().splitlines():
                key, fate, tests, digest = json.loads(line)
                self.first.setdefault(digest, key)
                if Fate(fate) in decided or tests == self.tests:
                    known[key] = Fate(fate)
        return known

    def _object(self, path: str, text: str, directory: Path) -> str:
        """The digest of what the compiler makes of the text in the place of the file; empty if nothing."""
        source = directory / Path(path).name
        source.write_text(text)
        words = [*self.words[path], *OPTIMISED, f"-iquote{ROOT / Path(path).parent}"]
        out = directory / "mutant.o"
        return hashlib.sha256(path.encode() + out.read_bytes()).hexdigest() if self.program.compiled(words, source, out) else ""

    def prepare(self, path: str, text: str) -> None:
        self.words[path] = self.program.compile_words(path)
        with tempfile.TemporaryDirectory(dir=self.directory) as scratch:
            made = self._object(path, text, Path(scratch))
        if not made:
            raise RuntimeError(f"{path} cannot be compiled")
        self.originals[path] = made

    def _compiled_fate(self, mutant: Mutant, made: str) -> Fate | None:
        """None: it is a mutant to be tried."""
        if not made:
            return Fate.REJECTED
        if made == self.originals[mutant.path]:
            return Fate.SAME
        with self.lock:
            return Fate.TWIN if self.first.setdefault(made, mutant.key) != mutant.key else None

    def _tested_fate(self, mutant: Mutant, directory: Path) -> Fate:
        suites = self.reach.of(mutant.path, mutant.line, mutant.change.in_function)
        name = str(self.program.object_of(mutant.path))
        if not self.program.linked({name: directory / "mutant.o"}, directory / "unit"):
            raise RuntimeError("the unit tests cannot be linked any more: has the build changed since this run began?")
        for suite in suites:
            processor = PROCESSOR_SECONDS + int(2 * self.reach.suites[suite])
            if not run_suite(directory / "unit", suite, directory, suite in self.reach.forked, processor):
                return Fate.KILLED
        return Fate.SURVIVED if suites else Fate.UNREACHED

    def try_one(self, mutant: Mutant) -> Fate:
        if mutant.key not in self.known:
            directory = Path(tempfile.mkdtemp(dir=self.directory))
            try:
                made = self._object(mutant.path, mutant.text, directory)
                fate = self._compiled_fate(mutant, made) or self._tested_fate(mutant, directory)
            finally:
                shutil.rmtree(directory, ignore_errors=True)
            with self.lock, self.journal.open("a") as journal:
                journal.write(json.dumps([mutant.key, fate, self.tests, made]) + "\n")
                self.known[mutant.key] = fate
        return self.known[mutant.key]

    def try_all(self, mutants: list[Mutant]) -> Iterator[tuple[Mutant, Fate]]:
        with ThreadPoolExecutor(JOBS) as pool:
            yield from zip(mutants, pool.map(self.try_one, mutants))
