"""A stack with a sample merchant beside it and sample data in it."""

import os
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Collection

from tests.stack.config import Settings
from tests.stack.mariadb import DATABASE
from tests.stack.paths import ROOT, program
from tests.stack.private_files import kept_secret
from tests.stack.process import Process, free_port
from tests.stack.stack import Stack

from .merchant import PREFIX
from .scene import Scene

NETWORK = "red-andina"
MERCHANT = "tienda-ejemplo"
COMMERCE = "Tienda Ejemplo"
DOCUMENT = "1020304050"
COLOMBIA = "343"
PASSWORD_SIZE = 12
ROLES = ("viewer", "support", "operator", "merchant")
AS_CRON_DOES = 60  # seconds after which a dispatcher ends and another one is started
NOBODY_STARTS_ANOTHER = 3600
WINDOW = 30.0
MENDING_PAUSE = 1.0


def remembered_port(file: Path) -> int:
    """The port that `file` names, so that addresses stay the same over restarts; another one where that is taken."""
    if file.exists() and is_free(int(file.read_text())):
        return int(file.read_text())
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(str(free_port()))
    return int(file.read_text())


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def check_port(port: int) -> None:
    """RuntimeError that says, in one line, why nginx could not listen there."""
    if is_free(port):
        return
    why = "needs root" if 0 < port < 1024 and os.geteuid() != 0 else "is taken by another program"
    raise RuntimeError(f"Port {port} {why}: ./sandbox up --port N takes another one, without --port one that is free.")


def with_public_base(settings: Settings, base_url: str) -> Settings:
    """The links to payment slips lead to this instance."""
    public_base = base_url.removeprefix("http://")
    return {**settings, "worker": {"public_base": public_base, **settings.get("worker", {})}}


def ending(status: int | None) -> str:
    """How a process ended, for people."""
    return f"ended with {status}" if status is None or status >= 0 else f"was ended by {signal.Signals(-status).name}"


