"""The same order offered again, under another reference, by two lookups at once; another order under the same reference."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Callable

import pytest

from tests.stack.merchant_stub import Exchange, MerchantStub

from asked import Asked, make_asked
from checked import CheckedNetwork, expect
from scenes import CLOSINGS, Change
from together import at_once, connected
from world import NETWORK, OTHER_NETWORK, Order, World


@pytest.fixture(scope="module")
def shop(world: World, stub: MerchantStub) -> Asked:
    """Its name for networks is that of the other tests' merchant, so that their steps work with its orders."""
    shop = make_asked(world, stub)
    world.write("UPDATE merchants SET commerce = (SELECT commerce FROM (SELECT * FROM merchants) m WHERE name = 'tienda')"
                " WHERE name = %s", shop.name)
    with world.connect() as network:
        shop.await_well(network)
    return shop


def offered(world: World, network: CheckedNetwork, shop: Asked) -> tuple[str, Order]:
    """A new order that was looked up, and offered to every network: its number and its row."""
    number = world.fresh("po-offered")
    reference = shop.offers(shop.reference(), number)
    expect(network.lookup(reference), "0000")
    order = Order(shop.order(number)["id"], reference)
    offer_to_all(world, order)
    return number, order


def offer_to_all(world: World, order: Order) -> None:
    world.write("INSERT IGNORE INTO offers (order_id, network_id) SELECT %s, id FROM networks", order.id)


@pytest.mark.parametrize("change, code", CLOSINGS.values(), ids=CLOSINGS.keys())
def test_offered_again(world: World, network: CheckedNetwork, other: CheckedNetwork, shop: Asked, change: Change,
                       code: str) -> None:
    number, order = offered(world, network, shop)
    change(world, other, order)
    before = world.order_row(order)
    asked = len(shop.asked_about(order.reference))
    shop.offers(order.reference, number, "1", due_in=7200)
    expect(network.lookup(order.reference), code)
    world.check_unchanged(order, before)
    assert (len(shop.asked_about(order.reference)) == asked) == (code == "0106")


@pytest.mark.parametrize("change, code", CLOSINGS.values(), ids=CLOSINGS.keys())
def test_offered_again_under_another_reference(world: World, network: CheckedNetwork, other: CheckedNetwork,
                                               shop: Asked, change: Change, code: str) -> None:
    number, order = offered(world, network, shop)
    change(world, other, order)
    before = world.order_row(order)
    expect(network.lookup(shop.offers(shop.reference(), number)), code)
    world.check_unchanged(order, before)


def test_pending_order_moves_to_the_reference_looked_up_last(world: World, network: CheckedNetwork,
                                                             other: CheckedNetwork, shop: Asked) -> None:
    number, order = offered(world, network, shop)
    registered = world.register(network, order)
    second = shop.offers(shop.reference(), number)
    assert expect(network.lookup(second), "0000").data["REFERENCE"] == second
    assert world.order_row(order)["reference"] == second
    expect(other.register(order.reference, "45000", world.fresh(), "x"), "0101")
    expect(network.confirm(registered), "0000")
    expect(network.lookup(second), "0106")


@pytest.mark.parametrize("origin", ["registered", "imported"])
def test_what_was_registered_keeps_its_reference(world: World, network: CheckedNetwork, shop: Asked,
                                                 origin: str) -> None:
    number = world.fresh("po-own")
    order = world.order(merchant=shop.name, po_id=number, origin=origin)
    before = world.order_row(order)
    expect(network.lookup(shop.offers(shop.reference(), number, "1")), "0109")
    world.check_unchanged(order, before)
    world.write("UPDATE orders SET state = 'CANCELADA' WHERE id = %s", order.id)
    expect(network.lookup(shop.offers(shop.reference(), number, "1")), "0104")


