"""doc/audit.md: the example is right, computed from what the page says."""

import csv
import re
import sys
from datetime import datetime
from decimal import Decimal
from hashlib import sha256

from tests.stack.page_blocks import block
from tests.stack.paths import ROOT

sys.path.insert(0, str(ROOT / "audit"))
from recaudo_audit.money import Sheet  # noqa: E402: from a folder of its own

PAGE = "audit.md"


def test_example() -> None:
    lines = block(PAGE, "audit-example").replace("⇥", "\t").splitlines(keepends=True)
    digests = [sha256(line.encode()).digest() for line in lines]
    text = block(PAGE, "audit-seal")
    page = (ROOT / "doc" / PAGE).read_text()
    said = re.findall(r"`([0-9a-f]{16,})`", page)
    assert said == [*(digest.hex() for digest in digests), sha256(text.encode()).hexdigest(),
                    b"".join(b"\1" + digest[:4] for digest in digests).hex()]
    assert f"events {sha256(b''.join(digests)).hexdigest()}\n" in text and text.count("\n") == 9


def test_example_of_a_settlement() -> None:
    """Its digest, and the auditor's program makes the same of its operations."""
    page = "settlement-csv.md"
    text = block(page, "settlement-example")
    (said,) = re.findall(r"`([0-9a-f]{64})`", (ROOT / "doc" / page).read_text())
    assert sha256(text.encode()).hexdigest() == said
    lines = list(csv.DictReader(text.splitlines()))
    values = {line["row"]: line["value"] for line in lines if line["value"]}
    sheet = Sheet({"number": values["settlement"], "day": values["date"], "zone": values["zone"],
                   "opened_at": instant(values["begins_at"]), "closed_at": instant(values["ends_at"])})
    operations = [line for line in lines if line["row"] == "operation"]
    for line in operations:
        sheet.operation({**line, "amount": Decimal(line["amount"]), "po_id": line["order"], "transaction": line["transaction"].lstrip("'"),
                         "id": line["idservice"], "at": instant(line["at"])})
    assert sheet.end() == said
    assert {line["kind"] for line in operations} == {"finalised", "cancelled", "refunded"} and any(not line["merchant"] for line in operations)


def instant(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ")


def test_every_finding_is_named() -> None:
    """By the page, and by the program."""
    section = (ROOT / "doc" / PAGE).read_text().split("\n## Check\n")[1].split("\n## ")[0]
    page = set(re.findall(r"^\| ([a-z]+-[a-z]+) \|", section, re.MULTILINE))
    program = set(re.findall(r'"((?:event|events|log|seal|marks|key|signature|kept)-[a-z]+)"',
                             "".join((ROOT / "src" / path).read_text() for path in ("audit/seal_check.c", "ctl/audit/audit_verify.c"))))
    assert page == program


def test_findings_of_the_auditors_program() -> None:
    page = set(re.findall(r"\b[a-z]+(?:-[a-z]+)+\b|\b(?:refund|remittance|unreadable)\b", (ROOT / "doc" / PAGE).read_text()))
    subjects = ("order", "transaction", "notification", "network", "merchant")
    named = set()
    for module in (ROOT / "audit" / "recaudo_audit").glob("*.py"):
        named |= set(re.findall(r'(?:find|check_party)\(\s*(?:self\.report, |report, )?f?"([a-z{}-]+)"', module.read_text()))
    assert len(named) > 30
    for name in named:
        if "{subject}" in name:
            assert {name.replace("{subject}", subject) for subject in subjects} & page, name
        else:
            assert name in page, name


def test_every_table_is_checked_or_said_not_to_be() -> None:
    program = "".join(path.read_text() for path in (ROOT / "audit" / "recaudo_audit").glob("*.py"))
    page = (ROOT / "doc" / PAGE).read_text().split("**What is not checked.**")[1]
    tables = re.findall(r"^CREATE TABLE ([a-z_]+) ", (ROOT / "sql" / "foundation.sql").read_text(), re.MULTILINE)
    assert len(tables) > 40
    assert [table for table in tables if not re.search(rf"\b{table}\b", program) and f"`{table}`" not in page] == []
