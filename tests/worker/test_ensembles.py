"""Ensembles: how texts are combined, and runs whose rows are made of other rows' texts."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.adapters import registry
from bench.adapters.adapter import own_version
from bench.methods.ensembles import union as unions
from bench.methods.ensembles.oracle import Oracle, best
from bench.methods.ensembles.union import union
from bench.methods.ensembles.vote import Vote, majority
from bench.metrics.texts import shingles
from bench.metrics.texts.tokens import tokenize
from bench.model import Gold, Usage
from bench.runs.ensemble_inputs import in_all
from bench.runs.store.runs import RunFolder
from tests import commands
from tests.conftest import PAGES, BenchCli, FolderGold

WORDS = st.lists(st.sampled_from(["ab", "cd", "ef,", "gh.", "Ä", "火"]), max_size=30).map(" ".join)
ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
TEXTS = st.lists(st.one_of(WORDS, ANY), min_size=1, max_size=5)


# -- vote -----------------------------------------------------------------------------------


def study(page: str, answers: Sequence[str], weights: Sequence[float], n: int = 5) -> str:
    """The study's definition, word by word, by strings with padding."""
    padding = ["\0"] * (n - 1)
    words = [*padding, *page.split(), *padding]
    kept = []
    for at in range(n - 1, len(words) - n + 1):
        grams = [words[at - n + 1 : at + 1], words[at : at + n]]
        votes = 0.0
        for answer, weight in zip(answers, weights, strict=True):
            padded = " " + " ".join(["\0"] * n + answer.split() + ["\0"] * n) + " "
            votes += weight * any(f" {' '.join(gram)} " in padded for gram in grams)
        if votes >= max(1, int(len(answers) * 0.66)):
            kept.append(words[at])
    return " ".join(kept)


@given(st.one_of(WORDS, ANY), TEXTS, st.lists(st.sampled_from([1.0, 2.0]), min_size=5, max_size=5))
def test_a_vote_is_the_studys(page: str, texts: list[str], weights: list[float]) -> None:
    page, *texts = (each.replace("\0", "") for each in (page, *texts))
    own = weights[: len(texts)]
    assert majority(page, texts, own) == study(page, texts, own)


@given(WORDS)
def test_a_vote_of_the_same_texts_is_that_text(text: str) -> None:
    assert majority(text, [text] * 3).split() == text.split()


@given(st.one_of(WORDS, ANY), TEXTS, st.randoms())
def test_what_a_vote_keeps(page: str, texts: list[str], random: Any) -> None:
    found = majority(page, texts)
    assert set(found.split()) <= {word for text in texts for word in text.split()}
    left = iter(page.split())
    assert all(word in left for word in found.split()), "in the order of the page"
    shuffled = random.sample(texts, len(texts))
    assert majority(page, shuffled) == found
    assert majority(page, texts, [1.0] * len(texts)) == found
    assert set(found.split()) <= set(majority(page, texts, share=0).split())


def test_a_vote_goes_by_grams_and_not_by_words() -> None:
    page = "menu the ferry crossed the river twice a day menu"
    text = "the ferry crossed the river twice a day"
    assert majority(page, [text, text, "menu day", "menu"]) == "menu " + text, "its first word"
    assert majority(page, [text, text, "ferry day", "ferry"]) == text, "no gram of these is there"
    assert majority(page, [text, "", ""]) == text, "int(3 * 0.66) votes are one"
    assert majority(page, [text, "", "", ""]) == "", "and of four, two"
    assert majority(page, [text, "", "", ""], [2, 1, 1, 1]) == text
    assert majority("twice a day", ["twice a day"]) == "twice a day", "shorter than a gram"
    assert majority("", [text] * 3) == majority(page, [""] * 3) == ""


def test_a_votes_first_member_has_no_vote() -> None:
    vote = Vote()
    vote.load()
    texts = {"page": "one two three four five six", "a": "", "b": "", "c": ""}
    assert vote.extract({"texts": texts}, None) == ""
    assert vote.combine({**texts, "c": texts["page"]}) == texts["page"]
    vote.load(weights={"c": 2}, share=0.99)
    assert vote.combine({**texts, "c": texts["page"]}) == texts["page"]
    vote.load(weights={"d": 2})
    with pytest.raises(LookupError, match="weights name d, which is no member"):
        vote.combine(texts)


