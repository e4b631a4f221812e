"""Merchants that answer external queries, and what they answer."""

import json
import time
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Callable

from tests.stack import wait_until
from tests.stack.contract import judge_call
from tests.stack.external_answers import answer
from tests.stack.merchant_stub import Behaviour, Exchange, MerchantStub, Request, says

from checked import CheckedNetwork
from world import World

IN_FORCE = 5.0
PREFIXES = count(100)


def await_in_force(since: float) -> None:
    """What an operator changed at that moment of the monotonic clock is in force in every worker process after 5 s, as promised."""
    wait_until(lambda: time.monotonic() >= since + IN_FORCE, "the promised time to pass")


@dataclass
class Asked:
    """A merchant with one integration, a prefix of its own and a path of its own at the stub."""

    world: World
    stub: MerchantStub
    name: str
    commerce: str
    prefix: str
    fixed_hash: str
    path: str
    integration: int = 0
    made_at: float = field(default_factory=time.monotonic)
    numbers: Any = field(default_factory=lambda: count(1))
    behaviours: dict[str, Behaviour] = field(default_factory=dict)
    usual: Behaviour | None = None

    def reference(self) -> str:
        """One that nothing else has."""
        return f"{self.prefix}{next(self.numbers):09d}"

    def received(self, exchange: Exchange) -> None:
        behaviour = self.behaviours.get(exchange.request.message["reference"], self.usual or self.offer)
        behaviour(exchange)

    def offer(self, exchange: Exchange) -> None:
        """What it does unless told otherwise: every reference stands for an order of its own."""
        exchange.reply(200, self.body(f"po-{exchange.request.message['reference']}"), Content_Type="application/json")

    def body(self, order: str, amount: str = "45000", due_in: float = 3600, **fields: str) -> bytes:
        return json.dumps(answer(self.fixed_hash, order, amount, due_in, **fields)).encode()

    def on(self, reference: str, behaviour: Behaviour) -> str:
        self.behaviours[reference] = behaviour
        return reference

    def offers(self, reference: str, order: str, amount: str = "45000", due_in: float = 3600, **fields: str) -> str:
        """From now on `reference` stands for this order; the reference."""
        return self.on(reference, says(self.body(order, amount, due_in, **fields), Content_Type="application/json"))

    def asked_about(self, reference: str) -> list[Request]:
        requests = [request for request in self.stub.requests_to(self.path) if request.message["reference"] == reference]
        for request in requests:
            judge_call("externalQuery", request.headers, request.message)
        return requests

    def order(self, order: str) -> dict[str, Any]:
        """The row of this order."""
        (row,) = self.world.rows("SELECT o.* FROM orders o JOIN merchants m ON m.id = o.merchant_id"
                                 " WHERE m.name = %s AND o.po_id = %s", self.name, order)
        return row

    def has_order(self, order: str) -> bool:
        return bool(self.world.rows("SELECT o.id FROM orders o JOIN merchants m ON m.id = o.merchant_id"
                                    " WHERE m.name = %s AND o.po_id = %s", self.name, order))

    def await_well(self, network: CheckedNetwork, timeout: float = 60.0) -> None:
        """Until the integration is known to all workers and a lookup is answered: the endpoint does not rest."""
        await_in_force(self.made_at)
        wait_until(lambda: network.lookup(self.reference()).code == "0000", f"{self.name} to be asked", timeout, 0.1)


def make_asked(world: World, stub: MerchantStub, *options: str, prefix: str | None = None,
               endpoint: Callable[[str], str] = lambda url: url) -> Asked:
    """A new merchant that is asked about references with a prefix of its own."""
    prefix = prefix or str(next(PREFIXES))
    name = f"asked-{prefix}"
    commerce = f"Tienda {prefix}"
    hashes = world.stack.ctl.json("merchant", "add", name, "--commerce", commerce, *options)
    asked = Asked(world, stub, name, commerce, prefix, hashes["fixed_hash"], f"query/{prefix}")
    asked.integration = integrate(world, name, prefix, endpoint(stub.on(asked.path, asked.received)))
    asked.made_at = time.monotonic()
    return asked


def integrate(world: World, merchant: str, code: str, endpoint: str, kind: int = 2, network: str | None = None) -> int:
    of_network = [] if network is None else ["--network", network]
    return int(world.stack.ctl.json("integration", "add", "--merchant", merchant, "--kind", str(kind), "--code", code,
                                    "--endpoint", endpoint, "--currency", "COP", *of_network)["id"])
