"""Which suites of the unit tests reach which lines: gcc's counters, for the files that are to be changed."""

import gzip
import hashlib
import json
import re
import shutil
import subprocess
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tests.mutation.program import Program, timed_suite
from tests.stack.paths import ROOT

# What takes far longer than all others is asked only about the files that it is for.
LONG = {"zone_day": "src/base/zone/", "log_writer": "src/base/log_writer.c"}
# It reads the sources as text.
NO_TEST_OF_CODE = {"layers"}
MODULE = re.compile(r"^ {4}X\((\w+)\)", re.MULTILINE)


@dataclass
class Reach:
    suites: dict[str, float] = field(default_factory=dict)  # name and seconds
    forked: list[str] = field(default_factory=list)  # those that need a process for each test
    lines: dict[str, dict[str, list[str]]] = field(default_factory=dict)  # file, line with code, suites

    def of(self, path: str, line: int, in_function: bool) -> list[str]:
        """The suites to run, the file's own first, then the fastest. A line without code of its own belongs to the code
        around it; a constant or table outside of functions to the whole file."""
        lines = {int(key): names for key, names in self.lines.get(path, {}).items()}
        if line in lines:
            names = lines[line]
        elif in_function:
            before = max((other for other in lines if other < line), default=0)
            after = min((other for other in lines if other > line), default=0)
            names = lines.get(before, []) + lines.get(after, [])
        else:
            names = [name for reached in lines.values() for name in reached]
        stem = Path(path).stem
        return sorted(set(names), key=lambda name: (name not in stem and stem not in name, self.suites[name]))


def suite_names(paths: list[str]) -> list[str]:
    names = MODULE.findall((ROOT / "tests/unit/unit.h").read_text())
    return [name for name in names if name not in NO_TEST_OF_CODE
            and (name not in LONG or any(path.startswith(LONG[name]) for path in paths))]


def counted_program(program: Program, paths: list[str], directory: Path) -> Path:
    """The unit tests in which the files count what is run of them."""
    objects = {}
    for path in paths:
        words = program.compile_words(path)
        out = directory / path.replace("/", "+").replace(".c", ".o")
        if not program.compiled([*words, "-O0", "--coverage", "-fprofile-abs-path"], ROOT / path, out):
            raise RuntimeError(f"{path} cannot be compiled")
        objects[str(program.object_of(path))] = out
    if not program.linked(objects, directory / "unit", "--coverage"):
        raise RuntimeError("the unit tests cannot be linked")
    return directory / "unit"


def reached_lines(directory: Path) -> dict[str, dict[int, bool]]:
    """The lines with code, and whether they have been run since the last call."""
    counts = sorted(directory.glob("*.gcda"))
    subprocess.run(["gcov", "--json-format", *(str(path) for path in counts)], cwd=directory, capture_output=True, check=True)
    found: dict[str, dict[int, bool]] = {}
    for path in directory.glob("*.gcov.json.gz"):
        for entry in json.loads(gzip.decompress(path.read_bytes()))["files"]:
            name = Path(entry["file"])
            if name.is_relative_to(ROOT) and name.suffix == ".c":
                lines = found.setdefault(str(name.relative_to(ROOT)), {})
                for line in entry["lines"]:
                    lines[line["line_number"]] = line["count"] > 0 or lines.get(line["line_number"], False)
        path.unlink()
    for path in counts:
        path.unlink()
    return found


def measure(program: Program, paths: list[str], directory: Path) -> Reach:
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    counted = counted_program(program, paths, directory)
    reach = Reach()
    for name in suite_names(paths):
        passed, seconds = timed_suite(counted, name, directory, fork=False)
        if not passed:
            reach.forked.append(name)
            passed, seconds = timed_suite(counted, name, directory, fork=True)
        if not passed:
            raise RuntimeError(f"the unit tests fail without any change: CK_RUN_SUITE={name} {counted}")
        reach.suites[name] = seconds
        for path, lines in reached_lines(directory).items():
            for line, was_run in lines.items():
                reach.lines.setdefault(path, {}).setdefault(str(line), []).extend([name] if was_run else [])
    return reach


def digest_of(build: Path, paths: list[str]) -> str:
    digest = hashlib.sha256((build / "tests/unit/unit").read_bytes())
    for path in paths:
        digest.update(path.encode() + (ROOT / path).read_bytes())
    return digest.hexdigest()


def known_reach(program: Program, paths: list[str], directory: Path) -> Reach:
    """Measured once for the same program and files."""
    digest = digest_of(program.build, paths)
    kept = directory.parent / f"{directory.name}.json"
    if kept.exists() and (stored := json.loads(kept.read_text())).pop("digest") == digest:
        return Reach(**stored)
    reach = measure(program, paths, directory)
    kept.write_text(json.dumps({"digest": digest, **asdict(reach)}))
    return reach
