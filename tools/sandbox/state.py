"""What a running sandbox leaves under var/sandbox for the commands that look at it."""

import fcntl
import json
import os
import shlex
import shutil
from pathlib import Path
from typing import Mapping

from tests.stack.paths import ROOT

HOME = ROOT / "var" / "sandbox"


class State:
    """The lock is held, with the supervisor's process id in it, for as long as the sandbox runs."""

    def __init__(self, home: Path = HOME) -> None:
        self.home = home
        self.lock_file = home / "lock"
        self.environment_file = home / "env"
        self.parts_file = home / "parts.json"
        self.held = home / "held"
        self.guide_file = home / "guide"
        self.log = home / "log"
        self.supervisor_log = self.log / "sandbox.log"
        self.lock: int | None = None

    def acquire(self) -> bool:
        """Takes the lock for this process; False where another sandbox has it."""
        self.home.mkdir(mode=0o755, parents=True, exist_ok=True)
        lock = os.open(self.lock_file, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            return False
        os.truncate(lock, 0)
        os.write(lock, f"{os.getpid()}\n".encode())
        self.lock = lock
        return True

    def supervisor(self) -> int | None:
        """Process id of the running sandbox, None where there is none."""
        try:
            lock = os.open(self.lock_file, os.O_RDONLY)
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return None
        except BlockingIOError:
            return int(os.read(lock, 32) or 0)
        finally:
            os.close(lock)

    def write_environment(self, values: Mapping[str, str]) -> None:
        """NAME='value' for a shell."""
        quoted = {name: value.replace("'", "'\\''") for name, value in values.items()}
        _replace(self.environment_file, "".join(f"{name}='{value}'\n" for name, value in quoted.items()))

    def environment(self) -> dict[str, str]:
        words = shlex.split(self.environment_file.read_text())
        return dict(word.split("=", 1) for word in words)

    def write_guide(self, text: str) -> None:
        _replace(self.guide_file, text)

    def write_parts(self, parts: Mapping[str, tuple[int, str]]) -> None:
        """Process id and condition of each part."""
        _replace(self.parts_file, json.dumps(parts))

    def parts(self) -> dict[str, tuple[int, str]]:
        return {name: (pid, condition) for name, (pid, condition) in json.loads(self.parts_file.read_text()).items()}

    def want(self, part: str, condition: str | None) -> None:
        """Tells the supervisor to hold the part (stopped, killed or frozen), or with None to let it run."""
        self.held.mkdir(mode=0o755, exist_ok=True)
        if condition is None:
            (self.held / part).unlink(missing_ok=True)
        else:
            _replace(self.held / part, condition)

    def wanted(self) -> dict[str, str]:
        """The parts to be held, and how."""
        if not self.held.is_dir():
            return {}
        return {path.name: path.read_text() for path in self.held.iterdir() if path.suffix != ".new"}

    def clear(self) -> None:
        """What is true only while the sandbox runs."""
        self.environment_file.unlink(missing_ok=True)
        self.parts_file.unlink(missing_ok=True)
        self.guide_file.unlink(missing_ok=True)
        shutil.rmtree(self.held, ignore_errors=True)


def _replace(path: Path, text: str) -> None:
    fresh = path.with_suffix(".new")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    fresh.rename(path)
