"""Endpoints that cannot be reached, break off or never end: the reason, and how long it took."""

import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Iterator

import pytest

from tests.stack.dispatch_rig import NO_ALLOW_LIST, DispatchRig
from tests.stack.merchant_stub import (
    Behaviour, MerchantStub, closes, closes_in_the_middle, drip, drip_head, garbage, hang_in_the_middle, hold, ok, resets,
    says)
from schedules import DEFAULT, check_next_due
from tests.stack import free_port
from tests.stack.config import Settings
from tests.stack.authority import Authority

TIMEOUT = 1.5
EARLY = 0.005  # the library's own clock has milliseconds
LATE = 8.0
SHORT: Settings = {"notification": {"timeout": "1500ms"}}
LONG: Settings = {"notification": {"timeout": "15s"}}
HEADERS_LIMIT = 64 * 1024


def fail(rig: DispatchRig, url: str, settings: Settings = LONG) -> dict[str, Any]:
    """One attempt at `url`, which must fail and be due again; its row."""
    merchant = rig.merchant("https://tienda.example/")
    rig.write("UPDATE merchants SET notify_url = %s WHERE id = %s", url, merchant.id)
    number, = rig.notify(merchant)
    rig.pass_once(settings)
    (attempt,) = rig.attempts(number)
    row = rig.notification(number)
    assert (row["state"], row["attempts"], row["lease"], row["settled_at"]) == ("pending", 1, None, None)
    assert (attempt["number"], attempt["late"]) == (1, 0)
    check_next_due(row, attempt, DEFAULT[0], rig.now())
    return attempt


def what_failed(attempt: dict[str, Any]) -> tuple[str, int | None, str, bytes]:
    return attempt["reason"], attempt["http_status"], attempt["address"], attempt["reply"]


def seconds(attempt: dict[str, Any]) -> float:
    return float(attempt["duration_us"]) / 1_000_000


@pytest.mark.parametrize("behaviour, status, reply", [
    (hold, None, b""), (drip_head, 200, b""), (hang_in_the_middle, 200, b"OK. ")])
def test_hangs(rig: DispatchRig, stub: MerchantStub, behaviour: Behaviour, status: int | None, reply: bytes) -> None:
    attempt = fail(rig, stub.on("n", behaviour), SHORT)
    assert what_failed(attempt) == ("timeout", status, "127.0.0.1", reply)
    assert TIMEOUT - EARLY <= seconds(attempt) < TIMEOUT + LATE
    assert len(stub.requests) == 1


def test_drips(rig: DispatchRig, stub: MerchantStub) -> None:
    attempt = fail(rig, stub.on("n", drip), SHORT)
    assert (attempt["reason"], attempt["http_status"]) == ("timeout", 200)
    assert attempt["reply"].startswith(b"OK..") and len(attempt["reply"]) < 1000
    assert TIMEOUT - EARLY <= seconds(attempt) < TIMEOUT + LATE


@pytest.mark.parametrize("behaviour, status, reply", [
    (garbage, None, b""), (closes, None, b""), (resets, None, b""), (closes_in_the_middle, 200, b"OK. ")])
def test_breaks_off(rig: DispatchRig, stub: MerchantStub, behaviour: Behaviour, status: int | None,
                    reply: bytes) -> None:
    attempt = fail(rig, stub.on("n", behaviour))
    assert what_failed(attempt) == ("protocol", status, "127.0.0.1", reply)
    assert len(stub.requests) == 1


def test_headers_without_end(rig: DispatchRig, stub: MerchantStub) -> None:
    attempt = fail(rig, stub.on("n", says("OK", X_Much="x" * 1000, X_More="y" * HEADERS_LIMIT)))
    assert attempt["reason"] in ("too_large", "protocol")
    assert attempt["reply"] == b""


def test_nobody_listens(rig: DispatchRig) -> None:
    attempt = fail(rig, f"http://127.0.0.1:{free_port()}/n")
    assert what_failed(attempt) == ("connect", None, "127.0.0.1", b"")
    assert seconds(attempt) < 10


def test_name_without_address(rig: DispatchRig) -> None:
    attempt = fail(rig, "http://nobody.invalid/n")
    assert what_failed(attempt) == ("dns", None, "", b"")


@pytest.mark.parametrize("url", ["ftp://tienda.example/n", "http:///n", "tienda.example/n", "http://a:b@127.0.0.1/n",
                                 "file:///etc/passwd", "http://127.0.0.1:99999/n", "nothing at all"])
