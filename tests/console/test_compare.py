"""A network's list, sent with a form and compared with ours: the same differences as recaudoctl's, whatever the file is."""

import html
import secrets
from pathlib import Path

import pytest

from tests.http.fastcgi import FastCGI, request_bytes
from tests.stack.client import Client, Reply

from forms import shown
from world import KIOSK, World, login

PATH = "/settlement/compare"
STAFF, MERCHANT = "vera", "tienda-user"
LINES_MAX = 20000
GIGABYTE = 1 << 30


def multipart(boundary: str, fields: dict[str, str], content: bytes | None, name: str = "list.csv") -> bytes:
    """The body that a browser sends."""
    parts = [f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode()
             for field, value in fields.items()]
    if content is not None:
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="list"; filename="{name}"\r\nContent-Type: text/csv\r\n\r\n'
        parts.append(head.encode() + content + b"\r\n")
    return b"".join(parts) + f"--{boundary}--\r\n".encode()


def send_list(world: World, content: bytes | None, user: str = STAFF, form: dict[str, str] | None = None, language: str = "en",
              **fields: str) -> Reply:
    boundary = "----WebKitFormBoundary" + secrets.token_hex(8)
    given = {"network": str(network(world)), "day": today(world), **(shown(world, PATH, STAFF) if form is None else form), **fields}
    with Client(world.stack.console.base_url) as client:
        return client.request("POST", f"{PATH}?lang={language}&zone=UTC", multipart(boundary, given, content),
                              {"Authorization": login(user), "Content-Type": f"multipart/form-data; boundary={boundary}",
                               "Origin": world.stack.console.base_url, "Sec-Fetch-Site": "same-origin"})


def network(world: World) -> int:
    return world.number("SELECT id AS n FROM networks WHERE name = %s", KIOSK)


def today(world: World) -> str:
    return str(world.stack.mariadb.query("SELECT CAST(MIN(DATE(settled_at)) AS CHAR) AS day FROM transactions"
                                         " WHERE network_transaction = 'T-paid'")[0]["day"])


def utc_day(world: World) -> str:
    return str(world.stack.mariadb.query("SELECT CAST(UTC_DATE() AS CHAR) AS day")[0]["day"])


def by_command(world: World, path: Path, *words: str) -> str:
    return world.stack.ctl.run("report", "compare", "--network", KIOSK, "--file", str(path), "--format", "csv", *words).stdout


HEAD = b"transaction,amount,currency,date,state\n"
LISTS = {
    "some": HEAD + b"T-paid,45000,COP,%(day)s 00:00:01,paid\nT-cancelled,45000,COP,,paid\nT-nobody,5,COP,,\n"
                   b"T-registered,45000.01,USD,,ok\n,5,,,\nT-paid,45000,COP,,\n",
    "semicolons": b"\xef\xbb\xbfIdTransaction;Monto\r\nT-paid;45000\r\n=cmd|' /C calc'!A0;2\r\n<script>alert(1)</script>;3\r\n",
    "bad lines": HEAD + b"T-paid,45.000,COP,,\n\"T,1,,,\nT-x,1,COP,21/11/2026,\nT-y,1,COP,,perhaps\n\xff\xfe,1,,,\nT-z,1,a,b\n"
                        b"T-\x00nul,1,COP,,\nT-cr\rx,1,,,\n",
    "nothing": HEAD,
}


@pytest.mark.parametrize("name", LISTS)
def test_says_what_recaudoctl_says(world: World, tmp_path: Path, name: str) -> None:
    day = today(world)
    content = LISTS[name].replace(b"%(day)s", day.encode())
    (tmp_path / "list").write_bytes(content)
    reply = send_list(world, content, format="csv")
    assert reply.status == 200 and reply.headers["Content-Type"].startswith("text/csv")
    assert reply.text == by_command(world, tmp_path / "list", "--date", day)
    rows = reply.text.count("\n") - 1
    page = send_list(world, content)
    assert page.status == 200 and page.text.count('<tr><th scope="row">') == rows
    assert "<script>alert" not in page.text


def test_equal_lists(world: World) -> None:
    """Of one day: the payments of this world may lie on both sides of midnight, and so may this test."""
    day = today(world)
    paid = world.stack.mariadb.query("SELECT network_transaction AS t, amount, state FROM transactions"
                                     " WHERE DATE(settled_at) = %s AND network_id = %s", day, network(world))
    content = HEAD + "".join(f"{row['t']},{row['amount']:.2f},COP,,{row['state']}\n" for row in paid).encode()
    early, page, late = utc_day(world), send_list(world, content).text, utc_day(world)
    assert "Both lists say the same." in page, page[page.find("<dl"):]
    assert ("The last day is not over" in page) in {day == early, day == late}


