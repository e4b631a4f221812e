"""Several database servers: one is written to, and another takes over when it dies, freezes or becomes read only."""

import json
import subprocess
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any, Iterator

import pymysql
import pytest
from pymysql.constants import ER

from tests.stack import Stack, wait_until
from tests.stack.paths import program
from tests.stack.dispatch_rig import DispatchRig
from tests.stack.merchant_stub import MerchantStub, ok

from tests.stack.galera import Cluster, Node
from own_instance import own_world
from traffic import Traffic, new_traffic, resolve
from world import COMMERCE, NETWORK, Order, World

pytestmark = pytest.mark.slow

TABLES = ("orders", "transactions", "events", "notifications", "account_ledger")
BACK_WITHIN = 15.0


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    settings = {"worker": {"cancel_window": "2s"}, "database": {"read_timeout": "2s"}}
    with Stack(settings=settings, buffer_pool="32M", database=Cluster) as stack:
        yield stack


world = own_world


@pytest.fixture
def cluster(stack: Stack, world: World) -> Iterator[Cluster]:
    cluster = stack.mariadb
    assert isinstance(cluster, Cluster)
    yield cluster
    for node in cluster.nodes:
        node.process.resume()
        if not node.process.running():
            node.start_again()
    wait_until(cluster.is_whole, "all servers in the cluster", 60)
    world.database = cluster.connect()


@pytest.fixture
def order(world: World, cluster: Cluster) -> Order:
    return world.order()


def connections(node: Node) -> int:
    """How many of the worker's and dispatcher's connections it has."""
    return int(node.query("SELECT COUNT(*) AS found FROM information_schema.processlist"
                          " WHERE user IN ('recaudo_worker', 'recaudo_dispatcher', 'recaudo_deliverer')")[0]["found"])


def answers(world: World, order: Order) -> bool:
    with world.connect(NETWORK) as network:
        return network.register(order.reference, "45000", world.fresh(), COMMERCE).status == 200


def fails_over(world: World, order: Order, cluster: Cluster, traffic: Traffic, what: str) -> None:
    """From the moment the first server stops working until something is acknowledged again."""
    began = time.monotonic()
    wait_until(lambda: answers(world, order), f"a registration after the first server {what}", BACK_WITHIN)
    print(f"the first server {what}: answered again after {time.monotonic() - began:.2f} s")
    traffic.await_more(200)
    world.database = cluster.nodes[1].connect()
    world.write("SET SESSION wsrep_sync_wait = 1")  # some may be written through the third server


def wait_for_others(cluster: Cluster, timeout: str) -> None:
    for node in cluster.nodes:
        node.query(f"SET GLOBAL wsrep_provider_options = 'repl.causal_read_timeout={timeout}'")


def test_what_is_no_locked_row_may_be_a_server_that_lags(world: World, cluster: Cluster, order: Order) -> None:
    """MariaDB has one error for both, where its wait for the others is shorter than ours for it."""
    wait_for_others(cluster, "PT0.5S")
    try:
        with cluster.first.connect() as holder, holder.cursor() as cursor:
            cursor.execute("FLUSH TABLES WITH READ LOCK")
            cluster.nodes[1].query("UPDATE merchants SET commerce = CONCAT(commerce, '.')")
            assert not answers(world, order)
            wait_until(lambda: "perhaps for what other servers have committed (cluster.md" in world.stack.worker.log_text(), "the cause")
            cursor.execute("UNLOCK TABLES")
    finally:
        wait_for_others(cluster, "PT30S")
    wait_until(lambda: answers(world, order), "the server to have caught up", BACK_WITHIN)


@pytest.mark.parametrize(("timeout", "words"), [("PT0.5S", "0.5 s"), ("PT2S", "2 s"), ("2", "2 s"), ("PT2.5S", None), ("PT1M", None),
                                                ("PT1M1S", None), ("PT1H", None), ("P1D", None)])
def test_a_wait_for_others_that_is_too_short(stack: Stack, cluster: Cluster, timeout: str, words: str | None) -> None:
    wait_for_others(cluster, timeout)
    try:
        checked = json.loads(stack.ctl.run("--json", "config", "check").stdout)
    finally:
        wait_for_others(cluster, "PT30S")
    found = [(row["finding"], row["detail"].partition(",")[0]) for row in checked if row["what"] == "repl.causal_read_timeout"]
    assert found == ([("warning", words)] if words else [])


def test_everybody_writes_to_the_first_server(world: World, cluster: Cluster) -> None:
    with new_traffic(world, 400) as traffic:
        traffic.await_more(100)
        assert connections(cluster.nodes[0]) > 0
        assert [connections(node) for node in cluster.nodes[1:]] == [0, 0]
    resolve(world, traffic)


