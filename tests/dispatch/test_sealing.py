"""[audit]: the event log is sealed, also what was committed late; nothing of it is sealed twice or left out."""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pymysql
import pytest

from tests.stack import Ctl
from tests.stack.auditor import AUDIT
from tests.stack.config import Settings
from tests.stack.dispatch_rig import DispatchRig
from tests.stack.waiting import wait_until

EVERY_SECOND: Settings = {"audit": {"seal_every": "1s"}}
OFF: Settings = {"audit": {"seal_every": "off"}}
WRITE = ("INSERT INTO event_log (subject, subject_id, what, actor, db_account, reason)"
         " VALUES ('setting', 1, 'test', 'test', 'test', 'a\ttab, a \\ and\na line')")


OLD = WRITE.replace("(subject,", "(at, subject,").replace("('setting'", "('2026-01-01', 'setting'")  # sealed at once


def seals(rig: DispatchRig) -> list[dict[str, Any]]:
    return rig.rows("SELECT * FROM seals ORDER BY number")


def sealed(rig: DispatchRig) -> int:
    return int(rig.value("SELECT COALESCE(SUM(count), 0) FROM seals"))


def events(rig: DispatchRig) -> int:
    return int(rig.value("SELECT COUNT(*) FROM event_log"))


def verified(rig: DispatchRig, *words: str) -> Any:
    return rig.stack.ctl.json("audit", "verify", *words)


def await_sealed(rig: DispatchRig) -> None:
    wait_until(lambda: sealed(rig) == events(rig), "every event to be sealed", 60)


def test_every_event_is_sealed_once(rig: DispatchRig) -> None:
    with rig.dispatcher(EVERY_SECOND):
        for _ in range(3):
            rig.orders(rig.merchant(None), 100)
            rig.write(WRITE)
            await_sealed(rig)
    made = seals(rig)
    assert len(made) >= 3
    assert [seal["number"] for seal in made] == list(range(1, len(made) + 1))
    assert [seal["first_id"] for seal in made] == [1] + [seal["last_id"] + 1 for seal in made[:-1]]
    found = verified(rig)
    assert (found["seals"], found["events"], found["findings"]) == (len(made), events(rig), 0)


def test_an_empty_log_is_not_sealed_again_and_again(rig: DispatchRig) -> None:
    with rig.dispatcher(EVERY_SECOND):
        rig.write(WRITE)
        wait_until(lambda: sealed(rig) == 1, "the event to be sealed", 60)
        wait_until(lambda: rig.value("SELECT MAX(sealed_at) < UTC_TIMESTAMP(6) - INTERVAL 8 SECOND FROM seals"),
                   "a while without events", 60)
    # One more notes the first search for late events, which found none.
    assert [seal["count"] for seal in seals(rig)][:1] == [1] and len(seals(rig)) <= 2


def test_an_event_that_is_committed_late(rig: DispatchRig) -> None:
    """Its transaction was open while later events were sealed: it gets a seal of its own range's number no more."""
    late = rig.stack.mariadb.connect()
    with late, late.cursor() as cursor:
        cursor.execute("START TRANSACTION")
        cursor.execute(WRITE)
        cursor.execute("SELECT LAST_INSERT_ID() AS id")
        number = cursor.fetchone()["id"]
        rig.write(WRITE)
        with rig.dispatcher(EVERY_SECOND):
            await_sealed(rig)
            assert verified(rig)["findings"] == 0
            late.commit()
            await_sealed(rig)
    assert [seal["late"] for seal in seals(rig) if seal["late"]] == [str(number)]
    found = verified(rig)
    assert (found["events"], found["late_events"], found["waiting_events"], found["findings"]) == (events(rig), 1, 0, 0)


def test_late_events_that_nobody_has_searched_for_yet(rig: DispatchRig) -> None:
    late = rig.stack.mariadb.connect()
    with late, late.cursor() as cursor:
        cursor.execute("START TRANSACTION")
        cursor.execute(WRITE)
        rig.write(WRITE)
        with rig.dispatcher(EVERY_SECOND):
            await_sealed(rig)
        late.commit()
    found = verified(rig)
    assert (found["waiting_events"], found["findings"]) == (1, 0)


