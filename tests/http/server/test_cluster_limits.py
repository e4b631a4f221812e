"""Two database servers of one cluster, with workers at each: what a network may confirm is exact, and so is what is settled.
Prefixes of references that overlap are given once."""

from contextlib import ExitStack, contextmanager
from decimal import Decimal
from functools import partial
from threading import Event
from typing import Any, Callable, Iterator, Sequence

import pymysql
import pytest
from pymysql.constants import ER

from tests.stack import Ctl, Stack, Worker, wait_until
from tests.stack.config import default_settings, write_config
from tests.stack.invariants import check_invariants
from tests.stack.mariadb_tcp import HOST
from tests.stack.web.nginx import Nginx

from checked import CheckedNetwork, expect
from tests.stack.galera import Cluster, Node
from together import at_once
from traffic import new_traffic, resolve
from world import COMMERCE, NETWORK, World

pytestmark = pytest.mark.slow

WINDOW_SECONDS = 2
CLIENTS = 4  # of each server
PAYMENTS = 5  # of each client in a round
ROUNDS_AT_MOST = 12
KNOWN_AFTER = 30  # requests, so that every worker process remembers the network's secret and has nothing to read for it
CONFIRMED_NOW = ("SELECT COALESCE(SUM(t.amount), 0) AS total FROM transactions t JOIN networks n ON n.id = t.network_id"
                 " WHERE n.name = %s AND t.state IN ('CONFIRMADA', 'FINALIZADA')")

ITEMS = "SELECT transaction_id, kind FROM settlement_items WHERE settlement = %s ORDER BY 1, 2"


class Door:
    """Workers and a web server that write to this one of the servers."""

    def __init__(self, world: World, node: Node) -> None:
        self.world, self.node = world, node
        stack, directory = world.stack, world.stack.directory / f"door-{node.port}"
        (directory / "log").mkdir(parents=True)
        socket, config = str(stack.sockets / f"fcgi-{node.port}.sock"), directory / "recaudo.conf"
        hosts = sorted(str(stack.mariadb.address()["host"]).split(), key=lambda host: host != f"{HOST}:{node.port}")
        write_config(config, default_settings(stack.mariadb, socket, stack.key_file), stack.settings,
                     {"database": {"host": " ".join(hosts)}})
        self.ctl = Ctl(config)
        self.worker = Worker(config, socket, directory / "log" / "worker.log")
        self.web = Nginx(directory, socket)

    def __enter__(self) -> "Door":
        self.worker.spawn()
        self.web.start()
        self.worker.await_ready()
        return self

    def __exit__(self, *_: object) -> None:
        self.web.stop()
        self.worker.stop()

    def network(self) -> CheckedNetwork:
        return CheckedNetwork(self.web.base_url, NETWORK, self.world.hashes[NETWORK])

    def lost_races(self) -> int:
        """Transactions of this server that were undone because another server had written the same row."""
        return int(self.node.state("local_cert_failures")) + int(self.node.state("local_bf_aborts"))


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    settings = {"worker": {"cancel_window": f"{WINDOW_SECONDS}s", "processes": 2}}
    with Stack(settings=settings, buffer_pool="32M", database=Cluster) as stack:
        yield World(stack)


@pytest.fixture(scope="module")
def doors(world: World) -> Iterator[list[Door]]:
    cluster = world.stack.mariadb
    assert isinstance(cluster, Cluster)
    with ExitStack() as opened:
        yield [opened.enter_context(Door(world, node)) for node in cluster.nodes[:2]]


@pytest.fixture(autouse=True)
def counted_exactly(world: World, doors: list[Door]) -> Iterator[None]:
    yield
    check_invariants(world, WINDOW_SECONDS)
    rooms = world.rows("SELECT * FROM network_rooms ORDER BY network_id, currency, part")
    for door in doors:
        wait_until(lambda: list(door.node.query("SELECT * FROM network_rooms ORDER BY network_id, currency, part")) == rooms,
                   "the same portions in both servers")
    limit(world, "--day", "none", "--outstanding", "none")


def limit(world: World, *options: str) -> None:
    world.stack.ctl.done("network", "limit", NETWORK, "COP", *options)


def set_room(world: World, kind: str, room: int) -> Decimal:
    """Sets a limit that leaves so much; the limit."""
    limit(world, f"--{kind}", "999999999999")
    used = world.value(f"SELECT {kind}_used FROM network_limits_now WHERE network = %s", NETWORK)
    bound: Decimal = used + room
    limit(world, f"--{kind}", f"{bound:.2f}")
    return bound


