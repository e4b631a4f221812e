"""Integrations, the currencies' digits, and what becomes of a query."""

import json
from itertools import count
from typing import Any

import pytest

from tests.stack import Ctl, wait_until
from tests.stack.external_answers import answer, request_checksum
from tests.stack.dispatch_rig import DispatchRig, Merchant
from tests.stack.merchant_stub import Behaviour, MerchantStub, closes, hold, says
from tests.stack.page_blocks import block
from tests.stack.process import free_port

from operator_steps import add_order, fresh, fresh_number, misused, order_words, refused

URL = "https://merchant.example/query"
CODES = count(6000)  # the orders of DispatchRig begin with 1
KEYS = ["id", "merchant", "kind", "code", "network", "endpoint", "currency", "created_at", "removed_at", "changed_by"]


@pytest.fixture(scope="module")
def ctl(shared_rig: DispatchRig) -> Ctl:
    return shared_rig.stack.ctl


@pytest.fixture(scope="module")
def merchant(ctl: Ctl) -> str:
    ctl.done("merchant", "add", "asked")
    return "asked"


@pytest.fixture(scope="module")
def network(ctl: Ctl) -> str:
    ctl.done("network", "add", "asking")
    return "asking"


def code() -> str:
    return str(next(CODES))


def add_words(merchant: str, /, **changed: str | None) -> list[str]:
    options = {"merchant": merchant, "kind": "2", "code": code(), "endpoint": URL, **changed}
    words = ["integration", "add"]
    for name, value in options.items():
        words += [] if value is None else [f"--{name}={value}"]
    return words


def test_add_show_list_remove(ctl: Ctl, merchant: str) -> None:
    added = ctl.json(*add_words(merchant))
    assert list(added) == [*KEYS, "events"]
    assert (added["merchant"], added["kind"], added["network"], added["endpoint"], added["currency"],
            added["removed_at"]) == (merchant, 2, None, URL, "COP", None)
    number = str(added["id"])
    assert ctl.json("integration", "show", number) == added
    assert {key: added[key] for key in KEYS} in ctl.json("integration", "list", "--merchant", merchant)

    removed = ctl.json("integration", "remove", number)
    assert removed["removed_at"] is not None
    assert [(event["what"], event["to"]) for event in removed["events"]] == [("created", "in force"),
                                                                              ("state", "removed")]
    assert all(event["actor"].startswith("operator:") for event in removed["events"])
    listed = {one["id"] for one in ctl.json("integration", "list")}
    with_removed = {one["id"] for one in ctl.json("integration", "list", "--removed")}
    assert added["id"] not in listed and added["id"] in with_removed
    assert refused(ctl, "integration", "remove", number) == f"integration {number} has already been removed"
    again = ctl.json(*add_words(merchant, code=added["code"]))
    assert again["id"] != added["id"]


def test_says_when_the_workers_know_it(ctl: Ctl, merchant: str) -> None:
    added = ctl.run("--json", *add_words(merchant))
    number = json.loads(added.stdout)["id"]
    assert f"the workers know it within 5 seconds; try it with: recaudoctl integration test {number}" in added.stderr


def test_another_endpoint(rig: DispatchRig, stub: MerchantStub, network: str) -> None:
    ctl = rig.stack.ctl
    merchant, number, reference = ask(rig, stub, closes)
    other_url = stub.on("moved", says(json.dumps(answer(merchant.fixed_hash, "po-moved")).encode()))
    before = ctl.json("integration", "show", number)
    moved = ctl.run("--json", "integration", "set", number, "--endpoint", other_url)
    assert moved.returncode == 0 and "the workers know it within 5 seconds" in moved.stderr
    after = json.loads(moved.stdout)
    assert {key for key in KEYS if after[key] != before[key]} == {"endpoint"} and after["endpoint"] == other_url
    (change,) = [json.loads(event["changes"]) for event in after["events"] if event["what"] == "changed"]
    assert change == {"endpoint": [before["endpoint"], other_url]}
    run_test(rig, number, reference, 0, "--network", network)
    assert [request.path for request in stub.requests] == ["/moved"]

    same = ctl.run("--json", "integration", "set", number, "--endpoint", other_url)
    assert same.returncode == 0 and "the integration has these settings already; nothing was changed" in same.stderr
    assert json.loads(same.stdout) == after


@pytest.mark.parametrize("option, complaint", [
    ("--endpoint=ftp://merchant.example/", "endpoint: must begin with https:// or http://"),
    ("--endpoint=http://merchant.example:99999/", "endpoint: is not an address that queries can be sent to"),
    ("--currency=XXX", "currency: there is no currency XXX"),
    ("--currency=CRC", "currency: CRC has no one-digit code for queries: recaudoctl currency set CRC"),
])
def test_what_cannot_be_set(ctl: Ctl, merchant: str, option: str, complaint: str) -> None:
    added = ctl.json(*add_words(merchant))
    number = str(added["id"])
    assert refused(ctl, "integration", "set", number, option).startswith(complaint)
    assert misused(ctl, "integration", "set", number) == "nothing to set was given"
    assert ctl.json("integration", "show", number) == added
    ctl.done("integration", "remove", number)
    assert refused(ctl, "integration", "set", number, f"--endpoint={URL}") == (
        f"integration {number} has already been removed")


