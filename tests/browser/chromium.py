"""A real browser, without a window: Debian's chromium."""

import re
import subprocess
from pathlib import Path

from tests.stack.paths import system_program

# No sandbox of its own, which root cannot have: it opens nothing but our own pages. Names lead nowhere, so that it asks nobody else.
OPTIONS = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
           "--enable-logging=stderr", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1", "--no-pdf-header-footer")
PAGE_OBJECT = re.compile(rb"/Type\s*/Page\b")


class Chromium:
    """`directory` is for its profile and what it makes."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def _run(self, url: str, *options: str) -> str:
        """Everything that the console of the page says; a policy that is broken is said there too."""
        command = [system_program("chromium"), *OPTIONS, f"--user-data-dir={self.directory / 'profile'}", *options, url]
        result = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=self.directory)
        assert result.returncode == 0, result.stderr
        return "\n".join(line for line in result.stderr.splitlines() if ":CONSOLE" in line)

    def screenshot(self, url: str, picture: Path, width: int, height: int, scale: float = 1) -> str:
        """Draws the page into `picture`, PNG; returns what the console says."""
        return self._run(url, f"--screenshot={picture}", f"--window-size={width},{height}",
                         f"--force-device-scale-factor={scale}")

    def print_pages(self, url: str) -> int:
        """On how many sheets the page prints."""
        paper = self.directory / "page.pdf"
        self._run(url, f"--print-to-pdf={paper}")
        return len(PAGE_OBJECT.findall(paper.read_bytes()))


def codes_in(picture: Path) -> dict[str, str]:
    """What a scanner reads in a picture: kind of code, content."""
    result = subprocess.run([system_program("zbarimg"), "--quiet", str(picture)], capture_output=True, text=True, timeout=60)
    return dict(line.split(":", 1) for line in result.stdout.splitlines())
