"""Dual control of changes: new secrets, notify_url and limits that wait for a second user."""

import json
import threading
from typing import Any, Iterator

import pymysql
import pytest

from tests.stack import Ctl, Stack

from operator_steps import fresh, refused
from test_ctl_rotation import await_code, code, database_now, instant, new_network

OPERATOR = "recaudo_operator"
URL, OTHER_URL = "http://127.0.0.1:9/uno?a=\"ñ\"", "http://127.0.0.1:9/dos"
NEEDS = "needs the approval of a second user"


@pytest.fixture
def rule(stack: Stack) -> Iterator[None]:
    """All three kinds. Others of these tests share the database: nothing of it is left."""
    stack.mariadb.query("INSERT INTO dual_changes (kind) VALUES ('secrets'), ('notify_url'), ('limits')")
    yield
    stack.mariadb.query("DELETE FROM dual_changes")
    for row in stack.mariadb.query("SELECT id FROM approvals WHERE state = 'waiting'"):
        stack.mariadb.query("SELECT approval_answer(%s, FALSE, 'left over', 'operator:test')", row["id"])


@pytest.fixture(autouse=True)
def as_ana(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDO_USER", "ana")


def answer(ctl: Ctl, monkeypatch: pytest.MonkeyPatch, user: str, verb: str, number: int) -> Any:
    monkeypatch.setenv("SUDO_USER", user)
    done = ctl.run("--json", "approval", verb, str(number), "--reason", "visto")
    monkeypatch.setenv("SUDO_USER", "ana")
    return json.loads(done.stdout)


def log_of(stack: Stack, subject: str, number: int) -> list[Any]:
    return [(row["what"], row["to_state"], row["actor"]) for row in stack.mariadb.query(
        "SELECT what, to_state, actor FROM event_log WHERE subject = %s AND subject_id = %s ORDER BY id", subject, number)]


def reason_of_last(stack: Stack, subject: str, what: str) -> str:
    (row,) = stack.mariadb.query("SELECT reason FROM event_log WHERE subject = %s AND what = %s ORDER BY id DESC LIMIT 1", subject, what)
    return str(row["reason"])


def newest(ctl: Ctl) -> int:
    return int(ctl.json("approval", "list")[0]["id"])


def ask_to_rotate(ctl: Ctl, group: str, *words: str) -> Any:
    """The new secret is shown, with what has to happen; the exit status says that it is not done."""
    done = ctl.run("--json", group, "rotate", *words)
    shown = json.loads(done.stdout)
    assert done.returncode == 1 and NEEDS in shown["error"] and shown["error"] in done.stderr
    assert f"recaudoctl approval approve {shown['approval']} --reason TEXT" in shown["error"]
    return shown


def new_merchant(ctl: Ctl) -> str:
    name = fresh("tienda")
    ctl.done("merchant", "add", name, "--notify-url", URL)
    return name


def url_of(ctl: Ctl, merchant: str) -> Any:
    return ctl.json("merchant", "show", merchant)["notify_url"]


def ask_for_url(ctl: Ctl, merchant: str, url: str = OTHER_URL) -> int:
    assert "the URL is not set yet: it " + NEEDS in refused(ctl, "merchant", "set", merchant, "--notify-url", url)
    return newest(ctl)


def test_what_is_asked_for_again_is_named(ctl: Ctl, rule: None) -> None:
    """Not the newest: that would be another change."""
    network, _ = new_network(ctl)
    first, second = ask_for_limit(ctl, network, "5000"), ask_for_limit(ctl, network, "7000")
    said = refused(ctl, "network", "limit", network, "COP", "--day", "5000")
    assert first < second == newest(ctl) and f"approval approve {first} --reason TEXT" in said
    for _ in range(2):  # the same with a reason is another wish, once
        said = refused(ctl, "network", "limit", network, "COP", "--day", "5000", "--reason", "se mudó")
        assert f"approval approve {newest(ctl)} --reason TEXT" in said and newest(ctl) == second + 1
    assert "reason: is longer than 100" in refused(ctl, "network", "limit", network, "COP", "--day", "5", "--reason", "x" * 101)


def test_reason_of_what_waits(ctl: Ctl, rule: None) -> None:
    """It is the approval's, and stands in its event once."""
    merchant, (network, _) = new_merchant(ctl), new_network(ctl)
    for words in (("merchant", "set", merchant, "--notify-url", OTHER_URL), ("network", "rotate", network),
                  ("network", "limit", network, "COP", "--day", "9")):
        assert ctl.run(*words, "--reason", "se mudó").returncode == 1
        assert ctl.json("approval", "show", str(newest(ctl)))["reason"] == "se mudó", words
        assert ctl.json("event", "list", "--subject", "approval", "--limit", "1")[0]["reason"] == "se mudó", words


def ask_for_limit(ctl: Ctl, network: str, day: str = "5000") -> int:
    said = refused(ctl, "network", "limit", network, "COP", "--day", day)
    assert "the limit is not set yet: it " + NEEDS in said and f"approval approve {newest(ctl)} --reason TEXT" in said, said
    return newest(ctl)


def limits_of(ctl: Ctl, network: str) -> list[Any]:
    return [(one["day_limit"], one["outstanding_limit"]) for one in ctl.json("network", "show", network)["money_limits"]]


def test_a_network_gets_a_secret(ctl: Ctl, stack: Stack, rule: None, monkeypatch: pytest.MonkeyPatch) -> None:
    name, old = new_network(ctl)
    asked = ask_to_rotate(ctl, "network", name, "--overlap", "90m", "--reason", "se filtró")
    new, number = asked["fixed_hash"], asked["approval"]
    assert f"network_secret waiting {name}" in " ".join(ctl.done("approval", "list").split())
    assert [code(stack, name, secret) for secret in (old, new)] == ["0101", "0025"]
    shown = ctl.json("approval", "show", str(number))
    assert (shown["kind"], shown["network"], shown["merchant"]) == ("network_secret", name, None)
    assert json.loads(shown["changes"])["kept"] == [None, 90 * 60 * 1_000_000]
    assert "needs another user" in answer(ctl, monkeypatch, "Ana", "approve", number)["error"]
    assert ctl.json("network", "show", name)["old_hash_until"] is None
    before = database_now(stack)
    approved = answer(ctl, monkeypatch, "bea", "approve", number)
    assert approved["state"] == "approved" and new not in json.dumps(approved)
    until = instant(ctl.json("network", "show", name)["old_hash_until"])
    assert 5400 <= (until - before).total_seconds() and until <= database_now(stack) + (until - before)
    await_code(stack, name, new, "0101")
    assert code(stack, name, old) == "0101"
    (row,) = stack.mariadb.query("SELECT id FROM networks WHERE name = %s", name)
    assert log_of(stack, "network", row["id"])[-1] == ("rotated", "enabled", "operator:bea")
    assert reason_of_last(stack, "network", "rotated") == f"approval {number}, asked by operator:ana: se filtró"
    assert log_of(stack, "approval", number) == [("created", "waiting", "operator:ana"), ("state", "approved", "operator:bea")]
    assert "does not wait" in answer(ctl, monkeypatch, "bea", "approve", number)["error"]


@pytest.mark.parametrize("options, column, kind", [
    ([], "fixed_hash", "merchant_secret"), (["--notification"], "notification_hash", "notification_secret")])
def test_a_merchant_gets_a_secret(ctl: Ctl, stack: Stack, rule: None, monkeypatch: pytest.MonkeyPatch, options: list[str],
                                  column: str, kind: str) -> None:
    name = new_merchant(ctl)
    before = stack.mariadb.query("SELECT fixed_hash, notification_hash, old_hash, old_notification_hash FROM merchants"
                                 " WHERE name = %s", name)[0]
    asked = ask_to_rotate(ctl, "merchant", name, *options, "--now")
    stored = stack.mariadb.query("SELECT kind, sealed FROM approvals WHERE id = %s", asked["approval"])[0]
    assert stored["kind"] == kind and asked[column].encode() not in stored["sealed"]
    answer(ctl, monkeypatch, "bea", "approve", asked["approval"])
    after = stack.mariadb.query("SELECT fixed_hash, notification_hash, old_hash, old_notification_hash FROM merchants"
                                " WHERE name = %s", name)[0]
    assert after == {**before, column: stored["sealed"]}
    assert stack.mariadb.query("SELECT sealed FROM approvals WHERE id = %s", asked["approval"]) == [{"sealed": None}]


def test_a_merchant_gets_an_address(ctl: Ctl, stack: Stack, rule: None, monkeypatch: pytest.MonkeyPatch) -> None:
    name = new_merchant(ctl)
    number = ask_for_url(ctl, name)
    assert ask_for_url(ctl, name) == number and url_of(ctl, name) == URL
    shown = ctl.json("approval", "show", str(number))
    assert (shown["kind"], shown["merchant"]) == ("notify_url", name)
    assert json.loads(shown["changes"])["notify_url"] == [URL, OTHER_URL]
    assert answer(ctl, monkeypatch, "bea", "approve", number)["state"] == "approved"
    assert url_of(ctl, name) == OTHER_URL
    # The same again waits for nobody, and other settings do not; together with the URL they are not set either.
    ctl.done("merchant", "set", name, "--notify-url", OTHER_URL, "--ack", "http2xx")
    assert "set it without --notify-url" in refused(ctl, "merchant", "set", name, "--notify-url", "", "--commerce", "otra")
    assert ctl.json("merchant", "show", name)["commerce"] == name
    assert answer(ctl, monkeypatch, "bea", "approve", newest(ctl))["state"] == "approved"
    assert url_of(ctl, name) is None
    assert answer(ctl, monkeypatch, "bea", "approve", ask_for_url(ctl, name, URL))["state"] == "approved"
    assert url_of(ctl, name) == URL


def test_a_network_gets_a_limit(ctl: Ctl, stack: Stack, rule: None, monkeypatch: pytest.MonkeyPatch) -> None:
    name, _ = new_network(ctl)
    number = ask_for_limit(ctl, name)
    assert limits_of(ctl, name) == []
    shown = ctl.json("approval", "show", str(number))
    assert (shown["kind"], shown["network"], shown["currency"]) == ("limits", name, "COP")
    assert json.loads(shown["changes"])["day_limit"][0] is None
    other = ask_for_limit(ctl, name, "7000")
    assert answer(ctl, monkeypatch, "bea", "approve", number)["state"] == "approved"
    assert limits_of(ctl, name) == [("5000.00", None)]
    assert reason_of_last(stack, "network", "money limits").endswith(f"; approval {number}, asked by operator:ana")
    assert "the limit of the network has changed since" in answer(ctl, monkeypatch, "bea", "approve", other)["error"]
    assert ctl.json("approval", "show", str(other))["state"] == "stale"
    refused(ctl, "network", "limit", name, "COP", "--day", "none")
    assert answer(ctl, monkeypatch, "bea", "approve", newest(ctl))["state"] == "approved"
    assert limits_of(ctl, name) == []


def test_withdrawn_and_refused(ctl: Ctl, stack: Stack, rule: None, monkeypatch: pytest.MonkeyPatch) -> None:
    name, old = new_network(ctl)
    for user in ("ana", "bea"):
        asked = ask_to_rotate(ctl, "network", name)
        assert answer(ctl, monkeypatch, user, "refuse", asked["approval"])["state"] == "refused"
        assert "does not wait" in answer(ctl, monkeypatch, "bea", "approve", asked["approval"])["error"]
        assert code(stack, name, asked["fixed_hash"]) == "0025" and code(stack, name, old) == "0101"
        assert stack.mariadb.query("SELECT sealed FROM approvals WHERE id = %s", asked["approval"]) == [{"sealed": None}]


def test_what_has_changed_meanwhile(ctl: Ctl, stack: Stack, rule: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two that wait, the second one finds another value; encrypted anew, the secret that waits is of an old key."""
    merchant = new_merchant(ctl)
    first, second = ask_for_url(ctl, merchant), ask_for_url(ctl, merchant, "")
    answer(ctl, monkeypatch, "bea", "approve", first)
    assert "notify_url of the merchant has changed since" in answer(ctl, monkeypatch, "bea", "approve", second)["error"]
    assert url_of(ctl, merchant) == OTHER_URL
    name, _ = new_network(ctl)
    one, other = (ask_to_rotate(ctl, "network", name)["approval"] for _ in range(2))
    answer(ctl, monkeypatch, "bea", "approve", one)
    assert "FIXED_HASH of the network has changed since" in answer(ctl, monkeypatch, "bea", "approve", other)["error"]
    ctl.done("network", "rotate", name, "--end")
    waiting = ask_to_rotate(ctl, "network", name)["approval"]
    ctl.done("key", "rotate")
    ctl.done("key", "rotate", "--finish")
    assert "FIXED_HASH of the network has changed since" in answer(ctl, monkeypatch, "bea", "approve", waiting)["error"]


def test_secret_of_a_host_with_the_key_file_of_before(ctl: Ctl, stack: Stack, rule: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """It encrypts with the key that is to go. The old key stays until somebody has answered."""
    name, _ = new_network(ctl)
    ctl.done("key", "rotate", "--prepare")
    before = stack.key_file.read_bytes()
    ctl.done("key", "rotate")
    after = stack.key_file.read_bytes()
    stack.key_file.write_bytes(before)
    asked = ask_to_rotate(ctl, "network", name)
    stack.key_file.write_bytes(after)
    assert refused(ctl, "key", "rotate", "--finish") == (
        "a secret waits for approval, perhaps encrypted with the old key, which was kept: approve or refuse it first"
        f" (recaudoctl approval show {asked['approval']})")
    answer(ctl, monkeypatch, "bea", "approve", asked["approval"])
    ctl.done("key", "rotate", "--finish")
    assert code(stack, name, asked["fixed_hash"]) == "0101"


def test_after_it_was_switched_off(ctl: Ctl, stack: Stack, rule: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits can still be answered, by another person alone."""
    name = new_merchant(ctl)
    number = ask_for_url(ctl, name)
    stack.mariadb.query("DELETE FROM dual_changes")
    assert "needs another user" in answer(ctl, monkeypatch, "ana", "approve", number)["error"]
    assert answer(ctl, monkeypatch, "bea", "approve", number)["state"] == "approved" and url_of(ctl, name) == OTHER_URL
    ctl.done("merchant", "set", name, "--notify-url", URL)
    network, _ = new_network(ctl)
    ctl.done("network", "limit", network, "COP", "--day", "5")
    assert "error" not in ctl.json("network", "rotate", network)


def test_two_approve_at_once(ctl: Ctl, stack: Stack, rule: None) -> None:
    name, _ = new_network(ctl)
    number, done = ask_to_rotate(ctl, "network", name)["approval"], []

    def approve() -> None:
        with stack.mariadb.connect(OPERATOR) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT approval_answer(%s, TRUE, 'x', 'operator:bea') AS done", (number,))
            done.append(next(iter(cursor.fetchone().values())))
            connection.commit()

    threads = [threading.Thread(target=approve) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [0, 0, 0, 1]
    events = [event["what"] for event in ctl.json("network", "show", name)["events"]]
    assert events.count("rotated") == 1


def test_the_end_of_an_old_secret_needs_one_user(ctl: Ctl, stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    name, _ = new_network(ctl)
    ctl.done("network", "rotate", name)
    stack.mariadb.query("INSERT INTO dual_changes (kind) VALUES ('secrets')")
    try:
        assert ctl.json("network", "rotate", name, "--end")["old_hash_until"] is None
    finally:
        stack.mariadb.query("DELETE FROM dual_changes")


@pytest.mark.parametrize("statement", [
    "UPDATE merchants SET notify_url = 'http://127.0.0.1:9/tres'", "UPDATE merchants SET notify_url = NULL",
    "UPDATE merchants SET fixed_hash = 'x'", "UPDATE merchants SET notification_hash = 'x'", "UPDATE networks SET fixed_hash = 'x'",
    "UPDATE networks SET old_hash = 'x', old_hash_until = '2099-01-01'",
    "UPDATE networks SET old_hash = 'x', old_hash_until = '2099-01-01', reencrypted = reencrypted + 1",
    "UPDATE merchants SET old_hash = 'x', old_hash_until = '2099-01-01'",
    "UPDATE merchants SET old_notification_hash = 'x', old_notification_hash_until = '2099-01-01'",
    "SELECT network_limit_set_now(1, 'COP', 1, 1, 'operator:bea')", "UPDATE network_limits SET day_limit = 1",
    "SELECT approval_make({number}, 'operator:bea')", "SELECT approval_store('limits', 1, 'COP', 'x', NULL, '', 'operator:bea', 60)",
    "SELECT approval_ask('claim', 1, '', NULL, 0, 'x', 'operator:bea')", "SELECT approval_ask('limits', 1, '', 'x', 0, 'x', 'operator:bea')",
    "UPDATE approvals SET state = 'making'", "SELECT sealed FROM approvals", "DELETE FROM dual_changes",
    "INSERT INTO approvals (kind, subject_id, seen, changes, state, reason, asked_by, expires_at)"
    " VALUES ('notify_url', 1, '', '{{}}', 'making', 'x', 'operator:bea', '2099-01-01')"])
def test_the_operators_account_has_no_way_round(ctl: Ctl, stack: Stack, rule: None, statement: str) -> None:
    number = ask_for_url(ctl, new_merchant(ctl))
    new_network(ctl)
    with pytest.raises(pymysql.err.OperationalError) as error, stack.mariadb.connect(OPERATOR) as connection:
        connection.cursor().execute("SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED")
        connection.cursor().execute(statement.format(number=number))
    assert error.value.args[0] in (1044, 1142, 1143, 1370, 1644), error.value
    if error.value.args[0] == 1644:
        assert NEEDS in error.value.args[1] or "a notify_url or a secret" in error.value.args[1]


@pytest.mark.parametrize("statement, refusal", [
    ("UPDATE approvals SET changes = '{}'", "otherwise never changed"), ("UPDATE approvals SET sealed = 'x'", "otherwise never changed"),
    ("UPDATE approvals SET state = 'approved', answered_by = 'x', answered_at = NOW()", "otherwise never changed"),
    ("UPDATE merchants SET notify_url = 'http://127.0.0.1:9/tres'", NEEDS),
    ("UPDATE dual_changes SET valid_for = 100", "delete the row")])
def test_what_is_kept_from_the_owner_too(ctl: Ctl, stack: Stack, rule: None, statement: str, refusal: str) -> None:
    """Without removing a trigger, that is."""
    ask_for_url(ctl, new_merchant(ctl))
    with pytest.raises(pymysql.err.MySQLError, match=refusal):
        stack.mariadb.query(statement)


def test_the_log_has_what_was_asked_for_and_no_secret(ctl: Ctl, stack: Stack, rule: None) -> None:
    name, _ = new_network(ctl)
    asked = ask_to_rotate(ctl, "network", name)
    (row,) = stack.mariadb.query("SELECT changes FROM event_log WHERE subject = 'approval' AND subject_id = %s", asked["approval"])
    assert json.loads(row["changes"])["fixed_hash"] == "changed"
    dump = json.dumps(stack.mariadb.query("SELECT * FROM event_log WHERE subject IN ('approval', 'network', 'setting')"), default=str)
    assert asked["fixed_hash"] not in dump and '"dual_changes.secrets\\\\\\":[null,\\\\\\"86400 s' in json.dumps(dump)
