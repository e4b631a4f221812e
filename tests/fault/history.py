"""The driver's own history: every request, with what was answered or that nobody knows."""

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Mapping

UNKNOWN = "unknown"
OK = "0000"
OPEN_OUTCOMES = ("0009", "0028")


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP reply; of recaudoctl, its exit status and output."""

    status: int
    text: str

    @property
    def document(self) -> dict[str, Any]:
        """{} where it is no JSON object."""
        try:
            document = json.loads(self.text)
        except ValueError:
            return {}
        return document if isinstance(document, dict) else {}

    @property
    def code(self) -> str:
        return str(self.document.get("CODE", ""))


@dataclass(frozen=True, slots=True)
class Entry:
    """One request. `kind` is what it asks, `who` the network, merchant or operator that asks, `key` what it is about."""

    kind: str
    who: str
    key: str
    fields: Mapping[str, Any]
    sent: float
    ended: float
    answer: Answer | None

    @property
    def outcome(self) -> str:
        """The CODE; UNKNOWN where it is open whether the request was executed."""
        if self.answer is None or self.answer.status >= 500 or self.answer.code in OPEN_OUTCOMES:
            return UNKNOWN
        return self.answer.code

    @property
    def is_ok(self) -> bool:
        return self.outcome == OK

    @property
    def may_be_done(self) -> bool:
        return self.outcome in (OK, UNKNOWN)

    @property
    def data(self) -> Any:
        return self.answer.document.get("DATA") if self.answer else None


class History:
    """Filled by many threads."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def note(self, kind: str, who: str, key: str, fields: Mapping[str, Any], sent: float,
             answer: Answer | None) -> Entry:
        entry = Entry(kind, who, key, dict(fields), sent, time.time(), answer)
        self.entries.append(entry)
        return entry

    def write(self, path: Path) -> None:
        """One JSON document a line, in the order of the ends."""
        with path.open("w") as file:
            file.writelines(json.dumps(asdict(entry)) + "\n" for entry in list(self.entries))
