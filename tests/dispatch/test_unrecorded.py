"""The database answers, and refuses to record what becomes of notifications: none is sent again and again."""

import re
import time
from collections import Counter
from typing import Iterator

import pytest
from pymysql.constants import ER

from tests.stack import Ctl, wait_until
from tests.stack.dispatch_rig import DispatchRig, database_only
from tests.stack.merchant_stub import Exchange, MerchantStub, hold, in_turn, ok, says

NOT_SENT = "no notification is sent until it takes them"


@pytest.fixture(scope="module")
def own() -> Iterator[DispatchRig]:
    with database_only("16M") as stack:
        yield DispatchRig(stack)


@pytest.fixture
def rig(own: DispatchRig) -> Iterator[DispatchRig]:
    own.empty()
    yield own
    own.stop_all()


class Refusal:
    """Whether the delivering process may write attempts."""

    def __init__(self, rig: DispatchRig) -> None:
        self.rig, self.lasts = rig, False

    def begin(self) -> None:
        self.rig.stack.mariadb.query("REVOKE INSERT ON attempts FROM recaudo_deliverer@localhost")
        self.lasts = True

    def end(self) -> None:
        if self.lasts:
            self.rig.stack.mariadb.query("GRANT INSERT ON attempts TO recaudo_deliverer@localhost")
        self.lasts = False

    def begins(self, exchange: Exchange) -> None:
        """A merchant: from its first request on there is no right to record that it acknowledged."""
        if not self.lasts:
            self.begin()
        ok(exchange)

    def statements(self) -> int:
        return int(self.rig.row("SHOW GLOBAL STATUS LIKE 'Access_denied_errors'")["Value"])


@pytest.fixture
def refusal(rig: DispatchRig) -> Iterator[Refusal]:
    refusal = Refusal(rig)
    yield refusal
    refusal.end()


def check_sent_once(rig: DispatchRig, stub: MerchantStub, count: int) -> None:
    assert rig.count("delivered") == count
    assert set(Counter(request.id for request in stub.requests).values()) == {1}
    assert rig.value("SELECT COUNT(*) FROM attempts WHERE late = 0") == rig.value("SELECT COUNT(*) FROM attempts") == count


def refuse_what_is_in_flight(stub: MerchantStub, refusal: Refusal, count: int) -> None:
    stub.await_requests(count)
    refusal.begin()
    stub.on("n", ok)
    stub.release()


def test_refused_in_the_middle(rig: DispatchRig, stub: MerchantStub, refusal: Refusal) -> None:
    """Outcomes are kept and tried ever more seldom; said once when it begins and once when it ends. Nothing more is sent meanwhile."""
    merchant = rig.merchant(stub.on("n", hold))
    rig.notify(merchant, 4)
    with rig.dispatcher() as dispatcher:
        refuse_what_is_in_flight(stub, refusal, 4)
        wait_until(lambda: "outcomes are not recorded: the database refuses them" in dispatcher.log_text(), "the refusal")
        before = refusal.statements()
        rig.notify(merchant, 3)
        wait_until(lambda: refusal.statements() >= before + 3, "some more tries")
        assert len(stub.requests) == 4
        assert dispatcher.log_text().count("denied") == 2  # to the outcomes, and to a trial without them
        assert dispatcher.log_text().count("outcomes are not recorded") == dispatcher.log_text().count(NOT_SENT) == 1
        refusal.end()
        rig.await_count("delivered", 7)
        wait_until(lambda: "outcomes are recorded again" in dispatcher.log_text(), "the end of it")
    check_sent_once(rig, stub, 7)


def test_lease_ends_while_outcomes_wait(rig: DispatchRig, stub: MerchantStub, refusal: Refusal) -> None:
    """The dispatcher that has them in hand does not send them again, and records them though their leases have ended."""
    rig.notify(rig.merchant(stub.on("n", hold)), 4)
    with rig.dispatcher() as dispatcher:
        refuse_what_is_in_flight(stub, refusal, 4)
        wait_until(lambda: "outcomes are not recorded" in dispatcher.log_text(), "the refusal")
        rig.make_due()
        refusal.end()
        rig.await_count("delivered", 4)
    check_sent_once(rig, stub, 4)