# What a dispatcher writes of `approved` when it was acknowledged, and what a claim writes behind it (store/notification/deliveries.c, store/payment/claims.c).
ACKNOWLEDGED = ("UPDATE notifications SET state = 'delivered', settled_at = UTC_TIMESTAMP(6) WHERE id = %s",
                "UPDATE notifications finished JOIN notifications n ON n.order_id = finished.order_id AND n.state = 'waiting'"
                " AND n.sequence = finished.sequence + 1 SET n.state = 'pending', n.due_at = UTC_TIMESTAMP(6)"
                " WHERE finished.id = %s AND finished.state = 'delivered'")
CLAIMED = ("INSERT INTO notifications (order_id, merchant_id, sequence, status, state, amount, payment_means, changed_by)"
           " SELECT order_id, merchant_id, sequence + 1, 'cancelled',"
           " IF(state IN ('delivered', 'exhausted'), 'pending', 'waiting'), amount, payment_means, 'operator:ana'"
           " FROM notifications WHERE id = %s LOCK IN SHARE MODE",)


def test_cancelled_behind_approved_on_two_servers(stack: Stack, cluster: Cluster) -> None:
    """Both commit, neither sees the other: `cancelled` would wait for ever."""
    rig = DispatchRig(stack)
    with MerchantStub() as stub:
        merchant = rig.merchant(stub.on("n", ok))
        approved, = rig.notify(merchant, due_at=rig.now() + timedelta(days=1))
        for node in cluster.nodes:
            wait_until(lambda: node.query("SELECT id FROM notifications WHERE id = %s", approved), "the row everywhere")
        writers = [(cluster.nodes[0].connect(), ACKNOWLEDGED), (cluster.nodes[1].connect(), CLAIMED)]
        for writer, statements in writers:
            writer.begin()
            for statement in statements:
                writer.cursor().execute(statement, (approved,))
        for writer, _ in reversed(writers):  # the other way round, the claim is undone for the lock that it holds
            writer.commit()
            writer.close()
        cancelled = rig.row("SELECT n.id, n.state FROM notifications n JOIN notifications a"
                                 " ON a.order_id = n.order_id WHERE a.id = %s AND n.status = 'cancelled'", approved)
        assert (rig.notification(approved)["state"], cancelled["state"]) == ("delivered", "waiting")
        request, = stub.await_requests(1, 60)
        assert request.message["status"] == "cancelled"
        wait_until(lambda: rig.notification(cancelled["id"])["state"] == "delivered", "it to be delivered")


LEASING, LEASERS = 15, 6  # how often, and how many at once


def test_leases_of_new_dispatchers_on_all_servers(stack: Stack, cluster: Cluster) -> None:
    """All wake for the same notifications, and prepare their first leases while others commit theirs: a server that rolls a
    lease back then says so to nobody, and answers COMMIT with success."""
    rig = DispatchRig(stack)
    hosts = [f"{node.host}:{node.port}" for node in cluster.nodes]
    with MerchantStub() as stub, ThreadPoolExecutor(LEASERS) as pool:
        merchant = rig.merchant(stub.on("n", ok))
        configs = [rig.config({"database": {"host": " ".join(hosts[at:] + hosts[:at])}}) for at in range(len(hosts))]
        for _ in range(LEASING):
            due = rig.notify(merchant, 10, due_at=rig.now() + timedelta(seconds=0.7))
            leasers = [[program("recaudo-dispatch"), "--config", str(configs[at % len(configs)]), "deliver", "--for", "2"]
                        for at in range(LEASERS)]
            list(pool.map(lambda leaser: subprocess.run(leaser, check=True, timeout=60), leasers))
            wait_until(lambda: all(rig.notification(number)["state"] == "delivered" for number in due), "all delivered", 60)
        told = Counter(request.id for request in stub.requests)
    assert len(told) == 10 * LEASING and set(told.values()) == {1}, told.most_common(5)


ROUNDS, CLOSINGS = 3, 100


def collects(node: Node, ended: threading.Event) -> None:
    """Finalises and collects in small portions, as fast as it can."""
    with node.connect() as database, database.cursor() as cursor:
        cursor.execute("SET tx_isolation = 'READ-COMMITTED'")
        while not ended.is_set():
            for statement in ("SELECT payments_finalise(5)", "SELECT settlement_collect(2)"):
                try:
                    database.begin()
                    cursor.execute(statement)
                    database.commit()
                except pymysql.err.OperationalError as error:
                    assert error.args[0] == ER.LOCK_DEADLOCK, error


ITEMS = "SELECT transaction_id, kind FROM settlement_items WHERE settlement = %s ORDER BY 1, 2"


