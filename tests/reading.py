"""What a reader does with a page in a browser."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PATIENCE = 60.0
"""Seconds to wait for what must come; a busy machine is slow, not wrong."""


class Reader:
    """A browser with the page, in the words of its reader."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def look(self, *, width: int, height: int, dark: bool) -> None:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.cdp("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.cdp("Emulation.setEmulatedMedia", {"features": [scheme, still]})

    def open(self, page: Path) -> None:
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)  # what went before is not this page's
        self.driver.get(page.as_uri())
        self.until(lambda: self.js("return document.documentElement.dataset.ready === 'yes'"))

    def cdp(self, command: str, parameters: dict[str, Any]) -> Any:
        return self.driver.execute_cdp_cmd(command, parameters)

    def js(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def until(self, holds: Callable[[], Any]) -> Any:
        end = time.monotonic() + PATIENCE
        while True:
            found = holds()
            if found:
                return found
            assert time.monotonic() < end, "waited in vain"
            time.sleep(0.05)

    def console(self) -> list[str]:
        """Everything the page had to say to the console, errors of its policy included."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    @contextmanager
    def without_policy(self) -> Iterator[None]:
        """axe makes markup of strings, which the page's policy forbids even to it."""
        self.cdp("Page.setBypassCSP", {"enabled": True})
        try:
            yield
        finally:
            self.cdp("Page.setBypassCSP", {"enabled": False})

    def serious(self, axe: str, where: str | None = None) -> list[str]:
        """What axe-core finds serious or critical in the page, or in the elements ``where``."""
        self.js(axe + "; window.axe = axe;")
        self.driver.set_script_timeout(120)
        found = self.driver.execute_async_script(
            "const [where, done] = arguments; "
            "window.axe.run(where ?? document, { resultTypes: ['violations'] })"
            ".then((r) => done(r.violations))",
            where,
        )
        return [
            f"{v['id']}: {v['help']}: {[n['target'] for n in v['nodes']][:4]}"
            for v in found
            if v["impact"] in ("serious", "critical")
        ]

    def requests(self) -> list[str]:
        """Addresses the browser asked for since the page was opened."""
        events = [json.loads(entry["message"]) for entry in self.driver.get_log("performance")]
        return [
            event["message"]["params"]["request"]["url"]
            for event in events
            if event["message"]["method"] == "Network.requestWillBeSent"
        ]

    def find(self, selector: str) -> Any:
        found = self.driver.find_elements("css selector", selector)
        assert found, f"there is no {selector}"
        return found[0]

    def text(self, selector: str) -> str:
        return str(self.js("return document.querySelector(arguments[0]).textContent", selector))

    def texts(self, selector: str) -> list[str]:
        return list(
            self.js(
                "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)",
                selector,
            )
        )

    def click(self, selector: str) -> None:
        """A real click in the middle of an element."""
        x, y = self.middle(selector)
        self.mouse("mousePressed", x, y)
        self.mouse("mouseReleased", x, y)

    def middle(self, selector: str, across: float = 0.5, down: float = 0.5) -> tuple[float, float]:
        """A point of an element, from 0 to 1 across and down, brought into the window."""
        box = self.js(
            "const e = document.querySelector(arguments[0]); "
            "e.scrollIntoView({ block: 'center', behavior: 'instant' }); "
            "const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]",
            selector,
        )
        return box[0] + across * box[2], box[1] + down * box[3]

    def mouse(self, kind: str, x: float, y: float) -> None:
        button = "left" if kind != "mouseMoved" else "none"
        self.cdp(
            "Input.dispatchMouseEvent",
            {"type": kind, "x": x, "y": y, "button": button, "clickCount": 1},
        )

    def hover(self, selector: str, across: float, down: float) -> None:
        self.mouse("mouseMoved", *self.middle(selector, across, down))

    def focus(self, selector: str) -> None:
        self.js("document.querySelector(arguments[0]).focus()", selector)

    def press(self, *keys: str) -> None:
        """Keys by name, as the keyboard sends them; ``Ctrl+z`` is two at once."""
        codes = {"Tab": 9, "Enter": 13, " ": 32, "End": 35, "Home": 36, "ArrowLeft": 37}
        codes |= {"ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Delete": 46}
        for key in keys:
            *held, key = key.split("+") if len(key) > 1 else [key]
            letter = len(key) == 1 and key != " "
            event: dict[str, Any] = {"key": key, "code": "Space" if key == " " else key}
            event |= {"windowsVirtualKeyCode": ord(key.upper()) if letter else codes[key]}
            event |= {"modifiers": sum({"Ctrl": 2, "Shift": 8}[one] for one in held)}
            typed = {"Enter": "\r", " ": " "}.get(key, key if letter and not held else None)
            down = {"type": "keyDown", "text": typed} if typed else {"type": "rawKeyDown"}
            self.cdp("Input.dispatchKeyEvent", {**event, **down})
            self.cdp("Input.dispatchKeyEvent", {**event, "type": "keyUp"})

    def pdf(self) -> bytes:
        printed = self.cdp("Page.printToPDF", {"preferCSSPageSize": True})
        return base64.b64decode(printed["data"])
