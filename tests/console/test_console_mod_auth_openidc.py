"""Apache with mod_auth_openidc, configured as doc/console.md says: the module itself verifies ID tokens of a provider on loopback."""

import http.client
import re
import time
import urllib.parse
from pathlib import Path
from typing import Any, Iterator, NamedTuple

import pytest

from tests.stack.paths import ROOT, system_program
from tests.stack.process import Process, free_port
from tests.stack.waiting import wait_until
from tests.stack.web.apache import LOADED, MODULES

from browsing import DISABLED, STRANGER, Browser
from openid_provider import SECRET, Provider
from test_console_openid import FORGED

PASSPHRASE = "the passphrase of this test"
CLAIMED = {**FORGED, "OIDC_CLAIM_email": "operator", "OIDC-CLAIM-email": "operator", "X_Remote_User": "operator"}
STEPS_MOST = 8
OF_THE_CONSOLE = "Signed in as"
pytestmark = pytest.mark.parametrize("browser", ["apache"], indirect=True)


class Site(NamedTuple):
    port: int
    provider: Provider


def documented() -> str:
    section = (ROOT / "doc" / "console.md").read_text().split("### OpenID Connect")[1].split("\n## ")[0]
    return next(block for block in re.findall(r"```\n(.*?)```", section, re.S) if "OIDCClientID" in block)


def lines_for(folder: Path, port: int, provider: Provider) -> str:
    """What the page says, with the addresses and secrets of this test."""
    text = documented()
    secrets = folder / "recaudo-oidc.secrets"
    secrets.touch(0o600)
    secrets.write_text(f'OIDCClientSecret "{SECRET}"\nOIDCCryptoPassphrase "{PASSPHRASE}"\n')
    for documented_name, ours in (("/etc/apache2/recaudo-oidc.secrets", str(secrets)), ("https://login.example", provider.issuer),
                                  ("https://console.example", f"http://127.0.0.1:{port}")):
        assert documented_name in text
        text = text.replace(documented_name, ours)
    return text


@pytest.fixture
def site(browser: Browser, tmp_path: Path) -> Iterator[Site]:
    port = free_port()
    tmp_path.chmod(0o755)
    with Provider(tmp_path) as provider:
        text = browser.stack.console.apache_config().replace(f"127.0.0.1:{browser.stack.console.port}", f"127.0.0.1:{port}")
        text, count = re.subn(r"^ +(AuthType|AuthName|AuthBasicProvider|AuthUserFile|Require) .*\n", "", text, flags=re.M)
        assert count == 5
        text = text.replace("ServerSignature Off", "ServerSignature Off\n" + lines_for(tmp_path, port, provider))
        names = [name for name in LOADED if name != "qos"] + ["authn_core", "authz_user", "auth_openidc"]
        modules = "".join(f"LoadModule {name}_module {MODULES}/mod_{name}.so\n" for name in names)
        config, pid, log = tmp_path / "apache.conf", tmp_path / "apache.pid", tmp_path / "web.log"
        config.write_text(f"ServerRoot {tmp_path}\nPidFile {pid}\nDefaultRuntimeDir {tmp_path}\nErrorLog {log}\nServerName localhost\n"
                          f"{modules}{text}\n")
        server = Process("apache with OpenID Connect", [system_program("apache2"), "-D", "FOREGROUND", "-f", str(config)], log, pid.exists)
        server.start()
        try:
            wait_until(lambda: Visitor(port).answers(), "apache to answer", 60)
            yield Site(port, provider)
        finally:
            server.stop()


class Visitor:
    """A browser without a console's cookie; it follows where it is sent, and keeps what it is given."""

    def __init__(self, port: int) -> None:
        self.home = f"http://127.0.0.1:{port}/?lang=en"
        self.cookies: dict[str, str] = {}

    def answers(self) -> bool:
        try:
            return self.ask(self.home)[0] == 302
        except OSError:
            return False

    def ask(self, address: str, method: str = "GET", body: str | None = None, **headers: str) -> tuple[int, str, str]:
        """Status, where it leads, text."""
        parts = urllib.parse.urlsplit(address)
        connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=60)
        sent = {"Accept": "text/html", "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
                **{name.replace("_", "-"): value for name, value in headers.items()}}
        try:
            connection.request(method, f"{parts.path}?{parts.query}", body, sent)
            reply = connection.getresponse()
            for line in reply.msg.get_all("Set-Cookie") or []:
                name, _, value = line.split(";")[0].partition("=")
                self.cookies[name] = value
            return reply.status, reply.getheader("Location", ""), reply.read().decode()
        finally:
            connection.close()

    def come(self, **headers: str) -> tuple[int, str]:
        """To the first page, by way of the provider if it has to be: status and text of where that ends."""
        address = self.home
        for _ in range(STEPS_MOST):
            status, location, text = self.ask(address, **headers)
            if status != 302:
                return status, text
            address = urllib.parse.urljoin(address, location)
        return 0, "led round and round"


def test_who_is_known(browser: Browser, site: Site) -> None:
    for user in ("viewer", "operator"):
        site.provider.be(user)
        status, text = Visitor(site.port).come()
        assert status == 200 and f"<strong>{user}</strong>" in text and OF_THE_CONSOLE in text, (status, text)
    for user, words in ((STRANGER, "add you"), (DISABLED, "disabled")):
        site.provider.be(user)
        status, text = Visitor(site.port).come()
        assert status == 403 and words in text.lower(), (status, text)


def test_headers_claim_nothing(browser: Browser, site: Site) -> None:
    """Neither before somebody has signed in, nor from somebody who has."""
    site.provider.be("viewer")
    visitor = Visitor(site.port)
    assert visitor.come()[0] == 200
    for name, value in CLAIMED.items():
        status, location, text = Visitor(site.port).ask(visitor.home, **{name: value})
        assert status == 302 and location.startswith(site.provider.issuer) and "<strong>" not in text, name
        status, text = visitor.come(**{name: value})
        assert status == 200 and "<strong>viewer</strong>" in text and "<strong>operator</strong>" not in text, name


def test_a_session_is_nobody_elses_and_cannot_be_made_up(browser: Browser, site: Site) -> None:
    site.provider.be("operator")
    visitor, forger = Visitor(site.port), Visitor(site.port)
    assert visitor.come()[0] == 200
    for made_up in ("0" * 36, "operator", ""):
        forger.cookies = dict.fromkeys(visitor.cookies, made_up)
        assert forger.ask(forger.home)[0] == 302, made_up
    assert visitor.ask(visitor.home, "POST", "token=x" * 100)[0] == 405


def forgeries(provider: Provider) -> dict[str, dict[str, Any]]:
    past = int(time.time()) - 100000
    return {"the key": {"key": provider.other}, "for another": {"claims": {"aud": "another"}},
            "of another": {"claims": {"iss": "http://127.0.0.1:1"}}, "another's answer": {"claims": {"nonce": "another"}},
            "too late": {"claims": {"iat": past, "exp": past + 1}}, "no name": {"claims": {"email": None}},
            "a key of its own choice": {"header": {"kid": "2"}, "key": provider.other}}


def test_tokens_that_will_not_do(browser: Browser, site: Site) -> None:
    for what, wrong in forgeries(site.provider).items():
        site.provider.be("operator", **wrong)
        visitor = Visitor(site.port)
        status, text = visitor.come()
        assert OF_THE_CONSOLE not in text, (what, status, text)  # the module's own page of an error may be a 200
        status, _, text = visitor.ask(visitor.home)
        assert OF_THE_CONSOLE not in text, (what, status, text)
    site.provider.be("viewer")
    assert Visitor(site.port).come()[0] == 200
