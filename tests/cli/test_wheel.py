"""Installed from a wheel, outside the checkout, everything is there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TOP = Path(__file__).resolve().parents[2]
Call = Callable[..., Any]

pytestmark = pytest.mark.slow


def uv(*words: str | Path) -> None:
    program = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    subprocess.run([program, *map(str, words)], check=True, capture_output=True)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Call:
    """Install the wheel with lxml alone, and return a function that calls its command line."""
    here = tmp_path_factory.mktemp("wheel")
    uv("build", "--wheel", "--out-dir", here, TOP)
    (wheel,) = here.glob("*.whl")
    uv("venv", "--python", sys.executable, here / "env")
    python = here / "env" / "bin" / "python"
    pins = ("--constraint", TOP / "constraints.txt")
    uv("pip", "install", "--python", python, *pins, wheel, "lxml")

    def call(*words: str) -> Any:
        done = subprocess.run(
            [here / "env" / "bin" / "bench", *words, "--json"],
            cwd=here,
            env={"PATH": os.environ["PATH"], "HOME": str(here), "BENCH_HOME": str(here / "home")},
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    return call


def test_every_adapter_ships(installed: Call) -> None:
    names = {each["name"] for each in installed("list")}
    assert {path.stem for path in (TOP / "extractors").glob("[!_]*.py")} <= names
    assert {path.stem for path in (TOP / "r_extractors").glob("*.R")} <= names


def test_missing_libraries_come_with_a_remedy(installed: Call) -> None:
    (trafilatura,) = [each for each in installed("list") if each["name"] == "trafilatura"]
    assert not trafilatura["available"]
    assert trafilatura["remedy"] == "bench env build trafilatura"


def test_every_card_ships_and_the_starter_set_is_whole(installed: Call) -> None:
    assert {"starter", "aeb"} <= {each["name"] for each in installed("gold", "list")}
    report = installed("gold", "verify", "starter")
    assert not report["faulty"]
    assert report["fingerprint"] == report["expected"]


def test_it_runs(installed: Call) -> None:
    board = installed("run", "xpath", "gold", "nothing")
    figures = {each["label"]: each["page_f1"]["value"] for each in board["extractors"]}
    assert figures["gold"] == 1.0
    assert 0.5 < figures["xpath"] < 1.0