def test_agreement(ctl: Ctl, merchant: str, network: str) -> None:
    one = code()
    assert ctl.json(*add_words(merchant, kind="1", code=one, network=network))["network"] == network
    assert ctl.json(*add_words(merchant, kind="2", code=one))["network"] is None
    assert refused(ctl, *add_words(merchant, kind="1", code=one, network=network)).startswith(
        f"code: {one} is taken by another agreement")
    assert refused(ctl, *add_words(merchant, code=one)).startswith(f"code: {one} is taken by another prefix")


@pytest.mark.parametrize("changed, complaint", [
    ({"merchant": "nobody"}, "there is no merchant nobody"),
    ({"kind": "1"}, "network: an agreement code (kind 1) belongs to one network"),
    ({"kind": "1", "network": "nobody"}, "there is no network nobody"),
    ({"network": "asking"}, "network: a prefix (kind 2) is for all networks"),
    ({"code": "12x"}, "code: must be digits"),
    ({"code": "1" * 16}, "code: no reference can begin with it: a prefix"),
    ({"kind": "1", "network": "asking", "code": "1" * 17}, "code: no reference can begin with it: an agreement code"),
    ({"endpoint": "ftp://merchant.example/"}, "endpoint: must begin with https:// or http://"),
    ({"endpoint": "http://user@merchant.example/"}, "endpoint: must name a host, and no user"),
    ({"endpoint": "http://merchant.example:99999/"}, "endpoint: is not an address that queries can be sent to"),
    ({"currency": "XXX"}, "currency: there is no currency XXX; there are COP, CRC, PEN, USD"),
    ({"currency": "CRC"}, "currency: CRC has no one-digit code for queries: recaudoctl currency set CRC"),
])
def test_what_cannot_be_set_up(ctl: Ctl, merchant: str, network: str, changed: dict[str, str], complaint: str) -> None:
    before = ctl.json("integration", "list", "--removed")
    assert refused(ctl, *add_words(merchant, **changed)).startswith(complaint)
    assert ctl.json("integration", "list", "--removed") == before


@pytest.fixture(scope="module")
def other(ctl: Ctl) -> str:
    ctl.done("merchant", "add", "other")
    return "other"


@pytest.mark.parametrize("kind", ["1", "2"])
@pytest.mark.parametrize("prefix, code", [("771", "771"), ("772", "7721"), ("7731", "773")])
def test_prefix_of_another_merchant(ctl: Ctl, merchant: str, network: str, other: str, kind: str, prefix: str,
                                    code: str) -> None:
    """Whichever comes first: the other is refused while it is there."""
    words = add_words(merchant, kind=kind, code=code, network=network if kind == "1" else None)
    integrations, prefixes = ctl.json("integration", "list", "--removed"), ctl.json("reference", "list")
    given = ctl.json("reference", "give", prefix, "--merchant", other)
    assert refused(ctl, *words) == (
        f"code: references with the prefix {prefix} belong to {other}: take it away first (recaudoctl reference take)")
    assert ctl.json("integration", "list", "--removed") == integrations and ctl.json("reference", "list") == given
    ctl.done("reference", "take", prefix)

    number = ctl.json(*words)["id"]
    assert refused(ctl, "reference", "give", prefix, "--merchant", other) == (
        f"prefix: integration {number} (code {code}) lets {merchant} answer for such references: remove it first")
    assert ctl.json("reference", "list") == prefixes
    ctl.done("integration", "remove", str(number))
    ctl.done("reference", "give", prefix, "--merchant", other)
    ctl.done("reference", "take", prefix)


@pytest.mark.parametrize("first, second", [("2", "2"), ("1", "2"), ("2", "1"), ("1", "1")])
@pytest.mark.parametrize("taken, wanted", [("7761", "7761"), ("7761", "776"), ("776", "77612")])
def test_code_of_another_merchant(ctl: Ctl, merchant: str, network: str, other: str, first: str, second: str,
                                  taken: str, wanted: str) -> None:
    """The longer code would take over what the shorter one answers for, whatever their kinds."""
    networks = {"1": network, "2": None}
    number = ctl.json(*add_words(other, kind=first, code=taken, network=networks[first]))["id"]
    words = add_words(merchant, kind=second, code=wanted, network=networks[second])
    integrations = ctl.json("integration", "list", "--removed")
    assert refused(ctl, *words) == (
        f"code: integration {number} (code {taken}) lets {other} answer for such references: remove it first")
    assert ctl.json("integration", "list", "--removed") == integrations
    own = ctl.json(*add_words(other, kind=second, code=wanted + "9", network=networks[second]))["id"]
    for integration in (number, own):
        ctl.done("integration", "remove", str(integration))
    ctl.done("integration", "remove", str(ctl.json(*words)["id"]))


@pytest.mark.parametrize("state", ["PENDIENTE", "APROBADA", "ANULADA"])
@pytest.mark.parametrize("kind", ["1", "2"])
def test_reference_of_an_order_of_another_merchant(rig: DispatchRig, network: str, kind: str, state: str) -> None:
    """It is refused as long as the reference is the other one's, whatever became of the order."""
    ctl, owner, taker = rig.stack.ctl, rig.merchant(None), rig.merchant(None)
    order, = rig.orders(owner, 1, state=state)
    reference = rig.value("SELECT reference FROM orders WHERE id = %s", order)
    words = {"kind": kind, "code": reference[:-1], "network": network if kind == "1" else None}
    assert refused(ctl, *add_words(taker.name, **words)) == (
        f"code: reference {reference}, which begins with it, is still that of an order of {owner.name}"
        f" (recaudoctl reference show {reference})")
    ctl.done("integration", "remove", str(ctl.json(*add_words(owner.name, **words))["id"]))
    if state != "PENDIENTE":
        ctl.done("reference", "keep", "0", "--merchant", owner.name)
        ctl.done(*add_words(taker.name, **words))


