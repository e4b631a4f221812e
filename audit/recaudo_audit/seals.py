"""The seals of the event log, recomputed (doc/audit.md, "Form 1, byte by byte")."""

from datetime import timedelta
from hashlib import sha256
from pathlib import Path

from . import ed25519
from .database import Database, Row
from .report import Report

COLUMNS = ("id", "at", "subject", "subject_id", "version", "what", "from_state", "to_state", "actor", "db_account",
           "reason", "changes", "order_id", "order_version")
EVENTS = "SELECT id, CAST(at AS CHAR) AS at, " + ", ".join(COLUMNS[2:]) + " FROM event_log WHERE id "
SEALS = ("SELECT number, form, CAST(sealed_at AS CHAR) AS sealed_at, sealed_at AS made, first_id, last_id, count, late, events,"
         " digest, marks, key_id, signature FROM seals WHERE number > %s ORDER BY number LIMIT 100")
ESCAPES = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\0": "\\0"})
SEARCHED_FOR = timedelta(days=1)  # after a seal, for events that are committed late


def line(event: Row) -> bytes:
    fields = ["\\N" if event[name] is None else str(event[name]).translate(ESCAPES) for name in COLUMNS]
    return ("\t".join(fields) + "\n").encode()


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


class Seals:
    def __init__(self, database: Database, report: Report, public_keys: Path | None, kept: Path | None) -> None:
        self.database = database
        self.report = report
        self.keys = ed25519.read_public_keys(public_keys.read_text()) if public_keys else {}
        self.kept = read_kept(kept) if kept else {}
        self.late = {int(number): row["number"] for row in database.rows("SELECT number, late FROM seals WHERE late <> ''")
                     for number in row["late"].split()}
        self.newest = database.value("SELECT MAX(sealed_at) FROM seals")
        self.last_number, self.last_id, self.previous, self.is_signed = 0, 0, 64 * "0", False

    def find(self, name: str, seal: Row, text: str) -> None:
        self.report.find(name, "seal", seal["number"], text)

    def check(self) -> None:
        while rows := self.database.rows(SEALS, self.last_number):
            for seal in rows:
                self.check_chain(seal)
                self.check_events(seal)
                self.kept.get(seal["number"], set()).discard(seal["digest"])
                self.last_number, self.last_id, self.previous = seal["number"], seal["last_id"], seal["digest"]
                self.report.count("seals")
        for number, digests in sorted(self.kept.items()):
            for digest in digests:
                self.report.find("seal-replaced", "seal", number, f"was kept with the digest {digest}, which is not here")

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
            if self.is_signed:
                self.find("seal-unsigned", seal, "is not signed, although earlier ones are")
            return
        self.is_signed = True
        key = self.keys.get(seal["key_id"])
        if key is None:
            self.find("key-unknown", seal, f"was signed with the key {seal['key_id']}, which is not given")
        elif not ed25519.verify(key, text, bytes.fromhex(seal["signature"])):
            self.find("signature-wrong", seal, "its signature is wrong")

    def check_events(self, seal: Row) -> None:
        rows = self.database.rows(EVENTS + "BETWEEN %s AND %s ORDER BY id", seal["first_id"], seal["last_id"])
        rows = [row for row in rows if row["id"] not in self.late]
        rows += self.database.among(EVENTS + "IN %s", map(int, seal["late"].split()))
        digests = {row["id"]: sha256(line(row)).digest() for row in sorted(rows, key=lambda row: int(row["id"]))}
        self.report.count("events", len(digests))
        marks = marks_of(seal["marks"])
        if self.is_sum(seal, digests):
            if marks != {number: digest[:4] for number, digest in digests.items()}:
                self.find("marks-changed", seal, "its marks are not those of its events")
            return
        wrong = self.name_events(seal, digests, marks)
        known = {number: digest for number, digest in digests.items() if number in marks}
        if not wrong and not self.is_sum(seal, known):
            self.find("events-changed", seal, "its events are not those that it was made of")

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
            elif number not in marks and self.newest - seal["made"] >= SEARCHED_FOR:
                self.report.find("event-added", "event", number, f"is in no seal, and seal {seal['number']} covers its number")
        return wrong


def read_kept(path: Path) -> dict[int, set[str]]:
    """The digests of the seals that were kept elsewhere, by number."""
    kept: dict[int, set[str]] = {}
    for each in path.read_text().splitlines():
        fields = each.split("\t")
        if len(fields) == 12 and fields[0] == "recaudo-seal":
            kept.setdefault(int(fields[2]), set()).add(fields[9])
    return kept
