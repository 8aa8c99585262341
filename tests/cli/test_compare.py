"""``bench compare`` through the real command line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import BenchCli, FolderGold, html_of, text_of

BODIES = {f"p{at}": f"<p>{' '.join(f'w{at}x{word}' for word in range(40))}</p>" for at in range(24)}
HOSTILE = "<b>|`\x1b[31m"


def write(path: Path, texts: dict[str, str]) -> Path:
    content = {page: {"articleBody": text} for page, text in texts.items()}
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


@pytest.fixture
def outputs(folder_gold: FolderGold, tmp_path: Path) -> tuple[str, Path, Path]:
    """A data set and two systems: the second loses half of each text, and lacks a page."""
    gold = folder_gold({key: (html_of(body, key), text_of(body)) for key, body in BODIES.items()})
    whole = {key: text_of(body) for key, body in BODIES.items()}
    half = {key: text[: len(text) // 2] for key, text in whole.items() if key != "p0"}
    first = write(tmp_path / "whole.json", whole)
    return f"folder:{gold}", first, write(tmp_path / f"half{HOSTILE[0]}.json", half)


def test_predictions_on_the_pages_that_both_have(
    bench_cli: BenchCli, outputs: tuple[str, Path, Path]
) -> None:
    gold, first, second = outputs
    words: tuple[str | Path, ...] = ("compare", first, second, "--gold", gold)
    done = bench_cli(*words, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    (row,) = found["rows"]
    assert (row["mark"], row["pages"]) == ("worse", 23)
    assert (row["wins"], row["ties"], row["losses"]) == (0, 0, 23)
    assert row["lo"] <= row["difference"] <= row["hi"] < 0
    assert row["p_holm"] < 0.05

    shown = bench_cli(*words, "--pages", "2", env={"COLUMNS": "80"})
    assert "23 of 24 pages in common" in shown.stdout
    assert "21 pages more differ; --pages N shows them" in shown.stdout
    assert max(map(len, shown.stdout.splitlines())) <= 80
    markdown = bench_cli(*words, "--markdown")
    assert "| worse |" in markdown.stdout
    assert "half<" not in markdown.stdout.replace("half\\<", "")


def test_rows_and_runs_of_one_data_set_alone(
    bench_cli: BenchCli, folder_gold: FolderGold, tmp_path: Path
) -> None:
    gold = folder_gold({key: (html_of(body, key), text_of(body)) for key, body in BODIES.items()})
    run = ("run", "everything", "nothing", "gold", "--quiet", "--fresh", "--gold")
    assert bench_cli(*run, f"folder:{gold}").returncode == 0
    rows = json.loads(bench_cli("compare", "nothing", "everything", "--json").stdout)["rows"]
    assert rows[0]["mark"] == "better"
    assert bench_cli(*run, f"folder:{gold}").returncode == 0
    first, second = sorted(path.name for path in (tmp_path / "here" / "results").iterdir())
    damaged = tmp_path / "here" / "results" / "99991231T000000-x"
    damaged.mkdir()
    (damaged / "manifest.json").write_text("{}")
    (tmp_path / "outputs").mkdir()
    write(
        tmp_path / "outputs" / "system.json", {key: text_of(body) for key, body in BODIES.items()}
    )
    for words in ((first, second), (f"{first}/gold", tmp_path / "outputs")):
        done = bench_cli("compare", *words)
        assert done.returncode == 0, done.stderr
    assert "remove the folder" in bench_cli("compare", "nothing", "gold").stderr
    shutil.rmtree(damaged)
    done = bench_cli("compare", first, second)
    assert "3 rows not shown (3 the same" in done.stdout
    assert "= everything" in bench_cli("compare", first, second, "--all-rows").stdout

    other = folder_gold({k: (html_of("<p>x</p>"), text_of(b)) for k, b in BODIES.items()}, "other")
    assert bench_cli(*run, f"folder:{other}").returncode == 0
    (third,) = {p.name for p in (tmp_path / "here" / "results").iterdir()} - {first, second}
    refused = bench_cli("compare", f"{first}/gold", f"{third}/gold")
    assert refused.returncode == 3
    assert "different pages or gold" in refused.stderr
    unknown = bench_cli("compare", "nothing", "everythin")
    assert unknown.returncode == 2
    assert "did you mean everything or nothing?" in unknown.stderr
