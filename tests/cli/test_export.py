"""``bench export``: a real run out, and in again with the same scores."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from bench.cli.export import command
from bench.model import BenchError, UsageError
from bench.runs.store import runs
from bench.runs.store.manifest import Status
from bench.runs.store.runs import RunFolder
from bench.scoring import export, predictions
from bench.scoring.predictions import FORMS
from tests import manifests
from tests.cli.test_cli import complaint, drop
from tests.conftest import PAGES, SMALL, BenchCli, once, run_once, write_pages

FAILS = 'if "Salt" in html:\n            raise ValueError("no")\n        return html[150:400]'
LABELS = {"fails", "trafilatura:fast", "everything"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run two extractors, one of which fails on a page, and a control; return where."""
    return once(tmp_path_factory, "exported", _make)


def _make(here: Path) -> None:
    words = ["fails", "trafilatura:fast", "everything"]
    words += ["--gold", f"folder:{write_pages(here / 'pages', SMALL)}"]
    run_once(here, "run", *words, "--adapter", drop(here, "fails", extract=FAILS), "--quiet")


@pytest.fixture
def results(made: Path, tmp_path: Path) -> Path:
    """Return a copy of the results folder, to be spoilt."""
    return Path(shutil.copytree(made / "results", tmp_path / "results"))


@pytest.fixture
def run(results: Path) -> RunFolder:
    return runs.find(results, None)


def said(results: Path, *words: str | Path) -> Result:
    return CliRunner().invoke(command, [*map(str, words), "--results", str(results)])


def tree(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_run_out_and_in_again(
    bench_cli: BenchCli, made: Path, results: Path, tmp_path: Path
) -> None:
    here = tmp_path / "here"
    (run,) = runs.all_runs(results)
    words = ("export", run.id[:12], "--form", "sigir", "--output", "out", "--results", results)
    done = bench_cli(*words, "--json")
    assert done.returncode == 0, done.stderr
    assert "1 failed cells became the empty text" in done.stderr
    told = json.loads(done.stdout)
    assert (told["run"], told["form"]) == (run.id, "sigir")
    by_label = {each["label"]: each for each in told["files"]}
    assert {label: each["failed"] for label, each in by_label.items()} == {
        label: int(label == "fails") for label in LABELS
    }
    assert {each["pages"] for each in told["files"]} == {len(PAGES)}
    assert set(tree(here / "out")) == {Path(each["path"]).name for each in told["files"]}

    gold = f"folder:{made / 'pages'}"
    done = bench_cli("score", "--gold", gold, "--predictions", here / "out", "--json")
    assert done.returncode == 0, done.stderr
    board = json.loads((run.path / "leaderboard.json").read_text(encoding="utf-8"))
    before = {each["label"].replace(":", "-"): each for each in board["extractors"]}
    after: list[dict[str, Any]] = json.loads(done.stdout)["extractors"]
    assert {each["name"] for each in after} == set(before)
    for each in after:
        for figure in ("precision", "recall", "f1", "accuracy", "page_f1"):
            assert each[figure] == before[each["name"]][figure]

    (here / "out" / "fails.jsonl").write_text("mine", encoding="utf-8")
    assert "give another --output, or --force" in complaint(bench_cli(*words), 2)


@pytest.mark.parametrize("form", FORMS)
def test_texts_are_those_of_the_store(run: RunFolder, form: Any, tmp_path: Path) -> None:
    rows = export.chosen(run, [])
    files = export.write(run, rows, form, tmp_path / "out")
    assert {each.label for each in files} == LABELS
    for row, each in zip(rows, files, strict=True):
        (system,) = predictions.read(each.path)
        stored = {cell["page"]: cell["text"] for cell in run.records(row.key)}
        assert system.texts == stored
        assert each.empty == sum(not text for text in stored.values())
        assert system.version == (row.version if form == "aeb" else None)
    if form == "sigir":
        lines = files[0].path.read_text(encoding="utf-8").splitlines()
        assert {json.loads(line)["model"] for line in lines} == {files[0].path.stem}


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        ([], LABELS),
        (["fails"], {"fails"}),
        # There is no row of that label: every variant of that name.
        (["trafilatura"], {"trafilatura:fast"}),
        (["traf*:f*", "every*"], {"trafilatura:fast", "everything"}),
        (["*"], {"fails", "everything"}),
        (["*:*"], LABELS),
    ],
)
def test_names_choose_rows(run: RunFolder, words: list[str], labels: set[str]) -> None:
    assert {row.label for row in export.chosen(run, words)} == labels


