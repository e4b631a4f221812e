"""New secrets, with a time in which the old ones are good too; and a new key to encrypt them with."""

import json
import os
import signal
import stat
import subprocess
from datetime import datetime, timedelta
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import Ctl, Network, Stack, wait_until
from tests.stack.config import default_settings, write_config

from operator_steps import fresh, misused, refused

TAKES_EFFECT = 30.0  # 5 s by the protocol; a busy machine takes longer for the requests that look


def new_network(ctl: Ctl) -> tuple[str, str]:
    name = fresh("red")
    return name, ctl.json("network", "add", name)["fixed_hash"]


def code(stack: Stack, name: str, fixed_hash: str) -> str:
    with Network(stack.base_url, name, fixed_hash) as network:
        return network.lookup("1").code


def await_code(stack: Stack, name: str, fixed_hash: str, wanted: str) -> None:
    """Every worker process remembers for itself."""
    wait_until(lambda: all(code(stack, name, fixed_hash) == wanted for _ in range(20)), f"lookups to get {wanted}",
               TAKES_EFFECT)


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def database_now(stack: Stack) -> datetime:
    (row,) = stack.mariadb.query("SELECT CONCAT(UTC_TIMESTAMP(6), '+00:00') AS now")
    return datetime.fromisoformat(row["now"])


@pytest.mark.parametrize("options, lasts", [([], timedelta(days=1)), (["--overlap", "90m"], timedelta(minutes=90))])
def test_both_are_good_until_the_end(stack: Stack, ctl: Ctl, options: list[str], lasts: timedelta) -> None:
    name, old = new_network(ctl)
    before = database_now(stack)
    rotated = ctl.json("network", "rotate", name, *options)
    new, until = rotated["fixed_hash"], instant(rotated["old_hash_until"])
    assert before + lasts <= until <= database_now(stack) + lasts
    assert [code(stack, name, secret) for secret in (old, new, "0" * 64)] == ["0101", "0101", "0025"]
    listed = {network["name"]: network for network in ctl.json("network", "list")}
    assert listed[name]["old_hash_until"] == rotated["old_hash_until"]
    stack.mariadb.query("UPDATE networks SET old_hash_until = UTC_TIMESTAMP(6) WHERE name = %s", name)
    await_code(stack, name, old, "0025")
    assert code(stack, name, new) == "0101"
    assert ctl.json("network", "show", name)["old_hash_until"] is None


def test_who_still_uses_the_old_one(stack: Stack, ctl: Ctl) -> None:
    name, old = new_network(ctl)
    new = ctl.json("network", "rotate", name)["fixed_hash"]
    assert code(stack, name, new) == "0101"
    assert ctl.json("network", "show", name)["old_hash_used_at"] is None
    before = database_now(stack)
    assert [code(stack, name, old) for _ in range(5)] == ["0101"] * 5
    used_at = instant(ctl.json("network", "show", name)["old_hash_used_at"])
    assert before <= used_at <= database_now(stack)
    ended = ctl.run("network", "rotate", name, "--end")
    assert ended.returncode == 0 and ended.stderr.startswith("recaudoctl: the old FIXED_HASH was used last at 20")
    ctl.done("network", "rotate", name)
    assert ctl.json("network", "show", name)["old_hash_used_at"] is None
    assert ctl.run("network", "rotate", name, "--end").stderr == "", "nobody has used it"


@pytest.mark.parametrize("options", [[], ["--overlap", "2h"], ["--hash-file", "-"]])
def test_rotated_again(stack: Stack, ctl: Ctl, options: list[str]) -> None:
    """A third secret would end the oldest, which the network may still use: refused, and both of the others stay."""
    name, oldest = new_network(ctl)
    between = ctl.json("network", "rotate", name)["fixed_hash"]
    before = ctl.json("network", "show", name)
    reason = refused(ctl, "network", "rotate", name, *options, stdin="one-secret-of-more-than-32-bytes-" + fresh())
    assert reason.startswith(f"two secrets of {name} are valid: the FIXED_HASH, and until {before['old_hash_until']}")
    assert f"(recaudoctl network rotate {name} --end)" in reason and ctl.json("network", "show", name) == before
    assert [code(stack, name, secret) for secret in (oldest, between)] == ["0101", "0101"]


