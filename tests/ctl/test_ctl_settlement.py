"""Settlements: what counts, in which form, and that a closed one stays the same for ever."""

import csv
import hashlib
import io
import json
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, Iterator

import pytest

from tests.stack import Ctl, Network, Stack

from operator_steps import COMMERCE, NETWORK, add_order, fresh, fresh_number, misused, refused
from test_ctl_payments import dispatch, pay

KINDS = ("finalised", "cancelled", "refunded")
DAYS = iter(date(2024, 1, 1) + timedelta(days=10 * number) for number in range(200))


@pytest.fixture
def day() -> Iterator[date]:
    """A day of the past that no other test uses, nor its neighbours."""
    yield next(DAYS)


def move(stack: Stack, transaction: str, window_ends_at: str) -> None:
    """As if it had been confirmed so that its window ended at this instant (UTC); a cancellation was 5 s before."""
    stack.mariadb.query("UPDATE transactions t LEFT JOIN orders o ON o.held_by = t.id"
                        "   SET t.confirmed_at = %s - INTERVAL 30 SECOND, t.window_ends_at = %s, o.held_until = %s,"
                        "       t.cancelled_at = IF(t.state = 'CANCELADA', %s - INTERVAL 5 SECOND, NULL)"
                        " WHERE t.network_transaction = %s", *[window_ends_at] * 4, transaction)


def settled_at(ctl: Ctl, stack: Stack, network: Network, moment: str, amount: str = "45000") -> dict[str, Any]:
    """An order paid at this instant; the order, with its transaction."""
    order = add_order(ctl, amount=amount)
    transaction = pay(network, order["reference"], amount)
    move(stack, transaction, moment)
    dispatch(stack)
    return {**order, "transaction": transaction}


def close(ctl: Ctl, *words: str) -> Any:
    return ctl.json("settlement", "close", *words)


def begin_anew(ctl: Ctl, stack: Stack) -> Any:
    """Closes a settlement with all that earlier tests have paid, so that none of it comes into the next one."""
    stack.mariadb.query("UPDATE transactions t LEFT JOIN orders o ON o.held_by = t.id"
                        "   SET t.confirmed_at = t.confirmed_at - INTERVAL 1 MINUTE,"
                        "       t.window_ends_at = t.window_ends_at - INTERVAL 1 MINUTE,"
                        "       o.held_until = o.held_until - INTERVAL 1 MINUTE"
                        " WHERE t.state = 'CONFIRMADA'")
    dispatch(stack)
    return close(ctl)


def in_all_forms(ctl: Ctl, *words: str) -> dict[str, str]:
    return {form: ctl.done("report", "settlement", *words, "--format", form) for form in ("table", "csv", "json")}


def settlement(ctl: Ctl, day: date, *words: str) -> Any:
    return ctl.json("report", "settlement", "--date", day.isoformat(), *words)


def operations(report: Any) -> list[tuple[str, str, str]]:
    return [(row["kind"], row["transaction"], row["amount"]) for row in report["operations"]]


