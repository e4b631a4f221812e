"""doc/examples/merchant/merchant.py as the service's counterpart: notifications, their repetition, and external queries."""

import base64
import hashlib
import hmac
import json
import os
import runpy
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator

import pytest

from checksums import checksum
from tools.sandbox.instance import Instance
from tests.stack import Process, free_port
from tests.stack.client import Client, Reply
from tests.stack.paths import ROOT

MERCHANT = "ejemplo"
PREFIX = "8800"  # longer than needed: recaudo assigns references at random
PROGRAM = ROOT / "doc/examples/merchant/merchant.py"
OTHER_SECRET = "0ther-" * 8


@dataclass
class Example:
    sandbox: Instance
    client: Client
    process: Process
    database: Path
    notification_hash: str
    integration: str

    def signature(self, webhook_id: str, timestamp: str, body: str, secret: str | None = None) -> str:
        signed = f"{webhook_id}.{timestamp}.{body}".encode()
        key = (secret or self.notification_hash).encode()
        return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()

    def post(self, webhook_id: str, body: str, **headers: str) -> Reply:
        """Signed as the service does it, unless `headers` (with _ for -) say otherwise."""
        timestamp = headers.get("webhook_timestamp", str(int(time.time())))
        whole = {"Content-Type": "application/json", "webhook-id": webhook_id, "webhook-timestamp": timestamp,
                 "webhook-signature": self.signature(webhook_id, timestamp, body)}
        whole.update({name.replace("_", "-"): value for name, value in headers.items()})
        return self.client.request("POST", "/notifications", body, whole)

    def message(self, **fields: str) -> str:
        message = {"po_id": "PO-1", "status": "approved", "amount": "45000.00", **fields}
        message.setdefault("pv_checksum", checksum("notification-sha256", self.notification_hash, message["po_id"], message["status"]))
        return json.dumps(message)

    def notify(self, webhook_id: str, **fields: str) -> Reply:
        return self.post(webhook_id, self.message(**fields))

    def stored(self) -> list[Any]:
        """Nothing before the first, which makes the table."""
        with sqlite3.connect(self.database) as database:
            if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'notifications'").fetchone():
                return []
            return database.execute("SELECT id, po_id, status, amount FROM notifications ORDER BY id").fetchall()

    def ask(self, reference: str) -> Any:
        result = self.sandbox.stack.ctl.run("--json", "integration", "test", self.integration, "--reference", reference)
        return json.loads(result.stdout)


@pytest.mark.parametrize("words", [[], ["8000"], ["8000", "shop.db", "more"]])
def test_usage(words: list[str]) -> None:
    result = subprocess.run([sys.executable, PROGRAM, *words], capture_output=True, text=True, timeout=60,
                            env={**os.environ, "RECAUDO_FIXED_HASH": "a", "RECAUDO_NOTIFICATION_HASH": "b"})
    assert (result.returncode, result.stdout, result.stderr) == (1, "", "usage: merchant.py PORT DATABASE\n")


@pytest.mark.parametrize("missing", ["RECAUDO_FIXED_HASH", "RECAUDO_NOTIFICATION_HASH"])
def test_missing_secret_is_named(missing: str, tmp_path: Path) -> None:
    environment = {**os.environ, "RECAUDO_FIXED_HASH": "a", "RECAUDO_NOTIFICATION_HASH": "b"}
    del environment[missing]
    result = subprocess.run([sys.executable, str(PROGRAM), "0", str(tmp_path / "database")], env=environment, text=True, capture_output=True, timeout=30)
    assert (result.returncode, result.stdout, result.stderr) == (1, "", f"{missing} is not set\n")


def answers(client: Client) -> bool:
    try:
        return client.request("POST", "/query", "{}").status == 400
    except OSError:
        return False


@pytest.fixture(scope="module")
def example(shared_sandbox: Instance, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Example]:
    port, folder, ctl = free_port(), tmp_path_factory.mktemp("example"), shared_sandbox.stack.ctl
    url = f"http://127.0.0.1:{port}"
    hashes = ctl.json("merchant", "add", MERCHANT, "--notify-url", f"{url}/notifications")
    integration = ctl.json("integration", "add", "--merchant", MERCHANT, "--kind", "2", "--code", PREFIX, "--endpoint", f"{url}/query")["id"]
    command = [sys.executable, str(PROGRAM), str(port), str(folder / "merchant.db")]
    environment = {"RECAUDO_FIXED_HASH": f"{OTHER_SECRET} {hashes['fixed_hash']}",
                   "RECAUDO_NOTIFICATION_HASH": f"{OTHER_SECRET} {hashes['notification_hash']}",
                   "PYTHONDONTWRITEBYTECODE": "1"}
    with Client(url) as client:
        process = Process("example", command, folder / "log", lambda: answers(client), environment)
        process.start()
        yield Example(shared_sandbox, client, process, folder / "merchant.db", hashes["notification_hash"], str(integration))
        process.stop()


