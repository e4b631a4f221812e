"""Networks, merchants and accounts."""

import json
import os
import pwd
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.stack import Ctl, Stack

from operator_steps import INSTANT, MERCHANT, fresh, instants, misused, refused

SECRET = re.compile(r"[0-9a-f]{64}")
LONG = "ñ" * 41
BAD_NAMES = [("", "name: is empty"), (" x", "name: begins or ends with a blank"),
             ("x ", "name: begins or ends with a blank"),
             ("a\tb", "name: holds a control character (a tab or a line end, for example)")]


def sealed(stack: Stack, table: str, column: str, name: str) -> bytes:
    (row,) = stack.mariadb.query(f"SELECT {column} AS sealed FROM {table} WHERE name = %s", name)
    return bytes(row["sealed"])


def test_network_add(ctl: Ctl, stack: Stack) -> None:
    name = fresh("Red Ñandú")
    added = ctl.json("network", "add", name)
    assert list(added) == ["name", "fixed_hash"] and added["name"] == name and SECRET.fullmatch(added["fixed_hash"])
    assert added["fixed_hash"].encode() not in sealed(stack, "networks", "fixed_hash", name)
    assert added["fixed_hash"] not in ctl.done("network", "show", name) + str(ctl.json("network", "list"))
    assert refused(ctl, "network", "add", name) == f"name: network {name} already exists"


@pytest.mark.parametrize("name, complaint", [*BAD_NAMES, (LONG, "name: is longer than 40 characters")])
def test_network_name(ctl: Ctl, name: str, complaint: str) -> None:
    assert refused(ctl, "network", "add", name) == complaint


def test_network_name_of_the_greatest_length(ctl: Ctl) -> None:
    assert ctl.json("network", "add", LONG[1:])["name"] == LONG[1:]


@pytest.mark.parametrize("content, secret", [
    ("geheim", "geheim"),
    ("geheim\n", "geheim"),
    ("geheim\r\n", "geheim"),
    ("x" * 512 + "\n", "x" * 512),
    ("ñ %s ", "ñ %s ")])
def test_given_secret(ctl: Ctl, tmp_path: Path, content: str, secret: str) -> None:
    file = tmp_path / "hash"
    file.write_text(content, newline="")
    assert ctl.json("network", "add", fresh(), "--hash-file", str(file), "--weak-secret")["fixed_hash"] == secret
    assert ctl.json("network", "add", fresh(), "--hash-file", "-", "--weak-secret", stdin=content)["fixed_hash"] == secret


@pytest.mark.parametrize("words", [
    ["network", "add", "--hash-file", "-"], ["merchant", "add", "--hash-file", "-"],
    ["merchant", "add", "--notification-hash-file", "-"], ["network", "rotate", "--hash-file", "-"],
    ["merchant", "rotate", "--hash-file", "-"], ["merchant", "rotate", "--notification", "--hash-file", "-"]])
def test_short_secrets_must_be_asked_for(ctl: Ctl, words: list[str]) -> None:
    group, verb, *options = words
    name = fresh()
    if verb == "rotate":
        ctl.done(group, "add", name)
    for short in ("x", "x" * 31):
        result = ctl.run(group, verb, name, *options, stdin=short)
        assert result.returncode == 1 and "is shorter than 32 bytes" in result.stderr and "xxx" not in result.stderr
    assert (ctl.run(group, "show", name).returncode == 0) == (verb == "rotate")
    ctl.done(group, verb, name, *options, stdin="x" * 32)
    again = fresh()
    if verb == "rotate":
        ctl.done(group, "add", again)
    ctl.done(group, verb, again, *options, "--weak-secret", stdin="x")


@pytest.mark.parametrize("content, complaint", [
    (b"", "is empty"), (b"\n", "is empty"), (b"x" * 513, "is longer than 512 bytes"), (b"a\nb\n", "control character"),
    (b"a\0b", "control character"), (b"\xff", "is not UTF-8 text")])
def test_secret_that_does_not_do(ctl: Ctl, tmp_path: Path, content: bytes, complaint: str) -> None:
    file, name = tmp_path / "hash", fresh()
    file.write_bytes(content)
    assert complaint in refused(ctl, "network", "add", name, "--hash-file", str(file))
    assert refused(ctl, "network", "show", name).startswith("there is no network")


@pytest.mark.parametrize("group, table", [("network", "networks"), ("merchant", "merchants")])
def test_disable_enable_rotate(ctl: Ctl, stack: Stack, group: str, table: str) -> None:
    name = fresh(group)
    ctl.done(group, "add", name)
    before = sealed(stack, table, "fixed_hash", name)
    assert ctl.json(group, "disable", name)["enabled"] is False
    assert ctl.json(group, "disable", name)["enabled"] is False
    assert ctl.json(group, "enable", name)["enabled"] is True
    rotated = ctl.json(group, "rotate", name)
    assert list(rotated) == ["name", "fixed_hash", "old_hash_until"] and SECRET.fullmatch(rotated["fixed_hash"])
    assert sealed(stack, table, "fixed_hash", name) != before
    shown = ctl.json(group, "show", name)
    assert [(event["what"], event["to"]) for event in shown["events"]] == [
        ("created", "enabled"), ("state", "disabled"), ("state", "enabled"), ("rotated", "enabled")]
    assert all(INSTANT.fullmatch(text) for text in instants(shown)) and len(instants(shown)) == 7
    assert shown["old_hash_until"] == rotated["old_hash_until"]


