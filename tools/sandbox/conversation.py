"""Requests of a network to a running instance, each shown with its reply."""

import json
import sys
import time
from datetime import datetime, timezone
from typing import Any, Mapping

from tests.stack.client import Network, Reply

SHOWN_PATH, SHOWN_VALUE = 100, 40


def ask(network: Network, method: str, path: str, fields: Mapping[str, str] | None = None) -> Reply:
    """Sends a request, with `fields` as its JSON body, and shows both sides."""
    show(f"{method} {shortened(path, SHOWN_PATH)}")
    if fields is None:
        reply = network.request(method, path)
    else:
        show(json.dumps({name: shortened(value, SHOWN_VALUE) for name, value in fields.items()}, ensure_ascii=False))
        reply = network.send_json(method, path, fields)
    show(f"<- HTTP {reply.status} {reply.text.strip()}")
    return reply


def exact(reply: Reply) -> dict[str, Any]:
    """DATA with its numbers as the texts they were sent as: money is no floating-point number."""
    data = json.loads(reply.text, parse_float=str, parse_int=str)["DATA"]
    return data if isinstance(data, dict) else {}


def count_down(held_until: str) -> None:
    """Waits for the end of the cancellation window: a second at a time in a terminal, five elsewhere."""
    end = instant(held_until)
    terminal = sys.stdout.isatty()
    while (left := (end - now()).total_seconds()) > 0:
        print(f"   {left:4.0f} s", end="  \r" if terminal else "\n", flush=True)
        time.sleep(min(left, 1.0 if terminal else 5.0))
    show("closed")


def now() -> datetime:
    return datetime.now(timezone.utc)


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def shortened(text: str, width: int) -> str:
    """Digests take too much room."""
    return text if len(text) <= width else f"{text[:width - 12]}...{text[-8:]}"


def show(text: str) -> None:
    print(f"   {text}", flush=True)


def show_parts(document: Mapping[str, Any], *names: str) -> None:
    show(json.dumps({name: document[name] for name in names}, ensure_ascii=False))
