"""The pages that change something: who may, what is written, and forms that are sent twice, forged or stale."""

import re
from typing import Iterator

import pytest

from tests.stack import Stack, wait_until
from tests.stack.client import Merchant
from tests.stack.merchant_stub import MerchantStub, hold, ok

from forms import REASON, change, events, last_event, send, shown, valid_token
from world import KIOSK, OTHER, SHOP, World

UNKNOWN = 999999999
SUPPORT, OPERATOR, VIEWER, MERCHANT = "sara", "omar", "vera", "tienda-user"


@pytest.fixture(scope="module")
def changing() -> Iterator[World]:
    settings = {"worker": {"cancel_window": "2s"}, "security": {"allow_addresses": "127.0.0.0/8"}}
    with MerchantStub() as stub, Stack(settings=settings, buffer_pool="64M", console=True) as stack:
        yield World(stack, stub)


def notification(world: World, order: str) -> int:
    return world.number("SELECT id AS n FROM notifications WHERE order_id = %s ORDER BY sequence LIMIT 1", world.orders[order])


def merchant(world: World, name: str) -> int:
    return world.number("SELECT id AS n FROM merchants WHERE name = %s", name)


def network(world: World) -> int:
    return world.number("SELECT id AS n FROM networks WHERE name = %s", KIOSK)


def settled(world: World, number: int) -> bool:
    return world.number("SELECT lease IS NULL AND state <> 'pending' AS n FROM notifications WHERE id = %s", number) == 1


def refuses(world: World, path: str, user: str, fields: dict[str, str], status: int, **headers: str) -> None:
    before = events(world)
    reply = send(world, path, user, fields, **headers)
    assert reply.status == status, (path, user, headers, reply.status)
    assert events(world) == before, (path, user, headers)


@pytest.mark.parametrize("user, actor", [(SUPPORT, "console:sara"), (OPERATOR, "console:omar"), (MERCHANT, "user:tienda-user")])
def test_notification_is_sent_again_once(changing: World, user: str, actor: str) -> None:
    number = notification(changing, "PO-paid")
    path = f"/notifications/{number}/retry"
    wait_until(lambda: settled(changing, number), "the notification to be delivered")
    told = len([request for request in changing.stub.requests if b"PO-paid" in request.body])
    fields, reply = change(changing, path, user)
    assert reply.status == 303 and reply.headers["Location"].startswith(f"/orders/{changing.orders['PO-paid']}#ntf_")
    event = last_event(changing, "notification", number, "retried")
    assert (event["actor"], event["reason"]) == (actor, REASON)
    taken = re.findall(r'role="status"><strong>It was accepted to be sent again:</strong> <time datetime="(.*?)">.*?<bdi>(.*?)</bdi>',
                       changing.get(reply.headers["Location"].partition("#")[0] + "?lang=en", user).text)
    assert taken == [(f"{event['at']:%Y-%m-%dT%H:%M:%SZ}", actor)]
    wait_until(lambda: settled(changing, number), "it to be delivered again")
    refuses(changing, path, user, fields, 409)
    assert len([request for request in changing.stub.requests if b"PO-paid" in request.body]) == told + 1


def test_approved_that_was_given_up_is_sent_again_with_its_cancelled(changing: World) -> None:
    """The merchant must not get it last; and somebody must be able to send it."""
    sent = changing.stack.mariadb.query("SELECT id FROM notifications WHERE order_id = %s ORDER BY sequence",
                                        changing.orders["PO-refunded"])
    approved, cancelled = (row["id"] for row in sent)

    def both_are_delivered() -> bool:
        return changing.number("SELECT COUNT(*) AS n FROM notifications WHERE state = 'delivered' AND order_id = %s",
                               changing.orders["PO-refunded"]) == 2

    wait_until(both_are_delivered, "both to be delivered")
    changing.stack.mariadb.query("UPDATE notifications SET state = 'exhausted' WHERE id = %s", approved)
    told = len([request for request in changing.stub.requests if b"PO-refunded" in request.body])
    _, reply = change(changing, f"/notifications/{approved}/retry", SUPPORT)
    assert reply.status == 303
    for number in approved, cancelled:
        assert last_event(changing, "notification", number, "retried")["reason"] == REASON
    wait_until(both_are_delivered, "both to be delivered again")
    again = [request for request in changing.stub.requests if b"PO-refunded" in request.body][told:]
    assert [request.message["status"] for request in again] == ["approved", "cancelled"]


