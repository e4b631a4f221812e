"""./sandbox stop PART and start PART: the parts by the names that people use, and how the supervisor holds one.

A file in var/sandbox/held, named like a part, says that the part is to be held, and how. `stop` writes it, `start` removes it;
the supervisor acts on it and reports in parts.json.
"""

import contextlib
import os
import signal

from tests.stack.process import Process

from .state import State

RUNS, STARTING = "runs", "is being started"
STOP, KILL, FREEZE = "stopped", "killed", "frozen"
ALIASES = {"database": "mariadb", "web": "nginx"}
NAMES = ("worker", "dispatcher", "console", "database", "web", "merchant")
CONSEQUENCES = {
    "worker": "Requests get 0028 with HTTP 502, or 504 after 8 s while it is frozen.",
    "dispatcher": "What is overdue has expired by the clock, and what is paid is written when somebody asks, but no merchant is notified; after three minutes /readyz says so.",
    "console": "Its pages get HTTP 502; payments go on.",
    "mariadb": "Requests get 0028 with HTTP 503, after 5 s while it is frozen; what was asked may be stored when it runs again: send the same request again.",
    "nginx": "Connections are refused, or stay without a reply while it is frozen.",
    "merchant": "Notifications fail and are retried; lookups that ask the merchant get 0110 or 0108.",
}


def real_name(name: str) -> str:
    return ALIASES.get(name, name)


def common_name(name: str) -> str:
    return next((common for common, real in ALIASES.items() if real == name), name)


class Holder:
    """The supervisor's side: makes of each part what the files in var/sandbox/held say."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.held: dict[str, str] = {}

    def reconcile(self, parts: list[Process]) -> list[str]:
        """Stops and starts; one line about each part that was changed."""
        wanted = self.state.wanted()
        messages = []
        for part in parts:
            before, now = self.held.get(part.name), wanted.get(part.name)
            if before == now:
                continue
            if before is not None:
                release(part, before)
                del self.held[part.name]
            if now is not None:
                hold(part, now)
                self.held[part.name] = now
            messages.append(f"{part.name} was {now or 'started'}, as ./sandbox was told")
        return messages

    def release_all(self, parts: list[Process]) -> None:
        """What is frozen goes on, so that it can end."""
        for part in parts:
            if self.held.pop(part.name, None) == FREEZE:
                release(part, FREEZE)

    def condition(self, part: Process) -> str:
        return self.held.get(part.name) or (RUNS if part.running() else STARTING)


def hold(part: Process, how: str) -> None:
    if how == FREEZE:
        signal_all(part, signal.SIGSTOP)
    elif how == KILL:
        part.kill()
    else:
        part.stop()


def release(part: Process, how: str) -> None:
    if how == FREEZE:
        signal_all(part, signal.SIGCONT)
    elif not part.running():
        with contextlib.suppress(OSError):  # Instance.mend tries again, and says why
            part.spawn()


def signal_all(part: Process, number: int) -> None:
    """The part leads a group of processes: all of them are frozen and go on together."""
    if part.running():
        os.killpg(part.pid, number)
