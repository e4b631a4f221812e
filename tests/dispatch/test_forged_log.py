"""audit verify: what somebody changes in the event log as the schema's owner is found and named."""

import json
import re
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Iterator

import pytest

from tests.stack import Ctl
from tests.stack.config import Settings
from tests.stack.dispatch_rig import DispatchRig
from tests.stack.waiting import wait_until

from test_sealing import EVERY_SECOND, WRITE, await_sealed, seals

GUARDS = ("event_log_keep", "event_log_stay", "seals_new", "seals_keep", "seals_stay")
# What is forged, and what is found of it: the name, and the number of the event or of the seal. Events 1 to 3, 4 to 6 and 7 to 10 were
# sealed apart; {two} is the seal of the second three, {three} the one after it.
FORGERIES: dict[str, tuple[str, list[tuple[str, int | str]]]] = {
    "removed": ("DELETE FROM event_log WHERE id = 5", [("event-removed", 5)]),
    "removed at the end": ("DELETE FROM event_log WHERE id = 10", [("event-removed", 10)]),
    "removed all of a seal": ("DELETE FROM event_log WHERE id BETWEEN 4 AND 6",
                              [("event-removed", 4), ("event-removed", 5), ("event-removed", 6)]),
    "actor": ("UPDATE event_log SET actor = 'somebody' WHERE id = 2", [("event-changed", 2)]),
    "time": ("UPDATE event_log SET at = at - INTERVAL 1 MICROSECOND WHERE id = 8", [("event-changed", 8)]),
    "impossible time": ("UPDATE event_log SET at = 0 WHERE id = 8", [("event-changed", 8)]),
    "reason to NULL": ("UPDATE event_log SET reason = NULL WHERE id = 3", [("event-changed", 3)]),
    "NULL to an empty text": ("UPDATE event_log SET changes = '' WHERE id = 3", [("event-changed", 3)]),
    "NULL to the text for it": ("UPDATE event_log SET changes = CONCAT(CHAR(92), 'N') WHERE id = 3", [("event-changed", 3)]),
    "text in another column": ("UPDATE event_log SET from_state = LEFT(reason, 20), reason = NULL WHERE id = 3",
                               [("event-changed", 3)]),
    "subject": ("UPDATE event_log SET subject_id = 2 WHERE id = 3", [("event-changed", 3)]),
    "order that a payment changed": ("UPDATE event_log SET order_id = 7 WHERE id = 3", [("event-changed", 3)]),
    "version of that order": ("UPDATE event_log SET order_version = 0 WHERE id = 3", [("event-changed", 3)]),
    "reordered": ("UPDATE event_log SET id = 1000 WHERE id = 4; UPDATE event_log SET id = 4 WHERE id = 5;"
                  "UPDATE event_log SET id = 5 WHERE id = 1000", [("event-changed", 4), ("event-changed", 5)]),
    "time of a seal": ("UPDATE seals SET sealed_at = sealed_at - INTERVAL 1 SECOND WHERE number = {two}",
                       [("seal-changed", "two")]),
    "digest of a seal": ("UPDATE seals SET digest = REPEAT('a', 64) WHERE number = {two}",
                         [("seal-changed", "two"), ("seal-changed", "three")]),
    "events of a seal": ("UPDATE seals SET events = REPEAT('a', 64) WHERE number = {two}",
                         [("seal-changed", "two"), ("events-changed", "two")]),
    "range of a seal": ("UPDATE seals SET last_id = last_id - 1 WHERE number = {two}",
                        [("seal-changed", "two"), ("event-removed", 6), ("seal-changed", "three")]),
    "seal beyond its last event": ("UPDATE seals SET last_id = 10000 WHERE number = {three}",
                                   [("seal-changed", "three"), ("seal-ahead", "three")]),
    "form of a seal": ("UPDATE seals SET form = 2 WHERE number = {two}", [("seal-changed", "two")]),
    "marks": ("UPDATE seals SET marks = 'x' WHERE number = {two}", [("marks-changed", "two")]),
    "event and its marks": ("UPDATE event_log SET reason = 'x' WHERE id = 5; UPDATE seals SET marks = '' WHERE number = {two}",
                            [("events-changed", "two")]),
    "seal number 0": ("INSERT INTO seals SELECT 0, form, sealed_at, first_id, last_id, count, late, events, digest, marks,"
                      " key_id, signature FROM seals WHERE number = 1", [("seal-changed", 0)]),
    "event number 0": ("INSERT INTO event_log (subject, subject_id, what, actor) VALUES ('setting', 1, 'test', 'test');"
                       "UPDATE event_log SET id = 0 WHERE id = 11", [("event-added", 0)]),
    "seal removed": ("DELETE FROM seals WHERE number = {two}", [("seal-missing", "three")]),
    "first seal removed": ("DELETE FROM seals WHERE number = 1", [("seal-missing", 2)]),
}


