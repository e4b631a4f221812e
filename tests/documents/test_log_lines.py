"""Are the lines that the programs log written as doc/operations.md ("Log lines") says?"""

import re
from pathlib import Path
from typing import Iterator

import pytest

ROOT = Path(__file__).resolve().parents[2]
CALL = re.compile(r'\blog_line\(\s*LOG_[A-Z]+,\s*((?:"(?:[^"\\]|\\.)*"|PRI[a-z]\d+|\s)+)')
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
WRONG = [
    (re.compile(r"^[A-Z][a-z]"), "begins with a capital letter"),
    (re.compile(r"[.!]$"), "ends with a full stop"),
    (re.compile(r"\n|\\n"), "has several lines"),
    (re.compile(r"\b(?:could not|couldn't|can't|unable to|failed to|please|sorry|oops)\b", re.I), 'says a failure otherwise than with "cannot"'),
    (re.compile(r"\b(?:we|us|our|you|your|I|somebody|nobody)\b"), "speaks of persons"),
]


def complaints(text: str) -> list[str]:
    return [complaint for wrong, complaint in WRONG if wrong.search(text)]


def lines() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "src").rglob("*.c")):
        for call in CALL.finditer(path.read_text(encoding="utf-8")):
            if text := "".join(LITERAL.findall(call[1])):
                yield str(path.relative_to(ROOT)), text


@pytest.mark.parametrize("text, expected", [
    ("cannot listen: %s", 0), ("FIXED_HASH of %s cannot be decrypted", 0), ("Cannot listen: %s", 1), ("cannot listen.", 1),
    ("could not listen", 1), ("the server refuses us", 1),
])
def test_rules(text: str, expected: int) -> None:
    assert len(complaints(text)) == expected


def test_every_line_keeps_them() -> None:
    found = list(lines())
    assert len(found) > 80, "the calls are not found"
    assert [(path, text, what) for path, text in found for what in complaints(text)] == []
