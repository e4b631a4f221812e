"""The database is restarted, killed, frozen or slow under working dispatchers."""

import resource
import signal
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any, Iterator

import pymysql
import pytest

from tests.stack import Stack, wait_until
from tests.stack.config import Settings
from tests.stack.database_proxy import DatabaseProxy
from tests.stack.dispatch_rig import DispatchRig, database_only
from tests.stack.false_time import faked
from tests.stack.mariadb_tcp import SecondServer
from tests.stack.merchant_stub import MerchantStub, after, closes, hold, ok
from tests.stack.programs import Dispatcher

STATEMENT_TAKES = 0.1
LONGER_THAN_A_REFUSAL = 35.0  # a lock for half a minute counts as one
MERCHANTS = 64  # one transaction leases for so many
QUICK: Settings = {"database": {"read_timeout": "2s"}}


@pytest.fixture(scope="module")
def own() -> Iterator[DispatchRig]:
    with database_only("64M") as stack:
        yield DispatchRig(stack)


@pytest.fixture
def rig(own: DispatchRig) -> Iterator[DispatchRig]:
    """Its database is for this module alone, to be broken."""
    own.empty()
    yield own
    own.stop_all()


def check_each_once(rig: DispatchRig, stub: MerchantStub, count: int) -> None:
    """The dispatcher lived on, so that it could record every outcome in the end: nothing is sent twice."""
    assert rig.count("delivered") == count
    told = Counter(request.id for request in stub.requests)
    assert len(told) == count
    assert {number: times for number, times in told.items() if times > 1} == {}
    assert rig.value("SELECT COUNT(*) FROM attempts WHERE late = 0") == count


def await_all(rig: DispatchRig, count: int) -> None:
    """What a transaction with an unknown outcome has leased waits for the end of the lease, which is moved here."""
    def all_there() -> bool:
        delivered = rig.count("delivered")
        resting = rig.value("SELECT COUNT(*) FROM notifications WHERE state = 'pending'"
                                 " AND due_at > UTC_TIMESTAMP(6) + INTERVAL 5 SECOND")
        if delivered + resting == count:
            rig.make_due()
        return delivered == count

    wait_until(all_there, f"{count} to be delivered", 90, 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["restart", "kill", "freeze"])
