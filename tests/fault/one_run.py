"""One run: traffic, faults, quiet, and what was found."""

import json
import time
from collections import Counter
from contextlib import nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Callable, Collection, ContextManager, Sequence

import pymysql

from tests.stack import wait_until
from tests.stack.auditor import audit
from tests.stack.invariants import findings
from tests.stack.merchant_stub import MerchantStub

from .afterwards import (ask_merchants, ask_unread, confirm_overdue, cut_confirmations, look_up_by_another_clock,
                         register_overdue, take_back_inside_limits, top_up)
from .arena import LEASE, NETWORKS, WINDOW, Arena, Instance
from .checker import Finding, check
from .evidence import Evidence, count_left, damage, read_tables, write_tables
from .faults import Conductor
from .history import OK, History
from .plan import NAMES, SHORT, Fault, Scale, draw_plan
from .restored import numbers_given_again, save
from .sink import Sink
from .traffic import Operator, Payer, Traffic

QUIET_WITHIN = 120.0
Watch = Callable[["Arena", History], ContextManager[object]]
AUDITED = 26  # the rule that recaudo-audit finds nothing


@dataclass
class Outcome:
    seed: int
    seconds: float
    findings: list[Finding]
    requests: int
    acknowledged: int
    unknown: int
    messages: int
    cuts: int
    faults: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        head = (f"seed {self.seed}: {len(self.findings)} findings, {sum(self.faults.values())} faults,"
                f" {self.cuts} cut commits, {self.requests} requests, {self.acknowledged} acknowledged,"
                f" {self.unknown} unknown, {self.messages} messages")
        return "\n".join([head, *(f"  {number}: {text}" for number, text in self.findings)])


def run_once(seed: int, seconds: float, keep: Path | None = None, say: Callable[[str], object] = print,
             restores: bool = False, only: Collection[str] = NAMES) -> Outcome:
    """A run with the faults of `seed`. After a finding, history, plan and logs are left in `keep`. If it `restores`, a backup
    is restored at the end."""
    plan = draw_plan(seed, seconds, only=only)
    say(f"seed {seed}, {seconds:g} s:\n" + "\n".join(map(str, plan)))
    return run_plan(plan, seed, seconds, keep, restores=restores)[0]


def run_plan(plan: Sequence[Fault], seed: int, seconds: float, keep: Path | None = None,
             enough: Callable[[History], bool] = lambda history: True, *, restores: bool = False, scale: Scale = SHORT,
             watch: Watch = lambda arena, history: nullcontext()) -> tuple[Outcome, Evidence]:
    """A run with these faults that goes on until there was `enough` traffic, and what is known of it. `watch` looks on while
    there is traffic."""
    history = History()
    with MerchantStub() as stub:
        sink = Sink(stub, seed)
        with Arena(plan, sink, scale) as arena:
            conductor = Conductor(arena, plan)
            traffic = Traffic(seed, arena, history)
            try:
                backup = save(arena) if restores else None
                with watch(arena, history):
                    break_it(traffic, conductor, seconds, lambda: enough(history))
                evidence = gather(arena, traffic, conductor, history)
            except BaseException:
                leave_logs(keep, arena)
                raise
            with arena.stack.mariadb.connect() as connection:
                breaches = findings(Asked(connection), WINDOW)
            breaches += [(AUDITED, line) for line in audit(arena.stack.mariadb)]
            if backup is not None:
                evidence.given_again = numbers_given_again(arena, backup, evidence.tables)
            found = breaches + check(evidence)
            outcome = summary(seed, seconds, found, history, sink, arena, conductor)
            if found and keep is not None:
                leave(keep, arena, evidence, history, [str(outcome), *map(str, plan)])
    return outcome, evidence


def break_it(traffic: Traffic, conductor: Conductor, seconds: float, enough: Callable[[], bool]) -> None:
    traffic.start()
    try:
        conductor.run(seconds, enough)
    finally:
        traffic.stop()


def gather(arena: Arena, traffic: Traffic, conductor: Conductor, history: History) -> Evidence:
    """Makes everything well, lets the work end, and looks; twice, with a crash of the database in between."""
    arena.make_well()
    ask_unread(arena, traffic.operator)
    ask_merchants(arena, traffic.operator)
    take_back_inside_limits(traffic.payers)
    traffic.repeat()
    stop_dispatchers(arena)
    late = Payer("late", NETWORKS[0], 0, arena, traffic.stock, history)
    confirm_overdue(late, traffic.operator)
    register_overdue(late, traffic.operator)
    look_up_by_another_clock(arena, late, traffic.operator)
    cut_confirmations(arena, late)
    top_up(late)
    late.close()
    leave_stuck(arena, traffic.operator)
    moved_at = end_leases(arena)
    left = drain(arena)
    stop_dispatchers(arena)
    with arena.stack.mariadb.connect() as connection:
        tables = read_tables(connection)
    arena.stack.mariadb.kill()
    arena.stack.mariadb.start()
    with arena.stack.mariadb.connect() as connection:
        later = read_tables(connection, tables)
    damaged = look_for_damage(arena)
    disproved = digests_that_differ(arena, tables["settlements"])
    secrets = {name: made["notification_hash"] for name, made in arena.secrets.items() if "notification_hash" in made}
    left_in_hand = sum(part.log_text().count("leaving with ") for part in arena.dispatchers)
    messages = arena.sink.numbered(tables["notifications"])
    return Evidence(list(history.entries), tables, later, messages, secrets, WINDOW, LEASE, moved_at,
                    conductor.killed_dispatchers + left_in_hand, left, unexpected_ends(arena), damaged, disproved)


