"""``bench corpus``: what is counted is what is in the text file, and nothing is lost or doubled."""

from __future__ import annotations

import io
import json
import random
import re
import signal
import sqlite3
import subprocess
import time
import unicodedata
import zipfile
from collections import Counter
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import docx
import pypdf
import pytest
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from bench.corpus import components
from bench.corpus import media as media_components
from bench.corpus.media.docx import UNPACKED_BYTES
from bench.runs.store.runs import RunFolder
from tests import commands
from tests.conftest import BenchCli

PAGES = 500
SEED = 1
SPANISH = [
    "la",
    "gramática",
    "de",
    "los",
    "niños",
    "pequeños",
    "está",
    "libre",
    "en",
    "esta",
    "página",
    "según",
    "el",
    "señor",
    "autor",
]
ENGLISH = [
    "the",
    "grammar",
    "of",
    "small",
    "children",
    "is",
    "freely",
    "given",
    "on",
    "this",
    "page",
    "by",
    "the",
    "author",
    "himself",
]
TIMES = ("started", "finished", "fetched_at")


def page_of(words: list[str], chosen: random.Random) -> str:
    blocks = [" ".join(chosen.choices(words, k=12)) for _ in range(6)]
    items = "".join(f"<li>{word}</li>" for word in chosen.choices(words, k=4))
    paragraphs = "".join(f"<p>{block}.</p>" for block in blocks)
    return f"<html><body>{paragraphs}<ul>{items}</ul></body></html>"


def pages(folder: Path, count: int) -> Path:
    """Write pages in two languages, every third one in English."""
    chosen = random.Random(SEED)
    folder.mkdir()
    for number in range(count):
        words = SPANISH if number % 3 else ENGLISH
        (folder / f"{number:04}.html").write_text(page_of(words, chosen), encoding="utf-8")
    return folder


def recount(text: str) -> Counter[str]:
    """Count the words of a text in the plainest way."""
    parted = "".join(c if unicodedata.category(c)[0] in "LM" else " " for c in text.lower())
    return Counter(parted.split())


def table(corpus: Path, name: str) -> list[dict[str, Any]]:
    """Return the rows of a table, without times."""
    with closing(sqlite3.connect(corpus / "corpus.sqlite")) as db:
        db.row_factory = sqlite3.Row
        rows = db.execute(f"SELECT * FROM {name} ORDER BY 1")
        return [{k: row[k] for k in row.keys() if k not in TIMES} for row in rows]  # noqa: SIM118


def content(corpus: Path) -> list[Any]:
    """Return all that a corpus holds, times aside."""
    tables = [table(corpus, name) for name in ("urls", "words", "phrases", "runs")]
    return [*tables, (corpus / "corpus.txt").read_bytes()]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return pages(tmp_path_factory.mktemp("site") / "pages", PAGES)


def words_of_build(pages: Path, out: Path, *more: str) -> list[str]:
    words = ["corpus", "build", str(pages), "--extractor", "html_text", "--out", str(out), "-q"]
    return [*words, *more]


