"""How many queries are in flight, endpoints that rest, lookups that share a query, and processes that die meanwhile."""

import os
import signal
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Iterator

import pytest

from tests.stack import Stack, wait_until
from tests.stack.merchant_stub import Exchange, MerchantStub, closes, hold, says
from tests.stack.scrape import scrape

from asked import Asked, make_asked
from checked import CheckedNetwork, expect
from own_instance import own_stack, own_world
from world import COMMERCE, NETWORK, OTHER_NETWORK, World

IN_FLIGHT, PER_MERCHANT, REST_AFTER, REST = 5, 3, 3, 2.0
PROCESSES = 3
SETTINGS = {"worker": {"processes": PROCESSES, "connections": 2, "cancel_window": "2s"},
            "external_query": {"in_flight": IN_FLIGHT, "in_flight_per_merchant": PER_MERCHANT,
                               "rest_after": REST_AFTER, "rest": f"{REST:g}s"}}

stack = own_stack(SETTINGS)
world = own_world


@pytest.fixture(scope="module")
def shops(world: World, stub: MerchantStub) -> Iterator[Asked]:
    """Merchants that nobody was asked for yet, all made at once: it takes a while until they are known."""
    made = [make_asked(world, stub) for _ in range(25)]
    return iter(made)


@pytest.fixture
def shop(network: CheckedNetwork, shops: Iterator[Asked]) -> Asked:
    shop = next(shops)
    shop.await_well(network)
    return shop


