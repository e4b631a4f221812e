"""recaudo-audit at a database on another machine: TLS, and the right name in the certificate, or nothing is sent."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import Stack
from tests.stack.authority import Authority
from tests.stack.mariadb import MariaDB
from tests.stack.mariadb_tcp import HOST, MariaDBOverTcp
from tests.stack.paths import ROOT

AUDIT = ROOT / "audit" / "recaudo-audit"
ANOTHER_NAME = "localhost"


class Certified(MariaDBOverTcp):
    """Its certificate is for its address alone."""

    def __init__(self, directory: Path, sockets: Path, buffer_pool: str) -> None:
        (directory / "authority").mkdir()
        self.authority = Authority(directory / "authority")
        self.authority.server("server", f"IP:{HOST}")
        super().__init__(directory, sockets, buffer_pool, [f"--ssl-cert={self.authority.directory / 'server.pem'}",
                                                           f"--ssl-key={self.authority.directory / 'server.key'}"])

    def address(self) -> dict[str, object]:
        return {**super().address(), "tls_ca": self.authority.certificate}


class InClearText(MariaDBOverTcp):
    def __init__(self, directory: Path, sockets: Path, buffer_pool: str) -> None:
        super().__init__(directory, sockets, buffer_pool, ["--skip-ssl"])

    def address(self) -> dict[str, object]:
        return {**super().address(), "tls": "off"}


def made(database: type[MariaDB]) -> Stack:
    """A database with its schema, and no program."""
    stack = Stack(dispatcher=False, buffer_pool="16M", database=database)
    stack.write_config()
    stack.mariadb.start()
    stack.migrate()
    return stack


@pytest.fixture(scope="module")
def certified() -> Iterator[Certified]:
    stack = made(Certified)
    try:
        assert isinstance(stack.mariadb, Certified)
        yield stack.mariadb
    finally:
        stack.close()


def audit(server: MariaDBOverTcp, host: str, *words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, AUDIT, "--host", host, "--port", str(server.port), "--password-file",
                           server.password_file("recaudo_reader"), *words], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **environment})


def test_certificate_that_is_right(certified: Certified) -> None:
    result = audit(certified, HOST, "--tls-ca", str(certified.authority.certificate))
    assert (result.returncode, result.stderr) == (0, ""), result.stdout


@pytest.mark.parametrize("named", [True, False], ids=["--tls-ca", "authorities of the system"])
def test_certificate_of_another_name(certified: Certified, named: bool) -> None:
    """Whoever it is that trusts its authority."""
    authority = str(certified.authority.certificate)
    words = ("--tls-ca", authority) if named else ()
    assert audit(certified, HOST, *words, SSL_CERT_FILE=authority).returncode == 0
    result = audit(certified, ANOTHER_NAME, *words, SSL_CERT_FILE=authority)
    assert result.returncode == 3 and "certificate" in result.stderr and result.stdout == ""


def test_certificate_of_an_unknown_authority(certified: Certified) -> None:
    result = audit(certified, HOST)
    assert result.returncode == 3 and "certificate verify failed" in result.stderr


def test_server_without_tls() -> None:
    """It could be anybody: the password is not sent."""
    stack = made(InClearText)
    try:
        assert isinstance(stack.mariadb, InClearText)
        result = audit(stack.mariadb, HOST)
        assert result.returncode == 3 and "offers no TLS, so nothing was sent to it" in result.stderr and result.stdout == ""
    finally:
        stack.close()
