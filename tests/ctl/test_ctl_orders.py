"""Orders: added one by one, shown and listed."""

import json
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta, timezone
from typing import Iterator

import pytest

from tests.stack import Ctl, Stack

from operator_steps import INSTANT, MERCHANT, add_order, fresh, fresh_number, instants, misused, order_words, refused, tomorrow

KEYS = ["pv_po_id", "po_id", "merchant", "reference", "amount", "currency", "state", "due_at", "created_at"]
FIELDS = {"description": "Zapatos \"rojos\" #1 ñ", "method": "EFECTIVO", "di": "1020", "type_di": "CC",
          "name": "Ana María", "email": "ana@tienda.example"}


def has_luhn_digit(digits: str) -> bool:
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits))]
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def test_whole_order(ctl: Ctl) -> None:
    reference, number = fresh_number(), fresh("po")
    added = add_order(ctl, order=number, reference=reference, due="2100-01-02T03:04:05Z", **FIELDS)
    assert list(added)[:len(KEYS)] == KEYS
    expected = {"po_id": number, "merchant": MERCHANT, "reference": reference, "amount": "45000.00", "currency": "COP",
                "state": "PENDIENTE", "state_written": "PENDIENTE", "held_until": None, "origin": "registered",
                "due_at": "2100-01-02T03:04:05.000000Z", **FIELDS}
    assert {key: added[key] for key in expected} == expected
    assert re.fullmatch(r"localhost/pay\?token=[0-9a-f]{32}", added["slip"])
    shown = ctl.json("order", "show", reference)
    assert {key: shown[key] for key in added} == added
    assert (shown["transactions"], shown["notifications"]) == ([], [])
    assert [(event["what"], event["to"]) for event in shown["events"]] == [("created", "PENDIENTE")]
    assert all(INSTANT.fullmatch(text) for text in instants(shown))


def test_assigned_reference(ctl: Ctl) -> None:
    references = [add_order(ctl)["reference"] for _ in range(5)]
    assert len(set(references)) == 5
    for reference in references:
        assert len(reference) == 14 and reference[0] != "0" and has_luhn_digit(reference)


@pytest.fixture
def answering(ctl: Ctl, stack: Stack) -> Iterator[str]:
    """A merchant that answers for all references of 9 to 16 digits but for those that begin with 9."""
    stack.mariadb.query("DELETE FROM reference_owners")  # those of other merchants' orders would stand against it
    merchant = fresh("m")
    ctl.done("merchant", "add", merchant)
    made = [ctl.json("integration", "add", "--merchant", merchant, "--kind", "2", "--code", str(digit), "--endpoint", "https://192.0.2.1/",
                     "--currency", "COP")["id"] for digit in range(9)]
    yield merchant
    for number in made:
        ctl.done("integration", "remove", str(number))


def test_reference_that_another_merchant_answers(ctl: Ctl, answering: str) -> None:
    """It would be paid to the wrong one, and the right one would never be asked."""
    complaint = "reference: another merchant answers such references itself (recaudoctl integration list)"
    assert refused(ctl, *order_words(reference="770000999")) == complaint
    assert add_order(ctl, reference="770000999", merchant=answering)["reference"] == "770000999"
    assert add_order(ctl, reference="77000099")["reference"] == "77000099", "too short to be asked for"
    header, one = "order,amount,currency,due,reference\n", f"{fresh('po')},1,COP,{tomorrow()},770000888\n"
    answer = ctl.run("--json", "order", "import", "--merchant", MERCHANT, "--file", "-", stdin=header + one)
    assert answer.returncode == 1 and json.loads(answer.stdout) == {"imported": 0, "refused": [{"line": 2, "reason": complaint}]}
    assert ctl.json("order", "import", "--merchant", answering, "--file", "-", stdin=header + one)["imported"] == 1