def test_retry_of_an_order_that_its_merchant_refunded(changing: World) -> None:
    """No later notification tells the merchant of it, as `cancelled` does after a claim."""
    changing.pay(changing.add("PO-returned"), "T-returned")
    number = changing.orders["PO-returned"]
    wait_until(lambda: changing.number("SELECT COUNT(*) AS n FROM notifications WHERE order_id = %s", number) == 1,
               "the order to be paid")
    page = f"/notifications/{notification(changing, 'PO-returned')}/retry?lang=en"
    words = "The merchant refunded it. No later notification says so"
    assert words not in changing.get(page, MERCHANT).text
    with Merchant(changing.stack.base_url, SHOP, changing.hashes[SHOP]) as client:
        assert client.refund("PO-returned", "45000").code == "0000"
    for user in (SUPPORT, MERCHANT):
        assert words in changing.get(page, user).text
    claimed = changing.get(f"/notifications/{notification(changing, 'PO-refunded')}/retry?lang=en", SUPPORT)
    assert claimed.status == 200 and words not in claimed.text


def test_order_that_was_told_as_paid_after_its_refund(changing: World) -> None:
    """The merchant refunds it, and acknowledges `approved` only then: that is the last it hears."""
    changing.pay(changing.add("PO-untold"), "T-untold")
    order = changing.orders["PO-untold"]
    wait_until(lambda: changing.number("SELECT COUNT(*) AS n FROM notifications WHERE order_id = %s", order) == 1, "the order to be paid")
    number, words = notification(changing, "PO-untold"), "The merchant refunded the order, and no notification says so"
    wait_until(lambda: settled(changing, number), "approved to be acknowledged")
    with Merchant(changing.stack.base_url, SHOP, changing.hashes[SHOP]) as client:
        assert client.refund("PO-untold", "45000").code == "0000"
    page = f"/orders/{order}?lang=en"
    assert words not in changing.get(page).text
    changing.stack.ctl.done("notification", "retry", str(number), "--again", "--reason", REASON)
    wait_until(lambda: settled(changing, number), "it to be acknowledged again")
    assert words in changing.get(page).text
    own = changing.get(page, MERCHANT).text
    assert "You refunded the order" in own and "Do not deliver." in own and words not in own
    assert words not in changing.get(f"/orders/{changing.orders['PO-refunded']}?lang=en").text


def test_notification_that_is_being_sent(changing: World) -> None:
    """No time of a next attempt: the lease's end is none."""
    changing.stub.on(f"/{SHOP}", hold)
    changing.pay(changing.add("PO-sending"), "T-sending")
    order = changing.orders["PO-sending"]
    wait_until(lambda: changing.number("SELECT COUNT(*) AS n FROM notifications WHERE order_id = %s AND lease IS NOT NULL", order) == 1,
               "it to be sent")
    page, listed = (changing.get(path, SUPPORT).text for path in (f"/orders/{order}?lang=en", "/notifications?lang=en"))
    changing.stub.on(f"/{SHOP}", ok)
    changing.stub.release()
    assert page.count("Being sent now.") == 2 and "No attempt yet" not in page and "Being sent now." in listed
    wait_until(lambda: settled(changing, notification(changing, "PO-sending")), "it to be acknowledged")


def test_claim_is_entered_once(changing: World) -> None:
    number = changing.orders["PO-paid"]
    path = f"/orders/{number}/claim"
    for user, get, post in ((VIEWER, 404, 403), (MERCHANT, 404, 404)):
        assert changing.get(path, user).status == get
        refuses(changing, path, user, {"token": "x", "seen": "APROBADA", "reason": REASON}, post)
    fields, reply = change(changing, path, SUPPORT)
    assert reply.status == 303 and reply.headers["Location"] == f"/orders/{number}"
    event = last_event(changing, "order", number, "state")
    assert (event["to_state"], event["actor"], event["reason"]) == ("ANULADA", "console:sara", REASON)
    refuses(changing, path, SUPPORT, fields, 409)
    assert "<form class=\"fields\"" not in changing.get(path, SUPPORT).text
    assert REASON in changing.get(f"/orders/{number}", SUPPORT).text
    page = changing.get(f"/orders/{number}", MERCHANT).text
    assert REASON not in page and "console:sara" not in page and "recaudo" in page


