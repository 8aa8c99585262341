"""The leaderboard as Markdown."""

from __future__ import annotations

import re

from bench.report import sentences
from bench.scoring.leaderboard import Leaderboard, Line
from bench.util.display import mib, milliseconds, number, percent, plain, seconds

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#!~&])")


def escape(text: str) -> str:
    """Return a text that Markdown shows as it is, with no markup and no HTML in it."""
    return _SPECIAL.sub(r"\\\1", plain(text))


def leaderboard(board: Leaderboard) -> str:
    """Return a section with heading, table and notes."""
    with_cost = any(line.cost for line in board.lines)
    names = [name for name in board.metric.figures if name != board.metric.main]
    head = ["#", "alike", "extractor", "version", sentences.title(board.metric.main), "95 %"]
    head += [sentences.title(name) for name in names]
    head += [f"{each.name} {sentences.title(each.main)}" for each in board.others]
    align = ["--:", ":--", ":--", ":--", *["--:"] * (len(head) - 4)]
    if with_cost:
        head += ["ms/page", "time s", "CPU %", "RAM %", "MiB"]
        align += ["--:"] * 5
    head.append("not ok")
    align.append(":--")
    rows = [_row(line, board, names, with_cost=with_cost) for line in board.lines]
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in (head, align, *rows))
    parts = [f"## {escape(sentences.heading(board))}", table]
    if board.missing:
        lines = [f"- {escape(label)}: {escape(why)}" for label, why in sentences.not_run(board)]
        parts.append("\n".join(["Not run:", "", *lines]))
    parts.append(escape(sentences.method(board)))
    parts.extend(f"- {escape(note)}" for note in sentences.notes(board))
    return "\n\n".join(parts) + "\n"


def _row(line: Line, board: Leaderboard, names: list[str], *, with_cost: bool) -> list[str]:
    main = line.figures[board.metric.main]
    cells = [
        str(line.rank or "–"),
        line.letters or "–",
        escape(line.label),
        escape(line.version or "–"),
        percent(main.value),
        "–" if main.margin is None else f"{percent(main.lo)}–{percent(main.hi)}",
        *(percent(line.figures[name].value) for name in names),
        *(percent(line.metrics[each.name][each.main].value) for each in board.others),
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
