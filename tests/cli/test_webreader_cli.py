"""``bench webreader`` and the extractor of that name, through the real command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lxml import etree

from bench.methods.webreader import specification
from tests.conftest import ROOT, BenchCli
from tests.unit.test_webreader_reading import NEWSPAPERS, PAGES
from tests.unit.test_webreader_specification import BOMB

FARO = "http://faro.example/09N0001.html"
MOLINO = "http://molino.example/n1"
DAY = ("--date", "2001-09-09")


@pytest.fixture
def sites(tmp_path: Path) -> Path:
    path = tmp_path / "sites.xml"
    path.write_text(NEWSPAPERS, encoding="utf-8")
    return path


@pytest.fixture
def pages(tmp_path: Path) -> dict[str, Path]:
    found = {}
    for number, (url, html) in enumerate(PAGES.items()):
        found[url] = tmp_path / f"{number}.html"
        found[url].write_text(html, encoding="utf-8")
    return found


def test_check_says_what_is_there_and_which_rule_is_for_an_address(
    bench_cli: BenchCli, sites: Path
) -> None:
    done = bench_cli("webreader", "check", sites, "--url", FARO, *DAY)
    assert done.returncode == 0, done.stderr
    assert "3 sites, 5 URLs, no error" in done.stdout
    assert "site El Faro, link noticias, line 12" in done.stdout
    none = bench_cli("webreader", "check", sites, "--url", "http://x.example/", "--json")
    assert none.returncode == 1
    assert json.loads(none.stdout)["rules"] == {"http://x.example/": None}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (BOMB, "sites.xml, line 2: a document type with declarations"),
        (NEWSPAPERS.replace("$DD$N0", "$DIA$N0"), "sites.xml, line 12: there is no macro $DIA$"),
        (NEWSPAPERS.replace("<URL", "<URI", 1), "sites.xml, line 9: Element 'URI'"),
    ],
)
def test_a_mistake_is_one_line(bench_cli: BenchCli, sites: Path, text: str, said: str) -> None:
    sites.write_text(text, encoding="utf-8")
    done = bench_cli("webreader", "check", sites)
    assert done.returncode == 1
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_apply_prints_text_xml_and_json(
    bench_cli: BenchCli, sites: Path, pages: dict[str, Path]
) -> None:
    both = ("apply", sites, pages[FARO], pages[MOLINO], "--url", FARO, "--url", MOLINO, *DAY)
    text = bench_cli("webreader", *both)
    assert text.returncode == 0, text.stderr
    assert text.stdout.startswith(".TITULO\nLa isla\n\n.CUERPO\nPrimero.\nSegundo ya.\n\n.FUENTE")
    xml = bench_cli("webreader", *both, "--format", "xml")
    root = etree.fromstring(xml.stdout.encode())
    assert [d.findtext("CUERPO") for d in root] == ["Primero.\nSegundo ya.", "Sopla."]
    first, second = json.loads(bench_cli("webreader", *both, "--json").stdout)
    assert first["main_text"] == "Primero.\nSegundo ya."
    assert [s["name"] for s in second["sections"]] == ["FUENTE", "AUTOR", "TITULO", "CUERPO"]


def test_a_page_without_url_has_its_files(bench_cli: BenchCli, tmp_path: Path) -> None:
    page = tmp_path / "09N0001.html"
    page.write_text("<h1>Hola</h1>", encoding="utf-8")
    rules = tmp_path / "s.xml"
    rules.write_text(
        "<webreader><format><translate><tag_in>h1</tag_in><tag_out>T</tag_out></translate></format>"
        '<site name="a"><link><URL pattern="/$DD$N0"/></link></site></webreader>'
    )
    assert bench_cli("webreader", "apply", rules, page, *DAY).stdout == ".T\nHola\n\n"
    other = bench_cli("webreader", "apply", rules, page, "--date", "2001-09-10")
    assert other.returncode == 1
    assert "no rule for file://" in other.stderr
    assert bench_cli("webreader", "apply", rules, page, "--date", "any").returncode == 0


def test_documents_go_to_their_targets(
    bench_cli: BenchCli, sites: Path, pages: dict[str, Path], tmp_path: Path
) -> None:
    words = (
        "webreader",
        "apply",
        sites,
        pages[FARO],
        "--url",
        FARO,
        *DAY,
        "--out",
        tmp_path / "out",
    )
    for _ in range(2):
        done = bench_cli(*words)
        assert done.returncode == 0, done.stderr
    text = ".TITULO\nLa isla\n\n.CUERPO\nPrimero.\nSegundo ya.\n\n"
    written = tmp_path / "out" / "faro-20010909.txt"
    assert written.read_text(encoding="utf-8") == text + text
    assert bench_cli(*words, "--format", "xml").returncode == 2, "XML cannot be appended to"
    sites.write_text(NEWSPAPERS.replace(' append="yes"', ""), encoding="utf-8")
    assert bench_cli(*words).returncode == 0
    assert written.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("target", ["../x.txt", "/tmp/../../x.txt", "a/../../x.txt", ".."])
def test_a_target_outside_the_folder_is_refused(
    bench_cli: BenchCli, sites: Path, pages: dict[str, Path], tmp_path: Path, target: str
) -> None:
    sites.write_text(NEWSPAPERS.replace("faro-$YYYY$$MM$$DD$.txt", target), encoding="utf-8")
    before = set(tmp_path.rglob("*"))
    done = bench_cli(
        "webreader", "apply", sites, pages[FARO], "--url", FARO, *DAY, "--out", tmp_path / "o"
    )
    assert done.returncode == 1
    assert "no path below the folder" in done.stderr
    assert set(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--url", FARO, "--url", MOLINO), "--url is given 2 times for 1 pages"),
        (("--date", "yesterday"), "--date: 'yesterday' is no day"),
    ],
)
def test_wrong_words(
    bench_cli: BenchCli, sites: Path, pages: dict[str, Path], words: tuple[str, ...], said: str
) -> None:
    done = bench_cli("webreader", "apply", sites, pages[FARO], *words)
    assert done.returncode == 2
    assert said in done.stderr


def test_the_extractor_runs_where_rules_exist(bench_cli: BenchCli) -> None:
    listed = json.loads(bench_cli("list", "webreader", "--json").stdout)
    assert listed[0]["description"].startswith("Site-specific")
    assert listed[0]["version"]
    done = bench_cli("run", "webreader", "--json", "--quiet")
    (row,) = [r for r in json.loads(done.stdout)["extractors"] if r["name"] == "webreader"]
    assert row["precision"]["value"] == 1
    assert row["outcomes"]["empty"] == 2, "the log-in form, and the text in a script"


def test_rules_of_ones_own_in_a_copied_adapter(
    bench_cli: BenchCli, tmp_path: Path, sites: Path
) -> None:
    adapter = (ROOT / "extractors" / "webreader.py").read_text(encoding="utf-8")
    adapter = adapter.replace('name = "webreader"', 'name = "newspapers"')
    adapter = adapter.replace('"rules": "starter"', f'"rules": "{sites}"')
    (tmp_path / "newspapers.py").write_text(adapter, encoding="utf-8")
    gold = tmp_path / "gold"
    gold.mkdir()
    (gold / "one.html").write_text(PAGES[FARO], encoding="utf-8")
    (gold / "one.txt").write_text("Primero. Segundo ya.", encoding="utf-8")
    done = bench_cli(
        "run", "newspapers", "--adapter", tmp_path / "newspapers.py", "--gold", f"folder:{gold}",
        "--json", "--quiet",
    )  # fmt: skip
    (row,) = [r for r in json.loads(done.stdout)["extractors"] if r["name"] == "newspapers"]
    assert row["outcomes"]["empty"] == 1, "a folder's pages have no address: no rule is for them"


def test_the_shipped_specification_is_without_error() -> None:
    assert len(specification.read_file(specification.shipped("starter")).urls) == 60