def test_reference_too_short_for_a_prefix(rig: DispatchRig) -> None:
    """References of fewer than 9 digits are never asked of it."""
    owner, taker = rig.merchant(None), rig.merchant(None)
    order, = rig.orders(owner, 1, state="PENDIENTE")
    prefix = code()
    rig.write("UPDATE orders SET reference = %s WHERE id = %s", f"{prefix}0001", order)
    rig.stack.ctl.done(*add_words(taker.name, code=prefix))


def test_prefix_of_the_merchant_itself(ctl: Ctl, merchant: str, other: str) -> None:
    ctl.done("reference", "give", "774", "--merchant", merchant)
    number = ctl.json(*add_words(merchant, code="7741"))["id"]
    ctl.done("reference", "give", "77412", "--merchant", merchant)
    ctl.done(*add_words(other, code="775"))
    for prefix in ("774", "77412"):
        ctl.done("reference", "take", prefix)
    ctl.done("integration", "remove", str(number))


def test_longest_codes(ctl: Ctl, merchant: str, network: str) -> None:
    assert ctl.json(*add_words(merchant, code="9" * 15))["code"] == "9" * 15
    assert ctl.json(*add_words(merchant, kind="1", network=network, code="9" * 16))["code"] == "9" * 16


def test_kind_that_is_none(ctl: Ctl, merchant: str) -> None:
    assert misused(ctl, *add_words(merchant, kind="3")).startswith("--kind is 1")
    assert misused(ctl, *add_words(merchant, code=None)) == "--code is missing: --code DIGITS"


def test_another_currency(ctl: Ctl, shared_rig: DispatchRig, merchant: str) -> None:
    """Added as operations.md says."""
    shared_rig.write(block("operations.md", "currency"))
    assert "MXN" in [row["code"] for row in ctl.json("currency", "list")]
    assert add_order(ctl, merchant=merchant, currency="MXN", amount="10.50")["amount"] == "10.50"
    assert ctl.json("currency", "set", "MXN", "--query-code", "9")["query_code"] == "9"


def test_a_currency_that_is_not_known(ctl: Ctl, shared_rig: DispatchRig, merchant: str) -> None:
    """An order in it could never be paid."""
    shared_rig.write("INSERT IGNORE INTO currencies (code, name) VALUES ('ZZY', 'none')")
    assert "ZZY" not in [row["code"] for row in ctl.json("currency", "list")]
    assert "currency: must be one of " in refused(ctl, *order_words(merchant=merchant, currency="ZZY"))
    assert refused(ctl, "currency", "set", "ZZY", "--query-code", "8").startswith("currency: there is no currency ZZY; ")
    shared_rig.write("UPDATE currencies SET query_code = 8 WHERE code = 'ZZY'")
    assert refused(ctl, "currency", "set", "CRC", "--query-code", "8") == "query-code: ZZY has 8"
    shared_rig.write("UPDATE currencies SET query_code = NULL WHERE code = 'ZZY'")
    (found,) = [row for row in json.loads(ctl.run("--json", "config", "check").stdout) if row["what"] == "currencies"]
    assert found["finding"] == "warning" and found["detail"].startswith("ZZY: "), found


def test_what_was_set_in_a_currency_that_is_not_known_any_more(ctl: Ctl, shared_rig: DispatchRig, merchant: str, network: str) -> None:
    """By an earlier release, or by hand: it is shown, and can be taken away."""
    shared_rig.write("INSERT IGNORE INTO currencies (code, name) VALUES ('ZZY', 'none')")
    number = shared_rig.value("SELECT id FROM networks WHERE name = %s", network)
    shared_rig.rows("SELECT network_limit_begin(%s, 'ZZY')", number)
    shared_rig.rows("SELECT network_limit_set_now(%s, 'ZZY', 500, 1000, 'test')", number)
    limits = [(limit["currency"], limit["day_limit"]) for limit in ctl.json("network", "show", network)["money_limits"]]
    assert ("ZZY", "500.0000") in limits
    said = refused(ctl, "network", "limit", network, "ZZY", "--day", "400")
    assert said == "day: there is no currency ZZY any more; its limits can only be taken away: the word none"
    left = ctl.json("network", "limit", network, "ZZY", "--day", "none")["money_limits"]
    assert [(limit["day_limit"], limit["outstanding_limit"]) for limit in left if limit["currency"] == "ZZY"] == [(None, "1000.0000")]
    left = ctl.json("network", "limit", network, "ZZY", "--outstanding", "none")["money_limits"]
    assert "ZZY" not in [limit["currency"] for limit in left]
    assert refused(ctl, "network", "limit", network, "ZZY", "--day", "none").startswith("currency: there is no currency ZZY; ")
    added = ctl.json(*add_words(merchant))["id"]
    shared_rig.write("UPDATE integrations SET currency = 'ZZY', changed_by = 'test' WHERE id = %s", added)
    assert ctl.json("integration", "show", str(added))["currency"] == "ZZY"
    assert ctl.json("integration", "remove", str(added))["removed_at"] is not None


