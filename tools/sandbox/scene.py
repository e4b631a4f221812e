"""The cast of the guide and the demo: what var/sandbox/env names, with the requests each of them makes."""

import json
import time
from typing import Any, Mapping

from tests.stack.client import Client, Network
from tests.stack.programs import Ctl

DAY = 86400
CURRENCY = "COP"
REPLY_WITHIN = 10.0  # nginx gives up a worker after 8 s


class Scene:
    def __init__(self, environment: Mapping[str, str]) -> None:
        self.base_url = environment["RECAUDO_BASE_URL"]
        self.window = float(environment["RECAUDO_CANCEL_WINDOW"])  # seconds
        self.merchant = environment["RECAUDO_MERCHANT"]
        self.merchant_url = environment["RECAUDO_SAMPLE_MERCHANT_URL"]
        self.ctl = Ctl(environment["RECAUDO_CONFIG"], environment["RECAUDO_CTL"])
        self.network = Network(self.base_url, environment["RECAUDO_NETWORK"], environment["RECAUDO_NETWORK_HASH"], REPLY_WITHIN)

    def order_words(self, order: str, reference: str, amount: str, description: str) -> list[str]:
        """recaudoctl's words for an order of the sample merchant, due tomorrow."""
        return ["order", "add", "--merchant", self.merchant, "--order", order, "--amount", amount, "--currency", CURRENCY,
                "--reference", reference, "--due", str(int(time.time()) + DAY), "--description", description]

    def add_order(self, kind: str, amount: str, description: str) -> str:
        """Adds an order; the reference it is paid with, not used before."""
        reference = f"90{time.time_ns() // 1_000_000}"
        self.ctl.json(*self.order_words(f"{kind}-{reference}", reference, amount, description))
        return reference

    def show_order(self, reference: str) -> Any:
        return self.ctl.json("order", "show", reference)

    def currency(self, reference: str) -> str:
        """What the order or account of `reference` is due in; of one that only its merchant knows, the merchant's."""
        for kind in ("order", "account"):
            if self.ctl.succeeds(kind, "show", reference):
                return str(self.ctl.json(kind, "show", reference)["currency"])
        return CURRENCY

    def integration(self, code: str) -> int:
        """The number of the sample merchant's integration with this code."""
        (found,) = [one for one in self.ctl.json("integration", "list", "--merchant", self.merchant) if one["code"] == code]
        return int(found["id"])

    def notifications(self) -> list[dict[str, Any]]:
        """What the sample merchant was notified of."""
        with Client(self.merchant_url, 5) as client:
            return list(json.loads(client.request("GET", "/notifications").text))
