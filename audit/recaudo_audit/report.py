"""What was found."""

import json
import re
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Iterable, Iterator, TextIO

ZEROS = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?")  # an instant is no text, unless it is none
UNREADABLE = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, RecursionError)


class Unwritten(Exception):
    """The report cannot be written, so nobody may take what stands of it for all that there is."""


def instant(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def shown(value: Any) -> str:
    return instant(value) if isinstance(value, datetime) else str(value)


def printable(text: str) -> str:
    """What somebody stored must not move the terminal's cursor, nor look like a line of the report."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)


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
            self.say(json.dumps({"finding": name, "subject": subject, "id": number, "text": text}))
        else:
            self.say(printable(f"{name}: {subject} {number}: {text}"))

    def say(self, line: str) -> None:
        try:
            self.out.write(line + "\n")
        except OSError as error:
            raise Unwritten(error.strerror) from error

    @contextmanager
    def reading(self, table: str, row: dict[str, Any], events: Iterable[dict[str, Any]] = ()) -> Iterator[None]:
        """A value that is not of its column's kind, as an instant of zeros, ends the check of this row alone."""
        try:
            yield
        except UNREADABLE as error:
            wrong = [f"{name} of {where} {of['id']} is {value}" for where, of in ((table, row), *(("event_log", event) for event in events))
                     for name, value in of.items() if isinstance(value, str) and ZEROS.fullmatch(value)]
            self.find("unreadable", table, row["id"], f"{', '.join(wrong) or error}; the rest of this row was not checked")

    def end(self) -> None:
        if self.as_json:
            self.say(json.dumps({"findings": self.findings, "checked": self.counts, **self.notes}))
        else:
            looked = ", ".join(f"{number} {what}" for what, number in self.counts.items())
            for what, value in self.notes.items():
                if value:
                    self.say(f"{what.replace('_', ' ')}: {value}")
            self.say(f"checked {looked or 'nothing'}: {self.findings} findings")
        try:
            self.out.flush()
        except OSError as error:
            raise Unwritten(error.strerror) from error
