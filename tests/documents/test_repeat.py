"""./check --repeat: what counts as passed at the second attempt, and what does not."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.stack.paths import BUILD, ROOT

# Which fails when it is run for the first time, as a folder's tests with one server for all of them.
FLAKY = '''
import os
from pathlib import Path

import pytest

FIRST = Path(__file__).with_name("first")


@pytest.fixture(scope="module")
def server():
    served = Path(__file__).with_name("served")
    if os.environ.get("TRIES") == "fixture" and not served.exists():
        served.touch()
        raise TimeoutError("not ready")
    yield "server"


@pytest.mark.parametrize("text", ["a.b", "[c]", "d::e/f", "ñ g"])
def test_by_chance(server, text):
    if os.environ.get("TRIES") == text and not FIRST.exists():
        FIRST.touch()
        assert False, "by chance"


@pytest.mark.parametrize("number", range(7))
def test_often(number):
    assert number >= int(os.environ.get("OFTEN", "0"))


def test_always():
    assert os.environ.get("TRIES") != "always"


@pytest.mark.once
def test_finds_by_chance():
    assert os.environ.get("TRIES") != "once" or FIRST.exists() or FIRST.touch()


def test_environment():
    assert os.environ.get("TRIES") != "environment" or FIRST.exists() or FIRST.touch()
    assert os.environ["RECAUDO_WEB"] == "apache"
'''


class Checked:
    """The sections of ./check in a directory of their own, and what the summary says."""

    def __init__(self, directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.directory = directory
        self.results = directory / "results"
        self.results.mkdir()
        self.folder = directory / "tests" / "folder"
        self.folder.mkdir(parents=True)
        (directory / "pytest.ini").touch()
        (self.folder / "test_flaky.py").write_text(FLAKY)
        monkeypatch.setenv("RECAUDO_WEB", "apache")
        monkeypatch.setenv("PYTHONPATH", str(ROOT))
        self.pytest = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q"]

    def first(self, name: str = "folder") -> None:
        status = subprocess.run([*self.pytest, f"--junitxml={self.results / name}.xml", "tests/folder"], cwd=self.directory,
                                stdout=subprocess.DEVNULL).returncode
        (self.results / f"{name}.status").write_text(f"{status}\n")

    def again(self, name: str = "folder") -> str:
        return self.repeat(name, self.pytest)

    def repeat(self, name: str, command: list[str]) -> str:
        program = ROOT / "tests" / "tools" / "repeat.py"
        return subprocess.run([sys.executable, program, self.results, name, *command], cwd=self.directory, text=True, check=True,
                              stdout=subprocess.PIPE).stdout

    def summary(self) -> tuple[int, list[str]]:
        result = subprocess.run([sys.executable, ROOT / "tests" / "tools" / "summary.py", self.results], text=True,
                                stdout=subprocess.PIPE)
        return result.returncode, result.stdout.splitlines()


@pytest.fixture
def checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checked:
    return Checked(tmp_path, monkeypatch)


@pytest.mark.parametrize("tries", ["a.b", "[c]", "d::e/f", "ñ g", "environment"])
def test_second_attempt_counts(checked: Checked, monkeypatch: pytest.MonkeyPatch, tries: str) -> None:
    monkeypatch.setenv("TRIES", tries)
    checked.first()
    assert checked.summary()[0] == 1
    assert "second attempt: tests.folder.test_flaky.test_" in checked.again()
    status, lines = checked.summary()
    assert status == 0 and lines[-1] == "14 passed, 0 failed, 0 skipped"
    (named,) = [line for line in lines if line.startswith("passed at the second attempt: folder: tests.folder.test_flaky.test_")]
    assert "assert" in named or "by chance" in named


def test_fixture_that_fails_once(checked: Checked, monkeypatch: pytest.MonkeyPatch) -> None:
    """One test is shown to have failed; the fixture is made again for the others."""
    monkeypatch.setenv("TRIES", "fixture")
    checked.first()
    checked.again()
    status, lines = checked.summary()
    assert status == 0 and lines[-1] == "14 passed, 0 failed, 0 skipped"
    assert len(lines) > 1 and all(line.startswith("passed at the second attempt") for line in lines[:-1])


@pytest.mark.parametrize("tries", ["always", "once"])
def test_second_failure_counts(checked: Checked, monkeypatch: pytest.MonkeyPatch, tries: str) -> None:
    monkeypatch.setenv("TRIES", tries)
    checked.first()
    checked.again()
    status, lines = checked.summary()
    assert status == 1 and lines[-1] == "13 passed, 1 failed, 0 skipped"
    assert lines[0].startswith("FAILED: folder: tests.folder.test_flaky.test_")


def test_too_many_are_not_repeated(checked: Checked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OFTEN", "6")
    checked.first()
    assert checked.again() == ""
    assert checked.summary()[1][-1] == "8 passed, 6 failed, 0 skipped"


def test_all_sections_count_together(checked: Checked, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three at the second attempt in each of two sections are more than five."""
    monkeypatch.setenv("OFTEN", "3")
    checked.first("one")
    monkeypatch.setenv("OFTEN", "0")
    checked.again("one")
    assert checked.summary()[0] == 0
    monkeypatch.setenv("OFTEN", "3")
    checked.first("two")
    monkeypatch.setenv("OFTEN", "0")
    assert checked.again("two") == ""


