"""A chromium that a test drives: it opens addresses, clicks, types and looks, by the browser's debugging pipe."""

import base64
import json
import os
import select
import subprocess
import time
from pathlib import Path
from typing import Any

from tests.stack.paths import system_program

from .chromium import OPTIONS

ANSWER_SECONDS = 60
TABS_MOST = 5
KEY_NUMBERS = {"Tab": 9}
# The first tab crashes within these, where the browser finds out only then how to draw without a graphics card.
WARM_PAGES = 10
CRASHES = ("Inspector.detached", "Inspector.targetCrashed")


class DrivenError(Exception):
    """The browser refused a command, or a script threw."""


class TabCrash(DrivenError):
    """The tab is gone."""


class Driven:
    """One tab. `login` is the name and password that go with every request, as after a browser's own question for them."""

    def __init__(self, directory: Path, login: tuple[str, str] | None = None) -> None:
        # The browser reads commands from descriptor 3 and writes to 4; each message ends with NUL.
        commands, self.to_browser = os.pipe()
        self.from_browser, events = os.pipe()
        self.browser = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{commands} 4>&{events}', "bash", system_program("chromium"), *OPTIONS,
             "--remote-debugging-pipe", f"--user-data-dir={directory / 'driven'}"],
            cwd=directory, stderr=subprocess.DEVNULL, pass_fds=(commands, events))
        os.close(commands)
        os.close(events)
        self.buffer, self.last_id, self.session = b"", 0, ""
        self.said: list[str] = []
        self.loads = 0
        self.login, self.width, self.height, self.scheme = login, 1280, 900, "light"
        self._open_tab()
        for number in range(WARM_PAGES):
            self.open(f"about:blank?{number}")

    def __enter__(self) -> "Driven":
        return self

    def __exit__(self, *_: object) -> None:
        self.browser.terminate()
        self.browser.wait(timeout=ANSWER_SECONDS)
        os.close(self.to_browser)
        os.close(self.from_browser)

    def _open_tab(self) -> None:
        for _ in range(TABS_MOST):
            try:
                self._prepare_tab()
                self.command("Page.captureScreenshot")
                return
            except TabCrash:
                pass
        raise DrivenError(f"{TABS_MOST} tabs have crashed")

    def _prepare_tab(self) -> None:
        self.session = ""
        target = self.command("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Inspector", "Page", "Runtime", "Log", "Network"):
            self.command(f"{domain}.enable")
        self._emulate()
        if self.login is not None:
            code = base64.b64encode(":".join(self.login).encode()).decode()
            self.command("Network.setExtraHTTPHeaders", headers={"Authorization": f"Basic {code}"})

    def command(self, method: str, **parameters: Any) -> Any:
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to_browser, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next_message()
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise DrivenError(f"{method}: {answer['error']}")
                return answer["result"]

    def _next_message(self) -> Any:
        end = time.monotonic() + ANSWER_SECONDS
        while b"\0" not in self.buffer:
            readable, _, _ = select.select([self.from_browser], [], [], max(0.0, end - time.monotonic()))
            more = os.read(self.from_browser, 1 << 20) if readable else b""
            if not more:
                raise DrivenError("the browser does not answer")
            self.buffer += more
        message, _, self.buffer = self.buffer.partition(b"\0")
        read = json.loads(message)
        if read.get("method") in CRASHES and self.session and read.get("sessionId") == self.session:
            raise TabCrash()
        if read.get("method") == "Page.loadEventFired":
            self.loads += 1
        if read.get("method") in ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
            self.said.append(json.dumps(read["params"])[:500])
        return read

    def look(self, script: str) -> Any:
        """The value of a script; one that is promised is waited for."""
        result = self.command("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise DrivenError(json.dumps(result["exceptionDetails"])[:2000])
        return result["result"].get("value")

    def open(self, url: str) -> None:
        for _ in range(TABS_MOST):
            try:
                before = self.loads
                self.command("Page.navigate", url=url)
                self._await_page(before)
                return
            except TabCrash:
                self._open_tab()
        raise DrivenError(f"{url}: {TABS_MOST} tabs have crashed")

    def _await_page(self, loads: int) -> None:
        while self.loads == loads:
            self._next_message()

    def leave(self, script: str) -> None:
        """Runs a script that leads to another page."""
        before = self.loads
        self.look(script + "; undefined")
        self._await_page(before)

    def click(self, selector: str) -> None:
        """Clicks what leads to another page."""
        self.leave(f"document.querySelector({json.dumps(selector)}).click()")

    def click_words(self, words: str) -> None:
        """Clicks the link or button that says so."""
        self.leave(f"[...document.querySelectorAll('a, button')].find(one => one.textContent.trim() === {json.dumps(words)}).click()")

    def search(self, words: str) -> None:
        """Types into the one search field, and sends it."""
        self.leave("{ const field = document.querySelector('[type=search]');"
                    f"field.value = {json.dumps(words)}; field.form.requestSubmit() }}")

    def text(self) -> str:
        return str(self.look("document.body.innerText"))

    def show_as(self, width: int, scheme: str, height: int = 900) -> None:
        """The size of the window; "light" or "dark"."""
        self.width, self.height, self.scheme = width, height, scheme
        self._emulate()

    def _emulate(self) -> None:
        self.command("Emulation.setDeviceMetricsOverride", width=self.width, height=self.height, deviceScaleFactor=1, mobile=False)
        self.command("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": self.scheme}])

    def show_on_paper(self) -> None:
        """As it is printed, until show_as."""
        self.command("Emulation.setEmulatedMedia", media="print", features=[])

    def press(self, key: str) -> None:
        for kind in ("rawKeyDown", "keyUp"):
            self.command("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=KEY_NUMBERS[key])

    def picture(self, path: Path, whole: bool = False) -> None:
        """The window as PNG; `whole`: the page with what stands below it."""
        shot = self.command("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def print_page(self) -> bytes:
        return base64.b64decode(self.command("Page.printToPDF", preferCSSPageSize=True)["data"])
