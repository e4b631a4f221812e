"""What `make install` puts beside the pages: every page, picture and file of SQL that they name."""

import re

import pytest

from tests.stack.paths import ROOT

MAKEFILE = re.sub(r"\\\n\s*", "", (ROOT / "Makefile.am").read_text())


def installed(kind: str) -> set[str]:
    (words,) = re.findall(rf"^{kind}_DATA = (.*)$", MAKEFILE, re.MULTILINE)
    return set(str(words).split())


PAGES = sorted(name for name in installed("dist_doc") if name.endswith(".md"))


def test_every_page_is_installed() -> None:
    assert {f"doc/{page.name}" for page in (ROOT / "doc").glob("*.md")} <= installed("dist_doc")


@pytest.mark.parametrize("page", PAGES)
def test_what_it_names_is_installed(page: str) -> None:
    text = (ROOT / page).read_text()
    pictures = {f"doc/{name}" for name in re.findall(r"\bpictures/[\w-]+\.\w+", text)}
    assert pictures - installed("dist_pictures") == set()
    sql = set(re.findall(r"`(sql/(?:accounts|foundation|grants)\.sql)`", text))
    assert sql - installed("nobase_dist_example") == set()
