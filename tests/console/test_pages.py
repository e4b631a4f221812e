"""The pages that only read: what is found, what a merchant's user cannot reach, files, and pages by key."""

import csv
import html
import io
import json
import re
from datetime import timedelta
from typing import Any

import pytest

from tests.stack import wait_until
from tests.stack.client import Client, Network
from tests.stack.external_answers import answer
from tests.stack.merchant_stub import closes, says
from world import COMMERCE, KIOSK, OTHER, SHOP, World

FIELD = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
LABEL = re.compile(r' data-label="[^"]*"')
LINK = re.compile(r'<th scope="row"><a href="(/[^"]+)"')
UNKNOWN = 999999999


def page(world: World, path: str, user: str = "vera") -> str:
    reply = world.get(path, user)
    assert reply.status == 200, (path, reply.status)
    return LABEL.sub("", reply.text)


def found(world: World, wanted: str, user: str = "vera") -> str | None:
    """Where the one hit of a search leads."""
    return world.get(f"/find?q={wanted}", user).headers["Location"]


def row(world: World, table: str, column: str, value: Any) -> dict[str, Any]:
    return dict(world.stack.mariadb.query(f"SELECT * FROM {table} WHERE {column} = %s", value)[0])


def names_of(world: World, order: str) -> dict[str, str]:
    """Everything that the one who calls may know of a paid order."""
    number = world.orders[order]
    written, payment = row(world, "orders", "id", number), row(world, "transactions", "order_id", number)
    return {"reference": written["reference"], "po_id": order, "transaction": payment["network_transaction"],
            "webhook_id": row(world, "notifications", "order_id", number)["webhook_id"], "token": written["token"],
            "slip": f"https%3A%2F%2Flocalhost%2Fpay%3Ftoken%3D{written['token']}"}


def test_all_that_a_caller_knows_leads_to_the_order(world: World) -> None:
    for what, value in names_of(world, "PO-refunded").items():
        assert found(world, value) == f"/orders/{world.orders['PO-refunded']}", what


def test_a_reference_that_was_changed_leads_to_the_order(world: World) -> None:
    """The slip and the receipt still say it."""
    old = world.add("PO-moved")
    number = world.orders["PO-moved"]
    world.stack.mariadb.query("UPDATE orders SET reference = '91' WHERE id = %s", number)
    for user in ("vera", "tienda-user"):
        assert found(world, old, user) == found(world, "91", user) == f"/orders/{number}"


def test_a_reference_is_found_in_the_groups_of_its_slip(world: World) -> None:
    """So it is read out; blanks elsewhere stay what they are."""
    reference = world.add("PO-in-groups")
    for groups in ("+".join((reference[:4], reference[4:7], reference[7:])), f"+{reference[:5]}++{reference[5:]}+"):
        for user in ("vera", "tienda-user"):
            assert found(world, groups, user) == f"/orders/{world.orders['PO-in-groups']}"
    assert found(world, f"PO+{reference}") is None
    other = world.add("PO-of-a-blank")
    world.pay(other, f"{reference[:5]} {reference[5:]}")
    assert found(world, f"{reference[:5]}+{reference[5:]}") == f"/orders/{world.orders['PO-of-a-blank']}", "what has it as it was typed"


def test_what_nothing_has_is_said(world: World) -> None:
    text = page(world, "/find?q=nobody-has-this")
    assert "nobody-has-this" in text and "IDSERVICE" in text


def test_a_reference_that_its_merchant_refused_is_told_from_a_mistyped_one(world: World) -> None:
    """How often its merchant was asked (not one that had the reference before), when last, and what it said; nothing of
    that to another merchant's user."""
    ids = {name: world.number("SELECT id AS n FROM merchants WHERE name = %s", name) for name in (SHOP, OTHER)}
    asked = ("INSERT INTO external_queries (asked_at, merchant_id, integration_id, network_id, reference, duration_us, outcome, problem, said)"
             " SELECT UTC_TIMESTAMP(6) - INTERVAL seq DAY, %s, 1, 1, %s, 1, IF(seq = 1, 'refused', 'silent'), IF(seq = 1, '0102', NULL),"
             " IF(seq = 1, 'paid at the till', NULL) FROM seq_1_to_{}")
    for merchant, reference, times in ((SHOP, "881000001", 3), (OTHER, "881000002", 3), (SHOP, "881000003", 101)):
        world.stack.mariadb.query(asked.format(times), ids[merchant], reference)
    world.stack.mariadb.query(asked.format(9).replace("seq DAY", "9 + seq DAY"), ids[OTHER], "881000001")
    world.stack.mariadb.query(asked.format(3), ids[SHOP], "881000004")
    world.stack.mariadb.query(asked.format(101).replace("seq DAY", "seq SECOND"), ids[OTHER], "881000004")

    def told(reference: str, user: str = "vera") -> str:
        return html.unescape(page(world, f"/find?q={reference}&lang=en", user))

    for user in ("vera", "tienda-user"):
        text = told("881000001", user)
        whose = "No order of yours has this reference. Your query endpoint" if user == "tienda-user" else "No order has this reference. Its merchant"
        assert f"{whose} was asked about it" in text and "Nothing was found" not in text
        assert re.search(r"<dt>Queries</dt><dd><bdi>3<.*<dt>Last query</dt><dd><time.*refused</span> <bdi>0102 paid at the till<", text, re.S)
        assert f'href="/merchants/{ids[SHOP]}"' in text
    assert "<bdi>≥ 100</bdi>" in told("881000003")
    assert "<dt>Queries</dt><dd><bdi>3<" in told("881000004", "tienda-user")
    assert f'href="/merchants/{ids[OTHER]}"' in told("881000002")
    for reference, user in (("881000002", "tienda-user"), ("881000009", "vera")):
        assert "Nothing was found for" in told(reference, user) and "asked about it" not in told(reference, user)
    world.stack.mariadb.query("UPDATE external_queries SET outcome = 'invalid', field = 'amount', problem = 'is missing' WHERE reference = '881000001'")
    assert "no válida amount falta" in re.sub("<[^>]*>", "", page(world, "/find?q=881000001&lang=es"))
    world.stack.mariadb.query("DELETE FROM external_queries WHERE reference BETWEEN '881000001' AND '881000004'")


def test_a_database_that_accepts_no_changes_is_the_first_to_be_named(world: World) -> None:
    """What else is said then follows from it."""
    said = "La base de datos no acepta cambios"
    assert said not in page(world, "/")
    world.stack.mariadb.query("SET GLOBAL read_only = ON")
    try:
        notes = re.findall(r'<p class="note \w+"><strong>(.*?)</strong>', page(world, "/"))
    finally:
        world.stack.mariadb.query("SET GLOBAL read_only = OFF")
    assert notes[0].startswith(said), notes


@pytest.mark.parametrize("trouble, lasts, said", [
    ("unrecorded", 120, "No se avisa a los comercios: el resultado no se puede anotar."),
    ("rights", 60, "A los procesos que atienden pagos les falta un permiso o una función en la base de datos."),
    ("reload", 60, "Los procesos que atienden pagos rechazaron la última configuración y siguen con la anterior."),
    ("held", 180, "El registro de eventos no se sella, o sus sellos no se copian."),
    ("seal_file", 180, "El registro de eventos no se sella, o sus sellos no se copian.")])
