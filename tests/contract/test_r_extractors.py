"""Every R extractor that is installed here, for real, in the ordinary worker: no text is spoilt."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from bench.adapters.adapter import Adapter, Row, label
from bench.adapters.r import describe as r_extractors
from bench.adapters.r import installation
from bench.model import Limits, Outcome
from bench.runs.process import LoadFailed, Result
from bench.runs.sampler import Sampler
from bench.runs.supervise import Worker
from tests.conftest import BenchCli


def adapters() -> list[Adapter]:
    return [r_extractors.describe(path) for path in r_extractors.files()]


# Asked before any test has a data directory of its own, so that the private library is seen.
ADAPTERS = {adapter.name: adapter for adapter in adapters()}
ROWS = [
    pytest.param(label(name, variant), marks=pytest.mark.slow if at else ())
    for name, adapter in ADAPTERS.items()
    for at, variant in enumerate(adapter.facts.variants)
]
# One row for each way that a page goes in and a text comes out.
WAYS = [
    "rvest:text", "rvest:text2", "rcrawler:body", "rcrawler:paragraphs", "htm2txt",
    "boilerpiper:keep-everything", "boilerpipe_java:keep-everything", "r_xml:all", "r_xml:visible",
    "rselenium",
]  # fmt: skip
# They lose it, as their packages do: libxml2 without HUGE ends at a depth of 256.
SHALLOW = ("rcrawler", "r_xml")

WORDS = "The ferry crossed the river twice a day until at last the bridge was built, and then"
SCRIPTS = {
    "emoji": "👩‍👩‍👧 smiled 😀 at the 🏳️‍🌈 flag",
    "cjk": "渡し船は一日に二度川を渡った 渡船每天過河兩次 나룻배는 하루에 두 번",
    "arabic": "كانت العبّارة تعبر النهر مرتين في اليوم",
    "combining": "cafe\u0301 nai\u0308ve a\u0323\u0302 क्षि नमस्ते",
    "beyond": "𠀀 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈",
}

Workers = dict[str, Worker]


def usable(label: str) -> tuple[Adapter, str]:
    """Return adapter and variant; skip the test, with the reason, where they cannot run."""
    name, _, variant = label.partition(":")
    adapter = ADAPTERS[name]
    if not adapter.available:
        pytest.skip(f"{name}: {adapter.problem}")
    return adapter, variant or "default"


@pytest.fixture(scope="module")
def sampler() -> Iterator[Sampler]:
    with Sampler(lambda _: None) as running:
        yield running


@pytest.fixture(scope="module")
def workers(sampler: Sampler) -> Iterator[Workers]:
    running: Workers = {}
    yield running
    for worker in running.values():
        worker.stop()


@pytest.fixture
def worker(label: str, workers: Workers, sampler: Sampler) -> Worker:
    adapter, variant = usable(label)
    if label not in workers:
        row = Row(adapter, variant)
        workers[label] = Worker(row, Limits(page_s=60), sampler, token="bench-test-r")
    return workers[label]


each_way = pytest.mark.parametrize("label", WAYS)


def page(body: str) -> bytes:
    return f'<!DOCTYPE html><meta charset="utf-8"><title>t</title><body>{body}</body>'.encode()


def run(worker: Worker, html: bytes) -> Result:
    return worker.extract(html, "https://example.org/", "utf-8")


@pytest.mark.parametrize("label", ROWS)
def test_every_variant_finds_the_text_of_a_plain_article(label: str, sampler: Sampler) -> None:
    adapter, variant = usable(label)
    worker = Worker(Row(adapter, variant), Limits(), sampler, token="bench-test-r")
    sentence = f"{WORDS} nobody missed it at first, and everybody did when the winter came. "
    paragraphs = "".join(f"<p>{sentence * n}</p><h2>Part {n}</h2>" for n in (5, 2, 7, 3))
    try:
        result = run(worker, page(f"<h1>Boats</h1>{paragraphs}"))
    finally:
        worker.stop()
    assert result.outcome == Outcome.OK, result.diagnostics
    assert sentence.strip() in " ".join(result.text.split())
    phases = worker.starts[0]
    assert phases.import_s > 0
    assert phases.load_s > 0


@each_way
@pytest.mark.parametrize("script", SCRIPTS)
def test_text_outside_ascii_comes_back_intact(worker: Worker, script: str) -> None:
    text = SCRIPTS[script]
    result = run(worker, page(f"<p>{WORDS} {text} {WORDS}</p>"))
    assert result.outcome == Outcome.OK, result.diagnostics
    assert text in " ".join(result.text.split())


@each_way
@pytest.mark.parametrize(
    "html",
    [b"", b" \n\t", b"<!-- nothing -->", b"<!DOCTYPE html>", b"<html></html>",
     b"<!-- a --><!-- b > c -->\n", b"\xef\xbb\xbf", b"<html><head></head><body></body></html>"],
)  # fmt: skip
def test_a_page_without_text_is_empty(worker: Worker, html: bytes) -> None:
    result = run(worker, html)
    assert result.outcome == Outcome.EMPTY, result.diagnostics
    assert result.text == ""


@each_way
def test_a_page_that_looks_like_a_path_is_text(worker: Worker, tmp_path: Path) -> None:
    secret = tmp_path / "secret.html"
    secret.write_text("<p>the content of the file, which nobody asked for</p>", encoding="utf-8")
    for text in (str(secret), f"file://{secret}", "/etc/passwd"):
        result = run(worker, text.encode())
        assert result.text.strip() == text, result.diagnostics


@each_way
@pytest.mark.parametrize("text", ["http://127.0.0.1:9/", "https://example.org/x.html"])
def test_a_page_that_looks_like_an_address_is_text(worker: Worker, text: str) -> None:
    result = run(worker, text.encode())
    assert result.text.strip() == text, result.diagnostics
    assert result.network_attempts == 0


@each_way
def test_a_page_with_nul_is_not_cut(worker: Worker) -> None:
    result = run(worker, page(f"<p>{WORDS}</p>\0<p>before\0after {WORDS} end of it</p>"))
    assert result.outcome == Outcome.OK, result.diagnostics
    assert "end of it" in result.text


@each_way
@pytest.mark.parametrize(
    "html",
    [
        b"<p>" + WORDS.encode() + b" \xff\xfe \xc3( invalid bytes <p>end",
        b"<body><div <p>" + WORDS.encode() + b"</span></b><table><p>&#0; &#xD800; &bogus; end",
        b"<p>" + WORDS.encode() + b"<!-- never closed -- <p>",
        b"<![CDATA[" + WORDS.encode(),
        bytes(range(256)) * 16,
    ],
    ids=["bytes", "tags", "comment", "cdata", "noise"],
)
def test_a_malformed_page_ends_in_an_outcome(worker: Worker, html: bytes) -> None:
    starts = len(worker.starts)
    result = run(worker, html)
    assert result.outcome in (Outcome.OK, Outcome.EMPTY, Outcome.ERROR), result.diagnostics
    assert len(worker.starts) == max(starts, 1)


@each_way
def test_deep_nesting_is_read_or_reported(worker: Worker, label: str) -> None:
    html = page("<div>" * 1000 + f"<p>{WORDS} deep inside</p>" + "</div>" * 1000)
    result = run(worker, html)
    if label.startswith(SHALLOW):
        assert result.outcome == Outcome.ERROR
        assert "depth" in result.diagnostics
    elif result.outcome == Outcome.OK:
        assert "deep inside" in result.text
    else:  # html_text2 recurses, and may run out of stack
        assert label == "rvest:text2"
        assert result.outcome in (Outcome.CRASH, Outcome.ERROR)
    assert run(worker, page(f"<p>{WORDS} the next page</p>")).outcome == Outcome.OK


@pytest.mark.parametrize("label", ["rvest:text"])
def test_a_text_over_ten_megabytes_is_not_cut(worker: Worker) -> None:
    result = run(worker, page("<p>" + "word " * 2_200_000 + "end of it"))
    assert result.text.rstrip().endswith("end of it")


# What else an adapter may return, and what the bridge hands it.

RETURNS = {
    "several": ('c("one", "two")', "one\ntwo"),
    "list": ('list("one", c("two", "three"))', "one\ntwo\nthree"),
    "missing": ('c("one", NA, "two")', "one\ntwo"),
    "only_missing": ("NA_character_", ""),
    "null": ("NULL", ""),
    "none": ("character(0)", ""),
    "marked_bytes": ('{x <- "caf\\u00e9"; Encoding(x) <- "bytes"; x}', "café"),
    "latin1": ('{x <- "caf\\xe9"; Encoding(x) <- "latin1"; x}', "café"),
    "invalid": ('{x <- "a\\xffb"; Encoding(x) <- "UTF-8"; x}', "a\ufffdb"),
    "no_url": ('if (is.null(url)) "null" else url', "https://example.org/"),
    "folder": ("dirname(dirname(tempfile()))", None),
    "locale": ("as.character(l10n_info()[['UTF-8']])", "TRUE"),
    "interactive": ("as.character(interactive())", "FALSE"),
}


def any_installed() -> Adapter:
    """Return an adapter to borrow the whereabouts of R from."""
    for adapter in ADAPTERS.values():
        if adapter.available:
            return adapter
    return pytest.skip("R or rpy2 is not installed")


def own_row(tmp_path: Path, source: str, **settings: object) -> Row:
    """Return a row for an R adapter that a test wrote."""
    file = tmp_path / "own.R"
    file.write_text(source, encoding="utf-8")
    return changed(Row(any_installed(), "x"), settings, file=str(file))


def changed(row: Row, settings: Mapping[str, object], **attributes: object) -> Row:
    """Return a row with other settings, and with something else set on its extractor."""
    adapter = row.adapter
    facts = replace(adapter.facts, variants={row.variant: dict(settings)})
    load = replace(adapter.load, attributes={**adapter.load.attributes, **attributes})
    return replace(row, adapter=replace(adapter, facts=facts, load=load))


@pytest.mark.parametrize("what", RETURNS)
def test_whatever_an_adapter_returns_becomes_text(
    what: str, tmp_path: Path, sampler: Sampler
) -> None:
    expression, expected = RETURNS[what]
    row = own_row(tmp_path, f"extract <- function(html, url) {expression}")
    worker = Worker(row, Limits(), sampler, token="bench-test-r")
    try:
        result = run(worker, page("x"))
    finally:
        worker.stop()
    assert not result.outcome.failed, result.diagnostics
    if expected is not None:
        assert result.text == expected
    else:
        assert Path(result.text).name.startswith("bench-test-r-")


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("extract <- function(html, url) 3", "returned numeric, not character"),
        ("extract <- function(html, url) stop('no luck')", "no luck"),
    ],
)
def test_an_error_in_r_is_an_error_with_its_message(
    source: str, complaint: str, tmp_path: Path, sampler: Sampler
) -> None:
    worker = Worker(own_row(tmp_path, source), Limits(), sampler, token="bench-test-r")
    try:
        result = run(worker, page("x"))
    finally:
        worker.stop()
    assert result.outcome == Outcome.ERROR
    assert complaint in result.diagnostics


@pytest.mark.parametrize(
    ("source", "settings", "complaint"),
    [
        ("extract <- function(", {}, "unexpected end of input"),
        ("x <- 1", {}, "defines no extract"),
        ("extract <- function(html, url) html", {"depth": 3}, "defines no load"),
        ("load <- function() library(nosuchpackage)", {}, "nosuchpackage"),
    ],
)
def test_an_adapter_that_does_not_load_says_why(
    source: str, settings: dict[str, object], complaint: str, tmp_path: Path, sampler: Sampler
) -> None:
    row = own_row(tmp_path, source, **settings)
    worker = Worker(row, Limits(), sampler, token="bench-test-r")
    with pytest.raises(LoadFailed, match=complaint):
        worker.start()


def test_settings_arrive_as_what_they_are(tmp_path: Path, sampler: Sampler) -> None:
    source = """
    said <- NULL
    load <- function(name, depth, share, loud) {
      said <<- paste(name, class(depth), depth, class(share), share, class(loud), loud)
    }
    extract <- function(html, url) said
    """
    row = own_row(tmp_path, source, name="é", depth=3, share=0.5, loud=True)
    worker = Worker(row, Limits(), sampler, token="bench-test-r")
    try:
        assert run(worker, page("x")).text == "é integer 3 numeric 0.5 logical TRUE"
    finally:
        worker.stop()


def test_an_adapter_may_ask_for_bytes(tmp_path: Path, sampler: Sampler) -> None:
    row = own_row(tmp_path, "extract <- function(html, url) paste(class(html), length(html))")
    row = changed(row, row.settings, accepts="bytes")
    worker = Worker(row, Limits(), sampler, token="bench-test-r")
    try:
        assert run(worker, b"a\0\xff").text == "raw 3"
    finally:
        worker.stop()


def test_surrogates_and_nul_go_in_as_replacement_characters(tmp_path: Path) -> None:
    row = own_row(tmp_path, "extract <- function(html, url) html")
    script = """if True:
        import json, sys
        from bench.worker import main as worker
        request = json.loads(sys.argv[1])
        bridge = worker.adapter(request["adapter"], request["name"])()
        vars(bridge).update(request["attributes"])
        bridge.load(**request["settings"])
        print(ascii(bridge.extract("a\\0b\\ud800c\\ud83d\\ude00\\udc00", None)))
        print(ascii(bridge.extract("a", "\\ud800")))
        print(any(each.startswith("R==") for each in bridge.packages()))
    """
    words = [sys.executable, "-c", script, json.dumps(asdict(row.load_request))]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
    assert done.stdout.splitlines() == ["'a\\ufffdb\\ufffdc\\U0001f600\\ufffd'", "'a'", "True"], (
        done.stderr
    )


# What the list of extractors says.


def test_versions_come_from_r_itself() -> None:
    lender = any_installed()
    package = lender.facts.requires[0].split(">")[0]
    expression = (
        f"cat(readRDS(system.file('Meta/package.rds', package='{package}'))$DESCRIPTION['Version'])"
    )
    done = subprocess.run(
        ["Rscript", "--vanilla", "-e", expression],
        capture_output=True, text=True, check=True, env=installation.environment(),
    )  # fmt: skip
    assert lender.version is not None
    assert lender.version.startswith(f"{done.stdout} (")
    assert "R " in lender.version


def test_without_r_every_row_is_unavailable_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = adapters()
    assert len(found) == len(ADAPTERS)
    for adapter in found:
        assert not adapter.available
        assert adapter.problem == "R is not installed"
        assert adapter.remedy == f"bench setup r {adapter.name}"
        assert adapter.version is None


def test_an_r_that_does_not_answer_is_a_problem_of_the_rows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "Rscript"
    broken.write_text("#!/bin/sh\necho cannot load libR.so >&2\nexit 127\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert {"cannot load libR.so" in adapter.problem for adapter in adapters()} == {True}


def test_a_broken_file_is_listed_with_the_reason(bench_cli: BenchCli, checkout: Path) -> None:
    (checkout / "r_extractors" / "broken.R").write_text("#' @name broken\n#' @colour blue\n")
    (checkout / "r_extractors" / "extra.R").write_text(
        "#' extra: one file is enough.\n#' @name extra\nextract <- function(html, url) html\n"
    )
    done = bench_cli("list", "--json", checkout=checkout)
    found = {each["name"]: each["problem"] for each in json.loads(done.stdout)}
    assert "@colour" in found["broken"]
    assert "extra" in found
