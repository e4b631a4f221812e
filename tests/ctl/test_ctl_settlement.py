"""The settlement of a day: what counts, in which form, and that it stays the same for ever."""

import csv
import hashlib
import io
import json
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
    return {**order, "transaction": transaction}


def settlement(ctl: Ctl, day: date, *words: str) -> Any:
    return ctl.json("report", "settlement", "--date", day.isoformat(), *words)


def operations(report: Any) -> list[tuple[str, str, str]]:
    return [(row["kind"], row["transaction"], row["amount"]) for row in report["operations"]]


def test_a_day_with_everything(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    paid = settled_at(ctl, stack, network, f"{day} 10:00:00", "1000.50")
    waiting = settled_at(ctl, stack, network, f"{day} 11:00:00", "20")  # no dispatcher passes
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
    assert (report["date"], report["zone"], report["open"]) == (day.isoformat(), "UTC", False)
    assert (report["begins_at"], report["ends_at"]) == (f"{day}T00:00:00.000000Z",
                                                        f"{day + timedelta(days=1)}T00:00:00.000000Z")


def test_the_same_for_ever(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    """Dispatchers, refunds, and what later happens to order, merchant and personal data change no day that is over."""
    orders = [settled_at(ctl, stack, network, f"{day} 10:00:{second:02}") for second in range(3)]
    words = ("report", "settlement", "--date", day.isoformat())
    before = {form: ctl.done(*words, "--format", form) for form in ("table", "csv", "json")}
    dispatch(stack)
    ctl.done("order", "claim", orders[1]["reference"], "--reason", "x")
    ctl.done("merchant", "set", "tienda", "--commerce", COMMERCE)
    stack.mariadb.query("UPDATE transactions SET given_names = NULL, changed_by = 'x' WHERE network_transaction = %s",
                        orders[2]["transaction"])
    settled_at(ctl, stack, network, f"{day + timedelta(days=1)} 00:00:00")
    settled_at(ctl, stack, network, f"{day - timedelta(days=1)} 23:59:59.999999")
    assert {form: ctl.done(*words, "--format", form) for form in ("table", "csv", "json")} == before


def test_a_refund_belongs_to_the_day_it_was_made_on(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    order = settled_at(ctl, stack, network, f"{day} 10:00:00")
    ctl.done("order", "claim", order["reference"], "--reason", "x")
    today = stack.mariadb.query("SELECT DATE(at) AS day FROM refunds WHERE order_id = %s", order["pv_po_id"])[0]["day"]
    report = settlement(ctl, today)
    assert ("refunded", order["transaction"], "45000.00") in operations(report)
    assert report["totals"][0]["refunded"]["count"] >= 1
    assert operations(settlement(ctl, day)) == [("finalised", order["transaction"], "45000.00")]


def test_a_day_that_is_not_over(ctl: Ctl, stack: Stack, network: Network) -> None:
    today = stack.mariadb.query("SELECT UTC_DATE() AS day")[0]["day"]
    report = settlement(ctl, today)
    assert (report["open"], report["digest"]) == (True, None)
    assert report["closes_at"] == f"{today + timedelta(days=1)}T00:01:00.000000Z"
    assert "OPEN: the day is not over before" in ctl.done("report", "settlement", "--date", str(today))
    lines = ctl.done("report", "settlement", "--date", str(today), "--format", "csv").splitlines()
    assert lines[-1].startswith("open_until,") and "digest" not in "\n".join(lines)
    held = pay(network, add_order(ctl)["reference"])
    assert held not in [row["transaction"] for row in settlement(ctl, today)["operations"]]
    tomorrow = str(today + timedelta(days=2))
    assert refused(ctl, "report", "settlement", "--date", tomorrow) == f"{tomorrow} has not begun yet in UTC"


def test_a_day_is_over_a_minute_after_its_end(ctl: Ctl, stack: Stack) -> None:
    """A statement that began before midnight may still be writing."""
    now = stack.mariadb.query("SELECT UTC_TIMESTAMP() AS now")[0]["now"]
    yesterday = now.date() - timedelta(days=1)
    is_over = now - datetime(now.year, now.month, now.day) >= timedelta(minutes=1)
    assert settlement(ctl, yesterday)["open"] is not is_over


def test_digest_of_the_csv(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    for second in range(5):
        settled_at(ctl, stack, network, f"{day} 10:00:{second:02}")
    words = ("report", "settlement", "--date", day.isoformat())
    lines = ctl.done(*words, "--format", "csv").splitlines(keepends=True)
    digest = hashlib.sha256("".join(lines[:-1]).encode()).hexdigest()
    assert lines[-1] == f"digest,,,,,,,,,,,{digest}\n"
    assert ctl.json(*words)["digest"] == digest == settlement(ctl, day, "--summary")["digest"]
    assert ctl.done(*words).splitlines()[-1] == f"digest {digest}"
    assert ctl.done(*words, "--summary", "--format", "csv").splitlines()[-1] == f"digest,,,,,,,,,,,{digest}"
    settled_at(ctl, stack, network, f"{day} 10:00:30")
    assert ctl.json(*words)["digest"] != digest


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


def test_an_empty_day(ctl: Ctl, day: date) -> None:
    report = settlement(ctl, day)
    assert (report["operations"], report["networks"], report["totals"]) == ([], [], []) and report["digest"]
    heading, *rest = ctl.done("report", "settlement", "--date", str(day)).splitlines()
    assert heading.startswith(f"settlement of {day} in UTC: ") and rest == ["", "no operations", "", f"digest {report['digest']}"]


def test_names_that_a_spreadsheet_would_run(ctl: Ctl, stack: Stack, day: date) -> None:
    name = '=cmd|"/c calc"!A1'
    fixed_hash = ctl.json("network", "add", name)["fixed_hash"]
    with Network(stack.base_url, name, fixed_hash) as network:
        order = add_order(ctl, order="-1-" + fresh())
        transaction = "+" + fresh("T")
        assert network.register(order["reference"], "45000", transaction, COMMERCE).code == "0000"
        assert network.confirm(transaction).code == "0000"
    move(stack, transaction, f"{day} 10:00:00")
    text = ctl.done("report", "settlement", "--date", str(day), "--format", "csv")
    row = next(row for row in csv.DictReader(io.StringIO(text)) if row["row"] == "operation")
    assert (row["network"], row["order"], row["transaction"]) == ("'" + name, "'" + order["po_id"], "'" + transaction)
    assert (row["amount"], row["idservice"].isdigit()) == ("45000.00", True)
    assert settlement(ctl, day)["operations"][0]["network"] == name


@pytest.mark.parametrize("words, complaint", [
    ((), "--date is missing"),
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