def test_what_programs_cannot_do_is_named(world: World, trouble: str, lasts: int, said: str) -> None:
    """While they go on noting it."""
    for ago, told in ((0, True), (lasts + 1, False)):
        world.stack.mariadb.query("REPLACE INTO last_done (what, host, at) VALUES (%s, 'console-test', UTC_TIMESTAMP(6) - INTERVAL %s SECOND)",
                                  trouble, ago)
        assert (said in html.unescape(page(world, "/"))) == told, ago
    world.stack.mariadb.query("DELETE FROM last_done WHERE host = 'console-test'")


def test_operations_in_no_settlement_are_named(world: World) -> None:
    """A payment that has just become final is not. The open settlement is locked, so the dispatcher collects nothing meanwhile."""
    ask = world.stack.mariadb.query
    made = ask("SHOW CREATE TRIGGER settlement_items_stay")[0]["SQL Original Statement"]
    with world.stack.mariadb.connect() as holding, holding.cursor() as cursor:
        holding.begin()
        cursor.execute("SELECT number FROM settlements WHERE is_open = 1 FOR UPDATE")
        ask("DROP TRIGGER settlement_items_stay")
        try:
            for ago, told in ((30, False), (61, True)):
                ask("REPLACE INTO settlement_items (transaction_id, kind, at) VALUES"
                    " (4000000000, 'finalised', UTC_TIMESTAMP(6) - INTERVAL %s SECOND)", ago)
                assert ("Hay operaciones que no están en ninguna conciliación." in html.unescape(page(world, "/"))) == told, ago
        finally:
            ask("DELETE FROM settlement_items WHERE transaction_id = 4000000000")
            ask(made)


def test_a_nightly_removal_that_is_late_is_named(world: World) -> None:
    """Of what is removed: the configuration keeps customers' data. The dispatcher has done this night's and looks at nothing more."""
    ask = world.stack.mariadb.query
    kept = ask("SELECT what, begun_for FROM retention")
    for what, ago, told in (("attempts", 47, False), ("orders", 49, False), ("queries", 49, True)):
        ask("UPDATE retention SET begun_for = UTC_TIMESTAMP(6) - INTERVAL %s HOUR WHERE what = %s", ago, what)
        said = "La eliminación nocturna de datos antiguos lleva más de dos días sin hacerse." in html.unescape(page(world, "/"))
        assert said == told, what
    for row in kept:
        ask("UPDATE retention SET begun_for = %s WHERE what = %s", row["begun_for"], row["what"])


@pytest.mark.parametrize("code, lasts, said", [
    ("0009", 300, "Requests are answered 0009: an internal error of recaudo."),
    ("0028", 60, "Requests are answered 0028: the database, or recaudo-query, does not answer in time."),
    ("0113", 300, "Confirmations are refused with 0113: their network's limit is too low.")])
def test_refusals_that_need_somebody_are_named(world: World, code: str, lasts: int, said: str) -> None:
    for ago, told in ((0, True), (lasts + 1, False)):
        world.stack.mariadb.query("REPLACE INTO refusal_counts (began_at, code, refusals, last_at) VALUES"
                                  " (DATE(UTC_TIMESTAMP()) + INTERVAL HOUR(UTC_TIMESTAMP()) HOUR, %s, 1, UTC_TIMESTAMP(6) - INTERVAL %s SECOND)",
                                  code, ago)
        text = html.unescape(page(world, "/?lang=en"))
        assert (said in text) == told, ago
        assert not told or "Nothing that this page watches" not in text
    world.stack.mariadb.query("DELETE FROM refusal_counts WHERE code = %s", code)


def test_several_hits_are_a_list(world: World) -> None:
    world.add("PO-both", SHOP)
    world.add("PO-both", OTHER)
    assert len(LINK.findall(page(world, "/find?q=PO-both").replace("Orden ", ""))) == 2
    assert found(world, "PO-both", "tienda-user") is not None


@pytest.mark.parametrize("question, answers", [
    ("PO-paid", ["Pagada", "kiosko", "T-paid", "45.000,00", "1 definitivo", "Entregada"]),
    ("PO-open", ["Sin pagar", "se puede pagar", "ninguno"]),
    ("PO-registered", ["no lo confirmó", "T-registered"]),
    ("PO-cancelled", ["se canceló en el punto de pago", "1 cancelado"]),
    ("PO-refunded", ["Pagada y reembolsada", "operator:", "=paid twice, says Ana", "0105"]),
    ("PO-foreign", ["el estado HTTP no es 2xx", "500"])])
def test_one_search_answers_the_question(world: World, question: str, answers: list[str]) -> None:
    text = html.unescape(page(world, str(found(world, question)) + "?lang=es"))
    assert [answer for answer in answers if answer not in text] == []


def foreign_addresses(world: World) -> list[tuple[str, str]]:
    """Each page that names something, with what is another merchant's, and with what there is not."""
    foreign = world.orders["PO-foreign"]
    ids = {"orders": foreign, "transactions": row(world, "transactions", "order_id", foreign)["id"],
           "notifications": row(world, "notifications", "order_id", foreign)["id"],
           "merchants": row(world, "merchants", "name", OTHER)["id"], "networks": row(world, "networks", "name", KIOSK)["id"]}
    return [(f"/{folder}/{number}", f"/{folder}/{UNKNOWN}") for folder, number in ids.items()]


def test_a_foreign_id_gets_what_an_unknown_id_gets(world: World) -> None:
    for foreign, unknown in foreign_addresses(world):
        one, other = world.get(foreign, "tienda-user"), world.get(unknown, "tienda-user")
        assert one.status == other.status == 404, foreign
        assert one.text.replace(foreign, "") == other.text.replace(unknown, ""), foreign
        assert world.get(foreign).status in (200, 303), foreign


def test_nothing_foreign_is_found(world: World) -> None:
    for what, value in names_of(world, "PO-foreign").items():
        reply = world.get(f"/find?q={value}", "tienda-user")
        assert reply.status == 200 and "/orders/" not in reply.text, what
        assert found(world, value) == f"/orders/{world.orders['PO-foreign']}", what


@pytest.mark.parametrize("path", ["/orders", "/notifications"])
def test_a_list_of_one_merchants_rows_has_no_column_for_it(world: World, path: str) -> None:
    column, cell = '<th scope="col" class="words">Merchant</th>', f"<td><bdi>{SHOP}</bdi></td>"
    staff, own = page(world, path + "?lang=en"), page(world, path + "?lang=en", "tienda-user")
    assert column in staff and cell in staff and column not in own and cell not in own
    for text in (staff, own):
        columns, rows = text.count('<th scope="col"'), re.findall('<tr><th scope="row">.*?</tr>', text, re.DOTALL)
        assert rows and {row.count("<td") for row in rows} == {columns - 1}


@pytest.mark.parametrize("path", ["/orders", "/transactions", "/notifications", "/merchants", "/settlement", "/log"])
def test_no_list_shows_what_is_foreign(world: World, path: str) -> None:
    merchant = row(world, "merchants", "name", OTHER)["id"]
    for query in ("", f"?merchant={merchant}", f"?merchant={merchant}&format=csv", "?format=csv", "?state=pending",
                  f"?subject=merchant&id={merchant}", "?number=1&format=csv", "?to=2099-01-01"):
        text = page(world, path + query, "tienda-user")
        assert OTHER not in text and "T-foreign" not in text and "PO-foreign" not in text, path + query


