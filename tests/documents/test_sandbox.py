"""./sandbox: words that it does not know, what it does for developers, and parts that end."""

import base64
import json
import os
import re
import subprocess
import sys
import time
from datetime import date, timedelta

import pytest

from tools.sandbox.__main__ import window
from tools.sandbox.guide import guides
from tools.sandbox.instance import COMMERCE, DOCUMENT, ROLES, Instance
from tools.sandbox.parts import NAMES
from tools.sandbox.pay import Payment
from tools.sandbox.scene import Scene
from tests.stack.client import Client, Merchant
from tests.stack.paths import ROOT
from tests.stack.process import children
from tests.stack.waiting import wait_until


def sandbox_says(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["./sandbox", *words], cwd=ROOT, text=True, capture_output=True, timeout=120)


@pytest.mark.parametrize("words", [["update"], ["up", "--dettach"], ["up", "now"],
                                   ["demo", "--slow"], ["down", "--now"], ["logs", "worker", "web"], ["stop", "nginx"], ["start", "mariadb"], ["stop"], ["stop", "cron"], ["start", "worker", "--kill"], ["pay"], ["pay", "1", "45,000"],
                                   ["pay", "1", "a lot"], ["control", "x"]], ids=" ".join)
def test_wrong_words_are_named_before_anything_is_done(words: list[str]) -> None:
    said = sandbox_says(*words)
    assert said.returncode == 2 and said.stdout == ""
    first, *more, last = said.stderr.splitlines()
    assert first.endswith(": " + " ".join(words)) and last.startswith("./sandbox --help shows")
    forms, parts = [line for line in more if line.startswith("The form is: ")], [line for line in more if "takes a part" in line]
    assert [form.split()[4] for form in forms] == [word for word in words[:1] if word not in ("update", "control")] and len(forms + parts) == len(more)
    assert [set(re.findall(r"\w+", part.partition(": ")[2])) - {"or"} for part in parts] == ([set(NAMES)] if words[0] in ("stop", "start") else [])


def test_no_words_get_the_help() -> None:
    said = sandbox_says()
    assert (said.returncode, said.stdout) == (2, "") and said.stderr.startswith("usage: ./sandbox up")


@pytest.mark.parametrize("words, wrong", [
    (["m"], "--notify-url URL is missing"), (["m", "--notify-url", "127.0.0.1:1"], "--notify-url URL is wrong: 127.0.0.1:1"),
    (["a b", "--notify-url", "http://127.0.0.1:1/n"], "NAME has no spaces: a b")], ids=str)
def test_merchant_is_told_what_is_wrong(words: list[str], wrong: str) -> None:
    said = sandbox_says("merchant", *words)
    assert (said.returncode, said.stdout) == (2, "") and said.stderr.startswith(f"./sandbox merchant: {wrong}")


@pytest.mark.parametrize("words", [["--help"], ["up", "--help"], ["demo", "-h"]], ids=" ".join)
def test_help(words: list[str]) -> None:
    said = sandbox_says(*words)
    assert said.returncode == 0 and said.stdout.startswith("usage: ./sandbox up") and said.stderr == ""


def test_part_that_was_killed_is_started_again_and_leaves_nothing_behind(sandbox: Instance) -> None:
    nginx = next(part for part in sandbox.parts() if part.name == "nginx")
    wait_until(lambda: time.monotonic() - nginx.spawned_at > 1.1 and nginx.children(), "nginx and its worker process")
    first, (worker,) = nginx.pid, nginx.children()
    os.kill(first, 9)
    messages = wait_until(sandbox.mend, "nginx to be started again")
    assert messages == [f"nginx was ended by SIGKILL and was started again, process {nginx.pid}"]
    nginx.await_ready()
    assert nginx.pid != first and worker not in children(nginx.pid)
    wait_until(lambda: not os.path.exists(f"/proc/{worker}"), "the old worker process to be gone")


