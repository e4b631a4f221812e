"""backup/recaudo-backup: what is restored is what was saved, also when it was saved in the midst of payments."""

import gzip
import os
import re
import shutil
import signal
import subprocess
import threading
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from tests.ctl.upgrade import old_schema
from tests.stack import Network, Reply, Stack, wait_until
from tests.stack.merchant_stub import MerchantStub, ok
from tests.stack.page_blocks import block, changed
from tests.stack.paths import ROOT, system_program

PROGRAM = ROOT / "backup" / "recaudo-backup"
COMMERCE = "Tienda"
OBJECTS = ("SELECT 'table' AS kind, table_name AS name, table_type AS what FROM information_schema.tables WHERE table_schema = 'recaudo'"
           " UNION ALL SELECT 'trigger', trigger_name, action_statement FROM information_schema.triggers WHERE trigger_schema = 'recaudo'"
           " UNION ALL SELECT 'routine', routine_name, routine_definition FROM information_schema.routines WHERE routine_schema = 'recaudo'"
           " UNION ALL SELECT 'key', CONCAT(table_name, '.', index_name, '.', seq_in_index), column_name"
           " FROM information_schema.statistics WHERE table_schema = 'recaudo' ORDER BY kind, name")
SUMS = ("SELECT (SELECT COUNT(*) FROM orders) AS orders, (SELECT SUM(amount) FROM orders WHERE state = 'APROBADA') AS approved,"
        " (SELECT COUNT(*) FROM transactions) AS transactions, (SELECT SUM(amount) FROM transactions WHERE state = 'FINALIZADA') AS paid,"
        " (SELECT SUM(balance) FROM accounts) AS balances, (SELECT SUM(amount) FROM account_ledger) AS ledger,"
        " (SELECT COUNT(*) FROM notifications) AS notifications, (SELECT COUNT(*) FROM events) AS events")
TORN = ("SELECT o.id FROM orders o WHERE o.version <> (SELECT COUNT(*) FROM events e WHERE e.subject = 'order' AND e.subject_id = o.id)"
        " UNION ALL SELECT t.id FROM transactions t"
        " WHERE t.version <> (SELECT COUNT(*) FROM events e WHERE e.subject = 'transaction' AND e.subject_id = t.id)"
        " UNION ALL SELECT o.id FROM orders o LEFT JOIN notifications n ON n.order_id = o.id WHERE o.state = 'APROBADA' AND n.id IS NULL"
        " UNION ALL SELECT o.id FROM orders o LEFT JOIN transactions t ON t.id = o.held_by AND t.state = 'CONFIRMADA'"
        " WHERE o.held_by IS NOT NULL AND t.id IS NULL")


def answered(send: Callable[[], Reply]) -> Reply:
    """Repeats a request while the answer is 0028, as networks do: a backup's lock makes payments wait."""
    replies: list[Reply] = []

    def is_answered() -> bool:
        replies.append(send())
        return replies[-1].code != "0028"

    wait_until(is_answered, "an answer other than 0028", 120)
    return replies[-1]


NOT_FINAL = ("SELECT t.network_transaction, t.state, t.registered_at, t.confirmed_at, o.state AS order_state, o.held_by,"
             " UTC_TIMESTAMP(6) AS now FROM transactions t LEFT JOIN orders o ON o.id = t.order_id WHERE t.state <> 'FINALIZADA'")