def test_what_cannot_be_claimed_is_said(changing: World) -> None:
    for order, words in (("PO-open", "Nobody has paid it yet"), ("PO-late", "expired"), ("PO-refunded", "refunded already")):
        assert words in changing.get(f"/orders/{changing.orders[order]}/claim?lang=en", SUPPORT).text


@pytest.mark.parametrize("subject", ["merchant", "network"])
def test_party_is_disabled_and_enabled(changing: World, subject: str) -> None:
    number = merchant(changing, SHOP) if subject == "merchant" else network(changing)
    for verb, state in (("disable", "disabled"), ("enable", "enabled")):
        path = f"/{subject}s/{number}/{verb}"
        fields, reply = change(changing, path, OPERATOR)
        assert reply.status == 303 and reply.headers["Location"] == f"/{subject}s/{number}"
        event = last_event(changing, subject, number, "state")
        assert (event["to_state"], event["actor"], event["reason"]) == (state, "console:omar", REASON)
        assert changing.number(f"SELECT enabled AS n FROM {subject}s WHERE id = %s", number) == (state == "enabled")
        refuses(changing, path, OPERATOR, fields, 409)


def test_integration_is_disabled_and_another_like_it_enabled(changing: World) -> None:
    changing.stack.ctl.done("integration", "add", "--merchant", SHOP, "--kind", "2", "--code", "88",
                            "--endpoint", changing.stub.on("/query", lambda _: None))
    first = changing.number("SELECT id AS n FROM integrations WHERE live_code = '88'")
    fields, reply = change(changing, f"/integrations/{first}/disable", OPERATOR)
    assert reply.status == 303 and last_event(changing, "integration", first, "state")["reason"] == REASON
    assert reply.headers["Location"] == f"/merchants/{merchant(changing, SHOP)}"
    refuses(changing, f"/integrations/{first}/disable", OPERATOR, fields, 409)
    fields, reply = change(changing, f"/integrations/{first}/enable", OPERATOR)
    second = changing.number("SELECT id AS n FROM integrations WHERE live_code = '88'")
    assert reply.status == 303 and second != first
    assert last_event(changing, "integration", second, "created")["actor"] == "console:omar"
    refuses(changing, f"/integrations/{first}/enable", OPERATOR, fields, 409)
    assert changing.number("SELECT COUNT(*) AS n FROM integrations WHERE code = '88'") == 2


def limits(world: World) -> list[tuple[str, str]]:
    return [(str(row["day_limit"]), str(row["outstanding_limit"]))
            for row in world.stack.mariadb.query("SELECT * FROM network_limits WHERE network_id = %s", network(world))]


def test_limits_are_shown_and_then_set(changing: World) -> None:
    number = network(changing)
    path = f"/networks/{number}/limits?currency=COP&day=9000000&outstanding="
    assert "9.000.000,00" in changing.get(path, OPERATOR).text
    fields, reply = change(changing, path, OPERATOR)
    assert reply.status == 303 and limits(changing) == [("9000000.0000", "None")]
    event = last_event(changing, "network", number, "money limits")
    assert event["actor"] == "console:omar" and event["reason"].endswith("; " + REASON)
    refuses(changing, path, OPERATOR, fields, 409)
    stale = {**shown(changing, path, OPERATOR), "reason": REASON}
    changing.stack.ctl.done("network", "limit", KIOSK, "COP", "--day", "8000000")
    refuses(changing, path, OPERATOR, stale, 409)
    refuses(changing, path.replace("9000000", "7000000"), OPERATOR, stale, 409)
    for wrong in ("currency=XXX&day=5", "currency=COP&day=-5", "currency=COP&day=lots", "currency=COP&day=1,5"):
        page = changing.get(f"/networks/{number}/limits?{wrong}", OPERATOR).text
        assert "<form class=\"fields\"" not in page
    assert limits(changing) == [("8000000.0000", "None")]
    page = changing.get(f"/networks/{number}", OPERATOR).text
    assert f'href="/networks/{number}?currency=COP#limits"' in page and 'value="8000000' not in page
    page = changing.get(f"/networks/{number}?currency=COP", OPERATOR).text
    assert 'value="8000000.00"' in page and '<option value="COP" selected>' in page, "the form begins with what they are"
    assert "?currency=" not in changing.get(f"/networks/{number}", VIEWER).text
    _, reply = change(changing, f"/networks/{number}/limits?currency=COP", OPERATOR)
    assert reply.status == 303 and limits(changing) == []


