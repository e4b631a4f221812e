"""A database server that was killed under payments: `mariadbd --wsrep-recover`, with which Debian starts each server of a cluster, ends."""

import shutil
import subprocess
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import Ctl, MariaDB
from tests.stack.config import default_settings, write_config

PAYMENTS, RECOVERIES, SECONDS_MOST = 500, 8, 30
MEMORY_MOST = 4_000_000  # KiB of addresses: a server that opens tables for ever ends here

pytestmark = pytest.mark.slow


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MariaDB]:
    server = MariaDB(tmp_path, tmp_path, "32M", ["--transaction-isolation=REPEATABLE-READ", "--loose-innodb-buffer-pool-size-max=512M"])
    config = tmp_path / "recaudo.conf"
    write_config(config, default_settings(server, str(tmp_path / "fcgi.sock"), tmp_path / "secret.key"))
    server.start()
    try:
        ctl = Ctl(config)
        ctl.done("key", "create")
        ctl.done("db", "migrate")
        ctl.done("merchant", "add", "tienda", "--commerce", "Tienda", "--country", "343")
        ctl.done("network", "add", "red")
        yield server
    finally:
        server.kill()


def pay(server: MariaDB) -> None:
    """Nothing of it is purged: a transaction of before is open."""
    with server.connect() as reader, server.connect() as payer, payer.cursor() as cursor:
        reader.cursor().execute("START TRANSACTION WITH CONSISTENT SNAPSHOT")
        server.query("INSERT INTO orders (merchant_id, po_id, reference, amount, currency, origin, due_at, changed_by)"
                     " SELECT 1, seq, seq, 5, 'COP', 'imported', '2999-01-01', 'operator:ana' FROM seq_1_to_%s", PAYMENTS)
        server.query("INSERT INTO transactions (network_id, network_transaction, order_id, reference, amount, currency, commerce,"
                     " description, teller, fingerprint, changed_by)"
                     " SELECT 1, id, id, reference, amount, currency, 'Tienda', 'x', 'caja', REPEAT('f', 32), 'network:red' FROM orders")
        for number in range(1, PAYMENTS + 1):
            cursor.execute("SELECT payment_confirm(1, %s, 'network:red') AS done", (str(number),))
            assert cursor.fetchone() == {"done": 1}
        server.kill()


def test_a_recovery_under_payments_ends(server: MariaDB, tmp_path: Path) -> None:
    """It is told to end while InnoDB still purges what was paid. Of such servers with virtual columns in keys every second went on for
    ever, so some are tried, each with a copy of the same data."""
    pay(server)
    left = tmp_path / "left"
    server.datadir.rename(left)
    for _ in range(RECOVERIES):
        shutil.copytree(left, server.datadir)
        told = subprocess.run(["bash", "-c", f'ulimit -v {MEMORY_MOST}; exec "$@"', "recovery", *server.process.command, "--wsrep-recover"],
                              capture_output=True, text=True, timeout=SECONDS_MOST)
        assert told.returncode == 0 and "position recovery" in told.stderr, told.stderr
        shutil.rmtree(server.datadir)
