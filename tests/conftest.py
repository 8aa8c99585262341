"""What the tests share: a data directory of their own, data sets, and the real command line."""

from __future__ import annotations

import fcntl
import itertools
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings

from bench.adapters import entries, registry
from bench.adapters.adapter import Adapter
from tests import commands

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = ("extractors", "r_extractors", "gold")

settings.register_profile(
    "quick",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=25,
    derandomize=bool(os.environ.get("CI")),
)
settings.register_profile("nightly", settings.get_profile("quick"), max_examples=200)
settings.load_profile("quick")

_HOMES = itertools.count()

BenchCli = Callable[..., commands.Done]
FolderGold = Callable[..., Path]

PAGES = {
    "boats": (
        "<p>The old ferry crossed the river twice a day until the bridge was built.</p>"
        "<p>Nobody missed it at first, and then everybody did.</p>"
    ),
    "cheese": "<p>Salt is rubbed into the rind on the third day and again on the ninth.</p>",
    "maps": (
        "<p>A map is a promise that the ground will keep still while you walk.</p>"
        "<p>Most of the time the ground keeps that promise, more or less.</p>"
    ),
}
"""Bodies of small pages, whose gold is the text of their paragraphs."""


def html_of(body: str, title: str = "A page") -> str:
    """Return a page with navigation and footer around a body."""
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
        "<body><nav><a href='/'>Home</a> <a href='/all'>All stories</a></nav>"
        f"<article><h1>{title}</h1>{body}</article>"
        "<footer>All rights reserved by nobody in particular.</footer></body></html>"
    )


def text_of(body: str) -> str:
    """Return the paragraphs of a body as plain text."""
    return body.replace("</p>", "\n").replace("<p>", "")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put long files first, and last the tests that must run alone: no worker waits for another."""
    for item in items:
        if "nightly" in item.path.parts:
            item.add_marker("slow")

    def place(item: pytest.Item) -> tuple[bool, bool]:
        alone = item.get_closest_marker("alone") is not None
        return alone, "worker" not in item.path.parts

    items.sort(key=place)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Let tests run side by side in several workers, but for those that must run alone."""
    alone = item.get_closest_marker("alone") is not None
    with Path(__file__).open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        return (yield)


@pytest.fixture(autouse=True)
def bench_home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test a data directory of its own."""
    # Not by mktemp, which looks at all earlier ones each time.
    home = tmp_path_factory.getbasetemp() / "homes" / str(next(_HOMES))
    home.mkdir(parents=True)
    monkeypatch.setenv("BENCH_HOME", str(home))
    return home


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """Return a folder that ``make`` filled, once for all workers of a test run: do not change it."""
    top = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        top = top.parent
    folder = top / name
    with FileLock(top / f"{name}.lock"):
        if not folder.is_dir():
            folder.mkdir()
            try:
                make(folder)
            except BaseException:
                shutil.rmtree(folder)
                raise
    return folder


def run_once(here: Path, *words: str | Path) -> commands.Done:
    """Run ``bench`` in a folder that is filled once. Raises where it fails."""
    done = commands.call(words, cwd=here, env=commands.environment(here / "home"), timeout=300)
    assert done.returncode == 0, done.stderr
    return done


def write_pages(folder: Path, pages: Mapping[str, tuple[str | bytes, str | bytes]]) -> Path:
    """Write a folder data set: page and gold by name."""
    folder.mkdir(parents=True)
    for key, (html, gold) in pages.items():
        for suffix, content in ((".html", html), (".txt", gold)):
            data = content.encode() if isinstance(content, str) else content
            (folder / (key + suffix)).write_bytes(data)
        if not gold:  # which is gold where somebody says so
            (folder / f"{key}.labels.json").write_text('{"no_main_content": true}', "utf-8")
    return folder


SMALL = {key: (html_of(body, key), text_of(body)) for key, body in PAGES.items()}


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with ``results`` that hold a run over ``pages``: do not change it."""

    def make(here: Path) -> None:
        gold = write_pages(here / "pages", SMALL)
        rows = ("xpath", "html_text", "nothing", "gold")
        run_once(here, "run", *rows, "--gold", f"folder:{gold}", "--quiet")

    return once(tmp_path_factory, "finished", make)


@pytest.fixture
def fresh_registry() -> Iterator[None]:
    """Have adapters looked for again in this test, and forgotten after it."""
    registry.forget()
    yield
    registry.forget()


def described(path: Path) -> list[Adapter]:
    """Return the adapters in a file."""
    return [entry.describe() for entry in entries.at(path)]


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of reference data beside the repository, which is not part of it."""
    folder = ROOT.parent / "shared"
    if not (folder / "expected" / "aeb.csv").is_file():
        pytest.skip(f"{folder} with the reference data is not here")
    return folder


@pytest.fixture
def folder_gold(tmp_path: Path) -> FolderGold:
    """Return a builder of folder data sets: texts of pages in, the folder out."""

    def build(
        pages: Mapping[str, tuple[str | bytes, str | bytes]] | None = None, name: str = "pages"
    ) -> Path:
        return write_pages(tmp_path / name, SMALL if pages is None else pages)

    return build


@pytest.fixture
def bench_cli(tmp_path: Path, bench_home: Path) -> BenchCli:
    """Return a function that runs the command line in this process and a folder of its own."""
    here = tmp_path / "here"
    here.mkdir()

    def run(
        *words: str | Path,
        checkout: Path | None = None,
        env: Mapping[str, str] | None = None,
        cwd: Path = here,
        timeout: float = 120,
    ) -> commands.Done:
        merged = {**commands.environment(bench_home), **(env or {})}
        return commands.call(words, cwd=cwd, env=merged, checkout=checkout, timeout=timeout)

    return run


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a copy of what ships with the project, to drop adapters and data sets into."""
    copy = tmp_path / "copy"
    leave_out = shutil.ignore_patterns("__pycache__", "pages", "starter")
    for name in SHIPPED:
        shutil.copytree(ROOT / name, copy / name, ignore=leave_out)
    (copy / "pyproject.toml").touch()
    return copy


@pytest.fixture
def own_bench(checkout: Path) -> Path:
    """Return a copy of the whole project, for a process with it on its ``PYTHONPATH``."""
    shutil.copytree(
        ROOT / "bench", checkout / "bench", ignore=shutil.ignore_patterns("__pycache__")
    )
    return checkout


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return the system's Chromium, without a window."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        # The sandbox of Chromium itself does not work as root, as in a container.
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        running = playwright.chromium.launch(executable_path=chromium, args=flags)
        yield running
        running.close()
