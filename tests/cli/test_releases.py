"""Last releases: asked of an index that runs here, noted, shipped, and shown by list and report."""

from __future__ import annotations

import json
import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from bench.adapters import indexes, registry, released
from bench.adapters.adapter import Adapter, LoadRequest
from bench.adapters.environments.cache import Environment
from bench.adapters.released import Released
from bench.model import BenchError, ExtractorFacts
from tests import sites, wheels
from tests.conftest import BenchCli

TITLES = ("extractor", "version", "language", "licence", "last release")
FORBIDDEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


# -- an index ---------------------------------------------------------------------------------


@dataclass
class Index:
    """A package index (PEP 691) whose answers a test sets; it counts what it is asked."""

    address: str
    answers: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    kind: str = "application/vnd.pypi.simple.v1+json"
    headers: dict[str, str] = field(default_factory=dict)

    def has(self, name: str, *files: Mapping[str, Any]) -> None:
        facts = {"meta": {"api-version": "1.1"}, "name": name, "files": list(files)}
        self.answers[name] = json.dumps(facts).encode()


def file(name: str, version: str, day: str | None = None, **more: Any) -> dict[str, Any]:
    facts = {"filename": name.format(version), "url": "x", "hashes": {"sha256": "0" * 64}, **more}
    return facts if day is None else {**facts, "upload-time": f"{day}T01:02:03.000004Z"}


WHEEL, SDIST = "tiny-{}-py3-none-any.whl", "tiny-{}.tar.gz"


@pytest.fixture
def package_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.strip("/").rpartition("/")[2]
            served.asked.append(name)
            served.headers |= dict(self.headers)
            body = served.answers.get(name)
            self.send_response(200 if body is not None else 404)
            self.send_header("Content-Type", served.kind)
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = Index(f"http://127.0.0.1:{server.server_port}/simple")
    for name, value in uses(served).items():
        monkeypatch.setenv(name, value)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield served
    server.shutdown()
    thread.join()
    server.server_close()


def uses(served: Index) -> dict[str, str]:
    return {"UV_DEFAULT_INDEX": served.address, "PIP_EXTRA_INDEX_URL": "", "PIP_FIND_LINKS": ""}


def newest(package: str) -> tuple[str, str | None]:
    last = indexes.releases(package)[-1]
    return str(last.version), last.day


def test_the_newest_final_release_and_the_day_of_its_first_file(package_index: Index) -> None:
    package_index.has(
        "tiny",
        file(WHEEL, "1.0", "2019-05-06"),
        file(WHEEL, "2.0", "2021-03-05"),
        file(SDIST, "2.0", "2021-03-04"),
        file(WHEEL, "3.0rc1", "2022-01-01"),
        file(WHEEL, "2.5", "2022-02-02", yanked="broken"),
    )
    assert newest("tiny") == ("2.0", "2021-03-04")
    assert set(package_index.asked) == {"tiny"}, "a file was downloaded"


@pytest.mark.parametrize("python", [">=3.98", "==3.7.*", "<3.12", ">=3.6,<3.10"])
def test_whatever_python_a_release_is_for(package_index: Index, python: str) -> None:
    package_index.has(
        "tiny",
        file(SDIST, "1.0", "2019-05-06"),
        file(SDIST, "2.0", "2020-03-04", **{"requires-python": python}),
    )
    assert newest("tiny") == ("2.0", "2020-03-04")


def test_an_index_that_tells_no_days(package_index: Index) -> None:
    package_index.has("tiny", file(WHEEL, "1.0"))
    assert newest("tiny") == ("1.0", None)


def test_one_missing_package_costs_the_others_nothing(package_index: Index, tmp_path: Path) -> None:
    package_index.has("tiny", file(WHEEL, "1.0", "2020-02-02"))
    found, failed = indexes.ask([wraps("one", "python:tiny"), wraps("two", "python:nowhere")])
    today = found["one"].asked
    assert found == {"one": Released("python:tiny", "1.0", "2020-02-02", today)}
    assert list(failed) == ["python:nowhere"]
    assert "nowhere" in failed["python:nowhere"]


