"""Each adapter scores as its library does when called by hand (F1 on the first 40 pages of AEB).

The scorer here is written apart from ``bench.metrics`` on purpose: an error in one shows in the
other. The pages belong to their publishers and are not in the repository.
"""

from __future__ import annotations

import gzip
import importlib.util
import inspect
import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from statistics import fmean

import pytest

from bench.adapters import registry
from bench.extractor import Extractor
from bench.worker.program import CommandExtractor

ROOT = Path(__file__).parents[2]
AEB = ROOT / ".." / "shared" / "gold" / "aeb"
PAGES = 40
TOLERANCE = 0.02

# By calling the libraries; html2text, justext:aeb, xpath: the F1 of what AEB's own scripts return.
F1 = {
    "trafilatura:default": 0.951,
    "trafilatura:fast": 0.951,
    "trafilatura:precision": 0.968,
    "trafilatura:recall": 0.950,
    "trafilatura:nocomments": 0.962,
    "trafilatura:baseline": 0.863,
    "trafilatura:html2txt": 0.734,
    "readability:default": 0.966,
    "goose3:default": 0.857,
    "justext:default": 0.780,
    "justext:aeb": 0.792,
    "boilerpy3:default": 0.868,
    "boilerpy3:default-extractor": 0.855,
    "boilerpy3:article-sentences": 0.849,
    "boilerpy3:num-words-rules": 0.846,
    "boilerpy3:largest-content": 0.839,
    "boilerpy3:canola": 0.821,
    "boilerpy3:keep-everything": 0.685,
    "inscriptis:default": 0.690,
    "html_text:default": 0.676,
    "html2text:default": 0.676,
    "html2text:nowrap": 0.676,
    "beautifulsoup:html.parser": 0.676,
    "beautifulsoup:lxml": 0.676,
    "beautifulsoup:html5lib": 0.234,
    "xpath:default": 0.351,
    "everything:default": 0.682,
    "nothing:default": 0.0,
    "gold:default": 1.0,
}


@cache
def pages() -> list[tuple[str, str]]:
    """HTML and gold text of the first pages by id."""
    truth = json.loads((AEB / "ground-truth.json").read_text(encoding="utf-8"))
    return [
        (
            gzip.decompress((AEB / "html" / f"{page}.html.gz").read_bytes()).decode("utf-8"),
            truth[page]["articleBody"],
        )
        for page in sorted(truth)[:PAGES]
    ]


def adapter(name: str) -> type[Extractor]:
    path = ROOT / "extractors" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"adapter_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (found,) = (
        item
        for item in vars(module).values()
        if inspect.isclass(item)
        and issubclass(item, Extractor)
        and item.__module__ == module.__name__
    )
    return found


def loaded(name: str, variant: str) -> Extractor:
    extractor = adapter(name)()
    try:
        extractor.load(**extractor.variants[variant])
    except ModuleNotFoundError as missing:
        pytest.skip(f"{missing.name} is not installed: pip install '.[extractors]'")
    return extractor


def shingles(text: str) -> Counter[tuple[str, ...]]:
    tokens = re.findall(r"\w+", text)
    if not tokens:
        return Counter()
    return Counter(tuple(tokens[i : i + 4]) for i in range(max(1, len(tokens) - 3)))


def f1(gold_and_found: list[tuple[str, str]]) -> float:
    precisions, recalls = [], []
    for gold, found in gold_and_found:
        g, e = shingles(gold), shingles(found)
        common = (g & e).total()
        if e:
            precisions.append(common / e.total())
        if g:
            recalls.append(common / g.total())
    if not precisions or not recalls:
        return 0.0
    p, r = fmean(precisions), fmean(recalls)
    return 2 * p * r / (p + r) if p + r else 0.0


@pytest.mark.parametrize("path", sorted((ROOT / "extractors").glob("*.py")), ids=lambda p: p.stem)
def test_is_named_as_its_file_and_tells_its_facts(path: Path) -> None:
    found = adapter(path.stem)
    assert found.name == path.stem
    assert found.licence
    assert found.__doc__
    if found.kind == "extractor":
        assert found.requires or issubclass(found, CommandExtractor)
        assert found.homepage.startswith("https://")
        assert found.settings_source.startswith("https://")


def test_every_extractor_states_its_parser() -> None:
    without = [
        row.label
        for row in registry.all_rows()
        if row.adapter.facts.kind == "extractor" and not row.adapter.facts.parser_of(row.variant)
    ]
    assert without == []


@pytest.mark.skipif(not AEB.is_dir(), reason=f"the pages of AEB are not at {AEB}")
@pytest.mark.parametrize("spec", F1)
def test_scores_as_the_library_does(spec: str) -> None:
    name, _, variant = spec.partition(":")
    extractor = loaded(name, variant)
    texts = [
        (gold, extractor.extract(gold if extractor.accepts == "gold" else html, None))
        for html, gold in pages()
    ]
    assert f1(texts) == pytest.approx(F1[spec], abs=TOLERANCE)


@pytest.mark.parametrize("name", ["xpath", "everything"])
@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        (" \n", ""),
        ("<!-- only a comment -->", ""),
        ("<!doctype html>", ""),
        ('<?xml version="1.0" encoding="iso-8859-1"?><html><body>é</body></html>', "é"),
        ("<meta charset=iso-8859-1><p>é", "é"),
        ("<p>\ud800", "?"),
        ("<div>" * 1000 + "deep", "deep"),
    ],
)
def test_our_own_parsers_take_any_page(name: str, html: str, text: str) -> None:
    assert loaded(name, "default").extract(html, None).strip() == text


def test_only_xpath_keeps_scripts() -> None:
    html = "<body><script>s</script><style>c</style><noscript>n</noscript><p>text</p></body>"
    assert loaded("xpath", "default").extract(html, None).split() == ["s", "c", "n", "text"]
    assert loaded("everything", "default").extract(html, None).split() == ["text"]
