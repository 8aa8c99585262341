"""A finished run found again: what is remembered of it is what would be computed, or is not used."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bench.cli import run as run_verb
from bench.metrics.ngram import Ngram
from bench.scoring import ranking, run_memory
from tests import commands
from tests.conftest import html_of, once, run_once, write_pages

TYPES = ("article", "forum", "product")
MIX = "page_type=article:0.6,forum:0.3,product:0.1"
PAGES = {f"page{at:02}": (html_of(f"<p>{'The ferry crossed the river again. ' * at}</p>"),
                          "The ferry crossed the river again. " * at)
         for at in range(1, 31)}  # fmt: skip
EMPTY = {f"none{at}": (html_of("<p>Sign in</p>"), "") for at in range(4)}
FAILS = """
from bench.extractor import Extractor

class Fails(Extractor):
    name = "fails"
    variants = {"default": {"most": 300}, "patient": {"most": 900}}

    def load(self, most):
        self._most = most

    def extract(self, html, url):
        if len(html) > self._most:
            raise ValueError("too long: " + url)
        return html
"""
ROWS = ("xpath", "nothing", "gold", "fails:*", "--adapter", "fails.py")
RUNS = {"starter": "starter", "mixed": "folder:pages"}


@pytest.fixture(scope="module", params=RUNS)
def ran(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished run: on the starter set, or on pages of sites, types and none."""

    def make(here: Path) -> None:
        (here / "fails.py").write_text(FAILS, "utf-8")
        write_pages(here / "pages", PAGES | EMPTY)
        facts = [
            {"id": page, "url": f"https://site{at // 2}.org/{page}", "page_type": TYPES[at % 3]}
            for at, page in enumerate([*PAGES, *EMPTY])
        ]
        lines = "".join(f"{json.dumps(fact)}\n" for fact in facts)
        (here / "pages" / "pages.jsonl").write_text(lines, "utf-8")
        run_once(here, *again(request.param))

    return once(tmp_path_factory, f"found again {request.param}", make)


@pytest.fixture
def here(ran: Path, tmp_path: Path) -> Path:
    """The same for one test alone, in a folder of the same name."""
    here = tmp_path / ran.name
    shutil.copytree(ran, here)
    (manifest,) = here.glob("results/*/manifest.json")
    manifest.write_text(manifest.read_text("utf-8").replace(str(ran), str(here)), "utf-8")
    return here


def again(name: str) -> list[str]:
    return ["run", *ROWS, "--gold", RUNS[name], "--quiet"]


def told(here: Path, *words: str) -> tuple[str, str, dict[str, bytes]]:
    """Return what a command prints, and the files that it writes."""
    for path in [*here.glob("reports/*/*"), *here.glob("results/*/leaderboard.json")]:
        path.unlink()
    done = commands.call(words, cwd=here, env=commands.environment(here / "home"))
    assert done.returncode == 0, done.stderr
    files = [*here.glob("reports/*/*"), *here.glob("results/*/leaderboard.json")]
    return done.stdout, done.stderr, {str(path): path.read_bytes() for path in sorted(files)}