HOSTILE = {
    "no JSON": b"<html>Please log in",
    "JSON of another kind": b"[1, 2]",
    "deep": b"[" * 100_000,
    "no files": b'{"meta": {"api-version": "1.1"}, "name": "tiny", "files": []}',
    "escapes": json.dumps(
        {
            "meta": {"api-version": "1.1"},
            "name": "tiny\x1b]0;owned\x07",
            "files": [file("tiny-1.0\x1b[2J\u202e-py3-none-any.whl", "", "2020-01-01")],
        }
    ).encode(),
    "huge": b'{"meta": {"api-version": "1.1"}, "name": "' + b"x" * 20_000_000,
}


@pytest.mark.parametrize("answer", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_answer_is_none(package_index: Index, answer: bytes) -> None:
    package_index.answers["tiny"] = answer
    found, failed = indexes.ask([wraps("one", "python:tiny")])
    assert not found
    assert len(failed["python:tiny"]) <= 300


def test_many_releases_are_no_trouble(package_index: Index) -> None:
    every = [file(WHEEL, f"1.{number}", "2020-01-01") for number in range(5000)]
    package_index.has("tiny", *every)
    assert newest("tiny") == ("1.4999", "2020-01-01")


def test_releases_that_are_for_this_python(package_index: Index) -> None:
    package_index.has(
        "tiny",
        file(SDIST, "1.0", **{"requires-python": "<3"}),
        file(SDIST, "1.10", **{"requires-python": ">=3.8"}),
        file(WHEEL, "1.9", **{"requires-python": "what?"}),
        {"filename": "tiny-1.0.win32.exe"},
        {"filename": 3},
        "tiny",
    )
    found = indexes.releases("Tiny")
    assert [(str(each.version), each.fits) for each in found] == [
        ("1.0", False), ("1.9", True), ("1.10", True)
    ]  # fmt: skip


def test_an_index_of_pages_for_people(package_index: Index) -> None:
    package_index.kind = "text/html"
    package_index.answers["tiny"] = b"""<!DOCTYPE html><html><body><h1>Links for tiny</h1>
        <a href="x/tiny-1.0.tar.gz#sha256=0" data-requires-python="&lt;3">tiny-1.0.tar.gz</a>
        <A HREF="x">tiny-2.0-py3-none-any.whl</A>
        <a href="x" data-yanked="broken">tiny-3.0-py3-none-any.whl</a></body></html>"""
    found = indexes.releases("tiny")
    assert [(str(each.version), each.fits) for each in found] == [("1.0", False), ("2.0", True)]


def test_which_index_is_asked(
    package_index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package_index.has("tiny", file(WHEEL, "1.0"))
    for name in ("UV_DEFAULT_INDEX", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS"):
        monkeypatch.delenv(name)
    address = package_index.address.replace("//", "//me:p%40ss@")
    settings = tmp_path / "pip.conf"
    monkeypatch.setenv("PIP_CONFIG_FILE", str(settings))
    for text in (f"[global]\nindex-url = {address}/\n", f"[global]\nextra-index-url={address}\n"):
        settings.write_text(text)
        if "extra" in text:
            monkeypatch.setenv("PIP_INDEX_URL", "https://127.0.0.1:9/simple")
        package_index.headers.clear()
        assert newest("tiny") == ("1.0", None)
        assert package_index.headers["authorization"] == "Basic bWU6cEBzcw=="
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(BenchError, match="no releases of tiny: no package index may be asked"):
        indexes.releases("tiny")
    wheels.wheel(tmp_path / "house", "2.0", name="tiny")
    monkeypatch.setenv("PIP_FIND_LINKS", (tmp_path / "house").as_uri())
    assert newest("tiny") == ("2.0", None)


def test_offline_nothing_is_found_and_nothing_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_OFFLINE", "1")
    found, failed = indexes.ask([wraps("one", "python:no-such-package-here"), wraps("two")])
    assert not found
    assert list(failed) == ["python:no-such-package-here"]


# -- npm ----------------------------------------------------------------------------------------


def wraps(name: str, package: str = "", libraries: Sequence[str] = ()) -> Adapter:
    """Return an adapter of a package."""
    load = LoadRequest("", "", {"libraries": libraries})
    return Adapter(ExtractorFacts(name), Path(), load, package=package)


def npm_says(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str, status: int = 0) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "answer").write_text(text, encoding="utf-8")
    npm = folder / "npm"
    npm.write_text(f"#!/bin/sh\ncat '{folder / 'answer'}'\nexit {status}\n", encoding="utf-8")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


TIMES = {"created": "2017-01-01T00:00:00.000Z", "1.2.3": "2018-02-03T04:05:06.789Z"}
NPM = wraps("one", "npm:greeting")


@pytest.mark.parametrize(
    ("times", "day"),
    [
        (TIMES, "2018-02-03"),
        ({"1.2.3": TIMES["1.2.3"]}, None),  # a mirror's own times
        ({"created": "x", "1.2.3": "soon"}, None),
        ({"created": "x"}, None),
        (None, None),
    ],
)
def test_npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: Any, day: str | None) -> None:
    npm_says(tmp_path / "bin", monkeypatch, json.dumps({"version": "1.2.3", "time": times}))
    found, failed = indexes.ask([NPM])
    assert not failed
    assert (found["one"].version, found["one"].date) == ("1.2.3", day)


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("", 0),
        ("{}", 1),
        ("[]", 0),
        ("null", 0),
        ("[" * 100_000, 0),
        ('{"version": 3}', 0),
        ('{"version": "1.0\\u001b[2J"}', 0),
        (json.dumps({"version": "1" * 5000}), 0),
        ('{"version": "1.0", "time": "' + "x" * (33 << 20) + '"}', 0),
    ],
)
def test_npm_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, status: int
) -> None:
    npm_says(tmp_path / "bin", monkeypatch, text, status)
    found, failed = indexes.ask([NPM])
    assert not found
    assert failed["npm:greeting"].startswith("npm")


