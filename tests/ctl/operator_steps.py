"""What an operator does and sees."""

import json
import re
import time
from itertools import count
from typing import Any

from tests.stack import Ctl

NETWORK = "red-uno"
MERCHANT = "tienda"
COMMERCE = "Tienda Única"
DAY = 86400
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
NUMBERS = count(1)


def fresh(prefix: str = "x") -> str:
    """A name that nothing else has."""
    return f"{prefix}-{next(NUMBERS)}"


def fresh_number() -> str:
    return str(7_000_000_000 + next(NUMBERS))


def tomorrow() -> str:
    return str(int(time.time()) + DAY)


def order_words(**changed: str | None) -> list[str]:
    """`order add` with options that do; `changed` replaces them, and takes out those that are None."""
    options: dict[str, str | None] = {"merchant": MERCHANT, "order": fresh("po"), "amount": "45000.00",
                                      "currency": "COP", "due": tomorrow(), **changed}
    words = ["order", "add"]
    for name, value in options.items():
        if value is not None:
            words += [f"--{name.replace('_', '-')}", value]
    return words


def add_order(ctl: Ctl, **changed: str | None) -> Any:
    return ctl.json(*order_words(**changed))


def ends(ctl: Ctl, status: int, *words: str, stdin: str = "") -> str:
    """Runs it with --json and without: both end with `status` and give the same reason, which is returned."""
    plain, scripted = ctl.run(*words, stdin=stdin), ctl.run("--json", *words, stdin=stdin)
    assert (plain.returncode, scripted.returncode) == (status, status), (plain.stderr, scripted.stdout)
    assert plain.stdout == ""
    reason = json.loads(scripted.stdout)
    assert list(reason) == ["error"]
    assert f"recaudoctl: {reason['error']}\n" in plain.stderr and f"recaudoctl: {reason['error']}\n" in scripted.stderr
    return str(reason["error"])


def refused(ctl: Ctl, *words: str, stdin: str = "") -> str:
    return ends(ctl, 1, *words, stdin=stdin)


def misused(ctl: Ctl, *words: str) -> str:
    assert "usage: recaudoctl" in ctl.run(*words).stderr
    return ends(ctl, 2, *words)


def instants(record: Any) -> list[str]:
    """Every text below a key that ends in `at` or `until`."""
    if isinstance(record, list):
        return [text for part in record for text in instants(part)]
    if not isinstance(record, dict):
        return []
    found = [value for key, value in record.items()
             if value is not None and (key == "at" or key.endswith(("_at", "_until")))]
    return found + [text for value in record.values() for text in instants(value)]