def test_numbers_with_steps_and_gaps(rig: DispatchRig) -> None:
    """As the servers of a Galera cluster number them, and a restored database goes on."""
    for increment, offset in ((3, 2), (3, 1), (7, 3)):
        rig.write(f"SET auto_increment_increment = {increment}, auto_increment_offset = {offset}")
        for _ in range(5):
            rig.write(WRITE)
    rig.write("SET auto_increment_increment = DEFAULT, auto_increment_offset = DEFAULT")
    rig.write("START TRANSACTION")
    rig.write(WRITE)
    rig.write("ROLLBACK")
    rig.write("CALL ids_skip(1000000)")
    rig.write(WRITE)
    with rig.dispatcher(EVERY_SECOND):
        await_sealed(rig)
        rig.write(WRITE)
        await_sealed(rig)
    assert verified(rig)["events"] == 17


def test_many_events_at_once_and_two_dispatchers(rig: DispatchRig) -> None:
    """A log from before there were seals is sealed in full seals, one after the other."""
    rig.write("INSERT INTO event_log (at, subject, subject_id, what, actor, db_account)"
              " SELECT UTC_TIMESTAMP(6) - INTERVAL 1 DAY, 'setting', 1, 'test', 'test', 'test' FROM seq_1_to_30000")
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda _: rig.run_once(), range(2)))
    assert [result.returncode for result in results] == [0, 0], results
    assert sealed(rig) == 30000 and max(seal["count"] for seal in seals(rig)) <= 5000
    assert verified(rig)["findings"] == 0


def test_off_and_on_again(rig: DispatchRig) -> None:
    rig.write(WRITE)
    rig.pass_once(OFF)
    assert seals(rig) == []
    with rig.dispatcher(EVERY_SECOND):
        await_sealed(rig)


def test_purges_are_events_like_others(rig: DispatchRig) -> None:
    merchant = rig.merchant(None)
    rig.write("SET timestamp = UNIX_TIMESTAMP(UTC_TIMESTAMP(6) - INTERVAL 100 DAY)")
    rig.orders(merchant, 3, customer_name="Ana")
    rig.write("SET timestamp = DEFAULT")
    with rig.dispatcher(EVERY_SECOND):
        await_sealed(rig)
        assert rig.stack.ctl.json("purge", "--older-than", "30d", "--what", "personal")["orders"] == 3
        await_sealed(rig)
    assert verified(rig)["findings"] == 0


def test_the_file_has_every_seal_and_goes_on(rig: DispatchRig, tmp_path: Path) -> None:
    kept = tmp_path / "seals"
    with rig.dispatcher(EVERY_SECOND):
        rig.write(WRITE)
        await_sealed(rig)
    assert not kept.exists()
    settings: Settings = {"audit": {"seal_every": "1s", "seal_file": str(kept)}}
    for tail in ("", "recaudo-seal\t1\t"):  # as if it had been written in part
        with rig.dispatcher(settings):
            rig.write(WRITE)
            await_sealed(rig)
            wait_until(lambda: kept.exists() and f"\t{seals(rig)[-1]['digest']}\t" in kept.read_text(), "the seal's line")
        with open(kept, "a", encoding="ascii") as file:
            file.write(tail)
    lines = [line.split("\t") for line in kept.read_text().splitlines() if len(line.split("\t")) == 12]
    assert [int(line[2]) for line in lines] == [seal["number"] for seal in seals(rig)]
    last = kept.read_text().rpartition("\n")[2]
    kept.write_text(kept.read_text().removesuffix(last))
    assert verified(rig, "--against", str(kept))["findings"] == 0


def old_seals(rig: DispatchRig, count: int) -> None:
    """As if the log had been sealed for as many minutes; their digests are no true ones."""
    rig.write(OLD)
    guard = rig.row("SHOW CREATE TRIGGER seals_new")["SQL Original Statement"]
    rig.write("DROP TRIGGER seals_new")
    rig.write("INSERT INTO seals (number, sealed_at, first_id, last_id, count, events, digest, marks)"
              f" SELECT seq, UTC_TIMESTAMP(6) - INTERVAL {count} - seq MINUTE, IF(seq = 1, 1, 2), 1, 0, SHA2('', 256),"
              f" SHA2(seq, 256), '' FROM seq_1_to_{count}")
    rig.write(guard)


