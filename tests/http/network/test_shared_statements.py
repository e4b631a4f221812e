"""Requests that come together share a statement. What becomes of one changes nothing for the others."""

import fcntl
import json
import os
import select
import signal
import struct
import termios
from contextlib import ExitStack
from typing import Any, Iterator, Mapping, Sequence

import pytest

from checked import CheckedNetwork, expect
from conftest import LONG_WINDOW_SECONDS
from fastcgi import FastCGI, request_bytes
from tests.stack import Stack, wait_until
from tests.stack.invariants import check_invariants
from world import COMMERCE, NETWORK, OTHER_NETWORK, World

MANY = 40
SHARERS = 32  # of one statement, at most
LONGER_THAN_PATIENCE = 2.5  # of a request that waits for another's statement, and shorter than its time
ATTEMPTS = 3
CONNECTIONS = 8
CONNECTED = "SELECT COUNT(*) AS n FROM information_schema.processlist WHERE user = 'recaudo_worker'"
FEW_STATEMENTS = 12  # one for the first request, two for the others, and some that the process runs on its own


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """One process, which is all that requests have to share."""
    settings = {"worker": {"processes": 1, "connections": CONNECTIONS, "cancel_window": f"{LONG_WINDOW_SECONDS}s"}}
    with Stack(settings=settings, dispatcher=False, buffer_pool="32M") as stack:
        yield World(stack)


@pytest.fixture(autouse=True)
def nothing_is_broken(world: World) -> Iterator[None]:
    for name in (NETWORK, OTHER_NETWORK):  # whose secrets the process knows from now on
        with world.connect(name) as network:
            network.lookup(world.order().reference)
    yield
    check_invariants(world, LONG_WINDOW_SECONDS)


def unread(connection: FastCGI) -> int:
    """How many bytes the process has not read yet."""
    (size,) = struct.unpack("i", fcntl.ioctl(connection.socket, termios.TIOCOUTQ, bytes(4)))
    return int(size)


class Together:
    """Requests that the process has all read before the database answers the first."""

    def __init__(self, world: World, requests: Sequence[bytes], resume: bool = True) -> None:
        self.kept = ExitStack()
        self.server = world.stack.mariadb.process
        self.server.pause()
        try:
            self.connections = [self.kept.enter_context(FastCGI(world.stack.worker.socket)) for _ in requests]
            for connection, request in zip(self.connections, requests):
                connection.send(request)
            wait_until(lambda: not any(unread(connection) for connection in self.connections), "the requests to be read")
        except BaseException:
            self.__exit__()
            raise
        if resume:
            self.server.resume()

    def __enter__(self) -> "Together":
        return self

    def __exit__(self, *_: object) -> None:
        self.server.resume()
        self.kept.close()

    def reply(self, at: int) -> dict[str, Any]:
        reply: dict[str, Any] = json.loads(self.connections[at].receive().partition("\r\n\r\n")[2])
        return reply

    def codes(self) -> list[str]:
        return [self.reply(at)["CODE"] for at in range(len(self.connections))]


def payments(method: str, bodies: Sequence[Mapping[str, str]]) -> list[bytes]:
    return [request_bytes(method, "/v1/transactions/", json.dumps(body).encode()) for body in bodies]


def signal_all(processes: Sequence[int], number: int) -> None:
    for process in processes:
        os.kill(process, number)


def executed(world: World) -> int:
    (row,) = world.rows("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'")
    return int(row["Value"])


def confirmations(world: World, transactions: Sequence[str], confirm: bool = True) -> list[dict[str, str]]:
    with world.connect(NETWORK) as network:
        return [network.confirmation(transaction, confirm) for transaction in transactions]


def registered(world: World, count: int) -> list[str]:
    with world.connect(NETWORK) as network:
        return [world.register(network, world.order()) for _ in range(count)]


def confirmed_at_last(network: CheckedNetwork, transaction: str) -> None:
    """As networks do: what got 0028 is sent again."""
    wait_until(lambda: network.confirm(transaction).code == "0000", f"{transaction} to be confirmed")


def test_payments_take_few_statements(world: World) -> None:
    orders = [world.order() for _ in range(MANY)]
    transactions = [world.fresh() for _ in orders]
    with world.connect(NETWORK) as network:
        bodies = [network.registration(order.reference, "45000", transaction, COMMERCE)
                  for order, transaction in zip(orders, transactions)]
    before = executed(world)
    with Together(world, payments("POST", bodies)) as together:
        replies = [together.reply(at) for at in range(MANY)]
    assert executed(world) - before <= FEW_STATEMENTS
    for reply, order, transaction in zip(replies, orders, transactions):
        (row,) = world.transactions(transaction)
        assert (reply["CODE"], row["order_id"]) == ("0000", order.id)
        assert (reply["DATA"]["REFERENCE"], reply["DATA"]["IDTRANSACTION"], reply["DATA"]["IDSERVICE"]) == (
            order.reference, transaction, str(row["id"]))
    for confirm, state in ((True, "CONFIRMADA"), (False, "CANCELADA")):
        before = executed(world)
        with Together(world, payments("PATCH", confirmations(world, transactions, confirm))) as together:
            assert together.codes() == ["0000"] * MANY
        assert executed(world) - before <= FEW_STATEMENTS
        assert {row["state"] for transaction in transactions for row in world.transactions(transaction)} == {state}