class Shop:
    """An instance that payments are made in, with what was acknowledged."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.numbers = count(1)
        self.fixed_hash = stack.ctl.json("network", "add", "red")["fixed_hash"]
        stack.ctl.done("merchant", "add", "tienda", "--commerce", COMMERCE)
        stack.ctl.done("account", "add", "--document", "1020304050", "--type", "CC", "--name", "Ana")
        self.paid: dict[str, str] = {}

    def pay(self, network: Network) -> str:
        """Registers and confirms a payment; its transaction."""
        transaction, service = self.register(network)
        assert answered(lambda: network.confirm(transaction)).code == "0000"
        self.paid[transaction] = service
        return transaction

    def register(self, network: Network) -> tuple[str, str]:
        """The transaction and its IDSERVICE."""
        number = next(self.numbers)
        transaction, reference = f"T-{number}", str(70_000_000 + number)
        if number % 5 == 0:
            reference = "1020304050"
        else:
            self.stack.ctl.done("order", "add", "--merchant", "tienda", "--order", f"PO-{number}", "--amount", "45000.00",
                                "--currency", "COP", "--reference", reference, "--due", "2100000000")
        commerce = "recaudo" if number % 5 == 0 else COMMERCE
        reply = answered(lambda: network.register(reference, "45000.00", transaction, commerce))
        assert reply.code == "0000", reply.text
        return transaction, reply.data["IDSERVICE"]

    def confirm_what_is_registered(self) -> list[str]:
        """As a network does whose confirmation came after the backup that was restored."""
        rows = self.stack.mariadb.query("SELECT network_transaction AS t FROM transactions WHERE state = 'REGISTRADA'")
        with self.stack.network("red", self.fixed_hash) as network:
            for row in rows:
                assert answered(lambda: network.confirm(row["t"])).code == "0000"
        return [row["t"] for row in rows]

    def pay_many(self, many: int) -> None:
        with self.stack.network("red", self.fixed_hash) as network:
            for _ in range(many):
                self.pay(network)

    def await_final(self) -> None:
        left: list[Any] = []

        def all_are_final() -> bool:
            left[:] = self.stack.mariadb.query(NOT_FINAL)
            return not left

        try:
            wait_until(all_are_final, "all payments to be final", 120)
        except TimeoutError as late:
            raise TimeoutError(f"{late}: {left}\n{self.stack.log_tails(60)}") from late

    def options(self) -> list[str]:
        database = self.stack.mariadb
        return ["--no-defaults", f"--socket={database.socket}", "--user=root", f"--password={database.password('root')}"]

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([str(PROGRAM), *words, "--", *self.options()], capture_output=True, text=True, timeout=300)

    def save(self, folder: Path) -> Path:
        result = self.run("save", str(folder))
        assert result.returncode == 0, result.stderr
        return Path(result.stdout.strip())

    def restore_anew(self, file: Path) -> None:
        self.stack.mariadb.recreate_database()
        result = self.run("restore", str(file))
        assert (result.returncode, result.stderr) == (0, "")
        self.stack.ctl.done("db", "migrate")

    def contents(self) -> dict[str, Any]:
        """Every row of every table, all objects, and sums."""
        database = self.stack.mariadb
        tables = [row["t"] for row in database.query("SELECT table_name AS t FROM information_schema.tables WHERE table_schema = 'recaudo'"
                                                     " AND table_type = 'BASE TABLE' AND table_name NOT LIKE 'schema%%' ORDER BY 1")]
        rows = {table: sorted(database.query(f"SELECT * FROM {table}"), key=repr) for table in tables}
        return {**rows, "objects": database.query(OBJECTS), "sums": database.query(SUMS)}


def differences(one: dict[str, Any], other: dict[str, Any]) -> list[str]:
    return [name for name in {**one, **other} if one.get(name) != other.get(name)]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    stack = Stack(buffer_pool="32M", settings={"worker": {"cancel_window": "1s"}})
    stack.mariadb.process.command += ["--log-bin=binlog", "--binlog-format=ROW", "--server-id=1",
                                      "--log-bin-trust-function-creators=1", "--sync-binlog=1", "--gtid-strict-mode=ON"]
    with stack:
        yield Shop(stack)


@pytest.fixture
def quiet(shop: Shop) -> Iterator[Shop]:
    """With some payments in it, and nobody at work."""
    shop.pay_many(10)
    shop.await_final()
    parts = shop.stack.programs()
    for part in parts:
        part.stop()
    yield shop
    for part in parts:
        part.start()


def test_what_is_restored_is_what_was_saved(quiet: Shop, tmp_path: Path) -> None:
    before = quiet.contents()
    file = quiet.save(tmp_path)
    assert re.fullmatch(r"recaudo-\d{8}T\d{6}Z\.sql\.gz", file.name) and file.stat().st_mode & 0o077 == 0
    assert os.listdir(tmp_path) == [file.name]
    assert quiet.run("verify", str(file)).returncode == 0
    quiet.restore_anew(file)
    assert differences(quiet.contents(), before) == []
    assert len(before["orders"]) > 5 and before["sums"][0]["balances"] > 0
    assert quiet.stack.ctl.run("db", "status").returncode == 0


def test_the_service_goes_on_after_it(quiet: Shop, tmp_path: Path) -> None:
    quiet.restore_anew(quiet.save(tmp_path))
    for part in quiet.stack.programs():
        part.start()
    with quiet.stack.network("red", quiet.fixed_hash) as network:
        transaction = quiet.pay(network)
        first = next(iter(quiet.paid))
        number = first.removeprefix("T-")
        reply = network.register(str(70_000_000 + int(number)), "45000.00", first, COMMERCE)
        assert (reply.code, reply.data["IDSERVICE"]) == ("0000", quiet.paid[first])
        assert int(quiet.paid[transaction]) > max(int(one) for name, one in quiet.paid.items() if name != transaction)
    quiet.await_final()
    for part in quiet.stack.programs():
        part.stop()


IDS = {"pv_po_id": "SELECT id FROM orders", "IDSERVICE": "SELECT id FROM transactions",
       "webhook-id": "SELECT webhook_id AS id FROM notifications", "slip": "SELECT token AS id FROM orders",
       "event": "SELECT id FROM events", "attempt": "SELECT id FROM attempts", "ledger": "SELECT id FROM account_ledger",
       "notification": "SELECT id FROM notifications"}
COUNTERS = "SELECT name, next_id FROM id_counters ORDER BY name"
NUMBERED = ("SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'recaudo'"
            " AND extra LIKE '%%auto_increment%%' ORDER BY 1")


def given_ids(shop: Shop) -> dict[str, set[Any]]:
    return {kind: {row["id"] for row in shop.stack.mariadb.query(sql)} for kind, sql in IDS.items()}


def test_no_id_comes_again(quiet: Shop, tmp_path: Path) -> None:
    """What is given after the backup is lost with the database, but merchants and networks know it."""
    file, saved, paid = quiet.save(tmp_path), given_ids(quiet), dict(quiet.paid)
    with MerchantStub() as stub:
        quiet.stack.ctl.done("merchant", "set", "tienda", "--notify-url", stub.on("n", ok))
        for part in quiet.stack.programs():
            part.start()
        quiet.pay_many(10)
        quiet.await_final()
        stub.await_requests(8)
        for part in quiet.stack.programs():
            part.stop()
        given = given_ids(quiet)
        lost = {kind: given[kind] - saved[kind] for kind in given}
        assert all(lost.values()), lost
        told = {request.webhook_id for request in stub.requests}
        told_count = len(stub.requests)
        quiet.restore_anew(file)
        quiet.paid = paid
        quiet.stack.ctl.done("merchant", "set", "tienda", "--notify-url", stub.on("n", ok))
        for part in quiet.stack.programs():
            part.start()
        quiet.pay_many(10)
        quiet.await_final()
        stub.await_requests(told_count + 1)
        wait_until(lambda: given_ids(quiet)["attempt"] - saved["attempt"], "an attempt to be recorded")
        for part in quiet.stack.programs():
            part.stop()
    new = {kind: ids - saved[kind] for kind, ids in given_ids(quiet).items()}
    assert all(new.values()), new
    assert {kind: new[kind] & lost[kind] for kind in new} == {kind: set() for kind in new}
    assert not {str(webhook_id) for webhook_id in new["webhook-id"]} & told


def test_every_counter_is_moved(quiet: Shop) -> None:
    """Those that the catalogue has, whatever tables there will be; again moves them again."""
    before = {row["name"]: row["next_id"] for row in quiet.stack.mariadb.query(COUNTERS)}
    assert list(before) == [row["name"] for row in quiet.stack.mariadb.query(NUMBERED)] and len(before) > 8
    for margin, words in ((100_000_000, ()), (7, ("--margin", "7"))):
        said = quiet.stack.ctl.json("db", "skip-ids", *words)
        after = {row["name"]: row["next_id"] for row in quiet.stack.mariadb.query(COUNTERS)}
        assert after == {name: number + margin for name, number in before.items()}
        assert said == {"margin": margin, "tables": [{"table": name, "next_before": before[name], "next": after[name]}
                                                     for name in after]}
        before = after
    quiet.stack.mariadb.restart()
    assert {row["name"]: row["next_id"] for row in quiet.stack.mariadb.query(COUNTERS)} == before


def test_counters_without_room_stay(quiet: Shop) -> None:
    before = quiet.stack.mariadb.query(COUNTERS)
    result = quiet.stack.ctl.run("db", "skip-ids", "--margin", "3000000000")
    assert result.returncode != 0 and "has no room for so many ids; nothing was moved" in result.stderr
    for margin in ("0", "-1", "x", ""):
        assert quiet.stack.ctl.run("db", "skip-ids", "--margin", margin).returncode == 2
    assert quiet.stack.mariadb.query(COUNTERS) == before


def replay(shop: Shop, position: str, files: list[Path], *options: str) -> None:
    """As doc/operations.md has it."""
    play = changed(block("operations.md", "replay"), ("mariadb-binlog ", "mariadb-binlog --no-defaults "), ("=POSITION", " ".join((f"={position}", *options))),
                   ("FIRST-FILE NEXT-FILES...", " ".join(map(str, files))), ("| mariadb\n", '| mariadb "$@"\n'))
    result = subprocess.run(["bash", "-euc", play, "replay", *shop.options()], capture_output=True, text=True, timeout=300)
    assert (result.returncode, result.stderr) == (0, "")


def copied_logs(shop: Shop, folder: Path) -> list[Path]:
    """Of the binary log, all files but the one that a flush began."""
    shop.stack.mariadb.query("FLUSH BINARY LOGS")
    *names, _ = [row["Log_name"] for row in shop.stack.mariadb.query("SHOW BINARY LOGS")]
    return [Path(shutil.copy(shop.stack.mariadb.datadir / name, folder)) for name in names]


def from_file(logs: list[Path], first: str) -> list[Path]:
    return logs[[log.name for log in logs].index(first):]


def pay_some(shop: Shop) -> None:
    for part in shop.stack.programs():
        part.start()
    shop.pay_many(5)
    shop.await_final()
    for part in shop.stack.programs():
        part.stop()


def saved_at(file: Path) -> tuple[str, str]:
    """File of the binary log and position in it."""
    position = re.search(r"MASTER_LOG_FILE='([^']+)', MASTER_LOG_POS=(\d+)", gzip.open(file, "rt").read())
    assert position is not None
    return position[1], position[2]


def numbered_transactions(shop: Shop, log: Path) -> list[tuple[int, int]]:
    """Of a file of the binary log: server and number of each transaction."""
    shown = subprocess.run([system_program("mariadb-binlog"), "--no-defaults", str(log)], capture_output=True, check=True, timeout=300).stdout
    return [(int(server), int(number)) for server, number in re.findall(rb"\tGTID 0-(\d+)-(\d+)", shown)]


def test_the_last_minutes_come_from_the_binary_log(quiet: Shop, tmp_path: Path) -> None:
    """As doc/operations.md has it: restore, then play what came after. The server logs it under numbers of its own, whichever server it came from."""
    file = quiet.save(tmp_path)
    pay_some(quiet)
    database = quiet.stack.mariadb
    before = quiet.contents()
    logs = copied_logs(quiet, tmp_path)
    first, position = saved_at(file)
    database.query("SET GLOBAL server_id = 2")
    try:
        quiet.restore_anew(file)
        assert "transactions" in differences(quiet.contents(), before)
        replay(quiet, position, from_file(logs, first))
        (status,) = database.query("SHOW MASTER STATUS")
    finally:
        database.query("SET GLOBAL server_id = 1")
    assert differences(quiet.contents(), before) == []
    logged = numbered_transactions(quiet, database.datadir / status["File"])
    assert {server for server, _ in logged} == {2} and [number for _, number in logged] == list(range(logged[0][1], logged[0][1] + len(logged)))


def position_before(statement: str, log: Path) -> int:
    """As doc/operations.md finds a mistake."""
    find = changed(block("operations.md", "find the mistake"), ("mariadb-binlog ", "mariadb-binlog --no-defaults "), ("FILE | less", str(log)))
    lines = subprocess.run(["bash", "-euc", find], capture_output=True, check=True, timeout=300).stdout.decode(errors="replace").split("\n")
    (mistake,) = [number for number, line in enumerate(lines) if line.startswith(statement)]
    before_it = "\n".join(lines[:mistake]).rpartition("\tGTID ")[0]
    return int(re.findall(r"^# at (\d+)$", before_it, re.MULTILINE)[-1])


def test_to_the_point_before_a_table_was_lost(quiet: Shop, tmp_path: Path) -> None:
    """On the same server ("To a point in time"), where somebody dropped it from another database; the numbers of new rows stay moved on."""
    quiet.stack.mariadb.query("FLUSH BINARY LOGS")  # what other tests replayed is in it twice
    file = quiet.save(tmp_path)
    pay_some(quiet)
    database = quiet.stack.mariadb
    before = quiet.contents()
    subprocess.run([system_program("mariadb"), *quiet.options(), "--execute=SET foreign_key_checks = 0; DROP TABLE recaudo.transactions", "mysql"],
                   check=True, timeout=300)
    logs = copied_logs(quiet, tmp_path)
    first, position = saved_at(file)
    stop = position_before("DROP TABLE `recaudo`.`transactions`", logs[-1])
    quiet.restore_anew(file)
    replay(quiet, position, from_file(logs, first), f"--stop-position={stop}")
    assert differences(quiet.contents(), before) == []
    (row,) = database.query("SELECT AUTO_INCREMENT AS next FROM information_schema.TABLES"
                            " WHERE TABLE_SCHEMA = 'recaudo' AND TABLE_NAME = 'transactions'")
    assert row["next"] > 100_000_000


@pytest.mark.slow
def test_saved_in_the_midst_of_payments(shop: Shop, tmp_path: Path) -> None:
    """One moment: no order without its events, and all that was acknowledged before. What was confirmed after it is registered
    again, and can be confirmed."""
    with shop.stack.network("red", shop.fixed_hash) as network:
        before, _ = shop.register(network)
    done = threading.Event()
    failures: list[BaseException] = []

    def traffic() -> None:
        try:
            while not done.is_set():
                shop.pay_many(1)
        except BaseException as failure:
            failures.append(failure)
            raise

    payer = threading.Thread(target=traffic)
    payer.start()
    try:
        acknowledged = dict(shop.paid)
        file = shop.save(tmp_path)
        there = len(shop.paid)
        wait_until(lambda: len(shop.paid) > there, "payments to go on", 120)
        assert before in shop.confirm_what_is_registered()
    finally:
        done.set()
        payer.join()
    assert failures == []
    shop.await_final()
    for part in shop.stack.programs():
        part.stop()
    shop.restore_anew(file)
    assert shop.stack.mariadb.query(TORN) == []
    restored = {row["t"]: str(row["id"]) for row in shop.stack.mariadb.query("SELECT network_transaction AS t, id FROM transactions")}
    assert acknowledged.items() <= restored.items()
    for part in shop.stack.programs():
        part.start()
    assert before in shop.confirm_what_is_registered()
    shop.await_final()


def test_a_window_that_was_open_when_it_was_saved(quiet: Shop, tmp_path: Path) -> None:
    """As doc/operations.md has it: the payment is named before anything starts, becomes final whatever the network did since, and is claimed."""
    quiet.stack.worker.start()
    with quiet.stack.network("red", quiet.fixed_hash) as network:
        payment, _ = quiet.register(network)
        assert network.confirm(payment).code == "0000"
        file = quiet.save(tmp_path)
        quiet.stack.worker.stop()
        quiet.restore_anew(file)
        (named,) = quiet.stack.mariadb.query("SELECT * FROM transactions_now WHERE state_written = 'CONFIRMADA'")
        assert named["network_transaction"] == payment
        for part in quiet.stack.programs():
            part.start()
        assert network.confirm(payment, False).code == "0015"
    quiet.await_final()
    quiet.stack.ctl.done("order", "claim", f"id:{named['order_id']}", "--reason", "cancelled after the backup")
    assert quiet.stack.ctl.json("order", "show", f"id:{named['order_id']}")["state"] == "ANULADA"
    for part in quiet.stack.programs():
        part.stop()


def test_an_order_that_was_paid_after_it_was_saved_and_is_overdue(quiet: Shop, tmp_path: Path) -> None:
    """As doc/operations.md has it: it is listed before anything starts; then its merchant hears `cancelled`, and it cannot be paid again."""
    database, ctl = quiet.stack.mariadb, quiet.stack.ctl
    with MerchantStub() as stub:
        ctl.done("merchant", "set", "tienda", "--notify-url", stub.on("n", ok))
        ctl.done("order", "add", "--merchant", "tienda", "--order", "LATE", "--amount", "45000.00", "--currency", "COP", "--reference", "60000001",
                 "--due", "2100000000")
        file = quiet.save(tmp_path)
        for part in quiet.stack.programs():
            part.start()

        def heard(status: str) -> bool:
            return any(request.message["po_id"] == "LATE" and request.message["status"] == status for request in list(stub.requests))

        with quiet.stack.network("red", quiet.fixed_hash) as network:
            assert answered(lambda: network.register("60000001", "45000.00", "LATE-1", COMMERCE)).code == "0000"
            assert answered(lambda: network.confirm("LATE-1")).code == "0000"
            wait_until(lambda: heard("approved"), "the approval")
            for part in quiet.stack.programs():
                part.stop()
            quiet.restore_anew(file)
            database.query("UPDATE orders SET due_at = UTC_TIMESTAMP(6), changed_by = 'test' WHERE po_id = 'LATE'")
            assert [row["po_id"] for row in database.query(block("operations.md", "overdue"))] == ["LATE"]
            for part in quiet.stack.programs():
                part.start()
            wait_until(lambda: heard("cancelled"), "the cancellation")
            assert answered(lambda: network.register("60000001", "45000.00", "LATE-1", COMMERCE)).code == "0103"
        for part in quiet.stack.programs():
            part.stop()
        ctl.done("merchant", "set", "tienda", "--notify-url", "")


def test_another_account_restores_it_and_owns_it(quiet: Shop, tmp_path: Path) -> None:
    """As where the database moves to a server of its own (doc/cluster.md): what root owned is then that account's."""
    file, database = quiet.save(tmp_path), quiet.stack.mariadb
    assert b"DEFINER=`root`@`localhost`" in gzip.decompress(file.read_bytes())
    database.recreate_database()
    database.query("CREATE USER owner_elsewhere@localhost IDENTIFIED BY 'word'", account="root")
    database.query("GRANT ALL ON recaudo.* TO owner_elsewhere@localhost")
    try:
        result = subprocess.run([str(PROGRAM), "restore", str(file), "--", "--no-defaults", f"--socket={database.socket}",
                                 "--user=owner_elsewhere", "--password=word"], capture_output=True, text=True, timeout=300)
        assert result.returncode == 0, result.stderr
        assert "are those of owner_elsewhere@localhost now: [database] owner_user must be that account" in result.stdout
        assert "this account does not see whether programs use recaudo: they must be stopped" in result.stderr
        owners = database.query("SELECT definer AS d, COUNT(*) AS n FROM information_schema.views WHERE table_schema = 'recaudo' GROUP BY d"
                                " UNION ALL SELECT definer, COUNT(*) FROM information_schema.triggers WHERE trigger_schema = 'recaudo' GROUP BY 1"
                                " UNION ALL SELECT definer, COUNT(*) FROM information_schema.routines WHERE routine_schema = 'recaudo' GROUP BY 1")
        assert [row["d"] for row in owners] == ["owner_elsewhere@localhost"] * 3 and all(row["n"] > 1 for row in owners), owners
    finally:
        quiet.restore_anew(file)
        database.query("DROP USER owner_elsewhere@localhost")


