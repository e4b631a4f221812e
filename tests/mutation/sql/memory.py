"""Where a database waits for no disk."""

import os
import shutil
from pathlib import Path

MEMORY, ROOM = Path("/dev/shm"), 2 << 30


def directory_in_memory() -> Path | None:
    """None where there is none, or too little room."""
    return MEMORY if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM else None
