"""GET /pay: the payment slip, a page for the customer who pays at a counter."""

import base64
import hashlib
import html
import re
from typing import Iterator

import pytest

from checked import CheckedMerchant, CheckedNetwork, expect
from scenes import CLOSINGS
from tests.stack import Client, Reply, Stack, wait_until
from world import COMMERCE, NETWORK, Order, World

pytestmark = pytest.mark.web

POLICY = "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
LANGUAGES = {"es": ("Pendiente de pago", "45.000,00\u00a0COP", "Valor a pagar", "hora de Colombia"),
             "en": ("To be paid", "COP\u00a045,000.00", "Amount to pay", "Colombia time")}
STATES = {"held by another payment": ("Pago en confirmación", "Payment being confirmed"),
          "paid, dispatcher still to come": ("Pagada", "Paid"), "paid": ("Pagada", "Paid"),
          "overdue, dispatcher still to come": ("Vencida", "Expired"), "expired": ("Vencida", "Expired"),
          "deleted by the merchant": ("Cancelada", "Cancelled"), "refunded": ("Cancelada", "Cancelled")}
UNKNOWN = "0123456789abcdef" * 2


@pytest.fixture
def browser(stack: Stack) -> Iterator[Client]:
    with Client(stack.base_url) as browser:
        yield browser


def token_of(world: World, order: Order) -> str:
    return str(world.order_row(order)["token"])


def path_of(world: World, order: Order) -> str:
    return f"/pay?token={token_of(world, order)}"


def style_of(reply: Reply) -> str:
    (style,) = re.findall(r"<style>(.*?)</style>", reply.text, re.DOTALL)
    return str(style)


def check_page(reply: Reply, status: int, code: str) -> str:
    """The headers of every page, and that its style sheet is the one that they allow. Returns its text without markup."""
    headers = reply.headers
    assert reply.status == status, reply.text
    digest = base64.b64encode(hashlib.sha256(style_of(reply).encode()).digest()).decode()
    for name, value in {"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": POLICY.format(digest),
                        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
                        "X-Robots-Tag": "noindex, nofollow", "Cache-Control": "no-store",
                        "X-Recaudo-Code": code}.items():
        assert headers.get_all(name) == [value], name
    assert ("Allow" in headers, "Retry-After" in headers) == (status == 405, status == 503)
    assert '<meta name="robots" content="noindex, nofollow">' in reply.text
    assert re.search(r"<(script|link|img|iframe|form|a)\b|<[^>]*\b(src|href|style|on[a-z]+)=", reply.text) is None
    return html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", reply.text, flags=re.DOTALL))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_customer_needs(world: World, merchant: CheckedMerchant, browser: Client, language: str) -> None:
    """From the address that the merchant got to the page."""
    number = world.fresh("po")
    fields = merchant.porder(number, world.day(), language=language)
    checkout = expect(merchant.post(fields), "0000").data["checkout"]
    row = world.porder_row(number)
    with world.nothing_written():
        reply = browser.request("GET", checkout.removeprefix("localhost"))
    text = check_page(reply, 200, "0000")
    assert f'<html lang="{language}">' in reply.text
    for part in (*LANGUAGES[language], COMMERCE, "Zapatos rojos", number):
        assert part in text
    groups = re.findall(r"<span>([0-9]+)</span>", reply.text)
    assert "".join(groups) == row["reference"] and {len(group) for group in groups} == {3, 4}
    assert " 23:59 (" in text
    assert len(re.findall(r'<svg [^>]*role="img"', reply.text)) == 2
    assert len(re.findall(rf"<title id=[^>]*>[^<]* {row['reference']}</title>", reply.text)) == 2


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("closing", CLOSINGS)
def test_state_by_the_clock(world: World, network: CheckedNetwork, browser: Client, closing: str, language: str) -> None:
    """What cannot be paid shows its state and nothing to pay with."""
    order = world.order(language=language)
    CLOSINGS[closing][0](world, network, order)
    reply = browser.request("GET", path_of(world, order))
    text = check_page(reply, 200, "0000")
    assert STATES[closing][language == "en"] in text
    assert order.reference in text
    assert "<svg" not in reply.text and LANGUAGES[language][2] not in text


def test_payable_again(world: World, network: CheckedNetwork, browser: Client) -> None:
    """The network took its confirmation back."""
    order = world.order()
    transaction = world.confirm(network, order)
    world.keep_window_open(transaction, NETWORK)
    assert "Pago en confirmación" in check_page(browser.request("GET", path_of(world, order)), 200, "0000")
    expect(network.confirm(transaction, False), "0000")
    assert "Pendiente de pago" in check_page(browser.request("GET", path_of(world, order)), 200, "0000")


