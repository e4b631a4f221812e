"""A user who fills in the forms of the pages that change something."""

import base64
import hashlib
import hmac
import html
import re
import time
import urllib.parse
from typing import Any

from tests.stack.client import Client, Reply

from world import World, login

HIDDEN = re.compile(r'<input type="hidden" name="(token|seen)" value="([^"]*)">')
TOKEN_LIFE = 4 * 3600  # seconds
REASON = "asked for by telephone"


def shown(world: World, path: str, user: str) -> dict[str, str]:
    """What the form of the page has in hidden fields."""
    reply = world.get(path, user)
    assert reply.status == 200, (path, user, reply.status)
    return {name: html.unescape(value) for name, value in HIDDEN.findall(reply.text)}


def valid_token(world: World, user: str, path: str, steps: int = 0) -> str:
    """What the console would write into a form of that path, which it may never show to this user."""
    key = str(world.stack.mariadb.query("SELECT HEX(form_key) AS k FROM console_keys")[0]["k"])
    signed = f"{user}.{int(time.time()) // TOKEN_LIFE + steps}.{path}"
    return "v1," + base64.b64encode(hmac.new(key.encode(), signed.encode(), hashlib.sha256).digest()).decode()


def send(world: World, path: str, user: str, fields: dict[str, str], **headers: str) -> Reply:
    """Sends the fields as a browser does from a page of the console; `headers` replace or, when empty, remove its own."""
    sent = {"Authorization": login(user), "Content-Type": "application/x-www-form-urlencoded",
            "Origin": world.stack.console.base_url, "Sec-Fetch-Site": "same-origin",
            **{name.replace("_", "-"): value for name, value in headers.items()}}
    with Client(world.stack.console.base_url) as client:
        return client.request("POST", path, urllib.parse.urlencode(fields), {name: value for name, value in sent.items() if value})


def change(world: World, path: str, user: str, reason: str = REASON) -> tuple[dict[str, str], Reply]:
    """Opens the page and sends its form: the fields sent, and the reply."""
    fields = {**shown(world, path, user), "reason": reason}
    return fields, send(world, path, user, fields)


def events(world: World) -> int:
    """What the console has written; others write meanwhile."""
    return world.number("SELECT COUNT(*) AS n FROM events WHERE db_account LIKE 'recaudo\\_console@%%'")


def last_event(world: World, subject: str, number: int, what: str) -> dict[str, Any]:
    return dict(world.stack.mariadb.query("SELECT * FROM events WHERE subject = %s AND subject_id = %s AND what = %s"
                                          " ORDER BY id DESC LIMIT 1", subject, number, what)[0])