def test_whose_is_what_a_merchant_answers(ctl: Ctl, answering: str) -> None:
    """Nobody has had an order with it, and yet only that merchant may."""
    integration, = [row["id"] for row in ctl.json("integration", "list", "--merchant", answering) if row["code"] == "7"]
    keys = ("owner", "free", "prefix_of", "answered_by", "integration")
    shown = ctl.json("reference", "show", "770000777")
    assert tuple(shown[key] for key in keys) == ("nobody", False, None, answering, integration)
    shown = ctl.json("reference", "show", "77000077")
    assert tuple(shown[key] for key in keys) == ("nobody", True, None, None, None), "too short to be asked for"


def test_assigned_reference_that_nobody_answers(ctl: Ctl, answering: str) -> None:
    """Not even the merchant itself: an open order would hide what it answers."""
    assert add_order(ctl)["reference"][0] == "9" and add_order(ctl, merchant=answering)["reference"][0] == "9"
    numbers = [fresh("po") for _ in range(10)]
    lines = "".join(f"{number},1,COP,{tomorrow()}\n" for number in numbers)
    ctl.json("order", "import", "--merchant", MERCHANT, "--file", "-", stdin="order,amount,currency,due\n" + lines)
    imported = [ctl.json("order", "show", "--merchant", MERCHANT, number) for number in numbers]
    assert {order["reference"][0] for order in imported} == {"9"}


@pytest.mark.parametrize("given, kept", [
    ("0", "0.00"), ("0.00", "0.00"), ("1", "1.00"), ("45000.5", "45000.50"), ("0045000.50", "45000.50"),
    ("999999999999999.99", "999999999999999.99"), ("0.01", "0.01")])
def test_amounts(ctl: Ctl, given: str, kept: str) -> None:
    assert add_order(ctl, amount=given)["amount"] == kept


@pytest.mark.parametrize("changed, complaint", [
    ({"merchant": "nobody"}, "there is no merchant nobody"),
    ({"order": "a b"}, "order: may only have"), ({"order": "ñ"}, "order: may only have"),
    ({"order": "x" * 201}, "order: must have 1 to 200 characters"),
    ({"amount": "1,5"}, "amount: is not an amount"),
    ({"amount": "-1"}, "amount: is not an amount"),
    ({"amount": "1e3"}, "amount: is not an amount"),
    ({"amount": "1.00001"}, "amount: is not an amount"), ({"amount": "1000000000000000"}, "amount: is not an amount"),
    ({"amount": " 1"}, "amount: is not an amount"),
    ({"amount": "0.001"}, "amount: has more decimals than COP allows (2)"),
    ({"amount": "45.000"}, "amount: has more decimals than COP allows (2)"),
    ({"amount": "1.5", "currency": "JPY"}, "currency: must be one of COP, CRC, PEN, USD"),
    ({"currency": "EUR"}, "currency: must be one of COP, CRC, PEN, USD"),
    ({"currency": "cop"}, "currency: must be one of"),
    ({"reference": "12a"}, "reference: must be 1 to 25 digits"),
    ({"reference": "1" * 26}, "reference: must be 1 to 25 digits"),
    ({"due": "tomorrow"}, "due: is neither"), ({"due": "2026-02-30T00:00:00Z"}, "due: is neither"),
    ({"due": "2100-01-01T00:00:00"}, "due: is neither"), ({"due": "99999999999"}, "due: is neither"),
    ({"due": "0"}, "due: is not in the future"), ({"due": "1600000000"}, "due: is not in the future"),
    ({"description": "x" * 251}, "description: is longer than 250 characters"),
    ({"description": "a\nb"}, "description: holds a control"),
    ({"method": "x" * 41}, "method: is longer than 40"), ({"di": "1" * 16}, "di: is longer than 15"),
    ({"type_di": "x" * 41}, "type-di: is longer than 40"), ({"name": "x" * 151}, "name: is longer than 150"),
    ({"email": "ana"}, "email: is not an e-mail address"), ({"email": "@x"}, "email: is not an e-mail address"),
    ({"email": "a@" + "x" * 99}, "email: is longer than 100")])