def test_counts_equal_a_plain_recount(bench_cli: BenchCli, site: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    done = bench_cli(*words_of_build(site, corpus, "--language", "es", "--jobs", "2"))
    assert done.returncode == 0, done.stderr
    text = (corpus / "corpus.txt").read_text(encoding="utf-8")
    counts = recount(text)
    assert {row["word"]: row["frequency"] for row in table(corpus, "words")} == counts
    assert set(counts) == set(SPANISH)
    urls = table(corpus, "urls")
    assert sum(row["words"] or 0 for row in urls) == counts.total()
    spanish = PAGES - -(-PAGES // 3)
    states = Counter((row["state"], row["reason"]) for row in urls)
    assert states == {("done", None): spanish, ("skipped", "language"): PAGES - spanish}
    assert [row["url"] for row in urls] == sorted(path.name for path in site.iterdir())
    phrases = table(corpus, "phrases")
    assert len(phrases) == spanish * (6 + 4)
    assert recount("\n".join(row["text"] for row in phrases)) == counts
    again = bench_cli(*words_of_build(site, corpus, "--language", "es"))
    assert again.returncode == 0
    assert (corpus / "corpus.txt").read_text(encoding="utf-8") == text

    shown = bench_cli("corpus", "words", corpus, "--containing", "gramatica", "--json")
    (listed,) = json.loads(shown.stdout)["listed"]
    assert (listed["word"], listed["frequency"]) == ("gramática", counts["gramática"])
    top = json.loads(bench_cli("corpus", "words", corpus, "--top", "3", "--json").stdout)["listed"]
    assert [one["frequency"] for one in top] == [count for _, count in counts.most_common(3)]
    rare = bench_cli("corpus", "words", corpus, "--min-share", "0.99", "--json")
    assert json.loads(rare.stdout)["matches"] == 0
    stats = json.loads(bench_cli("corpus", "stats", corpus, "--json").stdout)
    assert (stats["words"], stats["distinct_words"]) == (counts.total(), len(counts))
    assert stats["documents"]["language"] == {"es": spanish, "en": PAGES - spanish}
    most = json.loads(bench_cli("corpus", "phrases", corpus, "--top", "1", "--json").stdout)
    assert most[0]["frequency"] == max(Counter(row["text"] for row in phrases).values())


def killed_builds(site: Path, out: Path, kills: int, home: Path) -> None:
    """Build a corpus, killed at random moments of about the time that it takes."""
    chosen = random.Random(SEED)
    command, env = words_of_build(site, out, "--jobs", "2"), commands.environment(home)
    while True:
        build = commands.start(command, env=env, cwd=site, stdout=subprocess.DEVNULL)
        if kills == 0:
            _, errors = build.communicate(timeout=120)
            assert build.returncode == 0, errors
            return
        until = time.monotonic() + chosen.uniform(0.7, 3)
        while build.poll() is None and time.monotonic() < until:
            time.sleep(0.01)
        build.send_signal(signal.SIGKILL)
        build.communicate()
        kills -= 1


@pytest.mark.parametrize(
    ("documents", "kills"), [(130, 3), pytest.param(PAGES, 20, marks=pytest.mark.slow)]
)
def test_killed_at_any_moment_it_goes_on(
    bench_cli: BenchCli, tmp_path: Path, bench_home: Path, documents: int, kills: int
) -> None:
    site = pages(tmp_path / "pages", documents)
    assert bench_cli(*words_of_build(site, tmp_path / "whole")).returncode == 0
    killed_builds(site, tmp_path / "killed", kills, bench_home)
    assert content(tmp_path / "killed") == content(tmp_path / "whole")


def test_what_a_killed_writer_left_is_cut_off(bench_cli: BenchCli, tmp_path: Path) -> None:
    site, corpus = pages(tmp_path / "pages", 3), tmp_path / "corpus"
    assert bench_cli(*words_of_build(site, corpus)).returncode == 0
    before = content(corpus)
    with (corpus / "corpus.txt").open("a") as text:
        text.write("begun and not")
    assert bench_cli(*words_of_build(site, corpus)).returncode == 0
    assert content(corpus) == before
    (corpus / "corpus.txt").write_text("")
    done = bench_cli(*words_of_build(site, corpus))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "shorter than its database says" in done.stderr


def test_new_pages_are_added(bench_cli: BenchCli, tmp_path: Path) -> None:
    site, corpus = pages(tmp_path / "pages", 2), tmp_path / "corpus"
    assert bench_cli(*words_of_build(site, corpus)).returncode == 0
    (site / "zz.html").write_text("<p>nueva</p>")
    assert bench_cli(*words_of_build(site, corpus)).returncode == 0
    assert [row["url"] for row in table(corpus, "urls")] == ["0000.html", "0001.html", "zz.html"]
    assert len(table(corpus, "runs")) == 2
    *_, last = sorted((corpus / "runs").iterdir())
    # What was extracted before is not extracted again.
    assert (RunFolder(last).cells()["carried_from"] != "").sum() == 2
    assert (corpus / "corpus.txt").read_text(encoding="utf-8").endswith("\n\nnueva\n\n")


GLUING = """
import re
from bench.extractor import Extractor

class Gluing(Extractor):
    \"\"\"Takes tags away.\"\"\"

    name = "gluing"

    def extract(self, html, url):
        return re.sub("<[^>]*>", "", html)
"""

# -- other media ---------------------------------------------------------------------------------


def pdf_of(text: str, *, password: str = "") -> bytes:
    """Return a PDF with a page of text, or without any."""
    writer = pypdf.PdfWriter()
    page = writer.add_blank_page(200, 200)
    if text:
        kinds = {"/Type": "/Font", "/Subtype": "/Type1", "/BaseFont": "/Helvetica"}
        font = DictionaryObject({NameObject(k): NameObject(v) for k, v in kinds.items()})
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf 10 100 Td ({text}) Tj ET".encode("latin-1"))
        page[NameObject("/Contents")] = writer._add_object(stream)
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    output = io.BytesIO()
    writer.write(output)
    return output.getvalue()


def docx_of(*paragraphs: str) -> bytes:
    document = docx.Document()
    for paragraph in paragraphs:
        document.add_paragraph(paragraph)
    document.add_table(1, 2).rows[0].cells[1].text = "celda"
    output = io.BytesIO()
    document.save(output)
    return output.getvalue()


def bomb() -> bytes:
    output = io.BytesIO()
    with (
        zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("word/document.xml", "w") as member,
    ):
        for _ in range((UNPACKED_BYTES >> 20) + 1):
            member.write(bytes(1 << 20))
    return output.getvalue()


@pytest.fixture(scope="module")
def media(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("media") / "pages"
    folder.mkdir()
    files = {
        "a.html": b"<ul><li>libre</li><li>infraestructuras</li></ul>",
        "b.txt": "año texto".encode("latin-1"),
        "c.pdf": pdf_of("hola mundo"),
        "d.docx": docx_of("primero", "segundo"),
        "e-locked.pdf": pdf_of("secreto", password="geheim"),
        "f-scan.pdf": pdf_of(""),
        "g-bomb.docx": bomb(),
        "h.png": b"\x89PNG",
        "i-broken.pdf": b"%PDF-1.4",
        "a.txt": b"gold of a",
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


@pytest.fixture
def of_media(bench_cli: BenchCli, media: Path, tmp_path: Path) -> Path:
    done = bench_cli(*words_of_build(media, tmp_path / "corpus"))
    assert done.returncode == 0, done.stderr
    return tmp_path / "corpus"


def test_each_type_has_its_component(of_media: Path) -> None:
    rows = {row["url"]: row for row in table(of_media, "urls")}
    done = {url: row["component"] for url, row in rows.items() if row["state"] == "done"}
    assert done == {"a.html": "html_text", "b.txt": "plain_text", "c.pdf": "pdf", "d.docx": "docx"}
    reasons = {url: f"{r['state']} {r['reason']}" for url, r in rows.items() if url not in done}
    assert reasons == {
        "e-locked.pdf": "failed error: ValueError: encrypted: it opens with a password only",
        "f-scan.pdf": "skipped empty",
        "g-bomb.docx": f"failed error: ValueError: too large: {(UNPACKED_BYTES >> 20) + 1} MiB unpacked",
        "h.png": "skipped type",
        "i-broken.pdf": reasons["i-broken.pdf"],
    }
    assert reasons["i-broken.pdf"].startswith("failed error: ")
    counts = recount((of_media / "corpus.txt").read_text(encoding="utf-8"))
    wanted = "libre infraestructuras año texto hola mundo primero segundo celda"
    assert counts == Counter(wanted.split())


COMPONENT = """
from bench.corpus.media.base import Media

class Csv(Media):
    \"\"\"Reads cells.\"\"\"

    name = "csv"
    mime = ("text/csv",)
    suffixes = (".csv",)

    def text(self, data, charset, url):
        return data.decode(charset or "ascii").replace(";", "\\n")
"""


def test_a_component_is_one_file(
    bench_cli: BenchCli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "media").mkdir()
    (tmp_path / "media" / "csv_cells.py").write_text(COMPONENT)
    monkeypatch.setattr(media_components, "__path__", [str(tmp_path / "media")])
    for cached in (components.by_label, components.types, components.by_suffix):
        monkeypatch.setattr(components, cached.__name__, cache(cached.__wrapped__))
    site, corpus = tmp_path / "pages", tmp_path / "corpus"
    site.mkdir()
    (site / "a.csv").write_bytes("año;mes".encode("latin-1"))
    (site / "b.pdf").write_bytes(b"%PDF")
    (site / "pages.jsonl").write_text(
        '{"id": "a", "url": "http://a.example/", "encoding": "latin-1"}'
    )
    done = bench_cli(*words_of_build(site, corpus))
    assert done.returncode == 0, done.stderr
    rows = [
        (row["url"], row["state"], row["component"], row["charset"])
        for row in table(corpus, "urls")
    ]
    assert rows == [
        ("b.pdf", "skipped", None, None),
        ("http://a.example/", "done", "csv", "latin-1"),
    ]
    assert (corpus / "corpus.txt").read_text(encoding="utf-8") == "año\nmes\n\n"


def test_a_collection_says_where_its_pages_are_from(bench_cli: BenchCli, tmp_path: Path) -> None:
    folder, corpus = tmp_path / "collected", tmp_path / "corpus"
    folder.mkdir()
    answers = {
        "http://x.example/": ("text/html; charset=iso-8859-1", "<p>año".encode("latin-1")),
        "http://x.example/b.pdf": ("application/pdf", pdf_of("hola mundo")),
        "http://x.example/c.png": ("image/png", b"PNG"),
    }
    with (folder / "pages.warc").open("wb") as file:
        writer = WARCWriter(file)
        for url, (mime, body) in answers.items():
            headers = StatusAndHeaders("200 OK", [("Content-Type", mime)], protocol="HTTP/1.1")
            record = writer.create_warc_record(
                url, "response", payload=io.BytesIO(body), http_headers=headers
            )
            writer.write_record(record)
    with closing(sqlite3.connect(folder / "urls.sqlite")) as db:
        db.execute("CREATE TABLE urls (id, url, parent_id, depth, status, fetched_at)")
        for number, url in enumerate(answers):
            row = [number, url, 0 if number else None, min(number, 1), 200, "2026-01-01"]
            db.execute("INSERT INTO urls VALUES (?, ?, ?, ?, ?, ?)", row)
        db.commit()
    assert bench_cli(*words_of_build(folder, corpus)).returncode == 0
    png, page, pdf = table(corpus, "urls")
    assert (png["url"], png["reason"]) == ("http://x.example/c.png", "type")
    assert (page["url"], page["depth"], page["parent_id"]) == ("http://x.example/", 0, None)
    assert (pdf["depth"], pdf["parent_id"], pdf["status"]) == (1, page["id"], 200)
    assert recount((corpus / "corpus.txt").read_text("utf-8")).keys() == {"año", "hola", "mundo"}


def test_coherent_texts_are_documents_of_their_own(bench_cli: BenchCli, tmp_path: Path) -> None:
    site, corpus = tmp_path / "pages", tmp_path / "corpus"
    site.mkdir()
    links = "".join(f"<li><a href='/{n}'>menu {n}</a></li>" for n in "abc")
    text = "<p>one coherent text • with words</p>" * 9
    (site / "a.html").write_text(f"<body><ul>{links}</ul><div>{text}</div>")
    words = ["corpus", "build", site, "--extractor", "coherent:links", "--out", corpus, "-q"]
    done = bench_cli(*words, "--filters", "symbols")
    assert done.returncode == 0, done.stderr
    rows = table(corpus, "urls")
    assert [row["url"] for row in rows] == ["a.html", *(f"a.html#text-{n}" for n in range(1, 5))]
    assert {row["parent_id"] for row in rows[1:]} == {1}
    assert [row["words"] for row in rows] == [None, 2, 2, 2, 45]
    assert "•" not in (corpus / "corpus.txt").read_text(encoding="utf-8")


def test_extractors_are_compared_by_their_noise(bench_cli: BenchCli, tmp_path: Path) -> None:
    site = pages(tmp_path / "pages", 30)
    (tmp_path / "gluing.py").write_text(GLUING)
    words = ("corpus", "compare", site, "--adapter", tmp_path / "gluing.py", "-q")
    words += ("--extractors", "html_text,xpath,gluing")
    done = bench_cli(*words, "--json")
    assert done.returncode == 0, done.stderr
    by_label = {line["label"]: line for line in json.loads(done.stdout)["lines"]}
    assert by_label["html_text"]["noise"] == by_label["xpath"]["noise"] == 0
    assert by_label["gluing"]["tokens"]["glued"] > 0
    assert by_label["gluing"]["types"]["glued"] > by_label["gluing"]["tokens"]["glued"]
    assert {line["f1"] for line in by_label.values()} == {None}
    for page in site.glob("*.html"):
        text = re.sub("<[^>]*>", "\n", page.read_text("utf-8"))
        page.with_suffix(".txt").write_text(text, "utf-8")
    compared = json.loads(bench_cli(*words, "--json").stdout)
    assert all(line["f1"] > 0 for line in compared["lines"])
    assert compared["spearman"] == pytest.approx(-1)
    assert compared["lo"] <= compared["hi"] < 0
    assert "Spearman" in bench_cli(*words).stdout


def test_growth_is_shown_and_drawn(bench_cli: BenchCli, tmp_path: Path) -> None:
    site, corpus = pages(tmp_path / "pages", 4), tmp_path / "corpus"
    assert bench_cli(*words_of_build(site, corpus)).returncode == 0
    done = bench_cli("corpus", "growth", corpus, "--at", "1,3", "--out", tmp_path, "--json")
    assert [size["texts"] for size in json.loads(done.stdout)] == [1, 3, 4]
    assert {path.name for path in tmp_path.glob("growth.*")} == {"growth.png", "growth.svg"}
    refused(bench_cli("corpus", "growth", corpus, "--at", "9"), "has 4 texts")


# -- bad input -----------------------------------------------------------------------------------


def refused(done: commands.Done, *parts: str) -> None:
    """Expect one line that names these parts."""
    assert done.returncode in (1, 2)
    assert done.stderr.count("\n") == 1
    for part in parts:
        assert part in done.stderr


def test_bad_input_is_one_line(bench_cli: BenchCli, tmp_path: Path) -> None:
    site, corpus = pages(tmp_path / "pages", 1), tmp_path / "corpus"
    refused(bench_cli("corpus", "words", tmp_path), "holds no corpus")
    refused(bench_cli(*words_of_build(site, corpus, "--filters", "cleen")), "cleen", "symbols")
    (tmp_path / "empty").mkdir()
    refused(bench_cli(*words_of_build(tmp_path / "empty", corpus)), "no document")
    refused(bench_cli("corpus", "build", site, "--extractor", "pdf", "--out", corpus), "'pdf'")
    assert bench_cli(*words_of_build(site, corpus)).returncode == 0
    refused(bench_cli(*words_of_build(site, corpus, "--language", "es")), "other settings", "--out")
    with closing(sqlite3.connect(corpus / "corpus.sqlite")) as db:
        db.execute("PRAGMA user_version=0")
    before = (corpus / "corpus.sqlite").read_bytes()
    refused(bench_cli(*words_of_build(site, corpus)), "has schema 0, this bench reads 1")
    refused(bench_cli("corpus", "stats", corpus), "has schema 0")
    assert (corpus / "corpus.sqlite").read_bytes() == before
    (corpus / "corpus.sqlite").write_bytes(b"no database at all" * 99)
    refused(bench_cli(*words_of_build(site, corpus)), "cannot be used", "not a database")


def test_two_builds_at_once(bench_cli: BenchCli, tmp_path: Path) -> None:
    from bench.corpus.store import alone

    site, corpus = pages(tmp_path / "pages", 1), tmp_path / "corpus"
    with alone(corpus):
        refused(bench_cli(*words_of_build(site, corpus)), "built by another process")
    assert bench_cli(*words_of_build(site, corpus)).returncode == 0