def test_url_that_is_none(rig: DispatchRig, url: str) -> None:
    assert what_failed(fail(rig, url)) == ("url", None, "", b"")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "127.1"])
def test_private_address_without_allow_list(rig: DispatchRig, stub: MerchantStub, host: str) -> None:
    attempt = fail(rig, stub.on("n", ok, host), {**LONG, **NO_ALLOW_LIST})
    assert (attempt["reason"], attempt["http_status"], attempt["reply"]) == ("address", None, b"")
    assert attempt["address"] in ("127.0.0.1", "::1", "::ffff:127.0.0.1")
    assert stub.connections == 0


@pytest.mark.parametrize("address", ["10.0.0.1", "192.168.1.1", "172.16.0.9", "169.254.169.254", "100.64.0.1", "0.0.0.0",
                                     "224.0.0.1", "255.255.255.255"])
def test_other_private_addresses(rig: DispatchRig, address: str) -> None:
    """The allow-list of the tests has loopback addresses only."""
    attempt = fail(rig, f"http://{address}/n")
    assert what_failed(attempt) == ("address", None, address, b"")


def test_name_of_an_allowed_address(rig: DispatchRig, stub: MerchantStub) -> None:
    number, = rig.notify(rig.merchant(stub.on("n", ok, "localhost")))
    rig.pass_once({"security": {"allow_addresses": "127.0.0.1/32"}})
    assert [attempt["address"] for attempt in rig.attempts(number)] == ["127.0.0.1"]
    assert rig.notification(number)["state"] == "delivered"


def test_denied_addresses_win(rig: DispatchRig, stub: MerchantStub) -> None:
    settings = {"security": {"allow_addresses": "0.0.0.0/0", "deny_addresses": "192.0.2.0/24 127.0.0.1"}, **LONG}
    attempt = fail(rig, stub.on("n", ok), settings)
    assert what_failed(attempt) == ("address", None, "127.0.0.1", b"") and stub.requests == []


@pytest.mark.parametrize("address", ["169.254.169.254", "168.63.129.16", "100.100.100.200"])
def test_metadata_services_are_denied(rig: DispatchRig, address: str) -> None:
    """Whatever is allowed."""
    attempt = fail(rig, f"http://{address}/latest/meta-data/", {"security": {"allow_addresses": "0.0.0.0/0 ::/0"}, **LONG})
    assert what_failed(attempt) == ("address", None, address, b"")


