"""A migration of a cluster goes on through any of its servers, and beside none that still runs."""

import json
import socket
import subprocess
import threading
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import Ctl, wait_until
from tests.stack.config import default_settings, write_config
from tests.stack.galera import Cluster, Node

pytestmark = pytest.mark.slow

LOCK = "SELECT GET_LOCK(SHA1(CONCAT('recaudoctl db migrate ', DATABASE())), 0) AS taken"
ASKED = "SELECT id FROM information_schema.processlist WHERE state = 'User lock'"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path, tmp_path, "32M")
    cluster.start()
    try:
        yield cluster
    finally:
        cluster.kill()


def ctl_of(cluster: Cluster, directory: Path, hosts: str) -> Ctl:
    config = directory / f"{hosts.replace(' ', '-')}.conf"
    settings = default_settings(cluster, str(directory / "fcgi.sock"), directory / "secret.key")
    write_config(config, settings, {"database": {"host": hosts}})
    return Ctl(config)


def stop_midway(cluster: Cluster) -> None:
    cluster.first.query("UPDATE schema_version SET applied_at = NULL")


def test_one_that_ends_while_its_server_is_asked(cluster: Cluster, tmp_path: Path) -> None:
    """It is not done again, beside the programs that work by then."""
    ctl = ctl_of(cluster, tmp_path, str(cluster.address()["host"]))
    ctl.done("db", "migrate")
    stop_midway(cluster)
    with cluster.nodes[1].connect() as running, running.cursor() as cursor:
        cursor.execute(LOCK)
        with subprocess.Popen([ctl.path, "--config", ctl.config, "--json", "db", "migrate"], stdout=subprocess.PIPE, text=True) as asking:
            wait_until(lambda: cluster.nodes[1].query(ASKED), "its server to be asked")
            cursor.execute("UPDATE schema_version SET applied_at = UTC_TIMESTAMP(6)")
            cursor.execute("DO RELEASE_ALL_LOCKS()")
            assert json.loads(asking.communicate(timeout=60)[0])["applied"] == 0


def test_all_servers_are_asked(cluster: Cluster, tmp_path: Path) -> None:
    all_of_them = str(cluster.address()["host"])
    ctl, ctl_of_one = ctl_of(cluster, tmp_path, all_of_them), ctl_of(cluster, tmp_path, all_of_them.split()[0])
    assert ctl.json("db", "migrate")["applied"] == 1

    stop_midway(cluster)
    with cluster.nodes[1].connect() as running, running.cursor() as cursor:
        cursor.execute(LOCK)
        assert cursor.fetchone() == {"taken": 1}
        with subprocess.Popen([ctl.path, "--config", ctl.config, "db", "migrate"], stderr=subprocess.PIPE, text=True) as waiting:
            assert waiting.stderr is not None
            said = waiting.stderr.readline()
            cursor.execute("DO RELEASE_ALL_LOCKS()")
            assert waiting.wait(60) == 0
        assert "another process is migrating it, or was killed and the server still works on what it was sent" in said

    stop_midway(cluster)
    refused = ctl_of_one.run("db", "migrate")
    assert refused.returncode == 1 and "the cluster has 3 servers, and 1 of [database] host answered. Name all of them there" in refused.stderr
    cluster.nodes[2].kill()
    assert ctl.json("db", "migrate")["applied"] == 1


class Silent:
    """Leads to a server, until that is asked for its lock. A thread of each direction passes what it reads."""

    def __init__(self, server: Node) -> None:
        self.to = (server.host, server.port)
        self.listener = socket.create_server((server.host, 0))
        self.address = f"{server.host}:{self.listener.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            asks, answers = self.listener.accept()[0], socket.create_connection(self.to)
            for source, target in ((asks, answers), (answers, asks)):
                threading.Thread(target=self._pass, args=(source, target), daemon=True).start()

    @staticmethod
    def _pass(source: socket.socket, target: socket.socket) -> None:
        while (data := source.recv(65536)) and b"GET_LOCK" not in data:
            target.sendall(data)


def test_a_server_that_does_not_answer_is_named(cluster: Cluster, tmp_path: Path) -> None:
    """It is not waited for as long as the migration's own statements are, which is a day."""
    hosts = str(cluster.address()["host"]).split()
    ctl_of(cluster, tmp_path, hosts[0]).done("db", "migrate")
    stop_midway(cluster)
    silent = Silent(cluster.nodes[1])
    ctl = ctl_of(cluster, tmp_path, f"{hosts[0]} {silent.address} {hosts[2]}")
    refused = subprocess.run([ctl.path, "--config", ctl.config, "db", "migrate"], capture_output=True, text=True, timeout=60)
    assert refused.returncode == 1
    assert f"the cluster has 3 servers, and 2 of [database] host answered, but not {silent.address}. Name all" in refused.stderr


def test_two_that_go_on_through_different_servers(cluster: Cluster, tmp_path: Path) -> None:
    """Each asks the other's. One goes on, the other one waits for it."""
    hosts = str(cluster.address()["host"]).split()
    ctls = [ctl_of(cluster, tmp_path, " ".join(those)) for those in (hosts, hosts[::-1])]
    ctls[0].done("db", "migrate")
    stop_midway(cluster)
    with cluster.nodes[1].connect() as second, second.cursor() as cursor:
        cursor.execute(LOCK)
        migrations = [subprocess.Popen([ctl.path, "--config", ctl.config, "--json", "db", "migrate"], stdout=subprocess.PIPE, text=True)
                      for ctl in ctls]
        try:
            wait_until(lambda: len(cluster.nodes[1].query(ASKED)) == 2, "both to have their locks, and to ask the server between them")
            cursor.execute("DO RELEASE_ALL_LOCKS()")
            outputs = [migration.communicate(timeout=120)[0] for migration in migrations]
        finally:
            for migration in migrations:
                migration.kill()
    assert sorted(json.loads(output)["applied"] for output in outputs) == [0, 1]
