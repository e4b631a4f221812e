"""The operator's drill: what breaks is named, with its remedy, by status, /readyz, the measures and their alerts, and the log;
and all of them say well again after it."""

import json
import os
import re
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, Iterator

import pymysql
import pytest

from tests.stack import Stack, free_port, wait_until
from tests.stack.authority import Authority
from tests.stack.client import Network
from tests.stack.false_time import faked
from tests.stack.mariadb import MariaDB
from tests.stack.mariadb_tcp import HOST, MariaDBOverTcp
from tests.stack.merchant_stub import MerchantStub
from tests.stack.paths import ROOT
from tests.stack.promtool import promtool
from tests.stack.scrape import Scrape, scrape

RULES = ROOT / "monitoring" / "recaudo.rules.yml"
LONG = 40  # minutes that the alerts are given
SETTINGS = {"database": {"read_timeout": "1s"}, "worker": {"processes": "1", "threads": "2"},
            "notification": {"schedule": " ".join(["100ms"] * 32)},
            "dispatcher": {"rest_after": "2", "rest": "1s", "rest_longest": "1s"}}


class Drill:
    """What an operator sees of one instance."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack

    def status(self) -> tuple[int, str]:
        result = self.stack.ctl.run("status")
        return result.returncode, result.stderr

    def ready(self) -> str:
        with self.stack.client() as client:
            return str(json.loads(client.request("GET", "/readyz").text)["TEXT"])

    def log(self) -> str:
        return self.stack.worker.log_text()

    def await_line(self, *words: str) -> None:
        """A thread writes the log, a moment after a reply that tells of the same."""
        for word in words:
            wait_until(lambda: word in self.log(), f"a line that says {word!r}")

    def firing(self, directory: Path) -> set[str]:
        """The alerts of the measures as they are now, had they been so for a while."""
        seen: Scrape = scrape(self.stack.base_url)
        series = [{"series": 'up{job="recaudo",instance="a"}', "values": f"1x{LONG}"}]
        for (name, labels), value in seen.samples.items():
            words = ",".join(f"{key}={json.dumps(text)}" for key, text in
                             [("job", "recaudo"), ("instance", "a"), *sorted(labels)])
            series.append({"series": f"{name}{{{words}}}", "values": f"{value:g}x{LONG}".replace("inf", "+Inf")})
        tests = [{"interval": "1m", "input_series": series, "promql_expr_test": [
            {"expr": 'count by (alertname) (ALERTS{alertstate="firing"})', "eval_time": f"{LONG - 1}m", "exp_samples": [
                {"labels": '{alertname="none"}', "value": 1}]}]}]
        path = directory / "tests.yml"
        path.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": tests}))
        try:
            promtool("test", "rules", path)
        except ValueError as difference:  # always: it tells what fires instead of "none"
            return set(re.findall(r'alertname=\\?"(\w+)', str(difference).split("got:")[1]))
        raise AssertionError("an alert called none fires")

    def is_well(self, directory: Path) -> None:
        try:
            wait_until(lambda: self.status() == (0, ""), "status to be well", 120)
            wait_until(lambda: self.ready() == "OK", "the worker to be ready", 120)
        except TimeoutError as error:
            raise TimeoutError(f"{error}: {self.status()}\n{self.stack.log_tails()}") from None
        assert self.firing(directory) == set()


class FillingMariaDB(MariaDB):
    """With a binary log, as production has it, and a disk that is full while the file `full` is there."""

    roomy = "nothing"  # files whose path holds this are on another disk

    def __init__(self, directory: Path, *words: Any) -> None:
        super().__init__(directory, *words)
        self.full = directory / "full"
        self.process.command += ["--log-bin=binlog", "--server-id=1", "--binlog-format=ROW", "--sync-binlog=1",
                                 "--log-bin-trust-function-creators=1"]
        self.process.command.remove("--skip-log-bin")
        library = directory / "full_disk.so"
        subprocess.run(["cc", "-D_GNU_SOURCE", "-shared", "-fPIC", "-o", str(library),
                        str(ROOT / "tests" / "fault" / "full_disk.c"), "-ldl"], check=True)
        self.process.environment |= {"LD_PRELOAD": str(library), "RECAUDO_TEST_FULL": str(self.full),
                                     "RECAUDO_TEST_ROOMY": self.roomy}


class FillingMariaDBWithRoomyLog(FillingMariaDB):
    roomy = "/binlog."


class MariaDBWithCertificate(MariaDBOverTcp):
    def __init__(self, directory: Path, *words: Any) -> None:
        (directory / "tls").mkdir()
        self.authority = Authority(directory / "tls")
        self.show(expired=False)
        super().__init__(directory, *words)
        self.process.command += [f"--ssl-cert={directory}/tls/server.pem", f"--ssl-key={directory}/tls/server.key"]

    def show(self, expired: bool) -> None:
        self.authority.server("server", f"IP:{HOST}", expired=expired)

    def address(self) -> dict[str, object]:
        return {**super().address(), "tls_ca": self.authority.certificate}


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def running(authority: Authority) -> Iterator[Stack]:
    authority.server("web", "DNS:pay.example.com", days=30)
    security = {"ca_file": authority.certificate, "web_certificate": authority.directory / "web.pem"}
    with Stack(settings={**SETTINGS, "security": security}, buffer_pool="16M") as stack:
        stack.ctl.done("network", "add", "red", "--allow", "192.0.2.0/24")
        yield stack


@pytest.fixture
def drill(running: Stack, tmp_path: Path) -> Iterator[Drill]:
    drill = Drill(running)
    drill.is_well(tmp_path)
    yield drill
    drill.is_well(tmp_path)


@contextmanager
def restarted(stack: Stack) -> Iterator[None]:
    """Around a change that a worker meets when it starts."""
    stack.worker.stop()
    yield
    stack.worker.start()


def add_order(stack: Stack, reference: str) -> None:
    stack.ctl.done("merchant", "add", f"tienda-{reference}", "--commerce", "Tienda")
    stack.ctl.done("order", "add", "--merchant", f"tienda-{reference}", "--order", "1", "--reference", reference, "--amount", "1000",
                   "--currency", "COP", "--due", str(int(time.time()) + 3600))


def test_database_killed(drill: Drill, tmp_path: Path) -> None:
    stack = drill.stack
    stack.mariadb.kill()
    try:
        wait_until(lambda: "the database cannot be reached" in drill.ready(), "it to be noticed", 60)
        code, said = drill.status()
        assert code == 3 and "the database cannot be reached" in said and stack.mariadb.socket in said
        assert "RecaudoDatabaseAway" in drill.firing(tmp_path)
        drill.await_line("database: unreachable; nothing is read or written", stack.mariadb.socket)
    finally:
        stack.mariadb.start()


def test_database_frozen(drill: Drill, tmp_path: Path) -> None:
    drill.stack.mariadb.process.pause()
    try:
        assert "the database" in drill.ready()
        code, said = drill.status()
        assert code == 3 and "the database cannot be reached" in said
        assert "it is frozen, overloaded or just starting, its disk is full (df), or its name server does not answer" in said
        assert "RecaudoDatabaseAway" in drill.firing(tmp_path)
        wait_until(lambda: "no answer came in time" in drill.log() or "cannot connect" in drill.log(), "the line")
    finally:
        drill.stack.mariadb.process.resume()


def test_key_gone(drill: Drill, tmp_path: Path) -> None:
    """Who runs goes on; status, the alert and the log say that nobody may be restarted."""
    kept = drill.stack.key_file.with_suffix(".kept")
    drill.stack.key_file.rename(kept)
    try:
        code, said = drill.status()
        assert code == 1 and "the key file cannot be used" in said and "restore the copy of it" in said
        assert drill.firing(tmp_path) == {"RecaudoKey"}
        drill.await_line("the key file cannot be read")
        assert drill.ready() == "OK"
    finally:
        kept.rename(drill.stack.key_file)


def test_key_wrong(drill: Drill, tmp_path: Path) -> None:
    key = drill.stack.key_file.read_text()
    with restarted(drill.stack):
        drill.stack.key_file.write_text("ab" * 32 + "\n")
    try:
        code, said = drill.status()
        assert code == 1 and "stored secrets cannot be decrypted" in said and "restore the copy of the key file" in said
        assert "the key file decrypts none of the stored secrets: restore the copy" in drill.ready()
        assert "RecaudoKey" in drill.firing(tmp_path)
        drill.await_line("decrypts none of the stored secrets")
    finally:
        with restarted(drill.stack):
            drill.stack.key_file.write_text(key)


def test_dispatcher_stopped(drill: Drill, tmp_path: Path) -> None:
    """The last sign of life of both tasks is moved back, instead of waiting for three minutes."""
    stack = drill.stack
    stack.dispatcher.stop()
    stack.mariadb.query("UPDATE dispatchers SET seen_at = seen_at - INTERVAL 4 MINUTE")
    try:
        code, said = drill.status()
        assert code == 1 and "no settling dispatcher was seen" in said and "no delivering dispatcher was seen" in said
        assert "neither the settling nor the delivering dispatcher was seen in the last three minutes" in drill.ready()
        assert "RecaudoNoDispatcher" in drill.firing(tmp_path)
        drill.await_line("the settling dispatcher was not seen for three minutes: check recaudo-settle.timer or cron")
    finally:
        stack.dispatcher.start()


def test_right_missing(drill: Drill, tmp_path: Path) -> None:
    """Before anybody has paid, and been answered 0009."""
    stack = drill.stack
    stack.mariadb.query("REVOKE EXECUTE ON FUNCTION payment_cancel FROM recaudo_worker@localhost")
    try:
        wait_until(lambda: "lack a right, or a function, that requests need" in drill.status()[1], "`status` to tell", 60)
        assert "lacks a right that it needs" in drill.ready()
        assert drill.firing(tmp_path) == {"RecaudoRights"}
        drill.await_line("database: missing: FUNCTION payment_cancel for recaudo_worker; requests fail with 0009")
    finally:
        stack.ctl.done("db", "migrate")


def test_deliveries_unrecorded(drill: Drill, tmp_path: Path) -> None:
    """A right to a table is gone: nothing is sent that would be sent again by the next process, and everybody says so."""
    stack = drill.stack
    stack.dispatcher.stop()
    stack.mariadb.query("REVOKE INSERT ON attempts FROM recaudo_deliverer@localhost")
    stack.dispatcher.start()
    try:
        wait_until(lambda: "no notification is sent until it takes them" in stack.dispatcher.log_text(), "the refusal", 60)
        code, said = drill.status()
        assert code == 1 and "sends no notifications, because it cannot record what becomes of them" in said
        assert drill.firing(tmp_path) == {"RecaudoDeliveriesUnrecorded"}
    finally:
        stack.mariadb.query("GRANT INSERT ON attempts TO recaudo_deliverer@localhost")
    wait_until(lambda: "outcomes are recorded again" in stack.dispatcher.log_text(), "the end of it", 60)
    stack.mariadb.query("UPDATE last_done SET at = at - INTERVAL 2 MINUTE WHERE what = 'unrecorded'")


def test_configuration_wrong(drill: Drill, tmp_path: Path) -> None:
    """The reload is refused, and says why each time; everybody goes on with the configuration before."""
    good = drill.stack.config.read_text()
    for number, (before, after, cause) in enumerate([
            ("[worker]", "[worker]\nthreds = 1", "threds"),
            (f"socket = {drill.stack.mariadb.socket}", "socket = /nowhere/db.sock", "/nowhere/db.sock")]):
        assert before in good
        drill.stack.config.write_text(good.replace(before, after))
        try:
            drill.stack.worker.signal(1)
            wait_until(lambda: drill.log().count("not reloaded") == number + 1, "the refusal", 60)
            assert cause in [line for line in drill.log().splitlines() if "not reloaded" in line][-1]
            code, said = drill.status()
            assert code in (1, 3) and cause in said
            assert drill.ready() == "OK"
            assert drill.firing(tmp_path) == {"RecaudoReloadRefused"}
        finally:
            drill.stack.config.write_text(good)
        refusal = "refused their last reload and go on with the configuration read before"
        wait_until(lambda: drill.status()[0] == 1 and refusal in drill.status()[1], "`status` to name the refused reload", 60)
        drill.stack.worker.signal(1)
        wait_until(lambda: scrape(drill.stack.base_url).value("recaudo_last_reload_successful") == 1, "the reload", 60)
        wait_until(lambda: refusal not in drill.status()[1], "`status` to say well again", 120)


def test_recaudo_query_refused_a_reload(drill: Drill, tmp_path: Path) -> None:
    """It alone, as a reload of its own unit can: `status` knows it from the process."""
    good = drill.stack.config.read_text()
    process = int(wait_until(drill.stack.worker.query_process, "recaudo-query"))
    drill.stack.config.write_text(good.replace("[worker]", "[worker]\nthreds = 1"))
    os.kill(process, signal.SIGHUP)
    wait_until(lambda: scrape(drill.stack.base_url).value("recaudo_query_last_reload_successful") == 0, "the refusal", 60)
    drill.stack.config.write_text(good)
    code, said = drill.status()
    assert code == 1 and "recaudo-query refused its last reload" in said
    assert drill.firing(tmp_path) == {"RecaudoReloadRefused"}
    drill.await_line("not reloaded, going on with the configuration read before")
    os.kill(process, signal.SIGHUP)


def test_recaudo_query_frozen(drill: Drill, tmp_path: Path) -> None:
    process = int(wait_until(drill.stack.worker.query_process, "recaudo-query"))
    os.kill(process, signal.SIGSTOP)
    try:
        code, said = drill.status()
        assert code == 1 and "fcgi.sock.queries does not answer (Connection timed out)" in said
        assert "RecaudoQueryProcess" in drill.firing(tmp_path)
        drill.await_line("merchants cannot be asked: recaudo-query at ")
    finally:
        with suppress(ProcessLookupError):  # it may have been replaced
            os.kill(process, signal.SIGCONT)


def break_merchant(stack: Stack, name: str, url: str, reason: str) -> None:
    """Two orders expire and cannot be told: each attempt is in the log, and the endpoint rests. That it has failed for a
    quarter of an hour is moved back, instead of waited for: until then it is the merchant's own trouble."""
    stack.ctl.done("merchant", "add", name, "--commerce", "Tienda", "--notify-url", url)
    for number in range(2):
        stack.ctl.done("order", "add", "--merchant", name, "--order", f"po-{number}", "--amount", "1000",
                       "--currency", "COP", "--due", str(int(time.time()) + 3600))
    stack.mariadb.query("UPDATE orders o JOIN merchants m ON m.id = o.merchant_id SET o.due_at = UTC_TIMESTAMP(6) WHERE m.name = %s", name)
    wait_until(lambda: len(stack.mariadb.query("SELECT 1 FROM notifications n JOIN merchants m ON m.id = n.merchant_id"
                                               " WHERE m.name = %s", name)) == 2, "both to expire: one later is told later", 60)
    wait_until(lambda: bool(stack.mariadb.query("SELECT 1 FROM endpoints WHERE resting_until IS NOT NULL")),
               "the endpoint to rest", 60)
    failed = re.compile(rf"notification \d+ of merchant \S*{name}\S*: attempt 1 failed \({reason}\)")
    wait_until(lambda: failed.search(stack.dispatcher.log_text()), "the line")
    stack.mariadb.query("UPDATE endpoints SET failing_since = failing_since - INTERVAL 16 MINUTE,"
                        " resting_until = resting_until + INTERVAL 1 HOUR")


