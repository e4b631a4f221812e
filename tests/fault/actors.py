"""Somebody who sends requests in a thread of his own, and notes each in the history."""

import heapq
import http.client
import json
import subprocess
import threading
import time
from itertools import count
from random import Random
from typing import Any, Callable, Mapping

from tests.stack import Ctl, Reply

from .history import Answer, Entry, History

MEAN_PAUSE = 0.02
CTL_CODES = {0: "0000", 1: "refused", 2: "misused"}


class Actor(threading.Thread):
    """Does what `act` says over and over until it is told to stop; what was put off is done when its time has come."""

    def __init__(self, name: str, seed: int, history: History) -> None:
        super().__init__(name=name, daemon=True)
        self.chance = Random(f"{name} {seed}")
        self.history = history
        self.numbers = count(1)
        self.put_off: list[tuple[float, int, Callable[[], object]]] = []
        self.stopping = threading.Event()
        self.error: BaseException | None = None

    def act(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        """Releases connections."""

    def run(self) -> None:
        try:
            while not self.stopping.wait(self.chance.expovariate(1 / MEAN_PAUSE)):
                if self.put_off and self.put_off[0][0] <= time.monotonic():
                    heapq.heappop(self.put_off)[2]()
                else:
                    self.act()
        except BaseException as error:  # reported by whoever waits for this thread
            self.error = error
        finally:
            self.close()

    def later(self, seconds: float, act: Callable[[], object]) -> None:
        heapq.heappush(self.put_off, (time.monotonic() + seconds, next(self.numbers), act))

    def fresh(self) -> str:
        return f"{self.name}-{next(self.numbers)}"

    def happens(self, probability: float) -> bool:
        return self.chance.random() < probability

    def ask(self, kind: str, who: str, key: str, fields: Mapping[str, Any], send: Callable[[], Reply]) -> Entry:
        """An HTTP request."""
        sent = time.time()
        try:
            reply = send()
            answer = Answer(reply.status, reply.text)
        except (OSError, http.client.HTTPException):
            answer = None
        return self.history.note(kind, who, key, fields, sent, answer)

    def order(self, ctl: Ctl, kind: str, key: str, fields: Mapping[str, Any], *words: str, stdin: str = "") -> Entry:
        """A command of recaudoctl. Anything but done and refused leaves open what has happened."""
        sent = time.time()
        try:
            result = ctl.run(*words, stdin=stdin)
            code = CTL_CODES.get(result.returncode)
            answer = None if code is None else Answer(200, json.dumps({"CODE": code, "TEXT": result.stderr}))
        except subprocess.TimeoutExpired:
            answer = None
        return self.history.note(kind, "operator", key, fields, sent, answer)
