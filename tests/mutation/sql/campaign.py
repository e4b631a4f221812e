"""Mutants of SQL, judged by the store tests, each with a database of its own."""

import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.mutation.campaign import Campaign
from tests.mutation.mutants import Fate, Mutant
from tests.mutation.program import STORE, Program, end_group, quiet
from tests.mutation.sql.texts import FOUNDATION
from tests.stack.paths import ROOT

EMBEDDED = "src/store/schema/embedded.c"
# Those that fail most often first. Left out are those that try no rule, `scans`, which needs empty tables, and `schema`, which makes thirty databases.
SUITES = ("transactions", "states", "registrations", "rules", "money_limits", "windows", "closings", "settlements", "claims", "expiry",
          "orders", "porders", "payables", "constraints", "views", "statements", "purges", "payment_counts", "refusals", "slips",
          "offers", "operator", "attempts", "transact", "grants", "rights")
SECONDS = 180
SECONDS_TO_LEAVE = 20
NO_SCHEMA = "the schema could not be made"  # says tests/store/database.c


def fate_by(program: Path, directory: Path) -> Fate:
    """What the store tests say of it. One that never ends is noticed; what the server does not take counts as not compiled."""
    with (directory / "said").open("w") as said:
        process = subprocess.Popen([ROOT / "tests/with-mariadb", program, *SUITES], cwd=directory, preexec_fn=quiet,
                                   start_new_session=True, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
    try:
        if process.wait(SECONDS) == 0:
            return Fate.SURVIVED
    except subprocess.TimeoutExpired:
        process.terminate()
    finally:
        try:
            process.wait(SECONDS_TO_LEAVE)
        finally:
            end_group(process)
    return Fate.REJECTED if NO_SCHEMA in (directory / "said").read_text(errors="replace") else Fate.KILLED


class StoreCampaign(Campaign):
    def __init__(self, program: Program, directory: Path) -> None:
        super().__init__(program.build / STORE, directory)
        self.program = program
        self.words = {EMBEDDED: program.compile_words(EMBEDDED)}

    def prepare(self, paths: list[str]) -> None:
        self.words.update((path, self.program.compile_words(path)) for path in paths if path != FOUNDATION)
        with tempfile.TemporaryDirectory(dir=self.directory) as scratch:
            if fate_by(self.program.build / STORE, Path(scratch)) != Fate.SURVIVED:
                raise RuntimeError("the store tests fail without any change: " + (Path(scratch) / "said").read_text())

    def _source(self, mutant: Mutant, directory: Path) -> tuple[str, Path]:
        """The C source that holds the text: the file itself, or what is generated of the folder sql."""
        if mutant.path != FOUNDATION:
            source = directory / Path(mutant.path).name
            source.write_text(mutant.text)
            return mutant.path, source
        folder, source = directory / "sql", directory / Path(EMBEDDED).name
        shutil.copytree(ROOT / "sql", folder)
        (folder / Path(FOUNDATION).name).write_text(mutant.text)
        with source.open("wb") as out:
            subprocess.run([ROOT / "src/store/schema/embed-sql", folder], stdout=out, check=True)
        return EMBEDDED, source

    def fate_of(self, mutant: Mutant, directory: Path) -> tuple[Fate, str]:
        path, source = self._source(mutant, directory)
        made = hashlib.sha256(source.read_bytes()).hexdigest()
        words = [*self.words[path], f"-iquote{ROOT / Path(path).parent}"]
        if not self.program.compiled(words, source, directory / "mutant.o"):
            return Fate.REJECTED, made
        if not self.program.linked({str(self.program.object_of(path)): directory / "mutant.o"}, directory / "store"):
            raise RuntimeError("the store tests cannot be linked any more: has the build changed since this run began?")
        return fate_by(directory / "store", directory), made
