"""recaudo-query asks merchants for the workers: who has what, and what lookups are told when it is killed, hangs, is absent
or sends an impossible reply."""

import os
import re
import resource
import select
import signal
import socket
import stat
import struct
import subprocess
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Callable, Iterator

import pytest

from tests.stack import Stack, wait_until
from tests.stack.inspection.files import check_connections_wait, no_more_files
from tests.stack.merchant_stub import MerchantStub, closes, hold
from tests.stack.paths import program
from tests.stack.scrape import scrape

from asked import Asked, make_asked
from checked import CheckedNetwork, expect
from own_instance import own_stack, own_world
from world import OTHER_NETWORK, World

REQUEST_TIME = 7.0
HUNG_AFTER = 16.0  # with the time-outs below (hung_after, src/edge/main.c)
REST_AFTER = 5
AT_ONCE = 4.0  # not by a time-out, on a busy machine
SETTINGS = {"worker": {"processes": 2}, "database": {"connect_timeout": "1s", "read_timeout": "1s"}}

stack = own_stack(SETTINGS)
world = own_world


@pytest.fixture(scope="module")
def known(world: World, stub: MerchantStub) -> Asked:
    return make_asked(world, stub)


@pytest.fixture
def shop(network: CheckedNetwork, known: Asked) -> Asked:
    known.await_well(network)
    return known


def query_process(stack: Stack) -> int:
    return int(wait_until(stack.worker.query_process, "the process that asks merchants"))


def status_of(process: int) -> dict[str, str]:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def sockets_of(process: int) -> set[int]:
    """By inode."""
    links = [os.readlink(path) for path in Path(f"/proc/{process}/fd").iterdir()]
    return {int(link[8:-1]) for link in links if link.startswith("socket:[")}


def internet_sockets() -> set[int]:
    files = [Path(f"/proc/net/{name}") for name in ("tcp", "tcp6", "udp", "udp6")]
    lines = [line.split() for path in files if path.exists() for line in path.read_text().splitlines()[1:]]
    return {int(line[9]) for line in lines}


def holds(process: int, secret: bytes) -> bool:
    """Whether these bytes stand anywhere in what the process may write. What is larger than 1 GiB is a sanitizer's, not the program's."""
    with open(f"/proc/{process}/mem", "rb", 0) as memory:
        for line in Path(f"/proc/{process}/maps").read_text().splitlines():
            match = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
            if match:
                start, end = int(match[1], 16), int(match[2], 16)
                try:
                    if end - start < 2**30 and secret in os.pread(memory.fileno(), end - start, start):
                        return True
                except (OSError, OverflowError):
                    pass
    return False


def test_each_has_given_up_what_it_does_not_need(stack: Stack) -> None:
    """tests/unit/base/test_confine.c tries what is left: workers make unix sockets only, recaudo-query everything but those."""
    for process in (query_process(stack), *stack.worker.children()):
        wait_until(lambda asked=process: status_of(asked)["Seccomp"] == "2", "it to have given up")
        assert status_of(process)["NoNewPrivs"] == "1"


def test_only_the_query_process_is_on_the_internet(stack: Stack, network: CheckedNetwork, shop: Asked,
                                                   world: World) -> None:
    reference = shop.on(shop.reference(), hold)
    thread = threading.Thread(target=lambda: world.connect().__enter__().lookup(reference))
    thread.start()
    wait_until(lambda: shop.asked_about(reference), "the merchant to be asked")
    there = internet_sockets()
    assert sockets_of(query_process(stack)) & there
    for worker in stack.worker.children():
        assert not sockets_of(worker) & there
    shop.stub.release(200, b"{}")
    thread.join()


def test_the_query_process_has_neither_key_nor_password(stack: Stack, network: CheckedNetwork, shop: Asked) -> None:
    """It was started anew, and has asked. The workers, to see that the search finds them, have both."""
    expect(network.lookup(shop.reference()), "0000")
    key = bytes.fromhex(re.findall(r"[0-9a-f]{64}", stack.key_file.read_text())[0])
    settings = dict(line.split(" = ", 1) for line in stack.config.read_text().splitlines() if " = " in line)
    password = Path(settings["worker_password_file"]).read_bytes().strip()
    hashed = shop.fixed_hash.encode()
    asks, workers = query_process(stack), stack.worker.children()
    assert any(holds(worker, key) for worker in workers)
    assert not any(holds(asks, secret) for secret in (key, password, hashed))


