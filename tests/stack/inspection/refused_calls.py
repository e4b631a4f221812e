"""Programs to which the system refuses what they ask of it: they are started with refused_calls.c."""

import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

from ..process import preloading

SOURCE = Path(__file__).with_suffix(".c")


class RefusedCalls:
    """Which function fails, and how, from now on; none at first."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "refused"
        self.library = directory / "refused_calls.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", str(self.library), str(SOURCE), "-ldl"], check=True)

    def environment(self) -> dict[str, str]:
        """What is loaded before all programs (observable.py) stays so."""
        return preloading(str(self.library)) | {"RECAUDO_TEST_REFUSED": str(self.path)}

    @contextmanager
    def refusing(self, function: str, error: int, passing: int = 0) -> Iterator[None]:
        """Each call of it fails with this errno, but for the first ones that each process makes."""
        written = self.path.with_suffix(".new")
        written.write_text(f"{function} {passing} {error}\n")
        written.rename(self.path)
        try:
            yield
        finally:
            self.path.unlink()