# -- union ----------------------------------------------------------------------------------


def is_subsequence(some: Sequence[str], of: Sequence[str]) -> bool:
    left = iter(of)
    return all(each in left for each in some)


@given(TEXTS)
def test_a_union_has_every_text_in_its_order(texts: list[str]) -> None:
    found = tokenize(union(texts))
    for text in texts:
        assert is_subsequence(tokenize(text), found)
    assert set(found) == {word for text in texts for word in tokenize(text)}


@given(ANY, st.integers(1, 4))
def test_a_union_of_the_same_texts_is_that_text(text: str, times: int) -> None:
    assert union([text] * times).split() == text.split()
    assert union([text, "", text]).split() == text.split()


def test_a_union_says_once_what_several_say() -> None:
    texts = ["Title\nThe ferry, at last.", "The ferry at last.\nComments: none", "The old ferry"]
    assert union(texts) == "Title\nThe old ferry, at last.\nComments: none\n"
    assert union([]) == union(["", ""]) == ""


def test_texts_too_long_to_be_aligned_are_merged_by_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unions, "_CELLS", 0)
    found = union(["one two\nthree", "three\nfour\nfour", "one two\n\nfour"])
    assert found.split("\n") == ["one two", "three", "four", "four", ""]


# -- oracle ---------------------------------------------------------------------------------


def f1(text: str, gold: str) -> float:
    ((tp, fp, fn, _),) = shingles.scores(gold, [text])
    return 2 * tp / (2 * tp + fp + fn) if tp + fp + fn else 1.0


@given(st.one_of(WORDS, ANY), TEXTS)
def test_an_oracle_is_as_good_as_its_best_member(gold: str, texts: list[str]) -> None:
    found = best(texts, Gold(gold))
    assert found in texts
    assert f1(found, gold) == max(f1(text, gold) for text in texts)


def test_an_oracle_goes_by_characters_where_the_scorer_does() -> None:
    gold, near, far = "提灯の火は夜の川を下る", "提灯の火は夜の川を", "提灯"
    assert best([far, near], Gold(gold)) == far, "words are all or nothing: the first of equals"
    assert best([far, near], Gold(gold), "ja") == near


def test_an_oracle_without_a_gold_text_goes_by_snippets() -> None:
    texts = ["menu only", "the ferry and the menu", "the  ferry crossed"]
    assert best(texts, Gold(None, ("the ferry",), ("menu",))) == texts[2]
    gold = {"text": None, "with_snippets": ["the ferry"], "without_snippets": ["menu"]}
    handed = {"texts": dict(enumerate(texts)), "gold": {**gold, "language": None}}
    assert Oracle().extract(handed, None) == texts[2]


def test_what_a_text_cost_in_all() -> None:
    own = Usage(1.0, 2.0, 10, 5, 0.5, 0.25)
    others = [Usage(0.5, 0.25, 30, 1), Usage(0.25, 0.125)]
    assert in_all([own, *others]) == Usage(1.75, 2.375, 30, 5, 0.5, 0.25)
    assert in_all([Usage(1.0, 1.0), others[1]]).rss_peak_bytes is None


# -- the ones that ship ---------------------------------------------------------------------


def test_the_ensembles_that_ship_need_the_main_environment_alone() -> None:
    rows = registry.rows(["vote:*", "union", "oracle"])
    assert [row.label for row in rows] == ["oracle", "union", "vote", "vote:weighted"]
    for row in rows:
        assert row.adapter.facts.kind == "ensemble"
        assert row.adapter.available
        assert row.adapter.version == own_version()
        assert len(row.members) >= 5
        voters = {each.label for each in row.members}
        assert voters >= set(row.settings.get("weights", {}))


# -- whole runs -----------------------------------------------------------------------------