def test_the_query_process_has_no_database(stack: Stack) -> None:
    """The client library is not in it."""
    libraries = subprocess.run(["ldd", program("recaudo-query")], capture_output=True, text=True, check=True).stdout
    assert "libcurl" in libraries and "mariadb" not in libraries and "mysql" not in libraries


def test_nobody_else_may_ask(stack: Stack) -> None:
    about = os.stat(f"{stack.worker.socket}.queries")
    assert stat.S_ISSOCK(about.st_mode) and stat.S_IMODE(about.st_mode) == 0o600
    assert about.st_uid == os.stat(f"/proc/{stack.worker.pid}").st_uid


def away(stack: Stack) -> float:
    return scrape(stack.base_url).value("recaudo_external_queries_withheld_total", reason="away")


def test_killed_and_replaced(stack: Stack, network: CheckedNetwork, shop: Asked) -> None:
    for _ in range(3):
        before, workers = query_process(stack), stack.worker.children()
        os.kill(before, signal.SIGKILL)
        wait_until(lambda: stack.worker.query_process() not in (None, before), "another one")
        wait_until(lambda line=f"query process {before} ended (signal 9)": line in stack.worker.log_text(), "the line")
        expect(network.lookup(shop.reference()), "0000")
        assert stack.worker.children() == workers


def connect(stack: Stack) -> socket.socket:
    """As a worker does."""
    link = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    link.connect(f"{stack.worker.socket}.queries")
    return link


def test_no_file_for_a_link(stack: Stack, network: CheckedNetwork, shop: Asked) -> None:
    process = query_process(stack)
    with ExitStack() as links:
        check_connections_wait([process], "connections of workers", stack.worker.log_text,
                               lambda: links.enter_context(connect(stack)))
        expect(network.lookup(shop.reference()), "0000")
    assert query_process(stack) == process


def test_no_file_for_a_query(stack: Stack, network: CheckedNetwork, shop: Asked) -> None:
    """The merchant is not blamed: lookups are told to come again, and its endpoint does not rest afterwards."""
    expect(network.lookup(shop.on(shop.reference(), closes)), "0108")  # no connection is left to be used again
    with no_more_files([query_process(stack)]):
        for _ in range(REST_AFTER + 1):
            expect(network.lookup(shop.reference()), "0028")
        wait_until(lambda: "this process may open no more files" in stack.worker.log_text(), "the line")
    expect(network.lookup(shop.reference()), "0000")


def links_of_workers(stack: Stack) -> int:
    """Connections to the query process; 03 is a connected socket's state."""
    lines = [line.split() for line in Path("/proc/net/unix").read_text().splitlines()]
    return sum(line[5] == "03" and line[-1] == f"{stack.worker.socket}.queries" for line in lines)


def test_idle_links_end(stack: Stack, network: CheckedNetwork, shop: Asked) -> None:
    """The workers close those that they have not needed for some time, so that they do not pile up after a rush."""
    expect(network.lookup(shop.reference()), "0000")
    assert links_of_workers(stack) > 0
    wait_until(lambda: links_of_workers(stack) == 0, "the workers to close their links", 60)
    expect(network.lookup(shop.reference()), "0000")


@pytest.fixture
def few_files(stack: Stack) -> Iterator[int]:
    """The query process may have so many open, as whoever starts it."""
    before, files = query_process(stack), 400
    resource.prlimit(stack.worker.pid, resource.RLIMIT_NOFILE, (files, files))
    os.kill(before, signal.SIGKILL)
    wait_until(lambda: stack.worker.query_process() not in (None, before), "another one")
    yield files
    stack.worker.restart()


def test_idle_links_give_way(stack: Stack, network: CheckedNetwork, shop: Asked, few_files: int) -> None:
    """More links than files, none of them in use: each new one takes the place of the one that has been idle longest."""
    with ExitStack() as links:
        for _ in range(2 * few_files):
            links.enter_context(connect(stack))
        expect(network.lookup(shop.reference()), "0000")
        assert len(sockets_of(query_process(stack))) < few_files


