"""What tests/format says about the names of static functions."""

from pathlib import Path

import pytest

from tests.tools.static_names import main

ONE = "static void add(int a) {\n}\n"
OTHER = "static const char *add(struct text name,\n                       int a) {\n    return NULL;\n}\n"


@pytest.mark.parametrize("texts, said", [
    ((ONE, OTHER), "# add: a.c, b.c\nnot ok"),
    ((ONE, OTHER.replace("add", "take")), "ok"),
    ((ONE, "static void add(int a);\nvoid use(void) {\n    add(1);\n}\n"), "ok"),
    ((ONE.replace("add", "is_digit"), OTHER.replace("add", "is_digit")), "ok"),
])
def test_names_in_several_files(tmp_path: Path, capsys: pytest.CaptureFixture[str], texts: tuple[str, str], said: str) -> None:
    (tmp_path / "src").mkdir()
    for name, text in zip("ab", texts):
        (tmp_path / "src" / f"{name}.c").write_text(text)
    assert main([str(tmp_path)]) == int("not" in said)
    assert capsys.readouterr().out.startswith(said)
