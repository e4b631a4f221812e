"""doc/cluster.md, followed with three servers: its file for Galera with TLS between them, and its accounts over the network."""

import re
from pathlib import Path
from typing import Sequence

import pytest

from tests.stack import Stack, wait_until
from tests.stack.authority import Authority
from tests.stack.mariadb_tcp import HOST
from tests.stack.page_blocks import block, changed
from tests.stack.private_files import write_private

from tests.stack.galera import Cluster, Node
from world import COMMERCE, NETWORK, World

pytestmark = pytest.mark.slow

PAGE = "cluster.md"
SSL = "/etc/mysql/ssl/"
PASSWORD = "a-long-and-random-password"


def certificates(directory: Path) -> Path:
    """One authority for all servers, made by the first of them; each has a certificate for its address."""
    folder = directory.parent / "ssl"
    if not folder.exists():
        folder.mkdir()
        Authority(folder).server("server", f"IP:{HOST},DNS:localhost")
        (folder / "authority.pem").rename(folder / "database-ca.pem")
    return folder


class PageNode(Node):
    """The file of the page; only addresses, ports and the way to copy a server are those of the tests."""

    def __init__(self, directory: Path, buffer_pool: str, port: int, members: Sequence[str]) -> None:
        super().__init__(directory, buffer_pool, port, members)
        directory.mkdir(parents=True, exist_ok=True)
        text = changed(block(PAGE, "galera"), (SSL, f"{certificates(directory)}/"), ("bind_address = 10.1.2.11", f"bind_address = {HOST}"),
                       ("gcache.size=1G", "gcache.size=64M"))
        file = directory / "60-recaudo.cnf"
        file.write_text(text)
        options = re.findall(r'^wsrep_provider_options = "(.*)"$', text, re.MULTILINE)[0]
        (ours,) = [word for word in self.joined if word.startswith("--wsrep-provider-options=")]
        places = ";".join(one for one in ours.split("=", 1)[1].split(";") if one.startswith(("gmcast.", "ist.", "evs.install")))
        kept = [word for word in self.joined if word.startswith(("--wsrep-sst-method", "--wsrep-cluster-address", "--wsrep-node"))]
        self.alone = [self.alone[0], f"--defaults-file={file}", *self.alone[2:], "--wsrep-on=OFF"]
        self.joined = [*self.alone[:-1], *kept, f"--wsrep-provider-options={options};{places}"]
        self.process.command = list(self.alone)


class PageCluster(Cluster):
    node_type = PageNode

    def address(self) -> dict[str, object]:
        return {"host": " ".join(f"{HOST}:{node.port}" for node in self.nodes), "account_host": HOST,
                "tls_ca": str(self.first.directory.parent / "ssl" / "database-ca.pem")}


def make_accounts(cluster: PageCluster) -> None:
    """As the page says, for accounts that were not there before."""
    text = changed(block(PAGE, "cluster accounts"), ("10.1.2.%", HOST), ("'PASSWORD'", f"'{PASSWORD}'"))
    for statement in text.split(";\n"):
        if statement.strip():
            cluster.first.query(re.sub("^CREATE USER", "CREATE OR REPLACE USER", statement))


def settings(stack: Stack, folder: Path) -> dict[str, object]:
    """The file of the page for the web hosts, section [database]."""
    text = block(PAGE, "cluster recaudo").split("[worker]")[0] + block(PAGE, "cluster recaudo owner")
    lines = [line.split(" = ", 1) for line in text.splitlines() if " = " in line]
    named: dict[str, object] = dict(lines)
    for name in [name for name in named if name.endswith("password_file")]:
        path = folder / Path(str(named[name])).name
        write_private(path, PASSWORD + "\n")
        named[name] = str(path)
    return {**named, **stack.mariadb.address()}


def test_page_followed(tmp_path: Path) -> None:
    with Stack(buffer_pool="32M", database=PageCluster, dispatcher=False) as stack:
        cluster = stack.mariadb
        assert isinstance(cluster, PageCluster)
        for node in cluster.nodes:
            told = node.query("SELECT @@wsrep_provider_options AS o, @@innodb_flush_log_at_trx_commit AS f, @@innodb_autoinc_lock_mode AS a,"
                              " @@binlog_format AS b, @@require_secure_transport AS r, @@wsrep_slave_threads AS t, @@secure_timestamp AS s, @@innodb_lock_wait_timeout AS w")[0]
            assert "socket.ssl = YES" in told["o"] and "evs.suspect_timeout = PT1.5S" in told["o"]
            assert (told["f"], told["a"], told["b"], told["r"], told["t"], told["s"], told["w"]) == (1, 2, "ROW", 1, 4, "SUPER", 5)
        make_accounts(cluster)
        wait_until(lambda: all(node.query("SELECT 1 AS one FROM mysql.user WHERE user = 'recaudo_owner'") for node in cluster.nodes),
                   "the accounts on every server")
        cluster.recreate_database()
        stack.write_config({"database": settings(stack, tmp_path), "security": {"key_file": tmp_path / "secret.key"}})
        stack.ctl.done("key", "create")
        stack.ctl.done("db", "migrate")
        stack.ctl.done("db", "migrate")
        stack.ctl.done("config", "check")
        stack.worker.restart()
        world = World(stack)
        order = world.order()
        with world.connect(NETWORK) as network:
            assert network.register(order.reference, "45000", world.fresh(), COMMERCE).code == "0000"
        with cluster.first.connect() as connection, connection.cursor() as cursor:
            cursor.execute("SELECT host FROM information_schema.processlist WHERE user = 'recaudo_worker'")
            assert cursor.fetchall(), "the worker has come over the network, where the accounts must use TLS"