def test_no_page_has_a_script_in_it(world: World) -> None:
    paths = ["/orders", "/notifications", "/merchants", "/log", "/users", "/settlement?number=1"]
    paths += [f"/orders/{number}" for number in world.orders.values()] + ["/find?q=<script>alert(1)</script>"]
    for path in paths:
        text = page(world, path.replace("<", "%3C").replace(">", "%3E"))
        assert "<script" not in text and "<b>" not in text, path


def test_no_secret_stands_on_a_page(world: World) -> None:
    secrets = [*world.hashes.values(), world.kiosk_hash]
    for path in ("/merchants/1", "/networks/1", "/users", "/log", "/orders/1"):
        text = page(world, path)
        assert not [secret for secret in secrets if secret in text], path


def test_a_file_has_what_is_filtered_and_runs_no_formula(world: World) -> None:
    reply = world.get("/orders?format=csv")
    assert reply.headers["Content-Type"].startswith("text/csv")
    rows = {line["po_id"]: line for line in csv.DictReader(io.StringIO(reply.text))}
    assert rows["PO-open"]["description"] == "'=1+1"
    assert set(world.orders) <= set(rows)
    paid = csv.DictReader(io.StringIO(page(world, "/orders?state=ANULADA&format=csv")))
    assert [line["po_id"] for line in paid] == ["PO-refunded"]


def test_an_open_amount_is_said_in_words_and_then_what_was_paid(world: World) -> None:
    """As the merchant's consult of the order does."""
    reference = world.add("PO-open-amount", amount="0")
    number = world.orders["PO-open-amount"]
    pages = (f"/orders/{number}?lang=en", "/orders?lang=en")
    assert '<p class="figure">open (COP)</p>' in page(world, pages[0]) and ">open (COP)<" in page(world, pages[1])
    world.pay(reference, "T-open-amount", "2500.50")
    wait_until(lambda: "Pagada<" in page(world, f"/orders/{number}?lang=es"), "its window to end")
    assert "2,500.50</p>" in page(world, pages[0]) and "2,500.50</td>" in page(world, pages[1])
    (line,) = [line for line in csv.DictReader(io.StringIO(page(world, "/orders?format=csv"))) if line["po_id"] == "PO-open-amount"]
    (listed,) = [order for order in world.stack.ctl.json("order", "list") if order["po_id"] == "PO-open-amount"]
    assert (line["amount"], listed["amount"]) == ("2500.50", "2500.50")


def test_words_of_a_spanish_page(world: World) -> None:
    """Also of more than one payment."""
    reference = world.add("PO-twice")
    for transaction in ("T-once", "T-twice"):
        world.pay(reference, transaction, confirm=None)
    text = html.unescape(page(world, f"/orders/{world.orders['PO-twice']}?lang=es"))
    assert "Cupón de pago</dt>" in text and "0102 ya pagada" in html.unescape(page(world, f"/orders/{world.orders['PO-paid']}?lang=es"))
    assert "2 registrados sin confirmar" in text and "registrada por el comercio" in text and "registered" not in text


def test_an_order_that_ends_with_a_day_says_so_everywhere(world: World) -> None:
    """As its payment slip does: the last minute of that day, not the midnight after it."""
    world.add("PO-of-a-day")
    number = world.orders["PO-of-a-day"]
    written = world.stack.mariadb.query("SELECT due_at - INTERVAL 5 HOUR AS midnight FROM orders WHERE id = %s", number)[0]["midnight"]
    last, tomorrow = written - timedelta(minutes=1), written.strftime("%Y-%m-%d")
    order, orders = f"/orders/{number}?lang=es&zone=America/Bogota", "/orders?lang=es&zone=America/Bogota"
    (listed,) = re.findall(r"<tr>(?:(?!</tr>).)*>PO-of-a-day<.*?</tr>", page(world, orders))
    for shown in (page(world, order), listed):
        assert f">{last:%Y-%m-%d %H:%M}:00</time>" in shown and tomorrow + " 00:00" not in shown
    headline = page(world, order).partition('<section class="answer')[2].partition("</section>")[0]
    assert f"{last:%Y-%m-%d} 23:59:00" in headline
    with Client(world.stack.base_url) as client:
        slip = client.request("GET", f"/pay?token={row(world, 'orders', 'id', number)['token']}").text
    assert re.search(rf"\b{last.day} de \w+ de {last.year}, 23:59", slip)
    world.stack.mariadb.query("UPDATE orders SET due_at = due_at + INTERVAL 1 SECOND, changed_by = 'test' WHERE id = %s", number)
    assert tomorrow + " 00:00:01" in page(world, order)


def test_changes_are_a_list_in_words(world: World) -> None:
    """Of a secret without its value; an instant by the reader's clock; text that would be HTML stays text."""
    world.stack.ctl.done("merchant", "set", OTHER, "--commerce", "<b>Nueva")
    world.stack.ctl.done("merchant", "rotate", OTHER)
    other = row(world, "merchants", "name", OTHER)["id"]
    log = page(world, f"/log?subject=merchant&id={other}&lang=es&zone=UTC")
    assert f">comercio {other}</a></td><td>secreto nuevo</td><td>habilitado</td>" in log and "<li>fixed_hash: cambió</li>" in log
    assert re.search("<li>Nombre que ven las redes: <bdi>.*?</bdi> → <bdi>&lt;b&gt;Nueva</bdi></li>", log)
    order = page(world, f"/orders/{world.orders['PO-open']}?lang=es&zone=America/Bogota")
    assert re.search("<li>Vence: <bdi>[-0-9]* 23:59:00</bdi></li>", order)
    assert "[null" not in html.unescape(log + order) and "{&quot;" not in log + order


def test_a_merchant_reads_which_prefix_it_was_given(world: World) -> None:
    world.stack.ctl.done("reference", "give", "5512", "--merchant", SHOP)
    assert "prefix 5512 given" in page(world, "/log", "tienda-user")
    world.stack.ctl.done("reference", "take", "5512")


def test_pages_go_on_by_key_and_leave_nothing_out(world: World) -> None:
    merchant = row(world, "merchants", "name", OTHER)["id"]
    world.stack.mariadb.query(
        "INSERT INTO orders (merchant_id, po_id, reference, amount, currency, origin, due_at, changed_by)"
        " SELECT %s, CONCAT('MANY-', seq), 700000 + seq, 5, 'COP', 'imported', UTC_TIMESTAMP() + INTERVAL 1 DAY, 'test'"
        " FROM seq_1_to_120", merchant)
    seen: list[str] = []
    query = f"?merchant={merchant}"
    while query:
        text = page(world, "/orders" + query)
        seen += LINK.findall(text)
        older = text.rpartition('<form class="pages"')[2] if '<form class="pages"' in text else ""
        query = "?" + "&".join(f"{name}={value}" for name, value in FIELD.findall(older.partition("</form>")[0])) if older else ""
    assert len(seen) == len(set(seen))
    assert len(seen) == world.number("SELECT COUNT(*) AS n FROM orders WHERE merchant_id = %s", merchant)


def test_filter_has_the_currencies_of_the_database(world: World) -> None:
    """The operator may have added some."""
    world.stack.mariadb.query("INSERT INTO currencies (code, name) VALUES ('BOB', 'boliviano')")
    for path in ("/orders", "/transactions"):
        assert '<option value="BOB">' in page(world, path)
        assert '<option value="USD" selected>' in page(world, path + "?currency=USD")