@pytest.mark.slow
def test_hangs_and_is_replaced(stack: Stack, world: World, network: CheckedNetwork, shop: Asked) -> None:
    """Lookups that need it are answered within the budget of a request, and all others at once; then it is killed."""
    hung, order, before = query_process(stack), world.order(), away(stack)
    os.kill(hung, signal.SIGSTOP)
    began = time.monotonic()
    expect(network.lookup(shop.reference()), "0028")
    assert time.monotonic() - began < REQUEST_TIME + AT_ONCE
    began = time.monotonic()
    expect(network.lookup(order.reference), "0000")
    assert time.monotonic() - began < AT_ONCE
    wait_until(lambda: stack.worker.query_process() not in (None, hung), "another one", 60)
    wait_until(lambda: f"query process {hung} has made no progress" in stack.worker.log_text(), "the line")
    expect(network.lookup(shop.reference()), "0000")
    assert away(stack) > before


@pytest.mark.slow
def test_waiting_is_no_hang(stack: Stack, network: CheckedNetwork, shop: Asked) -> None:
    """For longer than it takes to find a hang."""
    process, ends_at = query_process(stack), time.monotonic() + HUNG_AFTER + 4
    while time.monotonic() < ends_at:
        expect(network.lookup(shop.on(shop.reference(), hold)), "0108")
        shop.await_well(network)
    assert query_process(stack) == process


@pytest.mark.slow
def test_one_that_hangs_does_not_keep_the_service_from_leaving(stack: Stack) -> None:
    os.kill(query_process(stack), signal.SIGSTOP)
    assert stack.worker.stop() == 0
    stack.worker.start()


def test_reload(stack: Stack, network: CheckedNetwork, shop: Asked) -> None:
    """The process stays, and goes by the new rules."""
    process = query_process(stack)
    stack.write_config({**SETTINGS, "security": {"deny_addresses": "127.0.0.0/8"}})
    stack.worker.signal(signal.SIGHUP)
    wait_until(lambda: network.lookup(shop.reference()).code == "0108", "the address to be denied")
    stack.write_config(SETTINGS)
    stack.worker.signal(signal.SIGHUP)
    shop.await_well(network)
    assert query_process(stack) == process


def test_reload_of_a_broken_configuration(stack: Stack, network: CheckedNetwork, shop: Asked) -> None:
    process, good = query_process(stack), stack.config.read_text()
    stack.config.write_text(good.replace("[worker]", "[worker]\nthreds = 1"))
    os.kill(process, signal.SIGHUP)
    wait_until(lambda: "not reloaded" in stack.worker.log_text(), "the refusal")
    stack.config.write_text(good)
    expect(network.lookup(shop.reference()), "0000")
    assert query_process(stack) == process


@contextmanager
def asked_at(stack: Stack, path: str) -> Iterator[None]:
    """The workers ask the process that listens there, and start none."""
    stack.worker.stop()
    stack.worker.environment["RECAUDO_QUERY_SOCKET"] = path
    stack.worker.start()
    try:
        assert stack.worker.query_process() is None
        yield
    finally:
        stack.worker.stop()
        del stack.worker.environment["RECAUDO_QUERY_SOCKET"]
        stack.worker.start()


def check_away(stack: Stack, world: World, network: CheckedNetwork, known: Asked, within: float) -> None:
    """Lookups that need it are told to come again; all others go on."""
    order = world.order()
    wait_until(lambda: network.lookup(order.reference).code == "0000", "the workers to serve")
    before = away(stack)
    began = time.monotonic()
    expect(network.lookup(known.reference()), "0028")
    assert time.monotonic() - began < within
    expect(network.lookup(order.reference), "0000")
    assert away(stack) == before + 1


def test_absent(stack: Stack, world: World, network: CheckedNetwork, known: Asked) -> None:
    assert scrape(stack.base_url).value("recaudo_query_process_up") == 1
    with asked_at(stack, "/nowhere/query.sock"):
        check_away(stack, world, network, known, AT_ONCE)
        measures = scrape(stack.base_url)
        assert measures.value("recaudo_query_process_up") == 0
        assert "recaudo_external_queries_in_flight " not in measures.text
        wait_until(lambda: "recaudo-query at /nowhere/query.sock No such file" in stack.worker.log_text(), "the line")


