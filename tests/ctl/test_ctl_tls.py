"""[database] tls: a server is believed as far as the setting says, and none ever sees the password."""

import getpass
import shutil
import ssl
import subprocess
import tempfile
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import Ctl
from tests.stack.authority import Authority
from tests.stack.config import default_settings, write_config
from tests.stack.false_server import FalseServer
from tests.stack.mariadb_tcp import HOST, MariaDBOverTcp
from tests.stack.paths import ROOT
from tests.stack.private_files import write_private
from tests.stack.stack import socket_directory

AWAY = 3
NAMES = f"IP:{HOST}"
OTHER_AUTHORITY = "was not issued by the authority in [database] tls_ca"
NO_TLS = "does not support it"
SHOWS_PASSWORD = "would show it the password"
PLUGINS = ("mysql_clear_password", "mysql_old_password", "dialog", "sha256_password", "caching_sha2_password")


class Place:
    """A MariaDB with TLS, its authority, and recaudoctl with other settings of [database]."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.authority = Authority(self._made("authority"))
        self.stranger = Authority(self._made("stranger"))
        self.certificate = directory / "server.pem"
        self.key = directory / "server.key"
        self.present("right")
        self.database = MariaDBOverTcp(directory, socket_directory(directory), "16M", [
            f"--ssl-cert={self.certificate}", f"--ssl-key={self.key}", f"--ssl-ca={self.authority.certificate}"])

    def _made(self, name: str) -> Path:
        (self.directory / name).mkdir()
        return self.directory / name

    def present(self, name: str, names: str = NAMES, authority: Authority | None = None, expired: bool = False) -> None:
        """Makes the certificate that the server shows; it does after FLUSH SSL."""
        authority = authority or self.authority
        authority.server(name, names, expired=expired)
        shutil.copy(authority.directory / f"{name}.pem", self.certificate)
        shutil.copy(authority.directory / f"{name}.key", self.key)

    def ctl(self, **settings: object) -> Ctl:
        """Without settings it trusts the right authority; None takes a setting away."""
        config = self.directory / "recaudo.conf"
        values = default_settings(self.database, str(self.directory / "none.sock"), self.directory / "secret.key")
        database = {"tls_ca": self.authority.certificate, "read_timeout": "5s", **values["database"], **settings}
        values["database"] = {key: value for key, value in database.items() if value is not None}
        write_config(config, values)
        return Ctl(config)

    def log_in(self, **settings: object) -> "subprocess.CompletedProcess[str]":
        return self.ctl(**settings).run("db", "status")

    def works(self, **settings: object) -> None:
        result = self.log_in(**settings)
        assert result.returncode == 0, result.stderr

    def refused(self, *words: str, **settings: object) -> None:
        result = self.log_in(**settings)
        assert result.returncode == AWAY, (result.returncode, result.stdout, result.stderr)
        for word in words:
            assert word in result.stderr

    def said(self, server: FalseServer) -> bool:
        """Whether the false server was told the operator's password."""
        return self.database.password("recaudo_operator").encode() in server.told


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    place = Place(tmp_path_factory.mktemp("place"))
    place.database.start()
    try:
        place.database.query("SET GLOBAL require_secure_transport = ON")
        place.ctl().done("db", "migrate")
        yield place
    finally:
        place.database.kill()


@pytest.fixture
def shown(place: Place) -> Iterator[Place]:
    """A place whose server may show other certificates for the time of one test."""
    yield place
    place.present("right-again")
    place.database.query("FLUSH SSL")


def test_the_right_server(place: Place) -> None:
    """Which takes no connection without TLS."""
    place.works()
    place.works(tls="verify")
    place.works(tls="require")
    place.works(tls="require", tls_ca=None)


def test_off_is_clear_text(place: Place) -> None:
    assert place.log_in(tls="off").returncode != 0
    place.database.query("SET GLOBAL require_secure_transport = OFF")
    try:
        place.works(tls="off")
    finally:
        place.database.query("SET GLOBAL require_secure_transport = ON")


