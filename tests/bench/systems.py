"""The systems that are compared: recaudo, two floors, and what somebody would write with Node or PHP.

Each has a database of its own in the same server, and every process group a Unix session of its own, because the kernel shares
the processor by session.
"""

import os
import subprocess
import urllib.error
import urllib.request
from pathlib import Path
from typing import Mapping, Sequence

from tests.stack import MariaDB, Process, Stack, free_port
from tests.stack.paths import ROOT, program, system_program
from tests.stack.private_files import kept_secret
from tests.stack.process import listens_on

from .orders import ACCOUNTS, COMMERCE, FIRST_ACCOUNT, NETWORK, OPEN_FROM, ROWS, SERVICE

HERE = Path(__file__).resolve().parent
PEERS = HERE / "peers"
FILL_CHUNK = 250_000
NODE_MODULES = ROOT / "var" / "npm" / "node_modules"
FLOOR_GRANTS = ("SELECT ON {name}.orders", "SELECT, INSERT, UPDATE ON {name}.payments")
PEER_GRANTS = ("SELECT, UPDATE ON {name}.orders", "SELECT, UPDATE ON {name}.accounts", "SELECT ON {name}.merchants",
               "SELECT ON {name}.networks", "SELECT, INSERT, UPDATE ON {name}.transactions")
FLOOR_FILL = ("INSERT INTO orders (reference, amount, commerce, description) SELECT {reference}, {amount}, '{commerce}',"
              " CONCAT('Pedido ', seq) FROM seq_{first}_to_{last}",)
PEER_FILL = ("INSERT INTO orders (merchant_id, reference, amount, currency, description, due_at) SELECT 1, {reference}, {amount}, 'COP',"
             " CONCAT('Pedido ', seq), UTC_TIMESTAMP(6) + INTERVAL 10 DAY FROM seq_{first}_to_{last}",)
PEER_ACCOUNTS = ("INSERT INTO accounts (document, document_type, name, lastname1, lastname2, currency)"
                 f" SELECT {FIRST_ACCOUNT} + seq, 'CC', 'Ana', 'Paz', '', 'COP' FROM seq_1_to_{ACCOUNTS}")


class Database:
    """A schema with an account of the same name, which has these grants and no others."""

    def __init__(self, mariadb: MariaDB, name: str, schema: Path, grants: Sequence[str], fill: Sequence[str]) -> None:
        self.mariadb = mariadb
        self.name = name
        self.schema = schema
        self.grants = grants
        self.fill_statements = fill
        self.filled = 0
        self.password_file = mariadb.secrets / f"{name}.password"

    def create(self) -> None:
        """As it was when it was kept from another run; else anew."""
        known = self.mariadb.query("SHOW DATABASES LIKE %s", self.name)
        secret = kept_secret(self.password_file)
        with self.mariadb.connect(database=None) as connection, connection.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE IF NOT EXISTS {self.name} CHARACTER SET utf8mb4")
            cursor.execute(f"CREATE USER IF NOT EXISTS {self.name}@localhost")
            cursor.execute(f"ALTER USER {self.name}@localhost IDENTIFIED BY '{secret}'")
            cursor.execute(f"USE {self.name}")
            if not known:
                for statement in self.schema.read_text().split(";\n"):
                    if statement.strip():
                        cursor.execute(statement)
            for grant in self.grants:
                cursor.execute(f"GRANT {grant.format(name=self.name)} TO {self.name}@localhost")
        self.filled = self.count()

    def count(self) -> int:
        """Orders that are numbered one after the other."""
        with self.mariadb.connect(database=self.name) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT COUNT(*) AS number FROM orders WHERE reference < %s", str(OPEN_FROM))
            return int(cursor.fetchone()["number"])

    def run(self, *statements: str) -> None:
        with self.mariadb.connect(database=self.name) as connection, connection.cursor() as cursor:
            cursor.execute("SET SESSION foreign_key_checks = 0")
            for statement in statements:
                cursor.execute(statement)

    def grow(self, count: int) -> None:
        """Adds what is missing to so many orders."""
        for first in range(self.filled + 1, count + 1, FILL_CHUNK):
            last = min(first + FILL_CHUNK - 1, count)
            self.run(*(statement.format(first=first, last=last, **ROWS) for statement in self.fill_statements))
        self.filled = max(self.filled, count)

    def add_open_orders(self, count: int) -> None:
        self.run(*(statement.format(first=1, last=count, commerce=COMMERCE, amount="0", reference=f"{OPEN_FROM} + seq")
                   for statement in self.fill_statements))


class System:
    """What requests are sent to: `url`. `sessions` are its process groups: the leaders' pids by what they are."""

    refuses = True  # what is wrong; a floor makes no check

    def __init__(self, name: str) -> None:
        self.name = name
        self.processes: dict[str, Process] = {}
        self.port = free_port()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def sessions(self) -> Mapping[str, int]:
        return {kind: process.pid for kind, process in self.processes.items()}

    def start(self) -> None:
        for process in self.processes.values():
            process.start()

    def stop(self) -> None:
        for process in reversed(self.processes.values()):
            process.stop()


class Recaudo(System):
    """The product as it is shipped."""

    def __init__(self, stack: Stack) -> None:
        super().__init__("recaudo")
        self.stack = stack

    @property
    def url(self) -> str:
        return self.stack.base_url

    def sessions(self) -> Mapping[str, int]:
        return {"nginx": self.stack.web.process.pid, "worker": self.stack.worker.pid}


