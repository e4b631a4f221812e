#!/usr/bin/env python3
"""Is this notification the service's? verify.py ID TIMESTAMP SIGNATURE <BODY: the headers webhook-*, the body as received."""
import base64
import hashlib
import hmac
import os
import sys
import time

TOLERANCE_SECONDS = 300


def is_signed(secret: str, webhook_id: str | None, timestamp: str | None, signatures: str | None, body: bytes, now: float) -> bool:
    """`secret` is NOTIFICATION_HASH as shown. After a rotation there are two signatures: one must be right.

    A header that is missing (None) is wrong.
    """
    if webhook_id is None or timestamp is None or signatures is None:
        return False
    signed = webhook_id.encode() + b"." + timestamp.encode() + b"." + body
    expected = b"v1," + base64.b64encode(hmac.new(secret.encode(), signed, hashlib.sha256).digest())
    fit = [hmac.compare_digest(expected, one.encode()) for one in signatures.split(" ")]
    return any(fit) and timestamp.isdecimal() and abs(now - int(timestamp)) <= TOLERANCE_SECONDS


if __name__ == "__main__":
    if not os.environ.get("RECAUDO_SECRET"):
        sys.exit("RECAUDO_SECRET is not set")
    now = float(os.environ.get("RECAUDO_NOW", time.time()))  # for the test vector, which is of another day
    webhook_id, timestamp, signatures = (sys.argv[1:4] + [None] * 3)[:3]
    right = is_signed(os.environ["RECAUDO_SECRET"], webhook_id, timestamp, signatures, sys.stdin.buffer.read(), now)
    print("right" if right else "wrong")