def test_without_npm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexes.shutil, "which", lambda _: None)
    assert indexes.ask([NPM]) == ({}, {"npm:greeting": "npm is not on the PATH"})


# -- R -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "month"),
    [
        (
            "Date/Publication: 2022-08-19 22:30:08 UTC\nPackaged: 2022-08-01 01:01:01 UTC; me",
            "≥2022-08",
        ),
        ("Packaged: 2021-12-09 22:56:54 UTC; me", "≥2021-12"),
        ("Title: None", "–"),
    ],
)
def test_an_r_package_says_it_of_itself(tmp_path: Path, facts: str, month: str) -> None:
    (tmp_path / "rvest" / "Meta").mkdir(parents=True)
    (tmp_path / "rvest" / "Meta" / "package.rds").touch()
    text = f"Package: rvest\nVersion: 1.0-3\n{facts}\n"
    (tmp_path / "rvest" / "DESCRIPTION").write_text(text, encoding="utf-8")
    libraries = (str(tmp_path / "none"), str(tmp_path))
    found = released.known(wraps("scrapes", "r:rvest", libraries))
    assert found is not None
    assert (found.version, found.month, found.asked) == ("1.0-3", month, None)
    assert released.known(wraps("scrapes", "r:xml", libraries)) is None


# -- what is kept ----------------------------------------------------------------------------------


def test_the_younger_answer_counts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(released, "shipped", lambda: tmp_path / "shipped.json")
    old, new = (Released("python:tiny", "1.0", None, f"2026-0{month}-01") for month in (1, 2))
    for first, second in ((old, new), (new, old)):
        for path, each in ((released.shipped(), first), (released.noted(), second)):
            path.unlink(missing_ok=True)
            released.note(path, {"one": each})
        assert released.known(wraps("one", "python:tiny")) == new
    # An adapter of the same name that wraps something else.
    assert released.known(wraps("one", "python:other")) is None
    assert released.known(wraps("one")) is None


def test_notes_are_kept_beside_new_ones() -> None:
    one, two = (Released(f"python:{name}", "1.0", None, "2026-01-01") for name in ("a", "b"))
    released.note(released.noted(), {"one": one})
    released.note(released.noted(), {"two": two})
    assert released.read(released.noted()) == {"one": one, "two": two}
    released.note(released.noted(), {}, ["two"])
    assert released.read(released.noted()) == {"two": two}


GOOD = {"package": "python:a", "version": "1.0", "date": "2026-01-31", "asked": "2026-02-01"}


