"""``NAME+FILTER`` as a row: named, keyed, run in a worker, and shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.adapters import registry
from bench.adapters.adapter import label
from bench.model import UsageError
from tests.conftest import BenchCli, FolderGold

CLUTTER = (
    "<html><body><article><h1>A heading</h1><p>The bus was late again!!!!!</p>"
    "<p>• Share</p></article></body></html>"
)
HALF = '''"""Fails."""
from bench.extractor import Extractor


class Half(Extractor):
    """Returns no text at all but a number, or raises."""

    name = "half"
    variants = {"default": {}, "number": {"raises": False}}

    def load(self, raises=True):
        self.raises = raises

    def extract(self, html, url):
        if self.raises:
            raise ValueError("no text to filter")
        return 7
'''


def test_filters_make_a_row_of_its_own() -> None:
    plain, cleaned, two = registry.rows(
        ["trafilatura", "trafilatura+clean", "trafilatura+symbols+sentences"]
    )
    assert [r.label for r in (plain, cleaned, two)] == [
        "trafilatura", "trafilatura+clean", "trafilatura+symbols+sentences",
    ]  # fmt: skip
    assert [r.filters for r in (plain, cleaned, two)] == [(), ("clean",), ("symbols", "sentences")]
    assert len({plain.key, cleaned.key, two.key}) == 3
    assert plain.settings == cleaned.settings
    assert label(cleaned.adapter.name, cleaned.variant) == cleaned.label


def test_filters_go_with_variants_globs_and_any_extractor() -> None:
    labels = [
        r.label for r in registry.rows(["trafilatura:p*+clean", "nothing+clean", "gold+clean"])
    ]
    assert labels == ["trafilatura:precision+clean", "gold+clean", "nothing+clean"]
    every = registry.rows(["*:*+clean"])
    assert [r.label for r in every] == [f"{r.label}+clean" for r in registry.all_rows()]


@pytest.mark.parametrize(
    ("word", "said"),
    [("trafilatura+cleen", "no filter is called 'cleen'; there are clean"), ("trafilatura+", "''"),
     ("trafilatur+clean", "did you mean trafilatura")],
)  # fmt: skip
def test_a_wrong_filter_is_one_line(word: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        registry.rows([word])
    assert said in str(caught.value)


def test_a_filtered_row_runs_and_is_scored(bench_cli: BenchCli, folder_gold: FolderGold) -> None:
    folder = folder_gold({"bus": (CLUTTER, "A heading The bus was late again!")})
    words = (
        "run",
        "everything",
        "everything+clean",
        "--gold",
        f"folder:{folder}",
        "--json",
        "--quiet",
    )
    done = bench_cli(*words)
    assert done.returncode == 0, done.stderr
    rows = {(r["name"], r["variant"]): r for r in json.loads(done.stdout)["extractors"]}
    assert rows["everything", "default+clean"]["exact"]["value"] == 1
    assert rows["everything", "default"]["exact"]["value"] == 0
    shown = bench_cli("run", "everything", "everything+clean", "--gold", f"folder:{folder}")
    assert "everything+clean" in shown.stdout


def test_what_gives_no_text_fails_as_it_does_without_a_filter(
    bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path
) -> None:
    (tmp_path / "half.py").write_text(HALF, encoding="utf-8")
    folder = folder_gold({"bus": (CLUTTER, "The bus was late again!")})
    done = bench_cli(
        "run", "half", "half+clean", "half:number", "half:number+clean", "--gold", f"folder:{folder}",
        "--adapter", tmp_path / "half.py", "--json", "--quiet",
    )  # fmt: skip
    rows = [r for r in json.loads(done.stdout)["extractors"] if r["name"] == "half"]
    assert len(rows) == 4
    assert all(row["outcomes"]["error"] == 1 for row in rows)