@contextmanager
def forging(rig: DispatchRig) -> Iterator[None]:
    """The owner may drop triggers, and make them again."""
    made = [rig.row(f"SHOW CREATE TRIGGER {name}")["SQL Original Statement"] for name in GUARDS]
    for name in GUARDS:
        rig.write(f"DROP TRIGGER {name}")
    rig.write("SET sql_mode = ''")
    try:
        yield
    finally:
        rig.write("SET sql_mode = DEFAULT")
        for trigger in made:
            rig.write(trigger.replace("%", "%%"))


def forge(rig: DispatchRig, statements: str) -> None:
    with forging(rig):
        for statement in statements.split(";"):
            assert rig.write(statement) > 0, statement


def three_seals(rig: DispatchRig, settings: Settings = EVERY_SECOND) -> None:
    """With the events 1 to 3, 4 to 6 and 7 to 10."""
    for first, last in ((1, 3), (4, 6), (7, 10)):
        rows = ", ".join(f"('setting', 1, 'test', 'test', 'test', 'number {each}')" for each in range(first, last + 1))
        rig.write(f"INSERT INTO event_log (subject, subject_id, what, actor, db_account, reason) VALUES {rows}")
        with rig.dispatcher(settings):
            await_sealed(rig)


def seal_of(rig: DispatchRig, event: int) -> int:
    return int(rig.value("SELECT number FROM seals WHERE %s BETWEEN first_id AND last_id", event))


def found(rig: DispatchRig, *words: str) -> list[tuple[str, int]]:
    """The names of the findings, each with the event that it is about, or else the seal."""
    result = rig.stack.ctl.run("--json", "audit", "verify", *words)
    assert result.returncode in (0, 1), result.stderr
    shown = json.loads(result.stdout)
    assert (result.returncode == 1) == (shown["findings"] > 0) and shown["findings"] == len(shown["found"])
    return [(each["finding"], each["event"] or each["seal"] or 0) for each in shown["found"]]


@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries(rig: DispatchRig, name: str) -> None:
    three_seals(rig)
    two = seal_of(rig, 5)
    numbers = {"two": two, "three": two + 1}
    assert found(rig) == []
    statements, expected = FORGERIES[name]
    forge(rig, statements.format(**numbers))
    assert found(rig) == [(finding, numbers[of] if isinstance(of, str) else of) for finding, of in expected]


def test_added_in_an_old_range(rig: DispatchRig) -> None:
    """One in a range that is not searched for late events any more; a seal that is made then does not take it."""
    three_seals(rig)
    forge(rig, "DELETE FROM event_log WHERE id = 2")
    remake_seals(rig, "UPDATE seals SET sealed_at = sealed_at - INTERVAL 1 DAY")
    assert found(rig) == []
    rig.write(WRITE)
    with rig.dispatcher(EVERY_SECOND):
        await_sealed(rig)
    with forging(rig):
        rig.write("INSERT INTO event_log (id, subject, subject_id, what, actor, db_account)"
                  " VALUES (2, 'setting', 1, 'forged', 'test', 'test')")
    assert found(rig) == [("event-added", 2)]


def line(row: dict[str, Any]) -> bytes:
    """Of an event, as doc/audit.md has it."""
    def field(value: Any) -> str:
        if value is None:
            return "\\N"
        text = value.strftime("%Y-%m-%d %H:%M:%S.%f") if isinstance(value, datetime) else str(value)
        return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\0", "\\0")
    columns = ("id", "at", "subject", "subject_id", "version", "what", "from_state", "to_state", "actor", "db_account",
               "reason", "changes", "order_id", "order_version")
    return ("\t".join(field(row[column]) for column in columns) + "\n").encode()


def mark(before: int, number: int, digest: bytes) -> bytes:
    step, out = number - before, b""
    while step >= 128:
        out, step = out + bytes([step % 128 + 128]), step // 128
    return out + bytes([step]) + digest[:4]


def remake_seals(rig: DispatchRig, first: str) -> None:
    """What an owner does who knows doc/audit.md: every seal fits the events as they are now. (No event is late.)"""
    previous = 64 * "0"
    with forging(rig):
        rig.write(first)
        for seal in seals(rig):
            rows = rig.rows("SELECT * FROM event_log WHERE id BETWEEN %s AND %s ORDER BY id", seal["first_id"], seal["last_id"])
            digests = [sha256(line(row)).digest() for row in rows]
            numbers = [row["id"] for row in rows]
            marks = b"".join(map(mark, [0, *numbers], numbers, digests))
            text = (f"recaudo-seal 1\nnumber {seal['number']}\nprevious {previous}\nsealed_at {seal['sealed_at']:%Y-%m-%d %H:%M:%S.%f}\n"
                    f"first_id {seal['first_id']}\nlast_id {seal['last_id']}\ncount {len(rows)}\nlate none\n"
                    f"events {sha256(b''.join(digests)).hexdigest()}\n")
            previous = sha256(text.encode()).hexdigest()
            rig.write("UPDATE seals SET count = %s, events = %s, digest = %s, marks = %s WHERE number = %s", len(rows),
                      sha256(b"".join(digests)).hexdigest(), previous, marks, seal["number"])