def test_a_database_that_programs_use_is_not_restored(quiet: Shop, tmp_path: Path) -> None:
    """They would serve from half of the tables and give ids a second time: those of another host, which nobody stopped, for example."""
    file, database = quiet.save(tmp_path), quiet.stack.mariadb
    quiet.stack.worker.start()
    try:
        with quiet.stack.network("red", quiet.fixed_hash) as network:
            assert network.lookup("1").code == "0101"
        database.recreate_database()
        result = quiet.run("restore", str(file))
        assert result.returncode == 1 and "the database recaudo is in use by recaudo_worker@" in result.stderr
        assert "stop all programs, on every host; nothing was loaded" in result.stderr
        assert database.query("SELECT 1 FROM information_schema.tables WHERE table_schema = 'recaudo'") == []
    finally:
        quiet.stack.worker.stop()
        quiet.restore_anew(file)


def test_programs_that_come_while_it_is_loaded_are_named(quiet: Shop, tmp_path: Path) -> None:
    file, database = quiet.save(tmp_path), quiet.stack.mariadb
    came: list[Any] = []

    def come() -> None:
        wait_until(lambda: database.query("SELECT 1 FROM information_schema.tables WHERE table_schema = 'recaudo'"), "the first table", pause=0)
        came.append(database.connect("recaudo_worker"))

    database.recreate_database()
    program = threading.Thread(target=come)
    program.start()
    try:
        result = quiet.run("restore", str(file))
        assert result.returncode == 1 and "recaudo_worker@localhost used the database recaudo while it was loaded" in result.stderr
    finally:
        program.join()
        came.pop().close()
        quiet.restore_anew(file)


