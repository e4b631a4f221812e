"""A signed request of a network is good for nothing else: transaction ids that no reference can be, and signatures over all of it."""

import json
from typing import Any

import pytest

from callers import Caller
from checked import expect
from signing import Headers, SigningNetwork
from tests.stack import wait_until
from tests.stack.client import lookup_checksum
from world import COMMERCE, World

pytestmark = pytest.mark.web

TAKES_EFFECT = 30.0


def network(world: World, *options: str) -> str:
    name = world.fresh("red")
    world.hashes[name] = world.stack.ctl.json("network", "add", name, *options)["fixed_hash"]
    return name


def registered_as_reference(world: World, caller: Caller) -> str:
    """A transaction whose id could be a reference: digits alone, as the specification allows."""
    transaction = world.fresh_number()
    expect(caller.register(world.order().reference, "45000", transaction, COMMERCE), "0000")
    return transaction


def set_and_await(world: World, caller: Caller, code: str, *options: str) -> None:
    """Sets the network so; every worker knows it when all refuse (or take) a plain id so."""
    world.stack.ctl.done("network", "set", caller.name, *options)
    wait_until(lambda: all(plain_registration(world, caller) == code for _ in range(20)), code, TAKES_EFFECT)


def plain_registration(world: World, caller: Caller) -> str:
    return caller.register("1", "45000", "815", COMMERCE).code


def attack(world: World, caller: Caller, transaction: str) -> Any:
    """Who types a transaction id as a reference gets a checksum from the terminal, and sends it as that of a confirmation."""
    checksum = lookup_checksum(caller.name, transaction, caller.fixed_hash)
    return caller.confirm(transaction, checksum=checksum)


def test_any_ids_let_a_lookup_confirm(world: World) -> None:
    """What the specification's recipes allow, and the reason for the others."""
    with Caller(world, network(world)) as caller:
        transaction = registered_as_reference(world, caller)
        expect(attack(world, caller, transaction), "0000")
        assert world.transaction(transaction, caller.name)["state"] == "CONFIRMADA"


def test_distinct_ids_do_not(world: World) -> None:
    with Caller(world, network(world, "--transaction-ids", "distinct")) as caller:
        reference = world.order().reference
        for plain in (world.fresh_number(), "T-1", "abc", "-"):
            with world.nothing_written():
                expect(caller.register(reference, "45000", plain, COMMERCE), "0011", "transaction", "no reference has")
                expect(attack(world, caller, plain), "0011", "transaction", "no reference has")
                expect(caller.confirm(plain), "0011")
                expect(caller.confirm(plain, False), "0011")
        for distinct in (f"T.{world.fresh()}", f"{world.fresh_number()}_", f"{world.fresh()} ñ"):
            expect(caller.register(reference, "45000", distinct, COMMERCE), "0000")
        expect(caller.confirm(distinct), "0000")


def test_what_was_registered_before_can_be_confirmed_for_a_day(world: World) -> None:
    with Caller(world, network(world)) as caller:
        first, second = registered_as_reference(world, caller), registered_as_reference(world, caller)
        set_and_await(world, caller, "0011", "--transaction-ids", "distinct")
        expect(caller.confirm(first), "0000")
        expect(caller.confirm(first, False), "0000")
        world.write("UPDATE networks SET distinct_from = distinct_from - INTERVAL 1 DAY WHERE name = %s", caller.name)
        wait_until(lambda: all(caller.confirm(first, False).code == "0011" for _ in range(20)), "0011", TAKES_EFFECT)
        with world.nothing_written():
            expect(attack(world, caller, second), "0011")
        set_and_await(world, caller, "0101", "--transaction-ids", "any")
        expect(caller.confirm(second), "0000")


def test_a_required_signature_stops_the_attack(world: World) -> None:
    with SigningNetwork(world, network(world, "--signature", "required")) as signing, Caller(world, signing.name) as other:
        expect(signing.lookup("1"), "0101")
        transaction = world.fresh_number()
        expect(signing.register(world.order().reference, "45000", transaction, COMMERCE), "0000")
        with world.nothing_written():
            expect(other.lookup("1"), "0025", "Recaudo-Signature", "missing")
            expect(other.register("1", "45000", world.fresh(), COMMERCE), "0025", "Recaudo-Signature")
            expect(attack(world, other, transaction), "0025", "Recaudo-Signature")
            signing.spoil = steal_headers(signing, transaction)
            expect(attack(world, signing, transaction), "0025", "is not valid for this request")
        signing.spoil = None
        expect(signing.confirm(transaction), "0000")