def test_another_authority(place: Place) -> None:
    for tls in ("verify", "require"):
        place.refused(OTHER_AUTHORITY, tls=tls, tls_ca=place.stranger.certificate)
    place.refused(OTHER_AUTHORITY, tls_ca=None)


def test_another_name(place: Place) -> None:
    host = f"localhost:{place.database.port}"
    place.refused("is not for the name in [database] host", host=host)
    place.works(host=host, tls="require")


@pytest.mark.parametrize("names, authority, expired, words", [
    (NAMES, "authority", True, "renew the server's certificate"),
    (NAMES, "stranger", False, OTHER_AUTHORITY)])
def test_certificates_of_the_server(shown: Place, names: str, authority: str, expired: bool, words: str) -> None:
    shown.present(f"{authority}-{expired}", names, getattr(shown, authority), expired)
    shown.database.query("FLUSH SSL")
    shown.refused(words)
    shown.works(tls="require", tls_ca=None)


def test_certificate_of_another_machine(shown: Place) -> None:
    """Refused by `verify`; `require` does not look at names."""
    shown.present("elsewhere", "DNS:db.example,IP:127.0.0.2")
    shown.database.query("FLUSH SSL")
    host = f"localhost:{shown.database.port}"
    shown.refused("is not for the name in", host=host)
    shown.works(tls="require", host=host)
    shown.works(tls="require", tls_ca=None, host=host)


