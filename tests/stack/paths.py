"""Where the checkout, its build and its programs are."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = (ROOT / os.environ.get("RECAUDO_BUILD", "build")).resolve()


def program(name: str) -> str:
    """The path of a built program, relative to the build directory."""
    path = BUILD / name
    if not os.access(path, os.X_OK):
        raise FileNotFoundError(f"{path} is not built")
    return str(path)


def system_program(name: str) -> str:
    """A program of the system. /usr/sbin is not on every user's PATH."""
    for folder in os.environ.get("PATH", "").split(":") + ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]:
        path = os.path.join(folder, name)
        if folder and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError(f"{name} is not installed")