def test_the_service_finds_it_acknowledging(example: Example) -> None:
    before = example.stored()
    for digest in ("sha256", "sha512"):
        example.sandbox.stack.ctl.done("merchant", "set", MERCHANT, "--notify-digest", digest)
        result = example.sandbox.stack.ctl.json("notification", "test", "--merchant", MERCHANT)
        assert (result["verdict"], result["reply"]) == ("acknowledged", "OK")
    assert example.stored() == before  # a test delivers nothing


def test_a_repeated_notification_is_stored_once(example: Example) -> None:
    before = len(example.stored())
    assert [example.notify("ntf_1").text, example.notify("ntf_1").text] == ["OK", "OK"]
    assert example.notify("ntf_2", status="cancelled").text == "OK"
    assert len(example.stored()) == before + 2


def test_an_order_is_delivered_once(example: Example) -> None:
    """Although the operator, who restored a backup, tells of it under another id."""
    before = example.stored()
    assert [example.notify(webhook_id, po_id="PO-once").text for webhook_id in ("ntf_lost", "ntf_anew")] == ["OK", "OK"]
    assert example.notify("ntf_cancelled", po_id="PO-once", status="cancelled").text == "OK"
    new = [row for row in example.stored() if row not in before]
    assert [row[:3] for row in new] == [("ntf_cancelled", "PO-once", "cancelled"), ("ntf_lost", "PO-once", "approved")]


@pytest.mark.parametrize("wrong", ["0" * 64, "0" * 128, "", "x", "é" * 64])
def test_a_wrong_checksum_is_an_error(example: Example, wrong: str) -> None:
    before = example.stored()
    reply = example.notify("ntf_3", pv_checksum=wrong)
    assert reply.status == 403 and reply.text.startswith("ERROR")
    assert example.stored() == before


@pytest.mark.parametrize("body", ["", "{}", "[]", "x", "null"])
def test_what_is_no_notification_is_an_error(example: Example, body: str) -> None:
    reply = example.post("ntf_4", body)
    assert reply.status == 400 and reply.text.startswith("ERROR")


def test_what_it_does_not_know_is_refused(example: Example) -> None:
    before = example.stored()
    assert example.notify("ntf_7", status="exploded").status == 422
    assert example.client.request("POST", "/anything", "{}").status == 404
    assert example.stored() == before


def refused(example: Example, body: str, **headers: str) -> bool:
    before = example.stored()
    reply = example.post("ntf_5", body, **headers)
    assert example.stored() == before
    return reply.status == 403 and reply.text.startswith("ERROR the signature is missing or does not fit")


def test_the_signature_covers_the_whole_message(example: Example) -> None:
    """The amount too, which pv_checksum does not."""
    body, now = example.message(), str(int(time.time()))
    right = example.signature("ntf_5", now, body)
    assert refused(example, example.message(amount="1.00"), webhook_timestamp=now, webhook_signature=right)
    assert refused(example, body, webhook_timestamp=now, webhook_signature=example.signature("ntf_6", now, body))
    for wrong in ("", "v1,", right[:-1], right.replace("v1", "v2"), right.upper(), "é", f"{right}x", f"x {right}x"):
        assert refused(example, body, webhook_timestamp=now, webhook_signature=wrong)


def test_a_message_without_signature(example: Example) -> None:
    reply = example.client.send_json("POST", "/notifications", json.loads(example.message()))
    assert reply.status == 403 and reply.text.startswith("ERROR the signature is missing")


@pytest.mark.parametrize("away", [-310, 310])
def test_old_and_early_messages(example: Example, away: int) -> None:
    assert refused(example, example.message(), webhook_timestamp=str(int(time.time()) + away))


@pytest.mark.parametrize("timestamp", ["", "now", "-5", "1e9"])
def test_a_timestamp_that_is_no_number(example: Example, timestamp: str) -> None:
    assert refused(example, example.message(), webhook_timestamp=timestamp)


@pytest.mark.parametrize("away", [-280, 280])
def test_clocks_may_differ(example: Example, away: int) -> None:
    assert example.post(f"ntf_clock{away}", example.message(), webhook_timestamp=str(int(time.time()) + away)).text == "OK"