def test_names_of_no_row(run: RunFolder) -> None:
    with pytest.raises(UsageError, match=r"no row 'fials'; did you mean fails\?"):
        export.chosen(run, ["fials"])
    with pytest.raises(UsageError, match="no row 'zzz'; it has fails, "):
        export.chosen(run, ["zzz"])
    manifest = run.manifest
    first = manifest.rows[0]
    first.available, first.problem = False, "not installed"
    run.write_manifest(manifest)
    with pytest.raises(UsageError, match=r"did not run in .*: not installed"):
        export.chosen(run, [first.label])
    assert len(export.chosen(run, [])) == len(LABELS) - 1


def test_the_first_word_is_a_run_or_a_name(results: Path, tmp_path: Path) -> None:
    (run,) = runs.all_runs(results)
    out = tmp_path / "out"
    for words in ((run.id,), (run.id[:8], "fails"), ("fails",), ()):
        done = said(results, *words, "--form", "wcxb", "--output", out)
        assert done.exit_code == 0, done.output
        shown = sum("pages" in line for line in done.stdout.splitlines())
        assert shown == (1 if "fails" in words else len(LABELS))
    assert "fails.json: 3 pages, 1 without text" in done.output


def test_other_files_are_not_overwritten(run: RunFolder, tmp_path: Path) -> None:
    rows, out = export.chosen(run, []), tmp_path / "out"
    out.mkdir()
    (out / "trafilatura-fast.json").write_text("mine", encoding="utf-8")
    message = "trafilatura-fast.json is there and holds something else; .* --force"
    with pytest.raises(UsageError, match=message):
        export.write(run, rows, "wcxb", out)
    assert tree(out) == {"trafilatura-fast.json": b"mine"}, "nothing is written by halves"
    export.write(run, rows, "wcxb", out, force=True)
    written = tree(out)
    assert len(written) == 3
    assert written["trafilatura-fast.json"] != b"mine"
    # What stands there already is no other file.
    export.write(run, rows, "wcxb", out)
    assert tree(out) == written
    (out / "fails.json").unlink()
    (out / "fails.json").mkdir()
    with pytest.raises(UsageError, match=r"fails\.json is there"):
        export.write(run, rows, "wcxb", out, force=True)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(BenchError, match="choose another --output"):
        export.write(run, rows, "aeb", tmp_path / "file" / "below")


def test_a_run_that_is_not_whole(results: Path, run: RunFolder, tmp_path: Path) -> None:
    words = ("--form", "aeb", "--output", tmp_path / "out")
    (run.path / "texts.parquet").unlink()
    with pytest.raises(BenchError, match="has no texts"):
        export.write(run, export.chosen(run, []), "aeb", tmp_path / "out")
    run.write_manifest(replace(run.manifest, status=Status.INTERRUPTED))
    assert "is not finished" in str(said(results, run.id, *words).exception)
    assert "no finished run" in str(said(results, *words).exception)


def test_rows_of_one_name_get_files_of_their_own() -> None:
    rows = [
        manifests.row("k1", "a", version="1"),
        manifests.row("k2", "A", version="2"),
        manifests.row("k3", "b:c"),
        manifests.row("k4", "b-c"),
        manifests.row("k5", "../d", version="1"),
    ]
    names = [name for name, _ in export._named(rows)]
    assert names == ["a-1", "A-2", "b-c-k3", "b-c-k4", "-d"]
