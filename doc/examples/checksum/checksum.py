#!/usr/bin/env python3
"""Checksums: the digest of some fields' values, as they are sent, and the secret. checksum.py RECIPE VALUE..."""
import base64
import hashlib
import hmac
import os
import sys

RECIPES = {  # what the values are, in this order
    "lookup": ("sha512", "name reference"),
    "register": ("sha512", "name reference amount transaction"),
    "confirm": ("sha512", "name transaction"),
    "porder": ("sha512", "email country order money amount"),
    "porder-query": ("sha512", "order merchant"),
    "refund": ("sha512", "order merchant amount"),
    "query": ("sha512", "reference currency netname timestamp_start"),
    "answer": ("sha512", "order amount timestamp_end"),
    "answer-with-limits": ("sha512", "order amount min max timestamp_end"),
    "notification-sha256": ("sha256", "po_id status"),
    "notification-sha512": ("sha512", "po_id status"),
    "signature": ("hmac", "id timestamp method target body"),
}


def signature(secret: str, identifier: str, timestamp: str, method: str, target: str, body: str) -> str:
    """The header Recaudo-Signature of a request; target is path and query as they are sent."""
    text = f"{identifier}.{timestamp}.{method} {target}\n{body}"
    return "v1," + base64.b64encode(hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest()).decode()


def checksum(recipe: str, secret: str, *values: str) -> str:
    if recipe not in RECIPES:
        raise ValueError(f"RECIPE VALUE...; the recipes are {' '.join(RECIPES)}")
    algorithm, names = RECIPES[recipe]
    if len(values) != len(names.split()):
        raise ValueError(f"{recipe} takes: {names}")
    if recipe == "signature":
        return signature(secret, *values)
    word = "refund" if recipe == "refund" else ""
    return hashlib.new(algorithm, (word + "".join(values) + secret).encode("utf-8")).hexdigest()


def fits(received: str, computed: str) -> bool:
    """Upper and lower case are the same; takes the same time wherever they differ."""
    return hmac.compare_digest(received.lower().encode(), computed.encode())


if __name__ == "__main__":
    if not os.environ.get("RECAUDO_SECRET"):
        sys.exit("RECAUDO_SECRET is not set")
    recipe, *values = sys.argv[1:] or [""]
    try:
        print(checksum(recipe, os.environ["RECAUDO_SECRET"], *values))
    except ValueError as error:
        sys.exit(str(error))
