"""Who may call: networks and merchants that are switched off, and how soon that takes effect."""

from dataclasses import dataclass

import pytest

from checked import CheckedClient, CheckedMerchant, CheckedNetwork, expect
from tests.stack import wait_until
from world import COMMERCE, MERCHANT, NETWORK, Order, World

pytestmark = pytest.mark.web

# Credentials and merchants are remembered for at most five seconds; the sixth is the test's own time.
# 5 s by the protocol; a busy machine takes longer for the requests that look.
TAKES_EFFECT = 30.0


@dataclass
class Switched:
    """What has been switched just now, all of it known to the workers."""

    disabled: CheckedNetwork
    registered: str
    rotated: CheckedNetwork
    new_secret: str
    merchant: str
    order: Order
    early: dict[str, str]


def known_network(world: World) -> CheckedNetwork:
    name = world.fresh("red")
    world.add_network(name)
    network = world.connect(name)
    for _ in range(20):
        expect(network.lookup("1"), "0101")
    return network


@pytest.fixture(scope="module")
def switched(world: World) -> Switched:
    disabled, rotated = known_network(world), known_network(world)
    merchant = world.fresh("tienda")
    world.add_merchant(merchant, merchant)
    order = world.order(merchant=merchant)
    registered = world.register(disabled, world.order())
    with world.connect() as network:
        early = network.registration(order.reference, "45000", world.fresh(), merchant)
        expect(network.post(early), "0000")
    world.stack.ctl.done("network", "disable", disabled.name)
    world.stack.ctl.done("merchant", "disable", merchant)
    new_secret = world.stack.ctl.json("network", "rotate", rotated.name, "--now")["fixed_hash"]
    return Switched(disabled, registered, rotated, new_secret, merchant, order, early)


def await_lookup(network: CheckedNetwork, reference: str, code: str) -> None:
    """Every worker process remembers for itself: ask until all must have forgotten."""
    wait_until(lambda: all(network.lookup(reference).code == code for _ in range(20)), f"lookups to get {code}",
               TAKES_EFFECT)


def test_disabled_network(world: World, switched: Switched) -> None:
    network = switched.disabled
    await_lookup(network, "1", "0019")
    order = world.order()
    cause = "not authorised: this network is disabled"
    with world.nothing_written():
        expect(network.lookup("1"), "0019", cause)
        expect(network.register(order.reference, "45000", world.fresh(), COMMERCE), "0019", cause)
        expect(network.confirm(switched.registered), "0019", cause)
        expect(network.confirm(switched.registered, False), "0019", cause)
        assert "disabled" not in expect(network.lookup("1", checksum="0" * 128), "0025").text


def test_disabled_merchant(world: World, network: CheckedNetwork, switched: Switched) -> None:
    await_lookup(network, switched.order.reference, "0019")
    cause = "not authorised: the merchant of this reference is disabled"
    with world.nothing_written():
        expect(network.lookup(switched.order.reference), "0019", cause)
        expect(network.register(switched.order.reference, "45000", world.fresh(), switched.merchant), "0019", cause)
        expect(network.post(switched.early), "0000")


def test_new_secret(switched: Switched) -> None:
    assert switched.new_secret != switched.rotated.fixed_hash
    await_lookup(switched.rotated, "1", "0025")
    with CheckedNetwork(f"http://{switched.rotated.host}:{switched.rotated.port}", switched.rotated.name,
                        switched.new_secret) as network:
        expect(network.lookup("1"), "0101")


def test_new_secret_is_good_at_once(world: World) -> None:
    """Also for workers that remember the old one, which is then good no more."""
    old = known_network(world)
    new_secret = world.stack.ctl.json("network", "rotate", old.name, "--now")["fixed_hash"]
    with CheckedNetwork(world.stack.base_url, old.name, new_secret) as network:
        for _ in range(20):
            expect(network.lookup("1"), "0101")
    await_lookup(old, "1", "0025")