def test_reference_stands_for_another_order(world: World, network: CheckedNetwork, shop: Asked) -> None:
    """What was registered for the first order can no longer be confirmed: the customer would pay what is no longer asked for."""
    _, first = offered(world, network, shop)
    registered = world.register(network, first)
    shop.offers(first.reference, second := world.fresh("po-second"), "700")
    assert expect(network.lookup(first.reference), "0000").data["AMOUNT"] == 700
    assert world.order_row(first)["state"] == "CANCELADA" and not world.notifications(first)
    assert shop.order(second)["reference"] == first.reference
    expect(network.confirm(registered), "0104")
    expect(network.register(first.reference, "45000", world.fresh(), "Tienda Única & Cía"), "0021")


def test_paid_order_is_offered_under_the_reference_of_an_open_one(world: World, network: CheckedNetwork,
                                                                  other: CheckedNetwork, shop: Asked) -> None:
    """The open one stays as it was."""
    paid_number, paid = offered(world, network, shop)
    world.pay(other, paid)
    _, pending = offered(world, network, shop)
    before = world.order_row(pending)
    shop.offers(pending.reference, paid_number)
    expect(network.lookup(pending.reference), "0102")
    world.check_unchanged(pending, before)


def test_replaced_order_is_offered_again(world: World, network: CheckedNetwork, shop: Asked) -> None:
    """It was deleted when the second one replaced it. The second one stays, and what was registered for it can be confirmed."""
    first_number, first = offered(world, network, shop)
    shop.offers(first.reference, second := world.fresh("po-second"))
    expect(network.lookup(first.reference), "0000")
    registered = world.register(network, Order(shop.order(second)["id"], first.reference))
    shop.offers(first.reference, first_number)
    expect(network.lookup(first.reference), "0104")
    assert shop.order(second)["state"] == "PENDIENTE"
    expect(network.confirm(registered), "0000")


def test_record_names_the_order_and_what_the_lookup_got(world: World, network: CheckedNetwork, shop: Asked) -> None:
    """Two hosts of a merchant offer an order each for one reference."""
    first_number, first = offered(world, network, shop)
    second_number = world.fresh("po-second")
    for number, code in ((second_number, "0000"), (first_number, "0104"), (second_number, "0000"), (first_number, "0104")):
        shop.offers(first.reference, number)
        expect(network.lookup(first.reference), code)
    second = shop.order(second_number)["id"]
    offered_first, offered_second = (None, first.id, first_number), (None, second, second_number)
    ended = ("the lookup got 0104", first.id, first_number)
    listed = world.stack.ctl.json("query", "list", "--reference", first.reference)
    assert {query["outcome"] for query in listed} == {"answered"}
    assert [(query["problem"], query["pv_po_id"], query["po_id"]) for query in listed] == [
        ended, offered_second, ended, offered_second, offered_first]


def test_record_tells_an_order_of_another_merchant(world: World, network: CheckedNetwork, shop: Asked) -> None:
    """It was registered while the merchant was asked, keeps the reference, and is what the lookup gets."""
    reference, registered = shop.reference(), []

    def registers_meanwhile(exchange: Exchange) -> None:
        registered.append(world.order("700", reference=reference).id)
        shop.offer(exchange)

    shop.on(reference, registers_meanwhile)
    assert network.lookup(reference).data["AMOUNT"] == 700
    (query,) = world.stack.ctl.json("query", "list", "--reference", reference)
    assert (query["outcome"], query["problem"], query["pv_po_id"], query["po_id"]) == ("answered", None, registered[0], None)


def test_who_is_paying_is_not_disturbed(world: World, network: CheckedNetwork, other: CheckedNetwork,
                                        shop: Asked) -> None:
    """The merchant offers another order while the one before is being paid."""
    _, order = offered(world, network, shop)

    def confirmed_meanwhile(exchange: Exchange) -> None:
        world.stack.mariadb.query("UPDATE orders SET held_by = 1, held_until = UTC_TIMESTAMP(6) + INTERVAL 1 HOUR"
                                  f" WHERE id = {order.id}")
        exchange.reply(200, shop.body(world.fresh("po-other")), Content_Type="application/json")

    shop.on(order.reference, confirmed_meanwhile)
    expect(network.lookup(order.reference), "0106")
    assert world.order_row(order)["state"] == "PENDIENTE"
    world.write("UPDATE orders SET held_by = NULL, held_until = NULL, state = 'CANCELADA' WHERE id = %s", order.id)


