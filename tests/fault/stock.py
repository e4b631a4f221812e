"""What can be paid: orders of all origins and accounts, shared by all who pay."""

import time
from dataclasses import dataclass
from itertools import count
from random import Random

from .arena import DOCUMENTS, FULL_DOCUMENTS, PREFIXES

EXTERNAL_LASTS = 20  # other orders are brought before the oldest external one is not asked for any more
SERVICE_NAME = "recaudo"
AMOUNTS = ("45000", "120.50", "0.01", "999.99", "0", "7")
IMPORT_COLUMNS = "order,amount,currency,reference,due,description"


@dataclass(frozen=True)
class Item:
    """Something with a reference. `amount` "0": the customer chooses. `po_id` "": an account."""

    reference: str
    amount: str
    merchant: str
    po_id: str

    @property
    def commerce(self) -> str:
        return f"Tienda {self.merchant}" if self.po_id else SERVICE_NAME

    def price(self, chance: Random) -> str:
        if self.reference in FULL_DOCUMENTS:
            return f"{chance.randrange(4, 10)}{chance.randrange(10**14):014d}.99"
        return self.amount if self.amount != "0" else f"{chance.randrange(1000, 90000)}.{chance.randrange(100):02d}"


class Stock:
    """`file` is how many orders a file has that an operator brings."""

    def __init__(self, file: int) -> None:
        self.file = file
        self.items: list[Item] = []
        self.numbers = count(1)
        self.confirmed: list[tuple[float, Item]] = []
        self.accounts = [Item(document, "0", "", "") for document in DOCUMENTS + FULL_DOCUMENTS]

    def pick(self, chance: Random) -> Item:
        """Mostly of the last ones, so that several networks meet at one order; sometimes an account or an external order."""
        drawn = chance.random()
        if drawn < 0.15:
            return chance.choice(self.accounts)
        if drawn < 0.30 or not self.items:
            return self.external(chance)
        return chance.choice(self.items[-7 * self.file:] if drawn < 0.9 else self.items)

    def note_confirmed(self, item: Item) -> None:
        if item.po_id:
            self.confirmed.append((time.monotonic(), item))

    def confirmed_ago(self, least: float, most: float) -> list[Item]:
        """What was confirmed so many seconds ago."""
        now = time.monotonic()
        return [item for at, item in self.confirmed[-200:] if least <= now - at <= most]

    def external(self, chance: Random) -> Item:
        """An order of a merchant that says itself what is due; the sink decides the same way."""
        merchant = chance.choice(sorted(PREFIXES))
        oldest = len(self.items) // EXTERNAL_LASTS
        number = oldest + chance.randrange(1, 400)
        reference = f"{PREFIXES[merchant]}{number:09d}"
        return Item(reference, "0" if number % 5 == 0 else f"{1000 + number}.00", merchant, f"ext-{reference}")

    def draw_file(self, chance: Random, merchant: str, size: int, seconds: float) -> tuple[list[Item], str]:
        """New orders and the file that imports them; every second falls due within `seconds`. They are not offered yet."""
        items, lines = [], [IMPORT_COLUMNS]
        for number in (next(self.numbers) for _ in range(size)):
            item = Item(f"31{number:08d}", chance.choice(AMOUNTS), merchant, f"imp-{number}")
            due = int(time.time() + (chance.uniform(1.5, seconds) if number % 2 == 0 else 86400)) + 1
            lines.append(f"{item.po_id},{item.amount},COP,{item.reference},{due},Zapatos {number}")
            items.append(item)
        return items, "\n".join(lines) + "\n"
