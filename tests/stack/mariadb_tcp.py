"""A private MariaDB that listens on loopback too, as one on another machine does."""

import socket
import threading
import time
from pathlib import Path
from typing import Sequence

from .mariadb import ACCOUNTS, OWNER, MariaDB
from .process import free_port

HOST = "127.0.0.1"


class MariaDBOverTcp(MariaDB):
    """It listens at `host`; the accounts are there for connections from `callers` too, an address or a pattern of them."""

    def __init__(self, directory: Path, sockets: Path, buffer_pool: str = "256M", options: Sequence[str] = (),
                 port: int | None = None, host: str = HOST, callers: str = HOST) -> None:
        self.port = port or free_port()
        self.host, self.callers = host, callers
        super().__init__(directory, sockets, buffer_pool,
                         ["--skip-networking=0", f"--bind-address={host}", f"--port={self.port}", *options])

    def address(self) -> dict[str, object]:
        return {"host": f"{self.host}:{self.port}", "account_host": self.callers}

    def _accounts_sql(self) -> str:
        lines = [super()._accounts_sql()]
        for account in (*ACCOUNTS, OWNER):
            lines.append(f"CREATE OR REPLACE USER {account}@'{self.callers}' IDENTIFIED BY '{self.password(account)}';\n")
        return "".join(lines) + f"GRANT ALL ON *.* TO {OWNER}@'{self.callers}' WITH GRANT OPTION;\n"


class SecondServer(MariaDBOverTcp):
    """The database; before it, the configuration names a server that hangs up on everybody, or says nothing while it is `silent`."""

    def __init__(self, directory: Path, sockets: Path, buffer_pool: str) -> None:
        super().__init__(directory, sockets, buffer_pool)
        self.hung_up: list[float] = []
        self.silent = False
        self.waiting: list[socket.socket] = []
        self.first = socket.create_server((HOST, 0))
        threading.Thread(target=self._hang_up, daemon=True).start()

    def _hang_up(self) -> None:
        while True:
            caller = self.first.accept()[0]
            if self.silent:
                self.waiting.append(caller)
                continue
            caller.close()
            self.hung_up.append(time.monotonic())

    def address(self) -> dict[str, object]:
        return super().address() | {"host": f"{HOST}:{self.first.getsockname()[1]} {HOST}:{self.port}", "tls": "off"}
