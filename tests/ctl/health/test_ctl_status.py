"""status: what waits, what is late, who works on it; and the exit status for a monitoring script."""

import json
import re
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.stack import Ctl, wait_until
from tests.stack.config import default_settings, write_config
from tests.stack.dispatch_rig import DispatchRig
from tests.stack.merchant_stub import MerchantStub, hold, ok, says

from operator_steps import INSTANT, instants, misused

NOTHING_OVERDUE = {"windows": 0, "oldest_window_seconds": 0, "expiries": 0, "oldest_expiry_seconds": 0}
EMPTY_QUEUE = {"due": 0, "oldest_due_seconds": 0, "in_flight": 0, "held": 0, "oldest_held_seconds": 0, "stuck": 0,
               "oldest_stuck_seconds": 0, "exhausted": 0,
               "unaddressed": 0}
NO_DELAY = {"closing_overdue_seconds": 0, "without_digest": 0, "oldest_without_digest_seconds": 0, "uncollected": 0,
            "oldest_uncollected_seconds": 0}
ALIVE = ("INSERT INTO dispatchers (host, pid, task, in_flight, started_at, seen_at)"
         " VALUES (%s, 1, %s, %s, UTC_TIMESTAMP(6) - INTERVAL %s SECOND, UTC_TIMESTAMP(6) - INTERVAL %s SECOND)")


def status(rig: DispatchRig, *words: str) -> Any:
    return rig.stack.ctl.json("status", *words)


def problems(rig: DispatchRig, *words: str, ctl: Ctl | None = None) -> list[str]:
    """The exit status is 1; standard error says the same."""
    result = (ctl or rig.stack.ctl).run("--json", "status", *words)
    shown = json.loads(result.stdout)
    said = [problem["problem"] for problem in shown["problems"]]
    assert result.returncode == 1 and shown["state"] == "attention"
    assert result.stderr == "".join(f"recaudoctl: {problem}\n" for problem in said)
    return said


TASKS = ("settle", "deliver")


SECRETS = {"networks": ("fixed_hash", "old_hash"),
           "merchants": ("fixed_hash", "notification_hash", "old_hash", "old_notification_hash")}


def seen(rig: DispatchRig, host: str = "here", in_flight: int = 0, ago: float = 0,
         tasks: tuple[str, ...] = TASKS) -> None:
    for task in tasks:
        rig.write(ALIVE, host, task, in_flight if task == "deliver" else 0, ago, ago)


def stored_secrets(rig: DispatchRig) -> int:
    """Merchants and networks of other tests stay in the database."""
    return sum(int(rig.value(f"SELECT COUNT({column}) FROM {table}")) for table, columns in SECRETS.items() for column in columns)


def test_another_window_in_the_database(rig: DispatchRig) -> None:
    rig.pass_once()
    rig.write("UPDATE settings SET cancel_window = 20000000")
    try:
        (problem,) = problems(rig)
    finally:
        rig.write("UPDATE settings SET cancel_window = 30000000")
    assert "cancel_window is 30 s, and the database uses 20 s: run recaudoctl db migrate" in problem


def test_all_is_well(rig: DispatchRig) -> None:
    rig.pass_once()
    shown = status(rig)
    version = shown["schema"]["version"]
    (host,) = shown["dispatchers"]
    assert shown == {"schema": {"version": version, "known_version": version},
                     "database": {"cancel_window_seconds": 30, "secure_timestamp": "NO"}, "queue": EMPTY_QUEUE,
                     "overdue": NOTHING_OVERDUE, "settlements": NO_DELAY, "seals": shown["seals"],
                     "resting_endpoints": [], "workers": [], "dispatchers": [host], "state": "well",
                     "recaudo_query": {"state": "no workers on this host"},
                     "secrets": {"stored": stored_secrets(rig), "unopened": 0}, "problems": []}
    assert INSTANT.fullmatch(host["last_heartbeat"])
    assert host["seconds_ago"] <= 60 and (host["settling"], host["delivering"], host["in_flight"]) == (0, 0, 0)
    result = rig.stack.ctl.run("status")
    assert (result.returncode, result.stderr) == (0, "")
    assert "queue.oldest_due_seconds" in result.stdout and "problems: none" in result.stdout


