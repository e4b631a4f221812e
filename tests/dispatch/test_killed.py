"""Dispatchers that are killed, or sleep past their lease: nothing is lost, and nothing is sent twice but what was sent
and not yet recorded."""

import random
import socket
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from tests.stack.dispatch_rig import DispatchRig
from tests.stack.merchant_stub import MerchantStub, hold, in_turn, ok
from tests.stack import free_port, wait_until
from tests.stack.config import Settings
from tests.stack.authority import Authority


def leased(rig: DispatchRig) -> int:
    return int(rig.value("SELECT COUNT(*) FROM notifications WHERE state = 'pending' AND lease IS NOT NULL"
                              " AND due_at > UTC_TIMESTAMP(6)"))


def test_between_lease_and_send(rig: DispatchRig, tmp_path: Path) -> None:
    """The merchant's TLS handshake hangs, so that nothing has left when the dispatcher dies."""
    authority = Authority(tmp_path)
    port = free_port()
    settings: Settings = {"security": {"ca_file": authority.certificate}}
    numbers = rig.notify(rig.merchant(f"https://127.0.0.1:{port}/n"), 3)
    with socket.create_server(("127.0.0.1", port)):
        with rig.dispatcher(settings) as dispatcher:
            wait_until(lambda: leased(rig) == 3, "the lease")
            dispatcher.kill()
    with MerchantStub(authority.server("right", "IP:127.0.0.1"), port) as stub:
        stub.on("n", ok)
        rig.pass_once(settings)
        assert stub.requests == []
        rig.make_due()
        rig.pass_once(settings)
        assert sorted(request.id for request in stub.requests) == numbers
    assert rig.count("delivered") == 3
    assert rig.value("SELECT COUNT(*) FROM attempts") == 3


def test_between_send_and_record(rig: DispatchRig, stub: MerchantStub) -> None:
    """The one moment in which a notification is sent twice; the merchant sees by its id that it is the same."""
    number, = rig.notify(rig.merchant(stub.on("n", in_turn(hold, ok))))
    with rig.dispatcher() as dispatcher:
        stub.await_requests(1)
        dispatcher.kill()
    rig.pass_once()
    assert len(stub.requests) == 1 and rig.attempts(number) == []
    rig.make_due()
    rig.pass_once()
    assert [request.id for request in stub.requests] == [number, number]
    assert stub.requests[0].body == stub.requests[1].body
    row, (attempt,) = rig.notification(number), rig.attempts(number)
    assert (row["state"], row["attempts"], attempt["number"], attempt["late"]) == ("delivered", 1, 1, 0)


def test_while_recording(rig: DispatchRig, stub: MerchantStub) -> None:
    """The merchant has acknowledged, and the record waits for a lock when the dispatcher dies."""
    number, = rig.notify(rig.merchant(stub.on("n", in_turn(hold, ok))))
    with rig.dispatcher() as dispatcher:
        stub.await_requests(1)
        with rig.stack.mariadb.connect() as other, other.cursor() as cursor:
            other.begin()
            cursor.execute("SELECT id FROM notifications WHERE id = %s FOR UPDATE", number)
            stub.release()
            wait_until(lambda: rig.lock_waits() > 0, "the record to wait", pause=0.2)
            dispatcher.kill()
            other.rollback()
    wait_until(lambda: rig.lock_waits() == 0, "the lock to go", pause=0.2)
    rig.make_due()
    rig.pass_once()
    assert rig.notification(number)["state"] == "delivered"
    assert 1 <= len(stub.requests) <= 2 and len(rig.attempts(number)) == 1


@pytest.mark.slow
def test_lease_ends_by_itself(rig: DispatchRig, stub: MerchantStub) -> None:
    """What a killed dispatcher had in hand is taken up again within a minute, without anybody's help."""
    number, = rig.notify(rig.merchant(stub.on("n", in_turn(hold, ok))))
    settings: Settings = {"notification": {"timeout": "5s"}}
    with rig.dispatcher(settings) as dispatcher:
        first = stub.await_requests(1)[0]
        dispatcher.kill()
    ends_at = rig.notification(number)["due_at"]
    with rig.dispatcher(settings):
        rig.await_count("delivered", 1, 60)
    again = stub.requests[1]
    assert again.at - first.at < 75
    assert ends_at <= again.arrived < ends_at + timedelta(seconds=15)


