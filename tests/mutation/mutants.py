"""One mutant: what is changed where, and what became of it."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum

from tests.mutation.operators import Change


class Fate(StrEnum):
    REJECTED = "not compiled"
    SAME = "same code"
    TWIN = "same code as another mutant"
    KILLED = "killed"
    SURVIVED = "survived"
    UNREACHED = "not reached"


@dataclass(frozen=True)
class Mutant:
    path: str
    source: str
    change: Change

    @property
    def line(self) -> int:
        return self.source.count("\n", 0, self.change.at) + 1

    @property
    def text(self) -> str:
        return self.change.applied(self.source)

    @property
    def before(self) -> str:
        return self.source.split("\n")[self.line - 1].strip()

    @property
    def after(self) -> str:
        return self.text.split("\n")[self.line - 1].strip()

    @property
    def key(self) -> str:
        """The same as long as the file is the same."""
        what = f"{self.path}\0{self.source}\0{self.change.at}\0{self.change.end}\0{self.change.text}"
        return hashlib.sha256(what.encode()).hexdigest()[:24]
