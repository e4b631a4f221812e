"""doc/promises.md and doc/evidence.md: every test that they name is there."""

import re
from pathlib import Path

import pytest

from tests.stack.paths import ROOT

TEXT = "".join((ROOT / "doc" / page).read_text() for page in ("promises.md", "evidence.md"))
NAMED = [(path, name) for path, names in re.findall(r"`(tests/[\w/]+\.(?:py|c))`: ([\w, ]+)", TEXT)
         for name in names.strip().split(", ")]
DEFINITION = {".py": "def {}(", ".c": "START_TEST({})"}


def is_there(path: str, name: str) -> bool:
    file = ROOT / path
    return file.is_file() and DEFINITION[file.suffix].format(name) in file.read_text()


@pytest.mark.parametrize("path", sorted({path for path, _ in NAMED}))
def test_named_tests_are_there(path: str) -> None:
    assert [name for file, name in NAMED if file == path and not is_there(path, name)] == []


def test_every_row_names_a_test() -> None:
    rows = [row for table in re.findall(r"^\|[^\n]* \| Tests \|\n\|[-|]+\n((?:\|.*\n)+)", TEXT, re.MULTILINE) for row in table.splitlines()]
    assert len(rows) >= 150 and all(re.search(r"`tests/[\w/]+\.(?:py|c)`: \w", row) for row in rows)
    assert set(re.findall(r"`(tests/[\w/]+\.(?:py|c))`:", TEXT)) == {path for path, _ in NAMED}


def test_the_whole_drill_is_named() -> None:
    drill = Path("tests/deploy/test_drill.py")
    there = set(re.findall(r"^def (test_\w+)\(", (ROOT / drill).read_text(), re.MULTILINE))
    assert there == {name for path, name in NAMED if path == str(drill)}


def test_a_test_that_is_gone_is_noticed() -> None:
    assert not is_there("tests/deploy/test_drill.py", "test_nothing") and not is_there("tests/none.py", "test_x")