@pytest.mark.parametrize("verb", ["show", "remove", "test"])
@pytest.mark.parametrize("word", ["999999", "x", ""])
def test_integrations_that_are_not_there(ctl: Ctl, verb: str, word: str) -> None:
    words = ["--reference", "123456789"] if verb == "test" else []
    assert refused(ctl, "integration", verb, word, *words).startswith(f"there is no integration {word} ")


def test_currency(ctl: Ctl, merchant: str) -> None:
    codes = {row["code"]: row["query_code"] for row in ctl.json("currency", "list")}
    assert codes["COP"] == "1" and codes["USD"] is None
    assert refused(ctl, "currency", "set", "USD", "--query-code", "1") == "query-code: COP has 1"
    set_to = ctl.json("currency", "set", "USD", "--query-code", "7")
    assert set_to["query_code"] == "7" and set_to["changed_by"].startswith("operator:")
    assert ctl.json("currency", "set", "USD", "--query-code", "7") == set_to
    added = ctl.json(*add_words(merchant, currency="USD"))
    assert added["currency"] == "USD"
    pesos = ctl.json("integration", "set", str(added["id"]), "--currency", "COP")
    assert (pesos["currency"], pesos["endpoint"]) == ("COP", URL)
    assert refused(ctl, "currency", "set", "XXX", "--query-code", "2").startswith("currency: there is no currency XXX")
    for word in ("10", "x", "-1"):
        assert misused(ctl, "currency", "set", "USD", f"--query-code={word}") == "--query-code is one digit"


# integration test

Asked = tuple[Merchant, str, str]


def ask(rig: DispatchRig, stub: MerchantStub, behaviour: Behaviour, *options: str) -> Asked:
    """A merchant with this behaviour; its integration, and a reference that fits."""
    merchant = rig.merchant(None, *options)
    prefix = code()
    added = rig.stack.ctl.json(*add_words(merchant.name, code=prefix, endpoint=stub.on("query", behaviour),
                                               currency="COP"))
    return merchant, str(added["id"]), f"{prefix}000001"


def run_test(rig: DispatchRig, number: str, reference: str, status: int = 0, *options: str,
             settings: Any = None) -> Any:
    ctl = Ctl(rig.config(settings)) if settings else rig.stack.ctl
    result = ctl.run("--json", "integration", "test", number, "--reference", reference, *options)
    assert result.returncode == status, result.stderr
    return json.loads(result.stdout)


def broken(shown: Any) -> list[tuple[str, str]]:
    rules = shown.get("broken_rules", shown.get("rules"))
    return [(rule["field"], rule["rule"]) for rule in rules if rule["result"] == "broken"]


def with_answer(rig: DispatchRig, stub: MerchantStub, *options: str, order: str = "po-1", **fields: Any) -> Asked:
    """The merchant answers what `fields` say."""
    merchant, number, reference = ask(rig, stub, closes, *options)
    stub.on("query", says(json.dumps(answer(merchant.fixed_hash, order, **fields)).encode()))
    return merchant, number, reference


def test_valid_answer(rig: DispatchRig, stub: MerchantStub, network: str) -> None:
    merchant, number, reference = with_answer(rig, stub, amount="0", min="10", max="2000")
    counts = "SELECT (SELECT COUNT(*) FROM orders) + (SELECT COUNT(*) FROM external_queries)"
    before = rig.value(counts)
    shown = run_test(rig, number, reference, 0, "--all", "--network", network)
    (request,) = stub.requests
    message = request.message
    assert list(message) == ["reference", "netname", "currency", "timestamp_start", "checksum"]
    assert (message["reference"], message["netname"], message["currency"]) == (reference, network, 1)
    assert abs(message["timestamp_start"] - request.at) < 60
    assert message["checksum"] == request_checksum(message, merchant.fixed_hash)
    assert list(shown) == ["request", "address", "http_status", "duration_ms", "answer", "outcome", "field", "problem",
                           "order", "rules"]
    assert shown["request"]["body"].encode() == request.body
    assert json.loads(shown["answer"])["DATA"]["order"] == "po-1"
    assert (shown["outcome"], shown["address"], shown["http_status"]) == ("answered", "127.0.0.1", 200)
    assert {key: shown["order"][key] for key in ("order", "amount", "min", "max", "currency")} == {
        "order": "po-1", "amount": "0.00", "min": "10.00", "max": "2000.00", "currency": "COP"}
    assert broken(shown) == []
    passed = {(rule["field"], rule["rule"]) for rule in shown["rules"] if rule["result"] == "passed"}
    assert {("HTTP status", "is 200"), ("order", "matches ^[a-zA-Z0-9_-]{1,200}$"),
            ("timestamp_end", "is in the future"), ("min", "is not greater than max")} <= passed
    assert rig.value(counts) == before


@pytest.mark.parametrize("fields, rules", [
    ({"order": "a.b"}, [("order", "matches ^[a-zA-Z0-9_-]{1,200}$")]),
    ({"description": "a.b", "email": "x"}, [("description", "matches ^[\\w -]+$, with the letters of every alphabet"),
                                            ("email", "is an e-mail address")]),
    ({"description": "ñ" * 41}, [("description", "has at most 40 characters")]),
    ({"min": "1"}, [("max", "is sent when min is")]),
    ({"min": "3", "max": "2"}, [("min", "is not greater than max")]),
    ({"amount": "0", "min": "0", "max": "0"}, [("max", "is more than 0 when amount is 0")]),
    ({"amount": "1.001"}, [("amount", "has no more decimals than its currency")]),
])
def test_broken_rules(rig: DispatchRig, stub: MerchantStub, network: str, fields: dict[str, str],
                      rules: list[tuple[str, str]]) -> None:
    if "min" in fields and "max" not in fields:
        fields = {**fields, "checksum": "0" * 128}  # right in no way: no second finding
    _, number, reference = with_answer(rig, stub, **fields)
    shown = run_test(rig, number, reference, 1)
    assert broken(shown) == rules
    assert (shown["outcome"], shown["field"], shown["order"]) == ("invalid", rules[0][0], None)


