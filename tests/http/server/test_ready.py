"""/readyz says which part is not ready."""

import json
import re
from typing import Iterator

import pymysql
import pytest
from pymysql.constants import ER

from tests.stack import Stack, wait_until
from tests.stack.paths import ROOT, package_version
from tests.stack.scrape import scrape

from checked import CheckedClient, expect
from world import World


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    with Stack(settings={"database": {"read_timeout": "1s"}}, dispatcher=False, buffer_pool="16M") as stack:
        yield World(stack)


@pytest.fixture
def client(world: World) -> Iterator[CheckedClient]:
    with CheckedClient(world.stack.base_url) as client:
        yield client


def expect_not_ready(client: CheckedClient, *words: str) -> None:
    assert expect(client.request("GET", "/readyz"), "0028", *words).status == 503
    expect(client.request("GET", "/healthz"), "0000")


def test_the_dispatcher(world: World, client: CheckedClient) -> None:
    words = {"settle": "settling dispatcher", "deliver": "delivering dispatcher"}
    expect_not_ready(client, "neither the settling nor the delivering dispatcher")
    for task in ("settle", "deliver"):
        world.dispatch()
        expect(client.request("GET", "/readyz"), "0000")
        world.write("UPDATE dispatchers SET seen_at = seen_at - INTERVAL 181 SECOND WHERE task = %s", task)
        expect_not_ready(client, f"the {words[task]}")
    world.dispatch()
    expect(client.request("GET", "/readyz"), "0000")


def test_the_version(world: World, client: CheckedClient) -> None:
    world.dispatch()
    told = expect(client.request("GET", "/readyz"), "0000")
    assert told.json["DATA"] == {"VERSION": package_version()}


def test_the_schema(world: World, client: CheckedClient) -> None:
    """A newer one, applied while the workers keep the connections that they have."""
    world.dispatch()
    expect(client.request("GET", "/readyz"), "0000")
    world.write("INSERT INTO schema_version (version, name, checksum, applied_at)"
                " VALUES (9999, 'newer', REPEAT('f', 64), UTC_TIMESTAMP(6))")
    expect_not_ready(client, "the schema", "version")
    world.write("DELETE FROM schema_version WHERE version = 9999")
    expect(client.request("GET", "/readyz"), "0000")


def test_the_database(world: World, client: CheckedClient) -> None:
    world.dispatch()
    world.stack.mariadb.stop()
    try:
        wait_until(lambda: "cannot be reached" in client.request("GET", "/readyz").text, "it to be noticed")
        expect_not_ready(client, "the database cannot be reached")
    finally:
        world.stack.mariadb.start()
    wait_until(lambda: all(client.request("GET", "/readyz").code == "0000" for _ in range(20)), "it to be ready")


def test_a_frozen_database(world: World, client: CheckedClient) -> None:
    """The answer comes within the worker's own limits. A worker without a connection cannot tell it from one that is away."""
    world.dispatch()
    expect(client.request("GET", "/readyz"), "0000")
    world.stack.mariadb.process.pause()
    try:
        with CheckedClient(world.stack.base_url, timeout=10.0) as impatient:
            reply = expect(impatient.request("GET", "/readyz"), "0028", "the database")
            assert reply.status == 503
            assert "does not answer in time" in reply.text or "cannot be reached" in reply.text, reply.text
    finally:
        world.stack.mariadb.process.resume()
    wait_until(lambda: all(client.request("GET", "/readyz").code == "0000" for _ in range(20)), "it to be ready")


def replaced_connections(world: World, client: CheckedClient) -> None:
    """Those of the workers are cut, so that they have to log in again."""
    for row in world.stack.mariadb.query("SELECT id FROM information_schema.PROCESSLIST WHERE user = 'recaudo_worker'"):
        try:
            world.stack.mariadb.query("KILL %s", row["id"])
        except pymysql.err.OperationalError as gone:
            assert gone.args[0] == ER.NO_SUCH_THREAD


@pytest.mark.parametrize(("refusal", "at_login", "line"), [
    ("ACCOUNT LOCK", "OFF", "(4151): somebody has locked the account: "),
    ("PASSWORD EXPIRE", "OFF", "(1820): the password has expired: "),
    ("PASSWORD EXPIRE", "ON", "(1862): the password has expired: ")])
