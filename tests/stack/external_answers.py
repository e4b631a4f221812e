"""What merchants are sent in external queries, and what they answer."""

import time
from typing import Any

from .client import sha512


def answer(fixed_hash: str, order: str, amount: str = "45000", due_in: float = 3600, **fields: str) -> dict[str, Any]:
    """A merchant's answer. `fields` go over those it has anyway; a checksum that is given is not computed."""
    data = {"order": order, "amount": amount, "description": "Zapatos azules", "email": "ana@example.com",
            "timestamp_end": str(int(time.time() + due_in)), **fields}
    limits = [data["min"], data["max"]] if "min" in data and "max" in data else []
    data.setdefault("checksum", sha512(data["order"], data["amount"], *limits, data["timestamp_end"], fixed_hash))
    return {"CODE": "0000", "TEXT": "OK", "DATA": data}


def request_checksum(message: dict[str, Any], fixed_hash: str) -> str:
    return sha512(message["reference"], str(message["currency"]), message["netname"], str(message["timestamp_start"]),
                  fixed_hash)
