"""Payments one after the other on several connections while something breaks, and what became of each."""

import http.client
import threading
import time
from dataclasses import dataclass, field
from typing import Callable

from checked import CheckedNetwork
from tests.stack import Reply, wait_until
from world import COMMERCE, NETWORK, Order, World

# An answer that leaves open what happened: to be resolved by sending the same request again.
UNKNOWN = "unknown"

# How long a client leaves the service alone between payments, in seconds: they must not run out on a fast machine.
PAUSE = 0.025


@dataclass
class Payment:
    order: Order
    transaction: str
    registered: str | None = None
    confirmed: str | None = None


@dataclass
class Traffic:
    """`orders` are paid by `clients` threads until they run out or `stop` is called."""

    world: World
    payments: list[Payment]
    clients: int = 4
    slowest: float = 0.0
    stopping: threading.Event = field(default_factory=threading.Event)
    threads: list[threading.Thread] = field(default_factory=list)
    problems: list[BaseException] = field(default_factory=list)
    done: int = 0

    def __enter__(self) -> "Traffic":
        for number in range(self.clients):
            thread = threading.Thread(target=self._run, args=(self.payments[number::self.clients],))
            thread.start()
            self.threads.append(thread)
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        assert self.problems == []

    def await_more(self, count: int = 20) -> None:
        """Until so many more payments are through, whatever came of them."""
        target = self.done + count
        wait_until(lambda: self.done >= target or self.problems, f"{count} more payments", 120)

    def _run(self, payments: list[Payment]) -> None:
        try:
            with self.world.connect(NETWORK) as network:
                for payment in payments:
                    if self.stopping.is_set():
                        return
                    self._pay(network, payment)
                    self.done += 1
                    self.stopping.wait(PAUSE)
        except BaseException as problem:
            self.problems.append(problem)

    def _pay(self, network: CheckedNetwork, payment: Payment) -> None:
        reply = self._ask(lambda: network.register(payment.order.reference, "45000", payment.transaction, COMMERCE))
        payment.registered = outcome(reply)
        if payment.registered == "0000":
            payment.confirmed = outcome(self._ask(lambda: network.confirm(payment.transaction)))

    def _ask(self, send: Callable[[], Reply]) -> Reply | None:
        began = time.monotonic()
        try:
            return send()
        except (OSError, http.client.HTTPException):
            return None
        finally:
            self.slowest = max(self.slowest, time.monotonic() - began)


def outcome(reply: Reply | None) -> str:
    """The CODE, or UNKNOWN where the reply leaves open whether the request was executed."""
    return UNKNOWN if reply is None or reply.status >= 500 else reply.code


def settled(send: Callable[[], Reply]) -> str:
    """Repeats a request while it is told to come again, as a network does; the CODE in the end."""
    return wait_until(lambda: None if (code := outcome(send())) == UNKNOWN else code, "an answer")


def new_traffic(world: World, payments: int = 3000, clients: int = 4) -> Traffic:
    orders = world.insert_orders(payments)
    return Traffic(world, [Payment(order, world.fresh("load")) for order in orders], clients)


def resolve(world: World, traffic: Traffic) -> None:
    """Sends again what has an unknown outcome; then everything acknowledged must be in the tables, once."""
    assert traffic.problems == []
    with world.connect(NETWORK) as network:
        for payment in traffic.payments:
            if payment.registered == UNKNOWN:
                payment.registered = settled(lambda: network.register(payment.order.reference, "45000", payment.transaction,
                                                                      COMMERCE))
            if payment.confirmed == UNKNOWN:
                payment.confirmed = settled(lambda: network.confirm(payment.transaction))
    check_nothing_lost(world, traffic)


def check_nothing_lost(world: World, traffic: Traffic) -> None:
    stored = {row["network_transaction"]: row for row in world.rows(
        "SELECT network_transaction, order_id, state FROM transactions WHERE network_transaction LIKE 'load-%'")}
    for payment in traffic.payments:
        assert payment.registered in (None, "0000"), payment
        assert payment.confirmed in (None, "0000"), payment
        row = stored.get(payment.transaction)
        assert (row is not None) == (payment.registered == "0000"), payment
        if row is not None:
            assert row["order_id"] == payment.order.id
            assert (row["state"] in ("CONFIRMADA", "FINALIZADA")) == (payment.confirmed == "0000"), (payment, row)
