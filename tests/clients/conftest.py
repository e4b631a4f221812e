"""A whole instance with a short cancellation window, and the npm packages that are tried on it."""

import subprocess
from pathlib import Path
from typing import Iterator

import pytest

from tests.stack import Stack
from tests.stack.dispatch_rig import DispatchRig
from tests.stack.merchant_stub import MerchantStub
from tests.stack.paths import ROOT

WINDOW = {"worker": {"cancel_window": "2s"}}


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    with Stack(settings=WINDOW, buffer_pool="64M") as stack:
        yield stack


@pytest.fixture(scope="session")
def rig(stack: Stack) -> DispatchRig:
    return DispatchRig(stack)


@pytest.fixture(scope="session")
def network_hash(stack: Stack) -> str:
    return str(stack.ctl.json("network", "add", "Red Norte")["fixed_hash"])


@pytest.fixture
def stub() -> Iterator[MerchantStub]:
    with MerchantStub() as stub:
        yield stub


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """./check has installed them before; a test that is run alone installs them itself."""
    subprocess.run(["bash", "-c", ". tests/stack/install.sh && install_npm_packages"], cwd=ROOT, check=True,
                   timeout=600)
    return ROOT / "var" / "npm" / "node_modules"