def test_a_seal_that_passes_events_over(rig: DispatchRig) -> None:
    """As whoever has the dispatcher's account can append one, with a correct digest and no event."""
    three_seals(rig)
    rig.write(WRITE)
    last, newest, nothing = seals(rig)[-1], rig.value("SELECT MAX(id) FROM event_log"), sha256(b"").hexdigest()
    at, number, first = last["sealed_at"].strftime("%Y-%m-%d %H:%M:%S.%f"), last["number"] + 1, last["last_id"] + 1
    text = (f"recaudo-seal 1\nnumber {number}\nprevious {last['digest']}\nsealed_at {at}\nfirst_id {first}\nlast_id {newest}\n"
            f"count 0\nlate none\nevents {nothing}\n")
    rig.write("INSERT INTO seals (number, sealed_at, first_id, last_id, count, events, digest, marks) VALUES (%s, %s, %s, %s, 0, %s, %s, '')",
              number, at, first, newest, nothing, sha256(text.encode()).hexdigest())
    assert found(rig) == [("seal-ahead", number)]
    assert "the event log does not fit its newest seals" in rig.stack.ctl.run("status").stderr
    with rig.dispatcher(EVERY_SECOND):
        await_sealed(rig)


def test_a_chain_that_was_made_anew(rig: DispatchRig, tmp_path: Path) -> None:
    """Nothing in the database shows it; the signatures do, and the seals that were kept elsewhere."""
    key, public, kept = (tmp_path / name for name in ("seal.key", "public.pem", "kept"))
    settings: Settings = {"audit": {"seal_every": "1s", "signing_key": str(key), "seal_file": str(kept)}}
    public.write_text(Ctl(rig.config(settings)).done("audit", "key", "--create"))
    three_seals(rig, settings)
    with rig.dispatcher(settings):
        wait_until(lambda: kept.exists() and len(kept.read_text().splitlines()) == len(seals(rig)), "the last line")
    arguments = ("--public-key", str(public), "--against", str(kept))
    assert found(rig, *arguments) == []
    two, last = seal_of(rig, 5), len(seals(rig))
    remake_seals(rig, "UPDATE event_log SET actor = 'nobody' WHERE id = 5")
    assert found(rig) == []
    assert found(rig, *arguments) == ([("signature-wrong", number) for number in range(two, last + 1)]
                                      + [("seal-replaced", number) for number in range(two, last + 1)])
    assert found(rig, *arguments, "--from", str(last)) == [("signature-wrong", last), ("seal-replaced", last)]


