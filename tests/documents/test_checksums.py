"""doc/checksums.md and its programs: five languages, every recipe, the same digests as ours and as the service's tests have."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from checksums import RECIPES, SECRET, checksum
from tests.stack.paths import ROOT

EXAMPLES = ROOT / "doc" / "examples" / "checksum"
LANGUAGES = {"py": "/usr/bin/python3", "php": "php", "js": "node", "pl": "perl", "sh": "bash"}
PAGE = ROOT / "doc" / "checksums.md"
ENUM = {"LOOKUP": "lookup", "REGISTRATION": "register", "CONFIRMATION": "confirm", "PORDER": "porder",
        "PORDER_QUERY": "porder-query", "PORDER_REFUND": "refund", "QUERY": "query", "ANSWER": "answer",
        "ANSWER_WITH_LIMITS": "answer-with-limits", "NOTIFICATION_SHA256": "notification-sha256",
        "NOTIFICATION_SHA512": "notification-sha512"}
FITS = {
    "py": "from checksum import fits; print([fits(*two) for two in (('AB', 'ab'), ('ab', 'ac'), ('a', 'ab'))])",
    "php": "require 'checksum.php'; echo json_encode([fits('AB', 'ab'), fits('ab', 'ac'), fits('a', 'ab')]);",
    "js": "const { fits } = require('./checksum.js'); console.log([fits('AB', 'ab'), fits('ab', 'ac'), fits('a', 'ab')])",
    "pl": "require './checksum.pl'; print join ' ', map { fits(@$_) ? 'true' : 'false' } ['AB', 'ab'], ['ab', 'ac'], ['a', 'ab']"}
SNIPPET_OPTION = {"py": "-c", "php": "-r", "js": "-e", "pl": "-e"}
HARD = ["Ñandú €", "a b", "", "\"\\'$(x)`", "%20", "n\u0303", "\U0001f600", "-n", "0"]


def run(language: str, *words: str, secret: str = SECRET) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([LANGUAGES[language], str(EXAMPLES / f"checksum.{language}"), *words], text=True,
                          env={**os.environ, "RECAUDO_SECRET": secret}, capture_output=True, timeout=120)


def vectors() -> list[tuple[str, list[str], str]]:
    rows = re.findall(r"^\| ([a-z0-9-]+) \| ((?:`[^`]*` ?)+) \| `([0-9a-f]+|v1,[0-9A-Za-z+/=]+)` \|$", PAGE.read_text(), re.MULTILINE)
    return [(recipe, re.findall(r"`([^`]*)`", values), digest) for recipe, values, digest in rows]


def vectors_of_the_service() -> list[tuple[str, list[str], str]]:
    """The table of tests/unit/auth/test_checksum.c, whose digests sha512sum has computed. The word of a refund is a value there."""
    source = (ROOT / "tests" / "unit" / "auth" / "test_checksum.c").read_text()
    rows = re.findall(r"\{CHECKSUM_(\w+),\s*\d,\s*\{([^}]*)\},\s*HASH,\s*((?:\"\w+\"\s*)+)\}", source)
    return [(ENUM[recipe], [value for value in re.findall(r'"([^"]*)"', values) if value != "refund"],
             "".join(re.findall(r"\w+", digest))) for recipe, values, digest in rows]


def all_vectors() -> list[tuple[str, list[str], str]]:
    here = vectors()
    return here + [vector for vector in vectors_of_the_service() if vector not in here]


def test_every_recipe_has_a_vector() -> None:
    assert {recipe for recipe, _, _ in vectors()} == set(RECIPES)


@pytest.mark.parametrize("recipe, values, digest", vectors())
def test_vectors_are_right(recipe: str, values: list[str], digest: str) -> None:
    assert checksum(recipe, SECRET, *values) == digest


def test_the_service_has_vectors_of_its_own() -> None:
    """And they are found: all but those with another secret."""
    source = (ROOT / "tests" / "unit" / "auth" / "test_checksum.c").read_text().split("VECTORS[] = {")[1].split("};")[0]
    found = vectors_of_the_service()
    assert len(found) == source.count("{CHECKSUM_") - source.count("K64 K64 K64 K64 K64 K64 K64 K64,") >= 8


@pytest.mark.parametrize("recipe, values, digest", all_vectors())
@pytest.mark.parametrize("language", LANGUAGES)
def test_programs(language: str, recipe: str, values: list[str], digest: str) -> None:
    result = run(language, recipe, *values)
    assert (result.returncode, result.stdout) == (0, digest + "\n"), result.stderr


@pytest.mark.parametrize("language", LANGUAGES)
def test_hard_signatures(language: str) -> None:
    for body in ("", "Ñandú €", "%20\\n\"'$(x)`", "\U0001f600"):
        for secret in ("x", "s3cr3t ñ", "k" * 64, "k" * 65, "k" * 512):
            values = ["a-1", "1790000000", "GET", "/v1/orders/1?name=Red%20Norte&checksum=00", body]
            assert run(language, "signature", *values, secret=secret).stdout == checksum("signature", secret, *values) + "\n"


@pytest.mark.parametrize("language", LANGUAGES)
def test_hard_values(language: str) -> None:
    values = [HARD[at:at + 4] for at in range(0, len(HARD) - 3, 4)]
    for four in values:
        for secret in ("x", "s3cr3t ñ", "k" * 512):
            assert run(language, "register", *four, secret=secret).stdout == checksum("register", secret, *four) + "\n"


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_wrong_number_of_values(language: str, recipe: str) -> None:
    result = run(language, recipe, "x")
    assert result.returncode != 0
    assert result.stdout + result.stderr == f"{recipe} takes: {RECIPES[recipe][2]}\n"


@pytest.mark.parametrize("words", ([], [""], ["nosuch"], ["toString", "x"]), ids=str)
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_such_recipe(language: str, words: list[str]) -> None:
    """One line says which there are."""
    result = run(language, *words)
    assert (result.returncode != 0, result.stdout, result.stderr.count("\n")) == (True, "", 1), result
    assert set(RECIPES) <= set(result.stderr.split())


@pytest.mark.parametrize("language", FITS)
def test_comparing(language: str) -> None:
    result = subprocess.run([LANGUAGES[language], SNIPPET_OPTION[language], FITS[language]], cwd=EXAMPLES, text=True,
                            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}, capture_output=True, timeout=120)
    assert result.returncode == 0, result.stderr
    assert re.findall(r"true|false", result.stdout.lower()) == ["true", "false", "false"]


def quotes() -> list[tuple[Path, str, str]]:
    """Page, file and text of each quotation."""
    found = []
    for page in sorted((ROOT / "doc").glob("*.md")):
        for name, text in re.findall(r"<!-- file: (\S+) -->\n```\w*\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE):
            found.append((page, name, text))
    return found


@pytest.mark.parametrize("page, name, text", quotes(), ids=lambda value: Path(value).name if len(str(value)) < 200 else "")
def test_quotations(page: Path, name: str, text: str) -> None:
    assert (ROOT / name).read_text() == text


def test_every_program_is_quoted() -> None:
    quoted = {name for _, name, _ in quotes()}
    programs = [path for path in (ROOT / "doc" / "examples").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert {str(path.relative_to(ROOT)) for path in programs} == quoted