class BareNginx(Process):
    """nginx that passes everything to a FastCGI socket and does nothing else."""

    def __init__(self, directory: Path, port: int, socket: str, kept: bool, parameters: Mapping[str, str]) -> None:
        folder = directory / "nginx"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        log = directory / "nginx.log"
        lines = "\n            ".join(f'fastcgi_param {name} "{value}";' for name, value in parameters.items())
        (folder / "nginx.conf").write_text((PEERS / "nginx.conf").read_text().format(
            directory=folder, log=log, socket=socket, port=port, parameters=lines, workers=1,
            user="user root;" if os.geteuid() == 0 else "", keepalive="keepalive 128;" if kept else "",
            keep="fastcgi_keep_conn on;" if kept else ""))
        super().__init__("nginx", [system_program("nginx"), "-e", str(log), "-p", str(folder), "-c", str(folder / "nginx.conf")],
                         log, lambda: says(f"http://127.0.0.1:{port}/nginx", f"{port}\n"))


class Floor(System):
    """One plain statement behind a bare nginx: with libfcgi and threads, or from one event loop."""

    refuses = False

    def __init__(self, stack: Stack, name: str, executable: str, kept: bool, words: Sequence[str] = ()) -> None:
        super().__init__(name)
        directory = stack.directory / name
        socket = str(stack.sockets / f"{name}.sock")
        self.database = Database(stack.mariadb, f"bench_{name}", HERE / "floor" / "floor.sql", FLOOR_GRANTS, FLOOR_FILL)
        command = [program(f"tests/bench/{executable}"), "--socket", socket, "--database-socket", stack.mariadb.socket,
                   "--database", self.database.name, "--password-file", str(self.database.password_file), *words]
        nginx = BareNginx(directory, self.port, socket, kept, {})
        self.processes = {"worker": Process(name, command, directory / "worker.log", lambda: listens_on(socket)), "nginx": nginx}

    def start(self) -> None:
        self.database.create()
        super().start()


class Peer(System):
    """Complete and correct, with a schema of its own; knows the same network and merchant as recaudo."""

    def __init__(self, stack: Stack, name: str) -> None:
        super().__init__(name)
        self.directory = stack.directory / name
        self.directory.mkdir(mode=0o700, exist_ok=True)
        self.log = self.directory / "worker.log"
        self.database = Database(stack.mariadb, f"bench_{name}", PEERS / "schema.sql", PEER_GRANTS, PEER_FILL)
        self.environment = {"DATABASE": self.database.name, "DATABASE_SOCKET": stack.mariadb.socket,
                            "PASSWORD_FILE": str(self.database.password_file), "SERVICE_NAME": SERVICE}
        self.hash_file = stack.directory / "network.hash"

    def start(self) -> None:
        self.database.create()
        secret = self.hash_file.read_text().strip()
        self.database.run("INSERT IGNORE INTO merchants (commerce) VALUES ('" + COMMERCE + "')",
                          f"INSERT IGNORE INTO networks (name, fixed_hash) VALUES ('{NETWORK}', '{secret}')",
                          f"UPDATE networks SET fixed_hash = '{secret}'")
        super().start()

    def add_accounts(self) -> None:
        self.database.run(PEER_ACCOUNTS)


class Node(Peer):
    """Listens for HTTP itself."""

    def __init__(self, stack: Stack) -> None:
        super().__init__(stack, "node")
        environment = {**self.environment, "PORT": str(self.port), "NODE_MODULES": str(NODE_MODULES), "NODE_ENV": "production"}
        self.processes = {"worker": Process("node", [system_program("node"), str(PEERS / "server.mjs")], self.log,
                                            lambda: says(f"{self.url}/v1/orders/-", None), environment)}


class Php(Peer):
    """PHP-FPM behind a bare nginx."""

    def __init__(self, stack: Stack) -> None:
        super().__init__(stack, "php")
        socket = str(stack.sockets / "php.sock")
        script = PEERS / "index.php"
        config = self.directory / "php-fpm.conf"
        config.write_text((PEERS / "php-fpm.conf").read_text().format(
            log=self.log, socket=socket, user="user = root\ngroup = root" if os.geteuid() == 0 else ""))
        command = [php_fpm(), "--nodaemonize", "--fpm-config", str(config)]
        if os.geteuid() == 0:
            command.append("--allow-to-run-as-root")
        # A kept connection would hold one of the 16 processes while it is idle.
        nginx = BareNginx(self.directory, self.port, socket, False, {**self.environment, "SCRIPT_FILENAME": str(script)})
        self.processes = {"worker": Process("php-fpm", command, self.log, lambda: listens_on(socket)), "nginx": nginx}


def php_fpm() -> str:
    """Debian puts the version into the name."""
    for folder in ("/usr/sbin", "/usr/bin"):
        for found in sorted(Path(folder).glob("php-fpm*"), reverse=True):
            return str(found)
    raise FileNotFoundError("php-fpm is not installed")


def says(url: str, text: str | None) -> bool:
    """Whether the server answers; with this text, unless it is None."""
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:
            said: bytes = reply.read()
    except (urllib.error.URLError, OSError):
        return False
    return text is None or said == text.encode()


def install_packages() -> None:
    """What Node's peer needs, and PHP's: as ./check does."""
    subprocess.run(["bash", "-c", ". tests/stack/install.sh && install_peers"], cwd=ROOT, check=True, timeout=1200)
