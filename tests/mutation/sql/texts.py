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


OBJECT = re.compile(r"^CREATE (?:OR REPLACE )?(?:SQL SECURITY \w+ )?(TABLE|FUNCTION|PROCEDURE|VIEW|TRIGGER) (\w+)(?: (?:BEFORE|AFTER) \w+ ON (\w+))?",
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


@dataclass(frozen=True)
class SchemaObject:
    kind: str  # as CREATE says it
    name: str
    table: str  # of a trigger, otherwise empty
    text: str

    @property
    def is_program(self) -> bool:
        return self.kind not in ("TABLE", "VIEW")


def objects_of(text: str) -> list[SchemaObject]:
    """What the foundation creates, each with all that stands before the next one."""
    found = list(OBJECT.finditer(text))
    ends = [*(later.start() for later in found[1:]), len(text)]
    return [SchemaObject(one[1], one[2], one[3] or "", text[one.start():end]) for one, end in zip(found, ends)]


def object_at(text: str, at: int) -> SchemaObject:
    """The object of the foundation that this place belongs to."""
    return objects_of(text)[sum(found.start() <= at for found in OBJECT.finditer(text)) - 1]


def statement_at(text: str, at: int) -> list[str]:
    """The literals of the statement of a C source that this place belongs to, as the compiler reads them."""
    statement = next(found for found in STATEMENTS.finditer(text) if found.start(1) <= at < found.end(1))
    return [literal[1].encode().decode("unicode_escape") for literal in LITERAL.finditer(statement[1])]


def files(names: list[str]) -> list[str]:
    """The foundation, and sources with statements."""
    found: list[Path] = []
    for name in names:
        path = ROOT / name
        found += sorted(path.rglob("*.c")) if path.is_dir() else [path]
    paths = [str(path.relative_to(ROOT)) for path in found]
    return [path for path in paths if path == FOUNDATION or STATEMENTS.search((ROOT / path).read_text())]
