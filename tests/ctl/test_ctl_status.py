"""status: what waits, what is late, who works on it; and the exit status for a monitoring script."""

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

from tests.stack import Ctl
from tests.stack.config import default_settings, write_config
from tests.stack.mailroom import Mailroom
from tests.stack.merchant_stub import MerchantStub, hold, ok

from operator_steps import INSTANT, ends, instants, misused

NOTHING_OVERDUE = {"windows": 0, "oldest_window_seconds": 0, "expiries": 0, "oldest_expiry_seconds": 0}
EMPTY_QUEUE = {"due": 0, "oldest_due_seconds": 0, "in_flight": 0, "held": 0, "oldest_held_seconds": 0, "stuck": 0,
               "oldest_stuck_seconds": 0, "exhausted": 0,
               "unaddressed": 0}
NO_DELAY = {"closing_overdue_seconds": 0, "without_digest": 0, "oldest_without_digest_seconds": 0}
ALIVE = ("INSERT INTO dispatchers (host, pid, task, in_flight, started_at, seen_at)"
         " VALUES (%s, 1, %s, %s, UTC_TIMESTAMP(6) - INTERVAL %s SECOND, UTC_TIMESTAMP(6) - INTERVAL %s SECOND)")


def status(mailroom: Mailroom, *words: str) -> Any:
    return mailroom.stack.ctl.json("status", *words)


def problems(mailroom: Mailroom, *words: str, ctl: Ctl | None = None) -> list[str]:
    """The exit status is 1; standard error says the same."""
    result = (ctl or mailroom.stack.ctl).run("--json", "status", *words)
    shown = json.loads(result.stdout)
    said = [problem["problem"] for problem in shown["problems"]]
    assert result.returncode == 1 and shown["state"] == "attention"
    assert result.stderr == "".join(f"recaudoctl: {problem}\n" for problem in said)
    return said


TASKS = ("settle", "deliver")


def seen(mailroom: Mailroom, host: str = "here", in_flight: int = 0, ago: float = 0,
         tasks: tuple[str, ...] = TASKS) -> None:
    for task in tasks:
        mailroom.write(ALIVE, host, task, in_flight if task == "deliver" else 0, ago, ago)


def test_another_window_in_the_database(mailroom: Mailroom) -> None:
    mailroom.pass_once()
    mailroom.write("UPDATE settings SET cancel_window = 20000000")
    try:
        (problem,) = problems(mailroom)
    finally:
        mailroom.write("UPDATE settings SET cancel_window = 30000000")
    assert "cancel_window is 30 s, and the database goes by 20 s: run recaudoctl db migrate" in problem


def test_all_is_well(mailroom: Mailroom) -> None:
    mailroom.pass_once()
    shown = status(mailroom)
    version = shown["schema"]["version"]
    (host,) = shown["dispatchers"]
    assert shown == {"schema": {"version": version, "known_version": version},
                     "database": {"cancel_window_seconds": 30, "secure_timestamp": "NO"}, "queue": EMPTY_QUEUE,
                     "overdue": NOTHING_OVERDUE, "settlements": NO_DELAY, "resting_endpoints": [], "dispatchers": [host], "state": "well",
                     "problems": []}
    assert INSTANT.fullmatch(host["last_heartbeat"])
    assert host["seconds_ago"] <= 5 and (host["settling"], host["delivering"], host["in_flight"]) == (0, 0, 0)
    result = mailroom.stack.ctl.run("status")
    assert (result.returncode, result.stderr) == (0, "")
    assert "queue.oldest_due_seconds" in result.stdout and "problems: none" in result.stdout


def test_a_running_dispatcher_with_one_in_hand(mailroom: Mailroom, stub: MerchantStub) -> None:
    mailroom.notify(mailroom.merchant(stub.on("n", hold)))
    with mailroom.dispatcher():
        stub.await_requests(1)
        shown = status(mailroom)
        assert (shown["queue"]["in_flight"], shown["queue"]["due"]) == (1, 0)
        assert [(host["settling"], host["delivering"]) for host in shown["dispatchers"]] == [(1, 1)]
        stub.release()
        mailroom.await_count("delivered", 1)
    assert status(mailroom)["queue"] == EMPTY_QUEUE


