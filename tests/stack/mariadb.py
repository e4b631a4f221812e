"""A private MariaDB: own data directory, unix socket only, durable, no defaults of the system's."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Sequence

import pymysql
import pymysql.cursors

from .paths import BUILD, system_program
from .private_files import kept_secret, write_private
from .process import Process, preloading

DATABASE = "recaudo"
OWNER = "root"
ACCOUNTS = ("recaudo_worker", "recaudo_dispatcher", "recaudo_deliverer", "recaudo_operator", "recaudo_reader",
            "recaudo_console")
SERVER_OPTIONS = (
    "--skip-networking", "--skip-name-resolve", "--skip-log-bin", "--performance-schema=OFF",
    "--innodb-autoinc-lock-mode=2", "--innodb-flush-log-at-trx-commit=1", "--innodb-lock-wait-timeout=5",
    "--default-time-zone=+00:00", "--character-set-server=utf8mb4", "--transaction-isolation=READ-COMMITTED",
    "--innodb-log-file-size=64M", "--max-connections=300",
)
UNSYNCED = "RECAUDO_TEST_UNSYNCED"


def _unsynced() -> dict[str, str]:
    """Where ./check asks for it, servers leave it to Linux when what they write reaches the disk. Whoever kills one notices nothing."""
    return preloading("libeatmydata.so") if UNSYNCED in os.environ else {}


def _as_user() -> list[str]:
    return ["--user=root"] if os.geteuid() == 0 else []


def _initialise(datadir: Path, log: Path) -> None:
    command = [system_program("mariadb-install-db"), "--no-defaults", *_as_user(), f"--datadir={datadir}",
               "--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve",
               "--innodb-log-file-size=64M"]
    # A directory for temporary tables of its own: every server that starts removes those that it finds in its own.
    with open(log, "ab") as output, tempfile.TemporaryDirectory(prefix="recaudo-install-") as own:
        if subprocess.run([*command, f"--tmpdir={own}"], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                          env={**os.environ, "TMPDIR": own}).returncode != 0:
            raise RuntimeError(f"mariadb-install-db failed:\n{log.read_text(errors='replace')}")


def _server_version() -> str:
    words = subprocess.run([system_program("mariadbd"), "--no-defaults", "--version"], capture_output=True, text=True,
                           check=True).stdout.split()
    return words[words.index("Ver") + 1].replace("/", "_")


def _template(log: Path) -> Path | None:
    """An initialised data directory to copy, kept in the build directory; None where nothing can be written there."""
    kept = BUILD / "mariadb-template" / f"{_server_version()}-{os.geteuid()}"
    if kept.is_dir():
        return kept
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        fresh = Path(tempfile.mkdtemp(dir=kept.parent))
    except OSError:
        return None
    try:
        _initialise(fresh, log)
        fresh.rename(kept)
    except OSError:
        if not kept.is_dir():
            raise
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return kept


class MariaDB:
    """`directory` keeps data, log and passwords; `sockets` is a directory with a short path."""

    def __init__(self, directory: Path, sockets: Path, buffer_pool: str = "256M", options: Sequence[str] = ()) -> None:
        self.datadir = directory / "mariadb"
        self.secrets = directory / "secrets"
        self.temporary = directory / "tmp"
        self.log = directory / "log" / "mariadb.log"
        self.socket = str(sockets / "mariadb.sock")
        self.init_file = directory / "mariadb-init.sql"
        for folder in (self.secrets, self.temporary, self.log.parent):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        command = [system_program("mariadbd"), "--no-defaults", *_as_user(), f"--datadir={self.datadir}",
                   f"--socket={self.socket}", f"--pid-file={sockets / 'mariadb.pid'}", f"--tmpdir={self.temporary}",
                   f"--init-file={self.init_file}", f"--innodb-buffer-pool-size={buffer_pool}", *SERVER_OPTIONS,
                   *options]
        self.process = Process("mariadb", command, self.log, self._answers, _unsynced())

    def password_file(self, account: str) -> Path:
        return self.secrets / f"{account}.password"

    def password(self, account: str) -> str:
        return kept_secret(self.password_file(account))

    def address(self) -> dict[str, object]:
        """Where recaudo.conf says that it is."""
        return {"socket": self.socket}

    def prepare(self) -> None:
        """Creates the data directory and the accounts' passwords where they are missing."""
        if not self.datadir.is_dir():
            fresh = self.datadir.with_suffix(".new")
            shutil.rmtree(fresh, ignore_errors=True)
            template = _template(self.log)
            if template is None:
                _initialise(fresh, self.log)
            else:
                shutil.copytree(template, fresh, symlinks=True)
            fresh.rename(self.datadir)
        write_private(self.init_file, self._accounts_sql())

    def start(self) -> None:
        self.prepare()
        self.process.start()

    def stop(self) -> None:
        self.process.stop(60)

    def kill(self) -> None:
        self.process.kill()

    def restart(self) -> None:
        self.stop()
        self.start()

    def connect(self, account: str = OWNER, database: str | None = DATABASE) -> "pymysql.connections.Connection[Any]":
        return pymysql.connect(unix_socket=self.socket, user=account, password=self.password(account),
                               database=database, charset="utf8mb4", autocommit=True,
                               cursorclass=pymysql.cursors.DictCursor)

    def query(self, sql: str, *values: Any, account: str = OWNER) -> list[dict[str, Any]]:
        """Runs one statement on a connection of its own; its rows."""
        with self.connect(account) as connection, connection.cursor() as cursor:
            cursor.execute(sql, values or None)
            return list(cursor.fetchall())

    def recreate_database(self) -> None:
        """Throws all data away; accounts stay."""
        with self.connect(database=None) as connection, connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {DATABASE}")
            cursor.execute(self._database_sql())

    def _answers(self) -> bool:
        try:
            self.connect().close()
        except pymysql.err.OperationalError:
            return False
        return True

    def _database_sql(self) -> str:
        return f"CREATE DATABASE IF NOT EXISTS {DATABASE} CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin"

    def _accounts_sql(self) -> str:
        lines = [self._database_sql()]
        for account in (*ACCOUNTS, OWNER):
            lines.append(f"CREATE USER IF NOT EXISTS {account}@localhost")
            lines.append(f"ALTER USER {account}@localhost IDENTIFIED BY '{self.password(account)}'")
        return "".join(line + ";\n" for line in lines)
