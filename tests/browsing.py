"""A real browser for tests: a tab that remembers what it asked for, and what everyone can use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

PHONE, DESKTOP = {"width": 390, "height": 844}, {"width": 1280, "height": 900}


class Watched:
    """A tab that remembers what it asked for and what went wrong."""

    def __init__(self, browser: Any, **options: Any) -> None:
        self.context = browser.new_context(**{"viewport": DESKTOP, **options})
        self.tab = self.context.new_page()
        self.wrong: list[str] = []
        self.asked: list[str] = []
        self.tab.on("console", lambda said: self.wrong.append(f"{said.type}: {said.text}"))
        self.tab.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.tab.on("dialog", lambda dialog: (self.wrong.append("dialog"), dialog.dismiss()))
        self.context.on("request", lambda request: self.asked.append(request.url))

    def open(self, path: Path, fragment: str = "") -> Any:
        self.tab.goto(path.as_uri() + fragment)
        return self.tab

    def outside(self) -> list[str]:
        return [url for url in self.asked if not url.startswith(("file:", "data:"))]

    def __enter__(self) -> Watched:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()


def serious(tab: Any) -> list[tuple[str, str]]:
    """Return what axe finds serious or critical in a page; nothing on it is wider than it."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # Its own style sheets are all in the page: axe need not ask for them again.
    found = axe.Axe().run(tab, options={"preload": False}).response["violations"]
    return [
        (each["id"], each["nodes"][0]["html"][:200])
        for each in found
        if each["impact"] in ("serious", "critical")
    ]
