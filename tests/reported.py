"""A real run whose pages, ids and texts are a stranger's, for the tests of what reports it."""

from __future__ import annotations

from pathlib import Path

from tests import commands
from tests.conftest import html_of

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


def made(here: Path) -> Path:
    """Run two adapters and two controls over three pages; return the results folder."""
    gold, adapters = here / "pages", here / "adapters"
    gold.mkdir()
    adapters.mkdir()
    for key in IDS:
        (gold / f"{key}.html").write_text(html_of(f"<p>{GOLD}</p>", "A page"), encoding="utf-8")
        (gold / f"{key}.txt").write_text(GOLD, encoding="utf-8")
    for name, body in {"stranger": _STRANGER, "fails": 'raise ValueError("\\x1b[31mno")'}.items():
        text = _ADAPTER.format(name=name, body=body)
        (adapters / f"{name}.py").write_text(text, encoding="utf-8")
    words = ["run", "stranger", "fails", "everything", "gold", "--adapter", str(adapters)]
    words += ["--gold", f"folder:{gold}", "--quiet"]
    commands.call(words, cwd=here, env=commands.environment(here / "home")).check_returncode()
    return here / "results"