def test_a_day_bounds_a_list(world: World) -> None:
    for path in ("/orders", "/transactions", "/notifications", "/log"):
        assert "PO-open" not in page(world, path + "?to=2020-01-01")
        assert "2026-13-45" in page(world, path + "?from=2026-13-45"), path


@pytest.mark.parametrize("path, first, last", [
    ("/orders", "Creada desde el día", "Creada hasta el día"), ("/notifications", "Creada desde el día", "Creada hasta el día"),
    ("/transactions", "Registrada desde el día", "Registrada hasta el día")])
def test_the_days_of_a_list_are_named(world: World, path: str, first: str, last: str) -> None:
    labels = re.findall(r'<label>([^<]*) <input type="date"', html.unescape(page(world, path)))
    assert labels == [first, last]


def report(world: World, *options: str) -> str:
    return world.stack.ctl.done("report", "settlement", "--format", "csv", *options)


def test_a_settlement_has_the_bytes_of_recaudoctl(world: World) -> None:
    world.stack.ctl.done("settlement", "close")
    shop = row(world, "merchants", "name", SHOP)["id"]
    assert page(world, "/settlement?number=1&format=csv") == report(world, "--number", "1")
    assert page(world, f"/settlement?number=1&format=csv&merchant={shop}") == report(world, "--number", "1", "--merchant", SHOP)
    assert page(world, "/settlement?number=1&format=csv", "tienda-user") == report(world, "--number", "1", "--merchant", SHOP)
    assert "digest" in report(world, "--number", "1")


def test_a_mangled_link_shows_nothing_else(world: World) -> None:
    """As a mail program makes one that takes the full stop behind it for a part: not other sums, nor all merchants."""
    shop = row(world, "merchants", "name", SHOP)["id"]
    for query in ("number=1.", "number=1)", "number=1&merchant=1.", "number=1&network=1.", "day=2020-05-05&merchant=1)"):
        for more in ("", "&format=csv"):
            assert world.get(f"/settlement?{query}{more}").status == 404, query
    for path in ("/orders", "/notifications"):
        assert page(world, f"{path}?merchant=&format=csv").count("\n") > page(world, f"{path}?merchant={shop}&format=csv").count("\n") > 1
        assert page(world, f"{path}?merchant={shop}.&format=csv").count("\n") == 1
    for subject in ("", "&subject=merchant"):
        shown = page(world, f"/log?id={shop}{subject}")
        assert f'<a href="/merchants/{shop}">' in shown
        assert set(re.findall(r'<td><a href="/\w+/(\d+)">', shown)) == {str(shop)}
        for mangled in (f"{shop}.", "0"):
            shown = page(world, f"/log?id={mangled}{subject}")
            assert "<td>" not in shown and f'value="{mangled}"' in shown


def test_a_merchants_user_learns_no_name_of_staff(world: World) -> None:
    """Neither what account of the database somebody used by hand, nor by guessing who is in the log."""
    with world.stack.mariadb.connect() as owner, owner.cursor() as cursor:
        for enabled in (0, 1):
            cursor.execute("UPDATE merchants SET enabled = %s WHERE name = %s", (enabled, SHOP))
    (actor,) = {event["actor"] for event in world.stack.mariadb.query("SELECT actor FROM event_log ORDER BY id DESC LIMIT 2")}
    assert actor.startswith("db:") and actor in page(world, "/log") and actor in page(world, f"/log?actor={actor}")
    shown = page(world, "/log", "tienda-user")
    assert actor not in shown and shown.count(">recaudo<") >= 2
    assert "<td>" not in page(world, f"/log?actor={actor}", "tienda-user")


def submitted(text: str, button: str) -> list[str]:
    """The addresses that the page's forms with such a button ask for."""
    forms = re.findall(r'<form class="filters" method="get" action="([^"]+)">(.*?)</form>', text, re.DOTALL)
    named = re.compile(r'<input type="\w+" name="(\w+)" value="([^"]*)">')
    return [f"{action}?" + "".join(f"{name}={value}&" for name, value in named.findall(form))
            for action, form in forms if button in form]


def close_settlement(world: World, day: str | None = None) -> int:
    """By hand, or as the settlement of a day in UTC."""
    number = world.number("SELECT number AS n FROM settlements WHERE state = 'open'")
    assert world.number("SELECT settlement_close(%s, 'operator:test', %s, IF(%s IS NULL, NULL, 'UTC'), NULL) AS n", number, day, day) == 1
    return number


@pytest.mark.parametrize("user, day, options", [
    ("vera", None, []), ("vera", "2020-05-05", []),
    ("tienda-user", None, ["--merchant", SHOP]), ("tienda-user", "2020-05-06", ["--merchant", SHOP])])
def test_the_csv_button_gives_the_settlement_of_the_page(world: World, user: str, day: str | None, options: list[str]) -> None:
    """Also where the reader's zone is not the settlement's, whose day then is another one."""
    number = close_settlement(world, day)
    shown = page(world, f"/settlement?number={number}&zone=America/Bogota&lang=en", user)
    (address,) = submitted(shown, "CSV")
    reply = world.get(f"{address}format=csv", user, Cookie="zone=America/Bogota")
    assert reply.text == report(world, "--number", str(number), *options)
    assert f'filename="settlement-{number}.csv"' in reply.headers["Content-Disposition"]


def test_a_settlement_is_shown_for_a_chosen_merchant(world: World) -> None:
    number = close_settlement(world)
    shop = row(world, "merchants", "name", SHOP)["id"]
    (address,) = [form for form in submitted(page(world, f"/settlement?number={number}&lang=en"), "Show") if "number=" in form]
    text = page(world, f"{address}merchant={shop}&lang=en")
    assert f"<dt>Number</dt><dd><bdi>{number}</bdi></dd>" in text and f"<dt>Merchant</dt><dd><bdi>{SHOP}</bdi></dd>" in text, text


def test_a_merchants_user_finds_a_settlement_closed_by_hand(world: World) -> None:
    """In the list, whose counts of all parties are not theirs, and from its day, which is no settlement's."""
    number = close_settlement(world)
    for query in ("", f"?number={number}"):
        text = page(world, f"/settlement{query}", "tienda-user")
        listed = text.partition("Últimas conciliaciones</caption>")[2]
        assert f'<a href="/settlement?number={number}">' in listed
        assert "Reembolsos" not in listed and "Reembolsos" in page(world, f"/settlement{query}").partition("Últimas conciliaciones</caption>")[2]


@pytest.mark.parametrize("user", ["vera", "tienda-user"])
def test_a_day_that_is_no_settlements_names_those_of_its_time(world: World, user: str) -> None:
    """With day and zone: the reader's zone may be another one."""
    by_hand, of_day = close_settlement(world), close_settlement(world, {"vera": "2020-06-06", "tienda-user": "2020-06-07"}[user])
    today = world.stack.mariadb.query("SELECT CAST(UTC_DATE() AS CHAR) AS day")[0]["day"]
    text = page(world, f"/settlement?day={today}&zone=UTC&lang=en", user)
    (note,) = re.findall(r'<p class="note">(No settlement is of this day.*?)</p>', text)
    assert f'<a href="/settlement?number={by_hand}">{by_hand}</a>,' in note
    assert re.search(rf'<a href="/settlement\?number={of_day}">{of_day}</a> \(2020-06-0\d, UTC\)', note)
    assert "No settlement is of this day" not in page(world, "/settlement?day=2019-05-05&lang=en", user)
    assert "No settlement is of this day" not in page(world, f"/settlement?number={by_hand}&lang=en", user)