@contextmanager
def clients_of(doors: Sequence[Door]) -> Iterator[list[CheckedNetwork]]:
    with ExitStack() as opened:
        yield [opened.enter_context(door.network()) for door in doors for _ in range(CLIENTS)]


def registered(world: World, client: CheckedNetwork, number: int, amount: str = "100") -> list[str]:
    """Payments, each of an order of its own."""
    transactions = []
    for order in world.insert_orders(number, amount):
        transactions.append(world.fresh())
        reply = wait_until(lambda: not_busy(partial(client.register, order.reference, amount, transactions[-1], COMMERCE)), "an answer")
        expect(reply, "0000")
    return transactions


def not_busy(send: Callable[[], Any]) -> Any:
    reply = send()
    return None if reply.code == "0028" else reply


def settled(client: CheckedNetwork, transaction: str, keep: bool = True) -> Any:
    """The reply to a confirmation or cancellation, asked until it is one."""
    return wait_until(lambda: not_busy(partial(client.confirm, transaction, keep)), "an answer")


def confirm(client: CheckedNetwork, transactions: Sequence[str], take_back: int = 0) -> list[str]:
    """The CODE of each; every `take_back`-th that is granted is cancelled at once, and leaves none unless its window was over."""
    codes = []
    for at, transaction in enumerate(transactions):
        code = settled(client, transaction).code
        if not (take_back and code == "0000" and at % take_back == 0 and settled(client, transaction, False).code == "0000"):
            codes.append(code)
    return codes


def confirmed_at_both(doors: Sequence[Door]) -> list[Decimal]:
    """What the network has confirmed, as each server knows it at this moment."""
    return [door.node.query(CONFIRMED_NOW, NETWORK)[0]["total"] for door in doors]


def watch(world: World, bound: Decimal, doors: Sequence[Door], over: Event) -> list[str]:
    """At no moment is more confirmed in any server."""
    while not over.is_set():
        assert all(total <= bound for total in confirmed_at_both(doors)), (bound, confirmed_at_both(doors))
    return []


class Behind:
    """A server that takes long to apply what the other has committed: what it commits meanwhile is judged by certification alone."""

    ROWS = 4000  # without a primary key, so that each is searched for

    def __init__(self, ahead: Node, behind: Node) -> None:
        self.ahead, self.behind = ahead, behind
        ahead.query("CREATE OR REPLACE TABLE searched_for (n INT NOT NULL) AS SELECT seq AS n FROM seq_1_to_%s", self.ROWS)

    def hold_up(self) -> None:
        self.ahead.query("UPDATE searched_for SET n = n + 1000000")

    def has(self, sql: str, *values: Any) -> bool:
        """Whether a row is there already, without waiting for it."""
        return bool(self.behind.query(sql, *values))


@contextmanager
def transaction_at(node: Node) -> Iterator["pymysql.cursors.Cursor"]:
    with node.connect() as database, database.cursor() as cursor:
        cursor.execute("SET time_zone = '+00:00', tx_isolation = 'READ-COMMITTED'")
        database.begin()
        yield cursor


def commit(cursor: "pymysql.cursors.Cursor") -> bool:
    """False: undone, because another server has written the same row."""
    try:
        cursor.connection.commit()
    except pymysql.err.OperationalError as error:
        assert error.args[0] == ER.LOCK_DEADLOCK, error
        return False
    return True


def sends(cursor: "pymysql.cursors.Cursor", world: World, transaction: str) -> None:
    """What a worker sends for a confirmation."""
    number = world.value("SELECT id FROM networks WHERE name = %s", NETWORK)
    cursor.execute("SELECT payment_confirm(%s, %s, 'network:x') AS done", (number, transaction))
    assert cursor.fetchone() == {"done": 1}