def test_limits_in_a_currency_that_is_not_known_any_more(changing: World) -> None:
    """Nobody can pay in it; its limits can be taken away, and not set anew."""
    number = network(changing)
    changing.stack.mariadb.query("INSERT INTO currencies (code, name) VALUES ('ZZY', 'none')")
    changing.stack.mariadb.query("SELECT network_limit_begin(%s, 'ZZY')", number)
    changing.stack.mariadb.query("SELECT network_limit_set_now(%s, 'ZZY', 500, NULL, 'test')", number)
    page = changing.get(f"/networks/{number}?currency=ZZY", OPERATOR).text
    assert '<option value="ZZY" selected>' in page and 'value="500.0000"' in page
    assert '"ZZY"' not in changing.get(f"/networks/{number}", OPERATOR).text
    assert "<form class=\"fields\"" not in changing.get(f"/networks/{number}/limits?currency=ZZY&day=600", OPERATOR).text
    _, reply = change(changing, f"/networks/{number}/limits?currency=ZZY", OPERATOR)
    assert reply.status == 303 and limits(changing) == []


@pytest.mark.parametrize("user", [MERCHANT, SUPPORT])
def test_endpoint_is_tested(changing: World, user: str) -> None:
    number = merchant(changing, SHOP)
    path = f"/merchants/{number}/test"
    changing.stack.mariadb.query("UPDATE endpoint_tests SET asked_at = asked_at - INTERVAL 1 MINUTE")
    before = len(changing.stub.requests)
    fields, reply = change(changing, path, user)
    assert reply.status == 303 and reply.headers["Location"] == path
    assert last_event(changing, "merchant", number, "tested")["reason"] == REASON
    wait_until(lambda: "2xx" not in (page := changing.get(path + "?lang=en", user).text) and "HTTP" in page
               and 'content="2"' not in page, "the outcome of the test")
    page = changing.get(path + "?lang=en", user).text
    assert '<span class="state good">' in page and "wait for ten seconds" in page
    refuses(changing, path, user, fields, 409)
    tests = [request for request in changing.stub.requests[before:] if request.headers.get("recaudo-test") == "1"]
    assert len(tests) == 1


def test_a_failing_endpoint_is_told(changing: World) -> None:
    path = f"/merchants/{merchant(changing, OTHER)}/test"
    _, reply = change(changing, path, SUPPORT)
    assert reply.status == 303
    page = wait_until(lambda: (text := changing.get(path + "?lang=en", SUPPORT).text) and 'state bad' in text and text,
                      "the outcome of the test")
    assert ">500<" in page and "script" not in page, "only operators see what an endpoint replies"
    page = changing.get(path + "?lang=en", OPERATOR).text
    assert ">500<" in page and "<script>" not in page and "&lt;script&gt;" in page


def test_replies_are_for_operators(changing: World) -> None:
    """An endpoint's reply may be another's, where private addresses are allowed."""
    path = f"/orders/{changing.orders['PO-paid']}?lang=en"
    wait_until(lambda: "<pre" in changing.get(path, OPERATOR).text, "an attempt with its reply")
    for user in (SUPPORT, MERCHANT):
        assert "<pre" not in changing.get(path, user).text


@pytest.mark.parametrize("action", ["enable", "disable", "test", "limits"])
@pytest.mark.parametrize("kind", ["merchants", "networks", "integrations"])
def test_numbers_that_no_party_has(changing: World, kind: str, action: str) -> None:
    assert changing.get(f"/{kind}/4294967296/{action}", OPERATOR).status == 404


