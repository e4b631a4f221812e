"""recaudo.conf of a private instance."""

import secrets
from pathlib import Path
from typing import Mapping, Sequence

from .mariadb import DATABASE, OWNER, MariaDB
from .private_files import write_private

Settings = Mapping[str, Mapping[str, object]]


def default_settings(database: MariaDB, worker_socket: str, key_file: Path) -> dict[str, dict[str, object]]:
    accounts = {"owner": OWNER, "worker": "recaudo_worker", "dispatcher": "recaudo_dispatcher",
                "deliverer": "recaudo_deliverer",
                "operator": "recaudo_operator", "console": "recaudo_console"}
    logins: dict[str, object] = {}
    for part, account in accounts.items():
        logins[f"{part}_user"] = account
        logins[f"{part}_password_file"] = database.password_file(account)
    return {
        "database": {**database.address(), "name": DATABASE, **logins},
        "worker": {"socket": worker_socket},
        "security": {"key_file": key_file, "allow_addresses": "127.0.0.0/8 ::1"},
    }


def write_config(path: Path, *layers: Settings) -> None:
    """Writes the sections of `layers`, later ones over earlier ones."""
    merged: dict[str, dict[str, object]] = {}
    for layer in layers:
        for section, values in layer.items():
            merged.setdefault(section, {}).update(values)
    lines: list[str] = []
    for section, values in merged.items():
        lines += [f"[{section}]", *(f"{key} = {value}" for key, value in values.items()), ""]
    write_private(path, "\n".join(lines))


def configured_server(directory: Path, options: Sequence[str] = ()) -> tuple[MariaDB, Path]:
    """A server that has not been started, and a complete configuration of its database, both in the directory."""
    server = MariaDB(directory, directory, options=options)
    key_file = directory / "secret.key"
    write_private(key_file, secrets.token_hex(32) + "\n")
    config = directory / "recaudo.conf"
    write_config(config, default_settings(server, str(directory / "fcgi.sock"), key_file))
    return server, config