def test_a_refused_login(world: World, client: CheckedClient, refusal: str, at_login: str, line: str) -> None:
    password = world.stack.mariadb.password_file("recaudo_worker").read_text().strip()
    world.dispatch()
    world.write(f"SET GLOBAL disconnect_on_expired_password = {at_login}")
    world.write(f"ALTER USER recaudo_worker@localhost {refusal}")
    try:
        replaced_connections(world, client)
        wait_until(lambda: "refuses the login" in client.request("GET", "/readyz").text, "the refusal")
        expect_not_ready(client, "the database refuses the login of worker_user")
        wait_until(lambda: "database: it refuses our login" in world.stack.worker.log_text(), "the line")
        wait_until(lambda: line in world.stack.worker.log_text(), "its reason")
    finally:
        world.write("SET GLOBAL disconnect_on_expired_password = OFF")
        world.write(f"ALTER USER recaudo_worker@localhost IDENTIFIED BY '{password}' PASSWORD EXPIRE NEVER ACCOUNT UNLOCK")
    wait_until(lambda: all(client.request("GET", "/readyz").code == "0000" for _ in range(20)), "it to be ready")


def test_a_key_that_opens_no_secret(world: World, client: CheckedClient) -> None:
    """The worker lives, and could authenticate nobody."""
    world.dispatch()
    world.stack.ctl.done("network", "add", "stored")
    key = world.stack.key_file.read_text()
    try:
        world.stack.key_file.write_text("ab" * 32 + "\n")
        world.stack.worker.stop()
        world.stack.worker.start()
        expect_not_ready(client, "the key file decrypts none of the stored secrets: restore the copy")
        wait_until(lambda: "decrypts none of the stored secrets" in world.stack.worker.log_text(), "the line")
        assert scrape(world.stack.base_url).value("recaudo_key_fits") == 0
    finally:
        world.stack.key_file.write_text(key)
        world.stack.worker.stop()
        world.stack.worker.start()
    expect(client.request("GET", "/readyz"), "0000")
    assert scrape(world.stack.base_url).value("recaudo_key_fits") == 1


def test_a_key_file_that_is_gone(world: World, client: CheckedClient) -> None:
    """The workers go on with what they have read; a measure says that a restart would fail."""
    world.dispatch()
    kept = world.stack.key_file.with_suffix(".kept")
    world.stack.key_file.rename(kept)
    try:
        expect(client.request("GET", "/readyz"), "0000")
        assert scrape(world.stack.base_url).value("recaudo_key_fits") == 0
        wait_until(lambda: "restore the copy of it" in world.stack.worker.log_text(), "the line")
    finally:
        kept.rename(world.stack.key_file)
    assert scrape(world.stack.base_url).value("recaudo_key_fits") == 1


@pytest.mark.parametrize("taken", ["REVOKE EXECUTE ON FUNCTION payment_cancel FROM recaudo_worker@localhost",
                                   "DROP FUNCTION payment_cancel"])
def test_a_right_or_a_function_is_gone(world: World, client: CheckedClient, taken: str) -> None:
    """Every cancellation is answered 0009, lookups are not."""
    world.dispatch()
    expect(client.request("GET", "/readyz"), "0000")
    world.write(taken)
    try:
        wait_until(lambda: client.request("GET", "/readyz").code == "0028", "it to be noticed")
        expect_not_ready(client, "the workers' account of the database lacks a right that it needs")
        line = "database: missing: FUNCTION payment_cancel for recaudo_worker; requests fail with 0009"
        wait_until(lambda: line in world.stack.worker.log_text(), "the line")
        with world.connect() as network:
            transaction = world.register(network, world.order())
            assert network.confirm(transaction, False).code == "0009"
        said = wait_until(lambda: [problem for problem in problems(world) if "requests are answered 0009" in problem], "status to tell", 30)
        assert re.search(r"answered 0009, .* \(1 since ..:00 UTC, the last \d+ s ago\): journalctl -u recaudo-fcgi", said[0]), said
        world.write("DELETE FROM refusal_counts")
    finally:
        make_again(world, "payment_cancel")
        world.stack.ctl.done("db", "migrate")
    wait_until(lambda: all(client.request("GET", "/readyz").code == "0000" for _ in range(20)), "it to be ready")