@pytest.fixture(scope="module")
def enabled(world: World, switched: Switched) -> Switched:
    with world.connect() as network:
        await_lookup(network, switched.order.reference, "0019")
    await_lookup(switched.disabled, "1", "0019")
    world.stack.ctl.done("network", "enable", switched.disabled.name)
    world.stack.ctl.done("merchant", "enable", switched.merchant)
    return switched


def test_network_enabled_again(enabled: Switched) -> None:
    await_lookup(enabled.disabled, "1", "0101")
    expect(enabled.disabled.confirm(enabled.registered), "0000")


def test_merchant_enabled_again(world: World, network: CheckedNetwork, enabled: Switched) -> None:
    await_lookup(network, enabled.order.reference, "0000")
    expect(network.register(enabled.order.reference, "45000", world.fresh(), enabled.merchant), "0000")


def await_consult(merchant: CheckedMerchant, code: str) -> None:
    wait_until(lambda: all(merchant.consult("none").code == code for _ in range(20)), f"consultations to get {code}",
               TAKES_EFFECT)


def test_merchants_own_requests(world: World) -> None:
    """Disabled, enabled again, with a new secret: known to all workers within seconds."""
    name = world.fresh("tienda")
    world.add_merchant(name, name)
    with world.connect_merchant(name) as merchant:
        for _ in range(20):
            expect(merchant.consult("none"), "0041")
        world.stack.ctl.done("merchant", "disable", name)
        await_consult(merchant, "0019")
        with world.nothing_written():
            body = merchant.porder(world.fresh("po"), world.day())
            expect(merchant.post(body), "0019")
            expect(merchant.patch(body), "0019")
            expect(merchant.delete("none"), "0019")
            expect(merchant.refund("none", "1"), "0019")
            expect(merchant.post({**body, "checksum": "0" * 128}), "0025")
        world.stack.ctl.done("merchant", "enable", name)
        await_consult(merchant, "0041")
        new_secret = world.stack.ctl.json("merchant", "rotate", name, "--overlap", "0")["fixed_hash"]
        await_consult(merchant, "0025")
    world.merchant_hashes[name] = new_secret
    with world.connect_merchant(name) as merchant:
        expect(merchant.consult("none"), "0041")


def test_both_secrets_of_a_merchant(world: World) -> None:
    """Until the end of the old one; moved into the past here."""
    name = world.fresh("tienda")
    world.add_merchant(name, name)
    new_secret = world.stack.ctl.json("merchant", "rotate", name)["fixed_hash"]
    with world.connect_merchant(name) as old, CheckedMerchant(world.stack.base_url, name, new_secret) as new:
        for merchant in (old, new):
            expect(merchant.consult("none"), "0041")
            expect(merchant.post(merchant.porder(world.fresh("po"), world.day())), "0000")
        assert world.stack.ctl.json("merchant", "show", name)["old_hash_used_at"] is not None
        world.stack.mariadb.query("UPDATE merchants SET old_hash_until = UTC_TIMESTAMP(6) WHERE name = %s", name)
        await_consult(old, "0025")
        expect(new.consult("none"), "0041")
    world.merchant_hashes[name] = new_secret


def test_a_network_is_no_merchant(world: World, network: CheckedNetwork, client: CheckedClient) -> None:
    """A name and its secret are good for one kind of caller."""
    with CheckedMerchant(f"http://{client.host}:{client.port}", network.name, network.fixed_hash) as merchant:
        expect(merchant.consult("none"), "0025")
    with CheckedNetwork(f"http://{client.host}:{client.port}", MERCHANT, world.merchant_hashes[MERCHANT]) as other:
        expect(other.lookup("1"), "0025")


def test_the_same_secret_belongs_to_one_name(world: World, network: CheckedNetwork) -> None:
    """The sealed secret is bound to its row: copied to another name it opens nothing."""
    name = world.fresh("copy")
    world.write("INSERT INTO networks (name, fixed_hash, changed_by) SELECT %s, fixed_hash, 'test' FROM networks"
                " WHERE name = %s", name, NETWORK)
    with CheckedNetwork(world.stack.base_url, name, network.fixed_hash) as thief:
        expect(thief.lookup("1"), "0009")
