"""Sites that the tests look at: written by the real command line, from runs that really ran."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import html_of, once, run_once, text_of, write_pages

OUTSIDE = "http://outside.example"
RAN = "document.documentElement.dataset.ran='yes'"
"""What every script of a stranger would do if one ran."""

ODD_ID = f"<img src=x onerror={RAN}>\u202egpj"
"""A file's name that is markup and turns the direction of what follows."""

_ATTACKS = f"""
<script>{RAN}</script><SCRIPT SRC="{OUTSIDE}/a.js"></SCRIPT ><base href="{OUTSIDE}/">
<link rel="dns-prefetch" href="{OUTSIDE}"><link rel=preconnect href="{OUTSIDE}">
<link rel="stylesheet" href="{OUTSIDE}/a.css"><style>@import url({OUTSIDE}/b.css); body{{background:
url({OUTSIDE}/c.png)}}</style><meta http-equiv="refresh" content="0;url={OUTSIDE}/d">
<img src="{OUTSIDE}/e.png" srcset="{OUTSIDE}/f.png 2x" onerror="{RAN}" alt="&lt;script&gt;{RAN}">
<svg onload="{RAN}"><image href="{OUTSIDE}/g.png"/></svg><iframe src="{OUTSIDE}/h"></iframe>
<object data="{OUTSIDE}/i"></object><embed src="{OUTSIDE}/j"><video src="{OUTSIDE}/k" autoplay>
</video><form action="{OUTSIDE}/l"><button autofocus onfocus="{RAN}">x</button></form>
<a href="javascript:{RAN}" ping="{OUTSIDE}/m">link</a><p style="background:url({OUTSIDE}/n)"
onmouseover="{RAN}">styled</p><body onload="{RAN}" background="{OUTSIDE}/o">
<div hidden>never seen</div><details open ontoggle="{RAN}">opened</details>
"""
_WORDS = (
    f"</script><script>{RAN}</script> <img src={OUTSIDE}/p onerror={RAN}> \u202eesrever\u202c "
    "\x1b[31mred\x1b[0m \x07bell </div></details></main> {{ 7 * 7 }} ]]> &lt;b&gt; "
)

ADAPTER = f'''
"""<script>{RAN}</script> \u202eesrever: says what attackers say."""

from bench.extractor import Extractor


class Hostile(Extractor):
    name = "hostile"
    homepage = "javascript:{RAN}"
    settings_source = "http://outside.example/<script>"
    licence = "\\"><script>{RAN}</script>"
    variants = {{"default": {{"setting": "</pre><script>{RAN}</script>"}}}}

    def load(self, **settings):
        pass

    def extract(self, html, url):
        if "cheese" in html:
            raise ValueError("</code><script>{RAN}</script> \\x1b[31m \\u202e")
        return """{_WORDS.encode("unicode_escape").decode()}""" + html
'''


def _write(here: Path, runs: Sequence[Sequence[str | Path]], *options: str) -> None:
    """Make runs, and write the site of all of them."""
    for words in runs:
        run_once(here, "run", *words, "--quiet")
    ids = sorted(path.name for path in (here / "results").iterdir() if path.is_dir())
    run_once(here, "report", *ids, "--output", "public", *options)


def hostile(factory: pytest.TempPathFactory) -> Path:
    """Return the site of a data set and an adapter that attack wherever they can: do not change it."""
    return once(factory, "hostile", _make_hostile) / "public"


def _make_hostile(here: Path) -> None:
    (here / "hostile.py").write_text(ADAPTER, encoding="utf-8")
    bodies = {
        ODD_ID: f"<p>{'Words of a page. ' * 9}</p>{_ATTACKS}",
        "cheese": "<p>Salt is rubbed into the cheese on the third day.</p>",
        "long": f"<p>{'a' * 1_000_000} end</p>",
    }
    pages = {k: (html_of(body, _WORDS), _WORDS + text_of(body)) for k, body in bodies.items()}
    gold = write_pages(here / "<b>gold", pages)
    run = ["hostile", "xpath", "gold", "--adapter", here / "hostile.py", "--gold", f"folder:{gold}"]
    _write(here, [run])


def ordinary(factory: pytest.TempPathFactory) -> Path:
    """Return the site of the starter set and of a few pages of one's own: do not change it."""
    return once(factory, "ordinary", _make_ordinary) / "public"


def _make_ordinary(here: Path) -> None:
    words = {
        name: f"<p>Page {name} is about boats, and {'very ' * 30}little else.</p>"
        for name in "abcdefgh"
    }
    pages = {name: (html_of(body, name), text_of(body)) for name, body in words.items()}
    gold = write_pages(here / "own", pages)
    rows = ["xpath", "html_text", "boilerpy3", "readability", "everything", "gold"]
    runs: list[list[str | Path]] = [[*rows, "--gold", "starter"]]
    runs.append(["xpath", "html_text", "--gold", f"folder:{gold}"])
    _write(here, runs, "--metric", "ngram,bow")


def folder_of(site: Path, part: str) -> Path:
    """Return the folder of the run whose name has this part."""
    (found,) = [path for path in (site / "site").iterdir() if part in path.name]
    return found


def every_page(site: Path) -> list[Path]:
    """Return every HTML file of a site."""
    return sorted(site.rglob("*.html"))