def test_a_backup_of_a_replica_is_not_noted(quiet: Shop, tmp_path: Path) -> None:
    """The backup is whole; the advice to give a right would be wrong."""
    database = quiet.stack.mariadb
    database.query("CREATE USER saver@localhost IDENTIFIED BY 'word'")
    for grant in ("SELECT, SHOW VIEW ON recaudo.*", "SELECT ON mysql.proc", "BINLOG MONITOR ON *.*",
                  "EXECUTE ON PROCEDURE recaudo.backup_triggers"):
        database.query(f"GRANT {grant} TO saver@localhost")
    database.query("GRANT EXECUTE ON FUNCTION recaudo.backup_note TO saver@localhost")
    database.query("SET GLOBAL read_only = ON")
    try:
        result = subprocess.run([str(PROGRAM), "save", str(tmp_path), "--", "--no-defaults", f"--socket={database.socket}",
                                 "--user=saver", "--password=word"], capture_output=True, text=True, timeout=300)
    finally:
        database.query("SET GLOBAL read_only = OFF")
        database.query("DROP USER saver@localhost")
    assert result.returncode == 0 and Path(result.stdout.strip()).exists()
    assert "not noted for monitoring: this server is read only, as a replica is" in result.stderr and "GRANT" not in result.stderr


def test_a_backup_of_an_older_schema_is_not_noted(quiet: Shop, tmp_path: Path) -> None:
    """As before an upgrade: no right would help."""
    file = quiet.save(tmp_path)
    quiet.stack.mariadb.recreate_database()
    (tmp_path / "older").mkdir()
    try:
        old_schema.load(quiet.stack.mariadb, 20, rows=False)
        result = quiet.run("save", str(tmp_path / "older"))
    finally:
        quiet.restore_anew(file)
    assert result.returncode == 0 and Path(result.stdout.strip()).exists()
    assert result.stderr == "recaudo-backup: saved, but not noted for monitoring: this schema notes no backups until recaudoctl db migrate\n"