def state_of_day(world: World, day: str) -> str:
    (state,) = re.findall(r'<h2>Settlement [-0-9]*</h2>\s*<p><span class="state [\w ]+">(.*?)</span>', page(world, f"/settlement?day={day}&zone=UTC&lang=en"))
    return str(state)


def test_a_day_is_open_only_while_more_may_come(world: World) -> None:
    """Not when it is over and all of it is in closed settlements, of which none needs to be the day's."""
    query = world.stack.mariadb.query
    day = str(query("SELECT CAST(UTC_DATE() - INTERVAL 3 DAY AS CHAR) AS day")[0]["day"])
    today = str(query("SELECT CAST(UTC_DATE() AS CHAR) AS day")[0]["day"])
    open_words, settled_words = "Open: more may come", "All of it is in closed settlements"
    close_settlement(world)
    assert state_of_day(world, day) == settled_words and state_of_day(world, today) == open_words
    world.pay(world.add("PO-of-the-past"), "T-of-the-past", confirm=None)
    payment = row(world, "transactions", "network_transaction", "T-of-the-past")["id"]
    query("UPDATE transactions SET state = 'CONFIRMADA', confirmed_at = UTC_TIMESTAMP(6) - INTERVAL 73 HOUR,"
          " window_ends_at = UTC_TIMESTAMP(6) - INTERVAL 72 HOUR, changed_by = 'test' WHERE id = %s", payment)
    assert state_of_day(world, day) == open_words


def test_a_comparison_begins_with_a_day(world: World) -> None:
    """Of a settlement that was closed by hand, the day of its closing by the reader's clock."""
    number = close_settlement(world)
    query = "SELECT CAST(DATE(closed_at - INTERVAL 5 HOUR) AS CHAR) AS day FROM settlements WHERE number = %s"
    day = world.stack.mariadb.query(query, number)[0]["day"]
    assert f'href="/settlement/compare?day={day}"' in page(world, f"/settlement?number={number}&zone=America/Bogota")
    of_day = close_settlement(world, "2020-07-07")
    assert 'href="/settlement/compare?day=2020-07-07"' in page(world, f"/settlement?number={of_day}&zone=America/Bogota")


def test_a_closed_day_is_found_under_another_name_of_its_zone(world: World) -> None:
    number = close_settlement(world, "2020-07-08")
    shown = page(world, "/settlement?day=2020-07-08&zone=Africa/Abidjan&lang=en")
    assert f"Number {number}" in " ".join(re.sub("<[^>]*>", " ", shown).split())


def test_a_day_has_the_totals_and_the_bytes_of_recaudoctl(world: World) -> None:
    day, paid = world.stack.mariadb.query("SELECT CAST(DATE(settled_at) AS CHAR) AS day, SUM(amount) AS n FROM transactions"
                                           " WHERE state = 'FINALIZADA' GROUP BY 1 LIMIT 1")[0].values()
    assert page(world, f"/settlement?day={day}&zone=UTC&format=csv") == report(world, "--date", day, "--zone", "UTC")
    text = page(world, f"/settlement?day={day}&zone=UTC&lang=en")
    assert f"{paid:,.2f}" in text and "Payments" in text


def test_the_first_page_shows_payments_over_time(world: World) -> None:
    world.stack.mariadb.query("REPLACE INTO payment_counts SELECT 'minute', DATE_FORMAT(UTC_TIMESTAMP() - INTERVAL seq MINUTE,"
                              " '%Y-%m-%d %H:%i:00'), 'CRC', 1000 FROM seq_5_to_6")
    text = page(world, "/?lang=en&zone=UTC")
    assert "CRC 2,000" in text and text.count('role="img"') >= 1 and "Payments per hour" in text
    assert len(re.findall(r'<td class="number">1,000</td>', text)) == 2
    assert "payment" not in page(world, "/?lang=en", "tienda-user").lower()


def test_the_first_page_tells_of_refusals(world: World) -> None:
    world.stack.mariadb.query("REPLACE INTO refusal_counts (began_at, code, refusals) SELECT DATE_FORMAT(UTC_TIMESTAMP() - INTERVAL seq HOUR, '%Y-%m-%d %H:00:00'),"
                              " '0103', 1000 FROM seq_3_to_5")
    text = html.unescape(page(world, "/?lang=en"))
    assert "<td>vencida</td>" in page(world, "/?lang=es")
    assert re.search(r'<th scope="row">0103</th><td>expired</td><td class="number">0</td><td class="number">3,000</td>', text), text
    assert "Refusals by code" not in page(world, "/?lang=en", "tienda-user")


def test_the_first_page_tells_of_dispatchers_and_the_last_settlement(world: World) -> None:
    world.stack.ctl.done("settlement", "close")
    number = world.number("SELECT MAX(number) AS n FROM settlements WHERE state = 'closed'")
    text = page(world, "/?lang=en")
    host = world.stack.mariadb.query("SELECT host FROM dispatchers LIMIT 1")[0]["host"]
    assert f'href="/settlement?number={number}"' in text and f"<bdi>{host}</bdi>" in text


def test_a_table_without_rows_says_so(world: World) -> None:
    network = row(world, "networks", "name", KIOSK)["id"]
    for path, columns, words in ((f"/networks/{network}", 5, "None."), ("/orders?state=CANCELADA&currency=USD", 7, "Nothing matches."),
                                 ("/log?actor=nobody", 6, "Nothing matches.")):
        assert f'<tbody>\n<tr><td class="none" colspan="{columns}">{words}</td></tr>\n</tbody>' in page(world, f"{path}{'&' if '?' in path else '?'}lang=en"), path
    assert 'class="none"' not in page(world, "/networks")


def test_what_is_counted_leads_to_its_list(world: World) -> None:
    leads = dict(re.findall('<h2><a href="(.*?)">(Given up|Waiting for another attempt|Notification endpoints resting)</a></h2>',
                            page(world, "/?lang=en")))
    assert leads == {"/notifications?state=exhausted": "Given up", "/notifications?state=pending": "Waiting for another attempt",
                     "/merchants": "Notification endpoints resting"}
    assert all(world.get(path).status == 200 for path in leads)


def test_a_merchants_user_sees_no_users_and_no_networks(world: World) -> None:
    for path in ("/users", "/networks"):
        assert world.get(path, "tienda-user").status == 404
        assert world.get(path).status == 200


def test_a_merchants_user_reads_no_note_of_the_staff(world: World) -> None:
    for path in (f"/orders/{world.orders['PO-refunded']}", "/log", "/merchants/1", "/settlement?number=1"):
        text = html.unescape(page(world, path, "tienda-user"))
        assert "operator:" not in text and "says Ana" not in text, path
    assert "says Ana" in html.unescape(page(world, f"/orders/{world.orders['PO-refunded']}"))


