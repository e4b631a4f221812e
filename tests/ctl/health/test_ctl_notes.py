"""status: what programs noted of themselves in the database, and what of it the clock made void when it was set back."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest

from tests.stack.dispatch_rig import DispatchRig

from test_ctl_status import problems, seen, status

NOTE = "REPLACE INTO last_done (what, host, at) VALUES (%s, COALESCE(%s, LEFT(@@hostname, 64)), UTC_TIMESTAMP(6) - INTERVAL %s SECOND)"
HOUR = 3600


def note(rig: DispatchRig, what: str, host: str | None, ago: int) -> None:
    rig.write(NOTE, what, host, ago)


def workers(rig: DispatchRig) -> dict[str, Any]:
    shown = json.loads(rig.stack.ctl.run("--json", "status").stdout)
    return {worker["host"]: worker["seconds_ago"] for worker in shown["workers"]}


def removal(problem: str) -> str:
    """The statement that it names, of a host where no workers are to run any more."""
    return re.findall("as the owner, (DELETE [^;]*)", problem)[0]


def test_workers_that_are_gone(rig: DispatchRig) -> None:
    """Of one host of two, of both, and of one that was taken away."""
    seen(rig)
    assert workers(rig) == {} and status(rig)["state"] == "well"
    note(rig, "serving", "web1", 5)
    note(rig, "serving", "web2", 90)
    assert set(workers(rig)) == {"web1", "web2"} and 90 <= workers(rig)["web2"] < 150
    (problem,) = problems(rig)
    assert problem.startswith("no workers were seen on web2 for ") and problem.endswith("; or this line goes after a day")
    rig.write(removal(problem))
    assert status(rig)["state"] == "well" and set(workers(rig)) == {"web1"}
    note(rig, "serving", "web2", 90)
    note(rig, "serving", "web1", 80)
    (nowhere,) = problems(rig)
    assert nowhere.startswith("no workers were seen on any host for 8") and "day" not in nowhere
    note(rig, "serving", "web1", 5)
    note(rig, "serving", "web2", 25 * HOUR)
    assert status(rig)["state"] == "well" and set(workers(rig)) == {"web1"}
    note(rig, "serving", "web1", 26 * HOUR)
    (nowhere,) = problems(rig)
    assert nowhere.startswith("no workers were seen on any host for 900")


def test_networks_that_are_refused(rig: DispatchRig) -> None:
    seen(rig)
    rig.stack.ctl.done("network", "add", "red uno")
    rig.write("INSERT INTO network_refusals (network_id, code, since) SELECT id, '0019', UTC_TIMESTAMP(6) - INTERVAL 80 SECOND"
              " FROM networks WHERE name = 'red uno'")
    (problem,) = problems(rig)
    assert re.match(r"the network red uno has been refused with 0019 for \d+ s, because it calls from an address that is not on its list: "
                    r"recaudoctl network show 'red uno'; journalctl -u recaudo-fcgi has the address", problem)
    rig.write("UPDATE network_refusals SET code = '0025'")
    (problem,) = problems(rig)
    assert "refused with 0025 for " in problem and "it uses another secret" in problem
    rig.stack.ctl.done("network", "disable", "red uno")
    assert status(rig)["state"] == "well"


@pytest.mark.parametrize("what", ["reload", "unrecorded", "rights"])
def test_a_trouble_of_the_future(rig: DispatchRig, what: str) -> None:
    """The clock was set back since: what lasts is noted again. Another server of a cluster may be ahead a little."""
    seen(rig)
    note(rig, what, "ahead", -5)
    (problem,) = problems(rig)
    assert " of ahead " in problem
    note(rig, what, "ahead", -HOUR)
    assert status(rig)["state"] == "well"


def test_dispatchers_backups_and_refusals_of_the_future(rig: DispatchRig) -> None:
    seen(rig, "ahead", ago=-HOUR)
    note(rig, "backup", "ahead", -HOUR)
    note(rig, "serving", "ahead", -HOUR)
    rig.write("INSERT INTO refusal_counts (began_at, code, refusals, last_at)"
              " VALUES (UTC_TIMESTAMP(6), '0009', 1, UTC_TIMESTAMP(6) + INTERVAL 1 HOUR)")
    try:
        assert [re.split(" was | were ", line)[0] for line in problems(rig)] == [
            "no workers", "no settling dispatcher", "no delivering dispatcher"]
        seen(rig)
        note(rig, "serving", "here", 0)
        note(rig, "serving", "ahead", 0)
        shown = status(rig)
        assert [host["host"] for host in shown["dispatchers"]] == ["here"] and "backup_seconds_ago" not in shown
    finally:
        rig.write("DELETE FROM refusal_counts")


def test_workers_of_the_future(rig: DispatchRig) -> None:
    """They were seen before the clock was set back, and nobody knows for how long they have been gone."""
    seen(rig)
    note(rig, "serving", "web1", -HOUR)
    (nowhere,) = problems(rig)
    assert nowhere.startswith("no workers were seen on any host since the database's clock was set back: ")
    assert workers(rig) == {}
    note(rig, "serving", "web2", 5)
    (problem,) = problems(rig)
    assert problem.startswith("no workers were seen on web1 since the database's clock was set back: ")
    assert set(workers(rig)) == {"web2"}
    rig.write(removal(problem))
    assert status(rig)["state"] == "well"


def pay(rig: DispatchRig, hours_ago: int) -> None:
    """Its window is open still."""
    rig.write("SET timestamp = UNIX_TIMESTAMP() - 3600 * %s", hours_ago)
    try:
        rig.confirmed_orders(rig.merchant(None), 1, rig.now() + timedelta(hours=100))
    finally:
        rig.write("SET timestamp = DEFAULT")


@pytest.mark.parametrize("backup", [None, -48 * HOUR])
def test_a_backup_that_was_never_noted(rig: DispatchRig, backup: int | None) -> None:
    """Or in the future alone, before the clock was set back. A new service has nothing to save."""
    seen(rig)
    if backup is not None:
        note(rig, "backup", "here", backup)
    assert status(rig)["state"] == "well"
    pay(rig, 25)
    assert status(rig)["state"] == "well"
    pay(rig, 27)
    (problem,) = problems(rig)
    assert problem.startswith("no backup was noted, and the first payment came 27 hours ago: ")
    assert "SELECT backup_note('HOST')" in problem
    note(rig, "backup", "here", 0)
    assert status(rig)["state"] == "well"


def test_an_age_is_not_negative(rig: DispatchRig) -> None:
    seen(rig, ago=-20)
    note(rig, "backup", "ahead", -20)
    note(rig, "serving", "ahead", -20)
    shown = status(rig)
    assert shown["backup_seconds_ago"] == 0 and shown["dispatchers"][0]["seconds_ago"] == 0 and workers(rig) == {"ahead": 0}


def room_events(rig: DispatchRig) -> int:
    return int(rig.value("SELECT COUNT(*) FROM event_log WHERE what = 'room'"))


def test_a_full_disk_of_the_future(rig: DispatchRig) -> None:
    """It is over a minute after it was found, and said once, whatever the clock says of the events before."""
    seen(rig)
    note(rig, "full", None, -HOUR)
    (problem,) = problems(rig)
    assert problem.startswith("the database accepts no writes")
    rig.write("UPDATE last_done SET at = at - INTERVAL 61 SECOND WHERE what = 'full'")
    rig.write("INSERT INTO event_log (at, subject, subject_id, what, actor)"
              " VALUES (UTC_TIMESTAMP(6) + INTERVAL 1 HOUR, 'setting', 1, 'changed', 'test')")
    assert [status(rig)["state"], room_events(rig), status(rig)["state"], room_events(rig)] == ["well", 1, "well", 1]


def test_an_event_of_a_clock_that_is_a_little_ahead_proves_room(rig: DispatchRig) -> None:
    """As one that came while the program tried: its instant is later than the beginning of the try."""
    seen(rig)
    note(rig, "full", None, HOUR)
    before = room_events(rig)
    rig.write("INSERT INTO event_log (at, subject, subject_id, what, actor)"
              " VALUES (UTC_TIMESTAMP(6) + INTERVAL 30 SECOND, 'setting', 1, 'changed', 'test')")
    assert [status(rig)["state"], room_events(rig)] == ["well", before]