class Instance:
    """`directory` None: a temporary one, which goes when it is closed. `window`: the cancellation window in seconds.
    `dispatcher_seconds`: how long a dispatcher lives."""

    def __init__(self, directory: Path | None = None, port: int | None = None, window: float = WINDOW,
                 dispatcher_seconds: int = NOBODY_STARTS_ANOTHER) -> None:
        if directory is not None and port is None:
            port = remembered_port(directory / "port")
        console_port = remembered_port(directory / "console-port") if directory is not None else None
        self.window = window
        settings = {"worker": {"cancel_window": f"{window:g}s" if window == int(window) else f"{round(window * 1000)}ms"}}
        self.stack = Stack(directory, settings, port, rate=None, dispatcher_seconds=dispatcher_seconds,
                           console=True, console_port=console_port)
        self.stack.settings = with_public_base(self.stack.settings, self.stack.base_url)
        self.merchant_port = remembered_port(self.stack.directory / "merchant-port")
        self.merchant = self._merchant_process()
        self.missing: set[str] = set()  # parts whose program could not be started at the last attempt

    @property
    def merchant_url(self) -> str:
        return f"http://127.0.0.1:{self.merchant_port}"

    def start(self) -> None:
        self.merchant.spawn()
        self.stack.start()
        self.merchant.await_ready()
        self.load_sample_data()

    def close(self, failure: type[BaseException] | None = None) -> None:
        self.merchant.stop()
        self.stack.close(failure)

    def __enter__(self) -> "Instance":
        try:
            self.start()
        except BaseException:
            self.close()  # the error names the part and shows the end of its log
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(kind)

    def parts(self) -> list[Process]:
        return [*self.stack.parts(), self.merchant]

    def mend(self, held: Collection[str] = ()) -> list[str]:
        """Starts again what has ended and is not in `held`, the same part at most once a second; one line about each.

        What its end left behind ends first: a worker process of nginx would keep the port for itself. While make writes a program
        anew it is not there; one line says so, and the first moment in which it is there again gets it started.
        """
        messages = []
        for part in self.parts():
            if part.name in held or part.running() or time.monotonic() - part.spawned_at < MENDING_PAUSE:
                continue
            status = part.stop()
            try:
                part.spawn()
            except OSError as error:
                if part.name not in self.missing:
                    messages.append(f"{part.name} {ending(status)} and cannot be started: {error}. It is tried again each second.")
                self.missing.add(part.name)
                continue
            if part is not self.stack.dispatcher or status != 0 or part.name in self.missing:
                messages.append(f"{part.name} {ending(status)} and was started again, process {part.pid}")
            self.missing.discard(part.name)
        return messages

    def environment(self) -> dict[str, str]:
        return {
            "RECAUDO_BASE_URL": self.stack.base_url,
            "RECAUDO_CTL": program("recaudoctl"),
            "RECAUDO_CONFIG": str(self.stack.config),
            "RECAUDO_DISPATCH": program("recaudo-dispatch"),
            "RECAUDO_DB_SOCKET": self.stack.mariadb.socket,
            "RECAUDO_DB_NAME": DATABASE,
            "RECAUDO_NETWORK": NETWORK,
            "RECAUDO_NETWORK_HASH": self.secret("network"),
            "RECAUDO_MERCHANT": MERCHANT,
            "RECAUDO_MERCHANT_HASH": self.secret("merchant"),
            "RECAUDO_MERCHANT_NOTIFICATION_HASH": self.secret("notification"),
            "RECAUDO_SAMPLE_MERCHANT_URL": self.merchant_url,
            "RECAUDO_CANCEL_WINDOW": f"{self.window:g}",
            "RECAUDO_CONSOLE_URL": self.stack.console.base_url,
            **{f"RECAUDO_CONSOLE_{role.upper()}": f"{role}:{password}" for role, password in self.console_users().items()},
        }

    def secret_file(self, name: str) -> Path:
        return self.stack.directory / "secrets" / f"{name}.hash"

    def secret(self, name: str) -> str:
        return kept_secret(self.secret_file(name))

    def console_users(self) -> dict[str, str]:
        """A user of each role, named after it, and the password."""
        return {role: self.secret(f"console-{role}")[:PASSWORD_SIZE] for role in ROLES}

    def console_facts(self) -> dict[str, str]:
        """What people are told of the console."""
        logins = [f"{name}:{password}" for name, password in self.console_users().items()]
        return {"console_url": self.stack.console.base_url, "console_users": "  ".join(logins)}

    def scene(self) -> Scene:
        return Scene(self.environment())

    def load_sample_data(self) -> None:
        """Network, account, merchant and its integration, where they are not there yet."""
        ctl = self.stack.ctl
        if not ctl.succeeds("network", "show", NETWORK):
            ctl.done("network", "add", NETWORK, "--hash-file", str(self.secret_file("network")),
                     "--transaction-ids", "distinct")
        if not ctl.succeeds("account", "show", DOCUMENT):
            ctl.done("account", "add", "--document", DOCUMENT, "--type", "CC", "--name", "Ana María",
                     "--lastname1", "Pérez", "--currency", "COP")
        self._load_merchant(f"{self.merchant_url}/notify")
        self._load_integration(f"{self.merchant_url}/query")
        self._load_console_users()

    def _load_merchant(self, notify_url: str) -> None:
        ctl = self.stack.ctl
        if not ctl.succeeds("merchant", "show", MERCHANT):
            ctl.done("merchant", "add", MERCHANT, "--commerce", COMMERCE, "--country", COLOMBIA,
                     "--notify-url", notify_url, "--hash-file", str(self.secret_file("merchant")),
                     "--notification-hash-file", str(self.secret_file("notification")))
        elif ctl.json("merchant", "show", MERCHANT)["notify_url"] != notify_url:
            ctl.done("merchant", "set", MERCHANT, "--notify-url", notify_url)

    def _load_integration(self, endpoint: str) -> None:
        ctl = self.stack.ctl
        there = {one["endpoint"]: str(one["id"]) for one in ctl.json("integration", "list", "--merchant", MERCHANT)
                 if one["code"] == PREFIX}
        for elsewhere in there.keys() - {endpoint}:
            ctl.done("integration", "remove", there[elsewhere])
        if endpoint not in there:
            ctl.done("integration", "add", "--merchant", MERCHANT, "--kind", "2", "--code", PREFIX,
                     "--endpoint", endpoint)

    def _load_console_users(self) -> None:
        self.stack.console.write_users(self.console_users())
        for role in ROLES:
            if not self.stack.ctl.succeeds("user", "show", role):
                own = ["--merchant", MERCHANT] if role == "merchant" else []
                self.stack.ctl.done("user", "add", role, "--role", role, *own)

    def _merchant_process(self) -> Process:
        for name in ("network", "merchant", "notification"):
            self.secret(name)
        command = [sys.executable, "-m", "tools.sandbox.merchant", "--port", str(self.merchant_port),
                   "--fixed-hash-file", str(self.secret_file("merchant")),
                   "--notification-hash-file", str(self.secret_file("notification"))]
        return Process("merchant", command, self.stack.directory / "log" / "merchant.log", self._merchant_answers,
                       {"PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"})

    def _merchant_answers(self) -> bool:
        try:
            self.scene().notifications()
        except OSError:
            return False
        return True