@pytest.mark.parametrize("seconds", [0.0, 0.05])
def test_in_the_middle_of_a_pass(rig: DispatchRig, stub: MerchantStub, way: str, seconds: float) -> None:
    count = 3000
    for _ in range(3):
        rig.notify(rig.merchant(stub.on("n", after(seconds))), count // 3)
    with rig.dispatcher(QUICK):
        stub.await_requests(500)
        server = rig.stack.mariadb
        if way == "restart":
            server.restart()
        elif way == "kill":
            server.kill()
            server.start()
        else:
            server.process.pause()
            wait_until(lambda: "database" in rig.running[0].log_text(), "the time to run out")
            server.process.resume()
        rig.database = server.connect()
        await_all(rig, count)
    check_each_once(rig, stub, count)


def test_outcomes_wait_for_the_database(rig: DispatchRig, stub: MerchantStub) -> None:
    """Acknowledged while the database is away: recorded when it is back, and not sent again."""
    rig.notify(rig.merchant(stub.on("n", hold)), 4)
    with rig.dispatcher(QUICK):
        stub.await_requests(4)
        rig.stack.mariadb.stop()
        stub.release()
        wait_until(lambda: "away" in rig.running[0].log_text(), "the dispatcher to notice")
        rig.stack.mariadb.start()
        rig.database = rig.stack.mariadb.connect()
        rig.await_count("delivered", 4)
    check_each_once(rig, stub, 4)


def test_windows_close_when_it_is_back(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("n", ok))
    with rig.dispatcher(QUICK):
        wait_until(lambda: rig.rows("SELECT * FROM dispatchers"), "a heartbeat")
        orders = rig.confirmed_orders(merchant, 20, rig.now() + timedelta(seconds=1))
        rig.stack.mariadb.restart()
        rig.database = rig.stack.mariadb.connect()
        rig.await_count("delivered", 20)
    assert sorted(request.message["pv_po_id"] for request in stub.requests) == orders


def test_ends_well_once_the_database_is_back(rig: DispatchRig) -> None:
    """Otherwise systemd counts a unit as failed that was stopped in good order."""
    with rig.dispatcher(QUICK) as dispatcher:
        wait_until(lambda: len(rig.rows("SELECT * FROM dispatchers")) == 2, "both heartbeats")
        rig.stack.mariadb.stop()
        wait_until(lambda: dispatcher.log_text().count("database: unreachable") == 2, "both tasks to notice")
        rig.stack.mariadb.start()
        rig.database = rig.stack.mariadb.connect()
        back_at = rig.now()
        # One that got no answer to its first statement has another row now.
        newest = "SELECT MIN(seen_at) FROM (SELECT MAX(seen_at) AS seen_at FROM dispatchers GROUP BY task) AS tasks"
        wait_until(lambda: rig.value(newest) > back_at, "both to work again")
        assert dispatcher.stop() == 0


def processor_of_ended_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_told_to_stop_while_it_is_away(rig: DispatchRig, stub: MerchantStub) -> None:
    """It tries to record what it knows for as long as an attempt may take and five seconds, without burning a processor, and says what it left."""
    rig.notify(rig.merchant(stub.on("n", hold)), 2)
    try:
        with rig.dispatcher(QUICK) as dispatcher:
            stub.await_requests(2)
            rig.stack.mariadb.kill()  # at once: the requests must not time out first
            stub.release()
            wait_until(lambda: "2 outcomes are not recorded" in dispatcher.log_text(), "the dispatcher to notice")
            before, began = processor_of_ended_children(), time.monotonic()
            dispatcher.signal(signal.SIGTERM)
            wait_until(lambda: not dispatcher.running(), "the dispatcher to leave", 60)
            took = time.monotonic() - began
            assert took < 40
            assert processor_of_ended_children() - before < took / 5
            assert "leaving with 0 notifications in flight and 2 outcomes not recorded" in dispatcher.log_text()
            assert len(dispatcher.log_text().splitlines()) < 20
    finally:
        rig.stack.mariadb.start()
        rig.database = rig.stack.mariadb.connect()
    assert rig.count("pending") == 2


def test_attempt_is_recorded_once_though_its_endpoint_cannot_be_noted(rig: DispatchRig, stub: MerchantStub) -> None:
    """The outcome is stored, and what follows it fails: each request is one attempt, and the schedule goes on to its end."""
    number, = rig.notify(rig.merchant(stub.on("n", closes)))
    rig.write("REVOKE INSERT, UPDATE ON endpoints FROM recaudo_deliverer@localhost")
    try:
        with rig.dispatcher({"notification": {"schedule": "100ms"}}):
            rig.await_count("exhausted", 1)
    finally:
        rig.write("GRANT INSERT, UPDATE ON endpoints TO recaudo_deliverer@localhost")
    assert len(stub.requests) == len(rig.attempts(number)) == 2


def test_database_restarted_in_the_middle(rig: DispatchRig, stub: MerchantStub) -> None:
    numbers = rig.notify(rig.merchant(stub.on("a", after(0.02))), 3000)
    with rig.dispatcher():
        stub.await_requests(300)
        rig.stack.mariadb.restart()
        rig.database = rig.stack.mariadb.connect()
        wait_until(lambda: len(stub.requests) >= len(numbers), "the rest to be sent", 90, 0.1)
        rig.make_due()
        rig.await_count("delivered", len(numbers), 90)
    assert {request.id for request in stub.requests} == set(numbers)


def test_lease_undone_where_its_list_ends(rig: DispatchRig, stub: MerchantStub, proxy: DatabaseProxy) -> None:
    """All that it read was right, and then it was rolled back: what COMMIT says of that is no answer."""
    rig.notify(rig.merchant(stub.on("n", ok)), 3)
    proxy.undo = b"SELECT UTC_TIMESTAMP(6), n.id, n.webhook_id"
    with rig.dispatcher({"database": {"socket": proxy.path}}):
        rig.await_count("delivered", 3)
    assert proxy.undone == 1
    check_each_once(rig, stub, 3)


@pytest.mark.slow
def test_slow_while_many_merchants_are_due(rig: DispatchRig, stub: MerchantStub, proxy: DatabaseProxy) -> None:
    """No hang of the dispatcher that waits for it: sixty-four questions, one a merchant, take more than the time of a hang; so would they in one transaction."""
    proxy.answers_take = STATEMENT_TAKES
    url = stub.on("n", ok)
    for _ in range(MERCHANTS):
        rig.notify(rig.merchant(url))
    settings = {"database": {"socket": proxy.path, "read_timeout": "1s"}, "dispatcher": {"hang_after": "1s"}}
    with rig.dispatcher(settings) as dispatcher:
        wait_until(lambda: rig.count("delivered") == MERCHANTS or "no progress" in dispatcher.log_text(),
                   "all to be delivered", 120)
        assert "no progress" not in dispatcher.log_text()
    assert len(stub.requests) == len({request.id for request in stub.requests}) == MERCHANTS


# Two servers, and the first is away.

@pytest.fixture(scope="module")
def second() -> Iterator[DispatchRig]:
    stack = Stack(dispatcher=False, buffer_pool="16M", database=SecondServer)
    try:
        stack.write_config()
        stack.mariadb.start()
        stack.migrate()
        yield DispatchRig(stack)
    finally:
        stack.close()


def test_begins_again_where_the_first_answer_does_not_come(rig: DispatchRig, stub: MerchantStub, proxy: DatabaseProxy) -> None:
    """Nor does it come in time to a process that was stopped meanwhile."""
    proxy.hold_answer_to = b"deliver"  # the last value of the row that says that this task runs
    rig.notify(rig.merchant(stub.on("n", ok)))
    with rig.dispatcher({"database": {"socket": proxy.path, "read_timeout": "1s"}}):
        assert proxy.held.wait(30)
        rig.await_count("delivered", 1)
        proxy.release()


@pytest.mark.parametrize("silent", [False, True])
def test_begins_with_the_second(second: DispatchRig, stub: MerchantStub, silent: bool) -> None:
    """Also in one pass, which has no time to wait for the first."""
    assert isinstance(second.stack.mariadb, SecondServer)
    second.stack.mariadb.silent = silent
    merchant = second.merchant(stub.on("n", ok))
    second.confirmed_orders(merchant, 3, second.now())
    second.pass_once()
    second.pass_once()  # both tasks began together: what the first finalised may be due only now
    second.stack.mariadb.silent = False
    assert len(stub.requests) == 3


@pytest.mark.preloads
@pytest.mark.slow
def test_looks_for_the_first_now_and_then(second: DispatchRig) -> None:
    """By the monotonic clock: each task waits 5 s between two looks, whatever the time of day is."""
    server = second.stack.mariadb
    assert isinstance(server, SecondServer)
    dispatcher = second.new_dispatcher()
    dispatcher.environment.update(faked(FAKETIME="+1h"))
    server.hung_up.clear()
    dispatcher.start()
    second.running.append(dispatcher)
    wait_until(lambda: len(server.hung_up) >= 8, "both to look a second time", 60)
    second.stop_all()
    assert server.hung_up[7] - server.hung_up[0] > 4, dispatcher.log_tail(20)


def rows_read(rig: DispatchRig) -> int:
    return sum(int(row["Value"]) for row in rig.rows("SHOW GLOBAL STATUS LIKE 'Handler\\_read\\_%'"))


def test_statistics_that_are_old(rig: DispatchRig, stub: MerchantStub) -> None:
    """The server believes that there are no orders, as where it was restarted before it counted many new ones. Of those that are not
    sent, a lease reads none."""
    merchant = rig.merchant(stub.on("n", ok))
    rig.write("SET GLOBAL innodb_stats_auto_recalc = OFF")
    rig.orders(merchant, 3000)
    rig.notify(merchant, 20)
    rig.write("UPDATE mysql.innodb_table_stats SET n_rows = 0 WHERE table_name IN ('orders', 'merchants', 'notifications')")
    rig.stack.mariadb.restart()
    rig.database = rig.stack.mariadb.connect()
    before = rows_read(rig)
    rig.pass_once()
    assert rig.count("delivered") == 20 and rows_read(rig) - before < 3000


@pytest.mark.slow
def test_others_hold_locks(rig: DispatchRig) -> None:
    """A forgotten session has locked a merchant and the open settlement: payments and orders of that merchant and the collecting
    wait. The dispatcher shows life, finalises and expires those of others, and seals."""
    locked, other = rig.merchant(None), rig.merchant(None)
    held, others = rig.confirmed_orders(locked, 1, rig.now()), rig.confirmed_orders(other, 1, rig.now())
    rig.orders(locked, state="PENDIENTE", due_at=rig.now())
    with rig.stack.mariadb.connect() as forgotten, forgotten.cursor() as cursor:
        cursor.execute("BEGIN")
        cursor.execute("SELECT id FROM merchants WHERE id = %s FOR UPDATE", locked.id)
        cursor.execute("SELECT number FROM settlements WHERE is_open = 1 FOR UPDATE")
        (late,) = rig.orders(other, state="PENDIENTE", due_at=rig.now())
        with rig.dispatcher({"audit": {"seal_every": "1s"}}):
            wait_until(lambda: rig.value("SELECT state FROM orders WHERE id = %s", others[0]) == "APROBADA", "the payment to be final", 15)
            wait_until(lambda: rig.value("SELECT state FROM orders WHERE id = %s", late) == "VENCIDA", "the order to expire", 120)
            wait_until(lambda: rig.rows("SELECT 1 FROM dispatchers WHERE task = 'settle' AND seen_at > started_at + INTERVAL 10 SECOND"),
                       "a sign of life", 120)
            wait_until(lambda: rig.rows("SELECT 1 FROM seals"), "a seal", 120)
            assert rig.value("SELECT state FROM orders WHERE id = %s", held[0]) == "PENDIENTE"
            forgotten.rollback()
            wait_until(lambda: rig.rows("SELECT 1 FROM settlement_items WHERE settlement IS NOT NULL"), "the payment to be collected", 120)
    assert rig.value("SELECT state FROM orders WHERE id = %s", held[0]) == "APROBADA"


@pytest.mark.slow
def test_others_hold_notifications(rig: DispatchRig, stub: MerchantStub) -> None:
    """A forgotten session has locked a notification in flight, one that follows another, and the row of an endpoint that fails.
    Those wait, and what other merchants are told is recorded meanwhile. Afterwards all are, each once."""
    held, failing, other = (rig.merchant(stub.on(path, behaviour)) for path, behaviour in (("held", hold), ("failing", closes), ("n", ok)))
    (in_flight, before) = rig.notify(held, 2)
    (following,) = rig.notifications_about(held, [rig.notification(before)["order_id"]], sequence=2, state="waiting", status="cancelled")
    rig.write("INSERT INTO endpoints (merchant_id, failures) VALUES (%s, 1)", failing.id)
    with rig.stack.mariadb.connect() as forgotten, forgotten.cursor() as cursor, rig.dispatcher() as dispatcher:
        stub.await_requests(2)
        cursor.execute("BEGIN")
        cursor.execute("SELECT id FROM notifications FORCE INDEX (PRIMARY) WHERE id IN (%s, %s) FOR UPDATE", (in_flight, following))
        cursor.execute("SELECT merchant_id FROM endpoints WHERE merchant_id = %s FOR UPDATE", failing.id)
        stub.on("held", ok)
        stub.release()
        rig.notify(failing)
        rig.notify(other, 20)
        rig.await_count("delivered", 20, 15)
        told, until = 20, time.monotonic() + LONGER_THAN_A_REFUSAL
        while time.monotonic() < until:
            (late,) = rig.notify(other)
            wait_until(lambda: rig.notification(late)["state"] == "delivered", "a later one", 30)
            told += 1
        assert "no notification is sent until" not in dispatcher.log_text()
        forgotten.rollback()
        rig.await_count("delivered", told + 2, 60)
    assert max(Counter(request.id for request in stub.requests if request.path != "/failing").values()) == 1


@pytest.mark.slow
def test_others_hold_the_attempts_of_one_merchant(rig: DispatchRig, stub: MerchantStub) -> None:
    """A forgotten session lets no attempt at its notifications be written. Once as many outcomes of it are kept as one merchant may
    have, nothing more is sent to it, and the log says so, once; what others are told is recorded. Afterwards each was sent once."""
    held, other = (rig.merchant(stub.on(path, ok)) for path in ("held", "n"))
    numbers = rig.notify(held, 1500, due_at=rig.now() + timedelta(days=1))
    rig.notify(other, 300)
    rig.pass_once()
    with rig.stack.mariadb.connect() as forgotten, forgotten.cursor() as cursor, rig.dispatcher() as dispatcher:
        cursor.execute("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("BEGIN")
        cursor.execute("SELECT * FROM attempts FORCE INDEX (one_per_lease) WHERE notification_id = %s FOR UPDATE", numbers[0])
        rig.make_due()
        full = f"outcomes of merchant {held.name} are not recorded, because another session has locked their rows"
        wait_until(lambda: full in dispatcher.log_text(), "its share to be full", 120)
        sent = len([request for request in stub.requests if request.path == "/held"])
        assert 256 < sent < 1024
        told, until = 300, time.monotonic() + LONGER_THAN_A_REFUSAL
        while time.monotonic() < until:
            rig.notify(other, 20)
            told += 20
            rig.await_count("delivered", told, 10)
        assert "no notification is sent until" not in dispatcher.log_text()
        assert sent == len([request for request in stub.requests if request.path == "/held"])
        forgotten.rollback()
        rig.await_count("delivered", told + 1500, 120)
        free = f"outcomes of merchant {held.name} are no longer locked"
        wait_until(lambda: free in dispatcher.log_text(), "it to be said", 20)
        assert dispatcher.log_text().count(full) == dispatcher.log_text().count(free) == 1
    assert max(Counter(request.id for request in stub.requests).values()) == 1


def answer_while_it_is_held(stub: MerchantStub, dispatcher: Dispatcher, forgotten: "pymysql.connections.Connection[Any]",
                            number: int) -> None:
    """What becomes of the notification is in hand, and its row is locked."""
    stub.await_requests(1)
    forgotten.begin()
    with forgotten.cursor() as cursor:
        cursor.execute("SELECT id FROM notifications WHERE id = %s FOR UPDATE", number)
    stub.on("n", ok)
    stub.release()
    wait_until(lambda: "gave up waiting for a row" in dispatcher.log_text(), "it to be tried", 30)
    time.sleep(7)  # until it is tried by itself


@pytest.mark.slow
def test_goes_away_while_others_hold_a_notification(rig: DispatchRig, stub: MerchantStub) -> None:
    """The process that has its outcome in hand shows life meanwhile, so it is not replaced, and records it once the database is back."""
    (number,) = rig.notify(rig.merchant(stub.on("n", hold)))
    settings: Settings = {"database": {"read_timeout": "1s"}, "dispatcher": {"hang_after": "4s"}}
    with rig.dispatcher(settings) as dispatcher, rig.stack.mariadb.connect() as forgotten:
        answer_while_it_is_held(stub, dispatcher, forgotten, number)
        rig.stack.mariadb.kill()
        try:
            time.sleep(15)
        finally:
            rig.stack.mariadb.start()
            rig.database = rig.stack.mariadb.connect()
        rig.await_count("delivered", 1)
        assert "no progress" not in dispatcher.log_text()
    check_each_once(rig, stub, 1)


@pytest.mark.slow
def test_turns_read_only_while_others_hold_a_notification(rig: DispatchRig, stub: MerchantStub) -> None:
    """That is not one more lock: the log says that nothing can be recorded."""
    (number,) = rig.notify(rig.merchant(stub.on("n", hold)))
    with rig.dispatcher(QUICK) as dispatcher, rig.stack.mariadb.connect() as forgotten:
        answer_while_it_is_held(stub, dispatcher, forgotten, number)
        rig.write("SET GLOBAL read_only = 1")
        try:
            wait_until(lambda: "1 outcomes are not recorded" in dispatcher.log_text(), "it to be said", 20)
        finally:
            rig.write("SET GLOBAL read_only = 0")
        forgotten.rollback()
        rig.await_count("delivered", 1)
    check_each_once(rig, stub, 1)


@pytest.mark.slow
@pytest.mark.parametrize("lock", ["BEGIN; SELECT * FROM endpoint_tests FOR UPDATE", "LOCK TABLES endpoint_tests READ"])
def test_others_hold_the_test_of_an_endpoint(rig: DispatchRig, stub: MerchantStub, lock: str) -> None:
    """Its result is written when nobody holds it. What all merchants are told is sent meanwhile, and the dispatcher shows life."""
    tested, other = rig.merchant(stub.on("tested", hold)), rig.merchant(stub.on("n", ok))
    rig.write("REPLACE INTO endpoint_tests (merchant_id, asked_at, asked_by, currency)"
              " VALUES (%s, UTC_TIMESTAMP(6), 'eva', 'COP')", tested.id)
    with rig.dispatcher({"database": {"read_timeout": "2s"}}), rig.stack.mariadb.connect() as forgotten, forgotten.cursor() as cursor:
        stub.await_requests(1)
        for statement in lock.split("; "):
            cursor.execute(statement)
        stub.on("tested", ok)
        stub.release()
        for _ in range(10):
            (number,) = rig.notify(other)
            wait_until(lambda: rig.notification(number)["state"] == "delivered", "one of them", 15)
        seen = "SELECT MAX(seen_at) FROM dispatchers WHERE task = 'deliver'"
        before = rig.value(seen)
        wait_until(lambda: rig.value(seen) > before, "a sign of life", 20)
        cursor.execute("ROLLBACK")
        cursor.execute("UNLOCK TABLES")
        wait_until(lambda: rig.value("SELECT reason FROM endpoint_tests WHERE merchant_id = %s", tested.id) == "acknowledged",
                   "its result", 20)


@pytest.mark.slow
def test_one_pass_ends_where_others_hold_a_notification(rig: DispatchRig, stub: MerchantStub) -> None:
    """Within seconds, so that a new process can go on. Its exit status says that something is left, which is sent again once the
    lease has ended."""
    (number,) = rig.notify(rig.merchant(stub.on("n", hold)))
    with rig.stack.mariadb.connect() as forgotten, forgotten.cursor() as cursor, ThreadPoolExecutor() as pool:
        passing = pool.submit(rig.run_once)
        stub.await_requests(1)
        cursor.execute("BEGIN")
        cursor.execute("SELECT id FROM notifications WHERE id = %s FOR UPDATE", number)
        stub.on("n", ok)
        stub.release()
        left = passing.result(20)
    assert left.returncode != 0 and "leaving with 0 notifications in flight and 1 outcomes not recorded" in left.stderr
    rig.make_due()
    rig.pass_once()
    assert rig.notification(number)["state"] == "delivered"


@pytest.mark.slow
def test_others_hold_a_table(rig: DispatchRig) -> None:
    """Each pass loses its connection to it, and the dispatcher shows life."""
    with rig.stack.mariadb.connect() as forgotten, forgotten.cursor() as cursor:
        cursor.execute("LOCK TABLES settlements READ")
        with rig.dispatcher({"database": {"read_timeout": "1s"}}) as dispatcher:
            wait_until(lambda: "while closing_collect ran (2013)" in dispatcher.log_text(), "a lost connection", 60)
            wait_until(lambda: rig.rows("SELECT 1 FROM dispatchers WHERE task = 'settle' AND seen_at > started_at + INTERVAL 10 SECOND"),
                       "a sign of life", 60)


@pytest.mark.slow
def test_others_hold_the_heartbeats(rig: DispatchRig) -> None:
    """An attempt to show life takes longer than until the next one is due. Payments become final between two."""
    merchant = rig.merchant(None)
    with rig.dispatcher({"database": {"read_timeout": "6s"}}) as dispatcher, rig.stack.mariadb.connect() as forgotten, forgotten.cursor() as cursor:
        wait_until(lambda: rig.rows("SELECT 1 FROM dispatchers WHERE task = 'settle'"), "its registration")
        cursor.execute("LOCK TABLES dispatchers READ")
        wait_until(lambda: "while dispatcher_beat ran (2013)" in dispatcher.log_text(), "a lost connection", 60)
        (order,) = rig.confirmed_orders(merchant, 1, rig.now())
        wait_until(lambda: rig.value("SELECT state FROM orders WHERE id = %s", order) == "APROBADA", "the payment to be final", 60)