def test_lookups_take_few_statements(world: World) -> None:
    orders = [world.order(amount=str(1000 + number)) for number in range(MANY)]
    with world.connect(NETWORK) as network:
        requests = [request_bytes("GET", network.lookup_path(order.reference)) for order in orders]
    before = executed(world)
    with Together(world, requests) as together:
        replies = [together.reply(at) for at in range(MANY)]
    assert executed(world) - before <= FEW_STATEMENTS
    assert [(reply["CODE"], reply["DATA"]["REFERENCE"], reply["DATA"]["AMOUNT"]) for reply in replies] == [
        ("0000", order.reference, float(1000 + number)) for number, order in enumerate(orders)]


def test_what_has_come_already_shares_the_first_statement(world: World) -> None:
    """A process that has more than one request to read does not begin with the first alone."""
    with world.connect(NETWORK) as network:
        lookup = request_bytes("GET", network.lookup_path(world.order().reference))
    serving = world.stack.worker.children()
    took = []
    with ExitStack() as kept:
        connections = [kept.enter_context(FastCGI(world.stack.worker.socket)) for _ in range(SHARERS)]
        for connection in connections:
            connection.send(lookup)
            connection.receive()
        for _ in range(ATTEMPTS):  # the process also asks on its own, now and then
            before = executed(world)
            signal_all(serving, signal.SIGSTOP)
            try:
                for connection in connections:
                    connection.send(lookup)
            finally:
                signal_all(serving, signal.SIGCONT)
            assert all('"CODE":"0000"' in connection.receive() for connection in connections)
            took.append(executed(world) - before)
    assert min(took) == 1


