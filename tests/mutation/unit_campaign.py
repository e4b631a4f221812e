"""Mutants of C sources, judged by the suites of the unit tests that reach the changed line."""

import hashlib
import tempfile
from pathlib import Path

from tests.mutation.campaign import Campaign
from tests.mutation.mutants import Fate, Mutant
from tests.mutation.program import PROCESSOR_SECONDS, TYPES_FIT, UNIT, Program, run_suite
from tests.mutation.reach import Reach
from tests.stack.paths import ROOT

OPTIMISED = ("-O2", *TYPES_FIT)


class UnitCampaign(Campaign):
    def __init__(self, program: Program, reach: Reach, directory: Path) -> None:
        super().__init__(program.build / UNIT, directory)
        self.program = program
        self.reach = reach
        self.words: dict[str, list[str]] = {}
        self.originals: dict[str, str] = {}

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
        return Fate.TWIN if self.is_twin(mutant, made) else None

    def _tested_fate(self, mutant: Mutant, directory: Path) -> Fate:
        suites = self.reach.of(mutant.path, mutant.line, mutant.change.in_function)
        name = str(self.program.object_of(mutant.path))
        if not self.program.linked({name: directory / "mutant.o"}, directory / "unit"):
            if self.program.linked({}, directory / "unit"):
                return Fate.REJECTED
            raise RuntimeError("the unit tests cannot be linked any more: has the build changed since this run began?")
        for suite in suites:
            processor = PROCESSOR_SECONDS + int(2 * self.reach.suites[suite])
            if not run_suite(directory / "unit", suite, directory, suite in self.reach.forked, processor):
                return Fate.KILLED
        return Fate.SURVIVED if suites else Fate.UNREACHED

    def fate_of(self, mutant: Mutant, directory: Path) -> tuple[Fate, str]:
        made = self._object(mutant.path, mutant.text, directory)
        return self._compiled_fate(mutant, made) or self._tested_fate(mutant, directory), made
