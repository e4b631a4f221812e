"""A network that signs whole requests, and may do it wrong."""

import base64
import hashlib
import hmac
import time
from typing import Callable, Mapping
from uuid import uuid4

from tests.stack import Reply

from callers import Caller
from world import World

Headers = dict[str, str]


def sign(secret: str, identifier: str, timestamp: str, request: bytes) -> str:
    """`request`: METHOD, a space, path and query, a line end, the body."""
    text = f"{identifier}.{timestamp}.".encode() + request
    return "v1," + base64.b64encode(hmac.new(secret.encode(), text, hashlib.sha256).digest()).decode()


class SigningNetwork(Caller):
    """Signs every request with its FIXED_HASH; `spoil` may change what is sent after that."""

    def __init__(self, world: World, name: str) -> None:
        super().__init__(world, name)
        self.age = 0.0
        self.secrets = [self.fixed_hash]
        self.spoil: Callable[[str, str, bytes, Headers], tuple[str, str, bytes, Headers]] | None = None

    def request(self, method: str, path: str, body: bytes | str | None = None,
                headers: Mapping[str, str] | None = None) -> Reply:
        data = body.encode() if isinstance(body, str) else body or b""
        identifier, timestamp = uuid4().hex, str(int(time.time() - self.age))
        request = f"{method} {path}\n".encode() + data
        sent = {"Recaudo-Id": identifier, "Recaudo-Timestamp": timestamp, "Recaudo-Signature": " ".join(
            sign(secret, identifier, timestamp, request) for secret in self.secrets)}
        if self.spoil is not None:
            method, path, data, sent = self.spoil(method, path, data, sent)
        return super().request(method, path, data or None, {**sent, **(headers or {})})
