"""/metrics: what is counted, what is read from the database, and who may see it."""

import http.client
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest

from tests.stack import Stack, wait_until
from tests.stack.dispatch_rig import DispatchRig
from tests.stack.merchant_stub import MerchantStub, closes, hold, says
from tests.stack.promtool import promtool
from tests.stack.scrape import Scrape, scrape

from asked import make_asked
from checked import CheckedClient, CheckedNetwork, expect
from fastcgi import FastCGI
from own_instance import own_stack, own_world
from world import COMMERCE, NETWORK, World

pytestmark = pytest.mark.web

SETTINGS = {"worker": {"cancel_window": "2s", "processes": 2}, "database": {"read_timeout": "1s"},
            "external_query": {"rest_after": 1, "rest": "15s", "in_flight": 7}, "settlement": {"close_at": "00:00"}}
PATIENCE = 10.0

stack = own_stack(SETTINGS)
world = own_world


def look(world: World) -> Scrape:
    return scrape(world.stack.base_url)


def requests_of(code: str, route: str = "/v1/orders/{}", method: str = "GET") -> frozenset[tuple[str, str]]:
    return frozenset({"code": code, "route": route, "method": method}.items())


def await_steps(world: World, before: Scrape, **codes: int) -> Scrape:
    """A reply is counted when it has been sent: until exactly these steps are seen, but for those of /metrics."""
    wanted = {requests_of(code.lstrip("_")): count for code, count in codes.items()}
    seen: list[Scrape] = []

    def arrived() -> bool:
        seen.append(look(world))
        steps = {labels: step for labels, step in seen[-1].steps(before, "recaudo_requests_total").items()
                 if ("route", "/metrics") not in labels}
        return steps == wanted

    wait_until(arrived, f"the steps {wanted}")
    return seen[-1]


def test_form(stack: Stack) -> None:
    with stack.client() as client:
        reply = client.request("GET", "/metrics")
    assert (reply.status, reply.headers["X-Recaudo-Code"]) == (200, "0000")
    assert reply.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert {kind for kind in Scrape(reply.text).types.values()} == {"counter", "gauge", "histogram"}


def test_a_reply_steps_its_counter_alone(world: World, network: CheckedNetwork) -> None:
    before = look(world)
    expect(network.lookup("1"), "0101")
    after = await_steps(world, before, _0101=1)
    count = "recaudo_request_duration_seconds_count"
    labels = {"route": "/v1/orders/{}", "method": "GET"}
    assert after.value(count, **labels) - before.value(count, **labels) == 1
    spent = "recaudo_request_duration_seconds_sum"
    assert 0 < after.value(spent, **labels) - before.value(spent, **labels) < 30


def test_buckets_add_up(world: World, network: CheckedNetwork) -> None:
    expect(network.lookup("1"), "0101")
    seen = look(world)
    labels = {"route": "/v1/orders/{}", "method": "GET"}
    bounds = sorted((dict(labels)["le"] for name, labels in seen.samples
                     if name == "recaudo_request_duration_seconds_bucket" and ("route", "/metrics") in labels), key=float)
    assert len(bounds) == 14 and (float(bounds[0]), bounds[-2], bounds[-1]) == (0.001, "10.000000", "+Inf")
    counts = [seen.value("recaudo_request_duration_seconds_bucket", le=bound, **labels) for bound in bounds]
    assert counts == sorted(counts) and counts[-1] == seen.value("recaudo_request_duration_seconds_count", **labels) > 0


def test_what_no_route_serves(world: World, stack: Stack) -> None:
    before = look(world)
    with CheckedClient(stack.base_url) as client:
        expect(client.request("GET", "/v1/nowhere"), "0141")
        expect(client.request("DELETE", "/v1/transactions"), "0142")
    wanted = {requests_of("0141", "-", "-"): 1, requests_of("0142", "-", "-"): 1}
    wait_until(lambda: {labels: step for labels, step in look(world).steps(before, "recaudo_requests_total").items()
                        if ("route", "/metrics") not in labels} == wanted, "both to be counted")