def test_two_signatures_during_a_rotation(example: Example) -> None:
    """As `merchant rotate --notification` makes them: one of each secret, and the message carries the new checksum."""
    body, now = example.message(), str(int(time.time()))
    ours, other = example.signature("ntf_7", now, body), example.signature("ntf_7", now, body, "another secret")
    for number, pair in enumerate((f"{ours} {other}", f"{other} {ours}")):
        assert refused(example, body, webhook_timestamp=now, webhook_signature=pair)  # signed for another id than ntf_5
        reply = example.post("ntf_7", body, webhook_timestamp=now, webhook_signature=pair)
        assert reply.text == "OK"


def test_either_secret_while_a_new_one_is_introduced(example: Example) -> None:
    """The first of its secrets signs this message, the second all the others of these tests."""
    body, now = example.message(pv_checksum=checksum("notification-sha256", OTHER_SECRET, "PO-1", "approved")), str(int(time.time()))
    assert example.post("ntf_8", body, webhook_timestamp=now,
                        webhook_signature=example.signature("ntf_8", now, body, OTHER_SECRET)).text == "OK"
    told = offered(example, f"{PREFIX}0000001")["DATA"]
    assert told["checksum"] == checksum("answer", OTHER_SECRET, told["order"], told["amount"], told["timestamp_end"])


def test_every_rule_of_an_answer_is_kept(example: Example) -> None:
    result = example.ask(f"{PREFIX}0000001")
    assert result["outcome"] == "answered" and result["broken_rules"] == []


def test_unknown_references_are_refused(example: Example) -> None:
    assert example.ask(f"{PREFIX}0000002")["outcome"] == "refused"


def offered(example: Example, reference: str) -> Any:
    """What it answers to a query."""
    query = {"reference": reference, "netname": "x", "currency": 1, "timestamp_start": 1}
    query["checksum"] = checksum("query", OTHER_SECRET, *(str(query[name]) for name in ("reference", "currency", "netname", "timestamp_start")))
    return example.client.send_json("POST", "/query", query).json


def test_a_paid_bill_is_not_offered_again(example: Example) -> None:
    """Under no number: a new one could be paid too."""
    reference = f"{PREFIX}0000011"
    order = offered(example, reference)["DATA"]["order"]
    assert example.notify("ntf_paid", po_id=order).text == "OK"
    assert offered(example, reference)["CODE"] == "0102"


def offered_in_days(example: Example, monkeypatch: pytest.MonkeyPatch, reference: str, days: int) -> Any:
    """Number and end that it would offer then; None: no more."""
    then = time.time() + days * 86400
    with monkeypatch.context() as patched:
        patched.setattr(sys, "argv", ["merchant.py", "0", str(example.database)])
        patched.setattr(sys, "path", list(sys.path))
        for name in ("FIXED_HASH", "NOTIFICATION_HASH"):
            patched.setenv(f"RECAUDO_{name}", OTHER_SECRET)
        offer = runpy.run_path(str(PROGRAM))["offer"]
        patched.setattr(time, "time", lambda: then)
        return offer(reference)


def test_a_number_stays_while_its_order_may_be_paid(example: Example, monkeypatch: pytest.MonkeyPatch) -> None:
    """Days after its end too: it may be paid, and the notification on its way."""
    reference = f"{PREFIX}0000021"
    first = offered(example, reference)["DATA"]["order"]
    number, end = offered_in_days(example, monkeypatch, reference, 3)
    assert number == first and end > time.time() + 4 * 86400
    assert example.notify("ntf_late", po_id=first).text == "OK"
    assert offered_in_days(example, monkeypatch, reference, 3) is None


def test_a_new_number_after_an_order_that_has_expired(example: Example) -> None:
    reference = f"{PREFIX}0000031"
    first = offered(example, reference)["DATA"]["order"]
    assert example.notify("ntf_expired", po_id=first, status="cancelled").text == "OK"
    second = offered(example, reference)["DATA"]["order"]
    assert second != first and offered(example, reference)["DATA"]["order"] == second
    assert example.notify("ntf_first", po_id=first).text == "OK"  # of whichever of its numbers: it is paid
    assert offered(example, reference)["CODE"] == "0102"


def test_a_query_that_somebody_else_signed(example: Example) -> None:
    query = {"reference": "880000001", "netname": "x", "currency": 1, "timestamp_start": 1, "checksum": "0" * 128}
    assert example.client.send_json("POST", "/query", query).code == "0025"


def test_as_many_connections_at_once_as_the_service_opens(example: Example) -> None:
    """By default, 32 for notifications ([dispatcher] in_flight_per_endpoint); they wait while the program does something else."""
    example.process.pause()
    try:
        with ExitStack() as connections:
            for _ in range(32):
                connections.enter_context(socket.create_connection((example.client.host, example.client.port), 10))
    finally:
        example.process.resume()