def test_what_was_not_sent_is_not_seen(rig: DispatchRig, stub: MerchantStub, network: str) -> None:
    """An answer without limits passes no rule about limits."""
    _, number, reference = with_answer(rig, stub)
    rules = run_test(rig, number, reference, 0, "--all")["rules"]
    assert {rule["result"] for rule in rules if rule["field"] in ("min", "max")} == {"not seen"}
    assert {rule["result"] for rule in rules if rule["field"] == "checksum"} == {"passed"}


def test_wrong_checksum(rig: DispatchRig, stub: MerchantStub, network: str) -> None:
    _, number, reference = with_answer(rig, stub, checksum="0" * 128)
    shown = run_test(rig, number, reference, 1)
    assert [field for field, _ in broken(shown)] == ["checksum"]
    assert (shown["outcome"], shown["field"], shown["problem"]) == ("invalid", "checksum", "is not valid")


def test_merchant_of_ecuador(rig: DispatchRig, stub: MerchantStub, network: str) -> None:
    _, number, reference = with_answer(rig, stub, "--country", "345")
    assert broken(run_test(rig, number, reference, 1)) == [
        ("user_di", "is sent"), ("user_type_di", "is sent"), ("user_name", "is sent")]


def test_end_in_the_past(rig: DispatchRig, stub: MerchantStub, network: str) -> None:
    _, number, reference = with_answer(rig, stub, due_in=-5)
    shown = run_test(rig, number, reference, 1)
    assert (shown["outcome"], broken(shown)) == ("expired", [("timestamp_end", "is in the future")])


@pytest.mark.parametrize("behaviour, outcome, field", [
    (says('{"CODE":"0044","TEXT":"unknown"}'), "refused", None),
    (says("OK"), "invalid", "the body"),
    (says('{"CODE":"0000","CODE":"0000","TEXT":"OK"}'), "invalid", "the body"),
    (says("{}", status=500), "silent", "HTTP status"),
    (says("{}", status=404), "invalid", "HTTP status"),
    (says("", status=302, Location="http://127.0.0.1:1/"), "invalid", "HTTP status"),
    (says(" " * 70_000 + "{}"), "invalid", "the body"),
    (closes, "silent", "the answer"),
])
def test_what_is_no_valid_answer(rig: DispatchRig, stub: MerchantStub, network: str, behaviour: Behaviour,
                                 outcome: str, field: str | None) -> None:
    _, number, reference = ask(rig, stub, behaviour)
    shown = run_test(rig, number, reference, 1)
    assert (shown["outcome"], [about for about, _ in broken(shown)]) == (outcome, [field] if field else [])
    assert (shown["problem"] == CLOSED) == (behaviour is closes)


def test_merchant_that_is_down(rig: DispatchRig, network: str) -> None:
    """The cause is named as it is, not as a time-out."""
    prefix = code()
    added = rig.stack.ctl.json(*add_words(rig.merchant(None).name, code=prefix, currency="COP",
                                          endpoint=f"http://127.0.0.1:{free_port()}/query"))
    said = rig.stack.ctl.run("integration", "test", str(added["id"]), "--reference", f"{prefix}000001")
    assert said.returncode == 1 and said.stderr.startswith("recaudoctl: no connection: a lookup gets 0108, or 0110 while the endpoint rests\n")


def test_merchant_that_does_not_answer(rig: DispatchRig, stub: MerchantStub, network: str) -> None:
    """No whole answer in time; meanwhile no connection to the database is held."""
    _, number, reference = ask(rig, stub, hold)
    settings = {"external_query": {"timeout": "300ms"}}
    shown = run_test(rig, number, reference, 1, settings=settings)
    assert (shown["outcome"], shown["field"]) == ("silent", "timeout") and 290 <= shown["duration_ms"] < 15000
    connections = "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'recaudo_operator'"
    wait_until(lambda: rig.value(connections) == 0, "no connection of the operator to be left")


@pytest.mark.parametrize("state, code", [("APROBADA", "0102"), ("VENCIDA", "0103"), ("CANCELADA", "0104"), ("ANULADA", "0105")])
def test_order_that_has_ended_here(rig: DispatchRig, stub: MerchantStub, network: str, state: str, code: str) -> None:
    """It never opens again, however good the answer is."""
    merchant, number, reference = with_answer(rig, stub)
    assert run_test(rig, number, reference)["outcome"] == "answered"
    order, = rig.orders(merchant, 1, state=state)
    merchants_number = rig.value("SELECT po_id FROM orders WHERE id = %s", order)
    stub.on("query", says(json.dumps(answer(merchant.fixed_hash, merchants_number)).encode()))
    said = rig.stack.ctl.run("integration", "test", number, "--reference", reference)
    assert said.returncode == 1 and said.stderr.startswith(f"recaudoctl: order {merchants_number} ")
    assert f"a lookup gets {code}, whatever is answered; offer another number" in said.stderr


