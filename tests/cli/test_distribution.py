"""Installed from a wheel or an sdist, outside the checkout, everything is there and runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench.model import BenchError
from bench.util import paths
from tests.conftest import ROOT, once


def uv(*words: str | Path) -> None:
    program = shutil.which("uv") or Path(sys.executable).with_name("uv")
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


class Installed:
    """A folder to call ``bench`` in, and below it an environment with it and lxml alone."""

    def __init__(self, here: Path) -> None:
        self.here = here
        self.prefix = here / "env"

    def call(self, *words: str) -> str:
        kept = {name: os.environ[name] for name in ("PATH", "HOME")}
        done = subprocess.run(
            [self.prefix / "bin" / "bench", *words],
            cwd=self.here,
            env={**kept, "BENCH_HOME": str(self.here / "home"), "BENCH_NO_BUILD": "1"},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    def json(self, *words: str) -> Any:
        return json.loads(self.call(*words, "--json"))


@pytest.fixture(scope="module", params=["wheel", "sdist"])
def installed(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Installed:
    form: str = request.param

    def make(here: Path) -> None:
        uv("build", f"--{form}", "--out-dir", here, ROOT)
        uv("venv", "--python", sys.executable, here / "env")
        pins = ("--python", here / "env", "--constraint", ROOT / "constraints.txt")
        uv("pip", "install", *pins, *here.glob("extractor_bench-*"), "lxml")

    return Installed(once(tmp_path_factory, form, make))


def test_everything_ships_and_runs(installed: Installed) -> None:
    by_name = {each["name"]: each for each in installed.json("list")}
    assert {path.stem for path in (ROOT / "extractors").glob("[!_]*.py")} <= set(by_name)
    assert {path.stem for path in (ROOT / "r_extractors").glob("*.R")} <= set(by_name)
    assert not by_name["trafilatura"]["available"]
    assert by_name["trafilatura"]["remedy"] == "bench env build trafilatura"

    assert {"starter", "aeb"} <= {each["name"] for each in installed.json("gold", "list")}
    report = installed.json("gold", "verify", "starter")
    assert not report["faulty"]
    assert report["fingerprint"] == report["expected"]

    board = installed.json("run", "xpath", "gold", "nothing")
    figures = {each["label"]: each["page_f1"]["value"] for each in board["extractors"]}
    assert figures["gold"] == 1.0
    assert 0.5 < figures["xpath"] < 1.0
    installed.call("report", "--output", "public")
    assert (installed.here / "public" / "index.html").is_file()
    assert installed.call("--version").startswith("bench, version ")


def test_gold_lies_apart_from_the_packages(installed: Installed) -> None:
    """An extractor may read all packages; the gold is not among them."""
    (packages,) = installed.prefix.glob("lib/python*/site-packages")
    assert not list(packages.rglob("pages.jsonl"))
    assert (installed.prefix / "share/extractor-bench/gold/starter/pages.jsonl").is_file()


def test_gold_that_is_not_there_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "_CHECKOUT", tmp_path)
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "bench")
    monkeypatch.setattr("importlib.metadata.files", lambda _: None)
    with pytest.raises(BenchError, match=r"^gold, which ships .*; fix: pip install"):
        paths.bundled("gold")
    there = tmp_path / "share" / "extractor-bench" / "gold"
    there.mkdir(parents=True)
    assert paths.bundled("gold") == there.resolve(), "as pip install --target leaves it"
