"""What a user may cost the others: long walks, files, addresses made to be slow."""

import os
import threading
from pathlib import Path
from typing import Iterator

import pytest

from tests.http.fastcgi import FastCGI, request_bytes
from tests.stack import wait_until

from world import World

OLD_ORDERS, FEW_ROWS = 20000, 5000
CROWD = "masiva"


@pytest.fixture(scope="module")
def crowd(world: World) -> int:
    """A merchant with one order of today behind many old ones; its number."""
    world.stack.ctl.done("merchant", "add", CROWD)
    number = world.number("SELECT id AS n FROM merchants WHERE name = %s", CROWD)
    insert = ("INSERT INTO orders (merchant_id, po_id, reference, amount, currency, origin, due_at, created_at, changed_by)"
              " SELECT %s, CONCAT(%s, seq), %s + seq, 5, 'COP', 'imported', UTC_TIMESTAMP() + INTERVAL 1 DAY,"
              " UTC_TIMESTAMP(6) - INTERVAL %s DAY, 'test' FROM seq_1_to_{}")
    world.stack.mariadb.query(insert.format(OLD_ORDERS), number, "OLD-", 800000, 9)
    world.stack.mariadb.query(insert.format(1), number, "NEW-", 900000, 0)
    return number


def rows_read(world: World) -> int:
    return int(world.stack.mariadb.query("SHOW GLOBAL STATUS LIKE 'Handler_read_prev'")[0]["Value"])


def day_before(world: World) -> str:
    return str(world.stack.mariadb.query("SELECT CAST(DATE(UTC_TIMESTAMP() - INTERVAL 1 DAY) AS CHAR) AS day")[0]["day"])


def test_the_head_of_a_file_reads_no_rows(world: World, crowd: int) -> None:
    before = rows_read(world)
    for path in ("/orders?format=csv", "/settlement?number=1&format=csv", f"/orders?merchant={crowd}&format=csv"):
        reply = world.get(path, method="HEAD")
        assert reply.status == 200 and reply.headers["Content-Type"].startswith("text/csv") and reply.text == ""
    assert rows_read(world) - before < FEW_ROWS


def test_the_first_page_costs_the_same_however_many_orders_there_are(world: World, crowd: int) -> None:
    before = rows_read(world)
    assert world.get("/").status == 200
    assert rows_read(world) - before < FEW_ROWS


@pytest.mark.parametrize("filters", ["merchant={}", "state=PENDIENTE", "merchant={}&currency=COP"])
def test_a_file_stops_at_its_first_day(world: World, crowd: int, filters: str) -> None:
    before = rows_read(world)
    text = world.get(f"/orders?{filters.format(crowd)}&from={day_before(world)}&zone=UTC&format=csv").text
    assert "NEW-1" in text and "OLD-" not in text
    assert rows_read(world) - before < FEW_ROWS


def test_a_walk_ends_when_its_reader_has_gone(world: World, crowd: int) -> None:
    before = rows_read(world)
    with FastCGI(world.stack.console.socket) as connection:
        connection.send(request_bytes("GET", f"/orders?merchant={crowd}&state=none&format=csv", keep=False,
                                      REMOTE_USER="vera", REQUEST_ID="gone-reader"))
    log = world.stack.console.log_directory / "console.log"
    wait_until(lambda: "id=gone-reader" in log.read_text(), "the console has ended the request")
    assert rows_read(world) - before < FEW_ROWS


@pytest.fixture
def slow_file(world: World, crowd: int) -> Iterator[FastCGI]:
    """A file of vera's that its reader takes in small pieces."""
    with FastCGI(world.stack.console.socket) as connection:
        connection.send(request_bytes("GET", f"/orders?merchant={crowd}&format=csv", keep=False, REMOTE_USER="vera"))
        assert connection.socket.recv(1)
        stopped = threading.Event()

        def read() -> None:
            while not stopped.wait(0.05) and connection.socket.recv(2048):
                pass

        reader = threading.Thread(target=read)
        reader.start()
        yield connection
        stopped.set()
        reader.join()


def test_a_user_has_one_file_at_a_time(world: World, slow_file: FastCGI) -> None:
    assert slow_file.socket.fileno() >= 0
    reply = world.get("/transactions?format=csv")
    assert reply.status == 503 and int(reply.headers["Retry-After"]) > 0
    assert world.get("/transactions").status == 200
    assert world.get("/transactions?format=csv", "tienda-user").status == 200


def test_a_file_can_be_had_again(world: World) -> None:
    wait_until(lambda: world.get("/transactions?format=csv").status == 200, "the file before has ended")


def test_an_address_has_few_parameters(world: World) -> None:
    assert world.get("/?" + "&".join(f"a{number}" for number in range(30))).status == 200
    for count in (31, 300):
        assert world.get("/?" + "&".join(f"a{number}" for number in range(count))).status == 400


@pytest.mark.parametrize("query", ["merchant=%zz", "merchant=2&merchant=2", "merchant=%FF", "merchant=2%00", "day=%1", "day=a%07"])
def test_a_parameter_that_is_not_sound(world: World, query: str) -> None:
    """A filter that cannot be read is not left out: the page would show more than was asked for."""
    for path in ("/orders", "/settlement", "/orders?format=csv"):
        assert world.get(f"{path}{'&' if '?' in path else '?'}{query}").status == 400
    assert world.get("/orders?&state=&&").status == 200


def test_kept_parameters_are_decoded_once(world: World) -> None:
    text = world.get("/orders?sta%74e=%2541&lang=en").text
    assert '<input type="hidden" name="state" value="%41">' in text


def test_no_file_is_opened_as_a_zone(world: World, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for name in (pipe, "UTC/../UTC", "/usr/share/zoneinfo/Asia/Tokyo", "Asia//Tokyo"):
        text = world.get(f"/orders/1?zone={name}").text
        assert '<option value="UTC" selected>' in text and f'"{name}"' not in text


def test_the_form_of_choices_leads_to_this_host(world: World) -> None:
    for path in ("//evil.example/x", "/orders/a%3Fb"):
        text = world.get(path).text
        assert 'action="//' not in text and "?b\"" not in text


def test_allow_names_what_the_page_takes(world: World) -> None:
    assert world.get("/orders", method="DELETE").headers["Allow"] == "GET, HEAD"


def test_every_network_can_be_chosen(world: World) -> None:
    """However many there are: nothing else leads to a network's transactions, or compares its list."""
    world.stack.mariadb.query("INSERT INTO networks (name, fixed_hash, changed_by)"
                              " SELECT CONCAT('z', seq), '', 'test' FROM seq_1001_to_1201")
    last = world.number("SELECT id AS n FROM networks WHERE name = 'z1201'")
    assert '<option value="z1201">z1201</option>' in world.get("/transactions").text
    assert f'<option value="{last}">z1201</option>' in world.get("/settlement/compare").text
