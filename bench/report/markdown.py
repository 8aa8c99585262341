"""The leaderboard as Markdown."""

from __future__ import annotations

import re

from bench.report import sentences
from bench.report.text import mib, milliseconds, number, percent, plain, seconds
from bench.scoring.leaderboard import Leaderboard, Line

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#!~&])")


def escape(text: str) -> str:
    """Return a text that Markdown shows as it is, with no markup and no HTML in it."""
    return _SPECIAL.sub(r"\\\1", plain(text))


def leaderboard(board: Leaderboard) -> str:
    """Return a section with heading, table and notes."""
    with_cost = any(line.cost for line in board.lines)
    head = [
        "#",
        "extractor",
        "version",
        "F1",
        "95 %",
        "precision",
        "recall",
        "accuracy",
        "exact",
        "page F1",
    ]
    align = ["--:", ":--", ":--", *["--:"] * 7]
    if with_cost:
        head += ["ms/page", "time s", "CPU %", "RAM %", "MiB"]
        align += ["--:"] * 5
    head.append("not ok")
    align.append(":--")
    rows = [_row(line, with_cost=with_cost) for line in board.lines]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in (head, align, *rows))
    parts = [f"## {escape(sentences.heading(board))}", table]
    if board.missing:
        lines = [f"- {escape(label)}: {escape(why)}" for label, why in sentences.not_run(board)]
        parts.append("\n".join(["Not run:", "", *lines]))
    parts.append(escape(sentences.method(board)))
    parts.extend(f"- {escape(note)}" for note in sentences.notes(board))
    return "\n\n".join(parts) + "\n"


def _row(line: Line, *, with_cost: bool) -> list[str]:
    f1 = line.figures["f1"]
    cells = [
        str(line.rank or "–"),
        escape(line.label),
        escape(line.version or "–"),
        percent(f1.value),
        f"{percent(f1.lo)}–{percent(f1.hi)}",
        *(
            percent(line.figures[name].value)
            for name in ("precision", "recall", "accuracy", "exact", "page_f1")
        ),
    ]
    if with_cost:
        cost = line.cost
        cells += (
            [
                milliseconds(cost.ms_per_page),
                seconds(cost.wall_s),
                number(cost.cpu_percent),
                number(cost.ram_percent, 1),
                mib(cost.rss_peak_bytes),
            ]
            if cost
            else ["–"] * 5
        )
    return [*cells, escape(sentences.outcomes(dict(line.outcomes))) or "–"]
