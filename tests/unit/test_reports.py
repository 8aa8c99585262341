"""What people read: golden files of one leaderboard, widths, and strangers' names.

``BENCH_UPDATE_GOLDEN=1 pytest tests/unit/test_reports.py`` writes the golden files again; read the
difference before committing it.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from bench.adapters import registry
from bench.metrics.ngram import Ngram
from bench.model import Outcome
from bench.report import leaderboard, markdown, sentences, tables, terminal
from bench.scoring.abstention import Abstention
from bench.scoring.cost import Cost, Leak
from bench.scoring.leaderboard import Leaderboard, Line, Missing
from bench.stats.estimate import Difference, Estimate, SampleSize, Standing
from bench.util import atomic
from bench.util.display import plain

GOLDEN = Path(__file__).parents[1] / "golden"
WIDTHS = (80, 100, 120)


def figure(value: float) -> Estimate:
    return Estimate(value, 0.0125, max(0.0, value - 0.025), min(1.0, value + 0.0225), 181)


def cost(ms: float) -> Cost:
    return Cost(
        answered=181, leak=Leak(0.5, 0.1, 0.9), wall_s=ms / 5, cpu_s=ms / 6, ms_per_page=ms,
        ms_per_page_mean=ms * 1.1,
        ms_per_page_p95=ms * 3, rss_peak_bytes=123 << 20, ram_percent=0.77, cpu_percent=83.3,
        start_s=0.5,
    )  # fmt: skip


def line(
    rank: int | None,
    name: str,
    variant: str = "default",
    *,
    f1: float = 0.8,
    ms: float | None = 12.3456,
    **changed: object,
) -> Line:
    values = dict.fromkeys(Ngram.figures, figure(f1))
    values["precision"] = figure(min(1.0, f1 + 0.05))
    values["exact"] = figure(f1 / 3)
    outcomes = {each.value: 0 for each in Outcome} | {"ok": 181}
    facts = {
        "standing": rank and Standing(rank <= 2, 0 if rank <= 2 else rank - 1, ("ab"[rank > 2],)),
        "name": name,
        "variant": variant,
        "version": "1.2.3",
        "kind": "extractor" if rank else "control",
        "language": "Python",
        "pages": 181,
        "outcomes": outcomes,
        "figures": values,
        "metrics": {"ngram": values},
        "cost": None if ms is None else cost(ms),
        "place": rank,
        "place_by_page_f1": rank,
    }
    return Line(**{**facts, **changed})  # type: ignore[arg-type]


def counts(**some: int) -> dict[str, int]:
    return {each.value: some.get(each.value, 0) for each in Outcome}


VERSUS = Difference(
    pages=181, value=-0.048, se=0.01, lo=-0.068, hi=-0.028, p=1e-5, p_holm=2e-5, effect=-0.36,
    wins=20, ties=100, losses=61,
)  # fmt: skip
BOARD = Leaderboard(
    gold={
        "name": "sample",
        "title": "A data set for this test",
        "licence": "MIT",
        "smoke": True,
        "fingerprint": "0" * 64,
        "as_published": None,
        "pages": 181,
    },
    lines=[
        line(1, "trafilatura", "precision", f1=0.9676, ms=21.5),
        line(
            2, "boilerpy3", "article-sentences", f1=0.8765, ms=3.21, place_by_page_f1=3,
            standing=Standing(True, 0, ("a",), SampleSize(433, 190, 1_234)),
        ),
        replace(
            line(3, "beautifulsoup", "html.parser", f1=0.7, ms=150.0),
            figures={**line(3, "x").figures, "f1": figure(0.7), "page_f1": figure(0.95)},
            place_by_page_f1=2,
        ),
        line(
            None, "beautifulsoup", "lxml", f1=0.652, ms=30.0, kind="extractor",
            variant_of="beautifulsoup:html.parser", versus=VERSUS,
        ),
        line(
            4, "goose3", f1=0.65, ms=1234.5, outcomes=counts(ok=150, empty=20, error=8, timeout=3),
            network_attempts=4,
        ),
        line(5, "everlasting", f1=0.0, ms=0.01, version=None, outcomes=counts(crash=100, oom=81)),
        line(None, "gold", f1=1.0, ms=0.004),
        line(None, "everything", f1=0.66, ms=4.5),
        line(None, "nothing", f1=0.0, ms=0.002, outcomes=counts(empty=181)),
    ],
    missing=[Missing("newspaper", "not installed: newspaper4k>=0.9", "pip install 'newspaper4k>=0.9'")],
    run="20260101T000000-sample",
    detectable=0.021,
    timings_ranked=False,
    warnings=["the machine was busy at the start; run again with --fresh"],
    machine={"cpu": "A processor", "memory_bytes": 16 << 30},
)  # fmt: skip
WITHOUT_COST = replace(
    BOARD, lines=[replace(each, cost=None) for each in BOARD.lines], run=None, missing=[]
)


def on_terminal(board: Leaderboard, width: int) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=False, color_system=None)
    terminal.show(leaderboard.document(board), console)
    return stream.getvalue()


def as_json(board: Leaderboard, folder: Path) -> str:
    atomic.write_json(folder / "leaderboard.json", board.to_json())
    return (folder / "leaderboard.json").read_text(encoding="utf-8")


def held_against_golden(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("BENCH_UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert path.is_file(), "BENCH_UPDATE_GOLDEN=1 writes it"
    assert text == path.read_text(encoding="utf-8")


# -- golden files ---------------------------------------------------------------------------


def test_markdown() -> None:
    held_against_golden("leaderboard.md", markdown.render(leaderboard.document(BOARD)))


def test_csv() -> None:
    held_against_golden("leaderboard.csv", tables.leaderboard_csv(BOARD))


def test_json(tmp_path: Path) -> None:
    held_against_golden("leaderboard.json", as_json(BOARD, tmp_path))


@pytest.mark.parametrize("width", WIDTHS)
def test_terminal(width: int) -> None:
    held_against_golden(f"terminal-{width}.txt", on_terminal(BOARD, width))


@pytest.mark.parametrize("width", [80, 100])
def test_terminal_with_pages_without_content(width: int) -> None:
    silent = Abstention(21, 17 / 21, 0.61, 0.93, 12.5, figure(0.97))
    lines = [replace(own, abstention=silent) for own in BOARD.lines]
    held_against_golden(
        f"terminal-abstention-{width}.txt", on_terminal(replace(BOARD, lines=lines), width)
    )


@pytest.mark.parametrize("width", WIDTHS)
def test_terminal_without_usage(width: int) -> None:
    held_against_golden(f"terminal-scores-{width}.txt", on_terminal(WITHOUT_COST, width))


# -- widths ---------------------------------------------------------------------------------


def everything_here() -> Leaderboard:
    """A leaderboard of every row that there is, with the widest of everything."""
    lines = [
        line(
            at if row.adapter.facts.kind == "extractor" else None,
            row.adapter.name,
            row.variant,
            f1=1.0 - at / 1000,
            ms=12345.6 / at,
            outcomes=counts(ok=100, empty=20, error=8, timeout=3, oom=2, crash=48),
        )
        for at, row in enumerate(registry.all_rows(), 1)
    ]
    return replace(BOARD, lines=lines)


@pytest.mark.parametrize("width", [40, 60, *WIDTHS, 200])
@pytest.mark.parametrize(
    "board", [BOARD, WITHOUT_COST, everything_here()], ids=["one", "two", "all"]
)
def test_it_fits(board: Leaderboard, width: int) -> None:
    assert max(map(cell_len, on_terminal(board, width).splitlines())) <= width


@pytest.mark.parametrize("width", WIDTHS)
def test_no_figure_and_no_name_is_cut(width: int) -> None:
    board = everything_here()
    text = on_terminal(board, width)
    for each in board.lines:
        assert any(
            shown.split()[:2][-1 if each.rank else 0] == each.label
            and f" {each.figures['f1'].value * 100:.1f} " in shown
            for shown in text.splitlines()
            if shown.split()
        ), each.label


def test_100_columns_hold_what_the_issue_asks_for() -> None:
    text = on_terminal(BOARD, 100)
    rows = text.splitlines()
    at = next(at for at, row in enumerate(rows) if "extractor" in row)
    head = rows[at - 1] + rows[at]  # titles take two lines
    titles = ["#", "F1", "95 %", "prec", "rec", "acc", "page", "ms/", "time", "CPU", "RAM"]
    for title in (*titles, "not ok"):
        assert title in head, title
    flat = " ".join(text.split())
    for note in ("smoke set", "not distinguishable from the best", "timings not comparable"):
        assert note in flat, note
    assert "pip install 'newspaper4k>=0.9'" in flat


def test_the_footer_is_two_lines_and_markdown_has_every_note() -> None:
    tuned = tuple(f"{BOARD.gold['name']}=https://{at}.example" for at in range(2))
    many = replace(BOARD, lines=[replace(each, tuned_on=tuned) for each in BOARD.lines])
    for board in (BOARD, many):
        lines = sentences.footer(board)
        assert len(lines) == 2
        assert max(map(len, lines)) <= 80
        assert on_terminal(board, 80).rstrip().splitlines()[-2:] == lines
        text = markdown.render(leaderboard.document(board))
        assert all(markdown.escape(note) in text for note in sentences.notes(board))
    assert "3 more" in sentences.footer(BOARD)[1]


def test_wide_characters_do_not_break_the_table() -> None:
    board = replace(BOARD, lines=[line(1, "提灯" * 20), *BOARD.lines[1:]])
    for width in WIDTHS:
        assert max(map(cell_len, on_terminal(board, width).splitlines())) <= width


# -- strangers' names -----------------------------------------------------------------------

HOSTILE = {
    "ansi": "\x1b[31mred\x1b[0m\x1b]0;title\x07\x1b[2J",
    "c1": "\x9b31mred\x9d0;title\x9c",
    "bidi": "safe\u202egnp.exe\u2066x\u2069",
    "invisible": "tra\u200bfila\u2060tura\ufeff",
    "lines": "one\n## two\r\nthree\x0b\x0c\u2028four\u2029five",
    "formula": '=HYPERLINK("http://x.example","y")',
    "plus": "+1+cmd|' /C calc'!A0",
    "minus": "-2+3",
    "at": "@SUM(A1)",
    "tab": "\t=1+1",
    "pipes": "a|b||c\\|d",
    "html": "<script>alert(1)</script><img src=x onerror=y>&lt;",
    "markdown": "[click](http://x.example) ![i](x) `code` **b** _e_ ~~s~~ # h",
    "rich": "[bold red]x[/bold red][link=http://x.example]y[/link]",
    "surrogate": "caf\udce9",
    "nul": "a\x00b",
    "long": "w" * 500,
}


def hostile(text: str) -> Leaderboard:
    """The text stands wherever a stranger's could."""
    others = [replace(each, network_attempts=1) for each in BOARD.lines[2:]]
    first = line(1, text, text, version=text, network_attempts=3)
    # It has the worst page F1, so that the note about order names it.
    first = replace(first, place_by_page_f1=9, figures={**first.figures, "page_f1": figure(0.0)})
    return replace(
        BOARD,
        gold={**BOARD.gold, "name": text, "title": text + "t", "licence": text},
        lines=[first, *others],
        missing=[Missing(text, text, text)],
        warnings=[text],
        run=text,
    )


