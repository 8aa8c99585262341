"""Published tables, run again."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest

from bench.adapters import registry
from bench.adapters.environments import cache
from bench.adapters.environments.build import BuildFailed
from bench.adapters.spec import Spec
from bench.model import BenchError
from bench.report import markdown, reproduction
from bench.scoring import published
from bench.scoring.published import Agreement, Published, Texts
from bench.util import paths
from tests.conftest import BenchCli

TABLES = sorted((paths.bundled("gold") / "published").glob("*.toml"))
INDEX_SETTINGS = ("UV_", "SSL_", "HTTP", "http", "ALL_PROXY", "NO_PROXY", "no_proxy")


@pytest.mark.parametrize("path", TABLES, ids=lambda path: path.stem)
def test_every_row_of_a_table_can_be_asked_for(path: Path) -> None:
    table = published.read(path)
    assert table.rows
    for each in table.rows:
        (row,) = registry.rows([each.row])
        assert row.pin
        assert 0 < each.f1 < 1


@pytest.mark.parametrize("text", ["", "rows = 1", "rows = [{}]", "x = ", "rows = []\nsource = 1"])
def test_a_damaged_table_is_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text)
    with pytest.raises(BenchError, match=r"x\.toml is no published table"):
        published.read(path)


def test_what_does_not_agree_is_said() -> None:
    table = Published("https://example.org", "r" * 40, 4, ("lxml==5.4.0",), ())
    found = [
        Agreement("a@1", 0.5, 0.5, equal=True, texts=Texts(3, 1, ())),
        Agreement("b@1", 0.5, 0.5, equal=True, texts=Texts(2, 0, ("p1", "p2"))),
        Agreement("c@1", 0.5, 0.6, equal=False, texts=None),
        Agreement("d@1", 0.5, None, equal=False, texts=None, problem="not there"),
    ]
    assert [each.kept for each in found] == [True, False, False, False]
    page = markdown.render(reproduction.document(table, found, "x"))
    assert "| = | a@1 | 0.5000 | 0.5000 | 3 | 1 | 0 |" in page
    assert "on 2 pages: p1, p2" in page
    assert "d@1 could not be run: not there" in page


def test_an_unknown_table_is_one_line(bench_cli: BenchCli) -> None:
    done = bench_cli("reproduce", "nosuch")
    assert done.returncode == 2
    assert "there are aeb" in done.stderr


@pytest.mark.slow
def test_aebs_table(bench_cli: BenchCli, shared: Path, tmp_path: Path) -> None:
    """Every figure to four digits, every text that was published, page by page."""
    try:
        cache.get(Spec(("lxml==5.4.0",)))
    except BuildFailed as error:
        pytest.skip(f"the package index cannot be reached: {error.reason}")
    added = bench_cli("gold", "add", "aeb", "--from", shared / "gold" / "aeb")
    assert added.returncode == 0, added.stderr
    reach = {k: v for k, v in os.environ.items() if k.startswith(INDEX_SETTINGS)}
    env = {**reach, "BENCH_NO_BUILD": ""}
    done = bench_cli("reproduce", "aeb", "--json", "-q", env=env, timeout=3600)
    found = json.loads(done.stdout)["rows"]
    table = tomllib.loads(TABLES[0].read_text(encoding="utf-8"))["rows"]
    assert len(found) == len(table) == 9
    for each in found:
        assert each["equal"], each
        if each["texts"] is not None:
            assert each["texts"]["different"] == []
            assert each["texts"]["identical"] == 181, each["row"]
    assert sum(each["texts"] is not None for each in found) == 8
    assert done.returncode == 0
