"""The recipes of all checksums, as doc/protocol.md has them; the examples of the documents are compared with these."""

import base64
import hashlib
import hmac

SECRET = "s3cr3t-HASH"

# Recipe, algorithm, what stands before the values, and the values in their order.
RECIPES = {
    "lookup": ("sha512", "", "name reference"),
    "register": ("sha512", "", "name reference amount transaction"),
    "confirm": ("sha512", "", "name transaction"),
    "porder": ("sha512", "", "email country order money amount"),
    "porder-query": ("sha512", "", "order merchant"),
    "refund": ("sha512", "refund", "order merchant amount"),
    "query": ("sha512", "", "reference currency netname timestamp_start"),
    "answer": ("sha512", "", "order amount timestamp_end"),
    "answer-with-limits": ("sha512", "", "order amount min max timestamp_end"),
    "notification-sha256": ("sha256", "", "po_id status"),
    "notification-sha512": ("sha512", "", "po_id status"),
    "signature": ("hmac", "", "id timestamp method target body"),
}


def checksum(recipe: str, secret: str, *values: str) -> str:
    algorithm, prefix, names = RECIPES[recipe]
    assert len(values) == len(names.split()), recipe
    if algorithm == "hmac":
        identifier, timestamp, method, target, body = values
        text = f"{identifier}.{timestamp}.{method} {target}\n{body}".encode()
        return "v1," + base64.b64encode(hmac.new(secret.encode(), text, hashlib.sha256).digest()).decode()
    return hashlib.new(algorithm, "".join((prefix, *values, secret)).encode()).hexdigest()
