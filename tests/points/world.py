"""One database, one worker with one serving process under the tracer, one merchant; and what clients of them do."""

import json
import os
import signal
import subprocess
import time
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import count
from typing import Any, Callable

from tests.http.fastcgi import FastCGI
from tests.stack import Network, Process, Stack, wait_until
from tests.stack.dispatch_rig import DispatchRig
from tests.stack.invariants import findings
from tests.stack.merchant_stub import MerchantStub, ok
from tests.stack.paths import program
from tests.stack.process import children, listens_on
from tests.stack.programs import QUERY_PROCESS, name_of

from .control import ALLOCATIONS, CALLS, Control, Whose

SETTINGS: dict[str, dict[str, object]] = {
    "worker": {"processes": "1"}, "database": {"read_timeout": "5s"}, "audit": {"seal_every": "1s"},
    "notification": {"timeout": "5s"}}
NETWORK, MERCHANT, COMMERCE, AMOUNT = "red", "tienda", "Tienda", "45000"
WINDOW = 30.0
NO_WINDOW_MICROSECONDS = 1000
WINDOWS_DIFFER = "a window has a length of its own"  # those of what is to be finalised at once are short
TRIES_LAST = 60.0
QUIET = 0.05  # nothing has counted for so long: the operation has ended
LOG_QUIET = 0.3  # the thread that writes the log comes later
PATIENCE = 30.0


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any

    @property
    def code(self) -> str:
        return str(self.body["CODE"])


@dataclass(frozen=True)
class Point:
    """The `at`-th system call of this name, or allocation, of `whose`: killed there, or it fails with the error of this name."""
    kind: int
    whose: Whose
    at: int
    name: str
    error_name: str = ""
    error: int = 0

    def __str__(self) -> str:
        what = f"{self.name} {self.at}"
        return f"{what}{' of another thread' if self.whose.others else ' of the first process' if self.whose.begin == 'prctl' else ''}: {self.error_name or 'killed'}"