# Each complaint about a list: what of it reads so in Spanish, and in English. Tests of recaudoctl have the latter in full.
COMPLAINTS = [
    (HEAD + b"T-paid,45.000,COP,,\n", "más decimales que su moneda", "more decimals than its currency"),
    (HEAD + b"T-x,ten,COP,,\n", "el valor no es un número", "is not an amount"),
    (HEAD + b"\"T,1,,,\n", "tiene una comilla", "has a quote"),
    (HEAD + b"T-x,1,COP,21/11/2026,\n", "la fecha debe ser como", "date: must be like"),
    (HEAD + b"T-y,1,COP,,perhaps\n", "el estado debe ser una palabra como", "must be a word like paid"),
    (HEAD + b"\xff\xfe,1,,,\n", "la transacción no es texto UTF-8 sin", "transaction: is not UTF-8"),
    (HEAD + b"T-x,1,C\x01P,,\n", "la moneda no es texto UTF-8 sin", "currency: is not UTF-8"),
    (HEAD + b",1,,,\n", "falta la transacción", "transaction: is missing"),
    (HEAD + b"T-z,1,a\n", "tiene 3 campos y la primera línea tiene 5", "has 3 fields where the first line has 5"),
    (HEAD + b"T-cr\rx,1,,,\n", "tiene un retorno de carro", "has a carriage return"),
    (HEAD + b"T-z,1,,,\nT-z,2,,,\n", "también la de la línea 2", "is that of line 2 too"),
    (b"transaction,amount,Amount\n", "las columnas 2 y 3 son las dos amount", "columns 2 and 3 are both the amount"),
    (b"x," * 200 + b"\n", "tiene más de 100 columnas", "has more columns than 100"),
    (b"a,b\n", "la primera línea debe nombrar las columnas", "the first line must name the columns"),
    ("transacción;monto\n".encode("utf-16"), "no es texto UTF-8", "is not UTF-8 text"),
]


@pytest.mark.parametrize("content, spanish, english", COMPLAINTS, ids=range(len(COMPLAINTS)))
def test_complaints_in_both_languages(world: World, content: bytes, spanish: str, english: str) -> None:
    for language, words, other in (("es", spanish, english), ("en", english, spanish)):
        page = html.unescape(send_list(world, content, language=language).text)
        assert words in page and other not in page, page


def test_differences_in_english(world: World) -> None:
    assert ">Differs<" in send_list(world, LISTS["some"].replace(b"%(day)s", b"")).text


def test_days_of_the_list(world: World) -> None:
    day = today(world)
    dated = HEAD + f"T-paid,45000,COP,{day} 10:00:00,paid\n".encode()
    assert day in send_list(world, dated, day="").text
    undated = send_list(world, b"transaction,amount\nT-paid,45000\n", day="")
    assert undated.status == 400 and "Say which day" in undated.text
    assert send_list(world, dated, day="2026-13-01").status == 400


@pytest.mark.parametrize("content, words", [
    (None, "Choose a file"), (b"", "Choose a file"), (b"\n\n", "must name the columns"), (b"a,b\n1,2\n", "must name the columns"),
    (b"\n1,2\n", "must name the columns"),
    (bytes(range(255, -1, -1)) * 64, "is not UTF-8"), ("transacción;monto\n".encode("utf-16"), "is not UTF-8"),
    (b"\x7fELF\x02\x01\x01" + bytes(100), "must name the columns"), (b"transaction,amount,amount\n", "are both the amount"),
    (HEAD + b"T,1,COP,,\n" * (LINES_MAX + 1), "recaudoctl report compare"), (b"x," * 200 + b"\n", "more columns than 100"),
], ids=range(11))
def test_files_that_will_not_do(world: World, content: bytes | None, words: str) -> None:
    reply = send_list(world, content)
    assert reply.status == 400 and words in html.unescape(reply.text), reply.text
    assert '<form class="fields"' in reply.text


def test_large_files_are_refused_without_being_read(world: World) -> None:
    """A gigabyte that is only claimed, and seventeen megabytes that are sent."""
    for announced, body, statuses in ((GIGABYTE, b"x", {400, 413}), (None, bytes(17 << 20), {413})):
        with FastCGI(world.stack.console.socket) as connection:
            connection.send(request_bytes("POST", PATH, body, keep=False, announced=announced, REMOTE_USER=STAFF))
            assert int(connection.receive().split("Status: ")[1][:3]) in statuses
    with Client(world.stack.console.base_url) as client:
        client.connection.putrequest("POST", PATH)
        for header in (("Authorization", login(STAFF)), ("Content-Length", str(GIGABYTE))):
            client.connection.putheader(*header)
        client.connection.endheaders()
        assert client.connection.getresponse().status == 413


@pytest.mark.parametrize("broken", ["text/plain", "multipart/form-data", "multipart/form-data; boundary=other",
                                    "multipart/form-data; boundary=" + "x" * 71, 'multipart/form-data; boundary="b'])
def test_broken_forms_are_nobodys(world: World, broken: str) -> None:
    with Client(world.stack.console.base_url) as client:
        body = multipart("b", {**shown(world, PATH, STAFF), "network": "1"}, HEAD)
        reply = client.request("POST", PATH, body, {"Authorization": login(STAFF), "Content-Type": broken, "Sec-Fetch-Site": "same-origin",
                                                    "Origin": world.stack.console.base_url})
    assert reply.status == 403


def test_who_may(world: World) -> None:
    assert world.get(PATH, MERCHANT).status == 404 and PATH not in world.get("/settlement", MERCHANT).text
    assert send_list(world, HEAD, MERCHANT).status == 404
    assert send_list(world, HEAD, form={"token": "x"}).status == 403
    assert PATH in world.get("/settlement").text
    assert send_list(world, HEAD, network="999999").status == 400 == send_list(world, HEAD, network="").status


def test_nothing_is_stored(world: World) -> None:
    before = world.number("SELECT COUNT(*) AS n FROM events WHERE db_account LIKE 'recaudo\\_console@%%'")
    assert send_list(world, LISTS["some"].replace(b"%(day)s", today(world).encode())).status == 200
    assert world.number("SELECT COUNT(*) AS n FROM events WHERE db_account LIKE 'recaudo\\_console@%%'") == before