def mended(stack: Stack, name: str, reason: str) -> None:
    """What a merchant's receiver waits for is sent again, and arrives."""
    stack.ctl.done("notification", "retry", "--merchant", name, "--since", "2020-01-01T00:00:00Z", "--reason", reason)
    wait_until(lambda: not stack.mariadb.query("SELECT 1 FROM notifications WHERE state <> 'delivered'"),
               "the notifications to arrive", 60)


def test_merchant_broken(drill: Drill, tmp_path: Path) -> None:
    stack, port = drill.stack, free_port()
    break_merchant(stack, "tienda", f"http://{HOST}:{port}/n", "connect")
    code, said = drill.status()
    assert code == 1 and re.search(r"the endpoint of tienda has failed for \d+ s", said)
    assert "recaudoctl notification test --merchant tienda" in said
    assert drill.firing(tmp_path) == {"RecaudoEndpointResting"} and drill.ready() == "OK"
    tried = stack.ctl.run("notification", "test", "--merchant", "tienda")
    assert tried.returncode == 1 and "connect" in tried.stderr
    with MerchantStub(port=port) as stub:
        stub.on("n", lambda exchange: exchange.reply(200, b"OK"))
        mended(stack, "tienda", "it runs again")


@pytest.mark.preloads
def test_clock_stepped(drill: Drill, tmp_path: Path) -> None:
    """This host's clock is an hour ahead: nothing about money goes by it, and it is named."""
    with restarted(drill.stack):
        drill.stack.worker.environment.update(faked(FAKETIME="+1h"))
    try:
        assert "RecaudoClock" in drill.firing(tmp_path)
        drill.await_line("the clocks of this host and of the database differ: run timedatectl on both machines")
        result = subprocess.run([drill.stack.ctl.path, "--config", drill.stack.ctl.config, "status"], capture_output=True,
                                text=True, timeout=120, env={**os.environ, **faked(FAKETIME="+1h")})
        assert result.returncode == 1 and "the clocks of this host and of the database differ by 3" in result.stderr
        assert "timedatectl" in result.stderr and drill.ready() == "OK"
    finally:
        with restarted(drill.stack):
            for name in faked(FAKETIME="+1h"):
                drill.stack.worker.environment.pop(name, None)


