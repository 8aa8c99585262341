"""``bench speed``, end to end: cold, warm and parallel, with real workers."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bench.cli import speed as verb
from bench.report import terminal
from bench.runs.speed import Speed
from tests import commands, rogues
from tests.conftest import BenchCli, FolderGold, html_of, text_of

PARAGRAPHS = "<p>Every second house in the street had a blue door and a dog behind it.</p>" * 20
MANY = {f"page-{n}": (html_of(PARAGRAPHS, f"Page {n}"), text_of(PARAGRAPHS)) for n in range(8)}
FIELDS = {
    "label", "pages", "cold_s", "warm_ms", "warm_ms_p95", "one_worker_pages_per_s", "workers",
    "pages_per_s", "pages_per_s_per_core", "failed", "scaling", "leak",
}  # fmt: skip

ADAPTER = '''"""{name}: written for a test."""

import os
import time

from bench.extractor import Extractor


class It(Extractor):
    """Does one thing."""

    name = "{name}"
    requires = {requires!r}

    def load(self):
        {load}

    def extract(self, html, url):
        {extract}
'''


def drop(
    checkout: Path,
    name: str,
    *,
    requires: tuple[str, ...] = (),
    load: str = "pass",
    extract: str = "return html",
) -> None:
    text = ADAPTER.format(name=name, requires=requires, load=load, extract=extract)
    (checkout / "extractors" / f"{name}.py").write_text(text, encoding="utf-8")


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    """The temporary folder of the command and its workers, to see what stays in it."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


def speeds(stdout: str) -> dict[str, dict[str, Any]]:
    return {each["label"]: each for each in json.loads(stdout)["speeds"]}