def test_lookups_without_an_open_order_take_few_statements(world: World) -> None:
    """Accounts, unknown references and closed orders, by a process that knows who answers for references."""
    references = [reference for _ in range(MANY // 3) for reference in
                  (world.account(), world.fresh_number(), world.order(due_in=-1).reference)]
    world.dispatch()
    assert world.value("SELECT COUNT(*) FROM orders WHERE reference IN %s AND state = 'VENCIDA'", references) == MANY // 3
    took = []
    for _ in range(ATTEMPTS):  # what the process knows gets old within seconds
        with world.connect(NETWORK) as network:
            expect(network.lookup(world.fresh_number()), "0101")
            expect(network.lookup(references[-1]), "0103")
            requests = [request_bytes("GET", network.lookup_path(reference)) for reference in references]
        before = executed(world)
        with Together(world, requests) as together:
            assert together.codes() == ["0000", "0101", "0103"] * (MANY // 3)
        took.append(executed(world) - before)
    assert min(took) <= FEW_STATEMENTS


def test_each_lookup_has_its_own_answer(world: World) -> None:
    """An open order, an account, an unknown reference, an order that is due and one that somebody pays."""
    due, held = world.order(due_in=-1), world.order()
    with world.connect(NETWORK) as network:
        expect(network.confirm(world.register(network, held)), "0000")
        references = [world.order().reference, world.account(), world.fresh_number(), due.reference, held.reference]
        alone = [network.lookup(reference).json for reference in references]
        requests = [request_bytes("GET", network.lookup_path(reference)) for reference in references]
    with Together(world, requests) as together:
        assert [together.reply(at) for at in range(len(references))] == alone
    assert len({reply["CODE"] for reply in alone}) == 4


def test_each_has_its_own_answer(world: World) -> None:
    """An unknown one, one that was confirmed before, a rival for the same order, and two that are as they should be."""
    order = world.order()
    with world.connect(NETWORK) as network, world.connect(OTHER_NETWORK) as other:
        first, again, last = (world.register(network, order), *registered(world, 2))
        rival = world.register(other, order)
        expect(network.confirm(again), "0000")
        bodies = [*confirmations(world, [first, world.fresh(), again, last]), other.confirmation(rival)]
    with Together(world, payments("PATCH", bodies)) as together:
        assert together.codes() == ["0000", "0013", "0000", "0000", "0106"]


def test_a_registration_that_is_repeated(world: World) -> None:
    """It is answered as before; with other data it is refused; the others are stored."""
    orders = [world.order() for _ in range(4)]
    with world.connect(NETWORK) as network:
        taken = world.register(network, orders[0])
        bodies = [network.registration(orders[0].reference, "45000", taken, COMMERCE),
                  network.registration(orders[1].reference, "45000", world.fresh(), COMMERCE),
                  network.registration(orders[2].reference, "45000", taken, COMMERCE),
                  network.registration(orders[3].reference, "45000", world.fresh(), COMMERCE)]
    with Together(world, payments("POST", bodies)) as together:
        assert together.codes() == ["0000", "0000", "0016", "0000"]


@pytest.mark.parametrize("wrong", ["reference", "amount", "commerce"])
def test_one_id_for_two_orders(world: World, wrong: str) -> None:
    """The first is refused, the second stored: the first is not answered with the other's payment."""
    first, second, transaction = world.order(), world.order(), world.fresh()
    values = {"reference": first.reference, "amount": "45000", "commerce": COMMERCE,
              wrong: {"reference": world.fresh_number(), "amount": "45001", "commerce": "Otra"}[wrong]}
    with world.connect(NETWORK) as network:
        bodies = [network.registration(world.order().reference, "45000", world.fresh(), COMMERCE),
                  network.registration(values["reference"], values["amount"], transaction, values["commerce"]),
                  network.registration(second.reference, "45000", transaction, COMMERCE)]
    with Together(world, payments("POST", bodies)) as together:
        usual, refused, stored = (together.reply(at) for at in range(3))
    assert usual["CODE"] == stored["CODE"] == "0000" != refused["CODE"]
    (row,) = world.transactions(transaction)
    assert (row["order_id"], str(row["id"])) == (second.id, stored["DATA"]["IDSERVICE"])


def test_a_lock_delays_nobody_else(world: World) -> None:
    transactions = registered(world, MANY)
    (row,) = world.transactions(transactions[MANY // 2])
    holder = world.stack.mariadb.connect()
    with holder.cursor() as cursor:
        cursor.execute("SET autocommit = 0")
        cursor.execute("SELECT id FROM orders WHERE id = %s FOR UPDATE", (row["order_id"],))
    with Together(world, payments("PATCH", confirmations(world, transactions))) as together:
        free = [at for at in range(MANY) if at != MANY // 2]
        assert [together.reply(at)["CODE"] for at in free] == ["0000"] * len(free)
        (row,) = world.transactions(transactions[MANY // 2])
        assert row["state"] == "REGISTRADA"
        holder.close()
        assert together.reply(MANY // 2)["CODE"] in ("0000", "0028")
    with world.connect(NETWORK) as network:
        expect(network.confirm(transactions[MANY // 2]), "0000")


def test_a_database_that_gives_no_answer(world: World) -> None:
    """Those in the statement and those that wait for its end are told so in their time; nothing is held up afterwards."""
    transactions = registered(world, MANY)
    with Together(world, payments("PATCH", confirmations(world, transactions)), resume=False) as together:
        assert together.codes() == ["0028"] * MANY
    with world.connect(NETWORK) as network:
        for transaction in transactions:
            confirmed_at_last(network, transaction)


def test_a_database_that_answers_after_some_seconds(world: World) -> None:
    """Nobody is refused meanwhile or then, however many wait: the process made all its connections before."""
    wait_until(lambda: world.rows(CONNECTED)[0]["n"] == CONNECTIONS, "all connections")
    orders = [world.order() for _ in range(3 * MANY)]
    with world.connect(NETWORK) as network:
        requests = [request_bytes("GET", network.lookup_path(order.reference)) for order in orders]
    with Together(world, requests, resume=False) as together:
        sockets = [connection.socket for connection in together.connections]
        answered = select.select(sockets, [], [], LONGER_THAN_PATIENCE)[0]
        together.server.resume()
        codes = together.codes()
    assert not answered and codes == ["0000"] * len(orders)


def test_a_limit_refuses_only_its_network(world: World) -> None:
    """Of its confirmations the limit takes three. Those of the other network are all done."""
    with world.connect(OTHER_NETWORK) as other:
        theirs = [world.register(other, world.order()) for _ in range(MANY // 2)]
        bodies = [other.confirmation(transaction) for transaction in theirs]
    ours = confirmations(world, registered(world, MANY // 2))
    world.stack.ctl.run("network", "limit", OTHER_NETWORK, "COP", "--outstanding", str(3 * 45000))
    try:
        with Together(world, payments("PATCH", [body for pair in zip(bodies, ours) for body in pair])) as together:
            codes = together.codes()
    finally:
        world.stack.ctl.run("network", "limit", OTHER_NETWORK, "COP", "--outstanding", "none")
    assert codes[1::2] == ["0000"] * (MANY // 2)
    assert sorted(codes[0::2]) == ["0000"] * 3 + ["0113"] * (MANY // 2 - 3)
