"""The seals of the event log, recomputed (doc/audit.md, "Form 1, byte by byte")."""

import re
from bisect import bisect_left
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Iterable, NamedTuple

from . import ed25519
from .database import Database, Row
from .history import CLOSE
from .report import Report, instant

COLUMNS = ("id", "at", "subject", "subject_id", "version", "what", "from_state", "to_state", "actor", "db_account",
           "reason", "changes", "order_id", "order_version")
EVENTS = "SELECT id, CAST(at AS CHAR) AS at, " + ", ".join(COLUMNS[2:]) + " FROM event_log WHERE id "
SEALS = ("SELECT number, form, CAST(sealed_at AS CHAR) AS sealed_at, sealed_at AS made, first_id, last_id, count, late, events,"
         " digest, marks, key_id, signature FROM seals WHERE number > %s ORDER BY number LIMIT 100")
ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\0": "\\0"})
SEAL_LINE = re.compile(r"recaudo-seal\t\d+\t(?P<number>[1-9]\d*)\t[^\t]*\t\d+\t\d+\t\d+\t[0-9 ]*\t[0-9a-f]{64}\t(?P<digest>[0-9a-f]{64})"
                       r"\t(?:[0-9a-f]{16}\t[0-9a-f]{128}|\t)")
RESUME_LINE = re.compile(r"recaudo-seal-resume\t1\t\d+\t[^\t]*\t[0-9a-f]{64}\t[^\t]*\t[^\t]*\t[^\t]+")
HEX = re.compile(r"(?:[0-9a-f]{2})*")
LONGEST_STATEMENT = timedelta(hours=1)  # an event has the time when its statement began, and its number when the row was written
PROGRAMS = {f"recaudo_{name}" for name in ("worker", "dispatcher", "deliverer", "operator", "console")}
SEARCHES = (2, 60, 1440)  # intervals between seals after which a range is searched for events that were committed late


def line(event: Row) -> bytes:
    fields = ["\\N" if event[name] is None else str(event[name]).translate(ESCAPES) for name in COLUMNS]
    return ("\t".join(fields) + "\n").encode()


def long_before(at: str) -> str:
    """No statement that wrote an event with a greater number began then."""
    try:
        return str(datetime.fromisoformat(at) - LONGEST_STATEMENT)
    except (ValueError, OverflowError):
        return ""  # no instant


def late_of(seal: Row) -> list[int]:
    """The numbers of its late events. A word that is no number was written there later, and the digest of the seal does not fit it."""
    return [int(word) for word in seal["late"].split() if word.isdecimal()]


def text_of(seal: Row, previous: str) -> bytes:
    return (f"recaudo-seal {seal['form']}\nnumber {seal['number']}\nprevious {previous}\nsealed_at {seal['sealed_at']}\n"
            f"first_id {seal['first_id']}\nlast_id {seal['last_id']}\ncount {seal['count']}\nlate {seal['late'] or 'none'}\n"
            f"events {seal['events']}\n").encode()


def marks_of(marks: bytes) -> dict[int, bytes]:
    """By event, four bytes of its digest."""
    found: dict[int, bytes] = {}
    number = at = 0
    while at < len(marks):
        step = shift = 0
        while at < len(marks) and marks[at] >= 128:
            step, shift, at = step | (marks[at] - 128) << shift, shift + 7, at + 1
        if len(marks) - at < 5:
            break
        number += step | marks[at] << shift
        found[number] = bytes(marks[at + 1:at + 5])
        at += 5
    return found


def marks_for(digests: dict[int, bytes]) -> bytes:
    """The marks of these events, which are in the order of their numbers."""
    made = bytearray()
    last = 0
    for number, digest in digests.items():
        step, last = number - last, number
        while step >= 128:
            made.append(128 | step & 127)
            step >>= 7
        made += bytes([step]) + digest[:4]
    return bytes(made)


def sealed(database: Database, event: int) -> datetime:
    """When it was committed at the latest: when it was sealed. An event that no seal covers may come from a transaction that was open
    until now."""
    for seal in database.rows("SELECT sealed_at, marks FROM seals WHERE %s BETWEEN first_id AND last_id OR FIND_IN_SET(%s, REPLACE(late, ' ', ','))"
                              " ORDER BY number", event, event):
        if event in marks_of(seal["marks"]):
            return seal["sealed_at"]  # type: ignore[no-any-return]
    return datetime.max - CLOSE


class Change(NamedTuple):
    """One of a setting or rule. It came into force between two times."""

    event: int
    begin: datetime
    end: datetime
    value: Any


