"""What the mutation run changes, and how it counts; a run itself takes minutes and is `make mutation`."""

from collections import Counter
from pathlib import Path

import pytest

from tests.mutation.accepted import Accepted
from tests.mutation.mutants import Fate, Mutant
from tests.mutation.operators import Change, changes, read_enumerations
from tests.mutation.reach import Reach
from tests.mutation.report import counts_of, share
from tests.stack.paths import ROOT

FUNCTION = """#include "head.h"

bool is_fit(size_t size, const char *at) {{
    {}
}}
"""


def mutated(statement: str, headers: list[str] | None = None) -> set[str]:
    """The line as each change leaves it."""
    source = FUNCTION.format(statement)
    found = changes(source, read_enumerations(headers or []))
    return {Mutant("fit.c", source, change).after for change in found}


@pytest.mark.parametrize("statement, results", [
    ("return size < MAX;", {"return size <= MAX;", "return size >= MAX;", "return !(size < MAX);"}),
    ("total = size + MAX;", {"total = size - MAX;", ";"}),
    ("return found && known;", {"return found || known;", "return !(found && known);"}),
    ("if (!known) {", {"if (!(!known)) {", "if (known) {"}),
    ("size = 7;", {"size = (7 + 1);", "size = (7 - 1);", ";"}),
    ("return true;", {"return false;"}),
    ("char name[16];", set()),
    ("char *name = at;", set()),
    ("fill(size, at);", {"fill(at, size);", ";"}),
    ("free(name);", set()),
    ("text_equal(size, at);", {";"}),
    ("assert(size > 0);", set()),
    ('log_line(LOG_ERROR, "cannot");', set()),
    ("/* size < 7 */", set()),
    ("while (known) {", {"while (false) {"}),
    ("for (; at; at++) {", {"for (; at; at--) {"}),
    ('send("0000");', {'send("");', ";"}),
])
def test_changes_of_a_statement(statement: str, results: set[str]) -> None:
    closing = "}" if statement.endswith("{") else ""
    assert {after.removesuffix(closing) for after in mutated(statement + closing)} == results


def test_returns_another_status() -> None:
    header = "enum outcome {\n    DONE, /* it is */\n    LATE,\n    LOST,\n};\nenum { SIZE = 4 };"
    assert mutated("result = LATE;", [header]) == {"result = LOST;", ";"}
    assert mutated("result = LOST;", [header]) == {"result = DONE;", ";"}
    assert mutated("result = SIZE;", [header]) == {";"}


def test_leaves_out_a_return_that_is_not_the_last() -> None:
    assert "if (known) { ; }" in mutated("if (known) { return size; }\n    return MAX;")


def test_change_keeps_the_numbers_of_lines() -> None:
    source = FUNCTION.format("fill(size,\n        at);\n    done();")
    removed = next(change for change in changes(source, {}) if change.text == ";")
    assert removed.applied(source).split("\n")[5] == "    done();"


def test_every_source_can_be_read() -> None:
    """Brackets match, and what is changed lies within the file."""
    for path in sorted((ROOT / "src").rglob("*.c")):
        text = path.read_text()
        assert all(0 <= change.at <= change.end <= len(text) for change in changes(text, {})), path


def test_suites_are_those_that_reach_the_line() -> None:
    reach = Reach(suites={"slow": 3.0, "fast": 1.0, "money": 9.0},
                  lines={"src/domain/money.c": {"4": ["slow"], "6": ["slow", "fast", "money"], "9": []}})
    assert reach.of("src/domain/money.c", 4, True) == ["slow"]
    assert reach.of("src/domain/money.c", 9, True) == []
    assert reach.of("src/domain/money.c", 5, True) == ["money", "fast", "slow"]
    assert reach.of("src/domain/money.c", 1, False) == ["money", "fast", "slow"]


def mutant(line: str, change: Change) -> Mutant:
    return Mutant("src/fit.c", line, change)


def test_counts_killed_of_those_that_are_not_listed() -> None:
    one = mutant("a < b;", Change(2, 3, "<=", "comparison"))
    two = mutant("a < b;", Change(2, 3, ">=", "comparison"))
    accepted = Accepted("src/fit.c\n- a < b;\n+ a <= b;\n= they are never equal\n")
    counts = counts_of([(one, Fate.SURVIVED), (two, Fate.KILLED), (two, Fate.SAME)], accepted)
    assert counts[""] == Counter({"listed": 1, Fate.KILLED: 1, Fate.SAME: 1})
    assert share(counts[""]) == 100
    assert share(counts_of([(one, Fate.SURVIVED), (two, Fate.KILLED)], Accepted(""))[""]) == 50
    assert not accepted.unmet({"src/fit.c"})


def test_list_of_accepted_ones_gives_reasons(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no reason"):
        Accepted("src/fit.c\n- a\n+ b\n")
    stale = Accepted("src/fit.c\n- a\n+ b\n= why\n").unmet({"src/fit.c"})
    assert stale == [("src/fit.c", "a", "b")]


def test_what_is_accepted_stands_in_its_file() -> None:
    for path, before, _ in Accepted.read().reasons:
        lines = {line.strip() for line in (ROOT / path).read_text().splitlines()}
        assert before in lines, f"{path}: {before}"
