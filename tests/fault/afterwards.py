"""What is done when everything is well again, before the work ends: what the traffic may or may not have done, done surely."""

import time
from functools import partial

from tests.stack import wait_until

from .actors import Actor
from .arena import DOCUMENTS, LIMITED, NETWORKS, PREFIXES, Arena
from .stock import Item
from .traffic import PATIENCE, Payer

UNREAD_REQUESTS = 200
ASKED_WITHIN = 30.0
NEVER_ASKED_ABOUT = 401  # above the numbers that the traffic uses; its order neither ends soon nor is open
TAKEN_BACK_WITHIN = 60.0
SMALL = "0.01"  # fits into what is left of a limit


def ask_unread(arena: Arena, prober: Actor) -> None:
    """Nobody reads the workers' log: more requests than the pipe can hold lines of, until one is not answered."""
    arena.log_reader.halt()
    with arena.stack.client(PATIENCE) as client:
        for number in range(UNREAD_REQUESTS):
            if not prober.ask("alive", "prober", f"{number}", {}, lambda: client.request("GET", "/healthz")).is_ok:
                break
    arena.log_reader.go_on()


def ask_merchants(arena: Arena, prober: Actor) -> None:
    """Of each merchant an order that it alone knows, until it was asked about it, or for too long."""
    name, until = NETWORKS[0], time.monotonic() + ASKED_WITHIN
    with arena.stack.network(name, arena.secrets[name]["fixed_hash"], PATIENCE) as network:
        for prefix in PREFIXES.values():
            reference = f"{prefix}{NEVER_ASKED_ABOUT:09d}"
            look_up = partial(network.lookup, reference)
            while not prober.ask("asked", name, reference, {}, look_up).is_ok and time.monotonic() < until:
                pass  # the network comes again at once


def take_back_inside_limits(payers: list[Payer]) -> None:
    """A payment of the network that has limits is confirmed and taken back: on a busy machine the traffic may have none, since
    what is taken back must come inside the window."""
    payer = next(payer for payer in payers if payer.network.name == LIMITED)
    item = Item(DOCUMENTS[0], "0", "", "")

    def is_taken_back() -> bool:
        transaction = payer.fresh()
        return (payer.register(item, transaction, SMALL).is_ok and payer.confirm(transaction, True).is_ok
                and payer.confirm(transaction, False).is_ok)

    wait_until(is_taken_back, "a payment to be taken back", TAKEN_BACK_WITHIN)
