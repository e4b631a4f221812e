"""An endpoint that keeps failing rests, is probed with single notifications, and gets everything when it is well again."""

import threading
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pytest

from tests.stack.dispatch_rig import DispatchRig, Merchant
from tests.stack.merchant_stub import (
    Behaviour, MerchantStub, Request, hang_in_the_middle, hold, ok, resets, says)
from tests.stack import free_port, wait_until
from tests.stack.config import Settings
from tests.stack.inspection.files import no_more_files

pytestmark = pytest.mark.slow

AFTER = 3
REST = 1.0
LONGEST = 2.0
MANY_ATTEMPTS = " ".join(["100ms"] * 32)
WINDOW_OF_A_FAILING_ENDPOINT = 4


def resting(**notification: str) -> Settings:
    return {"dispatcher": {"rest_after": AFTER, "rest": "1s", "rest_longest": "2s"},
            "notification": {"schedule": MANY_ATTEMPTS, "timeout": "300ms", **notification}}


@dataclass
class Rest:
    seen_at: datetime
    until: datetime
    failures: int


@dataclass
class RestWatcher:
    """Reads the merchant's row in `endpoints` over and over and notes every rest."""

    rig: DispatchRig
    merchant: Merchant
    rests: list[Rest] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> "RestWatcher":
        self.thread = threading.Thread(target=self._watch)
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()
        self.thread.join()

    def _watch(self) -> None:
        with self.rig.stack.mariadb.connect() as connection, connection.cursor() as cursor:
            while not self.ended.wait(0.01):
                cursor.execute("SELECT failures, resting_until, UTC_TIMESTAMP(6) AS now FROM endpoints"
                               " WHERE merchant_id = %s AND resting_until IS NOT NULL", self.merchant.id)
                for row in cursor.fetchall():
                    if not self.rests or self.rests[-1].until != row["resting_until"]:
                        self.rests.append(Rest(row["now"], row["resting_until"], row["failures"]))


def between(requests: list[Request], start: datetime, end: datetime) -> list[Request]:
    return [request for request in requests if start <= request.arrived < end]


def check_rests(rests: list[Rest], requests: list[Request]) -> None:
    """Nothing is sent during a rest but what had left already, and one notification between two rests."""
    for number, rest in enumerate(rests):
        begun = rest.seen_at + timedelta(milliseconds=100)
        assert between(requests, begun, rest.until) == [], f"sent during rest {number + 1} of {rests}"
        assert rest.failures == AFTER + number
    for earlier, later in zip(rests, rests[1:]):
        probes = between(requests, earlier.until, later.until)
        assert len(probes) == 1, f"{len(probes)} probes between {earlier} and {later}"


@pytest.mark.parametrize("behaviour", [says("busy", 500), says("slow down", 429), resets, hold, hang_in_the_middle])
def test_rests_and_probes(rig: DispatchRig, stub: MerchantStub, behaviour: Behaviour) -> None:
    merchant = rig.merchant(stub.on("n", behaviour))
    rig.notify(merchant, 200)
    with RestWatcher(rig, merchant) as watcher:
        with rig.dispatcher(resting()):
            wait_until(lambda: len(watcher.rests) >= 4, "four rests", 60)
    first = between(stub.requests, datetime.min, watcher.rests[0].until)
    assert AFTER <= len(first) <= (AFTER + 1) * WINDOW_OF_A_FAILING_ENDPOINT
    check_rests(watcher.rests[:4], stub.requests)
    lengths = [(rest.until - rest.seen_at).total_seconds() for rest in watcher.rests[:4]]
    for length, expected in zip(lengths, [REST, 2 * REST, LONGEST, LONGEST]):
        assert expected - 0.3 < length < expected + 0.1  # the watcher may have asked just before it began
    assert rig.count("pending") == 200


def test_refused_connections_rest_too(rig: DispatchRig) -> None:
    merchant = rig.merchant(f"http://127.0.0.1:{free_port()}/n")
    rig.notify(merchant, 200)
    with RestWatcher(rig, merchant) as watcher, rig.dispatcher(resting()):
        wait_until(lambda: len(watcher.rests) >= 3, "three rests", 60)
    assert [rest.failures for rest in watcher.rests[:3]] == [AFTER, AFTER + 1, AFTER + 2]
    tried = rig.value("SELECT COUNT(*) FROM attempts")
    assert tried <= (AFTER + 1) * WINDOW_OF_A_FAILING_ENDPOINT + len(watcher.rests)


