"""Starting and refusing to start: one worker per socket, the right key and schema, a configuration without mistakes."""

import os
import subprocess
from pathlib import Path
from typing import Iterator

import pytest

from checked import CheckedClient, expect
from tests.stack.process import leaves_no_core
from tests.stack import Stack, Worker, wait_until
from tests.stack.paths import program

NOT_CONFIGURED = 78


@pytest.fixture(scope="module")
def own() -> Iterator[Stack]:
    with Stack(dispatcher=False, buffer_pool="16M") as own:
        yield own


def start_another(stack: Stack, config: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs recaudo-fcgi where it ought to end by itself."""
    environment = {**os.environ, "RECAUDO_CONFIG": str(config or stack.config)}
    return subprocess.run([program("recaudo-fcgi")], env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60)


def changed_config(stack: Stack, directory: Path, old: str, new: str) -> Path:
    text = stack.config.read_text()
    assert old in text
    path = directory / "recaudo.conf"
    path.write_text(text.replace(old, new))
    return path


def serves(stack: Stack) -> None:
    stack.dispatcher.show_life()
    with CheckedClient(stack.base_url) as client:
        for path in ("/healthz", "/readyz"):
            expect(client.request("GET", path), "0000")


def test_second_instance_on_the_same_socket(own: Stack) -> None:
    result = start_another(own)
    assert result.returncode == NOT_CONFIGURED
    assert own.worker.socket in result.stderr and "listens" in result.stderr
    serves(own)


def test_keys_get_into_no_core_dump(own: Stack) -> None:
    assert all(leaves_no_core(process) for process in (own.worker.pid, *own.worker.children()))


def test_socket_left_over_by_a_crash(own: Stack) -> None:
    own.worker.kill()
    assert os.path.exists(own.worker.socket)
    own.worker.start()
    serves(own)


def test_what_is_no_socket_stays(own: Stack) -> None:
    """A mistyped path of something else, such as the key."""
    assert own.worker.stop() == 0
    file = Path(own.worker.socket)
    file.write_text("of somebody else")
    result = start_another(own)
    assert result.returncode == NOT_CONFIGURED and f"{file}: is no socket: name another path" in result.stderr
    assert file.read_text() == "of somebody else"
    file.unlink()
    own.worker.start()
    serves(own)


def test_socket_is_removed_at_the_end_and_private(own: Stack) -> None:
    assert os.stat(own.worker.socket).st_mode & 0o777 == 0o660
    assert own.worker.stop() == 0
    assert not os.path.exists(own.worker.socket)
    own.worker.start()
    serves(own)


KEYS = {"missing": (None, 0o600), "too short": ("ab" * 31, 0o600), "too long": ("ab" * 33, 0o600),
        "no hex": ("zz" * 32, 0o600),
        "empty": ("", 0o600), "for others to read": ("ab" * 32, 0o644)}


@pytest.mark.parametrize("content, mode", KEYS.values(), ids=KEYS.keys())
def test_key_file(own: Stack, tmp_path: Path, content: str | None, mode: int) -> None:
    key_file = tmp_path / "secret.key"
    if content is not None:
        key_file.write_text(content + "\n")
        key_file.chmod(mode)
    config = changed_config(own, tmp_path, str(own.key_file), str(key_file))
    result = start_another(own, config)
    assert result.returncode == NOT_CONFIGURED
    assert str(key_file) in result.stderr
    assert content is None or content == "" or content not in result.stderr


@pytest.mark.parametrize("version, hint", [(999, "newer"), (None, "migrate")], ids=["newer", "older"])
def test_schema_of_another_version(own: Stack, tmp_path: Path, version: int | None, hint: str) -> None:
    rows = own.mariadb.query("SELECT * FROM schema_version")
    config = changed_config(own, tmp_path, own.worker.socket, own.worker.socket + ".2")
    if version is None:
        own.mariadb.query("DELETE FROM schema_version")
    else:
        own.mariadb.query("INSERT INTO schema_version (version, name, checksum, applied_at)"
                          " VALUES (%s, 'later', REPEAT('0', 64), UTC_TIMESTAMP(6))", version)
    try:
        result = start_another(own, config)
    finally:
        own.mariadb.query("DELETE FROM schema_version")
        for row in rows:
            own.mariadb.query("INSERT INTO schema_version VALUES (%s, %s, %s, %s, %s)", *row.values())
    assert result.returncode == NOT_CONFIGURED
    assert "schema" in result.stderr and hint in result.stderr


def test_database_that_breaks_off_while_its_schema_is_read(own: Stack, tmp_path: Path) -> None:
    """That mends itself, unlike a schema of another version: the worker serves, and waits for it."""
    config = changed_config(own, tmp_path, "[database]", "[database]\nread_timeout = 1s")
    config.write_text(config.read_text().replace(own.worker.socket, own.worker.socket + ".3"))
    worker = Worker(config, own.worker.socket + ".3", tmp_path / "worker.log")
    own.mariadb.query("RENAME TABLE schema_version TO schema_version_kept")
    try:
        own.mariadb.query("CREATE VIEW schema_version AS SELECT * FROM schema_version_kept WHERE SLEEP(30) = 0")
        worker.start()
        wait_until(lambda: "no answer came in time, while schema_version ran" in worker.log_text(), "the line that says so")
        assert worker.running()
    finally:
        status = worker.stop()
        for asleep in own.mariadb.query("SELECT id FROM information_schema.processlist WHERE state = 'User sleep'"):
            own.mariadb.query("KILL %s", asleep["id"])
        own.mariadb.query("DROP VIEW schema_version")
        own.mariadb.query("RENAME TABLE schema_version_kept TO schema_version")
    assert status == 0


@pytest.mark.parametrize("old, new, word", [
    ("[worker]", "[worker]\nconections = 3", "conections"), ("[worker]", "[worker]\nconnections = many", "connections"),
    ("[worker]", "[worker]\nconnections = 0", "connections"),
    ("[worker]", "[worker]\ncancel_window = 30 parsecs", "cancel_window"),
    ("[worker]", "[werker]", "werker"), ("[worker]", "nonsense\n[worker]", "key = value"),
    ("[worker]", "[worker]\nconnections = 3\nconnections = 4", "set twice")])
def test_mistakes_in_the_configuration(own: Stack, tmp_path: Path, old: str, new: str, word: str) -> None:
    config = changed_config(own, tmp_path, old, new)
    result = start_another(own, config)
    assert result.returncode == NOT_CONFIGURED
    assert word in result.stderr and f"{config}:" in result.stderr


def test_worker_with_another_window_than_the_database(own: Stack) -> None:
    own.mariadb.query("UPDATE settings SET cancel_window = 45000000")
    own.worker.stop()
    try:
        own.worker.start()
        line = "cancel_window is 30 s, and the database uses 45 s: run recaudoctl db migrate"
        wait_until(lambda: line in own.worker.log_text(), "the warning")
        serves(own)
    finally:
        own.migrate()


def test_worker_without_certificates(own: Stack, tmp_path: Path) -> None:
    """It serves all the same; https to merchants is what cannot work."""
    whole, nowhere = own.config.read_text(), tmp_path / "ca.pem"
    own.config.write_text(whole.replace("[security]", f"[security]\nca_file = {nowhere}"))
    own.worker.stop()
    try:
        own.worker.start()
        line = f"no certificates to trust in {nowhere} (No such file or directory), so https to merchants fails"
        wait_until(lambda: line in own.worker.log_text(), "the warning")
        serves(own)
    finally:
        own.config.write_text(whole)


def test_no_configuration(own: Stack, tmp_path: Path) -> None:
    result = start_another(own, tmp_path / "none.conf")
    assert result.returncode == NOT_CONFIGURED and "none.conf" in result.stderr


def test_wrong_database_password(own: Stack, tmp_path: Path) -> None:
    password_file = tmp_path / "password"
    password_file.write_text("open-sesame\n")
    password_file.chmod(0o600)
    old = str(own.mariadb.password_file("recaudo_worker"))
    config = changed_config(own, tmp_path, old, str(password_file))
    result = start_another(own, config)
    assert result.returncode == NOT_CONFIGURED
    assert "recaudo_worker" in result.stderr and "open-sesame" not in result.stderr


def test_words_on_the_command_line(own: Stack) -> None:
    result = subprocess.run([program("recaudo-fcgi"), "--nonsense"], capture_output=True, text=True, timeout=60)
    assert result.returncode == 2 and "usage" in result.stderr
