"""The sample merchant: takes notifications, checks them, shows them, and answers external queries.

POST /notify           a notification; answers OK, or ERROR and why
POST /query            an external query
GET /notifications     what it was notified of, as JSON, the oldest first
"""

import argparse
import hashlib
import hmac
import json
import re
import time
from collections import deque
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

KEPT = 10_000
PREFIX = "77"
REFUSED_ENDING = "99"
DIGESTS = {64: hashlib.sha256, 128: hashlib.sha512}


def text_of(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


class Merchant:
    """What the merchant knows: its two secrets and what it was told."""

    def __init__(self, fixed_hash: str, notification_hash: str) -> None:
        self.fixed_hash = fixed_hash
        self.notification_hash = notification_hash
        self.notifications: deque[dict[str, Any]] = deque(maxlen=KEPT)

    def checksum_fits(self, message: dict[str, Any]) -> bool:
        """SHA-256 or SHA-512 of po_id, status and NOTIFICATION_HASH, in lower case."""
        sent = str(message.get("pv_checksum", ""))
        digest = DIGESTS.get(len(sent))
        if digest is None:
            return False
        told = f"{message.get('po_id', '')}{message.get('status', '')}{self.notification_hash}"
        return hmac.compare_digest(digest(told.encode()).hexdigest(), sent)

    def notified(self, message: dict[str, Any]) -> str:
        fits = self.checksum_fits(message)
        received = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self.notifications.append({"received_at": received, "checksum_fits": fits, **message})
        return "OK" if fits else "ERROR the checksum does not fit"

    def queried(self, query: dict[str, Any]) -> dict[str, Any]:
        reference, netname = text_of(query.get("reference")), text_of(query.get("netname"))
        told = reference + text_of(query.get("currency")) + netname + text_of(query.get("timestamp_start"))
        right = hashlib.sha512((told + self.fixed_hash).encode()).hexdigest()
        if not hmac.compare_digest(right, text_of(query.get("checksum")).lower()):
            return {"CODE": "0025", "TEXT": "the checksum does not fit"}
        if not re.fullmatch(PREFIX + r"[0-9]{7,14}", reference) or reference.endswith(REFUSED_ENDING):
            return {"CODE": "0101", "TEXT": "no order has this reference"}
        return {"CODE": "0000", "TEXT": "OK", "DATA": self.order_of(reference)}

    def order_of(self, reference: str) -> dict[str, str]:
        """A reference that ends in 0 has an open amount between 1000 and 500000; any other one 45000.00."""
        limits = {"min": "1000", "max": "500000"} if reference.endswith("0") else {}
        amount = "0" if limits else "45000.00"
        end = str(int(time.time()) + 30 * 86400)  # an order that has expired never opens again
        told = f"Q-{reference}" + amount + "".join(limits.values()) + end + self.fixed_hash
        return {"order": f"Q-{reference}", "amount": amount, "description": f"Pedido {reference}",
                "email": "cliente@example.com", "timestamp_end": end, **limits,
                "checksum": hashlib.sha512(told.encode()).hexdigest()}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    merchant: Merchant

    def do_GET(self) -> None:
        if self.path == "/notifications":
            listed = json.dumps(list(self.merchant.notifications), indent=1, ensure_ascii=False)
            self.answer(200, listed, "application/json")
        else:
            self.answer(404, "ERROR no such page")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        try:
            message = json.loads(body)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            self.answer(400, "ERROR not a JSON object")
        elif self.path == "/notify":
            self.answer(200, self.merchant.notified(message))
        elif self.path == "/query":
            self.answer(200, json.dumps(self.merchant.queried(message)), "application/json")
        else:
            self.answer(404, "ERROR no such page")

    def answer(self, status: int, text: str, kind: str = "text/plain") -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--fixed-hash-file", type=Path, required=True)
    parser.add_argument("--notification-hash-file", type=Path, required=True)
    options = parser.parse_args()
    Handler.merchant = Merchant(options.fixed_hash_file.read_text().strip(),
                                options.notification_hash_file.read_text().strip())
    Server(("127.0.0.1", options.port), Handler).serve_forever()


if __name__ == "__main__":
    main()