def unsafe(text: str, allowed: str = "\n") -> set[str]:
    kinds = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    return {c for c in text if unicodedata.category(c) in kinds and c not in allowed}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("width", WIDTHS)
def test_hostile_names_on_the_terminal(kind: str, width: int) -> None:
    text = on_terminal(hostile(HOSTILE[kind]), width)
    assert unsafe(text) == set()
    assert max(map(cell_len, text.splitlines())) <= width
    if kind == "rich":
        assert "[bold" in text, "shown as it is, not taken for markup"


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_names_in_markdown(kind: str) -> None:
    text = markdown.render(leaderboard.document(hostile(HOSTILE[kind])))
    assert unsafe(text) == set()
    bare = re.sub(r"\\.", "", text)  # without what is escaped
    assert not set(bare) & set("<>`*_[]!~&")
    rows = [row for row in bare.splitlines() if row.startswith("|")]
    assert len(rows) == 2 + len(hostile("x").lines)
    assert len({row.count("|") for row in rows}) == 1, "no cell is split"
    assert sum(row.startswith("#") for row in bare.splitlines()) == 1, "no heading is added"
    assert all(
        row.startswith(("|", "## ", "- ", "Not run:", "4-gram precision"))
        for row in bare.splitlines()
        if row
    )


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_names_in_csv(kind: str) -> None:
    text = tables.leaderboard_csv(hostile(HOSTILE[kind]))
    assert unsafe(text) == set()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == len(hostile("x").lines)
    for row in rows:
        assert None not in row
        for name, value in row.items():
            formula = value.startswith(("=", "+", "-", "@", "\t", "\r"))
            assert not formula or (name.startswith("versus") and float(value) < 0), name
    assert plain(HOSTILE[kind]) in rows[0]["name"]


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_names_in_json(kind: str, tmp_path: Path) -> None:
    """Whole for a machine, and harmless when the file is shown on a terminal."""
    text = as_json(hostile(HOSTILE[kind]), tmp_path)
    assert json.loads(text)["extractors"][0]["name"] == HOSTILE[kind]
    assert unsafe(text) == set()


@pytest.mark.parametrize(
    ("stated", "data_set", "tuned"),
    [
        ("aeb=https://a.example", "aeb", True),
        ("wcxb=https://a.example", "wcxb:test", True),
        ("sigir:dragnet=https://a.example", "sigir", True),
        ("sigir:dragnet=https://a.example", "sigir:cetd", False),
        ("wcxb=https://a.example", "wcxb2", False),
    ],
)
def test_who_is_tuned_on_a_data_set_is_said(stated: str, data_set: str, tuned: bool) -> None:
    first = replace(BOARD.lines[0], tuned_on=(stated,))
    board = replace(BOARD, gold={**BOARD.gold, "name": data_set}, lines=[first, *BOARD.lines[1:]])
    notes = [note for note in sentences.notes(board) if "tuned on this data set" in note]
    assert bool(notes) == tuned
    assert sentences.tuned_on(first) == {stated.partition("=")[0]: "https://a.example"}