def test_default_lease_is_below_a_minute(rig: DispatchRig, stub: MerchantStub) -> None:
    number, = rig.notify(rig.merchant(stub.on("n", hold)))
    with rig.dispatcher() as dispatcher:
        request, = stub.await_requests(1)
        dispatcher.kill()
    lease = rig.notification(number)["due_at"] - request.arrived
    assert timedelta(seconds=15) < lease < timedelta(seconds=60)


def test_late_completion_changes_nothing(rig: DispatchRig, stub: MerchantStub) -> None:
    """One dispatcher sleeps past its lease with the reply in its hands; another one has delivered meanwhile."""
    number, = rig.notify(rig.merchant(stub.on("n", in_turn(hold, ok))))
    with rig.dispatcher() as sleeper:
        stub.await_requests(1)
        sleeper.pause()
        stub.release()
        rig.make_due()
        rig.pass_once()
        delivered = rig.notification(number)
        sleeper.resume()
        wait_until(lambda: len(rig.attempts(number)) == 2, "the late outcome")
    attempts = rig.attempts(number)
    assert [(attempt["number"], attempt["reason"], attempt["late"]) for attempt in attempts] == [
        (1, "acknowledged", 0), (1, "acknowledged", 1)]
    assert attempts[0]["dispatcher_id"] != attempts[1]["dispatcher_id"] and attempts[0]["lease"] != attempts[1]["lease"]
    assert rig.notification(number) == delivered and len(stub.requests) == 2


def test_late_failure_changes_nothing(rig: DispatchRig, stub: MerchantStub) -> None:
    """The other dispatcher has it in hand at this very moment: its lease is not touched."""
    number, = rig.notify(rig.merchant(stub.on("n", hold)))
    with rig.dispatcher() as sleeper:
        stub.await_requests(1)
        sleeper.pause()
        rig.make_due()
        with rig.dispatcher():
            stub.await_requests(2)
            taken = rig.notification(number)
            stub.in_loop(lambda: stub.held[0].reply(500, b"ERROR"))
            sleeper.resume()
            wait_until(lambda: rig.attempts(number), "the late outcome")
            assert rig.notification(number) == taken
            stub.in_loop(lambda: stub.held[1].reply(200, b"OK"))
            rig.await_count("delivered", 1)
    assert [(attempt["reason"], attempt["late"]) for attempt in rig.attempts(number)] == [
        ("status", 1), ("acknowledged", 0)]
    assert rig.notification(number)["attempts"] == 1


@pytest.mark.slow
def test_killed_again_and_again(rig: DispatchRig, stub: MerchantStub) -> None:
    """Payments whose windows have closed, settled and delivered by dispatchers that die at any moment."""
    merchant = rig.merchant(stub.on("n", ok))
    orders = rig.confirmed_orders(merchant, 4000, rig.now() - timedelta(seconds=1))
    chance, kills, in_hand = random.Random(7), 0, 0
    while rig.count("delivered") < len(orders):
        with rig.dispatcher() as dispatcher:
            target = len(stub.requests) + chance.randrange(0, 400)
            wait_until(lambda: len(stub.requests) >= target or rig.count("delivered") == len(orders),
                       "more requests", 60)
            dispatcher.kill()
        kills += 1
        in_hand += leased(rig)
        rig.make_due()
    check_killed(rig, stub, orders, in_hand)
    assert kills > 10


def check_killed(rig: DispatchRig, stub: MerchantStub, orders: list[int], in_hand: int) -> None:
    """Every order told of, every outcome recorded once; sent twice only what somebody had in hand when he died."""
    assert rig.value("SELECT COUNT(*) FROM orders WHERE state = 'APROBADA'") == len(orders)
    assert rig.value("SELECT COUNT(*) FROM notifications") == len(orders)
    told = Counter(request.message["pv_po_id"] for request in stub.requests)
    assert sorted(told) == orders
    again = sum(times - 1 for times in told.values())
    assert again <= in_hand
    attempts = rig.rows("SELECT notification_id, number, reason, late FROM attempts")
    assert len(attempts) == len(orders)
    assert {(row["number"], row["reason"], row["late"]) for row in attempts} == {(1, "acknowledged", 0)}