def test_variable_that_disables_verification(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Connector/C 3.4 has it: nothing was verified then."""
    monkeypatch.setenv("MARIADB_TLS_DISABLE_PEER_VERIFICATION", "1")
    for tls in ("verify", "require"):
        result = place.log_in(tls=tls)
        assert result.returncode == 1 and "unset the environment variable MARIADB_TLS_DISABLE_PEER_VERIFICATION" in result.stderr
    saved = back_up(place, place.database.port, f"--ssl-ca={place.stranger.certificate}")
    assert saved.returncode != 0 and "SSL" in saved.stderr


def test_files_that_are_not_there(place: Place, tmp_path: Path) -> None:
    missing = str(tmp_path / "none.pem")
    for settings in ({"tls_ca": missing}, {"tls_certificate": missing, "tls_key": missing}):
        result = place.log_in(**settings)
        assert result.returncode != 0 and f"cannot be read: {missing}: No such file" in result.stderr


def test_our_own_certificate(place: Place) -> None:
    place.authority.server("own", "DNS:own")
    own = {"tls_certificate": place.authority.directory / "own.pem", "tls_key": place.authority.directory / "own.key"}
    account = f"recaudo_operator@'{HOST}'"
    place.database.query(f"ALTER USER {account} REQUIRE X509")
    try:
        assert place.log_in().returncode != 0
        own["tls_key"].chmod(0o600)
        place.works(**own)
        own["tls_key"].chmod(0o644)
        result = place.log_in(**own)
        assert result.returncode != 0 and "[database] tls_key: others may read or change" in result.stderr
        assert "chmod g-wx,o= it" in result.stderr
    finally:
        place.database.query(f"ALTER USER {account} REQUIRE NONE")


def stolen(place: Place) -> ssl.SSLContext:
    """TLS of a server that has a certificate of its own making for the right name."""
    return place.stranger.server("false", NAMES)


@pytest.mark.parametrize("tls", ["verify", "require"])
def test_a_server_without_tls_is_told_nothing(place: Place, tls: str) -> None:
    for asked in (None, b"mysql_clear_password\0"):
        with FalseServer(asked) as server:
            place.refused(NO_TLS, "give the server a certificate", host=f"{HOST}:{server.port}", tls=tls)
            assert server.callers > 0
        assert server.told == b""


def test_a_false_server_with_tls_is_told_nothing(place: Place) -> None:
    """All it gets is what begins TLS: neither the name of the account nor the form of its password."""
    for tls in ("verify", "require"):
        with FalseServer(b"mysql_clear_password\0", context=stolen(place)) as server:
            place.refused(OTHER_AUTHORITY, host=f"{HOST}:{server.port}", tls=tls)
        assert server.callers > 0 and len(server.told) <= 4 + 32 and b"recaudo" not in server.told


@pytest.mark.parametrize("asked", [f"{plugin}\0".encode() for plugin in PLUGINS] + [b""])
def test_no_server_gets_the_password(place: Place, asked: bytes) -> None:
    """Not even where the link is not protected. Asked for nothing, the server means the password of before MySQL 4.1."""
    with FalseServer(asked) as server:
        place.refused(SHOWS_PASSWORD, host=f"{HOST}:{server.port}", tls="off")
    assert b"recaudo_operator" in server.told and not place.said(server)
    with FalseServer(asked, context=stolen(place)) as server:
        place.refused(SHOWS_PASSWORD, host=f"{HOST}:{server.port}", tls="require", tls_ca=None)
    assert b"recaudo_operator" in server.told and not place.said(server)


@pytest.mark.parametrize("greeting", PLUGINS)
def test_no_server_gets_the_password_by_its_greeting(place: Place, greeting: str) -> None:
    with FalseServer(greeting=greeting) as server:
        place.refused(SHOWS_PASSWORD, host=f"{HOST}:{server.port}", tls="off")
    assert not place.said(server)


def test_login_by_system_user(place: Place) -> None:
    """Over the unix socket, which has no TLS."""
    me = getpass.getuser()
    place.database.query(f"CREATE USER IF NOT EXISTS {me}@localhost")
    place.database.query(f"ALTER USER {me}@localhost IDENTIFIED VIA unix_socket OR mysql_native_password USING PASSWORD(%s)",
                         place.database.password("root"))
    place.database.query(f"GRANT SELECT ON recaudo.* TO {me}@localhost")
    place.works(host=None, socket=place.database.socket, operator_user=me, operator_password_file=None)


def test_ed25519_is_a_safe_login(place: Place) -> None:
    """The false server gets a signature."""
    with FalseServer(b"client_ed25519\0" + bytes(range(32))) as server:
        result = place.log_in(host=f"{HOST}:{server.port}", tls="off")
    assert SHOWS_PASSWORD not in result.stderr and len(server.told) > 64 and not place.said(server)


def back_up(place: Place, port: int, *options: str) -> "subprocess.CompletedProcess[str]":
    """Into a directory of its own: two backups of one second have the same name."""
    directory = Path(tempfile.mkdtemp(dir=place.directory))
    login = directory / "login.cnf"
    write_private(login, f"[client]\nuser = root\npassword = {place.database.password('root')}\nhost = {HOST}\nport = {port}\n")
    words = [str(ROOT / "backup" / "recaudo-backup"), "save", str(directory), "--", f"--defaults-file={login}", *options]
    return subprocess.run(words, capture_output=True, text=True, timeout=60)


def test_a_backup_verifies_the_server(place: Place) -> None:
    saved = back_up(place, place.database.port, f"--ssl-ca={place.authority.certificate}")
    assert saved.returncode == 0, saved.stderr
    for options in ([f"--ssl-ca={place.stranger.certificate}"], []):
        result = back_up(place, place.database.port, *options)
        assert result.returncode != 0 and "SSL" in result.stderr
    for context in (None, stolen(place)):
        with FalseServer(b"mysql_clear_password\0", context=context) as server:
            result = back_up(place, server.port, f"--ssl-ca={place.authority.certificate}")
        assert result.returncode != 0 and "SSL" in result.stderr and server.callers > 0
        assert b"root" not in server.told


@pytest.mark.parametrize("plugin", PLUGINS)
def test_a_backup_in_clear_text_shows_no_password(place: Place, plugin: str) -> None:
    with FalseServer(f"{plugin}\0".encode()) as server:
        assert back_up(place, server.port, "--skip-ssl").returncode != 0
    assert b"root" in server.told and place.database.password("root").encode() not in server.told