@pytest.mark.parametrize("one, two", [("100", "100"), ("5", "96"), ("96", "5")])
def test_certification_decides(world: World, doors: list[Door], one: str, two: str) -> None:
    """What one server has confirmed, and the other not seen yet, is in nobody's portion: neither alone exceeds 100, both would."""
    ahead, behind = doors[0].node, doors[1].node
    lag = Behind(ahead, behind)
    with doors[0].network() as network:
        first, second = registered(world, network, 1, one) + registered(world, network, 1, two)
    set_room(world, "day", 100)
    for node in (ahead, behind):
        wait_until(lambda: node.query("SELECT id FROM transactions WHERE network_transaction = %s", second), "the row everywhere")
    with transaction_at(behind) as late, transaction_at(ahead) as early:
        sends(late, world, second)
        lag.hold_up()
        sends(early, world, first)
        assert commit(early)
        assert not lag.has("SELECT id FROM transactions WHERE network_transaction = %s AND state = 'CONFIRMADA'", first)
        assert not commit(late)
    with doors[1].network() as network:
        expect(settled(network, second), "0113")


def test_certification_closes(world: World, doors: list[Door]) -> None:
    """A settlement that was closed at one server takes nothing more at another that has not heard of it."""
    ahead, behind = doors[0].node, doors[1].node
    lag = Behind(ahead, behind)
    world.stack.dispatcher.stop()  # it would collect
    try:
        with doors[0].network() as network:
            (transaction,) = registered(world, network, 1, "100")
            expect(settled(network, transaction), "0000")
            expect(settled(network, transaction, False), "0000")  # an operation too, and final at once
        waiting = "SELECT transaction_id FROM settlement_items WHERE settlement IS NULL"
        wait_until(lambda: behind.query(waiting), "the row everywhere")
        number = world.value("SELECT number FROM settlements WHERE is_open = 1")
        with transaction_at(behind) as late, transaction_at(ahead) as early:
            late.execute("SELECT settlement_collect(100) AS found")
            assert (late.fetchone() or {})["found"] > 0
            lag.hold_up()
            early.execute("SELECT settlement_close(%s, 'operator:ana', NULL, NULL, NULL) AS closed", (number,))
            assert early.fetchone() == {"closed": 1} and commit(early)
            held = list(ahead.query(ITEMS, number))
            assert not lag.has("SELECT number FROM settlements WHERE number = %s AND state = 'closed'", number)
            assert not commit(late)
        assert [list(node.query(ITEMS, number)) for node in (ahead, behind)] == [held, held]
    finally:
        world.stack.dispatcher.start()


def test_certification_keeps_prefixes_apart(world: World, doors: list[Door]) -> None:
    """Of two prefixes that overlap, given at the same moment at two servers, one is undone: a lock does not reach the other server."""
    ahead, behind = doors[0].node, doors[1].node
    lag = Behind(ahead, behind)
    merchants = [world.fresh("m"), world.fresh("m")]
    for merchant in merchants:
        world.stack.ctl.done("merchant", "add", merchant)
    give = ("INSERT INTO reference_prefixes (prefix, merchant_id, changed_by)"
            " SELECT %s, id, 'operator:ana' FROM merchants WHERE name = %s")
    wait_until(lambda: behind.query("SELECT id FROM merchants WHERE name = %s", merchants[1]), "the merchant everywhere")
    with transaction_at(behind) as late, transaction_at(ahead) as early:
        assert late.execute(give, ("98712", merchants[1])) == 1
        lag.hold_up()
        assert early.execute(give, ("987", merchants[0])) == 1
        assert commit(early)
        assert not lag.has("SELECT prefix FROM reference_prefixes WHERE prefix = '987'")
        assert not commit(late)
    given = "SELECT prefix FROM reference_prefixes WHERE prefix LIKE '987%%'"
    wait_until(lambda: [row["prefix"] for row in behind.query(given)] == ["987"], "one prefix in both servers")
    with transaction_at(behind) as late, pytest.raises(pymysql.err.IntegrityError):
        late.execute(give, ("98712", merchants[1]))


def test_registration_knows_what_was_confirmed_at_the_other(world: World, doors: list[Door]) -> None:
    """A cashier does not take the money for an order that was paid a moment ago at a server which this one has not caught up with."""
    ahead, behind = doors[0].node, doors[1].node
    lag = Behind(ahead, behind)
    (order,) = world.insert_orders(1, "100")
    paid = world.fresh()
    with doors[0].network() as network, doors[1].network() as late:
        expect(wait_until(lambda: not_busy(partial(network.register, order.reference, "100", paid, COMMERCE)), "an answer"), "0000")
        wait_until(lambda: behind.query("SELECT id FROM transactions WHERE network_transaction = %s", paid), "the row everywhere")
        for _ in range(KNOWN_AFTER):
            late.lookup(order.reference)
        lag.hold_up()
        expect(settled(network, paid), "0000")
        assert not lag.has("SELECT id FROM orders WHERE reference = %s AND held_by IS NOT NULL", order.reference)
        another = world.fresh()
        reply = wait_until(lambda: not_busy(partial(late.register, order.reference, "100", another, COMMERCE)), "an answer")
        assert reply.code in ("0106", "0102"), "inside its window, or paid where this took longer"