@pytest.mark.parametrize("restarted_then", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_disk_full(tmp_path: Path, restarted_then: bool) -> None:
    """Everything can be read, and each COMMIT waits for room; MariaDB looks for it once a minute."""
    with Stack(settings=SETTINGS, buffer_pool="16M", database=FillingMariaDB) as stack:
        drill, database = Drill(stack), stack.mariadb
        assert isinstance(database, FillingMariaDB)
        stack.ctl.done("network", "add", "red")
        drill.is_well(tmp_path)
        database.full.touch()
        wait_until(lambda: "the database accepts no writes: its disk is full" in drill.ready(), "it to be noticed", 60)
        code, said = drill.status()
        assert code == 1 and "the database accepts no writes: its disk is full" in said and "The disk is full" in said
        assert "RecaudoDatabaseReadOnly" in drill.firing(tmp_path)
        drill.await_line("accepts no writes: its disk is full", "free space as operations.md says")
        database.full.unlink()
        if restarted_then:
            database.kill()
            database.start()
        drill.is_well(tmp_path)


def test_disk_of_the_tables_full(tmp_path: Path) -> None:
    """The binary log has a disk of its own: what is written over existing rows goes well, and new ones find room for a while."""
    with Stack(settings=SETTINGS, buffer_pool="16M", database=FillingMariaDBWithRoomyLog) as stack:
        drill, database = Drill(stack), stack.mariadb
        assert isinstance(database, FillingMariaDB)
        secret = stack.ctl.json("network", "add", "red")["fixed_hash"]
        add_order(stack, "7000001")
        numbers = count()

        def register() -> str:
            with closing(Network(stack.base_url, "red", secret)) as network:  # one kept over a minute may be closed
                return str(network.register("7000001", "1000", f"T.{next(numbers)}", "Tienda").code)

        drill.is_well(tmp_path)
        database.full.touch()
        codes: list[str] = []
        wait_until(lambda: codes.append(register()) or codes[-1] != "0000", "there to be no room", 120)
        assert codes[-1] == "0028"
        code, said = drill.status()
        assert code == 1 and "the database accepts no writes: its disk is full" in said and "The disk is full" in said
        assert "the database accepts no writes: its disk is full" in drill.ready()
        assert "RecaudoDatabaseReadOnly" in drill.firing(tmp_path)
        drill.await_line("is full (1114): its disk is full; free space as operations.md says")
        database.full.unlink()
        drill.is_well(tmp_path)  # though nobody stores anything: the balancer sends no payments before
        newest, = database.query("SELECT what, reason FROM event_log ORDER BY id DESC LIMIT 1")
        assert newest["what"] == "room" and "it has room again" in newest["reason"]
        assert register() == "0000"


def test_database_read_only(drill: Drill, tmp_path: Path) -> None:
    drill.stack.mariadb.query("SET GLOBAL read_only = ON")
    try:
        assert "the database accepts no writes" in drill.ready()
        code, said = drill.status()
        problems = [line for line in said.splitlines() if line.startswith("recaudoctl: ")]
        assert code == 1 and "accepts no writes: it is read only" in problems[0], said  # the cause comes before what follows from it
        assert "RecaudoDatabaseReadOnly" in drill.firing(tmp_path)
        drill.await_line("or it is read only")
    finally:
        drill.stack.mariadb.query("SET GLOBAL read_only = OFF")


WAITING = "SELECT 1 FROM information_schema.processlist WHERE state = 'Waiting for table metadata lock'"


def test_table_locked(drill: Drill, tmp_path: Path) -> None:
    """As a dump without --single-transaction locks it: everything can be read, and no payment is taken."""
    stack = drill.stack
    add_order(stack, "7000002")
    secret = stack.ctl.json("network", "add", "roja")["fixed_hash"]
    numbers = count()

    def register() -> str:
        with closing(Network(stack.base_url, "roja", secret)) as network:
            return str(network.register("7000002", "1000", f"L.{next(numbers)}", "Tienda").code)

    def is_named() -> bool:
        """While networks go on to pay, and a connection waits for each."""
        with ThreadPoolExecutor(8) as payers:
            codes = payers.map(lambda _: register(), range(8))
            wait_until(lambda: stack.mariadb.query(WAITING), "statements to wait for the lock", 60)
            assert set(codes) == {"0028"}
        return "requests are answered 0028" in drill.status()[1]

    with stack.mariadb.connect() as holder, holder.cursor() as cursor:
        cursor.execute("LOCK TABLES transactions READ")
        wait_until(is_named, "`status` to name it", 60)
        code, said = drill.status()
        assert code == 1 and "`Waiting for table metadata lock`" in said and "no workers" not in said, said
        assert drill.ready() == "OK" and scrape(stack.base_url).value("recaudo_database_writable") == 1
    wait_until(lambda: register() == "0000", "payments to be taken", 60)


def test_connections_used_up(drill: Drill, tmp_path: Path) -> None:
    """Others hold all that the server allows: who loses its own gets none again."""
    mariadb = drill.stack.mariadb
    with ExitStack() as held:
        own = held.enter_context(mariadb.connect())  # another one may get no place

        def ask(statement: str, *values: Any) -> list[dict[str, Any]]:
            with own.cursor() as cursor:
                cursor.execute(statement, values or None)
                return list(cursor.fetchall())

        allowed = ask("SELECT @@max_connections AS allowed")[0]["allowed"]

        def take_all() -> bool:
            for row in ask("SELECT id FROM information_schema.processlist WHERE user REGEXP"
                           " '^recaudo_(worker|dispatcher|deliverer)$'"):
                with suppress(pymysql.Error):  # it has gone by itself
                    ask("KILL %s", row["id"])
            with suppress(pymysql.Error):
                while True:
                    held.enter_context(mariadb.connect("recaudo_reader"))
            return "the database cannot be reached" in drill.ready()

        def nobody_gets_in() -> bool:
            """A connection that was ended may have left a place since."""
            return take_all() and drill.status()[0] == 3

        ask("SET GLOBAL max_connections = 10")
        try:
            wait_until(nobody_gets_in, "it to be noticed", 60)
            code, said = drill.status()
            assert code == 3 and "others hold every connection that the server allows" in said
            assert "RecaudoDatabaseAway" in drill.firing(tmp_path)
            drill.await_line("raise max_connections")
        finally:
            ask("SET GLOBAL max_connections = %s", allowed)


@pytest.mark.preloads
def test_certificate_of_the_web_server(drill: Drill, authority: Authority, tmp_path: Path) -> None:
    """Whoever probes on loopback sees it nowhere else: the worker is ready."""
    for days, expired, words in [(5, False, "expires within 14 days"), (5, True, "has expired")]:
        authority.server("web", "DNS:pay.example.com", days=days, expired=expired)
        code, said = drill.status()
        assert code == 1 and f"the web server's certificate, or an issuer in its file, {words}: renew {authority.directory / 'web.pem'}" in said
        assert drill.firing(tmp_path) == {"RecaudoCertificate"} and drill.ready() == "OK"
    drill.await_line("the web server's certificate, or an issuer in its file, has expired: renew")
    authority.server("web", "DNS:pay.example.com", days=30)


@pytest.mark.preloads
def test_certificate_of_the_database(tmp_path: Path) -> None:
    with Stack(settings=SETTINGS, buffer_pool="16M", database=MariaDBWithCertificate) as stack:
        drill, database = Drill(stack), stack.mariadb
        assert isinstance(database, MariaDBWithCertificate)
        stack.ctl.done("network", "add", "red")
        drill.is_well(tmp_path)
        database.show(expired=True)
        database.query("FLUSH SSL")
        for account in ("recaudo_worker", "recaudo_dispatcher", "recaudo_deliverer"):
            database.query(f"KILL USER {account}@'{HOST}'")  # connections that were made before go on
        wait_until(lambda: "the database cannot be reached" in drill.ready(), "it to be noticed", 60)
        code, said = drill.status()
        assert code == 3 and "expired" in said and "renew the server's certificate and run FLUSH SSL there" in said
        assert "RecaudoDatabaseAway" in drill.firing(tmp_path)
        drill.await_line("renew the server's certificate and run FLUSH SSL there")
        database.show(expired=False)
        database.query("FLUSH SSL")
        drill.is_well(tmp_path)


@pytest.mark.preloads
def test_certificate_of_a_merchant(drill: Drill, authority: Authority, tmp_path: Path) -> None:
    stack = drill.stack
    with MerchantStub(authority.server("merchant", f"IP:{HOST}", expired=True)) as stub:
        break_merchant(stack, "vencida", f"https://{HOST}:{stub.port}/n", "tls_expired: .*certificate has expired.*")
        code, said = drill.status()
        assert code == 1 and "recaudoctl notification test --merchant vencida" in said
        assert drill.firing(tmp_path) == {"RecaudoEndpointResting"} and drill.ready() == "OK"
        tried = stack.ctl.run("notification", "test", "--merchant", "vencida")
        assert tried.returncode == 1 and "the certificate has expired" in tried.stderr
        port = stub.port
    with MerchantStub(authority.server("merchant", f"IP:{HOST}"), port) as stub:
        stub.on("n", lambda exchange: exchange.reply(200, b"OK"))
        mended(stack, "vencida", "it has renewed its certificate")
