"""Many dispatchers beside each other while half of the endpoints hang, drip or lie.

Half of the notifications are for endpoints that do so, and are due at once. The others fall due one after the other;
each is to arrive within a second of its time, and once. As a program: see doc/evidence.md.

    /usr/bin/python3 -m tests.dispatch.crowd.run --dispatchers 20 --each 4000 --merchants 40 --seconds 240
"""

import argparse
import os
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from tests.stack import wait_until
from tests.stack.dispatch_rig import DispatchRig, Merchant, database_only
from tests.stack.merchant_stub import Behaviour, MerchantStub, after, closes_in_the_middle, drip, drip_head, garbage, hold, ok, says

# What the bad ones do: hang, drip, or answer what is no acknowledgement.
BAD: dict[str, Behaviour] = {"hangs": hold, "drips": drip, "drips-head": drip_head, "slow": after(3.0, says("ERROR")),
                             "refuses": says("ERROR"), "fails": says("", 500), "garbage": garbage, "breaks-off": closes_in_the_middle}
SPREAD_A_SECOND = 4000  # so many get their time in a second, beside the dispatchers


@dataclass(frozen=True)
class Crowd:
    dispatchers: int
    each: int        # notifications a dispatcher, for good and bad endpoints together
    merchants: int   # half of them have bad endpoints
    seconds: float   # in which those for good endpoints fall due

    @property
    def good(self) -> int:
        return self.dispatchers * self.each // 2

    @property
    def before(self) -> float:
        """Seconds until the first one for a good endpoint is due: by then each has its time."""
        return 3.0 + self.good / SPREAD_A_SECOND


@dataclass(frozen=True)
class Found:
    healthy: int
    delays: list[float]  # of every notification for a good endpoint, from the least
    twice: int           # of those, how many arrived more than once
    sent_to_bad: int
    shares: list[int]    # attempts at good endpoints, by dispatcher

    def quantile(self, share: float) -> float:
        return self.delays[min(len(self.delays) - 1, int(len(self.delays) * share))]

    def lines(self) -> list[str]:
        late = sum(delay > 1.0 for delay in self.delays)
        return [f"notifications for good endpoints: {self.healthy}, arrived more than once: {self.twice}",
                f"seconds after their time: p50 {self.quantile(0.5):.3f}, p99 {self.quantile(0.99):.3f}, most {self.delays[-1]:.3f};"
                f" later than 1 s: {late}",
                f"attempts at good endpoints by dispatcher: {len(self.shares)} took part, from {min(self.shares)} to {max(self.shares)}",
                f"attempts at bad endpoints: {self.sent_to_bad}"]


def add_bad(rig: DispatchRig, merchants: list[Merchant], count: int) -> None:
    for number, merchant in enumerate(merchants):
        if share_of(number, len(merchants), count):
            rig.notify(merchant, share_of(number, len(merchants), count))


def share_of(number: int, of: int, count: int) -> int:
    return count // of + (number < count % of)


def add_good(rig: DispatchRig, merchants: list[Merchant], count: int) -> list[list[int]]:
    """Their ids, merchant by merchant; due much later."""
    much_later = rig.value("SELECT UTC_TIMESTAMP(6) + INTERVAL 1 DAY")
    shares = [share_of(number, len(merchants), count) for number in range(len(merchants))]
    return [rig.notify(merchant, share, due_at=much_later) if share else [] for merchant, share in zip(merchants, shares)]


def spread(rig: DispatchRig, good: list[list[int]], crowd: Crowd) -> None:
    """They fall due one after the other, merchant by merchant in turn. Each has its time before the first is due."""
    step, begin = 1e6 * crowd.seconds / sum(map(len, good)), rig.value("SELECT UTC_TIMESTAMP(6)")
    for number, ids in enumerate(good):
        if ids:
            rig.write("UPDATE notifications SET due_at = %s + INTERVAL (%s + ((id - %s) * %s + %s) * %s) MICROSECOND"
                      " WHERE id BETWEEN %s AND %s", begin, int(crowd.before * 1e6), ids[0], len(good), number, step, ids[0], ids[-1])
    assert rig.value("SELECT UTC_TIMESTAMP(6)") - begin < timedelta(seconds=crowd.before), "the times were there in time"


def due_instants(rig: DispatchRig, good: list[list[int]]) -> dict[int, Any]:
    every = [number for ids in good for number in ids]
    rows = rig.rows("SELECT id, due_at FROM notifications WHERE id BETWEEN %s AND %s", min(every), max(every))
    return {row["id"]: row["due_at"] for row in rows}


def run_crowd(rig: DispatchRig, stub: MerchantStub, crowd: Crowd) -> Found:
    half = max(1, crowd.merchants // 2)
    names = list(BAD)
    bad = [rig.merchant(stub.on(f"{names[i % len(names)]}-{i}", BAD[names[i % len(names)]])) for i in range(half)]
    add_bad(rig, bad, crowd.good)
    good = add_good(rig, [rig.merchant(stub.on("good", ok)) for _ in range(half)], crowd.good)
    with ExitStack() as running:
        for _ in range(crowd.dispatchers):
            running.enter_context(rig.dispatcher())
        wait_until(lambda: rig.value("SELECT COUNT(*) FROM dispatchers WHERE task = 'deliver'") == crowd.dispatchers, "the dispatchers", 120)
        spread(rig, good, crowd)
        due = due_instants(rig, good)
        wait_until(lambda: len(stub.requests_to("good")) >= crowd.good, "all to arrive", crowd.before + crowd.seconds + 600, 0.5)
        for dispatcher in rig.running[-crowd.dispatchers:]:
            dispatcher.kill()  # those that hang would be waited for
    return judge(rig, stub, due)


def judge(rig: DispatchRig, stub: MerchantStub, due: dict[int, Any]) -> Found:
    arrived: dict[int, Any] = {}
    times: Counter[int] = Counter()
    for request in stub.requests_to("good"):
        times[request.id] += 1
        arrived.setdefault(request.id, request.arrived)
    assert arrived.keys() == due.keys(), "each is known and has arrived"
    shares = rig.rows("SELECT COUNT(*) AS attempts FROM attempts WHERE reason = 'acknowledged' GROUP BY dispatcher_id")
    return Found(len(due), sorted((arrived[number] - at).total_seconds() for number, at in due.items()),
                 sum(count > 1 for count in times.values()), len(stub.requests) - sum(times.values()),
                 [row["attempts"] for row in shares])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dispatchers", type=int, default=20)
    parser.add_argument("--each", type=int, default=4000, help="notifications a dispatcher")
    parser.add_argument("--merchants", type=int, default=40, help="half of them have endpoints that hang, drip or lie")
    parser.add_argument("--seconds", type=float, default=240.0, help="in which those for good endpoints fall due")
    options = parser.parse_args()
    with database_only("512M") as stack, MerchantStub() as stub:
        found = run_crowd(DispatchRig(stack), stub, Crowd(options.dispatchers, options.each, options.merchants, options.seconds))
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors", *found.lines(), sep="\n")


if __name__ == "__main__":
    main()
