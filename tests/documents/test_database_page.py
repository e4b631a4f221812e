"""doc/database.md: its queries run with a reader's rights, and its list of tables is whole."""

import re
from pathlib import Path

import pytest

from tools.sandbox.instance import Instance
from tests.stack.page_blocks import block
from tests.stack.paths import ROOT

PAGE = ROOT / "doc" / "database.md"


def queries(page: Path) -> list[str]:
    blocks = re.findall(r"^```sql\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)
    return [query.strip() for block in blocks for query in re.sub(r"^--.*\n", "", block, flags=re.MULTILINE).split(";\n")
            if query.strip()]


QUERIES = [(page.name, query) for page in sorted((ROOT / "doc").glob("*.md")) for query in queries(page)]


@pytest.mark.parametrize("page, query", QUERIES, ids=lambda text: str(text)[:50])
def test_queries_run(sandbox: Instance, page: str, query: str) -> None:
    with sandbox.stack.mariadb.connect("recaudo_reader") as connection, connection.cursor() as cursor:
        cursor.execute(query)
        cursor.fetchall()
        assert cursor.description is not None


def test_rights_on_routines(sandbox: Instance) -> None:
    """The query for an administrator, of a schema that a reader may not read."""
    query = block(PAGE.name, "administrator").rstrip(";\n")
    rows = sandbox.stack.mariadb.query(query)
    assert {"'recaudo_worker'@'localhost'", "'recaudo_dispatcher'@'localhost'"} <= {row["grantee"] for row in rows}
    assert "payment_confirm" in {row["name"] for row in rows}


def test_there_are_queries() -> None:
    assert len([query for name, query in QUERIES if name == PAGE.name]) >= 15


@pytest.mark.parametrize("kind, heading", [("BASE TABLE", "| Table | One row is | Grows with |"), ("VIEW", "## Views")])
def test_tables_and_views_are_all_named(sandbox: Instance, kind: str, heading: str) -> None:
    section = PAGE.read_text().split(heading)[1].split("\n\n" if kind == "BASE TABLE" else "```")[0]
    named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)*\b", "\n".join(
        line.split("|")[1] if line.startswith("|") else line for line in section.splitlines())))
    there = {row["name"] for row in sandbox.stack.mariadb.query(
        "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type = %s", kind)}
    assert there - named == set()
