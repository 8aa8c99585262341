"""``bench collect`` against a site on loopback: what becomes of each address, and what is kept."""

from __future__ import annotations

import gzip
import json
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil
import pytest
from warcio.archiveiterator import ArchiveIterator

from tests import commands, web
from tests.conftest import BenchCli
from tests.web import Answer, page, served


def rows_of(out: Path) -> dict[str, dict[str, Any]]:
    """Return what is known of each address."""
    with sqlite3.connect(out / "urls.sqlite") as db:
        db.row_factory = sqlite3.Row
        return {row["url"]: dict(row) for row in db.execute("SELECT * FROM urls ORDER BY id")}


def states_of(out: Path, root: str) -> dict[str, str]:
    """Return state and reason of each address, those of the site by their paths."""
    return {
        url.replace(root, "/"): row["state"] + (f" {row['reason']}" if row["reason"] else "")
        for url, row in rows_of(out).items()
    }


def records_of(path: Path) -> list[tuple[str, str, bytes]]:
    """Return type (for a response its status), address and raw content of each record."""
    with path.open("rb") as file:
        return [
            (
                r.http_headers.get_statuscode() if r.rec_type == "response" else r.rec_type,
                r.rec_headers.get_header("WARC-Target-URI") or "",
                r.raw_stream.read(),
            )
            for r in ArchiveIterator(file)
        ]


AT_DEPTH_2 = {
    **dict.fromkeys(
        (
            "/", "/a", "/b", "/shaky", "/twin-1", "/base", "/gzip", "/brotli", "/charset/header",
            "/charset/meta", "/charset/bom", "/charset/wrong", "/calendar", "/script", "/c", "/many",
            "/based/below", "/from-gzip", "/from-brotli", "/chain-3",
            *(f"/calendar/2026/{i}" for i in (1, 10, 11, 12, 13)),
        ),
        "done",
    ),
    **dict.fromkeys(("/chain-1", "/chain-2", "/loop-1", "/loop-2", "/away"), "skipped redirect"),
    **dict.fromkeys(
        ("http://outside.example/", "http://sub.localhost/", "http://10.0.0.1/secret"),
        "skipped off-site",
    ),
    **dict.fromkeys(("/paper.pdf", "/letter.docx", "/odd.bin", "/untyped"), "skipped type"),
    **dict.fromkeys(("/missing", "/gone?a=1&b=2"), "failed status"),
    **dict.fromkeys(
        ("/deep", "/calendar/2027/1", *(f"/item/{i}" for i in range(10_000))), "skipped depth"
    ),
    **{
        f"/calendar/2026/{i}": "skipped pattern-limit"
        for i in (2, 3, 4, 5, 6, 7, 8, 9, 14, 15, 16, 17, 18, 19, 20)
    },
    "/forbidden/x": "skipped robots",
    "/twin-2": "skipped duplicate",
}  # fmt: skip


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, web.Server]:
    """Return the collection of the odd site to depth 2, and the site that is no more."""
    here = tmp_path_factory.mktemp("collected")
    with served(web.odd_site) as site:
        words = ("collect", site.url, "--depth", "2", "--per-pattern", "5", "--out", "o", "-q")
        done = commands.call(words, cwd=here, env=commands.environment(here / "home"))
    assert done.returncode == 0, done.stderr
    return here / "o", site


def test_every_address_has_its_state(collected: tuple[Path, web.Server]) -> None:
    out, site = collected
    assert states_of(out, site.url) == AT_DEPTH_2
    assert (out / "collect.log").read_text() == ""


def test_types_without_use_stop_before_their_body(collected: tuple[Path, web.Server]) -> None:
    out, site = collected
    rows = rows_of(out)
    assert rows[f"{site.url}paper.pdf"]["mime"] == "application/pdf"
    assert rows[f"{site.url}paper.pdf"]["bytes"] is None
    assert site.counts["/paper.pdf"] == 1
    assert site.counts["/forbidden/x"] == 0


def test_charsets_and_scripts_are_noted(collected: tuple[Path, web.Server]) -> None:
    out, site = collected
    rows = rows_of(out)
    charsets = [
        rows[f"{site.url}charset/{n}"]["charset"] for n in ("header", "meta", "bom", "wrong")
    ]
    assert charsets == ["iso-8859-1", None, None, "utf-8"]
    assert [u for u, row in rows.items() if row["needs_javascript"]] == [f"{site.url}script"]