class Lookups:
    """Lookups under way, each in a thread and with a connection of its own."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.threads = ThreadPoolExecutor(64)

    def start(self, reference: str, network: str = NETWORK) -> "Future[str]":
        return self.threads.submit(self._lookup, reference, network)

    def _lookup(self, reference: str, name: str) -> str:
        with self.world.connect(name) as network:
            return network.lookup(reference).code


@pytest.fixture
def lookups(world: World) -> Iterator[Lookups]:
    lookups = Lookups(world)
    yield lookups
    lookups.threads.shutdown()


@contextmanager
def hanging(shop: Asked, lookups: Lookups, count: int) -> Iterator[list["Future[str]"]]:
    """So many queries are in flight and get no answer; afterwards they get one."""
    before = len(shop.stub.requests)
    references = [shop.on(shop.reference(), hold) for _ in range(count)]
    futures = [lookups.start(reference) for reference in references]
    shop.stub.await_requests(before + count)
    try:
        yield futures
    finally:
        shop.stub.release(200, b'{"CODE": "0044", "TEXT": "NO"}')


def codes(futures: list["Future[str]"]) -> list[str]:
    return [future.result(60) for future in futures]


def test_so_many_per_merchant(network: CheckedNetwork, shop: Asked, lookups: Lookups) -> None:
    with hanging(shop, lookups, PER_MERCHANT) as futures:
        asked = len(shop.stub.requests)
        for _ in range(10):
            expect(network.lookup(shop.reference()), "0110")
        assert len(shop.stub.requests) == asked
    assert codes(futures) == ["0107"] * PER_MERCHANT
    expect(network.lookup(shop.reference()), "0000")


def test_one_network_leaves_others_a_query(network: CheckedNetwork, shop: Asked, lookups: Lookups) -> None:
    """A network that asks a slow merchant about ever new references does not take all its queries from the others."""
    with lookups.world.connect(OTHER_NETWORK) as other:
        expect(other.lookup(shop.reference()), "0000")
        with hanging(shop, lookups, PER_MERCHANT - 1) as futures:
            expect(network.lookup(shop.reference()), "0110")
            expect(other.lookup(shop.reference()), "0000")
        assert codes(futures) == ["0107"] * (PER_MERCHANT - 1)


def test_refusal_costs_one_round_trip(world: World, network: CheckedNetwork, shop: Asked, lookups: Lookups) -> None:
    """Now and then a worker reads anew what it remembers for seconds."""
    def executed() -> int:
        return int(world.rows("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'")[0]["Value"])

    count = 30
    with hanging(shop, lookups, PER_MERCHANT):
        before = executed()
        for _ in range(count):
            expect(network.lookup(shop.reference()), "0110")
        assert count <= executed() - before < count * 1.8


def test_others_are_not_disturbed(world: World, network: CheckedNetwork, shops: Iterator[Asked], shop: Asked,
                                  lookups: Lookups) -> None:
    """Lookups wait for a merchant that hangs; everything else goes on."""
    well = next(shops)
    order = world.order()
    with hanging(shop, lookups, PER_MERCHANT):
        for _ in range(10):
            expect(network.lookup(order.reference), "0000")
            expect(network.lookup(well.reference()), "0000")
        transaction = world.fresh()
        expect(network.register(order.reference, "45000", transaction, COMMERCE), "0000")


def test_all_threads_may_wait(world: World, network: CheckedNetwork, shops: Iterator[Asked], lookups: Lookups) -> None:
    """Until the bound in all; ordinary lookups are still served then."""
    first, second, third = (next(shops) for _ in range(3))
    third.await_well(network)
    with hanging(first, lookups, PER_MERCHANT), hanging(second, lookups, IN_FLIGHT - PER_MERCHANT):
        expect(network.lookup(third.reference()), "0110")
        order = world.order()
        for _ in range(30):
            expect(network.lookup(order.reference), "0000")
    expect(network.lookup(third.reference()), "0000")


@pytest.mark.nginx  # takes 18 s, and the web server has no part in it
def test_waiting_for_merchants_is_no_hang(stack: Stack, network: CheckedNetwork, shops: Iterator[Asked],
                                          lookups: Lookups) -> None:
    """As many lookups as may wait at all do, for all the time a merchant has, again and again: nobody takes it for a hang."""
    before = stack.worker.children()
    ended_at = time.monotonic() + 18
    first, second = next(shops), next(shops)
    while time.monotonic() < ended_at:
        futures = [lookups.start(shop.on(shop.reference(), hold)) for shop in (first, second) for _ in range(PER_MERCHANT)]
        assert set(codes(futures)) <= {"0108", "0110", "0028"}
        first.stub.release(200, b"")
    assert stack.worker.children() == before


def fail(network: CheckedNetwork, shop: Asked, count: int = REST_AFTER) -> None:
    for _ in range(count):
        expect(network.lookup(shop.on(shop.reference(), closes)), "0108")


def test_endpoint_rests_and_is_probed(network: CheckedNetwork, shop: Asked, lookups: Lookups) -> None:
    fail(network, shop)
    ended_at = time.monotonic()
    asked = len(shop.stub.requests)
    while time.monotonic() - ended_at < REST * 0.5:
        expect(network.lookup(shop.reference()), "0110")
    assert len(shop.stub.requests) == asked
    probed = shop.reference()
    shop.on(probed, hold)
    probe = wait_until(lambda: asking(lookups, shop, probed), "the endpoint to be probed")
    for _ in range(5):
        expect(network.lookup(shop.reference()), "0110")
    assert len(shop.stub.requests) == asked + 1
    shop.stub.release(200, shop.body("po-probe"))
    assert probe.result(60) == "0000"
    expect(network.lookup(shop.reference()), "0000")


def sharing(stack: Stack) -> float:
    """How many lookups wait for the query of another one."""
    return scrape(stack.base_url).value("recaudo_external_queries_shared")


def await_shared(shop: Asked, reference: str, count: int) -> None:
    """The others may wait before the merchant has the query."""
    wait_until(lambda: shop.asked_about(reference) and sharing(shop.world.stack) >= count, "the merchant to be asked")


def asking(lookups: Lookups, shop: Asked, reference: str) -> "Future[str] | None":
    """A lookup of `reference` that has led to a query; None: it was refused."""
    future = lookups.start(reference)
    wait_until(lambda: future.done() or shop.asked_about(reference), "the lookup to be refused or the merchant asked")
    return future if shop.asked_about(reference) else None


def test_failed_probe_prolongs_the_rest(network: CheckedNetwork, shop: Asked) -> None:
    fail(network, shop)
    reference = shop.on(shop.reference(), closes)
    wait_until(lambda: network.lookup(reference).code == "0108", "a probe")
    assert len(shop.asked_about(reference)) == 1
    expect(network.lookup(reference), "0110")
    shop.await_well(network, 10 * REST)


def test_answers_in_between_keep_it_well(network: CheckedNetwork, shop: Asked) -> None:
    for _ in range(3):
        fail(network, shop, REST_AFTER - 1)
        expect(network.lookup(shop.on(shop.reference(), says("nonsense"))), "0109")
    expect(network.lookup(shop.reference()), "0000")


def test_one_query_for_lookups_at_once(shop: Asked, lookups: Lookups) -> None:
    reference = shop.on(shop.reference(), hold)
    futures = [lookups.start(reference) for _ in range(10)]
    await_shared(shop, reference, 9)
    shop.stub.release(200, shop.body("po-shared"))
    assert codes(futures) == ["0000"] * 10
    assert len(shop.asked_about(reference)) == 1


def test_refusals_are_shared(shop: Asked, lookups: Lookups) -> None:
    reference = shop.on(shop.reference(), hold)
    futures = [lookups.start(reference) for _ in range(8)]
    await_shared(shop, reference, 7)
    shop.stub.release(200, b'{"CODE": "0044", "TEXT": "NO"}')
    assert codes(futures) == ["0107"] * 8
    assert len(shop.asked_about(reference)) == 1


def test_networks_do_not_share(shop: Asked, lookups: Lookups) -> None:
    """The merchant may refuse one and not the other."""
    reference = shop.on(shop.reference(), hold)
    futures = [lookups.start(reference, name) for name in (NETWORK, OTHER_NETWORK)]
    wait_until(lambda: len(shop.asked_about(reference)) == 2, "both queries")
    shop.stub.release(200, shop.body("po-two-networks"))
    assert codes(futures) == ["0000"] * 2


def query_process(stack: Stack) -> int:
    return int(wait_until(stack.worker.query_process, "the process that asks merchants"))


def test_query_process_killed_while_it_waits(stack: Stack, network: CheckedNetwork, shop: Asked,
                                             lookups: Lookups) -> None:
    """Everybody is told at once to come again, in whatever worker process, and these go on; another process asks."""
    killed, workers = query_process(stack), stack.worker.children()
    reference = shop.on(shop.reference(), hold)
    futures = [lookups.start(reference) for _ in range(6)]
    await_shared(shop, reference, 5)
    os.kill(killed, signal.SIGKILL)
    began = time.monotonic()
    assert set(codes(futures)) == {"0028"}
    assert time.monotonic() - began < 4  # before the query's own end
    shop.behaviours.clear()
    wait_until(lambda: network.lookup(reference).code == "0000", "another process to ask")
    assert query_process(stack) != killed and stack.worker.children() == workers
    with hanging(shop, lookups, PER_MERCHANT):
        expect(network.lookup(shop.reference()), "0110")


def test_workers_killed_while_they_wait(stack: Stack, network: CheckedNetwork, shop: Asked, lookups: Lookups) -> None:
    """Nothing stays in flight: what nobody waits for any more is broken off."""
    exchanges: list[Exchange] = []

    def noted(exchange: Exchange) -> None:
        exchanges.append(exchange)
        hold(exchange)

    reference, asks = shop.on(shop.reference(), noted), query_process(stack)
    futures = [lookups.start(reference) for _ in range(6)]
    await_shared(shop, reference, 5)
    began = time.monotonic()
    for child in stack.worker.children():
        os.kill(child, signal.SIGKILL)
    assert set(codes(futures)) == {"0028"}
    wait_until(exchanges[0].transport.is_closing, "the query to be broken off")
    assert time.monotonic() - began < 4  # before the query's own end
    shop.behaviours.clear()
    wait_until(lambda: network.lookup(reference).code == "0000", "other worker processes")
    assert query_process(stack) == asks
    with hanging(shop, lookups, PER_MERCHANT):
        expect(network.lookup(shop.reference()), "0110")


def test_killed_probe(stack: Stack, network: CheckedNetwork, shop: Asked, lookups: Lookups) -> None:
    fail(network, shop)
    reference = shop.on(shop.reference(), hold)
    probe = wait_until(lambda: asking(lookups, shop, reference), "the endpoint to be probed")
    for child in stack.worker.children():
        os.kill(child, signal.SIGKILL)
    assert probe.result(60) == "0028"
    shop.await_well(network, 10 * REST)


def test_stopped_while_it_waits(stack: Stack, shop: Asked, lookups: Lookups) -> None:
    """What was received is answered, by workers and a process that asks which are all told to leave."""
    future = lookups.start(reference := shop.on(shop.reference(), hold))
    wait_until(lambda: shop.asked_about(reference), "the merchant to be asked")
    asks = query_process(stack)
    for process in (asks, *stack.worker.children()):
        os.kill(process, signal.SIGTERM)
    shop.stub.release(200, shop.body("po-stopped"))
    assert future.result(60) == "0000"
    wait_until(lambda: stack.worker.query_process() not in (None, asks), "another process that asks")


def test_database_away_when_the_answer_comes(stack: Stack, network: CheckedNetwork, shop: Asked,
                                             lookups: Lookups) -> None:
    shop.await_well(network)  # also after a test that ended a worker process
    future = lookups.start(reference := shop.on(shop.reference(), hold))
    wait_until(lambda: shop.asked_about(reference), "the merchant to be asked")
    stack.mariadb.stop()
    try:
        shop.stub.release(200, shop.body("po-away"))
        assert future.result(60) == "0028"
    finally:
        stack.mariadb.start()
    shop.offers(reference, "po-away")
    shop.world.await_database(network)
    expect(network.lookup(reference), "0000")
    assert shop.order("po-away")["version"] == 1


def test_no_database_connection_is_held(world: World, network: CheckedNetwork, shop: Asked, lookups: Lookups) -> None:
    """As many wait as there are connections in all processes."""
    with hanging(shop, lookups, PER_MERCHANT):
        busy = world.value("SELECT COUNT(*) FROM information_schema.innodb_trx")
        assert busy == 0
        order = world.order()
        for _ in range(10):
            expect(network.lookup(order.reference), "0000")