MEMBERS = {
    "first": 'return "Title\\nThe old ferry crossed the river twice a day."',
    "second": 'return "The old ferry crossed the river twice a day."',
    "fails": 'raise ValueError("on purpose")',
    "slow": 'import time; time.sleep(0.05); return "Nothing of it."',
}

MEMBER = '''"""{name}: a member."""

from bench.extractor import Extractor


class It(Extractor):
    """Says the same of every page."""

    name = "{name}"
    licence = "MIT"

    def load(self, **settings):
        {load}

    def extract(self, html, url):
        {body}
'''

JOINED = '''"""joined: a member."""

from bench.methods.ensembles.base import Ensemble


class Joined(Ensemble):
    """Joins the texts of its members, and says which is empty."""

    name = "{name}"
    members = ({members})

    def combine(self, texts):
        {body}
        return " | ".join(f"{{name}}={{text}}" for name, text in texts.items())
'''

Mine = Callable[..., Path]


@pytest.fixture
def mine(tmp_path: Path) -> Mine:
    """Return a writer of a folder of adapters: members, and an ensemble of them."""

    def write(
        members: str = '"first", "second", "fails", "slow"',
        *,
        body: str = "",
        load: str = "pass",
        name: str = "joined",
    ) -> Path:
        folder = tmp_path / "mine"
        folder.mkdir(exist_ok=True)
        for each, code in MEMBERS.items():
            loading = load if each == "slow" else "pass"
            text = MEMBER.format(name=each, body=code, load=loading)
            (folder / f"{each}.py").write_text(text, encoding="utf-8")
        text = JOINED.format(name=name, members=members, body=body or "pass")
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
        return folder

    return write


def result(done: subprocess.CompletedProcess[str], results: Path) -> RunFolder:
    assert "Traceback" not in done.stderr
    (only,) = [path for path in results.iterdir() if path.is_dir()]
    return RunFolder(only)


def cells(folder: RunFolder) -> dict[str, pd.DataFrame]:
    table = folder.cells()
    labels = {row.key: row.label for row in folder.manifest.rows}
    return {labels[str(key)]: own for key, own in table.groupby("row", sort=False)}


def texts(folder: RunFolder, label: str) -> dict[str, str]:
    (key,) = (row.key for row in folder.manifest.rows if row.label == label)
    return {each["page"]: each["text"] for each in folder.records(key)}


EXPECTED = (
    "first=Title\nThe old ferry crossed the river twice a day. | "
    "second=The old ferry crossed the river twice a day. | fails= | slow=Nothing of it."
)


@pytest.mark.parametrize(
    "words", [[], ["--jobs", "2"], ["--repeat", "2"]], ids=["plain", "jobs", "repeats"]
)
def test_a_run_of_an_ensemble_runs_its_members(
    bench_cli: BenchCli, folder_gold: FolderGold, mine: Mine, tmp_path: Path, words: list[str]
) -> None:
    results = tmp_path / "results"
    asked = ["run", "joined", "second", "--adapter", mine(), "--gold", f"folder:{folder_gold()}"]
    asked += ["--results", results, "--reports", tmp_path / "reports", *words]
    done = bench_cli(*asked)
    assert done.returncode == 0, done.stderr
    said = "bench: joined: made of texts of others, which run first: first, fails, slow\n"
    assert done.stderr.count(said) == 1
    folder = result(done, results)
    assert set(texts(folder, "joined").values()) == {EXPECTED}
    own = cells(folder)
    repeats = 2 if "--repeat" in words else 1
    assert {label: len(each) for label, each in own.items()} == dict.fromkeys(
        ["joined", *MEMBERS], repeats * len(PAGES)
    )
    keyed = {label: each.set_index(["page", "repeat"]) for label, each in own.items()}
    for cell in keyed["joined"].itertuples():
        members = [keyed[label].loc[cell.Index] for label in MEMBERS]
        for figure in ("wall_s", "cpu_s"):
            assert getattr(cell, figure) >= sum(each[figure] for each in members) - 1e-9
        assert cell.wall_s > 0.05, "what its slow member took is in it"
        assert cell.rss_peak_bytes >= max(each["rss_peak_bytes"] for each in members)
    board = json.loads((folder.path / "leaderboard.json").read_text(encoding="utf-8"))
    line = next(each for each in board["extractors"] if each["label"] == "joined")
    assert (line["kind"], line["rank"]) == ("ensemble", None)
    (written,) = (tmp_path / "reports").glob("*/leaderboard.md")
    assert "Not ranked, since made of other extractors' texts" in written.read_text("utf-8")
    facts = {row.label: row for row in folder.manifest.rows}
    assert facts["joined"].members == list(MEMBERS)
    assert facts["joined"].busy_s > own["joined"]["wall_s"].sum()
    again = bench_cli(*asked)
    assert "finished; --fresh runs it again" in again.stderr


