"""A network's own list beside ours."""

import csv
import io
import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Iterator

import pytest

from tests.stack import Ctl, Network, Stack

from operator_steps import NETWORK, add_order, fresh, refused
from test_ctl_payments import pay
from test_ctl_settlement import move, settled_at

DAYS = iter(date(2023, 1, 1) + timedelta(days=10 * number) for number in range(100))
EMPTY = {"missing_here": [], "missing_there": [], "differs": [], "refused": []}


@pytest.fixture
def day() -> Iterator[date]:
    yield next(DAYS)


def compare(ctl: Ctl, content: str, *words: str) -> tuple[int, Any]:
    result = ctl.run("--json", "report", "compare", "--network", NETWORK, "--file", "-", *words, stdin=content)
    return result.returncode, json.loads(result.stdout)


def differences(report: Any) -> Any:
    return {key: report[key] for key in EMPTY}


def test_equal_lists(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    orders = [settled_at(ctl, stack, network, f"{day} 10:00:{second:02}") for second in range(3)]
    lines = [f"{order['transaction']},45000.00,COP,{day}T10:00:00Z,paid\n" for order in reversed(orders)]
    status, report = compare(ctl, "transaction,amount,currency,date,state\n" + "".join(lines))
    assert (status, differences(report)) == (0, EMPTY)
    assert (report["from"], report["to"], report["lines"], report["agreeing"], report["days_over"]) == (
        str(day), str(day), 3, 3, True)
    assert (report["network"], report["zone"]) == (NETWORK, "UTC")


def test_every_difference(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    same, dearer, unlisted, elsewhen, gone = (
        settled_at(ctl, stack, network, f"{day + timedelta(days=later)} 10:00:00") for later in (0, 0, 0, 1, 0))
    open_one = fresh("T")
    network.register(add_order(ctl)["reference"], "45000", open_one, "Tienda Única")
    cancelled = pay(network, add_order(ctl)["reference"])
    network.confirm(cancelled, False)
    move(stack, cancelled, f"{day} 10:00:00")
    unknown = fresh("T")
    rows = [(same["transaction"], "45000"), (dearer["transaction"], "45000.01"), (elsewhen["transaction"], "45000"),
            (open_one, "45000"), (cancelled, "45000"), (unknown, "5"), ("", "5"), (gone["transaction"], "45000"),
            (gone["transaction"], "45000")]
    content = "IdTransaction;Monto\n" + "".join(f"{name};{amount}\n" for name, amount in rows)
    status, report = compare(ctl, content, "--date", str(day))
    service = {name: ctl.json("transaction", "show", NETWORK, name)["idservice"]
               for name in (dearer["transaction"], unlisted["transaction"], elsewhen["transaction"], open_one, cancelled)}

    def differing(line: int, name: str, field: str, here: str, there: str) -> dict[str, Any]:
        return {"line": line, "transaction": name, "idservice": service[name], "field": field, "here": here,
                "there": there}

    assert status == 1
    report["differs"].sort(key=lambda row: row["line"])
    assert differences(report) == {
        "missing_here": [{"line": 7, "transaction": unknown, "amount": "5.0000", "currency": None}],
        "missing_there": [{"transaction": unlisted["transaction"], "idservice": service[unlisted["transaction"]],
                           "amount": "45000.00", "currency": "COP"}],
        "differs": [differing(3, dearer["transaction"], "amount", "45000.00", "45000.01"),
                    differing(4, elsewhen["transaction"], "day", str(day + timedelta(days=1)), str(day)),
                    differing(5, open_one, "state", "REGISTRADA", "paid"),
                    differing(6, cancelled, "state", "CANCELADA", "paid")],
        "refused": [{"line": 8, "reason": "transaction: is missing"},
                    {"line": 10, "reason": "transaction: is that of line 9 too"}]}
    assert report["agreeing"] == 2


def test_forms(ctl: Ctl, stack: Stack, network: Network, day: date, tmp_path: Path) -> None:
    order = settled_at(ctl, stack, network, f"{day} 10:00:00")
    path = tmp_path / "list.csv"
    path.write_text(f"transaction,amount\n{order['transaction']},1\n=1+1,2\n")
    words = ("report", "compare", "--network", NETWORK, "--file", str(path), "--date", str(day))
    as_csv, as_table = ctl.run(*words, "--format", "csv"), ctl.run(*words)
    assert (as_csv.returncode, as_table.returncode) == (1, 1)
    assert as_csv.stderr == "recaudoctl: 2 differences between the network's list and ours\n" == as_table.stderr
    rows = list(csv.DictReader(io.StringIO(as_csv.stdout)))
    assert [(row["difference"], row["line"], row["transaction"], row["field"], row["here"], row["there"])
            for row in rows] == [("differs", "2", order["transaction"], "amount", "45000.00", "1.00"),
                                 ("missing_here", "3", "'=1+1", "amount", "", "2.0000")]
    assert "missing_there: none" in as_table.stdout and "45000.00" in as_table.stdout


def test_days_of_the_file(ctl: Ctl, stack: Stack, network: Network, day: date) -> None:
    """Without --date the list is for all days from its first to its last; with a zone, for the days there."""
    first = settled_at(ctl, stack, network, f"{day} 23:00:00")
    second = settled_at(ctl, stack, network, f"{day + timedelta(days=1)} 12:00:00")
    third = settled_at(ctl, stack, network, f"{day + timedelta(days=2)} 01:00:00")
    lines = [f"{order['transaction']},45000,{at}\n" for order, at in (
        (first, f"{day}T23:00:00Z"), (third, f"{day + timedelta(days=2)}T01:00:00Z"))]
    content = "transaction,amount,date\n" + "".join(lines)
    status, report = compare(ctl, content)
    assert (status, report["from"], report["to"]) == (1, str(day), str(day + timedelta(days=2)))
    assert [row["transaction"] for row in report["missing_there"]] == [second["transaction"]]
    status, report = compare(ctl, content, "--zone", "America/Bogota")
    assert (report["from"], report["to"]) == (str(day), str(day + timedelta(days=1)))
    assert len(report["missing_there"]) == 1 and report["differs"] == []
    local = f"transaction,amount,date\n{third['transaction']},45000,{day + timedelta(days=1)} 20:00:00\n"
    assert compare(ctl, local, "--zone", "America/Bogota")[1]["differs"] == []
    assert compare(ctl, local)[1]["differs"][0]["field"] == "day"


def test_a_day_that_is_not_over(ctl: Ctl, stack: Stack) -> None:
    today = stack.mariadb.query("SELECT UTC_DATE() AS day")[0]["day"]
    assert compare(ctl, "transaction,amount\n", "--date", str(today))[1]["days_over"] is False


def test_files_that_will_not_do(ctl: Ctl, tmp_path: Path) -> None:
    words = ("report", "compare", "--network", NETWORK, "--file")
    assert refused(ctl, *words, str(tmp_path / "none"), "--date", "2023-01-01").endswith("No such file or directory")
    for content in ("", "a,b\n1,2\n"):
        assert refused(ctl, *words, "-", "--date", "2023-01-01", stdin=content).startswith(
            "--file: the first line must name the columns")
    result = ctl.run(*words, "-", stdin="transaction,amount\nT,1\n")
    assert result.returncode == 2 and "--date is missing" in result.stderr
    for line, fault in (("T,45000.0000,2026-11-23", "amount: has more decimals"), ("T,1,2026-11-23T07:26:38-05:00", "date: ")):
        result = ctl.run(*words, "-", stdin=f"transaction,amount,currency,date\n{line.replace(',2026', ',COP,2026')}\n")
        assert result.returncode == 2 and result.stderr.startswith(
            f"recaudoctl: --file: no line with a date could be read: line 2: {fault}")
    assert refused(ctl, "report", "compare", "--network", "nobody", "--file", "-").startswith("there is no network")
    assert refused(ctl, *words, "-", "--zone", "Mars/Olympus").startswith("there is no time zone")
