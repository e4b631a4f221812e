"""Everybody who uses the service, all at once."""

import itertools
import json
import time
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import Sequence

from tests.stack import wait_until
from tests.stack.client import Merchant, Network, Reply

from .actors import Actor
from .arena import FULL_DOCUMENTS, NETWORKS, NUMBERED_DOCUMENTS, WINDOW, Instance
from .history import Entry, History
from .rules.paid import SAID_BY_SLIP
from .sink import HABITS
from .stock import Item, Stock

PATIENCE = 12.0
SLOW_START = 60.0
RUSH = 0.05
SLOW_TO_ACKNOWLEDGE = "flaca"
COLOMBIA_BEHIND = timedelta(hours=5)


class Payer(Actor):
    """A network: looks up, registers, confirms, takes back, repeats, and makes mistakes."""

    def __init__(self, name: str, network: str, seed: int, arena: Instance, stock: Stock, history: History) -> None:
        super().__init__(f"{name}-{network}", seed, history)
        self.stock = stock
        self.network = Network(arena.stack.base_url, network, arena.secrets[network]["fixed_hash"], PATIENCE)

    def close(self) -> None:
        self.network.close()

    def act(self) -> None:
        item = self.stock.pick(self.chance)
        self.lookup(item)
        if self.happens(0.05):
            self.err(item)
        transaction = self.fresh()
        amount = item.price(self.chance)
        register = partial(self.register, item, transaction, amount)
        entry = register()
        if not entry.is_ok and not (entry.may_be_done and self.happens(0.7) and register().is_ok):
            return
        if self.happens(0.15):
            register()
        if self.happens(0.1):
            self.register(item, transaction, f"{amount}1" if "." not in amount else "77")
        self.go_on(item, transaction)

    def go_on(self, item: Item, transaction: str) -> None:
        confirm, cancel = partial(self.confirm, transaction, True), partial(self.confirm, transaction, False)
        drawn = self.chance.random()
        if drawn < 0.08:
            cancel()
        elif drawn < (0.6 if item.reference in FULL_DOCUMENTS else 0.2):
            self.later(self.chance.uniform(0, 2 * WINDOW), confirm)  # another one may have filled the account, or paid the order
        elif drawn < 0.95:
            entry = confirm()
            if not entry.is_ok and entry.may_be_done and self.happens(0.6):
                confirm()
            if entry.is_ok:
                self.stock.note_confirmed(item)
            if self.happens(0.1):
                self.later(self.chance.uniform(0, 1.5 * WINDOW), confirm)
            if self.happens(0.35):
                self.take_back(cancel)
            if self.happens(0.3):
                self.later(WINDOW + self.chance.uniform(-0.1, 0.5), partial(self.lookup, item))

    def take_back(self, cancel: partial[Entry]) -> None:
        """At any moment of the window, often near its end, and after it."""
        moment = self.chance.choice((0.0, self.chance.uniform(0, WINDOW), WINDOW + self.chance.uniform(-0.1, 0.1),
                                     WINDOW + self.chance.uniform(0, 1)))
        self.later(moment, cancel)
        if self.happens(0.3):
            self.later(moment + self.chance.uniform(0, 0.5), cancel)

    def lookup(self, item: Item) -> Entry:
        return self.ask("lookup", self.network.name, item.reference, {}, lambda: self.network.lookup(item.reference))

    def register(self, item: Item, transaction: str, amount: str) -> Entry:
        fields = {"reference": item.reference, "amount": amount, "commerce": item.commerce}
        return self.ask("register", self.network.name, transaction, fields,
                        lambda: self.network.register(item.reference, amount, transaction, item.commerce))

    def confirm(self, transaction: str, confirm: bool) -> Entry:
        """Often at the same moment as others, so that they share a statement."""
        if self.happens(0.4):
            self.stopping.wait(RUSH - time.time() % RUSH)
        return self.ask("confirm" if confirm else "cancel", self.network.name, transaction, {},
                        lambda: self.network.confirm(transaction, confirm))

    def err(self, item: Item) -> None:
        """What must change nothing."""
        unknown, forged = f"{self.fresh()}-never", "0" * 128
        self.ask("confirm-unregistered", self.network.name, unknown, {}, lambda: self.network.confirm(unknown))
        transaction = f"{self.fresh()}-forged"
        self.ask("register-forged", self.network.name, transaction, {},
                 lambda: self.network.register(item.reference, "1000", transaction, item.commerce, checksum=forged))