def steal_headers(signing: SigningNetwork, typed: str) -> Any:
    """The signature that the terminal makes for a lookup of `typed`, in the place of that of the request."""
    stolen: Headers = {}

    def keep(method: str, path: str, data: bytes, sent: Headers) -> tuple[str, str, bytes, Headers]:
        stolen.update(sent)
        return method, path, data, sent

    signing.spoil = keep
    signing.lookup(typed)
    return lambda method, path, data, sent: (method, path, data, dict(stolen))


@pytest.fixture(scope="module")
def strict(world: World) -> str:
    return network(world, "--signature", "required")


@pytest.mark.parametrize("age, code", [(0, "0101"), (290, "0101"), (-290, "0101"), (310, "0025"), (-310, "0025"), (86400, "0025")])
def test_tolerance(world: World, strict: str, age: float, code: str) -> None:
    with SigningNetwork(world, strict) as signing:
        signing.age = age
        expect(signing.lookup("1"), code)


def with_header(name: str, value: str | None) -> Any:
    def spoil(method: str, path: str, data: bytes, sent: Headers) -> tuple[str, str, bytes, Headers]:
        changed = {**sent, name: value} if value is not None else {key: sent[key] for key in sent if key != name}
        return method, path, data, changed
    return spoil


@pytest.mark.parametrize("name, value, words", [
    ("Recaudo-Id", None, "Recaudo-Id is missing"), ("Recaudo-Id", "", "Recaudo-Id is missing"), ("Recaudo-Id", "a.b", "Recaudo-Id"),
    ("Recaudo-Id", "x" * 65, "Recaudo-Id"), ("Recaudo-Id", "other", "is not valid for this request"),
    ("Recaudo-Timestamp", None, "Recaudo-Timestamp is missing"), ("Recaudo-Timestamp", "", "Recaudo-Timestamp is missing"),
    ("Recaudo-Timestamp", "now", "Recaudo-Timestamp"), ("Recaudo-Timestamp", "-1", "Recaudo-Timestamp"),
    ("Recaudo-Timestamp", "1" * 13, "Recaudo-Timestamp"), ("Recaudo-Timestamp", "9" * 12, "Recaudo-Timestamp"),
    ("Recaudo-Signature", None, "Recaudo-Signature is missing"), ("Recaudo-Signature", "", "Recaudo-Signature is missing"), ("Recaudo-Signature", "v1,", "is not valid for this request"),
    ("Recaudo-Signature", "v1," + "A" * 43 + "=", "is not valid for this request"), ("Recaudo-Signature", "x" * 5000, "is not valid for this request")])
def test_wrong_headers(world: World, strict: str, name: str, value: str | None, words: str) -> None:
    with SigningNetwork(world, strict) as signing:
        signing.spoil = with_header(name, value)
        expect(signing.lookup("1"), "0025", words)


def other_body(method: str, path: str, data: bytes, sent: Headers) -> tuple[str, str, bytes, Headers]:
    """A field that no checksum covers: `confirm` itself, or the teller."""
    return method, path, data.replace(b'"true"', b'"false"').replace(b"192.0.2.10", b"192.0.2.11"), sent


def other_path(method: str, path: str, data: bytes, sent: Headers) -> tuple[str, str, bytes, Headers]:
    return method, path.rstrip("/"), data, sent


def other_query(method: str, path: str, data: bytes, sent: Headers) -> tuple[str, str, bytes, Headers]:
    return method, path + "&x=1", data, sent


def test_altered_requests(world: World, strict: str) -> None:
    with SigningNetwork(world, strict) as signing:
        reference, transaction = world.order().reference, world.fresh()
        for spoil in (other_body, other_path):
            signing.spoil = spoil
            expect(signing.register(reference, "45000", transaction, COMMERCE), "0025", "is not valid for this request")
        signing.spoil = None
        expect(signing.register(reference, "45000", transaction, COMMERCE), "0000")
        for spoil in (other_body, other_path):
            signing.spoil = spoil
            expect(signing.confirm(transaction), "0025", "is not valid for this request")
        signing.spoil = other_query
        expect(signing.lookup(reference), "0025", "is not valid for this request")


def test_another_method(world: World, strict: str) -> None:
    """A registration's signature under a PATCH with the same body."""
    with SigningNetwork(world, strict) as signing:
        reference, transaction = world.order().reference, world.fresh()
        expect(signing.register(reference, "45000", transaction, COMMERCE), "0000")
        fields = json.dumps(signing.confirmation(transaction))
        signing.spoil = lambda method, path, data, sent: ("PATCH", path, data, sent)
        expect(signing.request("POST", "/v1/transactions/", fields, {"Content-Type": "application/json"}), "0025", "is not valid for this request")


