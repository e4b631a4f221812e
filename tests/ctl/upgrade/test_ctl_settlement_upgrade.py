"""An upgrade from a schema without settlements: what was reported stays so, and what commits meanwhile is not lost."""

import csv
import hashlib
import io
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Iterator

import pytest

from tests.stack import Ctl, MariaDB, wait_until
from tests.stack.config import default_settings, write_config

import old_schema

DAY = "2024-05-06"

PARTIES = (
    "INSERT INTO networks (name, fixed_hash, changed_by) VALUES ('red', 'sealed', 'test')",
    "INSERT INTO merchants (name, commerce, country, fixed_hash, notification_hash, changed_by)"
    " VALUES ('tienda', 'Tienda', 343, 'sealed', 'sealed', 'test')",
    "INSERT INTO accounts (document, document_type, name, currency, changed_by)"
    " SELECT CONCAT('D', seq), 'CC', 'Ana', 'COP', 'test' FROM seq_1_to_4",
    "INSERT INTO transactions (id, network_id, network_transaction, account_id, reference, state, amount, currency,"
    "  commerce, description, teller, fingerprint, registered_at, confirmed_at, window_ends_at, finalised_at,"
    "  cancelled_at, changed_by)"
    " SELECT seq, 1, CONCAT('TX-', seq), seq, CONCAT('D', seq),"
    "  ELT(seq, 'FINALIZADA', 'CANCELADA', 'CONFIRMADA', 'CONFIRMADA'), 45000, 'COP', 'Tienda', '', 'caja',"
    "  REPEAT('f', 32), '2024-05-06 09:00', '2024-05-06 09:59:30', '2024-05-06 10:00',"
    "  IF(seq = 1, '2024-05-06 10:00', NULL), IF(seq = 2, '2024-05-06 09:59:50', NULL), 'test' FROM seq_1_to_4",
)
FINALISE = "UPDATE transactions SET state = 'FINALIZADA', finalised_at = UTC_TIMESTAMP(6) WHERE id = %s"

# As a release without settlements printed the day.
REPORT = [
    "row,kind,currency,count,amount,network,merchant,order,transaction,idservice,at,value",
    f"date,,,,,,,,,,,{DAY}", "zone,,,,,,,,,,,UTC", f"begins_at,,,,,,,,,,,{DAY}T00:00:00.000000Z",
    "ends_at,,,,,,,,,,,2024-05-07T00:00:00.000000Z",
    f"operation,cancelled,COP,,45000.00,red,,,TX-2,2,{DAY}T09:59:50.000000Z,",
    f"operation,finalised,COP,,45000.00,red,,,TX-1,1,{DAY}T10:00:00.000000Z,",
    *(f"{scope},{kind},COP,{count},{amount},{name},,,,,,"
      for scope, name in (("network", "red"), ("merchant", ""), ("total", ""))
      for kind, count, amount in (("finalised", 1, "45000.00"), ("cancelled", 1, "45000.00"), ("refunded", 0, "0.00"))),
]


@pytest.fixture
def old(tmp_path: Path) -> Iterator[tuple[MariaDB, Ctl]]:
    """A database of the schema before, with one payment, one cancellation and two windows that are not written."""
    server = MariaDB(tmp_path, tmp_path, "32M")
    config = tmp_path / "recaudo.conf"
    write_config(config, default_settings(server, str(tmp_path / "fcgi.sock"), tmp_path / "secret.key"))
    server.start()
    try:
        old_schema.load(server, 11, rows=False)
        for statement in PARTIES:
            server.query(statement)
        ctl = Ctl(config)
        ctl.done("key", "create", "--new-system")
        yield server, ctl
    finally:
        server.kill()


def settlement_of(server: MariaDB, transaction: int) -> Any:
    return server.query("SELECT settlement FROM settlement_items WHERE transaction_id = %s", transaction)[0]["settlement"]


def test_upgrade_with_a_payment_that_commits_meanwhile(old: tuple[MariaDB, Ctl]) -> None:
    server, ctl = old
    waits = "SELECT id FROM information_schema.processlist WHERE state = 'Waiting for table metadata lock'"
    with ThreadPoolExecutor(1) as pool, server.connect() as worker:
        worker.begin()
        worker.cursor().execute(FINALISE, (3,))
        migrated = pool.submit(ctl.done, "db", "migrate")
        wait_until(lambda: server.query(waits), "the migration to wait for the payment")
        worker.commit()
        migrated.result()
    assert [settlement_of(server, transaction) for transaction in (1, 2, 3)] == [1, 1, 1]
    ctl.done("settlement", "close")
    server.query(FINALISE, 4)
    ctl.done("settlement", "close")
    assert settlement_of(server, 4) == 3
    first = ctl.json("settlement", "show", "1")
    assert (first["state"], first["closed_by"], first["finalised"], first["cancelled"]) == ("closed", "migration", 2, 1)
    ctl.done("report", "settlement", "--number", "1")  # fails where the digest differs


def test_days_before_an_upgrade_keep_their_digests(old: tuple[MariaDB, Ctl]) -> None:
    server, ctl = old
    ctl.done("db", "migrate")
    day = ("report", "settlement", "--date", DAY, "--zone", "UTC", "--format", "csv")
    lines = ctl.done(*day).splitlines()
    assert lines[:-1] == REPORT
    digest = hashlib.sha256("".join(f"{line}\n" for line in REPORT).encode()).hexdigest()
    assert lines[-1] == f"digest,,,,,,,,,,,{digest}"
    server.query(FINALISE, 4)  # its window ended on that day, it is written today
    ctl.done("settlement", "close")
    assert ctl.done(*day).splitlines() == lines
    assert (settlement_of(server, 1), settlement_of(server, 4)) == (1, 2)
    (row,) = [row for row in csv.DictReader(io.StringIO(ctl.done("report", "settlement", "--number", "2", "--format",
                                                                 "csv"))) if row["row"] == "operation"]
    assert row["transaction"] == "TX-4"