class Shop(Actor):
    """A merchant: registers, consults, deletes and refunds its orders."""

    def __init__(self, merchant: str, seed: int, arena: Instance, stock: Stock, history: History) -> None:
        super().__init__(f"shop-{merchant}", seed, history)
        self.stock = stock
        self.wanted_by_all = itertools.count(1)
        self.merchant = Merchant(arena.stack.base_url, merchant, arena.secrets[merchant]["fixed_hash"], PATIENCE)

    def close(self) -> None:
        self.merchant.close()

    def act(self) -> None:
        if self.happens(0.5):
            self.sell()
        else:
            closing = self.stock.confirmed_ago(WINDOW - 0.1, WINDOW + 0.5) if self.happens(0.6) else []
            own = [item for item in closing or self.stock.items[-120:] if item.merchant == self.merchant.name]
            if own:
                self.look_after(self.chance.choice(own))

    def sell(self) -> None:
        number = self.fresh().replace("shop-", "reg-")
        amount = self.chance.choice(("31000", "88.80", "0"))
        reference = self.draw_reference()
        fields = self.merchant.porder(number, tomorrow(), amount, reference=reference)
        entry = self.ask("porder", self.merchant.name, number, {"amount": amount, "reference": reference},
                         lambda: self.merchant.send_json("POST", "/v1/porders", fields))
        if entry.is_ok:
            self.stock.items.append(Item(reference, amount, self.merchant.name, number))

    def draw_reference(self) -> str:
        """Mostly one of its own. Sometimes one that another merchant's order or a customer's account has or had, and sometimes
        the next of a row that all merchants and the operator go through, so that several want it at once."""
        drawn = self.chance.random()
        others = [item.reference for item in self.stock.items[-200:] if item.merchant != self.merchant.name]
        if drawn < 0.05:
            return self.chance.choice(NUMBERED_DOCUMENTS)
        if drawn < 0.1 and others:
            return self.chance.choice(others)
        if drawn < 0.25:
            return contested(next(self.wanted_by_all))
        return f"32{self.merchant.name == 'flaca':d}{next(self.stock.numbers):08d}"

    def look_after(self, item: Item) -> None:
        """A paid order may be refunded, another one deleted."""
        name, number = self.merchant.name, item.po_id
        entry = self.ask("consult", name, number, {}, lambda: self.merchant.consult(number))
        data = entry.data if entry.is_ok else None
        if not isinstance(data, dict):
            return
        if self.happens(0.5):
            self.look_at(number, data["checkout"].partition("/")[2])
        if data["STATE"] == "APROBADA" and self.happens(0.5):
            self.ask("refund", name, number, {"amount": data["AMOUNT"]},
                     lambda: self.merchant.refund(number, data["AMOUNT"]))
        elif data["STATE"] == "PENDIENTE" and self.happens(0.15):
            self.ask("delete", name, number, {}, lambda: self.merchant.delete(number))


    def look_at(self, number: str, slip: str) -> None:
        """A customer opens the slip. Noted with its state, as the answers for programs are."""
        def page() -> Reply:
            reply = self.merchant.request("GET", f"/{slip}")
            states = [state for state in SAID_BY_SLIP if state in reply.text]
            document = {"CODE": reply.headers["X-Recaudo-Code"], "TEXT": "page", "DATA": {"STATE": " ".join(states)}}
            return replace(reply, text=json.dumps(document))

        self.ask("slip", self.merchant.name, number, {}, page)