def test_killed_processes_take_no_count_with_them(world: World, stack: Stack, network: CheckedNetwork) -> None:
    before = look(world)
    for _ in range(20):
        expect(network.lookup("1"), "0101")
    await_steps(world, before, _0101=20)
    victims = stack.worker.children()
    for victim in victims:
        os.kill(victim, signal.SIGKILL)

    def replaced() -> bool:
        children = stack.worker.children()
        return len(children) == 2 and not set(children) & set(victims)

    wait_until(replaced, "other processes")
    wait_until(lambda: network.lookup("1").code == "0101", "them to serve")
    wait_until(lambda: look(world).value("recaudo_worker_process_starts_total")
               == before.value("recaudo_worker_process_starts_total") + 2, "them to be counted")
    assert look(world).value("recaudo_worker_process_deaths_total") == before.value("recaudo_worker_process_deaths_total") + 2
    after = look(world)
    assert after.steps(before, "recaudo_requests_total")[requests_of("0101")] >= 20
    assert after.value("recaudo_worker_processes") == before.value("recaudo_worker_processes")
    assert after.value("recaudo_worker_busy_seconds_total") > before.value("recaudo_worker_busy_seconds_total")
    assert after.value("recaudo_database_pool_connections") == before.value("recaudo_database_pool_connections")


def test_a_reload_is_no_death(world: World, stack: Stack) -> None:
    before, old = look(world), set(stack.worker.children())
    stack.worker.signal(signal.SIGHUP)
    wait_until(lambda: len(stack.worker.children()) == 2 and not old & set(stack.worker.children()), "other processes")
    wait_until(lambda: look(world).value("recaudo_worker_process_starts_total")
               == before.value("recaudo_worker_process_starts_total") + 2, "them to be counted")
    assert look(world).value("recaudo_worker_process_deaths_total") == before.value("recaudo_worker_process_deaths_total")


def test_connections_in_use(world: World, network: CheckedNetwork) -> None:
    order = world.order()
    blocker = world.stack.mariadb.connect()
    transaction = world.register(network, order)
    with ThreadPoolExecutor(1) as threads, blocker.cursor() as cursor:
        blocker.begin()
        cursor.execute("SELECT id FROM orders WHERE id = %s FOR UPDATE", [order.id])
        answer = threads.submit(network.confirm, transaction)
        wait_until(lambda: look(world).value("recaudo_database_pool_in_use") == 1, "a connection to be held")
        blocker.rollback()
        expect(answer.result(60), "0000")
    wait_until(lambda: look(world).value("recaudo_database_pool_in_use") == 0, "it to be given back")
    blocker.close()
    world.close_window(transaction)
    world.dispatch()


def test_external_queries(world: World, stub: MerchantStub, network: CheckedNetwork) -> None:
    shop = make_asked(world, stub)
    shop.await_well(network)
    before = look(world)
    assert before.value("recaudo_external_queries_in_flight_limit") == SETTINGS["external_query"]["in_flight"]
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(network.lookup, shop.on(shop.reference(), hold))
        wait_until(lambda: look(world).value("recaudo_external_queries_in_flight") == 1, "the query to be in flight")
        stub.release(200, b"{}")
        answer.result(60)
    wait_until(lambda: look(world).value("recaudo_external_queries_in_flight") == 0, "it to have ended")
    shop.await_well(network)  # a busy machine may take longer than the merchant has
    before = look(world)
    expect(network.lookup(shop.on(shop.reference(), says("{}"))), "0109")
    expect(network.lookup(shop.on(shop.reference(), closes)), "0108")
    expect(network.lookup(shop.reference()), "0110")
    after = look(world)
    outcomes = {dict(labels)["outcome"]: step
                for labels, step in after.steps(before, "recaudo_external_queries_total").items()}
    assert outcomes == {"invalid": 1, "silent": 1}
    assert after.steps(before, "recaudo_external_queries_withheld_total") == {frozenset({("reason", "resting")}): 1}
    assert after.value("recaudo_external_endpoints_resting") == 1
    waited = "recaudo_external_wait_seconds_total"
    assert after.value(waited) > before.value(waited)
    assert after.value("recaudo_external_query_duration_seconds_count") == sum(
        after.value("recaudo_external_queries_total", outcome=outcome)
        for outcome in ("answered", "refused", "expired", "invalid", "silent"))


def test_deliveries(world: World, stub: MerchantStub, network: CheckedNetwork) -> None:
    world.add_merchant("told", COMMERCE, "--notify-url", stub.on("told", says(b"OK")))
    world.add_merchant("deaf", COMMERCE, "--notify-url", stub.on("deaf", closes))
    before = look(world)
    world.pay(network, world.order(merchant="told"))
    world.pay(network, world.order(merchant="deaf"))
    after = look(world)
    steps = {dict(labels)["outcome"]: step for labels, step in after.steps(before, "recaudo_deliveries_total").items()}
    assert steps == {"delivered": 1, "to_be_tried_again": 1}
    finalised = "recaudo_payments_finalised_total"
    assert after.value(finalised) - before.value(finalised) == 2