def test_environment_proxy_is_ignored(rig: DispatchRig, stub: MerchantStub, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    number, = rig.notify(rig.merchant(stub.on("n", ok)))
    rig.pass_once()
    assert rig.notification(number)["state"] == "delivered"


# TLS.

@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def trusting(authority: Authority) -> Settings:
    return {"notification": {"timeout": "15s"}, "security": {"ca_file": authority.certificate}}


@contextmanager
def serving(authority: Authority, tmp_path: Path, names: str, **options: Any) -> Iterator[MerchantStub]:
    with MerchantStub(authority.server(tmp_path.name, names, **options)) as stub:
        yield stub


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_right_certificate(rig: DispatchRig, authority: Authority, tmp_path: Path, host: str) -> None:
    with serving(authority, tmp_path, "DNS:localhost,IP:127.0.0.1") as stub:
        number, = rig.notify(rig.merchant(stub.on("n", ok, host)))
        rig.pass_once(trusting(authority))
    assert rig.notification(number)["state"] == "delivered"


def refused_tls(rig: DispatchRig, url: str, settings: Settings, reason: str) -> None:
    assert what_failed(fail(rig, url, settings)) == (reason, None, "127.0.0.1", b"")


def test_certificate_of_another_name(rig: DispatchRig, authority: Authority, tmp_path: Path) -> None:
    with serving(authority, tmp_path, "DNS:other.example") as stub:
        refused_tls(rig, stub.on("n", ok), trusting(authority), "tls_name")
        assert stub.requests == []


def test_certificate_of_nobody(rig: DispatchRig, authority: Authority, tmp_path: Path) -> None:
    with serving(authority, tmp_path, "DNS:localhost,IP:127.0.0.1", self_signed=True) as stub:
        refused_tls(rig, stub.on("n", ok), trusting(authority), "tls_authority")
        assert stub.requests == []


def test_certificate_that_has_expired(rig: DispatchRig, authority: Authority, tmp_path: Path) -> None:
    with serving(authority, tmp_path, "DNS:localhost,IP:127.0.0.1", expired=True) as stub:
        refused_tls(rig, stub.on("n", ok), trusting(authority), "tls_expired")
        assert stub.requests == []


def shake_hands(listener: socket.socket, context: ssl.SSLContext) -> None:
    """One connection, kept until the client closes it. asyncio's server would close it without a word of why."""
    connection, _ = listener.accept()
    with connection.dup() as open_still:
        with connection, suppress(ssl.SSLError):
            context.wrap_socket(connection, server_side=True)
        while open_still.recv(65536):
            pass


@pytest.mark.filterwarnings("ignore:ssl.OP_NO:DeprecationWarning")
def test_server_that_speaks_an_old_version(rig: DispatchRig, authority: Authority, tmp_path: Path) -> None:
    context = authority.server(tmp_path.name, "DNS:localhost,IP:127.0.0.1")
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.options |= ssl.OP_NO_TLSv1_2 | ssl.OP_NO_TLSv1_3
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as server:
        shaken = server.submit(shake_hands, listener, context)
        refused_tls(rig, f"https://127.0.0.1:{listener.getsockname()[1]}/n", trusting(authority), "tls_version")
        shaken.result(60)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_server_that_wants_a_certificate_of_ours(rig: DispatchRig, authority: Authority, tmp_path: Path, version: ssl.TLSVersion) -> None:
    context = authority.server(tmp_path.name, "DNS:localhost,IP:127.0.0.1")
    context.maximum_version, context.verify_mode = version, ssl.CERT_REQUIRED
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as server:
        shaken = server.submit(shake_hands, listener, context)
        refused_tls(rig, f"https://127.0.0.1:{listener.getsockname()[1]}/n", trusting(authority), "tls")
        shaken.result(60)


def test_no_certificates_to_trust(rig: DispatchRig, authority: Authority, tmp_path: Path) -> None:
    """Our own host's fault, not the merchant's: the attempt and the log say so."""
    settings: Settings = {"notification": {"timeout": "15s"}, "security": {"ca_file": tmp_path / "none.pem"}}
    with serving(authority, tmp_path, "DNS:localhost,IP:127.0.0.1") as stub:
        assert what_failed(fail(rig, stub.on("n", ok), settings)) == ("certificates", None, "127.0.0.1", b"")
        assert stub.requests == []
    assert "no certificates to trust" in rig.run_once(settings).stderr


def test_authority_that_the_system_does_not_know(rig: DispatchRig, authority: Authority, tmp_path: Path) -> None:
    with serving(authority, tmp_path, "DNS:localhost,IP:127.0.0.1") as stub:
        refused_tls(rig, stub.on("n", ok), {"notification": {"timeout": "15s"}}, "tls_authority")
        assert stub.requests == []


def test_no_tls_there(rig: DispatchRig, stub: MerchantStub) -> None:
    refused_tls(rig, stub.on("n", ok).replace("http:", "https:"), {"notification": {"timeout": "15s"}}, "tls_absent")
    assert stub.requests == []


def test_handshake_that_never_comes(rig: DispatchRig) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        attempt = fail(rig, f"https://127.0.0.1:{silent.getsockname()[1]}/n", SHORT)
    assert what_failed(attempt) == ("timeout", None, "127.0.0.1", b"")


# Our own side.

def test_secret_of_another_key(rig: DispatchRig, stub: MerchantStub) -> None:
    other_key = rig.stack.directory / "other.key"
    if not other_key.exists():
        other_key.write_text("ab" * 32 + "\n")
        other_key.chmod(0o600)
    attempt = fail(rig, stub.on("n", ok), {"security": {"key_file": other_key}})
    assert what_failed(attempt) == ("secret", None, "", b"")
    assert stub.connections == 0


def test_secret_of_another_merchant(rig: DispatchRig, stub: MerchantStub) -> None:
    """Sealed secrets are bound to their merchant: one that was copied to another row opens no more."""
    one, other = rig.merchant(stub.on("n", ok)), rig.merchant(stub.on("n", ok))
    rig.write("UPDATE merchants m JOIN merchants from_row ON from_row.id = %s"
                   " SET m.notification_hash = from_row.notification_hash WHERE m.id = %s", one.id, other.id)
    number, = rig.notify(other)
    result = rig.pass_once()
    assert [attempt["reason"] for attempt in rig.attempts(number)] == ["secret"]
    assert stub.requests == []
    assert one.notification_hash not in result.stderr and "NOTIFICATION_HASH" in result.stderr
