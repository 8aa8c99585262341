"""``bench label`` without a browser: who gets in, what is saved, what bad input says."""

from __future__ import annotations

import errno
import http.client
import json
import os
import re
import signal
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from bench.datasets import catalogue
from bench.label import labels, prefill
from bench.label.comparison import StoredTexts
from bench.label.folder import LOG, LabelFolder
from bench.label.tree import PARSER
from bench.model import BenchError
from tests import commands
from tests.conftest import ROOT, BenchCli
from tests.labelling import Client, main

PAGE = "<h1>Title</h1><nav>Menu here</nav><p>First words of text</p><p>Second words of text</p>"
H1, NAV, FIRST, SECOND = 3, 5, 7, 9


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    for name in ("one", "two", "three"):
        (folder / f"{name}.html").write_text(PAGE.replace("Title", name), "utf-8")
    return folder


def test_a_label_and_its_text_are_saved_beside_the_page(pages: Path) -> None:
    before = (pages / "one.html").read_bytes()
    client = Client(pages)
    opened = client.open("one")
    assert (opened["saved"], opened["draft"]["marks"]) == ("", [])
    shown = client.ask("/api/text", {"page": "one", "marks": [main(FIRST)]}).json
    assert shown["texts"] == {"main": "First words of text\n", "comments": ""}
    assert shown["stretches"]["main"] == [[FIRST + 1, 0, 19]]
    facts = {"title": "T", "with_snippets": ["First"], "without_snippets": ["Menu"]}
    saved = client.save("one", main(H1), main(FIRST), **facts)
    assert saved.status == 200, saved.body
    assert (pages / "one.txt").read_text("utf-8") == "one\nFirst words of text\n"
    label = labels.read((pages / "one.labels.json").read_bytes(), "x")
    assert label.parser == PARSER
    assert (label.title, label.with_snippets, label.annotator) == ("T", ["First"], None)
    assert [mark.begins for mark in label.marks] == ["one", "First words of text"]
    assert (pages / "one.html").read_bytes() == before
    # After a restart it is as it was.
    again = Client(pages).open("one")
    assert again["draft"].items() <= msgspec.to_builtins(label).items()
    assert again["texts"]["main"] == "one\nFirst words of text\n"
    # Labelled anew: the log has both.
    assert client.save("one", main(SECOND)).status == 200
    assert (pages / "one.txt").read_text("utf-8") == "Second words of text\n"
    log = [json.loads(line) for line in (pages / LOG).read_text("utf-8").splitlines()]
    assert [len(line["marks"]) for line in log] == [2, 1]


def test_no_main_content_is_an_answer_and_nothing_is_none(pages: Path) -> None:
    client = Client(pages)
    for wrong, words in (
        (client.save("one"), "no main text is marked"),
        (client.save("one", main(H1), no_main_content=True), "choose one"),
        (client.save("one", main(999)), "has no node 999"),
        (client.save("one", {"kind": "element", "part": "main"}), "missing required field `node`"),
        (client.save("one", main(H1), page_sha256="0"), "was changed meanwhile"),
        (client.save("one", main(H1), page="../one"), "has no page '../one'"),
        (client.ask("/api/save", b"{"), "truncated"),
        (client.ask("/api/save", b" " * (5 << 20)), "truncated"),
        (client.ask("/api/page?id=nothing"), "has no page 'nothing'"),
    ):
        assert wrong.status == 400
        assert words in wrong.json["error"]
        assert "\n" not in wrong.json["error"]
    assert not (pages / "one.txt").exists()
    assert client.save("one", no_main_content=True).status == 200
    assert (pages / "one.txt").read_bytes() == b""
    assert Client(pages).open("one")["draft"]["no_main_content"] is True


def test_gold_of_elsewhere_is_not_written_over(pages: Path) -> None:
    (pages / "one.txt").write_text("by hand", "utf-8")
    (pages / "two.txt").write_text("", "utf-8")  # says nothing
    states = {page["id"]: page["state"] for page in Client(pages).ask("/api/folder").json["pages"]}
    assert states == {"one": "gold", "two": "", "three": ""}
    refused = Client(pages).save("one", main(H1))
    assert "one.txt holds gold that no label made" in refused.json["error"]
    assert (pages / "one.txt").read_text("utf-8") == "by hand"
    assert Client(pages, "anna").save("one", main(H1)).status == 200
    assert Client(pages).save("two", main(H1)).status == 200


