"""The command line itself: help on every level, wrong usage, completion, the manual page."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.stack import Ctl
from tests.stack.paths import ROOT, program

from operator_steps import misused

COMPLETION = ROOT / "src" / "ctl" / "recaudoctl.bash-completion"
MANUAL = ROOT / "doc" / "man" / "recaudoctl.1"
ENTRY = re.compile(r"^  ([a-z]+) ", re.MULTILINE)
OPTION = re.compile(r"^  (--[a-z0-9-]+)", re.MULTILINE)


@pytest.fixture(scope="module")
def ctl() -> Ctl:
    """Without an instance: what is asked here needs no configuration."""
    return Ctl("/nonexistent/recaudo.conf", program("recaudoctl"))


def help_of(ctl: Ctl, *words: str) -> str:
    result = ctl.run(*words, "--help")
    assert result.returncode == 0 and result.stderr == ""
    return result.stdout


def commands(ctl: Ctl) -> list[list[str]]:
    """Group and verb of each; a group that is one command stands alone."""
    return [[group, *verb] for group in ENTRY.findall(help_of(ctl))
            for verb in [[verb] for verb in ENTRY.findall(help_of(ctl, group))] or [[]]]


def test_help_on_every_level(ctl: Ctl) -> None:
    found = commands(ctl)
    assert len(found) > 20 and ["order", "add"] in found and ["status"] in found
    for words in found:
        shown = help_of(ctl, *words)
        assert shown.startswith(f"usage: recaudoctl {' '.join(words)}")
        assert "--config FILE" in shown and "--json" in shown


def test_manual_names_every_command_and_option(ctl: Ctl) -> None:
    manual = MANUAL.read_text()
    for words in commands(ctl):
        assert f".It Ic {' '.join(words)}" in manual
        for option in OPTION.findall(help_of(ctl, *words)):
            assert re.search(rf"(?<!-){re.escape(option[1:])}\b", manual), (words, option)


def test_manual_is_valid() -> None:
    result = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", str(MANUAL)], capture_output=True, text=True)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.parametrize("words, complaint", [
    ([], "a group is missing"),
    (["order"], "a verb is missing"),
    (["ordre"], "unknown command group 'ordre'; did you mean 'order'?"),
    (["stat"], "unknown command group 'stat'; did you mean 'status'?"),
    (["banana"], "unknown command group 'banana'"),
    (["--jsn", "status"], "unknown option --jsn; did you mean --json?"),
    (["order", "shout"], "order: unknown command 'shout'"),
    (["order", "shwo"], "order: unknown command 'shwo'; did you mean 'show'?"),
    (["order", "pay"], "order: unknown command 'pay'"),
    (["order", "add", "--refrence=1"], "unknown option --refrence=1; did you mean --reference?"),
    (["order", "show"], "REFERENCE|PV_PO_ID|PO_ID is missing"),
    (["order", "show", "1", "2"], "unexpected argument '2'"),
    (["order", "show", "1", "2", "3", "4", "5"], "unexpected argument '2'"),
    (["transaction", "show"], "NETWORK TRANSACTION is missing"),
    (["transaction", "show", "red"], "TRANSACTION is missing"),
    (["network", "add", "n", "--hash"], "unknown option --hash; did you mean --hash-file?"),
    (["network", "add", "n", "-f"], "unknown option -f"),
    (["network", "add", "n", "--hash-file"], "--hash-file needs a value: --hash-file FILE|-"),
    (["network", "add", "n", "--hash-file", "--notify-url"], "--hash-file needs a value: --hash-file FILE|-"),
    (["network", "add", "n", "--hash-file="], "--hash-file is empty: leave it out instead"),
    (["network", "add", "n", "--hash-file=a", "--hash-file=b"], "--hash-file is given twice"),
    (["merchant", "rotate", "m", "--notification=yes"], "--notification takes no value"),
    (["order", "add", "--merchant", "m"], "--order is missing: --order PO_ID"),
    (["order", "import", "--merchant", "m"], "--file is missing: --file FILE|-"),
    (["order", "list", "--config"], "--config needs a value: --config FILE"),
    (["order", "list", "--config="], "--config needs a value: --config FILE"),
])
def test_wrong_usage(ctl: Ctl, words: list[str], complaint: str) -> None:
    assert misused(ctl, *words) == complaint


def test_no_configuration(ctl: Ctl) -> None:
    result = ctl.run("network", "list")
    assert result.returncode == 1 and result.stderr == "recaudoctl: /nonexistent/recaudo.conf: No such file or directory\n"


def complete(*words: str) -> list[str]:
    """What bash offers for the last of `words`."""
    quoted = " ".join(f"'{word}'" for word in ("recaudoctl", *words))
    script = (f"PATH={Path(program('recaudoctl')).parent}:$PATH; . {COMPLETION}; COMP_WORDS=({quoted}); "
              "COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _recaudoctl; printf '%s\\n' \"${COMPREPLY[@]}\"")
    return subprocess.run(["bash", "-euc", script], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.parametrize("words, offered", [
    (["or"], ["order"]),
    (["--json", "or"], ["order"]),
    (["--config", "order", "netw"], ["network"]),
    (["order", "sh"], ["show"]),
    (["order", "add", "--re"], ["--reference"]),
    (["merchant", "set", "m", "--ack", ""], ["strict", "http2xx"]),
    (["order", "list", "--state", "P"], ["PENDIENTE"]),
    (["order", "list", "--merchant", ""], []),
    (["order", "import", "--file", str(MANUAL)[:-1]], [str(MANUAL)]),
    (["notification", "list", "--state", "e"], ["exhausted"]),
    (["notification", "retry", "7", "--d"], ["--dry-run"]),
    (["notification", "retry", "7", "8", "--ag"], ["--again"]),
    (["stat"], ["status"]),
    (["status", "--l"], ["--late"]),
    (["status", "--late", ""], []),
    (["--js"], ["--json"]),
])
def test_completion(words: list[str], offered: list[str]) -> None:
    assert complete(*words) == offered


def test_completion_offers_every_group(ctl: Ctl) -> None:
    assert complete("") == ENTRY.findall(help_of(ctl))