def look_for_damage(arena: Arena) -> list[str]:
    """A server that does not survive the question is a finding, and what else was seen in a long run is judged all the same."""
    mariadb = arena.stack.mariadb
    try:
        with mariadb.connect() as connection:
            return damage(connection, mariadb.process.log_text())
    except pymysql.err.OperationalError as error:
        mariadb.kill()
        mariadb.start()
        return [f"the server ended while it checked its tables: {error}"]


def digests_that_differ(arena: Instance, settlements: list[dict[str, Any]]) -> list[str]:
    """Every closed settlement is computed anew."""
    results = {row["number"]: arena.stack.ctl.run("report", "settlement", "--summary", "--number", str(row["number"]))
               for row in settlements if row["state"] == "closed"}
    return [f"settlement {number}: {result.stderr.strip()}" for number, result in results.items() if result.returncode]


def stop_dispatchers(arena: Instance) -> None:
    for dispatcher in arena.dispatchers:
        dispatcher.stop(60)


def end_leases(arena: Instance) -> float:
    """What killed dispatchers had in hand is due now: a run is shorter than a lease. No dispatcher lives at this moment."""
    moved_at = time.time()
    arena.stack.mariadb.query("UPDATE notifications SET due_at = UTC_TIMESTAMP(6) WHERE state = 'pending'")
    return moved_at


ACKNOWLEDGED = ("SELECT o.reference FROM orders o JOIN notifications n ON n.order_id = o.id WHERE o.origin = 'imported'"
                " AND o.state = 'APROBADA' AND n.status = 'approved' AND n.state = 'delivered' LIMIT 1")
LEFT_WAITING = ("UPDATE notifications n JOIN orders o ON o.id = n.order_id"
                " SET n.state = 'waiting', n.due_at = n.due_at - INTERVAL 1 MINUTE"
                " WHERE o.reference = %s AND n.status = 'cancelled' AND n.state = 'pending'")


def leave_stuck(arena: Arena, operator: Operator) -> None:
    """Makes what two database servers leave behind that are written to at once: a `cancelled` that waits for nothing."""
    for row in arena.stack.mariadb.query(ACKNOWLEDGED):
        operator.order(arena.stack.ctl, "claim", row["reference"], {}, "order", "claim", row["reference"], "--reason", "no")
        arena.stack.mariadb.query(LEFT_WAITING, row["reference"])


def drain(arena: Instance) -> dict[str, int]:
    """Dispatchers work until nothing is to be done, or for too long; what is left."""
    for dispatcher in arena.dispatchers:
        dispatcher.spawn()
    with arena.stack.mariadb.connect() as connection:
        def is_quiet() -> bool:
            arena.mend()
            return not count_left(connection)

        try:
            wait_until(is_quiet, "quiet", QUIET_WITHIN, 0.1)
        except TimeoutError:
            return count_left(connection)
    return {}


def unexpected_ends(arena: Arena) -> list[str]:
    """Of processes, from the supervisors' point of view."""
    log = arena.stack.worker.log_text().splitlines()
    return [*arena.ends, *(line for line in log if "; starting another" in line and "(signal 9)" not in line)]


class Asked:
    """The database as tests/stack/invariants.py asks it."""

    def __init__(self, connection: object) -> None:
        self.connection = connection

    def rows(self, sql: str, *values: object) -> list[dict[str, object]]:
        with self.connection.cursor() as cursor:  # type: ignore[attr-defined]
            cursor.execute(sql, values or None)
            return list(cursor.fetchall())


def summary(seed: int, seconds: float, found: list[Finding], history: History, sink: Sink, arena: Arena,
            conductor: Conductor) -> Outcome:
    outcomes = Counter(entry.outcome for entry in history.entries)
    return Outcome(seed, seconds, found, len(history.entries), outcomes[OK], outcomes["unknown"], len(sink.messages),
                   arena.proxy.cuts(), conductor.done)


def leave_logs(keep: Path | None, arena: Arena) -> None:
    if keep is None:
        return
    keep.mkdir(parents=True, exist_ok=True)
    for log in (arena.stack.directory / "log").iterdir():
        (keep / log.name).write_bytes(log.read_bytes())


def leave(keep: Path, arena: Arena, evidence: Evidence, history: History, lines: list[str]) -> None:
    leave_logs(keep, arena)
    (keep / "run.txt").write_text("\n".join(lines) + "\n")
    history.write(keep / "history.jsonl")
    write_tables(evidence.tables, keep / "tables.json")
    (keep / "sink.json").write_text(json.dumps([asdict(message) for message in evidence.sink], indent=1))