def test_order_that_has_ended_here_replaces_none(rig: DispatchRig, stub: MerchantStub, network: str) -> None:
    merchant, number, reference = with_answer(rig, stub)
    ended, = rig.orders(merchant, 1, state="CANCELADA")
    other, = rig.orders(merchant, 1, state="PENDIENTE", origin="external")
    rig.write("UPDATE orders SET reference = %s WHERE id = %s", reference, other)
    merchants_number = rig.value("SELECT po_id FROM orders WHERE id = %s", ended)
    others_number = rig.value("SELECT po_id FROM orders WHERE id = %s", other)
    stub.on("query", says(json.dumps(answer(merchant.fixed_hash, merchants_number)).encode()))
    assert standing(rig, number, reference) == (
        f"recaudoctl: order {merchants_number} was deleted here: a lookup gets 0104, whatever is answered; offer another number\n"
        f"recaudoctl: order {others_number}, which was offered under this reference before, stays open\n")


def standing(rig: DispatchRig, number: str, reference: str, outcome: str = "answered") -> str:
    """What is said where a lookup would not get the answer."""
    said = rig.stack.ctl.run("integration", "test", number, "--reference", reference)
    assert said.returncode == 1 and outcome in said.stdout
    return said.stderr


def test_number_of_an_own_open_order(rig: DispatchRig, stub: MerchantStub, network: str) -> None:
    """It keeps its reference, which is another one."""
    merchant, number, reference = with_answer(rig, stub)
    order, = rig.orders(merchant, 1, state="PENDIENTE")
    merchants_number = rig.value("SELECT po_id FROM orders WHERE id = %s", order)
    kept = rig.value("SELECT reference FROM orders WHERE id = %s", order)
    stub.on("query", says(json.dumps(answer(merchant.fixed_hash, merchants_number)).encode()))
    assert standing(rig, number, reference) == (
        f"recaudoctl: order {merchants_number} was registered or imported and keeps reference {kept}: a lookup gets 0109;"
        " offer another number\n")


def test_number_of_an_order_in_another_currency(rig: DispatchRig, stub: MerchantStub, network: str) -> None:
    """The integration had that one before. A query has the same words."""
    merchant, number, reference = with_answer(rig, stub)
    order, = rig.orders(merchant, 1, state="PENDIENTE")
    rig.write("UPDATE orders SET origin = 'external', reference = %s WHERE id = %s", reference, order)
    merchants_number = rig.value("SELECT po_id FROM orders WHERE id = %s", order)
    stub.on("query", says(json.dumps(answer(merchant.fixed_hash, merchants_number)).encode()))
    rig.stack.ctl.done("currency", "set", "USD", "--query-code", "7")
    rig.stack.ctl.done("integration", "set", number, "--currency", "USD")
    assert standing(rig, number, reference) == (
        f"recaudoctl: order {merchants_number} is in COP, this integration in USD: a lookup gets 0109; offer another number\n")


def test_number_of_an_order_that_is_held(rig: DispatchRig, stub: MerchantStub, network: str) -> None:
    merchant, number, reference = with_answer(rig, stub)
    order, = rig.confirmed_orders(merchant, 1, rig.value("SELECT UTC_TIMESTAMP(6) + INTERVAL 1 DAY"))
    rig.write("UPDATE orders SET origin = 'external' WHERE id = %s", order)
    merchants_number = rig.value("SELECT po_id FROM orders WHERE id = %s", order)
    stub.on("query", says(json.dumps(answer(merchant.fixed_hash, merchants_number)).encode()))
    assert standing(rig, number, reference) == (
        f"recaudoctl: order {merchants_number} is being confirmed: a lookup gets 0106\n")


def test_reference_of_an_order_that_is_here(rig: DispatchRig, stub: MerchantStub, network: str) -> None:
    """A lookup of it asks nobody."""
    merchant, number, reference = with_answer(rig, stub)
    order, = rig.orders(merchant, 1, state="PENDIENTE")
    rig.write("UPDATE orders SET reference = %s WHERE id = %s", reference, order)
    merchants_number = rig.value("SELECT po_id FROM orders WHERE id = %s", order)
    assert standing(rig, number, reference) == (
        f"recaudoctl: order {merchants_number}, which was registered or imported, has the reference {reference}: a lookup is"
        " about that order and does not query\n")
    stub.on("query", says(json.dumps({"CODE": "0102", "TEXT": "paid"}).encode()))
    assert ", which was registered or imported, has the reference " in standing(rig, number, reference, "refused")  # whatever it answers
    rig.write("UPDATE orders SET origin = 'external' WHERE id = %s", order)
    assert standing(rig, number, reference, "refused") == "recaudoctl: the merchant refuses: a lookup gets 0107\n"
    stub.on("query", says(json.dumps(answer(merchant.fixed_hash, "po-1")).encode()))
    assert run_test(rig, number, reference)["outcome"] == "answered"


def test_reference_of_an_order_that_is_held(rig: DispatchRig, stub: MerchantStub, network: str) -> None:
    merchant = rig.merchant(None)
    order, = rig.confirmed_orders(merchant, 1, rig.value("SELECT UTC_TIMESTAMP(6) + INTERVAL 1 DAY"))
    reference = rig.value("SELECT reference FROM orders WHERE id = %s", order)
    behaviour = says(json.dumps(answer(merchant.fixed_hash, "po-1")).encode())
    number = rig.stack.ctl.json(*add_words(merchant.name, code=reference[:-1], endpoint=stub.on("query", behaviour)))["id"]
    merchants_number = rig.value("SELECT po_id FROM orders WHERE id = %s", order)
    assert standing(rig, str(number), reference) == (
        f"recaudoctl: order {merchants_number}, which has the reference {reference}, is being confirmed: a lookup gets 0106 and"
        " does not query\n")


