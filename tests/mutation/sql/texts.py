"""The SQL in the sources: what may be changed of it, and its tokens."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.stack.paths import ROOT

FOUNDATION = "sql/foundation.sql"
PROGRAMS = "\n-- Part 2\n"
STATEMENTS = re.compile(r"\bsql_text_of_\w+\[\] =\s*(.*?);\n", re.DOTALL)
LITERAL = re.compile(r'"((?:\\.|[^"\\])*)"')
TOKEN = re.compile(
    r"""(?P<space>\s+|--[^\n]*|/\*.*?\*/)
      | (?P<string>'(?:\\.|''|[^'\\])*')
      | (?P<word>@{0,2}[A-Za-z_`][\w`.]*)
      | (?P<number>\d[\w.]*)
      | (?P<sign><=>|<>|<=|>=|!=|:=|\|\||.)""",
    re.VERBOSE | re.DOTALL,
)


OBJECT = re.compile(r"^CREATE (?:OR REPLACE )?(?:SQL SECURITY \w+ )?(?:(?:TABLE|FUNCTION|PROCEDURE|VIEW) (\w+)|TRIGGER \w+ \w+ \w+ ON (\w+))",
                    re.MULTILINE)


@dataclass(frozen=True)
class Token:
    kind: str
    text: str  # words in capitals
    at: int
    end: int
    depth: int  # how many parentheses are open around it


def tokens_of(text: str, at: int, end: int) -> list[Token]:
    found: list[Token] = []
    depth = 0
    for match in TOKEN.finditer(text, at, end):
        kind = str(match.lastgroup)
        if kind == "space":
            continue
        depth -= match[0] == ")"
        found.append(Token(kind, match[0].upper() if kind == "word" else match[0], match.start(), match.end(), depth))
        depth += match[0] == "("
    return found


def blanked(text: str, at: int, end: int) -> str:
    """The text of C's literals from `at` to `end`, each at its place; what is between them is spaces."""
    kept = list(" " * len(text))
    for literal in LITERAL.finditer(text, at, end):
        kept[literal.start(1):literal.end(1)] = literal[1].replace("\\n", "  ")
    return "".join(kept)


def checks(text: str, end: int) -> Iterator[list[Token]]:
    """The conditions of constraints, which stand before the programs."""
    for found in re.finditer(r"\bCHECK (?=\()", text[:end]):
        every = tokens_of(text, found.end(), text.index(";", found.end()))
        closing = next(place for place, token in enumerate(every) if place and token.text == ")" and token.depth == 0)
        yield every[:closing + 1]


def regions(path: str, text: str) -> Iterator[list[Token]]:
    """The pieces of SQL in which something may be changed: programs and constraints, or the statements of a C source."""
    if path == FOUNDATION:
        programs = text.index(PROGRAMS)
        yield from checks(text, programs)
        yield tokens_of(text, programs, len(text))
    else:
        for found in STATEMENTS.finditer(text):
            yield tokens_of(blanked(text, *found.span(1)), *found.span(1))


def changed_object(text: str, at: int) -> str:
    """The routine, view or table of the foundation that this place belongs to; of a trigger its table."""
    *_, last = OBJECT.finditer(text, 0, at)
    return str(last[1] or last[2])


def files(names: list[str]) -> list[str]:
    """The foundation, and sources with statements."""
    found: list[Path] = []
    for name in names:
        path = ROOT / name
        found += sorted(path.rglob("*.c")) if path.is_dir() else [path]
    paths = [str(path.relative_to(ROOT)) for path in found]
    return [path for path in paths if path == FOUNDATION or STATEMENTS.search((ROOT / path).read_text())]