def test_order_that_does_not_do(ctl: Ctl, changed: dict[str, str], complaint: str) -> None:
    number = fresh("refused")
    assert refused(ctl, *order_words(**{"order": number, **changed})).startswith(complaint)
    assert number not in [order["po_id"] for order in ctl.json("order", "list")]


def test_everything_that_is_wrong_is_said_at_once(ctl: Ctl) -> None:
    said = refused(ctl, *order_words(amount="x", currency="x", due="x", email="x"))
    assert [part.split(":")[0] for part in said.split("; ")] == ["amount", "currency", "due", "email"]


def test_order_number_is_for_ever(ctl: Ctl, stack: Stack) -> None:
    order = add_order(ctl)
    stack.mariadb.query("UPDATE orders SET state = 'CANCELADA' WHERE id = %s", order["pv_po_id"])
    said = refused(ctl, *order_words(order=order["po_id"]))
    assert said.startswith(f"order: the merchant has an order {order['po_id']} already "
                           f"(pv_po_id {order['pv_po_id']}, CANCELADA)")
    other = fresh("m")
    ctl.done("merchant", "add", other)
    assert add_order(ctl, merchant=other, order=order["po_id"])["pv_po_id"] > order["pv_po_id"]


def test_reference_that_is_taken(ctl: Ctl, stack: Stack) -> None:
    first = add_order(ctl, reference=fresh_number())
    words = order_words(reference=first["reference"])
    taken = f"reference: is taken by order {first['pv_po_id']} ({first['po_id']} of {MERCHANT}), which is"
    assert refused(ctl, *words) == f"{taken} PENDIENTE"
    stack.mariadb.query("UPDATE orders SET due_at = UTC_TIMESTAMP(6) WHERE id = %s", first["pv_po_id"])
    assert refused(ctl, *words) == (f"{taken} VENCIDA and keeps it until the dispatcher has passed "
                                    "(recaudo-dispatch --once)")
    assert stack.dispatcher.once().returncode == 0
    second = ctl.json(*words)
    assert second["reference"] == first["reference"]
    assert ctl.json("order", "show", first["reference"])["pv_po_id"] == second["pv_po_id"]
    assert ctl.json("order", "show", f"id:{first['pv_po_id']}")["state"] == "VENCIDA"


@pytest.mark.parametrize("same", ["order", "reference"])
def test_one_of_many_at_once(ctl: Ctl, same: str) -> None:
    value = fresh_number()
    commands = [["--json", *order_words(**{same: value})] for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda words: ctl.run(*words), commands))
    assert sorted(result.returncode for result in results) == [0] + [1] * 7
    winner = next(json.loads(result.stdout)["pv_po_id"] for result in results if result.returncode == 0)
    assert all(str(winner) in json.loads(result.stdout)["error"] for result in results if result.returncode == 1)


def test_reference_that_is_an_accounts_document(ctl: Ctl) -> None:
    document = fresh_number()
    ctl.done("account", "add", "--document", document, "--type", "CC", "--name", "Ana")
    assert refused(ctl, *order_words(reference=document)) == (
        "reference: is the document number of an account, which keeps it permanently")


def test_show_finds_the_reference_first(ctl: Ctl) -> None:
    first = add_order(ctl)
    second = add_order(ctl, reference=str(first["pv_po_id"]))
    assert ctl.json("order", "show", str(first["pv_po_id"]))["pv_po_id"] == second["pv_po_id"]
    assert ctl.json("order", "show", f"id:{first['pv_po_id']}")["pv_po_id"] == first["pv_po_id"]
    assert ctl.json("order", "show", str(second["pv_po_id"]))["pv_po_id"] == second["pv_po_id"]


