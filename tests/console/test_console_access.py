"""Who may see which page of the console, and what a request may claim."""

import base64
import os
import re
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.http.fastcgi import FastCGI, request_bytes
from tests.stack import Stack
from tests.stack.client import Client
from tests.stack.console import NGINX
from tests.stack.inspection.files import check_connections_wait
from tests.stack.paths import ROOT, system_program
from tests.stack.process import Process, free_port

from browsing import DISABLED, MINE, ROLES, STRANGER, Browser, Page

POLICY = ("default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; "
          "base-uri 'none'")


def login(name: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


@pytest.mark.parametrize("role", ROLES)
def test_each_role_sees_the_first_page(browser: Browser, role: str) -> None:
    page = browser.ask(role, "/")
    assert page.status == 200 and f"<strong>{role}</strong>" in page.text
    assert (MINE in page.text) == (role == "merchant")


def test_nobody_comes_in_without_a_password(browser: Browser) -> None:
    for path in ("/", "/style.css", "/orders/1", "/nope"):
        assert browser.ask(None, path).status == 401
        assert browser.ask(None, path, Authorization=login("operator", "guessed")).status == 401


@pytest.mark.parametrize("user, words", [(STRANGER, "may not use the console"), (DISABLED, "is disabled")])
def test_unknown_and_disabled_users_are_told(browser: Browser, user: str, words: str) -> None:
    for path in ("/", "/orders/1", "/nope"):
        page = browser.ask(user, f"{path}?lang=en")
        assert page.status == 403 and words in page.text and "<nav" not in page.text


def test_no_header_becomes_the_user(browser: Browser) -> None:
    """Neither without a login nor over that of another user."""
    claims = {"Remote_User": "operator", "REMOTE_USER": "operator", "X_Remote_User": "operator",
              "X_Forwarded_User": "operator", "Http_Remote_User": "operator"}
    assert browser.ask(None, "/", **claims).status == 401
    assert "<strong>viewer</strong>" in browser.ask("viewer", "/", **claims).text
    assert browser.ask(STRANGER, "/", **claims).status == 403


def test_the_program_reads_remote_user_alone(browser: Browser) -> None:
    for parameter in ("HTTP_REMOTE_USER", "HTTP_X_REMOTE_USER", "REDIRECT_REMOTE_USER", "HTTP_AUTHORIZATION"):
        with FastCGI(browser.stack.console.socket) as connection:
            connection.send(request_bytes("GET", "/?lang=en", keep=False, **{parameter: "operator"}))
            assert "does not say who you are" in connection.receive()


def test_two_users_are_nobody(browser: Browser) -> None:
    request = request_bytes("GET", "/?lang=en", keep=False, REMOTE_USER="viewer", REMOTE_USES="operator")
    with FastCGI(browser.stack.console.socket) as connection:
        connection.send(request.replace(b"REMOTE_USES", b"REMOTE_USER"))
        assert "does not say who you are" in connection.receive()


def test_no_file_for_a_connection(browser: Browser) -> None:
    """Connections wait for one, and the threads do not ask for it without end."""
    console = browser.stack.console
    with ExitStack() as clients:
        waiting: list[FastCGI] = []
        check_connections_wait([console.pid], "connections of the web server", console.log_text,
                               lambda: waiting.append(clients.enter_context(FastCGI(console.socket))))
        for connection in waiting:
            connection.send(request_bytes("GET", "/?lang=en", keep=False))
            assert "does not say who you are" in connection.receive()


def test_nginx_names_the_user_at_one_place() -> None:
    """So that another way to verify users leaves no name behind that a client chooses."""
    text = re.sub(r"#.*", "", NGINX.read_text())
    assert re.findall(r".*\$remote_user.*", text) == ["    set $console_user $remote_user;"]
    assert re.findall(r"REMOTE_USER .*", text) == ["REMOTE_USER $console_user;"]
    pages = (ROOT / "doc" / "console.md").read_text()
    blocks = "".join(re.findall(r"```\n(.*?)```", pages, re.S))
    assert "fastcgi_param" not in blocks and "remote_user" not in blocks


def test_without_auth_basic_a_claim_is_nothing(tmp_path: Path, browser: Browser) -> None:
    """The lines of basic authentication are replaced as doc/console.md says, here by a user of whom nginx is sure."""
    port = free_port()
    text = browser.stack.console.nginx_config().replace(f":{browser.stack.console.port};", f":{port};")
    text, lines = re.subn(r"^ +auth_basic(_user_file)? .*;\n", "", text, flags=re.M)
    text, names = re.subn(r"set \$console_user .*;", "set $console_user viewer;", text)
    assert (lines, names) == (2, 1)
    folders = "".join(f"{kind}_temp_path {tmp_path}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    config, log, pid = tmp_path / "nginx.conf", tmp_path / "nginx.log", tmp_path / "nginx.pid"
    user = "user root;\n" if os.geteuid() == 0 else ""
    config.write_text(f"{user}daemon off;\npid {pid};\nevents {{\n}}\nhttp {{\n{folders}{text}\n}}\n")
    server = Process("nginx without auth_basic", [system_program("nginx"), "-e", str(log), "-c", str(config)], log, pid.exists)
    server.start()
    try:
        with Client(f"http://127.0.0.1:{port}") as client:
            reply = client.request("GET", "/?lang=en", None, {"Authorization": login("operator", "guessed")})
            assert reply.status == 200 and "<strong>viewer</strong>" in reply.text
    finally:
        server.stop()


def test_every_reply_has_the_headers(browser: Browser) -> None:
    for user, path in [("viewer", "/"), ("viewer", "/nope"), (STRANGER, "/"), ("viewer", "/style.css")]:
        headers = browser.ask(user, path).headers
        assert headers["Content-Security-Policy"] == POLICY
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Frame-Options"] == "DENY"
        assert path == "/style.css" or headers["Cache-Control"] == "no-store"


def test_methods(browser: Browser) -> None:
    assert browser.ask("operator", "/", "POST", "token=x").status == 405
    assert browser.ask("operator", "/", "DELETE").status == 405
    assert browser.ask("operator", "/nope", "POST", "token=x").status == 404
    head = browser.ask("viewer", "/", "HEAD")
    assert head.status == 200 and head.text == ""


def test_language_and_zone_are_remembered(browser: Browser) -> None:
    page = browser.ask("viewer", "/?lang=en&zone=America/Lima")
    assert '<html lang="en">' in page.text
    assert '<option value="America/Lima" selected>' in page.text
    page = browser.ask("viewer", "/", Cookie="lang=en; zone=America/Lima")
    assert '<html lang="en">' in page.text and '<option value="America/Lima" selected>' in page.text
    assert '<html lang="es">' in browser.ask("viewer", "/").text
    assert '<html lang="en">' in browser.ask("viewer", "/", Accept_Language="en-GB,en;q=0.9").text
    assert '<html lang="es">' in browser.ask("viewer", "/?lang=xx%0d%0aX:y").text
    assert "selected>UTC" in browser.ask("viewer", "/?zone=../../etc/passwd").text


def chosen_zone(page: Page) -> str:
    (zone,) = re.findall(r'<option value="([^"]*/[^"]*|UTC)" selected>', page.text)
    return str(zone)


def test_zone_is_that_of_the_merchants_country(browser: Browser) -> None:
    """Until its user chooses another one. A choice of the same one is none: it would outlive a change of the default."""
    default = {"merchant": "America/Bogota", "viewer": "UTC"}
    for user, zone in default.items():
        assert chosen_zone(browser.ask(user, "/")) == zone
        assert chosen_zone(browser.ask(user, "/", Cookie="zone=America/Lima")) == "America/Lima"
        assert chosen_zone(browser.ask(user, "/", Cookie="zone=")) == zone
        assert "zone=;" in browser.ask(user, f"/?lang=en&zone={zone}").headers["Set-Cookie"]
        assert "zone=America/Lima;" in browser.ask(user, "/?zone=America/Lima").headers["Set-Cookie"]


@pytest.mark.parametrize("zone", ["America/Bogota", "Asia/Tokyo"])
def test_zone_of_the_staff_is_that_of_the_settlements(zone: str) -> None:
    """A country's zone that the system does not know is not taken either."""
    with Stack(dispatcher=False, buffer_pool="64M", settings={"settlement": {"zone": zone}}, console=True) as stack:
        stack.ctl.done("merchant", "add", MINE)
        stack.ctl.done("user", "add", "viewer", "--role", "viewer")
        stack.ctl.done("user", "add", "merchant", "--role", "merchant", "--merchant", MINE)
        stack.console.write_users({role: role for role in ("viewer", "merchant")})
        browser = Browser(stack)
        assert chosen_zone(browser.ask("viewer", "/")) == zone
        assert browser.ask("viewer", "/").text.count(f'<option value="{zone}"') == 1
        stack.mariadb.query("UPDATE countries SET time_zone = 'America/Nowhere'")
        assert chosen_zone(browser.ask("merchant", "/")) == zone


def test_what_is_sent_is_escaped(browser: Browser) -> None:
    script = "%3Cscript%3Ealert(1)%3C%2Fscript%3E%22%27"
    for path in (f"/{script}?q={script}&x={script}&{script}=1", f"/?q={script}&zone={script}&lang={script}"):
        page = browser.ask("viewer", path)
        assert "<script" not in page.text and "alert(1)</" not in page.text
        assert all("script" not in value for name, value in page.headers.items() if name != "Content-Security-Policy")


def test_a_role_changes_with_the_next_page(browser: Browser) -> None:
    ctl = browser.stack.ctl
    ctl.done("user", "disable", "viewer")
    assert browser.ask("viewer", "/").status == 403
    ctl.done("user", "enable", "viewer")
    assert browser.ask("viewer", "/").status == 200


def test_the_account_reads_no_secret_and_writes_nothing(browser: Browser) -> None:
    database = browser.stack.mariadb
    for statement in ("SELECT fixed_hash FROM merchants", "SELECT notification_hash FROM merchants",
                      "SELECT old_hash FROM networks", "UPDATE console_users SET role = 'operator'",
                      "INSERT INTO event_log (subject) VALUES ('order')", "UPDATE merchants SET enabled = 0",
                      "DELETE FROM orders"):
        with pytest.raises(Exception, match="denied"):
            database.query(statement, account="recaudo_console")