def test_reference_of_somebody_else(rig: DispatchRig, stub: MerchantStub, network: str) -> None:
    other = rig.merchant(None)
    _, number, reference = with_answer(rig, stub)
    order, = rig.orders(other, 1, state="PENDIENTE", origin="external")
    rig.write("UPDATE orders SET reference = %s WHERE id = %s", reference, order)
    assert standing(rig, number, reference) == (
        f"recaudoctl: order {order} of another merchant has the reference {reference}: a lookup is about that order and"
        " does not query\n")
    rig.write("UPDATE orders SET state = 'CANCELADA' WHERE id = %s", order)
    assert standing(rig, number, reference) == (
        f"recaudoctl: reference {reference} has another owner (recaudoctl reference show): a lookup gets 0109\n")


def test_reference_of_an_account(rig: DispatchRig, stub: MerchantStub, network: str) -> None:
    _, number, reference = with_answer(rig, stub)
    added = rig.stack.ctl.run("account", "add", "--document", reference, "--type", "CC", "--name", "Ana", "--currency", "COP")
    assert (added.returncode, added.stderr) == (
        0, f"recaudoctl: warning: a merchant answers references like {reference} itself (recaudoctl integration list):"
        f" a lookup of {reference} is now a top-up of this account\n")
    assert standing(rig, number, reference) == (
        f"recaudoctl: reference {reference} is an account's: a lookup is about the account and does not query\n")


def test_merchant_that_is_disabled(rig: DispatchRig, stub: MerchantStub, network: str) -> None:
    merchant, number, reference = with_answer(rig, stub)
    rig.stack.ctl.done("merchant", "disable", merchant.name)
    assert standing(rig, number, reference) == f"recaudoctl: merchant {merchant.name} is disabled: a lookup gets 0019\n"


def test_reference_that_another_integration_answers_for(rig: DispatchRig, stub: MerchantStub, network: str) -> None:
    """A lookup asks the longest code, and the agreement of two equal ones, wherever its endpoint is."""
    ctl = rig.stack.ctl
    merchant, number, reference = with_answer(rig, stub)
    ctl.done("network", "add", "other-network")
    words = ("integration", "test", number, "--reference", reference)
    longer = ctl.json(*add_words(merchant.name, code=reference[:5], endpoint=f"http://127.0.0.1:{free_port()}/"))["id"]
    assert refused(ctl, *words, "--network", network) == (
        f"reference: a lookup of {reference} by network {network} asks integration {longer} of {merchant.name}"
        f" (code {reference[:5]}, which is longer)")
    ctl.done("integration", "remove", str(longer))
    assert run_test(rig, number, reference)["outcome"] == "answered"
    agreement = ctl.json(*add_words(merchant.name, kind="1", network=network, code=reference[:4]))["id"]
    assert refused(ctl, *words, "--network", network) == (
        f"reference: a lookup of {reference} by network {network} asks integration {agreement} of {merchant.name}"
        f" (code {reference[:4]}, which is its agreement)")
    assert run_test(rig, number, reference, 0, "--network", "other-network")["outcome"] == "answered"


def test_nobody_there(rig: DispatchRig, network: str) -> None:
    merchant = rig.merchant(None)
    prefix = code()
    number = rig.stack.ctl.json(*add_words(merchant.name, code=prefix,
                                                endpoint=f"http://127.0.0.1:{free_port()}/"))["id"]
    assert run_test(rig, str(number), f"{prefix}00000", 1)["field"] == "connect"


def test_what_cannot_be_tested(rig: DispatchRig, stub: MerchantStub, network: str) -> None:
    ctl = rig.stack.ctl
    merchant, number, reference = ask(rig, stub, closes)
    words = ["integration", "test", number, "--reference"]
    rule = f"it answers references of 9 to 16 digits that begin with {reference[:4]}"
    other = str((int(reference[0]) + 1) % 10) + reference[1:]
    for wrong, why in ((reference[:5], "which has 5 digits"), (reference[:4] + "0" * 13, "which has 17 digits"),
                       (reference + "x", "which has other characters than digits"), (other, f"which does not begin with {reference[:4]}")):
        assert refused(ctl, *words, wrong) == f"reference: network {network} would not ask this integration about {wrong}, {why}: {rule}"
    assert refused(ctl, *words, reference, "--network", "nobody").startswith("there is no network nobody")
    rig.write("UPDATE merchants SET fixed_hash = REVERSE(fixed_hash) WHERE id = %s", merchant.id)
    assert refused(ctl, *words, reference).startswith(f"the FIXED_HASH of {merchant.name} cannot be decrypted")
    rig.write("UPDATE merchants SET fixed_hash = REVERSE(fixed_hash) WHERE id = %s", merchant.id)
    ctl.done("integration", "remove", number)
    assert refused(ctl, *words, reference) == f"integration {number} has already been removed"
    assert stub.requests == []


