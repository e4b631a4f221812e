"""Shops as the service meets them: how each registers, sends its customer to the slip, and answers a notification."""

import hashlib
import json
import re
import socket
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any, Callable, Mapping
from urllib.parse import urlsplit

from tests.stack import Stack
from tests.stack.client import Network, Reply, porder_checksum, sha512
from tests.stack.dispatch_rig import DispatchRig, Merchant
from tests.stack.merchant_stub import Exchange, MerchantStub, Request
from tests.stack.paths import ROOT

NETWORK = "Red Norte"
EMAIL, AMOUNT = "ana@example.com", "45000.00"
COLOMBIA_BEHIND = timedelta(hours=5)
FORM, JSON = "application/x-www-form-urlencoded", "application/json"
numbers = count(1000)


def day_ahead(rig: DispatchRig, days: int = 30) -> str:
    return (rig.now() - COLOMBIA_BEHIND + timedelta(days=days)).strftime("%d/%m/%Y")


@dataclass
class Received:
    status: int
    text: str

    @property
    def data(self) -> Any:
        reply = json.loads(self.text)
        assert reply["CODE"] == "0000", self.text
        return reply["DATA"]


def exchange(stack: Stack, head: str, headers: Mapping[str, str], body: str = "") -> Received:
    """One request of a client that closes its connection. `head` is method, target and version."""
    address = urlsplit(stack.base_url)
    lines = [head, f"Host: {address.netloc}", *(f"{name}: {value}" for name, value in headers.items()),
             *([f"Content-Length: {len(body.encode())}"] if body else []), "Connection: close"]
    with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
        connection.sendall("\r\n".join([*lines, "", body]).encode())
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    top, _, rest = answer.partition(b"\r\n\r\n")
    return Received(int(top.split(b" ")[1]), rest.decode())


PAGE = (ROOT / "doc" / "shops.md").read_text()


def addresses(version: int) -> dict[str, str]:
    """The addresses that doc/shops.md tells to put into a plugin, without the host; 0 is plugin 2.5, 1 is 3.2."""
    rows = re.findall(r"^\| ([\w ]+) \|([^|\n]*)\|([^|\n]*)\|$", PAGE, re.MULTILINE)
    found = {row[0]: re.fullmatch(r" *`https://HOST(.*)` *", row[1 + version]) for row in rows}
    return {name: match[1] for name, match in found.items() if match}


PLUGIN_2_5, PLUGIN_3_2 = addresses(0), addresses(1)


# How a shop registers an order: the reply's DATA.

def order_fields(rig: DispatchRig, merchant: Merchant) -> dict[str, Any]:
    fields = {"merchant": merchant.name, "email": EMAIL, "country": "343", "order": str(next(numbers)), "money": "COP",
              "amount": AMOUNT, "description": "Pedido", "expiration": day_ahead(rig)}
    return {**fields, "checksum": porder_checksum(fields, merchant.fixed_hash)}


def python_client(stack: Stack, rig: DispatchRig, merchant: Merchant) -> Any:
    """Spaces after commas and colons, country as a number, JSON called so."""
    body = json.dumps({**order_fields(rig, merchant), "country": 343})
    return exchange(stack, "POST /api/v3/porders HTTP/1.1", {"Content-Type": JSON, "Accept": "*/*"}, body).data


def codeigniter_client(stack: Stack, rig: DispatchRig, merchant: Merchant) -> Any:
    """PHP's curl without a header of its own; it consults with a body."""
    fields = {**order_fields(rig, merchant), "country": 343, "iva": "0", "method": "", "recurrent": False}
    body = json.dumps(fields, separators=(",", ":")).replace("/", r"\/")
    data = exchange(stack, "POST /api/v3/porders/ HTTP/1.1", {"Content-Type": FORM}, body).data
    proof = sha512(data["OrdenID"], merchant.name, merchant.fixed_hash)
    target = f"/api/v3/porders/{data['OrdenID']}?merchant={merchant.name}&checksum={proof}"
    consulted = exchange(stack, f"GET {target} HTTP/1.1", {"Content-Type": JSON}, "[]").data
    assert (consulted["STATE"], consulted["REFERENCE"]) == ("PENDIENTE", data["Referencia"])
    return data


def plugin_2_5(stack: Stack, rig: DispatchRig, merchant: Merchant) -> Any:
    fields = {**order_fields(rig, merchant), "country": 343, "iva": "0", "language": "es", "recurrent": False}
    body = json.dumps(fields, separators=(",", ":")).replace("/", r"\/")
    head = f"POST {PLUGIN_2_5['registering']} HTTP/1.0"
    return exchange(stack, head, {"Content-Type": FORM, "User-Agent": "WordPress"}, body).data


