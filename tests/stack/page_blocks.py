"""Blocks of configuration in the documents: the fenced text below <!-- NAME -->."""

import re

from .paths import ROOT


def block(page: str, name: str) -> str:
    """The one block of doc/PAGE below <!-- NAME -->."""
    (found,) = re.findall(rf"^<!-- {re.escape(name)} -->\n```\w*\n(.*?)^```$", (ROOT / "doc" / page).read_text(), re.DOTALL | re.MULTILINE)
    return str(found)


def changed(text: str, *pairs: tuple[str, str]) -> str:
    """`text` with other addresses: each of the first texts must be there."""
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text
