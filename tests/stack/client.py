"""What the programs of collection networks and merchants do: checksums and requests."""

import hashlib
import http.client
import json
import socket
from dataclasses import dataclass
from typing import Any, Mapping, Sequence
from urllib.parse import quote, urlencode, urlsplit


def sha512(*texts: str) -> str:
    return hashlib.sha512("".join(texts).encode()).hexdigest()


def lookup_checksum(name: str, reference: str, fixed_hash: str) -> str:
    return sha512(name, reference, fixed_hash)


def registration_checksum(fields: Mapping[str, str], fixed_hash: str) -> str:
    return sha512(fields["name"], fields["reference"], fields["amount"], fields["transaction"], fixed_hash)


def confirmation_checksum(name: str, transaction: str, fixed_hash: str) -> str:
    return sha512(name, transaction, fixed_hash)


def porder_checksum(fields: Mapping[str, str], fixed_hash: str) -> str:
    """Of registering and changing a purchase order."""
    return sha512(*(fields[name] for name in ("email", "country", "order", "money", "amount")), fixed_hash)


def porder_query_checksum(order: str, merchant: str, fixed_hash: str) -> str:
    """Of consulting and deleting one."""
    return sha512(order, merchant, fixed_hash)


def refund_checksum(order: str, merchant: str, amount: str, fixed_hash: str) -> str:
    return sha512("refund", order, merchant, amount, fixed_hash)


@dataclass
class Reply:
    status: int
    headers: http.client.HTTPMessage
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def code(self) -> str:
        return str(self.json["CODE"])

    @property
    def data(self) -> Any:
        return self.json["DATA"]


class Client:
    """Requests over one kept connection. Of several web hosts it turns to the next after one that failed."""

    def __init__(self, base_url: str | Sequence[str], timeout: float = 60.0) -> None:
        addresses = [urlsplit(url) for url in ([base_url] if isinstance(base_url, str) else base_url)]
        self.doors = [(address.hostname or "127.0.0.1", address.port or 80) for address in addresses]
        self.timeout = timeout
        self._connect()

    def _connect(self) -> None:
        self.host, self.port = self.doors[0]
        self.connection = http.client.HTTPConnection(self.host, self.port, timeout=self.timeout)

    def turn_to_next(self) -> None:
        self.connection.close()
        if len(self.doors) > 1:
            self.doors.append(self.doors.pop(0))
            self._connect()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.connection.close()

    def request(self, method: str, path: str, body: bytes | str | None = None,
                headers: Mapping[str, str] | None = None) -> Reply:
        """Sends one request. After an error the connection is closed and the next request opens another."""
        data = body.encode() if isinstance(body, str) else body
        try:
            self.connection.request(method, path, data, dict(headers or {}))
            response = self.connection.getresponse()
            reply = Reply(response.status, response.msg, response.read().decode())
        except BaseException:
            self.turn_to_next()
            raise
        if reply.status >= 500 and len(self.doors) > 1:
            self.turn_to_next()
        return reply

    def send_json(self, method: str, path: str, fields: Any) -> Reply:
        return self.request(method, path, json.dumps(fields), {"Content-Type": "application/json"})


class Network(Client):
    """A collection network with its name and FIXED_HASH. A `checksum` that is given is sent instead of the right one."""

    def __init__(self, base_url: str | Sequence[str], name: str, fixed_hash: str, timeout: float = 60.0) -> None:
        super().__init__(base_url, timeout)
        self.name = name
        self.fixed_hash = fixed_hash

    def lookup_path(self, reference: str, checksum: str | None = None) -> str:
        right = lookup_checksum(self.name, reference, self.fixed_hash)
        query = urlencode({"name": self.name, "checksum": right if checksum is None else checksum})
        return f"/v1/orders/{quote(reference, safe='')}?{query}"

    def lookup(self, reference: str, checksum: str | None = None) -> Reply:
        return self.request("GET", self.lookup_path(reference, checksum))

    def registration(self, reference: str, amount: str, transaction: str, commerce: str, money: str = "COP",
                     checksum: str | None = None, **others: str) -> dict[str, str]:
        fields = {"name": self.name, "reference": reference, "amount": amount, "transaction": transaction,
                  "commerce": commerce, "teller": "192.0.2.10", "money": money, **others}
        fields["checksum"] = registration_checksum(fields, self.fixed_hash) if checksum is None else checksum
        return fields

    def register(self, reference: str, amount: str, transaction: str, commerce: str, money: str = "COP",
                 checksum: str | None = None, **others: str) -> Reply:
        fields = self.registration(reference, amount, transaction, commerce, money, checksum, **others)
        return self.send_json("POST", "/v1/transactions/", fields)

    def confirmation(self, transaction: str, confirm: bool = True, checksum: str | None = None) -> dict[str, str]:
        right = confirmation_checksum(self.name, transaction, self.fixed_hash)
        return {"name": self.name, "transaction": transaction, "confirm": "true" if confirm else "false",
                "checksum": right if checksum is None else checksum}

    def confirm(self, transaction: str, confirm: bool = True, checksum: str | None = None) -> Reply:
        return self.send_json("PATCH", "/v1/transactions/", self.confirmation(transaction, confirm, checksum))


class Merchant(Client):
    """A merchant with its name and FIXED_HASH; `base` is where its orders are."""

    def __init__(self, base_url: str | Sequence[str], name: str, fixed_hash: str, timeout: float = 60.0,
                 base: str = "/v1/porders") -> None:
        super().__init__(base_url, timeout)
        self.name = name
        self.fixed_hash = fixed_hash
        self.base = base

    def porder(self, order: str, expiration: str, amount: str = "45000", **others: str) -> dict[str, str]:
        """The body that registers or changes an order, in Colombia where `others` do not say otherwise."""
        fields = {"merchant": self.name, "email": "ana@example.com", "country": "343", "order": order, "money": "COP",
                  "amount": amount, "description": "Zapatos rojos", "language": "es", "expiration": expiration,
                  "iva": "19", **others}
        return {**fields, "checksum": porder_checksum(fields, self.fixed_hash)}

    def query_path(self, order: str, checksum: str | None = None) -> str:
        right = porder_query_checksum(order, self.name, self.fixed_hash)
        query = urlencode({"merchant": self.name, "checksum": right if checksum is None else checksum})
        return f"{self.base}/{quote(order, safe='')}?{query}"

    def consult(self, order: str) -> Reply:
        return self.request("GET", self.query_path(order))

    def delete(self, order: str) -> Reply:
        return self.request("DELETE", self.query_path(order))

    def refund(self, order: str, amount: str, /, **others: str) -> Reply:
        fields = {"merchant": self.name, "order": order, "amount": amount,
                  "checksum": refund_checksum(order, self.name, amount, self.fixed_hash), **others}
        return self.send_json("POST", f"{self.base}/{order}/refund", fields)


def raw_request(base_url: str, data: bytes, timeout: float = 60.0, end_sending: bool = False) -> bytes:
    """Sends bytes as they are and returns everything that comes back until the server closes.

    A server that has replied without reading all may reset the connection: what came before that is its reply.
    """
    address = urlsplit(base_url)
    with socket.create_connection((address.hostname or "127.0.0.1", address.port or 80), timeout) as connection:
        connection.sendall(data)
        if end_sending:
            connection.shutdown(socket.SHUT_WR)
        received = b""
        try:
            while chunk := connection.recv(65536):
                received += chunk
        except ConnectionResetError:
            if not received:
                raise
        return received
