"""summary RESULTS: adds up what ./check has left in a directory; exit status 1 unless every test ran and passed.

NAME.status holds the exit status of a run. Beside it lie NAME.tap or NAME.xml (JUnit) with its tests, or neither for a
step that is no test. Files called sanitizer.* are reports of a sanitizer.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

TAP_LINE = re.compile(r"(not ok|ok)\b[ \d]*-? ?(.*)")
REPORT_LINES = 40


@dataclass
class Tally:
    passed: int = 0
    skipped: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def count(self) -> int:
        return self.passed + len(self.skipped) + len(self.failed)


def read_tap(path: Path, tally: Tally) -> None:
    for line in path.read_text(errors="replace").splitlines():
        match = TAP_LINE.match(line)
        if match is None:
            continue
        if match[1] == "not ok":
            tally.failed.append(match[2])
        elif "# SKIP" in line.upper():
            tally.skipped.append(match[2])
        else:
            tally.passed += 1


def read_junit(path: Path, tally: Tally) -> None:
    for case in ElementTree.parse(path).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        trouble = case.find("failure")
        trouble = trouble if trouble is not None else case.find("error")
        if trouble is not None:
            tally.failed.append(f"{name}: {(trouble.get('message') or '').splitlines()[:1]}")
        elif case.find("skipped") is not None:
            tally.skipped.append(name)
        else:
            tally.passed += 1


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
        tally.failed.append(f"its results cannot be read: {error}")
    if status != "0" and not tally.failed:
        tally.failed.append(f"ended with status {status}")
    if (tap.exists() or junit.exists()) and tally.count() == 0:
        tally.failed.append("ran no test")
    return tally


def report(label: str, names: list[str], name: str) -> None:
    for entry in names:
        print(f"{label}: {name}: {entry}")


def main(results: Path) -> int:
    total = Tally()
    for status_file in sorted(results.glob("*.status")):
        tally = read_run(status_file)
        report("FAILED", tally.failed, status_file.stem)
        report("SKIPPED", tally.skipped, status_file.stem)
        total.passed += tally.passed
        total.skipped += tally.skipped
        total.failed += tally.failed
    for path in sorted(results.glob("sanitizer.*")):
        print(f"FAILED: {path}:", *path.read_text(errors="replace").splitlines()[:REPORT_LINES], sep="\n  ")
        total.failed.append(path.name)
    if total.passed == 0 and not total.failed:
        total.failed.append("no test")
        print("FAILED: no test ran")
    print(f"{total.passed} passed, {len(total.failed)} failed, {len(total.skipped)} skipped")
    return 1 if total.failed or total.skipped else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
