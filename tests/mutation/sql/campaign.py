"""Mutants of SQL, judged by the store tests, each with a database of its own."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.mutation.campaign import Campaign
from tests.mutation.mutants import Fate, Mutant
from tests.mutation.program import CTL, STORE, Program, end_group, quiet
from tests.mutation.sql.memory import directory_in_memory
from tests.mutation.sql.reach import Reach, known_reach
from tests.mutation.sql.texts import FOUNDATION, object_at
from tests.stack.paths import ROOT

EMBEDDED = "src/store/schema/embedded.c"
FOLDERS = ("tests/ctl", "tests/console", "tests/dispatch")
# Those that fail most often first. `scans` needs empty tables, `schema` makes thirty databases, and the others of LEFT_OUT try no rule.
LEFT_OUT = ("scans", "schema", "connection", "pool", "outage", "loop")
SUITES = ("events", "instants", "clock", "transactions", "shared_changes", "states", "guards", "locks", "kept", "parties", "actors", "seals", "registrations", "rules", "money_limits", "portions", "windows", "closings", "settlements", "settlement_rows", "claims", "withdrawals",
          "approvals", "answers", "console_actions", "console_reads", "console_finds", "console_lists", "console_parties", "console_pages", "endpoints", "health", "programs_seen", "operator_lists", "party_changes", "secrets", "reference_lists", "notification_lists", "monitoring", "deliveries", "retries", "expiry", "orders", "porders", "references", "payables", "constraints", "measures", "rows", "compared", "views", "saved_triggers", "statements", "purges", "retention", "purgeable", "payment_counts", "refusals", "slips",
          "offers", "operator", "attempts", "transact", "grants", "rights")
SECONDS, SECONDS_OF_PROGRAMS = 120, 1800
TIMES = 5  # as long as the tests need without any change, a mutant may take, and SECONDS more
SECONDS_TO_LEAVE = 20
NO_SCHEMA = "the schema could not be made"  # says tests/store/database.c


def passes(command: list[str | Path], directory: Path, seconds: float, **environment: str) -> bool:
    """Whether these tests pass; `said` holds what they said. One that never ends does not pass."""
    with (directory / "said").open("w") as said:
        process = subprocess.Popen(command, cwd=ROOT, preexec_fn=quiet, start_new_session=True, stdin=subprocess.DEVNULL, stdout=said,
                                   stderr=said, env={**os.environ, **environment})
    try:
        return process.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        process.terminate()
        return False
    finally:
        try:
            process.wait(SECONDS_TO_LEAVE)
        finally:
            end_group(process)


def store_passes(program: Path, directory: Path, suites: tuple[str, ...], seconds: float) -> bool:
    in_memory = directory_in_memory()
    return passes([ROOT / "tests/with-mariadb", program, *suites], directory, seconds, **({"TMPDIR": str(in_memory)} if in_memory else {}))


def likely_first(mutant: Mutant, suites: tuple[str, ...]) -> tuple[str, ...]:
    """These suites, those first that name the routine, view or table which is changed."""
    changed = object_at(mutant.source, mutant.change.at) if mutant.path == FOUNDATION else None
    name = changed and (changed.table or changed.name)
    tests = {test.stem.removeprefix("test_"): test for test in (ROOT / "tests/store").rglob("test_*.c")}
    return tuple(sorted(suites, key=lambda suite: name is None or not re.search(rf"\b{name}\b", tests[suite].read_text())))


class StoreCampaign(Campaign):
    """`suites`: the store tests that judge. `wholly`: what the store tests do not notice, and recaudoctl brings into the database, is tried with tests of whole programs."""

    def __init__(self, build: Path, directory: Path, suites: tuple[str, ...], wholly: bool) -> None:
        super().__init__(build / STORE, directory)
        self.suites = suites
        self.tests += ("" if suites == SUITES else ":" + ",".join(sorted(suites))) + ("+" if wholly else "")
        self.program = Program(build, STORE)
        self.ctl = Program(build, CTL) if wholly else None
        self.reach = Reach({})
        self.words = {EMBEDDED: self.program.compile_words(EMBEDDED)}

    def prepare(self, paths: list[str]) -> None:
        self.words.update((path, self.program.compile_words(path)) for path in paths if path != FOUNDATION)
        self.reach = known_reach(self.program.build / STORE, self.suites, self.directory / "reach.json")
        with tempfile.TemporaryDirectory(dir=self.directory) as scratch:
            suites = self.reach.fastest_first(self.suites)
            if not store_passes(self.program.build / STORE, Path(scratch), suites, SECONDS + TIMES * self.reach.seconds(suites)):
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
        objects = {str(self.program.object_of(path)): directory / "mutant.o"}
        self._link(self.program, objects, directory / "store")
        suites = likely_first(mutant, self.reach.of(mutant))
        if suites and not store_passes(directory / "store", directory, suites, SECONDS + TIMES * self.reach.seconds(suites)):
            return Fate.REJECTED if NO_SCHEMA in (directory / "said").read_text(errors="replace") else Fate.KILLED, made
        if self.ctl is not None and path == EMBEDDED and not self._programs_pass(self.ctl, objects, directory):
            return Fate.KILLED, made
        return Fate.SURVIVED if suites else Fate.UNREACHED, made

    @staticmethod
    def _link(program: Program, objects: dict[str, Path], out: Path) -> None:
        if not program.linked(objects, out):
            raise RuntimeError(f"{out.name} cannot be linked any more: has the build changed since this run began?")

    def _programs_pass(self, ctl: Program, objects: dict[str, Path], directory: Path) -> bool:
        """With the build as it is, but for the recaudoctl that makes the schema."""
        build = directory / "build"
        build.mkdir()
        for entry in self.program.build.iterdir():
            if entry.name != CTL:
                (build / entry.name).symlink_to(entry)
        self._link(ctl, objects, build / CTL)
        pytest = ["/usr/bin/python3", "-m", "pytest", "-p", "no:cacheprovider", "-q", "-x", "-m", "not slow"]
        return all(passes([*pytest, folder], directory, SECONDS_OF_PROGRAMS, RECAUDO_BUILD=str(build)) for folder in FOLDERS)