def test_bodies_are_kept_as_they_came(collected: tuple[Path, web.Server]) -> None:
    out, site = collected
    records = records_of(out / "pages.warc.gz")
    (zipped,) = (body for kind, url, body in records if kind == "200" and url.endswith("/gzip"))
    assert b"Zipped" in gzip.decompress(zipped)
    (twin,) = (url for kind, url, _ in records if kind == "revisit")
    assert twin == f"{site.url}twin-2"
    done = sum(state == "done" for state in AT_DEPTH_2.values())
    kinds = [kind for kind, _, _ in records]
    counts = {"warcinfo": 1, "200": done, "302": 5, "404": 1, "410": 1, "revisit": 1}
    assert Counter(kinds) == {**counts, "request": done + 8}
    (where,) = (url for kind, url, body in records if kind == "404" and b"Not found" in body)
    assert where == f"{site.url}missing"


def test_the_agent_says_who_asks(collected: tuple[Path, web.Server]) -> None:
    (agent,) = collected[1].agents
    assert agent.startswith("extractor-bench/")


def test_status(collected: tuple[Path, web.Server], bench_cli: BenchCli) -> None:
    done = bench_cli("collect", "status", collected[0], "--json")
    facts = json.loads(done.stdout)
    assert facts["states"]["done"] == sum(state == "done" for state in AT_DEPTH_2.values())
    assert facts["reasons"]["failed"] == {"status": 2}
    assert facts["needs_javascript"] == 1


def test_the_same_command_again_asks_for_nothing(tmp_path: Path, bench_cli: BenchCli) -> None:
    with served(web.odd_site) as site:
        words = ("collect", site.url, "--depth", "1", "--out", tmp_path / "o", "-q")
        assert bench_cli(*words).returncode == 0
        before, size = len(site.asked), (tmp_path / "o" / "pages.warc.gz").stat().st_size
        assert bench_cli(*words).returncode == 0
        assert len(site.asked) == before
        assert (tmp_path / "o" / "pages.warc.gz").stat().st_size == size
        other = bench_cli("collect", site.url, "--depth", "2", "--out", tmp_path / "o", "-q")
    assert other.returncode == 2
    assert "was begun with depth 1, not 2; choose another --out" in other.stderr


def test_other_types_when_asked_for(tmp_path: Path, bench_cli: BenchCli) -> None:
    with served(web.odd_site) as site:
        words = ("--depth", "1", "--types", "pdf,docx,html", "--as", "folder", "-q")
        done = bench_cli("collect", site.url, *words, "--out", tmp_path / "o")
    assert done.returncode == 0
    facts = [json.loads(line) for line in (tmp_path / "o" / "pages.jsonl").open()]
    suffixes = {
        fact["url"].removeprefix(site.url): suffix
        for fact in facts
        for suffix in (".html", ".pdf", ".docx")
        if (tmp_path / "o" / (fact["id"] + suffix)).is_file()
    }
    assert (suffixes["paper.pdf"], suffixes["letter.docx"], suffixes["gzip"]) == (
        ".pdf", ".docx", ".html",
    )  # fmt: skip


def test_pages_that_are_not_kept_are_read_for_their_links(
    tmp_path: Path, bench_cli: BenchCli
) -> None:
    with served(web.odd_site) as site:
        words = (
            "collect",
            site.url,
            "--depth",
            "1",
            "--types",
            "pdf",
            "--out",
            tmp_path / "o",
            "-q",
        )
        assert bench_cli(*words).returncode == 0
    states = states_of(tmp_path / "o", site.url)
    assert [url for url, state in states.items() if state == "done"] == ["/paper.pdf"]
    assert states["/"] == states["/a"] == "skipped type"


# -- manners ----------------------------------------------------------------------------------


@pytest.mark.parametrize("delay", [(), ("--delay", "0.05")])
def test_a_crawl_delay_is_kept_to(
    tmp_path: Path, bench_cli: BenchCli, delay: tuple[str, ...]
) -> None:
    def answers(path: str, _: int) -> Answer | None:
        if path == "/robots.txt":
            return Answer(b"User-agent: *\nCrawl-delay: 0.4\n", "text/plain")
        return Answer(page("/1", "/2", "/3", text=path))

    with served(answers) as site:
        done = bench_cli("collect", site.url, *delay, "--out", tmp_path / "o", "-q")
    assert done.returncode == 0
    assert (tmp_path / "o" / "collect.log").read_text() == ""
    times = [when for when, _ in site.asked]
    assert len(times) == 5
    assert min(b - a for a, b in pairwise(times[1:])) > 0.35
    assert site.most_at_once == 1


def test_too_long_a_crawl_delay_is_not_waited_for(tmp_path: Path, bench_cli: BenchCli) -> None:
    robots = Answer(b"User-agent: *\nCrawl-delay: 86400\n", "text/plain")
    with served(lambda path, _: robots if path == "/robots.txt" else Answer(page())) as site:
        assert bench_cli("collect", site.url, "--out", tmp_path / "o", "-q").returncode == 1
    assert states_of(tmp_path / "o", site.url) == {"/": "skipped crawl-delay"}