def test_the_end_of_the_log_was_removed(rig: DispatchRig, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    three_seals(rig, {"audit": {"seal_every": "1s", "seal_file": str(kept)}})
    two, last = seal_of(rig, 5), len(kept.read_text().splitlines())
    forge(rig, f"DELETE FROM seals WHERE number > {two}; DELETE FROM event_log WHERE id > 6")
    assert found(rig) == []
    assert found(rig, "--against", str(kept)) == [("seal-replaced", number) for number in range(two + 1, last + 1)]


def test_seals_without_signature_and_with_another_key(rig: DispatchRig, tmp_path: Path) -> None:
    """A key is replaced: both public keys together check all."""
    publics = []
    for name in ("first", "second"):
        settings: Settings = {"audit": {"seal_every": "1s", "signing_key": str(tmp_path / name)}}
        publics.append(Ctl(rig.config(settings)).done("audit", "key", "--create"))
        rig.write(WRITE)
        with rig.dispatcher(settings):
            await_sealed(rig)
    (tmp_path / "one.pem").write_text(publics[0])
    (tmp_path / "both.pem").write_text("".join(publics))
    assert {name for name, _ in found(rig, "--public-key", str(tmp_path / "one.pem"))} == {"key-unknown"}
    assert found(rig, "--public-key", str(tmp_path / "both.pem")) == []
    rig.write(WRITE)
    with rig.dispatcher(EVERY_SECOND):
        await_sealed(rig)
    last = len(seals(rig))
    assert {name for name, _ in found(rig, "--public-key", str(tmp_path / "both.pem"))} == {"seal-unsigned"}
    assert found(rig, "--public-key", str(tmp_path / "both.pem"), "--signed-from", str(last + 1)) == []


def test_unsigned_seals_before_a_signed_one(rig: DispatchRig, tmp_path: Path) -> None:
    """A chain that was made anew has no signatures but those that come after; so has one from before there was a key."""
    three_seals(rig)
    unsigned = len(seals(rig))
    settings: Settings = {"audit": {"seal_every": "1s", "signing_key": str(tmp_path / "key")}}
    (tmp_path / "public.pem").write_text(Ctl(rig.config(settings)).done("audit", "key", "--create"))
    rig.write(WRITE)
    with rig.dispatcher(settings):
        await_sealed(rig)
    key = ("--public-key", str(tmp_path / "public.pem"))
    assert found(rig, *key) == [("seal-unsigned", number) for number in range(1, unsigned + 1)]
    assert found(rig, *key, "--signed-from", str(unsigned)) == [("seal-unsigned", unsigned)]
    assert found(rig, *key, "--signed-from", str(unsigned + 1)) == []
    alone = Ctl(rig.config(settings)).run("audit", "verify", "--signed-from", "1")
    assert (alone.returncode, alone.stdout) == (2, "") and "--signed-from requires --public-key" in alone.stderr


def test_lines_that_are_no_seals(rig: DispatchRig, tmp_path: Path) -> None:
    """A line that was written in part, and again whole, is none of them."""
    kept = tmp_path / "kept"
    three_seals(rig, {"audit": {"seal_every": "1s", "seal_file": str(kept)}})
    lines = kept.read_text().splitlines(keepends=True)
    against = ("--against", str(kept))
    zero = re.sub("^recaudo-seal\t1\t1\t", "recaudo-seal\t1\t0\t", lines[0])
    resumed = f"recaudo-seal-resume\t1\t0\t\t{64 * 'x'}\t2026-01-01T00:00:00Z\toperator:ana\ta reason\n"
    for text, wrong in ((lines[0][:20] + "\n" + lines[0], 0), (lines[0] + lines[0][:20], 1), (lines[0] + "\n" + lines[1], 1),
                        (zero, 1), (lines[0][:-4] + "x\t\t\n", 1), (lines[0].replace(lines[0][-67:-3], 64 * "X"), 1), (resumed, 1),
                        ("x\ny\n" + lines[0], 2), (lines[0].replace("\t", " "), 1), ("\0\0\n", 1)):
        kept.write_text(text)
        assert found(rig, *against) == [("kept-unreadable", 0)] * wrong, text

def test_status_notices(rig: DispatchRig) -> None:
    """A log that is not sealed, and one that does not fit its newest seals."""
    rig.pass_once()
    rig.write("TRUNCATE seals")
    rig.write(WRITE.replace("(subject,", "(at, subject,").replace("('setting'", "(UTC_TIMESTAMP(6) - INTERVAL 10 MINUTE, 'setting'"))
    said = rig.stack.ctl.run("status").stderr
    assert "the event log is not sealed: the oldest event without a seal waits for 60" in said
    with rig.dispatcher(EVERY_SECOND):
        await_sealed(rig)
    assert "event log" not in rig.stack.ctl.run("status").stderr
    forge(rig, "UPDATE event_log SET actor = 'nobody' ORDER BY id DESC LIMIT 1")
    assert "the event log does not fit its newest seals: recaudoctl audit verify" in rig.stack.ctl.run("status").stderr


def test_a_misdated_event_is_not_one_that_waits(rig: DispatchRig) -> None:
    three_seals(rig)
    rig.write(WRITE.replace("(subject,", "(at, subject,").replace("('setting'", "('1970-01-02', 'setting'"))
    assert "event log" not in rig.stack.ctl.run("status").stderr
    status = json.loads(rig.stack.ctl.run("--json", "status").stdout)  # another test may have left something else
    assert status["seals"]["oldest_unsealed_seconds"] < 60


def test_wrong_arguments(rig: DispatchRig, tmp_path: Path) -> None:
    nothing = tmp_path / "nothing"
    nothing.write_text("")
    for words, status, said in ((("--from", "0"), 2, "--from is the number of a seal"),
                                (("--from", "99"), 1, "there is no seal 99"),
                                (("--against", str(tmp_path / "none")), 1, "No such file"),
                                (("--public-key", str(tmp_path / "none")), 1, "No such file"),
                                (("--public-key", str(nothing)), 1, "has no public Ed25519 key in PEM")):
        result = rig.stack.ctl.run("audit", "verify", *words)
        assert (result.returncode, said in result.stderr) == (status, True), result
    assert "[audit] signing_key names the file" in rig.stack.ctl.run("audit", "key").stderr
    key = tmp_path / "seal.key"
    ctl = Ctl(rig.config({"audit": {"signing_key": str(key)}}))
    ctl.done("audit", "key", "--create")
    assert "File exists" in ctl.run("audit", "key", "--create").stderr
    key.chmod(0o644)
    assert "others may read or write this key" in ctl.run("audit", "key").stderr
