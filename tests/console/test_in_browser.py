"""The pages in a real browser: ten questions from the telephone, each from the first page, and what axe finds."""

import json
import subprocess
from typing import Any, Iterator

import pytest

from tests.browser.driven import Driven
from tests.stack import wait_until
from tests.stack.paths import ROOT

from world import OTHER, PASSWORD, SHOP, World

PAPER_START = b"%PDF"
A4_WIDTH = 794  # pixels
# Of what is seen, these depend on the width and the scheme.
SEEN = "{runOnly: {type: 'rule', values: ['color-contrast', 'target-size', 'scrollable-region-focusable']}}"
LOOKS = {"es": [("{}", 1280, "light"), (SEEN, 360, "dark")], "en": [("{}", 360, "light"), (SEEN, 1280, "dark")]}
TABS = 14


@pytest.fixture(scope="module")
def browser(world: World, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Driven]:
    with Driven(tmp_path_factory.mktemp("browser"), ("omar", PASSWORD)) as browser:
        world.count_payments()
        browser.open(world.stack.console.base_url + "/?lang=es&zone=America/Bogota")
        yield browser


@pytest.fixture
def front(browser: Driven, world: World) -> Driven:
    browser.show_as(1280, "light")
    browser.open(world.stack.console.base_url + "/?lang=es")
    return browser


def moment(world: World, sql: str, order: str) -> str:
    """An instant of an order as the page says it, by the clocks of Bogota."""
    return str(world.stack.mariadb.query(f"SELECT DATE_FORMAT({sql} - INTERVAL 5 HOUR, '%%Y-%%m-%%d %%H:%%i:%%s') AS at"
                                         " FROM orders o JOIN transactions t ON t.order_id = o.id"
                                         " JOIN notifications n ON n.order_id = o.id WHERE o.id = %s LIMIT 1",
                                         world.orders[order])[0]["at"])


@pytest.mark.parametrize("asked, answers", [
    pytest.param("9000000000", ["Pagada", "1 definitivo"], id="paid twice?"),
    pytest.param("PO-late", ["Sin pagar: venció", "0103 vencida"], id="paid but expired?"),
    pytest.param("PO-open", ["Sin pagar", "45.000,00", "ninguno"], id="wrong amount?"),
    pytest.param("T-cancelled", ["se canceló en el punto de pago", "1 cancelado"], id="cancelled at the counter?"),
    pytest.param("PO-paid", ["Entregada", "recibida", "200"], id="told at what time, and what did it answer?"),
    pytest.param("PO-refunded", ["Reembolso ingresado por", "operator:", "=paid twice, says Ana"], id="refund by whom?"),
    pytest.param("T-paid", ["kiosko", "Punto de pago"], id="which network?"),
    pytest.param("PO-late", ["0103"], id="why refused?")])
def test_one_search_from_the_first_page_answers(front: Driven, asked: str, answers: list[str]) -> None:
    front.search(asked)
    text = front.text()
    assert [answer for answer in answers if answer not in text] == [], text


def test_when_the_merchant_was_told_is_said_by_the_readers_clock(front: Driven, world: World) -> None:
    front.search("PO-paid")
    assert moment(world, "n.settled_at", "PO-paid") in front.text()


def test_since_when_an_endpoint_fails_takes_two_clicks(front: Driven) -> None:
    front.click_words("Comercios")
    front.click_words(OTHER)
    text = front.text()
    assert "Falla desde" in text and "el estado HTTP no es 2xx" in text


def test_the_total_of_yesterday_takes_one_click(front: Driven, world: World) -> None:
    front.click_words("Conciliación")
    day = front.look("document.querySelector('[name=day]').value")
    yesterday = world.stack.mariadb.query("SELECT CAST(DATE(UTC_TIMESTAMP() - INTERVAL 29 HOUR) AS CHAR) AS day")[0]["day"]
    assert day == yesterday and "No hay operaciones" in front.text()


def addresses(world: World) -> list[str]:
    merchant = world.number("SELECT id AS n FROM merchants WHERE name = %s", OTHER)
    notification = world.number("SELECT MIN(id) AS n FROM notifications WHERE state = 'delivered'")
    return ["/", "/find?q=nobody", f"/orders/{world.orders['PO-refunded']}", f"/orders/{world.orders['PO-foreign']}",
            "/orders", "/transactions", "/notifications", "/merchants", f"/merchants/{merchant}", "/networks", "/networks/1",
            "/settlement?number=1", "/settlement/compare", "/approvals", "/log", "/users", f"/orders/{world.orders['PO-paid']}/claim", f"/merchants/{merchant}/test",
            f"/merchants/{merchant}/disable", "/networks/1/limits?currency=COP", f"/notifications/{notification}/retry",
            "/orders/999999999"]


@pytest.fixture(scope="module")
def axe() -> str:
    """./check has installed it before; a test that is run alone installs it itself."""
    subprocess.run(["bash", "-c", ". tests/stack/install.sh && install_npm_packages"], cwd=ROOT, check=True, timeout=600)
    return (ROOT / "var" / "npm" / "node_modules" / "axe-core" / "axe.min.js").read_text()