def test_what_counts_as_gold_in_rankings(pages: Path) -> None:
    order = LabelFolder(pages).ids
    client = Client(pages)
    assert client.save(order[0], no_main_content=True).status == 200
    assert client.save(order[2], main(H1), chosen="hand").status == 200
    snippets = {"with_snippets": ["First"], "without_snippets": ["Menu"]}
    assert client.save(order[1], main(FIRST), **snippets).status == 200
    (pages / "four.html").write_text(PAGE, "utf-8")
    (pages / "four.txt").write_bytes(b"")

    def gold(name: str) -> list[str | None]:
        reader = catalogue.open_gold(f"{name}:{pages}").reader
        return [reader.read(page_id).gold.text for page_id in (*order, "four")]

    assert gold("folder") == ["", "First words of text\n", None, None]
    assert gold("folder-all") == ["", "First words of text\n", f"{order[2]}\n", None]
    own = catalogue.open_gold(f"folder:{pages}").read(order[1]).gold
    assert (own.with_snippets, own.without_snippets) == (("First",), ("Menu",))
    (pages / "pages.jsonl").write_text('{"id": "four", "no_main_content": true}', "utf-8")
    (pages / f"{order[1]}.labels.json").write_bytes(b"{")
    assert gold("folder") == ["", None, None, ""]
    (problem,) = catalogue.open_gold(f"folder:{pages}").reader.problems
    assert problem.startswith(f"{order[1]}.labels.json is no label, its text no gold")


def test_the_order_is_random_and_stays(pages: Path) -> None:
    orders = {tuple(LabelFolder(pages, seed=seed).ids) for seed in range(30)}
    assert len(orders) == 6
    before = LabelFolder(pages).ids
    (pages / "four.html").write_text(PAGE, "utf-8")
    after = LabelFolder(pages).ids
    assert [page_id for page_id in after if page_id != "four"] == before
    folder = LabelFolder(pages)
    first, second = folder.ids[:2]
    assert [folder.why(page_id) for page_id in (first, second)] == ["random", "hand"]
    folder.order = [second, first]
    assert [folder.why(page_id) for page_id in (first, second)] == ["hand", "disputed"]


def test_only_who_has_the_address_gets_in(pages: Path) -> None:
    client = Client(pages)
    entered = client.ask("/?token=the-token", cookie="")
    assert entered.status == 303
    assert entered.headers["location"] == "/"
    assert (
        "bench-label-1=the-token; HttpOnly; Path=/; SameSite=strict"
        in entered.headers["set-cookie"]
    )
    start = client.ask("/")
    assert start.status == 200
    assert start.headers["content-security-policy"].startswith("default-src 'none';")
    assert "sandbox allow-same-origin" in client.ask("/page").headers["content-security-policy"]
    for path in ("/", "/page", "/static/label.js", "/api/folder", "/api/page?id=one", "/?token=no"):
        assert client.ask(path, cookie="").status == 403, path
        assert client.ask(path, cookie="bench-label-1=no").status == 403, path
        for host in ("evil.example", "127.0.0.1", "evil.example:1", ""):
            assert client.ask(path, host=host).status == 421, (path, host)
    assert client.ask("/static/../server.py").status == 404
    body = {"page": "one", "marks": []}
    assert client.ask("/api/text", body).status == 200
    for origin in ("http://evil.example", "null", "", "http://127.0.0.1:2"):
        assert client.ask("/api/text", body, origin=origin).status == 403, origin


