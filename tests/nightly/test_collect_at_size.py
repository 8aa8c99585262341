"""``bench collect`` at full size: what requests at once gain, and what memory 20,000 pages take."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests import commands
from tests.conftest import ROOT, BenchCli

SPEED_PAGES, MEMORY_PAGES = 3_000, 20_000


@contextlib.contextmanager
def latency_site(pages: int, latency_s: float) -> Iterator[str]:
    """Serve a site from a process of its own, and give its address."""
    program = ROOT / "tests" / "programs" / "latency_site.py"
    with subprocess.Popen(
        [sys.executable, program, str(pages), str(latency_s)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as site:
        assert site.stdout is not None
        yield f"http://127.0.0.1:{int(site.stdout.readline())}/"
        site.communicate()


@pytest.mark.alone
def test_200_at_once_receive_13_times_the_bytes_of_10(tmp_path: Path, bench_cli: BenchCli) -> None:
    with latency_site(SPEED_PAGES, 1.0) as url:
        words = ("collect", "speed", url, "--jobs", "10,200", "--out", tmp_path, "--json", "-q")
        done = bench_cli(*words, timeout=900)
    facts = json.loads(done.stdout)
    assert [run["pages"] for run in facts["runs"]] == [SPEED_PAGES] * 2
    assert facts["ratio"] >= 13


def test_memory_is_flat(tmp_path: Path, bench_home: Path, bench_cli: BenchCli) -> None:
    sizes = []
    with latency_site(MEMORY_PAGES, 0.0) as url:
        limits = ("--depth", "99", "--per-pattern", "99999", "-q")
        words = ("collect", url, *limits, "--out", tmp_path / "o")
        env = commands.environment(bench_home)
        with commands.start(words, env=env, stdout=subprocess.DEVNULL) as process:
            while process.poll() is None:
                with contextlib.suppress(psutil.Error):
                    tree = psutil.Process(process.pid).children()
                    sizes.append(sum(child.memory_info().rss for child in tree) / 2**20)
                time.sleep(0.5)
    assert process.returncode == 0
    status = json.loads(bench_cli("collect", "status", tmp_path / "o", "--json").stdout)
    assert status["states"] == {"done": MEMORY_PAGES}
    early, late = max(sizes[: len(sizes) // 4]), max(sizes)
    print(f"MiB: {early:.0f} in the first quarter, {late:.0f} at most")
    assert late < early * 1.25