def violations(browser: Driven, options: str) -> list[Any]:
    found: list[Any] = json.loads(browser.look(
        f"axe.run(document, {options}).then(r => JSON.stringify(r.violations.map("
        "v => [v.id, v.nodes.map(n => n.html + n.failureSummary)])))"))
    return found


@pytest.mark.parametrize("language", LOOKS)
def test_axe_finds_nothing(browser: Driven, world: World, axe: str, language: str) -> None:
    """All of its rules at one width and scheme of each language, at the others those that depend on them; nothing wider
    than the window."""
    wrong = []
    for address in addresses(world):
        sign = "&" if "?" in address else "?"
        browser.open(f"{world.stack.console.base_url}{address}{sign}lang={language}")
        browser.look(axe + "; undefined")
        for options, width, scheme in LOOKS[language]:
            browser.show_as(width, scheme)
            wrong += [(address, width, scheme, one) for one in violations(browser, options)]
            wider = browser.look("document.documentElement.scrollWidth")
            wrong += [(address, width, scheme, f"is {wider} wide")] if wider > width else []
    assert wrong == []


@pytest.mark.parametrize("path", ["/orders", "/transactions", "/notifications", "/log", "/merchants/1", "/orders/1", "/settlement?number=1"])
def test_a_narrow_window_shows_every_cell(browser: Driven, world: World, path: str) -> None:
    """With its label, and without scrolling sideways; a wide one has the labels above. What says that a table has no rows
    is of no column."""
    cells = ("[...document.querySelectorAll('.wide tbody td')].filter(one => one.firstChild && one.className != 'none').map(one => [one.textContent,"
             " Math.round(one.getBoundingClientRect().right), getComputedStyle(one, '::before').content])")
    browser.open(world.stack.console.base_url + path)
    browser.show_as(390, "light")
    narrow = browser.look(cells)
    assert narrow and [one for one in narrow if one[1] > 390 or one[2] in ("none", '""')] == []
    assert browser.look("[...document.querySelectorAll('.wide')].every(one => one.scrollWidth <= one.clientWidth)")
    browser.show_as(1280, "light")
    assert {one[2] for one in browser.look(cells)} == {"none"}


def test_a_long_cell_stays_beside_its_label(browser: Driven, world: World) -> None:
    """In a narrow window; its third line too."""
    world.stack.mariadb.query("INSERT INTO external_queries (asked_at, merchant_id, integration_id, network_id, reference, duration_us,"
                              " outcome, problem, said) SELECT UTC_TIMESTAMP(6), m.id, 1, n.id, '930000001', 1, 'refused', '0044',"
                              " REPEAT('said ', 20) FROM merchants m, networks n WHERE m.name = %s LIMIT 1", SHOP)
    shop = world.number("SELECT id AS n FROM merchants WHERE name = %s", SHOP)
    browser.open(f"{world.stack.console.base_url}/merchants/{shop}")
    browser.show_as(390, "light")
    lines = browser.look("(() => { const cell = [...document.querySelectorAll('.wide td')].find(one => one.textContent.includes('0044 said'));"
                         " const range = document.createRange(); range.selectNodeContents(cell);"
                         " return [...range.getClientRects()].map(one => Math.round(one.left)) })()")
    world.stack.mariadb.query("DELETE FROM external_queries WHERE reference = '930000001'")
    assert len(lines) > 3 and len(set(lines)) == 1


def test_what_is_long_hides_no_button(browser: Driven, world: World) -> None:
    """Beside an address of 400 characters the buttons of an approval can be seen in a window of 1,280 pixels; a moment stays
    on one line."""
    url = "https://shop.example/" + "y" * 400
    world.stack.mariadb.query("INSERT INTO approvals (kind, subject_id, seen, changes, reason, asked_by, expires_at) SELECT 'notify_url', id,"
                              " SHA2(COALESCE(notify_url, ''), 256), CONCAT('{\"notify_url\":[\"', notify_url, '\",\"', %s, '\"]}'), 'x',"
                              " 'operator:ana', UTC_TIMESTAMP(6) + INTERVAL 1 DAY FROM merchants WHERE name = %s", url, SHOP)
    browser.show_as(1280, "light")
    browser.open(world.stack.console.base_url + "/approvals")
    ends = browser.look("[...document.querySelectorAll('td .button')].map(one => one.getBoundingClientRect().right)")
    assert len(ends) == 2 and max(ends) < 1260
    browser.open(world.stack.console.base_url + "/log")
    assert "y" * 400 in browser.text()
    lines = browser.look("[...document.querySelectorAll('time')].map(one => one.getClientRects().length)")
    assert lines and set(lines) == {1}
    assert browser.look("[...document.querySelectorAll('.wide')].every(one => one.scrollWidth <= one.clientWidth)")