@pytest.mark.parametrize("options", [[], ["--notification"]])
def test_a_merchants_rotated_again(ctl: Ctl, options: list[str]) -> None:
    name = fresh("merchant")
    ctl.done("merchant", "add", name)
    ctl.done("merchant", "rotate", name, *options)
    before = ctl.json("merchant", "show", name)
    reason = refused(ctl, "merchant", "rotate", name, *options)
    assert f"(recaudoctl {' '.join(['merchant', 'rotate', name, *options])} --end)" in reason
    assert ctl.json("merchant", "show", name) == before


@pytest.mark.parametrize("group, options, key", [("network", [], "fixed_hash"), ("merchant", [], "fixed_hash"),
                                                 ("merchant", ["--notification"], "notification_hash")])
def test_return_to_the_old_one(ctl: Ctl, group: str, options: list[str], key: str) -> None:
    """It exchanges the two, and ends none of them: what was rotated too early is taken back."""
    name, first = fresh(group), "one-secret-of-more-than-32-bytes-" + fresh()
    ctl.done(group, "add", name)
    ctl.done(group, "rotate", name, *options, "--now", "--hash-file", "-", stdin=first)
    second = ctl.json(group, "rotate", name, *options)[key]
    for secret in (first, second):
        again = ctl.json(group, "rotate", name, *options, "--hash-file", "-", stdin=secret)
        assert again[key] == secret and again["old_" + key.replace("fixed_hash", "hash") + "_until"] is not None
    assert "are valid" in refused(ctl, group, "rotate", name, *options)


@pytest.mark.parametrize("options", [["--now"], ["--overlap", "0"]])
def test_rotated_again_at_once(stack: Stack, ctl: Ctl, options: list[str]) -> None:
    """After a theft there is no time to ask which of two was stolen."""
    name, oldest = new_network(ctl)
    between = ctl.json("network", "rotate", name)["fixed_hash"]
    newest = ctl.json("network", "rotate", name, *options)["fixed_hash"]
    for secret in (oldest, between):
        await_code(stack, name, secret, "0025")
    assert code(stack, name, newest) == "0101"


@pytest.mark.parametrize("group, options", [("network", []), ("merchant", []), ("merchant", ["--notification"])])
def test_repeated_with_the_same_file(stack: Stack, ctl: Ctl, group: str, options: list[str]) -> None:
    """Nobody knows whether a command that was killed had done its work: the second one leaves the secret before it good."""
    name, secret = fresh(group), "one-secret-of-more-than-32-bytes-" + fresh()
    ctl.done(group, "add", name)
    words = [group, "rotate", name, *options, "--hash-file", "-"]
    ctl.done(*words, stdin=secret)
    before = ctl.json(group, "show", name)
    for more in ([], ["--now"]):
        again = ctl.run(*words, *more, stdin=secret + "\n")
        assert again.returncode == 1 and f"HASH of {name} already: nothing was changed" in again.stderr
    assert ctl.json(group, "show", name) == before
    ctl.done(group, "rotate", name, *options, "--end")
    ctl.done(*words, stdin=secret + "x")


def test_repeated_for_a_network_that_is_not_cut_off(stack: Stack, ctl: Ctl) -> None:
    name, old = new_network(ctl)
    new = "one-secret-of-more-than-32-bytes-" + fresh()
    for status in (0, 1):
        assert ctl.run("network", "rotate", name, "--hash-file", "-", stdin=new).returncode == status
    assert [code(stack, name, secret) for secret in (old, new)] == ["0101", "0101"]


@pytest.mark.parametrize("options", [["--now"], ["--overlap", "0"]])
def test_at_once(stack: Stack, ctl: Ctl, options: list[str]) -> None:
    name, old = new_network(ctl)
    rotated = ctl.json("network", "rotate", name, *options)
    assert rotated["old_hash_until"] is None
    await_code(stack, name, old, "0025")
    assert code(stack, name, rotated["fixed_hash"]) == "0101"


@pytest.mark.parametrize("group, options, key", [("network", [], "old_hash_until"), ("merchant", [], "old_hash_until"),
                                                 ("merchant", ["--notification"], "old_notification_hash_until")])
def test_ended_early(stack: Stack, ctl: Ctl, group: str, options: list[str], key: str) -> None:
    name = fresh(group)
    ctl.done(group, "add", name)
    assert "is valid" in refused(ctl, group, "rotate", name, "--end", *options)
    assert ctl.json(group, "rotate", name, *options)[key] is not None
    shown = ctl.json(group, "rotate", name, "--end", *options)
    assert shown[key] is None and shown["events"][-1]["what"] == "old secret ended"
    assert "is valid" in refused(ctl, group, "rotate", name, "--end", *options)


