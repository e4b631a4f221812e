"""What was found."""

import json
from datetime import datetime
from typing import Any, TextIO


def instant(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def shown(value: Any) -> str:
    return instant(value) if isinstance(value, datetime) else str(value)


class Report:
    """Findings are printed as they come; `counts` says how much was looked at."""

    def __init__(self, out: TextIO, as_json: bool) -> None:
        self.out = out
        self.as_json = as_json
        self.findings = 0
        self.counts: dict[str, int] = {}
        self.notes: dict[str, Any] = {}  # what is no finding and must be known

    def count(self, what: str, number: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + number

    def note(self, what: str, value: Any) -> None:
        self.notes[what] = value

    def find(self, name: str, subject: str, number: Any, text: str) -> None:
        self.findings += 1
        if self.as_json:
            self.out.write(json.dumps({"finding": name, "subject": subject, "id": number, "text": text}) + "\n")
        else:
            self.out.write(f"{name}: {subject} {number}: {text}\n")

    def end(self) -> None:
        if self.as_json:
            self.out.write(json.dumps({"findings": self.findings, "checked": self.counts, **self.notes}) + "\n")
        else:
            looked = ", ".join(f"{number} {what}" for what, number in self.counts.items())
            for what, value in self.notes.items():
                if value:
                    self.out.write(f"{what.replace('_', ' ')}: {value}\n")
            self.out.write(f"checked {looked or 'nothing'}: {self.findings} findings\n")
