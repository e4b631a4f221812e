"""Orders from a file: all or nothing."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.stack import Ctl, Stack, wait_until
from tests.stack.config import default_settings, write_config

from operator_steps import MERCHANT, add_order, fresh, fresh_number, refused, tomorrow

MANY = 100_000


def import_text(ctl: Ctl, text: str, merchant: str = MERCHANT) -> Any:
    return ctl.json("order", "import", "--merchant", merchant, "--file", "-", stdin=text)


def refusals(ctl: Ctl, text: str, merchant: str = MERCHANT) -> dict[int, str]:
    """The reasons by line of a file that must be refused."""
    result = ctl.run("--json", "order", "import", "--merchant", merchant, "--file", "-", stdin=text)
    assert result.returncode == 1 and "nothing was imported" in result.stderr
    answer = json.loads(result.stdout)
    assert answer["imported"] == 0 and list(answer) == ["imported", "refused"]
    return {line["line"]: line["reason"] for line in answer["refused"]}


def table(*lines: str, names: str = "order,amount,currency,due", end: str = "\n") -> str:
    return end.join((names, *lines)) + end


def rows_of(stack: Stack, merchant: str = MERCHANT) -> int:
    (row,) = stack.mariadb.query("SELECT COUNT(*) AS orders FROM orders o JOIN merchants m ON m.id = o.merchant_id"
                                 " WHERE m.name = %s", merchant)
    return int(row["orders"])


def test_every_column(ctl: Ctl, tmp_path: Path) -> None:
    numbers, reference, due = [fresh("po"), fresh("po")], fresh_number(), tomorrow()
    file = tmp_path / "orders.csv"
    file.write_text(table(
        f'"Ana, María",{reference},{numbers[0]},45000.5,COP,{due},"di ""hola"" \\ ñ",EFECTIVO,1020,CC,a@x.example',
        f",,{numbers[1]},0,USD,2100-01-01T00:00:00Z,,,,,",
        names="name,reference,order,amount,currency,due,description,method,di,type-di,email"))
    assert ctl.json("order", "import", "--merchant", MERCHANT, "--file", str(file)) == {"imported": 2, "refused": []}
    first = ctl.json("order", "show", reference)
    expected = {"po_id": numbers[0], "amount": "45000.50", "currency": "COP", "description": 'di "hola" \\ ñ',
                "method": "EFECTIVO", "di": "1020", "type_di": "CC", "name": "Ana, María", "email": "a@x.example",
                "origin": "imported"}
    assert {key: first[key] for key in expected} == expected
    assert [event["what"] for event in first["events"]] == ["created"]
    second = next(order for order in ctl.json("order", "list") if order["po_id"] == numbers[1])
    assert len(second["reference"]) == 14 and (second["amount"], second["currency"]) == ("0.00", "USD")
    assert ctl.json("order", "show", second["reference"])["email"] is None


@pytest.mark.parametrize("text", [
    "\ufeff{names}\r\n{line}\r\n", "\n\n{names}\n\n{line}\n\n", "{names}\n \t\n{line}\n",
    "ORDER,Amount,cUrrency,due\n{line}\n", '"order","amount","currency","due"\n{line}\n',
    "order , amount,currency,due\n{line}\n"])
def test_forms_of_the_file(ctl: Ctl, text: str) -> None:
    number = fresh("po")
    filled = text.format(names="order,amount,currency,due", line=f"{number},10,COP,{tomorrow()}")
    assert import_text(ctl, filled) == {"imported": 1, "refused": []}
    assert number in [order["po_id"] for order in ctl.json("order", "list")]


def test_file_that_is_cut(ctl: Ctl, stack: Stack) -> None:
    """125 instead of 1250000: nobody can tell from what is left."""
    before = rows_of(stack)
    reason = "has no line end, so the file may be cut there; if it is whole, end its last line"
    assert refusals(ctl, f"order,due,currency,amount\n{fresh('po')},{tomorrow()},COP,10\n{fresh('po')},{tomorrow()},COP,125") == {3: reason}
    assert rows_of(stack) == before


def test_semicolons(ctl: Ctl) -> None:
    number = fresh("po")
    names = "order;amount;currency;due;description"
    assert import_text(ctl, table(f"{number};10;COP;{tomorrow()};a, b", names=names))["imported"] == 1


def test_nothing_to_import(ctl: Ctl) -> None:
    assert import_text(ctl, table()) == {"imported": 0, "refused": []}


@pytest.mark.parametrize("names, complaint", [
    ("", "the first line must name the columns"), ("order,amount,currency", "column due is missing"),
    ("amount,currency,due", "column order is missing"),
    ("order,amount,currency,due,colour", "column 5 has an unknown name; known are order, amount, currency, reference, due, "
     "description, method, di, type-di, name and email"),
    ("order,amount,currency,due,", "column 5 has an unknown name"),
    ("order,amount,currency,due,due", "column due is given twice"),
    ('order,amount,currency,"due', "has a quote"),
    ("order\tamount\tcurrency\tdue", "column 1 has an unknown name"),
    ("a-1,10,COP,1900000000", "column 1 has an unknown name")])
def test_first_line_that_does_not_do(ctl: Ctl, names: str, complaint: str) -> None:
    reasons = refusals(ctl, table(names=names))
    assert list(reasons) == [1] and reasons[1].startswith(complaint)


@pytest.mark.parametrize("content", [b"\xff\xfeo\0r\0d\0e\0r\0", b"ord\xe9r,amount,currency,due\n", b"\0\n",
                                     bytes(range(256)) * 50])
def test_what_is_no_text(ctl: Ctl, stack: Stack, tmp_path: Path, content: bytes) -> None:
    file, before = tmp_path / "orders.csv", rows_of(stack)
    file.write_bytes(content)
    result = ctl.run("--json", "order", "import", "--merchant", MERCHANT, "--file", str(file))
    assert result.returncode == 1 and json.loads(result.stdout)["imported"] == 0
    assert rows_of(stack) == before


def test_every_refused_line_is_listed(ctl: Ctl, stack: Stack) -> None:
    known, open_order = add_order(ctl), add_order(ctl, reference=fresh_number())
    overdue = add_order(ctl, reference=fresh_number())
    stack.mariadb.query("UPDATE orders SET due_at = UTC_TIMESTAMP(6) WHERE id = %s", overdue["pv_po_id"])
    due, doubled, reference = tomorrow(), fresh("po"), fresh_number()
    lines = {
        2: (f"{fresh('po')},10,COP,{due},,", None),
        3: (f"{doubled},10,COP,{due},{reference},", None),
        4: (f"{doubled},10,COP,{due},,", "order: is that of line 3 too"),
        5: (f"{fresh('po')},10,COP,{due},{reference},", "reference: is that of line 3 too"),
        6: (f"{known['po_id']},10,COP,{due},,",
            f"order: the merchant has an order of this number already (pv_po_id {known['pv_po_id']})"),
        7: (f"{fresh('po')},10,COP,{due},{open_order['reference']},",
            f"reference: is taken by order {open_order['pv_po_id']}, which is open"),
        8: (f"{fresh('po')},10,COP,{due},{overdue['reference']},",
            f"reference: is taken by order {overdue['pv_po_id']} until the dispatcher has passed "
            "(recaudo-dispatch --once)"),
        9: (f"{fresh('po')},10,COP,1600000000,,", "due: is not in the future by the database's clock"),
        10: (f"{fresh('po')},10,COP", "has 3 fields where the first line has 6"),
        11: (f"{fresh('po')},10,COP,{due},,,,", "has 8 fields where the first line has 6"),
        12: (f'{fresh("po")},10,COP,{due},,"open', 'has a quote (") in the wrong place, or one that is not closed'),
        13: (f'{fresh("po")},10,COP,{due},,a"b', 'has a quote (") in the wrong place, or one that is not closed'),
        14: (f"{fresh('po')},10.000,COP,{due},,", "amount: has more decimals than COP allows (2)"),
        15: (",,,,x,a@", "order: is missing; amount: is missing; currency: is missing; "
             "reference: must be 1 to 25 digits; due: is missing; email: is not an e-mail address: NAME@HOST"),
        16: (f"{fresh('po')},10,COP,{due},,ana@x.example", None),
    }
    before = rows_of(stack)
    text = table(*(line for line, _ in lines.values()), names="order,amount,currency,due,reference,email")
    assert refusals(ctl, text) == {number: reason for number, (_, reason) in lines.items() if reason is not None}
    assert rows_of(stack) == before


def test_control_characters(ctl: Ctl) -> None:
    names = "order,amount,currency,due,description"
    lines = [f"{fresh('po')},10,COP,{tomorrow()},a{character}b" for character in ("\0", "\t", "\x1b[31m", "\x7f")]
    assert set(refusals(ctl, table(*lines, names=names)).values()) == {
        "description: holds a control character (a tab or a line end, for example)"}


def test_texts_that_look_like_sql_or_json(ctl: Ctl, stack: Stack) -> None:
    hostile = ["'; DROP TABLE orders; -- ", '"},{"', "\\", "\\\\\"", "[1,2]", "%s%n", "$[0]", "null",
               "\U0001f600", "\u202e"]
    numbers = [fresh("po") for _ in hostile]
    lines = ['{},10,COP,{},"{}"'.format(number, tomorrow(), text.replace('"', '""'))
             for number, text in zip(numbers, hostile)]
    assert import_text(ctl, table(*lines, names="order,amount,currency,due,description"))["imported"] == len(hostile)
    rows = stack.mariadb.query("SELECT po_id, description FROM orders WHERE po_id IN %s", tuple(numbers))
    assert {row["po_id"]: row["description"] for row in rows} == dict(zip(numbers, hostile))


def test_same_file_twice(ctl: Ctl) -> None:
    text = table(*(f"{fresh('po')},10,COP,{tomorrow()}" for _ in range(3)))
    assert import_text(ctl, text)["imported"] == 3
    assert list(refusals(ctl, text)) == [2, 3, 4]


def test_two_imports_at_once(ctl: Ctl, stack: Stack) -> None:
    """The same orders from three places: one gets them in, the others are told so line by line. Whoever had looked at a part of a file
    before that is told of the rest alone."""
    merchant = fresh("m")
    ctl.done("merchant", "add", merchant)
    text = table(*(f"o-{at},10,COP,{tomorrow()}" for at in range(3000)))
    words = ["--json", "order", "import", "--merchant", merchant, "--file", "-"]
    with ThreadPoolExecutor(3) as pool:
        results = list(pool.map(lambda _: ctl.run(*words, stdin=text), range(3)))
    assert sorted(result.returncode for result in results) == [0, 1, 1]
    for result in results:
        answer = json.loads(result.stdout)
        stored = result.returncode == 0
        assert answer["imported"] == (3000 if stored else 0) and bool(answer["refused"]) != stored
    assert rows_of(stack, merchant) == 3000


def test_files_that_are_not_there(ctl: Ctl, tmp_path: Path) -> None:
    words = ["order", "import", "--merchant", MERCHANT, "--file"]
    assert refused(ctl, *words, str(tmp_path / "absent")).endswith("No such file or directory")
    assert refused(ctl, *words, str(tmp_path)).endswith("Is a directory")
    said = refused(ctl, "order", "import", "--merchant", "nobody", "--file", "-")
    assert said.startswith("there is no merchant nobody")


def test_for_people(ctl: Ctl) -> None:
    words = ["order", "import", "--merchant", MERCHANT, "--file", "-"]
    assert ctl.done(*words, stdin=table(f"{fresh('po')},10,COP,{tomorrow()}")) == "imported 1\n\nrefused: none\n"
    result = ctl.run(*words, stdin=table("x y,10,COP,1"))
    assert result.returncode == 1 and "1 of 1 lines are refused" in result.stderr
    assert "   2 order: may only have letters" in result.stdout


def test_statement_that_takes_long(ctl: Ctl, stack: Stack, tmp_path: Path) -> None:
    """Longer than read_timeout, which is for statements of a few rows: here because somebody holds the table."""
    config = tmp_path / "recaudo.conf"
    write_config(config, default_settings(stack.mariadb, stack.worker.socket, stack.key_file), {"database": {"read_timeout": "1s"}})
    ctl.done("merchant", "add", merchant := fresh("m"))
    waiting = "SELECT COUNT(*) AS n FROM information_schema.PROCESSLIST WHERE INFO LIKE 'INSERT INTO orders %%' AND TIME_MS > 2000"
    holder = stack.mariadb.connect()
    holder.cursor().execute("LOCK TABLES orders READ")
    with ThreadPoolExecutor(1) as pool:
        importing = pool.submit(import_text, Ctl(config), table(f"{fresh('po')},10,COP,{tomorrow()}"), merchant)
        try:
            wait_until(lambda: importing.done() or stack.mariadb.query(waiting)[0]["n"] > 0, "the import to wait")
        finally:
            holder.close()
        assert importing.result() == {"imported": 1, "refused": []}


@pytest.mark.slow
def test_many(ctl: Ctl, stack: Stack, tmp_path: Path) -> None:
    """A hundred thousand lines, half of them with a reference; then one line wrong, and nothing of it stays."""
    merchant, due, file = fresh("m"), tomorrow(), tmp_path / "many.csv"
    ctl.done("merchant", "add", merchant)
    names = "order,amount,currency,due,reference,description,email"
    lines = [f"m-{at},{at}.50,COP,{due},{10 ** 15 + at if at % 2 else ''},Pedido número {at},ana{at}@tienda.example"
             for at in range(MANY)]
    file.write_text(table(*lines, names=names))
    imported = ctl.json("order", "import", "--merchant", merchant, "--file", str(file))
    assert imported == {"imported": MANY, "refused": []} and rows_of(stack, merchant) == MANY
    others = [line.replace("m-", "n-", 1).replace(f",{10 ** 15 + at}", ",") for at, line in enumerate(lines)]
    wrong = table(*others, "n-x,1,COP,1,,,", names=names)
    assert refusals(ctl, wrong, merchant) == {MANY + 2: "due: is not in the future by the database's clock"}
    assert rows_of(stack, merchant) == MANY
