"""When a folder is configured again, which builds everything in it from the start (tests/stack/build.sh)."""

import subprocess
from pathlib import Path

import pytest

from tests.stack.paths import ROOT


def is_configured(folder: Path, *options: str) -> bool:
    script = f'. "{ROOT}/tests/stack/build.sh"; is_configured "$@"'
    return subprocess.run(["bash", "-c", script, "build", folder, *options]).returncode == 0


@pytest.mark.parametrize("printed", ["--enable-silent-rules --enable-werror", "'--enable-silent-rules' '--enable-werror'"])
def test_a_folder_is_configured_once(tmp_path: Path, printed: str) -> None:
    """Releases of autoconf differ in whether config.status prints the options with quotes."""
    assert not is_configured(tmp_path)
    (tmp_path / "Makefile").touch()
    status = tmp_path / "config.status"
    status.write_text(f'#!/bin/sh\necho "{printed}"\n')
    status.chmod(0o755)
    assert is_configured(tmp_path)
    assert is_configured(tmp_path, "--enable-werror") and is_configured(tmp_path, "--enable-silent-rules", "--enable-werror")
    assert not is_configured(tmp_path, "--enable-wer") and not is_configured(tmp_path, "--enable-werror", "--enable-fuzz")