def test_a_database_with_tables_is_not_touched(quiet: Shop, tmp_path: Path) -> None:
    file, before = quiet.save(tmp_path), quiet.contents()
    result = quiet.run("restore", str(file))
    assert result.returncode == 1 and "empty one only" in result.stderr
    assert differences(quiet.contents(), before) == []


def test_a_database_made_with_other_letters(quiet: Shop, tmp_path: Path) -> None:
    """Routines made in it would refuse names with letters that it lacks."""
    file = quiet.save(tmp_path)
    quiet.stack.mariadb.recreate_database()
    quiet.stack.mariadb.query("ALTER DATABASE recaudo CHARACTER SET latin1")
    assert quiet.run("restore", str(file)).returncode == 0
    routines = quiet.stack.mariadb.query("SELECT DISTINCT database_collation AS letters FROM information_schema.routines"
                                         " WHERE routine_schema = 'recaudo'")
    assert routines == [{"letters": "utf8mb4_nopad_bin"}]
    quiet.stack.ctl.done("db", "migrate")
    quiet.stack.ctl.done("merchant", "set", "tienda", "--commerce", "Łódź")
    assert re.search("^schema +right", quiet.stack.ctl.run("config", "check").stdout, re.M)
    quiet.stack.ctl.done("merchant", "set", "tienda", "--commerce", COMMERCE)