def test_a_query_that_failed_says_about_what_and_why(world: World) -> None:
    """To its merchant, in words. The newest query of each integration decides."""
    reference = "960000001"
    endpoint = world.stub.on("/query", closes)
    integration = world.stack.ctl.json("integration", "add", "--merchant", SHOP, "--kind", "2", "--code", "96", "--endpoint", endpoint)["id"]

    def check(words: str, detail: str, problem: str) -> None:
        for path, user in (("/", "tienda-user"), ("/merchants/1", "vera"), ("/merchants/1", "tienda-user")):
            assert words in html.unescape(re.sub("<.*?>", "", page(world, path + "?lang=en", user))), (path, user)
        first = page(world, "/?lang=en")
        assert problem in first and "Nothing that this page watches" not in first
        (listed,) = re.findall(r"<tr>.*?</tr>", first.partition("Integrations whose last query failed</caption>")[2].partition("</table>")[0], re.DOTALL)[-1:]
        assert f'<th scope="row"><a href="/merchants/1"><bdi>{SHOP}</bdi></a></th><td>96…</td>' in listed and detail in re.sub("<.*?>", "", listed)

    with Network(world.stack.base_url, KIOSK, world.kiosk_hash) as network:
        wait_until(lambda: network.lookup(reference).code == "0108", "the workers to ask the merchant")
        text = page(world, "/merchants/1", "tienda-user")
        (told,) = re.findall(rf"<tr>.*?{reference}.*?</tr>", text)[:1]
        assert "no respondió" in told and "la respuesta se cortó o no es HTTP" in told
        check("References 96…: the query endpoint gave no usable answer to the last query: the reply ended early or is not HTTP; networks get 0108 or 0110.",
              "the reply ended early", "Some query endpoints gave no usable answer to the last query.")
        world.stub.on("/query", says("<html>deployed</html>", status=404))
        assert network.lookup(reference).code == "0109"
        check("References 96…: the query endpoint's last answer was not valid: HTTP status is not 200; networks get 0109.",
              "HTTP status is not 200", "The last answer of some query endpoints was not valid.")
        assert "gave no usable answer to the last query" not in page(world, "/?lang=en") + page(world, "/?lang=en", "tienda-user")
        spanish = re.sub("<.*?>", "", page(world, "/?lang=es", "tienda-user"))
        assert "no es válida: el estado HTTP no es 200; las redes reciben 0109." in spanish
        well = world.stub.on("/well", says(json.dumps({"CODE": "0102", "TEXT": "paid"})))
        other = world.stack.ctl.json("integration", "add", "--merchant", SHOP, "--kind", "2", "--code", "98", "--endpoint", well)["id"]
        wait_until(lambda: network.lookup("980000001").code == "0107", "the workers to ask the other endpoint")
        check("References 96…: the query endpoint's last answer was not valid", "HTTP status is not 200",
              "The last answer of some query endpoints was not valid.")  # though another one of it answers
        world.stack.ctl.done("integration", "remove", str(other))
        world.stub.on("/query", says(json.dumps({"CODE": "0102", "TEXT": "paid"})))
        assert network.lookup(reference).code == "0107"
    healthy = page(world, "/?lang=en") + page(world, "/?lang=en", "tienda-user") + page(world, "/merchants/1?lang=en")
    assert "last query" not in healthy and "last answer" not in healthy
    world.stub.on("/query", closes)
    with Network(world.stack.base_url, KIOSK, world.kiosk_hash) as network:
        assert network.lookup(reference).code == "0108"
    assert "gave no usable answer to the last query" in page(world, "/?lang=en")
    world.stack.ctl.done("integration", "remove", str(integration))
    assert "gave no usable answer to the last query" not in page(world, "/?lang=en") + page(world, "/?lang=en", "tienda-user")


def test_many_integrations_that_fail_are_counted(world: World) -> None:
    """So that those of other merchants are seen too."""
    shop, other = (world.number("SELECT id AS n FROM merchants WHERE name = %s", name) for name in (SHOP, OTHER))
    for merchant, first, many in ((shop, 9510000, 7), (other, 9520000, 1)):
        world.stack.mariadb.query(f"INSERT INTO integrations (merchant_id, kind, code, endpoint, currency, changed_by)"
                                  f" SELECT %s, 2, %s + seq, 'http://192.0.2.1/', 'COP', 'test' FROM seq_1_to_{many}", merchant, first)
    world.stack.mariadb.query(
        "INSERT INTO external_queries (asked_at, merchant_id, integration_id, network_id, reference, duration_us, outcome, field, problem)"
        " SELECT UTC_TIMESTAMP(6), merchant_id, id, 1, code, 1, 'silent', 'timeout', 'failed' FROM integrations WHERE code LIKE '95_0%%'")
    try:
        staffs = html.unescape(page(world, "/?lang=en"))
        for user, path in (("tienda-user", "/"), ("vera", f"/merchants/{shop}")):
            text = html.unescape(page(world, f"{path}?lang=en", user))
            assert text.count("gave no usable answer to the last query") == 5 and "More integrations whose last query failed: 2" in text
    finally:
        world.stack.mariadb.query("DELETE FROM external_queries WHERE reference LIKE '95_0%%'")
        world.stack.mariadb.query("UPDATE integrations SET removed_at = UTC_TIMESTAMP(6) WHERE live_code LIKE '95_0%%'")
    table = staffs.partition("Integrations whose last query failed</caption>")[2].partition("</table>")[0]
    assert table.count("<td>951000") == 5 and "<td>9520001…" in table and "More integrations whose last query failed: 2" in table


# What is stored of an answer that was not valid, and how a Spanish page says it.
FAULTS = {("HTTP status", "is not 200"): "el estado HTTP no es 200",
          ("checksum", "is not valid"): "checksum no es válido",
          ("the body", "is not valid JSON"): "el cuerpo no es JSON válido",
          ("the body", "is XML or HTML: send one JSON object, {...}"): "el cuerpo es XML o HTML: debe ser un objeto JSON, {...}",
          ("the body", "needs , or } at byte 17"): "el cuerpo necesita , o } (byte 17)",
          ("the body", "ends too early at byte 9: a closing } or ] is missing"):
              "el cuerpo termina antes de tiempo: falta cerrar con } o ] (byte 9)",
          ("description", "is too long: at most 40 characters"): "description es demasiado largo: máximo 40 caracteres",
          ("email", "is empty: send 1 to 100 characters"): "email está vacío",
          ("order", "was registered or imported and keeps reference 90-7"):
              "order se registró o se importó, y conserva la referencia 90-7",
          ("order", "is in COP, this integration in USD"): "order está en COP, y esta integración en USD",
          ("too_large", "failed"): "los encabezados son demasiado grandes",
          ("order", "is of a later release"): "order is of a later release"}


def test_what_was_wrong_with_an_answer_is_in_the_readers_words(world: World) -> None:
    for field, problem in FAULTS:
        world.stack.mariadb.query(
            "INSERT INTO external_queries (asked_at, merchant_id, integration_id, network_id, reference, duration_us, outcome, http_status,"
            " field, problem) SELECT UTC_TIMESTAMP(6), id, 1, 1, '950000001', 1, 'invalid', 200, %s, %s FROM merchants WHERE name = %s",
            field, problem, SHOP)
    details = {language: [re.sub("<.*?>", "", html.unescape(detail)).strip() for detail in re.findall(
        r"<tr>(?:(?!</tr>).)*?950000001.*?<td>((?:(?!<td>).)*?)</td></tr>", page(world, f"/merchants/1?lang={language}"), re.DOTALL)]
        for language in ("es", "en")}
    world.stack.mariadb.query("DELETE FROM external_queries WHERE reference = '950000001'")
    assert sorted(details["es"]) == sorted(FAULTS.values())
    assert sorted(details["en"]) == sorted("the headers are too large" if problem == "failed" else f"{field} {problem}"
                                           for field, problem in FAULTS)