def test_claimed(world: World, network: CheckedNetwork, browser: Client) -> None:
    order = world.order()
    world.pay(network, order)
    world.stack.ctl.done("order", "claim", str(order.id), "--reason", "twice")
    assert "se anuló" in check_page(browser.request("GET", path_of(world, order)), 200, "0000")


def test_merchant_disabled(world: World, browser: Client) -> None:
    world.add_merchant("cerrada", "La Cerrada")
    order = world.order(merchant="cerrada")
    world.stack.ctl.done("merchant", "disable", "cerrada")
    reply = browser.request("GET", path_of(world, order))
    assert "No se puede pagar ahora" in check_page(reply, 200, "0000") and "<svg" not in reply.text


def test_open_amount(world: World, network: CheckedNetwork, browser: Client) -> None:
    """Any amount, within its limits; once it is paid, the amount paid."""
    order = world.order("0", min_amount="1000", max_amount="2500000")
    path = path_of(world, order)
    text = check_page(browser.request("GET", path), 200, "0000")
    assert "El valor que usted elija, desde 1.000,00\u00a0COP hasta 2.500.000,00\u00a0COP" in text
    world.pay(network, order, "1234.5")
    text = check_page(browser.request("GET", path), 200, "0000")
    assert "Valor pagado" in text and "1.234,50\u00a0COP" in text and "elija" not in text


@pytest.mark.parametrize("country, there", [(343, "hora de Colombia"), (314, "hora de Costa Rica"),
                                            (348, "hora de Perú"), (None, "hora de Colombia")])
def test_time_of_the_orders_country(world: World, browser: Client, country: int | None, there: str) -> None:
    """Noon in UTC is 7:00 in Bogotá and Lima, 6:00 in San José."""
    order = world.order(country=country)
    world.write("UPDATE orders SET due_at = '2999-11-21 12:00:00' WHERE id = %s", order.id)
    hour = 6 if country == 314 else 7
    text = check_page(browser.request("GET", path_of(world, order)), 200, "0000")
    assert f"21 de noviembre de 2999, {hour:02}:00 ({there})" in text


HOSTILE = {"markup": ("<script>alert(1)</script><img src=x onerror=y>", None),
           "quotation marks": ("\"' onload='x' `", None), "entities": ("&lt;b&gt; &amp; &#60;", None),
           "end of the style": ("</style></title></svg>]]>-->", None),
           "turned around": ("Pague \u202e00054\u202c ya \u2066\u200f", "Pague 00054 ya "),
           "percent": ("%s %n %.*s", None), "emoji": ("🙂 ñ", None)}


@pytest.mark.parametrize("description, shown", HOSTILE.values(), ids=HOSTILE.keys())
def test_text_of_others_is_only_text(world: World, browser: Client, description: str, shown: str | None) -> None:
    name = world.fresh("hostil")
    world.add_merchant(name, f"{name} {description}"[:100])
    order = world.order(merchant=name, description=description)
    reply = browser.request("GET", path_of(world, order))
    check_page(reply, 200, "0000")
    (written,) = re.findall(r"<dt>Concepto</dt><dd><bdi>(.*?)</bdi></dd>", reply.text)
    assert html.unescape(written) == (description if shown is None else shown)
    assert re.search(r"[<>\"']", written) is None
    (title,) = re.findall(r"<title>(.*?)</title>", reply.text)
    assert re.search(r"[<>\"']", title) is None


def pages_refused(world: World) -> dict[str, str]:
    token = f"abcdef{world.fresh_number():0>26}"
    world.order(token=token)
    return {"none": "/pay", "empty": "/pay?token=", "unknown": f"/pay?token={UNKNOWN}", "short": "/pay?token=1",
            "in capitals": f"/pay?token={token.upper()}",
            "with a space": f"/pay?token={token}+", "twice": f"/pay?token={token}&token={token}",
            "not escaped": "/pay?token=%zz", "not UTF-8": "/pay?token=%ff", "NUL": f"/pay?token={token}%00",
            "long": f"/pay?token={'a' * 3000}", "another name": f"/pay?Token={token}", "SQL": "/pay?token='+OR+1=1+--+",
            "slash": f"/pay/?token={UNKNOWN}"}


def test_address_without_its_path(world: World, browser: Client) -> None:
    """Shop plugins cut `checkout` at `=` and send the customer to https://HOST?token=T."""
    token = token_of(world, world.order())
    whole, cut = [browser.request("GET", f"{path}?token={token}") for path in ("/pay", "/")]
    assert check_page(cut, 200, "0000") == check_page(whole, 200, "0000")
    check_page(browser.request("GET", f"/?token={UNKNOWN}"), 404, "0141")
    check_page(browser.request("POST", f"/?token={token}", b"{}"), 405, "0142")
    assert browser.request("HEAD", f"/?token={token}").status == 200


