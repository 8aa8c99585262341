"""The two Dorosz extractors: their settings, their version, and what counts as their source."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from bench.adapters import registry
from bench.adapters.adapter import Row, own_version
from bench.extractor import Extractor
from bench.methods.dorosz import energy, links
from tests.unit.test_dorosz_energy import PORTAL

NAMES = ("dorosz_energy", "dorosz_links")
ROWS = [row for row in registry.all_rows() if row.adapter.name in NAMES]


def loaded(row: Row) -> Extractor:
    path = row.adapter.path
    spec = importlib.util.spec_from_file_location(f"adapter_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (cls,) = [
        thing
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, Extractor) and thing.name in NAMES
    ]
    extractor = cls()
    extractor.load(**row.settings)
    return extractor


def test_the_default_is_the_richest_coherent_text() -> None:
    by_label = {row.label: loaded(row) for row in ROWS}
    richest = max(energy.coherent(PORTAL), key=lambda each: each.energy)
    assert by_label["dorosz_energy"].extract(PORTAL, None) == richest.text
    longest = max(links.coherent(PORTAL), key=lambda each: each.energy)
    assert by_label["dorosz_links"].extract(PORTAL, None) == longest.text


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.label)
def test_every_variant_returns_some_of_the_coherent_texts(row: Row) -> None:
    text = loaded(row).extract(PORTAL, None)
    assert "The raft was seen again" in text
    assert loaded(row).extract("<html><body></body></html>", None) == ""


def test_texts_above_a_share_are_more_than_the_main_one() -> None:
    page = "<body>" + "".join(
        f"<div><p>{text}</p></div><a href='/{at}'>{at}</a>"
        for at, text in enumerate(("One of the words. " * 9, "Two of the words. " * 10, "Three."))
    )
    by_label = {row.label: loaded(row) for row in ROWS}
    main = by_label["dorosz_links"].extract(page, None)
    several = by_label["dorosz_links:above-share"].extract(page, None)
    assert main.split() == ("Two of the words. " * 10).split()
    assert several.split() == ("One of the words. " * 9).split() + main.split()


@pytest.mark.parametrize("name", NAMES)
def test_a_method_goes_with_benchs_own_version(name: str) -> None:
    assert registry.adapters()[name].version == own_version()


def said_in(own_bench: Path, expression: str) -> str:
    """Return what a fresh interpreter finds in the registry of a copy of the project."""
    done = subprocess.run(
        [sys.executable, "-c", f"from bench.adapters import registry; print({expression})"],
        cwd=own_bench,
        env={"PYTHONPATH": str(own_bench), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_a_methods_source_is_its_adapters_source(own_bench: Path) -> None:
    hashes = "*(registry.adapters()[name].source_hash for name in ('dorosz_links', 'xpath'))"
    before = said_in(own_bench, hashes).split()
    module = own_bench / "bench" / "methods" / "dorosz" / "links.py"
    module.write_text(module.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")
    after = said_in(own_bench, hashes).split()
    assert after[0] != before[0]
    assert after[1] == before[1]


def test_a_method_that_is_not_there_is_said_so(own_bench: Path) -> None:
    (own_bench / "extractors" / "lost.py").write_text(
        "from bench.extractor import Extractor\n\n\n"
        'class Lost(Extractor):\n    name = "lost"\n    method = "nowhere"\n',
        encoding="utf-8",
    )
    problem = said_in(own_bench, "registry.adapters()['lost'].problem")
    assert "bench.methods has no package 'nowhere'" in problem