class World:
    """A context manager."""

    def __init__(self) -> None:
        self.numbers = count(1)
        self.warmed: int | None = None
        self.closing = ExitStack()

    def __enter__(self) -> "World":
        try:
            self._start()
        except BaseException:
            self.closing.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.closing.close()

    def _start(self) -> None:
        self.stack = Stack(settings=SETTINGS, dispatcher=False, buffer_pool="24M")
        self.closing.callback(self.stack.close)
        self.control = Control(self.stack.directory)
        self.stack.settings = {**SETTINGS, "audit": {**SETTINGS["audit"], "seal_file": self.stack.directory / "seals"}}
        self.stack.write_config()
        self.stack.mariadb.start()
        self.stack.migrate()
        self.rig = DispatchRig(self.stack)
        self.stub = self.closing.enter_context(MerchantStub())
        self.stack.ctl.done("merchant", "add", MERCHANT, "--commerce", COMMERCE, "--notify-url", self.stub.on("n", ok))
        self.merchant_id = int(self.rig.value("SELECT id FROM merchants WHERE name = %s", MERCHANT))
        self.network = self.add_network(NETWORK)
        self.worker = self._new_worker()
        self.closing.callback(self.worker.kill)
        self.worker.start()
        wait_until(self.serving_process, "the worker to serve")
        assert self.ask_until_answered(*self.lookup("1")).code == "0101"

    def _new_worker(self) -> Process:
        """Under the tracer, and its allocations counted: neither changes anything before it is armed."""
        log, socket = self.stack.directory / "log" / "points-worker.log", self.stack.worker.socket
        # The tracer itself has no need of the library.
        variables = [f"{name}={value}" for name, value in self.control.preloaded().items()]
        return Process("worker", self.control.traced("env", *variables, program("recaudo-fcgi")), log,
                       lambda: listens_on(socket), {"RECAUDO_CONFIG": str(self.stack.config)})

    def serving_process(self) -> int | None:
        masters = children(self.worker.pid) if self.worker.running() else []
        found = [child for master in masters for child in children(master) if name_of(child) != QUERY_PROCESS]
        return found[0] if found else None

    def add_network(self, name: str) -> Network:
        secret = str(self.stack.ctl.json("network", "add", name)["fixed_hash"])
        return Network("http://127.0.0.1:1", name, secret)  # for its checksums alone

    def fresh(self, prefix: str) -> str:
        return f"{prefix}-{next(self.numbers)}"

    # Requests, to the worker's socket.

    def lookup(self, reference: str, network: Network | None = None) -> tuple[str, str, Any]:
        return "GET", (network or self.network).lookup_path(reference), None

    def ask(self, method: str, target: str, fields: Any) -> Answer | None:
        """None: nothing came back, as when a worker dies."""
        body = b"" if fields is None else json.dumps(fields).encode()
        parameters = {"QUERY_STRING": target.partition("?")[2], "REMOTE_ADDR": "127.0.0.1"}
        try:
            with FastCGI(self.stack.worker.socket, PATIENCE) as connection:
                head, _, text = connection.ask(method, target, body, **parameters).partition("\r\n\r\n")
        except (OSError, EOFError):
            return None
        statuses = [line.split()[1] for line in head.splitlines() if line.lower().startswith("status:")]
        return Answer(int(statuses[0]) if statuses else 200, json.loads(text))

    def ask_until_answered(self, method: str, target: str, fields: Any) -> Answer:
        """As a network does: what got no answer, or was asked to come again, comes again."""
        def answered() -> Answer | None:
            answer = self.ask(method, target, fields)
            return answer if answer is not None and answer.status < 500 else None

        return wait_until(answered, "an answer", TRIES_LAST, 0.02)

    def warm(self) -> None:
        """A process that is new makes calls that it never makes again: it has done everything once before anything counts."""
        process = wait_until(self.serving_process, "the worker to serve", TRIES_LAST)
        if process != self.warmed:
            _, transaction = self.confirmed()
            assert self.ask_until_answered(*self.confirmation(transaction, confirm=False)).code == "0000"
            self.warmed = process

    def renew(self) -> None:
        """The serving process is new."""
        process = wait_until(self.serving_process, "the worker to serve", TRIES_LAST)
        os.kill(process, signal.SIGKILL)
        wait_until(lambda: self.serving_process() not in (None, process), "another process", TRIES_LAST)

    # What is armed.

    def worker_calls(self, others: bool = False) -> Whose:
        return Whose(wait_until(self.serving_process, "the worker to serve", TRIES_LAST), others=others)

    def await_quiet(self, quiet: float) -> None:
        """The operation is over, also what follows the answer; or its process has been killed."""
        seen, since, end = self.control.seen(), time.monotonic(), time.monotonic() + 1.0
        while time.monotonic() - since < quiet and time.monotonic() < end:
            time.sleep(0.005)
            if self.control.seen() != seen:
                seen, since = self.control.seen(), time.monotonic()

    def run_armed(self, point: Point, act: Callable[[], Any]) -> Any:
        self.control.arm(point.kind, point.whose, point.at, point.error)
        try:
            return act()
        finally:
            self.await_quiet(LOG_QUIET if point.whose.others else QUIET)

    def run(self, kind: int, *command: str) -> "subprocess.CompletedProcess[str]":
        """A program of ours under the tracer, or with its allocations counted."""
        words = [program(command[0]), "--config", str(self.stack.config), *command[1:]]
        if kind == ALLOCATIONS:
            variables = [f"{name}={value}" for name, value in self.control.preloaded().items()]
            words = ["env", *variables, *words]
        else:
            words = self.control.traced(*words)
        return subprocess.run(words, capture_output=True, text=True, timeout=120)

    def run_plain(self, *command: str) -> "subprocess.CompletedProcess[str]":
        """The same without either; it must go well."""
        words = [program(command[0]), "--config", str(self.stack.config), *command[1:]]
        result = subprocess.run(words, capture_output=True, text=True, timeout=120)
        assert result.returncode == 0, result.stderr
        return result

    # Orders and payments.

    def order(self, due_in: float = 86400.0) -> tuple[int, str]:
        """A new order's row and reference."""
        number = self.fresh("po")
        reference = str(7_000_000_000 + next(self.numbers))
        self.rig.write("INSERT INTO orders (merchant_id, po_id, reference, amount, currency, origin, due_at, changed_by)"
                       " VALUES (%s, %s, %s, %s, 'COP', 'imported', UTC_TIMESTAMP(6) + INTERVAL %s SECOND, 'test')",
                       self.merchant_id, number, reference, AMOUNT, due_in)
        return int(self.rig.value("SELECT id FROM orders WHERE reference = %s", reference)), reference

    def registration(self, reference: str) -> tuple[str, str, Any]:
        return "POST", "/v1/transactions/", self.network.registration(reference, AMOUNT, self.fresh("t"), COMMERCE)

    def confirmation(self, transaction: str, confirm: bool = True) -> tuple[str, str, Any]:
        return "PATCH", "/v1/transactions/", self.network.confirmation(transaction, confirm)

    def transaction(self, name: str) -> dict[str, Any] | None:
        rows = self.rig.rows("SELECT * FROM transactions WHERE network_transaction = %s", name)
        assert len(rows) <= 1
        return rows[0] if rows else None

    def registered(self) -> tuple[int, str]:
        """A registered payment: its order's row, and its name."""
        order, reference = self.order()
        request = self.registration(reference)
        assert self.ask_until_answered(*request).code == "0000"
        return order, str(request[2]["transaction"])

    def confirmed(self, window_is_over: bool = False) -> tuple[int, str]:
        order, transaction = self.registered()
        if window_is_over:
            self.rig.write("UPDATE settings SET cancel_window = %s", NO_WINDOW_MICROSECONDS)
        assert self.ask_until_answered(*self.confirmation(transaction)).code == "0000"
        if window_is_over:
            self.rig.write("UPDATE settings SET cancel_window = %s", int(WINDOW * 1_000_000))
        return order, transaction

    # What must hold.

    def broken(self) -> list[str]:
        return [f"{number}: {what}" for number, what in findings(self.rig, WINDOW) if not what.startswith(WINDOWS_DIFFER)]


def traced_command(begin: str = "prctl", number: int = 0) -> Whose:
    """A command's process; its main() begins with prctl()."""
    return Whose(number=number, begin=begin)
