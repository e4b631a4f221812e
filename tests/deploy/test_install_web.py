"""The blocks of doc/install.md for nginx and Apache, served: certificate, redirect, HSTS, and the probes on loopback only."""

import http.client
import json
import re
import socket
import ssl
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

import pytest

from tests.http.slow_senders import Reader
from tests.stack import Stack, wait_until
from tests.stack.web.apache import LOADED, MAIN, Apache
from tests.stack.authority import Authority
from tests.stack.console import APACHE_MODULES
from tests.stack.web.nginx import Nginx
from tests.stack.page_blocks import block, changed
from tests.stack.paths import ROOT
from tests.stack.process import free_port

HOST, CONSOLE = "pay.example.com", "console.example"
ELSEWHERE = "127.0.0.2"  # an address that is not the one of loopback's programs
LIVE = f"/etc/letsencrypt/live/{HOST}"
HSTS = "max-age=31536000"


@dataclass
class Site:
    authority: Authority
    http: int
    https: int
    log: Path | None = None

    def context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=str(self.authority.certificate))
        context.check_hostname = False
        return context

    def ask(self, path: str, secure: bool = True, source: str = "127.0.0.1", host: str = HOST) -> http.client.HTTPResponse:
        address = (source, 0)
        if secure:
            connection: http.client.HTTPConnection = http.client.HTTPSConnection("127.0.0.1", self.https, timeout=30, source_address=address,
                                                                                 context=self.context())
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.http, timeout=30, source_address=address)
        connection.request("GET", path, headers={"Host": host})
        return connection.getresponse()

    def ask_badly(self, sent: bytes) -> bytes:
        """The reply to what is no request of HTTP, over TLS."""
        with socket.create_connection(("127.0.0.1", self.https), 30) as connection, self.context().wrap_socket(connection) as secure:
            secure.sendall(sent)
            return b"".join(iter(lambda: secure.recv(65536), b""))


# What Debian's package enables: it takes every request on port 80 that names no other server's host.
DEBIAN_SITE = "server {{ listen {port} default_server; return 418; }}\n"


def prepare_nginx(web: Nginx, site: Site, folder: Path) -> None:
    web.addresses.mkdir(parents=True, exist_ok=True)
    tls = changed(block("install.md", "nginx recaudo.d/tls.conf"), ("[::]:443", f"[::1]:{site.https}"), ("listen 443", f"listen {site.https}"),
                  (LIVE + "/fullchain.pem", str(folder / "site.pem")), (LIVE + "/privkey.pem", str(folder / "site.key")))
    (web.addresses / "tls.conf").write_text(tls)
    web.extra = changed(block("install.md", "nginx conf.d/recaudo-http.conf"), ("[::]:80", f"[::1]:{site.http}"), ("listen 80", f"listen {site.http}"),
                        ("/var/log/nginx/recaudo.error.log", str(web.log)), ("/var/www/html", str(folder)))
    web.extra += DEBIAN_SITE.format(port=site.http)
    web.extra += changed((ROOT / "nginx" / "recaudo-console.conf").read_text(), ("127.0.0.1:8081", f"127.0.0.1:{free_port()}"),
                         ("include /etc/nginx/recaudo-console.d/*.conf;", changed(tls, (HOST, CONSOLE))),
                         ("/var/log/nginx/", f"{web.log.parent}/"))
    site.log = web.log


def name_of_site(page: str, names: str) -> str:
    """The file of sites-available that doc/PAGE names."""
    (name,) = set(re.findall(rf"/etc/apache2/sites-available/({names}\.conf)", (ROOT / "doc" / page).read_text()))
    return str(name)


def console_for_apache(tls: str, site: Site, log: Path) -> str:
    """The console's file, changed as doc/console.md says."""
    lines = "".join(re.findall(r"^ +SSL.*\n", tls, re.MULTILINE))
    text = changed((ROOT / "apache" / "recaudo-console.conf").read_text(), ("\nListen 127.0.0.1:8081\n", "\n"),
                   ("<VirtualHost 127.0.0.1:8081>", f"<VirtualHost *:{site.https}>"), ("/var/log/apache2/", f"{log.parent}/"))
    return changed(text, ("ServerName recaudo-console\n", f"ServerName {CONSOLE}\n{lines}"))