def test_one_request_a_second(tmp_path: Path, bench_cli: BenchCli) -> None:
    with served(lambda path, _: Answer(page("/1", "/2", text=path))) as site:
        words = (
            "collect",
            site.url,
            "--delay",
            "1",
            "--max-pages",
            "2",
            "--out",
            tmp_path / "o",
            "-q",
        )
        assert bench_cli(*words).returncode == 0
    times = [when for when, _ in site.asked]
    assert [round(b - a) for a, b in pairwise(times)] == [1, 1]


def test_robots_out_of_reach_forbid(tmp_path: Path, bench_cli: BenchCli) -> None:
    with served(
        lambda path, _: Answer(page(), status=503 if path == "/robots.txt" else 200)
    ) as site:
        assert bench_cli("collect", site.url, "--out", tmp_path / "o", "-q").returncode == 1
    assert states_of(tmp_path / "o", site.url) == {"/": "skipped robots"}


def test_a_server_that_asks_for_time_gets_it(tmp_path: Path, bench_cli: BenchCli) -> None:
    def answers(path: str, number: int) -> Answer | None:
        if path == "/never":
            return Answer(status=429, headers={"Retry-After": "86400"})
        if path == "/busy" and number == 1:
            return Answer(status=503, headers={"Retry-After": "1"})
        return None if path == "/robots.txt" else Answer(page("/busy", "/never", text=path))

    with served(answers) as site:
        assert bench_cli("collect", site.url, "--out", tmp_path / "o", "-q").returncode == 0
    states = states_of(tmp_path / "o", site.url)
    assert states == {"/": "done", "/busy": "done", "/never": "failed retry-after"}
    first, second = (when for when, path in site.asked if path == "/busy")
    assert second - first >= 1.0


def test_private_addresses_are_refused(tmp_path: Path, bench_cli: BenchCli) -> None:
    with served(lambda _, __: Answer(page())) as site, served(web.odd_site) as typed:
        port = site.server_address[1]
        inside = [
            f"http://127.0.0.1:{port}/", site.url, f"http://2130706433:{port}/",
            f"http://0x7f.1:{port}/", f"http://[::ffff:127.0.0.1]:{port}/", f"http://0:{port}/",
        ]  # fmt: skip
        listed = tmp_path / "urls.txt"
        listed.write_text("\n".join(inside))
        words = ("--urls", listed, "--contact", "me@example.org", "-q")
        done = bench_cli("collect", *words, "--out", tmp_path / "o")
        root = typed.url.rstrip("/") + "/away"
        bench_cli("collect", root, "--out", tmp_path / "redirected", "-q")
    assert done.returncode == 1
    assert site.asked == []
    assert set(states_of(tmp_path / "o", site.url).values()) == {"skipped private-address"}
    assert rows_of(tmp_path / "redirected")["http://10.0.0.1/secret"]["reason"] == "private-address"


# -- limits -----------------------------------------------------------------------------------


BOMB = gzip.compress(b"\0" * (16 << 20))