def closes(node: Node, times: int) -> dict[int, tuple[Any, ...]]:
    """Closes one settlement after the other; what each held when its closing was committed."""
    held: dict[int, tuple[Any, ...]] = {}
    with node.connect() as database, database.cursor() as cursor:
        cursor.execute("SET tx_isolation = 'READ-COMMITTED'")
        while len(held) < times:
            cursor.execute("SELECT number FROM settlements WHERE is_open = 1")
            (number,) = dict(cursor.fetchone() or {}).values()
            try:
                database.begin()
                cursor.execute("SELECT settlement_close(%s, 'operator:ana', NULL, NULL, NULL) AS closed", (number,))
                assert dict(cursor.fetchone() or {}) == {"closed": 1}
                database.commit()
            except pymysql.err.OperationalError as error:
                assert error.args[0] == ER.LOCK_DEADLOCK, error
                continue
            cursor.execute(ITEMS, (number,))
            held[number] = tuple(cursor.fetchall())
    return held


def test_closed_on_one_server_while_another_finalises(stack: Stack, cluster: Cluster) -> None:
    """Locks of one server do not count in the others: only certification keeps a payment out of what was closed."""
    rig, ended = DispatchRig(stack), threading.Event()
    merchant = rig.merchant(None)
    with ThreadPoolExecutor(1) as pool:
        collecting = pool.submit(collects, cluster.nodes[0], ended)
        try:
            held: dict[int, tuple[Any, ...]] = {}
            for _ in range(ROUNDS):
                rig.confirmed_orders(merchant, 300, rig.now() - timedelta(hours=1))
                held |= closes(cluster.nodes[1], CLOSINGS)
        finally:
            ended.set()
        collecting.result()
    left = "SELECT COUNT(*) FROM settlement_items WHERE settlement IS NULL"
    wait_until(lambda: rig.value("SELECT COUNT(*) FROM transactions WHERE state = 'CONFIRMADA'") == 0, "all final", 300)
    wait_until(lambda: rig.value(left) == 0, "all collected")
    sums = "SELECT COUNT(*) FROM settlements WHERE state = 'closed' AND digest IS NULL"
    wait_until(lambda: rig.value(sums) == 0, "all digests", 120)
    assert sum(map(len, held.values())) > 100
    assert rig.value("SELECT COUNT(*) FROM settlement_items i JOIN transactions t ON t.id = i.transaction_id"
                          " JOIN orders o ON o.id = t.order_id WHERE o.merchant_id = %s", merchant.id) == ROUNDS * 300
    rows = rig.rows("SELECT * FROM settlements ORDER BY number")
    for node in cluster.nodes:
        wait_until(lambda: node.query("SELECT * FROM settlements ORDER BY number") == rows, "the same everywhere")
        assert {number: tuple(node.query(ITEMS, number)) for number in held} == held
    for number in sorted(held, key=lambda number: len(held[number]))[-10:]:
        stack.ctl.done("report", "settlement", "--summary", "--number", str(number))  # fails where the digest differs


def test_killed(world: World, order: Order, cluster: Cluster) -> None:
    """Nothing acknowledged is lost, and when the server is back it is used again."""
    with new_traffic(world) as traffic:
        traffic.await_more()
        cluster.first.kill()
        fails_over(world, order, cluster, traffic, "was killed")
    resolve(world, traffic)
    cluster.first.start_again()
    wait_until(lambda: connections(cluster.first) > 0 and answers(world, order), "the first server in use again", 120)
    wait_until(lambda: answers(world, order) and connections(cluster.nodes[1]) == 0, "the second one left", 120)
    wait_until(lambda: world.value("SELECT COUNT(*) FROM transactions WHERE state = 'CONFIRMADA'") == 0,
               "all payments final", 300)
    for table in TABLES:
        wait_until(lambda: not cluster.differing(table), f"the same rows of {table} in all servers", 120)


def test_frozen(world: World, order: Order, cluster: Cluster) -> None:
    """A server that accepts connections and says nothing."""
    with new_traffic(world) as traffic:
        traffic.await_more()
        cluster.first.process.pause()
        fails_over(world, order, cluster, traffic, "froze")
    cluster.first.process.resume()
    resolve(world, traffic)


def test_read_only(world: World, order: Order, cluster: Cluster) -> None:
    """As a primary is made before its replica takes over."""
    with new_traffic(world) as traffic:
        traffic.await_more()
        cluster.first.query("SET GLOBAL read_only = ON")
        fails_over(world, order, cluster, traffic, "became read only")
        cluster.first.query("SET GLOBAL read_only = OFF")
    resolve(world, traffic)


def test_without_its_cluster(world: World, order: Order, cluster: Cluster) -> None:
    """A server that has lost the others accepts connections and refuses every statement."""
    with new_traffic(world) as traffic:
        traffic.await_more()
        cluster.first.query("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=1'")
        fails_over(world, order, cluster, traffic, "was cut off")
        cluster.first.query("SET GLOBAL wsrep_provider_options = 'gmcast.isolate=0'")
    resolve(world, traffic)
