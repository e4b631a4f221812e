"""Where the checkout, its build and its programs are."""

import os
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = (ROOT / os.environ.get("RECAUDO_BUILD", "build")).resolve()


def program(name: str) -> str:
    """The path of a built program, relative to the build directory."""
    path = BUILD / name
    if not os.access(path, os.X_OK):
        raise FileNotFoundError(f"{path} is not built")
    return str(path)


def package_version() -> str:
    """As configure.ac has it."""
    found = re.search(r"AC_INIT\(\[recaudo\], \[(.*)\]\)", (ROOT / "configure.ac").read_text())
    assert found
    return found[1]


def system_program(name: str) -> str:
    """A program of the system. /usr/sbin is not on every user's PATH."""
    for folder in os.environ.get("PATH", "").split(":") + ["/usr/sbin", "/usr/bin", "/sbin", "/bin"]:
        path = os.path.join(folder, name)
        if folder and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError(f"{name} is not installed")