@pytest.mark.parametrize("path", ["/", "/?", f"/?Token={UNKNOWN}", f"/?x=1&token={UNKNOWN}", f"/x?token={UNKNOWN}",
                                  f"//?token={UNKNOWN}"])
def test_other_addresses_are_no_slip(browser: Client, path: str) -> None:
    reply = browser.request("GET", path)
    assert (reply.status, reply.json["CODE"]) == (404, "0141")


def test_no_token_differs_from_another(world: World, browser: Client) -> None:
    """Unknown and malformed ones get the same page, headers and all."""
    seen = set()
    for name, path in pages_refused(world).items():
        reply = browser.request("GET", path)
        text = check_page(reply, 404, "0141")
        assert "Este cupón de pago no existe" in text and "There is no such payment slip" in text, name
        headers = [(key, value) for key, value in reply.headers.items() if key not in ("Date", "X-Request-Id")]
        seen.add((reply.text, tuple(headers)))
    assert len(seen) == 1


def test_other_methods(world: World, browser: Client) -> None:
    path = path_of(world, world.order())
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        reply = browser.request(method, path, b"{}")
        check_page(reply, 405, "0142")
        assert reply.headers["Allow"] == "GET, HEAD"


def test_deeper_paths_are_no_slip(browser: Client) -> None:
    for path in ("/pay/x", "/payx", f"/pay/{UNKNOWN}"):
        assert browser.request("GET", path).code == "0141"


def test_colours_are_far_from_their_background(browser: Client) -> None:
    """Contrast of at least 4.5 (WCAG 2, level AA), also for the small print."""
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", style_of(browser.request("GET", "/pay")))
    colours = [(name, dict(part.split(":", 1) for part in body.split(";"))) for name, body in rules]
    looked_at = 0
    for name, properties in colours:
        colour = properties.get("color", "")
        if colour.startswith("#"):
            assert contrast(colour, properties.get("background", "#ffffff")) >= 4.5, name
            looked_at += 1
    assert looked_at >= 6


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted(luminance(colour) for colour in (one, other))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_no_token_in_any_log(stack: Stack, world: World, browser: Client) -> None:
    tokens = [token_of(world, world.order()), "feedbead" * 4, "feedbead" * 5]
    for token in tokens:
        for method in ("GET", "POST"):
            reply = browser.request(method, f"/pay?token={token}", headers={"Referer": f"http://x/pay?token={token}"})
    wait_until(lambda: reply.headers["X-Request-Id"] in stack.web.access_log.read_text(), "the access log")
    wait_until(lambda: reply.headers["X-Request-Id"] in stack.worker.log.read_text(), "the worker's log")
    assert "route=/pay " in stack.worker.log.read_text()
    assert '"GET /pay" 200' in stack.web.access_log.read_text()
    cut = browser.request("GET", f"/?token={tokens[0]}", headers={"Referer": f"http://x/?token={tokens[1]}"})
    wait_until(lambda: cut.headers["X-Request-Id"] in stack.web.access_log.read_text(), "the access log")
    for log in (stack.worker.log, stack.web.access_log, stack.web.log, stack.mariadb.log):
        text = log.read_text(errors="replace")
        assert [token for token in tokens if token in text] == [], log


@pytest.fixture
def broken() -> Iterator[Stack]:
    with Stack(dispatcher=False, buffer_pool="16M") as stack:
        yield stack


def test_when_something_is_away(broken: Stack) -> None:
    """Without the database, or without a worker, people are told to come back, and machines when."""
    world = World(broken)
    path = path_of(world, world.order())
    with Client(broken.base_url) as browser:
        check_page(browser.request("GET", path), 200, "0000")
        broken.mariadb.stop()
        reply = browser.request("GET", path)
        text = check_page(reply, 503, "0028")
        assert "Inténtelo de nuevo en un momento" in text and "Try again in a moment" in text
        assert reply.headers["Retry-After"] == "1"
        broken.worker.stop()
        check_page_of_web_server(browser.request("GET", path))
        assert token_in(path) not in broken.web.access_log.read_text() + broken.web.log.read_text()


def token_in(path: str) -> str:
    return path.partition("=")[2]


def check_page_of_web_server(reply: Reply) -> None:
    headers = reply.headers
    assert reply.status in (502, 503)
    for name, value in {"Content-Type": "text/html; charset=utf-8", "X-Content-Type-Options": "nosniff",
                        "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow",
                        "Cache-Control": "no-store", "Retry-After": "1", "X-Recaudo-Code": "0028"}.items():
        assert headers.get_all(name) == [value], name
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; ")
    assert "Inténtelo de nuevo en un momento" in reply.text and "Try again in a moment" in reply.text
    assert reply.text.startswith("<!DOCTYPE html>")
