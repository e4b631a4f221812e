"""The merchants' server: it records every notification, with what it was answered, and answers external queries."""

import json
import time
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Iterable, Mapping

from tests.stack.external_answers import answer
from tests.stack.merchant_stub import Behaviour, Exchange, MerchantStub, after, closes, ok, says

DELIVERED: Mapping[str, Behaviour] = {"ok": ok, "late": after(0.2)}
FAILED: Mapping[str, Behaviour] = {"error": says("ERROR no"), "status": says("", 500), "closes": closes,
                                   "silent": lambda exchange: None}
HABITS: Mapping[str, Mapping[str, int]] = {
    "firme": {"ok": 95, "late": 5},
    "flaca": {"ok": 60, "late": 10, "error": 10, "status": 10, "closes": 7, "silent": 3},
}
QUERY_HABITS: Mapping[str, int] = {"ok": 90, "refuses": 3, "status": 3, "closes": 3, "silent": 1}
REFUSAL = json.dumps({"CODE": "0001", "TEXT": "no", "DATA": {}})
SOON = 3
LATER = 3600


@dataclass(frozen=True, slots=True)
class Message:
    """A notification as it came. Its number (0: there is none) is found by its webhook-id afterwards."""

    at: float
    merchant: str
    notification: int
    sequence: int
    fields: Mapping[str, Any]
    acknowledged: bool
    webhook_id: str = ""


class Sink:
    """`stub` serves `/notify-MERCHANT` and `/query-MERCHANT`. Until it is `well`, it behaves as the merchants' habits are."""

    def __init__(self, stub: MerchantStub, seed: int) -> None:
        self.stub = stub
        self.chance = Random(f"sink {seed}")
        self.messages: list[Message] = []
        self.secrets: dict[str, str] = {}
        self.ends: dict[str, str] = {}
        self.well = False

    def add(self, merchant: str) -> None:
        self.stub.on(f"notify-{merchant}", lambda exchange: self.notified(merchant, exchange))
        self.stub.on(f"query-{merchant}", lambda exchange: self.asked(merchant, exchange))

    def url(self, kind: str, merchant: str) -> str:
        return f"http://{self.stub.address}:{self.stub.port}/{kind}-{merchant}"

    def drawn(self, habits: Mapping[str, int]) -> str:
        return "ok" if self.well else self.chance.choices(list(habits), list(habits.values()))[0]

    def numbered(self, rows: Iterable[Mapping[str, Any]]) -> list[Message]:
        """The messages with the numbers that the table of notifications has for them."""
        numbers = {row["webhook_id"]: row["id"] for row in rows}
        return [replace(message, notification=numbers.get(message.webhook_id, 0)) for message in self.messages]

    def notified(self, merchant: str, exchange: Exchange) -> None:
        request, habit = exchange.request, self.drawn(HABITS[merchant])
        self.messages.append(Message(request.at, merchant, 0, int(request.headers["recaudo-sequence"]),
                                     request.message, habit in DELIVERED, request.webhook_id))
        (DELIVERED | FAILED)[habit](exchange)

    def asked(self, merchant: str, exchange: Exchange) -> None:
        habit = self.drawn(QUERY_HABITS)
        if habit == "ok":
            exchange.reply(200, self.offer(merchant, exchange.request.message["reference"]))
        elif habit == "refuses":
            exchange.reply(200, REFUSAL.encode())
        else:
            FAILED[habit](exchange)

    def offer(self, merchant: str, reference: str) -> bytes:
        """Every reference stands for an order of its own, which stays as it is; every fifth has an open amount."""
        number = int(reference[2:])
        end = self.ends.setdefault(reference, str(int(time.time()) + (SOON if number % 3 == 0 else LATER)))
        fields = {"timestamp_end": end}
        if number % 5 == 0:
            fields |= {"min": "1000", "max": "90000.50"}
        amount = "0" if number % 5 == 0 else f"{1000 + number}.00"
        return json.dumps(answer(self.secrets[merchant], f"ext-{reference}", amount, **fields)).encode()