def prepare_apache(web: Apache, site: Site, folder: Path) -> None:
    """As Debian's Apache, which reads its sites in the order of their names, and shows folders without an index."""
    text = changed(block("install.md", "apache sites-available/recaudo_tls.conf"), ("*:443", f"*:{site.https}"), ("*:80", f"*:{site.http}"),
                   (LIVE + "/fullchain.pem", str(folder / "site.pem")), (LIVE + "/privkey.pem", str(folder / "site.key")),
                   ("/var/log/apache2/recaudo.error.log", str(web.log)), ("/var/www/html", str(folder)))
    sites = web.directory / "sites-enabled"
    sites.mkdir(exist_ok=True)
    (sites / name_of_site("install.md", "recaudo_tls")).write_text(text)
    (sites / name_of_site("console.md", r"recaudo\S*console")).write_text(console_for_apache(text, site, web.log))
    web.modules += (*APACHE_MODULES, "autoindex", "dir")
    web.also = f"Listen {site.https}\nListen {site.http}\n<Directory {folder}>\n    Options Indexes FollowSymLinks\n</Directory>\n"
    web.also += f"IncludeOptional {sites}/*.conf\n"


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """The web server's user reads it: pytest's own folders are shut to others by each pytest that starts meanwhile."""
    with tempfile.TemporaryDirectory(prefix="recaudo-site-") as directory:
        Path(directory).chmod(0o755)
        yield Path(directory)


@pytest.fixture(scope="module", params=["nginx", "apache"])
def site(request: pytest.FixtureRequest, folder: Path) -> Iterator[Site]:
    authority = Authority(folder)
    authority.server("site", f"DNS:{HOST}")
    (folder / ".well-known/acme-challenge").mkdir(parents=True, exist_ok=True)
    (folder / ".well-known/acme-challenge/token").write_text("proof")
    made = Site(authority, free_port(), free_port())
    with Stack(web=request.param, dispatcher=False, buffer_pool="16M") as stack:
        stack.web.stop()
        prepare = prepare_nginx if request.param == "nginx" else prepare_apache
        prepare(stack.web, made, folder)  # type: ignore[arg-type]
        stack.web.start()
        yield made


def test_modules_and_threads_of_apache_are_those_of_its_file() -> None:
    head = (ROOT / "apache" / "recaudo.conf").read_text().split("\nServerTokens ")[0]
    (named,), (enabled,) = (re.findall(r"a2enmod (.+ qos.*)$", text, re.MULTILINE) for text in (head, block("install.md", "apache commands")))
    assert enabled == f"{named} ssl" and set(enabled.split()) < set(LOADED)
    for line in block("install.md", "apache mods-available/mpm_event.conf").splitlines():
        assert f"#   {' '.join(line.split())}\n" in head and f"\n{' '.join(line.split())}\n" in MAIN


def code_of(reply: http.client.HTTPResponse) -> str | None:
    return reply.getheader("X-Recaudo-Code")


def test_console_at_the_same_port_has_names_of_its_own(site: Site) -> None:
    """Otherwise nginx warns, and ignores one of the two."""
    assert site.log is None or "conflicting server name" not in site.log.read_text()


def test_requests_are_served_with_the_certificate(site: Site) -> None:
    for path, code in (("/v1/orders/1?name=x&checksum=" + "0" * 128, "0025"), ("/nowhere", "0141")):
        reply = site.ask(path)
        assert (code_of(reply), reply.getheader("Strict-Transport-Security")) == (code, HSTS), path
    assert site.ask("/pay?token=" + "0" * 32).getheader("Strict-Transport-Security") == HSTS


def test_who_names_no_host_of_ours_gets_the_payment_service(site: Site) -> None:
    """In its form, with CODE; the console at the same port answers nobody but who names it."""
    reply = site.ask("/nowhere", host="other.example")
    assert (reply.status, code_of(reply)) == (404, "0141")
    for sent, status in ((b"GET / HTTP/1.1\r\n\r\n", 400), (b"GET / HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n", 400),
                         (b"GET /" + b"x" * 9000 + b" HTTP/1.1\r\nHost: " + CONSOLE.encode() + b"\r\n\r\n", 414)):
        answer = site.ask_badly(sent)
        assert answer.startswith(b"HTTP/1.1 %d " % status) and b"X-Recaudo-Code: 0140\r\n" in answer, answer


