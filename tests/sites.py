"""Sites that the tests look at: written by the real command line, from runs that really ran."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests import commands
from tests.conftest import html_of, text_of

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
    variants = {{"default": {{"<script>": "</pre><script>{RAN}</script>"}}}}

    def load(self, **settings):
        pass

    def extract(self, html, url):
        if "cheese" in html:
            raise ValueError("</code><script>{RAN}</script> \\x1b[31m \\u202e")
        return """{_WORDS.encode("unicode_escape").decode()}""" + html
'''


def _call(here: Path, *words: str | Path) -> str:
    done = commands.call(words, cwd=here, env=commands.environment(here / "home"), timeout=300)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


def written(here: Path, runs: Sequence[Sequence[str | Path]], *options: str) -> Path:
    """Make runs, write the site of all of them, and return its folder."""
    here.mkdir(parents=True, exist_ok=True)
    for words in runs:
        _call(here, "run", *words, "--quiet")
    ids = sorted(path.name for path in (here / "results").iterdir() if path.is_dir())
    _call(here, "report", *ids, "--output", "public", *options)
    return here / "public"


def hostile(here: Path) -> Path:
    """Return the site of a data set and an adapter that attack wherever they can."""
    gold = here / "<b>gold"
    gold.mkdir(parents=True)
    (here / "hostile.py").write_text(ADAPTER, encoding="utf-8")
    bodies = {
        ODD_ID: f"<p>{'Words of a page. ' * 9}</p>{_ATTACKS}",
        "cheese": "<p>Salt is rubbed into the cheese on the third day.</p>",
        "long": f"<p>{'a' * 1_000_000} end</p>",
    }
    for name, body in bodies.items():
        (gold / f"{name}.html").write_text(html_of(body, _WORDS), encoding="utf-8")
        (gold / f"{name}.txt").write_text(_WORDS + text_of(body), encoding="utf-8")
    run = ["hostile", "xpath", "gold", "--adapter", here / "hostile.py", "--gold", f"folder:{gold}"]
    return written(here, [run])


def ordinary(here: Path) -> Path:
    """Return the site of two data sets: the starter set, and a few pages of one's own."""
    gold = here / "own"
    gold.mkdir(parents=True)
    for name in "abcdefgh":
        body = f"<p>Page {name} is about boats, and {'very ' * 30}little else.</p>"
        (gold / f"{name}.html").write_text(html_of(body, name), encoding="utf-8")
        (gold / f"{name}.txt").write_text(text_of(body), encoding="utf-8")
    rows = ["xpath", "html_text", "boilerpy3", "readability", "everything", "gold"]
    runs: list[list[str | Path]] = [[*rows, "--gold", "starter"]]
    runs.append(["xpath", "html_text", "--gold", f"folder:{gold}"])
    return written(here, runs, "--metric", "ngram,bow")


_made: dict[str, Path] = {}


def once(name: str, factory: pytest.TempPathFactory) -> Path:
    """Return the ``hostile`` or the ``ordinary`` site, written once for all tests: do not change it."""
    if name not in _made:
        make = {"hostile": hostile, "ordinary": ordinary}[name]
        _made[name] = make(factory.mktemp(name))
    return _made[name]


def folder_of(site: Path, part: str) -> Path:
    """Return the folder of the run whose name has this part."""
    (found,) = [path for path in (site / "site").iterdir() if part in path.name]
    return found


def every_page(site: Path) -> list[Path]:
    """Return every HTML file of a site."""
    return sorted(site.rglob("*.html"))