def test_payments_do_not_wait_for_a_new_file(rig: DispatchRig, tmp_path: Path) -> None:
    """It lacks every seal there is; appending them all takes longer than this test."""
    kept = tmp_path / "kept"
    old_seals(rig, 60000)
    merchant = rig.merchant(None)
    with rig.dispatcher({"audit": {"seal_every": "1s", "seal_file": str(kept)}}):
        wait_until(lambda: kept.exists() and kept.stat().st_size > 0, "the first lines", 60)
        rig.confirmed_orders(merchant, 1, rig.now())
        wait_until(lambda: rig.value("SELECT COUNT(*) FROM orders WHERE state = 'APROBADA'") == 1, "the approval", 60)
        assert len(kept.read_text().splitlines()) < 60000


def test_one_pass_appends_every_seal(rig: DispatchRig, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    old_seals(rig, 350)
    rig.pass_once({"audit": {"seal_every": "1s", "seal_file": str(kept)}})
    assert [int(line.split("\t")[2]) for line in kept.read_text().splitlines()] == [seal["number"] for seal in seals(rig)]


def test_signed_with_a_key_that_openssl_knows(rig: DispatchRig, tmp_path: Path) -> None:
    """A third party needs the public key, the text of a seal, and OpenSSL."""
    key, public = tmp_path / "seal.key", tmp_path / "public.pem"
    settings: Settings = {"audit": {"seal_every": "1s", "signing_key": str(key)}}
    result = subprocess.run([rig.stack.ctl.path, "--config", str(rig.config(settings)), "audit", "key", "--create"],
                            capture_output=True, text=True, check=True)
    public.write_text(result.stdout)
    assert key.stat().st_mode & 0o777 == 0o600
    with rig.dispatcher(settings):
        rig.write(WRITE)
        await_sealed(rig)
    found = verified(rig, "--public-key", str(public))
    assert found["signed_seals"] == found["seals"] >= 1
    assert "signed_seals" not in verified(rig)  # without a key it has checked none
    seal = seals(rig)[0]
    text = (f"recaudo-seal 1\nnumber 1\nprevious {64 * '0'}\nsealed_at {seal['sealed_at']:%Y-%m-%d %H:%M:%S.%f}\nfirst_id 1\n"
            f"last_id {seal['last_id']}\ncount {seal['count']}\nlate none\nevents {seal['events']}\n")
    (tmp_path / "text").write_text(text)
    (tmp_path / "signature").write_bytes(bytes.fromhex(seal["signature"]))
    subprocess.run(["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", public, "-rawin", "-in", tmp_path / "text",
                    "-sigfile", tmp_path / "signature"], check=True, capture_output=True)


def auditor_says(rig: DispatchRig, kept: Path) -> str:
    mariadb = rig.stack.mariadb
    result = subprocess.run([sys.executable, AUDIT, "--socket", mariadb.socket, "--password-file",
                             mariadb.password_file("recaudo_reader"), "--against", kept], capture_output=True, text=True)
    assert result.returncode in (0, 1), result.stderr
    return result.stdout


@pytest.mark.parametrize("signed", [False, True])
def test_a_line_that_was_cut_at_its_end(rig: DispatchRig, tmp_path: Path, signed: bool) -> None:
    """As a disk does that is full; the next attempt ended the line and failed too. The file gets the seal once more, whole."""
    kept = tmp_path / "kept"
    settings: Settings = {"audit": {"seal_every": "1s", "seal_file": str(kept)}}
    if signed:
        settings["audit"]["signing_key"] = str(tmp_path / "seal.key")
        Ctl(rig.config(settings)).done("audit", "key", "--create")
    rig.write(OLD)
    rig.pass_once(settings)
    whole = kept.read_text()
    for missing in (2, 5, 133, 140) if signed else (1, 2):
        cut = whole[:-1 - missing] + "\n"
        kept.write_text(cut)
        rig.pass_once(settings)
        assert kept.read_text().startswith(cut + whole)
        assert verified(rig, "--against", str(kept))["findings"] == 0
        assert "kept-unreadable" not in auditor_says(rig, kept)


def test_without_its_key_nothing_is_sealed(rig: DispatchRig, tmp_path: Path) -> None:
    """Everything else goes on; the log says why."""
    merchant = rig.merchant(None)
    rig.confirmed_orders(merchant, 1, rig.now())
    result = rig.pass_once({"audit": {"seal_every": "1s", "signing_key": str(tmp_path / "none.key")}})
    assert "the event log is not sealed: [audit] signing_key" in result.stderr
    assert seals(rig) == [] and rig.value("SELECT COUNT(*) FROM orders WHERE state = 'APROBADA'") == 1


def remove_last_seal(rig: DispatchRig) -> None:
    """As the owner can."""
    guard = rig.row("SHOW CREATE TRIGGER seals_stay")["SQL Original Statement"]
    rig.write("DROP TRIGGER seals_stay")
    rig.write("DELETE FROM seals ORDER BY number DESC LIMIT 1")
    rig.write(guard)


def without_password_of_operator(rig: DispatchRig, settings: Settings) -> Ctl:
    """As on a machine whose accounts are those of system users, where root runs it."""
    config = Path(rig.config(settings))
    lines = [line for line in config.read_text().splitlines() if not line.startswith("operator_password_file")]
    config.write_text("\n".join(lines))
    return Ctl(config)


@pytest.mark.parametrize("as_owner", [False, True])
def test_nothing_is_sealed_where_seals_were_removed(rig: DispatchRig, tmp_path: Path, as_owner: bool) -> None:
    """Or the dispatcher would sign what was changed. An operator lets it go on, and the file says who and why."""
    kept = tmp_path / "kept"
    settings: Settings = {"audit": {"seal_every": "1s", "seal_file": str(kept)}}
    ctl = Ctl(rig.config(settings))
    for _ in range(2):
        rig.write(WRITE)
        with rig.dispatcher(settings):
            await_sealed(rig)
            wait_until(lambda: kept.exists() and len(kept.read_text().splitlines()) == len(seals(rig)), "the last line")
    assert "sealing is not held" in ctl.run("audit", "resume", "--reason", "nothing").stderr
    remove_last_seal(rig)
    before, lines = seals(rig), kept.read_text()
    rig.write(OLD)
    said = rig.pass_once(settings).stderr
    assert "and the database has no such seal" in said and "recaudoctl audit resume" in said
    assert seals(rig) == before and kept.read_text() == lines
    long = Ctl(rig.config({"audit": {"seal_every": "1h", "seal_file": str(kept)}}))
    assert " does not seal the event log, because" in long.run("status").stderr
    assert ctl.run("audit", "resume").returncode == 2
    assert "control" in ctl.run("audit", "resume", "--reason", "a\ttab").stderr
    if as_owner:
        ctl = without_password_of_operator(rig, settings)
    ctl.done("audit", "resume", "--reason", "the test removed it")
    assert re.search(f"recaudo-seal-resume\t1\t{before[-1]['number']}\t.*\toperator:.*\tthe test removed it\n$", kept.read_text())
    rig.pass_once(settings)
    assert sealed(rig) == events(rig)
    found = rig.stack.ctl.run("--json", "audit", "verify", "--against", str(kept))
    assert [each["finding"] for each in json.loads(found.stdout)["found"]] == ["seal-replaced"]


def test_seal_file_that_cannot_be_written(rig: DispatchRig, tmp_path: Path) -> None:
    """Sealing goes on in the database; `status` says that the copy does not grow, and what is missing is appended later."""
    kept = tmp_path / "folder" / "kept"
    settings: Settings = {"audit": {"seal_every": "1s", "seal_file": str(kept)}}
    rig.write(OLD)
    assert f"[audit] seal_file {kept}: No such file or directory" in rig.pass_once(settings).stderr
    assert sealed(rig) == events(rig)
    long = Ctl(rig.config({"audit": {"seal_every": "1h", "seal_file": str(kept)}}))
    assert "cannot read its [audit] seal_file, or write to it" in long.run("status").stderr
    kept.parent.mkdir()
    assert "seal_file" not in rig.pass_once(settings).stderr
    assert len(kept.read_text().splitlines()) == len(seals(rig))


def test_nothing_is_sealed_after_a_seal_with_another_digest(rig: DispatchRig, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    settings: Settings = {"audit": {"seal_every": "1s", "seal_file": str(kept)}}
    rig.write(OLD)
    rig.pass_once(settings)
    remove_last_seal(rig)
    rig.write(OLD)
    rig.pass_once(EVERY_SECOND)
    before = seals(rig)
    assert len(before) == 1
    assert "has another seal with this number" in rig.pass_once(settings).stderr
    assert seals(rig) == before


def test_the_clock_was_set_forwards_and_back(rig: DispatchRig) -> None:
    """The newest seal is of tomorrow; events are sealed all the same, and none before it."""
    rig.write(WRITE)
    with rig.dispatcher(EVERY_SECOND):
        await_sealed(rig)
    guard = rig.row("SHOW CREATE TRIGGER seals_keep")["SQL Original Statement"]
    rig.write("DROP TRIGGER seals_keep")
    rig.write("UPDATE seals SET sealed_at = sealed_at + INTERVAL 1 DAY")
    rig.write(guard)
    rig.write(WRITE)
    with rig.dispatcher(EVERY_SECOND):
        await_sealed(rig)
    made = seals(rig)
    assert len(made) >= 2 and all(seal["sealed_at"] == made[0]["sealed_at"] for seal in made)


def test_many_late_events_and_a_stop(rig: DispatchRig) -> None:
    """One seal names 1,000 of them. The process that stops after it leaves the others to the next one."""
    late = rig.stack.mariadb.connect()
    with late, late.cursor() as cursor:
        cursor.execute("START TRANSACTION")
        cursor.execute("INSERT INTO event_log (at, subject, subject_id, what, actor, db_account)"
                       " SELECT UTC_TIMESTAMP(6) - INTERVAL 1 DAY, 'setting', 1, 'test', 'test', 'test' FROM seq_1_to_2500")
        rig.write(OLD)
        rig.pass_once(EVERY_SECOND)
        assert sealed(rig) == 1
        late.commit()
    rig.write("SET @stop = (SELECT MAX(number) FROM seals) + 1")
    rig.write(f"CREATE TRIGGER seals_stop BEFORE INSERT ON seals FOR EACH ROW IF NEW.number > {rig.value('SELECT @stop')} THEN"
              " SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'stop'; END IF")
    wait_until(lambda: rig.value("SELECT MAX(sealed_at) < UTC_TIMESTAMP(6) - INTERVAL 3 SECOND FROM seals"), "the search to be due")
    rig.run_once(EVERY_SECOND)
    rig.write("DROP TRIGGER seals_stop")
    assert sealed(rig) == 1001
    with rig.dispatcher(EVERY_SECOND):
        wait_until(lambda: sealed(rig) == events(rig), "every late event to be sealed", 60)
    assert verified(rig)["findings"] == 0


@pytest.mark.parametrize("statement, code", [
    ("INSERT INTO seals SELECT 0, form, sealed_at, first_id, last_id, 0, '', events, digest, marks, NULL, NULL"
     "  FROM seals ORDER BY number DESC LIMIT 1", 1644),
    ("UPDATE seals SET digest = REPEAT('a', 64)", 1644),
    ("DELETE FROM seals", 1644),
    ("INSERT INTO seals SELECT number + 2, form, sealed_at, last_id + 1, last_id, 0, '', events, digest, marks, NULL, NULL"
     "  FROM seals ORDER BY number DESC LIMIT 1", 1644),
    ("INSERT INTO seals SELECT number + 1, form, sealed_at, last_id + 2, last_id + 2, 0, '', events, digest, marks, NULL, NULL"
     "  FROM seals ORDER BY number DESC LIMIT 1", 1644),
    ("INSERT INTO seals SELECT number + 1, form, sealed_at, last_id + 1, 1000000000000000000, 0, '', events, digest, marks, NULL, NULL"
     "  FROM seals ORDER BY number DESC LIMIT 1", 1644),
    ("INSERT INTO seals SELECT number + 1, form, sealed_at - INTERVAL 1 SECOND, last_id + 1, last_id, 0, '', events, digest,"
     "  marks, NULL, NULL FROM seals ORDER BY number DESC LIMIT 1", 1644),
    ("INSERT INTO seals SELECT * FROM seals ORDER BY number DESC LIMIT 1", 1062),
])
def test_seals_stay_and_follow_each_other(rig: DispatchRig, statement: str, code: int) -> None:
    """Also by the owner, who may do everything but that without removing a trigger."""
    with rig.dispatcher(EVERY_SECOND):
        rig.write(WRITE)
        await_sealed(rig)
    before = seals(rig)
    with pytest.raises(pymysql.err.MySQLError) as error:
        rig.write(statement)
    assert error.value.args[0] == code and seals(rig) == before


def test_a_file_that_cannot_be_written(rig: DispatchRig, tmp_path: Path) -> None:
    """The log says so; sealing and everything else goes on."""
    for path, why in (("/dev/full", "No space left on device"), (str(tmp_path / "none" / "seals"), "No such file or directory")):
        rig.write("TRUNCATE seals")
        rig.write(OLD)
        result = rig.pass_once({"audit": {"seal_every": "1s", "seal_file": path}})
        assert f"[audit] seal_file {path}: {why}" in result.stderr and sealed(rig) == events(rig)