def test_figures_are_there_and_sane(
    bench_cli: BenchCli, folder_gold: FolderGold, temporary: Path, tmp_path: Path
) -> None:
    gold = folder_gold(MANY)
    done = bench_cli(
        *("speed", "xpath", "html_text", "--gold", f"folder:{gold}", "--workers", "2", "--json"),
        env={"TMPDIR": str(temporary)},
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["gold"] == "folder:pages"
    assert json.loads(done.stdout)["unavailable"] == []
    found = speeds(done.stdout)
    assert set(found) == {"xpath", "html_text"}
    for each in found.values():
        assert set(each) == FIELDS
        assert each["pages"] == 8
        assert each["workers"] == 2
        assert each["failed"] == 0
        for field in FIELDS - {"label", "failed", "leak"}:
            assert each[field] > 0, field
        # A process of its own takes longer to start than to work on a page of a few KiB.
        assert 0.01 < each["cold_s"] < 30
        assert each["cold_s"] * 1000 > each["warm_ms"]
        assert each["warm_ms"] <= each["warm_ms_p95"] < 5000
        # A worker gets no more pages a second than extraction alone would allow.
        assert each["one_worker_pages_per_s"] < 2 * 1000 / each["warm_ms"]
        assert each["scaling"] == pytest.approx(
            each["pages_per_s"] / each["one_worker_pages_per_s"]
        )
    assert rogues.left_over(temporary) == []
    assert list((tmp_path / "here").iterdir()) == [], "nothing is kept"


def test_figures_of_known_burners(
    bench_cli: BenchCli, folder_gold: FolderGold, checkout: Path
) -> None:
    """Loading counts as cold, not as warm; pages that sleep scale, and use no core."""
    drop(checkout, "sleeps", load="time.sleep(0.5)", extract="time.sleep(0.05); return html")
    done = bench_cli(
        *("speed", "sleeps", "--gold", f"folder:{folder_gold(MANY)}", "--workers", "4"),
        "--json",
        checkout=checkout,
    )
    assert done.returncode == 0, done.stderr
    found = speeds(done.stdout)["sleeps"]
    assert found["cold_s"] > 0.55
    assert 50 <= found["warm_ms"] < 100
    assert 10 < found["one_worker_pages_per_s"] < 20
    assert 2 < found["scaling"] < 5
    assert found["pages_per_s_per_core"] > 5 * found["pages_per_s"]


def test_pages_can_be_fewer(bench_cli: BenchCli, folder_gold: FolderGold) -> None:
    done = bench_cli(
        *("speed", "xpath", "--gold", f"folder:{folder_gold(MANY)}", "--workers", "1"),
        *("--pages", "3", "--json"),
    )
    assert done.returncode == 0, done.stderr
    assert speeds(done.stdout)["xpath"]["pages"] == 3


def test_the_table_fits_100_columns(bench_cli: BenchCli, folder_gold: FolderGold) -> None:
    done = bench_cli(
        *("speed", "html_text", "xpath", "--gold", f"folder:{folder_gold()}"),
        *("--workers", "2"),
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 100
    assert len(lines) == 2 + 2, "two lines of headings, one for each extractor"
    assert "2 workers" in lines[0]
    assert {line.split()[0] for line in lines[2:]} == {"xpath", "html_text"}
    assert "…" not in done.stdout


def test_large_figures_and_a_long_name_fit_too(capsys: pytest.CaptureFixture[str]) -> None:
    each = Speed(
        "a_long_name:of_a_variant", 7809, 119.9, 29_999.0, 29_999.0, 88_888.0, 256, 888_888.0,
        88_888.0, 7809,
    )  # fmt: skip
    terminal.show(verb._document([each]), Console(width=100))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    assert "…" not in "".join(lines)
    for told in ("a_long_name:of_a_variant", "119900", "29999", "888888", "7809"):
        assert told in lines[-1]


def test_failures_are_counted(bench_cli: BenchCli, folder_gold: FolderGold, checkout: Path) -> None:
    drop(checkout, "picky", extract="return [html for _ in '1' if 'Page 3' not in html][0]")
    done = bench_cli(
        *("speed", "picky", "--gold", f"folder:{folder_gold(MANY)}", "--workers", "2", "--json"),
        checkout=checkout,
    )
    assert done.returncode == 0, done.stderr
    assert speeds(done.stdout)["picky"]["failed"] == 1


def test_workers_that_die_end_nothing(
    bench_cli: BenchCli, folder_gold: FolderGold, checkout: Path, temporary: Path
) -> None:
    drop(checkout, "dies", extract="os._exit(9)")
    done = bench_cli(
        *("speed", "dies", "--gold", f"folder:{folder_gold()}", "--workers", "2"),
        "--json",
        checkout=checkout,
        env={"TMPDIR": str(temporary)},
    )
    assert "Traceback" not in done.stderr
    if done.stdout:
        assert speeds(done.stdout)["dies"]["failed"] == 3
    assert rogues.left_over(temporary) == []


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"requires": ("no-such-thing>=3",)}, "not installed: no-such-thing>=3"),
        ({"load": "import no_such_thing"}, "no_such_thing"),
        ({"load": "os._exit(3)"}, "crash while loading"),
    ],
)
def test_one_that_cannot_be_run_is_one_line(
    bench_cli: BenchCli,
    folder_gold: FolderGold,
    checkout: Path,
    temporary: Path,
    facts: dict[str, Any],
    reason: str,
) -> None:
    drop(checkout, "absent", **facts)
    words = ("--gold", f"folder:{folder_gold()}", "--workers", "2", "--json")
    alone = bench_cli("speed", "absent", *words, checkout=checkout, env={"TMPDIR": str(temporary)})
    assert alone.returncode == 1
    assert alone.stdout == ""
    (line,) = alone.stderr.splitlines()
    assert "absent" in line
    assert reason in line

    beside = bench_cli(
        "speed", "absent", "xpath", *words, checkout=checkout, env={"TMPDIR": str(temporary)}
    )
    assert beside.returncode == 1
    assert set(speeds(beside.stdout)) == {"xpath"}
    (unavailable,) = json.loads(beside.stdout)["unavailable"]
    assert reason in unavailable
    (line,) = beside.stderr.splitlines()
    assert reason in line
    assert rogues.left_over(temporary) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("xpaht",), "did you mean xpath"),
        (("xpath:nonsense",), "no variant"),
        (("xpath", "--workers", "0"), "--workers"),
        (("xpath", "--pages", "0"), "--pages"),
        (("xpath", "--gold", "nonsense"), "nonsense"),
        ((), "NAME"),
    ],
)
def test_a_mistake_is_status_2(bench_cli: BenchCli, words: tuple[str, ...], said: str) -> None:
    done = bench_cli("speed", *words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_an_interrupted_measurement_leaves_nothing(
    folder_gold: FolderGold, checkout: Path, temporary: Path, bench_home: Path
) -> None:
    drop(checkout, "slow", extract="time.sleep(1); return html")
    words = ["speed", "slow", "--adapter", checkout / "extractors" / "slow.py"]
    running = commands.start(
        [*words, "--gold", f"folder:{folder_gold()}", "--workers", "2"],
        env={**commands.environment(bench_home), "TMPDIR": str(temporary)},
        cwd=temporary.parent,
    )
    deadline = time.monotonic() + 30
    while not list(temporary.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    _, stderr = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "Traceback" not in stderr
    assert rogues.left_over(temporary) == []
