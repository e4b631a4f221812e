"""doc/openapi.yaml and notifications, judged by packages of the npm registry that others use."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from shops import day_ahead, register_and_pay, Receiver
from tests.stack import Stack, wait_until
from tests.stack.dispatch_rig import DispatchRig
from tests.stack.merchant_stub import MerchantStub
from tests.stack.paths import ROOT

HERE = Path(__file__).parent
OPENAPI = ROOT / "doc" / "openapi.yaml"
GENERATORS = {"openapi_typescript": ("openapi-typescript", str(OPENAPI), "-o", "openapi_typescript.ts"),
              "oazapfts": ("oazapfts", str(OPENAPI), "oazapfts.ts")}
WAYS = ["standardwebhooks raw", "standardwebhooks whsec_", "svix raw", "svix whsec_"]


def node(directory: Path, *words: str, stdin: str = "", **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["node", *words], cwd=directory, input=stdin, env={**os.environ, **environment}, text=True,
                          capture_output=True, timeout=120)


def done(result: "subprocess.CompletedProcess[str]") -> str:
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def command(node_modules: Path, name: str) -> str:
    return str((node_modules / ".bin" / name).resolve())


@pytest.fixture(scope="session")
def project(node_modules: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this folder's sources with the packages beside them."""
    directory = tmp_path_factory.mktemp("project")
    for source in [*HERE.glob("*.ts"), *HERE.glob("*.js"), *HERE.glob("*.json")]:
        shutil.copy(source, directory)
    (directory / "node_modules").symlink_to(node_modules)
    return directory


@pytest.fixture(scope="session")
def generated(project: Path, node_modules: Path) -> Path:
    """Both clients, generated and compiled with strict types."""
    for name, *words in GENERATORS.values():
        done(node(project, command(node_modules, name), *words))
    done(node(project, command(node_modules, "tsc"), "-p", "."))
    return project / "out"


def test_the_linter_finds_nothing(project: Path) -> None:
    assert done(node(project, "lint.js", str(OPENAPI))) == ""


@pytest.mark.parametrize("right, wrong, found", [
    ('description: "Of a refund, the amount paid"', "description: Of a refund, the amount paid", "the amount paid"),
    ("operationId: lookUp", "operationId: register", "operationId"),
    ('schema: {$ref: "#/components/schemas/PayableReference"}', 'schema: {$ref: "#/components/schemas/No"}', "resolve")])
def test_the_linter_finds_mistakes(project: Path, tmp_path: Path, right: str, wrong: str, found: str) -> None:
    text = OPENAPI.read_text()
    assert right in text
    (tmp_path / "openapi.yaml").write_text(text.replace(right, wrong, 1))
    result = node(project, "lint.js", str(tmp_path / "openapi.yaml"))
    assert result.returncode == 1 and found in result.stdout


@pytest.mark.parametrize("generator", GENERATORS)
def test_a_generated_client_pays(stack: Stack, rig: DispatchRig, network_hash: str, generated: Path,
                                 generator: str) -> None:
    merchant = rig.merchant(None)
    order = f"PO-{generator}"
    said: dict[str, Any] = json.loads(done(node(
        generated, f"pay_{generator}.js", BASE=stack.base_url, MERCHANT=merchant.name, MERCHANT_HASH=merchant.fixed_hash,
        NETWORK="Red Norte", NETWORK_HASH=network_hash, ORDER=order, EXPIRATION=day_ahead(rig))))
    assert said == {"amount": 45000, "service": said["service"], "confirmed": True, "state": "PENDIENTE"}
    paid = "SELECT o.state FROM orders o JOIN transactions t ON t.id = o.paid_by WHERE o.po_id = %s AND t.id = %s"
    wait_until(lambda: [row["state"] for row in rig.rows(paid, order, said["service"])] == ["APROBADA"],
               f"{order} to be paid", 60)


def test_official_libraries_verify_a_notification(stack: Stack, rig: DispatchRig, stub: MerchantStub, project: Path,
                                                  network_hash: str) -> None:
    """Both ways that the guide names; a byte more, or another secret, is refused by all."""
    receiver = Receiver(stub, "webhooks", "OK")
    merchant = rig.merchant(receiver.url)
    receiver.merchant = merchant
    register_and_pay(stack, rig, merchant, network_hash)
    (request,) = stub.await_requests(1, 60)
    told = {"body": request.body.decode(), "headers": request.headers, "secret": merchant.notification_hash}

    def verified(**others: Any) -> Any:
        return json.loads(done(node(project, "verify_webhook.js", stdin=json.dumps({**told, **others}))))

    assert verified() == WAYS
    assert verified(body=told["body"] + " ") == []
    assert verified(secret=merchant.fixed_hash) == []
    guide = (ROOT / "doc" / "guide-merchant.md").read_text()
    assert "new Webhook(secret, { format: 'raw' })" in guide and "'whsec_' + " in guide
