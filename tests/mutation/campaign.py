"""Trying mutants, two at a time, and keeping what became of each: an interrupted run goes on where it was."""

import hashlib
import json
import shutil
import tempfile
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutation.mutants import Fate, Mutant

JOBS = 2


class Campaign(ABC):
    """Of mutants that the tests of one program judge."""

    def __init__(self, tests: Path, directory: Path) -> None:
        self.directory = directory
        self.journal = directory / "journal"
        self.tests = hashlib.sha256(tests.read_bytes()).hexdigest()[:16]
        self.lock = threading.Lock()
        self.first: dict[str, str] = {}  # by digest of what was made of it: the first mutant of which that was made
        self.known = self._read_journal()

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

    @abstractmethod
    def fate_of(self, mutant: Mutant, directory: Path) -> tuple[Fate, str]:
        """What became of it in an empty directory, and a digest of what was made of it."""

    def is_twin(self, mutant: Mutant, made: str) -> bool:
        """Whether the same was made of another mutant."""
        with self.lock:
            return self.first.setdefault(made, mutant.key) != mutant.key

    def try_one(self, mutant: Mutant) -> Fate:
        if mutant.key not in self.known:
            directory = Path(tempfile.mkdtemp(dir=self.directory))
            try:
                fate, made = self.fate_of(mutant, directory)
            finally:
                shutil.rmtree(directory, ignore_errors=True)
            with self.lock, self.journal.open("a") as journal:
                journal.write(json.dumps([mutant.key, fate, self.tests, made]) + "\n")
                self.known[mutant.key] = fate
        return self.known[mutant.key]

    def try_all(self, mutants: list[Mutant]) -> Iterator[tuple[Mutant, Fate]]:
        with ThreadPoolExecutor(JOBS) as pool:
            yield from zip(mutants, pool.map(self.try_one, mutants))