def run_together(stack: Stack, ctl: Ctl, name: str, *commands: list[str]) -> list[tuple[int, str, str]]:
    """`network rotate` with these options: each has read the network before one of them changes it, the first one first."""
    waiting = "SELECT 1 AS one FROM information_schema.PROCESSLIST WHERE INFO LIKE 'UPDATE networks SET old_hash%%'"
    processes = []
    with stack.mariadb.connect() as locker:
        locker.begin()
        locker.cursor().execute("SELECT id FROM networks WHERE name = %s FOR UPDATE", (name,))
        for options in commands:
            command = [ctl.path, "--config", ctl.config, "--json", "network", "rotate", name, *options]
            processes.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
            wait_until(lambda: len(stack.mariadb.query(waiting)) == len(processes), "it to wait for the row")
        locker.rollback()
    outputs = [process.communicate() for process in processes]
    return [(process.returncode, *output) for process, output in zip(processes, outputs)]


def test_two_at_once(stack: Stack, ctl: Ctl) -> None:
    """The second is refused: it would end, unseen, the secret that callers still have."""
    name, old = new_network(ctl)
    (done, shown, _), (status, *complaint) = run_together(stack, ctl, name, [], [])
    assert (done, status) == (0, 1) and "changed by somebody else at the same time" in "".join(complaint)
    assert [code(stack, name, secret) for secret in (old, json.loads(shown)["fixed_hash"])] == ["0101", "0101"]


def test_ends_only_the_one_that_was_seen(stack: Stack, ctl: Ctl) -> None:
    """A rotation has ended it meanwhile."""
    name, _ = new_network(ctl)
    old = ctl.json("network", "rotate", name)["fixed_hash"]
    (done, shown, _), (status, *complaint) = run_together(stack, ctl, name, ["--now"], ["--end"])
    assert (done, status) == (0, 1) and "changed by somebody else at the same time" in "".join(complaint)
    await_code(stack, name, old, "0025")
    assert code(stack, name, json.loads(shown)["fixed_hash"]) == "0101"


def test_of_a_secret_that_does_not_open(stack: Stack, ctl: Ctl) -> None:
    """After the key was lost: the old secret is of no use to anybody, and must not keep out the new one. But nobody is promised
    that it stays valid."""
    name, _ = new_network(ctl)
    stack.mariadb.query("UPDATE networks SET fixed_hash = REVERSE(fixed_hash) WHERE name = %s", name)
    said = refused(ctl, "network", "rotate", name)
    assert "would not stay valid beside a new one; nothing was changed" in said and "--now replaces it" in said
    assert code(stack, name, ctl.json("network", "rotate", name, "--now")["fixed_hash"]) == "0101"


@pytest.mark.parametrize("options, complaint", [
    (["--overlap", "1h", "--now"], "only one of --now and --overlap"), (["--overlap", "soon"], "--overlap is a duration"),
    (["--overlap", "366d"], "at most 365d"), (["--end", "--now"], "--end makes no new secret"),
    (["--end", "--hash-file", "x"], "--end makes no new secret")])
def test_options_that_contradict(ctl: Ctl, options: list[str], complaint: str) -> None:
    for group in ("network", "merchant"):
        assert complaint in misused(ctl, group, "rotate", "nobody", *options)


# The key.


def roles(shown: dict[str, list[dict[str, object]]]) -> list[object]:
    return [key["role"] for key in shown["keys"]]


def finished(ctl: Ctl) -> bool:
    return roles(ctl.json("key", "show")) == ["current"]


@pytest.fixture
def whole(ctl: Ctl) -> Iterator[None]:
    """No rotation is open before or after."""
    assert finished(ctl)
    yield
    if not finished(ctl):
        ctl.done("key", "rotate")
        ctl.done("key", "rotate", "--finish")