def test_hosts(mailroom: Mailroom) -> None:
    for host, in_flight, ago in (("a", 3, 1), ("a", 4, 2), ("b", 9, 3600), ("c", 1, 2 * 86400)):
        seen(mailroom, host, in_flight, ago)
    mailroom.write("UPDATE dispatchers SET ended_at = UTC_TIMESTAMP(6) WHERE host = 'a' AND task = 'settle' LIMIT 1")
    shown = status(mailroom)["dispatchers"]
    assert [(host["host"], host["settling"], host["delivering"], host["in_flight"]) for host in shown] == [
        ("a", 1, 2, 7), ("b", 0, 0, 0)]
    assert 3600 <= shown[1]["seconds_ago"] < 3620


def test_queue(mailroom: Mailroom) -> None:
    seen(mailroom)
    here, silent, resting = (mailroom.merchant("http://192.0.2.1/") for _ in range(3))
    now = mailroom.now()
    mailroom.notify(here, 2, due_at=now - timedelta(seconds=30))
    mailroom.notify(here, due_at=now + timedelta(hours=1))
    mailroom.notify(here, due_at=now + timedelta(seconds=20), lease=b"x" * 16)
    mailroom.notify(here, 3, state="exhausted")
    mailroom.notify(here, 4, state="unaddressed")
    mailroom.notify(here, state="waiting")
    mailroom.notify(silent, due_at=now - timedelta(hours=1))
    mailroom.write("UPDATE merchants SET notify_url = NULL WHERE id = %s", silent.id)
    mailroom.notify(resting, 5, due_at=now - timedelta(hours=2))
    mailroom.write("INSERT INTO endpoints VALUES (%s, 4, UTC_TIMESTAMP(6) + INTERVAL 20 SECOND), (%s, 1, NULL)",
                   resting.id, here.id)
    shown = status(mailroom)
    queue = shown["queue"]
    assert 30 <= queue.pop("oldest_due_seconds") < 45 and 7200 <= queue.pop("oldest_held_seconds") < 7215
    assert queue.pop("oldest_stuck_seconds") < 15
    assert queue == {"due": 2, "in_flight": 1, "held": 6, "stuck": 0, "exhausted": 3, "unaddressed": 4}
    (endpoint,) = shown["resting_endpoints"]
    assert [endpoint[key] for key in ("merchant", "failures", "probed", "pending")] == [resting.name, 4, False, 5]
    assert all(INSTANT.fullmatch(text) for text in instants(shown))
    mailroom.write("UPDATE endpoints SET resting_until = UTC_TIMESTAMP(6) WHERE merchant_id = %s", resting.id)
    shown = status(mailroom)
    assert shown["resting_endpoints"][0]["probed"] is True and shown["queue"]["held"] == 6


def test_late_notifications(mailroom: Mailroom) -> None:
    seen(mailroom)
    mailroom.notify(mailroom.merchant("http://192.0.2.1/"), 2, due_at=mailroom.now() - timedelta(seconds=90))
    (said,) = problems(mailroom)
    assert said.startswith("2 notifications are due and nobody sends them, the oldest for 9")
    assert status(mailroom, "--late", "300")["state"] == "well"


