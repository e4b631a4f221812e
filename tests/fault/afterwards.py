"""What is done when everything is well again, before the work ends: what the traffic may or may not have done, done surely."""

import time
from functools import partial

from tests.stack import wait_until

from .actors import Actor
from .arena import DOCUMENTS, EMPTY_DOCUMENT, LIMITED, NETWORKS, PREFIXES, Arena
from .stock import Item
from .traffic import PATIENCE, Operator, Payer

UNREAD_REQUESTS = 200
ASKED_WITHIN = 30.0
NEVER_ASKED_ABOUT = 100_000_001  # above the numbers that the traffic uses; its order neither ends soon nor is open
TAKEN_BACK_WITHIN = 60.0
OVERDUE_WITHIN = 120.0
FALLS_DUE_IN = 3.0  # seconds, at most, from when the file is drawn
AHEAD = 2 * 86400.0  # seconds
CUT_OFF = 3  # confirmations, each alone
EVERY_TRY = 50  # more commits than one request can make
SMALL = "0.01"  # fits into what is left of a limit
MORE_THAN_HALF = "600000000000000.99"  # of what an account can hold


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


def confirm_overdue(payer: Payer, operator: Operator) -> None:
    """Orders are registered in time and confirmed after they fell due. No dispatcher lives, so none has expired them: in the
    traffic a dispatcher mostly comes first."""
    waiting: dict[str, Item] = {}

    def is_registered() -> bool:
        waiting.clear()
        for item in operator.bring_unoffered(FALLS_DUE_IN)[0]:
            transaction = payer.fresh()
            if payer.register(item, transaction, item.price(payer.chance)).is_ok:
                waiting[transaction] = item
        return bool(waiting)

    wait_until(is_registered, "an order to be registered before it falls due", OVERDUE_WITHIN)
    for transaction, item in waiting.items():
        wait_until(lambda: not payer.lookup(item).is_ok, "an order to fall due", OVERDUE_WITHIN)
        payer.confirm(transaction, True)


def register_overdue(payer: Payer, operator: Operator) -> None:
    """An order that nobody registered in time. No dispatcher lives, so none has expired it."""
    item = operator.bring_unoffered(FALLS_DUE_IN)[0][0]
    wait_until(lambda: not payer.lookup(item).is_ok, "an order to fall due", OVERDUE_WITHIN)
    payer.register(item, payer.fresh(), item.price(payer.chance))


def look_up_by_another_clock(arena: Arena, payer: Payer, operator: Operator) -> None:
    """What falls due tomorrow is asked about when the workers' clocks, if this run lets them step, say that it did so
    yesterday. In the traffic no clock may be wrong while a due date is near."""
    arena.step_clock(AHEAD)
    for item in operator.bring_unoffered(FALLS_DUE_IN)[1]:
        payer.lookup(item)
    arena.step_clock(0)


def cut_confirmations(arena: Arena, payer: Payer) -> None:
    """Confirmations whose commits never arrive. Nobody repeats them: a repetition would store what was lost. No dispatcher
    lives, so nothing else takes the cuts."""
    item = Item(DOCUMENTS[0], "0", "", "")
    for _ in range(CUT_OFF):
        transaction = payer.fresh()
        wait_until(lambda: payer.register(item, transaction, SMALL).is_ok, "a payment to be registered", TAKEN_BACK_WITHIN)
        arena.proxy.tell(f"cut before {EVERY_TRY}")
        payer.confirm(transaction, True)
        arena.proxy.tell("cut before 0")


def top_up(payer: Payer) -> None:
    """No dispatcher lives: two top-ups of one account wait for the next batch. Of two that another account has room for, each
    alone, the second is confirmed when the room is gone."""
    for document, amount in ((DOCUMENTS[1], SMALL), (EMPTY_DOCUMENT, MORE_THAN_HALF)):
        item = Item(document, "0", "", "")
        both = [payer.fresh(), payer.fresh()]
        for transaction in both:
            wait_until(lambda: payer.register(item, transaction, amount).is_ok, "a top-up to be registered", TAKEN_BACK_WITHIN)
        for transaction in both:
            payer.confirm(transaction, True)