def test_two_annotators(pages: Path, bench_cli: BenchCli) -> None:
    none = bench_cli("label", pages, "--agreement")
    assert none.returncode == 2
    assert "no page of" in none.stderr
    anna, ben = Client(pages, "anna"), Client(pages, "ben")
    for client, marks in ((anna, [H1, FIRST, SECOND]), (ben, [FIRST, SECOND])):
        for page_id in ("one", "two"):
            assert client.save(page_id, *map(main, marks)).status == 200
    assert ben.open("three")["draft"]["marks"] == []
    assert anna.save("three", main(H1)).status == 200
    assert not (pages / "one.txt").exists()
    done = bench_cli("label", pages, "--agreement", "--json")
    assert done.returncode == 0, done.stderr
    (pair,) = json.loads(done.stdout)
    assert pair["annotators"] == ["anna", "ben"]
    # 9 words and 8 are 6 and 5 grams of four, all five of these in both.
    assert pair["f1"] == pytest.approx(2 * 5 / 11)
    assert [(page["same"], page["elements"]) for page in pair["pages"]] == [(3, 4), (3, 4)]
    # Observed 3/4; by chance 3/4 × 1/2 + 1/4 × 1/2.
    assert pair["kappa"] == pytest.approx((0.75 - 0.5) / 0.5)
    told = bench_cli("label", pages, "--agreement").stdout
    assert "anna and ben, 2 pages: F1 " in told
    adopted = bench_cli("label", pages, "--adopt", "anna")
    assert adopted.stdout == "3 pages have the labels of anna as gold\n"
    assert (pages / "one.txt").read_text("utf-8").startswith("one\nFirst")
    assert labels.read((pages / "one.labels.json").read_bytes(), "x").annotator == "anna"
    wrong = bench_cli("label", pages, "--adopt", "carl")
    assert (wrong.returncode, wrong.stdout) == (2, "")


def test_a_draft_from_an_extractor_is_recorded(pages: Path) -> None:
    def draw(page_id: str) -> list[labels.Mark]:
        if page_id == "two":
            raise BenchError("it fails")
        tree = LabelFolder(pages).tree(page_id)
        return prefill.marks_of(tree, "First words of text\nSecond words of text")

    client = Client(pages, None, "some:variant", draw)
    opened = client.open("one")
    assert opened["texts"]["main"] == "First words of text\nSecond words of text\n"
    assert opened["prefill"] == "some:variant"
    assert client.open("two")["problem"] == "it fails"
    assert client.ask("/api/save", opened["draft"]).status == 200
    assert labels.read((pages / "one.labels.json").read_bytes(), "x").prefill == "some:variant"
    # It stays with the label, and does not come to one that was made without.
    assert Client(pages).save("one", main(H1)).status == 200
    assert labels.read((pages / "one.labels.json").read_bytes(), "x").prefill == "some:variant"
    assert Client(pages).save("three", main(H1)).status == 200
    assert client.save("three", main(FIRST)).status == 200
    assert labels.read((pages / "three.labels.json").read_bytes(), "x").prefill is None


def test_after_saving_lint_and_the_latest_run_are_shown(
    tmp_path: Path, pages: Path, bench_cli: BenchCli
) -> None:
    results = tmp_path / "results"
    done = bench_cli("run", "html_text", "xpath", "nothing", "--gold", f"folder:{pages}",
                     "--results", results, "--reports", tmp_path / "reports", "--quiet")  # fmt: skip
    assert done.returncode == 0, done.stderr
    answer = Client(pages).save("one", main(FIRST)).json
    assert answer["folder"]["next"] != "one"
    f1 = {row["label"]: row["f1"] for row in answer["compared"]}
    assert set(f1) == {"html_text", "xpath", "nothing"}
    assert 0 < f1["html_text"] < 1
    assert f1["nothing"] == 0
    stored = StoredTexts(pages, results)
    assert sorted(stored.disputed()) == ["one", "three", "two"]
    disputed = bench_cli("label", pages, "--disputed", "--results", tmp_path / "none")
    assert "--disputed needs a finished run of two extractors" in disputed.stderr


def test_a_full_disk_loses_nothing(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    client = Client(pages)
    assert client.save("one", main(H1)).status == 200
    kept = {path: path.read_bytes() for path in pages.iterdir() if path.name != LOG}

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        refused = client.save("one", main(FIRST))
    assert refused.status == 400
    assert "No space left on device" in refused.json["error"]
    assert {path: path.read_bytes() for path in kept} == kept
    assert client.save("one", main(FIRST)).status == 200


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "is no label file of schema 1"),
        (b'{"schema": 2}', "is no label file of schema 1"),
        (None, "is of another page than one is now"),
    ],
)
def test_a_wrong_label_file_is_told_and_kept(
    pages: Path, content: bytes | None, words: str
) -> None:
    assert Client(pages).save("one", main(H1)).status == 200
    path = pages / "one.labels.json"
    if content is None:
        (pages / "one.html").write_text("<p>other", "utf-8")
    else:
        path.write_bytes(content)
    before = path.read_bytes()
    answer = Client(pages).ask("/api/page?id=one")
    assert answer.status == 400
    assert words in answer.json["error"]
    assert path.read_bytes() == before