def stale_form(world: World, path: str, user: str, *meanwhile: tuple[str, ...]) -> None:
    """A form that is sent after others have changed the same thing, and it could be done again."""
    fields = {**shown(world, path, user), "reason": REASON}
    assert "seen" in fields
    for command in meanwhile:
        world.stack.ctl.done(*command)
    assert "<form class=\"fields\"" in world.get(path, user).text
    refuses(world, path, user, fields, 409)


@pytest.mark.parametrize("subject", ["merchant", "network"])
def test_party_that_was_changed_and_changed_back(changing: World, subject: str) -> None:
    name, number = (OTHER, merchant(changing, OTHER)) if subject == "merchant" else (KIOSK, network(changing))
    disable, enable = (subject, "disable", name), (subject, "enable", name)
    stale_form(changing, f"/{subject}s/{number}/disable", OPERATOR, disable, enable)
    changing.stack.ctl.done(*disable)
    stale_form(changing, f"/{subject}s/{number}/enable", OPERATOR, enable, disable)
    changing.stack.ctl.done(*enable)


def test_integration_that_was_added_and_removed_meanwhile(changing: World) -> None:
    add = ("integration", "add", "--merchant", SHOP, "--kind", "2", "--code", "77", "--endpoint", changing.stub.on("/q", lambda _: None))
    changing.stack.ctl.done(*add)
    first = changing.number("SELECT id AS n FROM integrations WHERE live_code = '77'")
    disable = {**shown(changing, f"/integrations/{first}/disable", OPERATOR), "reason": REASON}
    changing.stack.ctl.done("integration", "remove", str(first))
    refuses(changing, f"/integrations/{first}/disable", OPERATOR, disable, 409)
    stale = {**shown(changing, f"/integrations/{first}/enable", OPERATOR), "reason": REASON}
    changing.stack.ctl.done(*add)
    second = changing.number("SELECT id AS n FROM integrations WHERE live_code = '77'")
    changing.stack.ctl.done("integration", "remove", str(second))
    refuses(changing, f"/integrations/{first}/enable", OPERATOR, stale, 409)
    assert changing.number("SELECT COUNT(*) AS n FROM integrations WHERE live_code = '77'") == 0


def test_limits_that_were_changed_and_changed_back(changing: World) -> None:
    assert limits(changing) == []
    path = f"/networks/{network(changing)}/limits?currency=COP&day=7000000"
    stale_form(changing, path, OPERATOR, ("network", "limit", KIOSK, "COP", "--day", "8000000"),
               ("network", "limit", KIOSK, "COP", "--day", "none"))
    assert limits(changing) == []


@pytest.mark.parametrize("page", ["retry", "test"])
def test_endpoint_that_has_another_address_by_now(changing: World, page: str) -> None:
    """What the user saw named where it would be sent."""
    number = merchant(changing, SHOP)
    path = f"/merchants/{number}/test"
    changing.stack.mariadb.query("UPDATE endpoint_tests SET asked_at = asked_at - INTERVAL 1 MINUTE")
    if page == "retry":
        told = changing.number("SELECT MAX(id) AS n FROM notifications WHERE order_id = %s", changing.orders["PO-paid"])
        wait_until(lambda: settled(changing, told), "the notification to be delivered")
        path = f"/notifications/{told}/retry"
    was = str(changing.stack.mariadb.query("SELECT notify_url AS u FROM merchants WHERE id = %s", number)[0]["u"])
    stale_form(changing, path, SUPPORT, ("merchant", "set", SHOP, "--notify-url", was + "/elsewhere"))
    changing.stack.ctl.done("merchant", "set", SHOP, "--notify-url", was)


