"""The list of mutants that may survive (the file `accepted`): blocks of a file's name, changes and one reason for them.

    src/domain/money.c
    - the line as it is
    + the line as it may be without a test noticing
    = why that is no fault of the tests
"""

from pathlib import Path

LIST = Path(__file__).parent / "accepted"


class Accepted:
    def __init__(self, text: str) -> None:
        self.reasons: dict[tuple[str, str, str], str] = {}
        self.met: set[tuple[str, str, str]] = set()
        pending: list[tuple[str, str, str]] = []
        path = before = ""
        for line in (line.strip() for line in text.splitlines()):
            if line.startswith("- "):
                before = line[2:]
            elif line.startswith("+ "):
                pending.append((path, before, line[2:]))
            elif line.startswith("= "):
                self.reasons.update(dict.fromkeys(pending, line[2:]))
                pending = []
            elif line and not line.startswith("#"):
                path = line
        if pending:
            raise ValueError(f"no reason is given for {pending[0]}")

    @classmethod
    def read(cls) -> "Accepted":
        return cls(LIST.read_text() if LIST.exists() else "")

    def reason(self, path: str, before: str, after: str) -> str | None:
        self.met.add((path, before, after))
        return self.reasons.get((path, before, after))

    def unmet(self, paths: set[str]) -> list[tuple[str, str, str]]:
        """Entries about these files that no mutant has: to be removed."""
        return [key for key in self.reasons if key[0] in paths and key not in self.met]