def test_a_file_that_is_not_whole(quiet: Shop, tmp_path: Path) -> None:
    file, before = quiet.save(tmp_path), quiet.contents()
    data = file.read_bytes()
    text = gzip.decompress(data)
    for broken in (b"", data[:-20], data[:len(data) // 2], data[:100] + bytes([data[100] ^ 1]) + data[101:], gzip.compress(text[:-100])):
        file.write_bytes(broken)
        for verb in ("verify", "restore"):
            result = quiet.run(verb, str(file))
            assert result.returncode == 1 and "no whole backup" in result.stderr
    assert differences(quiet.contents(), before) == []


@pytest.mark.parametrize("verb", ["verify", "restore"])
def test_a_file_that_is_not_there(shop: Shop, tmp_path: Path, verb: str) -> None:
    """A wrong path is no damaged backup."""
    for path in (tmp_path / "none.sql.gz", tmp_path):
        result = shop.run(verb, str(path))
        assert result.returncode == 1 and result.stderr == f"recaudo-backup: {path} is not a file that can be read\n"


def test_what_cannot_be_saved_leaves_no_file(shop: Shop, tmp_path: Path) -> None:
    assert shop.run("save", str(tmp_path / "nowhere")).returncode == 1
    result = subprocess.run([str(PROGRAM), "save", str(tmp_path), "--", "--no-defaults", f"--socket={tmp_path}/none"],
                            capture_output=True, text=True, timeout=300)
    assert result.returncode != 0 and os.listdir(tmp_path) == []


def processes_of(session: int) -> list[str]:
    """The names of those that run in it; zombies do not."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            name, _, rest = stat.read_text(errors="replace").partition("(")[2].rpartition(")")
            if rest.split()[0] != "Z" and int(rest.split()[3]) == session:
                found.append(name)
    return found


def end_at_work(shop: Shop, words: tuple[str, ...], waits: str, how: int) -> tuple[int, str]:
    """The signal goes to the script alone, while a program that it runs waits for the server in a state like `waits`. Nothing of it goes on.

    Under nohup a script would begin with SIGHUP ignored.
    """
    script = subprocess.Popen(["env", "--default-signal=HUP", str(PROGRAM), *words, "--", *shop.options()], stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        wait_until(lambda: shop.stack.mariadb.query("SELECT 1 FROM information_schema.processlist WHERE state LIKE %s", waits), f"a session {waits}")
        script.send_signal(how)
        _, said = script.communicate(timeout=120)
        wait_until(lambda: not processes_of(script.pid), "all that it ran to end")
        return script.returncode, said
    finally:
        with suppress(ProcessLookupError):
            os.killpg(script.pid, signal.SIGKILL)


def test_what_it_did_not_start_goes_on(quiet: Shop, tmp_path: Path) -> None:
    """A child that its process had before it became the script, such as one that reads its output."""
    wrapper = f"sleep 600 >/dev/null 2>&1 & echo $! >{tmp_path}/pid; exec {PROGRAM} save {tmp_path} -- \"$@\""
    subprocess.run(["bash", "-c", wrapper, "wrapper", *quiet.options()], check=True, timeout=300)
    bystander = int((tmp_path / "pid").read_text())
    try:
        assert Path(f"/proc/{bystander}/comm").read_text() == "sleep\n"
    finally:
        os.kill(bystander, signal.SIGKILL)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP])
def test_a_save_that_is_ended(quiet: Shop, tmp_path: Path, how: int) -> None:
    with quiet.stack.mariadb.connect() as blocking, blocking.cursor() as cursor:
        cursor.execute("LOCK TABLES orders WRITE")
        status, _ = end_at_work(quiet, ("save", str(tmp_path)), "Waiting for table metadata lock", how)
    assert status == -how and os.listdir(tmp_path) == []


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP])
def test_a_restore_that_is_ended(quiet: Shop, tmp_path: Path, how: int) -> None:
    """It says that the database is not whole, and does not load the rest."""
    file, database = quiet.save(tmp_path), quiet.stack.mariadb
    database.recreate_database()
    try:
        with database.connect() as blocking, blocking.cursor() as cursor:
            cursor.execute("FLUSH TABLES WITH READ LOCK")
            status, said = end_at_work(quiet, ("restore", str(file)), "Waiting for backup lock", how)
        assert status == -how and "ended before recaudo was whole and its ids moved on: drop the database and begin again" in said
        others = "SELECT 1 FROM information_schema.processlist WHERE db = 'recaudo' AND id <> CONNECTION_ID()"
        wait_until(lambda: not database.query(others), "the server to end the session")
        assert "orders" not in {row["t"] for row in database.query("SELECT table_name AS t FROM information_schema.tables")}
    finally:
        quiet.restore_anew(file)


def test_a_limit_of_rows_is_refused(quiet: Shop, tmp_path: Path) -> None:
    """mariadb-dump would leave out rows and tables, and end well."""
    quiet.stack.mariadb.query("SET GLOBAL sql_select_limit = 5")
    try:
        result = quiet.run("save", str(tmp_path))
    finally:
        quiet.stack.mariadb.query("SET GLOBAL sql_select_limit = DEFAULT")
    assert result.returncode == 1 and "sql_select_limit is 5 in new sessions: tables would be cut" in result.stderr, result
    assert os.listdir(tmp_path) == []


def test_a_careful_client_saves_everything(quiet: Shop, tmp_path: Path) -> None:
    """`safe-updates` in an option file limits the rows of the client mariadb, not those of mariadb-dump."""
    careful, database = tmp_path / "careful.cnf", quiet.stack.mariadb
    careful.write_text(f"[client]\nsocket={database.socket}\nuser=root\npassword={database.password('root')}\n[mysql]\nsafe-updates\n")
    before = quiet.contents()
    result = subprocess.run([str(PROGRAM), "save", str(tmp_path), "--", f"--defaults-file={careful}"], capture_output=True, text=True, timeout=300)
    assert result.returncode == 0, result.stderr
    quiet.restore_anew(Path(result.stdout.strip()))
    assert differences(quiet.contents(), before) == []


@pytest.mark.parametrize("words", [(), ("save",), ("save", "/tmp", "--socket=x"), ("keep", "/tmp")])
def test_wrong_usage(words: tuple[str, ...]) -> None:
    result = subprocess.run([str(PROGRAM), *words], capture_output=True, text=True, timeout=300)
    assert result.returncode == 2 and "usage: recaudo-backup save FOLDER" in result.stderr


@pytest.mark.parametrize("words", [("--help",), ("-h",), ("restore", "--help"), ("save", "-h")])
def test_help(words: tuple[str, ...]) -> None:
    """Its own, not that of a program behind it."""
    result = subprocess.run([str(PROGRAM), *words], capture_output=True, text=True, timeout=60)
    assert (result.returncode, result.stderr) == (0, "") and result.stdout.startswith("usage: recaudo-backup save FOLDER")


def test_triggers_are_written_as_a_server_repeats_them() -> None:
    """What information_schema shows of a trigger has other letters and escapes than were written: the backup's triggers come from there."""
    statements = re.findall(r"^CREATE OR REPLACE TRIGGER .*?(?=^CREATE |^-- ==|\Z)", (ROOT / "sql" / "foundation.sql").read_text(), re.M | re.S)
    assert len(statements) > 50
    for statement in statements:
        assert statement.isascii() and "\\" not in statement and '"\"' not in statement, statement


def test_a_backup_without_triggers_is_not_restored(quiet: Shop, tmp_path: Path) -> None:
    """As from an account that may not see them, by a program that takes them from mariadb-dump."""
    file = quiet.save(tmp_path)
    lines = gzip.decompress(file.read_bytes()).decode()
    without = tmp_path / file.name.replace("recaudo-", "recaudo-1")
    without.write_bytes(gzip.compress((lines[:lines.index("\nSET sql_mode = ", lines.index("-- Dump completed"))] + "\n-- Dump completed\n").encode()))
    quiet.stack.mariadb.recreate_database()
    try:
        result = quiet.run("restore", str(without))
        assert result.returncode == 1 and "the file has no triggers, which keep the rules of money" in result.stderr
    finally:
        quiet.restore_anew(file)