def plugin_3_2(stack: Stack, rig: DispatchRig, merchant: Merchant) -> Any:
    """Asks for its settings, registers, and registers again while it forwards the customer."""
    headers = {"Content-Type": FORM, "User-Agent": "WordPress"}
    digest = hashlib.sha256(f"1000approved{merchant.fixed_hash}".encode()).hexdigest()
    keys = {"Pv_po_id": "1000", "Po_id": "1000", "Status": "approved", "MerName": merchant.name, "Checksum": digest}
    given = exchange(stack, f"POST {PLUGIN_3_2['settings']} HTTP/1.0", headers, json.dumps(keys)).data
    assert all(isinstance(given[name], str) for name in ("Token", "AmbProd", "AmbSand", "AmbDev"))
    order = str(next(numbers))
    fields = {"country": None, "merchant": merchant.name, "email": EMAIL, "order": order, "money": None, "iva": "0",
              "amount": AMOUNT, "description": f"Pedido #{order}", "language": "es", "recurrent": False,
              "expiration": day_ahead(rig), "checksum": sha512(EMAIL, order, AMOUNT, merchant.fixed_hash)}
    body = json.dumps(fields, separators=(",", ":")).replace("/", r"\/")
    head = f"POST {PLUGIN_3_2['registering']} HTTP/1.0"
    registered = exchange(stack, head, headers, body).data
    again = exchange(stack, head, headers, body)
    assert json.loads(again.text)["CODE"] == "0042"
    return registered


# Where a shop sends its customer.

def with_scheme(checkout: str) -> str:
    """The whole address, with the scheme in front; what follows the host."""
    return "/" + checkout.split("/", 1)[1]


def cut_at_equals(checkout: str) -> str:
    """The plugins keep what follows `=` and put the host in front."""
    slip = PLUGIN_2_5["the payment slip"]
    assert slip == PLUGIN_3_2["the payment slip"]
    return f"{slip or '/'}?token={checkout.split('=')[1]}"


# How a shop's receiver answers.

@dataclass
class Receiver:
    """Verifies pv_checksum and answers with `right`, else with `wrong`, both with HTTP 200."""
    stub: MerchantStub
    path: str
    right: str
    wrong: str = "ERROR checksum"
    algorithm: str = "sha256"
    media: str = "text/html; charset=UTF-8"
    merchant: Merchant | None = None
    secret: str | None = None  # instead of the merchant's
    url: str = field(init=False)

    def __post_init__(self) -> None:
        self.url = self.stub.on(self.path, self.answer)

    def verifies(self, request: Request) -> bool:
        assert self.merchant is not None
        message, secret = request.message, self.secret or self.merchant.notification_hash
        signed = message["po_id"] + message["status"] + secret
        return bool(hashlib.new(self.algorithm, signed.encode()).hexdigest() == message["pv_checksum"])

    def answer(self, exchange: Exchange) -> None:
        text = self.right if self.verifies(exchange.request) else self.wrong
        exchange.reply(200, text.encode(), Content_Type=self.media)


BROKEN_OK = '{ "status":"ok" "type":"update_status processing" }'
BROKEN_ERROR = '{ "status":"error" "type":"pv_checksum invalid" }'


@dataclass(frozen=True)
class Shop:
    register: Callable[[Stack, DispatchRig, Merchant], Any]
    follow: Callable[[str], str]
    right: str
    wrong: str
    media: str = "text/html; charset=UTF-8"
    algorithm: str = "sha256"
    options: tuple[str, ...] = ()


SHOPS = {
    "Python client and its receiver": Shop(python_client, with_scheme, "OK", "ERROR checksum"),
    "plugin 2.5 and its receiver": Shop(plugin_2_5, cut_at_equals, BROKEN_OK, BROKEN_ERROR),
    "plugin 3.2 and its receiver": Shop(plugin_3_2, cut_at_equals, BROKEN_OK.replace(" ", "\n\t"),
                                        BROKEN_ERROR.replace(" ", "\n\t")),
    "CodeIgniter client, Express receiver": Shop(codeigniter_client, with_scheme, '{"status":"OK"}',
                                                 '{"status":"ERROR"}', "application/json; charset=utf-8"),
    "Python client, SHA-512 receiver": Shop(python_client, with_scheme, "OK", "ERROR checksum",
                                            algorithm="sha512", options=("--notify-digest", "sha512")),
}


# A whole payment.

def granted(reply: Reply) -> Any:
    assert reply.code == "0000", reply.text
    return reply.data


def pay(stack: Stack, reference: str, network_hash: str) -> None:
    """What the network does when the customer comes with the reference."""
    with Network(stack.base_url, NETWORK, network_hash) as network:
        commerce = granted(network.lookup(reference))["COMMERCE"]
        transaction = f"T.{reference}"
        granted(network.register(reference, AMOUNT, transaction, commerce))
        granted(network.confirm(transaction))


def register_and_pay(stack: Stack, rig: DispatchRig, merchant: Merchant, network_hash: str) -> None:
    pay(stack, python_client(stack, rig, merchant)["Referencia"], network_hash)