@pytest.mark.parametrize("group", ["network", "merchant"])
@pytest.mark.parametrize("verb", ["show", "enable", "disable", "rotate"])
def test_names_that_are_not_there(ctl: Ctl, group: str, verb: str) -> None:
    for name in ("nobody", "", "x" * 300, "' OR '1'='1"):
        assert f"there is no {group} {name} " in refused(ctl, group, verb, name)


def test_merchant_add(ctl: Ctl, stack: Stack) -> None:
    name = fresh("Tienda")
    added = ctl.json("merchant", "add", name)
    assert list(added) == ["name", "fixed_hash", "notification_hash"]
    assert SECRET.fullmatch(added["fixed_hash"]) and SECRET.fullmatch(added["notification_hash"])
    assert added["fixed_hash"] != added["notification_hash"]
    shown = ctl.json("merchant", "show", name)
    kept = {key: value for key, value in shown.items() if not key.endswith(("_at", "_by", "_until"))}
    kept.pop("events")
    assert kept == {"name": name, "commerce": name, "country": 343, "enabled": True, "notify_url": None,
                    "notify_digest": "sha256", "ack": "strict", "reference_quarantine_seconds": 90 * 86400}
    before = sealed(stack, "merchants", "notification_hash", name)
    rotated = ctl.json("merchant", "rotate", name, "--notification", "--hash-file", "-", "--now", "--weak-secret",
                       stdin="nuevo")
    assert rotated == {"name": name, "notification_hash": "nuevo", "old_notification_hash_until": None}
    assert sealed(stack, "merchants", "notification_hash", name) != before
    assert refused(ctl, "merchant", "add", name) == f"name: merchant {name} already exists"


def test_merchant_settings(ctl: Ctl, tmp_path: Path) -> None:
    name, hashes = fresh(), tmp_path / "hash"
    hashes.write_text("uno")
    added = ctl.json("merchant", "add", name, "--commerce", "Único", "--country", "348", "--notify-url",
                     "https://tienda.example:8443/n?a=b", "--notify-digest", "sha512", "--ack", "http2xx",
                     "--hash-file", str(hashes), "--notification-hash-file", "-", "--weak-secret", stdin="dos")
    assert (added["fixed_hash"], added["notification_hash"]) == ("uno", "dos")
    before = ctl.json("merchant", "show", name)
    assert [before[key] for key in ("commerce", "country", "notify_digest", "ack")] == [
        "Único", 348, "sha512", "http2xx"]
    after = ctl.json("merchant", "set", name, "--ack", "strict")
    assert {key for key in after if after[key] != before[key]} <= {"ack", "changed_at", "events"}
    again = ctl.run("--json", "merchant", "set", name, "--notify-url", before["notify_url"], "--country", "348", "--commerce", "Único")
    assert json.loads(again.stdout) == after and "nothing was changed" in again.stderr and "pending" not in again.stderr
    assert ctl.json("merchant", "set", name, "--notify-url", "")["notify_url"] is None
    assert ctl.json("merchant", "show", name)["country"] == 348


@pytest.mark.parametrize("options, complaint", [
    (["--country", "999"], "country: there is no country 999; there are 314 Costa Rica, 343 Colombia, 345 Ecuador, "),
    (["--country", "CO"], "country: there is no country CO; there are"),
    (["--country", "99999999999999999999999"], "country: there is no country"),
    (["--commerce", " "], "commerce: begins or ends with a blank"),
    (["--commerce", "x" * 101], "commerce: is longer than 100 characters"),
    (["--notify-url", "ftp://tienda.example/"], "notify-url: must begin with https:// or http://, in small letters"),
    (["--notify-url", "HTTPS://tienda.example/"], "notify-url: must begin with https:// or http://, in small letters"),
    (["--notify-url", "https://tienda.example/#x"], "notify-url: must have no #"),
    (["--notify-url", "https://#tienda.example/"], "notify-url: must have no #"),
    (["--notify-url", "https://"], "notify-url: must name a host"),
    (["--notify-url", "https://:443/"], "notify-url: must name a host"),
    (["--notify-url", "https://user:word@tienda.example/"], "notify-url: must name a host, and no user"),
    (["--notify-url", "https://tienda.example:99999/"], "notify-url: is not an address that messages can be sent to"),
    (["--notify-url", "https://[::1/"], "notify-url: is not an address that messages can be sent to"),
    (["--notify-url", "https://tienda.example/ x"], "notify-url: must have no space: write %20"),
    (["--notify-url", "https://tienda.example/" + "x" * 2048], "notify-url: is longer than 2048 characters")])
