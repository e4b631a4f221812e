"""doc/guide-merchant.md: programs that verify webhook-signature, the digits of currencies, the words of verdicts."""

import base64
import hashlib
import hmac
import json
import os
import re
import subprocess

import pytest

from tests.stack.paths import ROOT
from tools.sandbox.instance import Instance

PAGE = (ROOT / "doc" / "guide-merchant.md").read_text()
PROGRAMS = {"js": "node", "php": "php", "py": "/usr/bin/python3"}
SECRET, ID, NOW = "s3cr3t-HASH", "ntf_5f0c3a9be1d24786a1c0d94e7b62f38d", 1795253440


def message() -> tuple[str, str]:
    """Signature and body of the message that the page shows."""
    match = re.search(rf"^webhook-id: {ID}\nwebhook-timestamp: {NOW}\nwebhook-signature: (\S+)\n.*?\n\n(\{{[^\n]*\}})$", PAGE, re.DOTALL | re.MULTILINE)
    assert match is not None
    return match[1], match[2]


def sign(body: str, identifier: str = ID, timestamp: str = str(NOW), secret: str = SECRET) -> str:
    signed = f"{identifier}.{timestamp}.{body}".encode()
    return "v1," + base64.b64encode(hmac.new(secret.encode(), signed, hashlib.sha256).digest()).decode()


def verdict(language: str, signature: str, body: str, timestamp: str = str(NOW), now: int = NOW, secret: str = SECRET) -> str:
    result = subprocess.run([PROGRAMS[language], str(ROOT / "doc/examples/webhook" / f"verify.{language}"), ID, timestamp, signature],
                            input=body, text=True, capture_output=True, timeout=30,
                            env={**os.environ, "RECAUDO_SECRET": secret, "RECAUDO_NOW": str(now)})
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_vector_is_right() -> None:
    signature, body = message()
    assert signature == sign(body)
    told = json.loads(body)
    assert told["pv_checksum"] == hashlib.sha256((told["po_id"] + told["status"] + SECRET).encode()).hexdigest()


@pytest.mark.parametrize("language", PROGRAMS)
def test_signatures_that_are_right(language: str) -> None:
    signature, body = message()
    other = sign(body, secret="another secret")
    for header in (signature, f"{other} {signature}", f"{signature} {other}"):
        assert verdict(language, header, body) == "right"
    for away in (-290, 290):
        assert verdict(language, signature, body, now=NOW + away) == "right"
    for text, secret in (("", SECRET), ('{"n":"Ñandú €"}', "k" * 512), ("{}\n", "ñ")):
        assert verdict(language, sign(text, secret=secret), text, secret=secret) == "right"


@pytest.mark.parametrize("language", PROGRAMS)
def test_signatures_that_are_wrong(language: str) -> None:
    signature, body = message()
    for header in ("", "v1,", signature[:-1], signature.replace("v1", "v2"), signature.upper(), f"{signature}x", f"x {signature}x",
                   sign(body, secret="another secret"), sign(body, identifier="ntf_6"), sign(body, timestamp=str(NOW + 1))):
        assert verdict(language, header, body) == "wrong", header
    assert verdict(language, signature, body.replace("45000.00", "1.00")) == "wrong"
    assert verdict(language, sign(body, secret=bytes.fromhex("ab" * 32).decode("latin-1")), body, secret="ab" * 32) == "wrong"


@pytest.mark.parametrize("language", PROGRAMS)
def test_times_that_are_wrong(language: str) -> None:
    signature, body = message()
    for away in (-310, 310):
        assert verdict(language, signature, body, now=NOW + away) == "wrong"
    for timestamp in ("", "now", "-5", f"{NOW}.5"):
        assert verdict(language, sign(body, timestamp=timestamp), body, timestamp=timestamp) == "wrong"


@pytest.mark.parametrize("language", PROGRAMS)
@pytest.mark.parametrize("count", [0, 1, 2])
def test_missing_header_is_wrong(language: str, count: int) -> None:
    signature, body = message()
    result = subprocess.run([PROGRAMS[language], str(ROOT / "doc/examples/webhook" / f"verify.{language}"), *[ID, str(NOW), signature][:count]],
                            input=body, text=True, capture_output=True, timeout=30,
                            env={**os.environ, "RECAUDO_SECRET": SECRET, "RECAUDO_NOW": str(NOW)})
    assert (result.returncode, result.stdout.strip()) == (0, "wrong"), result.stderr


@pytest.mark.parametrize("language", PROGRAMS)
def test_missing_secret_is_named(language: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "RECAUDO_SECRET"}
    result = subprocess.run([PROGRAMS[language], str(ROOT / "doc/examples/webhook" / f"verify.{language}")],
                            stdin=subprocess.DEVNULL, text=True, capture_output=True, timeout=30, env=environment)
    assert (result.returncode, result.stdout, result.stderr) == (1, "", "RECAUDO_SECRET is not set\n")


def test_digits_of_currencies(sandbox: Instance) -> None:
    section = PAGE.split("| Currency | Digit |")[1].split("\n\n")[0]
    told = {code: None if digit == "none" else digit for code, digit in re.findall(r"^ *\| ([A-Z]{3}), [^|]+ \| (\w+) \|$", section, re.MULTILINE)}
    assert told == {one["code"]: one["query_code"] for one in sandbox.stack.ctl.json("currency", "list")}


def test_currencies_of_countries(sandbox: Instance) -> None:
    section = PAGE.split("| `country` | `money` |")[1].split("\n\n")[0]
    told = re.findall(r"^\| ([0-9]{3}), ([^|]+) \| ([A-Z]{3}) \|$", section, re.MULTILINE)
    rows = sandbox.stack.mariadb.query("SELECT code, name, currency FROM countries")
    assert sorted(told) == sorted((str(row["code"]), row["name"], row["currency"]) for row in rows)


NOT_THE_MERCHANTS = {"secret", "url", "certificates", "files"}  # reasons about which only the operator can do something


def test_reasons_are_those_of_the_program() -> None:
    source = (ROOT / "src" / "ctl" / "common" / "attempt_records.c").read_text()
    section = PAGE.split("| `reason` | What to do |")[1].split("\n\n")[0]
    reasons = [reason.strip() for row in re.findall(r"^\| ([^|]+) \| [^|]+ \|$", section, re.MULTILINE) for reason in
               (row.split(", the host") if row.startswith("no connection") else [row])]
    assert len(reasons) >= 7
    for reason in reasons:
        assert reason.removeprefix("name") in source, reason
    for name, words in re.findall(r'^    \{"(\w+)",\s+"([^"]+)"\}', source, re.MULTILINE):
        assert name in NOT_THE_MERCHANTS or words.split(" (")[0].removeprefix("the host ") in reasons, f"{words}: no row says what to do"