def test_a_right_to_a_table_is_gone(world: World, client: CheckedClient) -> None:
    world.dispatch()
    world.write("REVOKE INSERT ON external_queries FROM recaudo_worker@localhost")
    try:
        expect_not_ready(client, "the workers' account of the database lacks a right that it needs")
        line = "database: missing: INSERT on external_queries for recaudo_worker; requests fail with 0009"
        wait_until(lambda: line in world.stack.worker.log_text(), "the line")
    finally:
        world.stack.ctl.done("db", "migrate")
    wait_until(lambda: client.request("GET", "/readyz").code == "0000", "it to be ready")


def test_integrations_that_cannot_be_read(world: World) -> None:
    """Orders that are here are looked up without them."""
    order = world.order()
    world.write("REVOKE SELECT ON integrations FROM recaudo_worker@localhost")
    try:
        with world.connect() as network:
            wait_until(lambda: network.lookup(world.fresh_number()).code == "0009", "a worker to read them again")
            assert [network.lookup(order.reference).code for _ in range(20)] == ["0000"] * 20
    finally:
        world.stack.ctl.done("db", "migrate")


@pytest.mark.parametrize("taken, measure", [
    ("EXECUTE ON FUNCTION seal_wait", "recaudo_seal_overdue_seconds"),
    ("EXECUTE ON FUNCTION write_try", "recaudo_database_writable"),
    ("SELECT ON merchants_refusing", "recaudo_endpoint_refusing"),
    ("SELECT ON networks_refused", "recaudo_network_refused_seconds"),
    ("SELECT (task, seen_at) ON dispatchers", "recaudo_dispatcher_heartbeat_age_seconds"),
    ("SELECT ON last_done", "recaudo_deliveries_unrecorded")])
def test_a_right_that_only_monitoring_needs_is_gone(world: World, client: CheckedClient, taken: str, measure: str) -> None:
    """No worker goes out of service for it; what it measures is absent, and nothing else."""
    def families() -> set[str]:
        return set(scrape(world.stack.base_url).types)

    world.dispatch()
    whole = families()
    assert measure in whole
    world.write(f"REVOKE {taken} FROM recaudo_worker@localhost")
    try:
        absent = wait_until(lambda: whole - families(), "the measure to go")
        assert (scrape(world.stack.base_url).value("recaudo_measures_missing") > 0) == (measure != "recaudo_database_writable")
        assert measure in absent and len(absent) <= 5 and "recaudo_windows_overdue" not in absent, absent
        assert scrape(world.stack.base_url).value("recaudo_database_up") == 1
        expect(client.request("GET", "/readyz"), "0000")
    finally:
        world.write(f"GRANT {taken} TO recaudo_worker@localhost")
    wait_until(lambda: families() == whole, "it to come back")


def test_no_write_goes_well(world: World, client: CheckedClient) -> None:
    """For a reason that nobody has thought of: the account may try, and it fails."""
    world.dispatch()
    world.write("CREATE TRIGGER no_writes BEFORE UPDATE ON last_done FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no'")
    try:
        wait_until(lambda: client.request("GET", "/readyz").code == "0028", "it to be noticed")
        expect_not_ready(client, "the database accepts no writes")
        assert scrape(world.stack.base_url).value("recaudo_database_writable") == 0
    finally:
        world.write("DROP TRIGGER no_writes")
    wait_until(lambda: client.request("GET", "/readyz").code == "0000", "it to be ready")


def problems(world: World) -> list[str]:
    shown = json.loads(world.stack.ctl.run("--json", "status").stdout)
    return [problem["problem"] for problem in shown["problems"]]


def make_again(world: World, function: str) -> None:
    """As sql/foundation.sql makes it."""
    text = (ROOT / "sql" / "foundation.sql").read_text()
    begin = text.index(f"CREATE OR REPLACE FUNCTION {function} ")
    world.write(text[begin:text.index("\nEND;", begin) + len("\nEND")])