def lookup_now(world: World, order: str) -> str:
    text = html.unescape(page(world, f"/orders/{world.orders[order]}?lang=en"))
    told = re.search(r"A network that looks it up now gets</dt><dd>(.*?)</dd>", text)
    assert told is not None, text
    return re.sub("<.*?>", "", told[1])


def test_an_order_that_its_merchant_offered_says_what_it_answered_last(world: World) -> None:
    """A lookup asks the merchant again; it may refuse what it offered."""
    reference, order = "970000001", "Q-offered"
    endpoint = world.stub.on("/offers", says(json.dumps(answer(world.hashes[SHOP], order))))
    integration = world.stack.ctl.json("integration", "add", "--merchant", SHOP, "--kind", "2", "--code", "97", "--endpoint", endpoint)["id"]
    with Network(world.stack.base_url, KIOSK, world.kiosk_hash) as network:
        wait_until(lambda: network.lookup(reference).code == "0000", "the workers to ask the merchant")
        world.orders[order] = world.number("SELECT id AS n FROM orders WHERE po_id = %s", order)
        assert re.search(r"it is asked at that moment\. Last answer: +answered 20", lookup_now(world, order))
        world.stub.on("/offers", says(json.dumps({"CODE": "0102", "TEXT": "paid at the till"})))
        wait_until(lambda: network.lookup(reference).code == "0107", "the merchant to be asked again")
    assert re.search(r"it is asked at that moment\. Last answer: 0107 refused 20", lookup_now(world, order))
    world.stack.ctl.done("integration", "remove", str(integration))
    assert lookup_now(world, order) == "can be paid if the merchant offered it to that network; else 0101"
    agreement = world.stack.ctl.json("integration", "add", "--merchant", SHOP, "--kind", "1", "--code", reference, "--network", KIOSK,
                                     "--endpoint", endpoint)["id"]
    assert lookup_now(world, order).startswith(f"{KIOSK}: what the merchant answers: it is asked at that moment. Last answer: 0107")
    text = page(world, f"/orders/{world.orders[order]}?lang=en")
    assert re.search(r"<dt>The other networks get</dt><dd>(<bdi>)?can be paid if the merchant offered it to that network; else 0101<", text)
    assert 'href="https://localhost/pay?token=' in text
    assert re.search(fr"<dt>Offered to the networks</dt><dd><bdi>{KIOSK}</bdi></dd>", text)
    assert world.stack.ctl.json("order", "show", reference)["offered_to"] == KIOSK
    assert "Offered to" not in page(world, f"/orders/{world.orders['PO-paid']}?lang=en")
    assert world.stack.ctl.json("order", "show", "PO-paid", "--merchant", SHOP)["offered_to"] is None
    world.stack.ctl.done("integration", "remove", str(agreement))


def test_a_query_says_which_order_it_was_and_what_the_network_got(world: World) -> None:
    """Two hosts of a merchant offer an order each for one reference: the second one ends the first."""
    reference = "940000001"

    def offer(order: str) -> None:
        endpoint = world.stub.on("/turns", says(json.dumps(answer(world.hashes[SHOP], order))))
        if not added:
            added.append(world.stack.ctl.json("integration", "add", "--merchant", SHOP, "--kind", "2", "--code", "94",
                                              "--endpoint", endpoint)["id"])

    added: list[int] = []
    with Network(world.stack.base_url, KIOSK, world.kiosk_hash) as network:
        offer("H1-2")
        wait_until(lambda: network.lookup(reference).code == "0000", "the workers to ask the merchant")
        for order, code in (("H2-2", "0000"), ("H1-2", "0104")):
            offer(order)
            assert network.lookup(reference).code == code
    for order in ("H1-2", "H2-2"):
        world.orders[order] = world.number("SELECT id AS n FROM orders WHERE po_id = %s", order)
    for language, words in (("es", "orden H1-2; la red recibió 0104 (cancelada por el comercio)"),
                            ("en", "order H1-2; the network got 0104 (deleted by the merchant)")):
        text = page(world, f"/orders/{world.orders['H1-2']}?lang={language}", "tienda-user")
        queries = re.findall(rf"<tr>(?:(?!</tr>).)*?{reference}(?:(?!</tr>).)*</tr>", text, re.DOTALL)
        told = [re.search(r'class="state (\w+)">.*<td>(.*?)</td></tr>', query, re.DOTALL) for query in queries]
        order = words.split()[0]
        assert [(match[1], re.sub("<.*?>", "", match[2])) for match in told if match] == [
            ("waiting", words), ("good", f"{order} H2-2"), ("good", f"{order} H1-2")]
    assert "Last answer: 0104 answered" in re.sub(" +", " ", lookup_now(world, "H1-2"))
    foreign = world.orders["PO-foreign"]
    world.stack.mariadb.query("UPDATE external_queries SET order_id = %s WHERE reference = %s AND problem IS NOT NULL", foreign, reference)
    words = "the reference is that of another merchant's order"
    mine, staffs = (html.unescape(page(world, f"/orders/{world.orders['H1-2']}?lang=en", user)) for user in ("tienda-user", "vera"))
    assert words in mine and f"/orders/{foreign}" not in mine and "PO-foreign" not in mine
    assert f'{words} <a href="/orders/{foreign}">{foreign}</a>' in staffs
    world.stack.ctl.done("integration", "remove", str(added[0]))


def test_a_merchants_page_shows_its_prefixes(world: World) -> None:
    shop = world.number("SELECT id AS n FROM merchants WHERE name = %s", SHOP)
    prefixes = "<dt>Prefixes of its references</dt>"
    assert prefixes not in page(world, f"/merchants/{shop}?lang=en")
    for prefix in ("8321", "8312"):
        world.stack.ctl.done("reference", "give", prefix, "--merchant", SHOP)
    try:
        assert f"{prefixes}<dd><bdi>8312, 8321</bdi></dd>" in page(world, f"/merchants/{shop}?lang=en")
    finally:
        for prefix in ("8321", "8312"):
            world.stack.ctl.done("reference", "take", prefix)


def test_an_order_of_a_disabled_merchant_cannot_be_paid(world: World) -> None:
    world.add("PO-of-disabled", OTHER)
    assert lookup_now(world, "PO-of-disabled") == "can be paid"
    world.stack.ctl.done("merchant", "disable", OTHER)
    try:
        assert lookup_now(world, "PO-of-disabled") == "0019 not authorised"
        assert lookup_now(world, "PO-foreign").startswith("0102")
    finally:
        world.stack.ctl.done("merchant", "enable", OTHER)