def notify(world: World, order_id: int, merchant: str, state: str, due_ago: int) -> None:
    """A notification, as the dispatcher would have written it."""
    merchant_id = world.value("SELECT id FROM merchants WHERE name = %s", merchant)
    due_at = world.value("SELECT UTC_TIMESTAMP(6) - INTERVAL %s SECOND", due_ago)
    world.insert("notifications", order_id=order_id, merchant_id=merchant_id, status="cancelled", state=state, amount="1",
                 payment_means="", due_at=due_at, settled_at=due_at if state == "exhausted" else None, changed_by="test")


def test_what_waits(world: World) -> None:
    odd = 'a "quoted\\" name'
    world.add_merchant("reachable", COMMERCE, "--notify-url", "http://127.0.0.1:1/")
    world.add_merchant(odd, COMMERCE, "--notify-url", "http://127.0.0.1:1/")
    resting = world.value("SELECT id FROM merchants WHERE name = %s", odd)
    before = look(world)
    world.write("INSERT INTO endpoints (merchant_id, failures, resting_until, failing_since)"
                " VALUES (%s, 5, UTC_TIMESTAMP(6) + INTERVAL 1 HOUR, UTC_TIMESTAMP(6) - INTERVAL 950 SECOND)", resting)
    for merchant, state, due_ago in (("reachable", "pending", 100), ("reachable", "pending", 500),
                                     ("reachable", "pending", -1000), (odd, "pending", 9000),
                                     ("reachable", "exhausted", 1)):
        notify(world, world.order(merchant=merchant).id, merchant, state, due_ago)
    world.order(due_in=-300)
    refused = world.value("SELECT MAX(id) FROM notifications WHERE merchant_id = (SELECT id FROM merchants WHERE name = 'reachable')"
                          " AND due_at > UTC_TIMESTAMP(6)")
    assert "recaudo_endpoint_refusing{" not in look(world).text
    world.write("UPDATE notifications SET attempts = 1, created_at = created_at - INTERVAL 16 MINUTE WHERE id = %s", refused)
    after = look(world)
    for name, step in (("notifications_due", 2), ("notifications_held", 1), ("notifications_exhausted", 1),
                       ("orders_overdue", 1), ("endpoints_resting", 1)):
        assert after.value(f"recaudo_{name}") - before.value(f"recaudo_{name}") == step, name
    for name, age in (("notifications_oldest_due", 500), ("notifications_oldest_held", 9000), ("orders_oldest_overdue", 300)):
        assert age <= after.value(f"recaudo_{name}_age_seconds") < age + 60, name
    assert after.value("recaudo_endpoint_resting", merchant=odd) == 1
    assert after.value("recaudo_endpoint_refusing", merchant="reachable") == 1
    assert 950 <= after.value("recaudo_endpoint_failing_seconds", merchant=odd) < 950 + 60
    assert 960 <= after.value("recaudo_endpoint_refusing_seconds", merchant="reachable") < 960 + 60
    assert promtool("check", "metrics", stdin=after.text) == ""
    world.write("UPDATE merchants SET enabled = 0 WHERE id = %s", resting)
    disabled = look(world)
    assert "recaudo_endpoint_resting{" not in disabled.text
    assert disabled.value("recaudo_endpoints_resting") == before.value("recaudo_endpoints_resting")


def test_networks_that_are_refused(world: World) -> None:
    world.write("INSERT INTO network_refusals (network_id, code, since) SELECT id, '0019', UTC_TIMESTAMP(6) - INTERVAL 90 SECOND"
                " FROM networks WHERE name = %s", NETWORK)
    assert 90 <= look(world).value("recaudo_network_refused_seconds", network=NETWORK, code="0019") < 150
    world.write("DELETE FROM network_refusals")


def test_closed_windows(world: World, network: CheckedNetwork) -> None:
    before = look(world)
    world.close_window(world.confirm(network, world.order()))
    after = look(world)
    assert after.value("recaudo_windows_overdue") - before.value("recaudo_windows_overdue") == 1
    assert after.value("recaudo_windows_oldest_overdue_age_seconds") >= 3000


def test_operations_in_no_settlement(world: World, network: CheckedNetwork) -> None:
    world.dispatch()
    assert look(world).value("recaudo_operations_uncollected") == 0
    world.close_window(world.confirm(network, order := world.order()))
    network.lookup(order.reference)  # who is asked for the order finalises it, and does not collect
    seen = look(world)
    assert seen.value("recaudo_operations_uncollected") == 1
    assert 3000 <= seen.value("recaudo_operations_oldest_uncollected_age_seconds") < 4000
    world.dispatch()
    assert look(world).value("recaudo_operations_uncollected") == 0