def closes_at_once(link: socket.socket) -> None:
    link.recv(65536)


def talks_nonsense(link: socket.socket) -> None:
    link.recv(65536)
    link.send(b"x" * 200)
    link.recv(65536)


def echoes(link: socket.socket) -> None:
    link.send(link.recv(65536))
    link.recv(65536)


def says_nothing(link: socket.socket) -> None:
    link.recv(65536)
    link.recv(65536)


@contextmanager
def false_process(stack: Stack, behaviour: Callable[[socket.socket], None]) -> Iterator[str]:
    """Where it listens; it treats each link so."""
    path = str(stack.sockets / "false.sock")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(path)
    listener.listen(64)

    def serve(link: socket.socket) -> None:
        with link:
            behaviour(link)

    def accept() -> None:
        while True:
            try:
                link, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(link,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield path
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        os.unlink(path)


def real_use(stack: Stack) -> bytes:
    """What the process says that is asked how many queries are in flight (the head of src/outbound/query/query_message.c)."""
    layout, use = 0x71750003, 3
    with connect(stack) as link:
        link.send(struct.pack("IIQQQQqIIIII4x", layout, use, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        return link.recv(65536)


def test_a_link_that_ends_before_it_takes_the_question(stack: Stack, network: CheckedNetwork, known: Asked) -> None:
    """The question is asked on another link: recaudo-query ends idle ones where others need their places."""
    full, resting = 4, "0110"
    answer = bytearray(real_use(stack))
    struct.pack_into("I", answer, 4, full)
    ended = []

    def ends_at_second(link: socket.socket) -> None:
        link.recv(65536)
        link.send(answer)
        select.select([link], [], [])
        ended.append(link.recv(1, socket.MSG_PEEK))

    with false_process(stack, ends_at_second) as path, asked_at(stack, path):
        for _ in range(10):
            expect(network.lookup(known.reference()), resting)
        assert any(ended)


def open_files(stack: Stack) -> int:
    return sum(len(os.listdir(f"/proc/{process}/fd")) for process in stack.worker.children())


def test_answer_to_another_question(stack: Stack, network: CheckedNetwork, known: Asked) -> None:
    """Each closes its link: none is left behind."""
    answer = real_use(stack)
    assert answer

    def answers(link: socket.socket) -> None:
        link.recv(65536)
        link.send(answer)
        link.recv(65536)

    with false_process(stack, answers) as path, asked_at(stack, path):
        expect(network.lookup(known.reference()), "0028")
        before = open_files(stack)
        for _ in range(20):
            expect(network.lookup(known.reference()), "0028")
        assert open_files(stack) < before + 10


def test_shared_answer_that_was_replaced(stack: Stack, world: World, network: CheckedNetwork, known: Asked) -> None:
    """Another network was offered another order before the lookup that shared the query read its own."""
    shared, granted = 2, 0
    answer = bytearray(real_use(stack))
    struct.pack_into("I", answer, 4, shared)
    struct.pack_into("I", answer, 24, granted)
    order = world.order("9999", merchant=known.name, reference=known.reference(), origin="external")
    world.write("INSERT INTO offers (order_id, network_id) SELECT %s, id FROM networks WHERE name = %s", order.id,
                OTHER_NETWORK)

    def shares(link: socket.socket) -> None:
        while link.recv(65536):
            link.send(answer)

    with false_process(stack, shares) as path, asked_at(stack, path), world.connect(OTHER_NETWORK) as other:
        expect(other.lookup(order.reference), "0000")
        expect(network.lookup(order.reference), "0028")


@pytest.mark.parametrize("behaviour, within", [(closes_at_once, AT_ONCE), (talks_nonsense, AT_ONCE), (echoes, AT_ONCE),
                                               (says_nothing, REQUEST_TIME + AT_ONCE)])
def test_one_that_was_taken_over(stack: Stack, world: World, network: CheckedNetwork, known: Asked,
                                 behaviour: Callable[[socket.socket], None], within: float) -> None:
    """The workers believe nothing that cannot be, and go on."""
    with false_process(stack, behaviour) as path, asked_at(stack, path):
        workers = wait_until(stack.worker.children, "a worker")
        check_away(stack, world, network, known, within)
        assert set(workers) <= set(stack.worker.children())  # the last ones may have been forked since