def test_accepted_refuses_only_wrong_ones(world: World) -> None:
    with SigningNetwork(world, network(world, "--signature", "accepted")) as signing, Caller(world, signing.name) as plain:
        expect(plain.lookup("1"), "0101")
        expect(signing.lookup("1"), "0101")
        signing.age = 3600
        expect(signing.lookup("1"), "0025", "Recaudo-Timestamp")


@pytest.fixture(scope="module")
def lenient(world: World) -> str:
    return network(world, "--signature", "accepted")


@pytest.mark.parametrize("left_out", [("Recaudo-Id",), ("Recaudo-Timestamp",), ("Recaudo-Signature",), ("Recaudo-Timestamp", "Recaudo-Signature"),
                                      ("Recaudo-Id", "Recaudo-Signature"), ("Recaudo-Id", "Recaudo-Timestamp")])
@pytest.mark.parametrize("empty", [False, True])
def test_accepted_needs_all_three_or_none(world: World, lenient: str, left_out: tuple[str, ...], empty: bool) -> None:
    """A misspelt header is a missing one: whoever believes to sign hears of it."""
    def spoil(method: str, path: str, data: bytes, sent: Headers) -> tuple[str, str, bytes, Headers]:
        changed = {name if name not in left_out or empty else f"{name}s": "" if name in left_out and empty else sent[name] for name in sent}
        return method, path, data, changed

    with SigningNetwork(world, lenient) as signing:
        signing.spoil = spoil
        named = "Recaudo-Signature" if "Recaudo-Signature" in left_out else left_out[0]
        expect(signing.lookup("1"), "0025", f"the header {named} is missing")


def test_who_still_sends_unsigned_requests(world: World) -> None:
    """Known while the signature is `accepted` only; a signed request writes nothing."""
    name = network(world, "--signature", "accepted")

    def used_at() -> Any:
        return world.stack.ctl.json("network", "show", name)["unsigned_used_at"]

    with SigningNetwork(world, name) as signing, Caller(world, name) as plain:
        expect(signing.lookup("1"), "0101")
        assert used_at() is None
        expect(plain.lookup("1"), "0101")
        first = used_at()
        assert first is not None
        (row,) = world.rows("SELECT UTC_TIMESTAMP(6) >= used_at AS past FROM unsigned_uses u JOIN networks n ON n.id = network_id WHERE name = %s", name)
        assert row["past"] == 1
        for rule in ("required", "accepted"):
            world.stack.ctl.done("network", "set", name, "--signature", rule)
            assert used_at() is None
    with Caller(world, network(world)) as off:
        expect(off.lookup("1"), "0101")
        assert world.rows("SELECT 1 FROM unsigned_uses u JOIN networks n ON n.id = network_id WHERE name = %s", off.name) == []


def test_off_looks_at_none(world: World) -> None:
    with SigningNetwork(world, network(world)) as signing:
        signing.age = 3600
        expect(signing.lookup("1"), "0101")


def test_without_the_secret_nothing_is_learned(world: World, strict: str) -> None:
    with SigningNetwork(world, strict) as signing:
        signing.spoil = with_header("Recaudo-Signature", None)
        assert signing.lookup("1", checksum="0" * 128).json["TEXT"].startswith("checksum not valid: checksum must be")


def test_rotation(world: World) -> None:
    """Both secrets sign until the end of the old one; a header may hold both signatures."""
    name = network(world, "--signature", "required")
    with SigningNetwork(world, name) as old:
        expect(old.lookup("1"), "0101")
        world.hashes[name] = world.stack.ctl.json("network", "rotate", name)["fixed_hash"]
        with SigningNetwork(world, name) as new:
            for _ in range(10):
                expect(new.lookup("1"), "0101")
                expect(old.lookup("1"), "0101")
            new.secrets = ["another", old.fixed_hash]
            expect(new.lookup("1"), "0101")
            new.secrets = ["another"]
            expect(new.lookup("1"), "0025", "is not valid for this request")
            new.secrets = [new.fixed_hash]
            world.stack.ctl.done("network", "rotate", name, "--end")
            wait_until(lambda: all(old.lookup("1").code == "0025" for _ in range(20)), "0025", TAKES_EFFECT)
            new.secrets = [old.fixed_hash]
            wait_until(lambda: new.lookup("1").code == "0025", "it in the process that serves this connection", TAKES_EFFECT)
            expect(new.lookup("1"), "0025", "is not valid for this request")
