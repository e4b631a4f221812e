"""A lease ends while its notification's outcome is being recorded: what was acknowledged is not sent again."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Iterator

import pymysql

from tests.stack import wait_until
from tests.stack.database_proxy import DatabaseProxy
from tests.stack.dispatch_rig import DispatchRig
from tests.stack.merchant_stub import MerchantStub, hold, ok


@contextmanager
def attempt_in_the_way(rig: DispatchRig, number: int) -> "Iterator[pymysql.connections.Connection[Any]]":
    """Another transaction holds what the attempt in flight is to be recorded as, until it is rolled back."""
    lease = rig.notification(number)["lease"]
    with rig.stack.mariadb.connect() as other:
        other.begin()
        with other.cursor() as cursor:
            cursor.execute("INSERT INTO attempts (notification_id, number, dispatcher_id, started_at, duration_us,"
                           " address, reason, late, reply, lease) SELECT %s, 1, MIN(id), UTC_TIMESTAMP(6), 1, '',"
                           " 'acknowledged', 0, '', %s FROM dispatchers", (number, lease))
        yield other


def let_another_lease_begin(rig: DispatchRig, stub: MerchantStub, number: int) -> None:
    """While its acknowledgement waits to be recorded."""
    lease = rig.notification(number)["lease"]
    stub.on("n", ok)
    stub.release()
    wait_until(lambda: rig.lock_waits() > 0, "the recorder to wait", 30, 0.3)
    rig.make_due()
    wait_until(lambda: rig.notification(number)["lease"] != lease, "another lease")


def check_sent_once(rig: DispatchRig, stub: MerchantStub, number: int) -> None:
    """And recorded so: nothing of the lease between shows."""
    rig.await_count("delivered", 1)
    assert [attempt["late"] for attempt in rig.attempts(number)] == [0]
    assert len(stub.requests) == 1


def test_leased_anew_before_it_is_recorded(rig: DispatchRig, stub: MerchantStub) -> None:
    number, = rig.notify(rig.merchant(stub.on("n", hold)))
    with rig.dispatcher():
        stub.await_requests(1)
        with attempt_in_the_way(rig, number) as other:
            let_another_lease_begin(rig, stub, number)
            other.rollback()
        check_sent_once(rig, stub, number)


def test_the_answer_to_the_lease_comes_after_the_record(rig: DispatchRig, stub: MerchantStub,
                                                       proxy: DatabaseProxy) -> None:
    number, = rig.notify(rig.merchant(stub.on("n", hold)))
    with rig.dispatcher({"database": {"socket": proxy.path}}):
        stub.await_requests(1)
        with attempt_in_the_way(rig, number) as other:
            proxy.hold_answer_to = b"COMMIT"
            let_another_lease_begin(rig, stub, number)
            assert proxy.held.wait(30)
            ended = len(proxy.ended)
            other.rollback()
            wait_until(lambda: len(proxy.ended) > ended, "the recorder's transaction to end")
            proxy.release()
        check_sent_once(rig, stub, number)


def test_retry_is_due_while_the_endpoint_is_noted(rig: DispatchRig, stub: MerchantStub) -> None:
    """The attempt is recorded, and what it says about the endpoint is not: the retry, another attempt, is not lost."""
    merchant = rig.merchant(stub.on("n", hold))
    rig.notify(merchant)
    settings = {"notification": {"schedule": "1s 1s 1s 1s 1s"}}
    rig.write("CREATE TRIGGER slow BEFORE INSERT ON endpoints FOR EACH ROW DO SLEEP(4)")
    try:
        with rig.dispatcher(settings):
            stub.await_requests(1)
            stub.on("n", ok)
            stub.release(500)
            wait_until(lambda: rig.rows("SELECT 1 FROM information_schema.processlist WHERE state = 'User sleep'"), "the recorder to note it")
            rig.make_due()
            rig.await_count("delivered", 1, 20)
    finally:
        rig.write("DROP TRIGGER slow")
    assert len(stub.requests) == 2