def test_members_are_taken_over_from_earlier_runs_and_ensembles_made_anew(
    bench_cli: BenchCli, folder_gold: FolderGold, mine: Mine, tmp_path: Path
) -> None:
    results, gold = tmp_path / "results", folder_gold()
    common = ["--adapter", mine(), "--gold", f"folder:{gold}", "-q"]
    common += ["--results", results, "--reports", tmp_path / "reports"]
    assert bench_cli("run", "joined", *common).returncode == 0
    done = bench_cli("run", "joined", "nothing", *common)
    assert done.returncode == 0
    assert "made of texts" not in done.stderr, "with -q nobody is told"
    newest = RunFolder(max(results.iterdir(), key=lambda path: path.stat().st_mtime_ns))
    own = cells(newest)
    assert all(own[label]["carried_from"].ne("").all() for label in MEMBERS)
    assert own["joined"]["carried_from"].eq("").all()
    assert set(texts(newest, "joined").values()) == {EXPECTED}
    for words in (
        ["history", "joined"],
        ["compare", "joined", "first"],
        ["runs", "show", newest.id],
        ["show", "boats"],
        ["leaderboard"],
        ["export", newest.id, "--out", tmp_path / "out"],
    ):
        shown = bench_cli(*words, "--results", results)
        assert "Traceback" not in shown.stderr, words


def test_an_interrupted_run_goes_on(
    folder_gold: FolderGold, mine: Mine, tmp_path: Path, bench_home: Path, bench_cli: BenchCli
) -> None:
    results = tmp_path / "results"
    adapters = mine(body="import time; time.sleep(0.7)")
    words = ["run", "joined", "--adapter", adapters, "--gold", f"folder:{folder_gold()}"]
    words += ["--results", results, "--reports", tmp_path / "reports", "-q"]
    env = commands.environment(bench_home)
    running = commands.start(words, env=env, stdout=subprocess.DEVNULL)
    ((row,), wait_until) = (registry_keys(adapters), time.monotonic() + 60)
    while not (first := journalled(results, row)):
        assert time.monotonic() < wait_until
        assert running.poll() is None
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=30)
    assert 0 < len(journalled(results, row)) < len(PAGES)
    assert bench_cli(*words).returncode == 0
    (folder,) = map(RunFolder, results.iterdir())
    own = cells(folder)["joined"]
    assert len(own) == len(PAGES)
    kept = own.set_index("page").loc[first[0]["page"]]
    assert kept["wall_s"] == first[0]["wall_s"], "what was journalled is kept"
    assert set(texts(folder, "joined").values()) == {EXPECTED}


def registry_keys(adapters: Path) -> list[str]:
    """Return the key of the ensemble in a folder of adapters."""
    try:
        registry.use([adapters])
        return [row.key for row in registry.rows(["joined"])]
    finally:
        registry.use([])


def journalled(results: Path, key: str) -> list[dict[str, Any]]:
    folders = list(results.iterdir()) if results.is_dir() else []
    return [each for path in folders for each in RunFolder(path).journalled(key)]