def test_late_settlements(world: World) -> None:
    rig = DispatchRig(world.stack)
    closed = world.value("SELECT number FROM settlements WHERE is_open = 1")
    assert world.value("SELECT settlement_close(%s, 'operator:ana', NULL, NULL, NULL)", closed) == 1
    rig.change_settlements("opened_at = opened_at - INTERVAL 3 DAY, closed_at = closed_at - INTERVAL 1 HOUR"
                                f" WHERE number = {closed}")
    rig.change_settlements("opened_at = opened_at - INTERVAL 3 DAY WHERE is_open = 1")
    seen = look(world)
    assert 0 < seen.value("recaudo_settlement_closing_overdue_seconds") <= 86400
    assert seen.value("recaudo_settlements_without_digest") == 1
    assert 3600 <= seen.value("recaudo_settlements_oldest_without_digest_age_seconds") < 3700
    world.dispatch()
    after = look(world)
    assert after.value("recaudo_settlement_closing_overdue_seconds") == 0
    assert after.value("recaudo_settlements_without_digest") == 0


def test_dispatcher_and_schema(world: World) -> None:
    world.write("DELETE FROM dispatchers")
    for task in ("settle", "deliver"):
        assert look(world).value("recaudo_dispatcher_heartbeat_age_seconds", task=task) == float("inf")
    world.dispatch()
    seen = look(world)
    for task in ("settle", "deliver"):
        assert 0 <= seen.value("recaudo_dispatcher_heartbeat_age_seconds", task=task) < 60
    world.write("DELETE FROM dispatchers WHERE task = 'settle'")
    missing = look(world)
    assert missing.value("recaudo_dispatcher_heartbeat_age_seconds", task="settle") == float("inf")
    assert missing.value("recaudo_dispatcher_heartbeat_age_seconds", task="deliver") < 60
    assert seen.value("recaudo_schema_version") == seen.value("recaudo_schema_known_version") > 0
    assert abs(seen.value("recaudo_database_clock_offset_seconds")) < 10


def test_backup(world: World, network: CheckedNetwork) -> None:
    """Of none, and of one in the future alone, the time counts from the first payment."""
    def age() -> float:
        return look(world).value("recaudo_backup_age_seconds")

    world.register(network, world.order())
    oldest = int(world.value("SELECT TIMESTAMPDIFF(SECOND, MIN(registered_at), UTC_TIMESTAMP(6)) FROM transactions"))
    assert oldest <= age() < oldest + 60
    world.write("REPLACE INTO last_done (what, host, at) VALUES ('backup', 'here', UTC_TIMESTAMP(6) - INTERVAL 27 HOUR)")
    assert 27 * 3600 <= age() < 27 * 3600 + 60
    world.write("UPDATE last_done SET at = at + INTERVAL 75 HOUR WHERE what = 'backup'")
    assert oldest <= age() < oldest + 60
    world.write("DELETE FROM last_done WHERE what = 'backup'")


def test_the_nightly_removal(world: World) -> None:
    """Of what [retention] removes; customers' data stays by default."""
    kept = world.rows("SELECT * FROM retention")
    world.write("UPDATE retention SET begun_for = UTC_TIMESTAMP(6) - INTERVAL (what + 0) * 25 HOUR, ended_at = NULL")
    try:
        seen = look(world)
        ages = {dict(labels)["what"]: age for (name, labels), age in seen.samples.items() if name == "recaudo_retention_age_seconds"}
        assert ages.keys() == {"attempts", "queries"}
        assert 25 * 3600 <= ages["attempts"] < 25 * 3600 + 60 and 50 * 3600 <= ages["queries"] < 50 * 3600 + 60
    finally:
        for row in kept:
            world.write("UPDATE retention SET begun_for = %s, ended_at = %s WHERE what = %s", row["begun_for"], row["ended_at"], row["what"])


def test_notifications_that_wait_for_an_operator(world: World) -> None:
    """Until they were sent again, or somebody has decided about their merchant."""
    name = world.fresh("m")
    world.add_merchant(name, name)
    before = look(world).value("recaudo_notifications_exhausted")
    for order in (1, 2):
        world.write("INSERT INTO notifications (order_id, merchant_id, status, state, amount, payment_means, due_at)"
                    " SELECT 900000000 + %s, id, 'approved', 'exhausted', 5, '', UTC_TIMESTAMP(6) FROM merchants WHERE name = %s", order, name)
    assert look(world).value("recaudo_notifications_exhausted") == before + 2
    world.stack.ctl.done("merchant", "disable", name)
    assert look(world).value("recaudo_notifications_exhausted") == before


