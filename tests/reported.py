"""A real run whose pages, ids and texts are a stranger's, for the tests of what reports it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import html_of, once, run_once, write_pages

GOLD = "The old ferry crossed the river twice a day until the bridge was built in the spring."
ATTACK = (
    "\x1b[31mred\x1b[0m\x1b]0;title\x07 safe\u202egnp.exe\u2066x\u2069 "
    "<script>alert(1)</script> =1+1 \\input{/etc/passwd} [bold]x[/bold]"
)
LONG = 1_000_000
IDS = ("ferry", "ferry-two", "=SUM(A1)<script>\u202e")
_ADAPTER = '''"""Test."""
from bench.extractor import Extractor


class Test(Extractor):
    """Test."""

    name = "{name}"

    def load(self):
        pass

    def extract(self, html, url):
        {body}
'''
_STRANGER = f"return {GOLD[:60]!r} + ' ' + {ATTACK!r} + '\\n' + 'w' * {LONG}"


def results(factory: pytest.TempPathFactory) -> Path:
    """Return the results folder of two adapters and two controls on three pages: do not change it."""
    return once(factory, "reported", _make) / "results"


def _make(here: Path) -> None:
    adapters = here / "adapters"
    adapters.mkdir()
    page = (html_of(f"<p>{GOLD}</p>", "A page"), GOLD)
    gold = write_pages(here / "pages", dict.fromkeys(IDS, page))
    for name, body in {"stranger": _STRANGER, "fails": 'raise ValueError("\\x1b[31mno")'}.items():
        text = _ADAPTER.format(name=name, body=body)
        (adapters / f"{name}.py").write_text(text, encoding="utf-8")
    words = ["run", "stranger", "fails", "everything", "gold", "--adapter", str(adapters)]
    run_once(here, *words, "--gold", f"folder:{gold}", "--quiet")
