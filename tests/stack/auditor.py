"""recaudo-audit: what the auditor's program finds in the books."""

import json
import subprocess
import sys

from .mariadb import MariaDB
from .paths import ROOT

AUDIT = ROOT / "audit" / "recaudo-audit"


def audit(mariadb: MariaDB) -> list[str]:
    """A line for each finding, and one if the program could not look."""
    result = subprocess.run([sys.executable, AUDIT, "--json", "--socket", mariadb.socket, "--password-file",
                             mariadb.password_file("recaudo_reader")], capture_output=True, text=True, timeout=1800)
    if result.returncode not in (0, 1):
        return [f"recaudo-audit ended with {result.returncode}: {result.stderr}"]
    return [line for line in result.stdout.splitlines() if "finding" in json.loads(line)]
