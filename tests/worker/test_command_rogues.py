"""Programs that break the protocol, die, hang, flood and fork: each becomes its outcome, none stays."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bench.adapters import registry
from bench.adapters.adapter import Row
from tests import rogues
from tests.worker import test_rogues
from tests.worker.test_rogues import BAD_PAGE, PAGES, Done

PROGRAMS = Path(__file__).parents[1] / "programs"
LIMITS = replace(test_rogues.LIMITS, memory_bytes=256 << 20)

ON_BAD_PAGE = {
    "rogue:hangs": "timeout",
    "rogue:deaf": "timeout",
    "rogue:stopped": "timeout",
    "rogue:session": "timeout",
    "rogue:garbage": "error",
    "rogue:endless": "error",
    "rogue:much": "ok",
    "rogue:segfault": "crash",
    "rogue:exits": "crash",
    "rogue:exits_0": "crash",
    "rogue:wrong_id": "error",
    "rogue:no_id": "error",
    "rogue:twice": "error",
    "rogue:number": "error",
    "rogue:no_text": "error",
    "rogue:says_error": "error",
    "rogue:surrogate": "ok",
    "rogue:nested": "error",
    "rogue:binary": "error",
    "rogue:closes": "error",
    "rogue:forks": "ok",
    "rogue:forks_away": "ok",
    "rogue:dies_with_child": "crash",
    "rogue:garbage_with_child": "error",
    "rogue:allocates": "oom",
    "rogue:noisy": "ok",
    "rogue:connects": "ok",
    "rogue:burns": "ok",
    "once:deaf": "ok",
    "once:exits": "error",
    "once:segfault": "crash",
    "once:hangs": "timeout",
    "once:hangs_below": "timeout",
    "once:forks": "ok",
    "once:endless": "error",
    "once:noisy": "ok",
    "once:invalid": "ok",
    "once:silent": "empty",
    "once:burns": "ok",
    "once:allocates": "oom",
    "once:swells": "ok",
}
UNAVAILABLE = {
    "rogue:load_exits": "exited with status 4: ValueError: no model here",
    "rogue:load_hangs": "not loaded within 3 s",
    "rogue:load_prints": "no JSON: 'Listening on port 80'",
    "rogue:load_refuses": "no such model",
    "rogue:load_protocol": "protocol 99; this bench speaks 1",
    "rogue:load_nameless": 'no "name"',
    "rogue:load_version": "it says version 9.9, not 1.2; type: bench list --fresh",
    "rogue:load_list": "is a list, no object",
}


def rows() -> list[Row]:
    labels = [*ON_BAD_PAGE, *UNAVAILABLE]
    registry.forget()
    found = registry.adapters()
    return [Row(found[name], variant) for name, variant in (each.split(":") for each in labels)]


def described(name: str, script: Path, words: list[str], *, one_shot: bool) -> str:
    deeds = [
        label.split(":")[1] for label in [*ON_BAD_PAGE, *UNAVAILABLE] if label.startswith(name)
    ]
    lines = [
        f"[extractors.{name}]",
        f"command = {json.dumps([sys.executable, str(script), *words])}",
        f"one_shot = {json.dumps(one_shot)}",
        f"[extractors.{name}.variants.default]",
        'deed = ""',
    ]
    for deed in deeds:
        lines += [f"[extractors.{name}.variants.{deed}]", f'deed = "{deed}"']
    return "\n".join([*lines, ""])


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Done:
    top = tmp_path_factory.mktemp("programs")
    (top / "bench.toml").write_text(
        described("rogue", PROGRAMS / "rogue.py", [], one_shot=False)
        + described("once", PROGRAMS / "one_shot_rogue.py", ["{deed}"], one_shot=True)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BENCH_HOME", str(top / "home"))
        patch.chdir(top)
        patch.setattr(test_rogues, "LIMITS", LIMITS)
        return test_rogues.run(top, rows(), jobs=2)


@pytest.mark.parametrize("label", sorted(ON_BAD_PAGE))
def test_outcome_of_each_page(gallery: Done, label: str) -> None:
    expected = {f"page-{number}": "ok" for number in range(1, PAGES + 1)}
    expected[BAD_PAGE] = ON_BAD_PAGE[label]
    found = gallery.cells.loc[label]
    assert found["outcome"].to_dict() == expected, found["diagnostics"].to_dict()


def test_texts_belong_to_their_pages(gallery: Done) -> None:
    """Also after a program was started again, which is where replies could be shifted."""
    cells = gallery.cells.reset_index()
    honest = cells[(cells["page"] != BAD_PAGE) & (cells["label"] != "once:deaf")]
    texts = gallery.folder.texts(set(honest["text_hash"]))
    assert len(honest) == (len(ON_BAD_PAGE) - 1) * (PAGES - 1)
    for page, text_hash in zip(honest["page"], honest["text_hash"], strict=True):
        assert f"Page {page.removeprefix('page-')}: behave" in texts[text_hash]
        assert "Naïve" in texts[text_hash]


def test_unavailable_with_reason(gallery: Done) -> None:
    assert set(gallery.events.unavailable) == set(UNAVAILABLE)
    for label, reason in gallery.events.unavailable.items():
        assert UNAVAILABLE[label] in reason


def test_nothing_is_left(gallery: Done) -> None:
    assert rogues.left_over(gallery.temporary) == []


@pytest.mark.parametrize(
    ("label", "message", "more"),
    [
        ("rogue:garbage", "no JSON: 'Parsing page…'; other output belongs on standard error", ""),
        ("rogue:wrong_id", "the reply has id 77", ""),
        ("rogue:no_id", "the reply has id null", ""),
        ("rogue:twice", "more than one line", ""),
        ("rogue:number", '"text" is a number, no string', ""),
        ("rogue:no_text", '"text" is null, no string', ""),
        ("rogue:says_error", "TypeError: x is undefined", "at extract.js:7"),
        ("rogue:closes", "it closed its standard output", ""),
        ("rogue:nested", "", ""),
        ("rogue:endless", "its reply is beyond 67108864 bytes", ""),
        ("once:endless", "its output is beyond 67108864 bytes", ""),
        ("rogue:segfault", "the worker was ended by SIGSEGV", "last words"),
        ("rogue:exits", "the worker exited with status 3", "last words"),
        ("rogue:exits_0", "the worker exited with status 0", ""),
        ("rogue:dies_with_child", "the worker exited with status 5", ""),
        ("rogue:allocates", "over the memory cap of 256 MiB", ""),
        ("once:exits", "exited with status 3: KeyError: 'body'", "Traceback"),
        ("once:segfault", "the worker was ended by SIGSEGV", "last words"),
    ],
)
def test_diagnostics(gallery: Done, label: str, message: str, more: str) -> None:
    diagnostics = gallery.bad(label)["diagnostics"]
    assert message in diagnostics.split("\n")[0]
    assert more in diagnostics
    assert "command.py" not in diagnostics, "frames of ours say nothing of theirs"


def test_odd_texts(gallery: Done) -> None:
    assert gallery.text("rogue:surrogate") == "before \ufffd after"
    assert len(gallery.text("rogue:much")) == 10_000_000
    assert gallery.text("once:invalid").startswith("not UTF-8: \ufffd\ufffd. ")


def test_usage_is_that_of_the_program(gallery: Done) -> None:
    for label in ("rogue:burns", "once:burns"):
        bad = gallery.bad(label)
        assert bad["cpu_s"] >= 0.15
        assert bad["wall_s"] >= 0.15
        assert gallery.cells.loc[label]["cpu_s"].drop(BAD_PAGE).max() < bad["cpu_s"]
    assert gallery.bad("once:swells")["rss_peak_bytes"] > 100 << 20
    for label in ("rogue:hangs", "once:hangs"):
        assert LIMITS.page_s <= gallery.bad(label)["wall_s"] < LIMITS.page_s + 0.5
    # The program's own size is part of it, not that of the worker alone.
    rest = gallery.cells.loc["rogue:burns"]
    assert (rest["rss_idle_bytes"] > 15 << 20).all()


def test_attempts_to_reach_the_network_are_counted(gallery: Done) -> None:
    if gallery.folder.manifest.network != ["namespace"]:
        pytest.skip("only a network namespace sees what other programs try")
    attempts = gallery.cells.loc["rogue:connects"]["network_attempts"]
    assert attempts[BAD_PAGE] >= 3
    assert attempts.drop(BAD_PAGE).eq(0).all()
    assert not gallery.cells.loc["rogue:burns"]["network_attempts"].any()


def test_what_the_program_says_of_itself_is_in_the_manifest(gallery: Done) -> None:
    facts = {row.label: row for row in gallery.folder.manifest.rows}
    assert facts["rogue:burns"].version == "1.2"
    assert facts["rogue:burns"].starts[0].packages[:2] == ("rogue==1.2", "inner==3")
    assert facts["once:burns"].version is None
