"""Blocks of configuration in the documents: the fenced text below <!-- NAME -->."""

import re
from textwrap import dedent

from .paths import ROOT


def block(page: str, name: str) -> str:
    """The one block of doc/PAGE below <!-- NAME -->; in a list both are indented."""
    ((_, found),) = re.findall(rf"^( *)<!-- {re.escape(name)} -->\n\1```\w*\n(.*?)^\1```$", (ROOT / "doc" / page).read_text(), re.DOTALL | re.MULTILINE)
    return dedent(found)


def server_options(text: str) -> list[str]:
    """A file of MariaDB's settings, as options of its command line."""
    lines = [line for line in text.splitlines() if line and line[0] not in "[#"]
    return ["--" + re.sub(r" *= *", "=", line, count=1) for line in lines]


def changed(text: str, *pairs: tuple[str, str]) -> str:
    """`text` with other addresses: each of the first texts must be there."""
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text
