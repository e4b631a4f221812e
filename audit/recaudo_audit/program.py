"""The command line."""

import argparse
import getpass
import ssl
import sys
from pathlib import Path
from typing import Any, Sequence

import pymysql

from . import VERSION
from .database import Database, connect
from .money import Money
from .orders import Orders
from .parties import Parties
from .report import UNREADABLE, Report, Unwritten
from .seals import Seals
from .tables import check_tables

WELL, FOUND, MISUSED, AWAY = 0, 1, 2, 3
PARTS = ("seals", "orders", "money", "parties")


def interval(text: str) -> float:
    """As seal_every may be: 1 s to 1 h."""
    seconds = float(text)
    if not 1 <= seconds <= 3600:
        raise ValueError
    return seconds


class Asked(Exception):
    """Its text is what was asked for: the help or the version."""


class Help(argparse.Action):
    """Like argparse's own, which ends in a trace where standard output cannot be written."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        raise Asked(parser.format_help())


class Version(argparse.Action):
    """The same for the version."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        raise Asked(f"{parser.prog} {VERSION}\n")


def arguments(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="recaudo-audit", add_help=False, description="Checks the books of a recaudo database. Reads only.",
                                     epilog="Exit status: 0 nothing found, 1 findings, 2 wrong usage, PyMySQL missing or output that cannot be written, 3 no database.")
    parser.add_argument("-h", "--help", action=Help, nargs=0, help="show this help message and exit")
    parser.add_argument("--version", action=Version, nargs=0, help="print the version and exit")
    parser.add_argument("--socket", metavar="PATH", help="unix socket of MariaDB (default /run/mysqld/mysqld.sock)")
    parser.add_argument("--host", help="host of MariaDB, instead of a socket; with TLS")
    parser.add_argument("--port", type=int, default=3306)
    parser.add_argument("--tls-ca", metavar="FILE", type=Path, help="authorities of the server's certificate")
    parser.add_argument("--user", help="account (default recaudo_reader)", default="recaudo_reader")
    parser.add_argument("--password-file", metavar="FILE", type=Path)
    parser.add_argument("--database", default="recaudo")
    parser.add_argument("--public-key", metavar="FILE", type=Path, help="public keys of the seals (PEM)")
    parser.add_argument("--signed-from", metavar="SEAL", type=int,
                        help="with --public-key: this seal and all after it must be signed (default 1)")
    parser.add_argument("--against", metavar="FILE", type=Path, help="seals that were kept elsewhere")
    parser.add_argument("--seal-every", metavar="SECONDS", type=interval, default=60,
                        help="seal_every of [audit], 1 to 3600 (default 60): a late event may have no seal for 1440 times as long")
    parser.add_argument("--only", choices=PARTS, action="append", help="check this part only; may be repeated")
    parser.add_argument("--json", action="store_true", help="one JSON document a line")
    given = parser.parse_args(words)
    if given.signed_from is not None and given.public_key is None:
        parser.error("--signed-from requires --public-key")
    return given


def login(given: argparse.Namespace) -> dict[str, Any]:
    words: dict[str, Any] = {"user": given.user, "database": given.database}
    if given.password_file is not None:
        words["password"] = given.password_file.read_text().rstrip("\n")
    if given.host is None:
        return {**words, "unix_socket": given.socket or "/run/mysqld/mysqld.sock"}
    # A context of our own: without ssl_ca PyMySQL does not compare the name.
    return {**words, "host": given.host, "port": given.port, "ssl": ssl.create_default_context(cafile=given.tls_ca)}


def check(given: argparse.Namespace, database: Database, report: Report) -> None:
    parts = given.only or PARTS
    check_tables(database, report)
    if "seals" in parts:
        check_part("seals", Seals(database, report, given.public_key, given.signed_from or 1, given.against, given.seal_every), report)
    for name, part in (("orders", Orders), ("money", Money), ("parties", Parties)):
        if name in parts:
            check_part(name, part(database, report), report)


def check_part(name: str, part: Seals | Orders | Money | Parties, report: Report) -> None:
    """What Report.reading does not know ends a part."""
    try:
        part.check()
    except UNREADABLE as error:
        report.find("unreadable", "part", name, f"a value in the tables cannot be read, and the rest was not checked: {error}")


def unwritten(why: object) -> int:
    print(f"recaudo-audit: standard output could not be written: {why}", file=sys.stderr)
    sys.stdout = None  # the interpreter would try once more, and end with a status of its own
    return MISUSED


def closed() -> int:
    print("recaudo-audit: standard output is closed", file=sys.stderr)
    return MISUSED


def show(text: str) -> int:
    if sys.stdout is None:
        return closed()
    try:
        print(text, end="", flush=True)
    except OSError as error:
        return unwritten(error.strerror)
    return WELL


def main(words: Sequence[str]) -> int:
    try:
        given = arguments(words)
    except Asked as asked:
        return show(str(asked))
    if sys.stdout is None:
        return closed()
    report = Report(sys.stdout, given.json)
    try:
        check(given, connect(**login(given)), report)
        report.end()
    except Unwritten as error:
        return unwritten(error)
    except pymysql.err.Error as error:
        print(f"recaudo-audit: as {given.user} (this is {getpass.getuser()}): {error.args[-1]}", file=sys.stderr)
        return AWAY
    except (OSError, ValueError) as error:
        print(f"recaudo-audit: {error}", file=sys.stderr)
        return MISUSED
    return FOUND if report.findings else WELL