def test_a_day_with_everything(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    paid = settled_at(ctl, stack, network, f"{day} 10:00:00", "1000.50")
    waiting = settled_at(ctl, stack, network, f"{day} 11:00:00", "20")
    order = add_order(ctl, amount="7")
    cancelled = pay(network, order["reference"], "7")
    network.confirm(cancelled, False)
    move(stack, cancelled, f"{day} 12:00:00")
    document = fresh_number()
    ctl.done("account", "add", "--document", document, "--type", "CC", "--name", "Ana", "--currency", "USD")
    top_up = fresh("T")
    assert network.register(document, "3.25", top_up, "recaudo", "USD").code == "0000"
    assert network.confirm(top_up).code == "0000"
    move(stack, top_up, f"{day} 13:00:00")
    dispatch(stack)
    unwritten = pay(network, add_order(ctl)["reference"])
    move(stack, unwritten, f"{day} 14:00:00")  # no dispatcher passes
    report = settlement(ctl, day)
    assert operations(report) == [("finalised", paid["transaction"], "1000.50"),
                                  ("finalised", waiting["transaction"], "20.00"), ("cancelled", cancelled, "7.00"),
                                  ("finalised", top_up, "3.25")]
    first, last = report["operations"][0], report["operations"][-1]
    assert first == {"kind": "finalised", "network": NETWORK, "transaction": paid["transaction"], "merchant": "tienda",
                     "po_id": paid["po_id"], "currency": "COP", "amount": "1000.50", "at": f"{day}T10:00:00.000000Z",
                     "idservice": ctl.json("transaction", "show", NETWORK, paid["transaction"])["idservice"]}
    assert (last["merchant"], last["po_id"], last["currency"]) == (None, None, "USD")
    cop = {"currency": "COP", "finalised": {"count": 2, "amount": "1020.50"},
           "cancelled": {"count": 1, "amount": "7.00"}, "refunded": {"count": 0, "amount": "0.00"}}
    usd = {"currency": "USD", "finalised": {"count": 1, "amount": "3.25"},
           "cancelled": {"count": 0, "amount": "0.00"}, "refunded": {"count": 0, "amount": "0.00"}}
    assert report["networks"] == [{"network": NETWORK, **cop}, {"network": NETWORK, **usd}]
    assert report["merchants"] == [{"merchant": None, **usd}, {"merchant": "tienda", **cop}]
    assert report["totals"] == [cop, usd]
    assert (report["date"], report["zone"], report["open"]) == (day.isoformat(), "UTC", True)
    assert (report["begins_at"], report["ends_at"]) == (f"{day}T00:00:00.000000Z",
                                                        f"{day + timedelta(days=1)}T00:00:00.000000Z")


def test_a_closed_settlement_is_the_same_for_ever(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    """Dispatchers, refunds, late commits and what later happens to order, merchant and personal data change nothing."""
    close(ctl)
    orders = [settled_at(ctl, stack, network, f"{day} 10:00:{second:02}") for second in range(3)]
    late = pay(network, add_order(ctl)["reference"])
    said = ctl.run("report", "settlement", "--date", day.isoformat()).stderr
    assert f"no settlement was closed for {day.isoformat()} (" in said and "recaudoctl settlement list" in said
    number = str(close(ctl, "--date", day.isoformat())["settlement"])
    assert ctl.run("report", "settlement", "--date", day.isoformat()).stderr == ""
    before = in_all_forms(ctl, "--number", number), in_all_forms(ctl, "--date", day.isoformat())
    assert before[0] == before[1]
    move(stack, late, f"{day} 11:00:00")
    dispatch(stack)
    ctl.done("order", "claim", orders[1]["reference"], "--reason", "x")
    ctl.done("merchant", "set", "tienda", "--commerce", COMMERCE)
    stack.mariadb.query("UPDATE transactions SET given_names = NULL, changed_by = 'x' WHERE network_transaction = %s",
                        orders[2]["transaction"])
    settled_at(ctl, stack, network, f"{day} 10:30:00")
    assert before == (in_all_forms(ctl, "--number", number), in_all_forms(ctl, "--date", day.isoformat()))
    following = str(close(ctl)["settlement"])
    listed = operations(ctl.json("report", "settlement", "--number", following))
    assert ("finalised", late, "45000.00") in listed and ("refunded", orders[1]["transaction"], "45000.00") in listed
    assert before == (in_all_forms(ctl, "--number", number), in_all_forms(ctl, "--date", day.isoformat()))


def test_a_commit_that_stalls_goes_to_the_next(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    """What began before the closing and commits after it: with a replica that hangs, for one."""
    begin_anew(ctl, stack)
    in_time = settled_at(ctl, stack, network, f"{day} 10:00:00")["transaction"]
    stalled = pay(network, add_order(ctl)["reference"])
    move(stack, stalled, f"{day} 11:00:00")
    with stack.mariadb.connect() as connection, connection.cursor() as cursor:
        cursor.execute("START TRANSACTION")
        cursor.execute("SELECT order_id FROM transactions WHERE network_transaction = %s", stalled)
        cursor.execute("SELECT order_finalise(%s, 'stalled')", cursor.fetchone()["order_id"])
        closed = close(ctl)
        before = in_all_forms(ctl, "--number", str(closed["settlement"]))
        connection.commit()
    dispatch(stack)
    assert in_all_forms(ctl, "--number", str(closed["settlement"])) == before
    assert operations(json.loads(before["json"])) == [("finalised", in_time, "45000.00")]
    assert closed["digest"] == json.loads(before["json"])["digest"]
    following = ctl.json("report", "settlement", "--number", str(closed["settlement"] + 1))
    assert ("finalised", stalled, "45000.00") in operations(following) and following["open"]


def test_closing_says_who_when_and_how_much(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    before = begin_anew(ctl, stack)
    settled_at(ctl, stack, network, f"{day} 10:00:00")
    shown = ctl.json("settlement", "show", str(before["settlement"] + 1))
    assert (shown["state"], shown["closed_at"], shown["digest"]) == ("open", None, None)
    closed = close(ctl, "--date", str(day), "--zone", "America/Bogota")
    assert closed["settlement"] == before["settlement"] + 1 and closed["opened_at"] == before["closed_at"]
    assert (closed["state"], closed["date"], closed["zone"]) == ("closed", str(day), "America/Bogota")
    assert (closed["finalised"], closed["cancelled"], closed["refunded"]) == (1, 0, 0)
    assert closed["closed_by"].startswith("operator:") and len(closed["digest"]) == 64
    assert ctl.json("settlement", "show", str(closed["settlement"])) == closed
    opened, newest = ctl.json("settlement", "list", "--limit", "2")
    assert newest == closed and (opened["settlement"], opened["state"]) == (closed["settlement"] + 1, "open")
    assert refused(ctl, "settlement", "close", "--date", str(day), "--zone", "America/Bogota") == (
        f"{day} in America/Bogota has a settlement already; nothing was closed")
    assert ctl.json("settlement", "list", "--limit", "1") == [opened]


def test_a_day_that_is_not_over(ctl: Ctl, stack: Stack) -> None:
    before, today = ctl.json("settlement", "list", "--limit", "1"), stack.mariadb.query("SELECT UTC_DATE() AS day")[0]["day"]
    for day, zone in ((today, "America/Bogota"), (today + timedelta(days=3), "UTC")):
        said = refused(ctl, "settlement", "close", "--date", str(day), "--zone", zone)
        assert said.startswith(f"{day} in {zone} is over at ") and "nothing can be closed for that day" in said
    assert ctl.json("settlement", "list", "--limit", "1") == before


@pytest.mark.parametrize("zone", ["Etc/UTC", "Etc/Zulu"])
def test_another_name_of_the_configured_zone(ctl: Ctl, stack: Stack, day: date, zone: str) -> None:
    """The day would have two settlements, one by each name."""
    before = stack.mariadb.query("SELECT COUNT(*) AS number FROM settlements")
    assert refused(ctl, "settlement", "close", "--date", str(day), "--zone", zone) == (
        f"{day} in {zone} is the same day as in UTC, the zone that is configured: leave out --zone")
    assert stack.mariadb.query("SELECT COUNT(*) AS number FROM settlements") == before


def test_a_report_finds_the_day_under_another_name_of_the_configured_zone(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    """A merchant's report goes by the zone of its country, which may cut the days as the configured one does."""
    close(ctl)
    transaction = settled_at(ctl, stack, network, f"{day} 10:00:00")["transaction"]
    closed = close(ctl, "--date", str(day))
    for words in (("--zone", "Africa/Abidjan"), ("--zone", "Etc/UTC"), ()):
        report = ctl.json("report", "settlement", "--date", str(day), *words)
        assert report["settlement"] == closed["settlement"]
        assert transaction in [paid for _, paid, _ in operations(report)]


def test_a_day_that_is_closed_after_the_next_has_begun(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    """Closing says how much of the next day it takes, and the report of the next day says where it is."""
    close(ctl)
    following = day + timedelta(days=1)
    settled_at(ctl, stack, network, f"{day} 23:59:59.999999")
    later = [settled_at(ctl, stack, network, f"{following} {at}")["transaction"] for at in ("00:00:00", "08:00:00")]
    result = ctl.run("--json", "settlement", "close", "--date", str(day), "--zone", "UTC")
    number = json.loads(result.stdout)["settlement"]
    assert f"settlement {number} has 2 operations of after {day} (UTC)" in result.stderr
    words = ("report", "settlement", "--date", str(following), "--zone", "UTC")
    assert f"closed settlements that have operations of this day: {number} (" in ctl.run(*words).stderr
    assert [transaction for _, transaction, _ in operations(ctl.json(*words))] == later
    between = str(day + timedelta(days=3))
    assert "have operations of this day: none (" in ctl.run("report", "settlement", "--date", between).stderr
    settled_at(ctl, stack, network, f"{between} 10:00:00")
    assert ctl.run("settlement", "close", "--date", between).stderr == ""


def test_many_closers_at_once(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    """Each closes one or says that another has: numbers have no gaps, and no settlement is closed twice."""
    first = close(ctl)["settlement"]
    transaction = settled_at(ctl, stack, network, f"{day} 10:00:00")["transaction"]
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda _: ctl.run("--json", "settlement", "close"), range(6)))
    closed = sorted(json.loads(result.stdout)["settlement"] for result in results if result.returncode == 0)
    assert closed == list(range(first + 1, first + 1 + len(closed))) and closed
    assert {result.returncode for result in results} <= {0, 1}
    assert [row["state"] for row in ctl.json("settlement", "list", "--limit", str(len(closed) + 1))] == (
        ["open"] + ["closed"] * len(closed))
    holding = [number for number in closed
               if transaction in ctl.done("report", "settlement", "--number", str(number), "--format", "csv")]
    assert len(holding) == 1


def test_a_closer_that_was_killed_before_the_digest(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    close(ctl)
    settled_at(ctl, stack, network, f"{day} 10:00:00")
    number = ctl.json("settlement", "list", "--limit", "1")[0]["settlement"]
    stack.mariadb.query("SELECT settlement_close(%s, 'killed', NULL, NULL, NULL)", number)
    report = ctl.json("report", "settlement", "--number", str(number))
    assert (report["open"], report["closed_by"], ctl.json("settlement", "show", str(number))["digest"]) == (
        False, "killed", None)
    dispatch(stack)
    shown = ctl.json("settlement", "show", str(number))
    assert (shown["digest"], shown["finalised"]) == (report["digest"], 1)


def test_rows_that_were_changed_are_noticed(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    close(ctl)
    transaction = settled_at(ctl, stack, network, f"{day} 10:00:00")["transaction"]
    closed = close(ctl)
    guard = str(stack.mariadb.query("SHOW CREATE TRIGGER transactions_guard")[0]["SQL Original Statement"])
    stack.mariadb.query("DROP TRIGGER transactions_guard")  # it lets nobody change an amount
    stack.mariadb.query("UPDATE transactions SET amount = amount - 1 WHERE network_transaction = %s", transaction)
    stack.mariadb.query(guard)
    result = ctl.run("report", "settlement", "--number", str(closed["settlement"]), "--format", "csv")
    assert result.returncode == 1 and f"when it was closed: {closed['digest']}" in result.stderr


def test_a_refund_belongs_to_the_day_it_was_made_on(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    order = settled_at(ctl, stack, network, f"{day} 10:00:00")
    ctl.done("order", "claim", order["reference"], "--reason", "x")
    today = stack.mariadb.query("SELECT DATE(at) AS day FROM refunds WHERE order_id = %s", order["pv_po_id"])[0]["day"]
    report = settlement(ctl, today)
    assert ("refunded", order["transaction"], "45000.00") in operations(report)
    assert report["totals"][0]["refunded"]["count"] >= 1
    assert operations(settlement(ctl, day)) == [("finalised", order["transaction"], "45000.00")]


def test_a_day_without_a_settlement_is_open(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    """However long it is over: what commits late may still join it."""
    today = stack.mariadb.query("SELECT UTC_DATE() AS day")[0]["day"]
    held = pay(network, add_order(ctl)["reference"])
    for one in (day, today):
        report = settlement(ctl, one)
        assert (report["settlement"], report["open"], report["digest"]) == (None, True, None)
        lines = ctl.done("report", "settlement", "--date", str(one), "--format", "csv").splitlines()
        assert lines[-1].startswith("open,") and "digest," not in "\n".join(lines)
        assert lines[-1].endswith("no settlement was closed for this day: there is no digest")
        assert ctl.done("report", "settlement", "--date", str(one)).splitlines()[-1] == (
            "OPEN: no settlement was closed for this day: these are the operations between its instants, without a digest")
        assert held not in [row["transaction"] for row in report["operations"]]
    tomorrow = str(today + timedelta(days=2))
    assert refused(ctl, "report", "settlement", "--date", tomorrow) == f"{tomorrow} has not begun yet in UTC"


def test_the_open_settlement(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    number = begin_anew(ctl, stack)["settlement"] + 1
    transaction = settled_at(ctl, stack, network, f"{day} 10:00:00")["transaction"]
    report = ctl.json("report", "settlement", "--number", str(number))
    assert operations(report) == [("finalised", transaction, "45000.00")]
    assert (report["settlement"], report["open"], report["digest"], report["ends_at"]) == (number, True, None, None)
    forms = in_all_forms(ctl, "--number", str(number))
    assert forms["table"].splitlines()[-1] == (
        f"OPEN: settlement {number} is not closed: more may come, so there is no digest")
    assert forms["csv"].splitlines()[-1].startswith("open,") and "more may come" in forms["csv"].splitlines()[-1]
    assert refused(ctl, "report", "settlement", "--number", str(number + 1)).startswith(
        f"there is no settlement {number + 1}")


def test_digest_of_the_csv(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    begin_anew(ctl, stack)
    for second in range(5):
        settled_at(ctl, stack, network, f"{day} 10:00:{second:02}")
    closed = close(ctl)
    words = ("report", "settlement", "--number", str(closed["settlement"]))
    lines = ctl.done(*words, "--format", "csv").splitlines(keepends=True)
    digest = hashlib.sha256("".join(lines[:-1]).encode()).hexdigest()
    assert len([line for line in lines if line.startswith("operation,")]) == 5
    assert lines[-1] == f"digest,,,,,,,,,,,{digest}\n"
    assert ctl.json(*words)["digest"] == digest == ctl.json(*words, "--summary")["digest"] == closed["digest"]
    assert ctl.done(*words).splitlines()[-1] == f"digest {digest}"
    assert ctl.done(*words, "--summary", "--format", "csv").splitlines()[-1] == f"digest,,,,,,,,,,,{digest}"
    part = ctl.done(*words, "--format", "csv", "--network", NETWORK).splitlines(keepends=True)
    assert part[-1] == f"digest,,,,,,,,,,,{hashlib.sha256(''.join(part[:-1]).encode()).hexdigest()}\n" != lines[-1]


def test_all_forms_say_the_same(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    for second, amount in enumerate(("1", "20.5", "300")):
        settled_at(ctl, stack, network, f"{day} 10:00:{second:02}", amount)
    words = ("report", "settlement", "--date", day.isoformat())
    report = ctl.json(*words)
    rows = list(csv.DictReader(io.StringIO(ctl.done(*words, "--format", "csv"))))
    listed = [row for row in rows if row["row"] == "operation"]
    assert [(row["kind"], row["transaction"], row["amount"]) for row in listed] == operations(report)
    assert [int(row["idservice"]) for row in listed] == [row["idservice"] for row in report["operations"]]
    total = next(row for row in rows if row["row"] == "total" and row["kind"] == "finalised")
    assert (total["count"], total["amount"], total["currency"]) == ("3", "321.50", "COP")
    assert Decimal(total["amount"]) == sum(Decimal(row["amount"]) for row in listed)
    table = ctl.done(*words)
    for row in report["operations"]:
        assert any(row["transaction"] in line and str(row["idservice"]) in line and row["amount"] in line
                   for line in table.splitlines())
    assert "321.50" in table.split("total:")[1]
    assert json.loads(ctl.done(*words, "--format", "json")) == report
    assert settlement(ctl, day, "--summary")["operations"] == []
    assert settlement(ctl, day, "--summary")["totals"] == report["totals"]


def test_one_network_or_one_merchant(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    shop, other_network = fresh("shop"), fresh("red")
    ctl.done("merchant", "add", shop, "--commerce", COMMERCE)
    other_hash = ctl.json("network", "add", other_network)["fixed_hash"]
    order = add_order(ctl, merchant=shop)
    mine = settled_at(ctl, stack, network, f"{day} 10:00:00")["transaction"]
    with Network(stack.base_url, other_network, other_hash) as other:
        theirs = pay(other, order["reference"])
    move(stack, theirs, f"{day} 11:00:00")
    dispatch(stack)

    def listed(*words: str) -> list[str]:
        return [row["transaction"] for row in settlement(ctl, day, *words)["operations"]]

    assert listed() == [mine, theirs]
    assert (listed("--network", NETWORK), listed("--network", other_network)) == ([mine], [theirs])
    assert (listed("--merchant", "tienda", "--zone", "UTC"), listed("--merchant", shop)) == ([mine], [theirs])
    only = settlement(ctl, day, "--network", other_network)
    assert (only["network"], only["merchant"]) == (other_network, None)
    assert [row["merchant"] for row in only["merchants"]] == [shop]
    assert settlement(ctl, day, "--merchant", shop)["zone"] == "America/Bogota"
    assert "exclude each other" in misused(ctl, "report", "settlement", "--date", str(day), "--merchant", shop,
                                           "--network", NETWORK)
    assert refused(ctl, "report", "settlement", "--date", str(day), "--network", "nobody").startswith("there is no net")
    assert refused(ctl, "report", "settlement", "--date", str(day), "--merchant", "nobody").startswith("there is no mer")


@pytest.mark.parametrize("zone, day, begins_at, ends_at", [
    ("America/Bogota", "2025-05-05", "2025-05-05T05:00:00", "2025-05-06T05:00:00"),
    ("Europe/Madrid", "2025-03-30", "2025-03-29T23:00:00", "2025-03-30T22:00:00"),
    ("Europe/Madrid", "2025-10-26", "2025-10-25T22:00:00", "2025-10-26T23:00:00"),
])
def test_days_of_a_zone(ctl: Ctl, stack: Stack, network: Network, zone: str, day: str, begins_at: str,
                        ends_at: str) -> None:
    begins, ends = (datetime.fromisoformat(text) for text in (begins_at, ends_at))
    moments = (begins - timedelta(microseconds=1), begins, ends - timedelta(microseconds=1), ends)
    orders = [settled_at(ctl, stack, network, str(moment)) for moment in moments]
    report = settlement(ctl, date.fromisoformat(day), "--zone", zone)
    assert [row["transaction"] for row in report["operations"]] == [order["transaction"] for order in orders[1:3]]
    assert (report["begins_at"], report["ends_at"]) == (f"{begins_at}.000000Z", f"{ends_at}.000000Z")
    table = ctl.done("report", "settlement", "--date", day, "--zone", zone)
    hours = (ends - begins) // timedelta(hours=1)
    assert (f"{hours}:00 hours" in table) == (hours != 24)


def test_an_empty_day(ctl: Ctl, stack: Stack, day: date) -> None:
    report = settlement(ctl, day)
    assert (report["operations"], report["networks"], report["totals"]) == ([], [], [])
    heading, *rest = ctl.done("report", "settlement", "--date", str(day)).splitlines()
    assert heading.startswith(f"settlement of {day} in UTC: ") and rest[:2] == ["", "no operations"]
    begin_anew(ctl, stack)
    empty = close(ctl)
    lines = ctl.done("report", "settlement", "--number", str(empty["settlement"])).splitlines()
    assert lines[1:] == ["", "no operations", "", f"digest {empty['digest']}"]
    assert (empty["finalised"], empty["cancelled"], empty["refunded"]) == (0, 0, 0)


def test_names_that_a_spreadsheet_would_run(ctl: Ctl, stack: Stack, day: date) -> None:
    name = '=cmd|"/c calc"!A1'
    fixed_hash = ctl.json("network", "add", name)["fixed_hash"]
    with Network(stack.base_url, name, fixed_hash) as network:
        order = add_order(ctl, order="-1-" + fresh())
        transaction = "+" + fresh("T")
        assert network.register(order["reference"], "45000", transaction, COMMERCE).code == "0000"
        assert network.confirm(transaction).code == "0000"
    move(stack, transaction, f"{day} 10:00:00")
    dispatch(stack)
    text = ctl.done("report", "settlement", "--date", str(day), "--format", "csv")
    row = next(row for row in csv.DictReader(io.StringIO(text)) if row["row"] == "operation")
    assert (row["network"], row["order"], row["transaction"]) == ("'" + name, "'" + order["po_id"], "'" + transaction)
    assert (row["amount"], row["idservice"].isdigit()) == ("45000.00", True)
    assert settlement(ctl, day)["operations"][0]["network"] == name


@pytest.mark.parametrize("words, complaint", [
    ((), "either --number of a settlement or --date of a day"),
    (("--date", "2024-01-01", "--number", "1"), "either --number of a settlement or --date of a day"),
    (("--number", "1", "--zone", "UTC"), "--zone requires --date"),
    (("--date", "21/11/2026"), "--date is a day like 2026-11-21"),
    (("--date", "2026-02-30"), "--date is a day like"),
    (("--date", "2026-11-21T00:00:00Z"), "--date is a day like"),
    (("--date", "2024-01-01", "--format", "xml"), "--format is table, csv or json"),
])
def test_words_that_will_not_do(ctl: Ctl, words: tuple[str, ...], complaint: str) -> None:
    assert misused(ctl, "report", "settlement", *words).startswith(complaint)


def test_zones_that_will_not_do(ctl: Ctl) -> None:
    for zone in ("Mars/Olympus", "../../etc/passwd"):
        assert refused(ctl, "report", "settlement", "--date", "2024-01-01", "--zone", zone).startswith(
            f"there is no time zone {zone}")
    assert refused(ctl, "report", "settlement", "--date", "2011-12-30", "--zone", "Pacific/Apia") == (
        "there was no 2011-12-30 in Pacific/Apia: its calendar left that day out")
    assert "exclude each other" in ctl.run("--json", "report", "settlement", "--date", "2024-01-01", "--format",
                                           "csv").stderr
