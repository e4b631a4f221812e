"""The commands that the documents show: each ```sh block below <!-- run --> is run, in the order of the page, and a ```json block below it is what comes out."""

import json
import re
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tools.sandbox.instance import Instance
from tests.stack.paths import ROOT

BLOCK = re.compile(r"^<!-- run -->\n```sh\n(.*?)^```$(?:\n```json\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
PAGES = {page: BLOCK.findall(page.read_text()) for page in (ROOT / "README.md", *sorted((ROOT / "doc").glob("*.md")))}
END = "=== end of block ==="


def run(blocks: list[str], environment: dict[str, str]) -> list[str]:
    """The output of each block; one shell, with what var/sandbox/env has set, runs them all and stops at the first that fails."""
    settings = "".join(f"{name}={shlex.quote(value)}\n" for name, value in environment.items())
    script = f"set -euo pipefail\n{settings}" + "".join(f"{block}\nprintf '\\n%s\\n' '{END}'\n" for block in blocks)
    result = subprocess.run(["bash", "-c", script], cwd=ROOT, text=True, capture_output=True, timeout=300)
    assert result.returncode == 0, result.stdout[-2000:] + result.stderr
    return result.stdout.split(END)[:-1]


def fits(shown: Any, got: Any) -> bool:
    """The same members; text that ends in ... stands for all that begin so, and a number for any other."""
    if isinstance(shown, dict):
        return isinstance(got, dict) and list(shown) == list(got) and all(fits(shown[name], got[name]) for name in shown)
    if isinstance(shown, str) and shown.endswith("..."):
        return isinstance(got, str) and got.startswith(shown[:-3])
    if type(shown) is int:
        return type(got) is int
    return type(shown) is type(got) and bool(shown == got)


@pytest.mark.parametrize("page", [page for page, blocks in PAGES.items() if blocks], ids=lambda page: str(page.name))
def test_commands(page: Path, sandbox: Instance) -> None:
    outputs = run([command for command, _ in PAGES[page]], sandbox.environment())
    assert len(outputs) == len(PAGES[page])
    for (command, shown), output in zip(PAGES[page], outputs):
        assert not shown or fits(json.loads(shown), json.loads(output)), f"{command}\n{output}"


def test_guides_show_every_call() -> None:
    shown = "".join(command for name in ("guide-network.md", "guide-merchant.md") for command, _ in PAGES[ROOT / "doc" / name])
    for recipe in ("lookup", "register", "confirm", "porder", "porder-query", "refund"):
        assert f"checksum {recipe} " in shown, recipe


@pytest.mark.parametrize("got", [{"a": "xy"}, {"a": "z", "b": 1}, {"a": "xy", "b": "1"}, {"b": 1, "a": "xy"}, {"a": "xy", "b": 1, "c": 1}])
def test_what_does_not_fit_is_noticed(got: Any) -> None:
    assert fits({"a": "x...", "b": 2}, {"a": "xy", "b": 1})
    assert not fits({"a": "x...", "b": 2}, got)


def anchors(page: Path) -> set[str]:
    """Of its headings, as they are made for a link."""
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        for target, _, anchor in re.findall(r"\]\(([^)#\s]*)(#([^)]*))?\)", page.read_text()):
            assert target.startswith("https://") or (page.parent / target).exists(), f"{page.name}: {target}"
            if anchor and not target.startswith("https://"):
                assert anchor in anchors(page.parent / target if target else page), f"{page.name}: {target}#{anchor}"


def test_tables_name_commands_with_the_options_that_they_need() -> None:
    """In the tables of what to do and in the alerts a command is typed as it stands there."""
    manual = (ROOT / "doc" / "man" / "recaudoctl.1").read_text()
    needed = dict(re.findall(r"^\.It Ic ([a-z -]+?) Fl -([a-z-]+) Ar ", manual, re.MULTILINE))
    assert needed["purge"] == "older-than" and needed["audit resume"] == "reason"
    texts = [line for name in ("operations.md", "monitoring.md") for line in (ROOT / "doc" / name).read_text().splitlines() if line.startswith("|")]
    texts += re.findall(r"^ *description: .*", (ROOT / "monitoring" / "recaudo.rules.yml").read_text(), re.MULTILINE)
    for command, option in needed.items():
        for text in texts:
            assert not re.search(rf"recaudoctl {command}(?! --{option}\b)(?![\w-])", text), text
