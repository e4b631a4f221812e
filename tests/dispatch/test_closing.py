"""[settlement] close_at: a settlement is closed once a day, however many dispatchers run, and after they were away."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import pairwise
from typing import Any

from tests.stack.database_proxy import DatabaseProxy
from tests.stack.dispatch_rig import DispatchRig
from tests.stack.waiting import wait_until

EVERY_NIGHT = {"settlement": {"close_at": "00:00", "zone": "America/Bogota"}}


def settlements(rig: DispatchRig) -> list[dict[str, Any]]:
    return rig.rows("SELECT * FROM settlements ORDER BY number")


def opened_days_ago(rig: DispatchRig, days: int) -> None:
    rig.change_settlements(f"opened_at = opened_at - INTERVAL {days} DAY WHERE is_open = 1")


def yesterday_in_bogota(rig: DispatchRig) -> str:
    return ((rig.now() - timedelta(hours=5)).date() - timedelta(days=1)).isoformat()


def test_closes_once_after_days_without_a_dispatcher(rig: DispatchRig) -> None:
    opened_days_ago(rig, 4)
    before = settlements(rig)
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: rig.run_once(EVERY_NIGHT), range(3)))
    rig.run_once(EVERY_NIGHT)
    after = settlements(rig)
    assert len(after) == len(before) + 1
    closed, opened = after[-2:]
    assert (closed["state"], closed["closed_by"], closed["zone"]) == ("closed", "dispatcher", "America/Bogota")
    assert closed["day"] == yesterday_in_bogota(rig)
    assert closed["digest"] is not None and opened["state"] == "open" and opened["opened_at"] == closed["closed_at"]


def test_closes_nothing_unless_it_is_told(rig: DispatchRig) -> None:
    opened_days_ago(rig, 4)
    before = settlements(rig)
    rig.run_once()
    assert settlements(rig) == before


def test_the_digest_of_a_settlement_that_is_read_in_pages(rig: DispatchRig) -> None:
    """recaudoctl reads it in one piece. Most of its operations share an instant."""
    merchant = rig.merchant(None)
    now = rig.now()
    for seconds in (10, 10, 10, 20):
        rig.confirmed_orders(merchant, 900, now - timedelta(seconds=seconds))
    rig.run_once()
    number = rig.value("SELECT number FROM settlements WHERE is_open = 1")
    assert rig.value("SELECT settlement_close(%s, 'operator:ana', NULL, NULL, NULL)", number) == 1
    with rig.dispatcher():
        digests = "SELECT digest FROM settlements WHERE number = %s"
        wait_until(lambda: rig.value(digests, number) is not None, "the digest")
    assert rig.value("SELECT finalised = collected AND finalised >= 3600 FROM settlements WHERE number = %s", number)
    rig.stack.ctl.done("report", "settlement", "--summary", "--number", str(number))  # fails where it differs


def test_digest_though_operations_cannot_be_collected(rig: DispatchRig) -> None:
    """As where a row is damaged. What is closed can be paid out; the exit status says that something was refused."""
    merchant = rig.merchant(None)
    rig.confirmed_orders(merchant, 1, rig.now())
    rig.run_once()
    number = rig.value("SELECT number FROM settlements WHERE is_open = 1")
    assert rig.value("SELECT settlement_close(%s, 'operator:ana', NULL, NULL, NULL)", number) == 1
    rig.confirmed_orders(merchant, 1, rig.now())
    with rig.refusing("UPDATE", "settlement_items"):
        result = rig.run_once()
    assert result.returncode == 1 and "closing_collect failed: refused" in result.stderr
    assert rig.value("SELECT digest FROM settlements WHERE number = %s", number) is not None
    rig.pass_once()
    assert rig.value("SELECT COUNT(*) FROM settlement_items WHERE settlement IS NOT NULL") == 2


def test_digest_is_computed_without_sleep_though_a_statement_is_refused(rig: DispatchRig, proxy: DatabaseProxy) -> None:
    """Between two slices of it there is no sleep of half a second, whatever the database refuses in each pass."""
    rig.confirmed_orders(rig.merchant(None), 8000, rig.now() - timedelta(seconds=10))
    rig.run_once()
    number = rig.value("SELECT number FROM settlements WHERE is_open = 1")
    assert rig.value("SELECT settlement_close(%s, 'operator:ana', NULL, NULL, NULL)", number) == 1
    proxy.answers_take = 0.05  # so that a slice has few pages
    rig.write("REVOKE SELECT (held_by) ON orders FROM recaudo_dispatcher@localhost")
    try:
        with rig.dispatcher({"database": {"socket": proxy.path}}):
            wait_until(lambda: rig.value("SELECT digest FROM settlements WHERE number = %s", number) is not None, "the digest")
    finally:
        rig.write("GRANT SELECT (held_by) ON orders TO recaudo_dispatcher@localhost")
    passes = [at for at, statement in proxy.prepared if b"MIN(window_ends_at)" in statement]
    assert min(after - before for before, after in pairwise(passes)) < 0.5


def test_a_day_that_has_a_settlement_is_not_closed_again(rig: DispatchRig) -> None:
    """As after a change of the zone. The log says that the settlement stays open, and until when."""
    opened_days_ago(rig, 2)
    rig.pass_once(EVERY_NIGHT)
    opened_days_ago(rig, 1)
    before = settlements(rig)
    log = rig.pass_once(EVERY_NIGHT).stderr
    assert f"stays open until the next cut: {yesterday_in_bogota(rig)} in America/Bogota has a settlement already" in log
    assert settlements(rig) == before


def test_days_are_closed_after_a_clock_that_was_ahead(rig: DispatchRig) -> None:
    """It closed one two days early. Every day gets its settlement as before, once, and the one of the wrong day stays alone."""
    day = yesterday_in_bogota(rig)
    early = ((rig.now() - timedelta(hours=5)).date() + timedelta(days=1)).isoformat()
    rig.change_settlements(f"day = NULL, zone = NULL WHERE day = '{day}'")  # other tests have closed it
    number = rig.value("SELECT number FROM settlements WHERE is_open = 1")
    assert rig.value("SELECT settlement_close(%s, 'dispatcher', %s, 'America/Bogota', NULL)", number, day) == 1
    rig.pass_once()
    rig.change_settlements(f"day = '{early}', closed_at = closed_at + INTERVAL 2 DAY WHERE number = {number}")
    rig.change_settlements("opened_at = opened_at + INTERVAL 2 DAY WHERE is_open = 1")
    logs = [rig.pass_once(EVERY_NIGHT).stderr for _ in range(3)]
    after = [(row["number"], row["day"]) for row in settlements(rig) if row["number"] >= number]
    assert after == [(number, early), (number + 1, day), (number + 2, None)]
    assert "stays open" not in "".join(logs)
    rig.stack.ctl.done("report", "settlement", "--summary", "--number", str(number + 1))
    opened_days_ago(rig, 2)
