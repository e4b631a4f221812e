"""promtool, a Debian program: tests/stack/install.sh unpacks it into var/ of the checkout."""

import os
import subprocess
from pathlib import Path

from .paths import ROOT, system_program

UNPACKED = ROOT / "var" / "promtool" / "usr" / "bin" / "promtool"


def promtool(*words: str | Path, stdin: str = "") -> str:
    """Runs it; its output. Raises ValueError with what it complains about."""
    path = str(UNPACKED) if os.access(UNPACKED, os.X_OK) else system_program("promtool")
    result = subprocess.run([path, *map(str, words)], input=stdin, capture_output=True, text=True, timeout=300)
    if result.returncode != 0 or result.stderr.strip():
        raise ValueError(f"promtool {' '.join(map(str, words))}: exit {result.returncode}: {result.stdout}{result.stderr}")
    return result.stdout