def paths(world: World) -> dict[str, tuple[str, ...]]:
    """The address of each change, and who may make it."""
    everybody = (SUPPORT, OPERATOR, MERCHANT)
    shop, kiosk = merchant(world, SHOP), network(world)
    return {f"/notifications/{notification(world, 'PO-refunded')}/retry": everybody,
            f"/merchants/{shop}/test": everybody,
            f"/orders/{world.orders['PO-refunded']}/claim": (SUPPORT, OPERATOR),
            f"/merchants/{shop}/enable": (OPERATOR,), f"/merchants/{shop}/disable": (OPERATOR,),
            f"/networks/{kiosk}/enable": (OPERATOR,), f"/networks/{kiosk}/disable": (OPERATOR,),
            f"/networks/{kiosk}/limits?currency=COP": (OPERATOR,)}


def test_roles(changing: World) -> None:
    for path, allowed in paths(changing).items():
        for user in (VIEWER, SUPPORT, OPERATOR, MERCHANT):
            status = changing.get(path, user).status
            assert status == (200 if user in allowed else 404), (path, user)
            if user not in allowed:
                fields = {"token": valid_token(changing, user, path.partition("?")[0]), "seen": "", "reason": REASON}
                refuses(changing, path, user, fields, 404 if user == MERCHANT else 403)


def test_foreign_ids_are_unknown(changing: World) -> None:
    """Also with a token that is valid: the rows decide."""
    foreign = {f"/notifications/{notification(changing, 'PO-foreign')}/retry": f"/notifications/{UNKNOWN}/retry",
               f"/merchants/{merchant(changing, OTHER)}/test": f"/merchants/{UNKNOWN}/test"}
    for path, unknown in foreign.items():
        one, other = changing.get(path, MERCHANT), changing.get(unknown, MERCHANT)
        assert one.status == other.status == 404 and one.text.replace(path, "") == other.text.replace(unknown, "")
        for address in (path, unknown):
            fields = {"token": valid_token(changing, MERCHANT, address), "seen": "0", "reason": REASON}
            refuses(changing, address, MERCHANT, fields, 404)


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example", "Sec_Fetch_Site": "cross-site"},
                                     {"Origin": "https://evil.example", "Sec_Fetch_Site": ""},
                                     {"Origin": "", "Sec_Fetch_Site": ""}, {"Origin": "null", "Sec_Fetch_Site": ""},
                                     {"Origin": "null", "Sec_Fetch_Site": "same-site"},
                                     {"Content_Type": "text/plain"}], ids=str)
def test_forms_of_others_change_nothing(changing: World, headers: dict[str, str]) -> None:
    path = f"/merchants/{merchant(changing, OTHER)}/disable"
    refuses(changing, path, OPERATOR, {**shown(changing, path, OPERATOR), "reason": REASON}, 403, **headers)


def test_tokens_are_for_one_user_and_one_form(changing: World) -> None:
    path = f"/merchants/{merchant(changing, OTHER)}/disable"
    own = {**shown(changing, path, OPERATOR), "reason": REASON}
    assert own["token"] == valid_token(changing, OPERATOR, path)
    for token in ("", "0" * 64, valid_token(changing, SUPPORT, path), valid_token(changing, OPERATOR, path + "d"),
                  valid_token(changing, OPERATOR, path, -2), valid_token(changing, OPERATOR, path, 2)):
        refuses(changing, path, OPERATOR, {**own, "token": token}, 403)
    for steps in (-1, 1):
        refuses(changing, path, OPERATOR, {**own, "token": valid_token(changing, OPERATOR, path, steps), "reason": ""}, 400)
    refuses(changing, f"{path}?token={own['token']}", OPERATOR, {**own, "token": ""}, 403)


@pytest.mark.parametrize("reason", ["", "   ", "x" * 251, "two\nlines", "bell\a"])
def test_a_reason_is_asked_for(changing: World, reason: str) -> None:
    path = f"/merchants/{merchant(changing, OTHER)}/disable"
    refuses(changing, path, OPERATOR, {**shown(changing, path, OPERATOR), "reason": reason}, 400)


def test_what_a_reason_says_is_escaped(changing: World) -> None:
    path = f"/merchants/{merchant(changing, OTHER)}/disable"
    script = "<script>alert(1)</script>\"'" + "x" * 240
    reply = send(changing, path, OPERATOR, {**shown(changing, path, OPERATOR), "reason": script})
    assert reply.status == 400 and "<script" not in reply.text and "&lt;script&gt;" in reply.text
