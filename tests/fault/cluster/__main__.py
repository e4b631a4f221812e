"""python3 -m tests.fault.cluster: three hosts under traffic, and everything that can happen to them; `make cluster` calls it."""

import argparse
import shutil
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Iterator, Sequence

from tests.stack.auditor import audit
from tests.stack.inspection.observable import stay_observable
from tests.stack.invariants import findings
from tests.stack.merchant_stub import MerchantStub

from ..arena import LEASE, WINDOW
from ..checker import Finding, check
from ..evidence import Evidence, damage, read_tables, write_tables
from ..history import History
from ..one_run import AUDITED, Asked, digests_that_differ, drain, end_leases, stop_dispatchers
from ..sink import Sink
from ..traffic import Traffic
from .arena import ClusterArena
from .faults import SERVER_CLOCK, SERVER_STEPS, Breaker, Fault, draw_faults, draw_pairs
from .hosts import HOSTS, HostCluster
from .lan import OUTSIDE, Lan
from .recovery import Broken, table
from .replicas import AsynchronousReplicas, Replicas

PATIENCE = 4.0  # of those who pay; then they turn to the next host
ALIKE = 19  # the rule that all servers hold the same
REST = 2.0  # seconds between two faults in which everything is well
SERVERS: dict[str, type[HostCluster | Replicas]] = {"galera": HostCluster, "replicas": Replicas, "asynchronous": AsynchronousReplicas}
COLUMNS = ("SELECT table_name, column_name, column_type FROM information_schema.columns WHERE table_schema = DATABASE()"
           " ORDER BY table_name, ordinal_position")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m tests.fault.cluster", description="Faults in a cluster of three hosts.")
    parser.add_argument("--minutes", type=float, default=20, help="how long faults happen (20)")
    parser.add_argument("--every", type=float, default=20, help="seconds from the beginning of one fault to that of the next, at least (20)")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 1_000_000, help="of what happens (drawn)")
    parser.add_argument("--only", metavar="KIND", action="append", help="no other faults than this kind; can be repeated")
    parser.add_argument("--pairs", action="store_true", help="two faults at once, of different kinds and at different hosts")
    parser.add_argument("--servers", choices=SERVERS, default="galera", help="what the database servers are to each other (galera)")
    parser.add_argument("--keep", type=Path, default=Path("cluster-results"), help="where findings are left (cluster-results)")
    return parser.parse_args()


def spread(traffic: Traffic) -> None:
    """Over the hosts: each begins with another one."""
    for number, payer in enumerate(traffic.payers):
        payer.network.timeout = PATIENCE
        for _ in range(1 + number % len(HOSTS)):
            payer.network.turn_to_next()


def break_one(arena: ClusterArena, faults: Sequence[Fault]) -> Broken:
    """The second begins in the middle of the first."""
    breaker, began = Breaker(arena), time.time()
    starts = [began + number * faults[0].seconds / 2 for number in range(len(faults))]
    waiting = list(zip(starts, faults))
    while time.time() < max(start + fault.seconds for start, fault in zip(starts, faults)):
        if waiting and time.time() >= waiting[0][0]:
            breaker.begin(waiting.pop(0)[1])
        arena.mend()
        time.sleep(0.05)
    ended = time.time()
    arena.make_well()
    arena.await_well()
    return Broken(faults, began, ended, time.time())


def break_it(arena: ClusterArena, drawn: Sequence[Sequence[Fault]], every: float) -> list[Broken]:
    """The next comes when all is well after the one before."""
    breaks: list[Broken] = []
    for faults in drawn:
        broken = break_one(arena, faults)
        breaks.append(broken)
        print(f"{len(breaks)} of {len(drawn)}: {' and '.join(map(str, faults))}; whole {broken.whole - broken.ended:.1f} s after its end", flush=True)
        time.sleep(max(REST, broken.began + every - time.time()))
    return breaks


def apart(faults: Sequence[Fault]) -> float:
    """By how many seconds the clocks of two database servers have differed at most: one is wrong at a time."""
    return max((abs(fault.server_step) for fault in faults if fault.kind == SERVER_CLOCK), default=0.0)


