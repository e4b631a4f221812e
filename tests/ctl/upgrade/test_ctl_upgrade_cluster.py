"""A migration of a cluster goes on through any of its servers, and beside none that still runs."""

import json
import subprocess
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import Ctl, wait_until
from tests.stack.config import default_settings, write_config
from tests.stack.galera import Cluster

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
    config = directory / f"{len(hosts)}.conf"
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
    assert refused.returncode == 1 and "the cluster has 3, and 1 of [database] host answered. Name all of them there" in refused.stderr
    cluster.nodes[2].kill()
    assert ctl.json("db", "migrate")["applied"] == 1