@pytest.mark.parametrize(
    "harm",
    [
        {"version": "1.0\x1b[2J"}, {"version": 1}, {"version": "x" * 99}, {"version": ""},
        {"date": "2026-02-30"}, {"date": "20260131"}, {"date": 3}, {"asked": "soon"},
        {"package": "python:a\u202eb"}, {"package": "<script>"}, {"more": 1},
    ],
)  # fmt: skip
def test_what_is_no_release_is_left_out(harm: dict[str, Any]) -> None:
    facts = {"format": 1, "releases": {"bad": {**GOOD, **harm}, "good": GOOD}}
    released.noted().write_text(json.dumps(facts), encoding="utf-8")
    assert list(released.read(released.noted())) == ["good"]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"format": 2, "releases": {}}', '{"format": 1}'])
def test_a_damaged_file_is_as_none(text: str) -> None:
    released.noted().write_text(text, encoding="utf-8")
    assert released.read(released.noted()) == {}


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BenchError, match="cannot be written"):
        released.note(tmp_path / "file" / "releases.json", {})


# -- what ships -------------------------------------------------------------------------------------


def shipped_adapters() -> list[Adapter]:
    return [each for each in registry.adapters().values() if not each.origin]


def test_every_shipped_adapter_has_licence_and_language() -> None:
    licenses = pytest.importorskip("packaging.licenses")
    for each in shipped_adapters():
        if each.facts.kind != "control":
            assert (
                licenses.canonicalize_license_expression(each.facts.licence) == each.facts.licence
            ), each.name
            assert each.facts.language not in ("", "program"), each.name


def test_every_package_of_an_index_has_its_release_in_what_ships() -> None:
    there = released.read(released.shipped())
    wraps = {each.name: each.package for each in shipped_adapters()}
    wanted = {name: each for name, each in wraps.items() if each and not each.startswith("r:")}
    assert {name: each.package for name, each in there.items()} == wanted
    assert all(each.asked for each in there.values())


def test_what_ships_names_no_host() -> None:
    text = released.shipped().read_text(encoding="utf-8")
    assert set(json.loads(text)) == {"format", "releases"}
    assert "://" not in text


# -- bench list ------------------------------------------------------------------------------------


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return wheels.adapter(tmp_path, requires=("tiny==1.0",))


@pytest.mark.parametrize("columns", [80, 120])
def test_the_list_fits(bench_cli: BenchCli, columns: int) -> None:
    done = bench_cli("list", "*", env={"COLUMNS": str(columns)})
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= columns
    assert re.split(r"\s{2,}", lines[0].strip()) == list(TITLES)
    at = [lines[0].index(title) for title in TITLES]
    heads = [line for line in lines[1:] if line[:1].strip() and line[0].islower()]
    by_name = {line.split()[0]: line for line in heads}
    for each in shipped_adapters():
        cells = by_name[each.name]
        assert cells[at[2] :].startswith(each.facts.language)
        assert cells[at[3] :].startswith(each.facts.licence)
        assert re.fullmatch(r"–|≥?\d{4}-\d\d", cells[at[4] :].strip())
    words = " ".join(done.stdout.split())
    assert re.search(r"Last releases as of \d{4}-\d\d-\d\d; bench list --fresh asks again\.", words)
    assert words.count("as of") == 1
    assert "+clean, +punctuation, +sentences, +symbols; see docs/methods.md" in words


def test_a_narrow_terminal_loses_nothing(bench_cli: BenchCli) -> None:
    done = bench_cli("list", "postlight_parser", env={"COLUMNS": "40"})
    assert max(map(len, done.stdout.splitlines())) <= 40
    assert "postlight_parser" not in done.stdout.splitlines()[1]  # folded, not cut
    assert "parser" in done.stdout


def test_the_indexes_are_asked_with_fresh_alone(
    bench_cli: BenchCli, package_index: Index, tiny: Path, tmp_path: Path
) -> None:
    package_index.has("tiny", file(WHEEL, "1.0", "2019-01-02"), file(WHEEL, "2.0", "2021-03-04"))

    def listed(*more: str) -> dict[str, Any]:
        words = ("list", "tiny", "--json", "--adapter", tiny, *more)
        done = bench_cli(*words, env=uses(package_index))
        assert (done.returncode, done.stderr) == (0, "")
        (facts,) = json.loads(done.stdout)
        return dict(facts)

    assert listed()["released"] is None
    assert not package_index.asked
    found = listed("--fresh")
    assert found["released"] == {"version": "2.0", "date": "2021-03-04", "package": "python:tiny"}
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", found["as_of"])
    assert {"licence", "language"} <= set(found)
    package_index.asked.clear()
    assert listed()["released"] == found["released"]
    assert not package_index.asked
    shown = bench_cli("list", "tiny", "--adapter", tiny).stdout
    assert "2021-03" in shown
    assert f"as of {found['as_of']}" in shown