@pytest.mark.parametrize("role", ROLES)
def test_console_has_a_user_of_each_role(sandbox: Instance, role: str) -> None:
    environment = sandbox.environment()
    name_and_password = environment[f"RECAUDO_CONSOLE_{role.upper()}"]
    login = base64.b64encode(name_and_password.encode()).decode()
    with Client(environment["RECAUDO_CONSOLE_URL"]) as client:
        page = client.request("GET", "/?lang=en", None, {"Authorization": f"Basic {login}"})
        assert client.request("GET", "/").status == 401
    assert page.status == 200 and f"<strong>{role}</strong> ({role}" in page.text
    told = guides(sandbox.scene(), DOCUMENT, COMMERCE, "var/sandbox/guide", sandbox.console_facts())
    assert all(name_and_password in text and environment["RECAUDO_CONSOLE_URL"] in text for text in told)


def open_order(scene: Scene) -> str:
    return scene.add_order("TEST", "0", "Donación")


def test_pay_to_the_end(sandbox: Instance, capsys: pytest.CaptureFixture[str]) -> None:
    scene = sandbox.scene()
    reference = open_order(scene)
    assert Payment(scene, reference, "1200.50", cancel=False).run()
    said = capsys.readouterr().out
    assert '"AMOUNT":1200.50' in said and "For 3 s it could still be cancelled" in said
    assert re.search(r"notification \d+: acknowledged\n +More: ./sandbox ctl notification show \d+\n", said)
    order = scene.show_order(reference)
    assert order["state"] == "APROBADA" and order["po_id"] in [told.get("po_id") for told in scene.notifications()]