def test_what_cannot_be_labelled_is_one_line(tmp_path: Path, bench_cli: BenchCli) -> None:
    (tmp_path / "bare").mkdir()
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "a.pdf").write_bytes(b"%PDF")
    for words, said in (
        ([tmp_path / "none"], "does not exist"),
        ([tmp_path / "bare"], "holds no"),
        ([tmp_path / "text"], "holds no"),
        ([tmp_path / "bare", "--as", "a/b"], "--as 'a/b': a name has"),
    ):
        done = bench_cli("label", *words)
        assert done.returncode in (1, 2)
        assert said in done.stderr
        assert done.stderr.count("\n") == 1, done.stderr


class Running:
    """``bench label`` as a process of its own."""

    def __init__(self, root: Path, home: Path, *words: str) -> None:
        env = commands.environment(home) | {"BROWSER": "true"}
        words = ("label", root.name, "--port", "0", *words)
        self.process = commands.start(words, env=env, cwd=root.parent, stdout=-1)
        assert self.process.stdout is not None
        address = urlsplit(self.process.stdout.readline().strip())
        (self._token,) = parse_qs(address.query)["token"]
        self._port = address.port
        assert address.hostname == "127.0.0.1"

    def end(self) -> None:
        """End it as a person does."""
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=20)
        assert self.process.returncode == 0

    def ask(self, path: str, body: Any = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self._port or 0, timeout=20)
        headers = {
            "Cookie": f"bench-label-{self._port}={self._token}",
            "Origin": f"http://127.0.0.1:{self._port}",
        }
        content = None if body is None else json.dumps(body)
        connection.request("GET" if body is None else "POST", path, content, headers)
        return json.loads(connection.getresponse().read())


def test_killed_at_any_moment_no_saved_label_is_lost(
    pages: Path, bench_home: Path, bench_cli: BenchCli
) -> None:
    running = Running(pages, bench_home, "--no-open")
    busy = bench_cli("label", pages, "--no-open")
    assert busy.returncode == 1
    assert (
        busy.stderr == f"bench: {pages} is being labelled by another process; end that one first\n"
    )
    draft = running.ask("/api/page?id=one")["draft"] | {"marks": [main(FIRST)]}
    assert running.ask("/api/save", draft)["findings"] == []
    running.process.kill()
    running.process.communicate()
    assert labels.read((pages / "one.labels.json").read_bytes(), "x").marks[0].begins
    # Killed before the text was written, and in the middle of a line of the log.
    (pages / "one.txt").unlink()
    with (pages / LOG).open("ab") as log:
        log.write(b'{"torn')
    running = Running(pages, bench_home, "--prefill", "html_text")
    drawn = running.ask("/api/page?id=two")
    assert (drawn["prefill"], drawn["problem"]) == ("html_text", "")
    assert "First words of text" in drawn["texts"]["main"]
    assert (pages / "one.txt").read_text("utf-8") == "First words of text\n"
    assert "error" not in running.ask("/api/save", draft)
    whole, torn, after = (pages / LOG).read_bytes().splitlines()
    assert torn == b'{"torn'
    assert json.loads(whole)["marks"] == json.loads(after)["marks"]
    running.end()


def test_the_commands_of_the_manual_run(
    tmp_path: Path, pages: Path, bench_home: Path, bench_cli: BenchCli
) -> None:
    manual = (ROOT / "docs" / "your-own-pages.md").read_text("utf-8")
    section = manual.split("\n## Label\n")[1].split("\n## ")[0]
    lines = re.findall(r"^\$ bench (.*)$", section, re.MULTILINE)
    assert len(lines) == 5
    root = pages.rename(tmp_path / "my-pages")
    for line in lines:
        verb, folder, *words = line.split()
        assert (verb, folder) == ("label", root.name)
        if words[:1] in ([], ["--as"]):
            running = Running(root, bench_home, *words)
            draft = running.ask("/api/page?id=one")["draft"] | {"marks": [main(FIRST)]}
            if words:
                assert "error" not in running.ask("/api/save", draft)
            running.end()
        else:
            done = bench_cli(*line.split(), cwd=tmp_path)
            assert done.returncode == 0, done.stderr
    assert (root / "one.txt").read_text("utf-8") == "First words of text\n"
