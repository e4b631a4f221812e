"""Everything wired together: MariaDB, schema, workers, dispatcher and nginx in one directory."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from .client import Client, Network
from .config import Settings, default_settings, write_config
from .console import APACHE_MODULES, Console
from .mariadb import MariaDB
from .paths import program
from .process import Process
from .programs import Ctl, Dispatcher, Worker
from .web.apache import Apache
from .web.nginx import UNLIMITED, Nginx

PROGRAMS = ("recaudo-console", "recaudo-fcgi", "recaudo-query", "recaudo-dispatch", "recaudoctl")
WEB = os.environ.get("RECAUDO_WEB", "nginx")
SOCKET_PATH_LIMIT = 107
LONGEST_SOCKET_NAME = "mariadb.sock.lock"


def socket_directory(directory: Path) -> Path:
    """`directory`/run, or a temporary directory where that path is too long for unix sockets."""
    wanted = directory / "run"
    if len(str(wanted / LONGEST_SOCKET_NAME)) > SOCKET_PATH_LIMIT:
        return Path(tempfile.mkdtemp(prefix="recaudo-run-"))
    wanted.mkdir(mode=0o700, parents=True, exist_ok=True)
    return wanted


class Stack:
    """An instance. Without `directory` it lives in a temporary one, which goes when it is closed.

    `settings` go over the configuration's defaults, section by section. `rate` and `burst` are nginx's limit per
    address, None for that of nginx/recaudo.conf. `web` is "nginx" or "apache", `database` what makes the database.
    With `console` the console runs too, behind the same web server; its users are those of `console.write_users`.
    `trusted_proxy` is the address of a proxy in front; with `v6` the web server listens on [::1] too.
    """

    at_work: list["Stack"] = []  # from the start to the close

    def __init__(self, directory: Path | None = None, settings: Settings | None = None, port: int | None = None,
                 rate: str | None = UNLIMITED, burst: int | None = None, dispatcher: bool = True,
                 dispatcher_seconds: int = 3600, buffer_pool: str = "256M", nginx_workers: int = 1, nginx_extra: str = "",
                 web: str = WEB, database: type[MariaDB] = MariaDB, trusted_proxy: str | None = None,
                 v6: bool = False, console: bool = False, console_port: int | None = None) -> None:
        for name in PROGRAMS:
            program(name)
        self.temporary = directory is None
        self.directory = directory or Path(tempfile.mkdtemp(prefix="recaudo-"))
        (self.directory / "log").mkdir(parents=True, exist_ok=True)
        self.sockets = socket_directory(self.directory)
        self.config = self.directory / "recaudo.conf"
        self.key_file = self.directory / "secret.key"
        self.settings: Settings = settings or {}
        self.mariadb = database(self.directory, self.sockets, buffer_pool)
        worker_socket = str(self.sockets / "fcgi.sock")
        log = self.directory / "log"
        self.ctl = Ctl(self.config)
        self.worker = Worker(self.config, worker_socket, log / "worker.log")
        self.dispatcher = Dispatcher(self.config, log / "dispatcher.log", dispatcher_seconds)
        self.with_dispatcher = dispatcher
        if web == "apache":
            self.web: Apache | Nginx = Apache(self.directory, worker_socket, port, trusted_proxy, v6)
        else:
            self.web = Nginx(self.directory, worker_socket, port, rate, burst, nginx_workers, nginx_extra,
                             trusted_proxy, v6)

        self.console = Console(self.directory, self.config, str(self.sockets / "console.sock"), console_port)
        self.with_console = console
        if console:
            self._put_console_behind_web()

    def _put_console_behind_web(self) -> None:
        self.console.write_users({})
        if isinstance(self.web, Apache):
            self.web.modules += APACHE_MODULES
            self.web.also += self.console.apache_config()
        else:
            self.web.extra += self.console.nginx_config()

    @property
    def base_url(self) -> str:
        return self.web.base_url

    def __enter__(self) -> "Stack":
        try:
            self.start()
        except BaseException as error:
            self.close(type(error))
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(kind)

    def start(self) -> None:
        Stack.at_work.append(self)
        self.write_config()
        self.mariadb.start()
        self.migrate()
        for part in self.programs():
            part.spawn()
        self.web.start()
        for part in self.programs():
            part.await_ready()

    def stop(self) -> None:
        """Ends every process; the data stays."""
        for part in reversed(self.parts()):
            part.stop()

    def close(self, failure: type[BaseException] | None = None) -> None:
        """Ends every process and removes what is temporary; after a failure the ends of the logs are shown."""
        if failure is not None and failure is not KeyboardInterrupt:
            print(self.log_tails(), file=sys.stderr)
        Stack.at_work = [stack for stack in Stack.at_work if stack is not self]
        for part in [self.web.process, *self.programs()]:
            part.stop()
        if self.temporary:
            self.mariadb.kill()
            shutil.rmtree(self.directory, ignore_errors=True)
        else:
            self.mariadb.stop()
        if self.sockets.parent != self.directory:
            shutil.rmtree(self.sockets, ignore_errors=True)

    def parts(self) -> list[Process]:
        """In the order of starting."""
        return [self.mariadb.process, *self.programs(), self.web.process]

    def programs(self) -> list[Process]:
        parts: list[Process] = [self.worker]
        parts += [self.dispatcher] if self.with_dispatcher else []
        return parts + ([self.console] if self.with_console else [])

    def use_programs(self, build: Path) -> None:
        """Those of another build, from the next start of each on. The schema and its grants are in recaudoctl."""
        for part in (self.worker, self.dispatcher):
            part.command[0] = str(build / Path(part.command[0]).name)
        self.ctl.path = str(build / Path(self.ctl.path).name)

    def write_config(self, settings: Settings | None = None) -> None:
        """Writes recaudo.conf; other `settings` than those at the start apply once the worker is restarted."""
        if settings is not None:
            self.settings = settings
        write_config(self.config, default_settings(self.mariadb, self.worker.socket, self.key_file),
                     {"console": {"socket": self.console.socket}}, self.settings)

    def migrate(self) -> None:
        if not self.key_file.exists():
            self.ctl.done("key", "create")
        self.ctl.done("db", "migrate")

    def client(self, timeout: float = 60.0) -> Client:
        return Client(self.base_url, timeout)

    def network(self, name: str, fixed_hash: str, timeout: float = 60.0) -> Network:
        return Network(self.base_url, name, fixed_hash, timeout)

    def log_tails(self, lines: int = 30) -> str:
        """The end of every part's log, for a report of a failure."""
        return "\n".join(f"--- {part.name}: {part.log}\n{part.log_tail(lines)}" for part in self.parts())
