"""/readyz says which part is not ready."""

from typing import Iterator

import pytest

from tests.stack import Stack, wait_until

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
    expect_not_ready(client, "the settling dispatcher")
    for task in ("settle", "deliver"):
        world.dispatch()
        expect(client.request("GET", "/readyz"), "0000")
        world.write("UPDATE dispatchers SET seen_at = seen_at - INTERVAL 181 SECOND WHERE task = %s", task)
        expect_not_ready(client, f"the {words[task]}")
    world.dispatch()
    expect(client.request("GET", "/readyz"), "0000")


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
        expect_not_ready(client, "the database")
    finally:
        world.stack.mariadb.start()
    wait_until(lambda: all(client.request("GET", "/readyz").code == "0000" for _ in range(20)), "it to be ready", 5.0)


def test_a_frozen_database(world: World, client: CheckedClient) -> None:
    """The answer comes within the worker's own limits."""
    world.dispatch()
    expect(client.request("GET", "/readyz"), "0000")
    world.stack.mariadb.process.pause()
    try:
        with CheckedClient(world.stack.base_url, timeout=4.0) as impatient:
            expect_not_ready(impatient, "the database")
    finally:
        world.stack.mariadb.process.resume()
    wait_until(lambda: all(client.request("GET", "/readyz").code == "0000" for _ in range(20)), "it to be ready", 10.0)