def test_show_finds_the_order_that_had_the_reference(ctl: Ctl, stack: Stack) -> None:
    """The slip and the receipt say the old one. Whatever has the word now comes first."""
    order = add_order(ctl)
    old, new = order["reference"], fresh_number()
    stack.mariadb.query("UPDATE orders SET reference = %s WHERE id = %s", new, order["pv_po_id"])
    shown = ctl.run("--json", "order", "show", old)
    assert json.loads(shown.stdout)["pv_po_id"] == order["pv_po_id"] and shown.stderr == (
        f"recaudoctl: order {order['pv_po_id']} had the reference {old}; its merchant has changed it to {new}\n")
    assert refused(ctl, "order", "show", f"id:{old}").startswith("no order has")
    second = add_order(ctl, reference=old)
    assert ctl.json("order", "show", old)["pv_po_id"] == second["pv_po_id"]


def test_show_by_the_merchants_own_number(ctl: Ctl) -> None:
    other = fresh("otra")
    ctl.done("merchant", "add", other)
    number = fresh("PO")
    here, there = add_order(ctl, order=number), add_order(ctl, order=number, merchant=other)
    assert ctl.json("order", "show", number, "--merchant", MERCHANT)["pv_po_id"] == here["pv_po_id"]
    assert ctl.json("order", "show", number, "--merchant", other)["pv_po_id"] == there["pv_po_id"]
    assert refused(ctl, "order", "show", "id:1", "--merchant", other) == "the merchant has no order id:1 (po_id)"
    assert refused(ctl, "order", "show", "número", "--merchant", other) == "the merchant has no order número (po_id)"
    assert "nobody" in refused(ctl, "order", "show", number, "--merchant", "nobody")


@pytest.mark.parametrize("word", ["", "abc", "id:", "id:x", "id:0", "18446744073709551616", "9" * 26, "0", "' OR 1=1"])
def test_order_that_is_not_there(ctl: Ctl, word: str) -> None:
    assert refused(ctl, "order", "show", word) == (
        f"no order has the reference or the number (pv_po_id) {word}; the merchant's own number (po_id) goes with "
        "--merchant NAME")


def test_an_account_is_no_order(ctl: Ctl) -> None:
    """Whoever paid may have topped up an account."""
    document = fresh_number()
    ctl.done("account", "add", "--document", document, "--type", "CC", "--name", "Ana")
    assert refused(ctl, "order", "show", document) == (
        f"{document} is a customer's account, not an order: recaudoctl account show {document} has its top-ups")


def test_state_is_judged_by_the_clock(ctl: Ctl, stack: Stack) -> None:
    order = add_order(ctl)
    stack.mariadb.query("UPDATE orders SET due_at = UTC_TIMESTAMP(6) WHERE id = %s", order["pv_po_id"])
    shown = ctl.json("order", "show", order["reference"])
    assert (shown["state"], shown["state_written"]) == ("VENCIDA", "PENDIENTE")
    assert order["pv_po_id"] in listed(ctl, "--state", "VENCIDA")
    assert order["pv_po_id"] not in listed(ctl, "--state", "PENDIENTE")


def listed(ctl: Ctl, *options: str) -> list[int]:
    return [order["pv_po_id"] for order in ctl.json("order", "list", *options)]


