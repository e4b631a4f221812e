"""doc/guide-network.md: the line of each language that takes AMOUNT as a decimal keeps every digit; which currencies there are."""

import json
import re
import subprocess
import time
from typing import Iterator

import pytest

from tests.stack.client import Reply
from tests.stack.paths import ROOT
from tests.stack.waiting import wait_until
from tools.sandbox.instance import COMMERCE, Instance

PAGE = (ROOT / "doc" / "guide-network.md").read_text()
SECTION = PAGE.split("| Language | AMOUNT as a decimal |")[1].split("\n\n")[0]
LINES = {language: line.replace("\\|", "|") for language, line in re.findall(r"^\| (\w+) \| `(.*)` \|$", SECTION, re.MULTILINE)}
# What stands before the line, and after it, so that the reply in the variable or word `text` is read and the amount is printed.
PROGRAMS = {
    "Python": (["/usr/bin/python3", "-c"], "import json, sys; from decimal import Decimal; text = sys.argv[1]\n{}\nprint(amount)"),
    "PHP": (["php", "-r"], "$text = $argv[1]; {} echo $amount, \"\\n\";"),
    "JavaScript": (["node", "-e"], "let amount; const text = process.argv[1]; {}; console.log(amount)"),
    "Perl": (["perl", "-MJSON::PP", "-e"], "$text = $ARGV[0]; {} print \"$amount\\n\";"),
    "Shell": (["bash", "-c"], "text=$0; {}; echo \"$amount\""),
}
REPLY = (r'{"CODE":"0000","TEXT":"OK","DATA":{"LASTNAME1":"","LASTNAME2":"","AMOUNT":%s,'
         r'"DESCRIPTION":"Zapatos \"AMOUNT\":1 ñ","DI":"","COMMERCE":"Tienda","REFERENCE":"1","TYPEDI":"","NAME":""}}')


def test_every_language_has_a_line() -> None:
    assert set(LINES) == set(PROGRAMS)


@pytest.mark.parametrize("amount", ["45000.00", "0.00", "45000", "999999999999999.9999", "90071992547409.93", "0.001"])
@pytest.mark.parametrize("language", PROGRAMS)
def test_amount_keeps_its_digits(language: str, amount: str) -> None:
    command, program = PROGRAMS[language]
    result = subprocess.run([*command, program.replace("{}", LINES[language], 1), REPLY % amount], text=True, capture_output=True, timeout=30)
    assert (result.returncode, result.stdout) == (0, amount + "\n"), result.stderr


def test_currencies(sandbox: Instance) -> None:
    match = re.search(r"The service comes with ([A-Z, and]+), which have two decimals each", PAGE.replace("\n", " "))
    assert match is not None
    assert re.findall(r"[A-Z]{3}", match[1]) == [one["code"] for one in sandbox.stack.ctl.json("currency", "list")]


def listed(text: str) -> set[str]:
    """The codes that `text` lists: single ones, and ranges such as "0140 to 0145"."""
    codes = set()
    for first, last in re.findall(r"\b(0\d{3})\b(?: to (0\d{3})\b)?", text):
        codes |= {f"{number:04}" for number in range(int(first), int(last or first) + 1)}
    return codes


class Paying:
    """A network whose first `true` was stored, and which sends its confirmation again."""

    def __init__(self, sandbox: Instance) -> None:
        self.ctl, self.name, self.transaction = sandbox.stack.ctl, f"red-{time.time_ns()}", f"T.{time.time_ns()}"
        self.network = sandbox.stack.network(self.name, self.ctl.json("network", "add", self.name)["fixed_hash"])
        self.reference = sandbox.scene().add_order("AGAIN", "45000.00", "Again")
        assert self.network.register(self.reference, "45000", self.transaction, COMMERCE).code == "0000"
        assert self.network.confirm(self.transaction).code == "0000"

    def state(self) -> str:
        return str(self.ctl.json("transaction", "show", self.name, self.transaction)["state"])

    def is_paid(self) -> bool:
        return self.state() in ("CONFIRMADA", "FINALIZADA")

    def await_code(self, confirm: bool, code: str) -> str:
        """Waits until the confirmation gets it: workers remember for some seconds what they know of a network."""
        wait_until(lambda: self.network.confirm(self.transaction, confirm).code == code, code, 30)
        return code

    def wrong(self, confirm: bool) -> Iterator[Reply]:
        """Confirmations that are refused for how they were sent."""
        path, as_json = "/v1/transactions/", {"Content-Type": "application/json"}
        right = self.network.confirmation(self.transaction, confirm)
        for field, value in (("transaction", ""), ("confirm", "yes"), ("checksum", "0" * 128)):
            yield self.network.send_json("PATCH", path, {**right, field: value})
        text = json.dumps(right)
        yield self.network.request("PATCH", path, text[:-1], as_json)
        yield self.network.request("PATCH", "/v1/transaction/", text, as_json)
        yield self.network.request("PUT", path, text, as_json)
        yield self.network.request("PATCH", path, text)
        yield self.network.request("PATCH", path, text + " " * 17000, as_json)


def test_codes_that_say_nothing_about_an_earlier_confirmation(sandbox: Instance) -> None:
    """What the guide lists is all that a repetition is refused with before anybody looks at the payment, which stands."""
    paying = Paying(sandbox)
    codes = {reply.code for confirm in (True, False) for reply in paying.wrong(confirm)}
    paying.ctl.done("network", "set", paying.name, "--rate", "1/s", "--burst", "1")
    codes |= {paying.await_code(confirm, "0145") for confirm in (True, False)}
    paying.ctl.done("network", "set", paying.name, "--rate", "none")
    paying.ctl.done("network", "disable", paying.name)
    codes |= {paying.await_code(confirm, "0019") for confirm in (True, False)}
    assert paying.is_paid()
    lists = re.findall(r"refused with (0010.*?)\*\*|^\d\. (0010.*?) say nothing", PAGE, re.MULTILINE)
    assert [listed("".join(found)) for found in lists] == [codes, codes]


def test_what_a_late_false_does(sandbox: Instance) -> None:
    """It cancels what a later `true` was told is paid; so the guide's rule, and what it says of the two replies to a repeated `false`."""
    rule = PAGE.split("**Once you have sent a `false`, never send `true` for this id again.**")[1].split("\n5.")[0]
    assert listed(rule) == {"0000", "0015"}
    paying = Paying(sandbox)
    late = paying.network.confirmation(paying.transaction, False)
    assert paying.network.confirm(paying.transaction).code == "0000"
    assert paying.network.send_json("PATCH", "/v1/transactions/", late).code == "0000"
    assert not paying.is_paid()
    assert [paying.network.confirm(paying.transaction, confirm).code for confirm in (False, True)] == ["0000", "0014"]
    stands = Paying(sandbox)
    wait_until(lambda: stands.state() == "FINALIZADA", "the window to close", 30)
    assert stands.network.confirm(stands.transaction, False).code == "0015" and stands.is_paid()
