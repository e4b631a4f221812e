"""A merchant whose customers open their slips, and a network that takes the money."""

from datetime import datetime, timedelta, timezone

from tests.stack import Stack
from tests.stack.client import Merchant, Network

COMMERCE = "Zapatería Ñandú & Cía"
COLOMBIA_BEHIND = timedelta(hours=5)


class Shop:
    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.merchant_hash = stack.ctl.json("merchant", "add", "tienda", "--commerce", COMMERCE)["fixed_hash"]
        self.network_hash = stack.ctl.json("network", "add", "kiosko")["fixed_hash"]

    def order(self, number: str, amount: str = "45000", **fields: str) -> str:
        """Registers an order as a merchant's program does; the address of its slip."""
        there = datetime.now(timezone.utc) - COLOMBIA_BEHIND
        day = (there + timedelta(days=2)).strftime("%d/%m/%Y")
        with Merchant(self.stack.base_url, "tienda", self.merchant_hash) as merchant:
            reply = merchant.send_json("POST", "/v1/porders", merchant.porder(number, day, amount, **fields))
        assert reply.code == "0000", reply.text
        return self.stack.base_url + str(reply.data["checkout"]).removeprefix("localhost")

    def pay(self, reference: str, amount: str) -> None:
        """Registers and confirms a payment; its window stays open for the rest of the test."""
        transaction = f"T-{reference}"
        with Network(self.stack.base_url, "kiosko", self.network_hash) as network:
            for reply in (network.register(reference, amount, transaction, COMMERCE), network.confirm(transaction)):
                assert reply.code == "0000", reply.text