@pytest.mark.parametrize("dispatchers", [1, 3])
def test_well_again(rig: DispatchRig, stub: MerchantStub, dispatchers: int) -> None:
    """After a probe that is answered the rest of the queue follows at once; nothing was dropped."""
    merchant = rig.merchant(stub.on("n", says("busy", 503)))
    numbers = rig.notify(merchant, 1000)
    with RestWatcher(rig, merchant) as watcher, ExitStack() as running:
        for _ in range(dispatchers):
            running.enter_context(rig.dispatcher(resting()))
        wait_until(lambda: len(watcher.rests) >= 1, "a rest", 60)
        stub.on("n", ok)
        well_at = max(rig.now(), watcher.rests[-1].until)
        rig.await_count("delivered", 1000, 60)
    assert stub.requests[-1].arrived - well_at < timedelta(seconds=5)
    assert rig.rows("SELECT * FROM endpoints") == []
    acknowledged = rig.value("SELECT COUNT(*) FROM attempts WHERE reason = 'acknowledged'")
    assert acknowledged == len(numbers)


def test_rest_is_kept_by_the_next_run(rig: DispatchRig, stub: MerchantStub) -> None:
    """What one dispatcher has learnt, all know: cron's next one, and those on other hosts."""
    merchant = rig.merchant(stub.on("n", ok))
    rig.notify(merchant, 3)
    rig.write("INSERT INTO endpoints (merchant_id, failures, resting_until)"
                   " VALUES (%s, 9, UTC_TIMESTAMP(6) + INTERVAL 1 HOUR)", merchant.id)
    rig.pass_once()
    assert stub.requests == [] and rig.count("pending") == 3
    rig.end_rests()
    rig.pass_once()
    assert rig.count("delivered") == 3
    assert rig.rows("SELECT * FROM endpoints") == []


@pytest.mark.parametrize("said", [says("ERROR"), says("no such order", 404), says("", 301), says("gone", 410)])
def test_an_answer_is_an_answer(rig: DispatchRig, stub: MerchantStub, said: Behaviour) -> None:
    """An endpoint that refuses notifications is not one that fails: others are not held up."""
    rig.notify(rig.merchant(stub.on("n", said)), 100)
    rig.pass_once({"dispatcher": {"rest_after": AFTER}})
    assert len(stub.requests) == 100
    assert rig.rows("SELECT * FROM endpoints") == []


def test_one_that_works_now_and_then_does_not_rest(rig: DispatchRig, stub: MerchantStub) -> None:
    """Failures count only in a row."""
    turns = {"now": 0}

    def every_other(exchange: Any) -> None:
        turns["now"] += 1
        exchange.reply(200 if turns["now"] % 2 else 500, b"OK")

    rig.notify(rig.merchant(stub.on("n", every_other)), 60)
    settings = {**resting(), "dispatcher": {"rest_after": 2, "in_flight_per_endpoint": 1}}
    with rig.dispatcher(settings):
        rig.await_count("delivered", 20, 60)


def test_others_are_not_touched(rig: DispatchRig, stub: MerchantStub) -> None:
    broken, fine = rig.merchant(stub.on("broken", resets)), rig.merchant(stub.on("fine", ok))
    rig.notify(broken, 100)
    with RestWatcher(rig, broken) as watcher, rig.dispatcher(resting()):
        wait_until(lambda: watcher.rests, "a rest", 60)
        numbers = rig.notify(fine, 100)
        rig.await_count("delivered", 100)
    assert sorted(request.id for request in stub.requests_to("fine")) == numbers


def test_own_lack_of_files_is_no_failure_of_the_endpoint(rig: DispatchRig, stub: MerchantStub) -> None:
    """The attempt has failed; of the endpoint it says nothing."""
    schedule = {"notification": {"schedule": "1s 1s 1s 1s 1s 1s 1s 1s"}}
    with MerchantStub() as elsewhere, rig.dispatcher(schedule) as dispatcher:
        rig.notify(rig.merchant(stub.on("first", ok)))
        rig.await_count("delivered", 1)
        process = wait_until(lambda: dispatcher.process("deliver"), "the delivering process")
        merchant = rig.merchant(elsewhere.on("n", ok))
        with no_more_files([process]):
            number, = rig.notify(merchant)
            wait_until(lambda: rig.attempts(number), "the attempt")
            assert rig.attempts(number)[0]["reason"] == "files"
            assert rig.rows("SELECT * FROM endpoints") == []
        rig.await_count("delivered", 2)
        assert "failures in a row" not in dispatcher.log_text()
        assert rig.rows("SELECT * FROM endpoints") == []
        assert len(elsewhere.requests) == 1