def test_reference_that_is_not_the_agreements(rig: DispatchRig, network: str) -> None:
    """Its own rule: one network, and no more digits needed than those of the code."""
    ctl, merchant, prefix = rig.stack.ctl, rig.merchant(None), code()
    ctl.done("network", "add", "without-agreement")
    number = str(ctl.json(*add_words(merchant.name, kind="1", network=network, code=prefix))["id"])
    rule = f"it answers references of {len(prefix)} to 16 digits that begin with {prefix}, for network {network} alone"
    for network_words, asking, wrong, why in (
            ((), network, prefix + "0" * 13, f"which has {len(prefix) + 13} digits"),
            (("--network", "without-agreement"), "without-agreement", prefix + "1", "because its agreement is with another network")):
        assert refused(ctl, "integration", "test", number, "--reference", wrong, *network_words) == (
            f"reference: network {asking} would not ask this integration about {wrong}, {why}: {rule}")


def test_for_people(rig: DispatchRig, stub: MerchantStub, network: str) -> None:
    merchant, number, reference = ask(rig, stub, says('{"CODE":"0044","TEXT":"\\u001b[31mno"}'))
    result = rig.stack.ctl.run("integration", "test", number, "--reference", reference)
    assert result.returncode == 1 and result.stderr == (
        "recaudoctl: the answer is not valid: a lookup gets 0109\n"
        "recaudoctl: broken rule: TEXT has no control characters\n")
    for words in ("request.body", "broken", "has no control characters"):
        assert words in result.stdout
    assert "passed" not in result.stdout and "not seen" not in result.stdout
    shown = rig.stack.ctl.run("integration", "test", number, "--reference", reference, "--all").stdout
    assert 0 < shown.index("broken") < shown.index("not seen") < shown.index("passed")
    assert "\x1b" not in result.stdout and merchant.fixed_hash not in result.stdout


# query list and show

CLOSED = "the connection ended before the reply did, or the reply is not HTTP"


def test_queries(rig: DispatchRig, ctl: Ctl, network: str) -> None:
    merchant, other = rig.merchant(None), rig.merchant(None)
    reference = fresh("").strip("-") + "0000000"
    network_id = rig.value("SELECT id FROM networks WHERE name = %s", network)
    for number, (whose, about) in enumerate([(merchant, reference), (merchant, "111111111"), (other, reference)]):
        rig.write("INSERT INTO external_queries (asked_at, merchant_id, integration_id, network_id, reference,"
                       " duration_us, outcome, address, http_status, problem, said, order_id) VALUES"
                       " (UTC_TIMESTAMP(6) + INTERVAL %s SECOND, %s, 5, %s, %s, 1234, 'refused', '127.0.0.1', 200, '0044',"
                       " 'No, thanks', 7)", number, whose.id, network_id, about)
    of_merchant = ctl.json("query", "list", "--merchant", merchant.name)
    assert [query["reference"] for query in of_merchant] == ["111111111", reference]
    assert [query["merchant"] for query in ctl.json("query", "list", "--reference", reference)] == [
        other.name, merchant.name]
    assert [query["reference"] for query in ctl.json("query", "list", "--limit", "2")] == [reference, "111111111"]
    shown = ctl.json("query", "show", str(of_merchant[0]["id"]))
    del shown["id"], shown["asked_at"]
    assert shown == {
        "merchant": merchant.name, "network": network, "reference": "111111111", "duration_us": 1234,
        "outcome": "refused", "field": None, "problem": "0044", "merchant_text": "No, thanks", "http_status": 200,
        "address": "127.0.0.1", "integration": 5, "pv_po_id": 7, "po_id": None}
    rig.write("UPDATE external_queries SET outcome = 'silent', field = 'protocol', problem = 'failed' WHERE merchant_id = %s",
              other.id)
    listed, = ctl.json("query", "list", "--merchant", other.name)
    shown = ctl.json("query", "show", str(listed["id"]))
    assert listed["field"] == "protocol" and listed["problem"] == shown["problem"] == CLOSED
    assert refused(ctl, "query", "show", "999999").startswith("there is no query 999999, or no longer")
    assert misused(ctl, "query", "list", "--merchant", merchant.name, "--reference", "1").startswith("only one of")
    assert misused(ctl, "query", "list", "--integration", "5", "--reference", "1").startswith("only one of")
    for unknown in ("999999", "five"):
        assert refused(ctl, "query", "list", "--integration", unknown) == f"there is no integration {unknown} (see recaudoctl integration list --removed)"


def test_queries_of_an_integration(rig: DispatchRig, ctl: Ctl, network: str) -> None:
    """Also of one that was removed."""
    merchant = rig.merchant(None)
    network_id = rig.value("SELECT id FROM networks WHERE name = %s", network)
    ids = [ctl.json("integration", "add", "--merchant", merchant.name, "--kind", "2", "--code", fresh_number(), "--endpoint",
                    "http://192.0.2.1/")["id"] for _ in range(2)]
    for number in range(4):
        rig.write("INSERT INTO external_queries (asked_at, merchant_id, integration_id, network_id, reference, duration_us, outcome)"
                  " VALUES (UTC_TIMESTAMP(6), %s, %s, %s, %s, 1, 'answered')", merchant.id, ids[number % 2], network_id, f"9{number}")
    ctl.done("integration", "remove", str(ids[0]))
    for number, integration in enumerate(ids):
        listed = ctl.json("query", "list", "--integration", str(integration))
        assert [query["reference"] for query in listed] == [f"9{number + 2}", f"9{number}"]
