"""./sandbox pay REFERENCE: plays the network at whose counter a customer pays."""

import time
from decimal import Decimal
from typing import Any

from tests.stack.client import Reply
from tests.stack.waiting import wait_until

from .conversation import ask, count_down, exact, show
from .scene import Scene

FINAL_WITHIN, TOLD_WITHIN = 30.0, 30.0
FINAL = "the payment to be final: the dispatcher makes it so, and ./sandbox status shows whether it runs"
TOLD = """the notification to be sent and answered. The reason is one of these:
   the merchant's program takes its time: an attempt ends after 15 s;
   its URL rests, for a minute at most, after failures in a row: ./sandbox ctl status names it;
   the dispatcher does not run: ./sandbox status.
When the program answers again: ./sandbox ctl notification retry NUMBER, of ./sandbox ctl notification list"""
CHANGED = """
The sandbox calls as {0} with the secret that it gave this network, and signs no whole requests. If you have changed the secret,
or `signature`, change it back:
   ./sandbox ctl network rotate {0} --now --hash-file var/sandbox/secrets/network.hash
   ./sandbox ctl network set {0} --signature off"""


class Refused(Exception):
    """The reply ends the payment; the text is for people. `code` is the reply's, empty where it was granted."""

    def __init__(self, text: str, code: str = "") -> None:
        super().__init__(text)
        self.code = code


class Payment:
    """Of `reference`, with `amount` where the order leaves it open (None: as looked up)."""

    def __init__(self, scene: Scene, reference: str, amount: str | None, cancel: bool) -> None:
        self.scene = scene
        self.reference = reference
        self.amount = amount
        self.cancel = cancel
        self.transaction = f"T.{time.time_ns() // 1_000_000}"

    def run(self) -> bool:
        """Says whether the payment came to the end that was asked for."""
        try:
            self._confirm(self._look_up())
            if self.cancel:
                self._cancel()
            else:
                self._await_the_end()
        except Refused as refusal:
            print(f"\nNot paid: {refusal}", flush=True)
            if refusal.code == "0025":
                print(CHANGED.format(self.scene.network.name), flush=True)
            return False
        return True

    def _look_up(self) -> dict[str, Any]:
        print("\nThe network looks up what is due", flush=True)
        network = self.scene.network
        due = exact(granted(ask(network, "GET", network.lookup_path(self.reference))))
        if self.amount is None and Decimal(due["AMOUNT"]) == 0:
            raise Refused(f"the amount is open: ./sandbox pay {self.reference} AMOUNT")
        return due

    def _confirm(self, due: dict[str, Any]) -> None:
        print("\nIt registers the payment", flush=True)
        network = self.scene.network
        fields = network.registration(self.reference, self.amount or due["AMOUNT"], self.transaction, due["COMMERCE"],
                                      self.scene.currency(self.reference))
        granted(ask(network, "POST", "/v1/transactions/", fields))
        print("\nIt confirms it, and the customer gets a receipt", flush=True)
        granted(ask(network, "PATCH", "/v1/transactions/", network.confirmation(self.transaction)))

    def _cancel(self) -> None:
        print("\nIt takes the confirmation back", flush=True)
        network = self.scene.network
        granted(ask(network, "PATCH", "/v1/transactions/", network.confirmation(self.transaction, confirm=False)))
        if self._transaction()["pv_po_id"] is None:
            print("\nCancelled: nothing was added to the account.", flush=True)
            return
        print("\nCancelled: the merchant is told nothing, and the order can be paid again.", flush=True)

    def _await_the_end(self) -> None:
        print(f"\nFor {self.scene.window:g} s it could still be cancelled", flush=True)
        count_down(self._transaction()["window_ends_at"])
        wait_until(lambda: self._transaction()["state_written"] == "FINALIZADA", FINAL, FINAL_WITHIN)
        order = self._transaction()["pv_po_id"]
        if order is None:
            print(f"\nPaid: {self._transaction()['amount']} were added to the account.", flush=True)
            return
        print("\nPaid. Now the merchant is notified", flush=True)
        show(wait_until(lambda: self._told(f"id:{order}"), TOLD, TOLD_WITHIN))

    def _transaction(self) -> Any:
        return self.scene.ctl.json("transaction", "show", self.scene.network.name, self.transaction)

    def _told(self, order: str) -> str | None:
        """What came of the first attempt to tell the merchant, or why there is none; None: it has not ended."""
        shown = self.scene.ctl.json("order", "show", order)
        if not shown["notifications"]:
            return None
        notification = shown["notifications"][-1]
        if notification["state"] == "unaddressed":
            return (f"notification {notification['id']} is unaddressed: {shown['merchant']} has no notify_url. It is sent once there is one:\n"
                    f"   ./sandbox ctl merchant set {shown['merchant']} --notify-url URL")
        if not notification["attempts"]:
            return None
        attempt = notification["attempts"][-1]
        if attempt["reason"] == "acknowledged" and notification["state"] != "delivered":
            return None  # it was written between the reading of the two
        again = "" if notification["state"] == "delivered" else f"; the next attempt: {notification['due_at']}"
        return (f"notification {notification['id']}: {attempt['reason']}{again}\n"
                f"   More: ./sandbox ctl notification show {notification['id']}")


def granted(reply: Reply) -> Reply:
    if reply.status != 200 or reply.code != "0000":
        raise Refused(f"CODE {reply.code}: {reply.json['TEXT']}", reply.code)
    return reply