def test_what_waits_for_nothing(mailroom: Mailroom) -> None:
    """`cancelled` behind an `approved` that is settled, and an unaddressed one whose merchant has an address."""
    seen(mailroom)
    merchant, long_ago = mailroom.merchant("http://192.0.2.1/"), mailroom.now() - timedelta(seconds=90)
    orders = mailroom.orders(merchant, 2)
    mailroom.notifications_about(merchant, orders, state="delivered")
    mailroom.notifications_about(merchant, orders, status="cancelled", state="waiting", sequence=2, due_at=long_ago)
    mailroom.notify(merchant, state="unaddressed", due_at=long_ago)
    (said,) = problems(mailroom)
    assert said.startswith("3 notifications wait for nothing and nobody releases them, the oldest for 9")
    queue = status(mailroom, "--late", "300")["queue"]
    assert queue["stuck"] == 3 and 90 <= queue["oldest_stuck_seconds"] < 105
    assert [row["state"] for row in mailroom.rows("SELECT state FROM notifications_stuck ORDER BY state")] == [
        "unaddressed", "waiting", "waiting"]


def test_late_windows_and_orders(mailroom: Mailroom) -> None:
    seen(mailroom)
    merchant, now = mailroom.merchant(None), mailroom.now()
    mailroom.confirmed_orders(merchant, 2, now - timedelta(seconds=100))
    mailroom.confirmed_orders(merchant, 1, now + timedelta(seconds=100))
    mailroom.orders(merchant, 3, state="PENDIENTE", due_at=now - timedelta(seconds=200))
    shown = status(mailroom, "--late", "300")["overdue"]
    assert (shown["windows"], shown["expiries"]) == (2, 3)
    assert 100 <= shown["oldest_window_seconds"] < 115 and 200 <= shown["oldest_expiry_seconds"] < 215
    windows, expiries = problems(mailroom)
    assert windows.startswith("2 cancellation windows have closed and are not written as final")
    assert expiries.startswith("3 orders are overdue and not written as expired")
    mailroom.pass_once()
    assert status(mailroom)["overdue"] == NOTHING_OVERDUE


def test_settlement_that_nobody_closes(mailroom: Mailroom) -> None:
    """It was to be closed two hours ago, and no dispatcher settles."""
    mailroom.change_settlements("opened_at = opened_at - INTERVAL 3 DAY WHERE is_open = 1")
    time = (mailroom.now() - timedelta(hours=2)).strftime("%H:%M")
    on_time = {"settlement": {"close_at": time, "zone": "UTC"}}
    ctl = Ctl(mailroom.config(on_time))
    seen(mailroom, tasks=("deliver",))
    settlement, dispatcher = problems(mailroom, ctl=ctl)
    said = re.fullmatch(rf"the settlement was to be closed at {time} \(UTC\), (\d+) s ago, and is still open", settlement)
    assert said and 7200 <= int(said[1]) < 7400 and dispatcher.startswith("no settling dispatcher was seen")
    seen(mailroom)
    assert ctl.json("status", "--late", "86400")["state"] == "well"
    assert status(mailroom)["settlements"] == NO_DELAY  # without close_at nothing is due
    mailroom.pass_once(on_time)
    assert ctl.json("status")["settlements"] == NO_DELAY


def test_settlement_of_a_day_that_was_closed_by_hand(mailroom: Mailroom) -> None:
    """The dispatcher leaves the next one open until its own day ends, so nothing is late."""
    seen(mailroom)
    ended = mailroom.now() - timedelta(hours=2)
    number = mailroom.value("SELECT number FROM settlements WHERE is_open = 1")
    mailroom.value("SELECT settlement_close(%s, 'operator:ana', %s, 'Etc/UTC', NULL)", number, ended.strftime("%F"))
    mailroom.change_settlements("opened_at = opened_at - INTERVAL 3 DAY WHERE is_open = 1")
    mailroom.pass_once()
    ctl = Ctl(mailroom.config({"settlement": {"close_at": ended.strftime("%H:%M"), "zone": "Etc/UTC"}}))
    assert ctl.json("status")["settlements"] == NO_DELAY


