"""A worker that reaches its database by name, over TLS: no wait for one request's sake stops the others."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import Stack, wait_until
from tests.stack.authority import Authority
from tests.stack.mariadb_tcp import HOST, MariaDBOverTcp

from checked import CheckedNetwork, expect
from names import Names
from world import NETWORK, World

pytestmark = pytest.mark.preloads
NAME = "db.test"


class NamedDatabase(MariaDBOverTcp):
    """Its name is known only to what is started with `Names`."""

    def __init__(self, directory: Path, sockets: Path, buffer_pool: str) -> None:
        (directory / "authority").mkdir()
        authority = Authority(directory / "authority")
        authority.server("server", f"DNS:{NAME},IP:{HOST}")
        self.trusted = authority.certificate
        super().__init__(directory, sockets, buffer_pool, [f"--ssl-cert={authority.directory / 'server.pem'}",
                                                           f"--ssl-key={authority.directory / 'server.key'}"])

    def address(self) -> dict[str, object]:
        return {"host": f"{NAME}:{self.port}", "account_host": HOST, "tls_ca": self.trusted}


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> Names:
    names = Names(tmp_path_factory.mktemp("names"))
    names.set(NAME, HOST)
    return names


@pytest.fixture(scope="module")
def world(names: Names) -> Iterator[World]:
    """All programs look names up so, recaudoctl too."""
    with pytest.MonkeyPatch.context() as patch:
        for variable, value in names.environment().items():
            patch.setenv(variable, value)
        with Stack(settings={"worker": {"processes": 1}}, dispatcher=False, buffer_pool="16M", database=NamedDatabase) as stack:
            yield World(stack)


@pytest.fixture
def network(world: World) -> Iterator[CheckedNetwork]:
    with world.connect(NETWORK) as network:
        yield network


def confirm(world: World, transaction: str) -> str:
    with world.connect(NETWORK) as network:
        return network.confirm(transaction).code


def lookup(world: World, reference: str) -> str:
    with world.connect(NETWORK) as network:
        return network.lookup(reference).code


def test_statement_that_waits_under_tls(world: World, network: CheckedNetwork) -> None:
    """Nothing may be written for a moment; lookups, on other connections, do not wait for the confirmation that does."""
    order, other = world.order(), world.order()
    transaction = world.register(network, order)
    holder = world.stack.mariadb.connect()
    with ThreadPoolExecutor(1) as apart, holder.cursor() as cursor:
        cursor.execute("FLUSH TABLES WITH READ LOCK")
        waiting = apart.submit(confirm, world, transaction)
        waits = "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'recaudo_worker' AND state LIKE 'Waiting for%%lock'"
        wait_until(lambda: world.value(waits) == 1, "the confirmation to wait")
        for _ in range(3):
            expect(network.lookup(other.reference), "0000")
        assert not waiting.done()
        cursor.execute("UNLOCK TABLES")
        assert waiting.result(60) == "0000"
    holder.close()


def test_name_that_is_not_found_any_more(world: World, network: CheckedNetwork, names: Names) -> None:
    """Connecting again waits for the name; what needs no database is answered meanwhile."""
    order = world.order()
    expect(network.lookup(order.reference), "0000")
    names.set(NAME, "hang")
    world.stack.mariadb.query("KILL USER recaudo_worker@'127.0.0.1'")
    with ThreadPoolExecutor(1) as apart:
        waiting = apart.submit(lookup, world, order.reference)
        wait_until(names.has_hung, "a name resolution that hangs")
        for _ in range(20):
            expect(network.request("GET", "/healthz"), "0000")
        names.set(NAME, HOST)
        assert waiting.result(60) in ("0000", "0028")
    wait_until(lambda: network.lookup(order.reference).code == "0000", "the database to be back")
