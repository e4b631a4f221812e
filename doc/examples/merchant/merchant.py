#!/usr/bin/env python3
"""A merchant's two endpoints, to build upon: merchant.py PORT DATABASE, behind a web server that speaks TLS.

POST /notifications takes notifications, POST /query answers external queries. The secrets are in the variables RECAUDO_FIXED_HASH
and RECAUDO_NOTIFICATION_HASH; while a new one is introduced, both, separated by a space. Uses checksum/checksum.py and
webhook/verify.py, beside its folder.
"""
import json
import os
import sqlite3
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parent.parent / folder) for folder in ("checksum", "webhook")]
from checksum import checksum, fits
from verify import is_signed

if len(sys.argv) != 3:
    sys.exit("usage: merchant.py PORT DATABASE")
for variable in ("RECAUDO_FIXED_HASH", "RECAUDO_NOTIFICATION_HASH"):
    if not os.environ.get(variable):
        sys.exit(f"{variable} is not set")
FIXED_HASHES, NOTIFICATION_HASHES = os.environ["RECAUDO_FIXED_HASH"].split(), os.environ["RECAUDO_NOTIFICATION_HASH"].split()
RECIPES = {64: "notification-sha256", 128: "notification-sha512"}
TABLES = """CREATE TABLE IF NOT EXISTS notifications (id TEXT PRIMARY KEY, po_id TEXT, status TEXT, amount TEXT, UNIQUE (po_id, status));
            CREATE TABLE IF NOT EXISTS offers (po_id TEXT PRIMARY KEY, reference TEXT);"""
DAY = 86400


def secret_of(received: str, recipe: str, secrets: list[str], *values: str) -> str | None:
    """The one of our secrets that this checksum was made with."""
    return next((secret for secret in secrets if fits(received, checksum(recipe, secret, *values))), None)


def notified(message: dict[str, Any], webhook_id: str) -> tuple[int, str]:
    recipe = RECIPES.get(len(message["pv_checksum"]))
    if recipe is None or not secret_of(message["pv_checksum"], recipe, NOTIFICATION_HASHES, message["po_id"], message["status"]):
        return 403, "ERROR the checksum does not fit"
    if message["po_id"] == "recaudo.test":  # a test of the operator's: nothing to deliver
        return 200, "OK"
    if message["status"] not in ("approved", "cancelled"):
        return 422, "ERROR unknown status"
    # Here: if po_id is no order of yours, or amount is not what it costs, store nothing and return 422, "ERROR and the reason".
    with sqlite3.connect(sys.argv[2]) as database:  # committed when the block ends, before OK is said
        database.executescript(TABLES)
        stored = database.execute("INSERT OR IGNORE INTO notifications VALUES (?, ?, ?, ?)",
                                  (webhook_id, message["po_id"], message["status"], message["amount"]))
        if stored.rowcount == 0:
            return 200, "OK"
        # Deliver here, in the same database transaction.
    return 200, "OK"


def offer(reference: str) -> tuple[str, int] | None:
    """Number and end of the order to be paid. None: it is paid, and a new number would let it be paid twice.

    The number stays until `cancelled` says that its order has expired. Before that it may be paid, with the notification on
    its way for days. Then there is a new one, because an order that has expired never opens again.
    """
    with sqlite3.connect(sys.argv[2]) as database:
        database.executescript(TABLES)
        told = database.execute("SELECT o.po_id, COALESCE(MAX(n.status = 'approved'), 0), COALESCE(MAX(n.status = 'cancelled'), 0) FROM offers o"
                                " LEFT JOIN notifications n ON n.po_id = o.po_id WHERE o.reference = ? GROUP BY o.po_id", (reference,)).fetchall()
        if any(approved for _, approved, _ in told):
            return None
        open_ones = [po_id for po_id, _, cancelled in told if not cancelled]
        offered = open_ones[0] if open_ones else f"Q-{reference}-{len(told) + 1}"
        database.execute("INSERT OR IGNORE INTO offers VALUES (?, ?)", (offered, reference))
    return offered, int(time.time()) + 2 * DAY


def queried(query: dict[str, Any]) -> dict[str, Any]:
    signed = [str(query[name]) for name in ("reference", "currency", "netname", "timestamp_start")]
    secret = secret_of(query["checksum"], "query", FIXED_HASHES, *signed)
    if secret is None:
        return {"CODE": "0025", "TEXT": "the checksum does not fit"}
    if not query["reference"].endswith("1"):  # look your order up here, within 5 seconds in all
        return {"CODE": "0101", "TEXT": "no order has this reference"}
    offered = offer(query["reference"])
    if offered is None:
        return {"CODE": "0102", "TEXT": "already paid"}
    order, amount, end = offered[0], "45000.00", str(offered[1])
    return {"CODE": "0000", "TEXT": "OK",
            "DATA": {"order": order, "amount": amount, "description": "Zapatos rojos", "email": "ana@example.com", "timestamp_end": end,
                     "checksum": checksum("answer", secret, order, amount, end)}}


class Endpoints(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        try:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/query":
                self.answer(200, json.dumps(queried(json.loads(body))), "application/json")
            elif self.path != "/notifications":
                self.answer(404, "ERROR there is nothing here", "text/plain")
            elif not self.is_signed(body):
                self.answer(403, "ERROR the signature is missing or does not fit, or its time is more than 5 minutes away", "text/plain")
            else:
                message = json.loads(body)
                self.answer(*notified(message, self.headers["webhook-id"]), "text/plain")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self.answer(400, f"ERROR {error!r}", "text/plain")

    def is_signed(self, body: bytes) -> bool:
        headers = [self.headers[f"webhook-{name}"] for name in ("id", "timestamp", "signature")]
        return any(is_signed(secret, *headers, body, time.time()) for secret in NOTIFICATION_HASHES)

    def answer(self, status: int, text: str, media: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media)
        self.end_headers()
        self.wfile.write(text.encode())


class Server(ThreadingHTTPServer):
    request_queue_size = 128  # the service opens up to 32 connections at once; Python would keep 5 of them waiting, and lose more


if __name__ == "__main__":
    Server(("127.0.0.1", int(sys.argv[1])), Endpoints).serve_forever()
