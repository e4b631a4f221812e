"""Programs that see another time of day, by libfaketime."""

from pathlib import Path


def library() -> str:
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    assert found, "libfaketime is not installed"
    return str(found[0])


def faked(**how: str) -> dict[str, str]:
    """Variables of the environment. Only the time of day is wrong: waiting and the time that has passed are right."""
    return {"LD_PRELOAD": library(), "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_NO_CACHE": "1", **how}
