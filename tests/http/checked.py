"""Clients that look at every reply: whatever happens, it has the form that the protocol promises."""

import http.client
import io
import json
import re
from decimal import Decimal
from typing import Any, Mapping, cast
from urllib.parse import unquote

from tests.stack import Client, Network, Reply
from tests.stack.client import Merchant
from tests.stack.contract import judge_reply

# A CODE of ours always comes with the same HTTP status. What the web server answers by itself has several for one CODE.
STATUSES = {"0009": {500}, "0028": {502, 503, 504}, "0140": {400, 411, 414, 417, 431, 501, 505}, "0141": {404}, "0142": {405},
            "0143": {415}, "0144": {413}, "0145": {429}}
PORDERS = re.compile(r"/(v1|api/v3)/(porders|wporders|wpkeys)")
DIGEST = re.compile(r"\b(?:[0-9A-Fa-f]{128}|[0-9A-Fa-f]{64})\b")

# Every digest that was sent and every FIXED_HASH that was used, for the test that looks for them in the logs.
secrets_used: set[str] = set()


def check_form(reply: Reply) -> Reply:
    """Holds for every reply to every request, by whomever it is answered."""
    body = reply.json
    code, text = body["CODE"], body["TEXT"]
    assert isinstance(code, str) and re.fullmatch(r"[0-9]{4}", code), reply.text
    assert isinstance(text, str) and (text == "OK") == (code == "0000"), reply.text
    assert set(body) <= {"CODE", "TEXT", "DESC", "DATA"} and body.get("DESC", text) == text, reply.text
    assert "DATA" not in body or code == "0000", reply.text
    assert reply.status in STATUSES.get(code, {200}), (reply.status, reply.text)
    check_headers(reply, code)
    return reply


def check_headers(reply: Reply, code: str) -> None:
    headers = reply.headers
    assert headers.get_all("Content-Type") == ["application/json"]
    assert headers.get_all("X-Recaudo-Code") == [code]
    # Apache has none for what is not HTTP at all.
    assert re.fullmatch(r"[0-9a-f]{32}|[0-9A-Za-z_@-]{27}", headers["X-Request-Id"] or "") or reply.status in (400, 414, 417)
    assert "Vary" not in headers and headers.get_all("Cache-Control") == ["no-store"]
    assert ("Allow" in headers) == (reply.status == 405)
    assert ("Retry-After" in headers) == (reply.status in (429, 502, 503, 504))


def reply_in(answer: bytes) -> Reply:
    """The first reply in what raw_request has brought, its form checked."""
    class Received:
        def makefile(self, *_: object) -> io.BytesIO:
            return io.BytesIO(answer)

    response = http.client.HTTPResponse(cast(Any, Received()))
    response.begin()
    return check_form(Reply(response.status, response.msg, response.read().decode()))


def expect(reply: Reply, code: str, *words: str) -> Reply:
    """The reply has this CODE, and `words` are in its TEXT."""
    assert reply.code == code, f"CODE {code} expected: {reply.text}"
    for word in words:
        assert word in reply.json["TEXT"], f"{word!r} expected in TEXT: {reply.text}"
    return reply


def expect_bad_path(reply: Reply) -> None:
    """Refused as no address at all; Apache answers some of these itself, as one where nothing is."""
    if reply.headers["Server"] == "Apache" and reply.status == 404:
        expect(reply, "0141")
    else:
        assert expect(reply, "0140").status == 400


def exact(reply: Reply) -> Any:
    """The body with its numbers as they were printed."""
    return json.loads(reply.text, parse_float=Decimal)


def amount_text(reply: Reply) -> str:
    """AMOUNT as it stands in the body."""
    match = re.search(r'"AMOUNT":([^,}]*)[,}]', reply.text)
    assert match is not None, reply.text
    return match[1]


class CheckedClient(Client):
    def request(self, method: str, path: str, body: bytes | str | None = None,
                headers: Mapping[str, str] | None = None) -> Reply:
        sent = body.decode(errors="replace") if isinstance(body, bytes) else body or ""
        secrets_used.update(DIGEST.findall(path + sent))
        reply = super().request(method, path, body, headers)
        if method == "HEAD":
            return reply
        check_form(reply)
        judge_reply(method, path, reply.status, reply.headers["Content-Type"], reply.text)
        assert ("DESC" in reply.json) == bool(PORDERS.match(unquote(path))), (path, reply.text)
        return reply


class CheckedNetwork(CheckedClient, Network):
    """A network whose replies are all looked at."""

    def __init__(self, base_url: str, name: str, fixed_hash: str, timeout: float = 30.0) -> None:
        super().__init__(base_url, name, fixed_hash, timeout)
        secrets_used.add(fixed_hash)

    def post(self, fields: Any) -> Reply:
        return self.send_json("POST", "/v1/transactions/", fields)

    def patch(self, fields: Any) -> Reply:
        return self.send_json("PATCH", "/v1/transactions/", fields)


class CheckedMerchant(CheckedClient, Merchant):
    """A merchant whose replies are all looked at."""

    def __init__(self, base_url: str, name: str, fixed_hash: str, timeout: float = 30.0,
                 base: str = "/v1/porders") -> None:
        super().__init__(base_url, name, fixed_hash, timeout, base)
        secrets_used.add(fixed_hash)

    def post(self, fields: Any) -> Reply:
        return self.send_json("POST", self.base, fields)

    def patch(self, fields: Any) -> Reply:
        return self.send_json("PATCH", self.base, fields)