def gather(arena: ClusterArena, traffic: Traffic, history: History, faults: Sequence[Fault]) -> tuple[Evidence, list[Finding]]:
    """Lets the work end, and looks at all servers."""
    arena.sink.well = True
    arena.await_well()
    traffic.repeat()
    stop_dispatchers(arena)
    moved_at = end_leases(arena)
    left = drain(arena)
    stop_dispatchers(arena)
    arena.cluster.catch_up()
    held, damaged, columns = [], [], []
    for node in arena.cluster.nodes:
        with node.connect() as connection:
            connection.cursor().execute("SET SESSION wsrep_sync_wait = 1")
            held.append(read_tables(connection))
            damaged += damage(connection, node.process.log_text())
        columns.append(node.query(COLUMNS))
    unlike = [(ALIKE, f"server {number} has other rows in {name} than the first") for number, tables in enumerate(held[1:], 2)
              for name in tables if tables[name] != held[0][name]]
    unlike += [(ALIKE, f"server {number} has other columns than the first") for number, own in enumerate(columns[1:], 2) if own != columns[0]]
    disproved = digests_that_differ(arena, held[0]["settlements"])
    secrets = {name: made["notification_hash"] for name, made in arena.secrets.items() if "notification_hash" in made}
    ends = [*arena.ends, *(line for host in arena.hosts for line in host.worker.log_text().splitlines()
                           if "; starting another" in line and "(signal 9)" not in line)]
    evidence = Evidence(list(history.entries), held[0], held[0], arena.sink.numbered(held[0]["notifications"]), secrets, WINDOW, LEASE,
                        moved_at, len(faults), left, ends, damaged, disproved, apart=apart(faults))
    return evidence, unlike


def leave(keep: Path, arena: ClusterArena, evidence: Evidence, history: History, lines: Sequence[str]) -> None:
    keep.mkdir(parents=True, exist_ok=True)
    (keep / "run.txt").write_text("\n".join(lines) + "\n")
    history.write(keep / "history.jsonl")
    write_tables(evidence.tables, keep / "tables.json")
    for log in arena.directory.glob("*/log/*.log"):
        shutil.copy(log, keep / f"{log.parents[1].name}-{log.name}")


def draw(seed: int, kinds: list[str], pairs: bool) -> Iterator[Sequence[Fault]]:
    return draw_pairs(seed, kinds) if pairs else ((fault,) for fault in draw_faults(seed, kinds))


def run(seed: int, count: int, every: float, only: Sequence[str] | None, pairs: bool, kind: type[HostCluster | Replicas], keep: Path) -> int:
    history = History()
    with Lan(1 + len(HOSTS)) as lan, MerchantStub(address=lan.address(OUTSIDE)) as stub, ClusterArena(lan, Sink(stub, seed), kind) as arena:
        kinds = [kind for kind in Breaker(arena).acts if only is None or kind in only]
        traffic = Traffic(seed, arena, history)
        spread(traffic)
        traffic.start()
        try:
            breaks = break_it(arena, list(islice(draw(seed, kinds, pairs), count)), every)
        finally:
            traffic.stop()
        end = time.time()
        evidence, unlike = gather(arena, traffic, history, [fault for broken in breaks for fault in broken.faults])
        with arena.cluster.connect() as connection:
            found = unlike + findings(Asked(connection), WINDOW)
        found += [(AUDITED, line) for line in audit(arena.cluster.first)] + check(evidence)
        lines = [table(breaks, end, evidence.history), "", f"{told(seed, breaks, evidence, found)}, {arena.copied} servers made anew, {arena.cluster.promoted} promoted", *(f"  {number}: {text}" for number, text in found)]
        print("\n".join(lines))
        if found:
            leave(keep, arena, evidence, history, lines)
    return 1 if found else 0


def told(seed: int, breaks: Sequence[Broken], evidence: Evidence, found: Sequence[Finding]) -> str:
    acknowledged, unknown = (sum(entry.outcome == outcome for entry in evidence.history) for outcome in ("0000", "unknown"))
    return (f"seed {seed}: {len(found)} findings, {sum(len(broken.faults) for broken in breaks)} faults, {len(evidence.history)} requests, {acknowledged} acknowledged,"
            f" {unknown} unknown, {len(evidence.sink)} messages")


def main() -> int:
    options = parse()
    stay_observable()
    print(f"seed {options.seed}, {options.minutes:g} minutes, a fault each {options.every:g} s", flush=True)
    return run(options.seed, round(options.minutes * 60 / options.every), options.every, options.only, options.pairs,
               SERVERS[options.servers], options.keep)


if __name__ == "__main__":
    sys.exit(main())
