"""Releases of an extractor: terminal, Markdown and chart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.report import sentences
from bench.report.compared import chance, points
from bench.report.markdown import escape
from bench.scoring.history import History, Release
from bench.util.atomic import write_json, write_text
from bench.util.display import mib, milliseconds, percent, plain

_BETTER, _WORSE = "+", "-"


def show(history: History, console: Console) -> None:
    """Print a history."""
    console.print(Text(heading(history), style="bold"))
    if history.ran:
        shown = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="bold")
        for at, title in enumerate(_head(history)):
            shown.add_column(title, justify="left" if at < 2 else "right", no_wrap=True)
        for each in history.releases:
            if each.line is not None:
                mark = sign(each)
                style = {_BETTER: "green", _WORSE: "red"}.get(mark, "")
                shown.add_row(*map(Text, [mark, *_cells(history, each)]), style=style)
        console.print(shown)
    for label, why in not_run(history):
        console.print(Text(f"• {label} not run: {why}"))
    for note in notes(history):
        console.print(Text(f"• {note}"))
    console.print(Text(method(history), style="dim"))


def write(history: History, folder: Path, name: str) -> list[Path]:
    """Write Markdown, charts and JSON and return the files. Raises ``BenchError``."""
    # Imported here, because drawing takes a second to import.
    from bench.report.charts import history as charts

    page, data = folder / f"{name}.md", folder / f"{name}.json"
    write_text(page, markdown(history))
    drawn = charts.write_history(history, folder, name)
    write_json(data, history.to_json())
    return [page, *drawn, data]


def markdown(history: History) -> str:
    """Return a section with heading, table and notes."""
    parts = [f"## {escape(heading(history))}"]
    head = _head(history)
    lines = [f"| {' | '.join(head)} |", f"|{':--|' * 2}{'--:|' * (len(head) - 2)}"]
    for each in history.releases:
        if each.line is not None:
            cells = [sign(each), *_cells(history, each)]
            lines.append(f"| {' | '.join(map(escape, cells))} |")
    parts.append("\n".join(lines))
    missing = [f"- {escape(label)}: {escape(why)}" for label, why in not_run(history)]
    if missing:
        parts.append("\n".join(["Not run:", "", *missing]))
    parts += [f"- {escape(note)}" for note in notes(history)]
    return "\n\n".join([*parts, escape(method(history))]) + "\n"


def heading(history: History) -> str:
    """Name the extractor and the data set."""
    return f"{plain(history.name)} over its releases, {sentences.heading(history.board)}"


def sign(release: Release) -> str:
    """Return + or - for a step that is more than chance, nothing for another."""
    if not release.told_apart or release.step is None:
        return ""
    return _BETTER if (release.step.value or 0.0) > 0 else _WORSE


def not_run(history: History) -> list[tuple[str, str]]:
    """Return the releases that could not be run, those with one reason together, and why."""
    groups: dict[str, list[str]] = {}
    for each in history.releases:
        if each.line is None:
            groups.setdefault(
                f"{plain(each.reason)[:300]}; to mend: {plain(each.remedy)[:200]}", []
            ).append(plain(each.version))
    return [(", ".join(versions), why) for why, versions in groups.items()]


def notes(history: History) -> list[str]:
    """Return what a reader has to know before quoting a figure."""
    board = history.board
    said = [sentences.SMOKE] if board.gold["smoke"] else []
    if not history.steps and len(history.ran) > 1:
        said.append("No step is more than chance.")
    return [*said, *(f"Warning: {plain(each)}." for each in board.warnings)]


def method(history: History) -> str:
    """Say what the figures are."""
    board = history.board
    title = sentences.title(board.metric.main)
    return (
        f"{title} in per cent with its 95 % interval ({board.bootstrap.resamples:,} bootstrap "
        f"resamples of pages, seed {board.bootstrap.seed}); step: points against the release before "
        "that ran; p by permutation on the same pages, Holm's correction over the steps; + and - "
        "mark steps with p below .05. Each release runs with its dependencies as they are now."
    )


def _head(history: History) -> Sequence[str]:
    title = sentences.title(history.board.metric.main)
    return ("", "release", title, "95 %", "step", "p", "ms/page", "MiB", "not ok")


def _cells(history: History, each: Release) -> list[str]:
    line = each.line
    if line is None:
        raise ValueError(f"{each.version} did not run")
    main = line.figures[history.board.metric.main]
    interval = "–" if main.margin is None else f"{percent(main.lo)}–{percent(main.hi)}"
    step = each.step
    cost = line.cost
    return [
        plain(each.version),
        percent(main.value),
        interval,
        points(step.value) if step else "–",
        chance(step.p_holm) if step else "–",
        milliseconds(cost.ms_per_page) if cost else "–",
        mib(cost.rss_peak_bytes) if cost else "–",
        sentences.outcomes(dict(line.outcomes)) or "–",
    ]