def test_single_pass_ends(rig: DispatchRig, stub: MerchantStub, refusal: Refusal) -> None:
    """Its exit code says that something was left undone."""
    rig.notify(rig.merchant(stub.on("n", refusal.begins)), 4)
    began = time.monotonic()
    result = rig.run_once()
    assert result.returncode == 1 and re.search("[1-4] outcomes not recorded", result.stderr)
    assert time.monotonic() - began < 25
    assert rig.count("pending") == 4


def test_next_process_sends_nothing(rig: DispatchRig, stub: MerchantStub, refusal: Refusal) -> None:
    """It knows nothing of the one before, so it tries first; `status` and the log say so, and what mends it."""
    rig.notify(rig.merchant(stub.on("n", ok)), 4)
    refusal.begin()
    for _ in range(2):
        began = time.monotonic()
        result = rig.run_once()
        assert result.returncode == 1 and NOT_SENT in result.stderr
        assert "statement delivery_try_attempts failed: INSERT" in result.stderr
        assert time.monotonic() - began < 5
    assert stub.requests == [] and rig.rows("SELECT * FROM attempts") == []
    said = Ctl(rig.config()).run("status").stderr
    assert "sends no notifications, because it cannot record what becomes of them" in said
    refusal.end()
    assert "INSERT" not in rig.pass_once().stderr
    check_sent_once(rig, stub, 4)


def test_process_that_waits_goes_on(rig: DispatchRig, stub: MerchantStub, refusal: Refusal) -> None:
    rig.notify(rig.merchant(stub.on("n", ok)), 4)
    refusal.begin()
    with rig.dispatcher() as dispatcher:
        wait_until(lambda: NOT_SENT in dispatcher.log_text(), "the refusal")
        before = refusal.statements()
        wait_until(lambda: refusal.statements() >= before + 3, "some more tries")
        assert stub.requests == [] and dispatcher.log_text().count("denied") == 1
        refusal.end()
        rig.await_count("delivered", 4)
        wait_until(lambda: "outcomes are recorded again" in dispatcher.log_text(), "the end of it")
    check_sent_once(rig, stub, 4)


@pytest.mark.slow
def test_lock_that_is_forgotten(rig: DispatchRig, stub: MerchantStub) -> None:
    """The outcomes wait for it in memory. After half a minute nothing more is sent, and `status` says so, although nothing is due."""
    merchant = rig.merchant(stub.on("n", hold))
    rig.notify(merchant, 4)
    with rig.dispatcher({"database": {"read_timeout": "5s"}}) as dispatcher:
        stub.await_requests(4)
        with rig.stack.mariadb.connect() as other, other.cursor() as cursor:
            cursor.execute("LOCK TABLES attempts READ")
            stub.on("n", ok)
            stub.release()
            status = Ctl(rig.config())
            wait_until(lambda: "sends no notifications, because it cannot record" in status.run("status").stderr, "status", 90, 1)
            rig.notify(merchant, 3)
            assert "after half a minute no notification is sent" in dispatcher.log_text()
            time.sleep(2)
            assert len(stub.requests) == 4
        rig.await_count("delivered", 7)
    check_sent_once(rig, stub, 7)


NO_EVENT = ("CREATE TRIGGER no_event BEFORE INSERT ON event_log FOR EACH ROW FOLLOWS event_log_new"
            " BEGIN IF NEW.subject = 'notification' AND NEW.what = 'state' THEN"
            " SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = {error}, MESSAGE_TEXT = 'no'; END IF; END")