@pytest.mark.parametrize("answer", ["escapes", "no JSON"])
def test_an_index_that_fails_is_told_in_one_line(
    bench_cli: BenchCli, package_index: Index, tiny: Path, tmp_path: Path, answer: str
) -> None:
    package_index.answers["tiny"] = HOSTILE[answer]
    done = bench_cli("list", "tiny", "--fresh", "--adapter", tiny, env=uses(package_index))
    assert done.returncode == 0
    assert done.stderr.startswith("bench: --fresh: no answer for tiny: ")
    assert done.stderr.count("\n") == 1
    assert not FORBIDDEN.search(done.stdout + done.stderr)


def test_offline_what_ships_is_shown(bench_cli: BenchCli) -> None:
    done = bench_cli("list", "xpath", "--fresh", "--json", env={"UV_OFFLINE": "1"})
    assert done.returncode == 0
    (facts,) = json.loads(done.stdout)
    assert facts["released"]["package"] == "python:lxml"
    assert facts["as_of"]


def test_the_snapshot_is_written_by_the_command(
    bench_cli: BenchCli, checkout: Path, package_index: Index, tiny: Path, tmp_path: Path
) -> None:
    package_index.has("lxml", file("lxml-{}.tar.gz", "77.0", "2031-03-04"))
    package_index.has("tiny", file(WHEEL, "2.0", "2021-03-04"))
    words = ("list", "xpath", "tiny", "--fresh", "--snapshot", "--adapter", tiny)
    done = bench_cli(*words, checkout=checkout, env=uses(package_index))
    assert done.returncode == 0, done.stderr
    written = released.read(checkout / "extractors" / released.FILE)
    assert (written["xpath"].version, written["xpath"].date) == ("77.0", "2031-03-04")
    assert "tiny" not in written
    assert written["trafilatura"] == released.read(released.shipped())["trafilatura"]


# -- the report -------------------------------------------------------------------------------------


def test_the_report_shows_licence_language_and_last_release(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    site = sites.ordinary(tmp_path_factory)
    lxml = released.read(released.shipped())["xpath"]
    assert lxml.date is not None
    start = (site / "index.html").read_text(encoding="utf-8")
    assert "last release" in start
    assert f'data-v="{lxml.date}">{lxml.month}</td>' in start
    assert f"Last releases as of {lxml.asked}" in start.replace(" to ", "")
    (page, *_) = site.glob("site/*/extractors/xpath-*.html")
    text = page.read_text(encoding="utf-8")
    for said in ("BSD-3-Clause", "Python", f"{lxml.version}, {lxml.date} (as of {lxml.asked})"):
        assert f"<dd>{said}</dd>" in text


# -- what an environment runs under ----------------------------------------------------------------


def environment(path: Path, packages: Mapping[str, str], python: str = "") -> Environment:
    return Environment(
        "", packages, python, key="k", path=path, requires=("x",), size_bytes=0, seconds=0.0
    )


def test_an_environment_of_nodes_packages_has_no_python(tmp_path: Path) -> None:
    packages = {"greeting": "1.2.3", "node": "20.20.2"}
    node = environment(tmp_path, packages)
    assert node.under == "node 20.20.2"
    assert node.installed == {"greeting": "1.2.3"}
    python = environment(tmp_path, {"node": "1.0"}, "3.11.7")
    assert python.under == "Python 3.11.7"
    assert python.installed == {"node": "1.0"}


def test_the_list_of_environments_says_what_they_run_under(bench_cli: BenchCli) -> None:
    done = bench_cli("env", "list", env={"COLUMNS": "80"})
    assert "runs under" in done.stdout
    assert "Python <3.12" in done.stdout
    every = json.loads(bench_cli("env", "list", "--json").stdout)
    assert {each["python"] for each in every} == {None}
    assert {each["under"].split()[0] for each in every} <= {"Python", "node"}
