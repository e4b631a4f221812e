"""recaudo-query alone, as systemd starts it: its starts and ends, what it tells the manager, and workers that break off."""

import errno
import os
import signal
import socket
import struct
import subprocess
from contextlib import ExitStack
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import wait_until
from tests.stack.config import write_config
from tests.stack.inspection.refused_calls import RefusedCalls
from tests.stack.merchant_stub import MerchantStub, hold, says
from tests.stack.paths import program

pytestmark = pytest.mark.nginx  # the web server has no part in it
NOT_CONFIGURED = 78
SECOND = 1_000_000
# src/outbound/query/query_message.c
LAYOUT, ASK, END, USE = 0x71750003, 1, 2, 3
ASKED, LOST, FULL, IN_USE = 1, 3, 4, 6
SETTINGS = {"database": {"socket": "/nowhere", "name": "recaudo"}, "security": {"allow_addresses": "127.0.0.0/8"}}
SHARING = 32  # lookups of one merchant that wait for another one's query (doc/protocol.md)


def message(kind: int, url: str = "", reference: str = "1", timeout: int = 5 * SECOND) -> bytes:
    texts = [text.encode() for text in (reference, url, "", "{}")]
    return struct.pack("IIQQQQqIIIII4x", LAYOUT, kind, 1, 1, 1, 4096, timeout, 0, *map(len, texts)) + b"".join(texts)


class Asker:
    """The program with a socket of its own."""

    def __init__(self, folder: Path) -> None:
        self.config, self.path, self.log = folder / "recaudo.conf", folder / "query.sock", folder / "log"
        self.environment = {**os.environ, "RECAUDO_CONFIG": str(self.config)}
        self.process: subprocess.Popen[bytes] | None = None
        self.links = ExitStack()
        write_config(self.config, SETTINGS)

    def start(self, files: int | None = None) -> None:
        limit = [] if files is None else ["prlimit", f"--nofile={files}:{files}"]
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener, open(self.log, "ab") as log:
            listener.bind(str(self.path))
            listener.listen(128)
            self.process = subprocess.Popen([*limit, program("recaudo-query")], stdin=listener, stdout=log, stderr=log,
                                            env=self.environment)

    def link(self) -> socket.socket:
        link = self.links.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET))
        link.settimeout(60)
        link.connect(str(self.path))
        return link

    def serves(self) -> bool:
        return kind_of(exchange(self.link(), message(USE, timeout=0))) == IN_USE

    def says(self, line: str) -> None:
        wait_until(lambda: line in self.log.read_text(), line)

    def ends(self) -> int:
        assert self.process is not None
        return self.process.wait(60)

    def stop(self) -> int:
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.ends()


def exchange(link: socket.socket, packet: bytes) -> bytes:
    link.send(packet)
    return link.recv(1 << 17)


def kind_of(reply: bytes) -> int:
    """0: the link has ended."""
    return int.from_bytes(reply[4:8], "little")


@pytest.fixture
def asker(tmp_path: Path) -> Iterator[Asker]:
    asker = Asker(tmp_path)
    yield asker
    asker.links.close()
    if asker.process is not None and asker.process.poll() is None:
        try:
            assert asker.stop() == 0
        finally:
            asker.process.kill()
            asker.process.wait()