@pytest.mark.parametrize("kind", ["day", "outstanding"])
def test_both_confirm_up_to_the_limit(world: World, doors: list[Door], kind: str) -> None:
    """To the last one that fits, in rounds until certification had to decide between the two: no more, no less."""
    there = 2 * CLIENTS * PAYMENTS
    before = sum(door.lost_races() for door in doors)
    with clients_of(doors) as clients:
        for turn in range(ROUNDS_AT_MOST):
            waiting = [registered(world, client, PAYMENTS) for client in clients]
            fit = there // 2 + turn
            bound = set_room(world, kind, 100 * fit + 99)
            codes = sum(at_once([partial(confirm, client, mine) for client, mine in zip(clients, waiting)]), [])
            assert (codes.count("0000"), codes.count("0113")) == (fit, there - fit)
            used = world.value(f"SELECT {kind}_used FROM network_limits_now WHERE network = %s", NETWORK)
            assert used == bound - 99
            check_invariants(world, WINDOW_SECONDS)
            if turn >= 2 and sum(door.lost_races() for door in doors) > before:
                break
        else:
            pytest.fail(f"the two never met in {ROUNDS_AT_MOST} rounds: nothing was tested")
    assert not any("COMMIT failed" in door.worker.log_text() for door in doors), "a lost race is no error"


def test_what_is_taken_back_at_one_is_room_at_the_other(world: World, doors: list[Door]) -> None:
    """Cancellations beside confirmations: never over the limit at any moment, and the room that is left is what is left."""
    over = Event()
    with clients_of(doors) as clients:
        waiting = [registered(world, client, 3 * PAYMENTS) for client in clients]
        fit = 2 * CLIENTS * PAYMENTS
        bound = set_room(world, "day", 100 * fit)

        def confirm_all() -> list[str]:
            try:
                return sum(at_once([partial(confirm, client, mine, 3) for client, mine in zip(clients, waiting)]), [])
            finally:
                over.set()

        codes, _ = at_once([confirm_all, partial(watch, world, bound, doors, over)])
        used = world.value("SELECT day_used FROM network_limits_now WHERE network = %s", NETWORK)
        assert used <= bound and bound - used == 100 * (fit - codes.count("0000"))
        (last,) = registered(world, clients[-1], 1)
        limit(world, "--day", f"{used + 100:.2f}")
        expect(settled(clients[-1], last), "0000")
        (none_left,) = registered(world, clients[0], 1)
        expect(settled(clients[0], none_left), "0113")


UNSETTLED = ("SELECT COUNT(*) FROM transactions t LEFT JOIN settlement_items i ON i.transaction_id = t.id AND i.settlement IS NOT NULL"
             " WHERE t.state = 'CONFIRMADA' OR (t.state = 'FINALIZADA' AND i.transaction_id IS NULL)")


def test_settlement_closed_at_one_while_the_other_confirms(world: World, doors: list[Door]) -> None:
    """Closed by an operator at the second server, while payments are confirmed, finalised and collected at the first."""
    second = doors[1]
    held: dict[int, list[dict[str, Any]]] = {}
    with new_traffic(world) as traffic:
        while len(held) < 10 or sum(map(len, held.values())) < 60:
            traffic.await_more(5)
            if second.ctl.succeeds("settlement", "close"):
                number = second.node.query("SELECT MAX(number) AS n FROM settlements WHERE state = 'closed'")[0]["n"]
                held[number] = list(second.node.query(ITEMS, number))
    resolve(world, traffic)
    wait_until(lambda: world.value(UNSETTLED) == 0, "every payment to be in a settlement", 60)
    twice = world.rows("SELECT transaction_id FROM settlement_items WHERE kind = 'finalised' GROUP BY 1 HAVING COUNT(*) > 1")
    assert not twice
    for door in doors:
        assert {number: list(door.node.query(ITEMS, number)) for number in held} == held
    for number in held:
        second.ctl.done("report", "settlement", "--summary", "--number", str(number))  # fails where the digest differs
