"""Databases of older schemas, and what a schema is made of."""

import re
import subprocess
from pathlib import Path
from typing import Any, Iterator

from tests.stack.mariadb import DATABASE, OWNER, MariaDB
from tests.stack.paths import ROOT, system_program

# Without these, programs of an older release would not work either.
NEEDED = ("always", "countries", "currencies", "schema_lock", "schema_version", "settings")
KEY = "5a" * 32

# (kind, query): what information_schema tells of a schema. Triggers come with their place among those of their table and event.
_PARTS = (
    ("table", "SELECT table_name, table_type, engine, row_format, table_collation, table_comment, create_options"
              " FROM information_schema.tables WHERE table_schema = %s"),
    ("column", "SELECT table_name, ordinal_position, column_name, column_default, is_nullable, column_type,"
               " character_set_name, collation_name, extra, column_comment, generation_expression"
               " FROM information_schema.columns WHERE table_schema = %s"),
    ("key", "SELECT table_name, index_name, non_unique, seq_in_index, column_name, sub_part"
            " FROM information_schema.statistics WHERE table_schema = %s"),
    ("check", "SELECT table_name, constraint_name, check_clause FROM information_schema.check_constraints"
              " WHERE constraint_schema = %s"),
    ("foreign key", "SELECT r.table_name, r.constraint_name, u.column_name, r.referenced_table_name,"
                    " u.referenced_column_name, r.update_rule, r.delete_rule"
                    " FROM information_schema.referential_constraints r JOIN information_schema.key_column_usage u"
                    " USING (constraint_schema, table_name, constraint_name) WHERE r.constraint_schema = %s"),
    ("routine", "SELECT routine_type, routine_name, dtd_identifier, routine_definition, is_deterministic,"
                " sql_data_access, security_type, routine_comment, sql_mode, definer"
                " FROM information_schema.routines WHERE routine_schema = %s"),
    ("parameter", "SELECT specific_name, ordinal_position, parameter_mode, parameter_name, dtd_identifier"
                  " FROM information_schema.parameters WHERE specific_schema = %s"),
    ("trigger", "SELECT event_object_table, action_timing, event_manipulation, action_order, trigger_name,"
                " action_statement, sql_mode, definer FROM information_schema.triggers WHERE trigger_schema = %s"),
    ("view", "SELECT table_name, view_definition, security_type, check_option, definer"
             " FROM information_schema.views WHERE table_schema = %s"),
)


def dump(version: int) -> Path:
    return ROOT / "tests" / "ctl" / "upgrade" / f"schema_{version}.sql"


def _without_rows(lines: list[str]) -> Iterator[str]:
    left_out = False
    for line in lines:
        if line.startswith("INSERT INTO"):
            left_out = line.split("`")[1] not in NEEDED
        if not left_out:
            yield re.sub(" AUTO_INCREMENT=[0-9]+", "", line)
        left_out = left_out and not line.endswith(";")


def load(server: MariaDB, version: int, rows: bool = True) -> None:
    """Fills the empty database with that of an older schema; without `rows`, only what programs need is in it."""
    lines = dump(version).read_text().split("\n")
    text = "\n".join(lines if rows else _without_rows(lines))
    subprocess.run([system_program("mariadb"), "--no-defaults", f"--socket={server.socket}", f"--user={OWNER}",
                    f"--password={server.password(OWNER)}", DATABASE], input=text, text=True, check=True)


def shape(server: MariaDB, database: str) -> set[tuple[str, ...]]:
    """Everything that information_schema tells of a schema, but for its name."""
    found: set[tuple[str, ...]] = set()
    for kind, query in _PARTS:
        for row in server.query(query, database):
            found.add((kind, *(str(value).replace(f"`{database}`.", "") for value in row.values())))
    return found


def rows(server: MariaDB, columns: dict[str, list[str]]) -> dict[str, list[dict[str, Any]]]:
    """The rows of each table in these columns, in the order of its first key."""
    return {table: server.query(f"SELECT {', '.join(f'`{name}`' for name in names)} FROM `{table}`"
                                f" ORDER BY {', '.join(str(i + 1) for i in range(len(names)))}")
            for table, names in columns.items()}


def stored_columns(server: MariaDB) -> dict[str, list[str]]:
    columns: dict[str, list[str]] = {}
    for row in server.query("SELECT c.table_name AS t, c.column_name AS c FROM information_schema.columns c"
                            " JOIN information_schema.tables t USING (table_schema, table_name)"
                            " WHERE c.table_schema = %s AND t.table_type = 'BASE TABLE' AND c.table_name NOT IN ('schema_lock', 'schema_version')"
                            " ORDER BY c.table_name, c.ordinal_position", DATABASE):
        columns.setdefault(row["t"], []).append(row["c"])
    return columns
