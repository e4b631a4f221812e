"""POST /api/v3/wporders and /api/v3/wpkeys: what the WooCommerce plugin 3.2 sends."""

import hashlib
import socket
from pathlib import Path
from typing import Any, Iterator
from urllib.parse import urlsplit

import pytest

from checked import CheckedMerchant, CheckedNetwork, check_form, expect, reply_in
from tests.stack.client import Reply, sha512
from world import World

pytestmark = pytest.mark.web

# One whole request as the plugin writes it, from a merchant whose FIXED_HASH is known.
DEMO_HASH = "FIXEDHASH-DEMO"
DEMO = (r'{"country":null,"merchant":"demo","email":"ana@example.com","order":"1234","money":null,"iva":"0",'
        r'"amount":"45000.00","description":"Pedido #1234","language":"es","recurrent":false,'
        r'"expiration":"30\/08\/2026","checksum":"59152bf424f0d827d5648ef44b4a7a6e5968fec4d58693f3bffeb392307f4c3245b0'
        r'56f8a75b8b656da357bfd61608d80495b49fd94e19b4f7666c068d4d617e"}')
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
COSTA_RICA = "tico"


@pytest.fixture(scope="module")
def demo(world: World, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The FIXED_HASH of the example has fewer bytes than a good one."""
    file: Path = tmp_path_factory.mktemp("demo") / "hash"
    file.write_text(DEMO_HASH)
    file.chmod(0o600)
    world.add_merchant("demo", "Demo", "--hash-file", str(file), "--weak-secret")
    world.add_merchant(COSTA_RICA, "Tico", "--country", "314")
    return "demo"


@pytest.fixture(params=["/v1", "/api/v3"])
def plugin(world: World, demo: str, request: pytest.FixtureRequest) -> Iterator[CheckedMerchant]:
    """Under the path of ours, and the one that the plugin knows."""
    with world.connect_merchant(demo, base=request.param) as merchant:
        yield merchant


def order_of(world: World, sender: CheckedMerchant, **others: Any) -> dict[str, Any]:
    fields = {"country": None, "merchant": sender.name, "email": "ana@example.com", "order": world.fresh_number(),
              "money": None, "iva": "0", "amount": "45000.00", "description": "Pedido #7", "language": "es",
              "recurrent": False, "expiration": world.day(), **others}
    return {**fields, "checksum": sha512(fields["email"], fields["order"], fields["amount"], sender.fixed_hash)}


def keys_of(merchant: CheckedMerchant, **others: Any) -> dict[str, Any]:
    fields = {"Pv_po_id": "1000", "Po_id": "1000", "Status": "approved", "MerName": merchant.name}
    digest = hashlib.sha256(f"1000approved{merchant.fixed_hash}".encode()).hexdigest()
    return {**fields, "Checksum": digest, **others}


def post(merchant: CheckedMerchant, name: str, fields: Any) -> Reply:
    return merchant.send_json("POST", f"{merchant.base}/{name}", fields)


def raw_post(world: World, path: str, body: str) -> Reply:
    """HTTP/1.0, JSON called a form, and no connection to keep."""
    address = urlsplit(world.stack.base_url)
    head = (f"POST {path} HTTP/1.0\r\nHost: {address.netloc}\r\nUser-Agent: WordPress/6.4; https://shop.example.com\r\n"
            f"Content-Type: {FORM['Content-Type']}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n")
    with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
        connection.sendall((head + body).encode())
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answer.startswith((b"HTTP/1.0 200 ", b"HTTP/1.1 200 ")), answer[:40]
    return reply_in(answer)


def test_the_example(world: World, demo: str, network: CheckedNetwork) -> None:
    """Its checksum is right, so the day that is over is what it is refused for."""
    expect(raw_post(world, "/api/v3/wporders", DEMO), "0032")
    body = DEMO.replace(r"30\/08\/2026", world.day().replace("/", r"\/"))
    data = expect(raw_post(world, "/api/v3/wporders", body), "0000").data
    row = world.porder_row("1234", demo)
    assert (row["country"], row["currency"], row["amount"], row["language"]) == (343, "COP", 45000, "es")
    assert data == {"Monto": "45000.0", "Operacion": "CREADA", "OrdenID": "1234", "PVordenID": str(row["id"]),
                    "Referencia": row["reference"], "checkout": f"localhost/pay?token={row['token']}"}
    assert expect(network.lookup(row["reference"]), "0000").data["COMMERCE"] == "Demo"
    expect(raw_post(world, "/api/v3/wporders", body), "0042")
    expect(raw_post(world, "/api/v3/wporders", body.replace("45000.00", "45000.01")), "0025")


def test_country_and_money_are_the_merchants_own(world: World, plugin: CheckedMerchant) -> None:
    with world.connect_merchant(COSTA_RICA, base=plugin.base) as merchant:
        for others in ({}, {"country": "", "money": ""}, {"country": 314, "money": "CRC"}, {"country": "314"}):
            fields = order_of(world, merchant, **others)
            expect(post(merchant, "wporders", fields), "0000")
            row = world.porder_row(fields["order"], COSTA_RICA)
            assert (row["country"], row["currency"]) == (314, "CRC")


@pytest.mark.parametrize("others, code, word", [
    ({"country": 314}, "0022", "country"), ({"country": "x"}, "0022", "country"), ({"money": "CRC"}, "0026", ""),
    ({"money": "ZZZ"}, "0023", "money"), ({"amount": "45.000"}, "0021", "amount"),
    ({"expiration": "31/02/2099"}, "0031", "expiration"), ({"description": ""}, "0011", "description"),
    ({"merchant": "nobody"}, "0025", ""), ({"recurrent": True}, "0011", "recurrent")])
def test_refused(world: World, plugin: CheckedMerchant, others: dict[str, Any], code: str, word: str) -> None:
    with world.nothing_written():
        expect(post(plugin, "wporders", order_of(world, plugin, **others)), code, word)


def test_the_checksum_of_the_other_path_does_not_fit(world: World, plugin: CheckedMerchant) -> None:
    fields = order_of(world, plugin, country="343", money="COP")
    whole = sha512("ana@example.com", "343", fields["order"], "COP", "45000.00", plugin.fixed_hash)
    with world.nothing_written():
        expect(post(plugin, "wporders", {**fields, "checksum": whole}), "0025")
        expect(post(plugin, "porders", fields), "0025")
        expect(post(plugin, "porders", {**fields, "country": None}), "0011", "country")


def test_keys(world: World, plugin: CheckedMerchant) -> None:
    names = {"Token": "", "AmbProd": "Produccion", "AmbSand": "Pruebas", "AmbDev": "Desarrollo"}
    with world.nothing_written():
        for fields in (keys_of(plugin), keys_of(plugin, Pv_po_id=1000, Po_id=1000), keys_of(plugin, Pv_po_id=None)):
            reply = expect(post(plugin, "wpkeys", fields), "0000")
            assert reply.json == {"CODE": "0000", "TEXT": "OK", "DESC": "OK", "DATA": names}


@pytest.mark.parametrize("others, code, word", [
    ({"Po_id": "1001"}, "0025", ""), ({"Status": "cancelled"}, "0025", ""), ({"MerName": "nobody"}, "0025", ""),
    ({"Checksum": "0" * 64}, "0025", ""), ({"Po_id": None}, "0011", "Po_id"), ({"Status": ""}, "0011", "Status"),
    ({"Pv_po_id": "x"}, "0011", "Pv_po_id"), ({"MerName": None}, "0011", "MerName"), ({"Checksum": None}, "0011", "")])
def test_keys_refused(plugin: CheckedMerchant, others: dict[str, Any], code: str, word: str) -> None:
    expect(post(plugin, "wpkeys", keys_of(plugin, **others)), code, word)


@pytest.mark.parametrize("name", ["wporders", "wpkeys"])
def test_as_the_other_requests_of_merchants(world: World, plugin: CheckedMerchant, name: str) -> None:
    path = f"{plugin.base}/{name}"
    assert expect(plugin.request("GET", path), "0142").headers["Allow"] == "POST"
    expect(plugin.request("POST", path, b"merchant=demo&order=1"), "0140", "form-encoded")
    expect(plugin.request("POST", path, b'{"x":"' + b"y" * 17_000 + b'"}'), "0144")
    expect(plugin.request("POST", f"{path}/1", b"{}"), "0141")
    expect(plugin.request("POST", f"{path}/", b"{}"), "0011")
    expect(plugin.request("POST", path, b"{}", FORM), "0011")
    check_form(raw_post(world, path, "{}"))


def test_disabled(world: World, plugin: CheckedMerchant) -> None:
    name = world.fresh("closed")
    world.add_merchant(name, "Closed")
    world.stack.ctl.run("merchant", "disable", name)
    with world.connect_merchant(name, base=plugin.base) as merchant:
        cause = "not authorised: this merchant is disabled: ask the operator"
        for path, fields, checksum in (("wporders", order_of(world, merchant), "checksum"),
                                       ("wpkeys", keys_of(merchant), "Checksum")):
            expect(post(merchant, path, fields), "0019", cause)
            assert "disabled" not in expect(post(merchant, path, {**fields, checksum: "0" * 128}), "0025").text