def test_console_has_its_name_and_asks_for_a_password(site: Site) -> None:
    """Which goes with every request: browsers are told to use https alone."""
    reply = site.ask("/", host=CONSOLE)
    assert (reply.status, code_of(reply), reply.getheader("Strict-Transport-Security")) == (401, None, HSTS)


@pytest.mark.parametrize("host", [HOST, CONSOLE])
def test_sessions_have_no_tickets(site: Site, host: str) -> None:
    """Their key would stay as long as the server runs, and opens what was recorded."""
    context = site.context()
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with socket.create_connection(("127.0.0.1", site.https), 30) as connection:
        with context.wrap_socket(connection, server_hostname=host) as secure:
            assert secure.session is not None and not secure.session.has_ticket


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_old_protocols_are_refused(site: Site) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    with pytest.raises(OSError):
        http.client.HTTPSConnection("127.0.0.1", site.https, timeout=30, context=context).request("GET", "/")


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_probes_are_for_this_machine(site: Site, path: str) -> None:
    elsewhere = site.ask(path, source=ELSEWHERE)
    assert (elsewhere.status, code_of(elsewhere)) == (404, "0141")
    assert code_of(site.ask(path)) in ("0000", "0028")


@pytest.mark.parametrize("path", ["/pay?token=0123", "/?token=0123"])
def test_slip_is_redirected(site: Site, path: str) -> None:
    reply = site.ask(path, secure=False)
    assert (reply.status, reply.getheader("Location")) == (301, f"https://{HOST}{path}")


@pytest.mark.parametrize("path", ["/v1/orders/1?name=x&checksum=0", "/v1/transactions/", "/readyz", "/metrics", "/payx"])
def test_other_requests_in_clear_text_are_refused(site: Site, path: str) -> None:
    reply = site.ask(path, secure=False)
    assert reply.status == 404 and reply.getheader("Location") is None
    said = json.loads(reply.read())
    assert (said["CODE"], said["TEXT"], said["DESC"]) == ("0141", *["the address must begin with https://"] * 2)
    assert reply.getheader("Content-Type") == "application/json"


def test_clear_text_on_the_port_of_https_is_refused(site: Site) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", site.https, timeout=30)
    connection.request("GET", "/v1/orders/1?name=x&checksum=0", headers={"Host": HOST})
    reply = connection.getresponse()
    said = json.loads(reply.read())
    assert (reply.status, code_of(reply), said["CODE"]) == (400, "0140", "0140")
    told = "this port is that of https: {}the address must begin with https://"
    expected = told.format("") if site.log is not None else "the request is not valid HTTP, or " + told.format("then ")  # Apache cannot tell
    assert said["TEXT"] == expected
    refused = site.ask_badly(b"GET /v1/orders/1?clear_text=yes HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n")
    assert b"the request is not valid HTTP" in refused


@pytest.mark.parametrize("port", ["http", "https"])
def test_who_only_begins_is_not_waited_for(site: Site, port: str) -> None:
    """The connection ends long before the 60 seconds of the web servers' defaults."""
    with socket.create_connection(("127.0.0.1", getattr(site, port)), timeout=30) as caller:
        caller.sendall(b"GET / HTTP/1.1\r\nHost: " if port == "http" else b"\x16\x03\x01\x02\x00\x01")
        try:
            while caller.recv(4096):
                pass
        except ConnectionResetError:
            pass


def test_certificate_is_renewed_over_clear_text(site: Site) -> None:
    assert site.ask("/.well-known/acme-challenge/token", secure=False).read() == b"proof"


def test_folder_of_proofs_is_not_shown(site: Site) -> None:
    assert site.ask("/.well-known/acme-challenge/", secure=False).status in (403, 404)


def test_replies_that_nobody_reads(site: Site, folder: Path) -> None:
    """The connection ends long before Debian's 300 seconds, also where a reply is larger than what is on its way."""
    with (folder / ".well-known/acme-challenge/large").open("wb") as file:
        file.truncate(64 * 1024 * 1024)
    reader = Reader(site.http, "/.well-known/acme-challenge/large", HOST)
    wait_until(reader.is_given_up, "the end of a connection whose replies nobody reads", 35)
    reader.connection.close()