def forget(here: Path) -> None:
    for kind in ("leaderboards", "failures"):
        shutil.rmtree(here / "home" / "cache" / kind, ignore_errors=True)


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was computed, one word for each time."""
    words: list[str] = []
    for module, name in ((ranking, "of_run"), (run_verb, "_failures")):
        real = getattr(module, name)

        def counted(*given: object, real: Callable[..., object] = real, **named: object) -> object:
            words.append(real.__name__)
            return real(*given, **named)

        monkeypatch.setattr(module, name, counted)
    return words


# -- the same ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["run", "leaderboard"])
def test_what_is_remembered_is_what_is_computed(here: Path, computed: list[str], verb: str) -> None:
    name = here.name.rpartition(" ")[2]
    words = again(name) if verb == "run" else ["leaderboard"]
    ways: list[Sequence[str]] = [(), ("--json",)]
    if verb == "leaderboard":
        ways += [("--markdown",), ("--variants", "--json"), ("--metric", "bow,ngram:page_f1")]
        ways += [("--weights", MIX, "--json")] if name == "mixed" else []
    for more in ways:
        forget(here)
        first = told(here, *words, *more)
        assert "of_run" in computed
        computed.clear()
        assert told(here, *words, *more) == first
        assert not computed
    stdout, stderr, files = first
    if verb == "run":
        assert "failed, first" in stderr
        assert {Path(file).suffix for file in files} == {".md", ".csv", ".json"}
    elif name == "mixed":
        board = json.loads(stdout)
        assert board["weights"]
        assert board["extractors"][0]["abstention"]["pages"] == len(EMPTY)


# -- not the same -----------------------------------------------------------------------------------


def of_cells(top: Path) -> None:
    (path,) = top.glob("results/*/cells.parquet")
    table = pq.read_table(path)
    slow = pa.array([9.0] * len(table), pa.float64())
    pq.write_table(table.set_column(table.column_names.index("wall_s"), "wall_s", slow), path)


def of_manifest(top: Path) -> None:
    (path,) = top.glob("results/*/manifest.json")
    facts = json.loads(path.read_text("utf-8"))
    facts["warnings"].append("W")
    path.write_text(json.dumps(facts), "utf-8")


def of_languages(top: Path) -> None:
    path = top / "pages" / "pages.jsonl"
    path.write_text(path.read_text("utf-8").replace('{"id"', '{"language": "zh", "id"'), "utf-8")


def of_name(top: Path) -> None:
    (path,) = top.glob("results/*/manifest.json")
    path.parent.rename(path.parent.with_name("20990101T000000-other"))


@pytest.mark.parametrize("ran", ["mixed"], indirect=True)
@pytest.mark.parametrize("change", [of_cells, of_manifest, of_languages, of_name])
def test_what_changed_on_disk_is_computed(
    here: Path, computed: list[str], change: Callable[[Path], None]
) -> None:
    before = told(here, "leaderboard", "--json")
    assert told(here, "leaderboard", "--json") == before
    assert computed == ["of_run"]
    change(here)
    after = told(here, "leaderboard", "--json")
    assert computed == ["of_run"] * 2
    forget(here)
    assert told(here, "leaderboard", "--json") == after != before


@pytest.mark.parametrize("ran", ["mixed"], indirect=True)
def test_other_options_and_other_code_are_computed(
    here: Path, computed: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget(here)
    ways = [(), ("--metric", "bow"), ("--rank-by", "page_f1"), ("--variants",), ("--weights", MIX)]
    boards = [told(here, "leaderboard", "--json", *more)[0] for more in ways]
    assert len(set(boards)) == len(computed) == len(ways)
    monkeypatch.setattr(Ngram, "version", "another")
    told(here, "leaderboard", "--json")
    assert len(computed) == len(ways) + 1
    monkeypatch.setattr(run_memory, "_CODE", tmp_path)
    for code in ("1", "1 + 1"):
        (tmp_path / "code.py").write_text(code, "utf-8")
        computed.clear()
        told(here, "leaderboard", "--json")
        assert computed


def emptied(path: Path, _: str) -> None:
    path.write_text("", "utf-8")


def cut_off(path: Path, text: str) -> None:
    path.write_text(text[:-9], "utf-8")


def with_another_number(path: Path, text: str) -> None:
    at = text.index('"wins":') + len('"wins":')
    path.write_text(text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :], "utf-8")


def of_another_run(path: Path, _: str) -> None:
    (other,) = (each for each in path.parent.iterdir() if each != path)
    shutil.copy(other, path)


@pytest.mark.parametrize("ran", ["mixed"], indirect=True)
@pytest.mark.parametrize("damage", [emptied, cut_off, with_another_number, of_another_run])
def test_a_memory_that_is_damaged_or_foreign_is_not_believed(
    here: Path, computed: list[str], damage: Callable[[Path, str], None]
) -> None:
    forget(here)
    whole = told(here, "leaderboard", "--json")
    (memory,) = (here / "home" / "cache" / "leaderboards").iterdir()
    told(here, "leaderboard", "--variants")
    computed.clear()
    damage(memory, memory.read_text("utf-8"))
    assert told(here, "leaderboard", "--json") == whole
    assert computed == ["of_run"]
