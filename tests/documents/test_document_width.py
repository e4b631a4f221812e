"""What tests/format says about the width of documents."""

from pathlib import Path

import pytest

from tests.tools.document_width import fix, main, wide_lines

LONG = "word " * 30
LINK = f"[{LONG}](https://example.com/)"


@pytest.mark.parametrize("text", [f"{LONG}\n", f"* {LONG}\n", f"1. {LONG}\n", f"> {LONG}\n", f"Short.\n{LONG}\n", f"See {LINK} for more.\n",
                                  f"```\ncode\n```\n{LONG}\n", f"<!-- comment -->\n{LONG}\n", f"* item\n    {LONG}\n"])
def test_wide_prose_is_found_and_wrapped(text: str) -> None:
    assert wide_lines(text) == [text.rstrip("\n").count("\n") + 1]
    fixed = fix(text)
    assert wide_lines(fixed) == []
    assert fixed.replace("\n> ", " ").split() == text.split()


@pytest.mark.parametrize("text", [f"| {LONG} |\n", f"```\n{LONG}\n```\n", f"Code:\n\n    {LONG}\n", f"<!-- {LONG} -->\n", f"# {LONG}\n",
                                  f"{LINK}\n", f"* {LINK}\n", "x" * 101 + "\n", "Short.\n"])
def test_what_may_be_wide(text: str) -> None:
    assert wide_lines(text) == []
    assert fix(text) == text


def test_file_and_line_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "page.md").write_text(f"# Title\n\n{LONG}\n")
    assert main(tmp_path, is_fixing=False) == 1
    assert "# page.md:3\n" in capsys.readouterr().out
