"""A certificate authority for one test run, and servers with certificates that are right and wrong.

Both say what keys they are of and for, without which Python 3.13 trusts none.
"""

import os
import ssl
import subprocess
from pathlib import Path
from typing import Mapping

from .false_time import faked


def run_openssl(directory: Path, *words: str, environment: Mapping[str, str] | None = None) -> None:
    subprocess.run(["openssl", *words], cwd=directory, check=True, capture_output=True,
                   env={**os.environ, **(environment or {})})


class Authority:
    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.certificate = directory / "authority.pem"
        run_openssl(directory, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-keyout", "authority.key", "-out", "authority.pem", "-days", "2", "-subj", "/CN=Test authority",
                    "-addext", "keyUsage=critical,keyCertSign,cRLSign")

    def server(self, name: str, alternative_names: str, self_signed: bool = False, expired: bool = False, early: bool = False,
               days: int = 2) -> ssl.SSLContext:
        """A server's context with a certificate for `alternative_names`, for example "DNS:localhost,IP:127.0.0.1".

        One that has expired is made as if thirty days ago: OpenSSL 3.5 makes none that was never valid. An early one is as if of
        the day after tomorrow.
        """
        signing = [] if self_signed else ["-CA", "authority.pem", "-CAkey", "authority.key"]
        run_openssl(self.directory, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                    f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        (self.directory / f"{name}.ext").write_text(
            f"subjectAltName={alternative_names}\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n")
        signing = ["-signkey", f"{name}.key"] if self_signed else [*signing, "-CAcreateserial"]
        run_openssl(self.directory, "x509", "-req", "-in", f"{name}.csr", *signing, "-days", str(days), "-extfile",
                    f"{name}.ext", "-out", f"{name}.pem", environment=faked(FAKETIME="-30d" if expired else "+2d") if expired or early else None)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.directory / f"{name}.pem", self.directory / f"{name}.key")
        return context
