"""summary RESULTS: adds up what ./check has left in a directory; exit status 1 unless every test ran and passed.

NAME.status holds the exit status of a run. Beside it lie NAME.tap or NAME.xml (JUnit) with its tests, or neither for a
step that is no test. Files called sanitizer.* are reports of a sanitizer. The directory `again` holds what ./check --repeat
has run a second time (repeat.py).
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

# Check's name of a test is SOURCE:CASE:TEST: MESSAGE. The source differs with the place of a failure.
TAP_LINE = re.compile(r"(not ok|ok)\b[ \d]*-? ?(.*)")
TEST_OF_CHECK = re.compile(r"[^:]*:(\w+:\w+): ")
# What AddressSanitizer says of every process that runs tasks (base/loop/task.h), and of one that it could not stop.
SANITIZER_NOTE = re.compile(r"==\d+==(WARNING: ASan doesn't fully support makecontext/swapcontext|Running thread \d+ was not suspended)")
REPORT_LINES = 40
REPEATED_MAX = 5


@dataclass
class Failure:
    message: str
    test: str | None = None  # which one, if it is a test that can be run alone


@dataclass
class Tally:
    passed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)

    def count(self) -> int:
        return len(self.passed) + len(self.skipped) + len(self.failed)


def read_tap(path: Path, tally: Tally) -> None:
    for line in path.read_text(errors="replace").splitlines():
        match = TAP_LINE.match(line)
        if match is None:
            continue
        named = TEST_OF_CHECK.match(match[2])
        test = named[1] if named else None
        if match[1] == "not ok":
            tally.failed.append(Failure(match[2], test))
        elif "# SKIP" in line.upper():
            tally.skipped.append(match[2])
        else:
            tally.passed.append(test or match[2])


def read_junit(path: Path, tally: Tally) -> None:
    for case in ElementTree.parse(path).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        trouble = case.find("failure")
        trouble = trouble if trouble is not None else case.find("error")
        if trouble is not None:
            tally.failed.append(Failure(f"{name}: {(trouble.get('message') or '').splitlines()[:1]}", name))
        elif case.find("skipped") is not None:
            tally.skipped.append(name)
        else:
            tally.passed.append(name)


def read_run(status_file: Path) -> Tally:
    """The tests of one run; an end that its tests do not explain is a failure, and so is a run without a test."""
    tally = Tally()
    status = status_file.read_text().strip()
    tap, junit = status_file.with_suffix(".tap"), status_file.with_suffix(".xml")
    try:
        if tap.exists():
            read_tap(tap, tally)
        if junit.exists():
            read_junit(junit, tally)
    except ElementTree.ParseError as error:
        tally.failed.append(Failure(f"its results cannot be read: {error}"))
    if status != "0" and not (status == "1" and tally.failed):
        tally.failed.append(Failure(f"ended with status {status}"))
    if (tap.exists() or junit.exists()) and tally.count() == 0:
        tally.failed.append(Failure("ran no test"))
    return tally


def passed_again(results: Path, name: str, failure: Failure) -> bool:
    """Whether a test that failed has passed when it was run once more."""
    runs = [read_run(path) for path in (results / "again").glob(f"{name}.*.status")]
    return any(failure.test in run.passed and failure.test not in [other.test for other in run.failed] for run in runs)


def report(label: str, entries: list[str], name: str) -> None:
    for entry in entries:
        print(f"{label}: {name}: {entry}")


def add_run(total: Tally, results: Path, name: str) -> int:
    """Reports a run; returns how many of its tests passed at the second attempt only."""
    tally = read_run(results / f"{name}.status")
    repeated = [failure for failure in tally.failed if passed_again(results, name, failure)]
    failed = [failure for failure in tally.failed if failure not in repeated]
    report("passed at the second attempt", [failure.message for failure in repeated], name)
    report("FAILED", [failure.message for failure in failed], name)
    report("SKIPPED", tally.skipped, name)
    total.passed += tally.passed + [failure.message for failure in repeated]
    total.skipped += tally.skipped
    total.failed += failed
    return len(repeated)


def main(results: Path) -> int:
    total = Tally()
    repeated = sum(add_run(total, results, path.stem) for path in sorted(results.glob("*.status")))
    if repeated > REPEATED_MAX:
        total.failed.append(Failure("too many second attempts"))
        print(f"FAILED: {repeated} tests passed only at the second attempt; {REPEATED_MAX} may")
    for path in sorted(results.glob("sanitizer.*")):
        found = [line for line in path.read_text(errors="replace").splitlines() if line and not SANITIZER_NOTE.match(line)]
        if not found:
            continue
        print(f"FAILED: {path}:", *found[:REPORT_LINES], sep="\n  ")
        total.failed.append(Failure(path.name))
    if not total.passed and not total.failed:
        total.failed.append(Failure("no test"))
        print("FAILED: no test ran")
    print(f"{len(total.passed)} passed, {len(total.failed)} failed, {len(total.skipped)} skipped")
    return 1 if total.failed or total.skipped else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
