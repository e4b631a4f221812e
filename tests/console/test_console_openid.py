"""nginx with oauth2-proxy, configured as doc/console.md says. oauth2-proxy is no Debian package: a stand-in speaks its protocol, 202
with the user's address in X-Auth-Request-Email, or 401."""

import base64
import http.client
import os
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack.paths import ROOT, system_program
from tests.stack.process import Process, free_port

from browsing import DISABLED, STRANGER, Browser

SIGN_IN = "the provider's page"


class StandIn(BaseHTTPRequestHandler):
    """Takes the name in the cookie for verified; oauth2-proxy looks at the cookie's signature."""

    def do_GET(self) -> None:
        name = re.search(r"_oauth2_proxy=(\w+)", self.headers.get("Cookie", ""))
        is_check = self.path.startswith("/oauth2/auth")
        body = b"" if is_check else SIGN_IN.encode()
        self.send_response(202 if is_check and name else 401 if is_check else 200)
        if is_check and name:
            self.send_header("X-Auth-Request-Email", name[1])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def proxy() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), StandIn) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.fixture
def port(browser: Browser, proxy: int, tmp_path: Path) -> Iterator[int]:
    page = (ROOT / "doc" / "console.md").read_text().split("### OpenID Connect")[1].split("\n## ")[0]
    lines = next(block for block in re.findall(r"```\n(.*?)```", page, re.S) if "auth_request" in block)
    port = free_port()
    text = browser.stack.console.nginx_config().replace(f"listen 127.0.0.1:{browser.stack.console.port};", f"listen 127.0.0.1:{port};")
    text, count = re.subn(r"^ +(auth_basic .*|auth_basic_user_file .*|set \$console_user .*);\n", "", text, flags=re.M)
    assert count == 3
    text = text.replace("limit_req zone=", lines.replace("127.0.0.1:4180", f"127.0.0.1:{proxy}") + "limit_req zone=", 1)
    folders = "".join(f"{kind}_temp_path {tmp_path}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    user = "user root;\n" if os.geteuid() == 0 else ""
    config, pid, log = tmp_path / "nginx.conf", tmp_path / "nginx.pid", tmp_path / "web.log"
    config.write_text(f"{user}daemon off;\npid {pid};\nevents {{\n}}\nhttp {{\n{folders}{text}\n}}\n")
    server = Process("nginx with oauth2-proxy", [system_program("nginx"), "-e", str(log), "-c", str(config)], log, pid.exists)
    server.start()
    yield port
    server.stop()


def ask(port: int, user: str | None, method: str = "GET", body: str | None = None, **headers: str) -> tuple[int, str]:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, "/?lang=en", body, {**sent, **({"Cookie": f"_oauth2_proxy={user}"} if user else {})})
        reply = connection.getresponse()
        return reply.status, reply.read().decode()
    finally:
        connection.close()


FORGED = {"Authorization": "Basic " + base64.b64encode(b"operator:whatever").decode(), "X_Auth_Request_Email": "operator",
          "Remote_User": "operator", "X_Forwarded_User": "operator", "Console_User": "operator"}


@pytest.mark.parametrize("browser", ["nginx"], indirect=True)
def test_who_is_known(browser: Browser, port: int) -> None:
    status, text = ask(port, "viewer")
    assert status == 200 and "<strong>viewer</strong>" in text
    for user, words in ((STRANGER, "add you"), (DISABLED, "disabled")):
        status, text = ask(port, user)
        assert status == 403 and words in text.lower(), text
    assert SIGN_IN in ask(port, None)[1]


@pytest.mark.parametrize("browser", ["nginx"], indirect=True)
def test_headers_claim_nothing(browser: Browser, port: int) -> None:
    for name, value in FORGED.items():
        assert SIGN_IN in ask(port, None, **{name: value})[1], name
        status, text = ask(port, "viewer", **{name: value})
        assert status == 200 and "<strong>viewer</strong>" in text and "<strong>operator</strong>" not in text, name


@pytest.mark.parametrize("browser", ["nginx"], indirect=True)
def test_the_body_of_a_form_waits_for_nobody(browser: Browser, port: int) -> None:
    assert ask(port, "viewer", "POST", "token=" + "x" * 60000)[0] == 405