def test_a_member_that_cannot_be_loaded(
    bench_cli: BenchCli, folder_gold: FolderGold, mine: Mine, tmp_path: Path
) -> None:
    words = ["--adapter", mine(load='raise ImportError("no slow thing")')]
    words += ["--gold", f"folder:{folder_gold()}", "--reports", tmp_path / "reports"]
    for jobs, repeats in ((1, 1), (2, 1), (1, 2)):
        results = tmp_path / f"results{jobs}{repeats}"
        how = ["--jobs", jobs, "--repeat", repeats, "--results", results]
        done = bench_cli("run", "joined", *words, *how)
        assert done.returncode == 1
        folder = result(done, results)
        assert set(cells(folder)) == {"first", "second", "fails"}
        facts = {row.label: row for row in folder.manifest.rows}
        assert not facts["joined"].available
        reason = "its member slow is not available: cannot be loaded: ImportError: no slow thing"
        assert facts["joined"].problem == reason
        assert f"joined is not available: {reason}" in " ".join(done.stderr.split())


def test_a_member_that_is_not_installed_or_not_there(
    bench_cli: BenchCli, folder_gold: FolderGold, mine: Mine, tmp_path: Path
) -> None:
    folder = mine('"first", "second"')
    path = folder / "second.py"
    with_need = path.read_text(encoding="utf-8").replace(
        'licence = "MIT"', 'licence = "MIT"\n    requires = ("no-such-thing",)'
    )
    path.write_text(with_need, encoding="utf-8")
    common = ["--gold", f"folder:{folder_gold()}", "--reports", tmp_path / "reports"]
    results = tmp_path / "results"
    done = bench_cli("run", "joined", "--adapter", folder, *common, "--results", results)
    assert done.returncode == 1
    facts = {row.label: row for row in result(done, results).manifest.rows}
    assert facts["joined"].problem.startswith("its member second is not available: ")
    assert facts["first"].available
    tried = bench_cli("try", "joined", "starter/x", "--adapter", folder)
    assert (tried.returncode, tried.stderr.count("\n")) == (1, 1)
    assert "its member second is not available" in tried.stderr
    mine('"first", "secund"')
    listed = bench_cli("list", "joined", "--adapter", folder, "--json")
    (facts,) = (each for each in json.loads(listed.stdout) if each["name"] == "joined")
    assert facts["problem"].startswith("its members: no extractor is called 'secund'; did you mean")


def test_try_runs_the_members_first(bench_cli: BenchCli, mine: Mine, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<p>Any.</p>", encoding="utf-8")
    done = bench_cli("try", "joined", page, "--adapter", mine(), "--json")
    facts = json.loads(done.stdout)
    assert (done.returncode, facts["text"]) == (0, EXPECTED)
    assert facts["usage"]["wall_s"] > 0.05
    done = bench_cli("try", "oracle", page)
    assert done.returncode == 2
    assert done.stderr == "bench: oracle is handed the gold, and this page has none\n"


def test_verbs_that_say_something_else_of_an_ensemble(
    bench_cli: BenchCli, folder_gold: FolderGold, mine: Mine, tmp_path: Path
) -> None:
    adapters, gold = mine('"first",'), f"folder:{folder_gold()}"
    done = bench_cli("speed", "joined", "--adapter", adapters, "--gold", gold)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "joined: it is made of other extractors' texts" in done.stderr
    done = bench_cli("doctor", "joined", "--adapter", adapters)
    assert done.returncode == 0, done.stdout
    words = ["--results", tmp_path / "results", "--reports", tmp_path / "reports", "-q"]
    words += ["--adapter", adapters, "--gold", gold, "--check-determinism"]
    done = bench_cli("run", "joined", *words)
    assert done.returncode == 0
    assert "joined: not checked again: it is made of its members' texts" in done.stderr


def test_an_ensemble_is_held_against_a_baseline(
    bench_cli: BenchCli, folder_gold: FolderGold, mine: Mine, tmp_path: Path
) -> None:
    words = ["--adapter", mine('"first", "second"'), "--gold", f"folder:{folder_gold()}"]
    words += ["--no-cost", "--results", tmp_path / "results"]
    baseline = ["--baseline", tmp_path / "baseline.json"]
    done = bench_cli("check", "joined", "--update", *baseline, *words)
    assert done.returncode == 0, done.stderr
    done = bench_cli("check", *baseline, *words)
    assert done.returncode == 0, done.stderr + done.stdout
