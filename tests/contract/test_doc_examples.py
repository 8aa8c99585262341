"""The documents' Python examples run, block after block, as they stand."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

import bench
from bench.scoring import metric_catalogue
from tests.conftest import ROOT, BenchCli

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(name: str) -> list[str]:
    return BLOCK.findall((ROOT / "docs" / name).read_text("utf-8"))


def run_all(name: str, **names: Any) -> dict[str, Any]:
    for at, code in enumerate(blocks(name)):
        exec(compile(code, f"{name}, block {at + 1}", "exec"), names)
    return names


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("here")
def test_api(capsys: pytest.CaptureFixture[str]) -> None:
    names = run_all("api.md")
    printed = capsys.readouterr().out
    assert names["checked"].status == 0
    assert names["pair"].label == "html_text → everything"
    assert "no run begins with 'no-such-run'" in printed


@pytest.mark.usefixtures("here")
def test_on_disk() -> None:
    run = bench.run(["html_text", "everything", "nothing", "gold"], "starter")
    board = run.leaderboard().set_index("label")["f1"]
    names = run_all("on-disk.md")
    assert names["f1"].to_dict() == pytest.approx(board.to_dict(), abs=1e-12)
    assert set(names["texts"]["text"][names["texts"]["label"] == "nothing"]) == {""}


def test_scale(bench_cli: BenchCli, tmp_path: Path) -> None:
    """Each command works on a WARC file, in the order of the document."""
    here = tmp_path / "here"
    with (here / "crawl.warc.gz").open("wb") as file:
        writer = WARCWriter(file)
        for number in range(6):
            html = f"<html><body><h1>Page {number}</h1><p>What it says.</p></body></html>"
            headers = StatusAndHeaders("200 OK", [("Content-Type", "text/html")], "HTTP/1.1")
            writer.write_record(
                writer.create_warc_record(
                    f"http://example.org/{number}", "response",
                    payload=io.BytesIO(html.encode()), http_headers=headers,
                )
            )  # fmt: skip
    text = (ROOT / "docs" / "scale.md").read_text("utf-8")
    commands = [
        line.removeprefix("$ bench ")
        for code in re.findall(r"<!-- commands -->\n```console\n(.*?)```", text, re.DOTALL)
        for line in code.splitlines()
    ]
    assert len(commands) == 8
    for line in commands:
        paths = [[str(p) for p in sorted(here.glob(w))] if "*" in w else [w] for w in line.split()]
        done = bench_cli(*(word for some in paths for word in some))
        assert done.returncode == 0, f"{line}: {done.stderr}"


@pytest.mark.parametrize("file", ["cells", "texts", "samples"])
def test_every_column_is_described(here: Path, file: str) -> None:
    run = bench.run(["everything"], "starter", results=here / "results")
    text = (ROOT / "docs" / "on-disk.md").read_text("utf-8")
    table = getattr(run.folder, "samples" if file == "samples" else "cells")()
    columns = {"text_hash", "text"} if file == "texts" else set(table.columns)
    assert [name for name in columns if f"`{name}`" not in text] == []


def test_a_metric_of_ones_own(
    bench_cli: BenchCli, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(metric_catalogue, "_of_files", {})
    (code,) = blocks("adding-a-metric.md")
    path = here / code.splitlines()[0].removeprefix("# ")
    path.write_text(code, encoding="utf-8")
    done = bench_cli("run", "html_text", "nothing", "gold", "--metric", path, "--quiet")
    assert done.returncode == 0, done.stderr
    assert "haracter n-gram F-score" in done.stdout
    (metric,) = metric_catalogue.use(path)
    run = bench.open_run(results=here / "here" / "results", metrics=["chrf"])
    board = run.leaderboard().set_index("label")["fscore"]
    assert board["gold"] == 1.0
    assert board["nothing"] == pytest.approx(1 / 62), "of the one page whose gold is empty"
    assert 0.5 < board["html_text"] < 1.0
    assert metric.scorer.startswith("1+")
