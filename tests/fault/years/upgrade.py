"""The release before, and the day on which today's takes its place (doc/operations.md, "Upgrade")."""

import re
from pathlib import Path

from tests.stack import Stack
from tests.stack.config import Settings
from tests.stack.paths import BUILD

from .life import PatientMariaDB

UNKNOWN = re.compile(r"recaudo\.conf:(\d+): .* is not a (?:setting|section)")


class OlderStack(Stack):
    """Runs the programs of another build until it is upgraded. `settings` are today's: what that build does not know yet is left
    out of its recaudo.conf."""

    def __init__(self, directory: Path, settings: Settings, build: Path) -> None:
        super().__init__(directory, settings=settings, dispatcher=False, database=PatientMariaDB)
        self.use_programs(build)

    def write_config(self, settings: Settings | None = None) -> None:
        super().write_config(settings)
        while unknown := UNKNOWN.search(self.ctl.run("config", "check").stdout):
            lines = self.config.read_text().splitlines(keepends=True)
            lines.pop(int(unknown[1]) - 1)
            self.config.write_text("".join(lines))

    def upgrade(self) -> None:
        """Between two passes of the dispatcher; the web server and the database go on."""
        self.use_programs(BUILD)
        self.write_config()
        self.migrate()
        self.worker.restart()
