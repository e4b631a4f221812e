"""./sandbox demo: one whole payment, each request and reply shown, each step judged."""

import json
import time
from typing import Any, Callable, Mapping

from tests.stack.client import Reply
from tests.stack.programs import CtlError
from tests.stack.waiting import wait_until

from .conversation import ask, count_down, instant, now, show, show_parts
from .scene import Scene

AMOUNT = "45000.00"
FINALISED_WITHIN = 5.0
DELIVERED_WITHIN = 5.0


class Wrong(Exception):
    """A step did not come out as it must."""


def expect(right: bool, what: str) -> None:
    if not right:
        raise Wrong(what)


class Demo:
    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.number = 0
        stamp = str(time.time_ns() // 1_000_000)
        self.order, self.reference, self.transaction = f"DEMO-{stamp}", f"90{stamp}", f"T.{stamp}"
        self.commerce = ""

    def run(self) -> bool:
        """Says whether every step was right."""
        steps: list[tuple[str, Callable[[], None]]] = [
            ("The merchant's order, entered by the operator", self.add_order),
            ("A lookup with a wrong checksum is refused", self.wrong_checksum),
            ("The network looks up what is due", self.look_up),
            ("A registration with another amount is refused", self.wrong_amount),
            ("The network registers the payment", self.register),
            ("The network confirms it", self.confirm),
            (f"The cancellation window: {self.scene.window:g} seconds", self.count_down),
            ("It can no longer be cancelled", self.too_late),
            ("The order is APROBADA", self.approved),
            ("The merchant is notified", self.notified),
        ]
        for title, step in steps:
            self.number += 1
            print(f"\n{self.number}. {title}\n", flush=True)
            try:
                step()
            except (Wrong, CtlError, TimeoutError, OSError, KeyError, ValueError) as error:
                print(f"   WRONG: {error!r}", flush=True)
                return False
        print(f"\nAll {self.number} steps were right.", flush=True)
        return True

    def add_order(self) -> None:
        words = self.scene.order_words(self.order, self.reference, AMOUNT, "Zapatos rojos")
        print("   recaudoctl " + " ".join(f"'{word}'" if " " in word else word for word in words))
        added = self.scene.ctl.json(*words)
        show_parts(added, "pv_po_id", "reference", "amount", "currency", "state", "due_at")
        expect(added["reference"] == self.reference, "the order has the reference it was given")

    def wrong_checksum(self) -> None:
        self.answer_to("GET", self.scene.network.lookup_path(self.reference, "0" * 128), None, "0025")

    def look_up(self) -> None:
        reply = self.answer_to("GET", self.scene.network.lookup_path(self.reference), None, "0000")
        expect(f'"AMOUNT":{AMOUNT}' in reply.text.replace(" ", ""), f"AMOUNT is {AMOUNT}")
        self.commerce = reply.data["COMMERCE"]

    def wrong_amount(self) -> None:
        fields = self.scene.network.registration(self.reference, "44999.99", self.transaction, self.commerce)
        self.answer_to("POST", "/v1/transactions/", fields, "0021")

    def register(self) -> None:
        fields = self.scene.network.registration(self.reference, AMOUNT, self.transaction, self.commerce)
        reply = self.answer_to("POST", "/v1/transactions/", fields, "0000")
        expect(reply.data["IDTRANSACTION"] == self.transaction, "IDTRANSACTION is the network's id")
        expect(bool(reply.data["IDSERVICE"]), "the service gave it an operation code")

    def confirm(self) -> None:
        fields = self.scene.network.confirmation(self.transaction)
        reply = self.answer_to("PATCH", "/v1/transactions/", fields, "0000")
        expect(reply.data["CONFIRM"] is True, "CONFIRM is true")

    def count_down(self) -> None:
        order = self.scene.show_order(self.reference)
        expect(order["state"] == "PENDIENTE", f"the order is still PENDIENTE, not {order['state']}")
        end = instant(order["held_until"])
        expect(0 < (end - now()).total_seconds() <= self.scene.window, f"the window ends at {end}")
        count_down(order["held_until"])

    def too_late(self) -> None:
        fields = self.scene.network.confirmation(self.transaction, confirm=False)
        self.answer_to("PATCH", "/v1/transactions/", fields, "0015")

    def approved(self) -> None:
        wait_until(lambda: bool(self.scene.show_order(self.reference)["notifications"]),
                   "the dispatcher to finalise the payment", FINALISED_WITHIN, 0.05)
        order = self.scene.show_order(self.reference)
        print(f"   recaudoctl order show {self.reference}")
        show_parts(order, "pv_po_id", "po_id", "reference", "amount", "currency", "state")
        expect(order["state"] == "APROBADA", f"the state is {order['state']}")

    def notified(self) -> None:
        message = wait_until(self.received, "the merchant to be notified", DELIVERED_WITHIN, 0.05)
        print(f"   {self.scene.merchant_url}/notifications")
        show(json.dumps(message))
        expect(message["checksum_fits"] is True, "the merchant finds the checksum right")
        expect(message["status"] == "approved", "the status is approved")

    def received(self) -> dict[str, Any] | None:
        return next((message for message in self.scene.notifications() if message.get("po_id") == self.order), None)

    def answer_to(self, method: str, path: str, fields: Mapping[str, str] | None, code: str) -> Reply:
        """Asks, and expects `code`."""
        reply = ask(self.scene.network, method, path, fields)
        expect(reply.status == 200, "HTTP status 200 was expected")
        expect(reply.code == code, f"CODE {code} was expected")
        return reply
