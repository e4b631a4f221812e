"""doc/guide-network.md: the line of each language that takes AMOUNT as a decimal keeps every digit; which currencies there are."""

import re
import subprocess

import pytest

from tests.stack.paths import ROOT
from tools.sandbox.instance import Instance

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