@pytest.mark.parametrize("count, said", [(1, "1 notification was given up"), (2, "2 notifications were given up")])
def test_what_was_given_up_is_said_first(world: World, count: int, said: str) -> None:
    """To its merchant too, also where the endpoint is healthy since, or its address is new; with the way to send it again."""
    shop = world.number("SELECT id AS n FROM merchants WHERE name = %s", SHOP)
    names = ["PO-paid", "PO-refunded"][:count]
    wait_until(lambda: world.number("SELECT COUNT(*) AS n FROM notifications WHERE merchant_id = %s AND state = 'pending'", shop) == 0,
               "all to be delivered")
    assert "given up" in (first := page(world, "/?lang=en", "tienda-user")) and said not in first
    sent = [world.number("SELECT MIN(id) AS n FROM notifications WHERE order_id = %s", world.orders[name]) for name in names]
    world.stack.mariadb.query("UPDATE notifications SET state = 'exhausted' WHERE id IN %s", sent)
    try:
        for path, user in (("/", "tienda-user"), (f"/merchants/{shop}", "tienda-user"), (f"/merchants/{shop}", "sara")):
            notes = re.findall(r'<p class="note (\w+)"><strong>(.*?)</strong> ?(?:<a href="([^"]*)">)?', page(world, f"{path}?lang=en", user))
            tone, words, address = notes[0]
            assert tone == "bad" and words.startswith(said) and "good" not in [note[0] for note in notes], notes
            assert ("your notification endpoint did not" if user == "tienda-user" else "the merchant did not") in words, words
            listed = page(world, html.unescape(address), user)
            assert all(f'>{name}</a>' in listed for name in names) and "PO-foreign" not in listed
    finally:
        world.stack.mariadb.query("UPDATE notifications SET state = 'delivered' WHERE id IN %s", sent)


def test_every_page_says_the_same_of_an_endpoint(world: World) -> None:
    """It answers, but acknowledges nothing: no failed round is counted, and nothing is due until the next attempt."""
    other = world.number("SELECT id AS n FROM merchants WHERE name = %s", OTHER)
    query = world.stack.mariadb.query

    def put_off() -> bool:
        query("UPDATE notifications SET attempts = 8, due_at = UTC_TIMESTAMP(6) + INTERVAL 1 HOUR"
              " WHERE merchant_id = %s AND state = 'pending' AND lease IS NULL", other)
        return world.number("SELECT COUNT(*) AS n FROM notifications WHERE merchant_id = %s AND attempts = 8", other) == 1

    wait_until(put_off, "no dispatcher to have it in hand")
    query("DELETE FROM endpoints")
    for state, said in (("retries pending", "Notifications were not acknowledged."),
                        ("acknowledges nothing", "Endpoints of merchants answer and acknowledge no notification.")):
        first = page(world, "/?lang=en")
        assert said in first and "Nothing that this page watches" not in first
        assert 'Waiting for another attempt</a></h2><span class="figure">1<' in first
        for path in (f"/merchants/{other}?lang=en", "/merchants?lang=en"):
            assert state in page(world, path), path
        assert "healthy" not in page(world, f"/merchants/{other}?lang=en")
        query("UPDATE notifications SET created_at = created_at - INTERVAL 16 MINUTE WHERE merchant_id = %s", other)
    query("UPDATE notifications SET due_at = UTC_TIMESTAMP(6) WHERE merchant_id = %s", other)


def endpoint_of(world: World, name: str) -> str:
    """What the list and the page of a merchant say of it."""
    number = world.number("SELECT id AS n FROM merchants WHERE name = %s", name)
    (listed,) = re.findall(rf'<a href="/merchants/{number}">.*?</tr>', page(world, "/merchants?lang=en"), re.S)
    state = re.findall(r'<span class="(state \w+)[^"]*">(.*?)</span>', listed)[1]
    assert re.search(r"<h2>Notification endpoint <span class=\"(state \w+)[^\"]*\">(.*?)</span>", page(world, f"/merchants/{number}?lang=en")
                     ).groups() == state  # type: ignore[union-attr]
    return " ".join(state)


def test_no_endpoint_is_well_that_has_acknowledged_nothing(world: World) -> None:
    """What counts is the newest test or notification at the address that it has now, and what was given up."""
    query, ctl = world.stack.mariadb.query, world.stack.ctl
    world.hashes["callada"] = str(ctl.json("merchant", "add", "callada", "--commerce", COMMERCE, "--notify-url",
                                           world.stub.on("/callada", says("OK")))["fixed_hash"])
    number = world.number("SELECT id AS n FROM merchants WHERE name = 'callada'")
    unknown, failed = "state off nothing acknowledged by this address", "state bad the last test failed"
    assert endpoint_of(world, "callada") == unknown

    def tested(reason: str, minutes_ago: int) -> None:
        query("REPLACE INTO endpoint_tests (merchant_id, asked_at, asked_by, currency, taken_at, done_at, duration_us, url, reason)"
              " SELECT id, UTC_TIMESTAMP(6), 'test', 'COP', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) - INTERVAL %s MINUTE, 1, notify_url, %s"
              " FROM merchants WHERE id = %s", minutes_ago, reason, number)

    tested("connect", 0)
    assert endpoint_of(world, "callada") == failed
    tested("acknowledged", 10)
    assert endpoint_of(world, "callada") == "state good healthy"
    ctl.done("merchant", "set", "callada", "--notify-url", world.stub.on("/elsewhere", says("OK")))
    assert endpoint_of(world, "callada") == unknown
    world.pay(world.add("PO-callada", "callada"), "T-callada")
    wait_until(lambda: world.number("SELECT COUNT(*) AS n FROM notifications WHERE merchant_id = %s AND state = 'delivered'", number) == 1,
               "its first notification to be delivered")
    assert endpoint_of(world, "callada") == "state good healthy"
    tested("connect", 5)
    assert endpoint_of(world, "callada") == "state good healthy"
    tested("connect", 0)
    assert endpoint_of(world, "callada") == failed
    query("DELETE FROM endpoint_tests WHERE merchant_id = %s", number)
    query("UPDATE notifications SET state = 'exhausted' WHERE merchant_id = %s", number)
    assert endpoint_of(world, "callada") == "state bad notifications given up"
    query("UPDATE notifications SET state = 'delivered' WHERE merchant_id = %s", number)


@pytest.mark.parametrize("reason, said", [("connect", "The last test of your notification endpoint failed."),
                                          ("", "Nothing shows that your notification endpoint has acknowledged")])
def test_the_first_page_of_a_merchant_claims_nothing_that_was_not_seen(world: World, reason: str, said: str) -> None:
    query = world.stack.mariadb.query
    shop = world.number("SELECT id AS n FROM merchants WHERE name = %s", SHOP)
    address = row(world, "merchants", "id", shop)["notify_url"]
    wait_until(lambda: world.number("SELECT COUNT(*) AS n FROM notifications WHERE merchant_id = %s AND state = 'pending'", shop) == 0,
               "all to be delivered")
    world.stack.ctl.done("merchant", "set", SHOP, "--notify-url", world.stub.on("/new", says("OK")))
    if reason:
        query("REPLACE INTO endpoint_tests (merchant_id, asked_at, asked_by, currency, taken_at, done_at, duration_us, url, reason)"
              " SELECT id, UTC_TIMESTAMP(6), 'test', 'COP', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), 1, notify_url, %s"
              " FROM merchants WHERE id = %s", reason, shop)
    try:
        text = page(world, "/?lang=en", "tienda-user")
        assert f'<p class="note waiting"><strong>{said}' in text and "note good" not in text
    finally:
        query("DELETE FROM endpoint_tests WHERE merchant_id = %s", shop)
        world.stack.ctl.done("merchant", "set", SHOP, "--notify-url", address)