class Operator(Actor):
    """Files of orders, so often, and else customers' refund claims."""

    def __init__(self, name: str, brings: float, seed: int, arena: Instance, stock: Stock, history: History) -> None:
        super().__init__(name, seed, history)
        self.ctl = arena.stack.ctl
        self.brings = brings
        self.stock = stock
        self.claimed: set[str] = set()
        self.wanted_by_all = itertools.count(1, 6)  # seldom enough to keep pace with the merchants

    def act(self) -> None:
        if self.happens(0.2):
            self.order(self.ctl, "close", "settlement", {}, "settlement", "close")
        elif self.happens(0.2):
            self.open_account()
        elif self.happens(self.brings):
            self.bring()
        else:
            self.claim()
        self.stopping.wait(self.chance.uniform(0.05, 0.2))

    def bring(self, times: int = 1) -> Entry:
        """A file of orders, so many times as long as the others."""
        merchant = self.chance.choice(sorted(HABITS))
        items, text = self.stock.draw_file(self.chance, merchant, times * self.stock.file, 8)
        fields = {"orders": [item.po_id for item in items]}
        entry = self.order(self.ctl, "import", merchant, fields, "order", "import", "--merchant", merchant, "--file",
                           "-", stdin=text)
        if entry.may_be_done:
            self.stock.items.extend(items)
        return entry

    def bring_unoffered(self, seconds: float) -> tuple[list[Item], list[Item]]:
        """New orders for which nobody else asks: what falls due within `seconds`, and what does tomorrow."""
        merchant = sorted(HABITS)[0]
        items, text = self.stock.draw_file(self.chance, merchant, 6, seconds)
        fields = {"orders": [item.po_id for item in items]}
        self.order(self.ctl, "import", merchant, fields, "order", "import", "--merchant", merchant, "--file", "-", stdin=text)
        return ([item for item in items if int(item.reference) % 2 == 0],
                [item for item in items if int(item.reference) % 2 != 0])

    def open_account(self) -> None:
        """For a new customer, whose document number may be an order's reference already."""
        document = contested(next(self.wanted_by_all))
        self.order(self.ctl, "account", document, {}, "account", "add", "--document", document, "--type", "CC", "--name", "Eva")

    def claim(self) -> None:
        """Of what was paid at this moment, when its first notification may still be under way, or some time ago."""
        fresh = self.stock.confirmed_ago(WINDOW, WINDOW + 0.6) if self.happens(0.8) else []
        slow = [item for item in fresh if item.merchant == SLOW_TO_ACKNOWLEDGE]
        paid = [item for item in slow or fresh or self.stock.items[-150:] if item.reference not in self.claimed]
        for item in self.chance.sample(paid, min(3, len(paid))):
            entry = self.order(self.ctl, "claim", item.reference, {}, "order", "claim", item.reference, "--reason", "no")
            if entry.may_be_done:
                self.claimed.add(item.reference)


def contested(number: int) -> str:
    return f"33{number:08d}"


def tomorrow() -> str:
    return (datetime.now(timezone.utc) - COLOMBIA_BEHIND + timedelta(days=1)).strftime("%d/%m/%Y")


class Traffic:
    """So many threads for each network as the arena's scale says, one for each merchant, two operators."""

    def __init__(self, seed: int, arena: Instance, history: History) -> None:
        self.history = history
        self.stock = Stock(arena.scale.file)
        self.operator = Operator("operator", 0.4, seed, arena, self.stock, history)
        clerk = Operator("clerk", 0.0, seed, arena, self.stock, history)
        self.payers = [Payer(f"p{number}", network, seed, arena, self.stock, history)
                       for network in NETWORKS for number in range(arena.scale.payers)]
        shops = [Shop(merchant, seed, arena, self.stock, history) for merchant in HABITS]
        self.actors: Sequence[Actor] = [self.operator, clerk, *self.payers, *shops]

    def start(self) -> None:
        for _ in range(4):
            wait_until(lambda: self.operator.bring(2).is_ok, "a file of orders to be stored", SLOW_START)
        for actor in self.actors:
            actor.start()

    def stop(self) -> None:
        for actor in self.actors:
            actor.stopping.set()
        end = time.monotonic() + 3 * PATIENCE
        for actor in self.actors:
            actor.join(max(0.0, end - time.monotonic()))
            if actor.error or actor.is_alive():
                raise RuntimeError(f"{actor.name} has ended badly") from actor.error

    def repeat(self) -> None:
        """Afterwards: many of the requests once more, those with an open outcome among them. Others stay open for ever."""
        for payer in self.payers:
            again = [entry for entry in self.history.entries if entry.who == payer.network.name and
                     entry.key.startswith(f"{payer.name}-") and entry.kind in ("register", "confirm", "cancel")]
            for entry in payer.chance.sample(again, min(40, len(again))):
                self._once_more(payer, entry)
            payer.close()

    def _once_more(self, payer: Payer, entry: Entry) -> None:
        if entry.kind == "register":
            fields = entry.fields
            payer.ask("register", entry.who, entry.key, fields, lambda: payer.network.register(
                fields["reference"], fields["amount"], entry.key, fields["commerce"]))
        else:
            payer.confirm(entry.key, entry.kind == "confirm")