def test_settlement_without_a_digest(mailroom: Mailroom) -> None:
    seen(mailroom)
    number = mailroom.value("SELECT number FROM settlements WHERE is_open = 1")
    assert mailroom.value("SELECT settlement_close(%s, 'operator:ana', NULL, NULL, NULL)", number) == 1
    shown = status(mailroom)
    assert shown["state"] == "well" and shown["settlements"]["without_digest"] == 1
    mailroom.change_settlements("opened_at = opened_at - INTERVAL 3 DAY, closed_at = closed_at - INTERVAL 5 MINUTE"
                                f" WHERE number = {number}")
    (said,) = problems(mailroom)
    assert said.startswith("1 settlements were closed and have no digest, the oldest for 3")
    mailroom.pass_once()
    assert status(mailroom)["settlements"] == NO_DELAY


def test_no_dispatcher(mailroom: Mailroom) -> None:
    assert problems(mailroom) == [f"no {word} dispatcher was seen within a day: is its timer active, or cron/recaudo"
                                  " installed?" for word in ("settling", "delivering")]
    seen(mailroom, ago=600)
    said = problems(mailroom)
    assert [line.split(" for 60")[0] for line in said] == [
        "no settling dispatcher was seen", "no delivering dispatcher was seen"]
    seen(mailroom, "elsewhere")
    assert status(mailroom)["state"] == "well"


def test_one_of_the_two_is_missing(mailroom: Mailroom) -> None:
    seen(mailroom, tasks=("deliver",))
    (said,) = problems(mailroom)
    assert said.startswith("no settling dispatcher was seen within a day")
    seen(mailroom, ago=600, tasks=("settle",))
    (said,) = problems(mailroom)
    assert said.startswith("no settling dispatcher was seen for 60")


def test_newer_schema(mailroom: Mailroom) -> None:
    try:
        mailroom.write("INSERT INTO schema_version (version, name, checksum, applied_at)"
                       " VALUES (9999, 'x', REPEAT('0', 64), UTC_TIMESTAMP(6))")
        (said,) = problems(mailroom)
        assert said.startswith("the schema has version 9999, ") and said.endswith("install the newer program")
    finally:
        mailroom.write("DELETE FROM schema_version WHERE version = 9999")


def test_older_schema(mailroom: Mailroom) -> None:
    row = mailroom.row("SELECT * FROM schema_version ORDER BY version DESC LIMIT 1")
    try:
        mailroom.write("DELETE FROM schema_version WHERE version = %s", row["version"])
        (said,) = problems(mailroom)
        assert said.endswith("run recaudoctl db migrate")
    finally:
        mailroom.write("INSERT INTO schema_version VALUES (%s, %s, %s, %s, %s)", *row.values())


def test_no_database(mailroom: Mailroom, tmp_path: Path) -> None:
    config = tmp_path / "recaudo.conf"
    stack = mailroom.stack
    write_config(config, default_settings(stack.mariadb, stack.worker.socket, stack.key_file),
                 {"database": {"socket": tmp_path / "nobody.sock"}})
    assert "the database cannot be reached" in ends(Ctl(config), 3, "status")


def test_asked_wrongly(mailroom: Mailroom) -> None:
    for value in ("0", "x", "86401", "-5"):
        assert misused(mailroom.stack.ctl, "status", f"--late={value}") == (
            "--late is a number of seconds from 1 to 86400")
    assert misused(mailroom.stack.ctl, "status", "now") == "now is one word too many"
    assert "usage: recaudoctl status [--late SECONDS]" in mailroom.stack.ctl.run("status", "now").stderr
    result = mailroom.stack.ctl.run("status", "--help")
    assert result.returncode == 0 and result.stdout.startswith("usage: recaudoctl status [--late SECONDS]\n")


def test_what_was_exhausted_is_no_alarm(mailroom: Mailroom, stub: MerchantStub) -> None:
    """It waits for a person who may have decided; a script that wants to know reads the number."""
    seen(mailroom)
    mailroom.notify(mailroom.merchant(stub.on("n", ok)), 2, state="exhausted")
    assert (status(mailroom)["state"], status(mailroom)["queue"]["exhausted"]) == ("well", 2)
