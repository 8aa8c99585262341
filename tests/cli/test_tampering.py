"""What is changed on disk between a run and its scoring is one line that names the file."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from bench.datasets import catalogue
from bench.datasets.readers.base import GoldError
from tests.conftest import BenchCli


@pytest.fixture
def top(tmp_path: Path, finished: Path) -> Path:
    """A copy of a finished run and its pages, whose scores are to be computed."""
    top = tmp_path / "top"
    # Other tests may be writing scores.
    shutil.copytree(finished, top, ignore=shutil.ignore_patterns("scores"))
    (run,) = top.glob("results/*/manifest.json")
    run.write_text(run.read_text().replace(str(finished), str(top)))
    return top


def edit_in_secret(path: Path) -> None:
    """Change one letter, and put the time of modification back."""
    before, content = path.stat(), path.read_bytes()
    at = content.index(b"e")
    path.write_bytes(content[:at] + b"o" + content[at + 1 :])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def flip(path: Path) -> None:
    """Change bytes near the beginning, where tables hold what counts."""
    content = path.read_bytes()
    path.write_bytes(content[:20] + bytes(byte ^ 1 for byte in content[20:60]) + content[60:])


def swap_texts(path: Path) -> None:
    """Write a whole and valid table in which texts say something else."""
    table = pq.read_table(path)
    upper = pc.utf8_upper(table["text"]).cast(pa.large_string())
    pq.write_table(table.set_column(1, table.schema.field("text"), upper), path)


@pytest.mark.parametrize(
    ("name", "deed"),
    [
        ("pages/*.txt", edit_in_secret),
        ("pages/*.html", edit_in_secret),
        ("results/*/texts.parquet", swap_texts),
        ("results/*/texts.parquet", flip),
        ("results/*/cells.parquet", flip),
        ("results/*/manifest.json", flip),
    ],
)
def test_what_was_changed_is_named(
    bench_cli: BenchCli, top: Path, name: str, deed: Callable[[Path], None]
) -> None:
    whole = bench_cli("leaderboard", "--results", top / "results")
    assert whole.returncode == 0, whole.stderr
    for scores in top.glob("results/*/scores"):
        shutil.rmtree(scores)
    path = sorted(top.glob(name))[0]
    deed(path)
    (run,) = (path.name for path in (top / "results").iterdir())
    done = bench_cli("leaderboard", run, "--results", top / "results")
    assert done.returncode in (1, 2)
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert path.name in done.stderr
    assert not done.stdout


def test_pages_that_change_while_they_are_used_are_named(top: Path) -> None:
    """What a run hands to extractors, and scores, is what it was planned with."""
    data_set = catalogue.open_gold(f"folder:{top / 'pages'}")
    assert data_set.hashes
    page_id = data_set.ids[1]
    edit_in_secret(top / "pages" / f"{page_id}.txt")
    assert data_set.read(data_set.ids[0])
    with pytest.raises(GoldError, match=rf"page {page_id} .*{page_id}\.txt\)"):
        data_set.read(page_id)


def test_what_is_handed_the_gold_is_not_ranked_whatever_it_says(
    bench_cli: BenchCli, top: Path
) -> None:
    """Facts are checked where adapters are read; a manifest may have been written by anybody."""
    (path,) = top.glob("results/*/manifest.json")
    manifest = json.loads(path.read_text())
    for row in manifest["rows"]:
        row["kind"] = "extractor"
    path.write_text(json.dumps(manifest))
    board = bench_cli("leaderboard", "--results", top / "results", "--json")
    ranks = {line["label"]: line["rank"] for line in json.loads(board.stdout)["extractors"]}
    assert ranks["gold"] is None
    assert ranks["nothing"] is not None
    correlated = bench_cli("metrics", path.parent.name, "--results", top / "results", "--json")
    assert correlated.returncode == 0, correlated.stderr
    assert set(json.loads(correlated.stdout)["columns"][0]["places"]) == {*ranks} - {"gold"}