def test_new_key_in_three_steps(stack: Stack, ctl: Ctl, whole: None) -> None:
    name, old = new_network(ctl)
    new = ctl.json("network", "rotate", name)["fixed_hash"]
    os.chmod(stack.key_file, 0o640)
    (first,) = ctl.json("key", "show")["keys"]
    prepared = ctl.json("key", "rotate", "--prepare")
    assert roles(prepared) == ["current", "next"] and prepared["reencrypted"] == 0
    assert "already holds a next key" in refused(ctl, "key", "rotate", "--prepare")
    assert "no old key" in refused(ctl, "key", "rotate", "--finish")
    added, secret = new_network(ctl)
    rotated = ctl.json("key", "rotate")
    assert roles(rotated) == ["old", "current"] and rotated["reencrypted"] == first["secrets"] + 1
    assert rotated["keys"][1] == {**prepared["keys"][1], "role": "current", "secrets": first["secrets"] + 1}
    assert "still holds the old key" in refused(ctl, "key", "rotate", "--prepare")
    assert [code(stack, *pair) for pair in ((name, old), (name, new), (added, secret))] == ["0101"] * 3
    ended = ctl.json("key", "rotate", "--finish")
    assert roles(ended) == ["current"] and ended["reencrypted"] == 0 and ended["other_secrets"] == 0
    assert stat.S_IMODE(os.stat(stack.key_file).st_mode) == 0o640
    assert first["id"] not in [key["id"] for key in ended["keys"]]
    events = [event["what"] for event in ctl.json("network", "show", name)["events"]]
    assert events == ["created", "rotated", "reencrypted"]
    await_code(stack, name, old, "0101")


def test_new_key_by_root(stack: Stack, ctl: Ctl, whole: None, tmp_path: Path) -> None:
    """The key file is root's, and the database takes root for the operator only where that account has a password."""
    name, secret = new_network(ctl)
    settings = default_settings(stack.mariadb, stack.worker.socket, stack.key_file)
    del settings["database"]["operator_password_file"]
    write_config(tmp_path / "recaudo.conf", settings)
    root = Ctl(tmp_path / "recaudo.conf")
    assert "try it with sudo -u" in root.run("network", "list").stderr
    (before,) = root.json("key", "show")["keys"]
    assert root.json("key", "rotate")["reencrypted"] == before["secrets"]
    assert roles(root.json("key", "rotate", "--finish")) == ["current"]
    assert (ctl.json("network", "show", name)["events"][-1]["what"], code(stack, name, secret)) == ("reencrypted", "0101")


def test_the_key_file_stays_where_the_database_takes_no_writes(stack: Stack, ctl: Ctl, whole: None) -> None:
    new_network(ctl)
    before = stack.key_file.read_bytes()
    stack.mariadb.query("SET GLOBAL read_only = 1")
    try:
        assert "the key file was left as it was" in refused(ctl, "key", "rotate")
        assert stack.key_file.read_bytes() == before
    finally:
        stack.mariadb.query("SET GLOBAL read_only = 0")


def test_killed_in_the_middle_and_started_again(stack: Stack, ctl: Ctl, whole: None) -> None:
    """Networks are done, the merchants' rows are locked by somebody: killed there. Callers notice nothing."""
    known = [new_network(ctl) for _ in range(3)]
    ctl.done("merchant", "add", fresh("tienda"))
    with stack.mariadb.connect() as locker:
        locker.begin()
        locker.cursor().execute("SELECT id FROM merchants FOR UPDATE")
        process = subprocess.Popen([ctl.path, "--config", ctl.config, "key", "rotate"], stderr=subprocess.DEVNULL)
        wait_until(lambda: ctl.json("network", "show", known[-1][0])["events"][-1]["what"] == "reencrypted",
                   "the networks to be encrypted anew")
        assert "another key rotate is running" in refused(ctl, "key", "rotate")
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        middle = ctl.json("key", "show")
        assert roles(middle) == ["old", "current"] and all(key["secrets"] > 0 for key in middle["keys"])
        assert [code(stack, *pair) for pair in [*known, new_network(ctl)]] == ["0101"] * 4
        locker.rollback()
    again = ctl.json("key", "rotate")
    # The statement that waited for the lock may be done by the server although its client is dead: one merchant's
    # secrets, two and those that a rotation before has left good.
    left = middle["keys"][0]["secrets"]
    assert again["keys"][0]["secrets"] == 0 and left - again["reencrypted"] in (0, 2, 3, 4)
    ctl.done("key", "rotate", "--finish")
    for name, secret in known:
        await_code(stack, name, secret, "0101")


def test_what_no_key_opens_keeps_the_old_key(stack: Stack, ctl: Ctl, whole: None) -> None:
    name, _ = new_network(ctl)
    stack.mariadb.query("UPDATE networks SET fixed_hash = REVERSE(fixed_hash) WHERE name = %s", name)
    assert "secrets could not be encrypted again; the old key was kept" in refused(ctl, "key", "rotate")
    assert roles(ctl.json("key", "show")) == ["old", "current"]
    assert "secrets could not be encrypted again; the old key was kept" in refused(ctl, "key", "rotate", "--finish")
    ctl.done("network", "rotate", name, "--now")
    assert roles(ctl.json("key", "rotate", "--finish")) == ["current"]