def test_without_the_database(world: World, stack: Stack, network: CheckedNetwork) -> None:
    """What the processes count is still shown."""
    whole = look(world)
    stack.mariadb.stop()
    try:
        expect(network.lookup("1"), "0028")
        away = look(world)
    finally:
        stack.mariadb.start()
    assert (whole.value("recaudo_database_up"), away.value("recaudo_database_up")) == (1, 0)
    left_out = whole.names() - away.names()
    assert "recaudo_notifications_due" in left_out and "recaudo_schema_version" in left_out
    assert "recaudo_requests_total" not in left_out and "recaudo_database_pool_refusals_total" not in left_out
    refusals = "recaudo_database_pool_refusals_total"
    assert away.value(refusals) > whole.value(refusals)
    world.await_database(network)
    assert look(world).value("recaudo_database_up") == 1


def test_with_a_frozen_database(world: World, stack: Stack, network: CheckedNetwork) -> None:
    stack.mariadb.process.pause()
    try:
        with stack.client(PATIENCE) as client:
            text = client.request("GET", "/metrics").text
    finally:
        stack.mariadb.process.resume()
    assert Scrape(text).value("recaudo_database_up") == 0
    world.await_database(network)
    assert look(world).value("recaudo_database_up") == 1


def test_nothing_private(world: World, network: CheckedNetwork) -> None:
    order = world.order(customer_name="Ana", document="1234567")
    expect(network.lookup(order.reference), "0000")
    text = look(world).text
    for private in (network.fixed_hash, order.reference, "1234567", network.name, "checksum", "hash"):
        assert private not in text


def ask(stack: Stack, source: str, **headers: str) -> tuple[int, bytes]:
    address = urlsplit(stack.base_url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60, source_address=(source, 0))
    connection.request("GET", "/metrics", headers={name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, body


def test_only_for_this_host(stack: Stack) -> None:
    assert ask(stack, "127.0.0.1")[0] == 200
    for status, body in (ask(stack, "127.0.0.2"), ask(stack, "127.0.0.2", RECAUDO_LOCAL="1"),
                         ask(stack, "127.0.0.1", X_Forwarded_For="192.0.2.1"), ask(stack, "127.0.0.1", Forwarded="for=x"),
                         ask(stack, "127.0.0.1", Via="1.1 proxy"), ask(stack, "127.0.0.1", X_Real_IP="192.0.2.1")):
        assert status == 404 and b'"0141"' in body, body


def test_what_a_trusted_proxy_passes_on_came_from_elsewhere() -> None:
    """Also where it says 127.0.0.1, which is the proxy's own machine and not this one; and whatever is left of the header."""
    with Stack(dispatcher=False, buffer_pool="16M", trusted_proxy="127.0.0.5") as stack:
        assert ask(stack, "127.0.0.1")[0] == 200
        for forwarded in ("127.0.0.1", "192.0.2.1", "192.0.2.1, 127.0.0.1", "127.0.0.1, 192.0.2.1"):
            assert ask(stack, "127.0.0.5", X_Forwarded_For=forwarded)[0] == 404, forwarded


@pytest.mark.parametrize("path", ["/v1/../metrics", "//metrics", "/%6detrics", "/metrics/", "/v1/metrics", "/metrics/x"])
def test_other_ways_to_write_it(stack: Stack, path: str) -> None:
    address = urlsplit(stack.base_url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=60,
                                            source_address=("127.0.0.2", 0))
    connection.request("GET", path)
    assert connection.getresponse().status == 404
    connection.close()


def test_the_worker_trusts_the_web_server_alone(stack: Stack) -> None:
    with FastCGI(stack.worker.socket) as worker:
        assert '"CODE":"0141"' in worker.ask("GET", "/metrics")
        assert '"CODE":"0141"' in worker.ask("GET", "/metrics", RECAUDO_LOCAL="")
        assert '"CODE":"0141"' in worker.ask("GET", "/metrics", HTTP_RECAUDO_LOCAL="1")
        assert '"CODE":"0141"' in worker.ask("POST", "/metrics")
        assert "recaudo_database_up 1" in worker.ask("GET", "/metrics", RECAUDO_LOCAL="1")
        assert "Allow: GET, HEAD\r" in worker.ask("POST", "/metrics", RECAUDO_LOCAL="1")
