"""What the dispatcher says: each failed attempt, and each rest of an endpoint with its end."""

import re

from tests.stack import free_port, wait_until
from tests.stack.config import Settings
from tests.stack.dispatch_rig import DispatchRig
from tests.stack.merchant_stub import MerchantStub, ok, says

OFTEN: Settings = {"notification": {"schedule": " ".join(["100ms"] * 32)},
                   "dispatcher": {"rest_after": 2, "rest": "1h", "rest_longest": "1h"}}
REST = "rests for 3600 s, after 2 failures in a row"


def failed(log: str) -> list[tuple[int, int, str, str]]:
    """Notification, attempt, why and what then, of each line."""
    found = re.findall(r"notification (\d+) of merchant [^:]+: attempt (\d+) failed \((.+?)\)[;,] (.+)$", log, re.MULTILINE)
    return [(int(number), int(attempt), why, then) for number, attempt, why, then in found]


def test_each_failed_attempt(rig: DispatchRig, stub: MerchantStub) -> None:
    """Which notification, of whom, which attempt, what was wrong, and when it is tried again."""
    merchant = rig.merchant(stub.on("n", says("no")))
    (number,) = rig.notify(merchant)
    result = rig.run_once({"notification": {"schedule": "1h"}})
    assert [(*line[:3],) for line in failed(result.stderr)] == [(number, 1, "reply, HTTP 200")]
    then = re.search(r"the next one is due in (\d+) s", result.stderr)
    assert then and 3600 <= int(then[1]) <= 3960 and f"of merchant {merchant.name}:" in result.stderr
    rig.make_due()
    result = rig.run_once({"notification": {"schedule": "1h"}})
    assert failed(result.stderr) == [
        (number, 2, "reply, HTTP 200", f"and no other follows: recaudoctl notification retry {number}")]


def test_why_tls_failed(rig: DispatchRig, stub: MerchantStub) -> None:
    """In the words of the TLS library: here of a server that speaks none."""
    (number,) = rig.notify(rig.merchant(stub.on("n", ok).replace("http:", "https:")))
    ((failed_number, _, why, _),) = failed(rig.run_once().stderr)
    assert failed_number == number and re.fullmatch(r"tls_absent: .*\b(SSL|TLS|wrong version)\b.*", why), why


def test_what_is_acknowledged_is_no_line(rig: DispatchRig, stub: MerchantStub) -> None:
    rig.notify(rig.merchant(stub.on("n", ok)), 3)
    assert failed(rig.run_once().stderr) == []


def test_a_rest_and_its_end(rig: DispatchRig, stub: MerchantStub) -> None:
    """A new URL ends it: the endpoint before has failed, not this one."""
    merchant = rig.merchant(f"http://127.0.0.1:{free_port()}/")
    rig.notify(merchant, 2)
    with rig.dispatcher(OFTEN) as running:
        wait_until(lambda: f"the endpoint of merchant {merchant.name} {REST}" in running.log_text(), "the rest")
        assert all("connect" in why for _, _, why, _ in failed(running.log_text()))
        rig.stack.ctl.done("merchant", "set", merchant.name, "--notify-url", stub.on("n", ok))
        rig.await_count("delivered", 2)
        ended = f"the endpoint of merchant {merchant.name} no longer rests"
        wait_until(lambda: ended in running.log_text(), "the end of the rest")
        log = running.log_text()
    assert log.index(REST) < log.index(ended) and log.count(REST) == 1


def test_a_retry_ends_the_rest(rig: DispatchRig, stub: MerchantStub) -> None:
    merchant = rig.merchant(stub.on("n", says("", status=500)))
    (number,) = rig.notify(merchant)
    settings = {"notification": {"schedule": "1h"}, "dispatcher": {"rest_after": 1, "rest": "1h", "rest_longest": "1h"}}
    with rig.dispatcher(settings) as running:
        wait_until(lambda: "rests for 3600 s, after 1 failures" in running.log_text(), "the rest")
        stub.on("n", ok)
        rig.stack.ctl.done("notification", "retry", str(number), "--again", "--reason", "it is well")
        rig.await_count("delivered", 1)
        assert rig.value("SELECT COUNT(*) FROM endpoints") == 0


def test_a_dead_endpoint_does_not_fill_the_log(rig: DispatchRig) -> None:
    """However many wait for it: a few attempts, then it rests."""
    merchant = rig.merchant(f"http://127.0.0.1:{free_port()}/")
    rig.notify(merchant, 1000)
    with rig.dispatcher(OFTEN) as running:
        wait_until(lambda: REST in running.log_text(), "the rest")
        wait_until(lambda: rig.value("SELECT COUNT(*) FROM notifications WHERE lease IS NOT NULL") == 0, "nothing in flight")
        assert len(failed(running.log_text())) <= 3 * 4  # rounds, of the window of an endpoint that has not answered