def hostile_site(path: str, number: int) -> Answer | None:
    """Answer as a site that means us harm."""

    def endless(write: Any) -> None:
        write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        for _ in range(1 << 14):
            write(b"x" * (1 << 16))

    def drip(write: Any) -> None:
        write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(50):
            write(b"x")
            time.sleep(0.1)

    def heads(write: Any) -> None:
        write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n")
        for i in range(1 << 17):
            write(b"X-%d: %s\r\n" % (i, b"y" * 4000))

    def controls(write: Any) -> None:
        links = ("/%00/\x1b[31m", "/../../etc/passwd", "/\u202egpj", "http://[::1/")
        body = page(*links, text="Controls")
        write(
            b"HTTP/1.1 200 O\x1b[31mK\r\nContent-Type: text/html\r\nX-Bell: \x07a\x00b\rc\x1b[2J\xff\r\n"
        )
        write(b"No colon here\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    raw = {"/endless": endless, "/drip": drip, "/heads": heads, "/controls": controls}
    names = [
        *raw,
        "/large",
        "/bomb",
        "/cut",
        "/broken",
        "/nested",
        "/links",
        "/base",
        "/" + "a/" * 30,
        "/" + "x" * 5000,
    ]
    if path in raw:
        return Answer(raw=raw[path])
    answers = {
        "/": Answer(page(*names)),
        "/large": Answer(
            raw=lambda write: write(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1073741824\r\n\r\nx"
            )
        ),
        "/bomb": Answer(BOMB, headers={"Content-Encoding": "gzip"}),
        "/cut": Answer(
            raw=lambda write: write(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100\r\n\r\nshort"
            )
        ),
        "/broken": Answer(raw=lambda write: write(b"\x16\x03\x01 no HTTP at all")),
        "/links": Answer(b"".join(b"<a href=/l%d>" % n for n in range(50_000))),
        "/base": Answer(page("/l1", head="<base href='http://[::1/'>")),
        "/nested": Answer(b"<div>" * 50_000 + b"<a href=/deep>x</a>"),
    }
    return answers.get(path)


def test_hostile_answers_are_bounded_and_recorded(tmp_path: Path, bench_cli: BenchCli) -> None:
    before = set(tmp_path.parent.iterdir())
    with served(hostile_site) as site:
        words = (
            "--depth",
            "1",
            "--timeout",
            "2",
            "--jobs",
            "3",
            "--max-size",
            "1",
            "-q",
            "--out",
            tmp_path / "o",
        )
        done = bench_cli("collect", site.url, *words)
    assert done.returncode == 0, done.stderr
    states = states_of(tmp_path / "o", site.url)
    assert states.pop("/heads") in ("failed network", "failed timeout")
    links = {url: state for url, state in states.items() if state == "skipped depth"}
    assert {url: state for url, state in states.items() if url not in links} == {
        "/": "done",
        "/endless": "failed too-large",
        "/large": "failed too-large",
        "/bomb": "failed too-large",
        "/drip": "failed timeout",
        "/cut": "failed network",
        "/broken": "failed network",
        "/controls": "done",
        "/nested": "done",
        "/links": "done",
        "/base": "done",
    }
    assert 20_000 <= len(links) < 20_010
    assert (tmp_path / "o" / "collect.log").read_text() == ""
    assert all(url.isascii() and url.isprintable() for url in states)
    names = {path.name.partition("-")[0] for path in (tmp_path / "o").iterdir()}
    assert names == {"urls.sqlite", "pages.warc.gz", "collect.log", "collect.lock"}
    assert set(tmp_path.parent.iterdir()) == before
    (record,) = (
        r
        for r in records_of(tmp_path / "o" / "pages.warc.gz")
        if r[0] == "200" and "controls" in r[1]
    )
    assert b"Controls" in record[2]


def test_a_folder_has_a_limit(tmp_path: Path, bench_cli: BenchCli) -> None:
    words = "abcdefgh"
    with served(lambda path, _: Answer(page(*(f"/f/{word}" for word in words), text=path))) as site:
        limits = ("--per-folder", "3", "--contact", "me@example.org", "--out", tmp_path / "o", "-q")
        assert bench_cli("collect", site.url, *limits).returncode == 0
    states = states_of(tmp_path / "o", site.url)
    assert [states[f"/f/{word}"] for word in words] == ["done"] * 3 + ["skipped folder-limit"] * 5
    (agent,) = site.agents
    assert agent.endswith(" (+me@example.org)")


# -- interruptions ----------------------------------------------------------------------------


def wide_site(pages: int) -> web.Answers:
    """Return a site of so many pages and a root, with twins among them, behind some latency."""

    def answers(path: str, _: int) -> Answer | None:
        if path == "/robots.txt":
            return None
        number = int(path[1:] or 0)
        links = [f"/{n}" for n in range(number * 10 + 1, number * 10 + 11) if n <= pages]
        twin = number > pages * 0.9 and number % 2
        return Answer(
            page(*links, text=f"Twin {number // 7}" if twin else f"{number}"), wait_s=0.03
        )

    return answers


def collect_through_kills(site: web.Server, out: Path, home: Path, kills: int, seed: int) -> None:
    """Collect, killed so many times at random moments: the parent, or the child at work."""
    chance = random.Random(seed)
    words = (
        "collect",
        site.url,
        "--depth",
        "4",
        "--per-pattern",
        "9999",
        "--jobs",
        "4",
        "--out",
        out,
        "-q",
    )
    env = commands.environment(home)
    for kill in range(kills + 1):
        with commands.start(words, env=env, stdout=subprocess.DEVNULL) as process:
            if kill < kills:
                time.sleep(0.8 + chance.random() * 1.2)
                children = psutil.Process(process.pid).children()
                if kill % 2 and children:
                    children[0].kill()
                process.kill()
                psutil.wait_procs(children, timeout=10)
            else:
                assert process.wait(120) == 0, process.stderr and process.stderr.read()


def check_interrupted(tmp_path: Path, home: Path, pages: int, kills: int) -> None:
    """Check that a collection that was killed has what an undisturbed one has."""
    with served(wide_site(pages)) as site:
        collect_through_kills(site, tmp_path / "whole", home, 0, 0)
        collect_through_kills(site, tmp_path / "killed", home, kills, 1)
    states = [states_of(tmp_path / name, site.url) for name in ("whole", "killed")]
    assert len(states[0]) == pages + 1
    # Which of two twins is the original depends on which came first.
    done = [{url for url, s in each.items() if s == "done"} for each in states]
    hashes = [
        sorted(row["sha256"] for row in rows_of(tmp_path / name).values() if row["state"] == "done")
        for name in ("whole", "killed")
    ]
    assert hashes[0] == hashes[1]
    assert len(set(hashes[1])) == len(hashes[1]) == len(done[1])
    assert states[0].keys() == states[1].keys()
    records = records_of(tmp_path / "killed" / "pages.warc.gz")
    stored = [url for kind, url, _ in records if kind == "200"]
    assert sorted(stored) == sorted(site.url + url[1:] for url in done[1])
    checked = subprocess.run(
        [sys.executable, "-m", "warcio.cli", "check", tmp_path / "killed" / "pages.warc.gz"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (checked.returncode, checked.stdout) == (0, "")


def test_killed_and_resumed(tmp_path: Path, bench_home: Path) -> None:
    check_interrupted(tmp_path, bench_home, 100, 2)


@pytest.mark.slow
def test_killed_at_20_moments_and_resumed(tmp_path: Path, bench_home: Path) -> None:
    check_interrupted(tmp_path, bench_home, 1_000, 20)


def test_ctrl_c_stops_cleanly(tmp_path: Path, bench_home: Path) -> None:
    env = commands.environment(bench_home)
    with served(lambda path, _: Answer(page(f"{path}{len(path)}/"), wait_s=0.1)) as site:
        words = ("collect", site.url, "--depth", "99", "--out", tmp_path / "o", "-q")
        with commands.start(words, env=env, stdout=subprocess.DEVNULL) as process:
            while len(site.asked) < 5:
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            errors = process.communicate(timeout=20)[1]
    assert process.returncode == 130
    assert errors.strip() == "bench: stopped; the same command goes on"
    states = list(states_of(tmp_path / "o", site.url).values())
    assert states.count("queued") == 1


def test_one_at_a_time(tmp_path: Path, bench_home: Path, bench_cli: BenchCli) -> None:
    env = commands.environment(bench_home)
    with served(lambda path, _: Answer(page(f"{path}{len(path)}/"), wait_s=0.1)) as site:
        words = ("collect", site.url, "--depth", "99", "--out", tmp_path / "o", "-q")
        with commands.start(words, env=env, stdout=subprocess.DEVNULL) as process:
            while len(site.asked) < 3:
                time.sleep(0.05)
            second = bench_cli(*words)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=20)
    assert second.returncode == 1
    assert "is being collected into; wait, or end that one" in second.stderr


# -- WebReader's daily run --------------------------------------------------------------------

SITES = """<!DOCTYPE webreader SYSTEM "/nowhere/webreader.dtd">
<webreader>
  <site name="Diario" URL="{root}p/d/$YYYY$$MM$$DD$/internac/" process_links="true"
    process_content="false">
    <link name="internacional"><URL>internac</URL></link>
    <format><append>.PERIODICO EL DIARIO</append></format>
  </site>
  <format>
    <append>.FECHA $MM$-$DD$-$YYYY$</append>
    <translate><tag_in>h1</tag_in><tag_out>.TITULO</tag_out></translate>
    <translate><tag_in>p</tag_in><tag_out>.CUERPO</tag_out></translate>
  </format>
  <target append="true"><path>/home1/dofer</path><file>diario.txt</file></target>
</webreader>"""
FOLDER = "/p/d/20001208/internac/"


def newspaper(path: str, number: int) -> Answer | None:
    """Answer as a newspaper whose index has one page more the third time it is asked for."""
    if path == FOLDER:
        names = ["internac01.html", "internac02.html", "deportes.html", "http://x.example/internac"]
        names += ["./", "#internac", "internac01.html#again"]
        return Answer(page(*names, *(["internac03.html"] if number > 2 else [])))
    if path.startswith(FOLDER):
        name = path.removeprefix(FOLDER)
        return Answer(f"<h1>{name}</h1><p>De {name}</p><a href=internac99.html>".encode())
    return None


def titles_of(path: Path) -> list[str]:
    """Return the titles of the documents in a file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [title for heading, title in pairwise(lines) if heading == ".TITULO"]


class Diario:
    """A specification on its way through a day."""

    def __init__(self, here: Path, site: web.Server, bench_cli: BenchCli, rules: str) -> None:
        self.sites, self.out, self._bench_cli = here / "sites.xml", here / "o", bench_cli
        self.sites.write_text(rules.replace("{root}", site.url), encoding="utf-8")

    def collect(self) -> str:
        """Collect once, and return what is said in the end."""
        words = ("--date", "2000-12-08", "--out", self.out, "-q")
        done = self._bench_cli("webreader", "collect", self.sites, *words)
        assert done.returncode == 0, done.stderr
        return done.stderr.splitlines()[-1].removeprefix("bench: ")


def test_a_newspaper_day_by_day(tmp_path: Path, bench_cli: BenchCli) -> None:
    with served(newspaper) as site:
        diario = Diario(tmp_path, site, bench_cli, SITES)
        said = [diario.collect() for _ in range(3)]
    assert said == ["2 new documents", "0 new documents", "1 new document"]
    written = diario.out / "home1" / "dofer" / "diario.txt"
    assert written.read_text(encoding="utf-8") == "".join(
        f".FECHA\n12-08-2000\n\n.PERIODICO\nEL DIARIO\n\n.TITULO\n{name}\n\n.CUERPO\nDe {name}\n\n"
        for name in ("internac01.html", "internac02.html", "internac03.html")
    )
    assert site.counts[f"{FOLDER}internac01.html"] == 1
    assert site.counts[f"{FOLDER}deportes.html"] == site.counts[f"{FOLDER}internac99.html"] == 0


TWO_SITES = """<webreader>
  <site name="Uno" URL="{root}uno/" process_links="true" process_content="false">
    <link><URL>/n</URL><format><append>.SECCION Una</append></format></link>
    <format><append>.PERIODICO UNO</append></format>
  </site>
  <site name="Dos" URL="{root}dos/" process_links="true" process_content="false">
    <link><URL>/n</URL></link>
    <format><append>.PERIODICO DOS</append></format>
  </site>
  <format><append>.LINK $URL$</append></format>
  <target append="true"><file>a.txt</file></target>
</webreader>"""


def test_several_sites_in_one_file(tmp_path: Path, bench_cli: BenchCli) -> None:
    def answers(path: str, _: int) -> Answer | None:
        if path in ("/uno/", "/dos/"):
            return Answer(page(f"{path}n1", text=path))
        return Answer(page(text=path)) if path.endswith("n1") else None

    with served(answers) as site:
        diario = Diario(tmp_path, site, bench_cli, TWO_SITES)
        assert diario.collect() == "2 new documents"
    assert (diario.out / "a.txt").read_text() == (
        f".LINK\n{site.url}uno/n1\n\n.PERIODICO\nUNO\n\n.SECCION\nUna\n\n"
        f".LINK\n{site.url}dos/n1\n\n.PERIODICO\nDOS\n\n"
    )


def front_page(path: str, number: int) -> Answer | None:
    """Answer as a newspaper whose front page leads to sections, which lead to articles."""
    if path == "/":
        return Answer(page("/section/1", "/n0", "/about", text=f"Front {number > 2}"))
    if path == "/section/1":
        return Answer(page("/n1", "/section/2", *(["/n3"] if number > 1 else [])))
    if path == "/section/2":
        return Answer(page("/n2"))
    if path.startswith("/n"):
        return Answer(f"<h1>{path}</h1><a href=/n9>next</a>".encode())
    return None


SECTIONS = """<webreader>
  <target append="true"><file>{file}</file></target>
  <format><translate><tag_in>title</tag_in><tag_out>.TITULO</tag_out></translate>
    <translate><tag_in>h1</tag_in><tag_out>.TITULO</tag_out></translate></format>
  <site name="Diario" URL="{root}" process_links="true" process_content="{content}">
    <link><URL process_links="true" process_content="false">section</URL></link>
    <link><URL>/n</URL></link>
  </site>
</webreader>"""


def test_a_page_that_is_itself_an_index_is_followed(tmp_path: Path, bench_cli: BenchCli) -> None:
    rules = SECTIONS.replace("{content}", "false").replace("{file}", "a.txt")
    with served(front_page) as site:
        diario = Diario(tmp_path, site, bench_cli, rules)
        said = [diario.collect(), diario.collect()]
    assert said == ["2 new documents", "1 new document"]
    assert titles_of(diario.out / "a.txt") == ["/n0", "/n1", "/n3"]
    # To depth 1: the index of an index leads to pages, not to a third one's.
    states = states_of(diario.out / "pages", site.url)
    assert states["/section/1"] == states["/section/2"] == "skipped list"
    assert site.counts["/n2"] == site.counts["/n9"] == site.counts["/about"] == 0


def test_an_index_may_be_a_document_too(tmp_path: Path, bench_cli: BenchCli) -> None:
    rules = SECTIONS.replace("{content}", "true").replace("{file}", "a.txt")
    with served(front_page) as site:
        diario = Diario(tmp_path, site, bench_cli, rules)
        said = [diario.collect() for _ in range(4)]
    # The second time it is what it was, the third another page.
    assert said == [
        "3 new documents", "1 new document", "1 new document", "0 new documents",
    ]  # fmt: skip
    titles = ["Front False", "/n0", "/n1", "/n3", "Front True"]
    assert titles_of(diario.out / "a.txt") == titles


@pytest.mark.parametrize("moment", ["before", "after"])
def test_killed_while_a_document_is_written(
    tmp_path: Path, bench_cli: BenchCli, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with served(newspaper) as site:
        diario = Diario(tmp_path, site, bench_cli, SITES)
        with monkeypatch.context() as patch:
            if moment == "before":
                patch.setattr("bench.util.atomic.write_text", die)
            else:
                patch.setattr("bench.collect.urls.UrlTable._note_written", die)
            with pytest.raises(AssertionError):
                diario.collect()
        written = diario.out / "home1" / "dofer" / "diario.txt"
        assert written.exists() == (moment == "after")
        if written.exists():
            written.write_text(f"{written.read_text()}.TITULO\nOurs\n\n")
        said = diario.collect()
    assert said == f"{0 if moment == 'after' else 2} new documents"
    ours = ["Ours"] if moment == "after" else []
    assert titles_of(written) == ["internac01.html", "internac02.html", *ours]


def test_a_specification_without_an_index(tmp_path: Path, bench_cli: BenchCli) -> None:
    sites = tmp_path / "sites.xml"
    text = SITES.replace('process_links="true"', "").replace("URL=", "url=")
    sites.write_text(text, encoding="utf-8")
    done = bench_cli("webreader", "collect", sites, "--out", tmp_path / "o")
    assert done.returncode == 2
    assert "sites.xml: no site has an index" in done.stderr


# -- many at once -----------------------------------------------------------------------------


def test_speed_says_what_more_requests_gain(tmp_path: Path, bench_cli: BenchCli) -> None:
    def answers(path: str, _: int) -> Answer | None:
        number = None if path == "/robots.txt" else int(path[1:] or 0)
        if number is None:
            return None
        links = [f"/{n}" for n in range(number * 10 + 1, number * 10 + 11) if n < 30]
        return Answer(page(*links, text=f"Page {number} " * 100), wait_s=0.1)

    with served(answers) as site:
        words = ("collect", "speed", site.url, "--jobs", "1,20", "--out", tmp_path, "--json", "-q")
        done = bench_cli(*words)
    facts = json.loads(done.stdout)
    assert [one["pages"] for one in facts["runs"]] == [30, 30]
    assert facts["ratio"] > 1
    assert 5 < site.most_at_once <= 20
    lines = (tmp_path / "speed.csv").read_text().splitlines()
    assert lines[0] == "jobs,t,bytes,in_flight,done"
    assert {line.partition(",")[0] for line in lines[1:]} == {"1", "20"}
    assert {path.name for path in tmp_path.glob("speed.*")} == {
        "speed.csv",
        "speed.png",
        "speed.svg",
    }


def test_what_speed_has_measured_stays_when_it_ends_early(
    tmp_path: Path, bench_cli: BenchCli
) -> None:
    """The site is gone before the second number of requests."""

    def answers(path: str, number: int) -> Answer | None:
        return Answer(page(text="Once")) if path == "/" and number == 1 else None

    with served(answers) as site:
        done = bench_cli("collect", "speed", site.url, "--jobs", "1,2", "--out", tmp_path, "-q")
    assert done.returncode == 1
    assert "has no pages" in done.stderr
    jobs = [line.split(",")[0] for line in (tmp_path / "speed.csv").read_text().splitlines()]
    assert jobs[:2] == ["jobs", "1"]
    assert jobs[-1] == "2"


# -- subdomains -------------------------------------------------------------------------------

NAMES_ON_LOOPBACK = """
import socket
lookup = socket.getaddrinfo
def on_loopback(host, *rest, **more):
    return lookup("localhost" if str(host).endswith(".localhost") else host, *rest, **more)
socket.getaddrinfo = on_loopback
"""
"""Has names below localhost mean this machine, as RFC 6761 wants it and few resolvers do."""


@pytest.mark.parametrize(
    ("options", "below"),
    [([], "skipped off-site"), (["--subdomains"], "done")],
)
def test_hosts_below_the_roots_are_followed_when_asked_for(
    tmp_path: Path, bench_cli: BenchCli, options: list[str], below: str
) -> None:
    (tmp_path / "sitecustomize.py").write_text(NAMES_ON_LOOPBACK, encoding="utf-8")

    def answers(path: str, _: int) -> Answer | None:
        links = (f"http://sub.{site.netloc}/a", f"http://notlocalhost:{site.server_address[1]}/")
        answer = Answer(page(*links, text="Root"))
        return {"/": answer, "/a": Answer(page("/b", text="A")), "/b": Answer(page())}.get(path)

    with served(answers) as site:
        words = ("collect", site.url, "--out", tmp_path / "o", "--allow-private", "-q", *options)
        done = bench_cli(*words, env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    states = states_of(tmp_path / "o", f"http://sub.{site.netloc}/")
    assert states.pop("/a") == below
    assert states.pop("/b", "skipped off-site") == below
    assert sorted(states.values()) == ["done", "skipped off-site"]


# -- samples, lists ---------------------------------------------------------------------------


def mixed_site(path: str, _: int) -> Answer | None:
    """Answer as a site whose sitemap has 60 pages of one template, 6 and 3 of others."""
    if path == "/sitemap.xml":
        return Answer(
            b"<sitemapindex><sitemap><loc>/pages.xml</loc></sitemap></sitemapindex>", "text/xml"
        )
    if path == "/pages.xml":
        paths = (
            [f"news/{n}.html" for n in range(60)]
            + [f"shop/{n}/" for n in range(6)]
            + ["a", "b", "c"]
        )
        locations = "".join(f"<url><loc>/{name}</loc></url>" for name in paths)
        listed = f"<urlset>{locations}<url><loc>http://other.example/</loc></url></urlset>"
        return Answer(gzip.compress(listed.encode()), "application/gzip")
    return None if path == "/robots.txt" else Answer(page("/linked", text=path))


def test_a_sample_is_drawn_evenly_over_patterns(tmp_path: Path, bench_cli: BenchCli) -> None:
    drawn = []
    with served(mixed_site) as site:
        for name, seed in (("a", "1"), ("again", "1"), ("b", "2")):
            words = ("--sitemap", f"{site.url}sitemap.xml", "--sample", "12", "--seed", seed)
            done = bench_cli("collect", *words, "--out", tmp_path / name, "-q")
            assert done.returncode == 0, done.stderr
            states = states_of(tmp_path / name, site.url)
            drawn.append({url for url, state in states.items() if state == "done"})
    assert f"{site.netloc}/*: 3 of 3" in done.stdout
    assert "12 pages drawn in turn from 3 path patterns (seed 2)" in done.stdout
    assert sum(url.startswith("/news/") for url in drawn[0]) in (4, 5)
    assert drawn[0] == drawn[1] != drawn[2]
    assert states["http://other.example/"] == "skipped off-site"
    assert states["/sitemap.xml"] == states["/pages.xml"] == "skipped list"


def test_a_dry_run_asks_for_no_page(tmp_path: Path, bench_cli: BenchCli) -> None:
    with served(web.odd_site) as site:
        listed = tmp_path / "urls.txt"
        listed.write_text(f"# ours\n{site.url}a\n{site.url}forbidden/x\nftp://x.example/\n")
        done = bench_cli("collect", "--urls", listed, "--own-site", "--dry-run", "-q", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "3 skipped: 1 address, 1 dry-run, 1 robots" in done.stdout
    assert set(site.counts) == {"/robots.txt"}
    assert [path.name for path in tmp_path.iterdir() if path.suffix] == ["urls.txt"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["http://a.example/"], "--out is missing"),
        (["http://a.example/", "--urls", "u"], "give one or more URLs, or --urls FILE, or"),
        (["http://a.example/", "--out", "o", "--delay", "0.1"], "add --own-site if it is"),
        (["ftp://a.example/", "--out", "o"], "'ftp://a.example/' is no web address"),
        (
            ["http://a.example/", "--out", "o", "--types", "gif"],
            "'gif' is not one of html, pdf, docx",
        ),
        (["http://a.example/", "--out", "o", "--contact", "a\nb"], "is not plain ASCII"),
        (["--urls", "empty", "--out", "o"], "empty lists no address"),
        (["http://a.example/", "--out", "o", "--sample", "2", "--max-pages", "3"], "leave out"),
        (["speed", "http://a.example/"], "add --own-site if it is yours"),
        (["speed", "http://localhost/", "--jobs", "0"], "is no list of numbers"),
    ],
)
def test_wrong_words(tmp_path: Path, bench_cli: BenchCli, words: list[str], said: str) -> None:
    for name in ("u", "empty"):
        (tmp_path / name).touch()
    done = bench_cli("collect", *words, cwd=tmp_path)
    assert done.returncode == 2
    assert said in done.stderr
    assert not (tmp_path / "o").exists()


def test_status_of_no_collection(tmp_path: Path, bench_cli: BenchCli) -> None:
    done = bench_cli("collect", "status", tmp_path)
    assert done.returncode == 1
    assert "holds no collection (urls.sqlite is not there)" in done.stderr


def test_a_table_that_takes_nothing_ends_the_collection(
    tmp_path: Path, bench_cli: BenchCli
) -> None:
    with served(lambda path, _: Answer(page("/1", text=path))) as site:
        words = ("collect", site.url, "--out", tmp_path / "o", "--max-pages", "1", "-q")
        assert bench_cli(*words).returncode == 0
        with sqlite3.connect(tmp_path / "o" / "urls.sqlite") as db:
            db.execute("ALTER TABLE urls DROP COLUMN mime")
        done = bench_cli(*words[:-2], "2", "-q", timeout=30)
    assert done.returncode == 1
    assert "collecting stopped: OperationalError: no such column: mime" in done.stderr
