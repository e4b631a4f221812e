"""The event log as the operator reads it: of everything, newest first."""

import json
import re

import pytest

from tests.stack import Ctl, Network, Stack
from tests.stack.paths import ROOT

from operator_steps import COMMERCE, add_order, fresh, misused

KEYS = ["id", "at", "subject", "number", "name", "pv_po_id", "what", "from", "to", "actor", "reason", "changes", "db_account"]


def test_newest_come_first(ctl: Ctl) -> None:
    name = fresh()
    ctl.done("network", "add", name)
    ctl.done("network", "disable", name)
    disabled, made = ctl.json("event", "list", "--subject", "network", "--limit", "2")
    assert list(disabled) == KEYS and disabled["id"] > made["id"]
    assert (disabled["name"], disabled["what"], disabled["from"], disabled["to"]) == (name, "state", "enabled", "disabled")
    assert (made["name"], made["what"]) == (name, "created")
    assert disabled["actor"].startswith("operator:") and disabled["db_account"].startswith("recaudo_operator@")


def test_payment_names_its_order(ctl: Ctl, network: Network) -> None:
    order, transaction = add_order(ctl), fresh("T")
    assert network.register(order["reference"], "45000", transaction, COMMERCE).code == "0000"
    assert network.confirm(transaction).code == "0000"
    confirmed, registered = ctl.json("event", "list", "--subject", "transaction", "--limit", "2")
    assert (confirmed["to"], confirmed["pv_po_id"]) == ("CONFIRMADA", int(order["pv_po_id"]))
    assert (registered["what"], registered["pv_po_id"]) == ("created", None)


def test_what_was_changed_by_hand_is_found(ctl: Ctl, stack: Stack) -> None:
    """Behind more events than are read at once."""
    name = fresh()
    ctl.done("merchant", "add", name, "--commerce", name, "--country", "343")
    stack.mariadb.query("UPDATE merchants SET notify_url = 'http://127.0.0.1:9/x' WHERE name = %s", name)
    stack.mariadb.query("INSERT INTO event_log (subject, subject_id, what, actor, db_account)"
                        " SELECT 'setting', seq, 'changed', 'operator:many', 'test' FROM seq_1_to_2500")
    found, = [event for event in ctl.json("event", "list", "--actor", "db:") if event["name"] == name]
    assert ctl.json("merchant", "show", name)["changed_by"] == found["actor"]
    assert found["actor"].startswith("db:root@") and json.loads(found["changes"])["notify_url"] == [None, "http://127.0.0.1:9/x"]
    stack.mariadb.query("UPDATE merchants SET commerce = 'x', changed_by = 'operator:ana' WHERE name = %s", name)
    assert ctl.json("event", "list", "--account", "root@", "--limit", "1")[0]["actor"] == "operator:ana"
    assert len(ctl.json("event", "list", "--actor", "operator:many", "--limit", "1000000")) == 2500


def test_the_log_is_read_once(ctl: Ctl, stack: Stack) -> None:
    """Accounts are as many as customers: their key has no order of time, and would be read anew for each page."""
    def handled() -> int:
        return sum(int(row["Value"]) for row in stack.mariadb.query("SHOW GLOBAL STATUS LIKE 'Handler_read_%%'"))

    stack.mariadb.query("INSERT INTO event_log (subject, subject_id, what, actor) SELECT 'account', seq, 'created', 'test' FROM seq_1_to_10000")
    events = stack.mariadb.query("SELECT COUNT(*) AS count FROM event_log")[0]["count"]
    before = handled()
    assert ctl.json("event", "list", "--subject", "account", "--actor", "nobody") == []
    assert handled() - before < 2 * events


def test_since(ctl: Ctl) -> None:
    ctl.done("network", "add", fresh())
    assert ctl.json("event", "list", "--since", "2000-01-01", "--limit", "1")
    assert ctl.json("event", "list", "--since", "2999-01-01") == []
    newest = ctl.json("event", "list", "--limit", "1")[0]
    ctl.done("network", "add", fresh())
    assert [event["id"] for event in ctl.json("event", "list", "--until", newest["at"])].count(newest["id"]) == 0
    assert ctl.json("event", "list", "--until", "2999-01-01", "--since", newest["at"])
    assert ctl.json("event", "list", "--until", "2000-01-01") == []


@pytest.mark.parametrize("beginning", ["0", "1970-01-01", "1970-01-01T00:00:00Z"])
@pytest.mark.parametrize("kind", ["event", "order", "transaction"])
def test_the_beginning_of_time_is_no_end(ctl: Ctl, kind: str, beginning: str) -> None:
    assert misused(ctl, kind, "list", "--until", beginning) == "--until is after 1970-01-01T00:00:00Z: nothing is older"


WHY = "la caja 7 está vigilada"


@pytest.mark.parametrize("words, what", [
    (["network", "disable", "NAME"], "state"), (["network", "enable", "NAME"], "state"),
    (["network", "set", "NAME", "--rate", "7/s"], "changed"), (["network", "rotate", "NAME"], "rotated"),
    (["network", "rotate", "NAME", "--end"], "old secret ended"), (["network", "limit", "NAME", "COP", "--day", "5"], "money limits"),
    (["merchant", "disable", "NAME"], "state"), (["merchant", "enable", "NAME"], "state"),
    (["merchant", "set", "NAME", "--ack", "http2xx"], "changed"), (["merchant", "rotate", "NAME", "--notification"], "rotated")])
def test_reason_stands_in_the_log(ctl: Ctl, words: list[str], what: str) -> None:
    name, before = fresh(), {"enable": "disable", "--end": "rotate"}
    ctl.done(words[0], "add", name)
    for word, first in before.items():
        if word in words:
            ctl.done(words[0], first, name)
    ctl.done(*(name if word == "NAME" else word for word in words), "--reason", WHY)
    event = next(event for event in ctl.json("event", "list", "--subject", words[0]) if event["what"] == what)
    assert event["name"] == name and event["reason"].endswith(WHY) and event["reason"].count(WHY) == 1


def test_reason_that_does_not_do(ctl: Ctl) -> None:
    name = fresh()
    ctl.done("network", "add", name)
    for reason, complaint in ((" " * 251, "reason: is longer than 250"), ("a\nb", "reason: holds a control"), ("", "--reason is empty")):
        said = ctl.run("network", "disable", name, "--reason", reason)
        assert said.returncode != 0 and complaint in said.stderr, said
    assert ctl.json("network", "show", name)["enabled"] is True


@pytest.mark.parametrize("words, complaint", [
    (["--subject", "payment"], "--subject is one of order, transaction, account, network, merchant, notification, integration, "
                               "setting, user, approval, settlement"),
    (["--since", "soon"], "--since is seconds since 1970"),
    (["--limit", "0"], "--limit is a number from 1 to")])
def test_asked_wrongly(ctl: Ctl, words: list[str], complaint: str) -> None:
    assert misused(ctl, "event", "list", *words).startswith(complaint)


def test_manual_lists_the_subjects(ctl: Ctl) -> None:
    listed = misused(ctl, "event", "list", "--subject", "payment").removeprefix("--subject is one of ").split(", ")
    match = re.search(r"^\.Ar kind\nis ([a-z, \n]+);$", (ROOT / "doc" / "man" / "recaudoctl.1").read_text(), re.MULTILINE)
    assert match and re.findall(r"(?!or\b)\b[a-z]+", match[1]) == listed