def test_list_of_a_customer_with_a_receipt(ctl: Ctl, stack: Stack) -> None:
    """Who telephones knows his document number, or the amount and the day."""
    document, amount = f"D{fresh_number()[:10]}", f"{int(fresh_number()[-8:])}.75"
    ids = [add_order(ctl, di=document, amount=each)["pv_po_id"] for each in ("45000", amount)]
    other = add_order(ctl, amount=amount)["pv_po_id"]
    stack.mariadb.query("UPDATE orders SET due_at = UTC_TIMESTAMP(6) WHERE id = %s", ids[0])
    assert listed(ctl, "--document", document) == ids[::-1]
    assert listed(ctl, "--document", document, "--state", "VENCIDA") == ids[:1]
    assert listed(ctl, "--document", document, "--amount", "45000") == ids[:1]
    assert listed(ctl, "--document", document, "--since", "2999-01-01") == []
    assert listed(ctl, "--document", document, "--limit", "1") == ids[1:]
    assert listed(ctl, "--document", "nobody's") == []
    assert listed(ctl, "--amount", amount, "--since", "2020-01-01") == [other, ids[1]]
    assert listed(ctl, "--amount", amount, "--since", "2020-01-01", "--state", "PENDIENTE") == [other, ids[1]]
    assert listed(ctl, "--amount", amount, "--since", "2020-01-01", "--state", "VENCIDA") == []
    assert misused(ctl, "order", "list", "--amount", "5").startswith("--amount needs --since or --document")
    assert misused(ctl, "order", "list", "--amount", "much", "--document", "1").startswith("--amount is a number")


def test_list(ctl: Ctl, stack: Stack) -> None:
    merchant = fresh("m")
    ctl.done("merchant", "add", merchant)
    ids = [add_order(ctl, merchant=merchant)["pv_po_id"] for _ in range(3)]
    stack.mariadb.query("UPDATE orders SET state = 'CANCELADA' WHERE id = %s", ids[1])
    stack.mariadb.query("UPDATE orders SET created_at = '2020-01-01' WHERE id = %s", ids[0])
    assert listed(ctl, "--merchant", merchant) == [ids[2], ids[1], ids[0]]
    assert listed(ctl, "--merchant", merchant, "--state", "CANCELADA") == [ids[1]]
    assert listed(ctl, "--merchant", merchant, "--state", "PENDIENTE") == [ids[2], ids[0]]
    assert listed(ctl, "--merchant", merchant, "--state", "ANULADA") == []
    hour_ago = (datetime.now(timezone.utc) - timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert listed(ctl, "--merchant", merchant, "--since", hour_ago) == [ids[2], ids[1]]
    assert listed(ctl, "--merchant", merchant, "--since", "9999999999") == []
    assert listed(ctl, "--merchant", merchant, "--since", "2000-01-01") == ids[::-1]
    assert listed(ctl, "--merchant", merchant, "--since", "2999-01-01") == []
    assert listed(ctl, "--merchant", merchant, "--until", hour_ago) == [ids[0]]
    assert listed(ctl, "--merchant", merchant, "--until", "2020-01-01") == []
    assert listed(ctl, "--merchant", merchant, "--until", hour_ago, "--state", "PENDIENTE") == [ids[0]]
    cut = ctl.run("--json", "order", "list", "--merchant", merchant, "--limit", "2")
    assert cut.stdout.count("pv_po_id") == 2 and "the list ends after 2" in cut.stderr
    assert list(ctl.json("order", "list", "--limit", "1")[0]) == KEYS


def test_list_that_is_asked_wrongly(ctl: Ctl) -> None:
    for state in ("PAGADA", "pendiente"):
        assert misused(ctl, "order", "list", "--state", state).startswith("--state is PENDIENTE")
    for limit in ("0", "x", "-1", "1000001"):
        assert misused(ctl, "order", "list", "--limit", limit) == "--limit is a number from 1 to 1000000"
    for wrong in ("yesterday", "20261121"):
        assert misused(ctl, "order", "list", "--since", wrong).startswith("--since is seconds since 1970")
    assert refused(ctl, "order", "list", "--merchant", "nobody").startswith("there is no merchant nobody")


def test_for_people(ctl: Ctl) -> None:
    order = add_order(ctl, name="Ñandú")
    shown = ctl.done("order", "show", order["reference"])
    assert f"reference     {order['reference']}\n" in shown and "transactions: none" in shown and "Ñandú" in shown
    assert "the order comes in, PENDIENTE" in shown
    header, *lines = ctl.done("order", "list", "--limit", "3").splitlines()
    assert header.split() == KEYS and len(lines) == 3
    assert len({line.index("COP") for line in lines}) == 1
