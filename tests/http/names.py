"""What the names of the tests lead to, for programs that are started with names.c."""

import subprocess
from pathlib import Path

SOURCE = Path(__file__).with_name("names.c")


class Names:
    """What name resolution finds."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / "names"
        self.hung = directory / "names.hung"
        self.library = directory / "names.so"
        self.known: dict[str, str] = {}
        subprocess.run(["cc", "-shared", "-fPIC", "-o", str(self.library), str(SOURCE), "-ldl"], check=True)

    def environment(self) -> dict[str, str]:
        """With it a program looks names up here."""
        return {"LD_PRELOAD": str(self.library), "RECAUDO_TEST_NAMES": str(self.path)}

    def set(self, name: str, address: str) -> None:
        """`address` may be "hang": looking it up takes until there is another."""
        self.known[name] = address
        self.hung.unlink(missing_ok=True)
        written = self.path.with_suffix(".new")
        written.write_text("".join(f"{name} {address}\n" for name, address in self.known.items()))
        written.rename(self.path)

    def has_hung(self) -> bool:
        """Since the last `set`."""
        return self.hung.exists()
