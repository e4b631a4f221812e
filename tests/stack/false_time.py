"""Programs that see another time of day, by libfaketime."""

import os
from datetime import datetime, timedelta, timezone
from pathlib import Path

# Only the time of day is wrong: waiting and the time that has passed are right.
SETTINGS = {"FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_NO_CACHE": "1"}


def library() -> str:
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    assert found, "libfaketime is not installed"
    return str(found[0])


def faked(**how: str) -> dict[str, str]:
    """Variables of the environment."""
    return {"LD_PRELOAD": library(), **SETTINGS, **how}


class Clock:
    """A time of day that is as far from the right one as was said last, for programs that are started with `environment`."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.step(timedelta(0))

    @property
    def environment(self) -> dict[str, str]:
        return faked(FAKETIME_TIMESTAMP_FILE=str(self.file))

    def step(self, away: timedelta) -> None:
        """So far from the right time from now on, in whole seconds."""
        self.away = timedelta(seconds=round(away.total_seconds()))
        fresh = self.file.with_suffix(".new")
        fresh.write_text(f"{self.away.total_seconds():+.0f}\n")
        os.replace(fresh, self.file)

    def now(self) -> datetime:
        """What they see, in UTC."""
        return datetime.now(timezone.utc).replace(tzinfo=None) + self.away

    def step_to(self, instant: datetime) -> None:
        self.step(self.away + (instant - self.now()))