@pytest.mark.parametrize("words", [[], ["now"]], ids=["no socket", "a word"])
def test_usage(words: list[str]) -> None:
    result = subprocess.run([program("recaudo-query"), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert result.returncode == 2 and "with the socket it listens on as its standard input" in result.stderr


@pytest.mark.parametrize("section, setting, value", [("worker", "threds", "1"), ("security", "deny_addresses", "everybody")])
def test_wrong_configuration(asker: Asker, section: str, setting: str, value: str) -> None:
    """At the start it ends; at a reload it goes on with what it read before."""
    wrong = {**SETTINGS, section: {setting: value}}
    asker.start()
    assert asker.serves()
    write_config(asker.config, wrong)
    assert asker.process is not None
    asker.process.send_signal(signal.SIGHUP)
    asker.says("not reloaded, going on with the configuration read before")
    assert asker.serves() and asker.stop() == 0
    asker.path.unlink()
    asker.start()
    assert asker.ends() == NOT_CONFIGURED
    assert setting in asker.log.read_text() or value in asker.log.read_text()


@pytest.mark.parametrize("name", ["{folder}/notify", "@recaudo-test-{process}"])
def test_manager_is_told(asker: Asker, tmp_path: Path, name: str) -> None:
    path = name.format(folder=tmp_path, process=os.getpid())
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(path.replace("@", "\0", 1))
        manager.settimeout(60)
        asker.environment |= {"NOTIFY_SOCKET": path, "WATCHDOG_USEC": str(3 * SECOND)}
        asker.start()
        told = [manager.recv(4096) for _ in range(3)]
        assert told[0] == b"READY=1" and told[1:] == [b"WATCHDOG=1"] * 2
        assert asker.process is not None
        asker.process.send_signal(signal.SIGHUP)
        while (told := [manager.recv(4096)]) == [b"WATCHDOG=1"]:
            pass
        assert told[0].startswith(b"RELOADING=1\nMONOTONIC_USEC=") and manager.recv(4096) == b"READY=1"
        asker.process.send_signal(signal.SIGTERM)
        while (last := manager.recv(4096)) == b"WATCHDOG=1":
            pass
        assert last == b"STOPPING=1" and asker.ends() == 0


@pytest.mark.parametrize("name", ["", "/nowhere/notify", "/" + "x" * 200])
def test_manager_that_cannot_be_told(asker: Asker, name: str) -> None:
    asker.environment["NOTIFY_SOCKET"] = name
    asker.start()
    assert asker.serves() and asker.stop() == 0


def test_beats_that_are_of_no_file(asker: Asker) -> None:
    asker.environment["RECAUDO_BEATS"] = "999"
    asker.start()
    assert asker.serves() and asker.stop() == 0


def test_what_is_no_question_ends_the_link(asker: Asker) -> None:
    asker.start()
    for packet in (message(END, timeout=0), message(9), b"x", message(ASK, timeout=0)):
        assert exchange(asker.link(), packet) == b""
    assert asker.serves()


def in_use(link: socket.socket) -> tuple[int, int]:
    """Queries in flight, and lookups that wait for them."""
    in_flight, waiting = struct.unpack_from("QQ", exchange(link, message(USE, timeout=0)), 56)
    return in_flight, waiting


def test_worker_that_breaks_off(asker: Asker, stub: MerchantStub) -> None:
    """Before the answer, after it without its end, or with something else in its place: its place is free, and so is the reference."""
    asker.start()
    watcher = asker.link()
    at_once, later = stub.on("/at-once", says("{}")), stub.on("/later", hold)
    gone = asker.link()
    gone.send(message(ASK, later))
    wait_until(lambda: in_use(watcher) == (1, 0), "the query to be in flight")
    gone.close()
    wait_until(lambda: in_use(watcher) == (0, 0), "its place to be free")
    silent = asker.link()
    assert kind_of(exchange(silent, message(ASK, at_once))) == ASKED
    waits = asker.link()
    waits.send(message(ASK, at_once))
    wait_until(lambda: in_use(watcher)[1] == 1, "another one to wait for the end")
    silent.close()
    assert kind_of(waits.recv(1 << 17)) == LOST
    confused = asker.link()
    assert kind_of(exchange(confused, message(ASK, at_once))) == ASKED
    assert exchange(confused, message(USE, timeout=0)) == b""
    assert kind_of(exchange(asker.link(), message(ASK, at_once))) == ASKED


def test_so_many_wait_for_one_query(asker: Asker, stub: MerchantStub) -> None:
    asker.start()
    watcher, url = asker.link(), stub.on("/shared", hold)
    for _ in range(1 + SHARING):
        asker.link().send(message(ASK, url))
    wait_until(lambda: in_use(watcher) == (1, SHARING), "them to wait")
    assert kind_of(exchange(asker.link(), message(ASK, url))) == FULL


def test_more_links_than_files_all_in_use(asker: Asker, stub: MerchantStub) -> None:
    """What is too much is refused, and said once; what is in hand is answered."""
    places = 20
    asker.start(2 * places)
    watcher, url = asker.link(), stub.on("/busy", hold)
    links = [asker.link() for _ in range(places - 1)]
    for link in links:
        link.send(message(ASK, url, "shared"))
    wait_until(lambda: in_use(watcher) == (1, places - 2), "them to be in use")
    watcher.send(message(ASK, url, "another one"))
    wait_until(lambda: len(stub.requests_to("/busy")) == 2, "the last one to be in use")
    for _ in range(3):
        assert asker.link().recv(1) == b""
    asker.says(f"more than {places} queries at the same time: refusing some")
    assert asker.log.read_text().count("queries at the same time") == 1
    stub.release(200, b"{}")
    assert kind_of(watcher.recv(1 << 17)) == ASKED


def test_idle_and_busy_links_at_the_end(asker: Asker, stub: MerchantStub) -> None:
    """Idle ones are closed at once; a query in flight is answered, and a second signal changes nothing."""
    asker.start()
    idle, busy = asker.link(), asker.link()
    assert kind_of(exchange(idle, message(USE, timeout=0))) == IN_USE
    busy.send(message(ASK, stub.on("/last", hold)))
    wait_until(lambda: len(stub.requests_to("/last")) == 1, "the query to be in flight")
    assert asker.process is not None
    for _ in range(2):
        asker.process.send_signal(signal.SIGTERM)
        assert idle.recv(1) == b""
    stub.release(200, b"{}")
    assert kind_of(busy.recv(1 << 17)) == ASKED
    busy.send(message(END, timeout=0))
    assert asker.ends() == 0


@pytest.mark.preloads
@pytest.mark.parametrize("function, error", [("signalfd", errno.EMFILE), ("epoll_create1", errno.EMFILE), ("epoll_ctl", errno.ENOSPC)])
def test_cannot_serve(asker: Asker, tmp_path: Path, function: str, error: int) -> None:
    refused = RefusedCalls(tmp_path)
    asker.environment |= refused.environment()
    with refused.refusing(function, error):
        asker.start()
        assert asker.ends() == 1
    assert f"cannot serve: {os.strerror(error)}" in asker.log.read_text()


@pytest.mark.preloads
def test_link_that_cannot_be_watched(asker: Asker, tmp_path: Path) -> None:
    """It is closed, and the next one is served."""
    refused = RefusedCalls(tmp_path)
    asker.environment |= refused.environment()
    asker.start()
    assert asker.serves()
    with refused.refusing("epoll_ctl", errno.ENOSPC):
        assert asker.link().recv(1) == b""
    assert asker.serves() and asker.stop() == 0