def change(database: Database, event: Row, value: Any) -> Change:
    """After its event, and at the latest when this was sealed."""
    return Change(event["id"], event["at"] - CLOSE, sealed(database, event["id"]) + CLOSE, value)


def in_force(changes: list[Change], event: int, at: datetime) -> tuple[list[Any], list[Any]]:
    """For an event of that time: the value that was surely in force before (one or none), and those that may have come since. A change that has
    an older event and a later time may have: the clock was set back. So one that has a newer event had not, whatever its time."""
    before = [each.value for each in changes if each.end <= at and each.event < event][-1:]
    return before, [each.value for each in changes if (each.begin <= at or each.event < event) and at < each.end]


class Seals:
    def __init__(self, database: Database, report: Report, public_keys: Path | None, signed_from: int, kept: Path | None,
                 seal_every: float) -> None:
        self.database = database
        self.report = report
        self.keys = ed25519.read_public_keys(public_keys.read_text()) if public_keys else {}
        self.signed_from = signed_from
        self.searched_after = [timedelta(seconds=number * seal_every) for number in SEARCHES]
        kept_seals = Kept(kept) if kept else None
        self.kept = kept_seals.digests if kept_seals else {}
        for number in kept_seals.unreadable if kept_seals else []:
            report.find("kept-unreadable", "line", number, "of the kept file is not a seal: the line is damaged, or this is a different file")
        self.late = {number for row in database.rows("SELECT late FROM seals WHERE late <> ''") for number in late_of(row)}
        self.newest = database.value("SELECT MAX(sealed_at) FROM seals")
        self.last_number, self.last_id, self.previous = 0, 0, 64 * "0"
        self.ends: list[int] = []  # of the ranges so far, and when their seals were made
        self.made: list[datetime] = []
        self.latest = ""  # time of the events so far
        self.by_others = 0  # events that no program wrote
        self.waiting = 0  # events of a recent range that no seal has yet

    def find(self, name: str, seal: Row, text: str) -> None:
        self.report.find(name, "seal", seal["number"], text)

    def check(self) -> None:
        for seal in self.database.rows("SELECT number FROM seals WHERE number < 1"):
            self.find("seal-changed", seal, "no seal has this number")
        if self.database.rows("SELECT id FROM event_log WHERE id < 1"):
            self.report.find("event-added", "event", 0, "is in no seal: no event has this number")
        while rows := self.database.rows(SEALS, self.last_number):
            for seal in rows:
                self.check_chain(seal)
                self.check_range(seal)
                self.check_events(seal)
                self.kept.get(seal["number"], set()).discard(seal["digest"])
                self.ends.append(seal["last_id"])
                self.made.append(seal["made"])
                self.last_number, self.last_id, self.previous = seal["number"], seal["last_id"], seal["digest"]
                self.report.count("seals")
        if self.database.value("SELECT (SELECT MAX(id) FROM orders) IS NOT NULL AND (SELECT MAX(id) FROM event_log) IS NULL"):
            self.report.find("log-gone", "event", 0, "there are orders, and no event at all")
        for number, digests in sorted(self.kept.items()):
            for digest in digests:
                self.report.find("seal-replaced", "seal", number, f"was kept with the digest {digest}, which is not here")
        self.check_times(self.database.stream("SELECT id, CAST(at AS CHAR) AS at, db_account FROM event_log WHERE id > %s ORDER BY id", self.last_id))
        self.count_unsealed()

    def count_unsealed(self) -> None:
        """What the seals say nothing about."""
        (row,) = self.database.rows("SELECT COUNT(*) AS number, MIN(at) AS since FROM event_log WHERE id > %s", self.last_id)
        self.report.note("events_after_the_last_seal", row["number"])
        self.report.note("not_sealed_since", instant(row["since"]) if row["since"] else None)
        self.report.note("events_committed_late_and_not_sealed", self.waiting)
        self.report.note("events_by_accounts_of_no_program", self.by_others)

    def check_chain(self, seal: Row) -> None:
        text = text_of(seal, self.previous)
        if seal["number"] != self.last_number + 1:
            self.find("seal-missing", seal, "seals before it are missing")
        elif seal["form"] != 1 or sha256(text).hexdigest() != seal["digest"] or seal["first_id"] != self.last_id + 1:
            self.find("seal-changed", seal, "is not what was made after the seal before it")
        elif self.keys:
            self.check_signature(seal, text)

    def check_signature(self, seal: Row, text: bytes) -> None:
        if seal["signature"] is None:
            if seal["number"] >= self.signed_from:
                self.find("seal-unsigned", seal, "is not signed")
            return
        key = self.keys.get(seal["key_id"])
        if key is None:
            self.find("key-unknown", seal, f"was signed with the key {seal['key_id']}, which is not given")
        elif not HEX.fullmatch(seal["signature"]) or not ed25519.verify(key, text, bytes.fromhex(seal["signature"])):
            self.find("signature-wrong", seal, "its signature is wrong")

    def check_range(self, seal: Row) -> None:
        """It ends with the seal's last event."""
        marks = marks_of(seal["marks"])
        if seal["first_id"] <= seal["last_id"] and len(marks) == seal["count"] and max(marks, default=0) < seal["last_id"]:
            self.find("seal-ahead", seal, "its range goes beyond its last event")

    def check_times(self, events: Iterable[Row]) -> None:
        """Once for each time that it goes back."""
        for event in events:
            self.by_others += event["db_account"].partition("@")[0] not in PROGRAMS
            if event["at"] < self.latest and event["at"] < long_before(self.latest):
                self.report.find("event-backdated", "event", event["id"], f"says {event['at']}, and one with a smaller number {self.latest}")
                self.latest = event["at"]
            self.latest = max(self.latest, event["at"])

    def check_events(self, seal: Row) -> None:
        rows = self.database.rows(EVENTS + "BETWEEN %s AND %s ORDER BY id", seal["first_id"], seal["last_id"])
        self.check_times(rows)
        rows = [row for row in rows if row["id"] not in self.late]
        late = self.database.among(EVENTS + "IN %s", late_of(seal))
        self.check_late(seal, late)
        rows += late
        digests = {row["id"]: sha256(line(row)).digest() for row in sorted(rows, key=lambda row: int(row["id"]))}
        self.report.count("events", len(digests))
        if self.is_sum(seal, digests):
            if seal["marks"] != marks_for(digests):
                self.find("marks-changed", seal, "its marks are not those of its events")
            return
        marks = marks_of(seal["marks"])
        wrong = self.name_events(seal, digests, marks)
        known = {number: digest for number, digest in digests.items() if number in marks}
        if not wrong and not self.is_sum(seal, known):
            self.find("events-changed", seal, "its events are not those that it was made of")

    def check_late(self, seal: Row, late: list[Row]) -> None:
        """None was missing when its range was searched more than an hour after its time: no transaction takes as long."""
        for event in late:
            range_of_it = bisect_left(self.ends, event["id"])
            searches = [bisect_left(self.made, self.made[range_of_it] + after, range_of_it) for after in self.searched_after] if event["id"] <= self.last_id else []
            if any(search < len(self.made) and event["at"] < long_before(str(self.made[search])) for search in searches):
                self.report.find("event-late", "event", event["id"], f"says {event['at']}, and was not there an hour later: seal {seal['number']} is its first")

    @staticmethod
    def is_sum(seal: Row, digests: dict[int, bytes]) -> bool:
        return len(digests) == seal["count"] and sha256(b"".join(digests.values())).hexdigest() == seal["events"]

    def name_events(self, seal: Row, digests: dict[int, bytes], marks: dict[int, bytes]) -> int:
        wrong = 0
        for number in sorted(digests.keys() | marks.keys()):
            if number not in digests:
                self.report.find("event-removed", "event", number, f"is gone; seal {seal['number']} covers it")
                wrong += 1
            elif number in marks and digests[number][:4] != marks[number]:
                self.report.find("event-changed", "event", number, f"was changed after seal {seal['number']}")
                wrong += 1
            elif number not in marks and self.newest - seal["made"] < self.searched_after[-1]:
                self.waiting += 1
            elif number not in marks:
                self.report.find("event-added", "event", number, f"is in no seal, and seal {seal['number']} covers its number")
        return wrong


class Kept:
    """Seals that were kept elsewhere: their digests by number, and the lines that are none."""

    def __init__(self, path: Path) -> None:
        self.digests: dict[int, set[str]] = {}
        self.unreadable: list[int] = []
        lines = path.read_bytes().decode("utf-8", "replace").split("\n")
        lines = lines[:-1] if lines[-1] == "" else lines
        for number, (each, following) in enumerate(zip(lines, [*lines[1:], ""]), 1):
            if not self.take(each) and not begins(each, following):
                self.unreadable.append(number)

    def take(self, text: str) -> bool:
        """False: it is neither a seal nor an operator's word that sealing goes on."""
        if seal := SEAL_LINE.fullmatch(text):
            self.digests.setdefault(int(seal["number"]), set()).add(seal["digest"])
        return seal is not None or RESUME_LINE.fullmatch(text) is not None


def begins(text: str, following: str) -> bool:
    """It was written in part, and again whole."""
    return 0 < len(text) < len(following) and following.startswith(text)