def test_pay_to_a_merchant_without_url(sandbox: Instance, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing will be sent: it says so and does not wait for it."""
    scene = sandbox.scene()
    scene.ctl.done("merchant", "add", "sin-url")
    words = scene.order_words("SIN-URL", "9012345678", "45000.00", "Zapatos rojos")
    scene.ctl.done(*("sin-url" if word == scene.merchant else word for word in words))
    assert Payment(scene, "9012345678", None, cancel=False).run()
    told = scene.show_order("9012345678")["notifications"][-1]["id"]
    assert f"notification {told} is unaddressed: sin-url has no notify_url." in capsys.readouterr().out


def test_pay_and_cancel(sandbox: Instance, capsys: pytest.CaptureFixture[str]) -> None:
    scene = sandbox.scene()
    reference = scene.add_order("TEST", "45000.00", "Zapatos rojos")
    assert Payment(scene, reference, None, cancel=True).run()
    assert "the order can be paid again" in capsys.readouterr().out
    (transaction,) = scene.show_order(reference)["transactions"]
    assert transaction["state"] == "CANCELADA"


def test_pay_into_an_account_and_cancel(sandbox: Instance, capsys: pytest.CaptureFixture[str]) -> None:
    assert Payment(sandbox.scene(), DOCUMENT, "2000", cancel=True).run()
    said = capsys.readouterr().out
    assert "Cancelled: nothing was added to the account." in said and "order" not in said.rpartition("Cancelled")[2]


def test_pay_into_an_account(sandbox: Instance, capsys: pytest.CaptureFixture[str]) -> None:
    assert Payment(sandbox.scene(), DOCUMENT, "2000", cancel=False).run()
    assert "Paid: 2000.00 were added to the account." in capsys.readouterr().out


@pytest.mark.parametrize("reference, amount, why", [
    ("none", None, "CODE 0101: no order or account has this reference"),
    ("open", None, "the amount is open: ./sandbox pay"),
    ("fixed", "44999", "CODE 0021: ")])
def test_pay_that_is_refused(sandbox: Instance, capsys: pytest.CaptureFixture[str], reference: str, amount: str | None,
                             why: str) -> None:
    scene = sandbox.scene()
    made = {"none": lambda: "404", "open": lambda: open_order(scene),
            "fixed": lambda: scene.add_order("TEST", "45000.00", "Zapatos rojos")}[reference]()
    assert not Payment(scene, made, amount, cancel=False).run()
    assert f"Not paid: {why}" in capsys.readouterr().out


def test_pay_after_a_change_of_secret(sandbox: Instance, capsys: pytest.CaptureFixture[str]) -> None:
    """It says how to give the network its secret back, and that helps."""
    scene = sandbox.scene()
    reference, name = open_order(scene), scene.network.name
    scene.ctl.done("network", "rotate", name, "--now")
    wait_until(lambda: scene.network.lookup(reference).code == "0025", "the workers to know the new secret")
    assert not Payment(scene, reference, "2500", cancel=True).run()
    said = capsys.readouterr().out
    for command in re.findall(r"^ +\./sandbox ctl (.*)$", said, re.MULTILINE):
        scene.ctl.done(*command.replace("var/sandbox/secrets/network.hash", str(sandbox.secret_file("network"))).split())
    wait_until(lambda: scene.network.lookup(reference).code == "0000", "the workers to know the secret that it had")
    assert Payment(scene, reference, "2500", cancel=True).run()


def in_sandbox(sandbox: Instance, *words: str, stdout: int = subprocess.PIPE) -> "subprocess.CompletedProcess[str]":
    """./sandbox WORDS in the sandbox of these tests instead of the one in var/."""
    script = ("import sys; from tools.sandbox import commands, __main__; from tools.sandbox.scene import Scene; "
              f"commands.running = lambda: Scene({sandbox.environment()!r}); sys.exit(__main__.main())")
    return subprocess.run([sys.executable, "-c", script, *words], cwd=ROOT, text=True, stdout=stdout,
                          stderr=subprocess.PIPE, timeout=300)


def test_ctl_hands_everything_on(sandbox: Instance) -> None:
    shown = in_sandbox(sandbox, "ctl", "account", "show", "--json", DOCUMENT)
    assert (shown.returncode, shown.stderr) == (0, "") and json.loads(shown.stdout)["document"] == DOCUMENT
    assert json.loads(in_sandbox(sandbox, "ctl", "--json", "account", "show", DOCUMENT).stdout)["document"] == DOCUMENT
    assert in_sandbox(sandbox, "ctl", "order", "--help").stdout.startswith("usage: recaudoctl order")
    assert in_sandbox(sandbox, "ctl", "order", "shwo").returncode == 2


def test_merchant_for_a_program(sandbox: Instance) -> None:
    made = in_sandbox(sandbox, "merchant", "mi-tienda", "--notify-url", "http://127.0.0.1:9/notified", "--ack", "http2xx")
    assert made.returncode == 0, made.stderr
    merchant = sandbox.stack.ctl.json("merchant", "show", "mi-tienda")
    assert (merchant["notify_url"], merchant["ack"]) == ("http://127.0.0.1:9/notified", "http2xx")
    (secret,) = re.findall(r"FIXED_HASH +([0-9a-f]{64})\n", made.stdout)
    program = Merchant(sandbox.stack.base_url, "mi-tienda", secret)
    due = (date.today() + timedelta(days=3)).strftime("%d/%m/%Y")
    assert program.send_json("POST", "/v1/porders", program.porder("A-1", due)).code == "0000"
    again = in_sandbox(sandbox, "merchant", "mi-tienda", "--notify-url", "http://127.0.0.1:9/")
    assert again.returncode == 1 and "merchant rotate mi-tienda --now" in again.stderr


def test_reader_that_leaves(sandbox: Instance) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = in_sandbox(sandbox, "pay", "404", stdout=writing)
    os.close(writing)
    assert process.returncode == 1 and process.stderr == ""


def test_window_is_said(sandbox: Instance) -> None:
    welcome, guide = guides(sandbox.scene(), DOCUMENT, COMMERCE, "var/sandbox/guide", sandbox.console_facts())
    assert "can be taken back for 3 s" in welcome and "\n# 4. Confirm it; for 3 s the same" in guide
    assert len(welcome.splitlines()) <= 24 and max(map(len, welcome.splitlines())) <= 110
    assert [window(text) for text in ("2s", "1500ms", "30")] == [2.0, 1.5, 30.0]
