"""Refusals get into the database by themselves, for the console: each once, whatever ends meanwhile."""

import json
import socket
from typing import Iterator

import pytest

from tests.stack import Network, Stack, wait_until

WRITTEN_WITHIN = 60.0
COUNTS = "SELECT code, SUM(refusals) AS n FROM refusal_counts GROUP BY code"


@pytest.fixture
def stack() -> Iterator[Stack]:
    with Stack(settings={"worker": {"processes": 2}, "database": {"read_timeout": "1s"}}, dispatcher=False, buffer_pool="16M") as stack:
        yield stack


def counted(stack: Stack) -> dict[str, int]:
    return {str(row["code"]): int(row["n"]) for row in stack.mariadb.query(COUNTS)}


def await_counts(stack: Stack, wanted: dict[str, int]) -> None:
    found: dict[str, int] = {}

    def are_there() -> bool:
        found.clear()
        found.update(counted(stack))
        return all(found.get(code, 0) >= number for code, number in wanted.items())

    wait_until(are_there, "refusals to be counted", WRITTEN_WITHIN)
    assert {code: found[code] for code in wanted} == wanted


def refuse(network: Network, unknown: int, forged: int) -> None:
    for _ in range(unknown):
        assert network.lookup("404040").code == "0101"
    for _ in range(forged):
        assert network.register("404040", "1", "T-1", "Tienda", checksum="0" * 128).code == "0025"


def replace_processes(stack: Stack) -> None:
    """Kills each that serves, and waits until the web server has no connection to any of them."""
    before = set(stack.worker.children())
    wait_until(lambda: stack.worker.kill_one() and not before & set(stack.worker.children()), "others to serve", WRITTEN_WITHIN)
    with stack.client() as client:
        wait_until(lambda: all(client.request("GET", "/healthz").status == 200 for _ in range(8)), "requests to be served", WRITTEN_WITHIN)


def test_each_is_counted_once(stack: Stack) -> None:
    fixed_hash = stack.ctl.json("network", "add", "red")["fixed_hash"]
    with stack.network("red", fixed_hash) as network:
        refuse(network, 3, 2)
        await_counts(stack, {"0101": 3, "0025": 2})
        replace_processes(stack)
        refuse(network, 2, 0)
        await_counts(stack, {"0101": 5, "0025": 2})
        assert "0000" not in counted(stack)


def test_readiness_refuses_nobody(stack: Stack) -> None:
    """Without a dispatcher each probe is answered 0028, and every payment goes well."""
    fixed_hash = stack.ctl.json("network", "add", "red")["fixed_hash"]
    with stack.network("red", fixed_hash) as network, stack.client() as client:
        assert json.loads(client.request("GET", "/readyz").text)["CODE"] == "0028"
        refuse(network, 1, 0)
        await_counts(stack, {"0101": 1})
        assert "0028" not in counted(stack)


def test_what_could_not_be_written_is_written_later(stack: Stack) -> None:
    fixed_hash = stack.ctl.json("network", "add", "red")["fixed_hash"]
    with stack.network("red", fixed_hash) as network:
        refuse(network, 1, 0)
        await_counts(stack, {"0101": 1})
        stack.mariadb.kill()
        assert network.lookup("404040").code == "0028"
        stack.mariadb.start()
        wait_until(lambda: network.lookup("404040").code == "0101", "the service to be back", WRITTEN_WITHIN)
        await_counts(stack, {"0101": 2})
        assert counted(stack)["0028"] >= 1


def test_networks_that_are_refused_are_noted_by_name(stack: Stack) -> None:
    """A wrong checksum, an address that is not allowed, and what notes nobody: a name that nobody has, and a disabled network."""
    stack.ctl.done("network", "add", "forged")
    away = stack.ctl.json("network", "add", "away", "--allow", "192.0.2.1")["fixed_hash"]
    gone = stack.ctl.json("network", "add", "gone")["fixed_hash"]
    stack.ctl.done("network", "disable", "gone")
    for name, secret, code in (("gone", gone, "0019"), ("nobody", "0" * 64, "0025"), ("forged", "0" * 64, "0025"), ("away", away, "0019")):
        with stack.network(name, secret) as network:
            assert network.lookup("404040").code == code
    noted = "SELECT n.name, r.code FROM network_refusals r JOIN networks n ON n.id = r.network_id ORDER BY name"
    wait_until(lambda: len(stack.mariadb.query(noted)) == 2, "both to be noted", WRITTEN_WITHIN)
    assert [tuple(row.values()) for row in stack.mariadb.query(noted)] == [("away", "0019"), ("forged", "0025")]
    assert len(stack.mariadb.query("SELECT 1 FROM network_refusals")) == 2


def test_a_network_that_is_served_again_is_named_no_longer(stack: Stack) -> None:
    fixed_hash = stack.ctl.json("network", "add", "away", "--allow", "192.0.2.1")["fixed_hash"]
    named = "SELECT network FROM networks_refused"
    with stack.network("away", fixed_hash) as network:
        assert network.lookup("404040").code == "0019"
        wait_until(lambda: len(stack.mariadb.query("SELECT 1 FROM network_refusals")) == 1, "it to be noted", WRITTEN_WITHIN)
        stack.mariadb.query("UPDATE network_refusals SET since = since - INTERVAL 10 MINUTE, last_at = last_at - INTERVAL 5 MINUTE")
        assert len(stack.mariadb.query(named)) == 1
        stack.ctl.done("network", "set", "away", "--allow", "127.0.0.0/8", "--allow", "::1")
        wait_until(lambda: network.lookup("404040").code == "0101", "it to be served", WRITTEN_WITHIN)
        wait_until(lambda: not stack.mariadb.query(named), "it to be named no longer", WRITTEN_WITHIN)


def test_workers_note_that_they_run(stack: Stack) -> None:
    """One process for all of a host; whatever ends it, the next goes on."""
    ago = "SELECT TIMESTAMPDIFF(MICROSECOND, at, UTC_TIMESTAMP(6)) AS ago FROM last_done WHERE what = 'serving'"
    wait_until(lambda: len(stack.mariadb.query(ago)) == 1, "the workers to note it", WRITTEN_WITHIN)
    replace_processes(stack)
    stack.mariadb.query("UPDATE last_done SET at = at - INTERVAL 1 DAY WHERE what = 'serving'")
    wait_until(lambda: stack.mariadb.query(ago)[0]["ago"] < 60_000_000, "them to note it again", WRITTEN_WITHIN)
    (host,) = json.loads(stack.ctl.run("--json", "status").stdout)["workers"]
    assert host["host"] == socket.gethostname() and host["seconds_ago"] <= 60