def test_end_in_the_middle_is_not_repeated(checked: Checked, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second attempt does not excuse a run that was killed after its test had failed."""
    monkeypatch.setenv("TRIES", "a.b")
    checked.first()
    (checked.results / "folder.status").write_text("137\n")
    checked.again()
    status, lines = checked.summary()
    assert status == 1 and "FAILED: folder: ended with status 137" in lines


def test_program_of_check(checked: Checked) -> None:
    """Its case is run again, and the test that had failed is found by its name in it."""
    (checked.results / "unit.tap").write_text("ok 1 - ../tests/unit/base/test_text.c:text:prints: Passed\n"
                                              "not ok 2 - ../src/base/money.c:money:reads_the_grammar_and_nothing_else: too late\n")
    (checked.results / "unit.status").write_text("1\n")
    assert "100%" in checked.repeat("unit", [str(BUILD / "tests/unit/unit")])
    status, lines = checked.summary()
    assert (status, lines[-1]) == (0, "2 passed, 0 failed, 0 skipped")
    assert lines[0].endswith("money:reads_the_grammar_and_nothing_else: too late")


def test_program_of_check_that_has_no_such_test(checked: Checked) -> None:
    (checked.results / "unit.tap").write_text("not ok 1 - money.c:money:is_not_there: wrong\n")
    (checked.results / "unit.status").write_text("1\n")
    checked.repeat("unit", [str(BUILD / "tests/unit/unit")])
    assert checked.summary()[1][-1] == "0 passed, 1 failed, 0 skipped"


def test_sanitizer_reports(checked: Checked) -> None:
    """What it says of every process is no finding; a report is one."""
    said = "==7==WARNING: ASan doesn't fully support makecontext/swapcontext functions and may produce false positives\n"
    (checked.results / "unit.tap").write_text("ok 1 - ../tests/unit/base/test_text.c:text:prints: Passed\n")
    (checked.results / "unit.status").write_text("0\n")
    (checked.results / "sanitizer.address.7").write_text(said)
    assert checked.summary()[0] == 0
    (checked.results / "sanitizer.address.8").write_text(f"{said}==8==ERROR: AddressSanitizer: heap-use-after-free\n")
    status, lines = checked.summary()
    assert status == 1 and "1 failed" in lines[-1]


def test_continuous_integration_repeats_and_a_developer_does_not() -> None:
    assert "./check --quick --repeat" in (ROOT / ".ci" / "run").read_text()
    usage = subprocess.run([ROOT / "check", "--nosuch"], text=True, capture_output=True)
    assert usage.returncode == 2 and "[--repeat]" in usage.stderr