def test_merchant_settings_that_do_not_do(ctl: Ctl, options: list[str], complaint: str) -> None:
    name = fresh()
    assert refused(ctl, "merchant", "add", name, *options).startswith(complaint)
    assert refused(ctl, "merchant", "set", MERCHANT, *options).startswith(complaint)
    assert refused(ctl, "merchant", "show", name).startswith("there is no merchant")


def test_merchant_words_that_are_a_choice(ctl: Ctl) -> None:
    assert misused(ctl, "merchant", "add", "m", "--ack", "OK") == "--ack is strict or http2xx"
    assert misused(ctl, "merchant", "set", MERCHANT, "--notify-digest", "md5") == "--notify-digest is sha256 or sha512"
    assert misused(ctl, "merchant", "set", MERCHANT) == "nothing to set was given"
    both = ["--hash-file", "-", "--notification-hash-file", "-"]
    assert misused(ctl, "merchant", "add", "m", *both).startswith("only one of")


def account_words(**changed: str) -> list[str]:
    options = {"document": fresh("D"), "type": "CC", "name": "Ana María", **changed}
    return ["account", "add", *(word for name, value in options.items() for word in (f"--{name}", value))]


def test_account(ctl: Ctl) -> None:
    document = fresh("D")
    added = ctl.json(*account_words(document=document, lastname1="Pérez", currency="USD"))
    expected: dict[str, Any] = {"document": document, "type": "CC", "name": "Ana María", "lastname1": "Pérez",
                                "lastname2": "", "balance": "0.00", "currency": "USD", "movements": []}
    assert {key: value for key, value in added.items() if key != "created_at"} == expected
    assert ctl.json("account", "show", document) == added
    assert document in [account["document"] for account in ctl.json("account", "list", "--limit", "1000")]
    assert refused(ctl, *account_words(document=document)).startswith("document: there is an account")
    assert ctl.json(*account_words())["currency"] == "COP"


@pytest.mark.parametrize("changed, complaint", [
    ({"document": "a/b"}, "document: must be 1 to 25 letters"),
    ({"document": "1" * 26}, "document: must be 1 to 25 letters"),
    ({"document": "ñ"}, "document: must be 1 to 25 letters"),
    ({"type": "x" * 41}, "type: is longer than 40 characters"),
    ({"name": "x" * 151}, "name: is longer than 150 characters"), ({"lastname1": "x\n"}, "lastname1: holds a control"),
    ({"lastname2": "x" * 101}, "lastname2: is longer than 100"),
    ({"currency": "EUR"}, "currency: must be one of COP, CRC, PEN, USD"),
    ({"currency": "cop"}, "currency: must be one of")])
def test_account_that_does_not_do(ctl: Ctl, changed: dict[str, str], complaint: str) -> None:
    assert refused(ctl, *account_words(**changed)).startswith(complaint)


@pytest.mark.parametrize("name, pasted", [
    ("plain-1.x_Y", "plain-1.x_Y"), ("Red Ñandú € 2", "'Red Ñandú € 2'"), ("d'Oro $1", "'d'\\''Oro $1'")])
def test_advice_can_be_pasted(ctl: Ctl, name: str, pasted: str) -> None:
    said = ctl.run("network", "add", name).stderr
    assert f"recaudoctl network limit {pasted} CURRENCY --day" in said
    words = subprocess.run(["bash", "-c", f"printf %s {pasted}"], capture_output=True, text=True, check=True).stdout
    assert words == name


@pytest.mark.parametrize("document", ["0", "", "ñandú", "x" * 300, "' OR 1=1"])
def test_account_that_is_not_there(ctl: Ctl, document: str) -> None:
    assert refused(ctl, "account", "show", document).startswith("there is no account with the document number")


def test_account_list_is_cut(ctl: Ctl) -> None:
    ctl.done(*account_words())
    ctl.done(*account_words())
    result = ctl.run("--json", "account", "list", "--limit", "1")
    assert result.stdout.count('"document"') == 1 and "--limit N for more" in result.stderr


@pytest.mark.parametrize("sudo_user, actor", [
    ("maria", "operator:maria"),
    ("ñ" * 100, "operator:" + "ñ" * 71),
    ("a\x1bb", "operator:{login}"),
    ("console:ana", "operator:{login}"),
    (" maria", "operator:{login}"),
    ("", "operator:{login}")])
def test_who_did_it(ctl: Ctl, sudo_user: str, actor: str) -> None:
    name = fresh()
    subprocess.run([ctl.path, "--config", ctl.config, "network", "add", name], check=True, capture_output=True,
                   env={**os.environ, "SUDO_USER": sudo_user})
    login = pwd.getpwuid(os.getuid()).pw_name
    assert ctl.json("network", "show", name)["events"][0]["actor"] == actor.format(login=login)
