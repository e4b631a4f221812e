"""Small private files: passwords and hashes."""

import os
import secrets
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Writes a file that only its owner may read."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)


def kept_secret(path: Path) -> str:
    """The secret in `path`, made up and written at first use."""
    if not path.exists():
        write_private(path, secrets.token_hex(24) + "\n")
    return path.read_text().strip()