def test_a_key_that_opens_nothing(rig: DispatchRig, tmp_path: Path) -> None:
    """Or some, or that is gone: lookups would get 0009 while everything else is well."""
    seen(rig)
    merchant = rig.merchant(None)
    other = Ctl(rig.config({"security": {"key_file": str(tmp_path / "other.key")}}))
    (gone,) = problems(rig, ctl=other)
    assert "other.key: No such file or directory: restore the copy of it" in gone and gone.endswith("; then systemctl reload-or-restart recaudo-fcgi")
    other.done("key", "create", "--new-system")
    (wrong,) = problems(rig, ctl=other)
    stored = stored_secrets(rig)
    assert stored >= 2 and wrong.startswith(f"{stored} of {stored} stored secrets cannot be decrypted with ") and "restore the copy of the key file that encrypted them, then systemctl reload recaudo-fcgi;" in wrong
    rig.write("UPDATE merchants SET notification_hash = REVERSE(notification_hash) WHERE id = %s", merchant.id)
    (damaged,) = problems(rig)
    assert damaged.startswith(f"1 of {stored} stored secrets cannot be decrypted") and f"{merchant.name}, merchants.notification_hash" in damaged
    rig.write("UPDATE merchants SET notification_hash = REVERSE(notification_hash) WHERE id = %s", merchant.id)
    assert status(rig)["secrets"] == {"stored": stored, "unopened": 0}


def test_a_running_dispatcher_with_one_in_hand(rig: DispatchRig, stub: MerchantStub) -> None:
    rig.notify(rig.merchant(stub.on("n", hold)))
    with rig.dispatcher():
        stub.await_requests(1)
        shown = status(rig)
        assert (shown["queue"]["in_flight"], shown["queue"]["due"]) == (1, 0)
        assert [(host["settling"], host["delivering"]) for host in shown["dispatchers"]] == [(1, 1)]
        stub.release()
        rig.await_count("delivered", 1)
    assert status(rig)["queue"] == EMPTY_QUEUE


def test_hosts(rig: DispatchRig) -> None:
    for host, in_flight, ago in (("a", 3, 1), ("a", 4, 2), ("b", 9, 3600), ("c", 1, 2 * 86400)):
        seen(rig, host, in_flight, ago)
    rig.write("UPDATE dispatchers SET ended_at = UTC_TIMESTAMP(6) WHERE host = 'a' AND task = 'settle' LIMIT 1")
    shown = status(rig)["dispatchers"]
    assert [(host["host"], host["settling"], host["delivering"], host["in_flight"]) for host in shown] == [
        ("a", 1, 2, 7), ("b", 0, 0, 0)]
    assert 3600 <= shown[1]["seconds_ago"] < 3720


def test_queue(rig: DispatchRig) -> None:
    seen(rig)
    here, silent, resting = (rig.merchant("http://192.0.2.1/") for _ in range(3))
    now = rig.now()
    rig.notify(here, 2, due_at=now - timedelta(seconds=30))
    rig.notify(here, due_at=now + timedelta(hours=1))
    rig.notify(here, due_at=now + timedelta(seconds=20), lease=b"x" * 16)
    rig.notify(here, 3, state="exhausted")
    rig.notify(here, 4, state="unaddressed")
    rig.notify(here, state="waiting")
    rig.notify(silent, due_at=now - timedelta(hours=1))
    rig.write("UPDATE merchants SET notify_url = NULL WHERE id = %s", silent.id)
    rig.notify(resting, 5, due_at=now - timedelta(hours=2))
    rig.write("INSERT INTO endpoints (merchant_id, failures, resting_until) VALUES (%s, 4, UTC_TIMESTAMP(6) + INTERVAL 20 SECOND), (%s, 1, NULL)",
                   resting.id, here.id)
    rig.write("UPDATE merchants SET enabled = 0 WHERE id = %s", here.id)  # whose exhausted ones are decided about
    shown = status(rig)
    rig.write("UPDATE merchants SET enabled = 1 WHERE id = %s", here.id)
    queue = shown["queue"]
    assert 30 <= queue.pop("oldest_due_seconds") < 90 and 7200 <= queue.pop("oldest_held_seconds") < 7300
    assert queue.pop("oldest_stuck_seconds") < 90
    assert queue == {"due": 2, "in_flight": 1, "held": 6, "stuck": 0, "exhausted": 3, "unaddressed": 4}
    (endpoint,) = shown["resting_endpoints"]
    assert [endpoint[key] for key in ("merchant", "failures", "probed", "pending")] == [resting.name, 4, False, 5]
    assert all(INSTANT.fullmatch(text) for text in instants(shown))
    rig.write("UPDATE endpoints SET resting_until = UTC_TIMESTAMP(6) WHERE merchant_id = %s", resting.id)
    rig.write("UPDATE merchants SET enabled = 0 WHERE id = %s", here.id)
    shown = status(rig)
    assert shown["resting_endpoints"][0]["probed"] is True and shown["queue"]["held"] == 6
    rig.write("UPDATE merchants SET enabled = 0 WHERE id = %s", resting.id)
    assert status(rig)["resting_endpoints"] == []