def test_long_texts_fit_a_narrow_window(browser: Driven, world: World) -> None:
    """An id of 64 characters in the order's history, the longest reason in an attempt, a long name in a choice."""
    world.stack.ctl.done("merchant", "add", "m" * 40)
    world.pay(world.add("PO-long-id"), "T" * 64)
    number = world.orders["PO-long-id"]
    attempts = "attempts a JOIN notifications n ON n.id = a.notification_id"
    wait_until(lambda: world.number(f"SELECT COUNT(*) AS n FROM {attempts} WHERE n.order_id = %s", number) == 1, "its attempt")
    world.stack.mariadb.query(f"UPDATE {attempts} SET a.reason = 'tls_authority' WHERE n.order_id = %s", number)
    browser.show_as(360, "light")
    for path in (f"/orders/{number}", "/orders"):
        browser.open(world.stack.console.base_url + path)
        assert browser.look("document.documentElement.scrollWidth") == 360
        ends = browser.look("[...document.querySelectorAll('.state')].map(one => one.getBoundingClientRect().right)")
        assert ends and max(ends) <= 360
    browser.show_as(1280, "light")
    browser.open(f"{world.stack.console.base_url}/orders/{number}")
    assert browser.look("[...document.querySelectorAll('td > .state')].every(one =>"
                        " one.getBoundingClientRect().right <= one.parentElement.getBoundingClientRect().right)")
    world.stack.mariadb.query(f"UPDATE {attempts} SET a.reason = 'acknowledged' WHERE n.order_id = %s", number)


def test_what_an_event_changed_is_no_event(browser: Driven, world: World) -> None:
    """Only events have a mark on the line of the order's history."""
    browser.open(f"{world.stack.console.base_url}/orders/{world.orders['PO-paid']}")
    marks = browser.look("[...document.querySelectorAll('.timeline li')].map(one => [one.closest('.changes') === null,"
                         " getComputedStyle(one, '::before').content === 'none'])")
    assert {True, False} == {is_event for is_event, _ in marks} and all(is_event != is_bare for is_event, is_bare in marks)


def compare_in_browser(browser: Driven, world: World, language: str) -> None:
    """Chooses a list with each kind of difference, and sends the form."""
    lines = "transaction,amount\\nT-paid,45000.01\\nT-nobody,5\\n,5\\nT-cancelled,45000\\n"
    browser.open(f"{world.stack.console.base_url}/settlement/compare?lang={language}&zone=UTC")
    day = world.stack.mariadb.query("SELECT CAST(MIN(DATE(settled_at)) AS CHAR) AS day FROM transactions"
                                    " WHERE network_transaction = 'T-paid'")[0]["day"]
    browser.leave("{ const list = new DataTransfer();"
                   f"list.items.add(new File(['{lines}'], 'list.csv', {{type: 'text/csv'}}));"
                   "const field = document.querySelector('[type=file]'); field.files = list.files;"
                   f"field.form.elements.day.value = '{day}'; field.form.requestSubmit() }}")


@pytest.mark.parametrize("language", LOOKS)
def test_a_comparison_in_the_browser(browser: Driven, world: World, axe: str, language: str) -> None:
    """What an answer to a form shows is not at any address, and no list of addresses has it."""
    browser.said.clear()
    compare_in_browser(browser, world, language)
    text = browser.text()
    words = {"es": ("Diferencias", "T-nobody", "Falta aquí", "falta la transacción"),
             "en": ("Differences", "T-nobody", "Missing here", "transaction: is missing")}[language]
    assert [word for word in words if word not in text] == [], text
    assert browser.said == []
    browser.look(axe + "; undefined")
    for options, width, scheme in LOOKS[language]:
        browser.show_as(width, scheme)
        assert violations(browser, options) == []
        assert browser.look("document.documentElement.scrollWidth") <= width


def test_the_browsers_console_stays_silent(browser: Driven, world: World) -> None:
    browser.said.clear()
    for address in addresses(world)[:-1]:
        browser.open(world.stack.console.base_url + address)
    assert browser.said == []


@pytest.mark.parametrize("path", ["/", "/orders", "/settlement"])
def test_what_has_the_keyboards_focus_can_be_seen(browser: Driven, world: World, path: str) -> None:
    browser.open(world.stack.console.base_url + path)
    for _ in range(TABS):
        browser.press("Tab")
        assert browser.look("(() => { const one = document.activeElement, style = getComputedStyle(one);"
                            "return one === document.body || parseFloat(style.outlineWidth) >= 2"
                            " && style.outlineStyle !== 'none' })()"), browser.look("document.activeElement.outerHTML")


def test_pages_print(browser: Driven, world: World) -> None:
    """Black on white in a dark room too, without what paper cannot do."""
    browser.show_as(A4_WIDTH, "dark")
    browser.open(f"{world.stack.console.base_url}/orders/{world.orders['PO-refunded']}")
    assert browser.print_page().startswith(PAPER_START)
    browser.show_on_paper()
    assert browser.look("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert browser.look("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    hidden = browser.look("['nav', '.search', '.choices'].map(one => getComputedStyle(document.querySelector(one)).display)")
    assert hidden == ["none", "none", "none"]
    assert browser.look("[...document.querySelectorAll('.wide')].every(one => one.scrollWidth <= one.clientWidth)")