@pytest.mark.parametrize("change, code", CLOSINGS.values(), ids=CLOSINGS.keys())
def test_changed_while_the_merchant_is_asked(world: World, network: CheckedNetwork, other: CheckedNetwork, shop: Asked,
                                             change: Change, code: str) -> None:
    """The merchant offers the same order anew, and what became of it meanwhile stands."""
    number, order = offered(world, network, shop)
    asked, changed = Event(), Event()

    def answers_afterwards(exchange: Exchange) -> None:
        asked.set()
        assert changed.wait(30)
        exchange.reply(200, shop.body(number, "1", due_in=7200), Content_Type="application/json")

    shop.on(order.reference, answers_afterwards)
    with ThreadPoolExecutor(1) as thread:
        lookup = thread.submit(network.lookup, order.reference)
        assert asked.wait(30)
        change(world, other, order)
        before = world.order_row(order)
        changed.set()
        expect(lookup.result(30), code)
    world.check_unchanged(order, before)


def test_order_of_another_merchant_keeps_the_reference(world: World, network: CheckedNetwork, shop: Asked) -> None:
    """The prefix was another merchant's before."""
    order = world.order("900", reference=shop.reference(), origin="external")
    offer_to_all(world, order)
    assert expect(network.lookup(order.reference), "0000").data["AMOUNT"] == 900
    assert not shop.asked_about(order.reference)


@pytest.mark.parametrize("enabled, code", [(True, "0000"), (False, "0019")])
def test_registered_by_another_merchant_meanwhile(world: World, network: CheckedNetwork, shop: Asked, enabled: bool,
                                                  code: str) -> None:
    name = world.fresh("quick")
    world.add_merchant(name, f"Tienda {name}")
    reference = shop.reference()

    def registers_meanwhile(exchange: Exchange) -> None:
        world.stack.mariadb.query(f"UPDATE merchants SET enabled = {enabled} WHERE name = '{name}'")
        world.stack.mariadb.query(
            "INSERT INTO orders (merchant_id, po_id, reference, amount, currency, origin, due_at, changed_by)"
            f" SELECT id, 'po', '{reference}', 900, 'COP', 'registered', UTC_TIMESTAMP(6) + INTERVAL 1 DAY, 'test'"
            f" FROM merchants WHERE name = '{name}'")
        shop.offer(exchange)

    shop.on(reference, registers_meanwhile)
    reply = expect(network.lookup(reference), code)
    assert not enabled or (reply.data["COMMERCE"], reply.data["AMOUNT"]) == (f"Tienda {name}", 900)
    assert not shop.has_order(f"po-{reference}")


@pytest.mark.parametrize("rounds", [10])
def test_two_networks_look_up_the_same_reference(world: World, shop: Asked, rounds: int) -> None:
    """They are different queries, with different names in them; the order is stored once."""
    with connected(world, [NETWORK, OTHER_NETWORK] * 4) as networks:
        for _ in range(rounds):
            reference = shop.reference()
            shop.offers(reference, f"po-{reference}")
            calls = [call_of(network, reference) for network in networks]
            assert at_once(calls) == ["0000"] * len(networks)
            row = shop.order(f"po-{reference}")
            assert (row["version"], row["state"]) == (1, "PENDIENTE")


@pytest.mark.parametrize("rounds", [10])
def test_two_references_of_one_order_at_once(world: World, shop: Asked, rounds: int) -> None:
    with connected(world, [NETWORK, OTHER_NETWORK, NETWORK, OTHER_NETWORK]) as networks:
        for _ in range(rounds):
            number = world.fresh("po-both")
            references = [shop.offers(shop.reference(), number) for _ in networks]
            codes = at_once([call_of(network, reference) for network, reference in zip(networks, references)])
            assert set(codes) == {"0000"}
            assert shop.order(number)["reference"] in references


def call_of(network: CheckedNetwork, reference: str) -> Callable[[], str]:
    return lambda: network.lookup(reference).code