def test_late_notifications(rig: DispatchRig) -> None:
    seen(rig)
    rig.notify(rig.merchant("http://192.0.2.1/"), 2, due_at=rig.now() - timedelta(seconds=90))
    (said,) = problems(rig)
    assert said.startswith("notifications are due and nobody sends them (2, the oldest for 9") and "journalctl -u recaudo-deliver" in said
    assert status(rig, "--late", "300")["state"] == "well"


def without_time(said: str) -> str:
    return re.sub(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d[.]\d+Z", "TIME", said)


def test_queries_of_an_agreement_that_fail(rig: DispatchRig) -> None:
    """Another integration may have the same code, so the network is named; and it is found behind many others, which may have failed
    once, or twice."""
    seen(rig)
    first, merchant = rig.merchant(None), rig.merchant(None)
    rig.stack.ctl.done("network", "add", network := merchant.name + "-asks")
    network_id = rig.value("SELECT id FROM networks WHERE name = %s", network)
    rig.write("INSERT INTO integrations (merchant_id, kind, code, endpoint, currency, changed_by)"
              " SELECT %s, 2, 9600000 + seq, 'http://192.0.2.1/', 'COP', 'test' FROM seq_1_to_200", first.id)
    rig.stack.ctl.done("integration", "add", "--merchant", merchant.name, "--kind", "1", "--code", "97", "--network", network, "--endpoint",
                       "http://192.0.2.1/")

    def all_fail(whose: int) -> None:
        rig.write("INSERT INTO external_queries (asked_at, merchant_id, integration_id, network_id, reference, duration_us, outcome, field,"
                  " problem) SELECT UTC_TIMESTAMP(6), merchant_id, id, %s, code, 1, 'silent', 'timeout', 'failed' FROM integrations"
                  " WHERE merchant_id = %s", network_id, whose)

    for whose in (merchant.id, merchant.id, first.id):
        all_fail(whose)
    (said,) = problems(rig)
    assert without_time(said).startswith(
        f"{merchant.name} gave no usable answer to the last query about a reference 97... of network {network} (TIME): no whole reply in time; ")
    all_fail(first.id)
    *lines, last, more = problems(rig)
    assert [line.split()[0] for line in lines] == 5 * [first.name] and last == said
    assert more == "the last two queries of 195 more integrations failed too: recaudoctl query list --limit 1000"
    rig.write("UPDATE integrations SET removed_at = UTC_TIMESTAMP(6) WHERE merchant_id IN (%s, %s)", first.id, merchant.id)
    assert status(rig)["state"] == "well"


def test_queries_that_fail(rig: DispatchRig) -> None:
    """One that failed among others is no problem, two in a row are: of an integration that is silent, or whose answers are
    not valid, whatever the merchant's other one answers."""
    seen(rig)
    merchant = rig.merchant(None)
    rig.stack.ctl.done("network", "add", name := merchant.name + "-asks")
    network = rig.value("SELECT id FROM networks WHERE name = %s", name)
    broken, well = (rig.stack.ctl.json("integration", "add", "--merchant", merchant.name, "--kind", "2", "--code", code, "--endpoint",
                                       "http://192.0.2.1/")["id"] for code in ("94", "95"))

    def asked(outcome: str, field: str | None = None, problem: str | None = None, seconds_ago: int = 0, integration: int = broken) -> None:
        rig.write("INSERT INTO external_queries (asked_at, merchant_id, integration_id, network_id, reference, duration_us, outcome, field,"
                  " problem) VALUES (UTC_TIMESTAMP(6) - INTERVAL %s SECOND, %s, %s, %s, '94', 1, %s, %s, %s)", seconds_ago, merchant.id,
                  integration, network, outcome, field, problem)

    asked("silent", "timeout", "failed", 90000)
    asked("invalid", "HTTP status", "is not 200", 10)
    assert status(rig)["state"] == "well"  # the one before was more than a day ago
    asked("answered", None, None, 9)
    asked("invalid", "HTTP status", "is not 200", 8)
    assert status(rig)["state"] == "well"
    asked("invalid", "checksum", "is not valid", 7)
    for seconds_ago in range(3):
        asked("answered", None, None, seconds_ago, well)
    (said,) = problems(rig)
    assert without_time(said) == (
        f"the last answer of {merchant.name} about a reference 94... (TIME) was not valid: checksum is not valid; the query before failed "
        f"too; networks get 0109: recaudoctl query list --integration {broken}; tell the merchant")
    asked("silent", "timeout", "failed", 6)
    (said,) = problems(rig)
    assert without_time(said) == (
        f"{merchant.name} gave no usable answer to the last query about a reference 94... (TIME): no whole reply in time; the query before failed too; "
        f"networks get 0108 or 0110: recaudoctl query list --integration {broken}; tell the merchant")
    assert [row["outcome"] for row in rig.stack.ctl.json("query", "list", "--integration", str(broken))[:2]] == ["silent", "invalid"]
    asked("refused", None, "0044", 5)
    assert status(rig)["state"] == "well"


def test_what_waits_for_nothing(rig: DispatchRig) -> None:
    """`cancelled` behind an `approved` that is settled, and an unaddressed one whose merchant has an address."""
    seen(rig)
    merchant, long_ago = rig.merchant("http://192.0.2.1/"), rig.now() - timedelta(seconds=90)
    orders = rig.orders(merchant, 2)
    rig.notifications_about(merchant, orders, state="delivered")
    rig.notifications_about(merchant, orders, status="cancelled", state="waiting", sequence=2, due_at=long_ago)
    rig.notify(merchant, state="unaddressed", due_at=long_ago)
    (said,) = problems(rig)
    assert said.startswith("notifications are stuck and no dispatcher releases them (3, the oldest for 9")
    queue = status(rig, "--late", "300")["queue"]
    assert queue["stuck"] == 3 and 90 <= queue["oldest_stuck_seconds"] < 180
    assert [row["state"] for row in rig.rows("SELECT state FROM notifications_stuck ORDER BY state")] == [
        "unaddressed", "waiting", "waiting"]


def test_late_windows_and_orders(rig: DispatchRig) -> None:
    seen(rig)
    merchant, now = rig.merchant(None), rig.now()
    rig.confirmed_orders(merchant, 2, now - timedelta(seconds=100))
    rig.confirmed_orders(merchant, 1, now + timedelta(seconds=100))
    rig.orders(merchant, 3, state="PENDIENTE", due_at=now - timedelta(seconds=200))
    shown = status(rig, "--late", "300")["overdue"]
    assert (shown["windows"], shown["expiries"]) == (2, 3)
    assert 100 <= shown["oldest_window_seconds"] < 190 and 200 <= shown["oldest_expiry_seconds"] < 290
    windows, expiries = problems(rig)
    assert windows.startswith("cancellation windows have closed and are not written as final (2, ")
    assert expiries.startswith("orders are overdue and not written as expired (3, ")
    rig.pass_once()
    assert status(rig)["overdue"] == NOTHING_OVERDUE


def test_settlement_that_nobody_closes(rig: DispatchRig) -> None:
    """It was to be closed two hours ago, and no dispatcher settles."""
    rig.change_settlements("opened_at = opened_at - INTERVAL 3 DAY WHERE is_open = 1")
    time = (rig.now() - timedelta(hours=2)).strftime("%H:%M")
    on_time = {"settlement": {"close_at": time, "zone": "UTC"}}
    ctl = Ctl(rig.config(on_time))
    seen(rig, tasks=("deliver",))
    dispatcher, settlement = problems(rig, ctl=ctl)
    said = re.fullmatch(rf"the settlement was to be closed at {time} \(UTC\), (\d+) s ago, and is still open: journalctl -u recaudo-settle", settlement)
    assert said and 7200 <= int(said[1]) < 7400 and dispatcher.startswith("no settling dispatcher was seen")
    seen(rig)
    assert ctl.json("status", "--late", "86400")["state"] == "well"
    assert status(rig)["settlements"] == NO_DELAY  # without close_at nothing is due
    rig.pass_once(on_time)
    assert ctl.json("status")["settlements"] == NO_DELAY


def test_settlement_of_a_day_that_was_closed_by_hand(rig: DispatchRig) -> None:
    """The dispatcher leaves the next one open until its own day ends, so nothing is late. Status says why."""
    seen(rig)
    ended = rig.now() - timedelta(hours=2)
    number = rig.value("SELECT number FROM settlements WHERE is_open = 1")
    day = (ended - timedelta(minutes=1)).strftime("%F")  # what is closed at midnight is the day before
    older = "opened_at = opened_at - INTERVAL 3 DAY WHERE is_open = 1"
    rig.change_settlements(older)
    assert rig.value("SELECT settlement_close(%s, 'operator:ana', %s, 'Etc/UTC', %s)", number, day, ended) == 1
    rig.pass_once()
    ctl = Ctl(rig.config({"settlement": {"close_at": ended.strftime("%H:%M"), "zone": "Etc/UTC"}}))
    assert ctl.json("status")["state"] == "well"
    rig.change_settlements(older)
    assert ctl.run("--json", "status").returncode == 1
    (said,) = problems(rig, ctl=ctl)
    assert said.startswith(f"the settlement of {day} in Etc/UTC was closed at ") and "stays open until the next closing" in said
    assert json.loads(ctl.run("--json", "status").stdout)["settlements"] == NO_DELAY


def test_settlements_of_two_zones(rig: DispatchRig) -> None:
    """Two hosts close one each, every day. One that was changed closes its next ones in the new zone."""
    def close(zone: str, day: str, who: str = "dispatcher") -> int:
        number = int(rig.value("SELECT number FROM settlements WHERE is_open = 1"))
        assert rig.value("SELECT settlement_close(%s, %s, %s, %s, NULL)", number, who, day, zone) == 1
        return number

    seen(rig)
    first = close("Asia/Tokyo", "2023-05-01")
    close("Asia/Seoul", "2023-05-01", "operator:ana")
    second = close("America/Lima", "2023-05-01")
    rig.pass_once()
    (said,) = problems(rig)
    assert said.startswith(f"settlements {first} and {second} were closed for days of Asia/Tokyo and of America/Lima: ")
    close("America/Lima", "2023-05-02")
    rig.pass_once()
    assert status(rig)["state"] == "well"
    third = close("Asia/Tokyo", "2023-05-02")
    rig.pass_once()
    assert len(problems(rig)) == 1
    rig.change_settlements("opened_at = opened_at - INTERVAL 49 HOUR, closed_at = closed_at - INTERVAL 49 HOUR"
                           f" WHERE number BETWEEN {first} AND {third}")
    assert status(rig)["state"] == "well"


def test_settlement_without_a_digest(rig: DispatchRig) -> None:
    seen(rig)
    number = rig.value("SELECT number FROM settlements WHERE is_open = 1")
    assert rig.value("SELECT settlement_close(%s, 'operator:ana', NULL, NULL, NULL)", number) == 1
    shown = status(rig)
    assert shown["state"] == "well" and shown["settlements"]["without_digest"] == 1
    rig.change_settlements("opened_at = opened_at - INTERVAL 3 DAY, closed_at = closed_at - INTERVAL 5 MINUTE"
                                f" WHERE number = {number}")
    (said,) = problems(rig)
    assert said.startswith("settlements were closed and have no digest (1, the oldest for 3")
    rig.pass_once()
    assert status(rig)["settlements"] == NO_DELAY


def test_operations_in_no_settlement(rig: DispatchRig) -> None:
    """Payments are final, orders expire, and the dispatcher shows life. Only what is to be paid out waits."""
    rig.confirmed_orders(rig.merchant(None), 2, rig.now() - timedelta(seconds=100))
    rig.write("REVOKE EXECUTE ON FUNCTION settlement_collect FROM recaudo_dispatcher@localhost")
    try:
        assert rig.run_once().returncode != 0
        shown = status(rig, "--late", "300")
        assert (shown["overdue"], shown["settlements"]["uncollected"]) == (NOTHING_OVERDUE, 2)
        (said,) = problems(rig)
        assert said.startswith("payments, cancellations or refunds are in no settlement (2, the oldest for 1") and "journalctl -u recaudo-settle" in said
    finally:
        rig.stack.ctl.done("db", "migrate")
    rig.pass_once()
    assert status(rig)["settlements"] == NO_DELAY


def test_no_dispatcher(rig: DispatchRig) -> None:
    assert problems(rig) == [f"no {word} dispatcher was seen within a day: is its timer active, or cron/recaudo"
                                  " installed?" for word in ("settling", "delivering")]
    seen(rig, ago=600)
    said = problems(rig)
    assert [line.split(" for 60")[0] for line in said] == [
        "no settling dispatcher was seen", "no delivering dispatcher was seen"]
    seen(rig, "elsewhere")
    assert status(rig)["state"] == "well"


def test_a_cause_comes_before_what_follows_from_it(rig: DispatchRig) -> None:
    seen(rig, ago=600)
    rig.notify(rig.merchant("http://192.0.2.1/"), due_at=rig.now() - timedelta(seconds=90))
    settling, delivering, late, *_ = problems(rig)
    assert settling.startswith("no settling dispatcher") and delivering.startswith("no delivering dispatcher")
    assert late.startswith("notifications are due and nobody sends them")


def test_one_of_the_two_is_missing(rig: DispatchRig) -> None:
    seen(rig, tasks=("deliver",))
    (said,) = problems(rig)
    assert said.startswith("no settling dispatcher was seen within a day")
    seen(rig, ago=600, tasks=("settle",))
    (said,) = problems(rig)
    assert said.startswith("no settling dispatcher was seen for 60")


def test_newer_schema(rig: DispatchRig) -> None:
    try:
        rig.write("INSERT INTO schema_version (version, name, checksum, applied_at)"
                       " VALUES (9999, 'x', REPEAT('0', 64), UTC_TIMESTAMP(6))")
        (said,) = problems(rig)
        assert said.startswith("the schema has version 9999, ") and said.endswith("install the newer program")
    finally:
        rig.write("DELETE FROM schema_version WHERE version = 9999")


def test_older_schema(rig: DispatchRig) -> None:
    row = rig.row("SELECT * FROM schema_version ORDER BY version DESC LIMIT 1")
    try:
        rig.write("DELETE FROM schema_version WHERE version = %s", row["version"])
        (said,) = problems(rig)
        assert said.endswith("run recaudoctl db migrate")
    finally:
        rig.write("INSERT INTO schema_version VALUES (%s, %s, %s, %s, %s)", *row.values())


def test_no_database(rig: DispatchRig, tmp_path: Path) -> None:
    config = tmp_path / "recaudo.conf"
    stack = rig.stack
    write_config(config, default_settings(stack.mariadb, stack.worker.socket, stack.key_file),
                 {"database": {"socket": tmp_path / "nobody.sock"}})
    unknown(Ctl(config), 3, "the database cannot be reached")


def unknown(ctl: Ctl, status: int, reason: str) -> None:
    """A script that reads standard output alone finds a state as well."""
    plain, scripted = ctl.run("status"), ctl.run("--json", "status")
    assert plain.returncode == scripted.returncode == status and reason in plain.stderr
    assert re.search(r"^state +unknown$", plain.stdout, re.MULTILINE), plain.stdout
    shown = json.loads(scripted.stdout)
    assert list(shown) == ["error", "state"] and shown["state"] == "unknown" and reason in shown["error"]


def test_a_wrong_value_in_the_configuration(rig: DispatchRig, tmp_path: Path) -> None:
    wrong = tmp_path / "recaudo.conf"
    wrong.write_text("[worker]\nprocesses = many\n")
    unknown(Ctl(wrong), 1, "processes")


def test_asked_wrongly(rig: DispatchRig) -> None:
    for value in ("0", "x", "86401", "-5"):
        assert misused(rig.stack.ctl, "status", f"--late={value}") == (
            "--late is a number of seconds from 1 to 86400")
    assert misused(rig.stack.ctl, "status", "now") == "unexpected argument 'now'"
    assert "usage: recaudoctl status [--late SECONDS]" in rig.stack.ctl.run("status", "now").stderr
    result = rig.stack.ctl.run("status", "--help")
    assert result.returncode == 0 and result.stdout.startswith("usage: recaudoctl status [--late SECONDS]\n")


def test_what_was_exhausted_waits_for_somebody(rig: DispatchRig, stub: MerchantStub) -> None:
    """Nothing sends it again by itself. Who has disabled the merchant has decided."""
    seen(rig)
    merchant = rig.merchant(stub.on("n", ok))
    rig.notify(merchant, 2, state="exhausted")
    (said,) = problems(rig)
    assert said.startswith("notifications are exhausted and wait for an operator (2): recaudoctl notification list --state exhausted")
    rig.stack.ctl.done("merchant", "disable", merchant.name)
    assert (status(rig)["state"], status(rig)["queue"]["exhausted"]) == ("well", 2)
    rig.stack.ctl.done("merchant", "enable", merchant.name)
    rig.stack.ctl.done("notification", "retry", "--merchant", merchant.name, "--since", "2020-01-01T00:00:00Z",
                       "--reason", "their receiver is back")
    rig.pass_once()
    assert status(rig)["state"] == "well"


def test_a_lock_on_a_table(rig: DispatchRig) -> None:
    """It names the cause; it changes nothing, so nobody is to look whether it did."""
    seen(rig)
    with rig.stack.mariadb.connect() as holder, holder.cursor() as cursor:
        cursor.execute("LOCK TABLES orders WRITE")
        result = rig.stack.ctl.run("status")
    said = result.stderr.splitlines()[-1]
    assert result.returncode == 3 and said.startswith("recaudoctl: cannot read the health of the service: "), result.stderr
    assert "a session holds a lock on a table: SHOW FULL PROCESSLIST" in said and "repeat" not in said


def test_an_alter_that_waits(rig: DispatchRig) -> None:
    """Behind it statements end while they are prepared, as if the database was away: the cause is named all the same."""
    seen(rig)
    alter = "ALTER TABLE orders ADD INDEX mine (changed_by)"
    with rig.stack.mariadb.connect() as reader, reader.cursor() as cursor, ThreadPoolExecutor() as pool:
        cursor.execute("BEGIN")
        cursor.execute("SELECT COUNT(*) FROM orders")
        altering = pool.submit(rig.stack.mariadb.query, f"SET STATEMENT lock_wait_timeout = 20 FOR {alter}")
        wait_until(lambda: rig.rows("SELECT 1 FROM information_schema.processlist WHERE state = 'Waiting for table metadata lock'"), "it to wait")
        result = rig.stack.ctl.run("status")
        reader.rollback()
        altering.result(60)
    rig.write("ALTER TABLE orders DROP INDEX mine")
    assert result.returncode == 3 and "a session holds a lock on a table: SHOW FULL PROCESSLIST" in result.stderr, result.stderr


@pytest.mark.parametrize("statement, end, cause", [
    ("SET GLOBAL read_only = 1", "SET GLOBAL read_only = 0", "it is read only (SELECT @@read_only): SET GLOBAL read_only = OFF, if"),
    ("FLUSH TABLES WITH READ LOCK", "UNLOCK TABLES", "SHOW FULL PROCESSLIST for the read lock")])
def test_why_nothing_is_written(rig: DispatchRig, statement: str, end: str, cause: str) -> None:
    seen(rig)
    with rig.stack.mariadb.connect() as holder, holder.cursor() as cursor:
        cursor.execute(statement)
        try:
            said = json.loads(rig.stack.ctl.run("--json", "status").stdout)["problems"][0]["problem"]
        finally:
            cursor.execute(end)
    assert said.startswith("the database accepts no writes: ") and cause in said
    assert ("its disk is full" in said) == ("READ LOCK" in statement)


def test_an_endpoint_that_has_long_been_failing(rig: DispatchRig) -> None:
    """A quarter of an hour is more than a restart of the merchant's."""
    seen(rig)
    merchant = rig.merchant("http://192.0.2.1/")
    rig.notify(merchant, 3, due_at=rig.now() + timedelta(hours=1))
    rig.write("INSERT INTO endpoints (merchant_id, failures, resting_until, failing_since) VALUES"
              " (%s, 9, UTC_TIMESTAMP(6) + INTERVAL 20 SECOND, UTC_TIMESTAMP(6) - INTERVAL 14 MINUTE)", merchant.id)
    assert status(rig)["state"] == "well"
    rig.write("UPDATE endpoints SET failing_since = UTC_TIMESTAMP(6) - INTERVAL 16 MINUTE")
    (said,) = problems(rig)
    assert said.startswith(f"the endpoint of {merchant.name} has failed for 9") and "notifications wait for it (3): " in said
    assert f"recaudoctl notification test --merchant {merchant.name}" in said
    assert "unless `last_attempt` says secret or certificates" in said
    rig.write("UPDATE notifications SET state = 'unaddressed' WHERE merchant_id = %s", merchant.id)
    (said,) = problems(rig)
    assert "s: recaudoctl notification list --merchant" in said and "wait" not in said


def test_a_merchant_that_refuses_everything(rig: DispatchRig, stub: MerchantStub) -> None:
    """Its endpoint answers and so does not rest; for 94 hours nobody would hear of it. A receiver that refuses single ones does
    not count, nor does one that takes the next."""
    seen(rig)
    merchant, other = rig.merchant(stub.on("n", says("ERROR the checksum does not fit"))), rig.merchant(stub.on("o", ok))
    rig.notify(merchant, 3)
    rig.pass_once()
    assert status(rig)["state"] == "well"  # they are young
    rig.write("UPDATE notifications SET created_at = created_at - INTERVAL 16 MINUTE")
    (said,) = problems(rig)
    assert said.startswith(f"{merchant.name} acknowledges no notification (3 failed and wait for another attempt, the oldest for 9")
    assert f"recaudoctl notification list --merchant {merchant.name}" in said
    rig.notify(other, 1)
    rig.pass_once()
    assert len(problems(rig)) == 1, "what another merchant takes is not its own"
    stub.on("n", ok)
    (under_way,) = rig.notify(merchant, 1)
    rig.pass_once()
    assert status(rig)["state"] == "well"
    rig.write("UPDATE notifications SET due_at = due_at - INTERVAL 16 MINUTE WHERE id = %s", under_way)
    assert status(rig)["state"] == "well", "it came up after the others, so they are single ones"
    stub.on("n", says("ERROR the checksum does not fit"))
    rig.notify(merchant, 1)
    rig.pass_once()
    assert "(4 failed and" in problems(rig)[0], "what was acknowledged 16 minutes ago hides nothing of what came up since"


def test_replies_that_need_somebody(rig: DispatchRig) -> None:
    """Of the last five minutes: 0009 is a fault of ours, 0113 leaves a customer's money with the network. Of the last minute: 0028
    ends by itself when its cause does."""
    seen(rig)
    rig.write("INSERT INTO refusal_counts (began_at, code, refusals, last_at) VALUES"
              " ('2026-01-02 14:00:00', '0009', 7, UTC_TIMESTAMP(6) - INTERVAL 290 SECOND),"
              " ('2026-01-02 08:00:00', '0028', 3, UTC_TIMESTAMP(6) - INTERVAL 40 SECOND),"
              " ('2026-01-02 09:00:00', '0113', 2, UTC_TIMESTAMP(6) - INTERVAL 280 SECOND), (UTC_TIMESTAMP(6), '0103', 9, UTC_TIMESTAMP(6))")
    try:
        again, fault, limit = problems(rig)
        assert again.startswith("requests are answered 0028, try again") and "(3 since 08:00 UTC, the last 4" in again
        assert "`waiting for a row`" in again and "`Waiting for table metadata lock`" in again and "database.md (Locks and slow statements)" in again
        assert fault.startswith("requests are answered 0009") and "(7 since 14:00 UTC, the last 29" in fault
        assert limit.startswith("confirmations are refused with 0113") and "(2 since 09:00 UTC, the last 28" in limit
        rig.write("UPDATE refusal_counts SET last_at = last_at - INTERVAL 20 SECOND")
        assert status(rig)["state"] == "well"
    finally:
        rig.write("DELETE FROM refusal_counts")


def with_worker_socket(rig: DispatchRig, path: Path) -> Ctl:
    return Ctl(rig.config({"worker": {"socket": str(path)}}))


def test_recaudo_query_does_not_answer(rig: DispatchRig, tmp_path: Path) -> None:
    """Missing beside the workers' socket, stopped, frozen, of another version."""
    seen(rig)
    ctl = with_worker_socket(rig, tmp_path / "w")
    assert ctl.json("status")["recaudo_query"] == {"state": "no workers on this host"}
    (tmp_path / "w").touch()
    (missing,) = problems(rig, ctl=ctl)
    assert missing.startswith(f"recaudo-query at {tmp_path}/w.queries is missing beside the workers' socket {tmp_path}/w, ")
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(tmp_path / "w.queries"))
        (stopped,) = problems(rig, ctl=ctl)
        assert "does not answer (Connection refused), and lookups that a merchant answers get 0028: systemctl status" in stopped
        listener.listen(8)
        (frozen,) = problems(rig, ctl=ctl)
        assert "does not answer (Connection timed out)" in frozen
        with Talker(listener):
            (other,) = problems(rig, ctl=ctl)
        assert "does not answer (Protocol error)" in other