@pytest.mark.parametrize("error", [1644, ER.RECORD_FILE_FULL])  # any SIGNAL, a full disk
def test_what_a_trigger_refuses_is_sent_once(rig: DispatchRig, stub: MerchantStub, error: int) -> None:
    """The attempt could be recorded, and the event of what becomes of its notification not: as where only event_log is full."""
    rig.notify(rig.merchant(stub.on("n", ok)), 40)
    rig.write(NO_EVENT.format(error=error))
    try:
        assert "outcomes are not recorded: the database refuses them" in rig.run_once().stderr
        sent = [request.id for request in stub.requests]  # until the first outcomes were refused
        assert 1 <= len(sent) == len(set(sent))
        for _ in range(2):
            rig.make_due()
            assert NOT_SENT in rig.run_once().stderr
        assert len(stub.requests) == len(sent)
    finally:
        rig.write("DROP TRIGGER no_event")
    rig.make_due()
    rig.pass_once()
    assert len(stub.requests) == len(sent) + 40 and rig.count("delivered") == 40


def test_one_that_is_refused_holds_up_nobody(rig: DispatchRig, stub: MerchantStub) -> None:
    """As a row that somebody has damaged: its outcome is set aside, those of others are recorded, in the same round and later."""
    merchant = rig.merchant(stub.on("n", ok))
    damaged, = rig.notify(merchant, 1, attempts=65535)  # one more has no room in the column
    with rig.dispatcher() as dispatcher:
        line = f"of notification {damaged} is not recorded: the database refuses it and takes others"
        wait_until(lambda: line in dispatcher.log_text(), "it to be set aside")
        rig.notify(merchant, 50)
        rig.await_count("delivered", 50)
        rig.make_due()
        lease = rig.notification(damaged)["lease"]
        wait_until(lambda: rig.notification(damaged)["lease"] != lease, "its next lease")
        rig.notify(merchant, 1)
        rig.await_count("delivered", 51)
        assert len(stub.requests) == 52 and NOT_SENT not in dispatcher.log_text()
        assert dispatcher.log_text().count(line) == 1
    rig.notify(merchant, 20)
    rig.make_due()
    result = rig.run_once()
    assert result.returncode == 1 and line in result.stderr and rig.count("delivered") == 71


def test_failure_that_is_refused_holds_up_nobody(rig: DispatchRig, stub: MerchantStub) -> None:
    """Its merchant's others are sent, although it cannot be noted that the endpoint failed."""
    merchant = rig.merchant(stub.on("n", in_turn(says("ERROR", 500), ok)))
    damaged, = rig.notify(merchant, 1, attempts=65535)
    with rig.dispatcher() as dispatcher:
        wait_until(lambda: f"of notification {damaged} is not recorded" in dispatcher.log_text(), "it to be set aside")
        rig.notify(merchant, 50)
        rig.await_count("delivered", 50)
        assert len(stub.requests) == 51


def test_somebody_holds_the_newest(rig: DispatchRig, stub: MerchantStub) -> None:
    """A forgotten transaction of somebody's holds one notification; the others are delivered."""
    numbers = rig.notify(rig.merchant(stub.on("n", ok)), 5)
    with rig.stack.mariadb.connect() as other, other.cursor() as cursor:
        other.begin()
        cursor.execute("SELECT id FROM notifications WHERE id = %s FOR UPDATE", (numbers[-1],))
        with rig.dispatcher():
            rig.await_count("delivered", 4)
            other.rollback()
            rig.await_count("delivered", 5)
    check_sent_once(rig, stub, 5)


def test_trial_leaves_nothing(rig: DispatchRig, stub: MerchantStub) -> None:
    """What a process tries at its start is taken back."""
    rig.notify(rig.merchant(stub.on("n", ok)), 1)
    rig.pass_once()
    before = [rig.rows(f"SELECT * FROM {table} ORDER BY id") for table in ("attempts", "notifications", "event_log")]
    rig.pass_once()
    assert [rig.rows(f"SELECT * FROM {table} ORDER BY id") for table in ("attempts", "notifications", "event_log")] == before