class Talker(threading.Thread):
    """Says to each who comes what cannot be."""

    def __init__(self, listener: socket.socket) -> None:
        super().__init__(daemon=True)
        self.listener, self.kept = listener, list[socket.socket]()

    def run(self) -> None:
        with suppress(OSError):
            while True:
                self.kept.append(self.listener.accept()[0])
                with suppress(OSError):
                    self.kept[-1].send(b"x" * 200)

    def __enter__(self) -> "Talker":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.join(60)
        for link in self.kept:
            link.close()


def test_retention_that_nobody_carries_out(rig: DispatchRig) -> None:
    """Two nights; off, it is not asked for."""
    seen(rig)
    rig.write("UPDATE retention SET begun_for = UTC_TIMESTAMP(6) - INTERVAL 47 HOUR")
    assert status(rig)["state"] == "well"
    rig.write("UPDATE retention SET begun_for = UTC_TIMESTAMP(6) - INTERVAL 50 HOUR")
    try:
        attempts, queries = problems(rig)
        assert attempts.startswith("the nightly removal of delivery attempts has not begun for 50 hours: journalctl -u recaudo-settle")
        assert queries.startswith("the nightly removal of records of external queries ")
        rig.write("UPDATE retention SET ended_at = NULL WHERE what = 'orders'")
        said = problems(rig, ctl=Ctl(rig.config({"retention": {"attempts": "off", "queries": "off", "personal": "30d"}})))
        assert [problem.split(":")[0] for problem in said] == [
            "the nightly removal of transactions' personal data has not begun for 50 hours",
            "the nightly removal of orders' personal data has not ended for 50 hours"]
        off = Ctl(rig.config({"retention": {"begin_at": "off"}}))
        assert off.json("status")["state"] == "well"
    finally:
        rig.write("UPDATE retention SET begun_for = UTC_TIMESTAMP(6), ended_at = UTC_TIMESTAMP(6)")


def test_a_log_that_is_gone(rig: DispatchRig) -> None:
    """TRUNCATE asks no trigger; the seals went too."""
    seen(rig, ago=0)
    rig.orders(rig.merchant(None))
    assert rig.value("SELECT COUNT(*) FROM event_log") > 0 and "log-gone" not in rig.stack.ctl.run("audit", "verify").stderr
    for table in ("event_log", "seals"):
        rig.write(f"TRUNCATE {table}")
    verified = rig.stack.ctl.run("audit", "verify")
    assert verified.returncode == 1 and "log-gone: there are orders, and no event at all" in verified.stderr
    assert any("does not fit" in problem for problem in problems(rig))
